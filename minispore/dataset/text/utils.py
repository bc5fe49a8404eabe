"""Alias module: vocabularies, vectors and choices, at ``mindspore.dataset.text.utils``."""
# ruff: noqa: F403  each module's __all__ lists its public names

from minispore.dataset.text.enums import *
from minispore.dataset.text.vectors import *
from minispore.dataset.text.vocab import *
