"""The settings of ``set_ps_context``: parameter servers, which are not supported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minispore.context.settings import Settings, setting


def _check_disabled(label: str, value: bool) -> bool:
    """Return ``value``; raise a RuntimeError if it enables parameter servers."""
    if value:
        raise RuntimeError(
            f"{label} must be False, got True: no servers keep parameters here. Ranks train data "
            "parallel with set_auto_parallel_context(parallel_mode='data_parallel'); "
            "minispore.device.estimate(model, dataset, devices=N) prices N devices without running "
            "them."
        )
    return value


@dataclass(frozen=True, slots=True)
class ServerContext:
    """All settings of ``set_ps_context``."""

    enable_ps: bool = setting(False, bool, _check_disabled)
    config_file_path: str = setting("", str)
    enable_ssl: bool = setting(False, bool)
    client_password: str = setting("", str)
    server_password: str = setting("", str)


_settings = Settings(ServerContext, "ps_context")


def set_ps_context(**kwargs: Any) -> None:
    """Change settings by name.

    Raises:
        TypeError: a value has a type that its setting does not accept.
        ValueError: a name is unknown.
        RuntimeError: ``enable_ps`` is True.

    >>> set_ps_context(enable_ssl=True)
    >>> get_ps_context("enable_ssl"), get_ps_context("enable_ps")
    (True, False)
    >>> reset_ps_context()
    """
    _settings.set(kwargs)


def get_ps_context(attr_key: str) -> Any:
    """Return one setting by name.

    Raises:
        ValueError: there is no such setting.
    """
    return _settings.get(attr_key)


def reset_ps_context() -> None:
    """Reset all settings of ``set_ps_context`` to their defaults."""
    _settings.reset()


__all__ = ["get_ps_context", "reset_ps_context", "set_ps_context"]
