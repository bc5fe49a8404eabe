"""Grouped matrix products, which MindSpore has only on Ascend.

Quantized variants are not supported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minispore.core import interpreter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.index.gather import Gather
from minispore.ops.linalg.products import matmul
from minispore.ops.shape.cast_fill import Cast, Zeros
from minispore.ops.shape.join import Concat
from minispore.ops.shape.views import ExpandDims, Reshape, Transpose
from minispore.ops.statistics.scan import CumSum
from minispore.ops.statistics.sort import SearchSorted
from minispore.ops.support.arguments import check_dtype, check_tensor_list, check_tensors
from minispore.ops.support.derive import _Composite
from minispore.ops.transformer.inputs import (
    FLOATS,
    check_axes,
    check_shape,
    check_unquantized,
    to_float32,
)
from minispore.ops.transformer.products import GroupedOuter, GroupedRows

_SPLIT_ITEM = {-1: 0, 0: 3, 2: 3}  # by group_type
_MAX_LIST_LENGTH = 128  # limit for a group_list that is not a tensor


def _get_optional_tensors(op: str, name: str, values: Any) -> tuple[Tensor, ...]:
    """Return a list or tuple of tensors as a tuple; () for None or if all tensors are empty.

    Raises:
        TypeError: ``values`` is something else.
    """
    tensors = () if values is None else check_tensor_list(op, values, name)
    return tensors if any(t.size for t in tensors) else ()


def _compute_group_ends(op: str, group_list: Any, rows: int, holds_lengths: bool) -> Tensor:
    """Return the end of each group as int64, from ends or, if ``holds_lengths``, from a Tensor of
    lengths.

    Raises:
        TypeError: ``group_list`` is not a Tensor of int64, or a list or tuple of ints.
        ValueError: a Tensor does not have one axis; or a list is too long, or does not end with
            ``rows``. The values of a Tensor are not checked here.
    """
    if isinstance(group_list, Tensor):
        check_dtype(op, group_list, "group_list", "int64")
        check_axes(op, "group_list", group_list, 1)
        return CumSum()(group_list, 0) if holds_lengths else group_list
    if not isinstance(group_list, list | tuple):
        rule = "be a Tensor, or a list or tuple of ints"
        raise TypeError(
            checks.format_error(op, "group_list", rule, checks.format_value(group_list))
        )
    for end in group_list:
        checks.integer(op, "group_list", end, 0)
    if len(group_list) > _MAX_LIST_LENGTH or list(group_list)[-1:] != [rows]:
        rule = f"hold at most {_MAX_LIST_LENGTH} ends of groups, the last {rows}"
        raise ValueError(
            checks.format_error(op, "group_list", rule, checks.format_short(group_list))
        )
    return Tensor(np.array(group_list, np.int64))


def _check_dtypes(op: str, xs: Any, weights: Any, biases: Any) -> None:
    """Raise TypeError unless each weight has the float dtype of its x, and each bias float16 for a
    float16 x, else float32.
    """
    for i, (x, weight) in enumerate(zip(xs, weights, strict=True)):
        check_dtype(op, x, f"x[{i}]", *FLOATS)
        check_dtype(op, weight, f"weight[{i}]", x.dtype.name)
        if biases:
            kind = "float16" if x.dtype is mstype.float16 else "float32"
            check_dtype(op, biases[i], f"bias[{i}]", kind)


def _multiply_grouped(
    op: str,
    x: Any,
    weight: Any,
    bias: Any,
    group_list: Any,
    split_item: Any,
    group_type: Any,
    lengths: bool = False,
) -> tuple[Tensor, ...]:
    """Check the arguments of a grouped product and compute it; see :class:`GroupedMatmul`.

    ``lengths`` says that ``group_list`` holds the lengths of the groups, not their ends. Returns
    one product for each x, or with groups a tuple of one. Invalid arguments raise a TypeError or
    ValueError.
    """
    if checks.integer(op, "group_type", group_type) not in _SPLIT_ITEM:
        raise ValueError(checks.format_error(op, "group_type", "be -1, 0 or 2", f"{group_type}"))
    if checks.integer(op, "split_item", split_item) != _SPLIT_ITEM[group_type]:
        rule = f"be {_SPLIT_ITEM[group_type]} with group_type {group_type}"
        raise ValueError(checks.format_error(op, "split_item", rule, f"{split_item}"))
    xs, weights = check_tensor_list(op, x, "x"), check_tensor_list(op, weight, "weight")
    biases = _get_optional_tensors(op, "bias", bias)
    for name, tensors in (("weight", weights), ("bias", biases or weights)):
        if len(tensors) != len(xs):
            rule = f"hold {len(xs)} tensors, as many as x"
            raise ValueError(checks.format_error(op, name, rule, f"{len(tensors)}"))
    _check_dtypes(op, xs, weights, biases)
    if group_type == -1:
        if group_list is not None:
            rule, got = "be None with group_type -1", checks.format_value(group_list)
            raise ValueError(checks.format_error(op, "group_list", rule, got))
        return _multiply_pairwise(op, xs, weights, biases)
    return (_multiply_groups(op, xs, weights, biases, group_list, group_type, lengths),)


def _multiply_pairwise(op: str, xs: Any, weights: Any, biases: Any) -> tuple[Tensor, ...]:
    """Multiply each of ``xs`` by the weight at the same index, and add the bias at that index, if
    there are any; raise ValueError if shapes do not fit.
    """
    outputs = []
    for i, (x, weight) in enumerate(zip(xs, weights, strict=True)):
        check_axes(op, f"x[{i}] with group_type -1", x, 2, 3, 4, 5, 6)
        check_axes(op, f"weight[{i}] with group_type -1", weight, 2)
        check_shape(op, f"weight[{i}]", weight, (x.shape[-1], weight.shape[1]))
        if biases:
            check_shape(op, f"bias[{i}]", biases[i], weight.shape[1:])
        if not biases:
            outputs.append(matmul(x, weight))
            continue
        with interpreter.entering_fused_call(op):
            outputs.append(_multiply_with_bias(matmul, x, weight, biases[i]))
    return tuple(outputs)


def _multiply_groups(
    op: str, xs: Any, weights: Any, biases: Any, group_list: Any, group_type: int, lengths: bool
) -> Tensor:
    """Multiply each group of rows of the single x by the group's matrix of the single weight.

    For ``group_type`` 2, multiply each group of columns of x by the group's rows of the weight. The
    bias, if there is one, is added. Raises ValueError if counts or shapes do not fit.
    """
    has_row_groups, context = group_type == 0, f"with group_type {group_type}"
    for name, tensors, axes in (("x", xs, 2), ("weight", weights, 3 if has_row_groups else 2)):
        if len(tensors) != 1:
            rule = f"hold one tensor {context}"
            raise ValueError(checks.format_error(op, name, rule, f"{len(tensors)}"))
        check_axes(op, f"{name}[0] {context}", tensors[0], axes)
    (x,), (weight,) = xs, weights
    ends = _compute_group_ends(op, group_list, x.shape[0 if has_row_groups else 1], lengths)
    n = weight.shape[-1]
    group_shape = ends.shape if has_row_groups else ()
    check_shape(op, "weight[0]", weight, (*group_shape, x.shape[1], n))
    bias = biases[0] if biases else None
    if bias is not None:
        check_shape(op, "bias[0]", bias, (*ends.shape, n))
    multiply, a = (GroupedRows(), x) if has_row_groups else (GroupedOuter(), Transpose()(x, (1, 0)))
    if bias is None:
        return multiply(a, weight, ends)
    with interpreter.entering_fused_call(op):  # Ascend adds the bias in the product's kernel
        bias = _gather_row_biases(bias, ends, len(x)) if has_row_groups else ExpandDims()(bias, 1)
        return _multiply_with_bias(lambda a, b: multiply(a, b, ends), a, weight, bias)


def _multiply_with_bias(
    multiply: Callable[[Tensor, Tensor], Tensor], x: Tensor, weight: Tensor, bias: Tensor
) -> Tensor:
    """Return x times weight plus ``bias``, computed in float32 and rounded once to the dtype
    of x.
    """
    return Cast()(multiply(to_float32(x), to_float32(weight)) + to_float32(bias), x.dtype)


def _gather_row_biases(bias: Tensor, ends: Tensor, rows: int) -> Tensor:
    """Return for each row the bias of its group, and 0 for rows after the last group."""
    numbers = Tensor(np.arange(rows))
    group = SearchSorted(mstype.int32, right=True)(ends, numbers)
    zero_row = Zeros()((1, bias.shape[1]), bias.dtype)
    return Gather()(Concat()((bias, zero_row)), group, 0)


# -- the ops ---------------------------------------------------------------------------------------


class GroupedMatmul(_Composite):
    """Products of several matrices with one weight each, or of groups of rows of one matrix.

    Args:
        split_item: 0 with ``group_type`` -1, else 3.
        group_type: -1: each of ``x`` times the weight at the same index. 0: the rows of the single
            ``x`` are grouped. 2: the columns of ``x`` and the rows of the weight are grouped.
        transpose_a: must be False, as on Ascend.
        transpose_b: must be False, as on Ascend.

    Inputs: x, weight and bias are lists of tensors: float16 with a float16 bias, or bfloat16 or
    float32 with a float32 bias. With ``group_type`` -1: x[i] (*, M, K) of 2 to 6 axes, weight[i]
    (K, N), bias[i] (N,). 0: x (M, K), weight (E, K, N), bias (E, N). 2: x (M, K), weight (K, N).
    ``group_list`` holds the end of each group, (E,) of int64; rows after the last group give 0. The
    other inputs are for quantised products, and must be None.

    Outputs: a tuple of tensors: (*, M, N); (M, N); (E, M, N).

    Raises:
        TypeError: an input is not a list of tensors, or has the wrong dtype; a number is not an
            int.
        ValueError: an option is invalid; shapes or counts do not fit; when it runs: the ends are
            not in order.
        NotImplementedError: an argument for quantised products is given.

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
        """Return the products as a tuple.

        Raises a ValueError if a transposition is requested, NotImplementedError for quantization,
        and otherwise as the class says.
        """
        for flag in ("transpose_a", "transpose_b"):
            if checks.boolean(self.name, flag, getattr(self, flag)):
                hint = "Transpose the tensors before."
                raise ValueError(checks.format_error(self.name, flag, "be False", "True", hint))
        check_unquantized(
            self.name, scale=scale, offset=offset, antiquant_scale=antiquant_scale,
            antiquant_offset=antiquant_offset,
        )  # fmt: skip
        return _multiply_grouped(
            self.name, x, weight, bias, group_list, self.split_item, self.group_type
        )


class GroupedMatmulV2(_Composite):
    """:class:`GroupedMatmul` with all options as inputs; ``group_list`` may be a list of ints."""

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
        """Return the products; raise NotImplementedError if quantization is requested, and
        otherwise as :class:`GroupedMatmul`.
        """
        check_unquantized(
            self.name, scale=scale, offset=offset, antiquant_scale=antiquant_scale,
            antiquant_offset=antiquant_offset,
        )  # fmt: skip
        return _multiply_grouped(self.name, x, weight, bias, group_list, split_item, group_type)


class GroupedMatmulV4(_Composite):
    """:class:`GroupedMatmul` with all options as inputs; groups are given by ends or by lengths.

    ``group_list`` holds the end of each group (``group_list_type`` 0) or its length (1).
    ``act_type`` must be 0, and the activation arguments None; ``output_dtype`` has no effect.
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
        """Return the products as a tuple.

        Raises a NotImplementedError if quantization is requested, ValueError for an activation, and
        otherwise as :class:`GroupedMatmul`; a ``group_list`` must be a Tensor.
        """
        check_unquantized(
            self.name, scale=scale, offset=offset, antiquant_scale=antiquant_scale,
            antiquant_offset=antiquant_offset, pre_token_scale=pre_token_scale,
            activation_input=activation_input, activation_quant_scale=activation_quant_scale,
            activation_quant_offset=activation_quant_offset,
        )  # fmt: skip
        checks.integer(self.name, "act_type", act_type, 0, 0)
        lengths = checks.integer(self.name, "group_list_type", group_list_type, 0, 1) == 1
        if group_list is not None:
            check_tensors(self.name, group_list=group_list)
        return _multiply_grouped(
            self.name, x, weight, bias, group_list, split_item, group_type, lengths
        )


class InplaceGroupedMatmulAdd(_Composite):
    """Adds x.T @ weight of each group of rows to ``out``, in place; returns ``out``.

    Args:
        x: (M, K), of float16 or bfloat16.
        weight: (M, N), of the dtype of ``x``.
        group_list: the end of each group, (E,) of int64.
        out: (E, K, N) or (E * K, N), of float32, in which the products are computed.

    Raises:
        TypeError: an input is not a tensor, or has the wrong dtype.
        ValueError: the shapes do not fit; when it runs: the ends are not in order.

    Source: the behaviour of mindspore.ops.auto_generate.grouped_matmul_add_.

    >>> x, ones = (Tensor(a, mstype.float16) for a in ([[1.0], [2.0], [3.0]], np.ones((3, 1))))
    >>> out = Tensor([[[10.0]], [[10.0]]])
    >>> made = InplaceGroupedMatmulAdd()(x, ones, Tensor([1, 3]), out)
    >>> print(out.asnumpy().ravel())
    [11. 15.]
    """

    def __call__(self, x: Tensor, weight: Tensor, group_list: Tensor, out: Tensor) -> Tensor:
        """Write the sum into ``out`` and return it; all inputs are checked before."""
        check_dtype(self.name, x, "x", "float16", "bfloat16")
        check_dtype(self.name, weight, "weight", x.dtype.name)
        check_dtype(self.name, group_list, "group_list", "int64")
        check_dtype(self.name, out, "out", "float32")
        check_axes(self.name, "x", x, 2)
        check_axes(self.name, "weight", weight, 2)
        check_axes(self.name, "group_list", group_list, 1)
        check_axes(self.name, "out", out, 2, 3)
        group_count, k, n = len(group_list), x.shape[1], weight.shape[1]
        check_shape(self.name, "weight", weight, (len(x), n))
        expected = (group_count * k, n) if out.ndim == 2 else (group_count, k, n)
        check_shape(self.name, "out", out, expected)
        product = GroupedOuter()(*[Cast()(a, out.dtype) for a in (x, weight)], group_list)
        return out._write_in_place(out + Reshape()(product, expected))


__all__ = [
    "GroupedMatmul",
    "GroupedMatmulV2",
    "GroupedMatmulV4",
    "InplaceGroupedMatmulAdd",
]
