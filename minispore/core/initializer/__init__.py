"""Initializers: the content of a weight before training, drawn as MindSpore draws it.

A Parameter with an initializer is filled at once, unless its initialization is
:mod:`deferred <minispore.core.initializer.deferred>`.
"""

from minispore.core.initializer.base import (
    Constant,
    Initializer,
    initializer,
)
from minispore.core.initializer.constant import (
    Dirac,
    Identity,
    One,
    Zero,
)
from minispore.core.initializer.random_initializers import (
    HeNormal,
    HeUniform,
    Normal,
    Orthogonal,
    Sparse,
    TruncatedNormal,
    Uniform,
    VarianceScaling,
    XavierNormal,
    XavierUniform,
)

__all__ = [
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
    "initializer",
]
