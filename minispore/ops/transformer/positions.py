"""Rotary position embedding of queries and keys by tables of cosines and sines."""

from __future__ import annotations

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir import dtype as mstype
from minispore.ops.index.gather import Gather
from minispore.ops.network.rotary import rotary_position_embedding
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.views import Reshape
from minispore.ops.support.arguments import check_dtype
from minispore.ops.support.derive import _Composite

_FLOATS = ("float16", "bfloat16", "float32")


class ApplyRotaryPosEmb(_Composite):
    """Rotates the heads of ``query`` and ``key`` by their positions: x * cos + rotated * sin.

    Here ``rotated`` is x with each pair (a, b) replaced by (-b, a). The computation is in float32,
    and the result consists of new tensors.

    Args:
        query: (B, S, N * D), (B, S, N, D) or (tokens, N * D), of float16 or bfloat16.
        key: the same, possibly with a different number of heads.
        cos: (positions, D) in formats 0 and 1, (B * S, D) in formats 2 and 3, or (B, S, 1, D), of
            float16, bfloat16 or float32.
        sin: like ``cos``.
        position_ids: in formats 0 and 1, the row of ``cos`` for each token, (B * S,) or (S,).
        cos_format: 0 and 2: the pairs are elements i and i + D / 2; 1 and 3: elements 2 i and
            2 i + 1. With a 4-d ``cos``, of which no rows are looked up, they are i and i + D / 2.

    Returns:
        ``(query, key)`` in their shapes and dtype.

    Raises:
        TypeError: a tensor has the wrong dtype, or the dtypes of ``key`` and ``query`` differ.
        ValueError: ``cos_format`` is invalid; the shapes do not fit.

    Source: Su et al., https://arxiv.org/abs/2104.09864

    >>> x, one = Tensor([[[1.0, 2.0]]], mstype.float16), Tensor([[1.0, 1.0]])
    >>> print(ApplyRotaryPosEmb()(x, x, one * 0, one, Tensor([0]))[0])
    [[[-2.  1.]]]
    """

    is_one_kernel = True

    cos_format: int = 0

    def check(self) -> None:
        """Raise a TypeError or ValueError unless ``cos_format`` is 0, 1, 2 or 3."""
        if checks.integer(self.name, "cos_format", self.cos_format) not in range(4):
            rule = "be 0, 1, 2 or 3"
            raise ValueError(
                checks.format_error(self.name, "cos_format", rule, str(self.cos_format))
            )

    def __call__(
        self, query: Tensor, key: Tensor, cos: Tensor, sin: Tensor, position_ids: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the rotated query and key as new tensors; in formats 0 and 1, ``position_ids``
        select rows of 2-d tables.

        Raises a TypeError or ValueError if dtypes or shapes do not fit.
        """
        check_dtype(self.name, query, "query", "float16", "bfloat16")
        check_dtype(self.name, key, "key", query.dtype.name)
        check_dtype(self.name, position_ids, "position_ids", "int32", "int64")
        for name, x in (("cos", cos), ("sin", sin)):
            check_dtype(self.name, x, name, *_FLOATS)
            if x.shape != cos.shape or x.ndim not in (2, 4) or not x.size or x.shape[-1] % 2:
                rule = "have 2 or 4 axes, the last one even, and cos and sin one shape"
                raise self._make_shape_error(name, rule, x)
        c, s = (self._gather_positions(x, query, position_ids) for x in (cos, sin))
        is_gathered = cos.ndim == 2
        rotated_query = self._rotate("query", query, c, s, is_gathered)
        return rotated_query, self._rotate("key", key, c, s, is_gathered)

    def _make_shape_error(self, name: str, rule: str, x: Tensor) -> ValueError:
        """Return the ValueError for the argument ``name``, the tensor ``x``, whose shape breaks
        ``rule``.
        """
        return ValueError(checks.format_error(self.name, name, rule, f"shape {x.shape}"))

    def _gather_positions(self, table: Tensor, query: Tensor, ids: Tensor) -> Tensor:
        """Return the cosines or sines of each token, float32 (B or 1, S, 1, D).

        The rows of a 2-d table are looked up by ``ids`` in formats 0 and 1.

        Raises:
            ValueError: the table or ``ids`` do not fit the tokens of the query.
        """
        table = Cast()(table, mstype.float32)
        batch, tokens = query.shape[:2] if query.ndim > 2 else (1, query.shape[0])
        if table.ndim == 4:
            if table.shape != (batch, tokens, 1, table.shape[3]):
                raise self._make_shape_error("cos", f"be {(batch, tokens, 1, 'D')}", table)
            return table
        name, rows = "cos", table
        if self.cos_format < 2:
            name, rows = "position_ids", Gather()(table, Reshape()(ids, (-1,)), 0)
        if rows.shape[0] not in (tokens, batch * tokens):
            rule = f"have {batch * tokens} rows, or {tokens} for all"
            raise self._make_shape_error(name, rule, ids if name == "position_ids" else table)
        return Reshape()(rows, (-1, tokens, 1, table.shape[1]))

    def _rotate(self, name: str, x: Tensor, cos: Tensor, sin: Tensor, is_gathered: bool) -> Tensor:
        """Return x with its heads rotated by the cosines and sines of their tokens; raise
        ValueError if its shape does not fit.

        ``is_gathered`` says that the tables had two axes; only then ``cos_format`` chooses the
        pairs.
        """
        width = cos.shape[3]
        if x.ndim not in (2, 3, 4) or x.shape[-1] % width or (x.ndim == 4 and x.shape[3] != width):
            raise self._make_shape_error(
                name, f"have 2 to 4 axes, and heads of the length {width}", x
            )
        tokens = (1, *x.shape[:1]) if x.ndim == 2 else x.shape[:2]
        if cos.shape[1] != tokens[1] or cos.shape[0] not in (1, tokens[0]):
            raise self._make_shape_error(name, "have as many tokens as query", x)
        pair_mode = self.cos_format % 2 if is_gathered else 0
        heads = Reshape()(x, (*tokens, -1, width))
        return Reshape()(rotary_position_embedding(heads, cos, sin, pair_mode), x.shape)


def apply_rotary_pos_emb_(
    query: Tensor, key: Tensor, cos: Tensor, sin: Tensor, position_ids: Tensor, cos_format: int = 0
) -> tuple[Tensor, Tensor]:
    """Return query and key rotated by :class:`ApplyRotaryPosEmb`.

    Despite the underscore, and as in MindSpore, the inputs are not changed.

    >>> x, one = Tensor([[[1.0, 2.0]]], mstype.float16), Tensor([[1.0, 1.0]])
    >>> print(apply_rotary_pos_emb_(x, x, one * 0, one, Tensor([0]))[1])
    [[[-2.  1.]]]
    """
    return ApplyRotaryPosEmb(cos_format)(query, key, cos, sin, position_ids)


__all__ = ["ApplyRotaryPosEmb", "apply_rotary_pos_emb_"]

attach_docstrings("minispore.ops", __name__)
