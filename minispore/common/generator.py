"""Alias module: streams of random numbers, at ``mindspore.common.generator``."""

from minispore.core.generators import Generator as Generator
from minispore.core.generators import default_generator as default_generator
from minispore.core.generators import get_rng_state as get_rng_state
from minispore.core.generators import initial_seed as initial_seed
from minispore.core.generators import seed as seed
from minispore.core.generators import set_rng_state as set_rng_state
from minispore.execution.random import set_seed as manual_seed

__all__ = [
    "Generator",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]
