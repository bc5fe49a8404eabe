"""Finds the feature maps of a program, whose channels a device keeps in blocks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from minispore.device.model.records import Operand, OpRecord
from minispore.device.model.roles import has_role


def find_feature_maps(ops: Sequence[OpRecord]) -> set[Hashable]:
    """Return the keys of the feature maps of image ops, and of ops that read a feature map."""
    keys: set[Hashable] = set()
    for r in ops:
        reads_feature_map = any(o.key in keys for o in r.inputs if is_feature_map(o))
        if reads_feature_map or has_role(r.name, "feature maps"):
            keys.update(o.key for o in (*r.inputs, *r.outputs) if is_feature_map(o))
    return keys


def is_feature_map(o: Operand) -> bool:
    """Whether an operand is a feature map: (N, C, H, W) with pixels, floats, and not a weight."""
    return len(o.shape) == 4 and is_float(o) and not o.param and o.shape[2] * o.shape[3] > 1


def is_float(o: Operand) -> bool:
    """Whether ``o`` has a floating-point dtype."""
    return o.dtype.kind == "f"
