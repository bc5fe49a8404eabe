"""Door: arrays from and to other frameworks, at ``mindspore.utils.dlpack``."""

from minispore.train.interchange.dlpack import from_dlpack as from_dlpack
from minispore.train.interchange.dlpack import to_dlpack as to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]
