"""Alias module: the seed at ``mindspore.common.seed``."""

from minispore.execution.random import get_seed, set_seed
from minispore.execution.random import make_op_seeds as _get_graph_seed

__all__ = ["_get_graph_seed", "get_seed", "set_seed"]
