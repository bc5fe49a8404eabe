"""Concat, Stack, Slice and Pad, and helpers for their functions."""

from __future__ import annotations

from builtins import slice as _span  # this module defines MindSpore's function of that name
from typing import Any

import numpy as np

from minispore.core.primitive import Arithmetic, Cotangents, Primitive, Promotion
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir.input_names import order_inputs
from minispore.ir.value import Spec
from minispore.ops.index.subscript import GetItem, SetItem
from minispore.ops.shape.cast_fill import ZerosLike
from minispore.ops.support.arguments import (
    check_axis,
    check_shape,
    check_tensor_spec,
    check_tensors,
    to_static,
)
from minispore.ops.support.spelling import also_spelled


class _JoinOp(Primitive):
    """Base of ops that take a sequence of Tensors; a single Tensor raises a TypeError."""

    variadic = True

    def __call__(self, *tensors: Any, **kwargs: Any) -> Tensor:
        """Apply the op to the tensors, passed as a sequence, separately or by keyword; raise
        TypeError for a single Tensor.
        """
        if kwargs:
            tensors = order_inputs(self.name, tensors, kwargs)
        if len(tensors) == 1 and isinstance(tensors[0], Tensor):
            raise TypeError(
                f"{self.name}: tensors must be a tuple or list of Tensors, got one Tensor of shape "
                f"{tensors[0].shape}. Put it into a tuple, or unstack it."
            )
        return super().__call__(*tensors)


class Concat(_JoinOp):
    """Tensors concatenated along ``axis``; all other lengths must agree, and dtypes are promoted.

    >>> print(Concat(1)((Tensor([[1], [2]]), Tensor([[3], [4]]))))
    [[1 3]
     [2 4]]
    """

    arithmetic = Arithmetic.NONE
    axis: int = 0
    promotion = Promotion()

    def infer(self, *xs: Spec) -> Spec:
        """Return the spec with the lengths along the axis summed; raise ValueError unless the other
        lengths agree.
        """
        reference = _check_tensors(self.name, xs)
        axis = check_axis(self.name, self.axis, reference.ndim)
        for x in xs:
            if x.ndim != reference.ndim or any(
                a != b
                for i, (a, b) in enumerate(zip(x.shape, reference.shape, strict=True))
                if i != axis
            ):
                raise ValueError(
                    f"{self.name}: inputs must have the same shape except along axis {axis}, got "
                    f"{', '.join(map(str, xs))}."
                )
        total = sum(x.shape[axis] for x in xs)
        return Spec((*reference.shape[:axis], total, *reference.shape[axis + 1 :]), reference.dtype)

    def kernel(self, *xs: np.ndarray, out: np.ndarray) -> None:
        np.concatenate(xs, self.axis, out=out)

    def vjp(self, *xs: Tensor, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient functions: each takes the slice of the cotangent that its input
        fills.
        """
        axis, start, grad_fns = self.axis % dout.ndim, 0, []
        for x in xs:
            begin = tuple(start if i == axis else 0 for i in range(x.ndim))
            grad_fns.append(lambda b=begin, s=x.shape: Slice()(dout, b, s))
            start += x.shape[axis]
        return tuple(grad_fns)


class Stack(_JoinOp):
    """Tensors of one shape and dtype joined along a new axis ``axis``.

    >>> print(Stack(-1)((Tensor([1, 2]), Tensor([3, 4]))))
    [[1 3]
     [2 4]]
    """

    arithmetic = Arithmetic.NONE
    axis: int = 0

    def infer(self, *xs: Spec) -> Spec:
        """Return the spec with the new axis; raise ValueError for different shapes, TypeError for
        different dtypes.
        """
        reference = _check_tensors(self.name, xs)
        axis = check_axis(self.name, self.axis, reference.ndim + 1)
        for x in xs:
            if x.shape != reference.shape:
                raise ValueError(
                    f"{self.name}: inputs must have one shape, got {', '.join(map(str, xs))}."
                )
            if x.dtype != reference.dtype:
                raise TypeError(
                    f"{self.name}: inputs must be of one dtype, got {', '.join(map(str, xs))}."
                )
        return Spec((*reference.shape[:axis], len(xs), *reference.shape[axis:]), reference.dtype)

    def kernel(self, *xs: np.ndarray, out: np.ndarray) -> None:
        np.stack(xs, self.axis, out=out)

    def vjp(self, *xs: Tensor, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient functions: each takes the slice of the cotangent along the new
        axis.
        """
        return tuple(lambda i=i: pick(dout, self.axis, i) for i in range(len(xs)))


class Slice(Primitive):
    """The block of ``x`` that starts at ``begin`` and has the lengths ``size`` (-1: to the end), as
    a view.

    >>> print(Slice()(Tensor([[1, 2, 3], [4, 5, 6]]), (0, 1), (2, -1)))
    [[2 3]
     [5 6]]
    """

    arithmetic = Arithmetic.NONE

    def __call__(self, input: Tensor, begin: Any, size: Any) -> Tensor:
        """Return the block; ``begin`` and ``size`` may be tensors."""
        return super().__call__(input, to_static(begin), to_static(size))

    def infer(self, x: Spec, begin: Any, size: Any) -> Spec:
        """Return the spec of the block, with -1 resolved; raise ValueError if the block exceeds
        x.
        """
        begin = check_shape(self.name, begin, "begin")
        size = check_shape(self.name, size, "size", least=-1)
        if not len(begin) == len(size) == check_tensor_spec(self.name, x).ndim:
            raise ValueError(
                f"{self.name}: begin and size must have one number for each axis of {x}, got "
                f"{begin} and {size}."
            )
        lengths = tuple(
            d - b if s == -1 else s for d, b, s in zip(x.shape, begin, size, strict=True)
        )
        for d, b, s in zip(x.shape, begin, lengths, strict=True):
            if s < 0 or b + s > d:
                raise ValueError(
                    f"{self.name}: begin + size must stay inside {x}, got begin {begin} and size "
                    f"{size}."
                )
        return Spec(lengths, x.dtype)

    def scatter_view(self, x: Tensor, begin: Any, size: Any, *, content: Tensor) -> Tensor:
        """Return ``x`` with ``content`` in the block; called to propagate a write to a view to its
        base.
        """
        spans = [
            ("slice", b, b + n, None) for b, n in zip(check_shape(self.name, begin), content.shape)
        ]
        return SetItem()(x, content, tuple(spans))

    def view(self, x: np.ndarray, begin: Any, size: Any) -> np.ndarray:
        """Return the block as a view of x."""
        begin, size = check_shape(self.name, begin), check_shape(self.name, size, least=-1)
        spans: Any = [
            _span(b, None if s == -1 else b + s) for b, s in zip(begin, size, strict=True)
        ]
        return x[(*spans, ...)]

    def kernel(self, x: np.ndarray, begin: Any, size: Any, *, out: np.ndarray) -> None:
        np.copyto(out, self.view(x, begin, size))

    def vjp(self, x: Tensor, begin: Any, size: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x, which pads the cotangent with zeros to the shape of
        x.
        """
        begin = check_shape(self.name, begin)
        paddings = tuple((b, d - b - s) for d, b, s in zip(x.shape, begin, out.shape, strict=True))
        return (lambda: Pad(paddings)(dout),)


class Pad(Primitive):
    """``x`` with zeros around it: ``paddings[i]`` = (before, after) along axis i.

    >>> print(Pad(((1, 0), (0, 2)))(Tensor([[1, 2]])))
    [[0 0 0 0]
     [1 2 0 0]]
    """

    paddings: Any

    def check(self) -> None:
        """Check that ``paddings`` is a tuple of pairs of non-negative ints; raise TypeError or, for
        negative ones, ValueError.
        """
        paddings = self.paddings
        if not isinstance(paddings, tuple) or any(
            not isinstance(p, tuple)
            or len(p) != 2
            or any(isinstance(n, bool) or not isinstance(n, int) for n in p)
            for p in paddings
        ):
            raise TypeError(
                f"{self.name}: paddings must be a tuple of (before, after) pairs of ints, got "
                f"{paddings!r}."
            )
        if any(n < 0 for p in paddings for n in p):
            raise ValueError(f"{self.name}: paddings must not be negative, got {paddings}.")

    def infer(self, x: Spec) -> Spec:
        """Return the padded spec; raise ValueError unless there is one pair for each axis."""
        if len(self.paddings) != check_tensor_spec(self.name, x).ndim:
            raise ValueError(
                f"{self.name}: paddings must have one pair for each axis of {x}, got "
                f"{self.paddings}."
            )
        return Spec(
            tuple(b + d + a for d, (b, a) in zip(x.shape, self.paddings, strict=True)), x.dtype
        )

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        out.fill(0)
        interior: Any = tuple(
            _span(b, b + d) for d, (b, _) in zip(x.shape, self.paddings, strict=True)
        )
        out[(*interior, ...)] = x

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x, which crops the cotangent."""
        return (lambda: Slice()(dout, tuple(b for b, _ in self.paddings), x.shape),)


def pick(x: Tensor, axis: int, i: int) -> Tensor:
    """Return ``x[..., i, ...]``, with ``i`` at ``axis``, as a view; both may be negative."""
    check_tensors("pick", x=x)
    checks.integer("pick", "axis", to_static(axis))
    checks.integer("pick", "i", to_static(i))
    return GetItem()(x, (("slice", None, None, None),) * (axis % x.ndim) + (i,))


def _check_tensors(api_name: str, xs: tuple[Any, ...]) -> Spec:
    """Return the spec of the first of several tensors.

    Raises:
        ValueError: there are no tensors.
        TypeError: one of them is not a tensor.
    """
    if not xs:
        raise ValueError(f"{api_name}: input must hold at least one tensor, got none.")
    for i, x in enumerate(xs):
        check_tensor_spec(api_name, x, f"input[{i}]")
    return xs[0]


def _fill_missing_cotangents(outs: Any, douts: Any) -> list[Tensor]:
    """Return the cotangents ``douts``, with zeros for outputs without a cotangent."""
    return [ZerosLike()(o) if d is None else d for o, d in zip(outs, douts, strict=True)]


# -- functions ------------------------------------------------------------------------------------


@also_spelled(dim="axis")
def concat(tensors: Any, axis: int = 0) -> Tensor:
    """Join tensors end to end along ``axis``; other lengths must agree, and dtypes are promoted."""
    return Concat(axis)(tensors)


@also_spelled(dim="axis")
def cat(tensors: Any, axis: int = 0) -> Tensor:
    """Join tensors end to end along ``axis``; other lengths must agree, and dtypes are promoted."""
    return Concat(axis)(tensors)


def concatenate(tensors: Any, axis: int = 0) -> Tensor:
    """Join tensors end to end along ``axis``; other lengths must agree, and dtypes are promoted."""
    return Concat(axis)(tensors)


@also_spelled(dim="axis")
def stack(tensors: Any, axis: int = 0) -> Tensor:
    """Join tensors of one shape and dtype along a new axis, inserted at ``axis``."""
    return Stack(axis)(tensors)


@also_spelled(input="input_x")
def slice(input_x: Tensor, begin: Any, size: Any) -> Tensor:
    """Return the block of ``input_x`` that starts at ``begin`` and has the lengths ``size`` (-1: to
    the end), as a view.

    Raises ValueError if the block exceeds ``input_x``.
    """
    return Slice()(input_x, begin, size)


__all__ = [
    "Concat",
    "Pad",
    "Slice",
    "Stack",
    "cat",
    "concat",
    "concatenate",
    "pick",
    "slice",
    "stack",
]
