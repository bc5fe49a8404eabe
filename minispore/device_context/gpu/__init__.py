"""Door: how ops compute on a GPU, at ``mindspore.device_context.gpu``."""

from minispore.device_context.gpu import op_precision as op_precision
from minispore.device_context.gpu import op_tuning as op_tuning

__all__ = ["op_precision", "op_tuning"]
