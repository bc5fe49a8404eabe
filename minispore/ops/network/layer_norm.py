"""Layer norm: each example less its mean, by its deviation."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minispore.core.kernels.blas import bind_add_row, bind_subtract_column, get_ones
from minispore.core.layout import LIKE_INPUT
from minispore.core.primitive import Calls, Primitive
from minispore.core.tensor import Tensor
from minispore.core.value import Spec
from minispore.ops.elementwise.bases import a_kind, broadcast_to, sum_dtype
from minispore.ops.elementwise.powers import Rsqrt
from minispore.ops.shape.whole import Cast, Ones, Zeros
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.support.arguments import check_real, check_tensor_spec, check_tensors, to_static
from minispore.ops.support.derive import pull_back
from minispore.ops.support.sums import (
    bind_column_copy,
    bind_row_dots,
    can_sum_fast,
    can_sum_spec_fast,
    get_ones_column,
)


class LayerNorm(Primitive):
    """(x - mean) / sqrt(variance + epsilon) * gamma + beta, over axes ``begin_norm_axis`` and on.

    Args:
        begin_norm_axis: the first axis that is normalised.
        begin_params_axis: gamma and beta have the axes of x from this one on.
        epsilon: added to the variance.

    Returns:
        ``(y, mean, variance)``; the statistics keep the normalised axes with length 1, and are
        float32 where x is of half floats.

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
            if check_tensor_spec(self.name, v, name).shape != x.shape[params:]:
                raise ValueError(
                    f"LayerNorm: {name} must have the shape {x.shape[params:]}, the axes of "
                    f"input_x from begin_params_axis on, got {v.shape}."
                )
        stats = Spec(x.shape[:norm] + (1,) * (x.ndim - norm), sum_dtype(x.dtype))
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

    def scratch(self, x: Spec, gamma: Spec, beta: Spec) -> tuple[Spec, ...]:
        return _room(x, gamma, len(self.axes_of(x)), 1)

    def calls(
        self, x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, *, out: Any, work: Any
    ) -> Calls:
        if not work or not all(can_sum_fast(a) for a in (x, out[0])):
            return [partial(self._by_ufuncs, x, gamma, beta, out=out)]
        y, mean, var = out
        whole, columns, rows = work
        n = len(rows)
        x, y = (a.reshape(-1, n) for a in (x, y))
        mean, var, beta = (a.reshape(-1) for a in (mean, var, beta))
        made: Calls = _paired(columns, rows, gamma)
        for some in _slices(len(x), len(whole)):
            now, mu, variance = y[some], mean[some], var[some]
            product, scale = whole[: len(now)], columns[: len(now), 0]
            made += [
                partial(np.matmul, x[some], get_ones(n, x.dtype), mu),
                partial(np.true_divide, mu, n, mu),
                *_centred(x[some], mu, now),
                bind_row_dots(now, now, variance),
                partial(np.true_divide, variance, n, variance),
                *_inverse(variance, self.epsilon, scale),
                partial(np.matmul, columns[: len(now)], rows.T, product),
                partial(np.multiply, now, product, now),
                bind_add_row(now, beta),
            ]
        return made

    def _by_ufuncs(self, x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, *, out: Any) -> None:
        y, mean, var = out
        axes, n = self.axes_of(x), max(1, x.size // max(1, mean.size))
        wide = x.astype(mean.dtype, copy=False)
        np.add.reduce(wide, axes, out=mean, keepdims=True)
        np.true_divide(mean, n, out=mean)
        normal = np.subtract(wide, mean, out=y if y.dtype == mean.dtype else None)
        np.add.reduce(np.multiply(normal, normal), axes, out=var, keepdims=True)
        np.true_divide(var, n, out=var)
        deviation = np.add(var, self.epsilon)
        np.true_divide(normal, np.sqrt(deviation, out=deviation), out=normal)
        np.multiply(normal, gamma, out=normal, casting="same_kind")
        np.add(normal, beta, out=normal, casting="same_kind")
        if normal is not y:
            y[...] = normal

    def vjp(self, x: Tensor, gamma: Tensor, beta: Tensor, *, out: Any, dout: Any) -> Any:
        _, mean, var = out
        dy, dmean, dvar = dout
        n = max(1, x.size // max(1, mean.size))
        dx = dgamma = dbeta = None
        if dy is not None:
            grad = LayerNormGrad(self.begin_norm_axis, self.begin_params_axis, self.epsilon)
            dx, dgamma, dbeta = grad(x, dy, var, mean, gamma)
        if dmean is not None:
            more = Cast()(broadcast_to(dmean / n, x.shape), x.dtype)
            dx = more if dx is None else dx + more
        if dvar is not None:
            more = Cast()((x - mean) * (dvar * (2 / n)), x.dtype)
            dx = more if dx is None else dx + more
        return dx, dgamma, dbeta


_SLICE_BYTES = 256 << 10  # of rows over which all passes go: a cache has five such arrays


def _room(x: Spec, params: Spec, axes: int, count: int) -> tuple[Spec, ...]:
    """Specs of so many slices of x, and of the pairs of a column and a row whose product fills one;
    () where sums are not products.
    """
    if params.ndim != axes or not can_sum_spec_fast(x):
        return ()
    n = params.size
    rows = min(x.size // n, max(1, _SLICE_BYTES // (n * x.dtype.itemsize)))
    return (*[Spec(shape, x.dtype) for shape in [(rows, n)] * count + [(rows, 2), (n, 2)]],)


def _paired(columns: np.ndarray, rows: np.ndarray, row: np.ndarray) -> Calls:
    """Pairs of a column to come, and of ``row``."""
    clear = [partial(np.copyto, a, 0) for a in (columns, rows)]
    return [*clear, bind_column_copy(row.reshape(-1), rows)]


def _centred(x: np.ndarray, mean: np.ndarray, out: np.ndarray) -> Calls:
    """x less the mean of each row."""
    return [partial(np.copyto, out, x), bind_subtract_column(out, mean)]


def _inverse(var: np.ndarray, epsilon: float, out: np.ndarray) -> Calls:
    """1 / sqrt(var + epsilon)."""
    return [
        partial(np.add, var, epsilon, out),
        partial(np.sqrt, out, out),
        partial(np.true_divide, 1, out, out),
    ]


def _slices(count: int, step: int) -> list[slice]:
    return [slice(i, min(i + step, count)) for i in range(0, count, step)]


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
        check_real(self.name, x, dy)
        for name, given in (("variance", var), ("mean", mean), ("gamma", gamma)):
            check_tensor_spec(self.name, given, name)
        if dy.shape != x.shape:
            raise ValueError(f"LayerNormGrad: dy must have the shape of x, got {dy} and {x}.")
        return x, gamma, gamma

    def scratch(self, x: Spec, dy: Spec, var: Spec, mean: Spec, gamma: Spec) -> tuple[Spec, ...]:
        room = _room(x, gamma, len(self.axes_of(x)), 2)
        if not room:
            return ()
        (count, n), dtype = room[0].shape, x.dtype
        return *room, *[Spec(s, dtype) for s in ((2, x.size // n), (2, count), (5, n))]

    def axes_of(self, x: Any) -> tuple[int, ...]:
        return tuple(range(self.begin_norm_axis % x.ndim, x.ndim))

    def calls(
        self,
        x: np.ndarray,
        dy: np.ndarray,
        var: np.ndarray,
        mean: np.ndarray,
        gamma: np.ndarray,
        *,
        out: Any,
        work: Any,
    ) -> Calls:
        # dx = (g - mean(g) - normal * mean(g * normal)) / std
        # with g = dy * gamma and normal = (x - mean) / std
        if not work or not all(can_sum_fast(a) for a in (x, dy, out[0])):
            return [partial(self._by_ufuncs, x, dy, var, mean, gamma, out=out)]
        dx, dgamma, dbeta = out
        centre, whole, columns, rows, (inverses, cubes), of_rows, (weight, *sums) = work
        n, one = len(rows), get_ones(x.size // len(rows), x.dtype)
        x, dy, dx = (a.reshape(-1, n) for a in (x, dy, dx))
        mean, var = mean.reshape(-1), var.reshape(-1)
        more = [sums.pop(), sums.pop()]
        made: Calls = [
            *_paired(columns, rows, gamma),
            partial(np.copyto, weight, rows[:, 0]),
            *[partial(np.copyto, total, 0) for total in sums],
            *_inverse(var, self.epsilon, inverses),
            partial(np.multiply, inverses, inverses, cubes),
            partial(np.multiply, cubes, inverses, cubes),
            partial(np.true_divide, cubes, n, cubes),
        ]
        for some in _slices(len(x), len(whole)):
            now, slope, k = dx[some], dy[some], len(dx[some])
            centred, product, column = centre[:k], whole[:k], columns[:k]  # centred / std is normal
            (skew, average), inverse, cubed = of_rows[:, :k], inverses[some], cubes[some]
            made += [
                *_centred(x[some], mean[some], centred),
                partial(np.multiply, slope, centred, now),
                partial(np.matmul, inverse, now, more[0]),
                partial(np.matmul, one[:k], slope, more[1]),
                *[partial(np.add, a, b, a) for a, b in zip(sums, more, strict=True)],
                partial(np.matmul, now, weight, skew),
                partial(np.multiply, skew, cubed, column[:, 0]),
                partial(np.matmul, column, get_ones_column(n, x.dtype).T, product),
                partial(np.multiply, centred, product, centred),
                partial(np.copyto, column[:, 0], inverse),
                partial(np.matmul, column, rows.T, product),
                partial(np.multiply, slope, product, now),
                partial(np.subtract, now, centred, now),
                partial(np.matmul, slope, weight, average),
                partial(np.multiply, average, inverse, average),
                partial(np.true_divide, average, n, average),
                bind_subtract_column(now, average),
            ]
        for wanted, total in zip((dgamma, dbeta), sums, strict=True):
            made.append(
                partial(np.copyto, wanted, total.reshape(wanted.shape), casting="same_kind")
            )
        return made

    def _by_ufuncs(
        self,
        x: np.ndarray,
        dy: np.ndarray,
        var: np.ndarray,
        mean: np.ndarray,
        gamma: np.ndarray,
        *,
        out: Any,
    ) -> None:
        dx, dgamma, dbeta = out
        axes = self.axes_of(x)
        lead = tuple(range(self.begin_params_axis % x.ndim))
        n, wide = max(1, x.size // max(1, mean.size)), sum_dtype(x.dtype)
        inverse = 1 / np.sqrt(var + self.epsilon)
        normal = (x - mean) * inverse
        np.add.reduce(dy, lead, sum_dtype(dy.dtype), out=dbeta)
        np.add.reduce(dy * normal, lead, sum_dtype(dy.dtype), out=dgamma)
        g = dy.astype(wide, copy=False) * gamma
        average = np.add.reduce(g, axes, wide, keepdims=True) / n
        skew = np.add.reduce(g * normal, axes, wide, keepdims=True) / n
        normal *= skew.astype(normal.dtype, copy=False)
        np.subtract(g, average, out=g, casting="same_kind")
        np.subtract(g, normal, out=g, casting="same_kind")
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
        n = max(1, x.size // max(1, mean.size))
        total = ReduceSum

        def formula(x: Tensor, dy: Tensor, var: Tensor, mean: Tensor, gamma: Tensor) -> Any:
            inverse = Rsqrt()(var + self.epsilon)
            normal = (x - mean) * inverse
            g = dy * gamma
            average, skew = total(True)(g, axes) / n, total(True)(g * normal, axes) / n
            dgamma, dbeta = (total()(v, lead) if lead else v for v in (dy * normal, dy))
            dx = (g - average - normal * skew) * inverse
            made = zip((dx, dgamma, dbeta), (x, gamma, gamma), strict=True)
            return tuple(Cast()(v, like.dtype) for v, like in made)

        return pull_back(formula, (x, dy, var, mean, gamma), dout)


def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-05
) -> Tensor:
    """:class:`LayerNorm` of ``input`` over its last axes, those of ``normalized_shape``.

    >>> print(layer_norm(Tensor([[1.0, 3.0]]), (2,)).asnumpy().round(3))
    [[-1.  1.]]
    """
    check_tensors("layer_norm", input=input)
    shape = to_static(normalized_shape)
    shape = shape if isinstance(shape, tuple) else (shape,)
    if not shape or input.shape[max(input.ndim - len(shape), 0) :] != shape:
        raise ValueError(
            f"layer_norm: normalized_shape must be the last lengths of input {input.shape}, got "
            f"{shape}."
        )
    weight = Ones()(shape, input.dtype) if weight is None else weight
    bias = Zeros()(shape, input.dtype) if bias is None else bias
    first = input.ndim - len(shape)
    return LayerNorm(first, first, eps)(input, weight, bias)[0]


__all__ = ["LayerNorm", "LayerNormGrad", "layer_norm"]
