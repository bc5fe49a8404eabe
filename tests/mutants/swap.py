"""Put a mutant's functions in the place of those that were imported."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType

Living = dict[CodeType, list[FunctionType]]
Changed = list[tuple[CodeType, CodeType]]


def find_functions(folder: Path) -> Living:
    """Return every function of the files below ``folder``, by its code."""
    actual: Living = defaultdict(list)
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and Path(thing.__code__.co_filename).is_relative_to(
            folder
        ):
            actual[thing.__code__].append(thing)
    return actual


def find_changed_functions(file: str, old: str, new: str) -> Changed:
    """Return the functions that differ between two sources, each with its new code.

    None of them where something else differs: what a module or a class does was done long ago.
    """
    try:
        return list(_find_differing(compile(old, file, "exec"), compile(new, file, "exec")))
    except _OutsideError:
        return []


class _OutsideError(Exception):
    """The sources differ outside of functions."""


def _find_differing(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Yield differing functions from the outside in: an inner one may outlive its outer one."""
    if _is_function(old):
        if old == new:
            return
        yield old, new
    elif _strip_functions(old) != _strip_functions(new):
        raise _OutsideError
    olds, news = _list_inner_codes(old), _list_inner_codes(new)
    if [c.co_name for c in olds] == [c.co_name for c in news]:
        for before, after in zip(olds, news):
            yield from _find_differing(before, after)
    elif not _is_function(old):
        raise _OutsideError


def _is_function(code: CodeType) -> bool:
    return bool(code.co_flags & 0x2)  # CO_NEWLOCALS: no module, no class


def _list_inner_codes(code: CodeType) -> list[CodeType]:
    return [c for c in code.co_consts if isinstance(c, CodeType)]


def _strip_functions(code: CodeType) -> CodeType:
    """Return the code without the code of the functions that it defines."""
    consts = tuple(None if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_consts=consts, co_linetable=b"", co_firstlineno=1)


def swap(functions: Living, changed: Changed) -> None:
    """Give each living function its new code."""
    for old, new in changed:
        for function in functions.get(old, ()):
            if len(new.co_freevars) == len(old.co_freevars):
                function.__code__ = new
