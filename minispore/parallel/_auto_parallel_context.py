"""Provide a get and a set method for each setting of ``set_auto_parallel_context``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from minispore import context
from minispore.context import parallel
from minispore.errors import MissingAttribute

_NAMES = {field.name for field in fields(parallel.AutoParallelContext)}

#: Method names of settings whose name differs in the context.
_SETTING_ALIASES = {
    "auto_parallel_search_mode": "search_mode",
    "strategy_search_mode": "search_mode",
    "all_reduce_fusion_split_indices": "all_reduce_fusion_config",
}


class _AutoParallelContext:
    """An object with methods ``get_<setting>()`` and ``set_<setting>(value)`` for each setting.

    >>> auto_parallel_context().get_parallel_mode()
    'stand_alone'
    """

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return the function ``get_<setting>``, ``set_<setting>`` or ``get_<setting>_is_set``;
        raise an AttributeError for another name.
        """
        verb, _, setting = name.partition("_")
        setting = _SETTING_ALIASES.get(setting, setting)
        if verb == "get" and setting in _NAMES:
            return lambda: parallel.get_auto_parallel_context(setting)
        if verb == "set" and setting in _NAMES:
            return lambda value: parallel.set_auto_parallel_context(**{setting: value})
        if verb == "get" and name.endswith("_is_set") and name[4:-7] in _NAMES:
            return lambda: _is_set(name[4:-7])
        raise MissingAttribute(
            f"auto_parallel_context: has no {name!r}.",
            name,
            lambda: [f"{v}_{n}" for v in ("get", "set") for n in _NAMES],
        )

    def reset(self) -> None:
        """Reset all settings of ``set_auto_parallel_context`` to their defaults."""
        parallel.reset_auto_parallel_context()


def _is_set(name: str) -> bool:
    """Whether a setting differs from its default."""
    return bool(getattr(parallel.current(), name) != getattr(parallel.AutoParallelContext(), name))


_instance = _AutoParallelContext()


def auto_parallel_context() -> _AutoParallelContext:
    """Return the only instance of ``_AutoParallelContext``."""
    return _instance


_set_auto_parallel_context = context.set_auto_parallel_context
_get_auto_parallel_context = context.get_auto_parallel_context
_reset_auto_parallel_context = context.reset_auto_parallel_context
