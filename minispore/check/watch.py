"""Watch a run: record the functions that go through graphs, and calls that violate a rule."""

from __future__ import annotations

import ast
import contextlib
import inspect
import sys
import traceback
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from minispore import context
from minispore.check.changed import (
    Snapshot,
    reads_changed_attribute,
    reads_changed_object,
    snapshot_attributes,
)
from minispore.check.dataflow.liveness import Liveness
from minispore.check.dataflow.reread import are_names_read_after_call, is_read_after_call
from minispore.check.source import UNKNOWN, TracedFunction, list_argument_names, parse_file
from minispore.check.storage import StorageMap, have_equal_elements
from minispore.core import interpreter
from minispore.core.staged import Derivative
from minispore.core.tensor import Tensor
from minispore.graph.cache import Entry
from minispore.graph.compiler import Watcher, compiler
from minispore.graph.keys import name_of
from minispore.graph.state.code_origin import is_user_code
from minispore.graph.trace import user_frame
from minispore.nn.cell import Cell


class StaleCall:
    """A call for which MindSpore would run an outdated graph, because state has changed."""

    def __init__(
        self, function: str, reason: str, file: str, line: int, is_read: Callable[[], bool]
    ) -> None:
        self.function, self.reason, self.file, self.line = function, reason, file, line
        self.is_read = is_read  # whether a result may depend on the changed state


class Watch(Watcher):
    """Records the user's functions that run while a graph is called, each once, and stale calls."""

    def __init__(self) -> None:
        self.functions: dict[types.CodeType, TracedFunction] = {}
        self.stale_calls: list[StaleCall] = []
        self.op_by_op_reasons: list[tuple[str, str]] = []
        self.call_matches: list[tuple[str, str, int]] = []  # calls that violate a rule
        self.has_strict_calls = False  # a graph was called under jit_syntax_level=STRICT
        self._phases: dict[int, Any] = {}  # a Cell's phase when it was compiled, by the entry's id
        self._snapshots: dict[int, Snapshot] = {}  # of an entry's Cells, by its id
        self._seen_codes: set[types.CodeType] = set()
        self._depth = 0
        self._graph_fn: Any = None  # the object that is called as a graph
        self._differentiated_ids: set[int] = set()  # of graphs that write items inside a gradient
        self._compiled_by_jit = self._is_lax = False
        self._storage_map = StorageMap()

    @contextmanager
    def watching(self) -> Iterator[Watch]:
        """Watch the graphs that are traced inside the ``with`` block, and yield the watch.

        ``jit_syntax_level=STRICT`` refuses nothing inside the block: the findings say what it would
        refuse.
        """
        syntax_checker, compiler.syntax_checker = compiler.syntax_checker, None
        compiler.watchers = (*compiler.watchers, self)
        try:
            yield self
        finally:
            compiler.watchers = tuple([w for w in compiler.watchers if w is not self])
            compiler.syntax_checker = syntax_checker

    # -- events of the compiler --------------------------------------------------------------------

    @contextmanager
    def around_call(self, fn: Any) -> Iterator[None]:
        """Profile the outermost call of a graph function, to find the functions that it traces.

        Also records aliases, writes to Parameters, texts of exceptions that the caller uses, and
        attributes of the functions after the call. The previous profiler is restored.
        """
        if self._depth:
            yield
            return
        self._depth += 1
        self._graph_fn = fn
        self.has_strict_calls |= context.is_syntax_strict()
        self._compiled_by_jit = (
            context.current().mode != context.GRAPH_MODE or not _is_graph_by_mode(fn)
        )
        self._is_lax = self._compiled_by_jit or isinstance(fn, Derivative)
        previous_profiler = sys.getprofile()
        sys.setprofile(self._record_function)
        try:
            with (
                self._record_aliases(),
                self._record_outcomes(),
                self._check_parameter_writes(),
            ):
                yield
        except Exception as exc:
            if self._is_raised_at_compile_time(exc):
                self._note_exception_text()
            raise
        finally:
            sys.setprofile(previous_profiler)
            self._depth -= 1
            self._add_generator(fn)
            for function in self.functions.values():
                function.record_attributes()

    def on_recompile(self, fn: Any, reason: str, old: Entry | None) -> None:
        """Record a stale call of a Cell: MindSpore would not recompile it for ``reason``.

        MindSpore does recompile for a Parameter's new shape or dtype and for a different phase.
        Changes that no result depends on, and functions without a Cell, are left out.
        """
        if (
            old is None
            or reason.startswith("parameter ")
            or not hasattr(_unwrap_called_object(fn), "_graph_key_")
        ):
            return
        phase = getattr(fn, "phase", None)
        if self._phases.get(id(old), phase) != phase:
            return
        functions = self.functions.values()
        if reason.startswith(("an attribute of", "train flag of")):
            snapshots = self._snapshots[id(old)], snapshot_attributes(old)
            is_read = partial(reads_changed_attribute, old, *snapshots, functions)
        else:
            is_read = partial(reads_changed_object, reason, functions)
        if is_read():
            frame = user_frame()
            location = frame.f_code.co_filename, frame.f_lineno or 0
            self.stale_calls.append(StaleCall(name_of(fn), reason, *location, is_read))

    def on_compile(self, fn: Any, entry: Entry) -> None:
        """Record the phase of a compiled function and the attributes of its Cells."""
        self._phases[id(entry)] = getattr(fn, "phase", None)
        self._snapshots[id(entry)] = snapshot_attributes(entry)

    def on_give_up(self, fn: Any, why: str) -> None:
        """Record that a function runs op by op, and why."""
        self.op_by_op_reasons.append((name_of(fn), why))

    def on_write(self, tensor: Tensor, inputs: list[Tensor]) -> None:
        """Record a write to an input of the graph that the caller passed twice or reads later.

        Inside a gradient MindSpore writes to a copy.
        """
        frame = user_frame()
        is_passed_twice = sum(t is tensor for t in inputs) > 1
        is_copy = id(self._graph_fn) in self._differentiated_ids
        is_seen = is_passed_twice or (is_read_after_call(frame, tensor) and not is_copy)
        if not self._compiled_by_jit and is_seen:
            self.call_matches.append(
                ("given-written", frame.f_code.co_filename, frame.f_lineno or 0)
            )

    # -- events of the run -------------------------------------------------------------------------

    def _record_function(self, frame: types.FrameType, event: str, arg: Any) -> None:
        """Record each user function at its first call, and every object on which it runs.

        This is the callback of ``sys.setprofile``. It also records how a derivative is called, and
        the kinds of local names at the end of each call.
        """
        code = frame.f_code
        if event == "return" and code in self.functions:
            self.functions[code].record_locals(frame.f_locals)
        if event != "call":
            return
        if code is _DERIVATIVE_CALL and frame.f_locals["self"] is self._graph_fn:
            self._note_derivative_call(frame.f_locals["args"], frame.f_locals["kwargs"])
        if code in self._seen_codes:
            function = self.functions.get(code)
            if function is not None:
                function.call_sites.add(self._find_call_site(frame))
                function.is_differentiated |= bool(interpreter.tapes())
                if "self" in frame.f_locals:
                    function.instances[id(frame.f_locals["self"])] = frame.f_locals["self"]
            return
        self._seen_codes.add(code)
        module = frame.f_globals.get("__name__", "")
        is_generated = code.co_filename == "<string>"  # such as a namedtuple's
        if is_generated or code.co_name in _IGNORED_CODE_NAMES or not is_user_code(module, code):
            return
        names = (*list_argument_names(code), *code.co_freevars)
        frame_locals = frame.f_locals
        initial_values = {name: frame_locals.get(name, UNKNOWN) for name in names}
        self.functions[code] = TracedFunction(
            code,
            frame.f_globals,
            initial_values,
            bool(interpreter.tapes()),
            self._compiled_by_jit,
            self._is_lax,
            is_entry=frame_locals.get("self") is self._graph_fn,
            is_defined_in_graph=any(code in outer.co_consts for outer in self.functions),
            companions=self.functions.values(),
        )
        self.functions[code].call_sites.add(self._find_call_site(frame))

    def _find_call_site(self, frame: types.FrameType) -> tuple[types.CodeType | None, int]:
        """Return the function of the graph, and its line, whose call led to ``frame``; None as the
        function if the graph's caller called it.
        """
        caller = frame.f_back
        while caller is not None and caller.f_code not in self.functions:
            caller = caller.f_back
        return (None, 0) if caller is None else (caller.f_code, caller.f_lineno)

    def _note_derivative_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Record a derivative that is called with keywords or with one tensor as two arguments."""
        frame = user_frame()
        location = frame.f_code.co_filename, frame.f_lineno or 0
        tensors = [id(a) for a in args if isinstance(a, Tensor)]
        if kwargs:
            self.call_matches.append(("grad-keyword", *location))
        if len(set(tensors)) < len(tensors):
            self.call_matches.append(("same-argument", *location))

    @contextmanager
    def _record_aliases(self) -> Iterator[None]:
        """Record inside the ``with`` block which local names share the tensor on the left of
        ``+=``.

        Tensor's in-place methods are patched inside the block.
        """
        originals = {
            f"__i{name}__": getattr(Tensor, f"__i{name}__") for name in _IN_PLACE_OPERATORS
        }
        for method, original in originals.items():
            setattr(Tensor, method, self._wrap_in_place_method(original))
        set_item = originals["__setitem__"] = Tensor.__setitem__

        def set_noted_item(tensor: Tensor, index: Any, value: Any) -> None:
            """Record the write unless the graph records it, then set the item."""
            if not interpreter.tracing():
                self._note_item_write(tensor)
            elif interpreter.tapes():
                self._differentiated_ids.add(id(self._graph_fn))
            set_item(tensor, index, value)

        Tensor.__setitem__ = set_noted_item  # type: ignore[method-assign]
        try:
            yield
        finally:
            for method, original in originals.items():
                setattr(Tensor, method, original)

    @contextmanager
    def _record_outcomes(self) -> Iterator[None]:
        """Record inside the ``with`` block which truth values of tensors decide the branches of
        functions of the graph.

        ``Tensor.__bool__`` is patched inside the block.
        """
        original = Tensor.__bool__

        def decide(tensor: Tensor) -> bool:
            """Return the truth value, and record it at the expression that asked for it."""
            outcome, frame = original(tensor), sys._getframe(1)
            function = self.functions.get(frame.f_code)
            if function is not None:
                position = [*frame.f_code.co_positions()][frame.f_lasti // 2]
                function.outcomes.setdefault(position, set()).add(outcome)
            return outcome

        Tensor.__bool__ = decide  # type: ignore[method-assign, assignment]
        try:
            yield
        finally:
            Tensor.__bool__ = original  # type: ignore[method-assign]

    def _note_item_write(self, tensor: Tensor) -> None:
        """Record a write, made op by op, to an item of a tensor that the graph's caller reads
        later.
        """
        frame: Any = sys._getframe(2)
        while frame is not None and (
            frame.f_code in self.functions or not _is_frame_of_user(frame)
        ):
            frame = frame.f_back
        if frame is not None and not self._compiled_by_jit and is_read_after_call(frame, tensor):
            self.call_matches.append(("given-written", frame.f_code.co_filename, frame.f_lineno))

    def _wrap_in_place_method(self, method: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """Return an in-place method, wrapped to record the caller's names of the tensor."""

        def apply_in_place(tensor: Any, other: Any) -> Any:
            """If a function of the graph calls, record the names that share the memory of
            ``tensor``; then apply the method.
            """
            frame = sys._getframe(1)
            function, old = self.functions.get(frame.f_code), tensor.value_
            if function is None:
                return method(tensor, other)
            self._record_storage(function, frame, tensor)
            result = method(tensor, other)
            if not have_equal_elements(old, result.value_):
                function.changing_lines.add(frame.f_lineno)
            return result

        return apply_in_place

    def _record_storage(
        self, function: TracedFunction, frame: types.FrameType, tensor: Tensor
    ) -> None:
        """Record for the current line of ``frame`` which names and callers share ``tensor``."""
        find_storage, line = self._storage_map.find_storage, frame.f_lineno
        storage = find_storage(tensor)

        def shares_memory(value: Any) -> bool:
            """Whether a value is a tensor in the same memory as the changed tensor."""
            return isinstance(value, Tensor) and find_storage(value) is storage

        def find_keys(value: Any) -> set[Any]:
            """Return the indices or keys at which a list, tuple or dict has such a tensor."""
            if not isinstance(value, list | tuple | dict):
                return set()
            items = value.items() if isinstance(value, dict) else enumerate(value)
            return {key for key, item in items if shares_memory(item)}

        def find_names(user_frame: types.FrameType) -> list[str]:
            """Return the local names of a frame for tensors in that memory."""
            return [n for n, value in user_frame.f_locals.items() if shares_memory(value)]

        keys = {n: k for n, value in frame.f_locals.items() if (k := find_keys(value))}
        aliases = {n for n in find_names(frame) if frame.f_locals[n].value_ is tensor.value_}
        late_aliases = {*find_names(frame), *keys}
        function.in_place_lines.add(line)
        for name, keys_of_name in keys.items():
            function.late_keys.setdefault(line, {}).setdefault(name, set()).update(keys_of_name)
        function.aliases.setdefault(line, set()).update(aliases)
        function.late_aliases.setdefault(line, set()).update(late_aliases - aliases)
        is_outside = self._storage_map.is_from_outside(storage)
        caller = frame.f_back
        while caller is not None and not is_outside:
            is_op_by_op = not interpreter.tracing()  # then the graph's caller is searched, too
            if caller.f_code in self.functions or (is_op_by_op and _is_frame_of_user(caller)):
                names = find_names(caller)
                is_outside = are_names_read_after_call(caller, names) and self._are_reads_live(
                    caller, names
                )
            caller = caller.f_back
        if is_outside:
            function.outside_writes.add(line)

    def _are_reads_live(self, frame: types.FrameType, names: list[str]) -> bool:
        """Whether a result may depend on a read of one of ``names`` after the line that a frame
        runs; True for a function outside the graph.
        """
        function = self.functions.get(frame.f_code)
        if function is None:
            return True
        reads = [n for n in function.loads if n.id in names and n.lineno >= frame.f_lineno]
        is_in_loop = any(function.walk(ast.For, ast.While))
        return is_in_loop or any(map(Liveness(function).reaches_result, reads))

    @contextmanager
    def _check_parameter_writes(self) -> Iterator[None]:
        """Record inside the ``with`` block where a Parameter of a Cell is set to a different shape
        or type.

        The method of Cell that sets a Parameter is patched inside the block.
        """
        holder: Any = next(c for c in Cell.__mro__ if "_set_param_content_" in vars(c))
        original = holder._set_param_content_

        def set_checked_content(cell: Cell, name: str, value: Any) -> None:
            """Record a value that MindSpore's Assign refuses, then set the Parameter."""
            parameter = cell._params[name]
            if (
                isinstance(value, Tensor)
                and parameter is not None
                and interpreter.tracing()
                and not _is_assignable(parameter, value, _is_augmented(frame := user_frame()))
            ):
                self.call_matches.append(
                    ("parameter-type", frame.f_code.co_filename, frame.f_lineno or 0)
                )
            original(cell, name, value)

        holder._set_param_content_ = set_checked_content
        try:
            yield
        finally:
            holder._set_param_content_ = original

    def _is_raised_at_compile_time(self, exc: Exception) -> bool:
        """Whether ``exc`` was raised by a ``raise`` or ``assert`` in a function of the graph, not
        under a condition on a tensor.
        """
        frame, line = [*traceback.walk_tb(exc.__traceback__)][-1]
        function = self.functions.get(frame.f_code)
        statements = function.walk(ast.Raise, ast.Assert) if function is not None else ()
        return any(
            not any(
                isinstance(ancestor, ast.If) and function.infer_kind(ancestor.test) == "tensor"
                for ancestor in function.iterate_ancestors(statement)
            )
            for statement in statements
            if function is not None and _spans_line(statement, line)
        )

    def _note_exception_text(self) -> None:
        """Record an exception of the graph that the caller handles in a ``try`` whose handler uses
        it by name.
        """
        frame: Any = sys._getframe()
        while frame is not None and not _is_frame_of_user(frame):
            frame = frame.f_back
        if frame is None:
            return
        line, tree = frame.f_lineno, parse_file(frame.f_code.co_filename)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Try) and any(_spans_line(s, line) for s in node.body):
                for handler in node.handlers:
                    names = [n.id for n in ast.walk(handler) if isinstance(n, ast.Name)]
                    if handler.name in names:
                        self.call_matches.append(
                            ("exception-text", frame.f_code.co_filename, handler.lineno)
                        )

    def _add_generator(self, fn: Any) -> None:
        """Record a ``construct`` that is a generator or coroutine, which the call does not run."""
        construct: Any = getattr(type(fn), "construct", None)
        code = getattr(construct, "__code__", None)
        if (
            code is not None
            and code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE)
            and code not in self._seen_codes
        ):
            self._seen_codes.add(code)
            self.functions[code] = TracedFunction(code, construct.__globals__, {"self": fn}, False)


def _is_augmented(frame: types.FrameType) -> bool:
    """Whether the current line of ``frame`` is an augmented assignment, such as ``+=``."""
    tree = parse_file(frame.f_code.co_filename)
    return any(
        isinstance(n, ast.AugAssign) and n.lineno == frame.f_lineno
        for n in (ast.walk(tree) if tree is not None else ())
    )


def _is_assignable(parameter: Tensor, value: Tensor, casts: bool) -> bool:
    """Whether MindSpore can set a Parameter to a value, which needs the same shape and no wider
    dtype.

    With ``casts`` the dtype does not matter, as in augmented assignments.
    """
    if tuple(parameter.shape) != tuple(value.shape):
        return False
    parameter_rank, value_rank = (
        (_KIND_RANKS.get(dtype.kind, 0), dtype.itemsize)
        for dtype in (parameter.value_.spec.dtype, value.value_.spec.dtype)
    )
    is_narrower = value_rank < parameter_rank  # a float of any size accepts every integer
    return casts or is_narrower or parameter.dtype == value.dtype


_KIND_RANKS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def _is_frame_of_user(frame: types.FrameType) -> bool:
    """Whether a frame runs user code, and not code of ``contextlib``."""
    is_library = frame.f_code.co_filename == contextlib.__file__
    return not is_library and is_user_code(frame.f_globals.get("__name__", ""), frame.f_code)


def _spans_line(node: ast.stmt, line: int) -> bool:
    """Whether a statement spans the line."""
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _unwrap_called_object(fn: Any) -> Any:
    """Return the Cell or function that a call runs, unwrapped from derivatives and methods."""
    while True:
        if isinstance(fn, Derivative):
            fn = fn.fn
        elif isinstance(fn, types.MethodType):
            fn = fn.__self__
        else:
            return fn


def _is_graph_by_mode(fn: Any) -> bool:
    """Whether GRAPH_MODE alone makes ``fn`` a graph, like a Cell or a derivative."""
    return hasattr(type(fn), "_graph_key_") or isinstance(fn, Derivative)


_DERIVATIVE_CALL = Derivative.__call__.__code__
_IN_PLACE_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv")
_IGNORED_CODE_NAMES = {
    "<module>", "<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>", "__init__", "__new__",
}  # fmt: skip

__all__ = ["StaleCall", "Watch"]
