"""Batch normalisation; the fused gradient is a differentiable op."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minispore.core.primitive import Calls, Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor
from minispore.execution.layout import LIKE_INPUT
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import (
    broadcast_to,
    cast_like,
    check_dtype_kind,
    choose_sum_dtype,
)
from minispore.ops.elementwise.powers import Rsqrt
from minispore.ops.network.bias import (
    BiasAddGrad,
    _expand_channels,
    check_channel_vector,
    check_data_format,
    get_channel_axis,
)
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.support.arguments import (
    FLOAT_KINDS,
    broadcast_along,
    check_dtype_fits,
    check_tensor_spec,
)
from minispore.ops.support.derive import _Composite, pull_back
from minispore.ops.support.sums import (
    emit_centred_moments,
    emit_channel_dots,
    emit_mean_estimate,
    finish_moments,
)


class BatchNorm(_Composite):
    """(x - mean) / sqrt(variance + epsilon) * scale + bias, per channel.

    In training it uses the mean and variance of the batch, and updates the moving averages, the
    arguments ``mean`` and ``variance``, in place (with the unbiased variance).

    Args:
        is_training: normalise by the batch's statistics instead of ``mean`` and ``variance``.
        epsilon: added to the variance.
        momentum: the weight of the batch's statistics in an update of the moving averages.
        data_format: "NCHW" or "NHWC".

    Returns:
        ``(y, mean, variance, mean, variance)``: the batch's statistics in training, else the
        arguments.

    Source: Ioffe & Szegedy, https://arxiv.org/abs/1502.03167

    >>> one, zero = Tensor([1.0]), Tensor([0.0])
    >>> print(BatchNorm(epsilon=1.0)(Tensor([[2.0], [4.0]]), one, zero, one, zero)[0])
    [[1.]
     [3.]]
    """

    is_training: bool = False
    epsilon: float = 1e-5
    momentum: float = 0.1
    data_format: str = "NCHW"

    def check(self) -> None:
        """Check the flag, the format, and that epsilon is in (0, 1] and momentum in [0, 1]."""
        checks.boolean(self.name, "is_training", self.is_training)
        check_data_format(self.name, self.data_format)
        checks.number(self.name, "epsilon", self.epsilon, 0, 1, "(]")
        checks.number(self.name, "momentum", self.momentum, 0, 1)

    def __call__(self, x: Any, scale: Any, bias: Any, mean: Any, variance: Any) -> Any:
        """Normalise x; in training by batch statistics, updating ``mean`` and ``variance`` in
        place.

        Returns:
            y, and twice the mean and variance that were used, as in MindSpore. The variance of the
                batch is the biased one.
        """
        if not self.is_training:
            y = BatchNormInfer(self.epsilon, self.data_format)(x, scale, bias, mean, variance)
            return y, mean, variance, mean, variance
        y, batch_mean, batch_var = BatchNormTrain(self.epsilon, self.data_format)(x, scale, bias)
        n = x.size // batch_mean.size
        MovingAverage(self.momentum)(mean, batch_mean)
        MovingAverage(self.momentum, n / max(n - 1, 1))(variance, batch_var)
        return y, batch_mean, batch_var, batch_mean, batch_var


class _BatchNorm(Primitive):
    """Base of the batch normalization ops: channel axis, input checks and memory layout."""

    layout = LIKE_INPUT
    epsilon: float = 1e-5
    data_format: str = "NCHW"

    def get_channel_axis(self, x: Any) -> int:
        """Return the index of the channel axis of ``x``."""
        return get_channel_axis(self.data_format, x.ndim)

    def rowwise(self, *args: np.ndarray, out: Any) -> tuple[int, ...]:
        """Return the channel axis for each array with as many axes as x, and axis 0 for vectors:
        channels are independent.
        """
        max_ndim = max(a.ndim for a in args)
        outs = out if isinstance(out, tuple) else (out,)
        return tuple(self.get_channel_axis(a) if a.ndim == max_ndim else 0 for a in (*args, *outs))

    def check_inputs(self, x: Spec, **vectors: Any) -> None:
        """Check that x is a float tensor with at least 2 axes, and each of ``vectors`` has one
        element per channel.

        Raises:
            TypeError: an input is not a tensor, or x is not a float tensor.
            ValueError: a shape does not fit.
        """
        if check_dtype_kind("BatchNorm", x, FLOAT_KINDS, "input_x").ndim < 2:
            raise ValueError(f"BatchNorm: input_x must have at least 2 axes, got {x}.")
        for name, v in vectors.items():
            check_channel_vector("BatchNorm", v, x, self.get_channel_axis(x), name)


class BatchNormInfer(_BatchNorm):
    """(x - mean) / sqrt(variance + epsilon) * scale + bias, with mean and variance as inputs."""

    reuse = (0,)

    def infer(self, x: Spec, scale: Spec, bias: Spec, mean: Spec, variance: Spec) -> Spec:
        self.check_inputs(x, scale=scale, bias=bias, mean=mean, variance=variance)
        return x

    def kernel(
        self,
        x: np.ndarray,
        scale: np.ndarray,
        bias: np.ndarray,
        mean: np.ndarray,
        variance: np.ndarray,
        *,
        out: np.ndarray,
    ) -> None:
        """Write x * gain + shift, with one gain and one shift for each channel."""
        # Float16 and bfloat16 vectors are computed in float32.
        axis, sum_type = self.get_channel_axis(x), choose_sum_dtype(scale.dtype)
        gain = scale / np.sqrt(variance.astype(sum_type, copy=False) + self.epsilon)
        shift = bias - mean.astype(sum_type, copy=False) * gain
        np.multiply(x, broadcast_along(gain, axis, x.ndim), out=out, casting="same_kind")
        np.add(out, broadcast_along(shift, axis, x.ndim), out=out, casting="same_kind")

    def vjp(
        self,
        x: Tensor,
        scale: Tensor,
        bias: Tensor,
        mean: Tensor,
        variance: Tensor,
        *,
        out: Tensor,
        dout: Tensor,
    ) -> Cotangents:
        """Return the gradient function of each input; sums over channels are float32 or wider."""
        axis, sum_type = self.get_channel_axis(x), _choose_vector_dtype(scale)
        inputs = (x, scale, bias, mean, variance)
        if sum_type is not scale.dtype:
            scale, mean, variance = (Cast()(v, sum_type) for v in (scale, mean, variance))
        inverse = Rsqrt()(variance + self.epsilon)
        dout = Cast()(dout, sum_type)  # sums of float16 and bfloat16 are float32

        def sum_channels(y: Tensor) -> Tensor:
            """Sum over all axes but the channels."""
            return BiasAddGrad(self.data_format)(y)

        def scale_grad() -> Tensor:
            """Return the gradient of ``scale``: the sum of dout * (x - mean) / std per channel."""
            return inverse * (sum_channels(dout * x) - mean * sum_channels(dout))

        grad_fns = (
            lambda: dout * _expand_channels(scale * inverse, axis, x.ndim),
            scale_grad,
            lambda: sum_channels(dout),
            lambda: -sum_channels(dout) * scale * inverse,
            lambda: scale_grad() * scale * inverse * inverse * -0.5,
        )
        return tuple(
            lambda a=a, compute_grad=compute_grad: cast_like(a, compute_grad())
            for a, compute_grad in zip(inputs, grad_fns, strict=True)
        )


def _choose_vector_dtype(scale: Tensor) -> Any:
    """Return the dtype in which to compute per-channel vectors: float32 for a ``scale`` of 16 bits,
    else that of ``scale``.
    """
    return mstype.from_numpy(choose_sum_dtype(mstype.to_numpy(scale.dtype)))


class BatchNormTrain(_BatchNorm):
    """Normalisation by the batch's own statistics: ``(y, mean, biased variance)``.

    The moving averages are not updated.
    """

    vjp_rule = VjpRule(partial=True)

    def infer(self, x: Spec, scale: Spec, bias: Spec) -> tuple[Spec, Spec, Spec]:
        self.check_inputs(x, scale=scale, bias=bias)
        return x, scale, scale

    def scratch(self, x: Spec, scale: Spec, bias: Spec) -> tuple[Spec, ...]:
        return (scale,) * 3

    def calls(
        self,
        x: np.ndarray,
        scale: np.ndarray,
        bias: np.ndarray,
        *,
        out: tuple[np.ndarray, np.ndarray, np.ndarray],
        work: list[np.ndarray],
    ) -> Calls:
        """Return calls that centre x roughly, compute exact moments from the result, then scale and
        shift it.
        """
        axis, ndim = self.get_channel_axis(x), x.ndim
        mean_calls = emit_mean_estimate(x, axis, out[1])
        (y, mean, var), (residual_mean, gain, shift) = out, work
        centering_calls = emit_centred_moments(x, axis, mean, y, var, residual_mean)
        return [
            *mean_calls,
            *centering_calls,
            partial(finish_moments, centering_calls, mean, var, residual_mean),
            partial(self._compute_gain_and_shift, scale, bias, var, residual_mean, gain, shift),
            partial(np.multiply, y, broadcast_along(gain, axis, ndim), y, casting="same_kind"),
            partial(np.add, y, broadcast_along(shift, axis, ndim), y, casting="same_kind"),
        ]

    def _compute_gain_and_shift(
        self,
        scale: np.ndarray,
        bias: np.ndarray,
        var: np.ndarray,
        residual_mean: np.ndarray,
        gain: np.ndarray,
        shift: np.ndarray,
    ) -> None:
        """Write gain = scale / std and shift = bias - residual_mean * gain, for the roughly centred
        x.
        """
        np.add(var, self.epsilon, gain)
        np.sqrt(gain, gain)
        np.true_divide(scale, gain, gain)
        np.multiply(residual_mean, gain, shift)
        np.subtract(bias, shift, shift)

    def vjp(self, x: Tensor, scale: Tensor, bias: Tensor, *, out: Any, dout: Any) -> Cotangents:
        """Return the gradients, with terms for the cotangents of mean and variance unless these are
        None.
        """
        _, mean, var = out
        dy, dmean, dvar = dout
        axis, n = self.get_channel_axis(x), x.size // mean.size
        dx = dscale = dbias = None
        if dy is not None:
            dx, dscale, dbias = BatchNormGrad(self.epsilon, self.data_format)(
                dy, x, scale, mean, var
            )
        if dmean is not None:
            term = broadcast_to(_expand_channels(dmean / n, axis, x.ndim), x.shape)
            dx = term if dx is None else dx + term
        if dvar is not None:
            term = (x - _expand_channels(mean, axis, x.ndim)) * _expand_channels(
                dvar * (2 / n), axis, x.ndim
            )
            dx = term if dx is None else dx + term
        return dx, dscale, dbias


class BatchNormGrad(_BatchNorm):
    """``(dx, dscale, dbias)`` from dy, x, scale and the batch's mean and variance."""

    vjp_rule = VjpRule(takes_tuples=True)

    def infer(
        self, dy: Spec, x: Spec, scale: Spec, mean: Spec, var: Spec
    ) -> tuple[Spec, Spec, Spec]:
        """Return the specs of dx, dscale and dbias; raise unless x is float and the vectors have
        one element per channel.
        """
        self.check_inputs(x, scale=scale, mean=mean, variance=var)
        check_tensor_spec(self.name, dy, "dy")
        return x, scale, scale

    def scratch(self, dy: Spec, x: Spec, scale: Spec, mean: Spec, var: Spec) -> tuple[Spec, ...]:
        return (scale,) * 4

    def calls(
        self,
        dy: np.ndarray,
        x: np.ndarray,
        scale: np.ndarray,
        mean: np.ndarray,
        var: np.ndarray,
        *,
        out: tuple[np.ndarray, np.ndarray, np.ndarray],
        work: list[np.ndarray],
    ) -> Calls:
        """Return calls that sum over channels for dbias and dscale, and combine them to dx."""
        # dx = scale/std * (dy - dbias/n - (x - mean)/std * dscale/n)
        axis, ndim = self.get_channel_axis(x), x.ndim
        n, means = x.size // max(1, mean.size), broadcast_along(mean, axis, ndim)
        dx, dscale, dbias = out
        x_factor, subtrahend, gain = (broadcast_along(v, axis, ndim) for v in work[1:])
        return [
            *emit_channel_dots(dy, None, axis, dbias),
            partial(np.subtract, x, means, dx, casting="same_kind"),
            *emit_channel_dots(dx, dy, axis, dscale),
            partial(self._compute_gradient_factors, n, scale, var, (dscale, dbias), work),
            partial(np.multiply, dx, x_factor, dx, casting="same_kind"),
            partial(np.add, dx, dy, dx),
            partial(np.subtract, dx, subtrahend, dx, casting="same_kind"),
            partial(np.multiply, dx, gain, dx, casting="same_kind"),
        ]

    def _compute_gradient_factors(
        self,
        n: int,
        scale: np.ndarray,
        var: np.ndarray,
        sums: tuple[np.ndarray, np.ndarray],
        out: list[np.ndarray],
    ) -> None:
        """Write the per-channel factors of dx, and turn the sum of dy (x - mean) into dscale.

        The factors are 1 / std, the multiplier of x - mean, the subtrahend, and scale / std.
        """
        (dscale, dbias), (inverse, x_factor, subtrahend, gain) = sums, out
        np.add(var, self.epsilon, inverse)
        np.sqrt(inverse, inverse)
        np.true_divide(1, inverse, inverse)
        np.multiply(scale, inverse, gain)
        np.multiply(dscale, inverse, dscale)
        np.multiply(dscale, inverse, x_factor)
        np.true_divide(x_factor, -n, x_factor)
        np.true_divide(dbias, n, subtrahend)

    def vjp(
        self,
        dy: Tensor,
        x: Tensor,
        scale: Tensor,
        mean: Tensor,
        var: Tensor,
        *,
        out: Any,
        dout: Any,
    ) -> Cotangents:
        """Return the gradients of all inputs by differentiating an equivalent formula of ops."""
        axis, n = self.get_channel_axis(x), x.size // mean.size

        def formula(dy: Tensor, x: Tensor, scale: Tensor, mean: Tensor, var: Tensor) -> Any:
            """Compute the outputs of BatchNormGrad by differentiable ops; its vjp differentiates
            this.
            """

            def expand_channels(v: Tensor) -> Tensor:
                """Reshape a vector of channels so that it broadcasts with x."""
                return _expand_channels(v, axis, x.ndim)

            inverse = Rsqrt()(var + self.epsilon)
            normal = (x - expand_channels(mean)) * expand_channels(inverse)
            dbias = BiasAddGrad(self.data_format)(dy)
            dscale = BiasAddGrad(self.data_format)(dy * normal)
            inner = dy - expand_channels(dbias / n) - normal * expand_channels(dscale / n)
            return inner * expand_channels(scale * inverse), dscale, dbias

        return pull_back(formula, (dy, x, scale, mean, var), dout)


class MovingAverage(Primitive):
    """Move ``running`` towards ``factor * new`` by the fraction ``momentum``, in place, and return
    it.

    >>> print(MovingAverage(0.5)(Tensor([2.0]), Tensor([4.0])))
    [3.]
    """

    mutates = (0,)
    momentum: float
    factor: float = 1.0

    def infer(self, running: Spec, new: Spec) -> Spec:
        """Return the spec of ``running``; raise unless it has the shape of ``new`` and a dtype that
        holds it.
        """
        if check_tensor_spec("BatchNorm", running, "mean and variance").shape != new.shape:
            raise ValueError(
                f"BatchNorm: mean and variance must have the shape {new.shape}, got "
                f"{running.shape}."
            )
        check_dtype_fits("BatchNorm", running, new, "the batch's mean and variance")
        return running

    def kernel(self, running: np.ndarray, new: np.ndarray, *, out: np.ndarray) -> None:
        np.multiply(running, 1 - self.momentum, out=out)
        np.add(out, new * (self.momentum * self.factor), out=out)


# -- functions -------------------------------------------------------------------------------------


def batch_norm(
    input_x: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    weight: Tensor,
    bias: Tensor,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    """Normalise each channel of ``input_x``, then scale it by ``weight`` and shift it by ``bias``.

    In training it uses the mean and variance of the batch, and updates ``running_mean`` and
    ``running_var`` in place; else it uses these two. See :class:`BatchNorm`.
    """
    norm = BatchNorm(training, eps, momentum)
    return norm(input_x, weight, bias, running_mean, running_var)[0]


__all__ = [
    "BatchNorm",
    "BatchNormGrad",
    "BatchNormInfer",
    "BatchNormTrain",
    "MovingAverage",
    "batch_norm",
]
