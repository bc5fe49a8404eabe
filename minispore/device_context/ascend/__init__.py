"""Door: how ops compute on an Ascend, at ``mindspore.device_context.ascend``."""

from minispore.device_context.ascend import op_precision as op_precision

__all__ = ["op_precision"]
