"""Routing of tokens to experts and back, which MindSpore has only on Ascend."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.errors import ShapeError
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.arithmetic import FloorDiv, FloorMod
from minispore.ops.elementwise.compare import Less
from minispore.ops.index.gather import Gather
from minispore.ops.index.select import Select
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.join import Concat
from minispore.ops.shape.views import ExpandDims, Reshape
from minispore.ops.support.arguments import check_dtype, check_optional_tensors, check_tensors
from minispore.ops.support.derive import _Composite
from minispore.ops.transformer.inputs import (
    FLOATS,
    check_axes,
    check_shape,
    to_float32,
    to_unsigned_indices,
)
from minispore.ops.transformer.queues import assign_to_queues, count_cumulatively, sort_experts


class MoeInitRouting(_Composite):
    """Sorts tokens by their experts; ``row_idx`` numbers the pairs of token and expert.

    Args:
        x: (N, H), of float16, bfloat16 or float32.
        row_idx: a number for each expert of each token, (N, K) of int32: a permutation of 0 to N *
            K - 1, where the token is the number modulo N.
        expert_idx: the experts of each token, (N, K) of int32.
        active_num: the maximum number of tokens to return rows for.

    Returns:
        ``(expanded_x, expanded_row_idx, expanded_expert_idx)``: (min(N, active_num) * K, H), the
        row that each number was moved to, (N * K,); and the sorted experts, (N * K,).

    Raises:
        TypeError: an input is not a tensor, or has the wrong dtype; ``active_num`` is not an int.
        RuntimeError: a shape is wrong.
        ValueError: ``active_num`` is below 0.

    Source: the behaviour of mindspore.ops.auto_generate.MoeInitRouting.

    >>> x, numbers = Tensor([[1.0], [2.0]]), Tensor([[0, 2], [1, 3]], mstype.int32)
    >>> made = MoeInitRouting()(x, numbers, Tensor([[1, 0], [0, 1]], mstype.int32), 2)
    >>> print(made[0].asnumpy().ravel(), made[1], made[2])
    [1. 2. 1. 2.] [2 1 0 3] [0 0 1 1]
    """

    def __call__(
        self, x: Tensor, row_idx: Tensor, expert_idx: Tensor, active_num: Any
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the active tokens' rows sorted by expert, the row of each pair, and the sorted
        experts.

        Raises as the class says.
        """
        check_dtype(self.name, x, "x", *FLOATS)
        for name, tensor in (("row_idx", row_idx), ("expert_idx", expert_idx)):
            check_dtype(self.name, tensor, name, "int32")
            check_axes(self.name, name, tensor, 2, error=RuntimeError)
        check_axes(self.name, "x", x, 2, error=RuntimeError)
        check_shape(self.name, "expert_idx", expert_idx, (len(x), expert_idx.shape[1]))
        check_shape(self.name, "row_idx", row_idx, expert_idx.shape)
        count = checks.integer(self.name, "active_num", active_num, 0)
        experts, order, _ = sort_experts(Reshape()(expert_idx, (-1,)))
        numbers = Gather()(Reshape()(row_idx, (-1,)), order, 0)
        active = numbers[: min(len(x), count) * expert_idx.shape[1]]
        rows = Gather()(x, FloorMod()(active, len(x)), 0)
        return rows, sort_experts(numbers).order, experts


class MoeInitRoutingV2(_Composite):
    """The op of :func:`moe_init_routing_v2`, which always has four outputs.

    These are the rows, the index of each row, the counts (without ``drop_pad_mode``) and the counts
    before applying the capacity (with ``drop_pad_mode``). Counts that are not requested are 0.

    >>> x, experts = Tensor([[1.0], [2.0]]), Tensor([[1, 0], [0, 0]], mstype.int32)
    >>> made = MoeInitRoutingV2()(x, experts, 0, 2, 2, 1, 0, True)
    >>> print(made[0].asnumpy()[..., 0].tolist(), made[1], made[3])
    [[1.0, 2.0], [1.0, 0.0]] [ 2  0  1 -1] [3 1]
    """

    def __call__(
        self,
        x: Tensor,
        expert_idx: Tensor,
        active_num: Any,
        expert_capacity: Any,
        expert_num: Any,
        drop_pad_mode: Any,
        expert_tokens_count_or_cumsum_flag: Any,
        expert_tokens_before_capacity_flag: Any,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return rows, their indices and two counts of tokens per expert, which are zeros unless
        requested.

        Raises as :func:`moe_init_routing_v2` says.
        """
        check_dtype(self.name, x, "x", *FLOATS)
        check_dtype(self.name, expert_idx, "expert_idx", "int32")
        check_axes(self.name, "x", x, 2)
        check_axes(self.name, "expert_idx", expert_idx, 2)
        check_shape(self.name, "expert_idx", expert_idx, (len(x), expert_idx.shape[1]))
        flag = expert_tokens_count_or_cumsum_flag
        uses_capacity = checks.integer(self.name, "drop_pad_mode", drop_pad_mode, 0, 1) == 1
        checks.integer(self.name, "expert_tokens_count_or_cumsum_flag", flag, 0, 2)
        counts_before_capacity = checks.boolean(
            self.name, "expert_tokens_before_capacity_flag", expert_tokens_before_capacity_flag
        )
        active = checks.integer(self.name, "active_num", active_num, 0)
        needs_expert_num = uses_capacity or flag
        count = checks.integer(self.name, "expert_num", expert_num, 1 if needs_expert_num else 0)
        limit = len(x) if uses_capacity else None
        capacity = checks.integer(
            self.name, "expert_capacity", expert_capacity, 1 if uses_capacity else 0, limit
        )
        experts = Reshape()(expert_idx, (-1,))
        zeros = Tensor(np.zeros(count, np.int32))
        values, order, ranks = sort_experts(experts)
        cumulative = count_cumulatively(values, count) if flag or counts_before_capacity else zeros
        counts = cumulative
        if count:
            counts = cumulative - Concat()((Tensor(np.zeros(1, np.int32)), cumulative[:-1]))
        if uses_capacity:
            rows, slots = _route_to_slots(x, expert_idx, count, capacity)
            return rows, slots, zeros, counts if counts_before_capacity else zeros
        retained_order = order[: min(active, experts.size)] if active else order
        rows = Gather()(x, FloorDiv()(retained_order, expert_idx.shape[1]), 0)
        return rows, ranks, (zeros, cumulative, counts)[flag], zeros


def _route_to_slots(x: Tensor, experts: Tensor, count: int, capacity: int) -> tuple[Tensor, Tensor]:
    """Return the rows of ``x`` in the slots of their experts, and the slot of each row; -1 if
    dropped.

    Args:
        x: the tokens, (N, H).
        experts: the experts of each token, (N, K).
        count: the number of experts, E.
        capacity: the number of slots of each expert, C.

    Returns:
        The rows (E, C, H), with zeros in empty slots; and expert * C + slot of each pair of token
        and expert, (N * K,).
    """
    all_experts = Reshape()(experts, (1, -1))
    position, element, is_occupied = assign_to_queues(all_experts, count, capacity)
    token = FloorDiv()(element[0], experts.shape[1])
    rows = Select()(ExpandDims()(is_occupied[0], 2), Gather()(x, token, 0), 0.0)
    slots = Select()(Less()(position, capacity), all_experts * capacity + position, -1)
    return rows, slots[0]


class MoeFinalizeRouting(_Composite):
    """Adds the experts' outputs, with their biases and weights, to the tokens.

    The result is x1 + x2, plus scales[:, k] * (expanded_x[rows of k] + bias[experts of k]) for each
    k. The terms are added one by one in the dtype of the inputs; for bfloat16 in float32.

    Args:
        expanded_x: (N * K, H), of float16, bfloat16 or float32.
        x1: (N, H); this and the other float inputs have the dtype of ``expanded_x``.
        x2: (N, H), or None.
        bias: the bias of each expert, (E, H).
        scales: (N, K).
        expanded_row_idx: the row of expert k of token n at k * N + n, (N * K,) of int32.
        expanded_expert_idx: the experts of each token, (N, K) of int32.

    Returns:
        (N, H), of the dtype of ``expanded_x``.

    Raises:
        TypeError: a required input is not a tensor, or an input has the wrong dtype.
        RuntimeError: the shapes do not fit; when it runs: a row or expert is out of range.

    Source: the behaviour of mindspore.ops.auto_generate.MoeFinalizeRouting.

    >>> rows, at = Tensor([[1.0], [2.0]]), Tensor([1, 0], mstype.int32)
    >>> experts = Tensor([[0], [0]], mstype.int32)
    >>> zero, one = Tensor([[0.0], [0.0]]), Tensor([[1.0], [1.0]])
    >>> print(MoeFinalizeRouting()(rows, zero, None, zero, one, at, experts).asnumpy().ravel())
    [2. 1.]
    """

    def __call__(
        self,
        expanded_x: Tensor,
        x1: Tensor,
        x2: Any = None,
        bias: Any = None,
        scales: Any = None,
        expanded_row_idx: Any = None,
        expanded_expert_idx: Any = None,
    ) -> Tensor:
        """Check the inputs, and return the sum of x1, x2 and each expert's weighted output.

        It is computed in float16 or float32, and has the dtype of ``x1``.
        """
        rows, experts = expanded_row_idx, expanded_expert_idx
        check_tensors(
            self.name, bias=bias, scales=scales, expanded_row_idx=rows, expanded_expert_idx=experts
        )
        check_optional_tensors(self.name, x2=x2)
        check_dtype(self.name, expanded_x, "expanded_x", *FLOATS)
        for name, x in (("x1", x1), ("x2", x2), ("bias", bias), ("scales", scales)):
            if x is not None:
                check_dtype(self.name, x, name, expanded_x.dtype.name)
        check_dtype(self.name, rows, "expanded_row_idx", "int32")
        check_dtype(self.name, experts, "expanded_expert_idx", "int32")
        for name, x in (("expanded_x", expanded_x), ("expanded_expert_idx", experts)):
            check_axes(self.name, name, x, 2, error=ShapeError)
        (n, k), h = experts.shape, expanded_x.shape[1]
        e = bias.shape[:1]
        for name, x, shape in (
            ("expanded_x", expanded_x, (n * k, h)),
            ("x1", x1, (n, h)),
            ("x2", x2, (n, h)),
            ("bias", bias, (*e, h)),
            ("scales", scales, (n, k)),
            ("expanded_row_idx", rows, (n * k,)),
        ):
            if x is not None:
                check_shape(self.name, name, x, shape)
        x2, bias, scales = (x if x is None else _to_step_dtype(x) for x in (x2, bias, scales))
        indices = to_unsigned_indices(Reshape()(rows, (k, n)))
        experts, expanded = to_unsigned_indices(experts), _to_step_dtype(expanded_x)
        output = _to_step_dtype(x1) if x2 is None else _to_step_dtype(x1) + x2
        for i in range(k):
            expert_output = Gather()(expanded, indices[i], 0) + Gather()(bias, experts[:, i], 0)
            output = output + scales[:, i : i + 1] * expert_output
        return Cast()(output, x1.dtype)


def _to_step_dtype(x: Tensor) -> Tensor:
    """Cast bfloat16 to float32, and return other tensors unchanged; each step of the sum is rounded
    to the resulting dtype.
    """
    return to_float32(x) if x.dtype is mstype.bfloat16 else x


# -- functions -------------------------------------------------------------------------------------


def moe_init_routing(
    x: Tensor, row_idx: Tensor, expert_idx: Tensor, active_num: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Sort tokens by their experts; ``row_idx`` numbers the pairs of token and expert.

    Returns the sorted rows, the row of each pair and the sorted experts; see
    :class:`MoeInitRouting`.
    """
    return MoeInitRouting()(x, row_idx, expert_idx, active_num)


def moe_init_routing_v2(
    x: Tensor,
    expert_idx: Tensor,
    active_num: int,
    expert_capacity: int,
    expert_num: int,
    drop_pad_mode: int,
    expert_tokens_count_or_cumsum_flag: int,
    expert_tokens_before_capacity_flag: bool,
) -> tuple[Tensor, ...]:
    """Sort tokens by their experts, or assign them to slots, with the same number of slots per
    expert.

    Args:
        x: (N, H), of float16, bfloat16 or float32.
        expert_idx: the experts of each token, (N, K) of int32.
        active_num: without slots, the number of rows to keep; 0 keeps all.
        expert_capacity: with slots, the number of slots of each expert, at most N.
        expert_num: the number of experts; required with slots or counts.
        drop_pad_mode: 1: use slots; rows that get no slot are dropped, and empty slots are 0. 0: no
            slots.
        expert_tokens_count_or_cumsum_flag: without slots, 2: count the rows of each expert; 1: the
            cumulative counts; 0: no counts.
        expert_tokens_before_capacity_flag: with slots, count the rows of each expert, including
            dropped rows.

    Returns:
        ``(expanded_x, expanded_row_idx)``: (N * K, H), or fewer rows, or (E, C, H) with slots; the
        row that each expert of each token was moved to, -1 if dropped, (N * K,) of int32. The
        counts, (E,) of int32, follow if requested.

    Raises:
        TypeError: an input is not a tensor, or has the wrong dtype; a number is not an int, or the
            flag is not a bool.
        ValueError: a shape is wrong; a number is out of range.
        RuntimeError: when it runs with slots: an expert is out of range.

    Source: the behaviour of mindspore.ops.moe_init_routing_v2.

    >>> x, experts = Tensor([[1.0], [2.0]]), Tensor([[1, 0], [0, 0]], mstype.int32)
    >>> rows, at, counts = moe_init_routing_v2(x, experts, 0, 0, 2, 0, 2, False)
    >>> print(rows.asnumpy().ravel(), at, counts)
    [1. 2. 2. 1.] [3 0 1 2] [3 1]
    """
    rows, indices, counts, counts_before = MoeInitRoutingV2()(
        x, expert_idx, active_num, expert_capacity, expert_num, drop_pad_mode,
        expert_tokens_count_or_cumsum_flag, expert_tokens_before_capacity_flag,
    )  # fmt: skip
    if drop_pad_mode:
        has_counts = expert_tokens_before_capacity_flag
        return (rows, indices, counts_before) if has_counts else (rows, indices)
    return (rows, indices, counts) if expert_tokens_count_or_cumsum_flag else (rows, indices)


def moe_finalize_routing(
    expanded_x: Tensor,
    x1: Tensor,
    x2: Tensor | None = None,
    bias: Tensor | None = None,
    scales: Tensor | None = None,
    expanded_row_idx: Tensor | None = None,
    expanded_expert_idx: Tensor | None = None,
) -> Tensor:
    """Add the experts' outputs, with their biases and weights, to the tokens.

    Despite the default None, only ``x2`` may be left out; see :class:`MoeFinalizeRouting`.
    """
    return MoeFinalizeRouting()(
        expanded_x, x1, x2, bias, scales, expanded_row_idx, expanded_expert_idx
    )


__all__ = [
    "MoeFinalizeRouting",
    "MoeInitRouting",
    "MoeInitRoutingV2",
    "moe_finalize_routing",
    "moe_init_routing",
    "moe_init_routing_v2",
]

attach_docstrings("minispore.ops", __name__)
