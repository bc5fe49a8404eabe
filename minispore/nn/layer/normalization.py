"""Normalisations: of the batch, of a layer, of groups and instances."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core import dtype as mstype
from minispore.core.initializer import initializer
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.nn import check
from minispore.nn.cell import Cell


class _BatchNorm(Cell):
    """gamma * (x - mean) / sqrt(variance + eps) + beta, per channel."""

    _full_precision = True
    axes: tuple[int, ...] = (2, 3, 4, 5)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        data_format: str = "NCHW",
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.num_features = check.positive_int(name, "num_features", num_features)
        self.eps = check.a_number(name, "eps", eps)
        momentum = check.a_number(name, "momentum", momentum, 0.0, 1.0)
        check.a_bool(name, "affine", affine)
        if use_batch_statistics is not None and not isinstance(use_batch_statistics, bool):
            raise ValueError(
                f"{name}: use_batch_statistics must be a bool or None, got "
                f"{check.shown(use_batch_statistics)}."
            )
        self.use_batch_statistics = use_batch_statistics
        if data_format != "NCHW":
            raise ValueError(
                f"{name}: data_format must be 'NCHW', got {data_format!r}. Transpose the input "
                "with ops.transpose."
            )
        shape = (num_features,)
        self.moving_mean = Parameter(
            initializer(moving_mean_init, shape, dtype), "mean", requires_grad=False
        )
        self.moving_variance = Parameter(
            initializer(moving_var_init, shape, dtype), "variance", requires_grad=False
        )
        self.gamma = Parameter(initializer(gamma_init, shape, dtype), "gamma", requires_grad=affine)
        self.beta = Parameter(initializer(beta_init, shape, dtype), "beta", requires_grad=affine)
        # MindSpore's layer says how much of the old statistics stays, its op how much of the new
        # comes in.
        self.momentum = 1.0 - momentum
        self.bn_train = ops.BatchNorm(is_training=True, epsilon=self.eps, momentum=self.momentum)
        self.bn_infer = ops.BatchNorm(is_training=False, epsilon=self.eps)

    def construct(self, x: Tensor) -> Tensor:
        check.ndim(type(self).__name__, "x", x, *self.axes)
        of_batch = self.training if self.use_batch_statistics is None else self.use_batch_statistics
        norm = self.bn_train if of_batch else self.bn_infer
        return norm(x, self.gamma, self.beta, self.moving_mean, self.moving_variance)[0]

    def extend_repr(self) -> str:
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={1.0 - self.momentum}, "
            f"gamma={self.gamma}, "
            f"beta={self.beta}, moving_mean={self.moving_mean}, "
            f"moving_variance={self.moving_variance}"
        )


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of vectors. Arguments as those of :class:`BatchNorm2d`.

    Shape: x (N, C) or (N, C, L).
    """

    axes = (2, 3)


class BatchNorm2d(_BatchNorm):
    """gamma * (x - mean) / sqrt(variance + eps) + beta, per channel.

    In training (see ``set_train``), mean and variance are the batch's, and the moving ones follow
    them:
    moving = momentum * moving + (1 - momentum) * batch. Otherwise they are the moving ones.

    Args:
        num_features: C.
        eps: added to the variance.
        momentum: how much of the moving statistics stays at each step.
        affine: whether gamma and beta are learned.
        gamma_init: initializer of gamma, as are the next three of beta and the moving statistics.
        use_batch_statistics: True or False to use the batch's statistics always or never.
        data_format: ``"NCHW"``.
        dtype: of the parameters.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: an argument out of range; when called: a wrong number of channels or axes.

    Shape: x (N, C, H, W) -> the same.

    Source: Ioffe & Szegedy 2015.
    """

    axes = (4,)


class BatchNorm3d(Cell):
    """Batch normalisation of volumes. Arguments as those of :class:`BatchNorm2d`.

    Shape: x (N, C, D, H, W) -> the same.
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        # One below the Cell, as in MindSpore: it is part of the parameters' names (bn2d.gamma).
        self.bn2d = BatchNorm2d(
            num_features,
            eps,
            momentum,
            affine,
            gamma_init,
            beta_init,
            moving_mean_init,
            moving_var_init,
            use_batch_statistics,
            dtype=dtype,
        )

    def construct(self, x: Tensor) -> Tensor:
        n, c, d, h, w = check.ndim("BatchNorm3d", "x", x, 5).shape
        return ops.reshape(self.bn2d(ops.reshape(x, (n, c, d * h, w))), x.shape)


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation with statistics over the batches of all ranks; with one rank, over its
    own batch.

    Args:
        process_groups: lists of ranks that share statistics; None for all.

    The other arguments are those of :class:`BatchNorm2d`.
    """

    axes = (2, 4)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        process_groups: Any = None,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__(
            num_features,
            eps,
            momentum,
            affine,
            gamma_init,
            beta_init,
            moving_mean_init,
            moving_var_init,
            use_batch_statistics,
            dtype=dtype,
        )
        self.process_groups = process_groups


class LayerNorm(Cell):
    """gamma * (x - mean) / sqrt(variance + epsilon) + beta, with mean and variance of each sample.

    Args:
        normalized_shape: the shape of gamma and beta: a tuple or list.
        begin_norm_axis: the first axis of those that are normalised together.
        begin_params_axis: the first axis that gamma and beta vary along.
        gamma_init: initializer of gamma.
        beta_init: initializer of beta.
        epsilon: added to the variance.
        dtype: of the parameters.

    Raises:
        TypeError: ``normalized_shape`` is no tuple or list.
        ValueError: it is empty.

    Source: Ba, Kiros & Hinton 2016.

    >>> print(LayerNorm((2,))(Tensor([[1.0, 3.0]])))
    [[-1.  1.]]
    """

    _full_precision = True

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
                f"{check.shown(normalized_shape)}."
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

    def construct(self, x: Tensor) -> Tensor:
        gamma, beta = ops.cast(self.gamma, x.dtype), ops.cast(self.beta, x.dtype)
        return self.layer_norm(x, gamma, beta)[0]

    def extend_repr(self) -> str:
        return (
            f"normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, "
            f"begin_params_axis={self.begin_params_axis}, gamma{self.gamma}, beta={self.beta}"
        )


def _normalised(x: Tensor, axes: tuple[int, ...], eps: float) -> Tensor:
    """(x - mean) / sqrt(variance + eps) over ``axes``."""
    mean = ops.ReduceMean(keep_dims=True)(x, axes)
    centred = x - mean
    variance = ops.ReduceMean(keep_dims=True)(ops.square(centred), axes)
    return centred * ops.rsqrt(variance + eps)


def _scaled(x: Tensor, gamma: Tensor, beta: Tensor) -> Tensor:
    """gamma * x + beta along axis 1."""
    shape = (1, -1) + (1,) * (x.ndim - 2)
    return x * ops.reshape(ops.cast(gamma, x.dtype), shape) + ops.reshape(
        ops.cast(beta, x.dtype), shape
    )


class GroupNorm(Cell):
    """gamma * (x - mean) / sqrt(variance + eps) + beta, with mean and variance of each group of
    channels.

    Args:
        num_groups: into how many groups the channels are divided.
        num_channels: C.
        eps: added to the variance.
        affine: whether gamma and beta are learned.
        gamma_init: initializer of gamma.
        beta_init: initializer of beta.
        dtype: of the parameters.

    Raises:
        ValueError: ``num_groups`` does not divide ``num_channels``; when called: another number
            of channels.

    Shape: x (N, C, ...) -> the same.

    Source: Wu & He 2018.
    """

    _full_precision = True

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
        self.num_groups = check.positive_int("GroupNorm", "num_groups", num_groups)
        self.num_channels = check.positive_int("GroupNorm", "num_channels", num_channels)
        if num_channels % num_groups:
            raise ValueError(
                f"GroupNorm: num_groups must divide num_channels, got {num_groups} and "
                f"{num_channels}."
            )
        self.eps = check.a_number("GroupNorm", "eps", eps)
        self.affine = check.a_bool("GroupNorm", "affine", affine)
        self.gamma = Parameter(
            initializer(gamma_init, (num_channels,), dtype), "gamma", requires_grad=affine
        )
        self.beta = Parameter(
            initializer(beta_init, (num_channels,), dtype), "beta", requires_grad=affine
        )

    def construct(self, x: Tensor) -> Tensor:
        if check.a_tensor("GroupNorm", "x", x).ndim < 2 or x.shape[1] != self.num_channels:
            raise ValueError(
                f"GroupNorm: axis 1 of x must be num_channels={self.num_channels}, got shape "
                f"{x.shape}."
            )
        grouped = ops.reshape(x, (x.shape[0], self.num_groups, -1))
        return _scaled(
            ops.reshape(_normalised(grouped, (2,), self.eps), x.shape), self.gamma, self.beta
        )

    def extend_repr(self) -> str:
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"


class _InstanceNorm(Cell):
    _full_precision = True
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
        self.num_features = check.positive_int(name, "num_features", num_features)
        self.eps = check.a_number(name, "eps", eps)
        self.momentum = check.a_number(name, "momentum", momentum, 0.0, 1.0)
        check.a_bool(name, "affine", affine)
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
        name = type(self).__name__
        if check.ndim(name, "x", x, self.axes).shape[1] != self.num_features:
            raise ValueError(
                f"{name}: axis 1 of x must be num_features={self.num_features}, got shape "
                f"{x.shape}."
            )
        return _scaled(_normalised(x, tuple(range(2, x.ndim)), self.eps), self.gamma, self.beta)

    def extend_repr(self) -> str:
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"gamma={self.gamma}, "
            f"beta={self.beta}, moving_mean={self.moving_mean}, "
            f"moving_variance={self.moving_variance}"
        )


class InstanceNorm1d(_InstanceNorm):
    """Instance normalisation of sequences. Arguments as those of :class:`InstanceNorm2d`.

    Shape: x (N, C, L) -> the same.
    """

    axes = 3


class InstanceNorm2d(_InstanceNorm):
    """gamma * (x - mean) / sqrt(variance + eps) + beta, with mean and variance of each channel of
    each sample.

    Args:
        num_features: C.
        eps: added to the variance.
        momentum: kept for MindSpore's sake: the moving statistics are never used.
        affine: whether gamma and beta are learned.
        gamma_init: initializer of gamma.
        beta_init: initializer of beta.
        dtype: of the parameters.

    Shape: x (N, C, H, W) -> the same.

    Source: Ulyanov, Vedaldi & Lempitsky 2016.
    """

    axes = 4


class InstanceNorm3d(_InstanceNorm):
    """Instance normalisation of volumes. Arguments as those of :class:`InstanceNorm2d`.

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
