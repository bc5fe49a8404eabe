"""Batch normalization, on one rank and over several."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.communication import create_group
from minispore.core.initializer import initializer
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn import check
from minispore.nn.cell import Cell
from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport


class _BatchNorm(Cell):
    """gamma * (x - mean) / sqrt(variance + eps) + beta, per channel."""

    _full_precision_ = True
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
        self.num_features = checks.integer(name, "num_features", num_features, 1)
        self.eps = checks.number(name, "eps", check.to_python_number(eps))
        momentum = checks.number(name, "momentum", check.to_python_number(momentum), 0.0, 1.0)
        checks.boolean(name, "affine", affine)
        if use_batch_statistics is not None and not isinstance(use_batch_statistics, bool):
            raise ValueError(
                f"{name}: use_batch_statistics must be a bool or None, got "
                f"{checks.format_value(use_batch_statistics)}."
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
        # As in MindSpore, the layer's momentum weights the old statistics, but the op's momentum
        # weights the new ones.
        self.momentum = 1.0 - momentum
        self.bn_train = ops.BatchNorm(is_training=True, epsilon=self.eps, momentum=self.momentum)
        self.bn_infer = ops.BatchNorm(is_training=False, epsilon=self.eps)

    def construct(self, x: Tensor) -> Tensor:
        """Normalize by batch statistics and update the moving ones, or by the moving statistics."""
        check.check_ndim(type(self).__name__, "x", x, *self.axes)
        uses_batch_statistics = (
            self.training if self.use_batch_statistics is None else self.use_batch_statistics
        )
        norm = self.bn_train if uses_batch_statistics else self.bn_infer
        return norm(x, self.gamma, self.beta, self.moving_mean, self.moving_variance)[0]

    def extend_repr(self) -> str:
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={1.0 - self.momentum}, "
            f"gamma={self.gamma}, beta={self.beta}, moving_mean={self.moving_mean}, "
            f"moving_variance={self.moving_variance}"
        )


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of vectors. The arguments are those of :class:`BatchNorm2d`.

    Shape: x (N, C) or (N, C, L).
    """

    axes = (2, 3)


class BatchNorm2d(_BatchNorm):
    """gamma * (x - mean) / sqrt(variance + eps) + beta, per channel.

    In training (see ``set_train``), mean and variance are those of the batch, and the moving
    statistics are updated: moving = momentum * moving + (1 - momentum) * batch. Otherwise the
    moving statistics are used.

    Args:
        num_features: C.
        eps: added to the variance.
        momentum: the weight of the old moving statistics in each update.
        affine: whether gamma and beta are learned.
        gamma_init: initializer of gamma; the next three are those of beta and the moving
            statistics.
        use_batch_statistics: True or False to use the batch's statistics always or never.
        data_format: ``"NCHW"``.
        dtype: the dtype of the parameters.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of range; when called: x has a wrong number of channels or
            axes.

    Shape: x (N, C, H, W) -> the same.

    Source: Ioffe & Szegedy 2015.
    """

    axes = (4,)


class BatchNorm3d(Cell):
    """Batch normalisation of volumes. The arguments are those of :class:`BatchNorm2d`.

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
        # A child Cell, as in MindSpore, because its name is part of the parameters' names
        # (bn2d.gamma).
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
        n, c, d, h, w = check.check_ndim("BatchNorm3d", "x", x, 5).shape
        return ops.reshape(self.bn2d(ops.reshape(x, (n, c, d * h, w))), x.shape)


class SyncBatchNorm(_BatchNorm):
    """Batch normalization with statistics over the batches of all ranks.

    Args:
        process_groups: lists of ranks that share statistics; None for all ranks. A rank in no list
            uses only its own batch.

    The other arguments are those of :class:`BatchNorm2d`. All ranks must have batches of the same
    size.

    Raises:
        TypeError: ``process_groups`` is not a list of lists of ints.
        ValueError: it contains a rank twice, or a rank that does not exist.
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
        self.group = _create_rank_group(process_groups)

    def construct(self, x: Tensor) -> Tensor:
        """Normalize by statistics over the group's batches, and update the moving statistics.

        In inference, or if this rank shares with no other, normalize as BatchNorm does.
        """
        uses_batch_statistics = (
            self.training if self.use_batch_statistics is None else self.use_batch_statistics
        )
        n_ranks = 1 if self.group is None else transport.current.size(self.group)
        if not uses_batch_statistics or n_ranks == 1:
            return super().construct(x)
        check.check_ndim("SyncBatchNorm", "x", x, *self.axes)
        axes = (0, *range(2, x.ndim))
        x32 = ops.cast(x, mstype.float32)
        count = x.size // x.shape[1] * n_ranks
        sums = ops.stack([ops.ReduceSum()(t, axes) for t in (x32, ops.square(x32))])
        mean, square = ops.unstack(ops.AllReduce("sum", self.group)(sums) / count)
        variance = ops.maximum(square - ops.square(mean), 0.0)
        self._update_moving(self.moving_mean, mean)
        self._update_moving(self.moving_variance, variance * (count / max(count - 1, 1)))
        shape = (1, -1) + (1,) * (x.ndim - 2)
        centered = x32 - ops.reshape(mean, shape)
        normalized = centered * ops.reshape(ops.rsqrt(variance + self.eps), shape)
        return ops.cast(scale_channels(normalized, self.gamma, self.beta), x.dtype)

    def _update_moving(self, moving: Parameter, batch_value: Tensor) -> None:
        """Move a moving statistic towards the batch's statistic by ``momentum``."""
        step = (ops.stop_gradient(batch_value) - moving) * self.momentum
        ops.assign_add(moving, ops.cast(step, moving.dtype))


def _create_rank_group(process_groups: Any) -> str | None:
    """Create the group with which this rank shares statistics; return its name, or None.

    With ``process_groups`` None, this is the group of all ranks. The result is None for a rank in
    no group, or alone in its group.

    Raises:
        TypeError, ValueError: ``process_groups`` is not a list of lists of distinct ranks.
    """
    name = "SyncBatchNorm"
    if process_groups is None:
        return WORLD
    is_list_of_lists = isinstance(process_groups, list) and all(
        isinstance(g, list) for g in process_groups
    )
    if not is_list_of_lists:
        raise TypeError(
            f"{name}: process_groups must be a list of lists of ranks, got "
            f"{checks.format_value(process_groups)}."
        )
    ranks = [checks.integer(name, "a rank", r, 0) for g in process_groups for r in g]
    size = transport.current.size(WORLD)
    if len(set(ranks)) < len(ranks) or any(r >= size for r in ranks):
        raise ValueError(
            f"{name}: process_groups must hold different ranks below {size}, got {process_groups}."
        )
    rank = transport.current.rank(WORLD)
    members: list[int] = next((g for g in process_groups if rank in g), [])
    if len(members) < 2:
        return None
    group = "sync_batch_norm_" + "_".join(map(str, members))
    create_group(group, members)
    return group


def scale_channels(x: Tensor, gamma: Tensor, beta: Tensor) -> Tensor:
    """Return gamma * x + beta, with gamma and beta along axis 1."""
    shape = (1, -1) + (1,) * (x.ndim - 2)
    return x * ops.reshape(ops.cast(gamma, x.dtype), shape) + ops.reshape(
        ops.cast(beta, x.dtype), shape
    )


__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"]
