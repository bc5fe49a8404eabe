"""Where Print writes: to the screen, or where a room above has said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor

#: Takes what one Print was given: texts, numbers, and arrays for Tensors.
Printer = Callable[[Sequence[Any]], None]


def to_screen(args: Sequence[Any]) -> None:
    """Write each of ``args`` to a line of its own on standard output."""
    for a in args:
        print(repr(Tensor.from_numpy(a)) if isinstance(a, np.ndarray) else a, flush=True)


printer: Printer = to_screen


def install(new: Printer) -> None:
    """Let Print write by ``new`` from now on."""
    global printer
    printer = new
