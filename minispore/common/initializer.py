"""Alias module: the initialisers at ``mindspore.common.initializer``."""

from minispore.core.initializer import (
    Constant,
    Dirac,
    HeNormal,
    HeUniform,
    Identity,
    Initializer,
    Normal,
    One,
    Orthogonal,
    Sparse,
    TruncatedNormal,
    Uniform,
    VarianceScaling,
    XavierNormal,
    XavierUniform,
    Zero,
    initializer,
)
from minispore.core.initializer.base import _INITIALIZER_ALIAS, _register
from minispore.core.initializer.filling import (
    _assignment,
    _calculate_correct_fan,
    _calculate_fan_in_and_fan_out,
    _calculate_gain,
    _init_random_normal,
    _init_random_uniform,
    _init_truncated_normal,
)
from minispore.core.tensor import Tensor as Tensor  # scripts take it from here
from minispore.foundation.docstrings import attach_docstrings as _describe

__all__ = [
    "_INITIALIZER_ALIAS",
    "Constant",
    "Dirac",
    "HeNormal",
    "HeUniform",
    "Identity",
    "Initializer",
    "Normal",
    "One",
    "Orthogonal",
    "Sparse",
    "TruncatedNormal",
    "Uniform",
    "VarianceScaling",
    "XavierNormal",
    "XavierUniform",
    "Zero",
    "_assignment",
    "_calculate_correct_fan",
    "_calculate_fan_in_and_fan_out",
    "_calculate_gain",
    "_init_random_normal",
    "_init_random_uniform",
    "_init_truncated_normal",
    "_register",
    "initializer",
]

_describe(__name__)
