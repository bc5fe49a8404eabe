"""Transforms of plain arrays: labels, masks, sequences."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from minispore.core import dtype as dtypes
from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.base import Columns, Transform

CONSTANTS = (str, bytes, bool, int, float)


class TypeCast(Transform):
    """x in another data type; float to integer truncates towards zero and wraps.

    Args:
        data_type: a MindSpore or NumPy data type, or its name.

    Raises:
        TypeError: ``data_type`` names no data type.
        RuntimeError: the column holds text.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import transforms
        >>> transforms.TypeCast(np.int32)(np.array([2.5, -2.5]))
        array([ 2, -2], dtype=int32)
    """

    data_type: Any

    def check(self) -> None:
        self.normalise(data_type=arguments.data_type(self, "data_type", self.data_type))

    def batch(self, x: np.ndarray) -> np.ndarray:
        if x.dtype.kind in "US" or self.data_type.kind in "US":
            raise RuntimeError(f"TypeCast: can't cast {x.dtype} to {self.data_type}. Cast numbers.")
        with np.errstate(invalid="ignore", over="ignore"):  # out of range is as undefined as in C
            if x.dtype.kind == "f" and self.data_type.kind == "u":
                x = x.astype(np.int64)  # wraps everywhere, whatever the processor does with -1.0
            return x.astype(self.data_type)


class OneHot(Transform):
    """y[c] = 1 where c is the label, else 0; smoothed by s: 1 - s + s / num_classes, and the rest.

    Args:
        num_classes (int): number of classes, at least 1.
        smoothing_rate (float): s in [0, 1]; the result is float64 if it is not 0. Default: ``0.0``.

    Raises:
        TypeError: ``num_classes`` is not an int, or ``smoothing_rate`` not a number.
        ValueError: ``num_classes`` is not positive, or ``smoothing_rate`` not in [0, 1].
        RuntimeError: a label is no integer, or not in [0, num_classes).

    Shape:
        () or (1,) -> (num_classes,); (n,) or (n, 1) -> (n, num_classes).

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import transforms
        >>> transforms.OneHot(3)(np.int32(1))
        array([0, 1, 0], dtype=int32)
    """

    num_classes: int
    smoothing_rate: float = 0.0

    def check(self) -> None:
        arguments.integer(self, "num_classes", self.num_classes, 1)
        arguments.number(self, "smoothing_rate", self.smoothing_rate, 0.0, 1.0)

    def batch(self, labels: np.ndarray) -> np.ndarray:
        vectors = labels.reshape(len(labels), *(n for n in labels.shape[1:] if n != 1))
        if vectors.ndim > 2 or labels.dtype.kind not in "iu":
            what = f"{labels.dtype}{list(labels.shape[1:])}"
            raise RuntimeError(f"OneHot: label must be an integer scalar or vector, got {what}.")
        wrong = (vectors < 0) | (vectors >= self.num_classes)
        if wrong.any():
            raise RuntimeError(
                f"OneHot: label must be in [0, {self.num_classes}), got {vectors[wrong][0]}. "
                "Set num_classes to the largest label plus one."
            )
        rest = self.smoothing_rate / self.num_classes
        dtype = labels.dtype if self.smoothing_rate == 0 else np.dtype(np.float64)
        out = np.full((*vectors.shape, self.num_classes), rest, dtype)
        here = vectors[..., None].astype(np.intp)
        np.put_along_axis(out, here, 1 - self.smoothing_rate + rest, -1)
        return out


class Fill(Transform):
    """An array of the column's shape and dtype, full of one value.

    Args:
        fill_value (Union[str, bytes, bool, int, float]): the value, cast to the column's dtype.

    Raises:
        TypeError: ``fill_value`` is of another type.
        RuntimeError: the column holds numbers and the value is text, or the other way round.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import transforms
        >>> transforms.Fill(3)(np.array([1.0, 2.0]))
        array([3., 3.])
    """

    fill_value: Any

    def check(self) -> None:
        arguments.instance(self, "fill_value", self.fill_value, CONSTANTS)

    def batch(self, x: np.ndarray) -> np.ndarray:
        value = constant_like(self, "fill_value", self.fill_value, x.dtype)
        return np.full(x.shape, value, value.dtype)


class Relational(IntEnum):
    """How Mask compares."""

    EQ = 0
    NE = 1
    GT = 2
    GE = 3
    LT = 4
    LE = 5


COMPARE = {
    Relational.EQ: np.equal,
    Relational.NE: np.not_equal,
    Relational.GT: np.greater,
    Relational.GE: np.greater_equal,
    Relational.LT: np.less,
    Relational.LE: np.less_equal,
}


class Mask(Transform):
    """x <operator> constant, elementwise.

    Args:
        operator (Relational): EQ, NE, GT, GE, LT or LE.
        constant (Union[str, bytes, bool, int, float]): the other side, cast to the column's dtype.
        dtype: data type of the result. Default: ``minispore.bool_``.

    Raises:
        TypeError: ``operator`` is no Relational, or another argument of a wrong type.
        RuntimeError: one side is text and the other is not.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import transforms
        >>> transforms.Mask(transforms.Relational.GE, 2)(np.array([1, 2, 3]))
        array([False,  True,  True])
    """

    operator: Relational
    constant: Any
    dtype: Any = dtypes.bool_

    def check(self) -> None:
        arguments.member(self, "operator", self.operator, Relational)
        arguments.instance(self, "constant", self.constant, CONSTANTS)
        dtype = arguments.data_type(self, "dtype", self.dtype)
        if dtype.kind in "US":
            raise TypeError(arguments.text(self, "dtype", "be bool or a number", self.dtype))
        self.normalise(dtype=dtype)

    def batch(self, x: np.ndarray) -> np.ndarray:
        value = constant_like(self, "constant", self.constant, x.dtype)
        return COMPARE[self.operator](x, value).astype(self.dtype)


class PadEnd(Transform):
    """x with as many values appended along each axis as it takes to have a shape, or cut to it.

    Args:
        pad_shape (list): wanted length of each axis; None keeps an axis as it is.
        pad_value (Union[str, bytes, bool, int, float]): what to append. Default: ``None``, 0 or "".

    Raises:
        TypeError: ``pad_shape`` is not a list of ints and None, or ``pad_value`` of a wrong type.
        ValueError: a length is not positive.
        RuntimeError: the column has another rank, or is text and the value is not.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import transforms
        >>> transforms.PadEnd([4], -1)(np.array([1, 2]))
        array([ 1,  2, -1, -1])
    """

    pad_shape: Any
    pad_value: Any = None

    def check(self) -> None:
        lengths = self.pad_shape
        if not isinstance(lengths, list):
            raise TypeError(arguments.text(self, "pad_shape", "be a list", lengths))
        for i, length in enumerate(lengths):
            if length is not None:
                arguments.integer(self, f"pad_shape[{i}]", length, 1, 2**63 - 1)
        self.normalise(pad_shape=tuple(lengths))
        if self.pad_value is not None:
            arguments.instance(self, "pad_value", self.pad_value, CONSTANTS)

    def batch(self, x: np.ndarray) -> np.ndarray:
        if x.ndim - 1 != len(self.pad_shape):
            raise RuntimeError(
                f"PadEnd: pad_shape must have one length for each axis, got {list(self.pad_shape)} "
                f"for a column of shape {x.shape[1:]}."
            )
        is_text = x.dtype.kind in "US"
        default: Any = x.dtype.type() if is_text else 0
        value = default if self.pad_value is None else self.pad_value
        value = constant_like(self, "pad_value", value, x.dtype)
        dtype = np.promote_types(value.dtype, x.dtype) if is_text else x.dtype
        shape = [n if want is None else want for n, want in zip(x.shape[1:], self.pad_shape)]
        out = np.full((len(x), *shape), value, dtype)
        common = (slice(None), *(slice(min(n, m)) for n, m in zip(x.shape[1:], shape)))
        out[common] = x[common]
        return out


def constant_like(owner: Transform, name: str, value: Any, dtype: np.dtype) -> np.ndarray:
    """A user's constant as an element of a column; numbers wrap as in C, text keeps its length."""
    constant = np.asarray(value)
    kinds = [d.kind if d.kind in "US" else "number" for d in (constant.dtype, dtype)]
    if kinds[0] != kinds[1]:
        raise RuntimeError(
            f"{owner.name}: {name} must be text for a text column and a number for numbers, "
            f"got {value!r} for a column of {dtype}."
        )
    if kinds[0] != "number":
        return constant
    with np.errstate(invalid="ignore", over="ignore"):
        if constant.dtype.kind == "f" and dtype.kind == "u":
            constant = constant.astype(np.int64)
        return constant.astype(dtype)


class Slice(Transform):
    """x[slices[0], slices[1], ...], where an axis that is indexed by an int stays, with length 1.

    Args:
        slices: for each axis from the first an int, a list of ints, a slice, None or ``...`` for
            all of it. Axes that are not named stay as they are.

    Raises:
        TypeError: a slice is of another type.
        RuntimeError: there are more slices than axes, or an index is out of range.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import transforms
        >>> transforms.Slice(slice(0, 2), [0, 2])(np.arange(9).reshape(3, 3))
        array([[0, 2],
               [3, 5]])
    """

    slices: tuple

    def __init__(self, *slices: Any) -> None:
        super().__init__(slices)

    def check(self) -> None:
        self.normalise(slices=tuple(self._axis(i, s) for i, s in enumerate(self.slices)))

    def _axis(self, i: int, index: Any) -> Any:
        """One axis' index as a slice or a tuple of ints."""
        if index is None or index is Ellipsis or index is True:
            return slice(None)
        if isinstance(index, slice):
            return index
        if isinstance(index, list) and index:
            return tuple(
                arguments.integer(self, f"slices[{i}][{j}]", v) for j, v in enumerate(index)
            )
        if isinstance(index, int) and not isinstance(index, bool):
            return (index,)
        rule = "be an int, a list of ints, a slice, None or ..."
        raise TypeError(arguments.text(self, f"slices[{i}]", rule, index))

    def batch(self, x: np.ndarray) -> np.ndarray:
        if len(self.slices) > x.ndim - 1:
            raise RuntimeError(
                f"Slice: must have at most one slice for each axis, got {len(self.slices)} "
                f"for a column of shape {x.shape[1:]}."
            )
        for axis, index in enumerate(self.slices, start=1):
            if isinstance(index, slice):
                x = x[(slice(None),) * axis + (index,)]
            elif all(-x.shape[axis] <= i < x.shape[axis] for i in index):
                x = x.take(index, axis)
            else:
                raise RuntimeError(
                    f"Slice: index must be in [{-x.shape[axis]}, {x.shape[axis]}) "
                    f"on axis {axis - 1}, got {list(index)}."
                )
        return x.copy()

    def __hash__(self) -> int:  # a slice has no hash before Python 3.12
        return hash(repr(self))


class Concatenate(Transform):
    """prepend, the columns and append, one after the other.

    Args:
        axis (int): 0 or -1, the only axis there is. Default: ``0``.
        prepend (numpy.ndarray): vector to put before. Default: ``None``.
        append (numpy.ndarray): vector to put after. Default: ``None``.

    Raises:
        TypeError: ``prepend`` or ``append`` is no array.
        ValueError: ``prepend`` or ``append`` is no vector, or ``axis`` neither 0 nor -1.
        RuntimeError: a column is no vector, or of another dtype than ``prepend`` and ``append``.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import transforms
        >>> transforms.Concatenate(append=np.array([9]))(np.array([1, 2]))
        array([1, 2, 9])
    """

    axis: int = 0
    prepend: Any = None
    append: Any = None

    def check(self) -> None:
        if arguments.integer(self, "axis", self.axis) not in (0, -1):
            raise ValueError(arguments.text(self, "axis", "be 0 or -1", self.axis))
        for name in ("prepend", "append"):
            vector = getattr(self, name)
            if vector is None:
                continue
            if not isinstance(vector, np.ndarray):
                raise TypeError(arguments.text(self, name, "be a NumPy array", vector))
            if vector.ndim != 1:
                raise ValueError(arguments.text(self, name, "be one-dimensional", vector))

    def batch(self, *columns: np.ndarray) -> np.ndarray:
        ends = {"prepend": self.prepend, "append": self.append}
        for column in columns:
            if column.ndim != 2:
                shape = column.shape[1:]
                raise RuntimeError(f"Concatenate: column must be one-dimensional, got {shape}.")
            for name, vector in ends.items():
                if vector is None or vector.dtype == column.dtype:
                    continue
                if vector.dtype.kind + column.dtype.kind not in ("UU", "SS"):
                    raise RuntimeError(
                        f"Concatenate: {name} must have the column's dtype {column.dtype}, "
                        f"got {vector.dtype}."
                    )
        spread = {
            name: []
            if vector is None
            else [np.broadcast_to(vector, (len(columns[0]), len(vector)))]
            for name, vector in ends.items()
        }
        return np.concatenate([*spread["prepend"], *columns, *spread["append"]], axis=1)

    __eq__ = object.__eq__  # arrays have no truth value
    __hash__ = object.__hash__


class Duplicate(Transform):
    """(x, x): two columns of one.

    Raises:
        RuntimeError: it is given several columns.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import transforms
        >>> transforms.Duplicate()(np.array([1, 2]))
        (array([1, 2]), array([1, 2]))
    """

    def batch(self, *columns: np.ndarray) -> Columns:
        if len(columns) != 1:
            raise RuntimeError(
                f"Duplicate: must be given one column, got {len(columns)}. Check input_columns."
            )
        return columns[0].copy(), columns[0].copy()


class Unique(Transform):
    """The different values of x in order of appearance, where each element is among them, how
    often.

    Raises:
        RuntimeError: x does not hold numbers.

    Shape:
        x of any shape -> (k,), (x.size,) int32, (k,) int32.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import transforms
        >>> transforms.Unique()(np.array([[7, 5], [7, 9]]))[0]
        array([7, 5, 9])
    """

    def row(self, *columns: np.ndarray) -> Columns:
        if len(columns) != 1 or columns[0].dtype.kind not in "uifb":
            what = [str(column.dtype) for column in columns]
            raise RuntimeError(f"Unique: must be given one column of numbers, got {what}.")
        values, first, index, count = np.unique(
            columns[0].ravel(), return_index=True, return_inverse=True, return_counts=True
        )
        order = np.argsort(first)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        return values[order], place[index].astype(np.int32), count[order].astype(np.int32)
