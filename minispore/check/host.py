"""Count values that a script reads from the device while it trains, and recompiled functions."""

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
from minispore.errors import PACKAGE_FOLDER
from minispore.graph.compiler import Watcher, compiler
from minispore.graph.keys import name_of
from minispore.graph.state.code_origin import is_user_code
from minispore.graph.trace import user_frame

_READING_METHODS = {
    "asnumpy": "asnumpy()", "__array__": "NumPy", "item": "item()", "tolist": "tolist()",
    "__float__": "float()", "__int__": "int()", "__bool__": "bool()", "__index__": "an index",
    "__str__": "str()", "__repr__": "repr()",
}  # fmt: skip


class HostInteractions(Watcher):
    """Counts the values that a script reads from tensors, and the recompilations of functions.

    Attributes:
        value_reads: the number of value reads by file, line and kind of access.
        recompilations: the number of recompilations by file, line, name and reason.
    """

    def __init__(self) -> None:
        self.value_reads: Counter[tuple[str, int, str]] = Counter()
        self.recompilations: Counter[tuple[str, int, str, str]] = Counter()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Count value reads and recompilations inside the ``with`` block.

        Tensor's reading methods are patched inside the block.
        """
        compiler.watchers = (*compiler.watchers, self)
        with ExitStack() as restore_stack:
            for name, access in _READING_METHODS.items():
                method = getattr(Tensor, name)
                if name in vars(Tensor):
                    restore_stack.callback(setattr, Tensor, name, method)
                else:  # inherited
                    restore_stack.callback(delattr, Tensor, name)
                setattr(Tensor, name, self._count_reads(method, access))
            try:
                yield
            finally:
                compiler.watchers = tuple([w for w in compiler.watchers if w is not self])

    def on_recompile(self, fn: Any, reason: str, old: Any) -> None:
        """Count a recompilation at the user's line that called the function."""
        frame = user_frame()
        self.recompilations[frame.f_code.co_filename, frame.f_lineno or 0, name_of(fn), reason] += 1

    def _count_reads(self, method: Callable[..., Any], access: str) -> Callable[..., Any]:
        """Return ``method`` of Tensor, wrapped to count its calls from user code."""

        @functools.wraps(method)
        def counted_method(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            """Count the read at the caller's line if it is user code running eagerly; then read."""
            frame = sys._getframe(1)
            code = frame.f_code
            if not interpreter.tracing() and is_user_code(
                frame.f_globals.get("__name__", ""), code
            ):
                self.value_reads[code.co_filename, frame.f_lineno, access] += 1
            return method(tensor, *args, **kwargs)

        return counted_method

    def find_reads_in_loops(self) -> list[tuple[str, int, str, int]]:
        """Return file, line, access and count of value reads that are repeated in a loop or
        function of the script.
        """
        return [
            (file, line, access, count)
            for (file, line, access), count in sorted(self.value_reads.items())
            if count > 1 and _is_repeated(file, line)
        ]


def _is_repeated(file: str, line: int) -> bool:
    """Whether a line belongs to user code and is in a loop or function."""
    if file.startswith(PACKAGE_FOLDER):
        return False
    return any(begin <= line <= end for begin, end in _find_loop_ranges(file))


@functools.lru_cache(maxsize=64)
def _find_loop_ranges(file: str) -> list[tuple[int, int]]:
    """Return the first and last lines of the loops and functions in a file."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return []
    node_types = (ast.For, ast.While, ast.FunctionDef)
    return [(n.lineno, n.end_lineno or 0) for n in ast.walk(tree) if isinstance(n, node_types)]


__all__ = ["HostInteractions"]
