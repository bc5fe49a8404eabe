"""Short tracebacks: the user's frames, with one frame of minispore between two of them."""

from __future__ import annotations

import functools
import inspect
import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from minispore.errors import PACKAGE_FOLDER

C = TypeVar("C", bound=type)

#: Files whose functions only call others, so they are never the function that the user called.
_WRAPPER_FILES = (__file__, str(Path(__file__).with_name("foreign_names.py")))


def shorten_traceback(exc: BaseException) -> None:
    """Remove most frames of minispore from the tracebacks of ``exc`` and its causes, in place.

    Between two frames of the user, the first frame is kept, which shows the function that the user
    called; at the end, the last frame is kept, which raised the exception. With
    ``MINISPORE_FULL_TRACEBACK=1`` in the environment all frames are kept.
    """
    if os.environ.get("MINISPORE_FULL_TRACEBACK", "0") not in ("", "0"):
        return
    seen: set[int] = set()
    cause: BaseException | None = exc
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        cause.__traceback__ = _leave_out_frames(cause.__traceback__)
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)


def _leave_out_frames(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback with the entries of ``trace`` that a user needs.

    Of minispore's entries, it keeps the first between two of the user's, and the last at the end.
    """
    entries: list[TracebackType] = []
    own_entries: list[TracebackType] = []  # minispore's entries since the user's last one
    for entry in iterate_traceback(trace):
        if entry.tb_frame.f_code.co_filename.startswith(PACKAGE_FOLDER):
            own_entries.append(entry)
            continue
        called = (e for e in own_entries if e.tb_frame.f_code.co_filename not in _WRAPPER_FILES)
        entries += [*itertools.islice(called, 1), entry]
        own_entries = []
    shortened = None
    for entry in reversed(entries + own_entries[-1:]):
        shortened = TracebackType(shortened, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return shortened


def iterate_traceback(trace: TracebackType | None) -> Iterator[TracebackType]:
    """Yield the entries of a traceback, outermost first."""
    while trace is not None:
        yield trace
        trace = trace.tb_next


def shorten_tracebacks(cls: C) -> C:
    """Wrap each public method of a class so that its exceptions have a short traceback; return the
    class.
    """
    for name, method in list(vars(cls).items()):
        if inspect.isfunction(method) and name[0] != "_":
            setattr(cls, name, _shorten_tracebacks_of(method))
    return cls


def _shorten_tracebacks_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap ``function`` so that its exceptions have a short traceback."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        """Call the function; shorten the traceback of its exception."""
        try:
            return function(*args, **kwargs)
        except Exception as exc:
            shorten_traceback(exc)
            raise

    return wrapper
