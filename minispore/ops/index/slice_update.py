"""Ops that replace or extract slices and masked elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.elementwise.arithmetic import FloorMod
from minispore.ops.elementwise.extremes import Maximum, Minimum
from minispore.ops.index.gather import Gather, check_index_range
from minispore.ops.index.select import Select
from minispore.ops.index.subscript import GetItem, GetItemGrad, SetItem
from minispore.ops.shape.cast_fill import Cast, ZerosLike
from minispore.ops.shape.join import Slice
from minispore.ops.shape.views import Reshape
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.support.arguments import (
    check_axis,
    check_dtype,
    check_number,
    check_tensor_spec,
    check_tensors,
    to_static,
)
from minispore.ops.support.derive import _Composite
from minispore.ops.support.spelling import also_spelled

_ALL = ("slice", None, None, None)


def _index_at_axis(axis: int, index: Any) -> tuple[Any, ...]:
    """Return the static parts of an index, as :mod:`subscript` describes them: ``index`` at
    ``axis`` and ``:`` for all axes before it.
    """
    return (*(_ALL,) * axis, index)


class IndexFill(Primitive):
    """``x`` with ``value`` in its slices ``index`` along ``dim``.

    >>> import minispore as ms
    >>> print(IndexFill()(Tensor([[1, 2], [3, 4]]), 1, Tensor([0], ms.int32), Tensor(9)))
    [[9 2]
     [9 4]]
    """

    reuse = (0,)

    def __call__(self, x: Tensor, dim: Any, index: Tensor, value: Any) -> Tensor:
        return super().__call__(x, to_static(dim), index, value)

    def infer(self, x: Spec, dim: Any, index: Spec, value: Any) -> Spec:
        """Return the spec of x; raise unless index is int32 with at most 1 axis, and value a single
        number.
        """
        check_axis(self.name, dim, check_tensor_spec(self.name, x).ndim, "dim")
        if check_dtype(self.name, index, "index", "int32").ndim > 1:
            raise ValueError(f"{self.name}: index must be a vector, got {index}.")
        if not isinstance(value, Spec):
            check_number(self.name, value, "value")
        elif value.size != 1:
            raise ValueError(f"{self.name}: value must hold one element, got {value}.")
        return x

    def kernel(
        self, x: np.ndarray, dim: int, index: np.ndarray, value: Any, *, out: np.ndarray
    ) -> None:
        """Copy x and fill the slices; raise for an index out of range."""
        check_index_range(self.name, index, -x.shape[dim], x.shape[dim])
        np.copyto(out, x)
        np.moveaxis(out, dim, 0)[index] = (
            value.reshape(()) if isinstance(value, np.ndarray) else value
        )

    def vjp(
        self, x: Tensor, dim: int, index: Tensor, value: Any, *, out: Tensor, dout: Tensor
    ) -> Cotangents:
        """Return the gradient functions of x, 0 in the filled slices, and of value if it is a
        tensor.
        """

        def compute_dvalue() -> Tensor:
            is_filled = IndexFill()(ZerosLike()(dout), dim, index, 1)
            total = ReduceSum()(Select()(is_filled, dout, 0), tuple(range(dout.ndim)))
            return Cast()(Reshape()(total, value.shape), value.dtype)

        return (
            lambda: IndexFill()(dout, dim, index, 0),
            None,
            None,
            compute_dvalue if isinstance(value, Tensor) else None,
        )


class IndexPut(_Composite):
    """``x1`` with ``x2`` written, or with ``accumulate`` added, at ``indices``, one tensor per
    leading axis.

    >>> at = (Tensor([0, 1]), Tensor([1, 0]))
    >>> print(IndexPut()(Tensor([[1, 2], [3, 4]]), Tensor([8, 9]), at))
    [[1 8]
     [9 4]]
    """

    accumulate: int = 0

    def __call__(self, x1: Tensor, x2: Tensor, indices: Any) -> Tensor:
        """Write x2 at the positions, or add it with ``accumulate``; repeated positions add
        repeatedly.
        """
        if not isinstance(indices, tuple | list):
            raise TypeError(f"{self.name}: indices must be a tuple of Tensors, got {indices!r}.")
        parts = ("tensor",) * len(indices)
        if not self.accumulate:
            return SetItem()(x1, x2, parts, *indices)
        current = GetItem()(x1, parts, *indices)
        return x1 + GetItemGrad()(current * 0 + x2, x1.shape, parts, *indices)


class _RowUpdate(Primitive):
    """Base of ops that update the rows ``indices`` (an int or distinct ints) of a copy of ``x``."""

    indices: Any
    reuse = (0,)

    def check(self) -> None:
        """Check ``indices``, and normalise an int to a tuple of one."""
        rows = self.indices if isinstance(self.indices, tuple) else (self.indices,)
        for r in rows:
            checks.integer(self.name, "indices", r, 0)
        self.normalise(indices=rows)

    def infer(self, x: Spec, v: Spec) -> Spec:
        """Return the spec of x; raise unless the rows exist and input_v has one row for each."""
        rows = self.indices
        if any(r >= check_tensor_spec(self.name, x, "x").shape[0] for r in rows):
            raise ValueError(f"{self.name}: indices must be below {x.shape[0]}, got {rows}.")
        shape = (len(rows), *x.shape[1:])
        if check_tensor_spec(self.name, v, "input_v").shape != shape:
            raise ValueError(f"{self.name}: input_v must have shape {shape}, got {v}.")
        if v.dtype != x.dtype:
            raise TypeError(f"{self.name}: input_v must be of the dtype of x, got {v} for {x}.")
        return x

    def _make_row_tensor(self) -> Tensor:
        """Return the row numbers ``indices`` as an int64 tensor."""
        return Tensor(np.asarray(self.indices, np.int64))


class InplaceAdd(_RowUpdate):
    """``x`` with ``input_v`` added to its rows ``indices``.

    >>> print(InplaceAdd(1)(Tensor([[1, 2], [3, 4]]), Tensor([[10, 20]])))
    [[ 1  2]
     [13 24]]
    """

    def kernel(self, x: np.ndarray, v: np.ndarray, *, out: np.ndarray) -> None:
        """Write x with ``v`` added to its rows ``indices``."""
        np.copyto(out, x)
        np.add.at(out, list(self.indices), v)

    def vjp(self, x: Tensor, v: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return dout, lambda: Gather()(dout, self._make_row_tensor(), 0)


class InplaceSub(_RowUpdate):
    """``x`` with ``input_v`` subtracted from its rows ``indices``.

    >>> print(InplaceSub(1)(Tensor([[1, 2], [3, 4]]), Tensor([[1, 1]])))
    [[1 2]
     [2 3]]
    """

    def kernel(self, x: np.ndarray, v: np.ndarray, *, out: np.ndarray) -> None:
        """Write x with ``v`` subtracted from its rows ``indices``."""
        np.copyto(out, x)
        np.subtract.at(out, list(self.indices), v)

    def vjp(self, x: Tensor, v: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return dout, lambda: -Gather()(dout, self._make_row_tensor(), 0)


class InplaceUpdate(_RowUpdate):
    """``x`` with ``input_v`` as its rows ``indices``.

    >>> print(InplaceUpdate(1)(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[9.0, 9.0]])))
    [[1. 2.]
     [9. 9.]]
    """

    def kernel(self, x: np.ndarray, v: np.ndarray, *, out: np.ndarray) -> None:
        """Write x with ``v`` as its rows ``indices``."""
        np.copyto(out, x)
        out[list(self.indices)] = v

    def vjp(self, x: Tensor, v: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (
            lambda: InplaceUpdate(self.indices)(dout, ZerosLike()(v)),
            lambda: Gather()(dout, self._make_row_tensor(), 0),
        )


class InplaceUpdateV2(_Composite):
    """``x`` with ``v`` as its rows ``indices``, which are passed to the call.

    >>> print(InplaceUpdateV2()(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1, Tensor([[9.0, 9.0]])))
    [[1. 2.]
     [9. 9.]]
    """

    def __call__(self, x: Tensor, indices: Any, v: Tensor) -> Tensor:
        return InplaceUpdate(to_static(indices))(x, v)


class MaskedScatter(Primitive):
    """``x`` with the elements of ``source``, in order, where ``mask`` is True.

    >>> print(MaskedScatter()(Tensor([1, 2, 3]), Tensor([True, False, True]), Tensor([8, 9])))
    [8 2 9]
    """

    reuse = (0,)

    def infer(self, x: Spec, mask: Spec, source: Spec) -> Spec:
        """Return the spec of x; raise unless mask is bool and broadcasts, and source has the dtype
        of x.
        """
        if check_tensor_spec(self.name, mask, "mask").dtype.kind != "b":
            raise TypeError(f"{self.name}: mask must be a bool tensor, got {mask}.")
        check_tensor_spec(self.name, source, "source")
        if source.dtype != check_tensor_spec(self.name, x).dtype:
            raise TypeError(f"{self.name}: source must be of the dtype of x, got {source} for {x}.")
        try:
            is_broadcastable = np.broadcast_shapes(x.shape, mask.shape) == x.shape
        except ValueError:
            is_broadcastable = False
        if not is_broadcastable:
            raise ValueError(f"{self.name}: mask must broadcast to {x}, got {mask}.")
        return x

    def kernel(
        self, x: np.ndarray, mask: np.ndarray, source: np.ndarray, *, out: np.ndarray
    ) -> None:
        """Copy x, and write elements of source where the mask is True; raise if source has too
        few.
        """
        mask = np.broadcast_to(mask, x.shape)
        n = int(np.count_nonzero(mask))
        if n > source.size:
            raise ValueError(
                f"{self.name}: source must hold an element for each of the {n} in mask, got "
                f"{source.size}."
            )
        np.copyto(out, x)
        out[mask] = source.reshape(-1)[:n]

    def vjp(
        self, x: Tensor, mask: Tensor, source: Tensor, *, out: Tensor, dout: Tensor
    ) -> Cotangents:
        return (
            lambda: MaskedScatter()(dout, mask, ZerosLike()(source)),
            None,
            lambda: MaskedScatterGrad()(dout, mask, source.shape),
        )


class MaskedScatterGrad(Primitive):
    """The elements of ``dout`` where ``mask`` is True, in order, followed by zeros, in ``shape``.

    >>> print(MaskedScatterGrad()(Tensor([1.0, 2.0]), Tensor([False, True]), (2,)))
    [2. 0.]
    """

    def infer(self, dout: Spec, mask: Spec, shape: tuple[int, ...]) -> Spec:
        return Spec(shape, check_tensor_spec(self.name, dout).dtype)

    def kernel(self, dout: np.ndarray, mask: np.ndarray, shape: Any, *, out: np.ndarray) -> None:
        """Write the elements of ``dout`` where the mask is True, in order, followed by zeros."""
        elements = dout[np.broadcast_to(mask, dout.shape)]
        flat = np.zeros(out.size, out.dtype)
        flat[: elements.size] = elements
        out[...] = flat.reshape(shape)

    def vjp(self, d: Tensor, mask: Tensor, shape: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: MaskedScatter()(ZerosLike()(d), mask, dout),)


# -- functions ------------------------------------------------------------------------------------


@method("narrow")
@also_spelled(dim="axis")
def narrow(input: Tensor, axis: int, start: Any, length: int) -> Tensor:
    """Return a view of ``length`` slices along ``axis``, beginning at ``start``.

    >>> print(narrow(Tensor([1, 2, 3, 4]), 0, 1, 2))
    [2 3]
    """
    check_tensors("narrow", input=input)
    axis_index, begin_index = check_axis("narrow", axis, input.ndim), to_static(start)
    n = input.shape[axis_index]
    if not -n <= checks.integer("narrow", "start", begin_index) <= n:
        raise ValueError(f"narrow: start must be in [{-n}, {n}], got {begin_index}.")
    begin_index += n if begin_index < 0 else 0
    if not 0 <= checks.integer("narrow", "length", length) <= n - begin_index:
        raise ValueError(f"narrow: length must be in [0, {n - begin_index}], got {length}.")
    begin = tuple(begin_index if i == axis_index else 0 for i in range(input.ndim))
    size = tuple(length if i == axis_index else d for i, d in enumerate(input.shape))
    return Slice()(input, begin, size)


@method("index_fill")
@also_spelled(dim="axis")
def index_fill(x: Tensor, axis: int, index: Tensor, value: Any) -> Tensor:
    """Return ``x`` with ``value`` in its slices ``index`` along ``axis``."""
    return IndexFill()(x, axis, index, value)


def inplace_add(x: Tensor, v: Tensor, indices: Any) -> Tensor:
    """Return ``x`` with ``v`` added to its rows ``indices``; ``x`` itself does not change."""
    return InplaceAdd(indices)(x, v)


def inplace_sub(x: Tensor, v: Tensor, indices: Any) -> Tensor:
    """Return ``x`` with ``v`` subtracted from its rows ``indices``; ``x`` itself does not
    change.
    """
    return InplaceSub(indices)(x, v)


@method("inplace_update")
def inplace_update(x: Tensor, v: Tensor, indices: Any) -> Tensor:
    """Return ``x`` with ``v`` as its rows ``indices``; ``x`` itself does not change."""
    return InplaceUpdate(to_static(indices))(x, v)


@method("masked_scatter")
def masked_scatter(x: Tensor, mask: Tensor, tensor: Tensor) -> Tensor:
    """Return ``x`` with the elements of ``tensor``, in order, where ``mask`` is True."""
    return MaskedScatter()(x, mask, tensor)


@method("index_put")
def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """Return ``input`` with ``values`` written, or with ``accumulate`` added, at ``indices``, one
    tensor per leading axis.
    """
    return IndexPut(int(accumulate))(input, values, indices)


@method("index_put_")
def _index_put_in_place(
    self: Tensor, indices: Any, values: Tensor, accumulate: bool = False
) -> Tensor:
    """Replace the tensor in place by the result of ``index_put``, and return it."""
    return self._write_in_place(index_put(self, indices, values, accumulate))


@method("select_scatter")
def select_scatter(input: Tensor, src: Tensor, axis: int, index: int) -> Tensor:
    """Return ``input`` with ``src`` as its slice ``index`` along ``axis``.

    >>> print(select_scatter(Tensor([[1, 2], [3, 4]]), Tensor([8, 9]), 1, 0))
    [[8 2]
     [9 4]]
    """
    check_tensors("select_scatter", input=input, src=src)
    axis_index = check_axis("select_scatter", axis, input.ndim)
    required_shape = input.shape[:axis_index] + input.shape[axis_index + 1 :]
    if src.shape != required_shape:
        raise ValueError(f"select_scatter: src must have shape {required_shape}, got {src.shape}.")
    checks.integer("select_scatter", "index", index)
    return SetItem()(input, src, _index_at_axis(axis_index, index))


@method("slice_scatter")
def slice_scatter(
    input: Tensor, src: Tensor, axis: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Tensor:
    """Return ``input`` with ``src`` as its slices start:end:step along ``axis``.

    >>> print(slice_scatter(Tensor([1, 2, 3, 4]), Tensor([8, 9]), start=1, step=2))
    [1 8 3 9]
    """
    check_tensors("slice_scatter", input=input, src=src)
    axis_index = check_axis("slice_scatter", axis, input.ndim)
    index = _index_at_axis(axis_index, ("slice", start, end, step))
    required_shape = GetItem()(input, index).shape
    if src.shape != required_shape:
        raise ValueError(f"slice_scatter: src must have shape {required_shape}, got {src.shape}.")
    return SetItem()(input, src, index)


@method("take")
@also_spelled(index="indices")
def _take_method(
    self: Tensor, indices: Tensor, axis: int | None = None, mode: str = "clip"
) -> Tensor:
    """Return elements, or slices along ``axis``, at ``indices``.

    Depending on ``mode``, indices out of range are clipped, wrapped or raise an error.

    >>> print(Tensor([5, 6, 7]).take(Tensor([0, 9])))
    [5 7]
    """
    if mode not in ("clip", "wrap", "raise"):
        raise ValueError(f"take: mode must be 'clip', 'wrap' or 'raise', got {mode!r}.")
    x = Reshape()(self, (-1,)) if axis is None else self
    take_axis = 0 if axis is None else axis
    n = x.shape[check_axis("take", take_axis, x.ndim)]
    if mode == "clip":
        indices = Minimum()(Maximum()(indices, -n), n - 1)
    elif mode == "wrap":
        indices = FloorMod()(indices, n)
    return Gather()(x, indices, take_axis)


def take(input: Tensor, index: Tensor) -> Tensor:
    """Return the elements at ``index`` of the flattened tensor.

    >>> print(take(Tensor([[1, 2], [3, 4]]), Tensor([3, 0])))
    [4 1]
    """
    return Gather()(Reshape()(input, (-1,)), index, 0)


__all__ = [
    "IndexFill",
    "IndexPut",
    "InplaceAdd",
    "InplaceSub",
    "InplaceUpdate",
    "InplaceUpdateV2",
    "MaskedScatter",
    "index_fill",
    "inplace_add",
    "inplace_sub",
    "inplace_update",
    "masked_scatter",
    "narrow",
    "select_scatter",
    "slice_scatter",
    "take",
]
