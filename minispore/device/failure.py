"""Notes on device failures: which op failed, where it was written, and where it was launched.

A program runs long after its lines were traced, so a traceback shows only the launch. The note that
:func:`add_task_note` adds names the op and the user's line that created it.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from minispore.graph.program import Program
from minispore.graph.trace import user_line
from minispore.ir.node import Node


def add_task_note(exc: BaseException) -> None:
    """Add a note about the failed op to ``exc``, which a program raised while it ran.

    Does nothing if the exception already has such a note, or if no op can be found.
    """
    node = _find_failed_node(exc.__traceback__)
    if node is None or any(n.startswith("Task ") for n in getattr(exc, "__notes__", ())):
        return
    scope_text = f" (in {node.scope})" if node.scope else ""
    exc.add_note(
        f"Task {node.prim.name}{scope_text} failed on the device: written at "
        f"{node.line or 'unknown'}, launched at {user_line()}."
    )


def _find_failed_node(trace: TracebackType | None) -> Node | None:
    """Return the node that the innermost program in ``trace`` was executing, or None.

    It is read from the locals ``self`` and ``step`` of ``Program``'s frames.
    """
    node: Node | None = None
    while trace is not None:
        frame_locals: dict[str, Any] = trace.tb_frame.f_locals
        program, step = frame_locals.get("self"), frame_locals.get("step")
        if isinstance(program, Program) and step is not None:
            node = program.find_node(step)
        trace = trace.tb_next
    return node
