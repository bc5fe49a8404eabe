"""Ops that stack rows and columns, and create block diagonals, combinations and masks."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from minispore.core.primitive import Arithmetic, Primitive
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.compare import Less
from minispore.ops.elementwise.powers import Pow
from minispore.ops.index.gather import Gather
from minispore.ops.shape.cast_fill import Cast, Identity
from minispore.ops.shape.create import meshgrid
from minispore.ops.shape.join import Concat, Pad, Stack
from minispore.ops.shape.views import Reshape
from minispore.ops.support.arguments import (
    check_indices,
    check_shape,
    check_tensor_list,
    check_tensor_spec,
    check_tensors,
    to_static,
)
from minispore.ops.support.derive import _Composite


class ParallelConcat(_Composite):
    """Tensors of equal shape concatenated along their first axis, whose length must be 1.

    >>> print(ParallelConcat()((Tensor([[1, 2]]), Tensor([[3, 4]]))))
    [[1 2]
     [3 4]]
    """

    def __call__(self, values: Any) -> Tensor:
        """Return the tensors joined along axis 0; raise ValueError unless they have one shape,
        which begins with 1.
        """
        values = check_tensor_list(self.name, values, "values")
        if any(v.ndim < 1 or v.shape[0] != 1 or v.shape != values[0].shape for v in values):
            raise ValueError(
                f"{self.name}: values must have one shape that begins with 1, got "
                f"{', '.join(str(v.shape) for v in values)}."
            )
        return Concat(0)(values)


class IdentityN(_Composite):
    """Returns its tensors unchanged, as a tuple.

    >>> print(IdentityN()((Tensor(1), Tensor(2)))[1])
    2
    """

    def __call__(self, x: Any) -> tuple[Tensor, ...]:
        """Return a tuple of the tensors; raise TypeError unless ``x`` is a tuple or list of
        Tensors.
        """
        return tuple(Identity()(t) for t in check_tensor_list(self.name, x, "x"))


class Eps(Primitive):
    """The machine epsilon of the dtype of ``x`` (the distance from 1 to the next number), in its
    shape.

    >>> print(Eps()(Tensor([1.0])))
    [1.1920929e-07]
    """

    arithmetic = Arithmetic.NONE

    def infer(self, x: Spec) -> Spec:
        """Return the spec of x; raise TypeError unless it is float16, float32 or float64."""
        if check_tensor_spec(self.name, x).dtype.kind != "f":
            raise TypeError(f"{self.name}: x must be a float tensor, got {x}.")
        return x

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        out.fill(np.finfo(x.dtype).eps)


def eps(x: Tensor) -> Tensor:
    """Return the machine epsilon of the dtype of ``x`` (the distance from 1 to the next number), in
    its shape.

    Raises a TypeError unless it is float16, float32 or float64.
    """
    return Eps()(x)


class UnravelIndex(Primitive):
    """Converts indices of the flattened array to coordinates in the shape ``dims``, one row per
    axis.

    >>> print(UnravelIndex()(Tensor([2, 5]), Tensor([2, 3])))
    [[0 1]
     [2 2]]
    """

    def __call__(self, indices: Tensor, dims: Any) -> Tensor:
        return super().__call__(indices, to_static(dims))

    def infer(self, indices: Spec, dims: Any) -> Spec:
        """Return the spec (axes, *shape of indices); raise ValueError unless ``dims`` is a tuple of
        positive ints.
        """
        check_indices(self.name, indices)
        if not isinstance(dims, tuple) or any(
            d < 1 for d in check_shape(self.name, dims, "dims", -1)
        ):
            raise ValueError(f"{self.name}: dims must hold positive lengths, got {dims}.")
        return Spec((len(dims), *indices.shape), indices.dtype)

    def kernel(self, indices: np.ndarray, dims: Any, *, out: np.ndarray) -> None:
        """Write the coordinates; raise ValueError for an index beyond the shape."""
        try:
            out[...] = np.unravel_index(indices, dims)
        except ValueError as exc:
            raise ValueError(
                f"{self.name}: indices must lie in an array of shape {dims}: {exc}."
            ) from None


# -- a minimum number of axes ---------------------------------------------------------------------


def _apply_to_each(api_name: str, function: Any, inputs: Any) -> Any:
    """Apply ``function`` to a tensor, or to each of a tuple or list of tensors, with a tuple of
    results; raise TypeError for anything else.
    """
    if isinstance(inputs, Tensor):
        return function(inputs)
    return tuple(function(x) for x in check_tensor_list(api_name, inputs, "inputs"))


def atleast_1d(inputs: Any) -> Any:
    """Return a tensor, or a tuple of several tensors, each with at least 1 axis; a number becomes
    (1,).

    >>> atleast_1d(Tensor(1)).shape
    (1,)
    """
    return _apply_to_each("atleast_1d", lambda x: x if x.ndim else Reshape()(x, (1,)), inputs)


def atleast_2d(inputs: Any) -> Any:
    """Return a tensor, or a tuple of several tensors, each with at least 2 axes; a vector becomes
    (1, n).

    >>> atleast_2d(Tensor([1, 2])).shape
    (1, 2)
    """
    return _apply_to_each(
        "atleast_2d", lambda x: x if x.ndim > 1 else Reshape()(x, (1, x.size)), inputs
    )


def atleast_3d(inputs: Any) -> Any:
    """Return a tensor, or a tuple of several tensors, each with at least 3 axes.

    A vector becomes (1, n, 1), a matrix (m, n, 1).

    >>> atleast_3d(Tensor([1, 2])).shape
    (1, 2, 1)
    """

    def expand_to_3d(x: Tensor) -> Tensor:
        """Add axes to ``x``: a vector becomes (1, n, 1), a matrix (m, n, 1)."""
        if x.ndim > 2:
            return x
        return Reshape()(x, (1, x.size, 1) if x.ndim < 2 else (*x.shape, 1))

    return _apply_to_each("atleast_3d", expand_to_3d, inputs)


# -- stacks ---------------------------------------------------------------------------------------


def hstack(tensors: Any) -> Tensor:
    """Join tensors along axis 1; vectors and 0-d tensors are joined along axis 0.

    >>> print(hstack((Tensor([1]), Tensor([2, 3]))))
    [1 2 3]
    """
    tensors_1d = atleast_1d(check_tensor_list("hstack", tensors))
    return Concat(0 if tensors_1d[0].ndim == 1 else 1)(tensors_1d)


def vstack(inputs: Any) -> Tensor:
    """Join tensors along axis 0, with vectors as rows (1, n).

    >>> print(vstack((Tensor([1, 2]), Tensor([3, 4]))))
    [[1 2]
     [3 4]]
    """
    return Concat(0)(atleast_2d(check_tensor_list("vstack", inputs)))


def row_stack(tensors: Any) -> Tensor:
    """Join tensors along axis 0, with vectors as rows, as :func:`vstack` does.

    >>> print(row_stack((Tensor([1, 2]), Tensor([3, 4]))))
    [[1 2]
     [3 4]]
    """
    return vstack(tensors)


def dstack(tensors: Any) -> Tensor:
    """Join tensors along axis 2; a vector becomes (1, n, 1) first, a matrix (m, n, 1).

    >>> dstack((Tensor([1, 2]), Tensor([3, 4]))).shape
    (1, 2, 2)
    """
    return Concat(2)(atleast_3d(check_tensor_list("dstack", tensors)))


def column_stack(tensors: Any) -> Tensor:
    """Join tensors along axis 1, with vectors as columns (n, 1).

    >>> print(column_stack((Tensor([1, 2]), Tensor([3, 4]))))
    [[1 3]
     [2 4]]
    """
    checked = check_tensor_list("column_stack", tensors)
    return Concat(1)([x if x.ndim > 1 else Reshape()(x, (x.size, 1)) for x in checked])


def block_diag(*inputs: Tensor) -> Tensor:
    """Place matrices along the diagonal of a larger one, with zeros elsewhere.

    Vectors and 0-d tensors become rows; more than 2 axes raise ValueError.

    >>> print(block_diag(Tensor([[1, 2]]), Tensor([[3]])))
    [[1 2 0]
     [0 0 3]]
    """
    matrices = [atleast_2d(x) for x in check_tensor_list("block_diag", inputs, "inputs")]
    for x in matrices:
        if x.ndim != 2:
            raise ValueError(f"block_diag: inputs must have at most 2 axes, got shape {x.shape}.")
    width, left, rows = sum(x.shape[1] for x in matrices), 0, []
    for x in matrices:
        rows.append(Pad(((0, 0), (left, width - left - x.shape[1])))(x))
        left += x.shape[1]
    return Concat(0)(rows)


# -- combinations ---------------------------------------------------------------------------------


def cartesian_prod(*inputs: Tensor) -> Tensor:
    """Return the Cartesian product of vectors, one combination per row; a single input is returned
    itself.

    >>> print(cartesian_prod(Tensor([1, 2]), Tensor([3, 4])))
    [[1 3]
     [1 4]
     [2 3]
     [2 4]]
    """
    if len(inputs) == 1:
        return inputs[0]
    return Stack(-1)([Reshape()(g, (-1,)) for g in meshgrid(*inputs, indexing="ij")])


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Return all combinations of ``r`` elements of a vector in their order, one per row.

    ``with_replacement`` lets an element occur several times. Raises ValueError unless ``input`` is
    a vector.

    >>> print(combinations(Tensor([1, 2, 3])))
    [[1 2]
     [1 3]
     [2 3]]
    """
    check_tensors("combinations", input=input)
    if input.ndim != 1:
        raise ValueError(f"combinations: input must be a vector, got shape {input.shape}.")
    checks.integer("combinations", "r", r, 0)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = np.asarray(list(choose(range(input.size), r)), np.int64).reshape(-1, r)
    return Gather()(input, Tensor(rows), 0)


def vander(x: Tensor, N: int | None = None) -> Tensor:
    """Return the powers of each element in a row, from the (N-1)-th down to the 0-th.

    ``N`` is the number of elements by default. Bools and integers become int64.

    >>> print(vander(Tensor([2.0, 3.0]), 3))
    [[4. 2. 1.]
     [9. 3. 1.]]
    """
    check_tensors("vander", x=x)
    if x.ndim != 1:
        raise ValueError(f"vander: x must be a vector, got shape {x.shape}.")
    n = checks.integer("vander", "N", x.size if N is None else N, 1)
    if x.dtype.kind in "biu":
        x = Cast()(x, mstype.int64)
    powers = Tensor(np.arange(n)[::-1].copy(), x.dtype)
    return Pow()(Reshape()(x, (x.size, 1)), powers)


def sequence_mask(lengths: Tensor, maxlen: Any = None) -> Tensor:
    """Return a mask that is True at the first ``lengths[i]`` positions of row i.

    The mask has the shape of ``lengths`` with an axis of length ``maxlen`` added at the end; by
    default this is the greatest of ``lengths``.

    >>> print(sequence_mask(Tensor([1, 3])))
    [[ True False False]
     [ True  True  True]]
    """
    check_tensors("sequence_mask", lengths=lengths)
    n = to_static(lengths.max() if maxlen is None else maxlen)
    positions = Tensor(np.arange(checks.integer("sequence_mask", "maxlen", n, 0)), lengths.dtype)
    return Less()(positions, Reshape()(lengths, (*lengths.shape, 1)))


__all__ = [
    "Eps",
    "IdentityN",
    "ParallelConcat",
    "UnravelIndex",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "cartesian_prod",
    "column_stack",
    "combinations",
    "dstack",
    "eps",
    "hstack",
    "row_stack",
    "sequence_mask",
    "vander",
    "vstack",
]
