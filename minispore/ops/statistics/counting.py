"""Distinct values, their counts, histograms, and positions of non-zero elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.compare import Less
from minispore.ops.elementwise.extremes import Minimum
from minispore.ops.index.gather import Gather
from minispore.ops.index.select import Select
from minispore.ops.shape.cast_fill import Cast, Ones
from minispore.ops.shape.split import Unstack
from minispore.ops.support.arguments import (
    check_array,
    check_axis,
    check_dtype,
    check_number,
    check_tensor_spec,
    check_tensors,
    to_static,
)
from minispore.ops.support.spelling import also_spelled


class Unique(Primitive):
    """The distinct elements in order of first occurrence, and the index of each element among them.

    The indices have the shape of the input; they are int64 for int64 elements, else int32. Each NaN
    counts as distinct.

    >>> values, which = Unique()(Tensor([3, 1, 3, 2]))
    >>> print(values, which)
    [3 1 2] [0 1 0 2]
    """

    dynamic = True

    def kernel(self, x: np.ndarray, *, out: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the distinct elements, whose number only the kernel knows, and the index of each
        element; raise TypeError unless x is an array.
        """
        return _find_unique(check_array(self.name, x))


def _find_unique(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct elements in order of first occurrence, and each element's index among
    them in the shape of ``x``: int64 for int64 elements, else int32.
    """
    values, first_positions, inverse = np.unique(
        x, return_index=True, return_inverse=True, equal_nan=False
    )
    order = np.argsort(first_positions)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    index_dtype = np.int64 if x.dtype == np.int64 else np.int32
    return values[order], rank[inverse].reshape(x.shape).astype(index_dtype)


class UniqueWithPad(Primitive):
    """Like :class:`Unique`, with the distinct elements padded by ``pad_num`` to the input's length.

    The input is a vector.

    >>> values, which = UniqueWithPad()(Tensor([3, 1, 3, 2]), 0)
    >>> print(values, which)
    [3 1 2 0] [0 1 0 2]
    """

    vjp_rule = VjpRule(takes_tuples=True)

    def __call__(self, x: Tensor, pad_num: Any) -> tuple[Tensor, Tensor]:
        """Return the padded elements and the indices; ``pad_num`` may be a 0-d tensor."""
        return super().__call__(x, to_static(pad_num))

    def infer(self, x: Spec, pad_num: Any) -> tuple[Spec, Spec]:
        """Return the specs of values and indices; raise TypeError for a float ``pad_num`` beside
        integers.
        """
        if check_tensor_spec(self.name, x).ndim != 1:
            raise ValueError(f"{self.name}: x must be a vector, got {x}.")
        if isinstance(pad_num, tuple | str) or pad_num is None:
            raise TypeError(f"{self.name}: pad_num must be a number, got {pad_num!r}.")
        if isinstance(pad_num, float) and x.dtype.kind in "iu":
            raise TypeError(f"{self.name}: pad_num must be an int beside {x}, got {pad_num}.")
        index_dtype = np.int64 if x.dtype == np.int64 else np.int32
        return x, Spec(x.shape, np.dtype(index_dtype))

    def kernel(self, x: np.ndarray, pad_num: Any, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        """Write the distinct elements, then ``pad_num`` up to the length of x, and the index of
        each element.
        """
        values, inverse = _find_unique(x)
        out[0].fill(pad_num)
        out[0][: values.size] = values
        out[1][...] = inverse


class UniqueConsecutive(Primitive):
    """The first element (or slice along ``dim``) of each run, the index of each element's run, and
    the run lengths.

    Without ``return_inverse`` the second output is 0, without ``return_counts`` the third.

    >>> values, _, counts = UniqueConsecutive(return_counts=True)(Tensor([1, 1, 2, 1]))
    >>> print(values, counts)
    [1 2 1] [2 1 1]
    """

    return_inverse: bool = False
    return_counts: bool = False
    dim: Any = None
    dynamic = True

    def kernel(self, x: np.ndarray, *, out: Any = None) -> Any:
        """Return values, inverse and counts; outputs that are not requested are a 0-d zero."""
        check_array(self.name, x)
        if self.dim is not None:
            check_axis(self.name, self.dim, x.ndim, "dim")
        flat = x.reshape(-1) if self.dim is None else np.moveaxis(x, self.dim, 0)
        is_run_start = np.ones(len(flat), np.bool_)
        if len(flat):
            differs = flat[1:] != flat[:-1]
            is_run_start[1:] = differs.any(tuple(range(1, differs.ndim)))
        starts = np.flatnonzero(is_run_start)
        values = flat[starts]
        inverse = counts = np.zeros((), np.int64)
        if self.return_inverse:
            inverse = np.cumsum(is_run_start) - 1
            inverse = inverse.reshape(x.shape) if self.dim is None else inverse
        if self.return_counts:
            counts = np.diff(np.append(starts, len(flat)))
        return values if self.dim is None else np.moveaxis(values, 0, self.dim), inverse, counts


class NonZero(Primitive):
    """The coordinates (int64) of the non-zero elements, one row per element, in row-major order.

    >>> print(NonZero()(Tensor([[0, 5], [7, 0]])))
    [[0 1]
     [1 0]]
    """

    dynamic = True

    def kernel(self, x: np.ndarray, *, out: Any = None) -> np.ndarray:
        """Return the coordinates (n, axes), int64, in row-major order; raise ValueError for a 0-d
        input.
        """
        if not check_array(self.name, x).ndim:
            raise ValueError(f"{self.name}: input must have at least 1 axis, got a scalar.")
        return np.argwhere(x)


class Bincount(Primitive):
    """The sum of the weights of each of the numbers 0 ... size - 1 in ``array``.

    If ``weights`` is empty, each occurrence has weight 1. Numbers of at least ``size`` are ignored;
    negative ones raise ValueError.

    >>> array, size = Tensor([3, 1, 3], mstype.int32), Tensor(4, mstype.int32)
    >>> print(Bincount()(array, size, Tensor([1.0, 1.0, 0.5])))
    [0.  1.  0.  1.5]
    """

    def __call__(self, array: Tensor, size: Any, weights: Tensor) -> Tensor:
        """Sum the weights of each number; empty weights mean a weight of 1 for each."""
        if isinstance(weights, Tensor) and not weights.size:
            weights = Ones()(array.shape, weights.dtype)
        return super().__call__(array, to_static(size), weights)

    def infer(self, array: Spec, size: Any, weights: Spec) -> Spec:
        """Return the spec (size,) in the dtype of weights; raise unless ``array`` is int32 and
        weights have its shape.
        """
        check_dtype(self.name, array, "array", "int32")
        if check_tensor_spec(self.name, weights, "weights").shape != array.shape:
            raise ValueError(f"{self.name}: weights must have the shape of {array}, got {weights}.")
        return Spec((checks.integer(self.name, "size", size, 0),), weights.dtype)

    def kernel(self, array: np.ndarray, size: int, weights: np.ndarray, *, out: np.ndarray) -> None:
        """Sum the weights of each number below ``size``; raise ValueError for negative numbers."""
        numbers, flat_weights = array.reshape(-1), weights.reshape(-1)
        if numbers.size and numbers.min() < 0:
            raise ValueError(f"{self.name}: array must not be negative, got {numbers.min()}.")
        is_counted = numbers < size
        out.fill(0)
        np.add.at(out, numbers[is_counted], flat_weights[is_counted])

    def vjp(
        self, array: Tensor, size: int, weights: Tensor, *, out: Tensor, dout: Tensor
    ) -> Cotangents:
        """Return the gradient function of the weights; array and size have none."""

        def compute_weights_grad() -> Tensor:
            """Compute the gradient of the weights: ``dout`` at each counted number, else 0."""
            inside = Less()(array, size)
            grads = Gather()(dout, Minimum()(array, size - 1), 0)
            return Select()(inside, grads, 0)

        return None, None, compute_weights_grad


class Histogram(Primitive):
    """The number of elements in each of ``bins`` equal bins of [min, max]; others are not counted.

    With min = max, the range is that of the elements. The counts have the dtype of the input,
    float32 for float16.

    >>> print(Histogram(4, 0.0, 4.0)(Tensor([0.5, 1.0, 4.0, 9.0])))
    [1. 1. 0. 1.]
    """

    bins: int = 100
    min: float = 0.0
    max: float = 0.0

    def check(self) -> None:
        """Raise unless ``bins`` is an int of at least 1 and ``min`` at most ``max``."""
        checks.integer(self.name, "bins", self.bins, 1)
        if check_number(self.name, self.min, "min") > check_number(self.name, self.max, "max"):
            raise ValueError(f"{self.name}: min must be <= max, got {self.min} and {self.max}.")

    def infer(self, x: Spec) -> Spec:
        """Return the spec (bins,) in the dtype of x; float32 for float16."""
        dtype = check_tensor_spec(self.name, x).dtype
        return Spec((self.bins,), np.dtype(np.float32) if dtype == np.float16 else dtype)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Count by bins; min = max means the range of x, and a range of one point is extended by 1
        on each side.

        Raises a ValueError if the range is not finite.
        """
        has_range = self.min < self.max or not x.size
        low, high = map(float, (self.min, self.max) if has_range else (x.min(), x.max()))
        if not np.isfinite(high - low):
            raise ValueError(f"{self.name}: the range must be finite, got [{low}, {high}].")
        if low == high:
            low, high = low - 1, high + 1
        x = x[(x >= low) & (x <= high)].astype(np.result_type(x, np.float32))
        bin_indices = ((x - low) / x.dtype.type((high - low) / self.bins)).astype(np.int64)
        out[...] = np.bincount(np.minimum(bin_indices, self.bins - 1), minlength=self.bins)


class HistogramFixedWidth(Primitive):
    """The number of elements in each of ``nbins`` equal bins of ``range``.

    Elements outside the range are counted in the first or last bin. The counts are int32.

    >>> print(HistogramFixedWidth(4)(Tensor([-1.0, 0.5, 1.0, 9.0]), Tensor([0.0, 4.0])))
    [2 1 0 1]
    """

    nbins: int
    dtype: Any = "int32"

    def check(self) -> None:
        """Raise unless ``nbins`` is an int of at least 1 and ``dtype`` is int32."""
        checks.integer(self.name, "nbins", self.nbins, 1)
        if mstype.resolve_dtype(self.dtype) is not mstype.int32:
            raise ValueError(f"{self.name}: dtype must be int32, got {self.dtype}.")

    def infer(self, x: Spec, range: Spec) -> Spec:
        """Return the int32 spec (nbins,); raise ValueError unless ``range`` has shape (2,)."""
        check_tensor_spec(self.name, x, "x")
        if check_tensor_spec(self.name, range, "range").shape != (2,):
            raise ValueError(f"{self.name}: range must hold two numbers, got {range}.")
        return Spec((self.nbins,), np.dtype(np.int32))

    def kernel(self, x: np.ndarray, range: np.ndarray, *, out: np.ndarray) -> None:
        """Count by bins of equal width; raise ValueError unless the range increases."""
        low, high = float(range[0]), float(range[1])
        if not low < high:
            raise ValueError(f"{self.name}: range must rise, got [{low}, {high}].")
        bin_indices = np.floor((x.reshape(-1) - low) * (self.nbins / (high - low)))
        bin_indices = np.clip(bin_indices, 0, self.nbins - 1).astype(np.intp)
        out[...] = np.bincount(bin_indices, minlength=self.nbins)


class EqualCount(Primitive):
    """The number of positions at which x and y are equal, a vector of one element in their dtype.

    >>> print(EqualCount()(Tensor([1, 2, 3]), Tensor([1, 2, 4])))
    [2]
    """

    def infer(self, x: Spec, y: Spec) -> Spec:
        """Return the spec (1,) in the dtype of x; raise ValueError unless y has its shape and
        dtype.
        """
        if check_tensor_spec(self.name, x, "x") != check_tensor_spec(self.name, y, "y"):
            raise ValueError(
                f"{self.name}: x and y must be of one shape and dtype, got {x} and {y}."
            )
        return Spec((1,), x.dtype)

    def kernel(self, x: np.ndarray, y: np.ndarray, *, out: np.ndarray) -> None:
        out[0] = np.count_nonzero(x == y)


class ConfusionMatrix(Primitive):
    """The number (or sum of weights) of samples with each label (row) and prediction (column).

    >>> print(ConfusionMatrix(2)(Tensor([0, 1, 1]), Tensor([0, 0, 1])))
    [[1. 0.]
     [1. 1.]]
    """

    num_classes: int
    dtype: Any = mstype.float32

    def check(self) -> None:
        """Raise a TypeError or ValueError unless ``num_classes`` is an int of at least 1."""
        checks.integer(self.name, "num_classes", self.num_classes, 1)

    def infer(self, labels: Spec, predictions: Spec, weights: Any = None) -> Spec:
        """Return the spec of the square matrix; raise ValueError unless labels and predictions are
        integer vectors of equal length, which the weights share.
        """
        for name, x in (("labels", labels), ("predictions", predictions)):
            if check_tensor_spec(self.name, x, name).dtype.kind not in "iu" or x.ndim != 1:
                raise ValueError(f"{self.name}: {name} must be a vector of integers, got {x}.")
        if labels.shape != predictions.shape or (weights and weights.shape != labels.shape):
            raise ValueError(
                f"{self.name}: labels, predictions and weights must be of one length, got "
                f"{labels} and {predictions}."
            )
        return Spec((self.num_classes, self.num_classes), mstype.to_numpy(self.dtype))

    def kernel(
        self, labels: np.ndarray, predictions: np.ndarray, weights: Any = None, *, out: np.ndarray
    ) -> None:
        """Count the pairs, or sum their weights; raise ValueError for classes out of range."""
        for name, x in (("labels", labels), ("predictions", predictions)):
            if x.size and (x.min() < 0 or x.max() >= self.num_classes):
                raise ValueError(
                    f"{self.name}: {name} must be in [0, {self.num_classes}), got {x}."
                )
        out.fill(0)
        np.add.at(out, (labels, predictions), 1 if weights is None else weights)


class ListDiff(Primitive):
    """The elements of ``x`` that are not in ``y``, and their indices in ``x``.

    >>> print(*ListDiff()(Tensor([1, 2, 3]), Tensor([2])))
    [1 3] [0 2]
    """

    out_idx: Any = mstype.int32
    dynamic = True

    def kernel(
        self, x: np.ndarray, y: np.ndarray, *, out: Any = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the elements of x not in y, and their indices as ``out_idx``; raise ValueError
        unless both are vectors.
        """
        if check_array(self.name, x).ndim != 1 or check_array(self.name, y).ndim != 1:
            raise ValueError(
                f"{self.name}: x and y must be vectors, got shapes {x.shape} and {y.shape}."
            )
        positions = np.flatnonzero(~np.isin(x, y))
        return x[positions], positions.astype(mstype.to_numpy(self.out_idx))


# -- functions ------------------------------------------------------------------------------------


def unique(input: Tensor) -> tuple[Tensor, Tensor]:
    """Return the distinct elements in order of first occurrence, and the index of each element
    among them.

    The indices have the shape of ``input``; they are int64 for int64 elements, else int32.
    """
    return Unique()(input)


@method("unique")
def _unique_method(
    self: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Return the distinct elements (slices along ``dim``), and the requested indices and counts.

    The elements are sorted, even if ``sorted`` is False. ``return_inverse`` adds the index of each
    element among them, ``return_counts`` their numbers of occurrences, both int64; without these
    the result is one tensor, not a tuple. It cannot be part of a graph.

    >>> print(Tensor([3, 1, 3]).unique())
    [1 3]
    """
    results: Any = np.unique(  # type: ignore[call-overload]
        self.asnumpy(), False, return_inverse, return_counts, axis=dim, equal_nan=False
    )
    if not isinstance(results, tuple):
        return Tensor(results)
    index_arrays = [np.asarray(result, np.int64) for result in results[1:]]
    if return_inverse:
        index_arrays[0] = index_arrays[0].reshape(self.shape if dim is None else -1)
    return (Tensor(results[0]), *map(Tensor, index_arrays))


@method("unique_with_pad")
def unique_with_pad(x: Tensor, pad_num: Any) -> tuple[Tensor, Tensor]:
    """Return the distinct elements of a vector in order of first occurrence, padded to its length
    with ``pad_num``, and the index of each element among them.
    """
    return UniqueWithPad()(x, pad_num)


@method("unique_consecutive")
@also_spelled(axis="dim")
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: Any = None
) -> Any:
    """Return the first element (or slice along ``dim``) of each run; optionally also the index of
    each element's run, and the run lengths.

    Without ``dim``, the runs are those of the flattened tensor. The result is a tuple only if
    ``return_inverse`` or ``return_counts``.
    """
    results = UniqueConsecutive(return_inverse, return_counts, dim)(input)
    requested = [results[0], *results[1 : 1 + return_inverse], *results[2 : 2 + return_counts]]
    return tuple(requested) if len(requested) > 1 else results[0]


@method("nonzero")
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """Return the coordinates of the non-zero elements, as one row per element or, if ``as_tuple``,
    one vector per axis.

    Raises ValueError for a 0-d tensor.
    """
    coordinates = NonZero()(input)
    return Unstack(1)(coordinates) if as_tuple else coordinates


@method("argwhere")
def argwhere(input: Tensor) -> Tensor:
    """Return the coordinates of the non-zero elements, one row per element; raise ValueError for a
    0-d tensor.
    """
    return NonZero()(input)


@method("bincount")
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Return the number of occurrences of each of 0, 1, ..., or the sums of their weights.

    The result has at least ``minlength`` elements, in the dtype of ``weights`` or else float32.
    Negative numbers raise ValueError.
    """
    check_tensors("bincount", input=input)
    if input.dtype.kind not in "iu":
        raise TypeError(f"bincount: input must hold integers, got {input.dtype}.")
    needed_size = int(input.max()) + 1 if input.size else 0
    if weights is None:
        weights = Ones()(input.shape, mstype.float32)
    size = max(needed_size, checks.integer("bincount", "minlength", minlength, 0))
    return Bincount()(Cast()(input, mstype.int32), size, weights)


@method("histc")
def histc(input: Tensor, bins: int = 100, min: float = 0.0, max: float = 0.0) -> Tensor:
    """Return the number of elements in each of ``bins`` equal bins of [min, max].

    Elements out of range are not counted; with min = max, the range is that of the elements. The
    counts have the dtype of ``input``, float32 for float16.
    """
    return Histogram(bins, min, max)(input)


__all__ = [
    "Bincount",
    "ConfusionMatrix",
    "EqualCount",
    "Histogram",
    "HistogramFixedWidth",
    "ListDiff",
    "NonZero",
    "Unique",
    "UniqueConsecutive",
    "UniqueWithPad",
    "argwhere",
    "bincount",
    "histc",
    "nonzero",
    "unique",
    "unique_consecutive",
    "unique_with_pad",
]
