"""Half floats: an op computes in float32 and rounds what comes out, as an accelerator's does.

NumPy's own arithmetic on float16 is a hundred times as slow as on float32. Both modes run their
kernels through :func:`execute`, and an op that is told as steps rounds between them, so the bits
are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from minispore.core.primitive import Primitive

FLOAT16 = np.dtype(np.float16)
FLOAT32 = np.dtype(np.float32)
_SLICE = 1 << 14  # elements that go through the passes below at once: all of them stay in the cache


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


def execute(prim: Primitive, args: Any, out: Any) -> Any:
    """Run the kernel of ``prim``."""
    if out is None:
        return prim.kernel(*args)  # dynamic: it allocates
    if not widens(prim, out):
        return prim.kernel(*args, out=out)
    wide = [widened(a) if isinstance(a, np.ndarray) and is_half(a.dtype) else a for a in args]
    outs = out if out.__class__ is tuple else (out,)
    made = tuple([_empty(o) if is_half(o.dtype) else o for o in outs])
    prim.kernel(*wide, out=made if out.__class__ is tuple else made[0])
    for o, m in zip(outs, made, strict=True):
        if o is not m:
            convert(m, o)
    return None


def _empty(like: np.ndarray) -> np.ndarray:
    return np.empty_like(like, FLOAT32, subok=False)


def widened(a: np.ndarray) -> np.ndarray:
    """A half array as float32, which lies in memory as it does."""
    made = _empty(a)
    convert(a, made)
    return made


def convert(x: np.ndarray, out: np.ndarray) -> None:
    """Copy ``x`` to ``out``, an array of the same shape; float16 by integers where that is quick.

    NumPy converts float16 element by element, and anything that is not normal ten times slower.
    """
    pair = (x.dtype, out.dtype)
    if x.size >= 256 and pair in ((FLOAT16, FLOAT32), (FLOAT32, FLOAT16)):
        rows = _flat(x, out)
        if rows is not None:
            step = _from_half if pair[0] == FLOAT16 else _to_half
            with np.errstate(over="ignore", invalid="ignore"):
                for i in range(0, x.size, _SLICE):
                    step(rows[0][i : i + _SLICE], rows[1][i : i + _SLICE])
            return
    with np.errstate(over="ignore", invalid="ignore"):
        np.copyto(out, x, casting="unsafe")


def _flat(x: np.ndarray, out: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Both in the order of memory, if they are dense and lie alike."""
    order = sorted(range(x.ndim), key=lambda i: -x.strides[i])
    flat = []
    for a in (x, out):
        turned = a.transpose(order)
        if not turned.flags.c_contiguous:
            return None
        flat.append(turned.reshape(-1))
    return flat[0], flat[1]


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
    if size.max() > 0x7F800000:  # no number
        np.copyto(out, x, casting="unsafe")
        return
    power = np.bitwise_and(size, 0x7F800000)
    np.maximum(power, 0x38800000, out=power)  # below 2^-14 all halves have one distance
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
