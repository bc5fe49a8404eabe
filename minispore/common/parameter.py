"""Door: parameters at ``mindspore.common.parameter``."""

from minispore.core.parameter import Parameter, ParameterTuple

__all__ = ["Parameter", "ParameterTuple"]
