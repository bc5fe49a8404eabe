"""Normalisation and embedding layers, with Parameters weight, bias, running_mean and
running_var.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import ops
from minispore.core.initializer import Normal, initializer
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.mint.nn import functional as F
from minispore.nn import Cell, check
from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport


def _make_parameter(
    name: str, value: Any, shape: Any, dtype: Any, requires_grad: bool = True
) -> Parameter:
    """Make a Parameter of this name, initial value (a number or the name of an initializer) and
    shape; float32 by default.
    """
    initial_value = initializer(value, shape, dtype or mstype.float32)
    return Parameter(initial_value, name=name, requires_grad=requires_grad)


def _fill_parameter(parameter: Parameter | None, value: int) -> None:
    """Fill a Parameter with ``value`` in place; do nothing for None."""
    if parameter is not None:
        parameter.set_data(ops.full_like(parameter, value))


class _BatchNorm(Cell):
    """Base class of batch normalisation: (x - mean) / sqrt(variance + eps) * weight + bias per
    channel.
    """

    _full_precision_ = True
    dims: tuple[int, ...]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        dtype: Any = None,
    ) -> None:
        """Check the arguments, and create weight, bias, running_mean, running_var and
        num_batches_tracked.

        Those that are not used are None. Raises a TypeError or ValueError for an invalid argument.
        """
        super().__init__()
        name = type(self).__name__
        self.num_features = checks.integer(name, "num_features", num_features, 1)
        self.eps = checks.number(name, "eps", eps)
        self.momentum = momentum
        if momentum is not None:
            checks.number(name, "momentum", momentum)
        self.affine = checks.boolean(name, "affine", affine)
        self.track_running_stats = checks.boolean(name, "track_running_stats", track_running_stats)
        self.weight = self.bias = None
        if affine:
            self.weight = _make_parameter("weight", "ones", num_features, dtype)
            self.bias = _make_parameter("bias", "zeros", num_features, dtype)
        self.running_mean = self.running_var = self.num_batches_tracked = None
        if track_running_stats:
            self.running_mean = _make_parameter(
                "running_mean", "zeros", num_features, dtype, requires_grad=False
            )
            self.running_var = _make_parameter(
                "running_var", "ones", num_features, dtype, requires_grad=False
            )
            initial_count = Tensor(0, mstype.int64)
            self.num_batches_tracked = Parameter(
                initial_count, name="num_batches_tracked", requires_grad=False
            )

    def reset_running_stats(self) -> None:
        """Set the running mean and the count of batches to 0, and the running variance to 1, in
        place, if they exist.
        """
        initial_values = (
            (self.running_mean, 0),
            (self.running_var, 1),
            (self.num_batches_tracked, 0),
        )
        for parameter, value in initial_values:
            _fill_parameter(parameter, value)

    def reset_parameters(self) -> None:
        """Reset the running statistics, and set the weight to 1 and the bias to 0, in place, if
        they exist.
        """
        self.reset_running_stats()
        _fill_parameter(self.weight, 1)
        _fill_parameter(self.bias, 0)

    def _count_batch(self, input: Tensor) -> Any:
        """Check the input, count the batch in training, and return the momentum of the running
        statistics.

        In training without ``momentum``, this is 1 / ``num_batches_tracked``, which gives the mean
        over all batches.

        Raises:
            ValueError: the input has a different number of axes or channels.
        """
        check.check_ndim(type(self).__name__, "input", input, *self.dims)
        if input.shape[1] != self.num_features:
            raise ValueError(
                f"{type(self).__name__}: axis 1 of input must be "
                f"num_features={self.num_features}, got shape {input.shape}."
            )
        momentum: Any = self.momentum
        if self.training and self.num_batches_tracked is not None:
            count = ops.assign_add(self.num_batches_tracked, Tensor(1, mstype.int64))
            momentum = 1 / count if momentum is None else momentum  # the mean of all batches
        return momentum

    def construct(self, input: Tensor) -> Tensor:
        """Normalise by the batch statistics in training or without running statistics, else by the
        running statistics.

        In training, also update the running statistics. Raises a ValueError for an input of a wrong
        shape.
        """
        momentum = self._count_batch(input)
        uses_batch_statistics = self.training or not self.track_running_stats
        return F.batch_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias,
            uses_batch_statistics,
            momentum, self.eps,
        )  # fmt: skip

    def extend_repr(self) -> str:
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of (N, C) or (N, C, L); see :class:`BatchNorm2d`."""

    dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of (N, C, H, W).

    Training uses the batch statistics and updates the running statistics:
    ``running = (1 - momentum) * running + momentum * batch``, with the unbiased variance.
    Evaluation uses the running statistics.

    Args:
        num_features: C.
        eps: added to the variance.
        momentum: the weight of the batch in the running statistics; None averages over all batches.
        affine: learn weight and bias.
        track_running_stats: False always uses the statistics of the batch.
        dtype: dtype of the parameters; float32 by default.

    Source: Ioffe & Szegedy 2015.
    """

    dims = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalisation of (N, C, D, H, W); see :class:`BatchNorm2d`."""

    dims = (5,)


class SyncBatchNorm(_BatchNorm):
    """:class:`BatchNorm2d` of (N, C, ...) whose statistics, in training, cover all ranks.

    The batch sizes of the ranks may differ.

    Args:
        num_features: C.
        eps: added to the variance.
        momentum: see :class:`BatchNorm2d`.
        affine: learn weight and bias.
        track_running_stats: keep running statistics.
        process_group: the name of the group whose ranks share statistics; all ranks by default.
        dtype: dtype of the parameters.

    Raises:
        TypeError: ``process_group`` is not a str.
    """

    dims = (2, 3, 4, 5)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: str | None = None,
        dtype: Any = None,
    ) -> None:
        """Create the layer for the ranks of ``process_group``, the name of a group; None means the
        world.

        Raises a TypeError unless it is a str or None.
        """
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype)
        if not isinstance(process_group, str | None):
            raise TypeError(
                "SyncBatchNorm: process_group must be the name of a group, got "
                f"{checks.format_value(process_group)}."
            )
        self.process_group = process_group

    def construct(self, input: Tensor) -> Tensor:
        """Normalise by the statistics of all ranks, computed in float32, and update the running
        statistics.

        All ranks of the group must call it. Outside training, or with a single rank, normalise as
        the base class does.
        """
        group = self.process_group or WORLD
        if not self.training or transport.current.size(group) == 1:
            return super().construct(input)
        momentum = self._count_batch(input)
        axes = (0, *range(2, input.ndim))
        c = self.num_features
        x = ops.cast(input, mstype.float32)
        local_sums = [ops.ReduceSum()(t, axes) for t in (x, ops.square(x))]
        count = ops.full((1,), input.size // c, dtype=mstype.float32)
        total_sums = ops.AllReduce("sum", group)(ops.concat((*local_sums, count)))
        n = total_sums[2 * c :]
        mean = total_sums[:c] / n
        variance = ops.maximum(total_sums[c : 2 * c] / n - ops.square(mean), 0.0)
        unbiased = variance * n / ops.maximum(n - 1, 1.0)
        for statistic, batch_value in ((self.running_mean, mean), (self.running_var, unbiased)):
            if statistic is not None:
                updated = statistic * (1 - momentum) + ops.stop_gradient(batch_value) * momentum
                ops.assign(statistic, ops.cast(updated, statistic.dtype))
        shape = (1, -1) + (1,) * (input.ndim - 2)
        output = (x - ops.reshape(mean, shape)) * ops.reshape(ops.rsqrt(variance + self.eps), shape)
        if self.weight is not None and self.bias is not None:
            output = output * ops.reshape(self.weight, shape) + ops.reshape(self.bias, shape)
        return ops.cast(output, input.dtype)


class GroupNorm(Cell):
    """Group normalisation: (x - mean) / sqrt(variance + eps) per group of channels, * weight +
    bias.
    """

    _full_precision_ = True

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        dtype: Any = None,
    ) -> None:
        """Check the arguments, and create weight and bias, which are not trained without
        ``affine``.

        A ``num_groups`` that does not divide ``num_channels`` raises a ValueError.
        """
        super().__init__()
        self.num_groups = checks.integer("GroupNorm", "num_groups", num_groups, 1)
        self.num_channels = checks.integer("GroupNorm", "num_channels", num_channels, 1)
        if num_channels % num_groups:
            raise ValueError(
                f"GroupNorm: num_groups must divide num_channels, got {num_groups} and "
                f"{num_channels}."
            )
        self.eps = checks.number("GroupNorm", "eps", eps)
        self.affine = checks.boolean("GroupNorm", "affine", affine)
        self.weight = _make_parameter("weight", "ones", num_channels, dtype, affine)
        self.bias = _make_parameter("bias", "zeros", num_channels, dtype, affine)

    def construct(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extend_repr(self) -> str:
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}, eps={self.eps}"


class LayerNorm(Cell):
    """Layer normalisation: (x - mean) / sqrt(variance + eps) over the last axes, * weight + bias.

    >>> print(LayerNorm(2, 0.0)(Tensor([[1.0, 3.0]])))
    [[-1.  1.]]
    """

    _full_precision_ = True

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        dtype: Any = None,
    ) -> None:
        """Check the arguments, and create weight and bias of ``normalized_shape``; unused ones are
        None.

        ``normalized_shape`` is an int or a tuple: the lengths of the axes to normalise.
        """
        super().__init__()
        has_several_axes = isinstance(normalized_shape, tuple | list)
        shape = normalized_shape if has_several_axes else (normalized_shape,)
        self.normalized_shape = tuple(
            checks.integer("LayerNorm", "normalized_shape", length, 1) for length in shape
        )
        self.eps = checks.number("LayerNorm", "eps", eps)
        self.elementwise_affine = elementwise_affine
        self.weight = self.bias = None
        if elementwise_affine:
            self.weight = _make_parameter("weight", "ones", self.normalized_shape, dtype)
            if bias:
                self.bias = _make_parameter("bias", "zeros", self.normalized_shape, dtype)

    def construct(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extend_repr(self) -> str:
        return (
            f"normalized_shape={self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}"
        )


class Embedding(Cell):
    """The rows of the weight at the indices in the input.

    Args:
        num_embeddings: the number of ids.
        embedding_dim: the length of a vector.
        padding_idx: an id whose vector is not learned, and is 0 unless ``_weight`` is given.
        max_norm: vectors with a greater norm are scaled down to this norm when looked up, in the
            weight itself.
        norm_type: the p of the norm.
        scale_grad_by_freq: divide gradients by the number of occurrences of an id.
        sparse: accepted for compatibility with MindSpore; gradients are dense.
        _weight: the initial vectors (num_embeddings, embedding_dim).
        _freeze: do not train the vectors.
        dtype: dtype of the vectors; float32 by default, and that of ``_weight`` if it is given.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: ``padding_idx`` is out of range, or ``_weight`` has a different shape.

    >>> Embedding(10, 4)(Tensor([[1, 2, 3]])).shape
    (1, 3, 4)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        dtype: Any = None,
    ) -> None:
        """Check the arguments, and create the weight: ``_weight``, or normal random numbers with
        zeros at ``padding_idx``.

        Raises a TypeError or ValueError for an invalid argument, or a ``_weight`` of a wrong shape.
        """
        super().__init__()
        self.num_embeddings = checks.integer("Embedding", "num_embeddings", num_embeddings, 1)
        self.embedding_dim = checks.integer("Embedding", "embedding_dim", embedding_dim, 1)
        if max_norm is not None:
            checks.number("Embedding", "max_norm", max_norm)
        checks.number("Embedding", "norm_type", norm_type)
        checks.boolean("Embedding", "scale_grad_by_freq", scale_grad_by_freq)
        checks.boolean("Embedding", "sparse", sparse)
        if padding_idx is not None:
            checks.integer("Embedding", "padding_idx", padding_idx)
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise ValueError(
                    f"Embedding: padding_idx must be in [{-num_embeddings}, {num_embeddings}), "
                    f"got {padding_idx}."
                )
            padding_idx %= num_embeddings
        self.padding_idx, self.max_norm, self.norm_type = padding_idx, max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        shape = (num_embeddings, embedding_dim)
        if _weight is None:
            initial_value = (
                initializer(Normal(1.0, 0.0), shape, dtype or mstype.float32).asnumpy().copy()
            )
            if padding_idx is not None:
                initial_value[padding_idx] = 0
            _weight = Tensor(np.asarray(initial_value))
        elif _weight.shape != shape:
            raise ValueError(f"Embedding: _weight must have shape {shape}, got {_weight.shape}.")
        self.weight = Parameter(_weight, name="weight", requires_grad=not _freeze)

    def construct(self, input: Tensor) -> Tensor:
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
            self.scale_grad_by_freq,
        )  # fmt: skip

    def extend_repr(self) -> str:
        return (
            f"num_embeddings={self.num_embeddings}, embedding_dim={self.embedding_dim}, "
            f"padding_idx={self.padding_idx}"
        )


__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "Embedding",
    "GroupNorm",
    "LayerNorm",
    "SyncBatchNorm",
]
