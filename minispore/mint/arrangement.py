"""Functions that reshape, join, split and index tensors."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.arithmetic import Mul
from minispore.ops.shape.cast_fill import Cast, Identity
from minispore.ops.support.arguments import check_axes, check_tensors, to_static


def reshape(input: Tensor, *shape: Any) -> Tensor:
    """Return ``input`` reshaped to ``shape``, separate ints or one tuple, where one length may be
    -1.
    """
    return ops.reshape(input, _parse_shape(shape))


def _parse_shape(shape: tuple[Any, ...]) -> Any:
    """Return the shape passed as ``f(2, 3)`` or as ``f((2, 3))``, a tuple or a tensor, as a
    tuple.
    """
    return to_static(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Return ``input`` with the axes ``dim0`` and ``dim1`` swapped, as a view.

    >>> print(transpose(Tensor([[1, 2], [3, 4]]), 0, 1))
    [[1 3]
     [2 4]]
    """
    return ops.swapaxes(input, dim0, dim1)


def permute(input: Tensor, dims: Any) -> Tensor:
    """Return ``input`` with its axes in the order ``dims``: axis i of the result is ``dims[i]``."""
    return ops.permute(input, dims)


def t(input: Tensor) -> Tensor:
    """Return ``input`` with its first two axes swapped, as a view; return vectors and scalars
    unchanged.
    """
    check_tensors("t", input=input)
    return ops.swapaxes(input, 0, 1) if input.ndim > 1 else input


def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Return ``input`` without the axes of length 1 among ``dim``; by default without all of them.

    Axes among ``dim`` that are longer are kept. Without an axis to remove, ``input`` itself is
    returned.

    Raises:
        TypeError: ``dim`` is neither an int nor a tuple of ints.
        ValueError: an axis is out of range, or occurs twice.

    >>> squeeze(Tensor([[[1], [2]]]), (0, 1)).shape
    (2, 1)
    """
    check_tensors("squeeze", input=input)
    dim = to_static(dim)
    dims = (dim,) if isinstance(dim, int) else dim
    if dim in (None, ()):
        dims = range(input.ndim)
    if not isinstance(dims, range | tuple) or not all(isinstance(d, int) for d in dims):
        rule = "be an int or a tuple of ints"
        raise TypeError(checks.format_error("squeeze", "dim", rule, checks.format_value(dim)))
    if not input.ndim and all(d in (0, -1) for d in dims):
        return input  # a 0-d tensor accepts the axes 0 and -1 although it has no axes
    unit_axes = tuple(
        d for d in check_axes("squeeze", tuple(dims), input.ndim) if input.shape[d] == 1
    )
    return ops.squeeze(input, unit_axes) if unit_axes else input


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Return ``input`` with the axes from ``start_dim`` to ``end_dim`` merged into one.

    Both axes are included; a scalar gives a vector.

    >>> print(flatten(Tensor([[1, 2], [3, 4]])))
    [1 2 3 4]
    """
    return ops.flatten(input, start_dim=start_dim, end_dim=end_dim)


def repeat_interleave(
    input: Tensor, repeats: Any, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Return ``input`` with each slice along ``dim`` (or each element of the flattened tensor)
    repeated.

    ``repeats`` is one int, or one for each slice. ``output_size`` must be the length of the result;
    a different one raises a ValueError.
    """
    repeated = ops.repeat_interleave(input, repeats, dim)
    length = repeated.shape[0 if dim is None else dim]
    if output_size not in (None, length):
        raise ValueError(f"repeat_interleave: output_size must be {length}, got {output_size}.")
    return repeated


# -- joins and splits ------------------------------------------------------------------------------


def cat(tensors: Any, dim: int = 0) -> Tensor:
    """Return tensors concatenated along ``dim``, in their common dtype; all other lengths must
    agree.

    >>> print(cat((Tensor([1, 2]), Tensor([3]))))
    [1 2 3]
    """
    return ops.cat(tensors, dim)


concat = cat


def stack(tensors: Any, dim: int = 0) -> Tensor:
    """Return tensors of one shape and dtype joined along a new axis ``dim``."""
    return ops.stack(tensors, dim)


def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Split a tensor along ``dim`` into views of equal length (the last may be shorter) or of a
    list of lengths.

    >>> print(*split(Tensor([1, 2, 3]), 2))
    [1 2] [3]
    """
    return ops.split(tensor, split_size_or_sections, dim)


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Split ``input`` into at most ``chunks`` parts along ``dim``, as a tuple; all but the last
    have the same length, rounded up.
    """
    return ops.chunk(input, chunks, dim)


def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """Return ``length`` slices along ``dim``, beginning at ``start``, as a view."""
    return ops.narrow(input, dim, start, length)


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Return the slice ``index`` along ``dim``, without that axis, as a view; negative indices
    count from the end.

    >>> print(select(Tensor([[1, 2], [3, 4]]), 1, -1))
    [2 4]
    """
    check_tensors("select", input=input)
    return input.select(dim, index)


# -- indexing --------------------------------------------------------------------------------------


def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the elements at ``index`` along ``dim``, in the shape of ``index``.

    >>> print(gather(Tensor([[1, 2], [3, 4]]), 1, Tensor([[1], [0]])))
    [[2]
     [3]]
    """
    check_tensors("gather", input=input, index=index)
    return input.gather(dim, index)


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the slices of ``input`` at the indices in the vector ``index`` along ``dim``."""
    return ops.index_select(input, dim, index)


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """Return a copy of ``input`` with ``alpha * source`` added to its slices ``index`` along
    ``dim``.

    >>> import minispore as ms
    >>> at = Tensor([2, 2], ms.int32)
    >>> print(index_add(Tensor([1.0, 2.0, 3.0]), 0, at, Tensor([5.0, 6.0]), alpha=2))
    [ 1.  2. 25.]
    """
    source = source if alpha == 1 else Mul()(source, alpha)
    copy = Identity()(input)  # ops.index_add writes to its first argument
    return ops.index_add(copy, Cast()(index, mstype.int32), source, dim)


def scatter(input: Tensor, dim: int, index: Tensor, src: Any) -> Tensor:
    """Return a copy of ``input`` with ``src`` (a tensor or number) written at ``index`` along
    ``dim``.
    """
    return ops.scatter(input, dim, index, src)


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Return a copy of ``input`` with ``src`` added at ``index`` along ``dim``.

    A ``src`` that is larger than ``index`` is cropped to its shape.

    >>> print(scatter_add(Tensor([1, 2, 3]), 0, Tensor([2, 2]), Tensor([5, 6])))
    [ 1  2 14]
    """
    check_tensors("scatter_add", input=input, index=index, src=src)
    source = src[tuple(slice(n) for n in index.shape)] if src.shape != index.shape else src
    return ops.tensor_scatter_elements(input, index, source, dim, "add")


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return a matrix with the vector ``input`` on diagonal ``diagonal``, or that diagonal of a
    matrix.

    The main diagonal is 0, those above it are positive.

    >>> print(diag(Tensor([1, 2])), diag(Tensor([[1, 2], [3, 4]]), 1))
    [[1 0]
     [0 2]] [2]
    """
    check_tensors("diag", input=input)
    if input.ndim == 1:
        return ops.diag_embed(input, diagonal)
    return ops.diagonal(input, diagonal)


__all__ = [
    "cat",
    "chunk",
    "concat",
    "diag",
    "flatten",
    "gather",
    "index_add",
    "index_select",
    "narrow",
    "permute",
    "repeat_interleave",
    "reshape",
    "scatter",
    "scatter_add",
    "select",
    "split",
    "squeeze",
    "stack",
    "t",
    "transpose",
]
