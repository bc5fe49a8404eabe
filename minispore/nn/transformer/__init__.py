"""The Transformer of MindSpore 1.x: attention in float16, with masks of ones and zeros."""

from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.nn.transformer.blocks import (
    TransformerDecoderLayer as TransformerDecoderLayer,
)
from minispore.nn.transformer.blocks import (
    TransformerEncoderLayer as TransformerEncoderLayer,
)
from minispore.nn.transformer.layers import FixedSparseAttention as FixedSparseAttention
from minispore.nn.transformer.loss import CrossEntropyLoss as CrossEntropyLoss
from minispore.nn.transformer.moe import MoEConfig as MoEConfig
from minispore.nn.transformer.op_parallel_config import (
    EmbeddingOpParallelConfig as EmbeddingOpParallelConfig,
)
from minispore.nn.transformer.op_parallel_config import OpParallelConfig as OpParallelConfig
from minispore.nn.transformer.op_parallel_config import (
    TransformerOpParallelConfig as TransformerOpParallelConfig,
)
from minispore.nn.transformer.op_parallel_config import (
    TransformerRecomputeConfig as TransformerRecomputeConfig,
)
from minispore.nn.transformer.parts import AttentionMask as AttentionMask
from minispore.nn.transformer.parts import FeedForward as FeedForward
from minispore.nn.transformer.parts import MultiHeadAttention as MultiHeadAttention
from minispore.nn.transformer.parts import VocabEmbedding as VocabEmbedding
from minispore.nn.transformer.stacks import TransformerDecoder as TransformerDecoder
from minispore.nn.transformer.stacks import TransformerEncoder as TransformerEncoder
from minispore.nn.transformer.transformer import Transformer as Transformer

__all__ = [
    "AttentionMask",
    "CrossEntropyLoss",
    "EmbeddingOpParallelConfig",
    "FeedForward",
    "FixedSparseAttention",
    "MoEConfig",
    "MultiHeadAttention",
    "OpParallelConfig",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TransformerOpParallelConfig",
    "TransformerRecomputeConfig",
    "VocabEmbedding",
]

_describe(__name__)
