"""Random variables: distributions, and the maps that make new ones of them."""

from minispore.nn.probability import bijector as bijector
from minispore.nn.probability import distribution as distribution
