"""The exceptions of minispore, in addition to Python's.

::

    Exception
    ├── AttributeError
    │   └── MissingAttribute     suggests a close name when it is printed
    ├── IndexError
    │   └── MaskError            a mask does not fit the tensor; a ValueError, too
    └── RuntimeError
        ├── GraphModeError       Python code needs the value of a traced tensor
        │   └── RepeatedName     two of its Parameters share a name; a ValueError, too
        ├── BpropError           a bprop does not accept its arguments; a TypeError, too
        ├── GetNextError         the device waited for a batch that did not come
        ├── PositionError        no such input to differentiate by; an IndexError, too
        ├── ShapeError           the shapes of an op's inputs do not fit; a ValueError, too
        ├── SliceError           a slice has bounds that are not ints; a TypeError, too
        ├── DeviceError          the simulated device failed
        │   └── DeviceMemoryError    its memory is exhausted; a MemoryError, too
        └── DatasetError         a dataset operation failed on a row

Everything else is raised as the built-in type that MindSpore uses (TypeError, ValueError, KeyError,
...).
"""

from __future__ import annotations

import difflib
import os
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any

PACKAGE_FOLDER = os.path.dirname(__file__) + os.sep


class GraphModeError(RuntimeError):
    """The value of a traced tensor was requested, or Python state leaked into a graph."""


class GetNextError(RuntimeError):
    """GetNext can't deliver a batch; the message says why and what to do."""


class RepeatedName(GraphModeError, ValueError):
    """Two Parameters of a graph have the same name.

    MindSpore raises a RuntimeError if they are found inside the function, a ValueError if they are
    arguments.
    """


class PositionError(RuntimeError, IndexError):
    """There is no input at a position to differentiate by.

    MindSpore's PYNATIVE_MODE raises a RuntimeError, its GRAPH_MODE an IndexError.
    """


class MaskError(IndexError, ValueError):
    """A mask does not fit the axes of the tensor that it indexes.

    MindSpore raises a ValueError if a length differs or a value is written, an IndexError if the
    mask has too many axes.
    """


class ShapeError(RuntimeError, ValueError):
    """The shapes of an op's inputs do not fit.

    MindSpore raises a RuntimeError if the kernel detects it, a ValueError if the op does.
    """


class BpropError(RuntimeError, TypeError):
    """A ``bprop`` does not accept the arguments that it is called with.

    In a graph, MindSpore raises a RuntimeError if the bprop accepts almost no arguments; otherwise
    it raises a TypeError.
    """


class SliceError(RuntimeError, TypeError):
    """A slice in an index has bounds that are not ints.

    MindSpore's PYNATIVE_MODE raises a RuntimeError, its GRAPH_MODE a TypeError.
    """


class DeviceError(RuntimeError):
    """The simulated device failed."""


class DeviceMemoryError(DeviceError, MemoryError):
    """The simulated device does not have enough memory."""


class DatasetError(RuntimeError):
    """A dataset operation failed; ``__cause__`` is the user's own exception."""


class MissingAttribute(AttributeError):
    """An attribute is missing; the text suggests a close name.

    The close name is searched only when the text is shown, because ``hasattr`` often raises this
    error without showing it.

    Args:
        text: the message.
        attribute: the missing name.
        get_names: returns the existing names.
        hint: a sentence to show instead of a close name.
    """

    def __init__(
        self,
        text: str,
        attribute: str,
        get_names: Callable[[], Iterable[str]],
        hint: str = "",
    ) -> None:
        super().__init__(text)
        self._attribute, self._get_names, self._hint = attribute, get_names, hint

    def __str__(self) -> str:
        hint = self._hint or did_you_mean(self._attribute, self._get_names())
        return f"{self.args[0]}{hint}"

    def __reduce__(self) -> Any:
        return AttributeError, (str(self),)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the user's program that called this package, at any depth."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE_FOLDER):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def did_you_mean(name: object, candidates: Iterable[str]) -> str:
    """Return `` Did you mean 'x'?`` if a candidate is close to ``name``, else the empty string.

    The comparison ignores case; among equally close candidates, one with the same case wins.

    >>> did_you_mean("sink_sice", ["sink_size", "epoch"])
    " Did you mean 'sink_size'?"
    >>> did_you_mean("f1", ["mae", "F1"])
    " Did you mean 'F1'?"
    """
    if not isinstance(name, str):
        return ""
    spellings: dict[str, list[str]] = {}  # by lower-case spelling
    for candidate in candidates:
        spellings.setdefault(candidate.lower(), []).append(candidate)
    close = difflib.get_close_matches(name.lower(), list(spellings), n=1, cutoff=0.6)
    if not close or (len(name) < 4 and close[0][:1] != name[:1].lower()):
        return ""  # short words may be similar by chance
    best = max(
        spellings[close[0]], key=lambda candidate: sum(a == b for a, b in zip(candidate, name))
    )
    return f" Did you mean {best!r}?"
