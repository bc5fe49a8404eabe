"""The ways to compute a convolution and its gradients, and which one is taken."""

from __future__ import annotations

from functools import cache
from typing import Protocol

import numpy as np

from minispore.core.kernels.steps import Steps
from minispore.ops.steps.columns import ByColumns
from minispore.ops.steps.depthwise import InBands
from minispore.ops.steps.phases import InPhases
from minispore.ops.steps.planes import InPlanes, blocks
from minispore.ops.steps.window import Window
from minispore.ops.steps.winograd import by_blocks


class Way(Protocol):
    """What a convolution and its gradients are lowered to."""

    def forward(self, out_shape: tuple[int, ...]) -> Steps:
        """(x, w) -> the output."""

    def input_gradient(self, size: tuple[int, ...]) -> Steps:
        """(dy, w, size) -> the gradient of the input."""

    def weight_gradient(self, size: tuple[int, ...]) -> Steps:
        """(dy, x, size) -> the gradient of the weight."""


_THREE = ((3, 3), (1, 1), (1, 1), (1, 1), (1, 1))  # kernel, stride, dilation, padding around
# Below it the transforms cost more than the products that they save: channels, and the length of a
# row of the GEMM.
_LEAST_CHANNELS, _LEAST_LENGTH = 8, 32


@cache
def way(
    win: Window,
    batch: int,
    channels: int,
    out_channel: int,
    group: int,
    dtype: np.dtype,
    winograd: int,
) -> Way:
    """How a convolution of ``channels`` to ``out_channel`` is computed.

    ``winograd``: the largest m of F(m, 3) that may be taken; 0 for none.
    """
    fits = win[1:6] == _THREE and group == 1 and dtype == np.float32
    if fits and min(channels, out_channel) >= _LEAST_CHANNELS:
        for m in (4, 2):
            blocked = win.size[1] // m
            if m <= winograd and win.size[1] % m == 0 and blocked * batch >= _LEAST_LENGTH:
                return by_blocks(m, channels, out_channel, blocked * batch)
    b = blocks(win, batch, channels, out_channel) if group == 1 else 0
    if b:
        return InPlanes(win, b)
    if group == channels == out_channel > 1:  # a GEMM of one row is not worth its columns
        return InBands(win)
    if group == 1 and _overlap(win) and channels >= _LEAST_CHANNELS:
        return InPhases(win)
    return ByColumns(win, group)


def _overlap(win: Window) -> bool:
    """Whether the windows of an image lie apart, yet overlap."""
    apart = len(win.kernel) == 2 and max(win.stride) > 1 and win.dilation == (1, 1)
    return apart and any(k > s for k, s in zip(win.kernel, win.stride, strict=True))
