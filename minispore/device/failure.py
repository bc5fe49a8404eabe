"""Both lines of a failure on the device: where the task was launched, and where it was seen.

A program runs long after its lines were written down, so a traceback shows the launch only. The
note that :func:`tell` adds names the task, and the user's line that asked for it.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from minispore.core.value import Node
from minispore.graph.program import Program
from minispore.graph.trace import user_line


def tell(exc: BaseException) -> None:
    """Add a note to ``exc``, which a program raised while it ran; once is enough."""
    node = _failed(exc.__traceback__)
    if node is None or any(n.startswith("Task ") for n in getattr(exc, "__notes__", ())):
        return
    place = f" (in {node.scope})" if node.scope else ""
    exc.add_note(
        f"Task {node.prim.name}{place} failed on the device: written at {node.line or 'unknown'}, "
        f"launched at {user_line()}."
    )


def _failed(trace: TracebackType | None) -> Node | None:
    """The node of the call that was going on in the innermost program of ``trace``."""
    node: Node | None = None
    while trace is not None:
        names: dict[str, Any] = trace.tb_frame.f_locals
        program, step = names.get("self"), names.get("step")
        if isinstance(program, Program) and step is not None:
            node = program.node_of(step)
        trace = trace.tb_next
    return node
