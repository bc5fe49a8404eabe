"""Which part a process has in a parameter server's training: none, for there is none here."""

from __future__ import annotations


def _is_role_pserver() -> bool:
    return False


def _is_role_sched() -> bool:
    return False


def _is_role_worker() -> bool:
    return False
