"""Random variables: distributions, and bijectors that transform them."""

from minispore.nn.probability import bijector as bijector
from minispore.nn.probability import distribution as distribution
