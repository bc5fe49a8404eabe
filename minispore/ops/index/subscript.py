"""``x[index]`` and ``x[index] = value``, by NumPy's rules.

An index is passed to ops as static ``parts`` (ints, ``("slice", start, stop, step)``, "newaxis",
"ellipsis", ``("bool", value)``, and "tensor" for each index tensor), followed by the index tensors.
In this form it can be compared and stored in a graph node.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Arithmetic, Cotangents, Primitive
from minispore.core.tensor import Tensor, call
from minispore.errors import MaskError
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import unbroadcast
from minispore.ops.shape.cast_fill import Cast, ZerosLike
from minispore.ops.shape.views import Reshape
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.support.arguments import check_tensor_spec

_NUMPY_PARTS = {"newaxis": None, "ellipsis": Ellipsis}
_ALL = ("slice", None, None, None)


def to_numpy_index(parts: tuple[Any, ...], tensors: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return an index as NumPy takes it, a tuple of ints, slices, None, Ellipsis, bools and arrays.

    ``parts`` is its static form, with "tensor" in place of each index tensor; see this module.
    """
    remaining = iter(tensors)
    index = []
    for part in parts:
        if part == "tensor":
            index.append(next(remaining))
        elif isinstance(part, tuple):  # ("slice", start, stop, step) or ("bool", value)
            index.append(slice(*part[1:]) if part[0] == "slice" else part[1])
        else:
            index.append(_NUMPY_PARTS[part] if isinstance(part, str) else part)
    return tuple(index)


def _is_basic_index(parts: tuple[Any, ...]) -> bool:
    """Whether the index contains no tensors or bools, so that NumPy returns a view."""
    return not any(p == "tensor" or (isinstance(p, tuple) and p[0] == "bool") for p in parts)


def _infer_item_spec(
    api_name: str, x: Spec, parts: tuple[Any, ...], tensors: tuple[Any, ...]
) -> Spec:
    """Return the spec of ``x[index]``, by indexing a NumPy array that holds one byte.

    Raises:
        IndexError: the index does not fit x.
    """
    check_tensor_spec(api_name, x)
    zeros = [np.broadcast_to(np.zeros((), t.dtype), t.shape) for t in tensors]
    for t in tensors:
        if t.dtype.kind not in "iu":
            raise IndexError(
                f"{api_name}: an index tensor must be of an integer or bool type, got {t}. Cast it "
                "to int32."
            )
    try:
        index = to_numpy_index(parts, tuple(zeros))
        selection = np.broadcast_to(np.zeros((), np.bool_), x.shape)[index]
    except IndexError as exc:
        raise IndexError(f"{api_name}: the index must fit {x}: {exc}.") from None
    return Spec(np.shape(selection), x.dtype)


class GetItem(Primitive):
    """``x[index]``; a view if the index contains no tensor.

    >>> print(Tensor([[1, 2], [3, 4]])[:, 1])
    [2 4]
    """

    arithmetic = Arithmetic.NONE

    def infer(self, x: Spec, parts: Any, *tensors: Spec) -> Spec:
        """Return the spec of ``x[index]``; raise IndexError if the index does not fit or contains
        False.
        """
        if ("bool", False) in parts:
            raise IndexError(
                "Tensor: a bool in an index must be True, got False, which picks nothing."
            )
        return _infer_item_spec(self.name, x, parts, tensors)

    def scatter_view(self, x: Tensor, parts: Any, *, content: Tensor) -> Tensor:
        """Return ``x`` with ``content`` at the index; called to propagate a write to a view to its
        base.
        """
        return SetItem()(x, content, parts)

    def view(self, x: np.ndarray, parts: Any, *tensors: np.ndarray) -> np.ndarray | None:
        """Return ``x[index]`` as a view of x; None if the index contains a tensor or a bool."""
        if not _is_basic_index(parts):
            return None
        index = to_numpy_index(parts, ())  # a basic index has no tensors
        # With "..." NumPy returns a view, even for a single element.
        return x[index if Ellipsis in index else (*index, Ellipsis)]

    def kernel(self, x: np.ndarray, parts: Any, *tensors: np.ndarray, out: Any) -> Any:
        out[...] = x[to_numpy_index(parts, tensors)]

    def vjp(self, x: Tensor, parts: Any, *tensors: Tensor, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: GetItemGrad()(dout, x.shape, parts, *tensors),)


class GetItemByMask(GetItem):
    """``x[index]`` with a bool tensor in the index: the output shape is known only at run time.

    >>> print(Tensor([1, 2, 3])[Tensor([True, False, True])])
    [1 3]
    """

    dynamic = True

    def infer(self, *args: Any) -> Any:
        """Raise UnknownShape: the shape depends on the mask's values."""
        return Primitive.infer(self, *args)

    def view(self, *args: Any) -> None:
        """Return None: selecting by a mask needs a copy."""
        return None

    def kernel(
        self, x: np.ndarray, parts: Any, *tensors: np.ndarray, out: Any = None
    ) -> np.ndarray:
        """Return the selected elements; raise MaskError if a mask does not fit."""
        try:
            return x[to_numpy_index(parts, tensors)]
        except IndexError as exc:
            raise MaskError(f"Tensor: the index must fit shape {x.shape}: {exc}.") from None


class GetItemGrad(Primitive):
    """The gradient of ``x[index]``: zeros of ``shape`` with ``dout`` added at ``[index]``.

    >>> print(GetItemGrad()(Tensor([5.0]), (3,), (("slice", 1, 2, None),)))
    [0. 5. 0.]
    """

    def infer(self, dout: Spec, shape: Any, parts: Any, *tensors: Spec) -> Spec:
        return Spec(shape, check_tensor_spec(self.name, dout).dtype)

    def kernel(
        self, dout: np.ndarray, shape: Any, parts: Any, *tensors: np.ndarray, out: np.ndarray
    ) -> None:
        """Copy dout and zero the other elements; with index tensors add dout, as positions may
        repeat.
        """
        index = to_numpy_index(parts, tensors)
        if _is_basic_index(parts):
            for outside in _list_complement_slices(parts, shape):
                out[outside] = 0
            out[index] = dout
        else:
            out.fill(0)
            # np.add.at is fast only in one dimension, so it gets positions in the flat array.
            positions = np.arange(out.size).reshape(shape)[index]
            flat = out.reshape(-1) if out.flags.c_contiguous else np.zeros(out.size, out.dtype)
            np.add.at(flat, positions.reshape(-1), dout.reshape(-1))
            if not out.flags.c_contiguous:
                out[...] = flat.reshape(shape)

    def vjp(
        self, d: Tensor, shape: Any, parts: Any, *tensors: Tensor, out: Tensor, dout: Tensor
    ) -> Cotangents:
        return (lambda: get_item(dout, parts, tensors),)


def _find_sliced_interval(parts: Any, shape: tuple[int, ...]) -> tuple[int, int, int] | None:
    """Return (axis, start, stop) of an index that selects an interval along exactly one axis.

    Args:
        parts: the index in the form of :class:`GetItem`: ints, ``("slice", start, stop, step)`` and
            at most one ``"ellipsis"``.
        shape: the shape of the indexed array.

    Returns:
        None if the index restricts no axis or more than one, has a step, or is empty.
    """
    if "ellipsis" in parts:
        i = parts.index("ellipsis")
        parts = (*parts[:i], *[_ALL] * (len(shape) - len(parts) + 1), *parts[i + 1 :])
    sliced_axes = [i for i, p in enumerate(parts) if p != _ALL]
    if len(sliced_axes) != 1:
        return None
    axis, part = sliced_axes[0], parts[sliced_axes[0]]
    if isinstance(part, int):
        return axis, part % shape[axis], part % shape[axis] + 1
    if part[0] != "slice":
        return None
    start, stop, step = slice(*part[1:]).indices(shape[axis])
    return None if step != 1 or stop <= start else (axis, start, stop)


def _list_complement_slices(parts: Any, shape: tuple[int, ...]) -> list[tuple[Any, ...]]:
    """Return indices that cover all elements not selected by an index without tensors.

    For an interval they are the slices on both sides; for any other index, the whole array.
    """
    if all(p in (_ALL, "ellipsis") for p in parts):
        return []
    interval_bounds = _find_sliced_interval(parts, shape)
    if interval_bounds is None:
        return [()]
    axis, start, stop = interval_bounds
    leading = (slice(None),) * axis
    return [(*leading, slice(start)), (*leading, slice(stop, None))]


class SetItem(Primitive):
    """``x`` with ``value`` (broadcast) at ``[index]``.

    >>> t = Tensor([1, 2, 3])
    >>> t[1:] = 0
    >>> print(t)
    [1 0 0]
    """

    reuse = (0,)

    def infer(self, x: Spec, value: Any, parts: Any, *tensors: Spec) -> Spec:
        """Return the spec of x; raise if ``value`` does not broadcast to a selection without
        masks.
        """
        if any(t.dtype.kind == "b" for t in tensors):
            return check_tensor_spec(self.name, x)
        selection = _infer_item_spec(self.name, x, parts, tensors)
        if isinstance(value, Spec):
            shape = value.shape
            while len(shape) > selection.ndim and shape[0] == 1:
                shape = shape[1:]
            if len(shape) > selection.ndim or any(
                a not in (1, b) for a, b in zip(shape[::-1], selection.shape[::-1], strict=False)
            ):
                raise ValueError(
                    f"{self.name}: value must broadcast to what the index picks, {selection}, got "
                    f"{value}."
                )
        return x

    def kernel(
        self, x: np.ndarray, value: Any, parts: Any, *tensors: np.ndarray, out: np.ndarray
    ) -> None:
        """Copy x unless ``out`` is x itself, and write the value; raise MaskError if a mask does
        not fit.
        """
        if out is not x:
            np.copyto(out, x)
        if isinstance(value, np.ndarray) and value.size == 1:
            value = value.reshape(())  # NumPy cannot assign an array with axes to a single element
        try:
            out[to_numpy_index(parts, tensors)] = value
        except IndexError as exc:  # only a mask can fail in a kernel: infer has checked the rest
            raise MaskError(f"{self.name}: the index must fit shape {x.shape}: {exc}.") from None

    def vjp(
        self, x: Tensor, value: Any, parts: Any, *tensors: Tensor, out: Tensor, dout: Tensor
    ) -> Cotangents:
        """Return the gradient functions of x (0 where overwritten) and value (summed where
        broadcast).
        """

        def compute_dx() -> Tensor:
            return SetItem()(dout, 0, parts, *tensors)

        def compute_dvalue() -> Tensor:
            """Compute the gradient of value: ``dout`` at the index, summed where value was
            broadcast.
            """
            if value.size == 1:  # works without knowing how many elements a mask selects
                is_written = SetItem()(ZerosLike()(dout), 1, parts, *tensors)
                written_dout = call("Select", is_written, dout, 0)
                total = ReduceSum()(written_dout, tuple(range(written_dout.ndim)))
                return Cast()(Reshape()(total, value.shape), value.dtype)
            grad = get_item(dout, parts, tensors)
            if grad.ndim < value.ndim:
                grad = Reshape()(grad, (1,) * (value.ndim - grad.ndim) + grad.shape)
            return Cast()(unbroadcast(grad, value), value.dtype)

        return compute_dx, compute_dvalue if isinstance(value, Tensor) else None


def get_item(x: Tensor, parts: tuple[Any, ...], tensors: tuple[Tensor, ...]) -> Tensor:
    """Return ``x[index]`` for an index in static form, as ``parts`` and index tensors."""
    has_mask = any(t.value_.spec.dtype.kind == "b" for t in tensors)
    return call("GetItemByMask" if has_mask else "GetItem", x, parts, *tensors)


__all__ = ["GetItem", "GetItemByMask", "GetItemGrad", "SetItem"]
