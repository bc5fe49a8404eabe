"""Watch a run: record the functions that go through graphs, and calls that break a rule."""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from minispore import context
from minispore.check.changed import reads_changed_attribute, snapshot_attributes
from minispore.check.reread import is_read_after_call
from minispore.check.source import UNKNOWN, TracedFunction
from minispore.core import interpreter
from minispore.core.staged import Derivative
from minispore.core.tensor import Tensor
from minispore.graph.cache import Entry
from minispore.graph.compiler import Watcher, compiler
from minispore.graph.keys import name_of
from minispore.graph.state.code_origin import is_user_code
from minispore.graph.trace import user_frame


class StaleCall:
    """A call that MindSpore would answer with an outdated graph, since state has changed."""

    def __init__(self, function: str, reason: str, file: str, line: int) -> None:
        self.function, self.reason, self.file, self.line = function, reason, file, line


class Watch(Watcher):
    """Records the user's functions that run while a graph is called, each once, and stale calls."""

    def __init__(self) -> None:
        self.functions: dict[types.CodeType, TracedFunction] = {}
        self.stale_calls: list[StaleCall] = []
        self.op_by_op_reasons: list[tuple[str, str]] = []
        self.call_matches: list[tuple[str, str, int]] = []  # calls that break a rule
        self._phases: dict[int, Any] = {}
        self._snapshots: dict[int, dict[int, dict[str, Any]]] = {}  # of its Cells, when compiled
        self._seen_codes: set[types.CodeType] = set()
        self._depth = 0
        self._graph_fn: Any = None  # the object that is called as a graph
        self._compiled_by_jit = self._is_lax = False

    @contextmanager
    def watching(self) -> Iterator[Watch]:
        """Watch the graphs that are traced inside the ``with`` block, and yield the watch."""
        compiler.watchers = (*compiler.watchers, self)
        try:
            yield self
        finally:
            compiler.watchers = tuple([w for w in compiler.watchers if w is not self])

    # -- events of the compiler --------------------------------------------------------------------

    @contextmanager
    def around_call(self, fn: Any) -> Iterator[None]:
        """Profile the outermost call of a graph function, to find the functions that it traces.

        Also records aliases, and attributes of the functions after the call.
        """
        if self._depth:
            yield
            return
        self._depth += 1
        self._graph_fn = fn
        self._compiled_by_jit = (
            context.current().mode != context.GRAPH_MODE or not _is_graph_by_mode(fn)
        )
        self._is_lax = self._compiled_by_jit or isinstance(fn, Derivative)
        previous_profiler = sys.getprofile()
        sys.setprofile(self._record_function)
        try:
            with self._record_aliases():
                yield
        finally:
            sys.setprofile(previous_profiler)
            self._depth -= 1
            self._add_generator(fn)
            for function in self.functions.values():
                function.record_attributes()

    def on_recompile(self, fn: Any, reason: str, old: Entry | None) -> None:
        """Note a stale call: the shapes are as before, and MindSpore ignores other state."""
        if (
            old is None
            or reason.startswith("parameter ")
            or not hasattr(_unwrap_called_object(fn), "_graph_key_")
        ):
            return
        phase = getattr(fn, "phase", None)
        if self._phases.get(id(old), phase) != phase:
            return
        concerns_cells = reason.startswith(("an attribute of", "train flag of"))
        if concerns_cells and not reads_changed_attribute(
            old, self._snapshots[id(old)], self.functions.values()
        ):
            return
        frame = user_frame()
        self.stale_calls.append(
            StaleCall(name_of(fn), reason, frame.f_code.co_filename, frame.f_lineno or 0)
        )

    def on_compile(self, fn: Any, entry: Entry) -> None:
        self._phases[id(entry)] = getattr(fn, "phase", None)
        self._snapshots[id(entry)] = snapshot_attributes(entry)

    def on_give_up(self, fn: Any, why: str) -> None:
        self.op_by_op_reasons.append((name_of(fn), why))

    def on_write(self, tensor: Tensor, inputs: list[Tensor]) -> None:
        """Note a write to an input of the graph that the caller passed twice or reads later."""
        frame = user_frame()
        is_passed_twice = sum(t is tensor for t in inputs) > 1
        if not self._compiled_by_jit and (is_passed_twice or is_read_after_call(frame, tensor)):
            self.call_matches.append(
                ("given-written", frame.f_code.co_filename, frame.f_lineno or 0)
            )

    # -- what runs ---------------------------------------------------------------------------------

    def _record_function(self, frame: types.FrameType, event: str, arg: Any) -> None:
        """Record each function of the user at its first call, and every object that it runs for.

        This is the callback of ``sys.setprofile``. It also notes how a derivative is called.
        """
        if event != "call":
            return
        code = frame.f_code
        if code is _DERIVATIVE_CALL and frame.f_locals["self"] is self._graph_fn:
            self._note_derivative_call(frame.f_locals["args"], frame.f_locals["kwargs"])
        if code in self._seen_codes:
            if code in self.functions and "self" in frame.f_locals:
                instance = frame.f_locals["self"]
                self.functions[code].instances[id(instance)] = instance
            return
        self._seen_codes.add(code)
        module = frame.f_globals.get("__name__", "")
        is_generated = code.co_filename == "<string>"  # such as a namedtuple's
        if is_generated or code.co_name in _IGNORED_CODE_NAMES or not is_user_code(module, code):
            return
        n = code.co_argcount + code.co_kwonlyargcount
        names = (*code.co_varnames[:n], *code.co_freevars)
        frame_locals = frame.f_locals
        initial_values = {name: frame_locals.get(name, UNKNOWN) for name in names}
        self.functions[code] = TracedFunction(
            code,
            frame.f_globals,
            initial_values,
            bool(interpreter.tapes()),
            self._compiled_by_jit,
            self._is_lax,
        )

    def _note_derivative_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Note a derivative that is called with keywords or with one tensor for two arguments."""
        frame = user_frame()
        location = frame.f_code.co_filename, frame.f_lineno or 0
        tensors = [id(a) for a in args if isinstance(a, Tensor)]
        if kwargs:
            self.call_matches.append(("grad-keyword", *location))
        if len(set(tensors)) < len(tensors):
            self.call_matches.append(("same-argument", *location))

    @contextmanager
    def _record_aliases(self) -> Iterator[None]:
        """Record in the ``with`` block which local names share the tensor on the left of ``+=``.

        Tensor's in-place methods are patched meanwhile.
        """
        originals = {
            f"__i{name}__": getattr(Tensor, f"__i{name}__") for name in _IN_PLACE_OPERATORS
        }
        for method, original in originals.items():
            setattr(Tensor, method, self._wrap_in_place_method(original))
        try:
            yield
        finally:
            for method, original in originals.items():
                setattr(Tensor, method, original)

    def _wrap_in_place_method(self, method: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """Return an in-place method wrapped to record the caller's names of the tensor."""

        def apply_in_place(tensor: Any, other: Any) -> Any:
            """Record the caller's names of ``tensor`` if there are several, then apply
            the method.
            """
            frame = sys._getframe(1)
            function = self.functions.get(frame.f_code)
            if function is not None:
                names = [n for n, value in frame.f_locals.items() if value is tensor]
                if len(names) > 1:
                    function.aliases.setdefault(frame.f_lineno, set()).update(names)
            return method(tensor, other)

        return apply_in_place

    def _add_generator(self, fn: Any) -> None:
        """Record the ``construct`` of ``fn`` if it is a generator, which the call does not run."""
        construct: Any = getattr(type(fn), "construct", None)
        code = getattr(construct, "__code__", None)
        if (
            code is not None
            and code.co_flags & inspect.CO_GENERATOR
            and code not in self._seen_codes
        ):
            self._seen_codes.add(code)
            self.functions[code] = TracedFunction(code, construct.__globals__, {"self": fn}, False)


def _unwrap_called_object(fn: Any) -> Any:
    """Return the Cell or function that a call runs, without derivatives and methods."""
    while True:
        if isinstance(fn, Derivative):
            fn = fn.fn
        elif isinstance(fn, types.MethodType):
            fn = fn.__self__
        else:
            return fn


def _is_graph_by_mode(fn: Any) -> bool:
    """Whether GRAPH_MODE alone makes ``fn`` a graph, as it does a Cell or a derivative."""
    return hasattr(type(fn), "_graph_key_") or isinstance(fn, Derivative)


_DERIVATIVE_CALL = Derivative.__call__.__code__
_IN_PLACE_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv")
_IGNORED_CODE_NAMES = {
    "<module>",
    "<listcomp>",
    "<dictcomp>",
    "<setcomp>",
    "<genexpr>",
    "__init__",
    "__new__",
}

__all__ = ["StaleCall", "Watch"]
