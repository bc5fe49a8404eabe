"""Losses and normalisations whose arguments differ from those in ``ops``."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.arithmetic import Mul, Sub
from minispore.ops.elementwise.powers import Exp, Rsqrt
from minispore.ops.loss.pointwise import normalize_reduction
from minispore.ops.shape.cast_fill import Cast, StopGradient
from minispore.ops.statistics.reduce import ReduceMean, ReduceSum
from minispore.ops.support.arguments import check_optional_tensors, check_tensors


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Any = None, reduction: str = "mean"
) -> Tensor:
    """Return the reduced binary cross entropy of the probabilities ``input`` and ``target``.

    ``weight`` scales each element. ``reduction`` is "mean", "sum" or "none".
    """
    return ops.binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Any = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Tensor:
    """Return the reduced binary cross entropy of sigmoid(input) and ``target``.

    ``weight`` scales each element, ``pos_weight`` the term of the positive targets. ``reduction``
    is "mean", "sum" or "none".

    >>> print(binary_cross_entropy_with_logits(Tensor([0.0]), Tensor([1.0])))
    0.6931472
    """
    return ops.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Tensor:
    """Return -weight[target] * input[target], reduced; ignore rows whose target is
    ``ignore_index``.

    ``input`` has log probabilities (N, C, ...), ``target`` class indices (N, ...). "mean" divides
    by the sum of the weights. The loss has the dtype of ``input``.
    """
    check_tensors("nll_loss", input=input, target=target)
    reduction = normalize_reduction("nll_loss", reduction)
    if target.dtype.kind in "iu":
        target = Cast()(target, mstype.int64)
    loss = ops.nll_loss(input, target, weight, ignore_index, reduction)
    return Cast()(loss, input.dtype)


def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return |input - target|, reduced: ``reduction`` is "mean", "sum" or "none".

    >>> print(l1_loss(Tensor([1.0, 5.0]), Tensor([2.0, 2.0])))
    2.0
    """
    return ops.l1_loss(input, target, normalize_reduction("l1_loss", reduction))


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return (input - target)^2, reduced: ``reduction`` is "mean", "sum" or "none".

    >>> print(mse_loss(Tensor([1.0, 5.0]), Tensor([2.0, 2.0])))
    5.0
    """
    return ops.mse_loss(input, target, normalize_reduction("mse_loss", reduction))


def smooth_l1_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0
) -> Tensor:
    """Return d^2 / (2 beta) where d = |input - target| < beta, else d - beta / 2, reduced.

    ``reduction`` is "mean", "sum" or "none".
    """
    return ops.smooth_l1_loss(input, target, beta, reduction)


def kl_div(
    input: Tensor, target: Tensor, reduction: str = "mean", log_target: bool = False
) -> Tensor:
    """Return target * (log(target) - input), reduced; "mean" is the mean over all elements.

    Raises a TypeError or ValueError for an invalid argument.

    Args:
        input: log probabilities.
        target: probabilities, or with ``log_target`` log probabilities.
        reduction: "mean", "sum", "batchmean" (the sum over the batch size) or "none".
        log_target: whether ``target`` holds logarithms.

    >>> print(kl_div(Tensor([0.0, -1.0]), Tensor([1.0, 0.0]), "none"))
    [0. 0.]
    """
    check_tensors("kl_div", input=input, target=target)
    reduction = normalize_reduction("kl_div", reduction, ("none", "mean", "sum", "batchmean"))
    checks.boolean("kl_div", "log_target", log_target)
    if log_target:
        elements = Mul()(Exp()(target), Sub()(target, input))
    else:
        elements = Sub()(ops.xlogy(target, target), Mul()(target, input))
    if reduction == "none":
        return elements
    if reduction == "mean":
        return ReduceMean()(elements, ())
    total = ReduceSum()(elements, ())
    return total / input.shape[0] if reduction == "batchmean" else total


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    """Return weight * (input - mean) / sqrt(variance + eps) + bias, for each channel of (N, C,
    ...).

    Args:
        input: the batch.
        running_mean: the mean used outside training; in training updated towards the batch mean.
        running_var: the variance used outside training; in training updated towards the unbiased
            variance of the batch.
        weight: scale of each channel; 1 by default.
        bias: bias of each channel; 0 by default.
        training: whether to use mean and variance of the batch.
        momentum: the weight of the batch in the running statistics.
        eps: added to the variance.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: the input has fewer than 2 axes, or a running statistic is None outside
            training.

    >>> one, zero = Tensor([1.0, 1.0]), Tensor([0.0, 0.0])
    >>> print(batch_norm(Tensor([[1.0, 8.0]]), zero, Tensor([1.0, 4.0]), one, zero, eps=0.0))
    [[1. 4.]]
    """
    check_tensors("batch_norm", input=input)
    check_optional_tensors("batch_norm", running_mean=running_mean, running_var=running_var)
    check_optional_tensors("batch_norm", weight=weight, bias=bias)
    checks.number("batch_norm", "eps", eps)
    if input.ndim < 2:
        raise ValueError(f"batch_norm: input must have the axes (N, C, ...), got {input.shape}.")
    if not training:
        if running_mean is None or running_var is None:
            raise ValueError(
                "batch_norm: running_mean and running_var must be given where training is False."
            )
        mean, variance = running_mean, running_var
    else:
        axes = (0, *range(2, input.ndim))
        variance, mean = ops.var_mean(input, axes, 0)
        n = input.size // input.shape[1]
        for statistic, batch_value in (
            (running_mean, mean),
            (running_var, variance * (n / max(n - 1, 1))),
        ):
            if statistic is not None:
                updated = statistic * (1 - momentum) + StopGradient()(batch_value) * momentum
                ops.assign(statistic, updated)
    channel_shape = (1, -1, *(1,) * (input.ndim - 2))
    scale = Rsqrt()(variance + eps)
    scale = scale if weight is None else scale * weight
    output = (input - ops.reshape(mean, channel_shape)) * ops.reshape(scale, channel_shape)
    return output if bias is None else output + ops.reshape(bias, channel_shape)


__all__ = [
    "batch_norm",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "kl_div",
    "l1_loss",
    "mse_loss",
    "nll_loss",
    "smooth_l1_loss",
]
