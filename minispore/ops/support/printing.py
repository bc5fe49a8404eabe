"""The output of Print: standard output, or a printer installed by another package."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor

#: Receives the arguments of one Print call: strings, numbers, and an array for each Tensor.
Printer = Callable[[Sequence[Any]], None]


def print_to_screen(args: Sequence[Any]) -> None:
    """Write each of ``args`` as a line to standard output and flush it; arrays are formatted like
    Tensors.
    """
    for a in args:
        print(repr(Tensor.from_numpy(a)) if isinstance(a, np.ndarray) else a, flush=True)


printer: Printer = print_to_screen


def install(new: Printer) -> None:
    """Make ``new`` the printer of this process, which all later Print ops call."""
    global printer
    printer = new
