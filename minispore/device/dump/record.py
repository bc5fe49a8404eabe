"""Looks at the ops of a graph while it runs, and hands what is wanted to the files."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from minispore.core import overflow
from minispore.core.primitive import Primitive
from minispore.core.value import Node, Value
from minispore.device.dump.config import INPUTS, KERNELS, MARKED, OUTPUTS, DumpConfig, configured
from minispore.device.dump.files import Files, Saved
from minispore.graph.blocks import Bound
from minispore.graph.ir import Graph
from minispore.graph.print import text
from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport

#: Primitives that set_dump has marked, each as itself: an equal one is another.
marked: list[Primitive] = []
_numbers = itertools.count()  # of the graphs that are dumped
_runs: WeakKeyDictionary[Any, int] = WeakKeyDictionary()  # of each function, over its programs


def ask_for(device_id: int, owner: Any, graph: Graph, cells: Mapping[str, Any]) -> Dump | None:
    """The dump of a graph that was just traced, if one is wanted on this device.

    Args:
        device_id: of the device that will run it.
        owner: what the graph is of; its runs are counted.
        graph: the graph.
        cells: the Cells that its ops come from, by scope.
    """
    config = configured()
    if config is None or device_id not in config.devices:
        return None
    return Dump(config, owner, graph, cells, next(_numbers))


class Dump:
    """The observer of one program; see :class:`minispore.graph.program.Observer`."""

    def __init__(
        self, config: DumpConfig, owner: Any, graph: Graph, cells: Mapping[str, Any], number: int
    ) -> None:
        self._config, self._owner = config, owner
        self._tasks = {id(node): i for i, node in enumerate(graph.nodes)}
        self._names = [full_name(node, i) for i, node in enumerate(graph.nodes)]
        self._scopes = {scope for scope, cell in cells.items() if cell.get_flags().get("dump")}
        self._files = Files(config, transport.current.rank(WORLD), number)
        constants = {
            id(a): a.data
            for node in graph.nodes
            for a in node.args
            if isinstance(a, Value) and a.data is not None and a.param is None
        }
        self._files.describe(text(graph), self._names, list(constants.values()))
        self._held: list[Saved] = []

    def begin(self) -> None:
        """A run begins."""
        self._held.clear()

    def end(self) -> None:
        """The run has ended: what was held back is written."""
        number = self._number
        for saved in self._held:
            self._files.save(number, saved)
        self._held.clear()
        self._files.ran(number)
        _runs[self._owner] = number + 1

    @property
    def _number(self) -> int:
        return _runs.get(self._owner, 0)

    def look(self, bound: Bound) -> tuple[Callable[[], None], Callable[[], None]] | None:
        """What is to be done before and after an op, if it is dumped in this run."""
        task = self._tasks[id(bound.node)]
        name = self._names[task]
        if not self._config.wants_iteration(self._number) or not self._wants(bound.node, name):
            return None
        found: list[Saved] = []
        flag = overflow.Flag()
        flag.clear()
        over = overflow.Look(flag, bound.args, bound.outs)

        def note(side: str, arrays: list[Any]) -> None:
            kept = [a for a in arrays if isinstance(a, np.ndarray)]
            kind = bound.node.prim.name
            found.extend(
                Saved(kind, name, task, side, slot, a.copy()) for slot, a in enumerate(kept)
            )

        def before() -> None:  # the output may take an input's memory
            over.before()
            if self._config.sides != OUTPUTS:
                note("input", bound.args)

        def after() -> None:
            over.after()
            if self._config.sides != INPUTS:
                note("output", list(bound.outs))
            if self._config.overflow and not flag.read():
                return
            if self._config.synchronous:
                self._held += found
            else:
                for saved in found:
                    self._files.save(self._number, saved)

        return before, after

    def _wants(self, node: Node, name: str) -> bool:
        if self._config.overflow:
            return True
        if self._config.mode == KERNELS:
            return self._config.wants_kernel(name)
        if self._config.mode == MARKED:
            return any(node.prim is m for m in marked) or self._in_marked(node.scope)
        return True

    def _in_marked(self, scope: str) -> bool:
        forward = scope.removeprefix("Gradients").lstrip(".")
        return any(forward == s or forward.startswith(f"{s}.") for s in self._scopes)


def full_name(node: Node, number: int) -> str:
    """The name of an op with its Cells, as MindSpore writes it.

    >>> from minispore import ops
    >>> full_name(Node(ops.ReLU(), (), (), "net.relu", ""), 3)
    'Default/net/relu/ReLU-op3'
    """
    scope = f"Default/{node.scope.replace('.', '/')}" if node.scope else "Default"
    return f"{scope}/{node.prim.name}-op{number}"
