"""The compiler's front: call a function as a graph, compile when it is new, remember what it
depended on.

A compiled graph is valid for one set of input specs, static arguments and Cell states. Control flow
on tensor values gives several programs of one entry, told apart by their guards; past a bound the
function runs op by op.
"""

from __future__ import annotations

import functools
import logging
import sys
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minispore import context
from minispore.core import interpreter
from minispore.core import runtime as seam
from minispore.core.autograd import map_tensors
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor, wrap
from minispore.core.value import Spec, Value
from minispore.errors import GraphModeError
from minispore.graph import stages
from minispore.graph.cache import Cache, Entry
from minispore.graph.ir import Graph
from minispore.graph.keys import (
    hooks_of,
    inputs_of,
    name_of,
    owner_of,
    static_key,
)
from minispore.graph.passes import PIPELINE
from minispore.graph.program import GuardFailed, Observer, Program
from minispore.graph.stages import Stages
from minispore.graph.trace import Tracer, Untraceable, finished, user_line
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
    return graph


class Invocation:
    """One call of an entry: what a runtime launches."""

    def __init__(
        self, compiler: GraphCompiler, entry: Entry, fn: Callable[..., Any], rebuild: Any
    ) -> None:
        self.compiler, self.entry, self.fn, self.rebuild = compiler, entry, fn, rebuild
        self.structure: Any = None

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
            return self._run_eagerly(inputs)
        program, replay = entry.recent, None
        wanted: tuple[bool | int, ...] = ()
        while True:
            if program is None:
                try:
                    program = self.compiler.trace(entry, self.fn, self.rebuild, inputs, wanted)
                except Untraceable as exc:
                    self.compiler.give_up(entry, str(exc))
                    return self._run_eagerly(inputs)
            if program.home is not seam.runtime:  # compiled for another device
                self.compiler.admit(program)
            try:
                out = program.run(inputs, replay)
            except GuardFailed as failed:
                outcomes = tuple(g.expected for g in program.graph.guards[: failed.index])
                wanted = (*outcomes, failed.answer)
                replay = failed.replay
                program = next(
                    (p for key, p in entry.programs.items() if key[: len(wanted)] == wanted), None
                )
                if program is None and len(entry.programs) >= SPECIALISATIONS:
                    line = next(iter(entry.programs.values())).graph.guards[failed.index].line
                    self.compiler.give_up(
                        entry,
                        f"more than {SPECIALISATIONS} combinations of branches on tensor values "
                        f"({line})",
                    )
                    return self._run_eagerly(inputs)
                continue
            entry.recent = program
            self.structure = program.structure
            return out

    def _run_eagerly(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        tensors = [wrap(Value(Spec(a.shape, a.dtype), a)) for a in inputs]
        args, kwargs = self.rebuild(tensors)
        with interpreter.using(_EAGER):
            out = self.fn(*args, **kwargs)
        self.structure = map_tensors(_hole, out)
        return [t.asnumpy() for t in inputs_of(out)]


_HOLE = object()


def _hole(t: Tensor) -> Any:
    """What stands for an output in a structure; a Parameter stands for itself."""
    return t if isinstance(t, Parameter) else _HOLE


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
        self.recompiles: list[str] = []  # the reasons, newest last
        self.compiles = 0

    # -- calling -----------------------------------------------------------------------------------

    def call(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """``fn(*args, **kwargs)`` as one graph."""
        tensors = inputs_of((args, kwargs))
        entry = self._entry(fn, args, kwargs, tensors)
        if context.current().save_graphs and entry.recent is not None:
            self._save_again(entry, entry.recent)
        rebuild = functools.partial(_rebuild, (args, kwargs))
        invocation = Invocation(self, entry, fn, rebuild)
        inputs = [_array_of(t) for t in tensors]
        outputs = seam.runtime.launch(
            invocation, inputs, getattr(fn, "__dict__", {}).get("sink_loop", 1)
        )
        made = iter([wrap(Value(Spec(a.shape, a.dtype), a.copy())) for a in outputs])
        return _filled(invocation.structure, made)

    def program(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Program:
        """The program of ``fn`` for these arguments, compiled if need be, not run."""
        tensors = inputs_of((args, kwargs))
        entry = self._entry(fn, args, kwargs, tensors)
        if entry.recent is None:
            rebuild = functools.partial(_rebuild, (args, kwargs))
            self.trace(entry, fn, rebuild, [_array_of(t) for t in tensors])
        return entry.recent  # type: ignore[return-value]

    # -- the cache ---------------------------------------------------------------------------------

    def _entry(self, fn: Any, args: Any, kwargs: Any, tensors: list[Tensor]) -> Entry:
        owner, extra = owner_of(fn)
        specs = tuple([t._value.spec for t in tensors])
        hooks = tuple([hooks_of(t) for t in tensors if t.hooks_ is not None])
        key = ((extra, hooks) if hooks else extra, specs, static_key((args, kwargs)))
        entry, reason = self.cache.find(owner, key)
        if entry is not None:
            return entry
        if reason is not None:
            self._recompiled(fn, reason)
        return self.cache.add(owner, key, name_of(fn))

    def _recompiled(self, fn: Any, reason: str) -> None:
        text = f"{name_of(fn)}: {reason}"
        self.recompiles.append(text)
        del self.recompiles[:-256]
        log.info("recompile %s", text)
        if context.current().print_recompiles:
            print(f"recompile {text}", file=sys.stderr)

    def give_up(self, entry: Entry, why: str) -> None:
        """Run ``entry`` op by op from now on, and say so once."""
        entry.eager = why
        entry.programs.clear()
        entry.recent = None
        warnings.warn(
            f"GRAPH_MODE: {entry.name} runs op by op, since {why}. Results are the same, only "
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
        rebuild: Any,
        inputs: list[np.ndarray],
        answers: tuple[bool | int, ...] = (),
    ) -> Program:
        """Trace ``fn``, optimise and plan; the program joins ``entry``.

        ``answers``: what a run that found no program has answered to the first guards.
        """
        noted = Stages() if stages.wanted() else None
        tracer = Tracer(answers)
        boxes = [wrap(tracer.input(Spec(a.shape, a.dtype), a)) for a in inputs]
        args, kwargs = rebuild(boxes)
        with interpreter.using(tracer):
            try:
                out = fn(*args, **kwargs)
            except Exception as exc:
                if not tracer.guesses or isinstance(exc, GraphModeError):
                    raise
                raise Untraceable(
                    "a branch that a random draw or a data queue may take raised "
                    f"{type(exc).__name__}",
                    user_line(),
                ) from exc
            graph = finished(tracer, [t._value for t in inputs_of(out)])
        if noted is not None:
            noted.note("trace", graph)
        self._ask(graph)
        structure = map_tensors(_hole, out)
        traced = graph
        if noted is not None:
            noted.note("admission")
        found = [observe(entry, traced, tracer.scopes) for observe in self.observations]
        observers = [o for o in found if o is not None]
        graph = optimise(graph, noted) if not observers else traced
        program = Program(graph, traced, structure, sliced=not observers)
        program.observers = tuple(observers)
        program.home = seam.runtime
        if noted is not None:
            noted.note("plan")
            self._tell(entry, program, noted)
        self.compiles += 1
        entry.programs[tuple(g.expected for g in graph.guards)] = program
        entry.recent = program
        entry.visited = list(
            {id(c): (weakref.ref(c), c.graph_key()) for c in tracer.visited}.values()
        )
        entry.params = [(p, v.spec, p.requires_grad) for p, v in traced.state.items()]
        entry.hooks = [(p, hooks_of(p)) for p in traced.state]
        entry._changes = interpreter.changes()
        return program

    def _tell(self, entry: Entry, program: Program, noted: Stages) -> None:
        """Write and print what was asked for of a compile."""
        if context.current().save_graphs:
            noted.save(entry.name, program)
        if stages.timed():
            print(noted.times(), flush=True)

    def _save_again(self, entry: Entry, program: Program) -> None:
        """Write the stages of a program that was compiled before ``save_graphs`` asked for them."""
        if program.saved_to != context.current().save_graphs_path:
            noted = Stages()
            noted.note("trace", program.traced)
            optimise(program.traced, noted)
            noted.save(entry.name, program)


def _rebuild(tree: Any, boxes: list[Tensor]) -> Any:
    """``tree`` with its input tensors replaced by ``boxes``, in order."""
    left = iter(boxes)

    def taken(given: Tensor) -> Tensor:
        if isinstance(given, Parameter):
            return given
        box = next(left)
        if given.hooks_ is not None:
            box.hooks_ = given.hooks_
        return box

    return map_tensors(taken, tree)


def _array_of(t: Tensor) -> np.ndarray:
    data = t._value.data
    if data is None:
        raise GraphModeError(
            f"Tensor: a traced tensor was passed to a graph at {user_line()}. Return it from "
            "construct instead of "
            "keeping it in a Python variable or attribute."
        )
    return data


def _filled(structure: Any, made: Iterator[Tensor]) -> Any:
    """``structure`` with its holes filled by tensors, in order."""
    if structure is _HOLE:
        return next(made)
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*[_filled(x, made) for x in structure])
    if isinstance(structure, tuple):
        return tuple([_filled(x, made) for x in structure])
    if isinstance(structure, list):
        return [_filled(x, made) for x in structure]
    if isinstance(structure, dict):
        return {k: _filled(x, made) for k, x in structure.items()}
    return structure


compiler = GraphCompiler()
