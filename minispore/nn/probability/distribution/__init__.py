"""Distributions of random variables."""

from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.nn.probability.distribution.categorical import Categorical as Categorical
from minispore.nn.probability.distribution.counts import Bernoulli as Bernoulli
from minispore.nn.probability.distribution.counts import Geometric as Geometric
from minispore.nn.probability.distribution.counts import Poisson as Poisson
from minispore.nn.probability.distribution.distribution import Distribution as Distribution
from minispore.nn.probability.distribution.distribution import (
    TransformedDistribution as TransformedDistribution,
)
from minispore.nn.probability.distribution.gamma import Beta as Beta
from minispore.nn.probability.distribution.gamma import Gamma as Gamma
from minispore.nn.probability.distribution.location_scale import Cauchy as Cauchy
from minispore.nn.probability.distribution.location_scale import Laplace as Laplace
from minispore.nn.probability.distribution.location_scale import Logistic as Logistic
from minispore.nn.probability.distribution.location_scale import StudentT as StudentT
from minispore.nn.probability.distribution.normal import HalfNormal as HalfNormal
from minispore.nn.probability.distribution.normal import Normal as Normal
from minispore.nn.probability.distribution.range import Exponential as Exponential
from minispore.nn.probability.distribution.range import Uniform as Uniform
from minispore.nn.probability.distribution.transformed import Gumbel as Gumbel
from minispore.nn.probability.distribution.transformed import LogNormal as LogNormal

__all__ = [
    "Bernoulli",
    "Beta",
    "Categorical",
    "Cauchy",
    "Distribution",
    "Exponential",
    "Gamma",
    "Geometric",
    "Gumbel",
    "HalfNormal",
    "Laplace",
    "LogNormal",
    "Logistic",
    "Normal",
    "Poisson",
    "StudentT",
    "TransformedDistribution",
    "Uniform",
]

_describe(__name__)
