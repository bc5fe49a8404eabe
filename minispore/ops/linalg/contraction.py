"""Sums of products over any axes of two tensors, as wholes and sample by sample."""

from __future__ import annotations

import math
from string import ascii_lowercase
from typing import Any

from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ops.linalg.products import BatchMatMul, Einsum, MatMulExt
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.support.arguments import check_axes, check_tensors, to_static

__all__ = ["batch_dot", "dot", "tensor_dot"]


def facing(
    op: str, x: Tensor, of_x: tuple[int, ...], y: Tensor, of_y: tuple[int, ...]
) -> tuple[Tensor, tuple[int, ...]]:
    """``y`` and the axes of it that go with ``of_x``: those of ``of_y``, of the same lengths.

    Lengths that face each other in reverse, as MindSpore takes them, too, are made those of ``x``:
    what ``y`` has along its axes is counted anew.
    """
    if len(of_x) != len(of_y):
        raise ValueError(f"{op}: axes must name as many axes of x1 as of x2, got {of_x}, {of_y}.")
    lengths, others = [x.shape[i] for i in of_x], [y.shape[j] for j in of_y]
    if lengths == others:
        return y, of_y
    pairs = zip(lengths, others, others[::-1])
    if math.prod(lengths) != math.prod(others) or any(n not in (a, b) for n, a, b in pairs):
        raise ValueError(
            f"{op}: the axes to sum over must agree, got {x.shape} and {y.shape} over {of_x} and "
            f"{of_y}."
        )
    kept = [j for j in range(y.ndim) if j not in of_y]
    turned = Transpose()(y, (*of_y, *kept))
    shape = (*lengths, *(y.shape[j] for j in kept))
    return Reshape()(turned, shape), tuple(range(len(lengths)))


def tensor_dot(x1: Tensor, x2: Tensor, axes: Any) -> Tensor:
    """Sum of products over ``axes``: a number of axes, or the axes of each tensor.

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
        of1, of2 = tuple(range(x1.ndim - axes, x1.ndim)), tuple(range(axes))
    else:
        pair = to_static(axes)
        pair = pair * 2 if isinstance(pair, tuple) and len(pair) == 1 else pair
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(
                f"tensor_dot: axes must be an int or a pair, got {checks.format_value(axes)}."
            )
        of1, of2 = (check_axes("tensor_dot", a, x.ndim, "axes") for a, x in zip(pair, (x1, x2)))
    x2, of2 = facing("tensor_dot", x1, of1, x2, of2)
    one = list(ascii_lowercase[: x1.ndim])
    two = list(ascii_lowercase[x1.ndim : x1.ndim + x2.ndim])
    for i, j in zip(of1, of2):
        two[j] = one[i]
    kept = [c for c in one + two if (c in one) != (c in two)]
    return Einsum(f"{''.join(one)},{''.join(two)}->{''.join(kept)}")((x1, x2))


def dot(input: Tensor, other: Tensor) -> Tensor:
    """Sum of products over the last axis of ``input`` and the last but one of ``other``."""
    check_tensors("dot", input=input, other=other)
    if input.ndim <= 2 and other.ndim <= 2:
        return MatMulExt()(input, other)
    return tensor_dot(input, other, ((-1,), (max(other.ndim - 2, 0),)))


def batch_dot(x1: Tensor, x2: Tensor, axes: Any = None) -> Tensor:
    """For each sample the products of ``x1`` and ``x2``, summed along one axis of each: the other
    axes of ``x1`` and then those of ``x2`` remain. Of two matrices, one number for each sample.

    Args:
        x1: of at least two axes; the first is that of the samples.
        x2: of as many samples.
        axes: one axis for both, or two; None: the last of ``x1``, the last but one of ``x2`` (the
            last, if ``x2`` is a matrix).

    Raises:
        TypeError: an input is no float32 Tensor, or ``axes`` is a bool.
        ValueError: an axis is none of the input's, or is that of the samples; samples or the
            lengths of the axes differ; an input has less than two axes.

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
    a, b = _axes(axes, x1.ndim, x2.ndim)
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
    rows, columns = (math.prod(x.shape[i] for i in at) for x, at in ((x1, left), (x2, right)))
    made = BatchMatMul()(
        Reshape()(Transpose()(x1, (0, *left, a)), (n, rows, k)),
        Reshape()(Transpose()(x2, (0, b, *right)), (n, k, columns)),
    )
    return Reshape()(made, (n, *(shape or (1,))))


def _axes(axes: Any, ndim1: int, ndim2: int) -> tuple[int, int]:
    """The axis of each that is summed along, counted from the front."""
    if axes is None:
        return ndim1 - 1, max(ndim2 - 2, 1)
    given = [axes, axes] if isinstance(axes, int) else list(axes) if _pair(axes) else []
    ints = [i for i in given if isinstance(i, int) and not isinstance(i, bool)]
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


def _pair(axes: Any) -> bool:
    return isinstance(axes, list | tuple)
