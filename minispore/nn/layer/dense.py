"""Fully connected layers."""

from __future__ import annotations

import math
from typing import Any

from minispore import ops
from minispore.core.initializer import HeUniform, Uniform, initializer
from minispore.core.parameter import Parameter
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn import check
from minispore.nn.cell import Cell
from minispore.nn.layer.activation import get_activation
from minispore.ops.support.arguments import check_tensors


def make_param(
    api_name: str, name: str, init: Any, shape: tuple[int, ...], default: Any, dtype: Any
) -> Parameter:
    """Return a Parameter ``name`` of ``shape`` from ``init``, or ``default`` if ``init`` is None.

    Raises:
        ValueError: ``init`` is a tensor of a different shape.
    """
    if isinstance(init, Tensor) and init.shape != shape:
        raise ValueError(f"{api_name}: {name}_init must have the shape {shape}, got {init.shape}.")
    return Parameter(initializer(default if init is None else init, shape, dtype), name=name)


class Dense(Cell):
    """x @ weight.T + bias, on the last axis of x.

    Args:
        in_channels: length of the last axis of x.
        out_channels: length of the last axis of the output.
        weight_init: an initializer, its name, a number or a Tensor (out_channels, in_channels); by
            default HeUniform(sqrt(5)).
        bias_init: the same for the bias (out_channels,); by default uniform over
            +-1/sqrt(in_channels).
        has_bias: whether there is a bias.
        activation: a name, Cell or primitive that is applied to the result.
        dtype: the dtype of the parameters.

    Raises:
        TypeError: an argument has the wrong type; when called: the dtypes of x and the weight
            differ.
        ValueError: the channels are below 1, or an initial tensor has the wrong shape; when called:
            the last axis of x has the wrong length.

    Shape: x (..., in_channels) -> (..., out_channels).

    >>> Dense(3, 4)(Tensor([[1.0, 2.0, 3.0]])).shape
    (1, 4)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bias: bool = True,
        activation: Any = None,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.in_channels = checks.integer(name, "in_channels", in_channels, 1)
        self.out_channels = checks.integer(name, "out_channels", out_channels, 1)
        self.has_bias = checks.boolean(name, "has_bias", has_bias)
        self.weight = make_param(
            name, "weight", weight_init, (out_channels, in_channels), HeUniform(math.sqrt(5)), dtype
        )
        self.bias = None
        if has_bias:
            uniform = Uniform(1 / math.sqrt(in_channels))
            self.bias = make_param(name, "bias", bias_init, (out_channels,), uniform, dtype)
        self.activation = (
            get_activation(activation, name) if isinstance(activation, str) else activation
        )
        if activation is not None and not isinstance(self.activation, Cell | Primitive):
            raise TypeError(
                f"{name}: activation must be a name, Cell or primitive, got "
                f"{checks.format_value(activation)}."
            )
        self.activation_flag = self.activation is not None
        self.reshape, self.shape_op = ops.Reshape(), ops.Shape()
        self.matmul, self.bias_add = ops.MatMul(transpose_b=True), ops.BiasAdd()

    def construct(self, x: Tensor) -> Tensor:
        """Apply the layer to the last axis; raise ValueError if its length is not
        ``in_channels``.
        """
        shape = check.check_tensor(type(self).__name__, "x", x).shape
        if not shape or shape[-1] != self.in_channels:
            raise ValueError(
                f"{type(self).__name__}: the last axis of x must be "
                f"in_channels={self.in_channels}, got shape {shape}."
            )
        if len(shape) != 2:
            x = self.reshape(x, (-1, shape[-1]))
        x = self.matmul(x, self.weight)
        if self.has_bias:
            x = self.bias_add(x, self.bias)
        if self.activation is not None:
            x = self.activation(x)
        return x if len(shape) == 2 else self.reshape(x, (*shape[:-1], x.shape[-1]))

    def extend_repr(self) -> str:
        text = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        if self.has_bias:
            text += f", has_bias={self.has_bias}"
        return text + (f", activation={self.activation}" if self.activation_flag else "")


class Linear(Dense):
    """:class:`Dense` with PyTorch's argument names."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_features, out_features, weight_init, bias_init, bias, dtype=dtype or mstype.float32
        )
        self.in_features, self.out_features = in_features, out_features

    def extend_repr(self) -> str:
        text = f"input_features={self.in_features}, output_features={self.out_features}"
        return text + (f", has_bias={self.has_bias}" if self.has_bias else "")


class BiDense(Cell):
    """x1 @ weight[k] @ x2 + bias[k] for each output channel k.

    Shape: x1 (..., in1_channels), x2 (..., in2_channels) -> (..., out_channels).
    """

    def __init__(
        self,
        in1_channels: int,
        in2_channels: int,
        out_channels: int,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bias: bool = True,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        self.in1_channels = checks.integer("BiDense", "in1_channels", in1_channels, 1)
        self.in2_channels = checks.integer("BiDense", "in2_channels", in2_channels, 1)
        self.out_channels = checks.integer("BiDense", "out_channels", out_channels, 1)
        self.has_bias = checks.boolean("BiDense", "has_bias", has_bias)
        uniform = Uniform(1 / math.sqrt(in1_channels))
        shape = (out_channels, in1_channels, in2_channels)
        self.weight = make_param("BiDense", "weight", weight_init, shape, uniform, dtype)
        self.bias = None
        if has_bias:
            self.bias = make_param("BiDense", "bias", bias_init, (out_channels,), uniform, dtype)

    def construct(self, input1: Tensor, input2: Tensor) -> Tensor:
        """Return the bilinear forms of the rows; the leading axes are those of ``input1``."""
        check_tensors("BiDense", input1=input1, input2=input2)
        lead = input1.shape[:-1]
        a = ops.reshape(input1, (-1, self.in1_channels))
        b = ops.reshape(input2, (-1, self.in2_channels))
        # (K, B, I1) @ (K, I1, I2) -> (K, B, I2); times x2, summed over I2
        left = ops.matmul(ops.expand_dims(a, 0), self.weight)
        out = ops.transpose(ops.ReduceSum()(left * ops.expand_dims(b, 0), -1), (1, 0))
        if self.has_bias:
            out = ops.BiasAdd()(out, self.bias)
        return ops.reshape(out, (*lead, self.out_channels))

    def extend_repr(self) -> str:
        return (
            f"in1_channels={self.in1_channels}, in2_channels={self.in2_channels}, "
            f"out_channels={self.out_channels}, has_bias={self.has_bias}"
        )


__all__ = ["BiDense", "Dense", "Linear"]
