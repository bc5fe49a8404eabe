"""Tell the role of a process in a parameter server's training: none, as there is no such server."""

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
