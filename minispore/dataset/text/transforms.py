"""Alias module: the transforms of text, at ``mindspore.dataset.text.transforms``."""
# ruff: noqa: F403  each module's __all__ lists its public names

from minispore.dataset.text.jieba import *
from minispore.dataset.text.normal import *
from minispore.dataset.text.sequence import *
from minispore.dataset.text.tokenizers import *
