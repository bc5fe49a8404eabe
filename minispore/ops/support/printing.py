"""The output of Print: standard output, or a printer that another package installs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor

#: Takes the arguments of one Print: texts, numbers, and arrays for Tensors.
Printer = Callable[[Sequence[Any]], None]


def print_to_screen(args: Sequence[Any]) -> None:
    """Write each of ``args`` as a line to standard output, an array as a Tensor is shown."""
    for a in args:
        print(repr(Tensor.from_numpy(a)) if isinstance(a, np.ndarray) else a, flush=True)


printer: Printer = print_to_screen


def install(new: Printer) -> None:
    """Make ``new`` the printer of all later Print ops."""
    global printer
    printer = new
