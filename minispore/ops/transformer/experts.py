"""Ops that sort tokens by their experts and restore the order; MindSpore has them only on
Ascend.
"""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ops.elementwise.arithmetic import FloorDiv
from minispore.ops.elementwise.compare import Less
from minispore.ops.elementwise.extremes import Minimum
from minispore.ops.index.gather import Gather
from minispore.ops.index.select import Select
from minispore.ops.shape.cast_fill import Cast, Zeros
from minispore.ops.shape.views import ExpandDims, Reshape
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.support.arguments import check_dtype, check_optional_tensors
from minispore.ops.support.derive import _Composite, pull_back
from minispore.ops.transformer.inputs import (
    FLOATS,
    check_axes,
    check_shape,
    to_float32,
    to_unsigned_indices,
)
from minispore.ops.transformer.queues import sort_experts

_MAX_EXPERTS = 512  # limit for one token


def _check_not_padded(op: str, padded_mode: Any) -> None:
    """Check that ``padded_mode`` is False, the only mode on Ascend.

    Raises:
        TypeError: it is not a bool.
        ValueError: it is True.
    """
    if checks.boolean(op, "padded_mode", padded_mode):
        rule = "be False, as on an Ascend"
        raise ValueError(checks.format_error(op, "padded_mode", rule, "True"))


def _gather_rows(x: Tensor, indices: Tensor) -> Tensor:
    """Gather rows of ``x``; indices beyond its end give zeros, since x may have been truncated.

    A negative index is out of range. The result is (*indices.shape, *x.shape[1:]).
    """
    if len(x) >= indices.size:
        return Gather()(x, to_unsigned_indices(indices), 0)
    if not len(x):
        return Zeros()((*indices.shape, *x.shape[1:]), x.dtype)
    rows = Gather()(x, to_unsigned_indices(Minimum()(indices, len(x) - 1)), 0)
    return Select()(ExpandDims()(Less()(indices, len(x)), indices.ndim), rows, 0.0)


class MoeTokenPermute(_Composite):
    """The op of :func:`moe_token_permute`.

    >>> tokens, experts = Tensor([[1.0], [2.0]]), Tensor([[1, 0], [0, 1]])
    >>> permuted, rows = MoeTokenPermute()(tokens, experts)
    >>> print(permuted.asnumpy().ravel(), rows)
    [1. 2. 1. 2.] [2 0 1 3]
    """

    def __call__(
        self, tokens: Tensor, indices: Tensor, num_out_tokens: Any = None, padded_mode: Any = False
    ) -> tuple[Tensor, Tensor]:
        """Return the tokens sorted by expert, at most ``num_out_tokens`` rows, and the row of each
        (token, expert) pair.

        None or 0 keeps all rows. Invalid arguments raise a TypeError or ValueError.
        """
        _check_not_padded(self.name, padded_mode)
        check_dtype(self.name, tokens, "tokens", *FLOATS)
        check_dtype(self.name, indices, "indices", "int32", "int64")
        check_axes(self.name, "tokens", tokens, 2)
        check_axes(self.name, "indices", indices, 1, 2)
        check_shape(self.name, "indices", indices, (len(tokens), *indices.shape[1:]))
        experts_per_token = 1 if indices.ndim == 1 else indices.shape[1]
        if not 1 <= experts_per_token <= _MAX_EXPERTS:
            rule = f"have 1 to {_MAX_EXPERTS} experts for each token"
            raise ValueError(
                checks.format_error(self.name, "indices", rule, f"{experts_per_token}")
            )
        output_count = 0
        if num_out_tokens is not None:
            output_count = checks.integer(self.name, "num_out_tokens", num_out_tokens, 0)
        _, order, ranks = sort_experts(Reshape()(indices, (-1,)))
        retained_order = order[: min(output_count, indices.size)] if output_count else order
        return Gather()(tokens, FloorDiv()(retained_order, experts_per_token), 0), ranks


class MoeTokenPermuteGrad(_Composite):
    """The gradient of :class:`MoeTokenPermute`: for each token the sum of its ``num_topk`` rows.

    Rows that ``permuted_tokens_grad`` lacks at its end count as 0.
    """

    def __call__(
        self,
        permuted_tokens_grad: Tensor,
        sorted_indices: Tensor,
        num_topk: Any = 1,
        padded_mode: Any = False,
    ) -> Tensor:
        """Gather the rows of each token, sum them in float32, and return (N, H) in the dtype of
        ``permuted_tokens_grad``.
        """
        _check_not_padded(self.name, padded_mode)
        rows_per_token = checks.integer(self.name, "num_topk", num_topk, 1)
        check_axes(self.name, "permuted_tokens_grad", permuted_tokens_grad, 2)
        check_axes(self.name, "sorted_indices", sorted_indices, 1)
        rows = _gather_rows(
            to_float32(permuted_tokens_grad), Reshape()(sorted_indices, (-1, rows_per_token))
        )
        return Cast()(ReduceSum()(rows, 1), permuted_tokens_grad.dtype)


class MoeTokenUnpermute(_Composite):
    """The op of :func:`moe_token_unpermute`.

    >>> tokens, experts = Tensor([[1.0], [2.0]]), Tensor([[1, 0], [0, 1]])
    >>> rows, at = MoeTokenPermute()(tokens, experts)
    >>> print(MoeTokenUnpermute()(rows, at, Tensor([[1.0, 10.0], [1.0, 10.0]])).asnumpy().ravel())
    [11. 22.]
    """

    def __call__(
        self,
        permuted_tokens: Tensor,
        sorted_indices: Tensor,
        probs: Any = None,
        padded_mode: Any = False,
        restore_shape: Any = None,
    ) -> Tensor:
        """Gather the rows of each token; with ``probs`` return their weighted sum.

        ``restore_shape`` has no effect. Invalid arguments raise a TypeError or ValueError.
        """
        _check_not_padded(self.name, padded_mode)
        check_optional_tensors(self.name, probs=probs)
        check_dtype(self.name, permuted_tokens, "permuted_tokens", *FLOATS)
        check_dtype(self.name, sorted_indices, "sorted_indices", "int32")
        check_axes(self.name, "permuted_tokens", permuted_tokens, 2)
        check_axes(self.name, "sorted_indices", sorted_indices, 1)
        if probs is None:
            return _gather_rows(permuted_tokens, sorted_indices)
        check_dtype(self.name, probs, "probs", *FLOATS)
        check_axes(self.name, "probs", probs, 2)
        if probs.size != sorted_indices.size:
            rule = f"hold a number for each of the {sorted_indices.size} sorted_indices"
            raise ValueError(checks.format_error(self.name, "probs", rule, f"shape {probs.shape}"))
        tokens = to_float32(Cast()(permuted_tokens, probs.dtype))
        rows = _gather_rows(tokens, Reshape()(sorted_indices, probs.shape))
        sums = ReduceSum()(rows * ExpandDims()(to_float32(probs), 2), 1)
        return Cast()(Cast()(sums, probs.dtype), permuted_tokens.dtype)


class MoeTokenUnpermuteGrad(_Composite):
    """The gradients of :class:`MoeTokenUnpermute` with respect to its rows and weights.

    ``restore_shape`` has no effect.
    """

    def __call__(
        self,
        permuted_tokens: Tensor,
        unpermuted_tokens_grad: Tensor,
        sorted_indices: Tensor,
        probs: Any = None,
        padded_mode: Any = False,
        restore_shape: Any = None,
    ) -> tuple[Tensor, Tensor]:
        """Return the gradients of rows and weights; without ``probs`` the second is a 0-d zero.
        ``restore_shape`` has no effect.
        """

        def unpermute(rows: Tensor, weights: Tensor | None = None) -> Tensor:
            """Apply the forward op to rows and weights, with the other arguments unchanged."""
            return MoeTokenUnpermute()(rows, sorted_indices, weights, padded_mode)

        if probs is None:
            (rows_grad,) = pull_back(unpermute, (permuted_tokens,), (unpermuted_tokens_grad,))
            return rows_grad, Zeros()((), permuted_tokens.dtype)
        grads = pull_back(unpermute, (permuted_tokens, probs), (unpermuted_tokens_grad,))
        return grads[0], grads[1]


# -- functions -------------------------------------------------------------------------------------


def moe_token_permute(
    tokens: Tensor, indices: Tensor, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[Tensor, Tensor]:
    """Sort tokens by their experts; a token with K experts appears K times.

    Args:
        tokens: (N, H), of float16, bfloat16 or float32.
        indices: the experts of each token, (N, K) or (N,), of int32 or int64; K is at most 512.
        num_out_tokens: the number of sorted rows to keep; None or 0 keeps all.
        padded_mode: must be False, as on Ascend.

    Returns:
        ``(permuted, sorted_indices)``: (N * K, H), or fewer rows, and for each expert of each token
        the row that it was moved to, (N * K,) of int32. For the same expert, earlier tokens come
        first.

    Raises:
        TypeError: an input is not a tensor, or has the wrong dtype; ``num_out_tokens`` is not an
            int.
        ValueError: the shapes do not fit; ``num_out_tokens`` is below 0; ``padded_mode`` is set.

    Source: the behaviour of mindspore.ops.moe_token_permute.

    >>> tokens = Tensor([[7.0], [1.0], [2.0]])
    >>> permuted, rows = moe_token_permute(tokens, Tensor([2, 0, 1]))
    >>> print(permuted.asnumpy().ravel(), rows)
    [1. 2. 7.] [2 0 1]
    """
    return MoeTokenPermute()(tokens, indices, num_out_tokens, padded_mode)


def moe_token_permute_grad(
    permuted_tokens_grad: Tensor,
    sorted_indices: Tensor,
    num_topk: int = 1,
    padded_mode: bool = False,
) -> Tensor:
    """Return the gradient of :func:`moe_token_permute` by the tokens: the sum of each token's
    ``num_topk`` rows.
    """
    return MoeTokenPermuteGrad()(permuted_tokens_grad, sorted_indices, num_topk, padded_mode)


def moe_token_unpermute(
    permuted_tokens: Tensor,
    sorted_indices: Tensor,
    probs: Tensor | None = None,
    padded_mode: bool = False,
    restore_shape: Any = None,
) -> Tensor:
    """Restore the token order before :func:`moe_token_permute`, and add the K rows of each token.

    Args:
        permuted_tokens: (N * K, H), of float16, bfloat16 or float32. Missing rows at the end count
            as 0.
        sorted_indices: the row that each expert of each token was moved to, (N * K,) of int32.
        probs: the weights of the rows of each token, (N, K); None if K is 1. Products and sums are
            computed in float32 and rounded to the dtype of ``probs``.
        padded_mode: must be False, as on Ascend.
        restore_shape: no effect, since only padded mode reads it.

    Returns:
        (N, H), of the dtype of ``permuted_tokens``.

    Raises:
        TypeError: an input is not a tensor, or has the wrong dtype.
        ValueError: the shapes do not fit; ``padded_mode`` is set.
        RuntimeError: when it runs: a row index is out of range.

    Source: the behaviour of mindspore.ops.moe_token_unpermute.

    >>> permuted, at = moe_token_permute(Tensor([[7.0], [1.0], [2.0]]), Tensor([2, 0, 1]))
    >>> print(moe_token_unpermute(permuted, at).asnumpy().ravel())
    [7. 1. 2.]
    """
    return MoeTokenUnpermute()(permuted_tokens, sorted_indices, probs, padded_mode, restore_shape)


def moe_token_unpermute_grad(
    permuted_tokens: Tensor,
    unpermuted_tokens_grad: Tensor,
    sorted_indices: Tensor,
    probs: Tensor | None = None,
    padded_mode: bool = False,
    restore_shape: Any = None,
) -> tuple[Tensor, Tensor]:
    """Return the gradients of :func:`moe_token_unpermute` by rows and weights; without ``probs``
    the second is 0.
    """
    return MoeTokenUnpermuteGrad()(
        permuted_tokens, unpermuted_tokens_grad, sorted_indices, probs, padded_mode, restore_shape
    )


__all__ = [
    "MoeTokenPermute",
    "MoeTokenPermuteGrad",
    "MoeTokenUnpermute",
    "MoeTokenUnpermuteGrad",
    "moe_token_permute",
    "moe_token_permute_grad",
    "moe_token_unpermute",
    "moe_token_unpermute_grad",
]

attach_docstrings("minispore.ops", __name__)
