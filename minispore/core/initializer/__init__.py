"""Initialisers: what a weight holds before training, drawn as MindSpore draws it.

Each has ``make(shape, dtype) -> ndarray``, which :class:`~minispore.core.tensor.Tensor` calls at
once, unless it is :mod:`left for later <minispore.core.initializer.later>`.
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
from minispore.core.initializer.drawn import (
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
