"""Transforms of plain arrays: casts, labels, masks."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.base import Columns, Transform
from minispore.ir import dtype as dtypes

CONSTANTS = (str, float, bool, int, bytes)


class TypeCast(Transform):
    """x cast to a data type; float to integer truncates towards zero and wraps.

    Args:
        data_type: a MindSpore or NumPy data type, or its name.

    Raises:
        TypeError: ``data_type`` does not name a data type.
        RuntimeError: the column holds text.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import transforms
        >>> transforms.TypeCast(np.int32)(np.array([2.5, -2.5]))
        array([ 2, -2], dtype=int32)
    """

    data_type: Any

    def check(self) -> None:
        """Check ``data_type``, and store it as a NumPy dtype."""
        self.normalise(data_type=arguments.data_type(self, "data_type", self.data_type))

    def convert_column(self, value: Any) -> np.ndarray:
        return np.asarray(value)

    def transform_batch(self, x: np.ndarray) -> np.ndarray:
        """Cast the column, unless both dtypes are text; raise RuntimeError if only one is."""
        if x.dtype.kind == self.data_type.kind == "U":
            return x
        if x.dtype.kind in "US" or self.data_type.kind in "US":
            raise RuntimeError(f"TypeCast: can't cast {x.dtype} to {self.data_type}. Cast numbers.")
        # Values out of range are undefined, as in C.
        with np.errstate(invalid="ignore", over="ignore"):
            if x.dtype.kind == "f" and self.data_type.kind == "u":
                x = x.astype(np.int64)  # wraps on every processor, even for -1.0
            if x.dtype == np.float64 and self.data_type == np.float16:
                x = x.astype(np.float32)  # rounds twice
            return x.astype(self.data_type)


class OneHot(Transform):
    """y[c] = 1 if c is the label, else 0; smoothed: 1 - s + s / num_classes, else s / num_classes.

    Args:
        num_classes (int): number of classes, at least 1.
        smoothing_rate (float): s in [0, 1]; the result is float64 if it is not 0. Default: ``0.0``.

    Raises:
        TypeError: ``num_classes`` is not an int, or ``smoothing_rate`` not a number.
        ValueError: ``num_classes`` is not positive, or ``smoothing_rate`` not in [0, 1].
        RuntimeError: a label is not an integer, or not in [0, num_classes).

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
        check.positive(self, "num_classes", self.num_classes, mindspore_name="")
        arguments.probability(self, "smoothing_rate", self.smoothing_rate, kinds=(int, float))

    def transform_batch(self, labels: np.ndarray) -> np.ndarray:
        """Encode integer labels: scalars, or vectors once axes of length 1 are dropped.

        Raises:
            RuntimeError: a label is not an integer, has more axes, or is not in [0, num_classes).
        """
        vectors = labels.reshape(len(labels), *(n for n in labels.shape[1:] if n != 1))
        if vectors.ndim > 2 or labels.dtype.kind not in "iu":
            got = f"{labels.dtype}{list(labels.shape[1:])}"
            raise RuntimeError(
                f"OneHot: label must be an integer scalar or vector, got {got}. "
                f"Only support input of int type, but got: {labels.dtype}."
            )
        is_invalid = (vectors < 0) | (vectors >= self.num_classes)
        if is_invalid.any():
            raise RuntimeError(
                f"OneHot: label must be in [0, {self.num_classes}), got {vectors[is_invalid][0]}. "
                "Set num_classes to the largest label plus one."
            )
        rest = self.smoothing_rate / self.num_classes
        dtype = labels.dtype if self.smoothing_rate == 0 else np.dtype(np.float64)
        out = np.full((*vectors.shape, self.num_classes), rest, dtype)
        label_index = vectors[..., None].astype(np.intp)
        np.put_along_axis(out, label_index, 1 - self.smoothing_rate + rest, -1)
        return out


class Fill(Transform):
    """An array of the column's shape and dtype, filled with one value.

    Args:
        fill_value (Union[str, bytes, bool, int, float]): the value, cast to the column's dtype.

    Raises:
        TypeError: ``fill_value`` has a wrong type.
        RuntimeError: the column holds numbers and the value is text, or vice versa.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import transforms
        >>> transforms.Fill(3)(np.array([1.0, 2.0]))
        array([3., 3.])
    """

    fill_value: Any

    def check(self) -> None:
        arguments.instance(self, "fill_value", self.fill_value, CONSTANTS)

    def transform_batch(self, x: np.ndarray) -> np.ndarray:
        """Return the filled array; raise RuntimeError if only one of column and value is text."""
        value = constant_like(self, "fill_value", self.fill_value, x.dtype)
        return np.full(x.shape, value, value.dtype)


class Relational(IntEnum):
    """The comparisons that Mask can make."""

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
        constant (Union[str, bytes, bool, int, float]): the right operand, cast to the column's
            dtype; text and bytes compare as UTF-8.
        dtype: data type of the result. Default: ``minispore.bool_``.

    Raises:
        TypeError: ``operator`` is not a Relational, or another argument has a wrong type.
        RuntimeError: ``dtype`` is text; in a run: only one operand is text.

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
        """Check the arguments, and store ``dtype`` as a NumPy dtype; text raises RuntimeError."""
        arguments.member(self, "operator", self.operator, Relational)
        arguments.instance(self, "constant", self.constant, CONSTANTS)
        if not isinstance(self.dtype, dtypes.DType | np.dtype):
            raise arguments.wrong_type(
                self, "dtype", "be a data type of minispore", self.dtype, dtypes.DType
            )
        dtype = arguments.data_type(self, "dtype", self.dtype)
        if dtype.kind in "US":
            raise RuntimeError(
                arguments.format_error(self, "dtype", "be bool or a number", self.dtype)
            )
        self.normalise(dtype=dtype)

    def transform_batch(self, x: np.ndarray) -> np.ndarray:
        """Compare with the constant, str with bytes as UTF-8, and cast to ``dtype``.

        Raises:
            RuntimeError: only one of column and constant is text.
        """
        constant = self.constant
        if isinstance(constant, str) and x.dtype.kind == "S":
            constant = constant.encode()
        elif isinstance(constant, bytes) and x.dtype.kind == "U":
            x = np.char.encode(x, "utf-8")
        value = constant_like(self, "constant", constant, x.dtype)
        return COMPARE[self.operator](x, value).astype(self.dtype)


def constant_like(transform: Transform, name: str, value: Any, dtype: np.dtype) -> np.ndarray:
    """Return a user's constant as an array of no axes, and as an element of a column of ``dtype``.

    Numbers are cast and wrap as in C; text keeps its own dtype. ``name`` is the argument's name in
    the error.

    Raises:
        RuntimeError: only one of value and column is text.
    """
    constant = np.asarray(value)
    type_kinds = [d.kind if d.kind in "US" else "number" for d in (constant.dtype, dtype)]
    if type_kinds[0] != type_kinds[1]:
        raise RuntimeError(
            f"{transform.name}: {name} must be text for a text column and a number for numbers, "
            f"got {value!r} for a column of {dtype}. {name} and the input tensor must be of the "
            "same data type: one can not pad numeric and string tensors together."
        )
    if type_kinds[0] != "number":
        return constant
    with np.errstate(invalid="ignore", over="ignore"):
        if constant.dtype.kind == "f" and dtype.kind == "u":
            constant = constant.astype(np.int64)
        return constant.astype(dtype)


class Duplicate(Transform):
    """(x, x): two copies of a column.

    Raises:
        RuntimeError: there are several columns.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import transforms
        >>> transforms.Duplicate()(np.array([1, 2]))
        (array([1, 2]), array([1, 2]))
    """

    def transform_batch(self, *columns: np.ndarray) -> Columns:
        """Return two copies of the column; raise RuntimeError unless there is only one."""
        if len(columns) != 1:
            raise RuntimeError(
                f"Duplicate: must be given one column, got {len(columns)}. Check input_columns."
            )
        return columns[0].copy(), columns[0].copy()


class Unique(Transform):
    """The distinct values of x, the index of each element among them, and their counts.

    Values are in the order of their first occurrence.

    Raises:
        RuntimeError: x does not hold numbers, or has fewer than two axes.

    Shape:
        x with two or more axes -> (k,), (x.size,) int32, (k,) int32.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import transforms
        >>> transforms.Unique()(np.array([[7, 5], [7, 9]]))[0]
        array([7, 5, 9])
    """

    def transform_row(self, *columns: np.ndarray) -> Columns:
        """Return the values in order of first occurrence, the index of each element, and the
        counts.

        The column is flattened; indices and counts are int32.

        Raises:
            RuntimeError: there is not one column, or it holds no numbers or has fewer than two
                axes.
        """
        if len(columns) != 1 or columns[0].dtype.kind not in "uifb":
            dtypes = [str(column.dtype) for column in columns]
            raise RuntimeError(f"Unique: must be given one column of numbers, got {dtypes}.")
        if columns[0].ndim < 2:
            raise RuntimeError(
                f"Unique: the column must have two axes or more, got shape {columns[0].shape}. Put "
                "lambda x: x[None] before it."
            )
        values, first_positions, inverse, counts = np.unique(
            columns[0].ravel(), return_index=True, return_inverse=True, return_counts=True
        )
        order = np.argsort(first_positions)
        rank_of_value = np.empty_like(order)
        rank_of_value[order] = np.arange(len(order))
        index = rank_of_value[inverse].astype(np.int32)
        return values[order], index, counts[order].astype(np.int32)
