"""The lowerings of a convolution and its gradients, and the choice among them."""

from __future__ import annotations

from functools import cache
from typing import Protocol

import numpy as np

from minispore.ir.operator import Steps
from minispore.ops.steps.columns import ColumnLowering
from minispore.ops.steps.depthwise import DepthwiseLowering
from minispore.ops.steps.phases import PhaseLowering
from minispore.ops.steps.planes import BlockedLowering, choose_block
from minispore.ops.steps.window import Window
from minispore.ops.steps.winograd import make_winograd_lowering


class ConvolutionLowering(Protocol):
    """A lowering of a convolution: the steps of its forward pass and of its two gradients.

    The last step of each has the result as its output.
    """

    def forward(self, out_shape: tuple[int, ...]) -> Steps:
        """Return the steps that compute the output, of shape ``out_shape`` (N, F, *out), from (x,
        w).
        """

    def input_gradient(self, size: tuple[int, ...]) -> Steps:
        """Return the steps that compute the gradient of the input from (dy, w, size).

        ``size`` is the shape (N, C, *size) of the input.
        """

    def weight_gradient(self, size: tuple[int, ...]) -> Steps:
        """Return the steps that compute the gradient of the weight from (dy, x, size).

        ``size`` is the shape (F, C/group, *kernel) of the weight.
        """


# kernel, stride, dilation, padding around
_WINOGRAD_WINDOW = (
    (3, 3),
    (1, 1),
    (1, 1),
    (1, 1),
    (1, 1),
)
# Below these limits (of channels, and of the length of a GEMM row) the transforms cost more than
# the products that they save.
_LEAST_CHANNELS, _LEAST_LENGTH = 8, 32


@cache
def choose_lowering(
    win: Window,
    batch: int,
    channels: int,
    out_channel: int,
    group: int,
    dtype: np.dtype,
    winograd: int,
) -> ConvolutionLowering:
    """Choose the lowering of a convolution from ``channels`` to ``out_channel``.

    In this order: Winograd for 3x3 kernels of stride 1 and float32, the blocked layout where it
    pays (without groups), bands for depthwise convolutions, phases for overlapping strided windows,
    else columns.

    Args:
        win: the windows.
        batch: the number of images.
        channels: of the input.
        out_channel: of the output.
        group: the number of groups of channels.
        dtype: of the input.
        winograd: the largest m of F(m, 3) that may be chosen; 0 for none.
    """
    has_winograd_form = win[1:6] == _WINOGRAD_WINDOW and group == 1 and dtype == np.float32
    if has_winograd_form and min(channels, out_channel) >= _LEAST_CHANNELS:
        for m in (4, 2):
            blocks_per_row = win.size[1] // m
            if m <= winograd and win.size[1] % m == 0 and blocks_per_row * batch >= _LEAST_LENGTH:
                return make_winograd_lowering(m, channels, out_channel, blocks_per_row * batch)
    block = choose_block(win, batch, channels, out_channel) if group == 1 else 0
    if block:
        return BlockedLowering(win, block)
    if group == channels == out_channel > 1:  # the columns cost more than a GEMM with a single row
        return DepthwiseLowering(win)
    if group == 1 and _has_overlapping_strides(win) and channels >= _LEAST_CHANNELS:
        return PhaseLowering(win)
    return ColumnLowering(win, group)


def _has_overlapping_strides(win: Window) -> bool:
    """Whether 2-d windows without dilation have a stride above 1 and still overlap."""
    is_strided = len(win.kernel) == 2 and max(win.stride) > 1 and win.dilation == (1, 1)
    return is_strided and any(k > s for k, s in zip(win.kernel, win.stride, strict=True))
