"""Finds the feature maps of a program, whose channels a device keeps in blocks, and their masks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np

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


def use_relu_masks(ops: Sequence[OpRecord]) -> list[OpRecord]:
    """Return the ops with masks in place of the feature maps that derivatives of ReLU read.

    Where channels are in blocks, ReluV2 writes a bit for each element beside its output, and
    ReluGradV2 reads these bits. Source: MindSpore derelu_fusion.cc; both are in the profile of an
    AlexNet on a 910, and of matrices Relu and ReluGrad.
    """
    relu_keys = {r.outputs[0].key for r in ops if r.name == "ReLU" and is_feature_map(r.outputs[0])}
    masks = {
        r.inputs[1].key: _make_relu_mask(r.inputs[1])
        for r in ops
        if r.name == "ReluGrad" and r.inputs[1].key in relu_keys
    }
    masked_ops = []
    for r in ops:
        if r.name == "ReluGrad" and r.inputs[1].key in masks:
            r = replace(r, inputs=(r.inputs[0], masks[r.inputs[1].key]))
        elif r.name == "ReLU" and r.outputs[0].key in masks:
            r = replace(r, outputs=(r.outputs[0], masks[r.outputs[0].key]))
        masked_ops.append(r)
    return masked_ops


def _make_relu_mask(o: Operand) -> Operand:
    """Return the mask of a feature map: two bytes for each 16 channels of a pixel."""
    n, c, h, w = o.shape
    return Operand(("ReluMask", o.key), (n, -(-c // 16), h, w, 2), np.dtype(np.uint8))


def is_feature_map(o: Operand) -> bool:
    """Whether an operand is a feature map: floats (N, C, H, W) with H * W > 1, and not a weight."""
    return len(o.shape) == 4 and is_float(o) and not o.param and o.shape[2] * o.shape[3] > 1


def is_float(o: Operand) -> bool:
    """Whether ``o`` has a floating-point dtype."""
    return o.dtype.kind == "f"
