"""Functions that create windows, grids, geometric sequences and index arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.mnp.creation import resolve_dtype, to_tensor
from minispore.ops.support.arguments import check_shape, to_static


def _make_cosine_window(name: str, points: Any, *weights: float) -> Tensor:
    """Return a float32 window that is a cosine series with ``weights`` over one period.

    For one point, the window is 1; for fewer, it is empty. ``name`` is that of the public function
    in errors.
    """
    m = checks.integer(name, "M", points)
    if m <= 1:
        return Tensor(np.ones(max(m, 0), np.float32))
    angle = 2 * math.pi * np.arange(m) / (m - 1)
    window = np.sum([w * np.cos(k * angle) for k, w in enumerate(weights)], axis=0)
    return Tensor(window.astype(np.float32))


def blackman(M: int) -> Tensor:
    """Return the Blackman window, 0.42 - 0.5 cos(a) + 0.08 cos(2a), of ``M`` points in float32.

    ``a`` goes from 0 to 2 pi. The window is 1 for one point, and empty for fewer.

    >>> print(blackman(3).asnumpy().round(2))
    [-0.  1. -0.]
    """
    return _make_cosine_window("blackman", M, 0.42, -0.5, 0.08)


def hamming(M: int) -> Tensor:
    """Return the Hamming window, 0.54 - 0.46 cos(a), of ``M`` points in float32.

    ``a`` goes from 0 to 2 pi. The window is 1 for one point, and empty for fewer.
    """
    return _make_cosine_window("hamming", M, 0.54, -0.46)


def hanning(M: int) -> Tensor:
    """Return the Hann window, 0.5 - 0.5 cos(a), of ``M`` points in float32.

    ``a`` goes from 0 to 2 pi. The window is 1 for one point, and empty for fewer.
    """
    return _make_cosine_window("hanning", M, 0.5, -0.5)


def bartlett(M: int) -> Tensor:
    """Return the triangular window of ``M`` points in float32, 0 at its ends; 1 for one point, and
    empty for fewer.
    """
    m = checks.integer("bartlett", "M", M)
    return Tensor(np.bartlett(m).astype(np.float32) if m > 1 else np.ones(max(m, 0), np.float32))


def geomspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> Tensor:
    """Return a geometric sequence of ``num`` numbers from ``start`` to ``stop``.

    Without ``endpoint``, ``stop`` is excluded. Limits with axes are broadcast, and the numbers form
    the new axis ``axis``. The default ``dtype`` is float32.

    >>> print(geomspace(1, 8, 4))
    [1. 2. 4. 8.]
    """
    checks.integer("geomspace", "num", to_static(num))
    low, high = to_tensor(start).asnumpy(), to_tensor(stop).asnumpy()
    numbers = np.geomspace(low.astype(np.float64), high, num, endpoint=endpoint, axis=axis)
    return Tensor(numbers.astype(np.float32), resolve_dtype(dtype))


def indices(dimensions: Any, dtype: Any = mstype.int32, sparse: bool = False) -> list[Tensor]:
    """Return, for each axis of the shape ``dimensions``, the index along that axis at each
    position.

    With ``sparse``, each result has length 1 along the other axes.
    """
    shape = checks.instance("indices", "dimensions", to_static(dimensions), tuple)
    check_shape("indices", shape, "dimensions")
    arrays: Any = np.indices(shape, sparse=True) if sparse else np.indices(shape)
    return [Tensor(np.ascontiguousarray(a), resolve_dtype(dtype)) for a in arrays]


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Tensor:
    """Return the powers of the vector ``x`` in ``N`` columns, with the highest first unless
    ``increasing``.

    ``N`` is the length of ``x`` by default.

    >>> print(vander([1, 2, 3], 2))
    [[1 1]
     [2 1]
     [3 1]]
    """
    x = to_tensor(x)
    if x.ndim != 1:
        raise ValueError(f"vander: x must be a vector, got the shape {x.shape}.")
    columns = x.shape[0] if N is None else checks.integer("vander", "N", N, 0)
    powers = np.arange(columns) if increasing else np.arange(columns)[::-1]
    return ops.pow(ops.reshape(x, (-1, 1)), Tensor(np.ascontiguousarray(powers), x.dtype))


def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    """Return the indices of the diagonal of an array with ``ndim`` axes of length ``n``: the int32
    vector 0 ... n - 1, ``ndim`` times.
    """
    return (Tensor(np.arange(checks.integer("diag_indices", "n", n, 0)), mstype.int32),) * ndim


def _get_matrix_shape(api_name: str, arr: Any) -> tuple[int, int]:
    """Return the numbers of rows and columns of ``arr``; raise ValueError unless it has 2 axes."""
    shape = to_tensor(arr).shape
    if len(shape) != 2:
        raise ValueError(f"{api_name}: arr must have 2 axes, got the shape {shape}.")
    return shape[0], shape[1]


def tril_indices_from(arr: Any, k: int = 0) -> tuple[Tensor, ...]:
    """Return the row and the column indices (int32) of the lower triangle of the matrix ``arr``, up
    to the ``k``-th diagonal.
    """
    n, m = _get_matrix_shape("tril_indices_from", arr)
    return tuple(Tensor(a, mstype.int32) for a in np.tril_indices(n, k, m))


def triu_indices_from(arr: Any, k: int = 0) -> tuple[Tensor, ...]:
    """Return the row and the column indices (int32) of the upper triangle of the matrix ``arr``,
    beginning at the ``k``-th diagonal.
    """
    n, m = _get_matrix_shape("triu_indices_from", arr)
    return tuple(Tensor(a, mstype.int32) for a in np.triu_indices(n, k, m))


def ix_(*args: Any) -> tuple[Tensor, ...]:
    """Return the vectors ``args``, each along a separate axis, to index their Cartesian product.

    A bool vector stands for the indices of its true elements.

    >>> [t.shape for t in ix_(Tensor([0, 1]), Tensor([2, 3, 4]))]
    [(2, 1), (1, 3)]
    """
    index_arrays = []
    for i, vector in enumerate(args):
        x = to_tensor(vector)
        if x.ndim != 1:
            raise ValueError(f"ix_: each argument must be a vector, got the shape {x.shape}.")
        if x.dtype == mstype.bool_:
            x = ops.reshape(ops.nonzero(x), (-1,))
        index_arrays.append(ops.reshape(x, (1,) * i + (-1,) + (1,) * (len(args) - i - 1)))
    return tuple(index_arrays)


class _Grid:
    """Creates ranges of numbers when indexed by slices; the type of mgrid and ogrid.

    ``start:stop:step`` is a range; ``start:stop:5j`` is five numbers, including both ends.
    """

    def __init__(self, dense: bool) -> None:
        self._dense = dense

    def __getitem__(self, index: Any) -> Any:
        """Return the range of one slice, or the coordinates of the grid of several slices.

        The coordinates are one stacked tensor if dense; otherwise they are a list of tensors, each
        of which has length 1 along the other axes.
        """
        slices = index if isinstance(index, tuple) else (index,)
        axes = [_make_range(s) for s in slices]
        if not isinstance(index, tuple):
            return axes[0]
        reshaped = [
            ops.reshape(a, tuple(-1 if i == k else 1 for i in range(len(axes))))
            for k, a in enumerate(axes)
        ]
        if not self._dense:
            return reshaped
        shape = tuple(a.size for a in axes)
        dtype = mstype.float32 if any(a.dtype == mstype.float32 for a in axes) else axes[0].dtype
        return ops.stack([ops.broadcast_to(ops.cast(a, dtype), shape) for a in reshaped])


def _make_range(span: slice) -> Tensor:
    """Return the numbers of one slice, int32 or float32; a complex step is the number of points of
    a linspace.
    """
    start, step = span.start or 0, 1 if span.step is None else span.step
    if isinstance(step, complex):
        return Tensor(np.linspace(start, span.stop, int(abs(step))).astype(np.float32))
    numbers = np.arange(start, span.stop, step)
    return Tensor(numbers, mstype.int32 if numbers.dtype.kind == "i" else mstype.float32)


mgrid = _Grid(dense=True)
ogrid = _Grid(dense=False)

__all__ = [
    "bartlett",
    "blackman",
    "diag_indices",
    "geomspace",
    "hamming",
    "hanning",
    "indices",
    "ix_",
    "mgrid",
    "ogrid",
    "tril_indices_from",
    "triu_indices_from",
    "vander",
]
