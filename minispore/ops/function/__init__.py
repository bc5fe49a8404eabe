"""The ops as functions, at ``mindspore.ops.function``; a family opens at the first look at it."""
# ruff: noqa: F403

from minispore.later import later as _later
from minispore.ops.vocabulary import *

_ROOMS = {
    "array_func": "minispore.ops.function.array_func",
    "clip_func": "minispore.ops.function.clip_func",
    "debug_func": "minispore.ops.function.debug_func",
    "image_func": "minispore.ops.function.image_func",
    "linalg_func": "minispore.ops.function.linalg_func",
    "math_func": "minispore.ops.function.math_func",
    "nn_func": "minispore.ops.function.nn_func",
    "other_func": "minispore.ops.function.other_func",
    "parameter_func": "minispore.ops.function.parameter_func",
    "random_func": "minispore.ops.function.random_func",
    "sparse_func": "minispore.ops.function.sparse_func",
    "spectral_func": "minispore.ops.function.spectral_func",
    "vmap_func": "minispore.ops.function.vmap_func",
}
__getattr__, __dir__ = _later(__name__, _ROOMS)
