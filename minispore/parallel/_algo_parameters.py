"""Store the settings of the search for a parallel strategy.

They are only checked, since minispore does not search for strategies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minispore.context.settings import Settings, bounds, setting


@dataclass(frozen=True, slots=True)
class AlgoParameters:
    """All settings of ``set_algo_parameters``."""

    fully_use_devices: bool = setting(False, bool)
    elementwise_op_strategy_follow: bool = setting(False, bool)
    enable_algo_approxi: bool = setting(False, bool)
    algo_approxi_epsilon: float = setting(0.1, float, bounds(0.0, 1.0))
    tensor_slice_align_enable: bool = setting(False, bool)
    tensor_slice_align_size: int = setting(16, int, bounds(1, 1024))


_settings = Settings(AlgoParameters, "algo_parameters")


def set_algo_parameters(**kwargs: Any) -> None:
    """Change settings of the strategy search by name; they are stored, without effect.

    If one is invalid, none is changed.

    Raises:
        TypeError: a value has a type that its setting does not accept.
        ValueError: a name is unknown, or a value is out of range.

    >>> set_algo_parameters(elementwise_op_strategy_follow=True)
    >>> get_algo_parameters("elementwise_op_strategy_follow")
    True
    >>> reset_algo_parameters()
    """
    _settings.set(kwargs)


def get_algo_parameters(attr_key: str) -> Any:
    """Return one setting of the strategy search by name.

    Raises:
        ValueError: there is no such setting.
    """
    return _settings.get(attr_key)


def reset_algo_parameters() -> None:
    """Reset all settings of the strategy search to their defaults."""
    _settings.reset()


__all__ = ["get_algo_parameters", "reset_algo_parameters", "set_algo_parameters"]
