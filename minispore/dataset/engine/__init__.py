"""Alias module: datasets, iterators and samplers, at ``mindspore.dataset.engine``."""

from minispore.dataset import *  # noqa: F403
from minispore.dataset.engine import datasets as datasets
from minispore.dataset.engine import iterators as iterators
from minispore.dataset.engine import samplers as samplers
