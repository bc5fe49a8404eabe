"""Hooks of the debug mode: they see the inputs of a map and the outputs of its operations.

>>> import minispore.dataset as ds
>>> ds.config.set_debug_mode(True, [PrintMetaDataHook()])
>>> data = ds.NumpySlicesDataset([1], ["x"]).map(lambda x: x * 2.0, "x")
>>> rows = list(data.create_tuple_iterator(num_epochs=1))
[Dataset debugger] Print the [INPUT] of the operation [<lambda>].
Column 0. The dtype is [int64]. The shape is [()].
[Dataset debugger] Print the [OUTPUT] of the operation [<lambda>].
Column 0. The dtype is [float64]. The shape is [()].
>>> ds.config.set_debug_mode(False)
"""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

import numpy as np


class DebugHook:
    """Base of hooks: a subclass defines in ``compute`` what to do with the columns.

    A hook may also be one of the operations of a map; it returns the columns unchanged.

    Args:
        prev_op_name (str, optional): the preceding operation; set in debug mode.
    """

    def __init__(self, prev_op_name: str | None = None) -> None:
        self.prev_op_name = prev_op_name
        self.is_first_op = False

    def __call__(self, *args: Any) -> Any:
        """Print the operation and whether the columns are its input or output; call ``compute``.

        Returns:
            The columns, unchanged.
        """
        if self.prev_op_name:
            side = "INPUT" if self.is_first_op else "OUTPUT"
            label = f"Print the [{side}] of the operation [{self.prev_op_name}]."
            print(f"[Dataset debugger] {label}", flush=True)
        self.compute(args)
        return args if len(args) > 1 else args[0]

    def compute(self, *args: Any) -> Any:
        """Handle the columns of a row, which are passed as one tuple; subclasses override it.

        Raises:
            RuntimeError: the subclass does not define ``compute``.
        """
        raise RuntimeError(f"{type(self).__name__}: must define compute(self, *args).")

    def set_previous_op_name(self, prev_op_name: str) -> None:
        """Set the name of the operation that the hook is called before or after."""
        self.prev_op_name = prev_op_name

    def set_is_first(self, is_first_op: bool) -> None:
        """Set whether the hook is called before the operation instead of after it."""
        self.is_first_op = is_first_op


class PrintMetaDataHook(DebugHook):
    """Prints the type and shape of each column."""

    def compute(self, *args: Any) -> None:
        for number, column in enumerate(*args):
            print(f"Column {number}. {_describe_column(column)}", flush=True)


class PrintDataHook(DebugHook):
    """Prints the values of each column."""

    def compute(self, *args: Any) -> None:
        for number, column in enumerate(*args):
            value = np.asarray(column) if hasattr(column, "getbands") else column
            print(f"Column {number}. The data is [{value}].", flush=True)


def _describe_column(column: Any) -> str:
    """Return the type, shape or size of a column as text."""
    if isinstance(column, np.ndarray | np.generic):
        return f"The dtype is [{column.dtype}]. The shape is [{column.shape}]."
    if hasattr(column, "getbands"):  # a PIL image
        return f"The type is [{type(column)}]. The shape is [{column.size}]."
    size = f" The size is [{len(column)}]." if isinstance(column, Sized) else ""
    return f"The type is [{type(column)}].{size}"


__all__ = ["DebugHook", "PrintDataHook", "PrintMetaDataHook"]
