"""Settings and graphs: a graph is to give the same in each mode, so it may not ask for the mode."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType

from minispore.context.settings import announcing
from minispore.core.interpreter import Interpreter
from minispore.errors import GraphModeError
from minispore.graph.trace import user_line


@contextmanager
def settled(by: Interpreter) -> Iterator[None]:
    """Refuse that the function which ``by`` runs as a graph asks or changes a setting.

    Python that MindSpore runs beside the graph (constructors, ``constexpr``, kernels) may: then
    ``by`` is told, since no graph can ask again.

    Raises:
        GraphModeError: it asked, whether its code let the error pass or not.
    """
    refused: list[GraphModeError] = []

    def told(name: str) -> None:
        if _beside():
            by.outside(f"it calls {name}")
            return
        refused.append(
            GraphModeError(
                f"{name}: must be called outside of construct and of functions under jit in "
                f"GRAPH_MODE, got a call at {user_line()}. Call it before, as in __init__, and "
                "keep what it gives in an attribute."
            )
        )
        raise refused[0]

    try:
        with announcing(told):
            yield
    finally:
        if refused:
            raise refused[0]


def _beside() -> bool:
    """Whether the code that asks runs in a function that is no part of the graph."""
    frame = sys._getframe(2)
    while (
        frame.f_back is not None and frame.f_globals.get("__name__") != "minispore.graph.compiler"
    ):
        if _apart(frame.f_code):
            return True
        frame = frame.f_back
    return False


def _apart(code: CodeType) -> bool:
    name = code.co_name
    return name in ("__init__", "__new__", "kernel") or code.co_qualname.startswith("constexpr.")
