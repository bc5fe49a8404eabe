"""Ops of MindSpore's files for which minispore has other ops: how each is computed here.

Each takes the record of attributes, then the node's inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore import ops
from minispore.core import interpreter
from minispore.core.parameter import Parameter
from minispore.core.registry import registry
from minispore.core.tensor import Tensor, wrap
from minispore.nn.layer.adaptive import AdaptiveAvgPool2d
from minispore.ops.loss.binary_cross_entropy import BCEWithLogitsLoss
from minispore.ops.loss.classes import NLLLossGrad
from minispore.ops.network.average_pool import AvgPoolGrad
from minispore.ops.network.batch_norm import BatchNormGrad
from minispore.ops.network.layer_norm import LayerNormGrad
from minispore.ops.network.pool import MaxPool
from minispore.ops.statistics.reduce import ReduceMean, ReduceSum
from minispore.ops.support.derive import pull_back
from minispore.train.interchange.mindir_ops import CODECS

Attributes = dict[str, Any]


def _sum(_: Attributes, x: Tensor, axis: Any, keep_dims: bool, dtype: Any = None) -> Tensor:
    total = ReduceSum(keep_dims)(x, () if axis is None else axis)
    return total if dtype is None else ops.cast(total, CODECS["dtype"][1](dtype))


def _mean(_: Attributes, x: Tensor, axis: Any, keep_dims: bool, dtype: Any = None) -> Tensor:
    mean = ReduceMean(keep_dims)(x, () if axis is None else axis)
    return mean if dtype is None else ops.cast(mean, CODECS["dtype"][1](dtype))


def _group_norm(
    _: Attributes, x: Tensor, groups: int, gamma: Tensor, beta: Tensor, eps: float
) -> tuple[Tensor]:
    rows = ops.reshape(x, (x.shape[0], groups, -1))
    mean = ReduceMean(True)(rows, 2)
    centred = rows - mean
    variance = ReduceMean(True)(ops.square(centred), 2)
    normal = ops.reshape(centred * ops.rsqrt(variance + eps), x.shape)
    shape = (1, -1) + (1,) * (x.ndim - 2)
    return (normal * ops.reshape(gamma, shape) + ops.reshape(beta, shape),)


def _max_pool_3d(of: Attributes, x: Tensor) -> tuple[Tensor]:
    """MaxPool with padding, which MindSpore's layer does on one-deep volumes."""
    flat = ops.squeeze(x, 2)
    (_, *kernel), (_, *strides), (_, *dilation) = of["ksize"], of["strides"], of["dilation"]
    (deep, top, left) = of["pads"]
    if of["ksize"][0] != 1 or of["strides"][0] != 1 or deep:
        raise ValueError("pools in depth, which minispore can't read")
    pooled = MaxPool(
        tuple(kernel), tuple(strides), "pad", "NCHW", (top, top, left, left),
        of["ceil_mode"], tuple(dilation),
    )(flat)  # fmt: skip
    return (ops.expand_dims(pooled, 2),)


def _pad(of: Attributes, x: Tensor, paddings: Any, value: Any = 0) -> Tensor:
    if isinstance(paddings, Tensor):
        paddings = tuple(paddings.asnumpy().tolist())
    pad = ops.PadV3(of.get("mode", "constant"), of.get("paddings_contiguous", True))
    return pad(x, paddings, value) if pad.mode == "constant" else pad(x, paddings)


def _in_place(compute: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """An op that writes into its first input: later nodes read its output, of the same dtype."""

    def rule(_: Attributes, x: Tensor, *args: Any) -> Tensor:
        made = ops.cast(compute(x, *args), x.dtype)
        return ops.assign(x, made) if isinstance(x, Parameter) else made

    return rule


def _load(_: Attributes, x: Tensor) -> Tensor:
    """What a Parameter holds at this place, whatever becomes of it."""
    return wrap(interpreter.interpreter().lift((x.value_,))[0])


def _average_pool_grad(
    _: Attributes,
    x: Tensor,
    out: Tensor,
    dout: Tensor,
    size: Any,
    strides: Any,
    mode: int,
    form: int,
) -> Tensor:
    how = CODECS["pad_mode"][1](mode), CODECS["format"][1](form)
    return AvgPoolGrad(size, strides, *how)(dout, x.shape)


def _batch_norm_grad(
    _: Attributes, dy: Tensor, x: Tensor, scale: Tensor, mean: Tensor, var: Tensor, rest: Any,
    training: bool, epsilon: float, form: int,
) -> Any:  # fmt: skip
    if not training:
        raise ValueError("with given statistics can't be read")
    return BatchNormGrad(epsilon, CODECS["format"][1](form))(dy, x, scale, mean, var)


def _layer_norm_grad(
    of: Attributes, x: Tensor, dy: Tensor, var: Tensor, mean: Tensor, gamma: Tensor, *axes: int
) -> Any:
    return LayerNormGrad(*axes, of["epsilon"])(x, dy, var, mean, gamma)


def _nll_loss_grad(
    _: Attributes, x: Tensor, dout: Tensor, labels: Tensor, weight: Tensor, total: Tensor,
    reduction: int, ignore: int,
) -> Any:  # fmt: skip
    how = CODECS["reduction"][1](reduction)
    return NLLLossGrad(how, ignore)(x, dout, labels, weight)


def _of_loss(name: str) -> Callable[..., Any]:
    """The gradient of a loss by its first input: of x, labels, dloss, and how the loss is made."""

    def rule(_: Attributes, x: Tensor, labels: Tensor, dout: Tensor, *how: Any) -> Any:
        *numbers, reduction = how
        loss = registry[name](*numbers, CODECS["reduction"][1](reduction))
        return pull_back(lambda x: loss(x, labels), (x,), (dout,))[0]

    return rule


def _bce_with_logits_grad(
    _: Attributes, dout: Tensor, x: Tensor, labels: Tensor, weight: Any, pos_weight: Any, how: int
) -> Any:
    loss = BCEWithLogitsLoss(CODECS["reduction"][1](how))
    return pull_back(lambda x: loss(x, labels, weight, pos_weight), (x,), (dout,))[0]


def _derivative(name: str) -> Callable[..., Any]:
    """A gradient whose file form is how it is called here."""
    return lambda _, *args: registry[name]()(*args)


def _plus(x: Tensor, y: Any, alpha: Any = 1) -> Tensor:
    return x + (y if alpha == 1 else y * alpha)


def _minus(x: Tensor, y: Any, alpha: Any = 1) -> Tensor:
    return x - (y if alpha == 1 else y * alpha)


def _lstm(of: Attributes, x: Tensor, h: Tensor, c: Tensor, w: Tensor) -> tuple[Tensor, ...]:
    sizes = (of["input_size"], of["hidden_size"], of["num_layers"])
    return ops.LSTM(*sizes, of["has_bias"], of["bidirectional"], of["dropout"])(x, h, c, w)


MONAD = object()  # what orders effects in a file

FOREIGN: dict[str, Callable[..., Any]] = {
    # How MindSpore orders effects; here the order of nodes is enough.
    "Load": _load,
    "TensorMove": lambda _, x: x,
    "UpdateState": lambda _, *args: MONAD,
    "Depend": lambda _, x, *rest: x,
    "MakeTuple": lambda _, *args: tuple(args),
    "make_list": lambda _, *args: tuple(args),
    "TupleGetItem": lambda _, x, i: x[i],
    "StopGradient": lambda _, x: x,
    # Ops that change their input, as `x += y` does.
    "InplaceAddExt": _in_place(_plus),
    "InplaceAddsExt": _in_place(_plus),
    "InplaceSubExt": _in_place(_minus),
    "InplaceSubScalar": _in_place(_minus),
    "InplaceMul": _in_place(lambda x, y: x * y),
    "InplaceMuls": _in_place(lambda x, y: x * y),
    "InplaceDiv": _in_place(lambda x, y: x / y),
    "InplaceDivs": _in_place(lambda x, y: x / y),
    "InplaceFloorDivide": _in_place(lambda x, y: x // y),
    "InplaceFloorDivides": _in_place(lambda x, y: x // y),
    "InplaceRemainderTensorTensor": _in_place(lambda x, y: x % y),
    "InplaceRemainderTensorScalar": _in_place(lambda x, y: x % y),
    "InplaceCopy": _in_place(lambda x, y, *_: ops.broadcast_to(y, x.shape)),
    # Ops with another name or form.
    "LSTM": _lstm,
    "SumExt": _sum,
    "MeanExt": _mean,
    "Adds": lambda _, x, y: x + y,
    "Subs": lambda _, x, y: x - y,
    "Muls": lambda _, x, y: x * y,
    "Divs": lambda _, x, y: x / y,
    "LessScalar": lambda _, x, y: x < y,
    "LessEqualScalar": lambda _, x, y: x <= y,
    "GreaterScalar": lambda _, x, y: x > y,
    "GreaterEqualScalar": lambda _, x, y: x >= y,
    "EqualScalar": lambda _, x, y: x == y,
    "NotEqualScalar": lambda _, x, y: x != y,
    "PowTensorScalar": lambda _, x, y: x**y,
    "LeakyReLUExt": lambda _, x, slope: ops.maximum(x, x * slope),
    "ClampScalar": lambda _, x, low=None, high=None: ops.clamp(x, low, high),
    "ClampTensor": lambda _, x, low=None, high=None: ops.clamp(x, low, high),
    "LpNorm": lambda of, x: ops.LpNorm(of["axis"], of["p"], of["keep_dims"], of["epsilon"])(x),
    "Eye": lambda _, n, m, dtype: ops.eye(n, m, CODECS["dtype"][1](dtype)),
    "RemainderTensorScalar": lambda _, x, y: x % y,
    "Dense": lambda _, x, w, b=None: ops.dense(x, w, b),
    "GroupNorm": _group_norm,
    "MaxPool3DWithArgmax": _max_pool_3d,
    "AdaptiveAvgPool2D": lambda of, x: AdaptiveAvgPool2d(of["output_size"]).construct(x),
    "PadV3": _pad,
    "MirrorPad": lambda of, x, paddings: ops.MirrorPad(of["mode"])(x, paddings),
    "FillV2": lambda _, shape, value: ops.broadcast_to(value, shape),
    # Gradients.
    **{name: _derivative(name) for name in (
        "ACosGrad", "AbsGrad", "AcoshGrad", "AsinGrad", "AsinhGrad", "AtanGrad", "EluGrad",
        "FastGeLUGrad", "GatherDGradV2", "GeLUGrad", "HSigmoidGrad", "HSwishGrad", "RsqrtGrad",
        "ReciprocalGrad", "SiLUGrad", "SoftplusGrad", "SqrtGrad",
    )},
    "AvgPoolGrad": _average_pool_grad,
    "BatchNormGrad": _batch_norm_grad,
    "BinaryCrossEntropyWithLogitsBackward": _bce_with_logits_grad,
    "LayerNormGrad": _layer_norm_grad,
    "LogSoftmaxGrad": lambda _, y, dy, axis: dy - ops.exp(y) * ops.ReduceSum(True)(dy, axis),
    "NLLLossGrad": _nll_loss_grad,
    "SmoothL1LossGrad": _of_loss("SmoothL1Loss"),
    "L2Normalize": lambda of, x: ops.L2Normalize(of["axis"], of["epsilon"])(x),
}  # fmt: skip

__all__ = ["FOREIGN", "MONAD"]
