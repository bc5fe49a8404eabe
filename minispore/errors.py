"""The exceptions that minispore adds to Python's own.

::

    Exception
    ├── AttributeError
    │   └── MissingAttribute     says the close name once it is shown
    ├── IndexError
    │   └── MaskError            a mask does not fit what it picks of; a ValueError, too
    └── RuntimeError
        ├── GraphModeError       Python asked a traced tensor for something only a value can give
        │   └── RepeatedName     two of its Parameters share a name; a ValueError, too
        ├── BpropError           a bprop does not take what it is given; a TypeError, too
        ├── GetNextError         the device waited for a batch that did not or can not come
        ├── PositionError        there is no such input to differentiate by; an IndexError, too
        ├── ShapeError           the shapes of an op's inputs do not fit; a ValueError, too
        ├── SliceError           a slice has bounds that are no ints; a TypeError, too
        ├── DeviceError          the simulated device failed
        │   └── DeviceMemoryError    its memory is exhausted; a MemoryError, too
        └── DatasetError         a dataset operation failed on a row

Everything else is raised as the built-in type that MindSpore uses (TypeError, ValueError, KeyError,
...).
"""

from __future__ import annotations

import difflib
import functools
import inspect
import os
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

C = TypeVar("C", bound=type)

_HOUSE = os.path.dirname(__file__) + os.sep


class GraphModeError(RuntimeError):
    """A traced tensor was asked for its value, or Python state leaked into a graph."""


class GetNextError(RuntimeError):
    """GetNext can't deliver a batch; the text says why and what to do."""


class RepeatedName(GraphModeError, ValueError):
    """Two Parameters of a graph have one name: MindSpore raises the one type where they are found
    inside, the other where they are arguments.
    """


class PositionError(RuntimeError, IndexError):
    """There is no input at a position to differentiate by: MindSpore's PYNATIVE_MODE raises the
    one type, its GRAPH_MODE the other.
    """


class MaskError(IndexError, ValueError):
    """A mask does not fit the axes that it picks of: MindSpore raises a ValueError where a length
    differs or something is written, an IndexError where the mask has too many axes.
    """


class ShapeError(RuntimeError, ValueError):
    """The shapes of an op's inputs do not fit: MindSpore raises the one type where the kernel finds
    it, the other where the op does.
    """


class BpropError(RuntimeError, TypeError):
    """A ``bprop`` does not take what it is given: MindSpore raises the one type in a graph if it
    takes next to nothing, else the other.
    """


class SliceError(RuntimeError, TypeError):
    """A slice in an index has bounds that are no ints: MindSpore's PYNATIVE_MODE raises the one
    type, its GRAPH_MODE the other.
    """


class DeviceError(RuntimeError):
    """The simulated device failed."""


class DeviceMemoryError(DeviceError, MemoryError):
    """The simulated device has not enough memory."""


class DatasetError(RuntimeError):
    """A dataset operation failed; ``__cause__`` is the user's own exception."""


class MissingAttribute(AttributeError):
    """An attribute is not there. A close name is looked for when the text is shown, for ``hasattr``
    asks often and shows nothing.

    Args:
        text: what is missing.
        attribute: the name that was asked for.
        known: gives the names that are there.
    """

    def __init__(self, text: str, attribute: str, known: Callable[[], Iterable[str]]) -> None:
        super().__init__(text)
        self._attribute, self._known = attribute, known

    def __str__(self) -> str:
        return f"{self.args[0]}{did_you_mean(self._attribute, self._known())}"

    def __reduce__(self) -> Any:
        return AttributeError, (str(self),)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the program that called into this package, however deep that was."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HOUSE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def suggests_keywords(cls: C) -> C:
    """Let the methods of a class say which keyword a wrong one is near to.

    >>> @suggests_keywords
    ... class Shop:
    ...     def buy(self, count=1): ...
    >>> try:
    ...     Shop().buy(cuont=2)
    ... except TypeError as error:
    ...     said = [str(error), *getattr(error, "__notes__", [])]
    >>> print(" ".join(said).count("Did you mean 'count'?"))
    1
    """
    for name, method in list(vars(cls).items()):
        if inspect.isfunction(method) and name[0] != "_":
            setattr(cls, name, _suggesting(method))
    return cls


def _suggesting(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            trace = error.__traceback__
            if trace is not None and trace.tb_next is None:  # the call itself, nothing inside
                known = inspect.signature(function).parameters
                for wrong in kwargs.keys() - known.keys():
                    near = did_you_mean(wrong, known).strip()
                    if near and near not in str(error):  # Python 3.13 looks for one itself
                        error.add_note(near)
            raise

    return called


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """`` Did you mean 'x'?`` when a known name is close to ``name``, else the empty string.

    Letters are compared whatever their case; of equally close names the one of the same case wins.

    >>> did_you_mean("sink_sice", ["sink_size", "epoch"])
    " Did you mean 'sink_size'?"
    >>> did_you_mean("f1", ["mae", "F1"])
    " Did you mean 'F1'?"
    """
    if not isinstance(name, str):
        return ""
    spelled: dict[str, list[str]] = {}
    for one in known:
        spelled.setdefault(one.lower(), []).append(one)
    close = difflib.get_close_matches(name.lower(), list(spelled), n=1, cutoff=0.6)
    if not close:
        return ""
    best = max(spelled[close[0]], key=lambda one: sum(a == b for a, b in zip(one, name)))
    return f" Did you mean {best!r}?"
