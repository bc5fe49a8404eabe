"""Ops that split a tensor along an axis."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from minispore.core import views
from minispore.core.primitive import Arithmetic, Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.index.subscript import GetItem
from minispore.ops.shape.join import Concat, Slice, Stack, _fill_missing_cotangents
from minispore.ops.support.arguments import (
    check_axis,
    check_shape,
    check_tensor_spec,
    check_tensors,
    to_static,
)
from minispore.ops.support.spelling import also_spelled


class _SplitOp(Primitive):
    """Base of ops that return slices along one axis, each a view of the input."""

    vjp_rule = VjpRule(partial=True, takes_tuples=True)

    def _find_part_indices(self, x: Spec, parts: tuple[Spec, ...]) -> tuple[int, list[Any]]:
        """Return the axis, and each part's index along it in the form of GetItem; overridden by
        each subclass.
        """
        raise NotImplementedError

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the parts, each registered as a view of x, so that writes to a part change x."""
        parts = super().__call__(*args, **kwargs)
        x, *_ = args or kwargs.values()
        if isinstance(x, Tensor) and len(args) + len(kwargs) == 1:
            specs = tuple([p.value_.spec for p in parts])
            axis, indices = self._find_part_indices(x.value_.spec, specs)
            leading = (("slice", None, None, None),) * axis
            for part, index in zip(parts, indices):
                views.register_view(part, views.View(x, GetItem(), ((*leading, index),)))
        return parts


def _convert_lengths_to_slices(lengths: list[int]) -> list[Any]:
    """Return the slices of consecutive parts of these lengths, in the form of a GetItem index."""
    ends = list(accumulate(lengths, initial=0))
    return [("slice", a, b, None) for a, b in pairwise(ends)]


class Split(_SplitOp):
    """``x`` in ``output_num`` equal parts along ``axis``.

    >>> [t.shape for t in Split(1, 2)(Tensor(np.ones((3, 4))))]
    [(3, 2), (3, 2)]
    """

    arithmetic = Arithmetic.NONE
    axis: int = 0
    output_num: int = 1

    def _find_part_indices(self, x: Spec, parts: tuple[Spec, ...]) -> tuple[int, list[Any]]:
        """Return the axis, and the slice of each part along it."""
        axis = self.axis % x.ndim
        return axis, _convert_lengths_to_slices([p.shape[axis] for p in parts])

    def infer(self, x: Spec) -> tuple[Spec, ...]:
        """Return ``output_num`` equal specs; raise ValueError unless ``output_num`` divides the
        axis.
        """
        axis = check_axis(self.name, self.axis, check_tensor_spec(self.name, x).ndim)
        n = checks.integer(self.name, "output_num", self.output_num, 1)
        if x.shape[axis] % n:
            raise ValueError(
                f"{self.name}: output_num must divide the length of axis {axis}, got {n} for {x}."
            )
        part = Spec((*x.shape[:axis], x.shape[axis] // n, *x.shape[axis + 1 :]), x.dtype)
        return (part,) * n

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, ...]) -> None:
        for o, part in zip(out, np.split(x, self.output_num, self.axis), strict=True):
            np.copyto(o, part)

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Cotangents:
        return (lambda: Concat(self.axis)(_fill_missing_cotangents(out, dout)),)


class SplitV(_SplitOp):
    """``x`` in parts of the lengths ``size_splits`` along ``split_dim``; one length may be -1.

    >>> [t.shape for t in SplitV((1, -1), 0, 2)(Tensor(np.ones((3, 4), np.float32)))]
    [(1, 4), (2, 4)]
    """

    size_splits: Any
    split_dim: int
    num_split: int

    def _find_part_indices(self, x: Spec, parts: tuple[Spec, ...]) -> tuple[int, list[Any]]:
        """Return the axis, and the slice of each part along it."""
        axis = self.split_dim % x.ndim
        return axis, _convert_lengths_to_slices([p.shape[axis] for p in parts])

    def _resolve_lengths(self, total: int) -> tuple[int, ...]:
        """Return the lengths of the parts, with -1 replaced by the remainder of ``total``.

        Raises:
            ValueError: the number of lengths is not num_split, or their sum is not ``total``.
        """
        sizes = check_shape(self.name, self.size_splits, "size_splits", least=-1)
        if len(sizes) != self.num_split:
            raise ValueError(
                f"{self.name}: size_splits must hold num_split = {self.num_split} lengths, got "
                f"{sizes}."
            )
        if sizes.count(-1) == 1:
            sizes = tuple(total - sum(sizes) - 1 if s == -1 else s for s in sizes)
        if sum(sizes) != total or min(sizes) < 0:
            raise ValueError(
                f"{self.name}: size_splits must add up to {total}, got {self.size_splits}."
            )
        return sizes

    def infer(self, x: Spec) -> tuple[Spec, ...]:
        """Return a spec for each part, with -1 resolved; raise ValueError unless the lengths add up
        to that of the axis.
        """
        axis = check_axis(
            self.name, self.split_dim, check_tensor_spec(self.name, x).ndim, "split_dim"
        )
        return tuple(
            Spec((*x.shape[:axis], n, *x.shape[axis + 1 :]), x.dtype)
            for n in self._resolve_lengths(x.shape[axis])
        )

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, ...]) -> None:
        ends = np.cumsum([o.shape[self.split_dim] for o in out])[:-1]
        for o, part in zip(out, np.split(x, ends, self.split_dim), strict=True):
            np.copyto(o, part)

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Cotangents:
        return (lambda: Concat(self.split_dim)(_fill_missing_cotangents(out, dout)),)


class Unstack(_SplitOp):
    """The slices of ``x`` along ``axis``, without that axis; ``num``, if passed, must be their
    number.

    >>> [t.shape for t in Unstack(1)(Tensor(np.ones((3, 2))))]
    [(3,), (3,)]
    """

    axis: int = 0
    num: Any = None

    def _find_part_indices(self, x: Spec, parts: tuple[Spec, ...]) -> tuple[int, list[Any]]:
        """Return the axis, and the index of each part along it."""
        return self.axis % x.ndim, list(range(len(parts)))

    def infer(self, x: Spec) -> tuple[Spec, ...]:
        """Return one spec without the axis for each slice; raise ValueError unless ``num`` is None
        or their number.
        """
        axis = check_axis(self.name, self.axis, check_tensor_spec(self.name, x).ndim)
        if self.num not in (None, x.shape[axis]):
            raise ValueError(
                f"{self.name}: num must be the length of axis {axis}, got {self.num} for {x}."
            )
        return (Spec((*x.shape[:axis], *x.shape[axis + 1 :]), x.dtype),) * x.shape[axis]

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, ...]) -> None:
        for o, part in zip(out, np.moveaxis(x, self.axis, 0), strict=True):
            np.copyto(o, part)

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Cotangents:
        return (lambda: Stack(self.axis)(_fill_missing_cotangents(out, dout)),)


def unstack(input_x: Tensor, axis: int = 0) -> tuple[Tensor, ...]:
    """Return the slices of ``input_x`` along ``axis``, without that axis, as views."""
    return Unstack(axis)(input_x)


@method("unbind")
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return the slices of ``input`` along ``dim``, without that axis, as views."""
    return Unstack(dim)(input)


@method("split")
@also_spelled(dim="axis", split_size="split_size_or_sections")
def split(tensor: Tensor, split_size_or_sections: Any, axis: int = 0) -> tuple[Tensor, ...]:
    """Split a tensor into parts of one length (the last may be shorter), or of a list of lengths.

    The parts are views. The lengths in a list must add up to the length of the axis.

    >>> [t.shape for t in split(Tensor(np.ones(5)), 2)]
    [(2,), (2,), (1,)]
    """
    check_tensors("split", tensor=tensor)
    sizes = to_static(split_size_or_sections)
    axis_index = check_axis("split", axis, tensor.ndim)
    total = tensor.shape[axis_index]
    if not isinstance(sizes, tuple):
        part_length = checks.integer("split", "split_size_or_sections", sizes, 1)
        # An axis of length 0 becomes one part.
        remainder = (total % part_length,) if total % part_length or not total else ()
        sizes = (part_length,) * (total // part_length) + remainder
    elif sum(check_shape("split", sizes, "split_size_or_sections")) != total:
        raise ValueError(f"split: split_size_or_sections must add up to {total}, got {sizes}.")
    return SplitV(sizes, axis_index, len(sizes))(tensor)


@method("chunk")
@also_spelled(dim="axis")
def chunk(input: Tensor, chunks: int, axis: int = 0) -> tuple[Tensor, ...]:
    """Split a tensor into at most ``chunks`` parts of one length, as views; the last may be
    shorter.

    An axis of length 0 becomes one part.

    >>> [t.shape for t in chunk(Tensor(np.ones(5)), 3)]
    [(2,), (2,), (1,)]
    """
    check_tensors("chunk", input=input)
    axis_index = check_axis("chunk", axis, input.ndim)
    part_length = -(-input.shape[axis_index] // checks.integer("chunk", "chunks", chunks, 1))
    return split(input, max(part_length, 1), axis_index)


@method("tensor_split")
@also_spelled(dim="axis")
def tensor_split(input: Tensor, indices_or_sections: Any, axis: int = 0) -> tuple[Tensor, ...]:
    """Split a tensor into parts that differ in length by at most 1, or at a list of indices.

    The parts are views. Negative indices count from the end, and indices are clipped to the axis,
    so that parts may be empty.

    >>> [t.shape for t in tensor_split(Tensor(np.ones(5)), 3)]
    [(2,), (2,), (1,)]
    """
    check_tensors("tensor_split", input=input)
    sections = to_static(indices_or_sections)
    axis_index = check_axis("tensor_split", axis, input.ndim)
    total = input.shape[axis_index]
    if isinstance(sections, tuple):
        for i in sections:
            checks.integer("tensor_split", "indices_or_sections", i)
        ends = [min(max(i + total if i < 0 else i, 0), total) for i in sections] + [total]
        sizes = tuple(max(b - a, 0) for a, b in zip([0, *ends[:-1]], ends, strict=True))
        starts = [0, *ends[:-1]]
    else:
        n = checks.integer("tensor_split", "indices_or_sections", sections, 1)
        sizes = tuple(total // n + (i < total % n) for i in range(n))
        starts = [sum(sizes[:i]) for i in range(n)]
    leading, trailing = input.shape[:axis_index], input.shape[axis_index + 1 :]
    return tuple(
        Slice()(input, (*[0] * len(leading), a, *[0] * len(trailing)), (*leading, n, *trailing))
        for a, n in zip(starts, sizes, strict=True)
    )


def _split_at_axis(
    api_name: str, input: Tensor, indices_or_sections: Any, axis: int
) -> tuple[Tensor, ...]:
    """Split ``input`` along ``axis`` as :func:`tensor_split` does.

    Raises:
        ValueError: the input has no such axis.
        TypeError: ``input`` is not a Tensor, or ``indices_or_sections`` has the wrong type.
    """
    check_tensors(api_name, input=input)
    if input.ndim <= axis:
        raise ValueError(
            f"{api_name}: input must have at least {axis + 1} axes, got {input.shape}."
        )
    if not isinstance(indices_or_sections, int | tuple | list):
        raise TypeError(
            f"{api_name}: indices_or_sections must be an int or a tuple or list of ints, got "
            f"{checks.format_value(indices_or_sections)}."
        )
    return tensor_split(input, indices_or_sections, axis)


@method("hsplit")
def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Split ``input`` along axis 1 as :func:`tensor_split` does; raise ValueError without that
    axis.
    """
    return _split_at_axis("hsplit", input, indices_or_sections, 1)


@method("vsplit")
def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Split ``input`` along axis 0 as :func:`tensor_split` does; raise ValueError if it is 0-d."""
    return _split_at_axis("vsplit", input, indices_or_sections, 0)


@method("dsplit")
def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Split ``input`` along axis 2 as :func:`tensor_split` does; raise ValueError without that
    axis.
    """
    return _split_at_axis("dsplit", input, indices_or_sections, 2)


__all__ = [
    "Split",
    "SplitV",
    "Unstack",
    "chunk",
    "dsplit",
    "hsplit",
    "split",
    "tensor_split",
    "unbind",
    "unstack",
    "vsplit",
]
