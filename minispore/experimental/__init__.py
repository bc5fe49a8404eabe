"""Alias module for ``mindspore.experimental``."""

from minispore.experimental import optim as optim
