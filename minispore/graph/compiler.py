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
from collections import OrderedDict
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from minispore import context
from minispore.core import interpreter
from minispore.core import runtime as seam
from minispore.core.autograd import map_tensors, tensors_in
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor, wrap
from minispore.core.value import Spec, Value
from minispore.errors import GraphModeError, did_you_mean
from minispore.graph import print as printer
from minispore.graph.ir import Graph
from minispore.graph.passes import PIPELINE
from minispore.graph.program import GuardFailed, Program
from minispore.graph.trace import Tracer, Untraceable, finished, user_line
from minispore.graph.verify import verify

log = logging.getLogger("minispore.graph")

CACHE_BOUND = 64  # compiled entries per function
VERSIONS = 8  # entries per kind of input, one per state of the Cells (train flags, attributes)
SPECIALISATIONS = 16  # programs per entry, one per combination of branches taken

checking = False  # run the verifier after every pass (tests switch it on)


def optimise(graph: Graph, stages: list[tuple[str, Graph]] | None = None) -> Graph:
    """Run all passes; ``stages`` collects the graph after each."""
    if checking:
        verify(graph)
    for number, step in enumerate(PIPELINE):
        graph = step(graph)
        if checking:
            verify(graph, step.__name__)
        if stages is not None:
            stages.append((f"{number + 1:02d}_{step.__name__}", graph))
    return graph


class Entry:
    """All programs of one function for one kind of input."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.programs: dict[tuple[bool | int, ...], Program] = {}
        self.recent: Program | None = None
        self.eager: str | None = None  # why it runs op by op, if it does
        self.visited: list[tuple[weakref.ref[Any], Any]] = []
        self.params: list[tuple[Parameter, Spec, bool]] = []
        self._changes = -1

    def stale(self) -> str | None:
        """Why this entry can't serve any more, or None."""
        for param, spec, grad in self.params:
            if param._value.spec is not spec and param._value.spec != spec:
                return f"parameter {param.name} became {param._value.spec}, was {spec}"
            if param.requires_grad is not grad:
                return f"requires_grad of parameter {param.name} became {param.requires_grad}"
        if self._changes != interpreter.changes():
            for ref, key in self.visited:
                cell = ref()
                if cell is None:
                    return "a Cell is gone"
                now = cell.graph_key()
                if now != key:
                    return _key_change(cell, key, now)
            self._changes = interpreter.changes()
        return None


def _key_change(cell: Any, old: Any, new: Any) -> str:
    name = type(cell).__name__
    if isinstance(old, tuple) and old and old[0] != new[0]:
        return f"train flag of {name} became {new[0]}"
    return f"an attribute of {name} changed"


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
        found = tensors_in(out)
        self.structure = map_tensors(lambda t: _HOLE, out)
        return [t.asnumpy() for t in found]


_HOLE = object()
_EAGER = interpreter.Pynative(stages=False)


class GraphCompiler:
    """Compiles and caches; the Compiler of :mod:`minispore.core.runtime`."""

    def __init__(self) -> None:
        self._entries: weakref.WeakKeyDictionary[Any, OrderedDict[Any, list[Entry]]] = (
            weakref.WeakKeyDictionary()
        )
        # Asked before a traced graph becomes a program; an exception refuses it.
        self.admissions: list[Callable[[Graph], None]] = []
        self.recompiles: list[str] = []  # the reasons, newest last
        self.compiles = 0

    # -- calling -----------------------------------------------------------------------------------

    def call(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """``fn(*args, **kwargs)`` as one graph."""
        tensors = _inputs_of((args, kwargs))
        entry = self._entry(fn, args, kwargs, tensors)
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
        tensors = _inputs_of((args, kwargs))
        entry = self._entry(fn, args, kwargs, tensors)
        if entry.recent is None:
            rebuild = functools.partial(_rebuild, (args, kwargs))
            self.trace(entry, fn, rebuild, [_array_of(t) for t in tensors])
        return entry.recent  # type: ignore[return-value]

    # -- the cache ---------------------------------------------------------------------------------

    def _entry(self, fn: Any, args: Any, kwargs: Any, tensors: list[Tensor]) -> Entry:
        owner, extra = _owner(fn)
        entries = self._entries.setdefault(owner, OrderedDict())
        specs = tuple([t._value.spec for t in tensors])
        key = (extra, specs, _static_key((args, kwargs)))
        versions = entries.get(key)
        if versions is None:
            if entries:
                self._recompiled(fn, _difference(next(reversed(entries)), key))
            versions = entries[key] = []
            while len(entries) > CACHE_BOUND:
                entries.popitem(last=False)
        reason = None
        for entry in versions:
            why = entry.stale()
            if why is None:
                return entry
            reason = reason or why
        if reason is not None:
            self._recompiled(fn, reason)
        entry = Entry(_name_of(fn))
        versions.insert(0, entry)
        del versions[VERSIONS:]
        return entry

    def _recompiled(self, fn: Any, reason: str) -> None:
        text = f"{_name_of(fn)}: {reason}"
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
            found = tensors_in(out)
            graph = finished(tracer, [t._value for t in found])
        for admit in self.admissions:
            admit(graph)
        structure = map_tensors(lambda t: _HOLE, out)
        stages: list[tuple[str, Graph]] | None = None
        if context.current().save_graphs:
            stages = [("00_trace", graph)]
        traced = graph
        graph = optimise(graph, stages)
        program = Program(graph, traced, structure)
        if stages is not None:
            printer.save(entry.name, stages, program)
        self.compiles += 1
        entry.programs[tuple(g.expected for g in graph.guards)] = program
        entry.recent = program
        entry.visited = list(
            {id(c): (weakref.ref(c), c.graph_key()) for c in tracer.visited}.values()
        )
        entry.params = [(p, v.spec, p.requires_grad) for p, v in traced.state.items()]
        entry._changes = interpreter.changes()
        return program


def _staged(fn: Any) -> Any:
    """By what a derivative is known, see ``core.autograd``; None for everything else."""
    return getattr(fn, "staged", None) if isinstance(fn, FunctionType) else None


def _owner(fn: Any) -> tuple[Any, Any]:
    """What the cache of ``fn`` hangs on (weakly), and what else tells it apart."""
    staged = _staged(fn)
    if staged is not None:
        kind, inner, *rest = staged
        owner, extra = _owner(inner)
        return owner, (kind, extra, *[_static_key(r) for r in rest])
    if isinstance(fn, MethodType):
        bound = fn.__self__
        try:
            weakref.ref(bound)
        except TypeError:
            return fn.__func__, id(bound)
        return bound, fn.__func__.__qualname__
    return fn, None


def _name_of(fn: Any) -> str:
    staged = _staged(fn)
    if staged is not None:
        return f"grad of {_name_of(staged[1])}"
    return getattr(fn, "__name__", None) or type(fn).__name__


def _inputs_of(tree: Any) -> list[Tensor]:
    """The tensors that become inputs of a graph: all but Parameters, which are state."""
    return [t for t in tensors_in(tree) if not isinstance(t, Parameter)]


def _rebuild(tree: Any, boxes: list[Tensor]) -> Any:
    """``tree`` with its input tensors replaced by ``boxes``, in order."""
    left = iter(boxes)
    return map_tensors(lambda t: t if isinstance(t, Parameter) else next(left), tree)


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


def _static_key(x: Any) -> Any:
    """A hashable that tells static arguments apart, 1 from 1.0 and True included."""
    if isinstance(x, Parameter):
        return ("parameter", id(x))
    if isinstance(x, Tensor):
        return "tensor"
    if isinstance(x, tuple | list):
        return (type(x).__name__, *[_static_key(v) for v in x])
    if isinstance(x, dict):
        return ("dict", *[(k, _static_key(v)) for k, v in x.items()])
    try:
        hash(x)
    except TypeError:
        return ("object", id(x))
    return (type(x), x)


def _difference(old: Any, new: Any) -> str:
    """What makes two cache keys differ, in words."""
    if old[1] != new[1]:
        if len(old[1]) != len(new[1]):
            return f"{len(new[1])} tensors, was {len(old[1])}"
        for i, (a, b) in enumerate(zip(old[1], new[1])):
            if a.dtype != b.dtype:
                return f"new dtype: input {i} became {b}, was {a}"
            if a != b:
                return f"new shape: input {i} became {b}, was {a}"
    return "new constant: a static argument changed" if old[2] != new[2] else "another derivative"


compiler = GraphCompiler()


# -- what users call ------------------------------------------------------------------------------


class JitConfig:
    """Options of :func:`jit`.

    Args:
        jit_level: ``""``, ``"O0"``, ``"O1"``, ``"O2"`` or ``"O3"``; all of them run the same
        passes. exc_mode: ``"auto"``, ``"sink"`` or ``"no_sink"``.
        jit_syntax_level: ``""``, ``"STRICT"`` or ``"LAX"``.
        debug_level: ``"RELEASE"`` or ``"DEBUG"``.
        infer_boost: ``"on"`` or ``"off"``.
        **kwargs: kept in ``jit_config_dict``.

    Raises:
        ValueError: an option is not one of those above.

    >>> JitConfig(jit_level="O1").jit_config_dict["jit_level"]
    'O1'
    """

    _CHOICES = {
        "jit_level": ("", "O0", "O1", "O2", "O3"),
        "exc_mode": ("auto", "sink", "no_sink"),
        "jit_syntax_level": ("", "STRICT", "LAX"),
        "debug_level": ("RELEASE", "DEBUG"),
        "infer_boost": ("on", "off"),
    }

    def __init__(
        self,
        jit_level: str = "",
        exc_mode: str = "auto",
        jit_syntax_level: str = "",
        debug_level: str = "RELEASE",
        infer_boost: str = "off",
        **kwargs: Any,
    ) -> None:
        given = {
            "jit_level": jit_level,
            "exc_mode": exc_mode,
            "jit_syntax_level": jit_syntax_level,
            "debug_level": debug_level,
            "infer_boost": infer_boost,
        }
        for name, value in given.items():
            if value not in self._CHOICES[name]:
                choices = ", ".join(map(repr, self._CHOICES[name]))
                hint = did_you_mean(value, self._CHOICES[name]) if isinstance(value, str) else ""
                raise ValueError(
                    f"JitConfig: {name} must be one of {choices}, got {value!r}.{hint}"
                )
        self.jit_config_dict: dict[str, Any] = {**given, **kwargs}


def jit(
    fn: Callable[..., Any] | None = None,
    mode: str = "PIJit",
    input_signature: Any = None,
    hash_args: Any = None,
    jit_config: JitConfig | None = None,
    compile_once: bool = False,
    **kwargs: Any,
) -> Any:
    """Run a function as a compiled graph, in either mode. Use as ``@jit`` or ``@jit(...)``.

    Args:
        fn: a function of tensors, or a method of a Cell.
        mode: accepted for MindSpore's sake: there is one way to capture, tracing.
        input_signature: a Tensor (or tuple of them) whose shapes and dtypes the inputs must have.
        hash_args: accepted for MindSpore's sake.
        jit_config: options, see :class:`JitConfig`.
        compile_once: accepted for MindSpore's sake.

    Raises:
        TypeError: ``jit_config`` is no JitConfig, or an input does not match ``input_signature``.

    >>> @jit
    ... def square(x):
    ...     return x * x
    >>> print(square(Tensor([1.0, 2.0])))
    [1. 4.]
    """
    if jit_config is not None and not isinstance(jit_config, JitConfig):
        raise TypeError(f"jit: jit_config must be a JitConfig, got {type(jit_config).__name__}.")
    signature = tensors_in(input_signature) if input_signature is not None else None

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function, updated=())
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            if signature is not None:
                _check_signature(function, signature, _inputs_of(args))
            if interpreter.tracing() or interpreter.tapes():
                return function(*args, **kwargs)
            return compiler.call(function, args, kwargs)

        wrapped.__dict__["jitted"] = function
        return wrapped

    return decorate if fn is None else decorate(fn)


def _check_signature(fn: Any, signature: list[Tensor], inputs: list[Tensor]) -> None:
    if len(signature) != len(inputs):
        raise TypeError(
            f"jit: {_name_of(fn)} must be called with the {len(signature)} tensors of "
            "input_signature, "
            f"got {len(inputs)}."
        )
    for i, (want, got) in enumerate(zip(signature, inputs)):
        if want._value.spec != got._value.spec:
            raise TypeError(
                f"jit: input {i} of {_name_of(fn)} must be {want._value.spec} by input_signature, "
                f"got {got._value.spec}."
            )


ms_function = jit


def jit_class(cls: type) -> type:
    """Mark a class whose objects may be used inside a graph. Tracing runs plain Python, so any
    class may.

    Raises:
        TypeError: ``cls`` is no class, or a Cell.
    """
    if not isinstance(cls, type):
        raise TypeError(f"jit_class: must decorate a class, got {cls!r}.")
    if hasattr(cls, "construct"):
        raise TypeError(f"jit_class: {cls.__name__} is a Cell, which needs no jit_class.")
    cls.__ms_class__ = True  # type: ignore[attr-defined]
    return cls


def program_of(fn: Any, *args: Any, **kwargs: Any) -> Program:
    """The compiled program of a Cell or function for these inputs; compiled if need be, not run.

    >>> program_of(lambda x: x * x + 1.0, Tensor([1.0, 2.0])).peak_bytes > 0
    True
    """
    return compiler.program(getattr(fn, "jitted", fn), *args, **kwargs)
