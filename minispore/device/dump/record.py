"""Observes the ops of a graph while it runs, and passes the selected arrays to the dump's files."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from minispore.core.primitive import Primitive
from minispore.device.dump.config import (
    INPUTS,
    KERNELS,
    MARKED,
    OUTPUTS,
    DumpConfig,
    find_dump_config,
)
from minispore.device.dump.files import DumpedArray, DumpWriter
from minispore.execution import overflow
from minispore.graph.blocks import BoundNode
from minispore.graph.ir import Graph
from minispore.graph.print import text
from minispore.ir.node import Node
from minispore.ir.value import Value
from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport

#: Primitives that set_dump has marked, compared by identity, not by equality.
marked_prims: list[Primitive] = []
_graph_numbers = itertools.count()  # counts the dumped graphs
_run_counts: WeakKeyDictionary[Any, int] = WeakKeyDictionary()  # completed runs of each function


def make_dump(
    device_id: int, compiled_function: Any, graph: Graph, cells: Mapping[str, Any]
) -> Dump | None:
    """Return the observer that dumps a traced graph; None if this device does not dump.

    Args:
        device_id: the number of the device that will run it.
        compiled_function: the function that was traced; its runs are counted.
        graph: the graph.
        cells: the Cells of the ops, by scope.
    """
    config = find_dump_config()
    if config is None or device_id not in config.devices:
        return None
    return Dump(config, compiled_function, graph, cells, next(_graph_numbers))


class Dump:
    """The dump of one program; implements :class:`minispore.graph.program.Observer`."""

    def __init__(
        self,
        config: DumpConfig,
        compiled_function: Any,
        graph: Graph,
        cells: Mapping[str, Any],
        number: int,
    ) -> None:
        self.config, self._compiled_function = config, compiled_function
        self._tasks = {id(node): i for i, node in enumerate(graph.nodes)}
        self._names = [make_full_name(node, i) for i, node in enumerate(graph.nodes)]
        self._marked_scopes = {
            scope for scope, cell in cells.items() if cell.get_flags().get("dump")
        }
        self.writer = DumpWriter(config, transport.current.rank(WORLD), number)
        constants = {
            id(a): a.data
            for node in graph.nodes
            for a in node.args
            if isinstance(a, Value) and a.data is not None and a.param is None
        }
        self.writer.write_graph(text(graph), self._names, list(constants.values()))

    def observe_run(self) -> DumpRun:
        """Return the observer of one run; called when the run begins."""
        return DumpRun(self)

    @property
    def run_index(self) -> int:
        """The number of completed runs of the function."""
        return _run_counts.get(self._compiled_function, 0)

    def identify_op(self, node: Node) -> tuple[int, str] | None:
        """Return the number and the full name of an op; None if it is not dumped in this run."""
        task = self._tasks[id(node)]
        name = self._names[task]
        is_selected = self.config.includes_iteration(self.run_index) and self._is_selected(
            node, name
        )
        return (task, name) if is_selected else None

    def count_run(self) -> None:
        """Count a run of the function that has ended, also in the dump's files."""
        index = self.run_index
        self.writer.record_run(index)
        _run_counts[self._compiled_function] = index + 1

    def _is_selected(self, node: Node, name: str) -> bool:
        """Whether the configuration selects this op: all ops, the ops in ``kernels``, or the ops
        marked by set_dump; all ops if it asks for overflows.
        """
        if self.config.overflow:
            return True
        if self.config.mode == KERNELS:
            return self.config.includes_kernel(name)
        if self.config.mode == MARKED:
            return any(
                node.prim is marked_prim for marked_prim in marked_prims
            ) or self._is_in_marked_cell(node.scope)
        return True

    def _is_in_marked_cell(self, scope: str) -> bool:
        """Whether a scope, or the forward scope of a gradient, is in a Cell marked by set_dump."""
        forward_scope = scope.removeprefix("Gradients").lstrip(".")
        return any(
            forward_scope == marked_scope or forward_scope.startswith(f"{marked_scope}.")
            for marked_scope in self._marked_scopes
        )


class DumpRun:
    """The dump of one run; implements :class:`minispore.graph.program.RunObserver`."""

    def __init__(self, dump: Dump) -> None:
        self._dump = dump
        self._pending: list[DumpedArray] = []  # of a synchronous dump

    def end(self) -> None:
        """Write the arrays of a synchronous dump, and count the run."""
        for dumped in self._pending:
            self._dump.writer.write_array(self._dump.run_index, dumped)
        self._dump.count_run()

    def make_calls_around(
        self, bound: BoundNode
    ) -> tuple[Callable[[], None], Callable[[], None]] | None:
        """Return the calls before and after an op that copy its arrays; None if it is not dumped.

        With ``overflow`` the arrays are dropped unless the op overflows.
        """
        op = self._dump.identify_op(bound.node)
        if op is None:
            return None
        (task, name), config = op, self._dump.config
        dumped: list[DumpedArray] = []
        flag = overflow.Flag()
        flag.clear()
        overflow_check = overflow.OverflowCheck(flag, bound.args, bound.outs)

        def copy_arrays(side: str, arrays: list[Any]) -> None:
            """Copy the arrays among the op's arguments or outputs, to be dumped as ``side``."""
            copied = [a for a in arrays if isinstance(a, np.ndarray)]
            op_type = bound.node.prim.name
            dumped.extend(
                DumpedArray(op_type, name, task, side, slot, a.copy())
                for slot, a in enumerate(copied)
            )

        def before() -> None:  # before the op, since its output may overwrite an input
            """Record the inputs' non-finite values and copy the inputs, since the op's output may
            overwrite one.
            """
            overflow_check.before()
            if config.sides != OUTPUTS:
                copy_arrays("input", bound.args)

        def after() -> None:
            """Copy the outputs; then write all copies, or queue them if the dump is synchronous.

            With ``overflow`` nothing is written unless the op has overflowed.
            """
            overflow_check.after()
            if config.sides != INPUTS:
                copy_arrays("output", list(bound.outs))
            if config.overflow and not flag.read():
                return
            if config.synchronous:
                self._pending += dumped
            else:
                for dumped_array in dumped:
                    self._dump.writer.write_array(self._dump.run_index, dumped_array)

        return before, after


def make_full_name(node: Node, number: int) -> str:
    """Return the full name of an op, with its scope, in MindSpore's format.

    >>> from minispore import ops
    >>> make_full_name(Node(ops.ReLU(), (), (), "net.relu", ""), 3)
    'Default/net/relu/ReLU-op3'
    """
    scope = f"Default/{node.scope.replace('.', '/')}" if node.scope else "Default"
    return f"{scope}/{node.prim.name}-op{number}"
