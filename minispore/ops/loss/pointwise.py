"""Element-wise losses, which are then averaged, summed or left unreduced."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Cotangents, Primitive
from minispore.core.tensor import Tensor, call
from minispore.execution.layout import LIKE_INPUT
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.arithmetic import Sub
from minispore.ops.elementwise.bases import (
    broadcast,
    broadcast_to,
    check_dtype_kind,
    choose_sum_dtype,
)
from minispore.ops.elementwise.compare import Greater, Less
from minispore.ops.elementwise.extremes import ClampMin, Maximum, Minimum
from minispore.ops.elementwise.powers import Log
from minispore.ops.elementwise.rounding import Abs, Sign, Square
from minispore.ops.elementwise.smooth_activations import Sigmoid
from minispore.ops.index.select import Select
from minispore.ops.shape.cast_fill import Cast, ZerosLike
from minispore.ops.support.arguments import (
    FLOAT_KINDS,
    check_arithmetic_operands,
    check_dtype,
    check_tensor_spec,
    check_tensors,
)

REDUCTIONS = ("none", "mean", "sum")


def check_reduction(op: str, reduction: Any, allowed: tuple[str, ...] = REDUCTIONS) -> None:
    """Raise a ValueError unless ``reduction`` is one of ``allowed``."""
    if reduction not in allowed:
        choices = ", ".join(map(repr, allowed))
        raise ValueError(f"{op}: reduction must be one of {choices}, got {reduction!r}.")


def normalize_reduction(op: str, reduction: Any, allowed: tuple[str, ...] = REDUCTIONS) -> str:
    """Return ``reduction`` in lower case, since MindSpore also accepts upper case in some
    functions.

    Raises:
        TypeError: ``reduction`` is not a str.
        ValueError: ``reduction`` is not among ``allowed``.

    >>> normalize_reduction("smooth_l1_loss", "MEAN")
    'mean'
    """
    if not isinstance(reduction, str):
        raise TypeError(f"{op}: reduction must be a str, got {reduction!r}.")
    check_reduction(op, reduction.lower(), allowed)
    return reduction.lower()


def reduce_loss(x: Tensor, reduction: str) -> Tensor:
    """Reduce ``x`` by ``reduction``: return it unchanged, its mean or its sum."""
    if reduction == "none":
        return x
    return call("ReduceMean" if reduction == "mean" else "ReduceSum", x, ())


class _Pointwise(Primitive):
    """Base of losses that apply a formula to each element and then reduce.

    A weight broadcasts to the elements; None means 1.
    """

    layout = LIKE_INPUT
    reduction: ClassVar[str] = "none"
    reductions: ClassVar[tuple[str, ...]] = REDUCTIONS
    names: ClassVar[tuple[str, ...]] = ("logits", "labels", "weight", "pos_weight")

    def check(self) -> None:
        """Check ``reduction``, and normalise it to lower case."""
        self.normalise(reduction=normalize_reduction(self.name, self.reduction, self.reductions))

    def infer(self, x: Spec, target: Spec, *weights: Any) -> Spec:
        """Return the spec of the reduced losses; raise unless target matches x and the weights
        broadcast to it.
        """
        check_dtype_kind(self.name, x, FLOAT_KINDS, self.names[0])
        if check_tensor_spec(self.name, target, self.names[1]) != x:
            raise (TypeError if target.dtype != x.dtype else ValueError)(
                f"{self.name}: {self.names[1]} must have the shape and dtype of {self.names[0]}, "
                f"got {target} and {x}."
            )
        for name, w in zip(self.names[2:], weights, strict=False):
            if (
                w is not None
                and broadcast(self.name, x, check_tensor_spec(self.name, w, name)) != x.shape
            ):
                raise ValueError(
                    f"{self.name}: {name} must broadcast to {self.names[0]} {x}, got {w}."
                )
        return x if self.reduction == "none" else Spec((), x.dtype)

    def compute_elementwise_loss(self, *args: Any) -> np.ndarray:
        """Return the loss of each element; overridden by subclasses."""
        raise TypeError(f"{self.name}: defines no loss.")

    def get_divisor(self, x: Any) -> int:
        """Return the number by which the sum of the losses is divided: that of the elements for
        "mean", else 1.
        """
        return x.size if self.reduction == "mean" else 1

    def kernel(self, x: np.ndarray, *args: Any, out: np.ndarray) -> None:
        """Compute the losses of the elements, and write them, or their sum divided by the
        divisor.
        """
        losses = self.compute_elementwise_loss(x, *args)
        if self.reduction == "none":
            np.copyto(out, losses, casting="same_kind")
        else:
            total = np.add.reduce(losses, None, choose_sum_dtype(losses.dtype))
            np.copyto(out, total / self.get_divisor(x), casting="same_kind")

    def broadcast_cotangent(self, dout: Tensor, x: Tensor) -> Tensor:
        """Return the cotangent of each element's loss: ``dout`` over the divisor, in the shape of
        x.
        """
        return broadcast_to(
            dout / self.get_divisor(x) if self.get_divisor(x) != 1 else dout, x.shape
        )


def cast_to_common_float(x: Any, y: Any) -> tuple[Any, Any]:
    """Cast two float tensors of different dtypes to their common dtype; return others unchanged."""
    if isinstance(x, Tensor) and isinstance(y, Tensor) and x.dtype != y.dtype:
        a, b = x.value_.spec.dtype, y.value_.spec.dtype
        if a.kind in FLOAT_KINDS and b.kind in FLOAT_KINDS:
            common = mstype.promote(a, b)
            return Cast()(x, common), Cast()(y, common)
    return x, y


def check_same_dtype(op: str, **tensors: Any) -> None:
    """Raise a TypeError unless all arguments that are tensors have the same dtype."""
    dtypes = {name: x.dtype for name, x in tensors.items() if isinstance(x, Tensor)}
    if len(set(dtypes.values())) > 1:
        words = ", ".join(f"{name} of {dtype}" for name, dtype in dtypes.items())
        raise TypeError(f"{op}: {', '.join(dtypes)} must have one dtype, got {words}. Cast them.")


def _apply_weight(x: Any, w: Any) -> Any:
    """Return x * w; None means a weight of 1."""
    return x if w is None else x * w


class SmoothL1Loss(_Pointwise):
    """d^2 / (2 beta) where d = |prediction - target| < beta, else d - beta / 2.

    Args:
        beta: end of the quadratic part, > 0 (0 gives d itself).
        reduction: "none", "mean" or "sum".

    Source: Girshick, https://arxiv.org/abs/1504.08083

    >>> print(SmoothL1Loss()(Tensor([1.5, 5.0]), Tensor([1.0, 1.0])))
    [0.125 3.5  ]
    """

    beta: float = 1.0
    reduction: str = "none"  # type: ignore[misc]
    names = ("prediction", "target")

    def check(self) -> None:
        super().check()
        if not self.beta >= 0:
            raise ValueError(f"SmoothL1Loss: beta must be >= 0, got {self.beta}.")

    def __call__(self, prediction: Any, target: Any) -> Any:
        return super().__call__(*cast_to_common_float(prediction, target))

    def compute_elementwise_loss(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the losses; for a ``beta`` of 0, the distances."""
        distance = np.abs(x - y)
        if not self.beta:
            return distance
        inner = np.minimum(distance, self.beta)
        return inner * inner * (0.5 / self.beta) + (distance - inner)

    def vjp(self, x: Tensor, y: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient functions of prediction and target."""

        def compute_signed_grad(sign: int) -> Tensor:
            """Return the gradient of the prediction (``sign`` 1) or of the target (-1)."""
            if not self.beta:
                return self.broadcast_cotangent(dout, x) * Sign()(x - y) * sign
            clipped = Minimum()(Maximum()(x - y, -self.beta), self.beta)
            return self.broadcast_cotangent(dout, x) * clipped * (sign / self.beta)

        return lambda: compute_signed_grad(1), lambda: compute_signed_grad(-1)


class KLDivLoss(_Pointwise):
    """y * (log(y) - x), 0 where y is 0; x holds log probabilities, y probabilities.

    The labels get no gradient, as in MindSpore.

    Args:
        reduction: "mean", "batchmean" (the sum divided by the batch size), "sum" or "none".

    >>> print(KLDivLoss("sum")(Tensor([0.0, 0.0]), Tensor([1.0, 0.0])))
    0.0
    """

    reduction: str = "mean"  # type: ignore[misc]
    reductions = ("none", "mean", "batchmean", "sum")

    def check(self) -> None:
        # MindSpore accepts only lower case for this op.
        check_reduction(self.name, self.reduction, self.reductions)

    def compute_elementwise_loss(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        is_positive = y > 0
        return np.where(is_positive, y * (np.log(np.where(is_positive, y, 1)) - x), 0)

    def get_divisor(self, x: Any) -> int:
        """Return the batch size for "batchmean", else the divisor of the reduction."""
        return x.shape[0] if self.reduction == "batchmean" and x.shape else super().get_divisor(x)

    def vjp(self, x: Tensor, y: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x; the labels get no gradient, as in MindSpore."""
        return (lambda: -self.broadcast_cotangent(dout, x) * y,)


class SoftMarginLoss(_Pointwise):
    """log(1 + e^(-target * input)) for targets -1 and 1.

    Args:
        reduction: "mean", "sum" or "none".

    >>> print(SoftMarginLoss()(Tensor([0.0]), Tensor([1.0])))
    0.6931472
    """

    reduction: str = "mean"  # type: ignore[misc]
    names = ("input", "target")

    def compute_elementwise_loss(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.logaddexp(-x * y, 0)

    def vjp(self, x: Tensor, y: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        def compute_grad(factor: Tensor) -> Tensor:
            """Return the gradient of one input, where ``factor`` is the other input."""
            return -self.broadcast_cotangent(dout, x) * factor * Sigmoid()(-x * y)

        return lambda: compute_grad(y), lambda: compute_grad(x)


class L2Loss(Primitive):
    """sum(x^2) / 2.

    >>> print(L2Loss()(Tensor([1.0, 3.0])))
    5.0
    """

    def infer(self, x: Spec) -> Spec:
        return Spec((), check_dtype_kind(self.name, x, FLOAT_KINDS, "input_x").dtype)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        total = np.add.reduce(np.square(x), None, choose_sum_dtype(x.dtype))
        np.copyto(out, total / 2, casting="same_kind")

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: x * dout,)


# -- functions -------------------------------------------------------------------------------------


def smooth_l1_loss(
    input: Tensor, target: Tensor, beta: float = 1.0, reduction: str = "none"
) -> Tensor:
    """Apply :class:`SmoothL1Loss` to ``input`` and ``target``."""
    return SmoothL1Loss(beta, reduction)(input, target)


def kl_div(logits: Tensor, labels: Tensor, reduction: str = "mean") -> Tensor:
    """Apply :class:`KLDivLoss` to ``logits`` and ``labels``."""
    return KLDivLoss(reduction)(logits, labels)


def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Apply :class:`SoftMarginLoss` to ``input`` and ``target``."""
    return SoftMarginLoss(reduction)(input, target)


def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return |input - target|, reduced.

    >>> print(l1_loss(Tensor([1.0, 5.0]), Tensor([2.0, 2.0])))
    2.0
    """
    check_reduction("l1_loss", reduction)
    return reduce_loss(Abs()(Sub()(input, target)), reduction)


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return (input - target)^2, reduced; integers are computed in float32.

    >>> print(mse_loss(Tensor([1.0, 5.0]), Tensor([2.0, 2.0])))
    5.0
    """
    check_tensors("mse_loss", input=input)
    check_arithmetic_operands("mse_loss", target=target)
    check_reduction("mse_loss", reduction)
    if input.dtype.kind in "iu" and target.dtype.kind in "iu":
        input, target = (Cast()(a, mstype.float32) for a in (input, target))
    return reduce_loss(Square()(Sub()(input, target)), reduction)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0
) -> Tensor:
    """Return d^2 / 2 where d = |input - target| <= delta, else delta * (d - delta / 2), reduced.

    Raises:
        ValueError: delta <= 0.

    >>> print(huber_loss(Tensor([1.5, 5.0]), Tensor([1.0, 1.0]), "none"))
    [0.125 3.5  ]
    """
    check_reduction("huber_loss", reduction)
    if not delta > 0:
        raise ValueError(f"huber_loss: delta must be > 0, got {delta}.")
    difference = Sub()(input, target)
    if difference.dtype.kind in "iu":
        difference = Cast()(difference, mstype.float32)
    if delta == np.inf:
        return reduce_loss(difference * difference * 0.5, reduction)
    return reduce_loss(SmoothL1Loss(delta)(difference, ZerosLike()(difference)) * delta, reduction)


def gaussian_nll_loss(
    x: Tensor,
    target: Tensor,
    var: Any,
    full: bool = False,
    eps: float = 1e-06,
    reduction: str = "mean",
) -> Tensor:
    """Return (log(var) + (x - target)^2 / var) / 2 with var at least eps, reduced.

    Args:
        x: expected values.
        target: observed values.
        var: variances, a tensor or a number.
        full: add log(2 pi) / 2.
        eps: the minimum variance.
        reduction: "mean", "sum" or "none".
    """
    check_arithmetic_operands("gaussian_nll_loss", x=x, target=target, var=var)
    check_reduction("gaussian_nll_loss", reduction)
    checks.boolean("gaussian_nll_loss", "full", full)
    if not isinstance(eps, float) or eps <= 0:
        raise ValueError(f"gaussian_nll_loss: eps must be a float above 0, got {eps!r}.")
    clamped_var = Maximum()(var, eps) if isinstance(var, Tensor) else Tensor(max(var, eps), x.dtype)
    losses = (Log()(clamped_var) + Square()(x - target) / clamped_var) * 0.5
    return reduce_loss(losses + _HALF_LOG_2_PI if full else losses, reduction)


_HALF_LOG_2_PI = 0.9189385332046727


def hinge_embedding_loss(
    inputs: Tensor, targets: Tensor, margin: float = 1.0, reduction: str = "mean"
) -> Tensor:
    """Return inputs where targets > 0, max(0, margin - inputs) where targets < 0, else 0,
    reduced.
    """
    check_reduction("hinge_embedding_loss", reduction)
    check_dtype("hinge_embedding_loss", targets, "targets", "float16", "float32", "float64")
    margins = Maximum()(Sub()(margin, inputs), 0)
    positive_losses = Select()(Greater()(targets, 0), inputs, 0.0)
    return reduce_loss(positive_losses + Select()(Less()(targets, 0), margins, 0.0), reduction)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """Return max(0, -target * (input1 - input2) + margin), reduced."""
    check_arithmetic_operands("margin_ranking_loss", input1=input1, input2=input2, target=target)
    check_same_dtype("margin_ranking_loss", input1=input1, input2=input2, target=target)
    checks.floating("margin_ranking_loss", "margin", margin)
    check_reduction("margin_ranking_loss", reduction)
    losses = ClampMin()(-target * (input1 - input2) + margin, 0)
    return reduce_loss(losses, reduction)


__all__ = [
    "KLDivLoss",
    "L2Loss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "gaussian_nll_loss",
    "hinge_embedding_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "margin_ranking_loss",
    "mse_loss",
    "smooth_l1_loss",
    "soft_margin_loss",
]
