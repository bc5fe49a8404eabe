"""The interface of the compiler: call a function as a graph, compile it when needed, and cache it.

A compiled graph is valid for one set of input specs, static arguments and Cell states. Control flow
on tensor values gives one entry several programs, which their guards tell apart; beyond
``SPECIALISATIONS`` of them the function runs op by op.
"""

from __future__ import annotations

import logging
import sys
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any

import numpy as np

from minispore import context
from minispore.core import interpreter
from minispore.core.row_gradient import RowGradient
from minispore.core.staged import get_loop_count
from minispore.core.tensor import Tensor, wrap
from minispore.core.tree import leaves
from minispore.core.views import write_through
from minispore.errors import GraphModeError
from minispore.execution.layout import normalize_strides
from minispore.foundation import process
from minispore.foundation.tracebacks import shorten_traceback
from minispore.graph import stages
from minispore.graph.boundary import (
    check_return_value,
    expand_row_gradients,
    find_first_positions,
    get_array,
    have_shared_content,
    make_structure,
    replace_inputs,
)
from minispore.graph.cache import Cache, Entry
from minispore.graph.ir import Graph
from minispore.graph.keys import (
    check_parameter_names,
    find_input_tensors,
    get_cache_owner,
    get_hook_key,
    is_cell,
    make_static_key,
    name_of,
)
from minispore.graph.passes import PIPELINE
from minispore.graph.program import GuardFailed, Observer, Program, Replay
from minispore.graph.stages import Stages
from minispore.graph.state.contents import STREAMS
from minispore.graph.state.scanner import DependencyScanner
from minispore.graph.state.tracked import StateSnapshots
from minispore.graph.trace import (
    ReplayInterpreter,
    Resize,
    Retrace,
    TracedCodeError,
    Tracer,
    Untraceable,
    capture_print,
    finish_graph,
    user_line,
)
from minispore.graph.verify import verify
from minispore.ir import runtime as seam
from minispore.ir.value import Spec, Value

log = logging.getLogger("minispore.graph")

SPECIALISATIONS = 16  # programs per entry, one per combination of branches taken

checking = False  # run the verifier after every pass (tests switch it on)


def optimise(graph: Graph, compile_stages: Stages | None = None) -> Graph:
    """Run all passes on ``graph`` and return the graph that results; record the graph after each
    pass in ``compile_stages``, if given.
    """
    if checking:
        verify(graph)
    for graph_pass in PIPELINE:
        graph = graph_pass(graph)
        if checking:
            verify(graph, graph_pass.__name__)
        if compile_stages is not None:
            compile_stages.note(f"optimize.{graph_pass.__name__}", graph)
    if compile_stages is not None:
        compile_stages.note("validate", graph)
    return graph


class Watcher:
    """Base class of observers that are notified of each call, compile and refusal.

    They are listed in ``GraphCompiler.watchers``; as long as there are none, a call only tests an
    empty tuple.
    """

    @contextmanager
    def around_call(self, fn: Any) -> Iterator[None]:
        """Context manager around each call of ``fn`` as a graph."""
        yield

    def on_recompile(self, fn: Any, reason: str, old: Entry | None) -> None:
        """Called before ``fn`` is compiled again, because none of its entries is valid for a call;
        ``old`` is a stale entry with the same key, or None.
        """

    def on_compile(self, fn: Any, entry: Entry) -> None:
        """Called when a program of ``fn`` has been compiled."""

    def on_give_up(self, fn: Any, why: str) -> None:
        """Called when ``fn`` will run op by op from now on."""

    def on_write(self, tensor: Tensor, inputs: list[Tensor]) -> None:
        """Called before a graph writes into ``tensor``, one of its inputs."""


class Invocation:
    """One call of an entry, which a runtime launches; made by :meth:`GraphCompiler.call`.

    Args:
        compiler: the compiler.
        entry: the cache entry of the call.
        fn: the function.
        args: its arguments.
        kwargs: its keyword arguments.
        graph_arguments: ``args`` and ``kwargs`` as a graph takes them, with row gradients expanded
            into their parts.
    """

    def __init__(
        self,
        compiler: GraphCompiler,
        entry: Entry,
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        graph_arguments: tuple[Any, Any],
    ) -> None:
        self.compiler, self.entry, self.fn = compiler, entry, fn
        self.args, self.kwargs, self.graph_arguments = args, kwargs, graph_arguments
        self.result: Any = _NOTHING  # the result, if the function runs op by op

    @property
    def program(self) -> Program | None:
        """The program of the entry that ran last, which the next run tries first; None before the
        first run.
        """
        return self.entry.last_program

    @property
    def traced(self) -> Graph | None:
        """The graph of :attr:`program`."""
        return None if self.entry.last_program is None else self.entry.last_program.traced

    def run(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        """Run the program whose guards hold, or trace a new one, and return its outputs.

        Runs the function op by op if it can't be traced or if there would be too many programs;
        then ``result`` holds its result. Effects of a run whose guard failed are not repeated.
        """
        entry = self.entry
        if entry.eager_reason is not None:
            return self._run_eagerly()
        program, replay = entry.last_program, None
        answers: tuple[bool | int, ...] = ()
        while True:
            if program is None:
                failure: Untraceable | TracedCodeError | None = None
                try:
                    with process.gc_disabled():
                        program = self.compiler.trace(
                            entry, self.fn, *self.graph_arguments, inputs, answers
                        )
                except (Untraceable, TracedCodeError) as exc:
                    failure = exc
                if program is None:  # outside the except clause: its error would become the context
                    assert failure is not None
                    return self._run_untraceable(failure, replay)
            if program.admitted_by is not seam.runtime:  # compiled for another device
                self.compiler.admit(program)
            try:
                with np.errstate(all="ignore"):  # log(0) is -inf without warning, as on any device
                    out = program.run(inputs, replay)
            except GuardFailed as failed:
                # The guards before the failed one held, so their answers in this run are the
                # expected ones.
                outcomes = tuple(g.expected for g in program.graph.guards[: failed.index])
                answers = (*outcomes, failed.answer)
                replay = failed.replay
                line = program.graph.guards[failed.index].line
                program = next(
                    (p for key, p in entry.programs.items() if key[: len(answers)] == answers), None
                )
                if program is None and len(entry.programs) >= SPECIALISATIONS:
                    why = f"more than {SPECIALISATIONS} combinations of branches on tensor values"
                    self.compiler.give_up(entry, self.fn, Untraceable(why, line))
                    return self._run_eagerly(replay)
                continue
            entry.last_program = program
            return out

    def _run_untraceable(
        self, failure: Untraceable | TracedCodeError, replay: Replay | None
    ) -> list[np.ndarray]:
        """Run the function op by op, in this call and all later ones, since it can't be traced.

        If the exception of the traced code also occurs op by op, it is raised, the Parameters are
        restored, and later calls trace again.
        """
        if isinstance(failure, TracedCodeError):
            with failure.restore_on_error():
                out = self._run_eagerly(replay)
            self.compiler.give_up(self.entry, self.fn, failure)
            return out
        self.compiler.give_up(self.entry, self.fn, failure)
        return self._run_eagerly(replay)

    def _run_eagerly(self, replay: Replay | None = None) -> list[np.ndarray]:
        """Run the function op by op without repeating the effects in ``replay``; set ``result`` and
        return its arrays.
        """
        if replay is None:
            with interpreter.using_interpreter(_EAGER_INTERPRETER), context.op_by_op():
                self.result = get_traced_call(self.fn)(*self.args, **self.kwargs)
        else:
            interp = ReplayInterpreter(replay)
            with interpreter.using_interpreter(interp), capture_print(interp), context.op_by_op():
                self.result = get_traced_call(self.fn)(*self.args, **self.kwargs)
        return [t.asnumpy() for t in find_input_tensors(self.result)]


def _flatten_inputs(tree: Any) -> tuple[Any, list[Tensor]]:
    """Return ``tree`` with row gradients expanded into their parts, and the list of its tensors."""
    tensors = find_input_tensors(tree)
    if any(isinstance(t, RowGradient) for t in tensors):
        tree = expand_row_gradients(tree)
        tensors = find_input_tensors(tree)
    return tree, tensors


def get_traced_call(fn: Any) -> Any:
    """Return the callable to trace for ``fn``; a function that is not a Cell's is traced itself.

    For a Cell it is the call that ``Cell`` defines, not a ``__call__`` of the subclass. For a
    Cell's ``construct`` it is a call of that method in the Cell's precision.
    """
    if is_cell(fn):
        return fn._plain_call_
    cell: Any = getattr(fn, "__self__", None)
    if is_cell(cell) and fn.__name__ == "construct":
        return lambda *args, **kwargs: cell._run_in_precision_(fn, args, kwargs)
    return fn


_NOTHING = object()
_EAGER_INTERPRETER = interpreter.Pynative(stages=False)


class GraphCompiler:
    """Compiles functions and caches their programs; implements Compiler of
    :mod:`minispore.ir.runtime`.
    """

    def __init__(self) -> None:
        self.cache = Cache()
        # Called before a traced graph becomes a program, and before a program runs on a runtime
        # other than its last one; an exception refuses it. The second argument traces the function
        # on inputs of other specs; it is None if a program moves to another runtime.
        self.admission_checks: list[Callable[[Graph, Retrace | None], None]] = []
        # Called for each traced graph; a returned observer sees the ops of the traced graph run,
        # without optimisation.
        self.observer_factories: list[
            Callable[[Entry, Graph, dict[str, Any]], Observer | None]
        ] = []
        # In a dry run it makes a stub in place of a program, which computes nothing.
        self.make_dry_run_program: Callable[[str, Graph, Any, list[int]], Program] | None = None
        self.recompiles: list[str] = []  # the reasons, newest last
        self.compiles = 0
        self.watchers: tuple[Watcher, ...] = ()
        # Returns a context that is entered for each trace under jit_syntax_level=STRICT; an
        # exception refuses the function.
        self.syntax_checker: Callable[[Any], AbstractContextManager[None]] | None = None

    # -- calling -----------------------------------------------------------------------------------

    def call(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return ``fn(*args, **kwargs)``, computed as one graph; compiles it if needed.

        Notifies the watchers. Frames of this package are removed from the traceback of an error.
        """
        try:
            if not self.watchers:
                return self._call_graph(fn, args, kwargs)
            with ExitStack() as contexts:
                for watcher in self.watchers:
                    contexts.enter_context(watcher.around_call(fn))
                return self._call_graph(fn, args, kwargs)
        except Exception as exc:
            shorten_traceback(exc)
            raise

    def _call_graph(
        self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Run ``fn`` as a graph, rebuild its result, and write back inputs that it changed in
        place.

        Returns the result of the op-by-op run if the function can't be a graph.
        """
        graph_arguments, tensors = _flatten_inputs((args, kwargs))
        entry = self._get_entry(fn, graph_arguments, tensors)
        if context.current().save_graphs and entry.last_program is not None:
            self._save_cached_stages(entry, entry.last_program)
        invocation = Invocation(self, entry, fn, args, kwargs, graph_arguments)
        inputs = [get_array(t) for t in tensors]
        outputs = seam.runtime.launch(invocation, inputs, get_loop_count(fn))
        if invocation.result is not _NOTHING:
            return invocation.result
        values = [Value(Spec(a.shape, a.dtype), a.copy()) for a in outputs]
        program = entry.last_program
        assert program is not None
        result = program.structure.rebuild_result(values, tensors)
        for i, value in zip(program.written_inputs, values[program.structure.slot_count :]):
            for watcher in self.watchers:
                watcher.on_write(tensors[i], tensors)
            write_through(tensors[i], value)
        return result

    def program(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Program | None:
        """Return the program of ``fn`` for these arguments, compiled if needed; None if it runs op
        by op.

        The program is not run. An exception of the traced code is raised unchanged.
        """
        graph_arguments, tensors = _flatten_inputs((args, kwargs))
        entry = self._get_entry(fn, graph_arguments, tensors)
        if entry.last_program is None and entry.eager_reason is None:
            try:
                with process.gc_disabled():
                    self.trace(
                        entry,
                        fn,
                        graph_arguments[0],
                        graph_arguments[1],
                        [get_array(t) for t in tensors],
                    )
            except Untraceable as exc:
                self.give_up(entry, fn, exc)
            except TracedCodeError as exc:
                raise exc.error from exc.error.__cause__
        return entry.last_program

    def prepare(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
        """Compile ``fn`` for these arguments without running it; a function that can't be a graph
        will run op by op.

        Returns:
            False if an argument has no content, as one of dynamic shape. Then nothing is compiled,
            since each shape gets its own graph when it occurs.
        """
        if any(t._value.data is None for t in find_input_tensors((args, kwargs))):
            return False
        self.program(fn, *args, **kwargs)
        return True

    # -- the cache ---------------------------------------------------------------------------------

    def _get_entry(self, fn: Any, graph_arguments: Any, tensors: list[Tensor]) -> Entry:
        """Return a valid cache entry for a call, or add a new one and report why it is needed.

        The key includes the specs of the tensors, their hooks and sharing, strides other than C
        order, and the static arguments.
        """
        owner, extra = get_cache_owner(fn)
        specs = tuple([t._value.spec for t in tensors])
        hooks = tuple([get_hook_key(t) for t in tensors if t.hooks_ is not None])
        key: tuple[Any, ...] = ((extra, hooks) if hooks else extra, specs)
        key = (*key, make_static_key(graph_arguments), context.current().conv_winograd)
        if len(tensors) > 1:
            if len(set(map(id, tensors))) < len(tensors):
                key = (*key, find_first_positions(tensors))  # one tensor passed as two arguments
            if have_shared_content(tensors):
                key = (*key, "shared content")
        arrays = [t._value.data for t in tensors]
        if any(a is not None and not a.flags.c_contiguous for a in arrays):
            key = (*key, tuple([None if a is None else normalize_strides(a) for a in arrays]))
        entry, reason = self.cache.find(owner, key)
        if entry is not None:
            return entry
        if reason is not None:
            self._report_recompile(fn, reason)
            stale_entry = next(iter(self.cache.entries.get(owner, {}).get(key, ())), None)
            for watcher in self.watchers:
                watcher.on_recompile(fn, reason, stale_entry)
        return self.cache.add_entry(owner, key, name_of(fn))

    def _report_recompile(self, fn: Any, reason: str) -> None:
        """Add the reason of a recompile to ``recompiles``, which keeps the last 256; log it, and
        print it if the context says so.
        """
        text = f"{name_of(fn)}: {reason}"
        self.recompiles.append(text)
        del self.recompiles[:-256]
        log.info("recompile %s", text)
        if context.current().print_recompiles:
            print(f"recompile {text}", file=sys.stderr)

    def give_up(self, entry: Entry, fn: Any, why: Exception) -> None:
        """Make ``entry`` run op by op from now on, with a warning that gives the reason.

        Also drops its programs and notifies the watchers.
        """
        entry.eager_reason = str(why)
        for watcher in self.watchers:
            watcher.on_give_up(fn, str(why))
        entry.programs.clear()
        entry.last_program = None
        warnings.warn(
            f"GRAPH_MODE: {entry.name} runs op by op, since {why}. Its ops give the same, only "
            "slower.",
            RuntimeWarning,
            stacklevel=2,
        )

    # -- compiling ---------------------------------------------------------------------------------

    def admit(self, program: Program) -> None:
        """Check that ``program`` may run on the current runtime, and record that runtime; an
        exception of an admission check refuses it.
        """
        self._run_admission_checks(program.traced, None)
        program.admitted_by = seam.runtime

    def _run_admission_checks(self, graph: Graph, retrace: Retrace | None) -> None:
        """Call every admission check on ``graph``; an exception refuses it."""
        for admit in self.admission_checks:
            admit(graph, retrace)

    def trace(
        self,
        entry: Entry,
        fn: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        inputs: list[np.ndarray],
        answers: tuple[bool | int, ...] = (),
    ) -> Program:
        """Trace ``fn``, optimise its graph and plan a program, which is added to ``entry``.

        ``answers`` holds the answers to the first guards, from a run that found no program for
        them.

        Raises:
            Untraceable: the function does something that a graph can't repeat; Python state is
                restored.
            TracedCodeError: Python code raised; Python state is restored.
            GraphModeError: STRICT refuses it; Python state is restored.
        """
        compile_stages = Stages() if stages.needs_stages() else None
        tracer = Tracer(answers)
        input_tensors = [wrap(tracer.add_input(Spec(a.shape, a.dtype), a)) for a in inputs]
        first_positions = find_first_positions(find_input_tensors((args, kwargs)))
        input_values = [t.value_ for t in input_tensors]
        original_args, original_kwargs = args, kwargs
        args, kwargs = replace_inputs((args, kwargs), [input_tensors[i] for i in first_positions])
        scanner = DependencyScanner()
        scanner.scan(fn)
        scanner.scan(*leaves((args, kwargs)), name="argument")
        if scanner.untraceable is not None:
            raise Untraceable(*scanner.untraceable)
        states = scanner.tracked_states
        # Arguments are part of the cache key, so their state needs no comparison between calls.
        argument_scanner = DependencyScanner()
        argument_scanner.scan(args, kwargs, name="argument")
        snapshots = StateSnapshots(
            [*states, *scanner.self_reporting_states, *argument_scanner.tracked_states, *STREAMS]
        )
        error: Exception | None = None
        with interpreter.using_interpreter(tracer):
            try:
                with capture_print(tracer), self._get_syntax_check(fn):
                    out = get_traced_call(fn)(*args, **kwargs)
                check_return_value(out)
                out, output_tensors = _flatten_inputs(out)
                written_inputs = [
                    i for i, t in enumerate(input_tensors) if t.value_ is not input_values[i]
                ]
                if any(t.__dict__ for t in (*input_tensors, *output_tensors)):
                    raise Untraceable("an attribute was set on a tensor that goes in or out", "")
                if written_inputs and have_shared_content(
                    find_input_tensors((original_args, original_kwargs))
                ):
                    raise Untraceable("an argument was written that another is a view of", "")
                structure, roots = make_structure(out, input_tensors)
                # The order in which rebuild_result and _call_graph read the outputs.
                results = [*output_tensors, *[input_tensors[i] for i in written_inputs], *roots]
                graph = finish_graph(tracer, [t.value_ for t in results])
                check_parameter_names(fn, (args, kwargs), graph.state)
            except (Untraceable, GraphModeError) as exc:
                error = exc
            except Exception as exc:
                error = TracedCodeError(exc, user_line(), list(tracer.graph.state))
        # A change of Python state outranks an error of the traced code, which it may have caused. A
        # refusal of the tracer, which the traced code may have caught, and a write to a Cell
        # outrank both.
        changed = snapshots.find_changed()
        if changed is not None and not isinstance(error, GraphModeError):
            state, name = changed
            error = Untraceable(f"{state.label} {name} was changed", scanner.find_line(name))
        if not isinstance(error, GraphModeError):
            error = tracer.refusal or tracer.find_cell_write() or error
        if error is not None:
            tracer.restore_cells()
            snapshots.restore_all()
            raise error
        if compile_stages is not None:
            compile_stages.note("trace", graph)

        def retrace(resize: Resize) -> Graph:
            """Trace the call again for an admission check, on inputs of the specs that ``resize``
            returns; return the graph, without outputs. Attributes of Cells are restored afterwards.
            """
            retracer = Tracer(answers, resize)
            resized_specs = resize([v.spec for v in input_values])
            resized_tensors = [wrap(retracer.add_input(spec, None)) for spec in resized_specs]
            resized_args, resized_kwargs = replace_inputs(
                (args, kwargs), [resized_tensors[i] for i in first_positions]
            )
            with interpreter.using_interpreter(retracer), capture_print(retracer):
                try:
                    get_traced_call(fn)(*resized_args, **resized_kwargs)
                finally:
                    retracer.restore_cells()
            return finish_graph(retracer, [])

        self._run_admission_checks(graph, retrace)
        traced = graph
        if compile_stages is not None:
            compile_stages.note("admission")
        candidates = [observe(entry, traced, tracer.scopes) for observe in self.observer_factories]
        observers = [o for o in candidates if o is not None]
        program: Program
        if self.make_dry_run_program is not None:
            program = self.make_dry_run_program(entry.name, traced, structure, written_inputs)
        else:
            for p in graph.state:
                p.init_data()
            with np.errstate(all="ignore"):
                graph = optimise(graph, compile_stages) if not observers else traced
                program = Program(graph, traced, structure, writes=written_inputs)
            program.observers = tuple(observers)
        program.admitted_by = seam.runtime
        if compile_stages is not None:
            compile_stages.note("plan")
            self._report_stages(entry, program, compile_stages)
        self.compiles += 1
        entry.programs[tuple(g.expected for g in graph.guards)] = program
        entry.last_program = program
        cells = {id(c): c for c in (*tracer.visited, *scanner.cells)}.values()
        entry.cell_keys = [(weakref.ref(c), c._graph_key_()) for c in cells]
        entry.state_snapshots = [(state, state.take_weak_snapshot()) for state in states]
        specs = {p: p.value_.spec for p in scanner.parameters}
        specs |= {p: v.spec for p, v in traced.state.items()}
        entry.params = [(p, spec, p.requires_grad) for p, spec in specs.items()]
        entry.hooks = [(p, get_hook_key(p)) for p in traced.state]
        entry._last_change_count = interpreter.get_change_count()
        for watcher in self.watchers:
            watcher.on_compile(fn, entry)
        return program

    def _get_syntax_check(self, fn: Any) -> AbstractContextManager[None]:
        """Return the context in which to trace ``fn``, which checks the syntax if STRICT is set.

        Otherwise, or without a checker, the context does nothing.
        """
        if self.syntax_checker is None or not context.is_syntax_strict():
            return nullcontext()
        return self.syntax_checker(fn)

    def _report_stages(self, entry: Entry, program: Program, compile_stages: Stages) -> None:
        """Save the graphs and print the times of a compile, if the settings ask for it."""
        if stages.get_save_settings()[0]:
            compile_stages.save(entry.name, program)
        if stages.is_timing_enabled():
            print(compile_stages.times(), flush=True)

    def _save_cached_stages(self, entry: Entry, program: Program) -> None:
        """Save the stages of a program that was compiled before ``save_graphs`` was set, once per
        folder.
        """
        level, folder = stages.get_save_settings()
        if level and program.saved_to != folder:
            compile_stages = Stages()
            compile_stages.note("trace", program.traced)
            optimise(program.traced, compile_stages)
            compile_stages.save(entry.name, program)


compiler = GraphCompiler()
