"""Watching a run: which functions went through a graph, and what the graphs were told."""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from minispore import context
from minispore.check.changed import is_read, picture
from minispore.check.reread import reads_again
from minispore.check.source import UNKNOWN, Source
from minispore.core import interpreter
from minispore.core.staged import Derivative
from minispore.core.tensor import Tensor
from minispore.graph.cache import Entry
from minispore.graph.compiler import Watcher, compiler
from minispore.graph.keys import name_of
from minispore.graph.state.outside import is_users
from minispore.graph.trace import user_frame


class Stale:
    """A call that the real one answers with a graph of before."""

    def __init__(self, function: str, reason: str, file: str, line: int) -> None:
        self.function, self.reason, self.file, self.line = function, reason, file, line


class Watch(Watcher):
    """Notes the user's functions that run while a graph is called, each once."""

    def __init__(self) -> None:
        self.sources: dict[types.CodeType, Source] = {}
        self.stale: list[Stale] = []
        self.given_up: list[tuple[str, str]] = []
        self.called: list[tuple[str, str, int]] = []  # calls, by the rule about them
        self._phases: dict[int, Any] = {}
        self._pictures: dict[int, dict[int, dict[str, Any]]] = {}  # of its Cells, as it was made
        self._seen: set[types.CodeType] = set()
        self._depth = 0
        self._fn: Any = None  # what is called as a graph
        self._by_jit = self._lenient = False

    @contextmanager
    def watching(self) -> Iterator[Watch]:
        """Watch what runs in the ``with`` block."""
        compiler.watchers = (*compiler.watchers, self)
        try:
            yield self
        finally:
            compiler.watchers = tuple([w for w in compiler.watchers if w is not self])

    # -- what the compiler tells -------------------------------------------------------------------

    @contextmanager
    def calling(self, fn: Any) -> Iterator[None]:
        if self._depth:
            yield
            return
        self._depth += 1
        self._fn = fn
        self._by_jit = context.current().mode != context.GRAPH_MODE or not _staged(fn)
        self._lenient = self._by_jit or isinstance(fn, Derivative)
        before = sys.getprofile()
        sys.setprofile(self._profile)
        try:
            with self._seeing_aliases():
                yield
        finally:
            sys.setprofile(before)
            self._depth -= 1
            self._add_generator(fn)
            for source in self.sources.values():
                source.note()

    def recompiled(self, fn: Any, reason: str, old: Entry | None) -> None:
        """The same shapes again, but something else has changed: the real one does not look."""
        if old is None or reason.startswith("parameter ") or not hasattr(_root(fn), "_graph_key_"):
            return
        phase = getattr(fn, "phase", None)
        if self._phases.get(id(old), phase) != phase:
            return
        of_cells = reason.startswith(("an attribute of", "train flag of"))
        if of_cells and not is_read(old, self._pictures[id(old)], self.sources.values()):
            return
        frame = user_frame()
        self.stale.append(Stale(name_of(fn), reason, frame.f_code.co_filename, frame.f_lineno or 0))

    def compiled(self, fn: Any, entry: Entry) -> None:
        self._phases[id(entry)] = getattr(fn, "phase", None)
        self._pictures[id(entry)] = picture(entry)

    def gave_up(self, fn: Any, why: str) -> None:
        self.given_up.append((name_of(fn), why))

    def wrote(self, tensor: Tensor, given: list[Tensor]) -> None:
        frame = user_frame()
        twice = sum(t is tensor for t in given) > 1
        if not self._by_jit and (twice or reads_again(frame, tensor)):
            self.called.append(("given-written", frame.f_code.co_filename, frame.f_lineno or 0))

    # -- what runs ---------------------------------------------------------------------------------

    def _profile(self, frame: types.FrameType, event: str, arg: Any) -> None:
        if event != "call":
            return
        code = frame.f_code
        if code is _DERIVED and frame.f_locals["self"] is self._fn:
            self._note_call(frame.f_locals["args"], frame.f_locals["kwargs"])
        if code in self._seen:
            if code in self.sources and "self" in frame.f_locals:
                owner = frame.f_locals["self"]
                self.sources[code].owners[id(owner)] = owner
            return
        self._seen.add(code)
        module = frame.f_globals.get("__name__", "")
        made = code.co_filename == "<string>"  # such as a namedtuple's
        if made or code.co_name in _INNER or not is_users(module, code):
            return
        n = code.co_argcount + code.co_kwonlyargcount
        names = (*code.co_varnames[:n], *code.co_freevars)
        held = frame.f_locals
        known = {name: held.get(name, UNKNOWN) for name in names}
        self.sources[code] = Source(
            code, frame.f_globals, known, bool(interpreter.tapes()), self._by_jit, self._lenient
        )

    def _note_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """How a derivative is called that is a graph of its own."""
        user = user_frame()
        place = user.f_code.co_filename, user.f_lineno or 0
        tensors = [id(a) for a in args if isinstance(a, Tensor)]
        if kwargs:
            self.called.append(("grad-keyword", *place))
        if len(set(tensors)) < len(tensors):
            self.called.append(("same-argument", *place))

    @contextmanager
    def _seeing_aliases(self) -> Iterator[None]:
        """Note which other names a tensor has where it stands on the left of ``+=``."""
        plain = {f"__i{name}__": getattr(Tensor, f"__i{name}__") for name in _IN_PLACE}
        for method, make in plain.items():
            setattr(Tensor, method, self._aliasing(make))
        try:
            yield
        finally:
            for method, make in plain.items():
                setattr(Tensor, method, make)

    def _aliasing(self, make: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def in_place(tensor: Any, other: Any) -> Any:
            frame = sys._getframe(1)
            source = self.sources.get(frame.f_code)
            if source is not None:
                names = [n for n, held in frame.f_locals.items() if held is tensor]
                if len(names) > 1:
                    source.aliases.setdefault(frame.f_lineno, set()).update(names)
            return make(tensor, other)

        return in_place

    def _add_generator(self, fn: Any) -> None:
        """A construct that yields has not begun when the call ends."""
        plain: Any = getattr(type(fn), "construct", None)
        code = getattr(plain, "__code__", None)
        if code is not None and code.co_flags & inspect.CO_GENERATOR and code not in self._seen:
            self._seen.add(code)
            self.sources[code] = Source(code, plain.__globals__, {"self": fn}, False)


def _root(fn: Any) -> Any:
    """The Cell that a call is of, through derivatives and methods."""
    while True:
        if isinstance(fn, Derivative):
            fn = fn.fn
        elif isinstance(fn, types.MethodType):
            fn = fn.__self__
        else:
            return fn


def _staged(fn: Any) -> bool:
    """Whether the mode alone makes ``fn`` a graph: a Cell or a derivative, no jit function."""
    return hasattr(type(fn), "_graph_key_") or isinstance(fn, Derivative)


_DERIVED = Derivative.__call__.__code__
_IN_PLACE = ("add", "sub", "mul", "truediv", "floordiv")
_INNER = {"<module>", "<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>", "__init__", "__new__"}

__all__ = ["Stale", "Watch"]
