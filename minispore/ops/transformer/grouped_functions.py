"""Grouped matrix products as functions, and their gradients under MindSpore's names."""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ops.shape.views import swapaxes
from minispore.ops.support.arguments import check_tensor_list
from minispore.ops.transformer.grouped import (
    GroupedMatmul,
    GroupedMatmulV2,
    GroupedMatmulV4,
    InplaceGroupedMatmulAdd,
)


def grouped_matmul(
    x: Any,
    weight: Any,
    bias: Any = None,
    scale: Any = None,
    offset: Any = None,
    antiquant_scale: Any = None,
    antiquant_offset: Any = None,
    group_list: Any = None,
    split_item: int = 0,
    group_type: int = -1,
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> tuple[Tensor, ...]:
    """Multiply several matrices by one weight each, or groups of rows of one matrix.

    ``group_list`` holds the end of each group. The arguments for quantization must be None. Returns
    a tuple of products; see :class:`GroupedMatmul`.
    """
    multiply = GroupedMatmul(split_item, group_type, transpose_a, transpose_b)
    return multiply(x, weight, bias, scale, offset, antiquant_scale, antiquant_offset, group_list)


def grouped_matmul_v2(
    x: Any,
    weight: Any,
    bias: Any = None,
    scale: Any = None,
    offset: Any = None,
    antiquant_scale: Any = None,
    antiquant_offset: Any = None,
    group_list: Any = None,
    split_item: int = 0,
    group_type: int = -1,
) -> tuple[Tensor, ...]:
    """Multiply as :func:`grouped_matmul` does, but without transposition; ``group_list`` may be a
    list of ints.
    """
    return GroupedMatmulV2()(
        x, weight, bias, scale, offset, antiquant_scale, antiquant_offset, group_list, split_item,
        group_type,
    )  # fmt: skip


def grouped_matmul_v4(
    x: Any,
    weight: Any,
    bias: Any = None,
    scale: Any = None,
    offset: Any = None,
    antiquant_scale: Any = None,
    antiquant_offset: Any = None,
    pre_token_scale: Any = None,
    group_list: Any = None,
    activation_input: Any = None,
    activation_quant_scale: Any = None,
    activation_quant_offset: Any = None,
    split_item: int = 0,
    group_type: int = -1,
    group_list_type: int = 0,
    act_type: int = 0,
    output_dtype: Any = None,
) -> tuple[Tensor, ...]:
    """Multiply as :func:`grouped_matmul` does; groups are given by ends, or with
    ``group_list_type`` 1 by lengths.

    ``act_type`` must be 0, and the activation arguments None; ``output_dtype`` has no effect.
    """
    return GroupedMatmulV4()(
        x, weight, bias, scale, offset, antiquant_scale, antiquant_offset, pre_token_scale,
        group_list, activation_input, activation_quant_scale, activation_quant_offset, split_item,
        group_type, group_list_type, act_type, output_dtype,
    )  # fmt: skip


def grouped_matmul_add_(x: Tensor, weight: Tensor, group_list: Tensor, out: Tensor) -> Tensor:
    """Add x.T @ weight of each group of rows to ``out``, in place; return ``out``.

    See :class:`InplaceGroupedMatmulAdd`.
    """
    return InplaceGroupedMatmulAdd()(x, weight, group_list, out)


def gmm(
    x: Any,
    weight: Any,
    bias: Any = None,
    group_list: Any = None,
    group_type: int = 0,
    group_list_type: int = 0,
) -> tuple[Tensor, ...]:
    """Return the product of :class:`GroupedMatmulV4` for groups of one ``x``: ``group_type`` 0 or
    2.

    Args:
        x: a list of one Tensor, whose rows are grouped, or with ``group_type`` 2 its columns.
        weight: a list of one Tensor, the second factor.
        bias: a list of one Tensor to add, or None.
        group_list: a Tensor of the ends of the groups, or with ``group_list_type`` 1 of their
            lengths; a list or tuple of ints holds ends, regardless of ``group_list_type``.
        group_type: 0 or 2, the axis that is grouped: M or K.
        group_list_type: the meaning of a Tensor ``group_list``.

    Raises:
        ValueError: ``group_type`` is neither 0 nor 2.

    >>> x, weight = Tensor([[1.0], [2.0], [3.0]]), Tensor([[[1.0]], [[10.0]]])
    >>> print(gmm([x], [weight], group_list=[1, 3])[0].asnumpy().ravel())
    [ 1. 20. 30.]
    """
    if checks.integer("gmm", "group_type", group_type) not in (0, 2):
        raise ValueError(checks.format_error("gmm", "group_type", "be 0 or 2", f"{group_type}"))
    if isinstance(group_list, Tensor):
        return grouped_matmul_v4(
            x, weight, bias, group_list=group_list, split_item=3, group_type=group_type,
            group_list_type=group_list_type,
        )  # fmt: skip
    return grouped_matmul_v2(
        x, weight, bias, group_list=group_list, split_item=3, group_type=group_type
    )


def _transpose_tensors(op: str, name: str, tensors: Any) -> list[Tensor]:
    """Return the tensors of a list with their last two axes swapped; raise TypeError for anything
    else.
    """
    return [swapaxes(t, -1, -2) for t in check_tensor_list(op, tensors, name)]


def gmm_backward(
    grad: Any, x: Any, weight: Any, group_list: Any = None, group_list_type: int = 0
) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...], list[Tensor]]:
    """Return the gradients of :func:`gmm` by x and by weight, and an empty list for the bias.

    Both are tuples of one Tensor; the groups are of rows (``group_type`` 0).

    >>> x, weight = Tensor([[1.0], [2.0], [3.0]]), Tensor([[[1.0]], [[10.0]]])
    >>> dx, dw, _ = gmm_backward([Tensor([[1.0], [1.0], [1.0]])], [x], [weight], [1, 3])
    >>> print(dx[0].asnumpy().ravel(), dw[0].asnumpy().ravel())
    [ 1. 10. 10.] [1. 5.]
    """
    x_transposed = _transpose_tensors("gmm_backward", "x", x)
    dx, _, _ = gmm_backward_fusion(grad, weight, group_list, group_list_type)
    return dx, gmm(x_transposed, grad, None, group_list, 2, group_list_type), []


def gmm_backward_fusion(
    grad: Any, weight: Any, group_list: Any = None, group_list_type: int = 0
) -> tuple[tuple[Tensor, ...], list[Tensor], list[Tensor]]:
    """Return the gradient of :func:`gmm` by x, and empty lists in place of those of weight and
    bias.

    The gradient is a tuple of one Tensor; the groups are of rows (``group_type`` 0).
    """
    w_transposed = _transpose_tensors("gmm_backward_fusion", "weight", weight)
    return gmm(grad, w_transposed, None, group_list, 0, group_list_type), [], []


__all__ = [
    "gmm",
    "gmm_backward",
    "gmm_backward_fusion",
    "grouped_matmul",
    "grouped_matmul_add_",
    "grouped_matmul_v2",
    "grouped_matmul_v4",
]
