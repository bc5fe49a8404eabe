"""A program: bound NumPy calls on planned buffers, run from first to last."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from time import perf_counter_ns
from typing import Any, Protocol

import numpy as np

from minispore.core import overflow, random
from minispore.core.kernels import blas
from minispore.core.parameter import Parameter
from minispore.core.primitive import Calls
from minispore.core.runtime import Runtime
from minispore.core.threads import crew, helpers
from minispore.core.value import Node, Spec, Value
from minispore.graph.blocks import Bound, Run, runs
from minispore.graph.ir import Graph, Guard
from minispore.graph.pace import Pace
from minispore.graph.plan import Plan, make_plan
from minispore.graph.tiles import tiled

NODE_BYTES = 2000  # of a node, its values and its bound calls, as measured


class GuardFailed(Exception):
    """Python would have taken another branch than the one that this program was traced on."""

    def __init__(self, index: int, answer: bool | int, replay: Replay) -> None:
        super().__init__(index, answer)
        self.index, self.answer, self.replay = index, answer, replay


class Replay:
    """Effects that a run had before a guard failed; the next program takes them over instead of
    repeating them.
    """

    __slots__ = ("effects", "fetched")

    def __init__(self) -> None:
        self.fetched: list[Any] = []  # what data queues gave
        # What other effects (prints, exchanges between ranks) have left in their outputs.
        self.effects: list[list[np.ndarray]] = []


class Observer(Protocol):
    """Sees each op of a program run."""

    def begin(self) -> None:
        """A run begins."""

    def look(self, bound: Bound) -> tuple[Callable[[], Any], Callable[[], Any]] | None:
        """What to call before and after the calls of one node, in this run."""

    def end(self) -> None:
        """The run has come to its end; not called where an exception ends it."""


class Program:
    """A compiled graph.

    Attributes:
        graph: the graph that it runs.
        plan: where each value lies.
        peak_bytes: memory that it works on: its part of the arena, parameters and results.
        home: the runtime that has admitted it last.
        observers: who sees its ops run.
        saved_to: the folder that its stages were written to, if they were.
    """

    def __init__(
        self,
        graph: Graph,
        traced: Graph | None = None,
        structure: Any = None,
        sliced: bool = True,
        shared: bool = True,
        writes: Sequence[int] = (),
    ) -> None:
        self.graph = graph
        self._sliced = sliced  # whether runs of pointwise ops may go slice by slice
        self.traced = traced if traced is not None else graph
        self.home: Runtime | None = None
        self.observers: tuple[Observer, ...] = ()
        self.saved_to = ""
        self.structure = structure  # how outputs are put together again
        self.writes = writes  # inputs whose new content the last outputs are
        self.plan: Plan = make_plan(graph, shared)
        self.twin: Program | None = None  # runs where this one can't, since its arena is in use
        arrays = self.plan.arrays
        self.inputs = [arrays[v] for v in graph.inputs]
        self._loads = [blas.copier(a) for a in self.inputs]
        made = {v: v.data if v.data is not None else arrays[v] for v in graph.results()}
        self.outputs = [made[v] for v in graph.outputs]
        self._state = [(p, arrays[v]) for p, v in graph.state.items() if v in arrays]
        self._commits = [(p, made[v], self._buffer_of(p)) for p, v in self.plan.commits]
        # Outputs that are what a Parameter was: kept aside before it becomes something else.
        changing = [arrays[graph.state[p]] for p in graph.updates if p in graph.state]
        final = set(graph.updates.values())
        self._aside = [
            (i, out, np.empty_like(out))
            for i, out in enumerate(self.outputs)
            if graph.outputs[i] not in final
            and any(np.may_share_memory(out, home) for home in changing)
        ]
        self._replay: Replay | None = None
        self._effects_seen = 0
        self.draws = any(n.prim.draws for n in graph.nodes)
        self._snapshot = bool(graph.guards) and self.draws
        self._steps: list[Callable[[], Any]] = []
        self._nodes: list[Node | None] = []
        self._bounds: list[tuple[int, int, Bound]] = []  # whose calls are steps[i:j]
        self._order: list[Bound | Callable[[], Any]] = []  # what runs, before slices are cut
        self._timed = False
        self._pace = Pace()
        self._newest = 0  # the last of its steps that helpers know
        self._way = 1, False  # for so many threads, and whether for helpers, are the next two
        self._tiled, self._tiled_nodes = self._steps, self._nodes
        self._clears = any(n.prim.flag == "clears" for n in graph.nodes)
        self._bind()

    def _buffer_of(self, param: Parameter) -> np.ndarray | None:
        value = self.graph.state.get(param)
        return self.plan.arrays[value] if value is not None else None

    @property
    def nodes(self) -> list[Node]:
        """The nodes that run, in order; views and such are not among them."""
        return [n for n in self.graph.nodes if n not in self.plan.views]

    @property
    def peak_bytes(self) -> int:
        """Memory that the program works on."""
        return self.plan.peak_bytes

    @property
    def held_bytes(self) -> int:
        """Memory that goes when the program goes: its results, and Python's own objects."""
        twin = self.twin
        nodes = len(self.graph.nodes) + len(self.traced.nodes)
        held = self.plan.own_bytes + NODE_BYTES * nodes
        return held if twin is None else held + twin.plan.arena_bytes + twin.held_bytes

    # -- binding -----------------------------------------------------------------------------------

    def _bind(self) -> None:
        arrays = self.plan.arrays
        guards: dict[Value, list[tuple[int, Guard]]] = {}
        for i, g in enumerate(self.graph.guards):
            guards.setdefault(g.value, []).append((i, g))
        for value, asked in guards.items():
            if (
                value.data is not None
                or value in self.graph.inputs
                or value in self.graph.state.values()
            ):
                self._check_now(asked, value.data if value.data is not None else arrays[value])
        for node in self.graph.nodes:
            if node not in self.plan.views:
                args = [
                    (a.data if a.data is not None else arrays[a]) if a.__class__ is Value else a
                    for a in node.args
                ]
                outs = tuple([arrays[o] for o in node.outputs])
                self._order.append(Bound(node, args, outs, self.plan.scratch.get(node, [])))
            for o in node.outputs:
                if o in guards:
                    self._check_now(guards[o], arrays[o])
        for run in runs(self._order):
            if isinstance(run, Run):
                self._close(run)
            else:
                self._steps.append(run)
                self._nodes.append(None)

    def _close(self, run: Run) -> None:
        """Bind the calls of nodes that run together."""
        for bound in run.ordered() if self._sliced else run.members:
            calls = self._emit(bound)
            begin = len(self._steps)
            self._steps += calls
            self._bounds.append((begin, len(self._steps), bound))
            self._nodes += [bound.node] * len(calls)

    def _check_now(self, asked: list[tuple[int, Guard]], array: np.ndarray) -> None:
        self._order += [partial(self._check, index, guard, array) for index, guard in asked]

    def _emit(self, bound: Bound) -> Calls:
        """The calls of a node."""
        node, outs = bound.node, bound.outs
        prim = node.prim
        if prim.dynamic:
            return [partial(self._fetch, node, outs, [blas.copier(out) for out in outs])]
        calls = bound.calls()
        if not prim.pure and not prim.draws and not prim.mutates:
            return [partial(self._effect, call, outs) for call in calls]
        return calls

    def _check(self, index: int, guard: Guard, array: np.ndarray) -> None:
        answer = bool(array) if guard.kind == "bool()" else int(array)
        if answer != guard.expected:
            raise GuardFailed(index, answer, self._replay or Replay())

    def _fetch(self, node: Node, outs: tuple[np.ndarray, ...], loads: Sequence[Any]) -> None:
        replay = self._replay
        if replay is not None and self._fetch_at < len(replay.fetched):
            batch = replay.fetched[self._fetch_at]
        else:
            batch = node.prim.kernel()  # allocates: it is dynamic
            if replay is not None:
                replay.fetched.append(batch)
        self._fetch_at += 1
        for out, load, got, value in zip(outs, loads, batch, node.outputs, strict=True):
            if got.shape != out.shape or got.dtype != out.dtype:
                raise_shape_changed(node, value.spec, got)
            load(got)

    def _effect(self, call: Callable[[], Any], outs: tuple[np.ndarray, ...]) -> None:
        replay, index = self._replay, self._effects_seen
        self._effects_seen += 1
        if replay is not None and index < len(replay.effects):
            for out, had in zip(outs, replay.effects[index], strict=True):
                np.copyto(out, had)
            return
        call()
        if replay is not None:
            replay.effects.append([out.copy() for out in outs])

    # -- running -----------------------------------------------------------------------------------

    def run(self, inputs: list[np.ndarray], replay: Replay | None = None) -> list[np.ndarray]:
        """Run once.

        Args:
            inputs: one array per input, of the traced shape and dtype.
            replay: effects of a run that ended at a guard of another program.

        Returns:
            The outputs; they belong to the program and change at its next run.

        Raises:
            GuardFailed: the graph was traced on another branch; nothing but
            ``replay`` has happened.
        """
        lock = self.plan.arena.lock
        if not lock.acquire(blocking=False):  # by another thread, or around this call
            if self.twin is None:
                self.twin = Program(
                    self.graph, self.traced, self.structure, self._sliced, shared=False
                )
            return self.twin.run(inputs, replay)
        try:
            return self._run(inputs, replay)
        finally:
            lock.release()

    def _run(self, inputs: list[np.ndarray], replay: Replay | None) -> list[np.ndarray]:
        self.load(inputs)
        steps, paced = self._steps, False
        if self._clears or overflow.flag.watching or self.observers:
            steps = self._watched()
        elif self._sliced and crew.size() > 1 and not self._timed:
            paced = helpers.wanted() and self.plan.arena.common
            if not paced or self._pace.helped():
                steps = self._in_tiles(crew.size(), paced)
        begun = perf_counter_ns()
        if self.graph.guards:
            self._replay = replay or Replay()
            state = random.get_state() if self._snapshot else None
            try:
                for step in steps:
                    step()
            except GuardFailed:
                if state is not None:
                    random.set_state(state)
                raise
        else:
            for step in steps:
                step()
        if paced:
            self._pace.took(steps is not self._steps, perf_counter_ns() - begun)
        self.commit()
        return self.outputs

    def _in_tiles(self, threads: int, helped: bool = False) -> list[Callable[[], Any]]:
        """All calls, those of large nodes in tiles for so many threads, or for helpers."""
        if self._way != (threads, helped):
            made = tiled(self._order, self._emit, threads, helped)
            self._tiled, self._tiled_nodes = [step for _, step in made], [node for node, _ in made]
            self._way = threads, helped
            numbers = [step.number for step in self._tiled if isinstance(step, helpers.Step)]
            self._newest = max(numbers, default=0)
        if self._newest and not helpers.ready(self._newest):
            return self._in_tiles(threads)  # none are to be had
        return self._tiled

    def _watched(self) -> list[Callable[[], Any]]:
        """All calls, and around those of a node a look at whether it overflows, and
        what observers do.
        """
        steps: list[Callable[[], Any]] = [o.begin for o in self.observers]
        at = 0
        for begin, end, bound in self._bounds:
            look = overflow.Look(overflow.flag, bound.args, bound.outs)
            looks = [found for o in self.observers if (found := o.look(bound)) is not None]
            steps += [*self._steps[at:begin], look.before, *[before for before, _ in looks]]
            steps += [*self._steps[begin:end], look.after, *[after for _, after in looks]]
            at = end
        return [*steps, *self._steps[at:], *[o.end for o in self.observers]]

    def load(self, inputs: list[np.ndarray]) -> None:
        """Copy inputs into the program's buffers, and Parameters that have moved elsewhere."""
        for param, buffer in self._state:
            if param._lent is not None:
                param.reclaim_()
            if param._value.data is not buffer:
                np.copyto(buffer, param._value.data)
                param._value = Value(param._value.spec, buffer, param)
        for load, given in zip(self._loads, inputs):
            load(given)
        self._effects_seen = self._fetch_at = 0

    def steps(self) -> Iterator[tuple[Node | None, Callable[[], Any]]]:
        """Each call with its node (None: it is a guard's), for those who run it slowly."""
        return zip(self._nodes, self._steps)

    def node_of(self, step: Callable[[], Any]) -> Node | None:
        """Whose call ``step`` is, as it stands in a run; the first of those that share it."""
        cut = zip(self._tiled_nodes, self._tiled)
        return next((n for n, call in (*self.steps(), *cut) if call is step), None)

    def commit(self) -> None:
        """Copy what Parameters became where it was not written in place."""
        for i, seen, own in self._aside:
            np.copyto(own, seen)
            self.outputs[i] = own
        for param, made, home in self._commits:
            if home is not None:
                np.copyto(home, made)
            else:
                param.set_value_(Value(Spec(made.shape, made.dtype), made.copy(), param))

    @contextmanager
    def timed(self, calls: list[int], spent_ns: list[int]) -> Iterator[None]:
        """Count call i of :meth:`steps` in ``calls[i]`` and its wall time in ``spent_ns[i]``.

        Inside the ``with`` block; outside nothing is measured.
        """

        def measured(i: int, step: Callable[[], Any]) -> Callable[[], None]:
            def run() -> None:
                begun = perf_counter_ns()
                step()
                spent_ns[i] += perf_counter_ns() - begun
                calls[i] += 1

            return run

        plain = self._steps
        self._steps, self._timed = [measured(i, step) for i, step in enumerate(plain)], True
        try:
            yield
        finally:
            self._steps, self._timed = plain, False

    def explain(self) -> str:
        """The calls of one run: what, on how many bytes, for which line."""
        rows = [f"{'#':>4} {'op':24} {'output':24} {'bytes':>10} {'flops':>11}  line"]
        for i, node in enumerate(self.nodes):
            moved = sum(v.spec.nbytes for v in (*node.inputs, *node.outputs))
            shown = ", ".join(str(o.spec) for o in node.outputs)
            rows.append(
                f"{i:4} {node.prim.name:24} {shown:24} {moved:10} {node.flops:11}  {node.line}"
            )
        plan = self.plan
        rows.append(
            f"peak memory: {self.peak_bytes} bytes (arena {plan.arena_bytes}, "
            f"parameters "
            f"{plan.state_bytes}, "
            f"results {plan.own_bytes})"
        )
        return "\n".join(rows)


def raise_shape_changed(node: Node, spec: Spec, got: np.ndarray) -> None:
    """A batch does not have the shape that the graph was compiled for."""
    raise ValueError(
        f"{node.prim.name}: every batch must have the shape and dtype {spec} that the graph was "
        "compiled for, got "
        f"{got.dtype}{list(got.shape)}. Use batch(..., drop_remainder=True), or PYNATIVE_MODE."
    )


__all__ = ["GuardFailed", "Program", "Replay"]
