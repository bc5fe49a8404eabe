"""Products of groups of rows, each with a matrix of its own, which MindSpore has on Ascends alone.

What is quantised is not here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ops.index.gather import Gather
from minispore.ops.linalg.products import matmul
from minispore.ops.shape.join import Concat
from minispore.ops.shape.views import ExpandDims, Reshape, Transpose
from minispore.ops.shape.whole import Cast, Zeros
from minispore.ops.statistics.scan import CumSum
from minispore.ops.statistics.sort import SearchSorted
from minispore.ops.support.arguments import check_dtype, check_tensor_list, check_tensors
from minispore.ops.support.derive import _Composite
from minispore.ops.transformer.inputs import FLOATS, unquantised, wide, with_axes, with_shape
from minispore.ops.transformer.products import GroupedOuter, GroupedRows

_SPLIT_ITEM = {-1: 0, 0: 3, 2: 3}  # of each group_type
_LONGEST_LIST = 128  # of a group_list that is no tensor


def _many(op: str, name: str, given: Any) -> tuple[Tensor, ...]:
    """A list of tensors; none where it was left out, or holds but empty ones."""
    tensors = () if given is None else check_tensor_list(op, given, name)
    return tensors if any(t.size for t in tensors) else ()


def _ends(op: str, group_list: Any, rows: int, lengths: bool) -> Tensor:
    """Where each group ends, of int64."""
    if isinstance(group_list, Tensor):
        check_dtype(op, group_list, "group_list", "int64")
        with_axes(op, "group_list", group_list, 1)
        return CumSum()(group_list, 0) if lengths else group_list
    if not isinstance(group_list, list | tuple):
        rule = "be a Tensor, or a list or tuple of ints"
        raise TypeError(
            checks.format_error(op, "group_list", rule, checks.format_value(group_list))
        )
    for end in group_list:
        checks.integer(op, "group_list", end, 0)
    if len(group_list) > _LONGEST_LIST or list(group_list)[-1:] != [rows]:
        rule = f"hold at most {_LONGEST_LIST} ends of groups, the last {rows}"
        raise ValueError(
            checks.format_error(op, "group_list", rule, checks.format_short(group_list))
        )
    return Tensor(np.array(group_list, np.int64))


def _typed(op: str, xs: Any, weights: Any, biases: Any) -> None:
    for i, (x, weight) in enumerate(zip(xs, weights, strict=True)):
        check_dtype(op, x, f"x[{i}]", *FLOATS)
        check_dtype(op, weight, f"weight[{i}]", x.dtype.name)
        if biases:
            kind = "float16" if x.dtype is mstype.float16 else "float32"
            check_dtype(op, biases[i], f"bias[{i}]", kind)


def _multiplied(
    op: str,
    x: Any,
    weight: Any,
    bias: Any,
    group_list: Any,
    split_item: Any,
    group_type: Any,
    lengths: bool = False,
) -> tuple[Tensor, ...]:
    """All that :class:`GroupedMatmul` says."""
    if checks.integer(op, "group_type", group_type) not in _SPLIT_ITEM:
        raise ValueError(checks.format_error(op, "group_type", "be -1, 0 or 2", f"{group_type}"))
    if checks.integer(op, "split_item", split_item) != _SPLIT_ITEM[group_type]:
        rule = f"be {_SPLIT_ITEM[group_type]} with group_type {group_type}"
        raise ValueError(checks.format_error(op, "split_item", rule, f"{split_item}"))
    xs, weights = check_tensor_list(op, x, "x"), check_tensor_list(op, weight, "weight")
    biases = _many(op, "bias", bias)
    for name, given in (("weight", weights), ("bias", biases or weights)):
        if len(given) != len(xs):
            rule = f"hold {len(xs)} tensors, as many as x"
            raise ValueError(checks.format_error(op, name, rule, f"{len(given)}"))
    _typed(op, xs, weights, biases)
    if group_type == -1:
        if group_list is not None:
            rule, got = "be None with group_type -1", checks.format_value(group_list)
            raise ValueError(checks.format_error(op, "group_list", rule, got))
        return _each(op, xs, weights, biases)
    return (_in_groups(op, xs, weights, biases, group_list, group_type, lengths),)


def _each(op: str, xs: Any, weights: Any, biases: Any) -> tuple[Tensor, ...]:
    """Each of ``xs`` times the weight beside it."""
    made = []
    for i, (x, weight) in enumerate(zip(xs, weights, strict=True)):
        with_axes(op, f"x[{i}] with group_type -1", x, 2, 3, 4, 5, 6)
        with_axes(op, f"weight[{i}] with group_type -1", weight, 2)
        with_shape(op, f"weight[{i}]", weight, (x.shape[-1], weight.shape[1]))
        if biases:
            with_shape(op, f"bias[{i}]", biases[i], weight.shape[1:])
        made.append(_with_bias(matmul, x, weight, biases[i] if biases else None))
    return tuple(made)


def _in_groups(
    op: str, xs: Any, weights: Any, biases: Any, group_list: Any, group_type: int, lengths: bool
) -> Tensor:
    """The groups of the one x times the matrices of the one weight."""
    by_rows, why = group_type == 0, f"with group_type {group_type}"
    for name, tensors, axes in (("x", xs, 2), ("weight", weights, 3 if by_rows else 2)):
        if len(tensors) != 1:
            rule = f"hold one tensor {why}"
            raise ValueError(checks.format_error(op, name, rule, f"{len(tensors)}"))
        with_axes(op, f"{name}[0] {why}", tensors[0], axes)
    (x,), (weight,) = xs, weights
    ends = _ends(op, group_list, x.shape[0 if by_rows else 1], lengths)
    n = weight.shape[-1]
    lead = ends.shape if by_rows else ()
    with_shape(op, "weight[0]", weight, (*lead, x.shape[1], n))
    bias = biases[0] if biases else None
    if bias is not None:
        with_shape(op, "bias[0]", bias, (*ends.shape, n))
        bias = _bias_of_rows(bias, ends, len(x)) if by_rows else ExpandDims()(bias, 1)
    if by_rows:
        return _with_bias(lambda a, b: GroupedRows()(a, b, ends), x, weight, bias)
    turned = Transpose()(x, (1, 0))
    return _with_bias(lambda a, b: GroupedOuter()(a, b, ends), turned, weight, bias)


def _with_bias(
    multiply: Callable[[Tensor, Tensor], Tensor], x: Tensor, weight: Tensor, bias: Tensor | None
) -> Tensor:
    """The product and ``bias``, rounded once."""
    if bias is None:
        return multiply(x, weight)
    return Cast()(multiply(wide(x), wide(weight)) + wide(bias), x.dtype)


def _bias_of_rows(bias: Tensor, ends: Tensor, rows: int) -> Tensor:
    """The bias of the group of each row, 0 behind the last group."""
    numbers = Tensor(np.arange(rows))
    group = SearchSorted(mstype.int32, True)(ends, numbers)
    none = Zeros()((1, bias.shape[1]), bias.dtype)
    return Gather()(Concat()((bias, none)), group, 0)


# -- the ops ---------------------------------------------------------------------------------------


class GroupedMatmul(_Composite):
    """Products of several matrices with weights of their own, or of the groups of one.

    Args:
        split_item: 0 with ``group_type`` -1, 3 with the others.
        group_type: -1: each of ``x`` times the weight beside it. 0: the rows of the one ``x`` are
            in groups. 2: its columns are, and the rows of the weight.
        transpose_a: False, as on an Ascend.
        transpose_b: False, as on an Ascend.

    Inputs: x, weight and bias are lists of tensors of float16 (with a bias of float16), bfloat16 or
    float32 (with one of float32). With ``group_type`` -1: x[i] (*, M, K) of 2 to 6 axes, weight[i]
    (K, N), bias[i] (N,). 0: x (M, K), weight (E, K, N), bias (E, N). 2: x (M, K), weight (K, N).
    ``group_list`` says where each group ends, (E,) of int64; rows behind the last one give 0.
    The other inputs are of what is quantised, and must be None.

    Outputs: a tuple of tensors: (*, M, N); (M, N); (E, M, N).

    Raises:
        TypeError: no lists of tensors, or of another dtype; a number is no int.
        ValueError: another choice; shapes or counts that do not fit; when it runs, ends that are
            not in order.
        NotImplementedError: something is quantised.

    Source: the behaviour of mindspore.ops.auto_generate.GroupedMatmul.

    >>> x, weight = Tensor([[1.0], [2.0], [3.0]]), Tensor([[[1.0]], [[10.0]]])
    >>> made = GroupedMatmul(3, 0)([x], [weight], group_list=Tensor([1, 3]))
    >>> print(made[0].asnumpy().ravel())
    [ 1. 20. 30.]
    """

    split_item: int = 0
    group_type: int = -1
    transpose_a: bool = False
    transpose_b: bool = False

    def __call__(
        self,
        x: Any,
        weight: Any,
        bias: Any = None,
        scale: Any = None,
        offset: Any = None,
        antiquant_scale: Any = None,
        antiquant_offset: Any = None,
        group_list: Any = None,
    ) -> tuple[Tensor, ...]:
        for flag in ("transpose_a", "transpose_b"):
            if checks.boolean(self.name, flag, getattr(self, flag)):
                hint = "Transpose the tensors before."
                raise ValueError(checks.format_error(self.name, flag, "be False", "True", hint))
        unquantised(
            self.name, scale=scale, offset=offset, antiquant_scale=antiquant_scale,
            antiquant_offset=antiquant_offset,
        )  # fmt: skip
        return _multiplied(self.name, x, weight, bias, group_list, self.split_item, self.group_type)


class GroupedMatmulV2(_Composite):
    """:class:`GroupedMatmul` with all choices as inputs; ``group_list`` may be a list of ints."""

    def __call__(
        self,
        x: Any,
        weight: Any,
        bias: Any = None,
        scale: Any = None,
        offset: Any = None,
        antiquant_scale: Any = None,
        antiquant_offset: Any = None,
        group_list: Any = None,
        split_item: Any = 0,
        group_type: Any = -1,
    ) -> tuple[Tensor, ...]:
        unquantised(
            self.name, scale=scale, offset=offset, antiquant_scale=antiquant_scale,
            antiquant_offset=antiquant_offset,
        )  # fmt: skip
        return _multiplied(self.name, x, weight, bias, group_list, split_item, group_type)


class GroupedMatmulV4(_Composite):
    """:class:`GroupedMatmul` with all choices as inputs, and groups by their length.

    ``group_list_type`` 0: ``group_list`` says where each group ends; 1: how long it is.
    ``act_type`` must be 0, and what is of activations None; ``output_dtype`` counts for integers
    alone.
    """

    def __call__(
        self,
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
        split_item: Any = 0,
        group_type: Any = -1,
        group_list_type: Any = 0,
        act_type: Any = 0,
        output_dtype: Any = None,
    ) -> tuple[Tensor, ...]:
        unquantised(
            self.name, scale=scale, offset=offset, antiquant_scale=antiquant_scale,
            antiquant_offset=antiquant_offset, pre_token_scale=pre_token_scale,
            activation_input=activation_input, activation_quant_scale=activation_quant_scale,
            activation_quant_offset=activation_quant_offset,
        )  # fmt: skip
        checks.integer(self.name, "act_type", act_type, 0, 0)
        lengths = checks.integer(self.name, "group_list_type", group_list_type, 0, 1) == 1
        if group_list is not None:
            check_tensors(self.name, group_list=group_list)
        return _multiplied(self.name, x, weight, bias, group_list, split_item, group_type, lengths)


class InplaceGroupedMatmulAdd(_Composite):
    """Add to ``out`` for each group of rows the product of x, transposed, and weight; returns it.

    Args:
        x: (M, K), of float16 or bfloat16.
        weight: (M, N), of the dtype of ``x``.
        group_list: where each group ends, (E,) of int64.
        out: (E, K, N) or (E * K, N), of float32, in which the products are made.

    Raises:
        TypeError: no tensors, or of another dtype.
        ValueError: shapes that do not fit; when it runs, ends that are not in order.

    Source: the behaviour of mindspore.ops.auto_generate.grouped_matmul_add_.

    >>> x, ones = (Tensor(a, mstype.float16) for a in ([[1.0], [2.0], [3.0]], np.ones((3, 1))))
    >>> out = Tensor([[[10.0]], [[10.0]]])
    >>> made = InplaceGroupedMatmulAdd()(x, ones, Tensor([1, 3]), out)
    >>> print(out.asnumpy().ravel())
    [11. 15.]
    """

    def __call__(self, x: Tensor, weight: Tensor, group_list: Tensor, out: Tensor) -> Tensor:
        check_dtype(self.name, x, "x", "float16", "bfloat16")
        check_dtype(self.name, weight, "weight", x.dtype.name)
        check_dtype(self.name, group_list, "group_list", "int64")
        check_dtype(self.name, out, "out", "float32")
        with_axes(self.name, "x", x, 2)
        with_axes(self.name, "weight", weight, 2)
        with_axes(self.name, "group_list", group_list, 1)
        with_axes(self.name, "out", out, 2, 3)
        e, k, n = len(group_list), x.shape[1], weight.shape[1]
        with_shape(self.name, "weight", weight, (len(x), n))
        wanted = (e * k, n) if out.ndim == 2 else (e, k, n)
        with_shape(self.name, "out", out, wanted)
        made = GroupedOuter()(*[Cast()(a, out.dtype) for a in (x, weight)], group_list)
        return out._write_in_place(out + Reshape()(made, wanted))


__all__ = [
    "GroupedMatmul",
    "GroupedMatmulV2",
    "GroupedMatmulV4",
    "InplaceGroupedMatmulAdd",
]
