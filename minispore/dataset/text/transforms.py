"""Alias module: the transforms of text, at ``mindspore.dataset.text.transforms``."""
# ruff: noqa: F403  each room says in its __all__ what is public

from minispore.dataset.text.jieba import *
from minispore.dataset.text.normal import *
from minispore.dataset.text.sequence import *
from minispore.dataset.text.tokenizers import *
