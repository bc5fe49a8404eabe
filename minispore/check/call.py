"""``check(net, *inputs)``: report how MindSpore's graphs would treat a network."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from minispore import context
from minispore.check.finding import Report, make_report
from minispore.check.watch import Watch
from minispore.core.tensor import Tensor
from minispore.ir import runtime as seam
from minispore.nn.cell import Cell
from minispore.train.model import Model


def check(net: Callable[..., Any] | Model, *inputs: Any) -> Report:
    """Run ``net(*inputs)`` once as a graph and report where MindSpore would behave differently.

    Args:
        net: a Cell, a function, or a Model, of which the training step is checked if it can train,
            otherwise its network.
        inputs: the inputs of the call: for a training step a batch, including labels. The
            Parameters of a Cell or Model are restored afterwards.

    Returns:
        A :class:`Report`, true if there are no certain findings.

    >>> from minispore import nn
    >>> print(check(nn.Dense(2, 3), Tensor([[1.0, 2.0]])).text())
    0 functions went through graphs: nothing that the real MindSpore does otherwise.
    """
    network: Any = net.train_network if isinstance(net, Model) else net
    previous_context = context.current()
    watch = Watch()
    with watch.watching(), _preserve_parameters(network), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        context.set_context(mode=context.GRAPH_MODE, jit_syntax_level=context.LAX)
        try:
            assert seam.compiler is not None
            seam.compiler.call(getattr(network, "jitted", network), inputs, {})
        finally:
            context.restore(previous_context)
    return make_report(watch)


@contextmanager
def _preserve_parameters(net: Any) -> Iterator[None]:
    """Restore the content of the Parameters of ``net``, if it has any, after the ``with`` block."""
    all_parameters = net.get_parameters() if isinstance(net, Cell) else ()
    parameters = [p for p in all_parameters if not p.has_init]
    saved_values = [p.asnumpy().copy() for p in parameters]
    try:
        yield
    finally:
        for parameter, data in zip(parameters, saved_values, strict=True):
            parameter.set_data(Tensor(data))


__all__ = ["check"]
