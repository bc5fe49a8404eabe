"""Alias module: streams of random numbers, at ``mindspore.common.generator``."""

from minispore.execution.random import set_seed as manual_seed
from minispore.ops.random.generators import Generator as Generator
from minispore.ops.random.generators import default_generator as default_generator
from minispore.ops.random.generators import get_rng_state as get_rng_state
from minispore.ops.random.generators import initial_seed as initial_seed
from minispore.ops.random.generators import seed as seed
from minispore.ops.random.generators import set_rng_state as set_rng_state

__all__ = [
    "Generator",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]
