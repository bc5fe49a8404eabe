"""Ops that return the same elements in another shape, as views where the memory layout allows
it.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from minispore.core.primitive import Arithmetic, Cotangents, Primitive
from minispore.core.tensor import Tensor, call, method
from minispore.core.views import scatter_by_vjp
from minispore.execution.layout import make_copy_call
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import unbroadcast
from minispore.ops.support.arguments import (
    check_axes,
    check_axis,
    check_shape,
    check_tensor_spec,
    check_tensors,
    to_static,
)
from minispore.ops.support.spelling import also_spelled


class _ReshapeOp(Primitive):
    """Base of ops whose output is ``x.reshape(shape)``, where the op infers ``shape``."""

    def compute_shape(self, x: np.ndarray, *args: Any) -> tuple[int, ...]:
        """Return the output shape for an array ``x``; by default the one that ``infer`` returns."""
        return self.infer(Spec(x.shape, x.dtype), *args).shape

    def view(self, x: np.ndarray, *args: Any) -> np.ndarray | None:
        """Return the reshaped view of ``x``, or None if its memory layout requires a copy."""
        reshaped = x.reshape(self.compute_shape(x, *args))
        return reshaped if x.flags.c_contiguous or np.may_share_memory(reshaped, x) else None

    def kernel(self, x: np.ndarray, *args: Any, out: np.ndarray) -> None:
        if out.flags.c_contiguous:
            make_copy_call(out.reshape(x.shape), x)()
        else:  # reshaping out would copy it
            make_copy_call(out, x.reshape(out.shape))()

    def vjp(self, x: Tensor, *args: Any, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x, which reshapes the cotangent; other arguments have no
        gradient.
        """
        return (lambda: Reshape()(dout, x.shape),)


class Reshape(_ReshapeOp):
    """The elements of ``x``, in row-major order, in ``shape``; one length may be -1.

    >>> Reshape()(Tensor([[1, 2, 3], [4, 5, 6]]), (3, -1)).shape
    (3, 2)
    """

    arithmetic = Arithmetic.NONE
    scatter_view = scatter_by_vjp

    def __call__(self, input: Tensor, shape: Any) -> Tensor:
        """Return the elements of ``input`` in ``shape``, which may be a tensor."""
        return super().__call__(input, to_static(shape))

    def compute_shape(self, x: np.ndarray, shape: Any) -> Any:
        """Return ``shape`` itself, whose -1 NumPy resolves unless x is empty."""
        return shape if x.size else super().compute_shape(x, shape)

    def infer(self, x: Spec, shape: Any) -> Spec:
        """Return the spec with -1 resolved; raise ValueError unless the number of elements is the
        same.
        """
        check_tensor_spec(self.name, x)
        dims = check_shape(self.name, shape, least=-1)
        if dims.count(-1) == 1:
            inferred_size = -prod(dims)  # if it is 0, -1 becomes 0, so that a batch may be empty
            is_divisible = x.size % inferred_size == 0 if inferred_size else x.size == 0
            if is_divisible:
                dims = tuple(x.size // (inferred_size or 1) if d == -1 else d for d in dims)
        if -1 in dims or prod(dims) != x.size:
            raise ValueError(
                f"{self.name}: shape must hold the {x.size} elements of {x}, got {shape}."
            )
        return Spec(dims, x.dtype)


class Flatten(_ReshapeOp):
    """``x`` with all axes but the first merged.  x: (N, ...) -> (N, M).

    >>> Flatten()(Tensor(np.zeros((2, 3, 4)))).shape
    (2, 12)
    """

    arithmetic = Arithmetic.NONE

    def infer(self, x: Spec) -> Spec:
        """Return the spec (N, M); raise ValueError for a 0-d input."""
        if check_tensor_spec(self.name, x).ndim < 1:
            raise ValueError(f"{self.name}: input must have at least 1 axis, got {x}.")
        return Spec((x.shape[0], prod(x.shape[1:])), x.dtype)


class ExpandDims(_ReshapeOp):
    """``input_x`` with a new axis of length 1 at ``axis``.

    >>> ExpandDims()(Tensor([1, 2]), -1).shape
    (2, 1)
    """

    arithmetic = Arithmetic.NONE
    scatter_view = scatter_by_vjp

    def __call__(self, input_x: Tensor, axis: Any) -> Tensor:
        """Return the tensor with a new axis at ``axis``, which may be a tensor."""
        return super().__call__(input_x, to_static(axis))

    def infer(self, x: Spec, axis: Any) -> Spec:
        """Return the spec with the new axis; raise TypeError or ValueError for an invalid axis."""
        axis_index = check_axis(self.name, axis, check_tensor_spec(self.name, x).ndim + 1)
        return Spec((*x.shape[:axis_index], 1, *x.shape[axis_index:]), x.dtype)


class Squeeze(_ReshapeOp):
    """Removes all axes of length 1, or only those among ``axis``; other lengths are kept.

    >>> Squeeze(0)(Tensor([[[1], [2]]])).shape
    (2, 1)
    """

    arithmetic = Arithmetic.NONE
    scatter_view = scatter_by_vjp
    axis: Any = ()

    def infer(self, x: Spec) -> Spec:
        """Return the spec without axes of length 1; a longer axis among ``axis`` is kept."""
        check_tensor_spec(self.name, x)
        if self.axis in ((), None) or (not x.ndim and self.axis in (0, -1)):
            return Spec(tuple(d for d in x.shape if d != 1), x.dtype)
        drop = check_axes(self.name, self.axis, x.ndim)
        return Spec(tuple(d for i, d in enumerate(x.shape) if d != 1 or i not in drop), x.dtype)


class Transpose(Primitive):
    """The tensor with its axes in the order ``dims``.

    >>> Transpose()(Tensor(np.zeros((2, 3, 4))), (2, 0, 1)).shape
    (4, 2, 3)
    """

    arithmetic = Arithmetic.NONE
    scatter_view = scatter_by_vjp

    def __call__(self, input: Tensor, dims: Any) -> Tensor:
        """Return ``input`` with its axes in the order ``dims``, a tuple, list or tensor."""
        perm = to_static(dims)
        return super().__call__(input, perm if isinstance(perm, tuple) else (perm,))

    def infer(self, x: Spec, perm: Any) -> Spec:
        """Return the spec in the new order; raise ValueError unless ``perm`` has each axis once."""
        order = check_axes(self.name, perm, check_tensor_spec(self.name, x).ndim, "perm")
        if len(order) != x.ndim:
            raise ValueError(
                f"{self.name}: perm must name each of the {x.ndim} axes of {x} once, got {perm}."
            )
        return Spec(tuple(x.shape[i] for i in order), x.dtype)

    def view(self, x: np.ndarray, perm: Any) -> np.ndarray:
        return x.transpose(perm)

    def kernel(self, x: np.ndarray, perm: Any, *, out: np.ndarray) -> None:
        make_copy_call(out, x.transpose(perm))()

    def vjp(self, x: Tensor, perm: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        inverse = sorted(range(x.ndim), key=[i % x.ndim for i in perm].__getitem__)
        return (lambda: Transpose()(dout, tuple(inverse)),)


class BroadcastTo(Primitive):
    """``x`` repeated along its axes of length 1 to ``shape``, whose additional axes come first; -1
    keeps a length.

    >>> print(BroadcastTo((2, -1))(Tensor([[1, 2]])))
    [[1 2]
     [1 2]]
    """

    arithmetic = Arithmetic.NONE
    shape: Any

    def infer(self, x: Spec) -> Spec:
        """Return the spec with -1 replaced by the length of x; raise ValueError unless x broadcasts
        to this shape.
        """
        dims = check_shape(self.name, self.shape, least=-1)
        new_axes = len(dims) - check_tensor_spec(self.name, x).ndim
        if (
            new_axes < 0
            or any(d != -1 and n not in (1, d) for d, n in zip(dims[new_axes:], x.shape))
            or -1 in dims[:new_axes]
        ):
            raise ValueError(
                f"{self.name}: shape must be one that {x} can be repeated to (aligned at the last "
                f"axis, each length equal, 1 in the input, or -1), got {self.shape}."
            )
        lengths = [x.shape[i - new_axes] if d == -1 else d for i, d in enumerate(dims)]
        return Spec(tuple(lengths), x.dtype)

    def view(self, x: np.ndarray) -> np.ndarray:
        """Return x broadcast to the shape, as a read-only view."""
        return np.broadcast_to(x, self.infer(Spec(x.shape, x.dtype)).shape)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.copyto(out, x)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: unbroadcast(dout, x),)


class Tile(Primitive):
    """``input`` repeated ``dims[i]`` times along axis i; the shorter of dims and the shape is
    extended by leading ones.

    >>> print(Tile()(Tensor([1, 2]), (2, 2)))
    [[1 2 1 2]
     [1 2 1 2]]
    """

    def __call__(self, input: Tensor, dims: Any) -> Tensor:
        """Return ``input`` repeated; ``dims`` may be a tensor."""
        return super().__call__(input, to_static(dims))

    def _align_ranks(self, x: Any, multiples: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the repeats and lengths of all axes; the shorter list is padded with leading
        ones.
        """
        m = multiples if isinstance(multiples, tuple) else (multiples,)
        rank = max(len(m), len(x.shape))
        return (1,) * (rank - len(m)) + m, (1,) * (rank - len(x.shape)) + tuple(x.shape)

    def infer(self, x: Spec, multiples: Any) -> Spec:
        """Return the spec of the repeated x; raise TypeError or ValueError unless the repeats are
        ints of at least 0.
        """
        check_tensor_spec(self.name, x)
        check_shape(self.name, multiples, "multiples")
        repeats, lengths = self._align_ranks(x, multiples)
        return Spec(tuple(m * d for m, d in zip(repeats, lengths, strict=True)), x.dtype)

    def kernel(self, x: np.ndarray, multiples: Any, *, out: np.ndarray) -> None:
        repeats, lengths = self._align_ranks(x, multiples)
        split = [n for pair in zip(repeats, lengths, strict=True) for n in pair]  # m0, d0, m1...
        unrepeated = [n for d in lengths for n in (1, d)]
        np.copyto(out.reshape(split), x.reshape(unrepeated))  # splitting an axis is always a view

    def vjp(self, x: Tensor, multiples: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x, which sums the cotangent over the repeats."""
        repeats, lengths = self._align_ranks(x, multiples)
        split = tuple(n for pair in zip(repeats, lengths, strict=True) for n in pair)

        def compute_dx() -> Tensor:
            """Compute the gradient of x: the sum of ``dout`` over the repetitions."""
            split_dout = Reshape()(dout, split)
            return Reshape()(call("ReduceSum", split_dout, tuple(range(0, len(split), 2))), x.shape)

        return (compute_dx,)


# -- functions ------------------------------------------------------------------------------------

_reshape, _transpose = Reshape(), Transpose()


def reshape(input: Tensor, shape: Any) -> Tensor:
    """Return the elements of ``input``, in row-major order, in ``shape``; one length may be -1.

    The result is a view where the memory layout allows it. Raises ValueError if the number of
    elements differs.
    """
    return _reshape(input, shape)


def transpose(input: Tensor, dims: Any) -> Tensor:
    """Return a view of the tensor with its axes in the order ``dims``, each exactly once."""
    return _transpose(input, dims)


def permute(input: Tensor, axis: Any) -> Tensor:
    """Return a view of the tensor with its axes in the order ``axis``, each exactly once."""
    return _transpose(input, axis)


@method("expand_dims")
def expand_dims(input_x: Tensor, axis: int) -> Tensor:
    """Return the tensor with a new axis of length 1 at ``axis``; negative numbers count from the
    end of the result.
    """
    return ExpandDims()(input_x, axis)


@method("unsqueeze")
@also_spelled(axis="dim")
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """Return the tensor with a new axis of length 1 at ``dim``; negative numbers count from the end
    of the result.
    """
    return ExpandDims()(input, dim)


@also_spelled(dim="axis")
def squeeze(input: Tensor, axis: Any = None) -> Tensor:
    """Remove all axes of length 1, or only those among ``axis``; axes of another length are
    kept.
    """
    return Squeeze(axis)(input)


@also_spelled(input_x="input", size="shape")
def broadcast_to(input: Tensor, shape: Any) -> Tensor:
    """Repeat ``input`` along axes of length 1 to ``shape``, whose additional axes come first.

    -1 keeps a length. Raises ValueError if ``input`` does not broadcast to ``shape``.
    """
    return BroadcastTo(to_static(shape))(input)


def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """Repeat ``input`` along axes of length 1, and new leading axes, to the shape of ``other``."""
    check_tensors("expand_as", input=input, other=other)
    return BroadcastTo(other.shape)(input)


def view_as(input: Tensor, other: Tensor) -> Tensor:
    """Return the elements of ``input``, in row-major order, in the shape of ``other``."""
    check_tensors("view_as", input=input, other=other)
    return _reshape(input, other.shape)


def tile(input: Tensor, dims: Any) -> Tensor:
    """Repeat ``input`` ``dims[i]`` times end to end along axis i.

    The shorter of ``dims`` and the shape is extended by leading ones.
    """
    return Tile()(input, dims)


def flatten(input: Tensor, order: str = "C", *, start_dim: int = 1, end_dim: int = -1) -> Tensor:
    """Merge the axes from ``start_dim`` to ``end_dim``; order "F" reverses the axes first.

    A 0-d tensor becomes a vector of one element.

    >>> flatten(Tensor(np.zeros((2, 3, 4))), start_dim=0, end_dim=1).shape
    (6, 4)
    """
    check_tensors("flatten", input=input)
    if order not in ("C", "F"):
        raise ValueError(f"flatten: order must be 'C' or 'F', got {order!r}.")
    if order == "F":
        input = _transpose(input, tuple(range(input.ndim))[::-1])
    axes = max(input.ndim, 2 if start_dim == 1 else 1)  # the default of 1 is valid for vectors, too
    first_axis = check_axis("flatten", start_dim, axes, "start_dim")
    last_axis = check_axis("flatten", end_dim, axes, "end_dim")
    if input.ndim < 2:
        return _reshape(input, (-1,))
    if first_axis > last_axis:
        raise ValueError(f"flatten: start_dim must be <= end_dim, got {start_dim} and {end_dim}.")
    merged_length = prod(input.shape[first_axis : last_axis + 1])
    return _reshape(
        input, (*input.shape[:first_axis], merged_length, *input.shape[last_axis + 1 :])
    )


@method("ravel")
def ravel(input: Tensor) -> Tensor:
    """Merge all axes into one, in row-major order."""
    return _reshape(input, (-1,))


@method("swapaxes")
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """Return ``input`` with two axes swapped, as a view.

    >>> swapaxes(Tensor(np.zeros((2, 3, 4))), 0, -1).shape
    (4, 3, 2)
    """
    check_tensors("swapaxes", input=input)
    a, b = (check_axis("swapaxes", x, input.ndim) for x in (axis0, axis1))
    return _transpose(input, tuple([{a: b, b: a}.get(i, i) for i in range(input.ndim)]))


@method("swapdims")
def swapdims(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Return ``input`` with two axes swapped, as a view."""
    return swapaxes(input, dim0, dim1)


@method("movedim")
def movedim(x: Tensor, source: Any, destination: Any) -> Tensor:
    """Move the axes ``source``, an int or tuple, to ``destination``; the others keep their order.

    Raises a ValueError unless both have the same number of distinct axes.

    >>> movedim(Tensor(np.zeros((2, 3, 4))), 0, -1).shape
    (3, 4, 2)
    """
    check_tensors("movedim", x=x)
    src = check_axes("movedim", to_static(source), x.ndim, "source")
    dst = check_axes("movedim", to_static(destination), x.ndim, "destination")
    if len(src) != len(dst):
        raise ValueError(
            f"movedim: source and destination must be of equal length, got {source} and "
            f"{destination}."
        )
    order = [i for i in range(x.ndim) if i not in src]
    for d, s in sorted(zip(dst, src, strict=True)):
        order.insert(d, s)
    return _transpose(x, tuple(order))


@method("moveaxis")
def moveaxis(x: Tensor, source: Any, destination: Any) -> Tensor:
    """Move the axes ``source``, an int or tuple, to ``destination``, as :func:`movedim` does; the
    others keep their order.
    """
    return movedim(x, source, destination)


@method("t")
def t(input: Tensor) -> Tensor:
    """Transpose a matrix, as a view; return any other tensor itself."""
    check_tensors("t", input=input)
    return _transpose(input, (1, 0)) if input.ndim == 2 else input


__all__ = [
    "BroadcastTo",
    "ExpandDims",
    "Flatten",
    "Reshape",
    "Squeeze",
    "Tile",
    "Transpose",
    "broadcast_to",
    "expand_as",
    "expand_dims",
    "flatten",
    "moveaxis",
    "movedim",
    "permute",
    "ravel",
    "reshape",
    "squeeze",
    "swapaxes",
    "swapdims",
    "t",
    "tile",
    "transpose",
    "unsqueeze",
    "view_as",
]
