"""Alias module: the primitives of images, at ``mindspore.ops.operations.image_ops``."""
# ruff: noqa: F401, F403

from minispore.ops.rare import look_images as __getattr__
from minispore.ops.rare import names_images as __dir__
from minispore.ops.vocabulary import *
