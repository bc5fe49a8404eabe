"""Choice of the experts of each token; MindSpore has these ops only on Ascend."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.errors import ShapeError
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ops.elementwise.arithmetic import FloorDiv, FloorMod
from minispore.ops.elementwise.compare import Less
from minispore.ops.elementwise.smooth_activations import Sigmoid
from minispore.ops.index.gather import GatherD
from minispore.ops.index.select import Select
from minispore.ops.network.softmax import Softmax
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.views import ExpandDims, Reshape, Transpose
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.statistics.sort import Sort, TopK
from minispore.ops.support.arguments import check_dtype, check_optional_tensors
from minispore.ops.support.derive import _Composite
from minispore.ops.transformer.inputs import FLOATS, check_axes, check_shape, to_float32
from minispore.ops.transformer.queues import assign_to_queues, count_cumulatively


class MoeGatingTopKSoftmax(_Composite):
    """The ``k`` experts with the best scores of each token, weighted by softmax.

    Args:
        x: scores, (N, E) or (B, S, E), of float16, bfloat16 or float32.
        finished: whether a token needs no expert, of bool, (N,) or (B, S); its experts are E.
        k: the number of experts of each token, 0 to E.

    Returns:
        ``(y, expert_idx, row_idx)``, each with k in place of E: the softmax in the dtype of ``x``;
        the experts, int32, the first of equal experts first; and, for the j-th expert of the n-th
        of all N tokens, n + N * j, int32, which MoeInitRouting requires.

    Raises:
        TypeError: an input is not a tensor, or has the wrong dtype; ``k`` is not an int.
        RuntimeError: ``x`` does not have 2 or 3 axes.
        ValueError: ``finished`` does not fit; ``k`` is out of range.

    Source: the behaviour of mindspore.ops.auto_generate.MoeGatingTopKSoftmax.

    >>> made = MoeGatingTopKSoftmax()(Tensor([[0.0, 2.0, 1.0], [3.0, 1.0, 2.0]]), k=2)
    >>> print(made[0].asnumpy().round(2).ravel(), made[1].asnumpy().ravel())
    [0.67 0.24 0.67 0.24] [1 2 0 2]
    >>> print(made[2].asnumpy().tolist())
    [[0, 2], [1, 3]]
    """

    def __call__(
        self, x: Tensor, finished: Any = None, k: Any = 1
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return weights, experts and row numbers; the expert of a finished token is the number of
        experts.

        Raises as the class says.
        """
        check_optional_tensors(self.name, finished=finished)
        check_dtype(self.name, x, "x", *FLOATS)
        check_axes(self.name, "x", x, 2, 3, error=ShapeError)
        leading_shape, experts = x.shape[:-1], x.shape[-1]
        checks.integer(self.name, "k", k, 0, experts)
        best, index = TopK()(Softmax(-1)(to_float32(x)), k)
        if finished is not None:
            check_dtype(self.name, finished, "finished", "bool_")
            check_shape(self.name, "finished", finished, leading_shape)
            index = Select()(ExpandDims()(finished, -1), experts, index)
        count = int(np.prod(leading_shape))
        row_numbers = np.arange(count, dtype=np.int32)[:, None] + count * np.arange(
            k, dtype=np.int32
        )
        return (
            Cast()(best, x.dtype),
            index,
            Tensor(row_numbers.reshape(*leading_shape, k).astype(np.int32)),
        )


class MoeComputeExpertTokens(_Composite):
    """Counts, for each expert, the elements of ``sorted_experts`` that are at most its number.

    Args:
        sorted_experts: expert numbers in ascending order, (N,) of int32.
        num_expert: the number of experts.

    Returns:
        (num_expert,) of int32.

    Raises:
        TypeError: the input is not a tensor, or has the wrong dtype; ``num_expert`` is not an int.
        ValueError: the shape is wrong; ``num_expert`` is not above 0.

    Source: the behaviour of mindspore.ops.auto_generate.MoeComputeExpertTokens.

    >>> print(MoeComputeExpertTokens()(Tensor(np.int32([0, 0, 1, 2, 2])), 4))
    [2 3 5 5]
    """

    def __call__(self, sorted_experts: Tensor, num_expert: Any) -> Tensor:
        """Return the counts, (num_expert,) of int32; raise TypeError or ValueError as the class
        says.
        """
        check_dtype(self.name, sorted_experts, "sorted_experts", "int32")
        check_axes(self.name, "sorted_experts", sorted_experts, 1)
        return count_cumulatively(
            sorted_experts, checks.integer(self.name, "num_expert", num_expert, 1)
        )


# -- experts in groups -----------------------------------------------------------------------------


def _zero_other_groups(scores: Tensor, groups: int, best: int, top_count: int) -> Tensor:
    """Return ``scores`` (..., E) with zeros outside the ``best`` best of ``groups`` groups of
    experts.

    The best groups have the largest sums of their ``top_count`` largest scores; the first of equal
    groups wins.
    """
    *leading_shape, experts = scores.shape
    grouped = Reshape()(scores, (*leading_shape, groups, experts // groups))
    sums = ReduceSum()(TopK()(grouped, top_count)[0], -1)
    _, order = Sort(-1, descending=True)(sums)
    is_best = Less()(Sort()(order)[1], best)
    masked = Select()(ExpandDims()(is_best, -1), grouped, 0.0)
    return Reshape()(masked, scores.shape)


def _compute_group_length(op: str, name: str, experts: int, groups: Any) -> int:
    """Return the number of experts in each group.

    Raises:
        TypeError: ``groups`` is not an int.
        ValueError: ``groups`` is below 1, or does not divide the number of experts.
    """
    if experts % checks.integer(op, name, groups, 1):
        rule = f"divide the {experts} experts"
        raise ValueError(checks.format_error(op, name, rule, f"{groups}"))
    return experts // groups


class GroupTopk(_Composite):
    """Zeros the scores outside the ``k`` best groups of experts, in place; returns ``token``.

    Args:
        token: scores, (N, E) or (B, S, E), of float16 or bfloat16.
        idx_arr: the ints 0, 1, ..., at least E of them, of int32, required on Ascend.
        group_num: the number of groups that the experts are divided into.
        k: the number of groups to keep: those with the largest sums of their ``k_inner`` largest
            scores, the first of equal groups.
        k_inner: see ``k``.

    Raises:
        TypeError: an input is not a tensor, or has the wrong dtype; a number is not an int.
        ValueError: the shapes do not fit; a number is out of range.

    Source: the behaviour of mindspore.ops.GroupTopk.

    >>> token = Tensor(np.float16([[1, 4, 3, 3]]))
    >>> made = GroupTopk()(token, Tensor(np.arange(4, dtype=np.int32)), 2, 1, 2)
    >>> print(token)
    [[0. 0. 3. 3.]]
    """

    def __call__(
        self, token: Tensor, idx_arr: Tensor, group_num: Any, k: Any, k_inner: Any = 1
    ) -> Tensor:
        """Write the scores, with zeros outside the best groups, into ``token`` and return it; all
        inputs are checked before.
        """
        check_dtype(self.name, token, "token", "float16", "bfloat16")
        check_dtype(self.name, idx_arr, "idx_arr", "int32")
        check_axes(self.name, "token", token, 2, 3)
        check_axes(self.name, "idx_arr", idx_arr, 1)
        experts = token.shape[-1]
        if experts > idx_arr.size:
            rule = f"hold at least {experts} numbers, one for each expert"
            raise ValueError(checks.format_error(self.name, "idx_arr", rule, f"{idx_arr.size}"))
        length = _compute_group_length(self.name, "group_num", experts, group_num)
        checks.integer(self.name, "k", k, 1, group_num)
        checks.integer(self.name, "k_inner", k_inner, 1, length)
        masked = _zero_other_groups(to_float32(token), group_num, k, k_inner)
        return token._write_in_place(Cast()(masked, token.dtype))


class FusedAddTopKDiv(_Composite):
    """The ``k`` experts with the best scores of each token, among the best groups of experts.

    The scores are the sigmoid of ``x``. For the choice of experts, ``add_num`` is added to the
    scores, and scores outside the best groups become 0.

    Args:
        x: scores, (N, E), of float16, bfloat16 or float32.
        add_num: a bias that is added to the score of each expert, (E,), of the dtype of ``x``.
        group_num: the number of groups that the experts are divided into.
        group_topk: the number of groups to choose.
        n: the score of a group is the sum of its ``n`` largest scores.
        k: the number of experts to choose.
        activate_type: must be 0, the sigmoid.
        is_norm: divide the scores of a token's experts by their sum, and multiply them by
            ``scale``.
        scale: see ``is_norm``.
        mapping_num: has no effect.
        mapping_table: has no effect.
        enable_expert_mapping: must be False: copies of experts on several machines are not
            supported.

    Returns:
        ``(weights, experts)``, (N, k) of float32 and int32.

    Raises:
        TypeError: an input is not a tensor, or has the wrong dtype; a number has the wrong type.
        ValueError: the shapes do not fit; a number is out of range; a mapping of experts is
            requested.

    Source: the behaviour of mindspore.ops.auto_generate.FusedAddTopKDiv.

    >>> x, add = Tensor([[0.0, 9.0, 0.0, 0.0]]), Tensor([0.0, 0.0, 2.0, 1.0])
    >>> weights, experts = FusedAddTopKDiv()(x, add, 2, 1, 1, 2, scale=1.0)
    >>> print(weights, experts)
    [[0.5 0.5]] [[2 3]]
    """

    def __call__(
        self,
        x: Tensor,
        add_num: Tensor,
        group_num: Any,
        group_topk: Any,
        n: Any,
        k: Any,
        activate_type: Any = 0,
        is_norm: Any = True,
        scale: Any = 2.5,
        mapping_num: Any = None,
        mapping_table: Any = None,
        enable_expert_mapping: Any = False,
    ) -> tuple[Tensor, Tensor]:
        """Return weights and experts; the experts are chosen by sigmoid(x) + add_num, and weighted
        by sigmoid(x).

        Raises as the class says.
        """
        checks.integer(self.name, "activate_type", activate_type, 0, 0)
        checks.boolean(self.name, "is_norm", is_norm)
        checks.instance(self.name, "scale", scale, float)
        if checks.boolean(self.name, "enable_expert_mapping", enable_expert_mapping):
            hint = "Map the experts that come out with ops.gather."
            text = checks.format_error(self.name, "enable_expert_mapping", "be False", "True", hint)
            raise ValueError(text)
        check_dtype(self.name, x, "x", *FLOATS)
        check_dtype(self.name, add_num, "add_num", x.dtype.name)
        check_axes(self.name, "x", x, 2)
        experts = x.shape[1]
        check_shape(self.name, "add_num", add_num, (experts,))
        length = _compute_group_length(self.name, "group_num", experts, group_num)
        checks.integer(self.name, "group_topk", group_topk, 1, group_num)
        checks.integer(self.name, "n", n, 1, length)
        checks.integer(self.name, "k", k, 1, experts)
        gates = Sigmoid()(to_float32(x))
        ranked = _zero_other_groups(gates + to_float32(add_num), group_num, group_topk, n)
        index = TopK()(ranked, k)[1]
        weights = GatherD()(gates, 1, index)
        if is_norm:
            weights = weights / ReduceSum(keep_dims=True)(weights, 1) * scale
        return weights, index


# -- capacity of experts ---------------------------------------------------------------------------


class TopKRouter(_Composite):
    """Assigns the tokens of each batch row to slots of their experts, ``capacity`` for each expert.

    Args:
        input: the experts of each token, (B, N, K) of int32 or int64.
        capacity: the number of slots of an expert.
        expert_num: the number of experts.
        drop_type: the priority for slots. 0: earlier tokens first; 1: better choices first, and
            earlier tokens first among equal choices.

    Returns:
        ``(dispatch_index, combine_index)`` of the dtype of ``input``: (B, E, C), the number of the
        token in each slot, counted from 1, or 0 for an empty slot; (B, N, K), the slot of each
        choice as expert * (capacity + 1) + slot, with experts counted from 0 and slots from 1, or
        slot 0 if the choice was dropped.

    Raises:
        TypeError: the input is not a tensor, or has the wrong dtype; a number is not an int.
        ValueError: the shape is wrong; a number is out of range.
        RuntimeError: when it runs: an expert number is out of range.

    Source: the behaviour of mindspore.ops.auto_generate.TopKRouter.

    >>> choices = Tensor([[[0], [1], [0]]])
    >>> dispatch, combine = TopKRouter()(choices, 1, 2)
    >>> print(dispatch.asnumpy().tolist(), combine.asnumpy().ravel())
    [[[1], [2]]] [1 3 0]
    """

    def __call__(
        self, input: Tensor, capacity: Any, expert_num: Any, drop_type: Any = 0
    ) -> tuple[Tensor, Tensor]:
        """Return the token in each slot and the slot of each choice; both count from 1, and 0 means
        none.

        Raises as the class says.
        """
        check_dtype(self.name, input, "input", "int32", "int64")
        check_axes(self.name, "input", input, 3)
        checks.integer(self.name, "capacity", capacity, 1)
        checks.integer(self.name, "expert_num", expert_num, 1)
        is_choice_major = checks.integer(self.name, "drop_type", drop_type, 0, 1) == 1
        batch, tokens, choices = input.shape
        chosen = Transpose()(input, (0, 2, 1)) if is_choice_major else input
        experts = Reshape()(chosen, (batch, -1))
        position, element, is_occupied = assign_to_queues(experts, expert_num, capacity)
        token = FloorMod()(element, tokens) if is_choice_major else FloorDiv()(element, choices)
        dispatch = Select()(is_occupied, token + 1, 0)
        slot = Select()(Less()(position, capacity), position + 1, 0)
        combine = experts * (capacity + 1) + Cast()(slot, input.dtype)
        combine = Reshape()(combine, chosen.shape)
        if is_choice_major:
            combine = Transpose()(combine, (0, 2, 1))
        return Cast()(dispatch, input.dtype), combine


# -- functions -------------------------------------------------------------------------------------


def moe_compute_expert_tokens(sorted_experts: Tensor, num_expert: int) -> Tensor:
    """Count, for each expert, the elements of ``sorted_experts`` that are at most its number.

    See :class:`MoeComputeExpertTokens`.
    """
    return MoeComputeExpertTokens()(sorted_experts, num_expert)


def group_topk(token: Tensor, idx_arr: Tensor, group_num: int, k: int, k_inner: int = 1) -> Tensor:
    """Zero the scores outside the ``k`` best groups of experts, in place, and return ``token``.

    See :class:`GroupTopk`.
    """
    return GroupTopk()(token, idx_arr, group_num, k, k_inner)


def fused_add_topk_div(
    x: Tensor,
    add_num: Tensor,
    group_num: int,
    group_topk: int,
    n: int,
    k: int,
    activate_type: int = 0,
    is_norm: bool = True,
    scale: float = 2.5,
    mapping_num: Tensor | None = None,
    mapping_table: Tensor | None = None,
    enable_expert_mapping: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return weights and numbers of the ``k`` best experts of each token, among the best groups of
    experts.

    See :class:`FusedAddTopKDiv`.
    """
    return FusedAddTopKDiv()(
        x, add_num, group_num, group_topk, n, k, activate_type, is_norm, scale, mapping_num,
        mapping_table, enable_expert_mapping,
    )  # fmt: skip


def topkrouter(
    input: Tensor, capacity: int, expert_num: int, drop_type: int = 0
) -> tuple[Tensor, Tensor]:
    """Assign the tokens of each batch row to slots of their experts, ``capacity`` for each
    expert.

    Returns the token of each slot and the slot of each choice; see :class:`TopKRouter`.
    """
    return TopKRouter()(input, capacity, expert_num, drop_type)


__all__ = [
    "FusedAddTopKDiv",
    "GroupTopk",
    "MoeComputeExpertTokens",
    "MoeGatingTopKSoftmax",
    "TopKRouter",
    "fused_add_topk_div",
    "group_topk",
    "moe_compute_expert_tokens",
    "topkrouter",
]

attach_docstrings("minispore.ops", __name__)
