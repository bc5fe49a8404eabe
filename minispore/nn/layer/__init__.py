"""The layers, a family per file."""
# ruff: noqa: F403  each family says in its __all__ what is public

from minispore.nn.layer import activation, basic, container, conv, dense, normalization, pooling
from minispore.nn.layer.activation import *
from minispore.nn.layer.basic import *
from minispore.nn.layer.container import *
from minispore.nn.layer.conv import *
from minispore.nn.layer.dense import *
from minispore.nn.layer.normalization import *
from minispore.nn.layer.pooling import *

__all__ = [
    *activation.__all__,
    *basic.__all__,
    *container.__all__,
    *conv.__all__,
    *dense.__all__,
    *normalization.__all__,
    *pooling.__all__,
]
