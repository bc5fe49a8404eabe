"""The compiler's front: call a function as a graph, compile when it is new, remember what it
depended on.

A compiled graph is valid for one set of input specs, static arguments and Cell states. Control flow
on tensor values gives several programs of one entry, told apart by their guards; past a bound the
function runs op by op.
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

from minispore import context, process
from minispore.core import interpreter
from minispore.core import runtime as seam
from minispore.core.layout import lying
from minispore.core.rows import RowGradient
from minispore.core.staged import loop_of
from minispore.core.tensor import Tensor, wrap
from minispore.core.tree import leaves
from minispore.core.value import Spec, Value
from minispore.core.views import write
from minispore.errors import GraphModeError
from minispore.graph import stages
from minispore.graph.boundary import (
    alike,
    array_of,
    check_returned,
    firsts,
    opened,
    rebuilt,
    structure_of,
)
from minispore.graph.cache import Cache, Entry
from minispore.graph.ir import Graph
from minispore.graph.keys import (
    check_names,
    hooks_of,
    inputs_of,
    name_of,
    owner_of,
    static_key,
)
from minispore.graph.passes import PIPELINE
from minispore.graph.program import GuardFailed, Observer, Program, Replay
from minispore.graph.stages import Stages
from minispore.graph.state.contents import STREAMS
from minispore.graph.state.places import Pictures
from minispore.graph.state.reach import Reach
from minispore.graph.trace import (
    Raised,
    Replaying,
    Tracer,
    Untraceable,
    finished,
    printing,
    user_line,
)
from minispore.graph.verify import verify

log = logging.getLogger("minispore.graph")

SPECIALISATIONS = 16  # programs per entry, one per combination of branches taken

checking = False  # run the verifier after every pass (tests switch it on)


def optimise(graph: Graph, noted: Stages | None = None) -> Graph:
    """Run all passes; ``noted`` is told of the graph after each."""
    if checking:
        verify(graph)
    for step in PIPELINE:
        graph = step(graph)
        if checking:
            verify(graph, step.__name__)
        if noted is not None:
            noted.note(f"optimize.{step.__name__}", graph)
    if noted is not None:
        noted.note("validate", graph)
    return graph


class Watcher:
    """Base of those who follow the compiler. While nobody watches a call asks one empty tuple."""

    @contextmanager
    def calling(self, fn: Any) -> Iterator[None]:
        """Around each call of ``fn`` as a graph."""
        yield

    def recompiled(self, fn: Any, reason: str, old: Entry | None) -> None:
        """No entry serves a call; ``old`` is of the same inputs."""

    def compiled(self, fn: Any, entry: Entry) -> None:
        """A program of ``fn`` was made."""

    def gave_up(self, fn: Any, why: str) -> None:
        """``fn`` runs op by op from now on."""

    def wrote(self, tensor: Tensor, given: list[Tensor]) -> None:
        """A graph is about to write into ``tensor``, one of those it was given."""


class Invocation:
    """One call of an entry: what a runtime launches."""

    def __init__(
        self,
        compiler: GraphCompiler,
        entry: Entry,
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        given: tuple[Any, Any],
    ) -> None:
        self.compiler, self.entry, self.fn = compiler, entry, fn
        self.args, self.kwargs, self.given = args, kwargs, given  # the latter as a graph takes them
        self.result: Any = _NOTHING  # of a run op by op

    @property
    def program(self) -> Program | None:
        """The program that ran last, or runs first."""
        return self.entry.recent

    @property
    def traced(self) -> Graph | None:
        """The graph of :attr:`program`."""
        return None if self.entry.recent is None else self.entry.recent.traced

    def run(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        """Run the program whose guards hold, tracing a new one if there is none."""
        entry = self.entry
        if entry.eager is not None:
            return self._run_eagerly()
        program, replay = entry.recent, None
        wanted: tuple[bool | int, ...] = ()
        while True:
            if program is None:
                try:
                    with process.uncollected():
                        program = self.compiler.trace(entry, self.fn, *self.given, inputs, wanted)
                except Untraceable as exc:
                    self.compiler.give_up(entry, self.fn, exc)
                    return self._run_eagerly(replay)
                except Raised as exc:
                    with exc.kept():
                        out = self._run_eagerly(replay)  # raises it, unless only tracing does
                    self.compiler.give_up(entry, self.fn, exc)
                    return out
            if program.home is not seam.runtime:  # compiled for another device
                self.compiler.admit(program)
            try:
                with np.errstate(all="ignore"):  # log(0) is -inf and no warning, as on any device
                    out = program.run(inputs, replay)
            except GuardFailed as failed:
                outcomes = tuple(g.expected for g in program.graph.guards[: failed.index])
                wanted = (*outcomes, failed.answer)
                replay = failed.replay
                line = program.graph.guards[failed.index].line
                program = next(
                    (p for key, p in entry.programs.items() if key[: len(wanted)] == wanted), None
                )
                if program is None and len(entry.programs) >= SPECIALISATIONS:
                    why = f"more than {SPECIALISATIONS} combinations of branches on tensor values"
                    self.compiler.give_up(entry, self.fn, Untraceable(why, line))
                    return self._run_eagerly(replay)
                continue
            entry.recent = program
            return out

    def _run_eagerly(self, replay: Replay | None = None) -> list[np.ndarray]:
        if replay is None:
            with interpreter.using(_EAGER), context.op_by_op():
                self.result = _body(self.fn)(*self.args, **self.kwargs)
        else:
            again = Replaying(replay)
            with interpreter.using(again), printing(again), context.op_by_op():
                self.result = _body(self.fn)(*self.args, **self.kwargs)
        return [t.asnumpy() for t in inputs_of(self.result)]


def _taken(tree: Any) -> tuple[Any, list[Tensor]]:
    """What goes in or comes out as a graph takes it, and its tensors."""
    tensors = inputs_of(tree)
    if any(isinstance(t, RowGradient) for t in tensors):
        tree = opened(tree)
        tensors = inputs_of(tree)
    return tree, tensors


def _body(fn: Any) -> Any:
    """What a graph is made of: of a Cell the call that all have, which one's own goes around."""
    return getattr(fn, "_plain_call_", fn) if hasattr(type(fn), "_graph_key_") else fn


_NOTHING = object()
_EAGER = interpreter.Pynative(stages=False)


class GraphCompiler:
    """Compiles and caches; the Compiler of :mod:`minispore.core.runtime`."""

    def __init__(self) -> None:
        self.cache = Cache()
        # Asked before a traced graph becomes a program, and before a program runs at another
        # place than before; an exception refuses it.
        self.admissions: list[Callable[[Graph], None]] = []
        # Asked of each traced graph; who answers sees its ops run, as they were traced.
        self.observations: list[Callable[[Entry, Graph, dict[str, Any]], Observer | None]] = []
        # Makes the program of a traced graph in a dry run, in which it is not run.
        self.rehearse: Callable[[str, Graph, Any, list[int]], Program] | None = None
        self.recompiles: list[str] = []  # the reasons, newest last
        self.compiles = 0
        self.watchers: tuple[Watcher, ...] = ()
        # Around each trace under jit_syntax_level=STRICT; an exception refuses the function.
        self.judge: Callable[[Any], AbstractContextManager[None]] | None = None

    # -- calling -----------------------------------------------------------------------------------

    def call(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """``fn(*args, **kwargs)`` as one graph."""
        if self.watchers:
            with ExitStack() as around:
                for watcher in self.watchers:
                    around.enter_context(watcher.calling(fn))
                return self._call(fn, args, kwargs)
        return self._call(fn, args, kwargs)

    def _call(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given, tensors = _taken((args, kwargs))
        entry = self._entry(fn, given, tensors)
        if context.current().save_graphs and entry.recent is not None:
            self._save_again(entry, entry.recent)
        invocation = Invocation(self, entry, fn, args, kwargs, given)
        inputs = [array_of(t) for t in tensors]
        outputs = seam.runtime.launch(invocation, inputs, loop_of(fn))
        if invocation.result is not _NOTHING:
            return invocation.result
        made = [Value(Spec(a.shape, a.dtype), a.copy()) for a in outputs]
        program = entry.recent
        assert program is not None
        result = program.structure.filled(made, tensors)
        for i, value in zip(program.writes, made[program.structure.holes :]):
            for watcher in self.watchers:
                watcher.wrote(tensors[i], tensors)
            write(tensors[i], value)
        return result

    def program(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Program | None:
        """The program of ``fn`` for these arguments, compiled if need be, not run; None if it runs
        op by op.
        """
        given, tensors = _taken((args, kwargs))
        entry = self._entry(fn, given, tensors)
        if entry.recent is None and entry.eager is None:
            try:
                with process.uncollected():
                    self.trace(entry, fn, given[0], given[1], [array_of(t) for t in tensors])
            except Untraceable as exc:
                self.give_up(entry, fn, exc)
            except Raised as exc:
                raise exc.error from exc.error.__cause__
        return entry.recent

    def prepare(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
        """Compile ``fn`` for these arguments; what is no graph will run op by op.

        Tensors of open shape compile nothing, which is said by False: a graph is made for each
        shape when it comes.
        """
        if any(t._value.data is None for t in inputs_of((args, kwargs))):
            return False
        self.program(fn, *args, **kwargs)
        return True

    # -- the cache ---------------------------------------------------------------------------------

    def _entry(self, fn: Any, given: Any, tensors: list[Tensor]) -> Entry:
        owner, extra = owner_of(fn)
        specs = tuple([t._value.spec for t in tensors])
        hooks = tuple([hooks_of(t) for t in tensors if t.hooks_ is not None])
        key: tuple[Any, ...] = ((extra, hooks) if hooks else extra, specs)
        key = (*key, static_key(given), context.current().conv_winograd)
        if len(tensors) > 1:
            if len(set(map(id, tensors))) < len(tensors):
                key = (*key, firsts(tensors))  # one tensor for two arguments
            if alike(tensors):
                key = (*key, "alike")
        arrays = [t._value.data for t in tensors]
        if any(a is not None and not a.flags.c_contiguous for a in arrays):
            key = (*key, tuple([None if a is None else lying(a) for a in arrays]))
        entry, reason = self.cache.find(owner, key)
        if entry is not None:
            return entry
        if reason is not None:
            self._recompiled(fn, reason)
            old = next(iter(self.cache.entries.get(owner, {}).get(key, ())), None)
            for watcher in self.watchers:
                watcher.recompiled(fn, reason, old)
        return self.cache.add(owner, key, name_of(fn))

    def _recompiled(self, fn: Any, reason: str) -> None:
        text = f"{name_of(fn)}: {reason}"
        self.recompiles.append(text)
        del self.recompiles[:-256]
        log.info("recompile %s", text)
        if context.current().print_recompiles:
            print(f"recompile {text}", file=sys.stderr)

    def give_up(self, entry: Entry, fn: Any, why: Exception) -> None:
        """Run ``entry`` op by op from now on, and say so once."""
        entry.eager = str(why)
        for watcher in self.watchers:
            watcher.gave_up(fn, str(why))
        entry.programs.clear()
        entry.recent = None
        warnings.warn(
            f"GRAPH_MODE: {entry.name} runs op by op, since {why}. Its ops give the same, only "
            "slower.",
            RuntimeWarning,
            stacklevel=2,
        )

    # -- compiling ---------------------------------------------------------------------------------

    def admit(self, program: Program) -> None:
        """Ask whether ``program`` may run where things run now."""
        self._ask(program.traced)
        program.home = seam.runtime

    def _ask(self, graph: Graph) -> None:
        for admit in self.admissions:
            admit(graph)

    def trace(
        self,
        entry: Entry,
        fn: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        inputs: list[np.ndarray],
        answers: tuple[bool | int, ...] = (),
    ) -> Program:
        """Trace ``fn``, optimise and plan; the program joins ``entry``.

        ``answers``: what a run that found no program has answered to the first guards.

        Raises:
            Untraceable: a call does what no graph can do again; Python state is as it was.
            Raised: Python code raised; Python state is as it was.
            GraphModeError: STRICT refuses it; Python state is as it was.
        """
        noted = Stages() if stages.wanted() else None
        tracer = Tracer(answers)
        boxes = [wrap(tracer.input(Spec(a.shape, a.dtype), a)) for a in inputs]
        first = firsts(inputs_of((args, kwargs)))
        values = [b.value_ for b in boxes]
        given_args, given_kwargs = args, kwargs
        args, kwargs = rebuilt((args, kwargs), [boxes[i] for i in first])
        reach = Reach()
        reach.add(fn)
        reach.add(*leaves((args, kwargs)), name="argument")
        if reach.outside is not None:
            raise Untraceable(*reach.outside)
        places = reach.places
        given = Reach()
        given.add(args, kwargs, name="argument")  # a part of the key, so not watched
        before = Pictures([*places, *reach.told, *given.places, *STREAMS])
        why: Exception | None = None
        with interpreter.using(tracer):
            try:
                with printing(tracer), self._judged(fn):
                    out = _body(fn)(*args, **kwargs)
                check_returned(out)
                out, found = _taken(out)
                writes = [i for i, b in enumerate(boxes) if b.value_ is not values[i]]
                if any(b.__dict__ for b in (*boxes, *found)):
                    raise Untraceable("an attribute was set on a tensor that goes in or out", "")
                if writes and alike(inputs_of((given_args, given_kwargs))):
                    raise Untraceable("an argument was written that another is a view of", "")
                structure, roots = structure_of(out, boxes)
                made = [*found, *[boxes[i] for i in writes], *roots]
                graph = finished(tracer, [t.value_ for t in made])
                check_names(fn, (args, kwargs), graph.state)
            except (Untraceable, GraphModeError) as exc:
                why = exc
            except Exception as exc:
                why = Raised(exc, user_line(), list(tracer.graph.state))
        changed = before.changed()
        if changed is not None and not isinstance(why, GraphModeError):
            place, name = changed
            why = Untraceable(f"{place.kind} {name} was changed", reach.line_of(name))
        if not isinstance(why, GraphModeError):
            why = tracer.refused or tracer.written() or why
        if why is not None:
            tracer.undo()
            before.put_back()
            raise why
        if noted is not None:
            noted.note("trace", graph)
        self._ask(graph)
        traced = graph
        if noted is not None:
            noted.note("admission")
        asked = [observe(entry, traced, tracer.scopes) for observe in self.observations]
        observers = [o for o in asked if o is not None]
        program: Program
        if self.rehearse is not None:
            program = self.rehearse(entry.name, traced, structure, writes)
        else:
            for p in graph.state:
                p.init_data()
            with np.errstate(all="ignore"):
                graph = optimise(graph, noted) if not observers else traced
                program = Program(graph, traced, structure, not observers, writes=writes)
            program.observers = tuple(observers)
        program.home = seam.runtime
        if noted is not None:
            noted.note("plan")
            self._tell(entry, program, noted)
        self.compiles += 1
        entry.programs[tuple(g.expected for g in graph.guards)] = program
        entry.recent = program
        seen = {id(c): c for c in (*tracer.visited, *reach.cells)}.values()
        entry.visited = [(weakref.ref(c), c._graph_key_()) for c in seen]
        entry.watched = [(p, p.kept()) for p in places]
        specs = {p: p.value_.spec for p in reach.parameters}
        specs |= {p: v.spec for p, v in traced.state.items()}
        entry.params = [(p, spec, p.requires_grad) for p, spec in specs.items()]
        entry.hooks = [(p, hooks_of(p)) for p in traced.state]
        entry._changes = interpreter.changes()
        for watcher in self.watchers:
            watcher.compiled(fn, entry)
        return program

    def _judged(self, fn: Any) -> AbstractContextManager[None]:
        strict = context.current().jit_syntax_level == context.STRICT
        return self.judge(fn) if strict and self.judge is not None else nullcontext()

    def _tell(self, entry: Entry, program: Program, noted: Stages) -> None:
        """Write and print what was asked for of a compile."""
        if stages.saving()[0]:
            noted.save(entry.name, program)
        if stages.timed():
            print(noted.times(), flush=True)

    def _save_again(self, entry: Entry, program: Program) -> None:
        """Write the stages of a program that was compiled before ``save_graphs`` asked for them."""
        level, folder = stages.saving()
        if level and program.saved_to != folder:
            noted = Stages()
            noted.note("trace", program.traced)
            optimise(program.traced, noted)
            noted.save(entry.name, program)


compiler = GraphCompiler()
