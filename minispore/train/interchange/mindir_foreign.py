"""Rules for ops of MindIR files that minispore does not have: each computes such an op by other
ops.

A rule is called with the record of attributes, followed by the node's inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore import ops
from minispore.core import interpreter
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor, wrap
from minispore.ir.registry import registry
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


def _compute_sum(_: Attributes, x: Tensor, axis: Any, keep_dims: bool, dtype: Any = None) -> Tensor:
    """Compute MindSpore's SumExt; axis None means all axes."""
    total = ReduceSum(keep_dims)(x, () if axis is None else axis)
    return total if dtype is None else ops.cast(total, CODECS["dtype"][1](dtype))


def _compute_mean(
    _: Attributes, x: Tensor, axis: Any, keep_dims: bool, dtype: Any = None
) -> Tensor:
    """Compute MindSpore's MeanExt; axis None means all axes."""
    mean = ReduceMean(keep_dims)(x, () if axis is None else axis)
    return mean if dtype is None else ops.cast(mean, CODECS["dtype"][1](dtype))


def _compute_group_norm(
    _: Attributes, x: Tensor, groups: int, gamma: Tensor, beta: Tensor, eps: float
) -> tuple[Tensor]:
    """Compute GroupNorm, whose attributes are inputs; return a tuple with only the output."""
    rows = ops.reshape(x, (x.shape[0], groups, -1))
    mean = ReduceMean(keep_dims=True)(rows, 2)
    centered = rows - mean
    variance = ReduceMean(keep_dims=True)(ops.square(centered), 2)
    normalized = ops.reshape(centered * ops.rsqrt(variance + eps), x.shape)
    shape = (1, -1) + (1,) * (x.ndim - 2)
    return (normalized * ops.reshape(gamma, shape) + ops.reshape(beta, shape),)


def _compute_max_pool_3d(attributes: Attributes, x: Tensor) -> tuple[Tensor]:
    """Compute a padded MaxPool, which MindSpore writes as a 3-D pool with depth 1.

    Raises:
        ValueError: it pools along the depth.
    """
    flat = ops.squeeze(x, 2)
    depth, *kernel = attributes["ksize"]
    depth_stride, *strides = attributes["strides"]
    depth_pad, top, left = attributes["pads"]
    if depth != 1 or depth_stride != 1 or depth_pad:
        raise ValueError("pools in depth, which minispore can't read")
    pooled = MaxPool(
        tuple(kernel), tuple(strides), "pad", "NCHW", (top, top, left, left),
        attributes["ceil_mode"], tuple(attributes["dilation"][1:]),
    )(flat)  # fmt: skip
    return (ops.expand_dims(pooled, 2),)


def _compute_pad(attributes: Attributes, x: Tensor, paddings: Any, value: Any = 0) -> Tensor:
    """Compute PadV3, whose paddings may be a tensor; only mode "constant" takes ``value``."""
    if isinstance(paddings, Tensor):
        paddings = tuple(paddings.asnumpy().tolist())
    pad = ops.PadV3(attributes.get("mode", "constant"), attributes.get("paddings_contiguous", True))
    return pad(x, paddings, value) if pad.mode == "constant" else pad(x, paddings)


def _make_in_place_rule(compute: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Make the rule of an op that writes into its first input.

    Later nodes read its output, cast to the input's dtype; if the input is a Parameter, the output
    is assigned to it.
    """

    def rule(_: Attributes, x: Tensor, *args: Any) -> Tensor:
        """Compute the new content; assign it if the first input is a Parameter."""
        output = ops.cast(compute(x, *args), x.dtype)
        return ops.assign(x, output) if isinstance(x, Parameter) else output

    return rule


def _load_current_value(_: Attributes, x: Tensor) -> Tensor:
    """Return a Parameter's current content as a value that later updates do not change."""
    return wrap(interpreter.current().lift((x.value_,))[0])


def _compute_average_pool_grad(
    _: Attributes,
    x: Tensor,
    out: Tensor,
    dout: Tensor,
    size: Any,
    strides: Any,
    mode: int,
    data_format: int,
) -> Tensor:
    """Compute the gradient of AvgPool, which uses only the shape of the input."""
    pad_mode, layout = CODECS["pad_mode"][1](mode), CODECS["format"][1](data_format)
    return AvgPoolGrad(size, strides, pad_mode, layout)(dout, x.shape)


def _compute_batch_norm_grad(
    _: Attributes, dy: Tensor, x: Tensor, scale: Tensor, mean: Tensor, var: Tensor, reserve: Any,
    training: bool, epsilon: float, data_format: int,
) -> Any:  # fmt: skip
    """Compute the gradient of BatchNorm; raise a ValueError outside training."""
    if not training:
        raise ValueError("with given statistics can't be read")
    return BatchNormGrad(epsilon, CODECS["format"][1](data_format))(dy, x, scale, mean, var)


def _compute_layer_norm_grad(
    attributes: Attributes,
    x: Tensor,
    dy: Tensor,
    var: Tensor,
    mean: Tensor,
    gamma: Tensor,
    *axes: int,
) -> Any:
    """Compute LayerNormGrad, whose axes are inputs."""
    return LayerNormGrad(*axes, attributes["epsilon"])(x, dy, var, mean, gamma)


def _compute_nll_loss_grad(
    _: Attributes, x: Tensor, dout: Tensor, labels: Tensor, weight: Tensor, total: Tensor,
    reduction: int, ignore: int,
) -> Any:  # fmt: skip
    """Compute NLLLossGrad, whose attributes are inputs; ``total`` is not used."""
    reduction_name = CODECS["reduction"][1](reduction)
    return NLLLossGrad(reduction_name, ignore)(x, dout, labels, weight)


def _make_loss_grad_rule(name: str) -> Callable[..., Any]:
    """Make the rule for the gradient of a loss by its first input, with arguments (x, labels,
    dloss, *fields).
    """

    def rule(_: Attributes, x: Tensor, labels: Tensor, dout: Tensor, *loss_args: Any) -> Any:
        """Return the gradient of the loss by ``x``, from the cotangent ``dout``."""
        *numbers, reduction = loss_args
        loss = registry[name](*numbers, CODECS["reduction"][1](reduction))
        return pull_back(lambda x: loss(x, labels), (x,), (dout,))[0]

    return rule


def _compute_bce_with_logits_grad(
    _: Attributes,
    dout: Tensor,
    x: Tensor,
    labels: Tensor,
    weight: Any,
    pos_weight: Any,
    reduction: int,
) -> Any:
    """Compute the gradient of BCEWithLogitsLoss by its logits."""
    loss = BCEWithLogitsLoss(CODECS["reduction"][1](reduction))
    return pull_back(lambda x: loss(x, labels, weight, pos_weight), (x,), (dout,))[0]


def _make_grad_rule(name: str) -> Callable[..., Any]:
    """Make the rule of the gradient op ``name``, which has no attributes and the same arguments in
    minispore.
    """
    return lambda _, *args: registry[name]()(*args)


def _add_scaled(x: Tensor, y: Any, alpha: Any = 1) -> Tensor:
    """Return x + alpha * y, without a multiplication if alpha is 1."""
    return x + (y if alpha == 1 else y * alpha)


def _subtract_scaled(x: Tensor, y: Any, alpha: Any = 1) -> Tensor:
    """Return x - alpha * y, without a multiplication if alpha is 1."""
    return x - (y if alpha == 1 else y * alpha)


def _compute_lstm(
    attributes: Attributes, x: Tensor, h: Tensor, c: Tensor, w: Tensor
) -> tuple[Tensor, ...]:
    """Compute MindSpore's multi-layer LSTM from one flat weight ``w``."""
    sizes = (attributes["input_size"], attributes["hidden_size"], attributes["num_layers"])
    return ops.LSTM(
        *sizes, attributes["has_bias"], attributes["bidirectional"], attributes["dropout"]
    )(x, h, c, w)


MONAD = object()  # represents the monads that order effects in a file

FOREIGN: dict[str, Callable[..., Any]] = {
    # MindSpore's ops for the order of effects; in minispore the order of nodes suffices.
    "Load": _load_current_value,
    "TensorMove": lambda _, x: x,
    "UpdateState": lambda _, *args: MONAD,
    "Depend": lambda _, x, *rest: x,
    "MakeTuple": lambda _, *args: tuple(args),
    "make_list": lambda _, *args: tuple(args),
    "TupleGetItem": lambda _, x, i: x[i],
    "StopGradient": lambda _, x: x,
    # Ops that update their input in place, as `x += y` does.
    "InplaceAddExt": _make_in_place_rule(_add_scaled),
    "InplaceAddsExt": _make_in_place_rule(_add_scaled),
    "InplaceSubExt": _make_in_place_rule(_subtract_scaled),
    "InplaceSubScalar": _make_in_place_rule(_subtract_scaled),
    "InplaceMul": _make_in_place_rule(lambda x, y: x * y),
    "InplaceMuls": _make_in_place_rule(lambda x, y: x * y),
    "InplaceDiv": _make_in_place_rule(lambda x, y: x / y),
    "InplaceDivs": _make_in_place_rule(lambda x, y: x / y),
    "InplaceFloorDivide": _make_in_place_rule(lambda x, y: x // y),
    "InplaceFloorDivides": _make_in_place_rule(lambda x, y: x // y),
    "InplaceRemainderTensorTensor": _make_in_place_rule(lambda x, y: x % y),
    "InplaceRemainderTensorScalar": _make_in_place_rule(lambda x, y: x % y),
    "InplaceCopy": _make_in_place_rule(lambda x, y, *_: ops.broadcast_to(y, x.shape)),
    # Ops with a different name or form.
    "LSTM": _compute_lstm,
    "SumExt": _compute_sum,
    "MeanExt": _compute_mean,
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
    "LpNorm": lambda attributes, x: ops.LpNorm(
        *[attributes[name] for name in ("axis", "p", "keep_dims", "epsilon")]
    )(x),
    "Eye": lambda _, n, m, dtype: ops.eye(n, m, CODECS["dtype"][1](dtype)),
    "RemainderTensorScalar": lambda _, x, y: x % y,
    "Dense": lambda _, x, w, b=None: ops.dense(x, w, b),
    "GroupNorm": _compute_group_norm,
    "MaxPool3DWithArgmax": _compute_max_pool_3d,
    "AdaptiveAvgPool2D": lambda attributes, x: (
        AdaptiveAvgPool2d(attributes["output_size"]).construct(x)
    ),
    "PadV3": _compute_pad,
    "MirrorPad": lambda attributes, x, paddings: ops.MirrorPad(attributes["mode"])(x, paddings),
    "FillV2": lambda _, shape, value: ops.broadcast_to(value, shape),
    # Gradients.
    **{name: _make_grad_rule(name) for name in (
        "ACosGrad", "AbsGrad", "AcoshGrad", "AsinGrad", "AsinhGrad", "AtanGrad", "EluGrad",
        "FastGeLUGrad", "GatherDGradV2", "GeLUGrad", "HSigmoidGrad", "HSwishGrad", "RsqrtGrad",
        "ReciprocalGrad", "SiLUGrad", "SoftplusGrad", "SqrtGrad",
    )},
    "AvgPoolGrad": _compute_average_pool_grad,
    "BatchNormGrad": _compute_batch_norm_grad,
    "BinaryCrossEntropyWithLogitsBackward": _compute_bce_with_logits_grad,
    "LayerNormGrad": _compute_layer_norm_grad,
    "LogSoftmaxGrad": lambda _, y, dy, axis: (
        dy - ops.exp(y) * ops.ReduceSum(keep_dims=True)(dy, axis)
    ),
    "NLLLossGrad": _compute_nll_loss_grad,
    "SmoothL1LossGrad": _make_loss_grad_rule("SmoothL1Loss"),
    "L2Normalize": lambda attributes, x: (
        ops.L2Normalize(attributes["axis"], attributes["epsilon"])(x)
    ),
}  # fmt: skip

__all__ = ["FOREIGN", "MONAD"]
