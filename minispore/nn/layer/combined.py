"""Layers combined with batch normalization and an activation."""

from __future__ import annotations

from typing import Any

from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.cell import Cell
from minispore.nn.layer.activation import LeakyReLU, get_activation
from minispore.nn.layer.conv import Conv2d
from minispore.nn.layer.dense import Dense
from minispore.nn.layer.normalization import BatchNorm1d, BatchNorm2d


def _make_activation(api_name: str, activation: Any, alpha: float) -> Any:
    """Return the activation of a combined layer from a name, Cell, primitive or None.

    Raises:
        TypeError: ``activation`` has another type.
    """
    if activation == "leakyrelu":
        return LeakyReLU(alpha)
    layer = get_activation(activation, api_name) if isinstance(activation, str) else activation
    if layer is not None and not isinstance(layer, Cell | Primitive):
        raise TypeError(
            f"{api_name}: activation must be a name, Cell or primitive, got "
            f"{checks.format_value(activation)}."
        )
    return layer


class Conv2dBnAct(Cell):
    """activation(batchnorm(conv(x))), where batchnorm and activation are optional.

    Args:
        has_bn: whether there is a BatchNorm2d, with ``momentum`` and ``eps``.
        activation: a name, Cell or primitive, or None.
        alpha: slope of ``"leakyrelu"``.
        after_fake: accepted as in MindSpore, but has no effect; concerns quantisation.

    The other arguments are those of :class:`Conv2d`.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bn: bool = False,
        momentum: float = 0.997,
        eps: float = 1e-5,
        activation: Any = None,
        alpha: float = 0.2,
        after_fake: bool = True,
    ) -> None:
        super().__init__()
        self.conv = Conv2d(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init,
        )  # fmt: skip
        self.has_bn = checks.boolean("Conv2dBnAct", "has_bn", has_bn)
        self.after_fake = checks.boolean("Conv2dBnAct", "after_fake", after_fake)
        if has_bn:
            self.batchnorm = BatchNorm2d(out_channels, eps, momentum)
        self.has_act = activation is not None
        self.activation = _make_activation("Conv2dBnAct", activation, alpha)

    def construct(self, x: Tensor) -> Tensor:
        x = self.conv(x)
        if self.has_bn:
            x = self.batchnorm(x)
        return self.activation(x) if self.has_act else x


class DenseBnAct(Cell):
    """activation(batchnorm(dense(x))), where batchnorm and activation are optional.

    Args:
        has_bn: whether there is a BatchNorm1d, with ``momentum`` and ``eps``.
        activation: a name, Cell or primitive, or None.
        alpha: slope of ``"leakyrelu"``.
        after_fake: accepted as in MindSpore, but has no effect; concerns quantisation.

    The other arguments are those of :class:`Dense`.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bias: bool = True,
        has_bn: bool = False,
        momentum: float = 0.9,
        eps: float = 1e-5,
        activation: Any = None,
        alpha: float = 0.2,
        after_fake: bool = True,
    ) -> None:
        super().__init__()
        self.dense = Dense(in_channels, out_channels, weight_init, bias_init, has_bias)
        self.has_bn = checks.boolean("DenseBnAct", "has_bn", has_bn)
        self.after_fake = checks.boolean("DenseBnAct", "after_fake", after_fake)
        if has_bn:
            self.batchnorm = BatchNorm1d(out_channels, eps, momentum)
        self.has_act = activation is not None
        self.activation = _make_activation("DenseBnAct", activation, alpha)

    def construct(self, x: Tensor) -> Tensor:
        x = self.dense(x)
        if self.has_bn:
            x = self.batchnorm(x)
        return self.activation(x) if self.has_act else x


__all__ = ["Conv2dBnAct", "DenseBnAct"]
