"""Normalisation of each example: layer, group, root mean square, length, local response."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from minispore import checks
from minispore.core import dtype as mstype
from minispore.core.layout import LIKE_INPUT
from minispore.core.primitive import Primitive
from minispore.core.registry import registry
from minispore.core.tensor import Tensor, call
from minispore.core.value import Spec
from minispore.ops.elementwise.bases import a_kind, broadcast_to, sum_dtype
from minispore.ops.support.axes import (
    a_tensor,
    all_tensors,
    many_axes,
    no_complex,
    static,
)
from minispore.ops.support.derive import _Composite, pull_back
from minispore.ops.support.sums import dots, ones, outer, quick


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
        norm, params = self._first("begin_norm_axis", x), self._first("begin_params_axis", x)
        for name, v in (("gamma", gamma), ("beta", beta)):
            if a_tensor(self.name, v, name).shape != x.shape[params:]:
                raise ValueError(
                    f"LayerNorm: {name} must have the shape {x.shape[params:]}, the axes of "
                    f"input_x from begin_params_axis on, got {v.shape}."
                )
        stats = Spec(x.shape[:norm] + (1,) * (x.ndim - norm), x.dtype)
        return x, stats, stats

    def _first(self, argument: str, x: Spec) -> int:
        axis: int = getattr(self, argument)
        if not -1 <= axis < x.ndim:
            raise RuntimeError(
                f"{self.name}: {argument} must be in [-1, {x.ndim}) for the shape {x.shape}, got "
                f"{axis}. Count from the front."
            )
        return axis % x.ndim

    def axes_of(self, x: Any) -> tuple[int, ...]:
        return tuple(range(self.begin_norm_axis % x.ndim, x.ndim))

    def rowwise(
        self, x: np.ndarray, *affine: np.ndarray, out: Any
    ) -> tuple[int | None, ...] | None:
        first = min(self.begin_norm_axis % x.ndim, self.begin_params_axis % x.ndim)
        return (0, None, None, 0, 0, 0) if first else None

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
        if gamma.ndim == len(axes) and all(quick(a) for a in (x, y)):
            for some in _rows(n, x.dtype, mean.size):
                _normalised(
                    *(x.reshape(-1, n)[some], y.reshape(-1, n)[some], gamma.reshape(-1)),
                    *(beta.reshape(-1), mean.reshape(-1)[some], var.reshape(-1)[some]),
                    epsilon=self.epsilon,
                )
            return
        np.add.reduce(x, axes, sum_dtype(x.dtype), out=mean, keepdims=True)
        np.true_divide(mean, n, out=mean)
        np.subtract(x, mean, out=y)
        np.add.reduce(np.multiply(y, y), axes, sum_dtype(x.dtype), out=var, keepdims=True)
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


_SLICE_BYTES = 512 << 10  # rows that stay in the cache while all passes go over them


def _rows(n: int, dtype: np.dtype, count: int) -> Iterator[slice]:
    """Some rows of ``n`` elements at a time."""
    step = max(1, _SLICE_BYTES // (n * dtype.itemsize))
    return (slice(i, i + step) for i in range(0, count, step))


def _normalised(
    x: np.ndarray,
    y: np.ndarray,
    gamma: np.ndarray,
    beta: np.ndarray,
    mean: np.ndarray,
    var: np.ndarray,
    epsilon: float,
) -> None:
    """Some rows of LayerNorm."""
    n = x.shape[1]
    np.matmul(x, ones(n, x.dtype), out=mean)
    np.true_divide(mean, n, out=mean)
    np.subtract(x, mean[:, None], out=y)
    dots(y, y, var)
    np.true_divide(var, n, out=var)
    deviation = np.add(var, epsilon)
    np.true_divide(1, np.sqrt(deviation, out=deviation), out=deviation)
    np.multiply(y, outer(deviation, gamma), out=y)
    np.add(y, beta, out=y)


def _slope(
    x: np.ndarray,
    dy: np.ndarray,
    dx: np.ndarray,
    mean: np.ndarray,
    inverse: np.ndarray,
    gamma: np.ndarray,
    by: np.ndarray,
) -> None:
    """Some rows of LayerNormGrad; what they add to dgamma and dbeta goes to ``by``."""
    rows, n = x.shape
    centred = np.subtract(x, mean[:, None])  # times 1 / deviation it is normal
    np.multiply(dy, centred, out=dx)
    by[0] += np.matmul(inverse, dx)
    by[1] += np.matmul(ones(rows, x.dtype), dy)
    skew = np.matmul(dx, gamma) * inverse**3 / n
    average = np.matmul(dy, gamma) * inverse / n
    np.multiply(dy, outer(inverse, gamma), out=dx)
    np.subtract(dx, average[:, None], out=dx)
    np.multiply(centred, skew[:, None], out=centred)
    np.subtract(dx, centred, out=dx)


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
        no_complex(self.name, x, dy)
        for name, given in (("variance", var), ("mean", mean), ("gamma", gamma)):
            a_tensor(self.name, given, name)
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
        if gamma.ndim == len(axes) and all(quick(a) for a in (x, dy, dx)):
            n = x.size // mean.size
            inverse = (1 / np.sqrt(var + self.epsilon)).reshape(-1)
            by = np.zeros((2, n), x.dtype)
            for some in _rows(n, x.dtype, mean.size):
                _slope(
                    *(x.reshape(-1, n)[some], dy.reshape(-1, n)[some], dx.reshape(-1, n)[some]),
                    *(mean.reshape(-1)[some], inverse[some], gamma.reshape(-1), by),
                )
            np.copyto(dgamma, by[0].reshape(gamma.shape), casting="same_kind")
            np.copyto(dbeta, by[1].reshape(gamma.shape), casting="same_kind")
            return
        n, wide = x.size // mean.size, sum_dtype(x.dtype)
        inverse = 1 / np.sqrt(var + self.epsilon)
        normal = (x - mean) * inverse
        np.add.reduce(dy, lead, sum_dtype(dy.dtype), out=dbeta)
        np.add.reduce(dy * normal, lead, sum_dtype(dy.dtype), out=dgamma)
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


class RmsNorm(_Composite):
    """x / sqrt(mean(x^2) + epsilon) * gamma, over the last axes, those that gamma has.

    Returns:
        ``(y, 1 / sqrt(mean(x^2) + epsilon))``

    Source: Zhang & Sennrich, https://arxiv.org/abs/1910.07467

    >>> y, scale = RmsNorm(0.0)(Tensor([[3.0, 3.0]]), Tensor([1.0, 2.0]))
    >>> print(y)
    [[1. 2.]]
    """

    epsilon: float = 1e-6

    def check(self) -> None:
        checks.number(self.name, "epsilon", self.epsilon)

    def __call__(self, x: Tensor, gamma: Tensor) -> tuple[Tensor, Tensor]:
        no_complex(self.name, x, gamma)
        if gamma.shape != x.shape[x.ndim - gamma.ndim :]:
            raise ValueError(
                f"RmsNorm: gamma must have the shape of the last axes of x, got shapes "
                f"{gamma.shape} and {x.shape}."
            )
        axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
        wide = x if x.dtype.name in ("float32", "float64") else call("Cast", x, mstype.float32)
        mean = registry["ReduceMean"](True)(call("Square", wide), axes)
        scale = call("Rsqrt", mean + self.epsilon)
        return call("Cast", wide * scale, x.dtype) * gamma, scale


class L2Normalize(_Composite):
    """x / sqrt(max(sum(x^2), epsilon)) along ``axis``.

    >>> print(L2Normalize(0)(Tensor([3.0, 4.0])))
    [0.6 0.8]
    """

    axis: int | tuple[int, ...] = 0
    epsilon: float = 1e-4

    def check(self) -> None:
        many_axes(self.name, self.axis, 1 << 30)

    def __call__(self, x: Tensor) -> Tensor:
        axes = many_axes(self.name, self.axis, x.ndim)
        length = registry["ReduceSum"](True)(call("Square", x), axes)
        return x / call("Sqrt", call("Maximum", length, self.epsilon))


class ChannelWindowSum(Primitive):
    """The sum over the channels (axis 1) that are at most ``radius`` apart: its own adjoint.

    >>> print(ChannelWindowSum(1)(Tensor([[1.0, 10.0, 100.0]])))
    [[ 11. 111. 110.]]
    """

    internal = True
    radius: int
    layout = LIKE_INPUT

    def infer(self, x: Spec) -> Spec:
        if a_kind("LRN", x, "fV", "x").ndim < 2:
            raise ValueError(f"LRN: x must have at least 2 axes, got {x}.")
        return x

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.copyto(out, x)
        for k in range(1, min(self.radius, x.shape[1] - 1) + 1):
            out[:, k:] += x[:, :-k]
            out[:, :-k] += x[:, k:]

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: ChannelWindowSum(self.radius)(dout),)


class LRN(_Composite):
    """x / (bias + alpha * sum of x^2 over neighbouring channels) ^ beta.

    Args:
        depth_radius: how many channels on each side are neighbours.
        bias: keeps the base above 0.
        alpha: factor of the sum.
        beta: the exponent.
        norm_region: "ACROSS_CHANNELS".

    Source: Krizhevsky et al., section 3.3

    >>> print(LRN(1, 0.0, 1.0, 0.5)(Tensor([[[[3.0]], [[4.0]]]])).reshape(-1))
    [0.6 0.8]
    """

    depth_radius: int = 5
    bias: float = 1.0
    alpha: float = 1.0
    beta: float = 0.5
    norm_region: str = "ACROSS_CHANNELS"

    def check(self) -> None:
        checks.integer(self.name, "depth_radius", self.depth_radius, 0)
        if self.norm_region != "ACROSS_CHANNELS":
            raise ValueError(
                f"LRN: norm_region must be 'ACROSS_CHANNELS', got {self.norm_region!r}."
            )

    def __call__(self, x: Tensor) -> Tensor:
        if x.ndim != 4:
            raise ValueError(f"{self.name}: x must have the axes (N, C, H, W), got {x.shape}.")
        total = ChannelWindowSum(self.depth_radius)(call("Square", x))
        return x * call("Pow", total * self.alpha + self.bias, -self.beta)


# -- functions -------------------------------------------------------------------------------------


def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-05
) -> Tensor:
    """:class:`LayerNorm` of ``input`` over its last axes, those of ``normalized_shape``.

    >>> print(layer_norm(Tensor([[1.0, 3.0]]), (2,)).asnumpy().round(3))
    [[-1.  1.]]
    """
    all_tensors("layer_norm", input=input)
    shape = static(normalized_shape)
    shape = shape if isinstance(shape, tuple) else (shape,)
    if not shape or input.shape[max(input.ndim - len(shape), 0) :] != shape:
        raise ValueError(
            f"layer_norm: normalized_shape must be the last lengths of input {input.shape}, got "
            f"{shape}."
        )
    weight = registry["Ones"]()(shape, input.dtype) if weight is None else weight
    bias = registry["Zeros"]()(shape, input.dtype) if bias is None else bias
    first = input.ndim - len(shape)
    return LayerNorm(first, first, eps)(input, weight, bias)[0]


def group_norm(
    input: Tensor, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-05
) -> Tensor:
    """Channels in groups, each group of each example normalised; then scaled per channel.

    Source: Wu & He, https://arxiv.org/abs/1803.08494

    >>> print(group_norm(Tensor([[1.0, 3.0, 5.0, 9.0]]), 2).asnumpy().round(3))
    [[-1.  1. -1.  1.]]
    """
    all_tensors("group_norm", input=input)
    checks.integer("group_norm", "num_groups", num_groups, 1)
    if input.ndim < 2 or input.shape[1] % num_groups:
        raise ValueError(
            f"group_norm: the channels of input must be a multiple of num_groups {num_groups}, got "
            f"shape {input.shape}."
        )
    groups = call("Reshape", input, (input.shape[0] * num_groups, -1))
    made = call("Reshape", layer_norm(groups, groups.shape[1], eps=eps), input.shape)
    along = tuple(-1 if i == 1 else 1 for i in range(input.ndim))
    if weight is not None:
        made = made * call("Reshape", weight, along)
    return made if bias is None else made + call("Reshape", bias, along)


def rms_norm(x: Tensor, gamma: Tensor, epsilon: float = 1e-06) -> tuple[Tensor, Tensor]:
    """:class:`RmsNorm` of ``x``."""
    return RmsNorm(epsilon)(x, gamma)


def lrn(
    x: Tensor,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    norm_region: str = "ACROSS_CHANNELS",
) -> Tensor:
    """:class:`LRN` of ``x``."""
    return LRN(depth_radius, bias, alpha, beta, norm_region)(x)


__all__ = [
    "LRN",
    "ChannelWindowSum",
    "L2Normalize",
    "LayerNorm",
    "LayerNormGrad",
    "RmsNorm",
    "group_norm",
    "layer_norm",
    "lrn",
    "rms_norm",
]
