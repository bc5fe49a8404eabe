"""``check(net, *inputs)``: what the real MindSpore's graphs would do with a network."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from minispore import context
from minispore.check.finding import Report, report
from minispore.check.watch import Watch
from minispore.core import runtime as seam


def check(net: Callable[..., Any], *inputs: Any) -> Report:
    """Run ``net(*inputs)`` once as a graph and say where the real MindSpore does otherwise.

    Args:
        net: a Cell or function.
        inputs: what it is called with; Parameters that it writes are written.

    Returns:
        A :class:`Report`, true if there is nothing to say.

    >>> from minispore import Tensor, nn
    >>> print(check(nn.Dense(2, 3), Tensor([[1.0, 2.0]])).text())
    0 functions went through graphs: nothing that the real MindSpore does otherwise.
    """
    before = context.current()
    watch = Watch()
    with watch.watching(), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        context.set_context(mode=context.GRAPH_MODE, jit_syntax_level=context.LAX)
        try:
            assert seam.compiler is not None
            seam.compiler.call(getattr(net, "jitted", net), inputs, {})
        finally:
            context.restore(before)
    return report(watch)


__all__ = ["check"]
