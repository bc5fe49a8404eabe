"""Bias and batch normalisation; the fused gradients are ops with derivatives of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.layout import LIKE_INPUT
from minispore.core.primitive import Primitive
from minispore.core.registry import registry
from minispore.core.tensor import Tensor, call
from minispore.core.value import Spec
from minispore.ops.axes import a_bool, a_tensor, one_axis
from minispore.ops.derive import pull_back
from minispore.ops.elementwise import a_kind, broadcast_to, sum_dtype

_FORMATS = ("NCHW", "NHWC", "NCDHW")


def channel_axis(data_format: str, ndim: int) -> int:
    """Where the channels are: last in NHWC, else axis 1."""
    return ndim - 1 if data_format == "NHWC" else min(1, ndim - 1)


def a_format(op: str, data_format: Any) -> None:
    """Raise a ValueError unless ``data_format`` is one of MindSpore's."""
    if data_format not in _FORMATS:
        raise ValueError(f"{op}: data_format must be one of {_FORMATS}, got {data_format!r}.")


def along(channels: np.ndarray, axis: int, ndim: int) -> np.ndarray:
    """A vector as an array that broadcasts along ``axis``."""
    return channels.reshape(tuple(-1 if i == axis else 1 for i in range(ndim)))


def _along(channels: Tensor, axis: int, ndim: int) -> Tensor:
    return call("Reshape", channels, tuple(-1 if i == axis else 1 for i in range(ndim)))


def others(axis: int, ndim: int) -> tuple[int, ...]:
    """All axes but one."""
    return tuple(i for i in range(ndim) if i != axis)


def a_channel_vector(op: str, v: Any, x: Spec, axis: int, name: str) -> Spec:
    """``v`` if it holds one number per channel of x.

    Raises:
        TypeError: it is no tensor.
        ValueError: it has another shape.
    """
    if a_tensor(op, v, name).shape != (x.shape[axis],):
        raise ValueError(
            f"{op}: {name} must have the shape ({x.shape[axis]},), one number per channel of {x}, "
            f"got {v.shape}."
        )
    return v


# -- bias -----------------------------------------------------------------------------------------


class BiasAdd(Primitive):
    """x + bias along the channel axis (axis 1, or the last one in NHWC).

    >>> print(BiasAdd()(Tensor([[1.0, 2.0]]), Tensor([10.0, 20.0])))
    [[11. 22.]]
    """

    data_format: str = "NCHW"
    reuse = (0,)
    promotes = (0, 1)
    layout = LIKE_INPUT

    def check(self) -> None:
        a_format(self.name, self.data_format)

    def infer(self, x: Spec, bias: Spec) -> Spec:
        if a_tensor(self.name, x, "input_x").ndim < 2:
            raise ValueError(f"BiasAdd: input_x must have at least 2 axes, got {x}.")
        a_channel_vector(self.name, bias, x, channel_axis(self.data_format, x.ndim), "bias")
        return x

    def kernel(self, x: np.ndarray, bias: np.ndarray, *, out: np.ndarray) -> None:
        np.add(x, along(bias, channel_axis(self.data_format, x.ndim), x.ndim), out=out)

    def vjp(self, x: Tensor, bias: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return dout, lambda: BiasAddGrad(self.data_format)(dout)


class BiasAddGrad(Primitive):
    """The sum over all axes but the channels.

    >>> print(BiasAddGrad()(Tensor([[1.0, 2.0], [3.0, 4.0]])))
    [4. 6.]
    """

    data_format: str = "NCHW"

    def check(self) -> None:
        a_format(self.name, self.data_format)

    def infer(self, dy: Spec) -> Spec:
        a_tensor(self.name, dy, "dout")
        return Spec((dy.shape[channel_axis(self.data_format, dy.ndim)],), dy.dtype)

    def kernel(self, dy: np.ndarray, *, out: np.ndarray) -> None:
        axes = others(channel_axis(self.data_format, dy.ndim), dy.ndim)
        np.add.reduce(dy, axes, sum_dtype(dy.dtype), out)

    def vjp(self, dy: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        axis = channel_axis(self.data_format, dy.ndim)
        return (lambda: broadcast_to(_along(dout, axis, dy.ndim), dy.shape),)


# -- batch normalisation --------------------------------------------------------------------------


class BatchNorm(Primitive):
    """(x - mean) / sqrt(variance + epsilon) * scale + bias, per channel.

    Training uses the batch's own mean and variance, and moves ``mean`` and ``variance`` towards
    them by ``momentum`` (the variance towards the unbiased one).

    Args:
        is_training: normalise by the batch's statistics instead of the given ones.
        epsilon: added to the variance.
        momentum: how far the given statistics move in training.
        data_format: "NCHW" or "NHWC".

    Returns:
        ``(y, mean, variance, mean, variance)``: of the batch in training, else the given ones.

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
    multi = True

    def check(self) -> None:
        a_bool(self.name, self.is_training, "is_training")
        a_format(self.name, self.data_format)
        if not 0 < self.epsilon <= 1:
            raise ValueError(f"BatchNorm: epsilon must be in (0, 1], got {self.epsilon}.")
        if not 0 <= self.momentum <= 1:
            raise ValueError(f"BatchNorm: momentum must be in [0, 1], got {self.momentum}.")

    def __call__(self, x: Any, scale: Any, bias: Any, mean: Any, variance: Any) -> Any:
        if not self.is_training:
            y = BatchNormInfer(self.epsilon, self.data_format)(x, scale, bias, mean, variance)
            return y, mean, variance, mean, variance
        y, now, var = BatchNormTrain(self.epsilon, self.data_format)(x, scale, bias)
        n = x.size // now.size
        MovingAverage(self.momentum)(mean, now)
        MovingAverage(self.momentum, n / max(n - 1, 1))(variance, var)
        return y, now, var, now, var


class _BatchNorm(Primitive):
    """Normalisation of the channels of x."""

    internal = True
    layout = LIKE_INPUT
    epsilon: float = 1e-5
    data_format: str = "NCHW"

    def axis_of(self, x: Any) -> int:
        return channel_axis(self.data_format, x.ndim)

    def check_inputs(self, x: Spec, **vectors: Any) -> None:
        if a_kind("BatchNorm", x, "fV", "input_x").ndim < 2:
            raise ValueError(f"BatchNorm: input_x must have at least 2 axes, got {x}.")
        for name, v in vectors.items():
            a_channel_vector("BatchNorm", v, x, self.axis_of(x), name)


class BatchNormInfer(_BatchNorm):
    """(x - mean) / sqrt(variance + epsilon) * scale + bias with given statistics."""

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
        axis = self.axis_of(x)
        gain = scale / np.sqrt(variance + self.epsilon)
        np.multiply(x, along(gain, axis, x.ndim), out=out, casting="same_kind")
        np.add(out, along(bias - mean * gain, axis, x.ndim), out=out, casting="same_kind")

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
    ) -> Any:
        axis = self.axis_of(x)
        inverse = call("Rsqrt", variance + self.epsilon)

        def total(y: Tensor) -> Tensor:
            return BiasAddGrad(self.data_format)(y)

        def by_scale() -> Tensor:
            return inverse * (total(dout * x) - mean * total(dout))

        return (
            lambda: call("Cast", dout * _along(scale * inverse, axis, x.ndim), x.dtype),
            by_scale,
            lambda: total(dout),
            lambda: -total(dout) * scale * inverse,
            lambda: by_scale() * scale * inverse * inverse * -0.5,
        )


class BatchNormTrain(_BatchNorm):
    """Normalisation by the batch's own statistics: ``(y, mean, biased variance)``."""

    partial = True

    def infer(self, x: Spec, scale: Spec, bias: Spec) -> tuple[Spec, Spec, Spec]:
        self.check_inputs(x, scale=scale, bias=bias)
        return x, scale, scale

    def kernel(
        self,
        x: np.ndarray,
        scale: np.ndarray,
        bias: np.ndarray,
        *,
        out: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> None:
        y, mean, var = out
        axis, ndim = self.axis_of(x), x.ndim
        n = x.size // mean.size
        np.add.reduce(x, others(axis, ndim), mean.dtype, mean)
        np.true_divide(mean, n, out=mean)
        np.subtract(x, along(mean, axis, ndim), out=y, casting="same_kind")
        products(y, y, axis, var)
        np.true_divide(var, n, out=var)
        gain = np.add(var, self.epsilon)
        np.sqrt(gain, out=gain)
        np.true_divide(scale, gain, out=gain)
        np.multiply(y, along(gain, axis, ndim), out=y, casting="same_kind")
        np.add(y, along(bias, axis, ndim), out=y, casting="same_kind")

    def vjp(self, x: Tensor, scale: Tensor, bias: Tensor, *, out: Any, dout: Any) -> Any:
        _, mean, var = out
        dy, dmean, dvar = dout
        axis, n = self.axis_of(x), x.size // mean.size
        dx = dscale = dbias = None
        if dy is not None:
            dx, dscale, dbias = BatchNormGrad(self.epsilon, self.data_format)(
                dy, x, scale, mean, var
            )
        if dmean is not None:
            more = broadcast_to(_along(dmean / n, axis, x.ndim), x.shape)
            dx = more if dx is None else dx + more
        if dvar is not None:
            more = (x - _along(mean, axis, x.ndim)) * _along(dvar * (2 / n), axis, x.ndim)
            dx = more if dx is None else dx + more
        return dx, dscale, dbias


class BatchNormGrad(_BatchNorm):
    """``(dx, dscale, dbias)`` from dy, x, scale and the batch's mean and variance."""

    multi = True

    def infer(
        self, dy: Spec, x: Spec, scale: Spec, mean: Spec, var: Spec
    ) -> tuple[Spec, Spec, Spec]:
        self.check_inputs(x, scale=scale, mean=mean, variance=var)
        return x, scale, scale

    def kernel(
        self,
        dy: np.ndarray,
        x: np.ndarray,
        scale: np.ndarray,
        mean: np.ndarray,
        var: np.ndarray,
        *,
        out: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> None:
        # dx = scale/std * (dy - dbias/n - (x - mean)/std * dscale/n)
        dx, dscale, dbias = out
        axis, ndim = self.axis_of(x), x.ndim
        n = x.size // mean.size
        inverse = 1 / np.sqrt(var + self.epsilon)
        np.add.reduce(dy, others(axis, ndim), dbias.dtype, dbias)
        np.subtract(x, along(mean, axis, ndim), out=dx, casting="same_kind")
        products(dx, dy, axis, dscale)
        np.multiply(dscale, inverse, out=dscale)
        np.multiply(dx, along(dscale * inverse / -n, axis, ndim), out=dx, casting="same_kind")
        np.add(dx, dy, out=dx)
        np.subtract(dx, along(dbias / n, axis, ndim), out=dx, casting="same_kind")
        np.multiply(dx, along(scale * inverse, axis, ndim), out=dx, casting="same_kind")

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
    ) -> Any:
        axis, n = self.axis_of(x), x.size // mean.size

        def formula(dy: Tensor, x: Tensor, scale: Tensor, mean: Tensor, var: Tensor) -> Any:
            def spread(v: Tensor) -> Tensor:
                return _along(v, axis, x.ndim)

            inverse = call("Rsqrt", var + self.epsilon)
            normal = (x - spread(mean)) * spread(inverse)
            dbias = BiasAddGrad(self.data_format)(dy)
            dscale = BiasAddGrad(self.data_format)(dy * normal)
            inner = dy - spread(dbias / n) - normal * spread(dscale / n)
            return inner * spread(scale * inverse), dscale, dbias

        return pull_back(formula, (dy, x, scale, mean, var), dout)


def products(x: np.ndarray, y: np.ndarray, axis: int, out: np.ndarray) -> None:
    """Sums of x * y per index of ``axis``, with no array of the products."""
    letters = list(range(x.ndim))
    np.einsum(x, letters, y, letters, [axis], out=out, dtype=out.dtype, casting="same_kind")


class MovingAverage(Primitive):
    """``running`` moved towards ``factor * new`` by the share ``momentum``, in place.

    >>> print(MovingAverage(0.5)(Tensor([2.0]), Tensor([4.0])))
    [3.]
    """

    internal = True
    pure = False
    mutates = (0,)
    momentum: float
    factor: float = 1.0

    def infer(self, running: Spec, new: Spec) -> Spec:
        if a_tensor("BatchNorm", running, "mean and variance").shape != new.shape:
            raise ValueError(
                f"BatchNorm: mean and variance must have the shape {new.shape}, got "
                f"{running.shape}."
            )
        return running

    def kernel(self, running: np.ndarray, new: np.ndarray, *, out: np.ndarray) -> None:
        np.multiply(running, 1 - self.momentum, out=out)
        np.add(out, new * (self.momentum * self.factor), out=out)


# -- layer normalisation --------------------------------------------------------------------------


class LayerNorm(Primitive):
    """(x - mean) / sqrt(variance + epsilon) * gamma + beta, over axes ``begin_norm_axis`` and on.

    Args:
        begin_norm_axis: the first axis that is normalised.
        begin_params_axis: gamma and beta have the axes of x from this one on.
        epsilon: added to the variance.

    Returns:
        ``(y, mean, variance)``; the statistics keep the normalised axes with length 1.

    Source: Ba, Kiros & Hinton, https://arxiv.org/abs/1607.06450

    >>> y, mean, var = LayerNorm()(Tensor([[1.0, 3.0]]), Tensor([1.0, 1.0]), Tensor([0.0, 0.0]))
    >>> print(y, mean, var)
    [[-1.  1.]] [[2.]] [[1.]]
    """

    begin_norm_axis: int = 1
    begin_params_axis: int = 1
    epsilon: float = 1e-7
    layout = LIKE_INPUT
    partial = True

    def infer(self, x: Spec, gamma: Spec, beta: Spec) -> tuple[Spec, Spec, Spec]:
        a_kind(self.name, x, "fV", "input_x")
        norm = one_axis(self.name, self.begin_norm_axis, x.ndim, "begin_norm_axis")
        params = one_axis(self.name, self.begin_params_axis, x.ndim, "begin_params_axis")
        for name, v in (("gamma", gamma), ("beta", beta)):
            if a_tensor(self.name, v, name).shape != x.shape[params:]:
                raise ValueError(
                    f"LayerNorm: {name} must have the shape {x.shape[params:]}, the axes of "
                    f"input_x from begin_params_axis on, got {v.shape}."
                )
        stats = Spec(x.shape[:norm] + (1,) * (x.ndim - norm), x.dtype)
        return x, stats, stats

    def axes_of(self, x: Any) -> tuple[int, ...]:
        return tuple(range(self.begin_norm_axis % x.ndim, x.ndim))

    def kernel(
        self,
        x: np.ndarray,
        gamma: np.ndarray,
        beta: np.ndarray,
        *,
        out: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> None:
        y, mean, var = out
        axes, n = self.axes_of(x), x.size // mean.size
        np.add.reduce(x, axes, sum_dtype(x.dtype), mean, keepdims=True)
        np.true_divide(mean, n, out=mean)
        np.subtract(x, mean, out=y)
        np.add.reduce(np.multiply(y, y), axes, sum_dtype(x.dtype), var, keepdims=True)
        np.true_divide(var, n, out=var)
        deviation = np.add(var, self.epsilon)
        np.true_divide(y, np.sqrt(deviation, out=deviation), out=y)
        np.multiply(y, gamma, out=y, casting="same_kind")
        np.add(y, beta, out=y, casting="same_kind")

    def vjp(self, x: Tensor, gamma: Tensor, beta: Tensor, *, out: Any, dout: Any) -> Any:
        _, mean, var = out
        dy, dmean, dvar = dout
        n = x.size // mean.size
        dx = dgamma = dbeta = None
        if dy is not None:
            grad = LayerNormGrad(self.begin_norm_axis, self.begin_params_axis, self.epsilon)
            dx, dgamma, dbeta = grad(x, dy, var, mean, gamma)
        if dmean is not None:
            more = broadcast_to(dmean / n, x.shape)
            dx = more if dx is None else dx + more
        if dvar is not None:
            more = (x - mean) * (dvar * (2 / n))
            dx = more if dx is None else dx + more
        return dx, dgamma, dbeta


class LayerNormGrad(Primitive):
    """``(dx, dgamma, dbeta)`` from x, dy, the variance, the mean and gamma."""

    begin_norm_axis: int = 1
    begin_params_axis: int = 1
    epsilon: float = 1e-7
    internal = True
    multi = True
    layout = LIKE_INPUT

    def infer(
        self, x: Spec, dy: Spec, var: Spec, mean: Spec, gamma: Spec
    ) -> tuple[Spec, Spec, Spec]:
        if dy.shape != x.shape:
            raise ValueError(f"LayerNormGrad: dy must have the shape of x, got {dy} and {x}.")
        return x, gamma, gamma

    def kernel(
        self,
        x: np.ndarray,
        dy: np.ndarray,
        var: np.ndarray,
        mean: np.ndarray,
        gamma: np.ndarray,
        *,
        out: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> None:
        # dx = (g - mean(g) - normal * mean(g * normal)) / std
        # with g = dy * gamma and normal = (x - mean) / std
        dx, dgamma, dbeta = out
        axes = tuple(range(self.begin_norm_axis % x.ndim, x.ndim))
        lead = tuple(range(self.begin_params_axis % x.ndim))
        n, wide = x.size // mean.size, sum_dtype(x.dtype)
        inverse = 1 / np.sqrt(var + self.epsilon)
        normal = (x - mean) * inverse
        np.add.reduce(dy, lead, sum_dtype(dy.dtype), dbeta)
        np.add.reduce(dy * normal, lead, sum_dtype(dy.dtype), dgamma)
        g = dy * gamma
        average = np.add.reduce(g, axes, wide, keepdims=True) / n
        skew = np.add.reduce(g * normal, axes, wide, keepdims=True) / n
        normal *= skew.astype(normal.dtype, copy=False)
        np.subtract(g, average, out=g, casting="same_kind")
        np.subtract(g, normal, out=g)
        np.multiply(g, inverse, out=dx, casting="same_kind")

    def vjp(
        self,
        x: Tensor,
        dy: Tensor,
        var: Tensor,
        mean: Tensor,
        gamma: Tensor,
        *,
        out: Any,
        dout: Any,
    ) -> Any:
        axes = tuple(range(self.begin_norm_axis % x.ndim, x.ndim))
        lead = tuple(range(self.begin_params_axis % x.ndim))
        n = x.size // mean.size
        total = registry["ReduceSum"]

        def formula(x: Tensor, dy: Tensor, var: Tensor, mean: Tensor, gamma: Tensor) -> Any:
            inverse = call("Rsqrt", var + self.epsilon)
            normal = (x - mean) * inverse
            g = dy * gamma
            average, skew = total(True)(g, axes) / n, total(True)(g * normal, axes) / n
            dgamma, dbeta = (total()(v, lead) if lead else v for v in (dy * normal, dy))
            return (g - average - normal * skew) * inverse, dgamma, dbeta

        return pull_back(formula, (x, dy, var, mean, gamma), dout)


__all__ = [
    "BatchNorm",
    "BatchNormGrad",
    "BatchNormInfer",
    "BatchNormTrain",
    "BiasAdd",
    "BiasAddGrad",
    "LayerNorm",
    "LayerNormGrad",
    "MovingAverage",
]
