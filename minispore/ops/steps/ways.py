"""The ways to compute a convolution and its gradients, and which one is taken."""

from __future__ import annotations

from functools import cache
from typing import Protocol

from minispore.core.steps import Steps
from minispore.ops.steps.columns import ByColumns
from minispore.ops.steps.depthwise import TapByTap
from minispore.ops.steps.planes import InPlanes, blocks
from minispore.ops.steps.window import Window


class Way(Protocol):
    """What a convolution and its gradients are lowered to."""

    def forward(self, out_shape: tuple[int, ...]) -> Steps:
        """(x, w) -> the output."""

    def input_gradient(self, size: tuple[int, ...]) -> Steps:
        """(dy, w, size) -> the gradient of the input."""

    def weight_gradient(self, size: tuple[int, ...]) -> Steps:
        """(dy, x, size) -> the gradient of the weight."""


@cache
def way(win: Window, channels: int, out_channel: int, group: int) -> Way:
    """How a convolution of ``channels`` to ``out_channel`` is computed."""
    b = blocks(win, out_channel, group)
    if b > 1:
        return InPlanes(win, b)
    if group == channels == out_channel > 1:  # a GEMM of one row is not worth its columns
        return TapByTap(win)
    return ByColumns(win, group)
