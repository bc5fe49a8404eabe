"""Large language models as Models: LLaMA 2 as MindFormers trains it, GPT as Megatron-LM does.

Weights, gradients and what lies between products are in bfloat16 or float16. The optimizer has
weights and moments in float32: 16 bytes a parameter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.models import ModelWithShapes
from minispore import Parameter, ParameterTuple, Tensor, nn, ops
from minispore.core.initializer import initializer
from minispore.device import Shapes
from minispore.ir import dtype as mstype
from minispore.train import Model


def _make_weight(*shape: int, dtype: Any, name: str = "weight") -> Parameter:
    return Parameter(initializer("zeros", shape, dtype), name=name)


def _make_dense(c_in: int, c_out: int, dtype: Any, has_bias: bool = False) -> nn.Dense:
    return nn.Dense(c_in, c_out, weight_init="zeros", has_bias=has_bias, dtype=dtype)


class MasterAdam(nn.Optimizer):
    """Adam with weight decay on a float32 copy of each weight."""

    def __init__(self, params: Any) -> None:
        super().__init__(1e-5, params)
        self.masters = ParameterTuple(
            [_make_weight(*p.shape, dtype=mstype.float32, name=f"master.{p.name}") for p in params]
        )
        self.moments = self.masters.clone("moment", init="zeros")
        self.squares = self.masters.clone("square", init="zeros")
        self.update = ops.AdamWeightDecay()

    def construct(self, gradients: Any) -> bool:
        arrays = (self.parameters, self.masters, self.moments, self.squares, gradients)
        for p, w, m, v, g in zip(*arrays, strict=True):
            self.update(w, m, v, 1e-5, 0.9, 0.95, 1e-8, 0.1, g.astype(mstype.float32))
            ops.assign(p, w.astype(p.dtype))
        return True


class RmsNorm(nn.Cell):
    """Root mean square normalisation of the last axis."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gamma = _make_weight(width, dtype=mstype.bfloat16, name="gamma")

    def construct(self, x: Tensor) -> Tensor:
        return ops.rms_norm(x, self.gamma)[0]


class LlamaBlock(nn.Cell):
    """A block of flash attention with rotary positions and grouped heads, and a gated pair
    of products.
    """

    def __init__(self, width: int, heads: int, groups: int, hidden: int) -> None:
        super().__init__()
        self.heads, self.size = heads, width // heads
        key_width = groups * self.size
        self.norm_a, self.norm_b = RmsNorm(width), RmsNorm(width)
        self.wq, self.wo = (_make_dense(width, width, mstype.bfloat16) for _ in range(2))
        self.wk, self.wv = (_make_dense(width, key_width, mstype.bfloat16) for _ in range(2))
        self.w1, self.w3 = (_make_dense(width, hidden, mstype.bfloat16) for _ in range(2))
        self.w2 = _make_dense(hidden, width, mstype.bfloat16)

    def _split_heads(self, x: Tensor) -> Tensor:
        rows, words, _ = x.shape
        return x.reshape(rows, words, -1, self.size).transpose(0, 2, 1, 3)

    def construct(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        y = self.norm_a(x)
        q, k, v = (self._split_heads(w(y)) for w in (self.wq, self.wk, self.wv))
        q, k = (ops.rotary_position_embedding(a, cos, sin) for a in (q, k))
        mixed = ops.flash_attention_score(
            q, k, v, self.heads, scalar_value=self.size**-0.5, input_layout="BNSD"
        )
        x = x + self.wo(mixed.transpose(0, 2, 1, 3).reshape(x.shape))
        y = self.norm_b(x)
        return x + self.w2(ops.silu(self.w1(y)) * self.w3(y))


class GptBlock(nn.Cell):
    """A block of attention with its scores in memory and two products, each behind a LayerNorm."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.size = heads, width // heads
        dtype = mstype.float16
        self.norm_a, self.norm_b = (nn.LayerNorm((width,), dtype=dtype) for _ in range(2))
        self.q, self.k, self.v, self.out = (
            _make_dense(width, width, dtype, True) for _ in range(4)
        )
        self.up = _make_dense(width, 4 * width, dtype, True)
        self.down = _make_dense(4 * width, width, dtype, True)
        self.gelu, self.dropout = nn.GELU(), nn.Dropout(p=0.1)

    def _split_heads(self, x: Tensor) -> Tensor:
        rows, words, _ = x.shape
        return x.reshape(rows, words, -1, self.size).transpose(0, 2, 1, 3)

    def construct(self, x: Tensor) -> Tensor:
        y = self.norm_a(x)
        q, k, v = (self._split_heads(w(y)) for w in (self.q, self.k, self.v))
        scores = ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) * self.size**-0.5)
        mixed = ops.matmul(self.dropout(scores), v).transpose(0, 2, 1, 3).reshape(x.shape)
        x = x + self.dropout(self.out(mixed))
        return x + self.dropout(self.down(self.gelu(self.up(self.norm_b(x)))))


class Language(nn.Cell):
    """A language model: the loss of the next word over a stack of blocks."""

    def __init__(
        self, words: int, width: int, blocks: list[nn.Cell], norm: nn.Cell, dtype: Any
    ) -> None:
        super().__init__()
        self.table = _make_weight(words, width, dtype=dtype, name="table")
        self.blocks, self.norm = nn.CellList(blocks), norm
        self.head = _make_dense(width, words, dtype)
        self.loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")

    def _embed(self, ids: Tensor) -> Tensor:
        return ops.gather(self.table, ids, 0)

    def _compute_loss(self, x: Tensor, labels: Tensor) -> Tensor:
        logits = self.head(self.norm(x).reshape(-1, x.shape[-1]))
        return self.loss(logits.astype(mstype.float32), labels.reshape(-1))


class Llama(Language):
    """LLaMA 2: rotary positions, with a table of sines and cosines."""

    def __init__(self, words: int, width: int, blocks: list[nn.Cell], angles: Any) -> None:
        super().__init__(words, width, blocks, RmsNorm(width), mstype.bfloat16)
        self.cos, self.sin = (Tensor(np.zeros(angles, np.float16)) for _ in range(2))

    def construct(self, ids: Tensor, labels: Tensor) -> Tensor:
        x = self._embed(ids)
        cos, sin = self.cos.astype(mstype.bfloat16), self.sin.astype(mstype.bfloat16)
        for block in self.blocks:
            x = block(x, cos, sin)
        return self._compute_loss(x, labels)


class Gpt(Language):
    """GPT: learned positions."""

    def __init__(self, words: int, sequence: int, width: int, blocks: list[nn.Cell]) -> None:
        norm = nn.LayerNorm((width,), dtype=mstype.float16)
        super().__init__(words, width, blocks, norm, mstype.float16)
        self.positions = _make_weight(sequence, width, dtype=mstype.float16, name="positions")

    def construct(self, ids: Tensor, labels: Tensor) -> Tensor:
        x = self._embed(ids) + self.positions
        for block in self.blocks:
            x = block(x)
        return self._compute_loss(x, labels)


def _make_training(network: Language, rows: int, sequence: int) -> ModelWithShapes:
    optimizer = MasterAdam(network.trainable_params())
    ids = ((rows, sequence), np.int32)
    return ModelWithShapes(Model(network, optimizer=optimizer), Shapes([ids, ids], size=1000))


def llama2(
    rows: int, layers: int, width: int, heads: int, groups: int, hidden: int, sequence: int = 4096
) -> ModelWithShapes:
    """Make LLaMA 2 with a vocabulary of 32,000, in bfloat16."""
    blocks: list[nn.Cell] = [LlamaBlock(width, heads, groups, hidden) for _ in range(layers)]
    network = Llama(32000, width, blocks, (1, 1, sequence, width // heads))
    return _make_training(network, rows, sequence)


def gpt(rows: int, layers: int, width: int, heads: int, sequence: int = 2048) -> ModelWithShapes:
    """Make a GPT with a vocabulary of 51,200, in float16."""
    blocks: list[nn.Cell] = [GptBlock(width, heads) for _ in range(layers)]
    return _make_training(Gpt(51200, sequence, width, blocks), rows, sequence)
