"""Alias module: the functions of images, at ``mindspore.ops.function.image_func``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
