"""Layer normalisation: each example minus its mean, divided by its standard deviation."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minispore.core.primitive import Calls, Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor
from minispore.execution.kernels.blas import bind_add_row, bind_subtract_column, get_ones
from minispore.execution.layout import LIKE_INPUT
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import broadcast_to, check_dtype_kind, choose_sum_dtype
from minispore.ops.elementwise.powers import Rsqrt
from minispore.ops.shape.cast_fill import Cast, Ones, Zeros
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.support.arguments import (
    FLOAT_KINDS,
    check_real,
    check_tensor_spec,
    check_tensors,
    to_static,
)
from minispore.ops.support.derive import pull_back
from minispore.ops.support.sums import (
    bind_column_copy,
    bind_row_dots,
    can_sum_fast,
    can_sum_spec_fast,
    get_ones_column,
)


class LayerNorm(Primitive):
    """(x - mean) / sqrt(variance + epsilon) * gamma + beta, over the axes from ``begin_norm_axis``
    on.

    Args:
        begin_norm_axis: the first axis that is normalised.
        begin_params_axis: gamma and beta have the axes of x from this one on.
        epsilon: added to the variance.

    Returns:
        ``(y, mean, variance)``; the statistics keep the normalised axes with length 1, and are
        float32 if x is float16 or bfloat16.

    Source: Ba, Kiros & Hinton, https://arxiv.org/abs/1607.06450

    >>> y, mean, var = LayerNorm()(Tensor([[1.0, 3.0]]), Tensor([1.0, 1.0]), Tensor([0.0, 0.0]))
    >>> print(y, mean, var)
    [[-1.  1.]] [[2.]] [[1.]]
    """

    begin_norm_axis: int = 1
    begin_params_axis: int = 1
    epsilon: float = 1e-7
    layout = LIKE_INPUT
    vjp_rule = VjpRule(partial=True)

    def infer(self, x: Spec, gamma: Spec, beta: Spec) -> tuple[Spec, Spec, Spec]:
        """Return the specs of the output, and of mean and variance, whose normalised axes have
        length 1.

        Raises:
            TypeError: x is not a float tensor, or gamma or beta is not a tensor.
            ValueError: gamma or beta has a wrong shape.
            RuntimeError: an axis is out of range.
        """
        check_dtype_kind(self.name, x, FLOAT_KINDS, "input_x")
        norm_axis = self._normalize_axis("begin_norm_axis", x)
        params_axis = self._normalize_axis("begin_params_axis", x)
        for name, v in (("gamma", gamma), ("beta", beta)):
            if check_tensor_spec(self.name, v, name).shape != x.shape[params_axis:]:
                raise ValueError(
                    f"LayerNorm: {name} must have the shape {x.shape[params_axis:]}, the axes of "
                    f"input_x from begin_params_axis on, got {v.shape}."
                )
        stats_shape = x.shape[:norm_axis] + (1,) * (x.ndim - norm_axis)
        stats = Spec(stats_shape, choose_sum_dtype(x.dtype))
        return x, stats, stats

    def _normalize_axis(self, argument: str, x: Spec) -> int:
        """Return the axis in the attribute named ``argument`` as a non-negative axis of x.

        Raises:
            RuntimeError: it is not in [-1, x.ndim).
        """
        axis: int = getattr(self, argument)
        if not -1 <= axis < x.ndim:
            raise RuntimeError(
                f"{self.name}: {argument} must be in [-1, {x.ndim}) for the shape {x.shape}, got "
                f"{axis}. Count from the front."
            )
        return axis % x.ndim

    def get_norm_axes(self, x: Any) -> tuple[int, ...]:
        """Return the axes over which ``x`` is normalised."""
        return tuple(range(self.begin_norm_axis % x.ndim, x.ndim))

    def rowwise(
        self, x: np.ndarray, *affine: np.ndarray, out: Any
    ) -> tuple[int | None, ...] | None:
        """Return axis 0 for x and the outputs, whose rows are independent; None if axis 0 is
        normalised or has parameters.
        """
        has_row_axis = self.begin_norm_axis % x.ndim and self.begin_params_axis % x.ndim
        return (0, None, None, 0, 0, 0) if has_row_axis else None

    def scratch(self, x: Spec, gamma: Spec, beta: Spec) -> tuple[Spec, ...]:
        return _make_slice_scratch(x, gamma, len(self.get_norm_axes(x)), 1)

    def calls(
        self, x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, *, out: Any, work: Any
    ) -> Calls:
        """Return calls for slices of rows that fit into the cache, with sums by BLAS if possible,
        else by ufuncs.
        """
        if not work or not all(can_sum_fast(a) for a in (x, out[0])):
            return [partial(self._normalize_by_ufuncs, x, gamma, beta, out=out)]
        y, mean, var = out
        products, columns, rows = work
        n = len(rows)
        x, y = (a.reshape(-1, n) for a in (x, y))
        mean, var, beta = (a.reshape(-1) for a in (mean, var, beta))
        calls: Calls = _make_pair_factor_calls(columns, rows, gamma)
        for slice_rows in _split_rows(len(x), len(products)):
            normalized, mu, variance = y[slice_rows], mean[slice_rows], var[slice_rows]
            product, scale = products[: len(normalized)], columns[: len(normalized), 0]
            calls += [
                partial(np.matmul, x[slice_rows], get_ones(n, x.dtype), mu),
                partial(np.true_divide, mu, n, mu),
                *_make_centering_calls(x[slice_rows], mu, normalized),
                bind_row_dots(normalized, normalized, variance),
                partial(np.true_divide, variance, n, variance),
                *_make_inverse_std_calls(variance, self.epsilon, scale),
                partial(np.matmul, columns[: len(normalized)], rows.T, product),
                partial(np.multiply, normalized, product, normalized),
                bind_add_row(normalized, beta),
            ]
        return calls

    def _normalize_by_ufuncs(
        self, x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, *, out: Any
    ) -> None:
        """Write y, mean and variance to ``out`` by NumPy ufuncs, for dtypes or layouts that BLAS
        does not support.
        """
        y, mean, var = out
        axes, n = self.get_norm_axes(x), max(1, x.size // max(1, mean.size))
        widened = x.astype(mean.dtype, copy=False)
        np.add.reduce(widened, axes, out=mean, keepdims=True)
        np.true_divide(mean, n, out=mean)
        normal = np.subtract(widened, mean, out=y if y.dtype == mean.dtype else None)
        np.add.reduce(np.multiply(normal, normal), axes, out=var, keepdims=True)
        np.true_divide(var, n, out=var)
        deviation = np.add(var, self.epsilon)
        np.true_divide(normal, np.sqrt(deviation, out=deviation), out=normal)
        np.multiply(normal, gamma, out=normal, casting="same_kind")
        np.add(normal, beta, out=normal, casting="same_kind")
        if normal is not y:
            y[...] = normal

    def vjp(self, x: Tensor, gamma: Tensor, beta: Tensor, *, out: Any, dout: Any) -> Cotangents:
        """Return the gradients, with terms for the cotangents of mean and variance unless these are
        None.
        """
        _, mean, var = out
        dy, dmean, dvar = dout
        n = max(1, x.size // max(1, mean.size))
        dx = dgamma = dbeta = None
        if dy is not None:
            grad = LayerNormGrad(self.begin_norm_axis, self.begin_params_axis, self.epsilon)
            dx, dgamma, dbeta = grad(x, dy, var, mean, gamma)
        if dmean is not None:
            term = Cast()(broadcast_to(dmean / n, x.shape), x.dtype)
            dx = term if dx is None else dx + term
        if dvar is not None:
            term = Cast()((x - mean) * (dvar * (2 / n)), x.dtype)
            dx = term if dx is None else dx + term
        return dx, dgamma, dbeta


_SLICE_BYTES = 256 << 10  # bytes of one slice of rows; five such slices fit into the cache


def _make_slice_scratch(x: Spec, params: Spec, axes: int, count: int) -> tuple[Spec, ...]:
    """Return the specs of ``count`` slices of rows of x, and of two factors of one slice.

    x is normalised over its last ``axes`` axes of n elements, which ``params`` must have; a slice
    is (rows, n), and the factors are (rows, 2) and (n, 2). Empty if sums of x cannot be computed as
    matrix products.
    """
    if params.ndim != axes or not can_sum_spec_fast(x):
        return ()
    n = params.size
    rows = min(x.size // n, max(1, _SLICE_BYTES // (n * x.dtype.itemsize)))
    return (*[Spec(shape, x.dtype) for shape in [(rows, n)] * count + [(rows, 2), (n, 2)]],)


def _make_pair_factor_calls(columns: np.ndarray, rows: np.ndarray, values: np.ndarray) -> Calls:
    """Return calls that set both factors (rows, 2) and (n, 2) to 0 and copy ``values`` to the first
    column of ``rows``.
    """
    zero_fills = [partial(np.copyto, a, 0) for a in (columns, rows)]
    return [*zero_fills, bind_column_copy(values.reshape(-1), rows)]


def _make_centering_calls(x: np.ndarray, mean: np.ndarray, out: np.ndarray) -> Calls:
    """Return calls that write x minus the mean of each row to ``out``."""
    return [partial(np.copyto, out, x), bind_subtract_column(out, mean)]


def _make_inverse_std_calls(var: np.ndarray, epsilon: float, out: np.ndarray) -> Calls:
    """Return calls that write 1 / sqrt(var + epsilon) to ``out``."""
    return [
        partial(np.add, var, epsilon, out),
        partial(np.sqrt, out, out),
        partial(np.true_divide, 1, out, out),
    ]


def _split_rows(count: int, step: int) -> list[slice]:
    """Return slices of at most ``step`` rows that cover ``count`` rows."""
    return [slice(i, min(i + step, count)) for i in range(0, count, step)]


class LayerNormGrad(Primitive):
    """``(dx, dgamma, dbeta)`` from x, dy, the variance, the mean and gamma of a :class:`LayerNorm`.

    The attributes are those of LayerNorm.
    """

    begin_norm_axis: int = 1
    begin_params_axis: int = 1
    epsilon: float = 1e-7
    vjp_rule = VjpRule(takes_tuples=True)
    layout = LIKE_INPUT

    def infer(
        self, x: Spec, dy: Spec, var: Spec, mean: Spec, gamma: Spec
    ) -> tuple[Spec, Spec, Spec]:
        """Return the specs of dx, dgamma and dbeta; raise unless all are tensors and dy has the
        shape of x.
        """
        check_real(self.name, x, dy)
        for name, operand in (("variance", var), ("mean", mean), ("gamma", gamma)):
            check_tensor_spec(self.name, operand, name)
        if dy.shape != x.shape:
            raise ValueError(f"LayerNormGrad: dy must have the shape of x, got {dy} and {x}.")
        return x, gamma, gamma

    def scratch(self, x: Spec, dy: Spec, var: Spec, mean: Spec, gamma: Spec) -> tuple[Spec, ...]:
        """Return the specs of buffers for a slice of rows; none if sums cannot be computed as
        matrix products.
        """
        specs = _make_slice_scratch(x, gamma, len(self.get_norm_axes(x)), 2)
        if not specs:
            return ()
        (count, n), dtype = specs[0].shape, x.dtype
        return *specs, *[Spec(s, dtype) for s in ((2, x.size // n), (2, count), (5, n))]

    def get_norm_axes(self, x: Any) -> tuple[int, ...]:
        """Return the axes over which ``x`` is normalised."""
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
        """Return calls for slices of rows that fit into the cache, with sums by BLAS if possible,
        else by ufuncs.
        """
        # dx = (g - mean(g) - normal * mean(g * normal)) / std
        # with g = dy * gamma and normal = (x - mean) / std
        if not work or not all(can_sum_fast(a) for a in (x, dy, out[0])):
            return [partial(self._differentiate_by_ufuncs, x, dy, var, mean, gamma, out=out)]
        dx, dgamma, dbeta = out
        centre_buffer, products, columns, rows, (inverses, cubes), row_means, (weight, *sums) = work
        n, ones = len(rows), get_ones(x.size // len(rows), x.dtype)
        x, dy, dx = (a.reshape(-1, n) for a in (x, dy, dx))
        mean, var = mean.reshape(-1), var.reshape(-1)
        partial_sums = [sums.pop(), sums.pop()]
        calls: Calls = [
            *_make_pair_factor_calls(columns, rows, gamma),
            partial(np.copyto, weight, rows[:, 0]),
            *[partial(np.copyto, total, 0) for total in sums],
            *_make_inverse_std_calls(var, self.epsilon, inverses),
            # cubes = 1 / (n std^3)
            partial(np.multiply, inverses, inverses, cubes),
            partial(np.multiply, cubes, inverses, cubes),
            partial(np.true_divide, cubes, n, cubes),
        ]
        for slice_rows in _split_rows(len(x), len(products)):
            dx_slice, dy_slice, k = dx[slice_rows], dy[slice_rows], len(dx[slice_rows])
            # normal = centred / std
            centred, product, column = centre_buffer[:k], products[:k], columns[:k]
            (skew, average), inverse = row_means[:, :k], inverses[slice_rows]
            calls += [
                *_make_centering_calls(x[slice_rows], mean[slice_rows], centred),
                partial(np.multiply, dy_slice, centred, dx_slice),
                partial(np.matmul, inverse, dx_slice, partial_sums[0]),
                partial(np.matmul, ones[:k], dy_slice, partial_sums[1]),
                *[partial(np.add, a, b, a) for a, b in zip(sums, partial_sums, strict=True)],
                partial(np.matmul, dx_slice, weight, skew),
                partial(np.multiply, skew, cubes[slice_rows], column[:, 0]),
                partial(np.matmul, column, get_ones_column(n, x.dtype).T, product),
                partial(np.multiply, centred, product, centred),
                partial(np.copyto, column[:, 0], inverse),
                partial(np.matmul, column, rows.T, product),
                partial(np.multiply, dy_slice, product, dx_slice),
                partial(np.subtract, dx_slice, centred, dx_slice),
                partial(np.matmul, dy_slice, weight, average),
                partial(np.multiply, average, inverse, average),
                partial(np.true_divide, average, n, average),
                bind_subtract_column(dx_slice, average),
            ]
        for grad, total in zip((dgamma, dbeta), sums, strict=True):
            calls.append(partial(np.copyto, grad, total.reshape(grad.shape), casting="same_kind"))
        return calls

    def _differentiate_by_ufuncs(
        self,
        x: np.ndarray,
        dy: np.ndarray,
        var: np.ndarray,
        mean: np.ndarray,
        gamma: np.ndarray,
        *,
        out: Any,
    ) -> None:
        """Write dx, dgamma and dbeta to ``out`` by NumPy ufuncs, for arrays that BLAS does not
        support.
        """
        dx, dgamma, dbeta = out
        axes = self.get_norm_axes(x)
        leading_axes = tuple(range(self.begin_params_axis % x.ndim))
        n, sum_type = max(1, x.size // max(1, mean.size)), choose_sum_dtype(x.dtype)
        inverse = 1 / np.sqrt(var + self.epsilon)
        normal = (x - mean) * inverse
        np.add.reduce(dy, leading_axes, choose_sum_dtype(dy.dtype), out=dbeta)
        np.add.reduce(dy * normal, leading_axes, choose_sum_dtype(dy.dtype), out=dgamma)
        g = dy.astype(sum_type, copy=False) * gamma
        average = np.add.reduce(g, axes, sum_type, keepdims=True) / n
        skew = np.add.reduce(g * normal, axes, sum_type, keepdims=True) / n
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
    ) -> Cotangents:
        """Return the gradients of all inputs by differentiating an equivalent formula of ops."""
        axes = self.get_norm_axes(x)
        leading_axes = tuple(range(self.begin_params_axis % x.ndim))
        n = max(1, x.size // max(1, mean.size))

        def formula(x: Tensor, dy: Tensor, var: Tensor, mean: Tensor, gamma: Tensor) -> Any:
            """Compute the outputs of LayerNormGrad by differentiable ops; its vjp differentiates
            this.
            """
            inverse = Rsqrt()(var + self.epsilon)
            normal = (x - mean) * inverse
            g = dy * gamma
            average = ReduceSum(keep_dims=True)(g, axes) / n
            skew = ReduceSum(keep_dims=True)(g * normal, axes) / n
            dgamma, dbeta = dy * normal, dy
            if leading_axes:
                dgamma, dbeta = (ReduceSum()(v, leading_axes) for v in (dgamma, dbeta))
            dx = (g - average - normal * skew) * inverse
            return Cast()(dx, x.dtype), *[Cast()(v, gamma.dtype) for v in (dgamma, dbeta)]

        return pull_back(formula, (x, dy, var, mean, gamma), dout)


def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-05
) -> Tensor:
    """Normalise ``input`` over its last axes, which have ``normalized_shape``, then scale and shift
    it.

    ``weight`` and ``bias`` have this shape too; None means ones and zeros. See :class:`LayerNorm`.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: a shape does not fit.

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
    first_axis = input.ndim - len(shape)
    return LayerNorm(first_axis, first_axis, eps)(input, weight, bias)[0]


__all__ = ["LayerNorm", "LayerNormGrad", "layer_norm"]
