"""Scatter ops: they write values at indices of a tensor, or combine them with its elements."""

from __future__ import annotations

from math import prod
from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Cotangents, Primitive
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.arithmetic import Div
from minispore.ops.elementwise.compare import Equal
from minispore.ops.index.gather import (
    GatherD,
    GatherNd,
    add_rows,
    check_coordinates_spec,
    check_index_range,
    compute_coordinate_rows,
    make_axis_index,
)
from minispore.ops.index.select import Select
from minispore.ops.shape.cast_fill import Cast, Fill, ZerosLike
from minispore.ops.shape.join import Slice
from minispore.ops.support.arguments import (
    check_axis,
    check_indices,
    check_tensor_spec,
    check_tensors,
)
from minispore.ops.support.spelling import also_spelled

_UFUNCS_AT = {
    "mul": np.multiply.at,
    "div": np.divide.at,
    "max": np.maximum.at,
    "min": np.minimum.at,
}


def _divide_rows(table: np.ndarray, rows: np.ndarray, values: np.ndarray) -> None:
    """Divide integer rows of ``table`` in place; a repeated row is divided by its values one after
    another.
    """
    pending = np.arange(rows.size)
    while pending.size:  # the first pending division of each row
        first_of_row = np.unique(rows[pending], return_index=True)[1]
        selected = pending[first_of_row]
        table[rows[selected]] = _divide_truncating(table[rows[selected]], values[selected])
        pending = np.delete(pending, first_of_row)


def _divide_truncating(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return x / y truncated towards 0.

    As in MindSpore, division by 0 gives the dtype's largest or smallest number, and 0 / 0 is 0.
    """
    limits = np.iinfo(x.dtype)
    with np.errstate(divide="ignore", over="ignore"):
        floored = np.floor_divide(x, y)
    round_up = (floored * y != x) & ((x < 0) != (y < 0))
    saturated = np.where(x > 0, limits.max, np.where(x < 0, limits.min, 0)).astype(x.dtype)
    return np.where(y == 0, saturated, floored + round_up)


class _Scatter(Primitive):
    """Base of ops that combine ``updates`` with the elements of ``x`` at target positions.

    Subclasses define the combination ``how``, ``find_rows`` (the target rows of the flattened x)
    and ``gather_targets`` (the elements at these positions).
    """

    how: ClassVar[str] = "update"
    index_dtypes: ClassVar[tuple[Any, ...]] = (np.dtype("int32"), np.dtype("int64"))
    reuse: ClassVar[tuple[int, ...]] = (0,)

    def find_rows(self, x: Any, indices: Any) -> tuple[Any, int]:
        """Return the target rows of x, viewed as (rows, width), and their width; raise for indices
        out of range. Subclasses override it.
        """
        raise TypeError(f"{self.name}: has no places.")

    def gather_targets(self, x: Tensor, indices: Tensor) -> Tensor:
        """Return the elements of x at the target positions; subclasses override it."""
        raise TypeError(f"{self.name}: picks nothing.")

    def compute_updates_shape(self, x: Spec, indices: Spec) -> tuple[int, ...]:
        """Return the shape that updates must have; subclasses override it."""
        raise TypeError(f"{self.name}: has no updates.")

    def infer(self, x: Spec, indices: Spec, updates: Spec) -> Spec:
        """Return the spec of x; raise unless indices are int32 or int64 and updates have the right
        shape and dtype.
        """
        check_tensor_spec(self.name, x, "input_x")
        if check_indices(self.name, indices).dtype not in self.index_dtypes:
            raise TypeError(f"{self.name}: indices must be int32 or int64, got {indices}.")
        required_shape = self.compute_updates_shape(x, indices)
        if check_tensor_spec(self.name, updates, "updates").shape != required_shape:
            raise ValueError(
                f"{self.name}: updates must have shape {required_shape}, got {updates}."
            )
        if updates.dtype != x.dtype:
            raise TypeError(
                f"{self.name}: updates must be of the input's dtype, got {updates} for {x}."
            )
        return x

    def kernel(
        self, x: np.ndarray, indices: np.ndarray, updates: np.ndarray, *, out: np.ndarray
    ) -> None:
        """Copy ``x`` unless ``out`` is x itself, and combine the updates with its target rows by
        ``how``.
        """
        rows, width = self.find_rows(x, indices)
        # The scatter writes into a view of rows, which needs a contiguous array.
        result = out if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
        if result is not x:
            np.copyto(result, x)
        if not updates.size:
            if result is not out:
                np.copyto(out, result)
            return
        table, values = result.reshape(-1, max(width, 1)), updates.reshape(rows.size, -1)
        rows = rows.reshape(-1)
        if self.how == "update":
            table[rows] = values
        elif self.how == "add":
            add_rows(table, rows, values)
        elif self.how == "sub":
            add_rows(table, rows, -values)
        elif self.how == "div" and table.dtype.kind in "iu":
            _divide_rows(table, rows, values)
        else:
            with np.errstate(divide="ignore", invalid="ignore"):
                _UFUNCS_AT[self.how](table, rows, values)
        if result is not out:
            np.copyto(out, result)

    def vjp(
        self, x: Tensor, indices: Tensor, updates: Tensor, *, out: Tensor, dout: Tensor
    ) -> Cotangents:
        """Return the gradient functions for ``how``; ties of max and min share the cotangent."""
        if self.how in ("add", "sub"):
            sign = 1 if self.how == "add" else -1
            return dout, None, lambda: self.gather_targets(dout, indices) * sign
        if self.how == "update":
            return (
                lambda: self._scatter_copy(dout, indices, ZerosLike()(updates)),
                None,
                lambda: self.gather_targets(dout, indices),
            )
        if self.how in ("mul", "div"):  # with distinct indices; as in MindSpore

            def compute_dupdates() -> Tensor:
                """Compute the gradient of the updates for "mul" and "div"."""
                scaled = self.gather_targets(dout * x, indices)
                return scaled if self.how == "mul" else -scaled / (updates * updates)

            return lambda: self._scatter_copy(dout, indices, updates), None, compute_dupdates

        def split_among_ties() -> tuple[Tensor, Tensor, Tensor]:
            """Return where x and updates are the extreme, and dout divided by the number of
            ties.
            """
            is_x_extreme = Equal()(x, out)
            is_update_extreme = Equal()(updates, self.gather_targets(out, indices))
            counts = (Cast()(a, x.dtype) for a in (is_x_extreme, is_update_extreme))
            ties = self._scatter_add(next(counts), indices, next(counts))
            return is_x_extreme, is_update_extreme, Div()(dout, ties)

        def compute_dx() -> Tensor:
            """Compute the gradient of x for "max" and "min"."""
            is_x_extreme, _, share = split_among_ties()
            return Select()(is_x_extreme, share, 0)

        def compute_extreme_dupdates() -> Tensor:
            """Compute the gradient of the updates for "max" and "min"."""
            _, is_update_extreme, share = split_among_ties()
            return Select()(is_update_extreme, self.gather_targets(share, indices), 0)

        return compute_dx, None, compute_extreme_dupdates

    def _scatter_copy(self, x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        """Return the result of this scatter with x unchanged; ops that write into x override it."""
        return self(x, indices, updates)

    def _scatter_add(self, x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        """Return x with ``updates`` added at the target positions of this scatter.

        The gradients of max and min count ties with it; the base raises a TypeError.
        """
        raise TypeError(f"{self.name}: adds nothing.")


class _ScatterNd(_Scatter):
    """A scatter at coordinates: ``indices`` (..., K) index the first K axes of x."""

    def compute_updates_shape(self, x: Spec, indices: Spec) -> tuple[int, ...]:
        k = check_coordinates_spec(self.name, indices, x.ndim)
        return indices.shape[:-1] + x.shape[k:]

    def find_rows(self, x: np.ndarray, indices: np.ndarray) -> tuple[Any, int]:
        """Return the flat row of each coordinate and the length of a row; raise for indices out of
        range.
        """
        rows = compute_coordinate_rows(self.name, indices, x.shape)
        return rows, prod(x.shape[indices.shape[-1] :])

    def gather_targets(self, x: Tensor, indices: Tensor) -> Tensor:
        """Return the elements of ``x`` at the coordinates ``indices``."""
        return GatherNd()(x, indices)

    def _scatter_add(self, x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        """Return a copy of ``x`` with ``updates`` added at the coordinates ``indices``."""
        return TensorScatterAdd()(x, indices, updates)


class TensorScatterUpdate(_ScatterNd):
    """``x`` with ``updates`` written at coordinates.

    >>> print(TensorScatterUpdate()(Tensor([1, 2, 3]), Tensor([[1]]), Tensor([9])))
    [1 9 3]
    """


class TensorScatterAdd(_ScatterNd):
    """``x`` with ``updates`` added at coordinates.

    >>> print(TensorScatterAdd()(Tensor([1, 2, 3]), Tensor([[1], [1]]), Tensor([10, 20])))
    [ 1 32  3]
    """

    how = "add"


class TensorScatterSub(_ScatterNd):
    """``x`` with ``updates`` subtracted at coordinates.

    >>> print(TensorScatterSub()(Tensor([1, 2, 3]), Tensor([[1], [1]]), Tensor([10, 20])))
    [  1 -28   3]
    """

    how = "sub"


class TensorScatterMul(_ScatterNd):
    """``x`` multiplied by ``updates`` at coordinates.

    >>> print(TensorScatterMul()(Tensor([1, 2, 3]), Tensor([[1]]), Tensor([10])))
    [ 1 20  3]
    """

    how = "mul"


class TensorScatterDiv(_ScatterNd):
    """``x`` divided by ``updates`` at coordinates.

    >>> print(TensorScatterDiv()(Tensor([1.0, 2.0]), Tensor([[1]]), Tensor([4.0])))
    [1.  0.5]
    """

    how = "div"


class TensorScatterMax(_ScatterNd):
    """The greater of ``x`` and ``updates`` at coordinates.

    >>> print(TensorScatterMax()(Tensor([1, 2, 3]), Tensor([[0], [1]]), Tensor([5, 0])))
    [5 2 3]
    """

    how = "max"


class TensorScatterMin(_ScatterNd):
    """The lesser of ``x`` and ``updates`` at coordinates.

    >>> print(TensorScatterMin()(Tensor([1, 2, 3]), Tensor([[0], [1]]), Tensor([5, 0])))
    [1 0 3]
    """

    how = "min"


class TensorScatterElements(_Scatter):
    """``data`` with ``updates`` written along ``axis``; for axis 0
    ``out[indices[i][j]][j] = updates[i][j]``.

    With ``reduction`` "add", "mul", "max" or "min", updates are combined with the existing
    elements.

    >>> x = Tensor([[1, 2, 3]])
    >>> print(TensorScatterElements(1)(x, Tensor([[2, 0]]), Tensor([[8, 9]])))
    [[9 2 8]]
    """

    axis: int = 0
    reduction: str = "none"

    def check(self) -> None:
        """Check the attributes, and set ``how`` to the combination that ``reduction`` names."""
        checks.integer(self.name, "axis", self.axis)
        names = {"none": "update", "add": "add", "mul": "mul", "max": "max", "min": "min"}
        if self.reduction not in names:
            raise ValueError(
                f"{self.name}: reduction must be one of {', '.join(names)}, got {self.reduction!r}."
            )
        self.normalise(how=names[self.reduction])

    def compute_updates_shape(self, x: Spec, indices: Spec) -> tuple[int, ...]:
        """Return the shape of ``indices``; raise unless it fits within x except along ``axis``."""
        axis = check_axis(self.name, self.axis, x.ndim)
        if indices.ndim != x.ndim or any(
            a > b for i, (a, b) in enumerate(zip(indices.shape, x.shape, strict=True)) if i != axis
        ):
            raise ValueError(
                f"{self.name}: indices must have the rank of {x} and lengths within it except "
                f"along axis {axis}, got {indices}."
            )
        return indices.shape

    def find_rows(self, x: np.ndarray, indices: np.ndarray) -> tuple[Any, int]:
        """Return the flat position of each target element, and 1, the row width."""
        n = x.shape[self.axis]
        check_index_range(self.name, indices, -n, n)
        return np.arange(x.size).reshape(x.shape)[make_axis_index(indices, self.axis)], 1

    def gather_targets(self, x: Tensor, indices: Tensor) -> Tensor:
        """Return the elements of ``x`` at ``indices`` along the axis."""
        return GatherD()(x, self.axis, indices)

    def _scatter_add(self, x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        """Return a copy of ``x`` with ``updates`` added at ``indices`` along the axis."""
        return TensorScatterElements(self.axis, "add")(x, indices, updates)


class ScatterAddWithAxis(TensorScatterElements):
    """``data`` with ``updates`` added along ``axis``; for axis 0
    ``out[indices[i][j]][j] += updates[i][j]``.

    >>> x = Tensor([[1, 2, 3]])
    >>> print(ScatterAddWithAxis(1)(x, Tensor([[2, 0]]), Tensor([[8, 9]])))
    [[10  2 11]]
    """

    axis: int = 0
    reduction: str = "add"


# -- functions ------------------------------------------------------------------------------------


def tensor_scatter_update(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Return ``input_x`` with ``updates`` written at the coordinates ``indices``."""
    return TensorScatterUpdate()(input_x, indices, updates)


def tensor_scatter_add(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Return ``input_x`` with ``updates`` added at the coordinates ``indices``."""
    return TensorScatterAdd()(input_x, indices, updates)


def tensor_scatter_sub(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Return ``input_x`` with ``updates`` subtracted at the coordinates ``indices``."""
    return TensorScatterSub()(input_x, indices, updates)


def tensor_scatter_mul(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Return ``input_x`` multiplied by ``updates`` at the coordinates ``indices``."""
    return TensorScatterMul()(input_x, indices, updates)


def tensor_scatter_div(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Return ``input_x`` divided by ``updates`` at the coordinates ``indices``."""
    return TensorScatterDiv()(input_x, indices, updates)


def tensor_scatter_max(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Return the greater of ``input_x`` and ``updates`` at the coordinates ``indices``."""
    return TensorScatterMax()(input_x, indices, updates)


def tensor_scatter_min(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Return the lesser of ``input_x`` and ``updates`` at the coordinates ``indices``."""
    return TensorScatterMin()(input_x, indices, updates)


def tensor_scatter_elements(
    input_x: Tensor, indices: Tensor, updates: Tensor, axis: int = 0, reduction: str = "none"
) -> Tensor:
    """Return ``input_x`` with ``updates`` written, or combined by ``reduction``, at ``indices``
    along ``axis``.
    """
    return TensorScatterElements(axis, reduction)(input_x, indices, updates)


@also_spelled(dim="axis")
def scatter(input: Tensor, axis: int, index: Tensor, src: Any) -> Tensor:
    """Return ``input`` with ``src`` (a tensor or number) written at ``index`` along ``axis``.

    Of a larger ``src``, the leading part of the shape of ``index`` is used.

    >>> print(scatter(Tensor([1.0, 2.0, 3.0]), 0, Tensor([2, 0]), 9.0))
    [9. 2. 9.]
    """
    check_tensors("scatter", input=input, index=index)
    if not isinstance(src, Tensor):
        src = Fill()(input.dtype, index.shape, src)
    elif src.shape != index.shape:  # only the part of src covered by index is used
        src = Slice()(src, (0,) * src.ndim, index.shape)
    if index.dtype.kind in "iu" and index.dtype.np not in TensorScatterElements.index_dtypes:
        index = Cast()(index, mstype.int64)
    return TensorScatterElements(axis)(input, index, src)


@method("scatter")
def _scatter_method(self: Tensor, *args: Any, reduce: str = "none", **kwargs: Any) -> Tensor:
    """Return the tensor with ``src`` written, or with ``reduce`` added or multiplied, at ``index``
    along ``dim``.
    """
    if reduce != "none":
        return _scatter_by_reduction(self, reduce, *args, **kwargs)
    return scatter(self, *args, **kwargs)


@also_spelled(axis="dim")
def _scatter_by_reduction(x: Tensor, reduce: str, dim: int, index: Tensor, src: Any) -> Tensor:
    """Return x with ``src``, a tensor or number, added or multiplied in at ``index`` along ``dim``.

    Raises:
        ValueError: ``reduce`` is neither "add" nor "multiply".
    """
    names = {"add": "add", "multiply": "mul"}
    if reduce not in names:
        raise ValueError(f"scatter: reduce must be 'add' or 'multiply', got {reduce!r}.")
    if not isinstance(src, Tensor):
        src = Fill()(x.dtype, index.shape, src)
    return TensorScatterElements(dim, names[reduce])(x, index, src)


@method("scatter_add")
def _scatter_add_method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Add updates along an axis by ``scatter_add(dim, index, src)``, at coordinates by
    ``scatter_add(indices, updates)``.
    """
    if "indices" in kwargs or (args and isinstance(args[0], Tensor)):
        return TensorScatterAdd()(self, *args, *kwargs.values())
    return _scatter_by_reduction(self, "add", *args, **kwargs)


for _name, _scatter in (
    ("sub", tensor_scatter_sub),
    ("mul", tensor_scatter_mul),
    ("div", tensor_scatter_div),
    ("max", tensor_scatter_max),
    ("min", tensor_scatter_min),
):
    method(f"scatter_{_name}")(_scatter)


__all__ = [
    "ScatterAddWithAxis",
    "TensorScatterAdd",
    "TensorScatterDiv",
    "TensorScatterElements",
    "TensorScatterMax",
    "TensorScatterMin",
    "TensorScatterMul",
    "TensorScatterSub",
    "TensorScatterUpdate",
    "scatter",
    "tensor_scatter_add",
    "tensor_scatter_div",
    "tensor_scatter_elements",
    "tensor_scatter_max",
    "tensor_scatter_min",
    "tensor_scatter_mul",
    "tensor_scatter_sub",
    "tensor_scatter_update",
]
