"""Tensor contractions over any axes of two tensors, with or without a batch axis."""

from __future__ import annotations

import math
from string import ascii_lowercase
from typing import Any

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.linalg.products import BatchMatMul, Einsum, MatMulExt
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.support.arguments import check_axes, check_tensors, to_static

__all__ = ["batch_dot", "dot", "tensor_dot"]


def match_contracted_axes(
    op: str, x: Tensor, x_axes: tuple[int, ...], y: Tensor, y_axes: tuple[int, ...]
) -> tuple[Tensor, tuple[int, ...]]:
    """Check that contracted axes have equal lengths; return ``y`` and its contracted axes.

    As in MindSpore, the lengths may also agree in reverse order: ``y`` is then reshaped to the
    lengths of ``x``.

    Raises:
        ValueError: the lengths do not match.
    """
    if len(x_axes) != len(y_axes):
        raise ValueError(
            f"{op}: axes must name as many axes of x1 as of x2, got {x_axes}, {y_axes}."
        )
    x_lengths, y_lengths = [x.shape[i] for i in x_axes], [y.shape[j] for j in y_axes]
    if x_lengths == y_lengths:
        return y, y_axes
    mismatches = [n for n, a, b in zip(x_lengths, y_lengths, y_lengths[::-1]) if n not in (a, b)]
    if mismatches or math.prod(x_lengths) != math.prod(y_lengths):
        raise ValueError(
            f"{op}: the axes to sum over must agree, got {x.shape} and {y.shape} over {x_axes} and "
            f"{y_axes}."
        )
    remaining = [j for j in range(y.ndim) if j not in y_axes]
    transposed = Transpose()(y, (*y_axes, *remaining))
    shape = (*x_lengths, *(y.shape[j] for j in remaining))
    return Reshape()(transposed, shape), tuple(range(len(x_lengths)))


def tensor_dot(x1: Tensor, x2: Tensor, axes: Any) -> Tensor:
    """Sum products over ``axes``.

    An int means this many last axes of x1 and first axes of x2; a pair holds the axes of each
    tensor.

    >>> print(tensor_dot(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]]), 1))
    [[11.]]
    """
    check_tensors("tensor_dot", x1=x1, x2=x2)
    if isinstance(axes, int):
        if axes > min(x1.ndim, x2.ndim):
            raise ValueError(
                f"tensor_dot: axes must be at most the numbers of axes, got {axes} of shapes "
                f"{x1.shape} and {x2.shape}."
            )
        axes1, axes2 = tuple(range(x1.ndim - axes, x1.ndim)), tuple(range(axes))
    else:
        both_axes = to_static(axes)
        if isinstance(both_axes, tuple) and len(both_axes) == 1:
            both_axes = both_axes * 2
        if not isinstance(both_axes, tuple) or len(both_axes) != 2:
            raise TypeError(
                f"tensor_dot: axes must be an int or a pair, got {checks.format_value(axes)}."
            )
        axes1 = check_axes("tensor_dot", both_axes[0], x1.ndim, "axes")
        axes2 = check_axes("tensor_dot", both_axes[1], x2.ndim, "axes")
    x2, axes2 = match_contracted_axes("tensor_dot", x1, axes1, x2, axes2)
    letters1 = list(ascii_lowercase[: x1.ndim])
    letters2 = list(ascii_lowercase[x1.ndim : x1.ndim + x2.ndim])
    for i, j in zip(axes1, axes2):
        letters2[j] = letters1[i]
    output = [c for c in letters1 + letters2 if (c in letters1) != (c in letters2)]
    return Einsum(f"{''.join(letters1)},{''.join(letters2)}->{''.join(output)}")((x1, x2))


def dot(input: Tensor, other: Tensor) -> Tensor:
    """Sum products over the last axis of ``input`` and the second-to-last axis of ``other``."""
    check_tensors("dot", input=input, other=other)
    if input.ndim <= 2 and other.ndim <= 2:
        return MatMulExt()(input, other)
    return tensor_dot(input, other, ((-1,), (max(other.ndim - 2, 0),)))


def batch_dot(x1: Tensor, x2: Tensor, axes: Any = None) -> Tensor:
    """Sum products of ``x1`` and ``x2`` along one axis of each, for each sample.

    The result has the other axes of ``x1``, then those of ``x2``; for two matrices it is (samples,
    1).

    Args:
        x1: a tensor of at least two axes, of which the first is the sample axis.
        x2: a tensor with the same number of samples.
        axes: one axis for both, or two axes; None: the last axis of ``x1`` and the second-to-last
            of ``x2`` (the last if ``x2`` is a matrix).

    Raises:
        TypeError: an input is not a float32 Tensor, or ``axes`` is a bool.
        ValueError: an axis is out of range or the sample axis; the numbers of samples or the
            lengths of the axes differ; an input has fewer than two axes.

    >>> print(batch_dot(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[1.0, 1.0], [0.0, 2.0]])))
    [[3.]
     [8.]]
    """
    check_tensors("batch_dot", x1=x1, x2=x2)
    for name, x in (("x1", x1), ("x2", x2)):
        if x.dtype is not mstype.float32:
            raise TypeError(f"batch_dot: {name} must be float32, got {x.dtype}. Cast it.")
        if x.ndim < 2:
            raise ValueError(f"batch_dot: {name} must have at least 2 axes, got shape {x.shape}.")
    if x1.shape[0] != x2.shape[0]:
        raise ValueError(
            f"batch_dot: x2 must have the {x1.shape[0]} samples of x1, got {x2.shape[0]}."
        )
    a, b = _normalize_axes(axes, x1.ndim, x2.ndim)
    if x1.shape[a] != x2.shape[b]:
        raise ValueError(
            f"batch_dot: axes must be as long in x1 as in x2, got axis {a} of {x1.shape} and axis "
            f"{b} of {x2.shape}."
        )
    n, k = x1.shape[0], x1.shape[a]
    left = [i for i in range(1, x1.ndim) if i != a]
    right = [i for i in range(1, x2.ndim) if i != b]
    shape = (*[x1.shape[i] for i in left], *[x2.shape[i] for i in right])
    # (n, rows, k) @ (n, k, columns) -> (n, rows, columns)
    rows, columns = (math.prod(x1.shape[i] for i in left), math.prod(x2.shape[i] for i in right))
    products = BatchMatMul()(
        Reshape()(Transpose()(x1, (0, *left, a)), (n, rows, k)),
        Reshape()(Transpose()(x2, (0, b, *right)), (n, k, columns)),
    )
    return Reshape()(products, (n, *(shape or (1,))))


def _normalize_axes(axes: Any, ndim1: int, ndim2: int) -> tuple[int, int]:
    """Return the contracted axis of each tensor as a non-negative int."""
    if axes is None:
        return ndim1 - 1, max(ndim2 - 2, 1)
    numbers: list[Any] = [axes, axes] if isinstance(axes, int) else []
    if isinstance(axes, list | tuple):
        numbers = list(axes)
    ints = [i for i in numbers if isinstance(i, int) and not isinstance(i, bool)]
    if len(ints) != 2:
        error = TypeError if isinstance(axes, bool) else ValueError
        raise error(f"batch_dot: axes must be an int or two of them, got {axes!r}.")
    a, b = (i + ndim if i < 0 else i for i, ndim in zip(ints, (ndim1, ndim2), strict=True))
    if not (0 < a < ndim1 and 0 < b < ndim2):
        raise ValueError(
            f"batch_dot: axes must be axes of x1 ({ndim1} axes) and x2 ({ndim2} axes) but not that "
            f"of the samples, 0, got {axes!r}."
        )
    return a, b
