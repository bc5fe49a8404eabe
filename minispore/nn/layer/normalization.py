"""Layer, group and instance normalization; batch normalization is in ``batch_norm``."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.initializer import initializer
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn import check
from minispore.nn.cell import Cell
from minispore.nn.layer.batch_norm import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    SyncBatchNorm,
    scale_channels,
)
from minispore.nn.layer.batch_norm import (
    _BatchNorm as _BatchNorm,
)
from minispore.ops.support.arguments import check_tensors


class LayerNorm(Cell):
    """gamma * (x - mean) / sqrt(variance + epsilon) + beta, with the mean and variance of each
    sample.

    Args:
        normalized_shape: the shape of gamma and beta: a tuple or list.
        begin_norm_axis: the first of the axes that are normalised jointly.
        begin_params_axis: the first axis that gamma and beta vary along.
        gamma_init: initializer of gamma.
        beta_init: initializer of beta.
        epsilon: added to the variance.
        dtype: the dtype of the parameters.

    Raises:
        TypeError: ``normalized_shape`` is not a tuple or list.
        ValueError: it is empty.

    Source: Ba, Kiros & Hinton 2016.

    >>> print(LayerNorm((2,))(Tensor([[1.0, 3.0]])))
    [[-1.  1.]]
    """

    _full_precision_ = True

    def __init__(
        self,
        normalized_shape: Any,
        begin_norm_axis: int = -1,
        begin_params_axis: int = -1,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        epsilon: float = 1e-7,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        if not isinstance(normalized_shape, tuple | list):
            raise TypeError(
                "LayerNorm: normalized_shape must be a tuple or list of ints, got "
                f"{checks.format_value(normalized_shape)}."
            )
        if not normalized_shape:
            raise ValueError(
                "LayerNorm: normalized_shape must have at least one element, got none."
            )
        self.normalized_shape = normalized_shape
        self.begin_norm_axis, self.begin_params_axis = begin_norm_axis, begin_params_axis
        self.epsilon = epsilon
        self.gamma = Parameter(initializer(gamma_init, normalized_shape, dtype), "gamma")
        self.beta = Parameter(initializer(beta_init, normalized_shape, dtype), "beta")
        self.layer_norm = ops.LayerNorm(begin_norm_axis, begin_params_axis, epsilon)

    def construct(self, input_x: Tensor) -> Tensor:
        check_tensors("LayerNorm", input_x=input_x)
        gamma, beta = ops.cast(self.gamma, input_x.dtype), ops.cast(self.beta, input_x.dtype)
        return self.layer_norm(input_x, gamma, beta)[0]

    def extend_repr(self) -> str:
        return (
            f"normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, "
            f"begin_params_axis={self.begin_params_axis}, gamma{self.gamma}, beta={self.beta}"
        )


def _normalize(x: Tensor, axes: tuple[int, ...], eps: float) -> Tensor:
    """Return (x - mean) / sqrt(variance + eps) over ``axes``; half precision is computed in
    float32.
    """
    x32 = ops.cast(x, mstype.float32) if x.itemsize == 2 else x
    centered = x32 - ops.ReduceMean(keep_dims=True)(x32, axes)
    variance = ops.ReduceMean(keep_dims=True)(ops.square(centered), axes)
    return ops.cast(centered * ops.rsqrt(variance + eps), x.dtype)


class GroupNorm(Cell):
    """gamma * (x - mean) / sqrt(variance + eps) + beta, with statistics of each channel group.

    Args:
        num_groups: the number of groups that the channels are divided into.
        num_channels: C.
        eps: added to the variance.
        affine: whether gamma and beta are learned.
        gamma_init: initializer of gamma.
        beta_init: initializer of beta.
        dtype: the dtype of the parameters.

    Raises:
        ValueError: ``num_groups`` does not divide ``num_channels``; when called: the number of
            channels differs from ``num_channels``.

    Shape: x (N, C, ...) -> the same.

    Source: Wu & He 2018.
    """

    _full_precision_ = True

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        self.num_groups = checks.integer("GroupNorm", "num_groups", num_groups, 1)
        self.num_channels = checks.integer("GroupNorm", "num_channels", num_channels, 1)
        if num_channels % num_groups:
            raise ValueError(
                f"GroupNorm: num_groups must divide num_channels, got {num_groups} and "
                f"{num_channels}."
            )
        self.eps = checks.floating("GroupNorm", "eps", eps)
        self.affine = checks.boolean("GroupNorm", "affine", affine)
        self.gamma = Parameter(
            initializer(gamma_init, (num_channels,), dtype), "gamma", requires_grad=affine
        )
        self.beta = Parameter(
            initializer(beta_init, (num_channels,), dtype), "beta", requires_grad=affine
        )

    def construct(self, x: Tensor) -> Tensor:
        """Normalize each group; raise ValueError unless x has ``num_channels`` channels."""
        if check.check_tensor("GroupNorm", "x", x).ndim < 2 or x.shape[1] != self.num_channels:
            raise ValueError(
                f"GroupNorm: axis 1 of x must be num_channels={self.num_channels}, got shape "
                f"{x.shape}."
            )
        grouped = ops.reshape(x, (x.shape[0], self.num_groups, -1))
        return scale_channels(
            ops.reshape(_normalize(grouped, (2,), self.eps), x.shape), self.gamma, self.beta
        )

    def extend_repr(self) -> str:
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"


class _InstanceNorm(Cell):
    """Base of instance normalization: statistics of each channel of each sample."""

    _full_precision_ = True
    axes = 4

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.num_features = checks.integer(name, "num_features", num_features, 1)
        self.eps = checks.floating(name, "eps", eps, 0.0, 1.0, "(]")
        self.momentum = checks.floating(name, "momentum", momentum, 0.0, 1.0)
        checks.boolean(name, "affine", affine)
        shape = (num_features,)
        self.moving_mean = Parameter(
            initializer("zeros", shape, dtype), "mean", requires_grad=False
        )
        self.moving_variance = Parameter(
            initializer("ones", shape, dtype), "variance", requires_grad=False
        )
        self.gamma = Parameter(initializer(gamma_init, shape, dtype), "gamma", requires_grad=affine)
        self.beta = Parameter(initializer(beta_init, shape, dtype), "beta", requires_grad=affine)

    def construct(self, x: Tensor) -> Tensor:
        """Normalize each channel; raise ValueError unless x has ``num_features`` channels."""
        name = type(self).__name__
        if check.check_ndim(name, "x", x, self.axes).shape[1] != self.num_features:
            raise ValueError(
                f"{name}: axis 1 of x must be num_features={self.num_features}, got shape "
                f"{x.shape}."
            )
        return scale_channels(
            _normalize(x, tuple(range(2, x.ndim)), self.eps), self.gamma, self.beta
        )

    def extend_repr(self) -> str:
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"gamma={self.gamma}, beta={self.beta}, moving_mean={self.moving_mean}, "
            f"moving_variance={self.moving_variance}"
        )


class InstanceNorm1d(_InstanceNorm):
    """Instance normalisation of sequences. The arguments are those of :class:`InstanceNorm2d`.

    Shape: x (N, C, L) -> the same.
    """

    axes = 3


class InstanceNorm2d(_InstanceNorm):
    """gamma * (x - mean) / sqrt(variance + eps) + beta, for each channel of each sample.

    Args:
        num_features: C.
        eps: added to the variance.
        momentum: no effect, since moving statistics are never used.
        affine: whether gamma and beta are learned.
        gamma_init: initializer of gamma.
        beta_init: initializer of beta.
        dtype: the dtype of the parameters.

    Shape: x (N, C, H, W) -> the same.

    Source: Ulyanov, Vedaldi & Lempitsky 2016.
    """

    axes = 4


class InstanceNorm3d(_InstanceNorm):
    """Instance normalisation of volumes. The arguments are those of :class:`InstanceNorm2d`.

    Shape: x (N, C, D, H, W) -> the same.
    """

    axes = 5


__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "GroupNorm",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LayerNorm",
    "SyncBatchNorm",
]
