"""Door: the primitives of images, at ``mindspore.ops.operations.image_ops``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
