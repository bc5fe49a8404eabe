"""Alias module: vocabularies, vectors and choices, at ``mindspore.dataset.text.utils``."""
# ruff: noqa: F403  each room says in its __all__ what is public

from minispore.dataset.text.enums import *
from minispore.dataset.text.vectors import *
from minispore.dataset.text.vocab import *
