"""Regression losses: the distance between predictions and targets."""

from __future__ import annotations

import math
import warnings

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.loss.base import LossBase


class L1Loss(LossBase):
    """|logits - labels|, reduced.

    >>> print(L1Loss()(Tensor([1.0, 2.0]), Tensor([0.0, 5.0])))
    2.0
    """

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        self._check_tensors_(logits=logits, labels=labels)
        _check_shapes_broadcast(self, logits, labels)
        return self.get_loss(ops.abs(logits - labels))


class MAELoss(L1Loss):
    """|logits - labels|, reduced: another name of :class:`L1Loss`."""

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        return super().construct(logits, label)


class MSELoss(LossBase):
    """(logits - labels)**2, reduced.

    >>> print(MSELoss()(Tensor([1.0, 2.0]), Tensor([0.0, 5.0])))
    5.0
    """

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        self._check_tensors_(logits=logits, labels=labels)
        _check_shapes_broadcast(self, logits, labels)
        return self.get_loss(ops.square(logits - labels))


class RMSELoss(LossBase):
    """sqrt(mean of (logits - label)**2)."""

    def __init__(self) -> None:
        super().__init__()

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        self._check_tensors_(logits=logits, label=label)
        _check_shapes_broadcast(self, logits, label)
        return ops.sqrt(self.get_loss(ops.square(logits - label)))


class SmoothL1Loss(LossBase):
    """d**2 / (2 beta) where d = |logits - labels| < beta, else d - beta / 2; reduced.

    Args:
        beta: the difference d from which on the loss is linear, above 0.
        reduction: ``"none"``, ``"mean"`` or ``"sum"``.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of range.

    >>> print(SmoothL1Loss()(Tensor([0.5, 3.0]), Tensor([0.0, 0.0])))
    [0.125 2.5  ]
    """

    def __init__(self, beta: float = 1.0, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.beta = checks.number("SmoothL1Loss", "beta", beta, 0.0, closed="(]")

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Return the loss of inputs of the same shape."""
        self._check_tensors_(logits=logits, labels=labels)
        _check_same_shape(self, logits, labels)
        d = ops.abs(logits - labels)
        return self.get_loss(
            ops.select(d < self.beta, ops.square(d) * (0.5 / self.beta), d - 0.5 * self.beta)
        )


class HuberLoss(LossBase):
    """d**2 / 2 where d = |logits - labels| < delta, else delta * (d - delta / 2); reduced.

    Args:
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
        delta: the difference d from which on the loss is linear, above 0.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of range.

    Source: Huber 1964.
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        self.delta = checks.number("HuberLoss", "delta", delta, 0.0, closed="(]")

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        self._check_tensors_(logits=logits, labels=labels)
        return self.get_loss(ops.huber_loss(logits, labels, "none", self.delta))


class PoissonNLLLoss(LossBase):
    """exp(input) - target * input, or input - target * log(input + eps); reduced.

    Args:
        log_input: whether the input is the logarithm of the rate.
        full: add Stirling's formula for log(target!) where target > 1.
        eps: added to the argument of the logarithm, to keep it above 0.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
    """

    def __init__(
        self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean"
    ) -> None:
        super().__init__(reduction)
        self.log_input = checks.boolean("PoissonNLLLoss", "log_input", log_input)
        self.full = checks.boolean("PoissonNLLLoss", "full", full)
        self.eps = checks.number("PoissonNLLLoss", "eps", eps, 0.0)

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss; ``full`` adds Stirling's formula for log(target!), target > 1."""
        self._check_tensors_(input=input, target=target)
        target = ops.cast(target, input.dtype)
        if self.log_input:
            loss = ops.exp(input) - target * input
        else:
            loss = input - target * ops.log(input + self.eps)
        if self.full:
            t = ops.maximum(target, self.eps)
            stirling = (t + 0.5) * ops.log(t) - t + 0.5 * math.log(2 * math.pi)
            loss = loss + ops.select(t > 1, stirling, ops.zeros_like(stirling))
        return self.get_loss(loss)


class GaussianNLLLoss(LossBase):
    """(log(var) + (logits - labels)**2 / var) / 2, reduced.

    Args:
        full: add log(2 pi) / 2.
        eps: the minimum variance, above 0.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.

    Shape: var has the shape of logits, without the last axis, or with a last axis of length 1.
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.full = checks.boolean("GaussianNLLLoss", "full", full)
        self.eps = checks.floating("GaussianNLLLoss", "eps", eps, 0.0, closed="(]")

    def construct(self, logits: Tensor, labels: Tensor, var: Tensor) -> Tensor:
        """Return the loss, with ``var`` clipped to at least ``eps``; ``full`` adds the constant
        term.
        """
        self._check_tensors_(logits=logits, labels=labels, var=var)
        if var.shape != logits.shape and var.shape == logits.shape[:-1]:
            var = ops.expand_dims(var, -1)
        var = ops.maximum(var, self.eps)
        loss = 0.5 * (ops.log(var) + ops.square(logits - labels) / var)
        return self.get_loss(loss + 0.5 * math.log(2 * math.pi) if self.full else loss)


def _check_shapes_broadcast(loss: LossBase, logits: Tensor, labels: Tensor) -> None:
    """Check that logits and labels can be broadcast; warn if their shapes differ, but not for 0-d
    labels.

    MindSpore accepts shapes that can be broadcast, but broadcasting is rarely intended.

    Raises:
        ValueError: the shapes can't be broadcast.
    """
    if logits.shape == labels.shape:
        return
    try:
        shape = np.broadcast_shapes(logits.shape, labels.shape)
    except ValueError:
        raise ValueError(
            f"{type(loss).__name__}: logits and labels must have the same shape, got "
            f"{logits.shape} and {labels.shape}."
        ) from None
    if labels.ndim:
        warnings.warn(
            f"{type(loss).__name__}: labels of shape {labels.shape} and logits of shape "
            f"{logits.shape} are broadcast to {shape}. Reshape the labels to the shape of the "
            "logits.",
            stacklevel=2,
        )


def _check_same_shape(loss: LossBase, a: Tensor, b: Tensor) -> None:
    """Check that logits and labels have the same shape.

    Raises:
        ValueError: the shapes differ.
    """
    if a.shape != b.shape:
        raise ValueError(
            f"{type(loss).__name__}: logits and labels must have the same shape, got {a.shape} and "
            f"{b.shape}."
        )


__all__ = [
    "GaussianNLLLoss",
    "HuberLoss",
    "L1Loss",
    "MAELoss",
    "MSELoss",
    "PoissonNLLLoss",
    "RMSELoss",
    "SmoothL1Loss",
]
