"""Values put at indices of a tensor: in place of what stood there, added to it, and so on."""

from __future__ import annotations

from math import prod
from typing import Any, ClassVar

import numpy as np

from minispore.core import dtype as mstype
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor, method
from minispore.core.value import Spec
from minispore.foundation import checks
from minispore.ops.elementwise.arithmetic import Div
from minispore.ops.elementwise.compare import Equal
from minispore.ops.index.gather import (
    GatherD,
    GatherNd,
    add_rows,
    along,
    checked,
    coordinates,
    depth_of,
)
from minispore.ops.index.select import Select
from minispore.ops.shape.join import Slice
from minispore.ops.shape.whole import Cast, Fill, ZerosLike
from minispore.ops.support.arguments import (
    check_axis,
    check_indices,
    check_tensor_spec,
    check_tensors,
)
from minispore.ops.support.spelling import also_spelled

_AT = {
    "mul": np.multiply.at,
    "div": np.divide.at,
    "max": np.maximum.at,
    "min": np.minimum.at,
}


def _divide_rows(table: np.ndarray, rows: np.ndarray, values: np.ndarray) -> None:
    """Divide rows of whole numbers by ``values``, one after the other where a row comes again."""
    left = np.arange(rows.size)
    while left.size:
        first = np.unique(rows[left], return_index=True)[1]
        now = left[first]
        table[rows[now]] = _quotient(table[rows[now]], values[now])
        left = np.delete(left, first)


def _quotient(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x / y without its fraction; by 0 the largest number there is, or the smallest, and 0 / 0 = 0,
    as MindSpore has it of a quotient in floats.
    """
    ends = np.iinfo(x.dtype)
    with np.errstate(divide="ignore", over="ignore"):
        whole = np.floor_divide(x, y)
    below = (whole * y != x) & ((x < 0) != (y < 0))
    infinite = np.where(x > 0, ends.max, np.where(x < 0, ends.min, 0)).astype(x.dtype)
    return np.where(y == 0, infinite, whole + below)


class _Scatter(Primitive):
    """An op that combines ``updates`` with what stands at their places in ``x``.

    Subclasses say how (``how``) and where: ``places`` (rows of the flattened x) and ``picked``
    (what stands there, the gather that goes with this scatter).
    """

    how: ClassVar[str] = "update"
    index_types: ClassVar[tuple[Any, ...]] = (np.dtype("int32"), np.dtype("int64"))
    reuse: ClassVar[tuple[int, ...]] = (0,)

    def places(self, x: Any, indices: Any) -> tuple[Any, int]:
        """Which rows of x, flattened to (rows, width), and their width."""
        raise TypeError(f"{self.name}: has no places.")

    def picked(self, x: Tensor, indices: Tensor) -> Tensor:
        """x at the indices."""
        raise TypeError(f"{self.name}: picks nothing.")

    def updates_shape(self, x: Spec, indices: Spec) -> tuple[int, ...]:
        """The shape that updates must have."""
        raise TypeError(f"{self.name}: has no updates.")

    def infer(self, x: Spec, indices: Spec, updates: Spec) -> Spec:
        check_tensor_spec(self.name, x, "input_x")
        if check_indices(self.name, indices).dtype not in self.index_types:
            raise TypeError(f"{self.name}: indices must be int32 or int64, got {indices}.")
        wanted = self.updates_shape(x, indices)
        if check_tensor_spec(self.name, updates, "updates").shape != wanted:
            raise ValueError(f"{self.name}: updates must have shape {wanted}, got {updates}.")
        if updates.dtype != x.dtype:
            raise TypeError(
                f"{self.name}: updates must be of the input's dtype, got {updates} for {x}."
            )
        return x

    def kernel(
        self, x: np.ndarray, indices: np.ndarray, updates: np.ndarray, *, out: np.ndarray
    ) -> None:
        rows, width = self.places(x, indices)
        whole = out if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
        if whole is not x:
            np.copyto(whole, x)
        if not updates.size:
            if whole is not out:
                np.copyto(out, whole)
            return
        table, values = whole.reshape(-1, max(width, 1)), updates.reshape(rows.size, -1)
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
                _AT[self.how](table, rows, values)
        if whole is not out:
            np.copyto(out, whole)

    def vjp(self, x: Tensor, indices: Tensor, updates: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        if self.how in ("add", "sub"):
            sign = 1 if self.how == "add" else -1
            return dout, None, lambda: self.picked(dout, indices) * sign
        if self.how == "update":
            return (
                lambda: self._pure(dout, indices, ZerosLike()(updates)),
                None,
                lambda: self.picked(dout, indices),
            )
        if self.how in ("mul", "div"):  # with distinct indices; as in MindSpore

            def of_updates() -> Tensor:
                moved = self.picked(dout * x, indices)
                return moved if self.how == "mul" else -moved / (updates * updates)

            return lambda: self._pure(dout, indices, updates), None, of_updates

        def share() -> tuple[Tensor, Tensor, Tensor]:
            """Who is the extreme, of x and of updates, and dout split evenly among them."""
            of_x = Equal()(x, out)
            of_updates = Equal()(updates, self.picked(out, indices))
            counted = (Cast()(a, x.dtype) for a in (of_x, of_updates))
            ties = self._summed(next(counted), indices, next(counted))
            return of_x, of_updates, Div()(dout, ties)

        def dx() -> Tensor:
            of_x, _, part = share()
            return Select()(of_x, part, 0)

        def dupdates() -> Tensor:
            _, of_updates, part = share()
            return Select()(of_updates, self.picked(part, indices), 0)

        return dx, None, dupdates

    def _pure(self, x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        """This scatter without its effect on a Parameter."""
        return self(x, indices, updates)

    def _summed(self, x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        """The scatter of the same places that adds."""
        raise TypeError(f"{self.name}: adds nothing.")


class _ScatterNd(_Scatter):
    """Places are coordinates: the last axis of ``indices`` indexes the first axes of x."""

    def updates_shape(self, x: Spec, indices: Spec) -> tuple[int, ...]:
        k = depth_of(self.name, indices, x.ndim)
        return indices.shape[:-1] + x.shape[k:]

    def places(self, x: np.ndarray, indices: np.ndarray) -> tuple[Any, int]:
        k = indices.shape[-1]
        rows = np.zeros(indices.shape[:-1], np.intp)
        for i, part in enumerate(coordinates(self.name, indices, x.shape)):
            rows *= x.shape[i]
            rows += part
        return rows, prod(x.shape[k:])

    def picked(self, x: Tensor, indices: Tensor) -> Tensor:
        return GatherNd()(x, indices)

    def _summed(self, x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        return TensorScatterAdd()(x, indices, updates)


class TensorScatterUpdate(_ScatterNd):
    """``x`` with ``updates`` at coordinates.

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
    """``data`` with ``updates`` along ``axis``: ``out[indices[i][j]][j] = updates[i][j]`` for 0.

    ``reduction`` "add" adds instead; "mul", "max" and "min" likewise.

    >>> x = Tensor([[1, 2, 3]])
    >>> print(TensorScatterElements(1)(x, Tensor([[2, 0]]), Tensor([[8, 9]])))
    [[9 2 8]]
    """

    axis: int = 0
    reduction: str = "none"

    def check(self) -> None:
        checks.integer(self.name, "axis", self.axis)
        names = {"none": "update", "add": "add", "mul": "mul", "max": "max", "min": "min"}
        if self.reduction not in names:
            raise ValueError(
                f"{self.name}: reduction must be one of {', '.join(names)}, got {self.reduction!r}."
            )
        self.normalise(how=names[self.reduction])

    def updates_shape(self, x: Spec, indices: Spec) -> tuple[int, ...]:
        axis = check_axis(self.name, self.axis, x.ndim)
        if indices.ndim != x.ndim or any(
            a > b for i, (a, b) in enumerate(zip(indices.shape, x.shape, strict=True)) if i != axis
        ):
            raise ValueError(
                f"{self.name}: indices must have the rank of {x} and lengths within it except "
                "along axis "
                f"{axis}, got {indices}."
            )
        return indices.shape

    def places(self, x: np.ndarray, indices: np.ndarray) -> tuple[Any, int]:
        n = x.shape[self.axis]
        checked(self.name, indices, -n, n)
        return np.arange(x.size).reshape(x.shape)[along(indices, self.axis)], 1

    def picked(self, x: Tensor, indices: Tensor) -> Tensor:
        return GatherD()(x, self.axis, indices)

    def _summed(self, x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        return TensorScatterElements(self.axis, "add")(x, indices, updates)


class ScatterAddWithAxis(TensorScatterElements):
    """``data`` with ``updates`` added along ``axis``: ``out[indices[i][j]][j] += updates[i][j]``.

    >>> x = Tensor([[1, 2, 3]])
    >>> print(ScatterAddWithAxis(1)(x, Tensor([[2, 0]]), Tensor([[8, 9]])))
    [[10  2 11]]
    """

    axis: int = 0
    reduction: str = "add"


# -- functions ------------------------------------------------------------------------------------


def tensor_scatter_update(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """``input_x`` with ``updates`` at coordinates."""
    return TensorScatterUpdate()(input_x, indices, updates)


def tensor_scatter_add(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """``input_x`` with ``updates`` added at coordinates."""
    return TensorScatterAdd()(input_x, indices, updates)


def tensor_scatter_sub(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """``input_x`` with ``updates`` subtracted at coordinates."""
    return TensorScatterSub()(input_x, indices, updates)


def tensor_scatter_mul(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """``input_x`` multiplied by ``updates`` at coordinates."""
    return TensorScatterMul()(input_x, indices, updates)


def tensor_scatter_div(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """``input_x`` divided by ``updates`` at coordinates."""
    return TensorScatterDiv()(input_x, indices, updates)


def tensor_scatter_max(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The greater of ``input_x`` and ``updates`` at coordinates."""
    return TensorScatterMax()(input_x, indices, updates)


def tensor_scatter_min(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The lesser of ``input_x`` and ``updates`` at coordinates."""
    return TensorScatterMin()(input_x, indices, updates)


def tensor_scatter_elements(
    input_x: Tensor, indices: Tensor, updates: Tensor, axis: int = 0, reduction: str = "none"
) -> Tensor:
    """``input_x`` with ``updates`` put (or added, ...) at ``indices`` along ``axis``."""
    return TensorScatterElements(axis, reduction)(input_x, indices, updates)


@also_spelled(dim="axis")
def scatter(input: Tensor, axis: int, index: Tensor, src: Any) -> Tensor:
    """``input`` with ``src`` (a tensor or number) at ``index`` along ``axis``.

    >>> print(scatter(Tensor([1.0, 2.0, 3.0]), 0, Tensor([2, 0]), 9.0))
    [9. 2. 9.]
    """
    check_tensors("scatter", input=input, index=index)
    if not isinstance(src, Tensor):
        src = Fill()(input.dtype, index.shape, src)
    elif src.shape != index.shape:  # only the part that index covers is used
        src = Slice()(src, (0,) * src.ndim, index.shape)
    if index.dtype.kind in "iu" and index.dtype.np not in TensorScatterElements.index_types:
        index = Cast()(index, mstype.int64)
    return TensorScatterElements(axis)(input, index, src)


@method("scatter")
def _scatter_method(self: Tensor, *args: Any, reduce: str = "none", **kwargs: Any) -> Tensor:
    """The tensor with ``src`` put in at ``index`` along ``dim``, or added or multiplied."""
    if reduce != "none":
        return _scatter_reduced(self, reduce, *args, **kwargs)
    return scatter(self, *args, **kwargs)


@also_spelled(axis="dim")
def _scatter_reduced(x: Tensor, reduce: str, dim: int, index: Tensor, src: Any) -> Tensor:
    names = {"add": "add", "multiply": "mul"}
    if reduce not in names:
        raise ValueError(f"scatter: reduce must be 'add' or 'multiply', got {reduce!r}.")
    if not isinstance(src, Tensor):
        src = Fill()(x.dtype, index.shape, src)
    return TensorScatterElements(dim, names[reduce])(x, index, src)


@method("scatter_add")
def _scatter_add_method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """``scatter_add(dim, index, src)`` adds along ``dim``;
    ``scatter_add(indices, updates)`` at coordinates.
    """
    if "indices" in kwargs or (args and isinstance(args[0], Tensor)):
        return TensorScatterAdd()(self, *args, *kwargs.values())
    return _scatter_reduced(self, "add", *args, **kwargs)


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
