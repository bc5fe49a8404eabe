"""Functions of adjacent elements: differences, gradients, convolutions, interpolation."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.arithmetic import difference
from minispore.ops.mnp.creation import to_tensor, widen_half_floats
from minispore.ops.support.arguments import check_axis


def _slice_along(x: Tensor, axis: int, start: int | None, stop: int | None) -> Tensor:
    """Return ``x[start:stop]`` along ``axis``."""
    return x[(*[slice(None)] * axis, slice(start, stop))]


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """Return the ``n``-th differences along ``axis`` of ``a``, with ``prepend`` and ``append``
    joined to it first.

    Numbers among these are repeated to one slice. With ``n`` = 0, return ``a`` as it is.

    >>> print(diff(Tensor([1, 2, 4, 7])))
    [1 2 3]
    """
    a = to_tensor(a)
    axis = check_axis("diff", axis, a.ndim)
    if checks.integer("diff", "n", n, 0) == 0:
        return a
    arrays = []
    for array in (prepend, a, append):
        if array is None:
            continue
        array = to_tensor(array)
        if array.ndim == 0:
            array = ops.broadcast_to(array, (*a.shape[:axis], 1, *a.shape[axis + 1 :]))
        arrays.append(array)
    x = ops.concat(arrays, axis) if len(arrays) > 1 else a
    for _ in range(n):
        x = difference(_slice_along(x, axis, 1, None), _slice_along(x, axis, None, -1))
    return x


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Tensor:
    """Return the differences of the flattened ``ary``, with ``to_begin`` before and ``to_end``
    after them.

    Both are flattened and cast to the dtype of the differences.
    """
    differences = diff(ops.reshape(to_tensor(ary), (-1,)))
    ends = [None if e is None else ops.reshape(to_tensor(e), (-1,)) for e in (to_begin, to_end)]
    arrays = [array for array in (ends[0], differences, ends[1]) if array is not None]
    if len(arrays) == 1:
        return differences
    return ops.concat([ops.cast(array, differences.dtype) for array in arrays], 0)


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Return the gradient along each axis: central differences, one-sided at the ends.

    Args:
        f: the values; integers and float16 become float32.
        varargs: the spacing of the values, one for all axes or one per axis; 1 by default.
        axis: the axis or axes; all by default.
        edge_order: 1.

    Returns:
        Tensor of the shape of ``f`` for one axis, a list of tensors for several.

    Raises:
        ValueError: ``edge_order`` is not 1, an axis has fewer than 2 elements, or the number of
            spacings does not fit.

    >>> print(gradient([1.0, 2.0, 4.0]))
    [1.  1.5 2. ]
    """
    if edge_order != 1:
        raise ValueError(f"gradient: edge_order must be 1, got {edge_order!r}.")
    f = to_tensor(f)
    f = f if f.dtype.kind == "f" else ops.cast(f, mstype.float32)
    f = widen_half_floats(f)
    if axis is None:
        axes: Any = range(f.ndim)
    else:
        axes = axis if isinstance(axis, tuple | list) else (axis,)
    steps = varargs or (1,)
    if len(steps) == 1:
        steps *= len(axes)
    if len(steps) != len(axes):
        raise ValueError(f"gradient: varargs must be one or one for each axis, got {varargs!r}.")
    slopes = []
    for k, step in zip(axes, steps):
        k = check_axis("gradient", k, f.ndim)
        if f.shape[k] < 2:
            raise ValueError(f"gradient: f must have 2 elements along axis {k}, got {f.shape}.")
        d = _slice_along(f, k, 1, None) - _slice_along(f, k, None, -1)
        central = (_slice_along(f, k, 2, None) - _slice_along(f, k, None, -2)) / 2
        differences = [_slice_along(d, k, None, 1), central, _slice_along(d, k, -1, None)]
        slopes.append(ops.concat(differences, k) / step)
    return slopes[0] if len(slopes) == 1 else slopes


def unwrap(p: Any, discont: float = np.pi, axis: int = -1) -> Tensor:
    """Return angles, in radians along ``axis``, without jumps.

    After a step of at least ``discont``, multiples of 2 pi are added, so that the step is at most
    pi. float16 becomes float32.
    """
    p = widen_half_floats(to_tensor(p))
    axis = check_axis("unwrap", axis, p.ndim)
    d = diff(p, axis=axis)
    wrapped = ops.floor_mod(d + np.pi, 2 * np.pi) - np.pi
    wrapped = ops.select(
        ops.logical_and(wrapped == -np.pi, d > 0), ops.full_like(d, np.pi), wrapped
    )
    correction = ops.select(ops.abs(d) < discont, ops.zeros_like(d), wrapped - d)
    corrected = _slice_along(p, axis, 1, None) + ops.cumsum(correction, axis)
    return ops.concat([_slice_along(p, axis, None, 1), corrected], axis)


def _check_vectors(api_name: str, a: Any, v: Any) -> tuple[Tensor, Tensor]:
    """Return two vectors cast to their common dtype.

    Raises:
        ValueError: either is empty or not a vector.
    """
    a, v = to_tensor(a), to_tensor(v)
    if a.ndim != 1 or v.ndim != 1 or not a.size or not v.size:
        raise ValueError(
            f"{api_name}: a and v must be filled vectors, got {a.shape} and {v.shape}."
        )
    common = (ops.zeros((), a.dtype) + ops.zeros((), v.dtype)).dtype
    return ops.cast(a, common), ops.cast(v, common)


def _correlate_vectors(api_name: str, a: Tensor, v: Tensor, mode: str) -> Tensor:
    """Return the sum over k of a[n + k - (len(v) - 1)] * v[k] for each n that ``mode`` includes.

    ``a`` is at least as long as ``v``. ``mode`` "full" includes every overlap, "same" as many as
    ``a`` has elements, "valid" only complete overlaps; others raise ValueError.
    """
    n, m = a.shape[0], v.shape[0]
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"{api_name}: mode must be 'full', 'same' or 'valid', got {mode!r}.")
    zeros = ops.zeros((m - 1,), a.dtype)
    padded = ops.concat([zeros, a, zeros], 0) if m > 1 else a
    windows = Tensor(np.arange(n + m - 1)[:, None] + np.arange(m))
    full = ops.cast(ops.sum(padded[windows] * v, -1), a.dtype)
    if mode == "valid":
        return full[m - 1 : n]
    return full if mode == "full" else full[(m - 1) // 2 : (m - 1) // 2 + n]


def convolve(a: Any, v: Any, mode: str = "full") -> Tensor:
    """Return the sum over k of a[k] * v[n - k]; a number is treated as a vector of length 1.

    ``mode`` "full" returns every overlap, "same" as many as the longer vector has elements, "valid"
    only complete overlaps. Raises ValueError for empty inputs or more than one axis.

    >>> print(convolve([1, 2], [1, 3]))
    [1 5 6]
    """
    a, v = (t if t.ndim else t.reshape(1) for t in (to_tensor(a), to_tensor(v)))
    a, v = _check_vectors("convolve", a, v)
    a, v = (a, v) if a.shape[0] >= v.shape[0] else (v, a)
    return _correlate_vectors("convolve", a, ops.flip(v, (0,)), mode)


def correlate(a: Any, v: Any, mode: str = "valid") -> Tensor:
    """Return the sum over k of a[n + k] * v[k], as floats; ``v`` is not conjugated.

    ``mode`` "full" returns every overlap, "same" as many as the longer vector has elements, "valid"
    only complete overlaps. Raises ValueError unless both are vectors with elements.

    >>> print(correlate([1.0, 2.0, 3.0], [0.0, 1.0, 2.0]))
    [8.]
    """
    a, v = _check_vectors("correlate", a, v)
    a, v = (t if t.dtype.kind in "fc" else ops.cast(t, mstype.float32) for t in (a, v))
    if a.shape[0] >= v.shape[0]:
        return _correlate_vectors("correlate", a, v, mode)
    return ops.flip(_correlate_vectors("correlate", v, a, mode), (0,))


def kron(a: Any, b: Any) -> Tensor:
    """Return the Kronecker product: blocks of each element of ``a`` times all of ``b``; the product
    of lengths along each axis.

    >>> print(kron([1, 2], [1, 3]))
    [1 3 2 6]
    """
    a, b = to_tensor(a), to_tensor(b)
    rank = max(a.ndim, b.ndim)
    a_shape, b_shape = (1,) * (rank - a.ndim) + a.shape, (1,) * (rank - b.ndim) + b.shape
    a_block_shape = [n for pair in zip(a_shape, (1,) * rank) for n in pair]
    b_block_shape = [n for pair in zip((1,) * rank, b_shape) for n in pair]
    product = ops.reshape(a, tuple(a_block_shape)) * ops.reshape(b, tuple(b_block_shape))
    return ops.reshape(product, tuple(x * y for x, y in zip(a_shape, b_shape)))


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Tensor:
    """Interpolate linearly at ``x`` between the points (xp, fp), where xp increases.

    Below the first point the result is ``left``, by default the first value, above the last point
    ``right``, by default the last value. It is float64 for a float64 ``x``, else float32.

    >>> print(interp([1.5, 0.0, 9.0], [1, 2], [3, 4]))
    [3.5 3.  4. ]
    """
    x, xp, fp = map(to_tensor, (x, xp, fp))
    dtype = mstype.float64 if x.dtype is mstype.float64 else mstype.float32
    x, xp, fp = (ops.cast(t, dtype) for t in (x, xp, fp))
    if xp.ndim != 1 or xp.shape != fp.shape or not xp.size:
        raise ValueError(
            f"interp: xp and fp must be vectors of one length, got {xp.shape} and {fp.shape}."
        )
    if xp.size == 1:
        output = ops.broadcast_to(fp, x.shape)
    else:
        upper = ops.clamp(ops.searchsorted(xp, x, right=True), 1, xp.size - 1)
        x0, x1, y0, y1 = xp[upper - 1], xp[upper], fp[upper - 1], fp[upper]
        output = y0 + (y1 - y0) * (ops.clamp(x, xp[0], xp[-1]) - x0) / (x1 - x0)
    if left is not None:
        output = ops.select(x < xp[0], ops.full_like(output, left), output)
    return output if right is None else ops.select(x > xp[-1], ops.full_like(output, right), output)


__all__ = [
    "convolve",
    "correlate",
    "diff",
    "ediff1d",
    "gradient",
    "interp",
    "kron",
    "unwrap",
]
