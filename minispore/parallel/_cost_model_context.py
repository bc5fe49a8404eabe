"""Store the settings of the cost model of the search for a parallel strategy.

They are only checked, since minispore does not search for strategies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minispore.context.settings import Settings, setting


@dataclass(frozen=True, slots=True)
class CostModel:
    """All settings of ``set_cost_model_context``: sizes in bytes, and times in the search's
    unit.
    """

    device_memory_capacity: float = setting(16.0 * 2**30, float)
    costmodel_alpha: float = setting(1.0, float)
    costmodel_beta: float = setting(400.0, float)
    costmodel_gamma: float = setting(0.001, float)
    costmodel_communi_threshold: float = setting(2048.0, float)
    costmodel_communi_const: float = setting(3072.0, float)
    costmodel_communi_bias: float = setting(1024.0, float)
    run_phase: int = setting(0, int)
    costmodel_allreduce_fusion_algorithm: int = setting(0, int)
    costmodel_allreduce_fusion_times: int = setting(0, int)
    costmodel_allreduce_fusion_tail_percent: float = setting(0.1, float)
    costmodel_allreduce_fusion_tail_time: float = setting(0.1, float)
    costmodel_allreduce_fusion_allreduce_inherent_time: float = setting(0.1, float)
    costmodel_allreduce_fusion_allreduce_bandwidth: float = setting(0.1, float)
    costmodel_allreduce_fusion_computation_time_parameter: float = setting(0.1, float)


_settings = Settings(CostModel, "cost_model_context")
_multi_subgraphs = False


def set_cost_model_context(**kwargs: Any) -> None:
    """Change settings of the strategy search's cost model by name; they are stored, without effect.

    If one is invalid, none is changed.

    Raises:
        TypeError: a value has a type that its setting does not accept.
        ValueError: a name is unknown.

    >>> set_cost_model_context(costmodel_beta=260.0)
    >>> get_cost_model_context("costmodel_beta")
    260.0
    >>> reset_cost_model_context()
    """
    _settings.set(kwargs)


def get_cost_model_context(attr_key: str) -> Any:
    """Return one setting of the cost model of the strategy search by name.

    Raises:
        ValueError: there is no such setting.
    """
    return _settings.get(attr_key)


def reset_cost_model_context() -> None:
    """Reset all settings of the cost model, including that of subgraphs, to their defaults."""
    global _multi_subgraphs
    _multi_subgraphs = False
    _settings.reset()


def _set_multi_subgraphs(multi_subgraph: bool = True) -> None:
    """Store whether a strategy search splits the network into several graphs; without effect.

    >>> _set_multi_subgraphs()
    >>> _get_multi_subgraphs()
    True
    >>> reset_cost_model_context()
    """
    global _multi_subgraphs
    _multi_subgraphs = multi_subgraph


def _get_multi_subgraphs() -> bool:
    """Return what ``_set_multi_subgraphs`` stored."""
    return _multi_subgraphs


__all__ = ["get_cost_model_context", "reset_cost_model_context", "set_cost_model_context"]
