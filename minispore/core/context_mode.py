"""Whether a call at this point starts a graph."""

from __future__ import annotations

from minispore import context
from minispore.core import interpreter


def staging() -> bool:
    """True in GRAPH_MODE at the top level: nothing is being traced and no gradient is being
    recorded.
    """
    return (
        context.current().mode == context.GRAPH_MODE
        and interpreter.interpreter().stages
        and not interpreter.tapes()
    )
