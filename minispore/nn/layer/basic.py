"""Small layers: dropout, flatten, identity, one-hot, norms, triangles, ..."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.errors import warn
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn import check
from minispore.nn.cell import Cell
from minispore.nn.layer.dense import Dense as Dense
from minispore.ops.support.arguments import check_tensors


class Dropout(Cell):
    """In training, zero each element with probability p and divide the others by 1 - p; else x.

    Args:
        keep_prob: 1 - p, the argument of MindSpore 1.
        p: the probability of zero.
        dtype: accepted as in MindSpore, but has no effect.

    Raises:
        TypeError: an argument is not a number.
        ValueError: ``p`` is not in [0, 1), or ``keep_prob`` not in (0, 1].

    Source: Srivastava et al. 2014.

    >>> print(Dropout(p=0.5)(Tensor([1.0, 2.0])))  # not in training
    [1. 2.]
    """

    def __init__(
        self, keep_prob: float = 0.5, p: float | None = None, dtype: Any = mstype.float32
    ) -> None:
        super().__init__()
        if p is None:
            checks.number("Dropout", "keep_prob", keep_prob, 0.0, 1.0, "(]")
            if keep_prob < 0.5:  # as users of PyTorch write, where p is first
                warn(
                    f"Dropout: keep_prob={keep_prob:g} sets {1 - keep_prob:.0%} of the elements to "
                    f"zero. Write p={keep_prob:g} to drop {keep_prob:.0%} of them."
                )
        else:
            keep_prob = 1.0 - checks.number("Dropout", "p", p, 0.0, 1.0, "[)")
        self.p = p
        self.keep_prob = keep_prob
        self.dropout = ops.Dropout(keep_prob)

    def construct(self, x: Tensor) -> Tensor:
        if not self.training or self.keep_prob == 1:
            return x
        return self.dropout(x)[0]

    def extend_repr(self) -> str:
        return f"keep_prob={self.keep_prob}" if self.p is None else f"p={self.p}"


class _ChannelDropout(Cell):
    """In training, zero each channel with probability p and divide the others by 1 - p; else x."""

    axes: tuple[int, ...]

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = checks.number(type(self).__name__, "p", p, 0.0, 1.0)
        self.keep_prob = 1.0 - self.p

    def construct(self, x: Tensor) -> Tensor:
        """Zero or scale entire channels in training; else return x."""
        name = type(self).__name__
        if not self.training or self.p == 0:
            return check.check_tensor(name, "x", x)
        check.check_ndim(name, "x", x, *self.axes)
        if self.p == 1:
            return ops.zeros_like(x)
        is_batched = x.ndim == max(self.axes)
        channels = x.shape[:2] if is_batched else x.shape[:1]  # (N, C) or (C,)
        ones = ops.ones(channels + (1,) * (x.ndim - len(channels)), x.dtype)
        return x * ops.Dropout(self.keep_prob)(ones)[0]

    def extend_repr(self) -> str:
        return f"p={self.p}"


class Dropout1d(_ChannelDropout):
    """:class:`Dropout` of entire channels. x: (N, C, L) or (C, L)."""

    axes = (2, 3)


class Dropout2d(_ChannelDropout):
    """:class:`Dropout` of entire channels. x: (N, C, H, W)."""

    axes = (4,)


class Dropout3d(_ChannelDropout):
    """:class:`Dropout` of entire channels. x: (N, C, D, H, W)."""

    axes = (5,)


class Flatten(Cell):
    """x with the axes from ``start_dim`` to ``end_dim`` merged into one.

    Raises:
        ValueError: when called: an axis is out of range.

    >>> import numpy as np
    >>> Flatten()(Tensor(np.zeros((2, 3, 4), np.float32))).shape
    (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = checks.integer("Flatten", "start_dim", start_dim)
        self.end_dim = checks.integer("Flatten", "end_dim", end_dim)

    def construct(self, x: Tensor) -> Tensor:
        """Merge the axes; raise ValueError if x does not have them."""
        ndim = max(check.check_tensor("Flatten", "x", x).ndim, 1)
        for name, axis in (("start_dim", self.start_dim), ("end_dim", self.end_dim)):
            if not -ndim <= axis < ndim:
                raise ValueError(
                    f"Flatten: {name} must be an axis of x, got {axis} for shape {x.shape}."
                )
        return ops.flatten(x, start_dim=self.start_dim, end_dim=self.end_dim)


class Unflatten(Cell):
    """x with ``axis`` split into axes of ``unflattened_size``."""

    def __init__(self, axis: int, unflattened_size: Any) -> None:
        super().__init__()
        self.axis = checks.integer("Unflatten", "axis", axis)
        if not isinstance(unflattened_size, tuple | list):
            raise TypeError(
                "Unflatten: unflattened_size must be a tuple of ints, got "
                f"{checks.format_value(unflattened_size)}."
            )
        self.unflattened_size = tuple(unflattened_size)

    def construct(self, input_x: Tensor) -> Tensor:
        """Split the axis; raise ValueError if ``input_x`` does not have it."""
        check_tensors("Unflatten", input_x=input_x)
        if not -input_x.ndim <= self.axis < input_x.ndim:
            raise ValueError(
                f"Unflatten: axis must be in [{-input_x.ndim}, {input_x.ndim}) for an input of "
                f"shape {input_x.shape}, got {self.axis}."
            )
        axis = self.axis % input_x.ndim
        return ops.reshape(
            input_x, (*input_x.shape[:axis], *self.unflattened_size, *input_x.shape[axis + 1 :])
        )


class Identity(Cell):
    """Returns x; the constructor accepts any arguments."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def construct(self, input: Any) -> Any:
        return input


class ClipByNorm(Cell):
    """x in float32, scaled down to the norm ``clip_norm`` if its norm over ``axis`` is larger."""

    def __init__(self, axis: Any = None) -> None:
        super().__init__()
        self.axis = axis

    def construct(self, x: Tensor, clip_norm: Tensor) -> Tensor:
        """Return x * clip_norm / max(norm, clip_norm) in float32."""
        x32 = ops.cast(x, mstype.float32)
        axes = () if self.axis is None else self.axis
        norm = ops.sqrt(ops.ReduceSum(keep_dims=True)(ops.square(x32), axes))
        limit = ops.cast(clip_norm, mstype.float32)
        return x32 * limit / ops.maximum(norm, limit)


class Norm(Cell):
    """sqrt(sum of x**2) over ``axis``."""

    def __init__(self, axis: Any = (), keep_dims: bool = False) -> None:
        super().__init__()
        self.axis = axis
        self.keep_dims = checks.boolean("Norm", "keep_dims", keep_dims)

    def construct(self, x: Tensor) -> Tensor:
        return ops.sqrt(ops.ReduceSum(keep_dims=self.keep_dims)(ops.square(x), self.axis))

    def extend_repr(self) -> str:
        return f"axis={self.axis}, keep_dims={self.keep_dims}"


class L1Regularizer(Cell):
    """scale * sum(|weights|), in float32 or a wider dtype."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = checks.number("L1Regularizer", "scale", scale, 0.0, closed="()")

    def construct(self, weights: Tensor) -> Tensor:
        return Tensor(self.scale, mstype.float32) * ops.ReduceSum()(ops.abs(weights))


class OneHot(Cell):
    """``on_value`` at each index along a new ``axis`` of length ``depth``, else ``off_value``."""

    def __init__(
        self,
        axis: int = -1,
        depth: int = 1,
        on_value: float = 1.0,
        off_value: float = 0.0,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        self.onehot = ops.OneHot(axis)
        self.depth = depth
        self.dtype = dtype
        self.on_value, self.off_value = on_value, off_value

    def construct(self, indices: Tensor) -> Tensor:
        """Return the one-hot vectors of ``indices`` in the layer's dtype."""
        return self.onehot(
            indices,
            self.depth,
            Tensor(self.on_value, self.dtype),
            Tensor(self.off_value, self.dtype),
        )


class Tril(Cell):
    """The lower triangle of the last two axes of x, up to the k-th diagonal; zeros elsewhere."""

    def construct(self, x: Tensor, k: int = 0) -> Tensor:
        return ops.tril(x, k)


class Triu(Cell):
    """The upper triangle of the last two axes of x, from the k-th diagonal on; zeros elsewhere."""

    def construct(self, x: Tensor, k: int = 0) -> Tensor:
        return ops.triu(x, k)


class MatrixDiag(Cell):
    """A matrix (..., N, N) with x (..., N) on its diagonal and zeros elsewhere."""

    def construct(self, input_x: Tensor) -> Tensor:
        return ops.matrix_diag(input_x)


class MatrixDiagPart(Cell):
    """The diagonal of each matrix of x (..., M, N)."""

    def construct(self, input_x: Tensor) -> Tensor:
        check_tensors("MatrixDiagPart", input_x=input_x)
        return ops.matrix_diag_part(input_x, 0, Tensor(0, input_x.dtype))


class MatrixSetDiag(Cell):
    """x (..., M, N) with ``diagonal`` on the diagonal of each matrix."""

    def construct(self, input_x: Tensor, diagonal: Tensor) -> Tensor:
        return ops.matrix_set_diag(input_x, diagonal)


class Roll(Cell):
    """x with its elements shifted by ``shift`` along ``axis``; those past the end wrap around."""

    def __init__(self, shift: Any, axis: Any) -> None:
        super().__init__()
        if isinstance(axis, bool) or not isinstance(axis, int | tuple | list):
            raise TypeError(
                f"Roll: axis must be an int or a tuple of them, got {checks.format_value(axis)}."
            )
        self.shift = tuple(shift) if isinstance(shift, tuple | list) else (shift,)
        self.axis = tuple(axis) if isinstance(axis, tuple | list) else (axis,)
        if len(self.shift) != len(self.axis):
            raise ValueError(
                f"Roll: shift and axis must have the same length, got {shift!r} and {axis!r}."
            )

    def construct(self, input_x: Tensor) -> Tensor:
        """Roll the axes one after the other, each by its shift."""
        check_tensors("Roll", input_x=input_x)
        for shift, axis in zip(self.shift, self.axis, strict=True):
            n = input_x.shape[axis]
            if shift % n:
                head, tail = ops.split(input_x, (n - shift % n, shift % n), axis)
                input_x = ops.concat((tail, head), axis)
        return input_x


__all__ = [
    "ClipByNorm",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "Flatten",
    "Identity",
    "L1Regularizer",
    "MatrixDiag",
    "MatrixDiagPart",
    "MatrixSetDiag",
    "Norm",
    "OneHot",
    "Roll",
    "Tril",
    "Triu",
    "Unflatten",
]
