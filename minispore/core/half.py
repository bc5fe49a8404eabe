"""Half floats: an op computes in float32 and rounds what comes out, as an accelerator's does.

NumPy's own arithmetic on float16 is a hundred times as slow as on float32. Both modes run their
kernels through :func:`execute`, and an op that is told as steps rounds between them, so the bits
are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from minispore.core import layout

if TYPE_CHECKING:
    from minispore.core.primitive import Primitive

FLOAT16 = np.dtype(np.float16)
FLOAT32 = np.dtype(np.float32)
_SLICE = 1 << 15  # elements that go through the passes below at once: all of them stay in the cache
_FEW = 256  # elements that NumPy converts as quickly
_LEAST = np.full(_SLICE, 0x38800000, np.uint32)  # 2^-14; NumPy is slow to compare with a number


def is_half(dtype: np.dtype) -> bool:
    """Whether ``dtype`` is float16 or bfloat16."""
    return dtype.itemsize == 2 and dtype.kind in "fV"


def widens(prim: Primitive, out: Any) -> bool:
    """Whether ``prim`` computes ``out`` in float32 and rounds it."""
    if prim.moves or prim.lowers or not (prim.pure or prim.mutates):
        return False
    if out.__class__ is tuple:
        return any(is_half(o.dtype) for o in out)
    return is_half(out.dtype)


def kernel_of(prim: Primitive, out: Any) -> Callable[..., Any]:
    """What computes ``out``, arrays or specs, from arrays: ``kernel(*arrays, out=out)``."""
    if (out.__class__ is np.ndarray and out.itemsize != 2) or not widens(prim, out):
        return prim.kernel
    return partial(_widely, prim)


def execute(prim: Primitive, args: Any, out: Any) -> None:
    """Run the kernel of ``prim``."""
    kernel_of(prim, out)(*args, out=out)


def _widely(prim: Primitive, *args: Any, out: Any) -> None:
    wide = [widened(a) if isinstance(a, np.ndarray) and is_half(a.dtype) else a for a in args]
    outs = out if out.__class__ is tuple else (out,)
    made = tuple([_empty(o) if is_half(o.dtype) else o for o in outs])
    prim.kernel(*wide, out=made if out.__class__ is tuple else made[0])
    for o, m in zip(outs, made, strict=True):
        if o is not m:
            convert(m, o, exact=prim.chooses)


def _empty(like: np.ndarray) -> np.ndarray:
    return np.empty_like(like, FLOAT32, subok=False)


def widened(a: np.ndarray) -> np.ndarray:
    """A half array as float32, which lies in memory as it does."""
    made = _empty(a) if is_dense(a) else layout.like(a, FLOAT32)
    convert(a, made)
    return made


def is_dense(a: np.ndarray) -> bool:
    """Whether the elements of ``a`` lie side by side, in whatever order of the axes."""
    return a.flags.c_contiguous or a.transpose(_order(a)).flags.c_contiguous


def convert(x: np.ndarray, out: np.ndarray, exact: bool = False) -> None:
    """Copy ``x`` to ``out``, an array of the same shape; by integers where that is quick. If it is
    ``exact`` there is nothing to round.

    NumPy converts float16 element by element, and anything that is not normal ten times slower.
    """
    if x.size >= _FEW:
        pair = (x.dtype, out.dtype)
        quick: Callable[[np.ndarray, np.ndarray], None] | None = None
        if pair == (FLOAT16, FLOAT32):
            quick = _from_half
        elif pair == (FLOAT32, FLOAT16):
            quick = _pack_half if exact else _to_half
        if quick is not None and _by_slices(quick, x, out):
            return
    with np.errstate(over="ignore", invalid="ignore"):
        np.copyto(out, x, casting="unsafe")


def round_to(dtype: np.dtype, x: np.ndarray, out: np.ndarray) -> None:
    """Write to ``out`` what ``x``, float32 as well, is as the half floats of ``dtype``; ``out`` may
    be ``x``. A NaN stays one that becomes the same half float.
    """
    if x.size >= _FEW and dtype == FLOAT16 and _by_slices(_round_to_half, x, out):
        return
    with np.errstate(over="ignore", invalid="ignore"):
        np.copyto(out, x.astype(dtype))


def _by_slices(
    step: Callable[[np.ndarray, np.ndarray], None], x: np.ndarray, out: np.ndarray
) -> bool:
    """Take ``x`` to ``out`` slice by slice, in the order of memory, if they are dense and lie
    alike; whether they are.
    """
    if not (x.flags.c_contiguous and out.flags.c_contiguous):
        order = _order(x)
        x, out = x.transpose(order), out.transpose(order)
        if not (x.flags.c_contiguous and out.flags.c_contiguous):
            return False
    source, made = x.reshape(-1), out.reshape(-1)
    with np.errstate(over="ignore", invalid="ignore"):
        for i in range(0, x.size, _SLICE):
            step(source[i : i + _SLICE], made[i : i + _SLICE])
    return True


def _order(a: np.ndarray) -> list[int]:
    """The axes of ``a``, the outermost in memory first."""
    return sorted(range(a.ndim), key=lambda i: -a.strides[i])


def _from_half(x: np.ndarray, out: np.ndarray) -> None:
    """The 15 lower bits moved to float32's place stand for x * 2^-112, whatever x is."""
    halves = x.view(np.uint16)
    if np.left_shift(halves, 1).max() >= 0xF800:  # infinite or no number
        np.copyto(out, x)
        return
    whole = out.view(np.int32)
    np.left_shift(x.view(np.int16), 13, out=whole, dtype=np.int32)  # the sign fills what is above
    np.bitwise_and(whole, -0x70000001, out=whole)
    np.multiply(out, np.float32(2.0**112), out=out)


def _to_half(x: np.ndarray, out: np.ndarray) -> None:
    """Round to the nearest by adding a power of two whose last bit is that of the half float."""
    given = x.view(np.uint32)
    size = np.bitwise_and(given, 0x7FFFFFFF)
    if size.max() > 0x7F800000:  # no number; one that signals becomes a quiet one
        np.copyto(out, x * np.float32(1), casting="unsafe")
        return
    power = np.bitwise_and(size, 0x7F800000)
    np.maximum(power, _LEAST[: x.size], out=power)  # below 2^-14 all halves have one distance
    np.add(power, 0x07800000, out=power)
    number = size.view(np.float32)
    np.multiply(number, np.float32(2.0**112), out=number)  # beyond half's range is infinite
    np.multiply(number, np.float32(2.0**-110), out=number)
    np.add(number, power.view(np.float32), out=number)
    np.right_shift(size, 13, out=power)
    np.bitwise_and(power, 0x7C00, out=power)  # exponent
    np.bitwise_and(size, 0x0FFF, out=size)  # mantissa, which may carry into it
    np.add(size, power, out=size)
    np.right_shift(given, 16, out=power)
    np.bitwise_and(power, 0x8000, out=power)
    np.bitwise_or(size, power, out=out.view(np.uint16), casting="unsafe")


def _pack_half(x: np.ndarray, out: np.ndarray) -> None:
    """What float16 has: x * 2^-112 has its 15 lower bits in float32's place."""
    bits = np.multiply(x, np.float32(2.0**-112)).view(np.uint32)
    sign = np.right_shift(bits, 16)
    np.bitwise_and(sign, 0x8000, out=sign)
    np.right_shift(bits, 13, out=bits)
    np.bitwise_and(bits, 0x7FFF, out=bits)
    np.bitwise_or(bits, sign, out=out.view(np.uint16), casting="unsafe")


def _round_to_half(x: np.ndarray, out: np.ndarray) -> None:
    """x in units of the last bit of its half float, rounded to a whole number of them."""
    power = np.bitwise_and(x.view(np.uint32), 0x7F800000)
    np.maximum(power, _LEAST[: x.size], out=power)  # below 2^-14 all halves have one distance
    units = np.subtract(0x84000000, power).view(np.float32)  # 2^10 / power
    np.multiply(x, units, out=out)
    np.rint(out, out=out)
    np.multiply(out, power.view(np.float32), out=out)
    np.multiply(out, np.float32(2.0**102), out=out)  # beyond half's range is infinite
    np.multiply(out, np.float32(2.0**-112), out=out)
