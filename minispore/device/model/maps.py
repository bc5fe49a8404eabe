"""Which arrays of a program are feature maps: the device keeps their channels in blocks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from minispore.core.registry import registry
from minispore.device.model.records import Operand, OpRecord


def feature_maps(ops: Sequence[OpRecord]) -> set[Hashable]:
    """The arrays that hold feature maps: what image ops read and make, and what is made of it."""
    found: set[Hashable] = set()
    for r in ops:
        op = registry.get(r.name)
        image = (op is not None and op.images) or any(o.key in found for o in r.inputs if is_map(o))
        if image:
            found.update(o.key for o in (*r.inputs, *r.outputs) if is_map(o))
    return found


def is_map(o: Operand) -> bool:
    """Whether ``o`` has pixels: (N, C, H, W), and is no weight."""
    return len(o.shape) == 4 and is_float(o) and not o.param and o.shape[2] * o.shape[3] > 1


def is_float(o: Operand) -> bool:
    """Whether ``o`` holds floats."""
    return o.dtype.kind == "f"
