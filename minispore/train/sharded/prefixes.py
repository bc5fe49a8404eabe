"""Loading of parameters whose names in the file have a prefix."""

from __future__ import annotations

from minispore.core.parameter import Parameter
from minispore.nn.cell import Cell
from minispore.train.serialization import _find_common_prefix, _update_param


def _load_dismatch_prefix_params(
    net: Cell, parameter_dict: dict[str, Parameter], param_not_load: list[str], strict_load: bool
) -> None:
    """Load parameters of ``net`` whose names in the file have a common prefix.

    Loaded names are removed from ``param_not_load``.
    """
    prefix = _find_common_prefix(param_not_load, parameter_dict)
    for param in net.get_parameters() if prefix else ():
        if param.name in param_not_load and prefix + param.name in parameter_dict:
            _update_param(param, parameter_dict[prefix + param.name], strict_load)
            param_not_load.remove(param.name)
