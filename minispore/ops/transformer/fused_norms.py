"""Addition followed by normalisation as one op, which MindSpore has only on Ascend."""

from __future__ import annotations

from typing import Any

from minispore.core.autograd import stop_gradient
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ops.elementwise.powers import Rsqrt
from minispore.ops.network.feature_norm import RmsNorm
from minispore.ops.network.layer_norm import LayerNorm
from minispore.ops.shape.cast_fill import Cast, ZerosLike
from minispore.ops.statistics.reduce import ReduceMean, ReduceSum
from minispore.ops.support.arguments import check_dtype
from minispore.ops.support.derive import _Composite
from minispore.ops.transformer.inputs import FLOATS, check_shape, to_float32


def _check_summands(op: str, x1: Tensor, x2: Tensor, **parameters: Tensor) -> None:
    """Check that x1 and x2 have the same float dtype and shape, and the parameters a float dtype.

    Raises:
        TypeError: a dtype is wrong.
        ValueError: the shapes differ.
    """
    check_dtype(op, x1, "x1", *FLOATS)
    check_dtype(op, x2, "x2", x1.dtype.name)
    for name, param in parameters.items():
        check_dtype(op, param, name, *FLOATS)
    check_shape(op, "x2", x2, x1.shape)


def _find_leading_axes(x: Tensor, reference: Tensor) -> tuple[int, ...]:
    """Return the indices of the leading axes of ``reference`` that ``x`` does not have."""
    return tuple(range(reference.ndim - x.ndim))


def _sum_to_param(x: Tensor, param: Tensor) -> Tensor:
    """Return x summed over the leading axes that ``param`` does not have."""
    leading_axes = _find_leading_axes(param, x)
    return ReduceSum()(x, leading_axes) if leading_axes else x


class AddRmsNorm(_Composite):
    """The op of :func:`add_rms_norm`.

    >>> x, gamma = Tensor([[1.0, 1.0]]), Tensor([1.0, 2.0])
    >>> y, scale, total = AddRmsNorm()(x, x, gamma)
    >>> print(y.asnumpy().round(3), scale.asnumpy().round(3), total)
    [[1. 2.]] [[0.5]] [[2. 2.]]
    """

    is_one_kernel = True

    def __call__(
        self, x1: Tensor, x2: Tensor, gamma: Tensor, epsilon: Any = 1e-6
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the normalised sum in the dtype of x1, 1 / root mean square, and the sum; the last
        two have no gradient.
        """
        checks.instance(self.name, "epsilon", epsilon, float)
        checks.number(self.name, "epsilon", epsilon, 0, 1, "(]")
        _check_summands(self.name, x1, x2, gamma=gamma)
        check_shape(self.name, "gamma", gamma, x1.shape[max(x1.ndim - gamma.ndim, 0) :])
        total = x1 + x2
        y, scale = RmsNorm(epsilon)(total, gamma)
        return Cast()(y, x1.dtype), stop_gradient(scale), stop_gradient(total)


class RmsNormGrad(_Composite):
    """The gradients of an RMS norm by x, and by gamma in float32; ``rstd`` is 1 / RMS of x.

    >>> x, gamma = Tensor([[1.0, 1.0]]), Tensor([1.0, 2.0])
    >>> dx, dgamma = RmsNormGrad()(x, x, Tensor([[1.0]]), gamma)
    >>> print(dx, dgamma)
    [[-0.5  0.5]] [1. 1.]
    """

    is_one_kernel = True

    def __call__(self, dy: Tensor, x: Tensor, rstd: Tensor, gamma: Tensor) -> tuple[Tensor, Tensor]:
        """Return the gradients of x, in its dtype, and of gamma, in float32; both are computed in
        float32.

        Raises a TypeError or ShapeError if dtypes or shapes do not fit.
        """
        _check_summands(self.name, x, x, gamma=gamma)
        check_shape(self.name, "dy", dy, x.shape)
        axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
        normal, widened_dy = to_float32(x) * rstd, to_float32(dy)
        g = widened_dy * to_float32(gamma)
        skew = ReduceMean(keep_dims=True)(g * normal, axes)
        return Cast()((g - normal * skew) * rstd, x.dtype), _sum_to_param(
            widened_dy * normal, gamma
        )


class AddLayerNormV2(_Composite):
    """The op of :func:`add_layer_norm`.

    >>> x, one = Tensor([[1.0, 3.0]]), Tensor([1.0, 1.0])
    >>> y, mean, inverse, total = AddLayerNormV2()(x, x, one, one, additionalOut=True)
    >>> print(y.asnumpy().round(3), mean, inverse.asnumpy().round(3), total)
    [[0. 2.]] [[4.]] [[0.5]] [[2. 6.]]
    """

    is_one_kernel = True

    def __call__(
        self,
        x1: Tensor,
        x2: Tensor,
        gamma: Tensor,
        beta: Tensor,
        epsilon: Any = 1e-5,
        additionalOut: Any = False,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return the normalised sum, mean, 1 / standard deviation and the sum, which is zeros
        unless ``additionalOut``.

        Mean and inverse deviation are float32 and have no gradient, the others have the dtype of
        x1.
        """
        checks.instance(self.name, "epsilon", epsilon, float)
        checks.boolean(self.name, "additionalOut", additionalOut)
        _check_summands(self.name, x1, x2, gamma=gamma, beta=beta)
        for name, param in (("gamma", gamma), ("beta", beta)):
            check_shape(self.name, name, param, x1.shape[-1:])
        total = to_float32(x1) + to_float32(x2)
        y, mean, variance = LayerNorm(-1, -1, epsilon)(total, to_float32(gamma), to_float32(beta))
        inverse = Rsqrt()(variance + epsilon)
        extra_output = Cast()(total, x1.dtype) if additionalOut else ZerosLike()(x1)
        return Cast()(y, x1.dtype), stop_gradient(mean), stop_gradient(inverse), extra_output


class AddLayerNormGrad(_Composite):
    """The gradients of the layer norm of x1 + x2 by each summand, and by gamma and beta in float32.

    ``dsumOptional`` is added to the gradient of the summands.

    >>> x, one = Tensor([[1.0, 3.0]]), Tensor([1.0, 1.0])
    >>> made = AddLayerNormGrad()(x, x, x, Tensor([[0.5]]), Tensor([[4.0]]), one, x)
    >>> print(*made)
    [[1. 3.]] [-1.  3.] [1. 3.]
    """

    is_one_kernel = True

    def __call__(
        self,
        dy: Tensor,
        x1: Tensor,
        x2: Tensor,
        rstd: Tensor,
        mean: Tensor,
        gamma: Tensor,
        dsumOptional: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the gradients of each summand, in the dtype of ``dy``, and of gamma and beta, in
        float32.

        Raises a TypeError or ShapeError if dtypes or shapes do not fit.
        """
        _check_summands(self.name, x1, x2, gamma=gamma)
        check_shape(self.name, "dy", dy, x1.shape)
        normal, widened_dy = (to_float32(x1) + to_float32(x2) - mean) * rstd, to_float32(dy)
        g = widened_dy * to_float32(gamma)
        mean_op = ReduceMean(keep_dims=True)
        dx = (g - mean_op(g, -1) - normal * mean_op(g * normal, -1)) * rstd + to_float32(
            dsumOptional
        )
        return (
            Cast()(dx, dy.dtype),
            _sum_to_param(widened_dy * normal, gamma),
            _sum_to_param(widened_dy, gamma),
        )


# -- functions -------------------------------------------------------------------------------------


def add_rms_norm(
    x1: Tensor, x2: Tensor, gamma: Tensor, epsilon: float = 1e-6
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the RMS norm of x1 + x2: (x1 + x2) / sqrt(mean((x1 + x2)^2) + epsilon) * gamma.

    As in MindSpore, gradients flow through the first output only. If the sum is used as well, as in
    a residual block, compute x1 + x2 again.

    Args:
        x1: (*, R), of float16, bfloat16 or float32.
        x2: like ``x1``.
        gamma: (R), the last axes of ``x1``, which are normalised.
        epsilon: in (0, 1].

    Returns:
        ``(y, 1 / sqrt(mean((x1 + x2)^2) + epsilon), x1 + x2)``; the second is float32, with length
        1 along R.

    Raises:
        TypeError: an input is not a tensor, or has the wrong dtype; ``epsilon`` is not a float.
        ValueError: the shapes do not fit; ``epsilon`` is out of range.

    Source: Zhang & Sennrich, https://arxiv.org/abs/1910.07467; the behaviour of
    mindspore.ops.add_rms_norm.

    >>> x, gamma = Tensor([[1.0, 1.0]]), Tensor([1.0, 2.0])
    >>> print(add_rms_norm(x, x, gamma)[0].asnumpy().round(3))
    [[1. 2.]]
    """
    return AddRmsNorm()(x1, x2, gamma, epsilon)


def add_layer_norm(
    x1: Tensor,
    x2: Tensor,
    gamma: Tensor,
    beta: Tensor,
    epsilon: float = 1e-5,
    additional_output: bool = False,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the layer norm of x1 + x2 over the last axis, in float32.

    As in MindSpore, gradients flow through the norm and, with ``additional_output``, through the
    sum.

    Args:
        x1: (*, N), of float16, bfloat16 or float32.
        x2: like ``x1``.
        gamma: (N,).
        beta: (N,).
        epsilon: added to the variance.
        additional_output: whether to return the sum; otherwise zeros are returned in its place.

    Returns:
        ``(y, mean, 1 / sqrt(variance + epsilon), x1 + x2)``; the second and third are float32, with
        length 1 along N.

    Raises:
        TypeError: an input is not a tensor, or has the wrong dtype; ``epsilon`` is not a float, or
            ``additional_output`` is not a bool.
        ValueError: the shapes do not fit.

    Source: Ba, Kiros & Hinton, https://arxiv.org/abs/1607.06450; the behaviour of
    mindspore.ops.add_layer_norm.

    >>> x, one = Tensor([[1.0, 3.0]]), Tensor([1.0, 1.0])
    >>> print(add_layer_norm(x, x, one, one)[0].asnumpy().round(3))
    [[0. 2.]]
    """
    return AddLayerNormV2()(x1, x2, gamma, beta, epsilon, additional_output)


def add_layernorm_v2(
    x1: Tensor,
    x2: Tensor,
    gamma: Tensor,
    beta: Tensor,
    epsilon: float = 1e-5,
    additionalOut: bool = False,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the layer norm of x1 + x2, the mean, 1 / standard deviation and the sum.

    The sum is zeros unless ``additionalOut``. See :func:`add_layer_norm`.
    """
    return AddLayerNormV2()(x1, x2, gamma, beta, epsilon, additionalOut)


def add_layer_norm_grad(
    dy: Tensor,
    x1: Tensor,
    x2: Tensor,
    rstd: Tensor,
    mean: Tensor,
    gamma: Tensor,
    dsumOptional: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of the layer norm of x1 + x2 by each summand, gamma and beta.

    The summands have one gradient, in the dtype of ``dy``, to which ``dsumOptional`` is added; the
    other two are float32. ``rstd`` is 1 / standard deviation.
    """
    return AddLayerNormGrad()(dy, x1, x2, rstd, mean, gamma, dsumOptional)


__all__ = [
    "AddLayerNormGrad",
    "AddLayerNormV2",
    "AddRmsNorm",
    "RmsNormGrad",
    "add_layer_norm",
    "add_layer_norm_grad",
    "add_layernorm_v2",
    "add_rms_norm",
]

attach_docstrings("minispore.ops", __name__)
