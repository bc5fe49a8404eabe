"""Components of Transformer layers: embedding, mask, attention, feed-forward."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore import ops
from minispore.core.initializer import initializer
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.cell import Cell
from minispore.nn.layer.basic import Dropout
from minispore.nn.transformer.layers import (
    FLOATS,
    _check_input_dtype,
    _check_input_shape,
    _check_input_shape_value,
    _check_past_none_input_none,
    _check_shape_equal,
    _check_shape_equal_without_batch,
    _Linear,
    check_divisible,
    check_dropout_rate,
    check_mask,
)
from minispore.nn.transformer.op_parallel_config import (
    MoEParallelConfig,
    OpParallelConfig,
    _check_config,
    default_dpmp_config,
    default_embedding_parallel_config,
)
from minispore.ops.support.arguments import check_optional_tensors, check_tensors


def _check_parallel_config(api_name: str, config: Any) -> None:
    """Check that ``config`` is a parallel config whose pipeline stages equal those of the context.

    Raises:
        TypeError: it is neither an OpParallelConfig nor a MoEParallelConfig.
    """
    if not isinstance(config, OpParallelConfig | MoEParallelConfig):
        rule = "be an OpParallelConfig"
        raise TypeError(
            checks.format_error(api_name, "parallel_config", rule, checks.format_value(config))
        )
    _check_config(config)


class VocabEmbedding(Cell):
    """Looks up a row of a table for each token; returns the rows and the table.

    Args:
        vocab_size: number of rows of the table.
        embedding_size: length of a row.
        parallel_config: how the computation would be sharded over devices.
        param_init: initializer of the table.

    Inputs: input_ids (batch, length), int32.

    Raises:
        ValueError: a size is below 1; when called: a shape is wrong.
        TypeError: when called: the dtype is not int32.

    >>> import minispore as ms
    >>> from minispore import Tensor, nn
    >>> rows, table = nn.transformer.VocabEmbedding(30, 8)(Tensor([[1, 2, 3]], ms.int32))
    >>> rows.shape, table.shape
    ((1, 3, 8), (30, 8))
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        parallel_config: Any = default_embedding_parallel_config,
        param_init: Any = "normal",
    ) -> None:
        super().__init__()
        _check_config(parallel_config)
        self.vocab_size = checks.integer(self, "vocab_size", vocab_size, 1)
        self.embedding_size = checks.integer(self, "embedding_size", embedding_size, 1)
        table = initializer(param_init, [vocab_size, embedding_size])
        self.embedding_table = Parameter(table, "embedding_table")

    def construct(self, input_ids: Tensor) -> tuple[Tensor, Tensor]:
        """Return the vectors of the tokens, and the entire table."""
        check_tensors("VocabEmbedding", input_ids=input_ids)
        _check_input_shape(input_ids.shape, "input_ids", "VocabEmbedding", 2)
        _check_input_dtype(input_ids.dtype, "input_ids", [mstype.int32], "VocabEmbedding")
        table = self.embedding_table
        return ops.gather(table, input_ids, 0), table.value()


class AttentionMask(Cell):
    """The mask of a causal model: a token attends to itself and earlier tokens, but not to padding.

    Args:
        seq_length: tokens in a sequence.
        parallel_config: how the computation would be sharded over devices.

    Inputs: input_mask (batch, seq_length), 0 at padding.

    Raises:
        ValueError: ``seq_length`` is below 1; when called: a shape is wrong.
        TypeError: when called: the dtype is neither float32 nor float16.

    >>> from minispore import Tensor, nn
    >>> print(nn.transformer.AttentionMask(seq_length=3)(Tensor([[1.0, 1.0, 0.0]])))
    [[[1. 0. 0.]
      [1. 1. 0.]
      [0. 0. 0.]]]
    """

    def __init__(self, seq_length: int, parallel_config: Any = default_dpmp_config) -> None:
        super().__init__()
        _check_parallel_config("AttentionMask", parallel_config)
        self.seq_length = checks.integer(self, "seq_length", seq_length, 1)
        self.lower_triangle_mask = Tensor(np.tril(np.ones((seq_length, seq_length), np.float32)))

    def construct(self, input_mask: Tensor) -> Tensor:
        """Return the float32 mask (batch, length, length), 1 where a token may attend."""
        api_name = "AttentionMask"
        check_tensors(api_name, input_mask=input_mask)
        _check_input_shape(input_mask.shape, "input_mask", api_name, 2)
        _check_input_dtype(input_mask.dtype, "input_mask", FLOATS, api_name)
        _check_input_shape_value(input_mask.shape, 1, "input_mask", api_name, self.seq_length)
        is_token = ops.cast(ops.not_equal(input_mask, 0), mstype.float16)
        are_tokens = ops.expand_dims(is_token, 2) * ops.expand_dims(is_token, 1)
        return are_tokens * ops.expand_dims(self.lower_triangle_mask, 0)


class FeedForward(Cell):
    """dropout(act(x W1 + b1) W2 + b2), computed in float16.

    Args:
        hidden_size: length of a token vector.
        ffn_hidden_size: length of the hidden vectors between the two layers.
        dropout_rate: dropout probability, in training.
        hidden_act: the activation's name or class.
        expert_num: must be 1.
        expert_group_size: a setting of experts; no effect.
        param_init_type: dtype of the parameters.
        parallel_config: how the computation would be sharded over devices.

    Inputs: x (batch, length, hidden_size) or (tokens, hidden_size).

    Raises:
        ValueError: a size or rate is out of range; when called: a shape is wrong.
        TypeError: ``hidden_act`` is not an activation; when called: a dtype is wrong.

    >>> from minispore import nn, ops
    >>> net = nn.transformer.FeedForward(hidden_size=6, ffn_hidden_size=12, dropout_rate=0.1)
    >>> net(ops.ones((2, 3, 6))).shape
    (2, 3, 6)
    """

    def __init__(
        self,
        hidden_size: int,
        ffn_hidden_size: int,
        dropout_rate: float,
        hidden_act: Any = "gelu",
        expert_num: int = 1,
        expert_group_size: int | None = None,
        param_init_type: Any = mstype.float32,
        parallel_config: Any = default_dpmp_config,
    ) -> None:
        super().__init__()
        _check_parallel_config("FeedForward", parallel_config)
        checks.integer(self, "hidden_size", hidden_size, 1)
        checks.integer(self, "ffn_hidden_size", ffn_hidden_size, 1)
        degree = parallel_config.model_parallel
        check_divisible(self, "ffn_hidden_size", ffn_hidden_size, "model_parallel", degree)
        check_divisible(self, "hidden_size", hidden_size, "model_parallel", degree)
        rate = check_dropout_rate(self, "dropout_rate", dropout_rate)
        if hidden_act is None:
            raise TypeError("FeedForward: hidden_act must be an activation, got None.")
        shared: dict[str, Any] = {
            "transpose_b": False, "expert_num": expert_num, "param_init_type": param_init_type,
        }  # fmt: skip
        self.mapping = _Linear(hidden_size, ffn_hidden_size, activation=hidden_act, **shared)
        self.projection = _Linear(ffn_hidden_size, hidden_size, **shared)
        self.dropout = Dropout(p=rate)

    def construct(self, x: Tensor) -> Tensor:
        check_tensors("FeedForward", x=x)
        _check_input_shape(x.shape, "x", "FeedForward", [2, 3])
        _check_input_dtype(x.dtype, "x", FLOATS, "FeedForward")
        return self.dropout(self.projection(self.mapping(ops.cast(x, mstype.float16))))


class MultiHeadAttention(Cell):
    """softmax(q k' / sqrt(d) - 10000 (1 - mask)) v for each head, with q, k, v and the result
    projected.

    With ``use_past``, keys and values of earlier tokens are inputs and outputs. The first call,
    with ``is_first_iteration`` True, takes full sequences; after
    ``add_flags_recursive(is_first_iteration=False)``, each call takes the next token of each
    sequence.

    Args:
        batch_size: sequences in a batch; None for any number, without ``use_past``.
        src_seq_length: number of queries in a sequence.
        tgt_seq_length: number of keys in a sequence.
        hidden_size: length of a token vector.
        num_heads: number of heads that ``hidden_size`` is split into.
        hidden_dropout_rate: dropout probability of the output, in training.
        attention_dropout_rate: dropout probability of the attention weights, in training.
        compute_dtype: dtype of the matrix products.
        softmax_compute_type: dtype of the softmax.
        param_init_type: dtype of the parameters.
        use_past: whether keys and values of earlier tokens are inputs.
        parallel_config: how the computation would be sharded over devices.

    Inputs: query, key and value (batch, length, hidden_size) or (batch * length, hidden_size);
        attention_mask (batch, src_seq_length, tgt_seq_length), 1 where a token may be attended to,
        or None; key_past, value_past and batch_valid_length with ``use_past``.

    Returns:
        The result, shaped as the query, and keys (batch, heads, size, length) and values (batch,
        heads, length, size).

    Raises:
        ValueError: the sizes do not fit; when called: a shape is wrong.
        TypeError: when called: a dtype is wrong, or a past is given without ``use_past``.

    >>> from minispore import nn, ops
    >>> attention = nn.transformer.MultiHeadAttention(2, 3, 3, hidden_size=8, num_heads=2)
    >>> x = ops.ones((2, 3, 8))
    >>> out, (keys, values) = attention(x, x, x, ops.ones((2, 3, 3)))
    >>> out.shape, keys.shape, values.shape
    ((2, 3, 8), (2, 2, 4, 3), (2, 2, 3, 4))
    """

    def __init__(
        self,
        batch_size: int | None,
        src_seq_length: int,
        tgt_seq_length: int,
        hidden_size: int,
        num_heads: int,
        hidden_dropout_rate: float = 0.1,
        attention_dropout_rate: float = 0.1,
        compute_dtype: Any = mstype.float16,
        softmax_compute_type: Any = mstype.float32,
        param_init_type: Any = mstype.float32,
        use_past: bool = False,
        parallel_config: Any = default_dpmp_config,
    ) -> None:
        super().__init__()
        _check_parallel_config("MultiHeadAttention", parallel_config)
        if batch_size or use_past:
            checks.integer(self, "batch_size", batch_size, 1)
        self.batch_size = batch_size
        self.src_seq_length = checks.integer(self, "src_seq_length", src_seq_length, 1)
        self.tgt_seq_length = checks.integer(self, "tgt_seq_length", tgt_seq_length, 1)
        self.hidden_size = checks.integer(self, "hidden_size", hidden_size, 1)
        self.n_head = checks.integer(self, "num_heads", num_heads, 1)
        check_divisible(self, "hidden_size", hidden_size, "num_heads", num_heads)
        check_divisible(
            self, "num_heads", num_heads, "model_parallel", parallel_config.model_parallel
        )
        self.size_per_head = hidden_size // num_heads
        _check_input_dtype(
            softmax_compute_type, "softmax_compute_type", FLOATS, "MultiHeadAttention"
        )
        self.use_past = checks.boolean(self, "use_past", use_past)
        self.is_first_iteration = True
        self.dtype = compute_dtype
        self.softmax_dtype = softmax_compute_type
        shared = {"compute_dtype": compute_dtype, "param_init_type": param_init_type}
        self.projection = _Linear(hidden_size, hidden_size, transpose_b=False, **shared)
        self.dropout = Dropout(
            p=check_dropout_rate(self, "hidden_dropout_rate", hidden_dropout_rate)
        )
        self.prob_dropout = Dropout(
            p=check_dropout_rate(self, "attention_dropout_rate", attention_dropout_rate)
        )
        self.dense1 = _Linear(hidden_size, hidden_size, **shared)
        self.dense2 = _Linear(hidden_size, hidden_size, **shared)
        self.dense3 = _Linear(hidden_size, hidden_size, **shared)
        self.range = Tensor(np.arange(src_seq_length, dtype=np.int32).reshape(1, 1, -1))

    def construct(
        self,
        query_tensor: Tensor,
        key_tensor: Tensor,
        value_tensor: Tensor,
        attention_mask: Tensor | None,
        key_past: Any = None,
        value_past: Any = None,
        batch_valid_length: Any = None,
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Return the output, and the keys and values; with ``use_past``, those of all tokens so
        far.
        """
        inputs = query_tensor, key_tensor, value_tensor
        self._check_inputs(inputs, attention_mask, key_past, value_past, batch_valid_length)
        shape, dtype = query_tensor.shape, query_tensor.dtype
        batch = shape[0]
        if len(shape) == 2 and self.is_first_iteration:
            batch //= self.src_seq_length
        query, key, value = [
            self._project_heads(x, batch, dense)
            for x, dense in zip(inputs, self._dense_layers, strict=True)
        ]
        key = ops.transpose(key, (0, 1, 3, 2))  # (batch, heads, size, length)
        mask = attention_mask if attention_mask is None else ops.expand_dims(attention_mask, 1)
        present = key, value
        if self.use_past and self.is_first_iteration:
            is_valid = ops.cast(self.range < batch_valid_length.view(-1, 1, 1), self.dtype)
            present = key * ops.expand_dims(is_valid, 2), value * ops.expand_dims(is_valid, 3)
        elif self.use_past:
            # The past has zeros at positions without a token: adding puts the new token there.
            length = _count_past_tokens(key_past)
            new_position = ops.cast(ops.equal(length, self.range), self.dtype)  # one-hot
            key = key_past + key * ops.expand_dims(new_position, 2)
            value = value_past + value * ops.expand_dims(new_position, 3)
            if mask is not None:
                mask = ops.expand_dims(self.range < _count_past_tokens(key), 2)
            present = key, value
        out = self.dropout(self.projection(self._compute_attention(query, key, value, mask)))
        return ops.cast(ops.reshape(out, shape), dtype), present

    @property
    def _dense_layers(self) -> tuple[Cell, Cell, Cell]:
        """The Cells that project query, key and value."""
        return self.dense1, self.dense2, self.dense3

    def _project_heads(self, x: Tensor, batch: int, dense: Cell) -> Tensor:
        """Return a projection of x as (batch, heads, length, size)."""
        projected = dense(ops.cast(ops.reshape(x, (-1, x.shape[-1])), self.dtype))
        projected = ops.reshape(projected, (batch, -1, self.n_head, self.size_per_head))
        return ops.transpose(projected, (0, 2, 1, 3))

    def _compute_attention(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None
    ) -> Tensor:
        """Return the masked softmax(q k' / sqrt(d)) v, in the shape (batch * length,
        hidden_size).
        """
        factor = math.sqrt(math.sqrt(self.size_per_head))
        score = ops.cast(ops.BatchMatMul()(query / factor, key / factor), self.softmax_dtype)
        if mask is not None:
            score = (1.0 - ops.cast(mask, self.softmax_dtype)) * -10000.0 + score
        weights = self.prob_dropout(ops.cast(ops.softmax(score, -1), query.dtype))
        merged = ops.transpose(ops.BatchMatMul()(weights, value), (0, 2, 1, 3))
        return ops.reshape(merged, (-1, self.hidden_size))

    def _check_inputs(
        self,
        inputs: tuple[Tensor, ...],
        mask: Tensor | None,
        key_past: Any,
        value_past: Any,
        batch_valid_length: Any,
    ) -> None:
        """Check the inputs of a call; with ``use_past``, iterations after the first take one token.

        Raises:
            TypeError, ValueError: the type, dtype or shape of an input is wrong.
        """
        api_name, hidden = "MultiHeadAttention", self.hidden_size
        lengths = self.src_seq_length, self.tgt_seq_length, self.tgt_seq_length
        names = "query_tensor", "key_tensor", "value_tensor"
        check_tensors(api_name, **dict(zip(names, inputs, strict=True)))
        check_optional_tensors(api_name, attention_mask=mask)
        is_full_sequence = not self.use_past or self.is_first_iteration
        for name, x, length in zip(names, inputs, lengths, strict=True):
            _check_input_dtype(x.dtype, name, FLOATS, api_name)
            if is_full_sequence:
                _check_shape_equal_without_batch(x.shape, name, api_name, [length, hidden])
            else:
                shapes = [[self.batch_size, 1, hidden], [self.batch_size, hidden]]
                _check_shape_equal(x.shape, name, api_name, shapes)
        check_mask(
            api_name,
            "attention_mask",
            mask,
            lengths[0] if is_full_sequence else 1,
            self.tgt_seq_length,
        )
        past = {
            "key_past": key_past,
            "value_past": value_past,
            "batch_valid_length": batch_valid_length,
        }
        for name, x in past.items():
            is_tensor = isinstance(x, Tensor)
            _check_past_none_input_none(self.use_past, name, api_name, None, is_tensor, x is None)
        if self.use_past:
            batch, heads, size = self.batch_size, self.n_head, self.size_per_head
            _check_shape_equal(
                key_past.shape, "key_past", api_name, [batch, heads, size, lengths[1]]
            )
            _check_shape_equal(
                value_past.shape, "value_past", api_name, [batch, heads, lengths[1], size]
            )
            _check_shape_equal(batch_valid_length.shape, "batch_valid_length", api_name, [batch])
            _check_input_dtype(
                batch_valid_length.dtype, "batch_valid_length", [mstype.int32], api_name
            )


def _count_past_tokens(key: Tensor) -> Tensor:
    """Return the number of tokens in each row of ``key``, (batch, 1, 1).

    Positions without a token have keys of zeros.
    """
    is_token = ops.cast(ops.not_equal(key[:, 0:1, 0:1, :], 0), mstype.float32)
    return ops.cast(ops.reshape(is_token.sum((1, 2, 3)), (-1, 1, 1)), mstype.int32)


__all__ = ["AttentionMask", "FeedForward", "MultiHeadAttention", "VocabEmbedding"]
