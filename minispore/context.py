"""The context: one frozen record of settings, replaced as a whole by ``set_context``."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from minispore.errors import did_you_mean

GRAPH_MODE = 0
PYNATIVE_MODE = 1


@dataclass(frozen=True, slots=True)
class Context:
    """All settings of ``set_context``."""

    mode: int = PYNATIVE_MODE
    device_target: str = "CPU"
    device_id: int = 0
    save_graphs: bool | int = 0
    save_graphs_path: str = "."


_current = Context()
_KEYS = tuple(f.name for f in fields(Context))


def current() -> Context:
    """The record in force."""
    return _current


def set_context(**kwargs: Any) -> None:
    """Change settings by name."""
    global _current
    for key in kwargs:
        if key not in _KEYS:
            raise ValueError(f"set_context: {key!r} is not recognized.{did_you_mean(key, _KEYS)}")
    _current = replace(_current, **kwargs)


def get_context(attr_key: str) -> Any:
    """One setting by name."""
    if attr_key not in _KEYS:
        raise ValueError(
            f"get_context: {attr_key!r} is not recognized.{did_you_mean(attr_key, _KEYS)}"
        )
    return getattr(_current, attr_key)
