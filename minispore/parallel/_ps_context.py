"""Roles of a process in parameter-server training: always False, as that is not supported."""

from __future__ import annotations


def _is_role_pserver() -> bool:
    """Return False: no process is a parameter server, which minispore does not support."""
    return False


def _is_role_sched() -> bool:
    """Return False: no process is a scheduler of parameter servers."""
    return False


def _is_role_worker() -> bool:
    """Return False: no process is a worker of parameter servers."""
    return False
