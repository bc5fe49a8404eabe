"""Ops that MindSpore names and has no kernel of any more: they can be made, and say what to use."""

from __future__ import annotations

from typing import Any, NoReturn

from minispore import checks
from minispore.described import describe
from minispore.ops.support.described import PrimitiveWithInfer, prim_attr_register


class _Deprecated(PrimitiveWithInfer):
    """Base of these: a call raises."""

    instead = ""

    def __call__(self, *args: Any) -> NoReturn:
        raise RuntimeError(f"{self.name}: must have a kernel to be called. {self.instead}")


class DepthwiseConv2dNative(_Deprecated):
    """A convolution of each channel by itself, as MindSpore 1.x had it.

    Args:
        channel_multiplier (int): filters of a channel.
        kernel_size (int or tuple): their height and width.
        mode (int): 3.
        pad_mode (str): ``"valid"``, ``"same"`` or ``"pad"``.
        pad (int or tuple): on each side, with ``pad_mode="pad"``.
        stride (int or tuple): the step.
        dilation (int or tuple): between a filter's elements.
        group (int): 1 or more.

    Raises:
        TypeError, ValueError: an argument that is none of these.

    >>> DepthwiseConv2dNative(1, 3).kernel_size
    (3, 3)
    """

    instead = "Use ops.Conv2D with group=the number of channels, or nn.Conv2d."

    @prim_attr_register
    def __init__(
        self,
        channel_multiplier: int,
        kernel_size: Any,
        mode: int = 3,
        pad_mode: str = "valid",
        pad: Any = 0,
        stride: Any = 1,
        dilation: Any = 1,
        group: int = 1,
    ) -> None:
        who = self.name
        checks.integer(who, "channel_multiplier", channel_multiplier, 1)
        checks.integer(who, "group", group, 1)
        sizes = {"kernel_size": kernel_size, "stride": stride, "dilation": dilation}
        for name, value in sizes.items():
            pair = value if isinstance(value, tuple) else (value, value)
            for one in pair:
                checks.integer(who, name, one, 1)
            self.add_prim_attr(name, pair)
        checks.one_of(who, "mode", mode, (3,))
        checks.one_of(who, "pad_mode", pad_mode.lower(), ("valid", "same", "pad"))
        if pad_mode != "pad" and pad not in (0, (0, 0, 0, 0)):
            raise ValueError(f"{who}: pad must be 0 where pad_mode is not 'pad', got {pad!r}.")


__all__ = ["DepthwiseConv2dNative"]

describe("minispore.ops", __name__)
