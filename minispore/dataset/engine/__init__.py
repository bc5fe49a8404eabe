"""Alias module: datasets, iterators and samplers, at ``mindspore.dataset.engine``."""

from minispore.dataset import *  # noqa: F403
from minispore.dataset.engine import datasets as datasets
from minispore.dataset.engine import datasets_audio as datasets_audio
from minispore.dataset.engine import datasets_standard_format as datasets_standard_format
from minispore.dataset.engine import datasets_text as datasets_text
from minispore.dataset.engine import datasets_user_defined as datasets_user_defined
from minispore.dataset.engine import datasets_vision as datasets_vision
from minispore.dataset.engine import iterators as iterators
from minispore.dataset.engine import samplers as samplers
