"""Nested tuples, lists and dicts of tensors: put other tensors into the same structure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from minispore.core.autograd import map_tensors


def refilled(tree: Any, tensors: Iterable[Any]) -> Any:
    """``tree`` with its tensors, in order, replaced by ``tensors``."""
    new = iter(tensors)
    return map_tensors(lambda _: next(new), tree)
