"""Ops that reverse, roll, rotate and repeat elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Arithmetic, Cotangents, Primitive
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.index.gather import Gather
from minispore.ops.shape.views import Reshape, swapaxes
from minispore.ops.support.arguments import (
    check_axes,
    check_axis,
    check_indices,
    check_shape,
    check_tensor_spec,
    check_tensors,
    to_static,
)
from minispore.ops.support.spelling import also_spelled


class ReverseV2(Primitive):
    """``x`` with the order of elements reversed along the axes ``axis``: a view.

    >>> print(ReverseV2((0,))(Tensor([1, 2, 3])))
    [3 2 1]
    """

    arithmetic = Arithmetic.NONE
    axis: Any

    def infer(self, x: Spec) -> Spec:
        """Return the spec of x; raise TypeError or ValueError unless the axes are valid and
        distinct.
        """
        check_axes(self.name, self.axis, check_tensor_spec(self.name, x).ndim)
        return x

    def view(self, x: np.ndarray) -> np.ndarray:
        return np.flip(x, self.axis)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.copyto(out, np.flip(x, self.axis))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: ReverseV2(self.axis)(dout),)


class ReverseSequence(Primitive):
    """``x`` with the first ``seq_lengths[b]`` elements along ``seq_dim`` of each sequence b
    reversed.

    >>> x = Tensor([[1, 2, 3], [4, 5, 6]])
    >>> print(ReverseSequence(1)(x, Tensor([2, 3])))
    [[2 1 3]
     [6 5 4]]
    """

    seq_dim: int
    batch_dim: int = 0

    def infer(self, x: Spec, lengths: Spec) -> Spec:
        """Return the spec of x; raise ValueError unless the axes differ and each batch element has
        a length.
        """
        seq_axis = check_axis(
            self.name, self.seq_dim, check_tensor_spec(self.name, x).ndim, "seq_dim"
        )
        batch_axis = check_axis(self.name, self.batch_dim, x.ndim, "batch_dim")
        if seq_axis == batch_axis:
            raise ValueError(
                f"{self.name}: seq_dim and batch_dim must differ, got {seq_axis} for both."
            )
        if check_indices(self.name, lengths, "seq_lengths").shape != (x.shape[batch_axis],):
            raise ValueError(
                f"{self.name}: seq_lengths must have shape {(x.shape[batch_axis],)}, got {lengths}."
            )
        return x

    def kernel(self, x: np.ndarray, lengths: np.ndarray, *, out: np.ndarray) -> None:
        """Permute each batch element along ``seq_dim``; raise ValueError for a length out of
        range.
        """
        seq_axis, batch_axis = self.seq_dim % x.ndim, self.batch_dim % x.ndim
        n = x.shape[seq_axis]
        if lengths.size and (lengths.min() < 0 or lengths.max() > n):
            raise ValueError(f"{self.name}: seq_lengths must be in [0, {n}], got {lengths}.")
        positions, row_lengths = np.arange(n), lengths[:, None]
        # (batch, seq)
        order = np.where(positions < row_lengths, row_lengths - 1 - positions, positions)
        shape = [1] * x.ndim
        shape[batch_axis], shape[seq_axis] = order.shape
        order = order.reshape(shape) if batch_axis < seq_axis else order.T.reshape(shape)
        out[...] = np.take_along_axis(x, order, seq_axis)

    def vjp(self, x: Tensor, lengths: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: ReverseSequence(self.seq_dim, self.batch_dim)(dout, lengths),)


class Roll(Primitive):
    """``x`` shifted cyclically along the axes ``dims``; without dims, x is shifted as a flat
    vector.

    >>> print(Roll(1, 0)(Tensor([1, 2, 3])))
    [3 1 2]
    """

    shifts: Any
    dims: Any = None

    def check(self) -> None:
        """Check shifts and dims, and set both as tuples, or dims as None.

        Raises:
            TypeError: one of them contains something other than ints.
            ValueError: their lengths differ, or there are several shifts without dims.
        """
        shifts = self.shifts if isinstance(self.shifts, tuple) else (self.shifts,)
        for s in shifts:
            checks.integer(self.name, "shifts", s)
        dims = (self.dims,) if isinstance(self.dims, int) else self.dims or None
        if dims is not None and not isinstance(dims, tuple):
            rule = "be an int or a tuple of ints"
            raise TypeError(checks.format_error(self.name, "dims", rule, checks.format_value(dims)))
        if dims is not None and len(dims) != len(shifts):
            raise ValueError(
                f"{self.name}: shifts and dims must be of one length, got {shifts} and {dims}."
            )
        if dims is None and len(shifts) != 1:
            raise ValueError(f"{self.name}: without dims, shifts must be one number, got {shifts}.")
        self.normalise(shifts=shifts, dims=dims)

    def infer(self, x: Spec) -> Spec:
        """Return the spec of x; raise TypeError or ValueError for an axis that x does not have."""
        check_tensor_spec(self.name, x)
        for d in self.dims or ():
            check_axis(self.name, d, x.ndim, "dims")
        return x

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        out[...] = np.roll(x, self.shifts if self.dims else self.shifts[0], self.dims)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: Roll(tuple(-s for s in self.shifts), self.dims)(dout),)


# -- functions ------------------------------------------------------------------------------------


@method("flip")
@also_spelled(axis="dims")
def flip(input: Tensor, dims: Any) -> Tensor:
    """Reverse the order of elements of ``input`` along ``dims``, a tuple or list of ints; an int
    raises TypeError.

    >>> print(flip(Tensor([[1, 2], [3, 4]]), (0,)))
    [[3 4]
     [1 2]]
    """
    if not isinstance(dims, tuple | list):
        raise TypeError(
            f"flip: dims must be a tuple or list of ints, got {checks.format_value(dims)}."
        )
    return ReverseV2(to_static(dims))(input)


@method("reverse")
def reverse(x: Tensor, axis: Any) -> Tensor:
    """Reverse the order of elements of ``x`` along ``axis``, an int or a tuple of ints."""
    return ReverseV2(axis)(x)


@method("fliplr")
def fliplr(input: Tensor) -> Tensor:
    """Reverse the order of elements along axis 1, the columns of a matrix."""
    return ReverseV2((1,))(input)


@method("flipud")
def flipud(input: Tensor) -> Tensor:
    """Reverse the order of elements along axis 0, the rows of a matrix."""
    return ReverseV2((0,))(input)


@method("reverse_sequence")
def reverse_sequence(x: Tensor, seq_lengths: Tensor, seq_dim: int, batch_dim: int = 0) -> Tensor:
    """Reverse the first ``seq_lengths[b]`` elements along ``seq_dim`` of each sequence b along
    ``batch_dim``; the others stay in place.
    """
    return ReverseSequence(seq_dim, batch_dim)(x, seq_lengths)


@method("roll")
@also_spelled(axis="dims")
def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """Shift ``input`` cyclically along ``dims``; elements that leave at one end reenter at the
    other.

    Without ``dims``, the flattened tensor is shifted and returned in the shape of ``input``.
    """
    return Roll(shifts, dims)(input)


@method("rot90")
def rot90(input: Tensor, k: int, dims: Any) -> Tensor:
    """Rotate ``input`` ``k`` times by 90 degrees, from the first of the two ``dims`` towards the
    second.

    A negative ``k`` rotates the other way; for multiples of 4, return ``input`` itself.

    >>> print(rot90(Tensor([[1, 2], [3, 4]]), 1, (0, 1)))
    [[2 4]
     [1 3]]
    """
    check_tensors("rot90", input=input)
    a, b = check_axes("rot90", to_static(dims), input.ndim, "dims")
    quarter_turns = checks.integer("rot90", "k", k) % 4
    if quarter_turns == 2:
        return ReverseV2((a, b))(input)
    if quarter_turns == 1:
        return swapaxes(ReverseV2((b,))(input), a, b)
    return ReverseV2((b,))(swapaxes(input, a, b)) if quarter_turns == 3 else input


@method("repeat_interleave")
@also_spelled(dim="axis")
def repeat_interleave(
    input: Tensor, repeats: Any, axis: int | None = None, output_size: int | None = None
) -> Tensor:
    """Repeat each slice along ``axis``, or each element without axis, ``repeats`` times.

    Args:
        input: the tensor.
        repeats: the number of repeats, an int or one per slice.
        axis: the axis; None repeats the elements of the flattened tensor.
        output_size: the total number of repeated slices, if known; any other number raises
            ValueError.

    >>> print(repeat_interleave(Tensor([1, 2]), 2), repeat_interleave(Tensor([1, 2]), [1, 3]))
    [1 1 2 2] [1 2 2 2]
    """
    check_tensors("repeat_interleave", input=input)
    if axis is None:
        input, axis = Reshape()(input, (-1,)), 0
    n = input.shape[check_axis("repeat_interleave", axis, input.ndim)]
    counts = check_shape("repeat_interleave", to_static(repeats), "repeats")
    if len(counts) not in (1, n):
        raise ValueError(
            f"repeat_interleave: repeats must hold 1 or {n} numbers for shape {input.shape}, got "
            f"{counts}."
        )
    indices = np.repeat(np.arange(n), counts if len(counts) > 1 else counts[0])
    if output_size not in (None, len(indices)):
        raise ValueError(
            f"repeat_interleave: output_size must be {len(indices)}, what repeats make, got "
            f"{output_size!r}."
        )
    return Gather()(input, Tensor(indices), axis)


def repeat_elements(x: Tensor, rep: int, axis: int = 0) -> Tensor:
    """Repeat each slice along ``axis`` ``rep`` times; raise ValueError for more than 7 axes."""
    check_tensors("repeat_elements", x=x)
    if x.ndim > 7:
        raise ValueError(f"repeat_elements: the rank of x must be at most 7, got {x.ndim}.")
    return repeat_interleave(x, checks.integer("repeat_elements", "rep", rep, 1), axis)


__all__ = [
    "ReverseSequence",
    "ReverseV2",
    "Roll",
    "flip",
    "fliplr",
    "flipud",
    "repeat_elements",
    "repeat_interleave",
    "reverse",
    "reverse_sequence",
    "roll",
    "rot90",
]
