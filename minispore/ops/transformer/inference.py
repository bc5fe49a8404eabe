"""The base class of attention ops for inference: layouts, masks, block caches."""

from __future__ import annotations

from typing import Any, ClassVar

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.arithmetic import Sub
from minispore.ops.elementwise.compare import Greater, Less
from minispore.ops.network.attention import ALL
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.support.arguments import check_dtype, check_optional_tensors
from minispore.ops.support.derive import _Composite
from minispore.ops.transformer.reading import (
    Side,
    attend_to_valid,
    check_half_dtypes,
    combine_masks,
    gather_blocks,
    make_exclusion_mask,
    make_side,
    normalize_lengths,
    subtract_lengths,
    subtract_positions,
)

_TRIANGLE = (2048, 2048)  # shape of the mask that represents a triangle or a band of any size
# The permutation between each layout and (B, N, S, D), which is its own inverse; BSH is split into
# heads first.
BNSD_PERMUTATION = {"BSH": (0, 2, 1, 3), "BSND": (0, 2, 1, 3), "BNSD": (0, 1, 2, 3)}


class _InferenceAttention(_Composite):
    """Base of attention ops with float16 or bfloat16 inputs, which compute in float32."""

    is_one_kernel = True

    num_heads: int = 1
    input_layout: str = "BSH"
    scale_value: float = 1.0
    num_key_value_heads: int = 0
    inner_precise: int = 1
    block_size = sparse_mode = pre_tokens = next_tokens = 0
    layouts: ClassVar[tuple[str, ...]] = ("BSH", "BNSD")
    mask_name: ClassVar[str] = "attn_mask"
    mask_types: ClassVar[tuple[str, ...]] = ("bool_", "int8", "uint8")
    # Whether a single query ignores sparse_mode and accepts masks of other shapes.
    has_single_query_path: ClassVar[bool] = True

    def _check_attributes(self, ints: tuple[str, ...]) -> None:
        """Check the types and ranges of the attributes; ``ints`` lists more int attributes.

        Raises:
            TypeError: an attribute has the wrong type.
            ValueError: ``input_layout`` is not one of ``layouts``.
            RuntimeError: a number of heads is out of range, or does not divide the other.
        """
        for field in ("num_heads", "num_key_value_heads", "inner_precise", *ints):
            checks.integer(self.name, field, getattr(self, field))
        if not isinstance(self.scale_value, float):
            actual = checks.format_value(self.scale_value)
            raise TypeError(checks.format_error(self.name, "scale_value", "be a float", actual))
        checks.one_of(
            self.name, "input_layout", checks.string(self.name, "input_layout", self.input_layout),
            self.layouts,
        )  # fmt: skip
        groups = self.num_key_value_heads
        self._require(self.num_heads > 0, "num_heads must be > 0", self.num_heads)
        self._require(groups >= 0, "num_key_value_heads must be >= 0", groups)
        rule = f"num_key_value_heads must divide num_heads={self.num_heads}"
        self._require(not groups or not self.num_heads % groups, rule, groups)

    def _require(self, is_valid: bool, rule: str, actual: Any) -> None:
        """Raise a RuntimeError with ``rule`` and the ``actual`` value unless ``is_valid``, as
        MindSpore does for invalid numbers and shapes.
        """
        if not is_valid:
            raise RuntimeError(f"{self.name}: {rule}, got {actual}.")

    def _compute_attention(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None,
        queries: Any,
        keys: tuple[str, Any],
        pse_shift: Tensor | None,
        table: Tensor | None = None,
        paddings: tuple[Any, Any] = (None, None),
    ) -> tuple[Tensor, Tensor]:
        """Check the inputs and return the attention output (B, N, S, D) and the scores.

        Args:
            query: the queries; ``query``, ``key`` and ``value`` are in the input layout.
            mask: True for excluded keys.
            queries: the number of valid queries of each row, or None.
            keys: the name of the argument with the number of valid keys, and its value.
            pse_shift: added to the scores.
            table: the blocks of each row, if key and value are block caches.
            paddings: the padding after the valid queries and keys, or None. If either is given,
                sparse mode 0 does not apply the band.
        """
        check_optional_tensors(self.name, **{self.mask_name: mask, "pse_shift": pse_shift})
        q, k, v = self._split_inputs(query, key, value, table)
        batch, _, count, length = shape = (*q.shape[:3], k.shape[2])
        is_single_query = count == 1 and self.has_single_query_path
        ends_q = normalize_lengths(self.name, "actual_seq_lengths", queries, batch, count)
        ends_kv = normalize_lengths(self.name, *keys, batch, length, self.has_single_query_path)
        query_side = make_side(count, None if is_single_query else ends_q, paddings[0])
        key_side = make_side(length, ends_kv, paddings[1])
        if table is not None and mask is not None:
            mask = mask[..., :length]
        has_band = all(padding is None for padding in paddings)
        if is_single_query:
            excluded = self._convert_mask(mask, shape, is_single_query)
        else:
            excluded = self._apply_sparse_mode(mask, shape, query_side, key_side, has_band)
        shift = self._crop_shift(pse_shift, query, shape)
        excluded = combine_masks(make_exclusion_mask(query_side, key_side), excluded)
        return attend_to_valid(q, k, v, self.scale_value, shift, excluded, key_side)

    @property
    def _kv_head_count(self) -> int:
        """The number of key and value heads: ``num_key_value_heads``, or if it is 0
        ``num_heads``.
        """
        return self.num_key_value_heads or self.num_heads

    def _split_inputs(self, query: Tensor, key: Tensor, value: Tensor, table: Any) -> list[Tensor]:
        """Check query, key and value and return them as float32 (B, N, S, D).

        With a block ``table``, key and value are gathered from block caches.
        """
        check_half_dtypes(self.name, query=query, key=key, value=value)
        self._require(key.shape == value.shape, "value must have the shape of key", value.shape)
        q = self._to_bnsd("query", query, self.num_heads)
        if table is None:
            k = self._to_bnsd("key", key, self._kv_head_count)
            v = self._to_bnsd("value", value, self._kv_head_count)
        else:
            self._check_blocks(key, table, q.shape[3])
            k, v = (self._gather_cache(x, table, q.shape[3]) for x in (key, value))
        rule = f"key must have the batch and the length of heads {q.shape[::3]} of query"
        self._require(k.shape[::3] == q.shape[::3], rule, k.shape[::3])
        return [q, k, v]

    def _to_bnsd(self, name: str, x: Tensor, heads: int) -> Tensor:
        """Return one input, in the input layout, as float32 (B, N, S, D).

        Raises:
            ValueError: it has a different number of axes than the layout.
            RuntimeError: it does not have this number of ``heads``.
        """
        layout = self.input_layout[:4]
        if x.ndim != len(layout):
            rule = f"have the {len(layout)} axes of {layout}"
            raise ValueError(checks.format_error(self.name, name, rule, f"shape {x.shape}"))
        x = Cast()(x, mstype.float32)
        if layout == "BSH":
            rule = f"the last axis of {name} must be divisible by its {heads} heads"
            self._require(not x.shape[2] % heads, rule, x.shape)
            x = Reshape()(x, (*x.shape[:2], heads, -1))
        x = Transpose()(x, BNSD_PERMUTATION[layout])
        self._require(x.shape[1] == heads, f"{name} must have {heads} heads", x.shape[1])
        return x

    def _check_blocks(self, cache: Tensor, table: Tensor, width: int) -> None:
        """Check the dtype and shape of the block table, and the shape of a block cache with heads
        of length ``width``.

        Raises a TypeError for the dtype, RuntimeError for a shape.
        """
        check_dtype(self.name, table, "block_table", "int32", "int64")
        self._require(table.ndim == 2, "block_table must have 2 axes", table.shape)
        size, groups = self.block_size, self._kv_head_count
        allowed = [(size, groups * width), (groups, size, width)]
        rule = f"key and value must be (blocks, *{allowed[0]}) or (blocks, *{allowed[1]})"
        self._require(cache.ndim > 2 and cache.shape[1:] in allowed, rule, cache.shape)

    def _gather_cache(self, cache: Tensor, table: Tensor, width: int) -> Tensor:
        """Gather cached blocks by ``table`` and return them as float32 (B, N, S, D), where D is
        ``width`` and S all tokens of the blocks.
        """
        blocks_in_order = Cast()(gather_blocks(cache, table), mstype.float32)
        batch, blocks = table.shape
        if cache.ndim == 3:  # (B, M, length, H)
            shape = (batch, blocks * cache.shape[1], self._kv_head_count, width)
            return Transpose()(Reshape()(blocks_in_order, shape), (0, 2, 1, 3))
        blocks_in_order = Transpose()(blocks_in_order, (0, 2, 1, 3, 4))  # (B, N, M, length, D)
        return Reshape()(blocks_in_order, (batch, cache.shape[1], -1, cache.shape[3]))

    def _restore_layout(self, query: Tensor, output: Tensor, layout: str) -> Tensor:
        """Return a (B, N, S, D) output in ``layout`` and in the dtype of the query."""
        output = Transpose()(Cast()(output, query.dtype), BNSD_PERMUTATION[layout])
        return output if layout != "BSH" else Reshape()(output, (*output.shape[:2], -1))

    def _crop_shift(self, shift: Tensor | None, query: Tensor, shape: tuple[int, ...]) -> Any:
        """Return pse_shift, cropped to ``shape`` (B, N, S1, S2), as float32; None for None.

        Raises a TypeError unless it has the dtype of the query, RuntimeError if it does not cover
        the shape.
        """
        if shift is None:
            return None
        check_dtype(self.name, shift, "pse_shift", query.dtype.name)
        fits = shift.ndim == 4 and shift.shape[0] in (1, shape[0]) and shift.shape[1] == shape[1]
        fits = fits and shift.shape[2] >= shape[2] and shift.shape[3] >= shape[3]
        rule = f"pse_shift must have the shape {(1, *shape[1:])} or {shape}, or more rows and keys"
        self._require(fits, rule, shift.shape)
        return Cast()(shift[:, :, : shape[2], : shape[3]], mstype.float32)

    def _convert_mask(
        self, mask: Tensor | None, shape: tuple[int, ...], is_single_query: bool
    ) -> Any:
        """Check ``mask`` and return it as bool (B or 1, 1, S1 or 1, S2), or None for None.

        A mask for a single query is (B, S2), (B, 1, S2) or (B, 1, 1, S2). A wrong shape raises a
        RuntimeError, a wrong dtype a TypeError.
        """
        if mask is None:
            return None
        check_dtype(self.name, mask, self.mask_name, *self.mask_types)
        batch, _, queries, keys = shape
        rows: tuple[tuple[int, ...], ...] = ((batch,), (batch, 1), (batch, 1, 1))
        if not is_single_query:
            rows = tuple([(*b, queries) for b in ((), (1,), (batch,), (1, 1), (batch, 1))])
        allowed = [(*row, keys) for row in rows]
        rule = f"{self.mask_name} must have the shape {' or '.join(map(str, allowed))}"
        self._require(mask.shape in allowed, rule, mask.shape)
        leading_length = 1 if not is_single_query and mask.ndim == 2 else mask.shape[0]
        mask = Reshape()(mask, (leading_length, 1, 1 if is_single_query else queries, keys))
        return Cast()(mask, mstype.bool_)

    def _apply_sparse_mode(
        self,
        mask: Tensor | None,
        shape: tuple[int, ...],
        query_side: Side,
        key_side: Side,
        has_band: bool,
    ) -> Tensor | None:
        """Return a mask that is True where ``sparse_mode`` excludes a key; None if no key is
        excluded.

        ``has_band``: whether mode 0 excludes keys outside the band; only with a mask. A
            RuntimeError is raised if the mode is not 0 to 4, or requires a mask of a different
            shape.
        """
        mode, pre_tokens, next_tokens = self.sparse_mode, self.pre_tokens, self.next_tokens
        self._require(0 <= mode <= 4, "sparse_mode must be 0 to 4", mode)
        if mode > 1:
            rule = f"{self.mask_name} must be given in sparse_mode {mode}, of shape {_TRIANGLE}"
            mask_shape = None if mask is None else mask.shape
            allowed = [(*(1,) * n, *_TRIANGLE) for n in range(3)]
            self._require(mask_shape in allowed, rule, mask_shape)
            check_dtype(self.name, mask, self.mask_name, *self.mask_types)
            difference = subtract_positions(query_side, key_side)
            if mode > 2:  # the last query and the last key have difference 0
                difference = Sub()(difference, subtract_lengths(query_side, key_side))
            if mode == 4:
                return _make_band_mask(difference, pre_tokens, next_tokens)
            return _make_band_mask(difference, ALL, 0)
        has_needed_mask = mode == 0 or mask is not None
        self._require(has_needed_mask, f"{self.mask_name} must be given in mode 1", None)
        if mask is None:
            return None
        out_of_band = None
        if has_band and mode == 0:
            difference = subtract_positions(query_side, key_side)
            out_of_band = _make_band_mask(difference, pre_tokens, next_tokens)
        return combine_masks(self._convert_mask(mask, shape, is_single_query=False), out_of_band)


def _make_band_mask(difference: Tensor, pre_tokens: int, next_tokens: int) -> Tensor | None:
    """Return a mask of the keys outside the band around their query, or None without limits.

    ``difference`` is the position of the key minus that of the query; a limit of ``ALL`` or more is
    no limit.
    """
    return combine_masks(
        Greater()(difference, next_tokens) if next_tokens < ALL else None,
        Less()(difference, -pre_tokens) if pre_tokens < ALL else None,
    )


__all__: list[str] = []
