"""Alias module: what MindSpore calls experimental."""

from minispore.experimental import optim as optim
