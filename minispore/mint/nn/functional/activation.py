"""Activations and dropout whose arguments differ from those in ``ops``.

Functions whose name ends with ``_``, or with ``inplace=True``, write to the input.
"""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.mint import reduction
from minispore.mint.elementwise import convert_to_float, sigmoid
from minispore.ops.elementwise.arithmetic import Div, Mul
from minispore.ops.elementwise.compare import Greater
from minispore.ops.index.select import Select
from minispore.ops.shape.cast_fill import Cast, ZerosLike
from minispore.ops.support.arguments import check_tensors


def _copy_if_inplace(input: Tensor, output: Tensor, inplace: bool) -> Tensor:
    """Return ``output``; with ``inplace``, copy it into ``input`` and return ``input``."""
    return input.copy_(output) if inplace else output


def relu_(input: Tensor) -> Tensor:
    """Set ``input`` to max(input, 0), in place, and return it.

    >>> x = Tensor([-1.0, 2.0])
    >>> print(relu_(x), x)
    [0. 2.] [0. 2.]
    """
    return ops.relu(input, inplace=True)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Return min(max(input, 0), 6); with ``inplace`` write it to ``input`` and return that."""
    return _copy_if_inplace(input, ops.relu6(input), inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return ``input`` where it is positive, else alpha * (exp(input) - 1); with ``inplace`` write
    it to ``input`` and return that.

    >>> print(elu(Tensor([0.0, 2.0]), 2.0))
    [0. 2.]
    """
    negative_part = Mul()(ops.expm1(ops.minimum(input, 0)), alpha)
    return _copy_if_inplace(input, Select()(Greater()(input, 0), input, negative_part), inplace)


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Replace ``input`` in place by alpha * (exp(input) - 1) where it is not positive; return
    it.
    """
    return elu(input, alpha, inplace=True)


def selu(input: Tensor) -> Tensor:
    """Return scale * (max(0, input) + min(0, alpha * (exp(input) - 1))), with the constants of
    self-normalizing networks.
    """
    return ops.selu(input)


def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """Return input * P(Z < input) for a standard normal Z; "tanh" selects an approximation."""
    return ops.gelu(input, approximate)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input * sigmoid(input); with ``inplace`` write it to ``input`` and return that."""
    return _copy_if_inplace(input, ops.silu(input), inplace)


def mish(input: Tensor) -> Tensor:
    """Return input * tanh(softplus(input))."""
    return ops.mish(input)


def sigmoid_(input: Tensor) -> Tensor:
    """Set ``input`` to sigmoid(input), in place, and return it."""
    return _copy_if_inplace(input, sigmoid(input), True)


def logsigmoid(input: Tensor) -> Tensor:
    """Return log(sigmoid(input))."""
    return ops.logsigmoid(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Return ``input`` where it is positive, else negative_slope * input.

    >>> print(leaky_relu(Tensor([-1.0, 2.0])))
    [-0.01  2.  ]
    """
    return ops.leaky_relu(input, negative_slope)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """Return ``input`` clamped to the range from ``min_val`` to ``max_val``; with ``inplace`` write
    it to ``input`` and return that.
    """
    return _copy_if_inplace(input, ops.hardtanh(input, min_val, max_val), inplace)


def hardtanh_(input: Tensor, min_val: float = -1, max_val: float = 1) -> Tensor:
    """Clamp ``input`` to the range from ``min_val`` to ``max_val`` in place, and return it."""
    return hardtanh(input, min_val, max_val, inplace=True)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Return ``input`` where it is greater than ``threshold``, else ``value``; with ``inplace``
    write it to ``input`` and return that.

    >>> print(threshold(Tensor([0.5, 2.0]), 1.0, -1.0))
    [-1.  2.]
    """
    return _copy_if_inplace(input, ops.threshold(input, threshold, value), inplace)


def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """Replace ``input`` in place by ``value`` where it is not greater than ``threshold``; return
    it.
    """
    return _copy_if_inplace(input, ops.threshold(input, threshold, value), True)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Return the first half of ``input`` along ``dim`` times the sigmoid of the second half; raise
    ValueError for an odd length.
    """
    return ops.glu(input, dim)


def softmax(input: Tensor, dim: int | None = None, dtype: Any = None) -> Tensor:
    """Return exp(input) / sum(exp(input)) along ``dim``.

    The default is axis 0 for 0, 1 or 3 axes, else 1. ``input`` is cast to ``dtype`` first.

    >>> print(softmax(Tensor([[0.0, 0.0]]), 1))
    [[0.5 0.5]]
    """
    return reduction.softmax(input, dim, dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, *, dtype: Any = None) -> Tensor:
    """Return log(softmax(input)) along ``dim``; by default axis 0 for 1 or 3 axes, else 1.

    ``input`` is cast to ``dtype`` first.
    """
    check_tensors("log_softmax", input=input)
    input = input if dtype is None else Cast()(input, dtype)
    return ops.log_softmax(input, reduction.get_class_axis(input) if dim is None else dim)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero each element with probability ``p`` and divide the others by 1 - p.

    Without ``training``, return the input. With ``inplace``, also write the result to ``input``.

    >>> print(dropout(Tensor([1.0, 2.0]), training=False), dropout(Tensor([1.0, 2.0]), 1.0))
    [1. 2.] [0. 0.]
    """
    output = ZerosLike()(input) if training and p == 1 else ops.dropout(input, p, training)
    return _copy_if_inplace(input, output, inplace and training)


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Zero whole channels of (N, C, H, W) with probability ``p``, and divide the others by 1 - p.

    Without ``training``, return the input. With ``inplace``, also write the result to ``input``.
    """
    checks.number("dropout2d", "p", p, 0.0, 1.0)
    output = ZerosLike()(input) if training and p == 1 else ops.dropout2d(input, p, training)
    return _copy_if_inplace(input, output, inplace and training)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Return the one-hot encoding of class indices (int64), with a new last axis of classes.

    Args:
        tensor: the class indices.
        num_classes: the number of classes; -1: one more than the greatest index.

    Raises:
        TypeError: ``num_classes`` is not an int.
        ValueError: ``num_classes`` is below -1, or -1 for an empty tensor.

    >>> print(one_hot(Tensor([0, 2])))
    [[1 0 0]
     [0 0 1]]
    """
    if isinstance(num_classes, bool) or not isinstance(num_classes, int):
        raise TypeError(f"one_hot: num_classes must be an int, got {num_classes!r}.")
    if num_classes < -1:
        raise ValueError(f"one_hot: num_classes must be >= -1, got {num_classes}.")
    depth = int(ops.amax(tensor)) + 1 if num_classes == -1 else num_classes
    on_value, off_value = Tensor(1, mstype.int64), Tensor(0, mstype.int64)
    return ops.one_hot(tensor, depth, on_value, off_value)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """Return ``input`` divided by its p-norm along ``dim``, or by ``eps`` where the norm is
    smaller; integers become float32.

    >>> print(normalize(Tensor([[3.0, 4.0]])))
    [[0.6 0.8]]
    """
    check_tensors("normalize", input=input)
    norm = ops.vector_norm(convert_to_float(input), p, dim, True)
    return Div()(input, ops.maximum(norm, eps))


__all__ = [
    "dropout",
    "dropout2d",
    "elu",
    "elu_",
    "gelu",
    "glu",
    "hardtanh",
    "hardtanh_",
    "leaky_relu",
    "log_softmax",
    "logsigmoid",
    "mish",
    "normalize",
    "one_hot",
    "relu6",
    "relu_",
    "selu",
    "sigmoid_",
    "silu",
    "softmax",
    "threshold",
    "threshold_",
]
