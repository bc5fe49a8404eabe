"""Tensor methods whose arguments differ from those of the function: ``t.view(2, 3)``,
``t.float()``.

A method with the same arguments as a public function is registered next to that function.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from minispore.core import views
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.bases import ReduceToShape
from minispore.ops.index.gather import GatherD, gather
from minispore.ops.index.select import Select
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.convert import ViewDtype
from minispore.ops.shape.join import Pad, Slice, pick
from minispore.ops.shape.views import (
    broadcast_to,
    flatten,
    ravel,
    reshape,
    squeeze,
    swapaxes,
    tile,
    transpose,
)
from minispore.ops.statistics.reduce import widen_for_sum
from minispore.ops.support.arguments import (
    check_arrays,
    check_axis,
    check_shape,
    check_tensors,
    to_static,
)
from minispore.ops.support.spelling import also_spelled


def _parse_variadic(args: tuple[Any, ...]) -> Any:
    """Return the same tuple of ints for ``f(a, b)`` and ``f((a, b))``; for ``f(a)`` the int.

    Tensors are replaced by their values.
    """
    return to_static(args[0] if len(args) == 1 else args)


# -- shape ----------------------------------------------------------------------------------------


@method("reshape")
def _reshape_method(self: Tensor, *shape: Any) -> Tensor:
    """Return the elements, in row-major order, in ``shape``, ints or one tuple; one length may be
    -1.

    The result is a view where the memory layout allows it.
    """
    return reshape(self, _parse_variadic(shape))


@method("view")
def _view_method(self: Tensor, *shape: Any, dtype: Any = None) -> Tensor:
    """Return the elements in ``shape``, where one length may be -1; or reinterpret the bytes as
    ``dtype``.

    A shape gives a view if the memory layout allows it, and otherwise a copy. A dtype of another
    size changes the last axis. Raises TypeError if both are passed.

    >>> print(Tensor([1, 2], mstype.int16).view(mstype.int32))
    [131073]
    """
    if dtype is None and len(shape) == 1 and isinstance(shape[0], mstype.DType):
        (dtype,), shape = shape, ()
    if dtype is None:
        return reshape(self, _parse_variadic(shape))
    if shape:
        raise TypeError(f"Tensor.view: takes a shape or a dtype, got {shape} and {dtype}.")
    return ViewDtype()(self, dtype)


@method("reshape_as")
@method("view_as")
def _reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """Return the tensor reshaped to the shape of ``other``."""
    check_arrays("reshape_as", other=other)
    return reshape(self, other.shape)


@method("resize")
def _resize_method(self: Tensor, *new_shape: Any) -> Tensor:
    """Return a new tensor of the first elements in ``new_shape``, padded with zeros if there are
    too few; without arguments, return the tensor itself.

    >>> print(Tensor([1, 2, 3]).resize(2, 2))
    [[1 2]
     [3 0]]
    """
    if not new_shape:
        return self
    full_shape = _parse_variadic(new_shape)
    size = prod(check_shape("resize", full_shape, "new_shape"))
    flat = ravel(self)
    if size > self.size:
        flat = Pad(((0, size - self.size),))(flat)
    return reshape(Slice()(flat, (0,), (size,)), full_shape)


@method("flatten")
def _flatten_method(
    self: Tensor, order: Any = "C", end_dim: int = -1, *, start_dim: int = 0
) -> Tensor:
    """Merge the axes from ``start_dim`` to ``end_dim``, by default all, into one.

    Order "F" reads all elements in column-major order, whatever the axes. Two ints are
    ``start_dim`` and ``end_dim``.
    """
    if isinstance(order, int):  # flatten(start_dim, end_dim)
        order, start_dim = "C", order
    if order == "F":
        return ravel(transpose(self, tuple(range(self.ndim))[::-1]))
    return flatten(self, order, start_dim=start_dim, end_dim=end_dim)


@method("squeeze")
@also_spelled(dim="axis")
def _squeeze(self: Tensor, *args: Any, axis: Any = None) -> Tensor:
    """Remove all axes of length 1, or only those among ``axis`` or the arguments; axes of another
    length are kept.
    """
    return squeeze(self, _parse_variadic(args) if args else to_static(axis))


@method("permute")
def _permute_method(self: Tensor, *dims: Any) -> Tensor:
    """Return a view with the axes in the order ``dims``, ints or one tuple; without arguments
    reversed.
    """
    return transpose(self, _parse_variadic(dims) if dims else tuple(range(self.ndim))[::-1])


@method("transpose")
def _transpose_method(self: Tensor, *axes: Any, dim0: Any = None, dim1: Any = None) -> Tensor:
    """Swap two axes passed as two numbers, or permute all axes; without arguments reverse them.

    A permutation is passed as a tuple or as more than two numbers.

    >>> Tensor([[1, 2]]).transpose().shape, Tensor([[[1, 2]]]).transpose(1, 2, 0).shape
    ((2, 1), (1, 2, 1))
    """
    if dim0 is not None:
        return swapaxes(self, dim0, dim1)
    if not axes or axes == (None,):
        return transpose(self, tuple(range(self.ndim))[::-1])
    if len(axes) == 2:
        return swapaxes(self, *axes)
    return transpose(self, _parse_variadic(axes))


@method("broadcast_to")
@method("expand")
@also_spelled(size="shape", sizes="shape")
def _expand(self: Tensor, *args: Any, shape: Any = None) -> Tensor:
    """Broadcast the tensor along axes of length 1 to the shape passed as ints or a tuple; -1 keeps
    a length.
    """
    return broadcast_to(self, _parse_variadic(args) if args else shape)


@method("expand_as")
@also_spelled(x="other")
def _expand_as(self: Tensor, other: Tensor) -> Tensor:
    """Broadcast the tensor along axes of length 1 to the shape of ``other``."""
    check_tensors("expand_as", other=other)
    return broadcast_to(self, other.shape)


@method("tile")
@also_spelled(reps="dims")
def _tile(self: Tensor, *args: Any, dims: Any = None) -> Tensor:
    """Repeat the tensor ``dims[i]`` times along axis i; the shorter of ``dims`` and the shape is
    extended by leading ones.
    """
    return tile(self, _parse_variadic(args) if args else dims)


@method("repeat")
def _repeat_method(self: Tensor, *repeats: Any, axis: Any = ()) -> Tensor:
    """Repeat the tensor ``repeats[i]`` times along axis i; with ``axis`` repeat each slice.

    An ``axis`` of None repeats each element of the flat tensor.

    >>> print(Tensor([1, 2]).repeat(2), Tensor([1, 2]).repeat(2, axis=None))
    [1 2 1 2] [1 1 2 2]
    """
    if axis != ():
        return self.repeat_interleave(_parse_variadic(repeats), axis)
    return tile(self, _parse_variadic(repeats))


@method("sum_to_size")
def _sum_to_size(self: Tensor, *size: Any) -> Tensor:
    """Sum over axes to the shape ``size``, which must broadcast to the tensor's shape.

    Bools, uint8, int8, int16 and int32 sum to int64; a tensor of this shape is returned itself.
    """
    target_shape = _parse_variadic(size)
    target_shape = check_shape("sum_to_size", target_shape, "size")
    if target_shape == self.shape:
        return self
    return ReduceToShape(target_shape)(widen_for_sum(self, None))


@method("stride")
def _stride_method(self: Tensor, dim: int | None = None) -> Any:
    """Return the strides of the tensor in elements, a list, or only the stride of axis ``dim``.

    Raises IndexError for an axis that does not exist. In a graph the strides are always those of a
    row-major tensor.

    >>> t = Tensor([[1, 2, 3], [4, 5, 6]])
    >>> t.stride(), t.T.stride(), t.stride(0)
    ([3, 1], [1, 3], 3)
    """
    strides = views.get_reported_layout(self).stride
    if dim is None:
        return strides
    if not -self.ndim <= checks.integer("stride", "dim", dim) < self.ndim:
        raise IndexError(f"stride: dim must be an axis of {self.ndim}, got {dim}.")
    return strides[dim]


# -- dtype ----------------------------------------------------------------------------------------


@method("astype")
def _astype_method(self: Tensor, dtype: Any, copy: bool = True) -> Tensor:
    """Cast to ``dtype``: a minispore or NumPy dtype, its name, or a Python type.

    ``copy`` is ignored: a tensor that has this dtype already is returned as a view.

    >>> Tensor([1]).astype(float).dtype
    mindspore.float64
    """
    return Cast()(self, _parse_dtype(dtype))


def _parse_dtype(dtype: Any) -> Any:
    """Return the dtype for a Python type or the name of a dtype; return anything else unchanged."""
    if isinstance(dtype, type):
        return mstype.pytype_to_dtype(dtype)
    return mstype.resolve_dtype(dtype) if isinstance(dtype, str) else dtype


@method("to")
def _to_method(self: Tensor, *args: Any, dtype: Any = None, **placement: Any) -> Tensor:
    """Cast to a dtype, or to the dtype of another tensor; a device is accepted but has no effect.

    Bools and other keywords are ignored. Without a dtype, return the tensor itself.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a string is not the name of a device; names of dtypes are not accepted.
    """
    for a in args:
        if isinstance(a, str) and a.lower() not in ("cpu", "gpu", "ascend", "npu"):
            raise ValueError(f"Tensor.to: device must be 'CPU', 'GPU' or 'Ascend', got {a!r}.")
        if isinstance(a, mstype.DType):
            dtype = a
        elif isinstance(a, Tensor):
            dtype = a.dtype
        elif not isinstance(a, str | bool):
            raise TypeError(f"Tensor.to: dtype must be a dtype, got {a!r} ({type(a).__name__}).")
    return self if dtype is None else Cast()(self, dtype)


@method("type")
def _type_method(self: Tensor, dtype: Any = None) -> Any:
    """Cast to ``dtype`` (a dtype, its name or a Python type); without it, return the name of the
    tensor's dtype.

    >>> Tensor([1.0]).type()
    'Float32'
    """
    return str(self.dtype) if dtype is None else Cast()(self, _parse_dtype(dtype))


@method("type_as")
def _type_as(self: Tensor, other: Tensor) -> Tensor:
    """Cast to the dtype of ``other``."""
    check_tensors("type_as", other=other)
    return Cast()(self, other.dtype)


def _register_cast_method(name: str, dtype: mstype.DType) -> None:
    """Register the Tensor method ``name``, which casts to ``dtype``."""

    def cast_to_dtype(self: Tensor) -> Tensor:
        """Return the tensor cast to the ``dtype`` of the enclosing function."""
        return Cast()(self, dtype)

    cast_to_dtype.__name__, cast_to_dtype.__doc__ = name, f"As {dtype.name}."
    method(name)(cast_to_dtype)


for _name, _dtype in (
    ("bool", mstype.bool_),
    ("byte", mstype.uint8),
    ("short", mstype.int16),
    ("int", mstype.int32),
    ("long", mstype.int64),
    ("half", mstype.float16),
    ("float", mstype.float32),
    ("double", mstype.float64),
    ("bfloat16", mstype.bfloat16),
):
    _register_cast_method(_name, _dtype)


# -- selection ------------------------------------------------------------------------------------


@method("gather")
def _gather_method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Gather elements by ``gather(dim, index)``, or slices by ``gather(input_indices, axis,
    batch_dims=0)``.

    A first argument that is a tensor selects the second form.

    >>> print(Tensor([[1, 2], [3, 4]]).gather(1, Tensor([[0], [1]])).T)
    [[1 4]]
    >>> print(Tensor([[1, 2], [3, 4]]).gather(Tensor([1]), 0))
    [[3 4]]
    """
    if "input_indices" in kwargs or (args and isinstance(args[0], Tensor)):
        return gather(self, *args, **kwargs)
    return _gather_along(self, *args, **kwargs)


def _gather_along(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the elements of ``x`` at ``index`` along ``dim``: the method ``gather(dim,
    index)``.
    """
    return GatherD()(x, dim, index)


@method("select")
def _select_method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Return a view of one slice for ``select(dim, index)``; for ``select(condition, y)``, choose
    the tensor's elements where ``condition`` is True, else those of ``y``.

    >>> print(Tensor([[1, 2], [3, 4]]).select(1, 0))
    [1 3]
    """
    if "condition" in kwargs or (args and isinstance(args[0], Tensor)):
        return _select_where(self, *args, **kwargs)
    return _pick_slice(self, *args, **kwargs)


@method("where")
@also_spelled(other="y")
def _select_where(self: Tensor, condition: Tensor, y: Any) -> Tensor:
    """Return the tensor's elements where ``condition`` is True, else the elements of ``y``."""
    return Select()(condition, self, y)


@also_spelled(axis="dim")
def _pick_slice(x: Tensor, dim: int, index: int) -> Tensor:
    """Return a view of the slice at ``index`` along ``dim``, without that axis: the method
    ``select(dim, index)``.
    """
    axis = check_axis("select", dim, x.ndim, "dim")
    return pick(x, axis, checks.integer("select", "index", to_static(index)))


@method("item")
def _item_method(self: Tensor, *index: Any) -> Any:
    """Return the only element, or the one at ``index``, as a Python number.

    ``index`` is one int in the flattened tensor, or one int per axis. Raises ValueError if there
    are several elements and no index, IndexError for an index out of range.
    """
    return self.asnumpy().item(*index) if index else self._to_python_scalar("item()")


# -- exchange of arrays with other frameworks in the same process, by DLPack -----------------------


@method("to_dlpack")
def to_dlpack(tensor: Tensor) -> Any:
    """Return the tensor as a DLPack capsule, which another framework can convert once.

    Args:
        tensor (Tensor): numbers; its values are copied, since the values of a Tensor never change.

    Returns:
        PyCapsule, which ``from_dlpack`` of any framework accepts.

    Raises:
        TypeError: ``tensor`` is not a Tensor, or DLPack or NumPy's support of it lacks its dtype.

    Source: dmlc.github.io/dlpack.

    >>> import numpy as np
    >>> print(from_dlpack(to_dlpack(Tensor([1.0, 2.0]))))
    [1. 2.]
    """
    array = checks.instance("to_dlpack", "tensor", tensor, Tensor).asnumpy().copy()
    try:
        return array.__dlpack__()
    except (BufferError, TypeError) as exc:
        raise TypeError(
            f"to_dlpack: tensor must be of a dtype that DLPack has, got {tensor.dtype} ({exc}). "
            "Cast it to mindspore.float32."
        ) from None


class _CapsuleExporter:
    """An object with the methods that NumPy needs for a capsule and its device."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        """Return the capsule; the arguments of the protocol are ignored."""
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return the type and the number of the device: the CPU."""
        return (1, 0)


def from_dlpack(dlpack: Any) -> Tensor:
    """Return a Tensor with a copy of the values of a DLPack capsule.

    Args:
        dlpack: a capsule of host memory that has not been consumed yet, or an object with
            ``__dlpack__``, such as an array of another framework.

    Returns:
        Tensor, of the same shape and dtype.

    Raises:
        TypeError: ``dlpack`` is neither, or has already been consumed.

    Source: dmlc.github.io/dlpack.

    >>> import numpy as np
    >>> print(from_dlpack(np.array([3, 4], np.int32)))
    [3 4]
    """
    exporter = dlpack if hasattr(dlpack, "__dlpack__") else _CapsuleExporter(dlpack)
    try:
        return Tensor(np.from_dlpack(exporter))
    except (BufferError, RuntimeError, TypeError, ValueError, AttributeError) as exc:
        raise TypeError(
            "from_dlpack: dlpack must be a DLPack capsule of the host's memory that nobody took "
            f"in yet, got {checks.format_value(dlpack)} ({exc}). Make one with to_dlpack."
        ) from None


Tensor.from_dlpack = staticmethod(from_dlpack)  # type: ignore[attr-defined]


__all__: list[str] = []  # this module only registers methods
