"""Tell the role of a process in a parameter server's training: none, as there is no such server."""

from __future__ import annotations


def _is_role_pserver() -> bool:
    return False


def _is_role_sched() -> bool:
    return False


def _is_role_worker() -> bool:
    return False
