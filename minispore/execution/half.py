"""float16 and bfloat16: ops compute in float32 and round their outputs, as accelerators do.

NumPy's float16 arithmetic is a hundred times slower than float32. Both modes run their kernels
through :func:`execute`, and an op that is lowered to steps rounds between them, so both modes
compute the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minispore.execution import layout
from minispore.ir.operator import Operator

FLOAT16 = np.dtype(np.float16)
FLOAT32 = np.dtype(np.float32)
_SLICE_ELEMENTS = 1 << 15  # converted in one pass, so that all arrays involved stay in the cache
_MIN_ELEMENTS = 256  # below this NumPy converts just as fast
_MAGNITUDE, _EXPONENT = 0x7FFFFFFF, 0x7F800000  # masks of the bits of a float32
# The bits of 2^-14, the smallest normal float16; an array is faster than a scalar.
_MIN_NORMALS = np.full(_SLICE_ELEMENTS, 0x38800000, np.uint32)


def is_half(dtype: np.dtype) -> bool:
    """Whether ``dtype`` is float16 or bfloat16."""
    return dtype.itemsize == 2 and dtype.kind in "fV"


def computes_in_float32(prim: Operator, out: Any) -> bool:
    """Whether ``prim`` computes ``out`` in float32 and rounds it."""
    if prim.arithmetic.is_copy or prim.traits.lowers_to_steps or not prim.effect.is_repeatable:
        return False
    if out.__class__ is tuple:
        return any(is_half(o.dtype) for o in out)
    return is_half(out.dtype)


def choose_kernel(prim: Operator, out: Any) -> Callable[..., Any]:
    """Return the function ``kernel(*arrays, out=out)`` that computes the output of ``prim``.

    It is the kernel of ``prim``, or for float16 and bfloat16 one that computes in float32 and
    rounds. ``out`` is an output array or a spec, or a tuple of them.
    """
    if (out.__class__ is np.ndarray and out.itemsize != 2) or not computes_in_float32(prim, out):
        return prim.kernel
    return partial(_run_in_float32, prim)


def execute(prim: Operator, args: Any, out: Any) -> None:
    """Run the kernel of ``prim`` into ``out``, in float32 if ``out`` is float16 or bfloat16.

    Some ops, such as copies, run in half precision directly (:func:`computes_in_float32`).
    """
    choose_kernel(prim, out)(*args, out=out)


def _run_in_float32(prim: Operator, *args: Any, out: Any) -> None:
    """Run a kernel on float32 copies of its float16 arguments, and round its outputs."""
    float32_args = [
        to_float32(a) if isinstance(a, np.ndarray) and is_half(a.dtype) else a for a in args
    ]
    outs = out if out.__class__ is tuple else (out,)
    float32_outs = tuple(
        [_make_float32_like(target) if is_half(target.dtype) else target for target in outs]
    )
    prim.kernel(*float32_args, out=float32_outs if out.__class__ is tuple else float32_outs[0])
    for target, computed in zip(outs, float32_outs, strict=True):
        if target is not computed:
            convert(computed, target, exact=prim.arithmetic.is_exact)


def _make_float32_like(template: np.ndarray) -> np.ndarray:
    """Return a new float32 array with the shape and axis order of ``template``."""
    return np.empty_like(template, FLOAT32, subok=False)


def to_float32(a: np.ndarray) -> np.ndarray:
    """Return a float16 or bfloat16 array as float32 with the same axis order."""
    float32_array = _make_float32_like(a) if is_dense(a) else layout.empty_like(a, FLOAT32)
    convert(a, float32_array)
    return float32_array


def is_dense(a: np.ndarray) -> bool:
    """Whether the elements of ``a`` have no gaps in memory, in any order of the axes."""
    return a.flags.c_contiguous or a.transpose(_get_memory_order(a)).flags.c_contiguous


def convert(x: np.ndarray, out: np.ndarray, exact: bool = False) -> None:
    """Copy ``x`` to ``out``, an array of the same shape, by integer ops where that is faster.

    Set ``exact`` if no element needs rounding. NumPy converts float16 element by element, and
    subnormal numbers are ten times slower.
    """
    if x.size >= _MIN_ELEMENTS:
        pair = (x.dtype, out.dtype)
        convert_slice: Callable[[np.ndarray, np.ndarray], None] | None = None
        if pair == (FLOAT16, FLOAT32):
            convert_slice = _half_to_float
        elif pair == (FLOAT32, FLOAT16):
            convert_slice = _pack_half if exact else _float_to_half
        if convert_slice is not None and _convert_by_slices(convert_slice, x, out):
            return
    with np.errstate(over="ignore", invalid="ignore"):
        np.copyto(out, x, casting="unsafe")


def round_to(dtype: np.dtype, x: np.ndarray, out: np.ndarray) -> None:
    """Write ``x``, rounded to float16 or bfloat16 (``dtype``), to float32 ``out``, which may
    be ``x``. A NaN stays a NaN that converts to the same float16.
    """
    if x.size >= _MIN_ELEMENTS and dtype == FLOAT16 and _convert_by_slices(_round_to_half, x, out):
        return
    with np.errstate(over="ignore", invalid="ignore"):
        np.copyto(out, x.astype(dtype))


def _convert_by_slices(
    convert_slice: Callable[[np.ndarray, np.ndarray], None], x: np.ndarray, out: np.ndarray
) -> bool:
    """Convert ``x`` to ``out`` slice by slice in memory order; returns False if that is impossible.

    Both must be dense with the same axis order.
    """
    if not (x.flags.c_contiguous and out.flags.c_contiguous):
        order = _get_memory_order(x)
        x, out = x.transpose(order), out.transpose(order)
        if not (x.flags.c_contiguous and out.flags.c_contiguous):
            return False
    source, target = x.reshape(-1), out.reshape(-1)
    with np.errstate(over="ignore", invalid="ignore"):
        for i in range(0, x.size, _SLICE_ELEMENTS):
            convert_slice(source[i : i + _SLICE_ELEMENTS], target[i : i + _SLICE_ELEMENTS])
    return True


def _get_memory_order(a: np.ndarray) -> list[int]:
    """Return the axes of ``a`` from outermost to innermost in memory."""
    return sorted(range(a.ndim), key=lambda i: -a.strides[i])


def _half_to_float(x: np.ndarray, out: np.ndarray) -> None:
    """Convert float16 to float32 by shifting its 15 lower bits and multiplying by 2^112.

    Infinities and NaNs are left to NumPy.
    """
    halves = x.view(np.uint16)
    if np.left_shift(halves, 1).max() >= 0xF800:  # infinite or NaN
        np.copyto(out, x)
        return
    bits = out.view(np.int32)
    np.left_shift(x.view(np.int16), 13, out=bits, dtype=np.int32)
    np.bitwise_and(bits, -0x70000001, out=bits)  # clear bits 28 to 30, which copy the sign
    np.multiply(out, np.float32(2.0**112), out=out)


def _float_to_half(x: np.ndarray, out: np.ndarray) -> None:
    """Convert float32 to float16, rounding to nearest, ties to even.

    With e the exponent of x, the sum 4|x| + 2^(e+15) is rounded to a float32 whose last bit
    corresponds to the last bit of the float16.
    """
    bits = x.view(np.uint32)
    magnitude = np.bitwise_and(bits, _MAGNITUDE)
    if magnitude.max() > _EXPONENT:  # NaN; the product makes a signalling NaN quiet
        np.copyto(out, x * np.float32(1), casting="unsafe")
        return
    power = np.bitwise_and(magnitude, _EXPONENT)
    np.maximum(power, _MIN_NORMALS[: x.size], out=power)  # below 2^-14 float16 spacing is constant
    np.add(power, 0x07800000, out=power)  # times 2^15
    scaled = magnitude.view(np.float32)
    np.multiply(scaled, np.float32(2.0**112), out=scaled)  # beyond float16's range: infinite
    np.multiply(scaled, np.float32(2.0**-110), out=scaled)
    np.add(scaled, power.view(np.float32), out=scaled)
    np.right_shift(magnitude, 13, out=power)
    np.bitwise_and(power, 0x7C00, out=power)  # exponent
    np.bitwise_and(magnitude, 0x0FFF, out=magnitude)  # mantissa, which may carry into it
    np.add(magnitude, power, out=magnitude)
    np.right_shift(bits, 16, out=power)
    np.bitwise_and(power, 0x8000, out=power)
    np.bitwise_or(magnitude, power, out=out.view(np.uint16), casting="unsafe")


def _pack_half(x: np.ndarray, out: np.ndarray) -> None:
    """Convert float32 values that are exact in float16, by a shift of the bits of x * 2^-112."""
    bits = np.multiply(x, np.float32(2.0**-112)).view(np.uint32)
    sign = np.right_shift(bits, 16)
    np.bitwise_and(sign, 0x8000, out=sign)
    np.right_shift(bits, 13, out=bits)
    np.bitwise_and(bits, 0x7FFF, out=bits)
    np.bitwise_or(bits, sign, out=out.view(np.uint16), casting="unsafe")


def _round_to_half(x: np.ndarray, out: np.ndarray) -> None:
    """Write ``x``, rounded to the spacing of float16, to ``out``; both are float32.

    What is beyond the range of float16 becomes infinite. ``out`` may be ``x``.
    """
    power = np.bitwise_and(x.view(np.uint32), _EXPONENT)
    np.maximum(power, _MIN_NORMALS[: x.size], out=power)  # below 2^-14 float16 spacing is constant
    units = np.subtract(0x84000000, power).view(np.float32)  # 2^10 / power
    np.multiply(x, units, out=out)
    np.rint(out, out=out)
    np.multiply(out, power.view(np.float32), out=out)
    np.multiply(out, np.float32(2.0**102), out=out)  # beyond float16's range: infinite
    np.multiply(out, np.float32(2.0**-112), out=out)
