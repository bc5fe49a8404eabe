"""The exceptions that minispore adds to Python's own.

::

    Exception
    └── RuntimeError
        ├── GraphModeError       Python asked a traced tensor for something only a value can give
        ├── GetNextError         the device waited for a batch that did not or can not come
        ├── DeviceError          the simulated device failed
        │   └── DeviceMemoryError    its memory is exhausted
        └── DatasetError         a dataset operation failed on a row

Everything else is raised as the built-in type that MindSpore uses (TypeError, ValueError, KeyError,
...).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class GraphModeError(RuntimeError):
    """A tensor that is being traced was asked for its value, or Python state leaked into a
    graph.
    """


class GetNextError(RuntimeError):
    """GetNext can't deliver a batch; the text says why and what to do."""


class DeviceError(RuntimeError):
    """The simulated device failed."""


class DeviceMemoryError(DeviceError):
    """The simulated device has not enough memory."""


class DatasetError(RuntimeError):
    """A dataset operation failed; ``__cause__`` is the user's own exception."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`` Did you mean 'x'?`` when a known name is close to ``name``, else the empty string.

    >>> did_you_mean("sink_sice", ["sink_size", "epoch"])
    " Did you mean 'sink_size'?"
    """
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" Did you mean {close[0]!r}?" if close else ""
