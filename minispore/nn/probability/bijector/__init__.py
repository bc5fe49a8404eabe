"""Bijectors: invertible maps of random variables."""

from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.nn.probability.bijector.bijector import Bijector as Bijector
from minispore.nn.probability.bijector.bijector import Invert as Invert
from minispore.nn.probability.bijector.power_transform import Exp as Exp
from minispore.nn.probability.bijector.power_transform import PowerTransform as PowerTransform
from minispore.nn.probability.bijector.scalar import GumbelCDF as GumbelCDF
from minispore.nn.probability.bijector.scalar import ScalarAffine as ScalarAffine
from minispore.nn.probability.bijector.scalar import Softplus as Softplus

__all__ = ["Bijector", "Exp", "GumbelCDF", "Invert", "PowerTransform", "ScalarAffine", "Softplus"]

_describe(__name__)
