"""The layers, one family per module."""
# ruff: noqa: F403  the __all__ of each module lists what is public

from minispore.nn.layer import (
    activation,
    adaptive,
    attention,
    basic,
    combined,
    container,
    conv,
    dense,
    embedding,
    image,
    math,
    normalization,
    padding,
    pooling,
    rnn_cells,
    rnns,
    sparse,
    timedistributed,
    transformer,
    unpooling,
)
from minispore.nn.layer.activation import *
from minispore.nn.layer.adaptive import *
from minispore.nn.layer.attention import *
from minispore.nn.layer.basic import *
from minispore.nn.layer.combined import *
from minispore.nn.layer.container import *
from minispore.nn.layer.conv import *
from minispore.nn.layer.dense import *
from minispore.nn.layer.embedding import *
from minispore.nn.layer.image import *
from minispore.nn.layer.math import *
from minispore.nn.layer.normalization import *
from minispore.nn.layer.padding import *
from minispore.nn.layer.pooling import *
from minispore.nn.layer.rnn_cells import *
from minispore.nn.layer.rnns import *
from minispore.nn.layer.sparse import *
from minispore.nn.layer.timedistributed import *
from minispore.nn.layer.transformer import *
from minispore.nn.layer.unpooling import *

__all__ = [
    *activation.__all__,
    *adaptive.__all__,
    *attention.__all__,
    *basic.__all__,
    *combined.__all__,
    *container.__all__,
    *conv.__all__,
    *dense.__all__,
    *embedding.__all__,
    *image.__all__,
    *math.__all__,
    *normalization.__all__,
    *padding.__all__,
    *pooling.__all__,
    *rnn_cells.__all__,
    *rnns.__all__,
    *sparse.__all__,
    *timedistributed.__all__,
    *transformer.__all__,
    *unpooling.__all__,
]
