"""Programs: bound NumPy calls on planned buffers, run from first to last."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from time import perf_counter_ns
from typing import Any, Protocol

import numpy as np

from minispore.core.parameter import Parameter
from minispore.core.primitive import Calls, Effect
from minispore.execution import overflow, random
from minispore.execution.kernels import blas
from minispore.execution.threads import thread_pool, worker_processes
from minispore.graph.blocks import BoundNode
from minispore.graph.ir import Graph, Guard
from minispore.graph.parallel_tuner import ParallelTuner
from minispore.graph.plan import MemoryPlan, make_plan
from minispore.graph.strides import gather_arguments
from minispore.graph.tiles import make_tiled_steps
from minispore.ir.node import Node
from minispore.ir.runtime import Runtime
from minispore.ir.value import Spec, Value

NODE_BYTES = 2000  # measured: size of a node with its values and its bound calls


class GuardFailed(Exception):
    """Raised by a run in which Python would take a branch other than the one that was traced.

    Args:
        index: the number of the guard.
        answer: the answer of this run.
        replay: the effects of the run so far.
    """

    def __init__(self, index: int, answer: bool | int, replay: Replay) -> None:
        super().__init__(index, answer)
        self.index, self.answer, self.replay = index, answer, replay


class Replay:
    """The outputs of a run's effects before a guard failed; the next program returns them instead
    of repeating the effects.
    """

    __slots__ = ("batches", "effect_outputs")

    def __init__(self) -> None:
        self.batches: list[Any] = []  # the batches of data queues
        # The outputs of other effects (prints, exchanges between ranks).
        self.effect_outputs: list[list[np.ndarray]] = []


class Observer(Protocol):
    """Protocol of observers of a program's runs, which may overlap."""

    def observe_run(self) -> RunObserver:
        """Return the observer of one run; called when the run begins."""


class RunObserver(Protocol):
    """Protocol of observers of the ops of one run."""

    def make_calls_around(
        self, bound: BoundNode
    ) -> tuple[Callable[[], Any], Callable[[], Any]] | None:
        """Return the calls to make before and after a node's calls; None if there are none."""

    def end(self) -> None:
        """Called when the run has ended, unless it ended by an exception."""


class Program:
    """A compiled graph: an optimised graph, its memory plan and its bound calls.

    Attributes:
        graph: the graph that it runs.
        plan: the memory of each value.
        peak_bytes: the memory that it uses: its part of the arena, parameters and results.
        admitted_by: the runtime that admitted it last.
        observers: objects that see its ops run.
        saved_to: the folder that its stages were written to, if any.
    """

    def __init__(
        self,
        graph: Graph,
        traced: Graph | None = None,
        structure: Any = None,
        shared: bool = True,
        writes: Sequence[int] = (),
    ) -> None:
        self.graph = graph
        self.traced = traced if traced is not None else graph
        self.admitted_by: Runtime | None = None
        self.observers: tuple[Observer, ...] = ()
        self.saved_to = ""
        self.structure = structure  # the form of the function's result
        self.written_inputs = writes  # indices of inputs whose new contents are the last outputs
        self.plan: MemoryPlan = make_plan(graph, shared)
        self.concurrent_copy: Program | None = None  # runs if the arena of this program is in use
        arrays = self.plan.arrays
        self.inputs = [arrays[v] for v in graph.inputs]
        self._input_copiers = [blas.make_copier(a) for a in self.inputs]
        results = {v: v.data if v.data is not None else arrays[v] for v in graph.results()}
        self.outputs = [results[v] for v in graph.outputs]
        self._param_buffers = [(p, arrays[v]) for p, v in graph.state.items() if v in arrays]
        self._copied_updates = [
            (p, results[v], self._find_param_buffer(p)) for p, v in self.plan.copied_updates
        ]
        # Outputs that share memory with a Parameter's old content; they are copied before it is
        # overwritten.
        updated_buffers = [arrays[graph.state[p]] for p in graph.updates if p in graph.state]
        updated_values = set(graph.updates.values())
        self._preserved_outputs = [
            (i, out, np.empty_like(out))
            for i, out in enumerate(self.outputs)
            if graph.outputs[i] not in updated_values
            and any(np.may_share_memory(out, buffer) for buffer in updated_buffers)
        ]
        self._replay: Replay | None = None
        self._effect_count = 0
        self.has_random_draws = any(n.prim.effect is Effect.RANDOM for n in graph.nodes)
        self._restores_random_state = bool(graph.guards) and self.has_random_draws
        self._steps: list[Callable[[], Any]] = []
        self._step_nodes: list[Node | None] = []
        # (i, j, node): the calls of the node are steps[i:j].
        self._call_ranges: list[tuple[int, int, BoundNode]] = []
        # Nodes and guard checks in order, before they are cut into tiles.
        self._schedule: list[BoundNode | Callable[[], Any]] = []
        self._is_timed = False
        self._tuner = ParallelTuner()
        self._last_worker_step = 0  # the highest step number that worker processes must know
        self._tile_mode = 1, False  # (threads, with workers) of the next two lists
        self._tiled_steps, self._tiled_nodes = self._steps, self._step_nodes
        self._clears_overflow_flag = any(
            n.prim.effect is Effect.CLEARS_OVERFLOW for n in graph.nodes
        )
        self._bind_nodes()

    def _find_param_buffer(self, param: Parameter) -> np.ndarray | None:
        """Return the array of a Parameter that the program reads; None if it only writes it."""
        value = self.graph.state.get(param)
        return self.plan.arrays[value] if value is not None else None

    @property
    def nodes(self) -> list[Node]:
        """The nodes that run, in order; views have no call and are left out."""
        return [n for n in self.graph.nodes if n not in self.plan.views]

    @property
    def peak_bytes(self) -> int:
        """The bytes of memory that the program uses."""
        return self.plan.peak_bytes

    @property
    def retained_bytes(self) -> int:
        """The bytes that are freed with the program: its results, its Python objects, and the copy
        of it that runs while its arena is in use.
        """
        copy = self.concurrent_copy
        nodes = len(self.graph.nodes) + len(self.traced.nodes)
        nbytes = self.plan.result_bytes + NODE_BYTES * nodes
        if copy is None:
            return nbytes
        return nbytes + copy.plan.arena_bytes + copy.retained_bytes

    # -- binding -----------------------------------------------------------------------------------

    def _bind_nodes(self) -> None:
        """Bind the calls of all nodes and the checks of guards, in the order in which they run.

        Fills ``_schedule``, ``_steps``, ``_step_nodes`` and ``_call_ranges``.
        """
        arrays = self.plan.arrays
        guards: dict[Value, list[tuple[int, Guard]]] = {}
        for i, g in enumerate(self.graph.guards):
            guards.setdefault(g.value, []).append((i, g))
        available = {*self.graph.inputs, *self.graph.state.values()}  # before any node has run
        for value, value_guards in guards.items():
            if value.data is not None or value in available:
                array = value.data if value.data is not None else arrays[value]
                self._schedule_guard_checks(value_guards, array)
        for node in self.graph.nodes:
            if node not in self.plan.views:
                args = gather_arguments(node, arrays)
                outs = tuple([arrays[o] for o in node.outputs])
                self._schedule.append(BoundNode(node, args, outs, self.plan.scratch.get(node, [])))
            for o in node.outputs:
                if o in guards:
                    self._schedule_guard_checks(guards[o], arrays[o])
        for item in self._schedule:
            begin = len(self._steps)
            if isinstance(item, BoundNode):
                self._steps += self._emit_calls(item)
                self._step_nodes += [item.node] * (len(self._steps) - begin)
                self._call_ranges.append((begin, len(self._steps), item))
            else:
                self._steps.append(item)
                self._step_nodes.append(None)

    def _schedule_guard_checks(
        self, value_guards: list[tuple[int, Guard]], array: np.ndarray
    ) -> None:
        """Append the checks of guards on ``array`` to the schedule, after its node."""
        self._schedule += [
            partial(self._check_guard, index, guard, array) for index, guard in value_guards
        ]

    def _emit_calls(self, bound: BoundNode) -> Calls:
        """Return the calls of a node; a fetch or other effect is wrapped so that it can be
        replayed.
        """
        node, outs = bound.node, bound.outs
        prim = node.prim
        if prim.dynamic:
            return [partial(self._fetch_batch, node, outs, [blas.make_copier(out) for out in outs])]
        calls = bound.calls()
        if prim.effect.is_external:
            return [partial(self._run_effect, call, outs) for call in calls]
        return calls

    def _check_guard(self, index: int, guard: Guard, array: np.ndarray) -> None:
        """Check that the value of a guard gives the answer that the graph was traced with.

        Raises:
            GuardFailed: the answer differs; the exception holds the effects of the run so far.
        """
        answer = bool(array) if guard.question == "bool()" else int(array)
        if answer != guard.expected:
            raise GuardFailed(index, answer, self._replay or Replay())

    def _fetch_batch(
        self, node: Node, outs: tuple[np.ndarray, ...], copiers: Sequence[Any]
    ) -> None:
        """Copy the next batch of a data queue into ``outs``.

        The batch comes from the replay if an earlier run has fetched it. Otherwise it comes from
        the queue and is added to the replay.

        Raises:
            ValueError: the shape or dtype of the batch is not the one that the graph was compiled
                for.
        """
        replay = self._replay
        if replay is not None and self._fetch_count < len(replay.batches):
            batch = replay.batches[self._fetch_count]
        else:
            batch = node.prim.kernel()  # returns new arrays, since the primitive is dynamic
            if replay is not None:
                replay.batches.append(batch)
        self._fetch_count += 1
        for out, copy, array, value in zip(outs, copiers, batch, node.outputs, strict=True):
            if array.shape != out.shape or array.dtype != out.dtype:
                raise_shape_changed(node, value.spec, array)
            copy(array)

    def _run_effect(self, call: Callable[[], Any], outs: tuple[np.ndarray, ...]) -> None:
        """Run a call with an effect, or copy its recorded outputs if an earlier run already had the
        effect.

        The outputs are added to the replay for the next program.
        """
        replay, index = self._replay, self._effect_count
        self._effect_count += 1
        if replay is not None and index < len(replay.effect_outputs):
            for out, recorded in zip(outs, replay.effect_outputs[index], strict=True):
                np.copyto(out, recorded)
            return
        call()
        if replay is not None:
            replay.effect_outputs.append([out.copy() for out in outs])

    # -- running -----------------------------------------------------------------------------------

    def run(self, inputs: list[np.ndarray], replay: Replay | None = None) -> list[np.ndarray]:
        """Run the program once, in a copy of its own arena if the arena is in use.

        Args:
            inputs: one array per input, with the traced shape and dtype.
            replay: the effects of a run of another program that ended at a guard.

        Returns:
            The outputs; the program owns these arrays and overwrites them at its next run.

        Raises:
            GuardFailed: the graph was traced on another branch; only the effects in the exception's
                ``replay`` have happened.
        """
        lock = self.plan.arena.lock
        is_free = lock.acquire(blocking=False)
        if not is_free:  # in use by another thread, or by an enclosing call
            if self.concurrent_copy is None:
                self.concurrent_copy = Program(
                    self.graph,
                    self.traced,
                    self.structure,
                    shared=False,
                    writes=self.written_inputs,
                )
                self.concurrent_copy.observers = self.observers
            return self.concurrent_copy.run(inputs, replay)
        try:
            return self._run_locked(inputs, replay)
        finally:
            lock.release()

    def _run_locked(self, inputs: list[np.ndarray], replay: Replay | None) -> list[np.ndarray]:
        """Run once in this program's arena, which the caller has locked, and update the Parameters.

        Chooses the steps: observed ones if an observer or the overflow flag needs them, tiled ones
        if several threads are in use, otherwise the plain ones. If a guard fails, the random state
        is restored.
        """
        self.load(inputs)
        steps, is_timed = self._steps, False
        if self._clears_overflow_flag or overflow.flag.watching or self.observers:
            steps = self._make_observed_steps()
        elif thread_pool.get_thread_count() > 1 and not self._is_timed:
            is_timed = (
                worker_processes.should_use_workers() and self.plan.arena.is_visible_to_workers
            )
            if not is_timed or self._tuner.use_workers():
                steps = self._get_tiled_steps(thread_pool.get_thread_count(), is_timed)
        start_ns = perf_counter_ns()
        if self.graph.guards:
            self._replay = replay or Replay()
            state = random.get_state() if self._restores_random_state else None
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
        if is_timed:
            self._tuner.record(steps is not self._steps, perf_counter_ns() - start_ns)
        self.commit()
        return self.outputs

    def _get_tiled_steps(self, threads: int, with_workers: bool = False) -> list[Callable[[], Any]]:
        """Return the steps for several threads, rebuilt if the number of threads or the use of
        workers has changed.

        Falls back to threads of this process if worker processes are not ready.
        """
        if self._tile_mode != (threads, with_workers):
            steps = make_tiled_steps(self._schedule, self._emit_calls, threads, with_workers)
            self._tiled_steps = [step for _, step in steps]
            self._tiled_nodes = [node for node, _ in steps]
            self._tile_mode = threads, with_workers
            numbers = [
                step.number for step in self._tiled_steps if isinstance(step, worker_processes.Step)
            ]
            self._last_worker_step = max(numbers, default=0)
        if self._last_worker_step and not worker_processes.ensure_workers(self._last_worker_step):
            return self._get_tiled_steps(threads)  # worker processes are not available
        return self._tiled_steps

    def _make_observed_steps(self) -> list[Callable[[], Any]]:
        """Return the steps with overflow checks, and with observers' calls around the calls of each
        node, and the end of each observer's run last; begins a new run of each observer.
        """
        observers = [o.observe_run() for o in self.observers]
        steps: list[Callable[[], Any]] = []
        copied_until = 0
        for begin, end, bound in self._call_ranges:
            check = overflow.OverflowCheck(overflow.flag, bound.args, bound.outs)
            wrappers = [
                wrapper for o in observers if (wrapper := o.make_calls_around(bound)) is not None
            ]
            steps += [*self._steps[copied_until:begin], check.before]
            steps += [before for before, _ in wrappers]
            steps += [*self._steps[begin:end], check.after, *[after for _, after in wrappers]]
            copied_until = end
        return [*steps, *self._steps[copied_until:], *[o.end for o in observers]]

    def load(self, inputs: list[np.ndarray]) -> None:
        """Copy ``inputs`` and replaced contents of Parameters into the program's buffers.

        Afterwards the Parameters hold those buffers; a tensor that shared a Parameter's content
        gets a copy. Also resets the effect and fetch counters of the run.
        """
        for param, buffer in self._param_buffers:
            if param._aliasing_value is not None:
                param.unshare_()
            if param._value.data is not buffer:
                np.copyto(buffer, param._value.data)
                param._value = Value(param._value.spec, buffer, param)
        for copy, array in zip(self._input_copiers, inputs):
            copy(array)
        self._effect_count = self._fetch_count = 0

    def steps(self) -> Iterator[tuple[Node | None, Callable[[], Any]]]:
        """Return each call with its node (None for the check of a guard), to run them one at a
        time.
        """
        return zip(self._step_nodes, self._steps)

    def find_node(self, step: Callable[[], Any]) -> Node | None:
        """Find the node of ``step``, one of the calls of a run on one or several threads.

        Returns:
            None if the call has no node; the first node if several share the call.
        """
        tiled_pairs = zip(self._tiled_nodes, self._tiled_steps)
        return next((n for n, call in (*self.steps(), *tiled_pairs) if call is step), None)

    def commit(self) -> None:
        """Copy updates that are not in place to their Parameters at the end of a run.

        Before that, outputs that share memory with the old content of a Parameter are copied.
        """
        for i, output, preserved in self._preserved_outputs:
            np.copyto(preserved, output)
            self.outputs[i] = preserved
        for param, result, buffer in self._copied_updates:
            if buffer is not None:
                np.copyto(buffer, result)
            else:
                param.set_value_(Value(Spec(result.shape, result.dtype), result.copy(), param))

    @contextmanager
    def measure_calls(self, calls: list[int], spent_ns: list[int]) -> Iterator[None]:
        """Inside the ``with`` block, count each call i of :meth:`steps` in ``calls[i]`` and add its
        wall time to ``spent_ns[i]``.

        The program runs on one thread inside the block.
        """

        def make_timed_step(i: int, step: Callable[[], Any]) -> Callable[[], None]:
            """Wrap call ``i`` to increment its count and add to its wall time."""

            def run_timed() -> None:
                """Run the call, and add 1 to its count and its wall time to ``spent_ns``."""
                start_ns = perf_counter_ns()
                step()
                spent_ns[i] += perf_counter_ns() - start_ns
                calls[i] += 1

            return run_timed

        steps = self._steps
        self._steps, self._is_timed = [make_timed_step(i, s) for i, s in enumerate(steps)], True
        try:
            yield
        finally:
            self._steps, self._is_timed = steps, False

    def explain(self) -> str:
        """Return a table of the nodes of one run (op, output, bytes, floating-point operations,
        Python line), and the peak memory below it, as text.
        """
        rows = [f"{'#':>4} {'op':24} {'output':24} {'bytes':>10} {'flops':>11}  line"]
        for i, node in enumerate(self.nodes):
            moved_bytes = sum(v.spec.nbytes for v in (*node.inputs, *node.outputs))
            output_specs = ", ".join(str(o.spec) for o in node.outputs)
            rows.append(
                f"{i:4} {node.prim.name:24} {output_specs:24} {moved_bytes:10} "
                f"{node.flops:11}  {node.line}"
            )
        plan = self.plan
        rows.append(
            f"peak memory: {self.peak_bytes} bytes (arena {plan.arena_bytes}, parameters "
            f"{plan.state_bytes}, results {plan.result_bytes})"
        )
        return "\n".join(rows)


def raise_shape_changed(node: Node, spec: Spec, batch_column: np.ndarray) -> None:
    """Raise the error for a batch that does not match the graph.

    Raises:
        ValueError: always; the shape or dtype of the batch is not the one that the graph was
            compiled for.
    """
    raise ValueError(
        f"{node.prim.name}: every batch must have the shape and dtype {spec} that the graph was "
        f"compiled for, got {batch_column.dtype}{list(batch_column.shape)}. Use "
        "batch(..., drop_remainder=True), or PYNATIVE_MODE."
    )


__all__ = ["GuardFailed", "Program", "Replay"]
