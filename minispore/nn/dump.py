"""set_dump: marks the Cells and ops whose data is dumped."""

from __future__ import annotations

import warnings
from typing import Any

from minispore import context
from minispore.core.primitive import Primitive
from minispore.device.dump import record
from minispore.nn.cell import Cell


def set_dump(target: Any, enabled: bool = True) -> None:
    """Mark a Cell with its descendants, or an op, for the data dump of ``dump_mode`` 2.

    The inputs and outputs of marked ops are written while a graph runs, forward and backward, if
    the file of ``MINDSPORE_DUMP_CONFIG`` requests it.

    Args:
        target: a Cell, or a Primitive that is an attribute of a Cell.
        enabled: False removes the mark.

    Raises:
        ValueError: ``target`` is neither, or ``enabled`` is not a bool.

    >>> from minispore import nn, set_dump
    >>> set_dump(nn.Dense(2, 2), False)
    """
    if not isinstance(target, Cell | Primitive):
        raise ValueError(f"set_dump: target must be a Cell or a Primitive, got {target!r}.")
    if not isinstance(enabled, bool):
        raise ValueError(f"set_dump: enabled must be a bool, got {enabled!r}.")
    if enabled and context.current().device_target != "Ascend":
        warnings.warn(
            "set_dump: device_target should be 'Ascend', the one on which MindSpore dumps what is "
            f"marked, got {context.current().device_target!r}.",
            stacklevel=2,
        )
    if isinstance(target, Cell):
        target.add_flags_recursive(dump=enabled)
        return
    record.marked_prims[:] = [p for p in record.marked_prims if p is not target]
    if enabled:
        record.marked_prims.append(target)
