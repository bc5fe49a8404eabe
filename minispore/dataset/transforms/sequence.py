"""Transforms of the axes of arrays: pad, slice, concatenate."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.array import CONSTANTS, constant_like
from minispore.dataset.transforms.base import Transform


class PadEnd(Transform):
    """x padded or cut at the end of each axis to a shape.

    Args:
        pad_shape (list): target length of each axis; None leaves an axis unchanged.
        pad_value (Union[str, bytes, bool, int, float]): the fill value. Default: ``None``, 0 or "".

    Raises:
        TypeError: ``pad_shape`` is not a list of ints and None, or ``pad_value`` has a wrong type.
        ValueError: a length is not positive.
        RuntimeError: the rank of the column is wrong, or only one of column and value is text.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import transforms
        >>> transforms.PadEnd([4], -1)(np.array([1, 2]))
        array([ 1,  2, -1, -1])
    """

    pad_shape: Any
    pad_value: Any = None

    def check(self) -> None:
        """Check the arguments, and store ``pad_shape`` as a tuple."""
        lengths = self.pad_shape
        if not isinstance(lengths, list):
            raise arguments.wrong_type(self, "pad_shape", "be a list", lengths, list)
        for i, length in enumerate(lengths):
            if not isinstance(length, int | None):
                rule = "be an int or None"
                hint = f"{self.pad_shape}: a value in the list is not an integer."
                raise TypeError(arguments.format_error(self, f"pad_shape[{i}]", rule, length, hint))
            if length is not None:
                check.integer(self, f"pad_shape[{i}]", length, 1, 2**63 - 1, mindspore_name="")
        self.normalise(pad_shape=tuple(lengths))
        if self.pad_value is not None:
            arguments.instance(self, "pad_value", self.pad_value, CONSTANTS)

    def transform_batch(self, x: np.ndarray) -> np.ndarray:
        """Pad or cut the rows to ``pad_shape``; scalars are unchanged, text gets the longer dtype.

        Raises:
            RuntimeError: the rank is not the length of ``pad_shape``, or only one of column and
                value is text.
        """
        if x.ndim == 1:  # a scalar stays unchanged, as in MindSpore
            if self.pad_value is not None:
                constant_like(self, "pad_value", self.pad_value, x.dtype)
            return x
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
        shape = [n if target is None else target for n, target in zip(x.shape[1:], self.pad_shape)]
        out = np.full((len(x), *shape), value, dtype)
        common = (slice(None), *(slice(min(sizes)) for sizes in zip(x.shape[1:], shape)))
        out[common] = x[common]
        return out


class Slice(Transform):
    """x[slices[0], slices[1], ...], where an axis that is indexed by an int keeps length 1.

    Args:
        slices: for each axis from the first an int, a list of ints, a slice, None or ``...`` for
            the entire axis. Remaining axes are unchanged.

    Raises:
        TypeError: a slice has a wrong type.
        RuntimeError: a list is empty; later, when there are more slices than axes, or an index is
            out of range.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import transforms
        >>> transforms.Slice(slice(0, 2), [0, 2])(np.arange(9).reshape(3, 3))
        array([[0, 2],
               [3, 5]])
    """

    slices: tuple

    def __init__(self, *slices: Any) -> None:
        """Check one index per axis, and store them as the tuple ``slices``; see the class for
        errors.
        """
        super().__init__(slices)

    def check(self) -> None:
        """Check the indices, and store each as a slice or a tuple of ints."""
        self.normalise(slices=tuple(self._normalise_index(i, s) for i, s in enumerate(self.slices)))

    def _normalise_index(self, i: int, index: Any) -> Any:
        """Return the index for axis ``i`` as a slice or a tuple of ints.

        None, ... and True select the entire axis.

        Raises:
            TypeError, RuntimeError: ``index`` is not an index, or is an empty list.
        """
        if index is None or index is Ellipsis or index is True:
            return slice(None)
        if isinstance(index, slice):
            return index
        if isinstance(index, list):  # MindSpore's errors name its elements slice_option
            if not index:
                raise RuntimeError(
                    arguments.format_error(self, f"slices[{i}]", "name an index", index)
                    + " Both indices and slices can not be empty."
                )
            return tuple(check.int32(self, f"slice_option[{j}]", v) for j, v in enumerate(index))
        if isinstance(index, int) and not isinstance(index, bool):
            return (index,)
        rule = "be an int, a list of ints, a slice, None or ..."
        raise TypeError(arguments.format_error(self, f"slices[{i}]", rule, index))

    def transform_batch(self, x: np.ndarray) -> np.ndarray:
        """Index the axes in turn and return a copy; an int keeps its axis.

        Raises:
            RuntimeError: there are more indices than axes, or one is out of bounds.
        """
        if len(self.slices) > x.ndim - 1:
            raise RuntimeError(
                f"Slice: must have at most one slice for each axis, got {len(self.slices)} "
                f"for a column of shape {x.shape[1:]}."
            )
        for axis, index in enumerate(self.slices, start=1):
            if isinstance(index, slice):
                x = x[(slice(None),) * axis + (index,)]
                continue
            size = x.shape[axis]
            outside = [i for i in index if not -size <= i < size]
            if outside:
                raise RuntimeError(
                    f"Slice: index must be in [{-size}, {size}) on axis {axis - 1}, got "
                    f"{list(index)}. Index {outside[0]} is out of bounds."
                )
            x = x.take(index, axis)
        return x.copy()

    def __hash__(self) -> int:  # a slice is not hashable before Python 3.12
        return hash(repr(self))


class Concatenate(Transform):
    """The concatenation of ``prepend``, the columns and ``append``.

    Args:
        axis (int): 0 or -1, the only axis. Default: ``0``.
        prepend (numpy.ndarray): vector to put first. Default: ``None``.
        append (numpy.ndarray): vector to put last. Default: ``None``.

    Raises:
        TypeError: ``prepend`` or ``append`` is not an array.
        ValueError: ``prepend`` or ``append`` is not a vector, or ``axis`` is neither 0 nor -1.
        RuntimeError: a column is not a vector, or its dtype differs from that of ``prepend`` and
            ``append``.

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
        """Check ``axis``, and that ``prepend`` and ``append`` are vectors or None."""
        if check.int32(self, "axis", self.axis) not in (0, -1):
            hint = "There are only 1D arrays, so only 1D concatenation supported."
            raise ValueError(arguments.format_error(self, "axis", "be 0 or -1", self.axis, hint))
        for name in ("prepend", "append"):
            vector = getattr(self, name)
            if vector is None:
                continue
            if not isinstance(vector, np.ndarray):
                raise arguments.wrong_type(self, name, "be a NumPy array", vector, np.ndarray)
            if vector.ndim != 1:
                raise ValueError(arguments.format_error(self, name, "be one-dimensional", vector))

    def transform_batch(self, *columns: np.ndarray) -> np.ndarray:
        """Concatenate ``prepend``, the columns and ``append`` in each row.

        Raises:
            RuntimeError: a column is not a vector, or its dtype is not that of ``prepend`` or
                ``append``.
        """
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
        parts = [self.prepend, *columns, self.append]
        count = len(columns[0])
        return np.concatenate(
            [np.broadcast_to(part, (count, part.shape[-1])) for part in parts if part is not None],
            axis=1,
        )

    __eq__ = object.__eq__  # arrays have no truth value
    __hash__ = object.__hash__
