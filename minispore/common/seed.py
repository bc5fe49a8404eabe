"""Door: the seed at ``mindspore.common.seed``."""

from minispore.core.random import get_seed, set_seed

__all__ = ["get_seed", "set_seed"]
