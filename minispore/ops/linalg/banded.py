"""Ops that convert bands of matrices to rows of diagonals, and back.

A band of diagonals k0 ... k1 is stored as a matrix with one row per diagonal, from k1 down to k0. A
shorter diagonal is aligned left or right in its row: ``align`` is "<above>_<below>", the alignments
of diagonals above and below the main diagonal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ops.index.gather import Gather
from minispore.ops.index.select import Select
from minispore.ops.linalg.diagonal import compute_diagonal_length
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.views import Reshape
from minispore.ops.support.arguments import check_shape, to_static
from minispore.ops.support.derive import _Composite

_ALIGNS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def _parse_diagonals(op: str, k: Any, m: int, n: int) -> tuple[int, int]:
    """Check ``k``, one int or two, and return the lowest and the highest diagonal."""
    numbers = check_shape(op, to_static(k), "k", least=-(2**31))
    low, high = numbers[0], numbers[-1]
    if len(numbers) > 2 or low > high or high >= n or -low >= m:
        raise ValueError(
            f"{op}: k must be one or two rising diagonals of a ({m}, {n}) matrix, got {numbers}."
        )
    return low, high


def _compute_band_width(m: int, n: int, low: int, high: int) -> int:
    """Return the length of the longest diagonal of the band."""
    return max(compute_diagonal_length(m, n, d) for d in range(low, high + 1))


def _compute_band_indices(m: int, n: int, low: int, high: int, align: str) -> np.ndarray:
    """Return the index of each element of an (m, n) matrix in the flat band; -1 outside the
    band.
    """
    above, below = align.split("_")
    width = _compute_band_width(m, n, low, high)
    band_indices = np.full((m, n), -1)
    for row, d in enumerate(range(high, low - 1, -1)):
        index = np.arange(compute_diagonal_length(m, n, d))
        alignment = above if d >= 0 else below
        shift = width - index.size if alignment == "RIGHT" else 0
        band_indices[index - min(d, 0), index + max(d, 0)] = row * width + shift + index
    return band_indices


def _gather_with_default(x: Tensor, indices: np.ndarray, default: Any) -> Tensor:
    """Gather x (..., S) at ``indices``, with ``default`` where they are -1."""
    gathered = Gather()(x, Tensor(np.maximum(indices, 0)), -1)
    return Select()(Tensor(indices >= 0), gathered, default)


class _BandedOp(_Composite):
    """Base of ops on bands of diagonals, aligned according to ``align``."""

    align: str = "RIGHT_LEFT"

    def check(self) -> None:
        if self.align not in _ALIGNS:
            raise ValueError(
                f"{self.name}: align must be one of {', '.join(_ALIGNS)}, got {self.align!r}."
            )


class MatrixDiagPartV3(_BandedOp):
    """The diagonals ``k`` of matrices (..., M, N): (..., L) for one diagonal, (..., K, L) for K.

    >>> import minispore as ms
    >>> x = Tensor([[1, 2, 3], [4, 5, 6]])
    >>> print(MatrixDiagPartV3()(x, Tensor([0, 1], ms.int32), Tensor(0)))
    [[2 6]
     [1 5]]
    """

    def __call__(self, x: Tensor, k: Any, padding_value: Any) -> Tensor:
        """Gather the band from the flattened matrices, with ``padding_value`` where a diagonal is
        short.
        """
        if x.ndim < 2:
            raise ValueError(f"{self.name}: x must have at least 2 axes, got shape {x.shape}.")
        m, n = x.shape[-2:]
        low, high = _parse_diagonals(self.name, k, m, n)
        band_indices = _compute_band_indices(m, n, low, high, self.align)
        width = _compute_band_width(m, n, low, high)
        element_indices = np.full((high - low + 1) * width, -1)
        element_indices[band_indices[band_indices >= 0]] = np.flatnonzero(band_indices >= 0)
        flat = Reshape()(x, (*x.shape[:-2], m * n))
        shape = (width,) if low == high else (high - low + 1, width)
        return _gather_with_default(
            flat, element_indices.reshape(shape), _cast_padding(padding_value, x)
        )


class MatrixDiagV3(_BandedOp):
    """Matrices with the diagonals ``k`` given by x and ``padding_value`` elsewhere.

    >>> import minispore as ms
    >>> k, rows, columns = (Tensor(n, ms.int32) for n in (1, 3, 3))
    >>> print(MatrixDiagV3()(Tensor([1, 2]), k, rows, columns, Tensor(0)))
    [[0 1 0]
     [0 0 2]
     [0 0 0]]
    """

    def __call__(
        self, x: Tensor, k: Any, num_rows: Any, num_cols: Any, padding_value: Any
    ) -> Tensor:
        """Gather each element of the matrices from the diagonals.

        A size of -1 is the smallest that holds the diagonals; if both are -1, the matrices are
        square.
        """
        numbers = check_shape(self.name, to_static(k), "k", least=-(2**31))
        low, high = numbers[0], numbers[-1]
        width = x.shape[-1] if x.ndim else 0
        rows = checks.integer(self.name, "num_rows", to_static(num_rows), -1)
        columns = checks.integer(self.name, "num_cols", to_static(num_cols), -1)
        m = width - min(high, 0) if rows == -1 else rows
        n = width + max(low, 0) if columns == -1 else columns
        if rows == columns == -1:
            m = n = max(m, n)
        low, high = _parse_diagonals(self.name, k, m, n)
        has_many = low != high
        expected = (high - low + 1, _compute_band_width(m, n, low, high))
        actual = x.shape[-2:] if has_many else (1, *x.shape[-1:])
        if actual != expected:
            raise ValueError(
                f"{self.name}: x must hold {expected[0]} diagonals of {expected[1]} elements for a "
                f"({m}, {n}) matrix, got shape {x.shape}."
            )
        batch_shape = x.shape[: -2 if has_many else -1]
        flat = Reshape()(x, (*batch_shape, expected[0] * expected[1]))
        return _gather_with_default(
            flat,
            _compute_band_indices(m, n, low, high, self.align),
            _cast_padding(padding_value, x),
        )


class MatrixSetDiagV3(_BandedOp):
    """Matrices ``x`` with the diagonals ``k`` replaced by ``diagonal``.

    >>> import minispore as ms
    >>> print(MatrixSetDiagV3()(Tensor([[1, 2], [3, 4]]), Tensor([8, 9]), Tensor(0, ms.int32)))
    [[8 2]
     [3 9]]
    """

    def __call__(self, x: Tensor, diagonal: Tensor, k: Any) -> Tensor:
        """Gather each element in the band from ``diagonal``, and take the others from x."""
        if x.ndim < 2:
            raise ValueError(f"{self.name}: x must have at least 2 axes, got shape {x.shape}.")
        m, n = x.shape[-2:]
        low, high = _parse_diagonals(self.name, k, m, n)
        width = _compute_band_width(m, n, low, high)
        band_shape = (width,) if low == high else (high - low + 1, width)
        if diagonal.shape != (*x.shape[:-2], *band_shape):
            raise ValueError(
                f"{self.name}: diagonal must have shape {(*x.shape[:-2], *band_shape)}, got "
                f"{diagonal.shape}."
            )
        flat = Reshape()(diagonal, (*x.shape[:-2], (high - low + 1) * width))
        return _gather_with_default(flat, _compute_band_indices(m, n, low, high, self.align), x)


def _cast_padding(value: Any, x: Tensor) -> Any:
    """Return a padding value: a scalar unchanged, a one-element tensor in the dtype of x."""
    if isinstance(value, Tensor):
        return Cast()(Reshape()(value, ()), x.dtype)
    return value


# -- functions ------------------------------------------------------------------------------------


def matrix_diag(
    x: Tensor,
    k: Any = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Return matrices with ``x`` on the diagonals ``k``, and ``padding_value`` elsewhere."""
    return MatrixDiagV3(align)(x, k, num_rows, num_cols, padding_value)


def matrix_diag_part(x: Tensor, k: Any, padding_value: Any, align: str = "RIGHT_LEFT") -> Tensor:
    """Return the diagonals ``k`` of matrices, with ``padding_value`` where a diagonal is short."""
    return MatrixDiagPartV3(align)(x, k, padding_value)


def matrix_set_diag(x: Tensor, diagonal: Tensor, k: Any = 0, align: str = "RIGHT_LEFT") -> Tensor:
    """Return the matrices ``x`` with the diagonals ``k`` replaced by ``diagonal``."""
    return MatrixSetDiagV3(align)(x, diagonal, k)


__all__ = [
    "MatrixDiagPartV3",
    "MatrixDiagV3",
    "MatrixSetDiagV3",
    "matrix_diag",
    "matrix_diag_part",
    "matrix_set_diag",
]
