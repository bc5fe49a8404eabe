"""Deprecated ops without a kernel: scripts can create them, but a call names the replacement."""

from __future__ import annotations

from typing import Any, NoReturn

from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ops.support.described import PrimitiveWithInfer, prim_attr_register


class _Deprecated(PrimitiveWithInfer):
    """Base of ops that MindSpore still names but has no kernel for; a call raises a
    RuntimeError.
    """

    instead = ""

    def __call__(self, *args: Any) -> NoReturn:
        """Raise a RuntimeError that says what to use instead."""
        raise RuntimeError(f"{self.name}: must have a kernel to be called. {self.instead}")


class DepthwiseConv2dNative(_Deprecated):
    """The depthwise convolution of MindSpore 1.x; it can be created but not called.

    Args:
        channel_multiplier (int): number of filters per channel.
        kernel_size (int or tuple): height and width of the filters.
        mode (int): 3.
        pad_mode (str): ``"valid"``, ``"same"`` or ``"pad"``.
        pad (int or tuple): padding on each side, with ``pad_mode="pad"``.
        stride (int or tuple): the stride of the filters.
        dilation (int or tuple): spacing between a filter's elements.
        group (int): 1 or more.

    Raises:
        TypeError, ValueError: an argument has a wrong type or value.

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
        """Check the arguments as MindSpore does, and set the sizes as attributes, an int as (int,
        int).
        """
        api_name = self.name
        checks.integer(api_name, "channel_multiplier", channel_multiplier, 1)
        checks.integer(api_name, "group", group, 1)
        sizes = {"kernel_size": kernel_size, "stride": stride, "dilation": dilation}
        for name, value in sizes.items():
            per_axis = value if isinstance(value, tuple) else (value, value)
            for size in per_axis:
                checks.integer(api_name, name, size, 1)
            self.add_prim_attr(name, per_axis)
        checks.one_of(api_name, "mode", mode, (3,))
        checks.one_of(api_name, "pad_mode", pad_mode.lower(), ("valid", "same", "pad"))
        if pad_mode != "pad" and pad not in (0, (0, 0, 0, 0)):
            raise ValueError(f"{api_name}: pad must be 0 where pad_mode is not 'pad', got {pad!r}.")


__all__ = ["DepthwiseConv2dNative"]

attach_docstrings("minispore.ops", __name__)
