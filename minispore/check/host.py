"""What goes back and forth between script and device while it trains: values that Python asks for,
functions that are compiled again.
"""

from __future__ import annotations

import ast
import functools
import linecache
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from minispore.core import interpreter
from minispore.core.tensor import Tensor
from minispore.graph.compiler import Watcher, compiler
from minispore.graph.keys import name_of
from minispore.graph.state.outside import PACKAGE, is_users
from minispore.graph.trace import user_frame

_ASKS = {
    "asnumpy": "asnumpy()", "__array__": "NumPy", "item": "item()", "tolist": "tolist()",
    "__float__": "float()", "__int__": "int()", "__bool__": "bool()", "__index__": "an index",
    "__str__": "str()", "__repr__": "repr()",
}  # fmt: skip


class Host(Watcher):
    """Counts what the script asks of tensors, and notes why functions were compiled again.

    Attributes:
        asked: how often which line asked for a value, and how.
        again: how often which function was compiled again at which line, and why.
    """

    def __init__(self) -> None:
        self.asked: Counter[tuple[str, int, str]] = Counter()
        self.again: Counter[tuple[str, int, str, str]] = Counter()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Count what happens in the ``with`` block."""
        compiler.watchers = (*compiler.watchers, self)
        with ExitStack() as back:
            for name, what in _ASKS.items():
                plain = getattr(Tensor, name)
                own = name in vars(Tensor)
                back.callback(setattr, Tensor, name, plain) if own else back.callback(
                    delattr, Tensor, name
                )
                setattr(Tensor, name, self._counting(plain, what))
            try:
                yield
            finally:
                compiler.watchers = tuple([w for w in compiler.watchers if w is not self])

    def recompiled(self, fn: Any, reason: str, old: Any) -> None:
        frame = user_frame()
        self.again[frame.f_code.co_filename, frame.f_lineno or 0, name_of(fn), reason] += 1

    def _counting(self, plain: Callable[..., Any], what: str) -> Callable[..., Any]:
        @functools.wraps(plain)
        def asked(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            frame = sys._getframe(1)
            code = frame.f_code
            if not interpreter.tracing() and is_users(frame.f_globals.get("__name__", ""), code):
                self.asked[code.co_filename, frame.f_lineno, what] += 1
            return plain(tensor, *args, **kwargs)

        return asked

    def in_loops(self) -> list[tuple[str, int, str, int]]:
        """File, line, how and how often, of values that a loop of the script asks for."""
        return [
            (file, line, what, count)
            for (file, line, what), count in sorted(self.asked.items())
            if count > 1 and _is_repeated(file, line)
        ]


def _is_repeated(file: str, line: int) -> bool:
    """Whether a line stands in a loop, or in a function."""
    if file.startswith(PACKAGE):
        return False
    return any(begin <= line <= end for begin, end in _stretches(file))


@functools.lru_cache(maxsize=64)
def _stretches(file: str) -> list[tuple[int, int]]:
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return []
    kinds = (ast.For, ast.While, ast.FunctionDef)
    return [(n.lineno, n.end_lineno or 0) for n in ast.walk(tree) if isinstance(n, kinds)]


__all__ = ["Host"]
