"""Tensor methods that copy or query the content, or create new tensors of the same dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import context
from minispore.core import interpreter, views
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.complex_numbers import Conj
from minispore.ops.linalg.contraction import dot
from minispore.ops.linalg.products import addmm, baddbmm, mm, outer
from minispore.ops.linalg.vector_products import mv
from minispore.ops.shape.cast_fill import Cast, Fill, Identity, StopGradient
from minispore.ops.shape.views import swapaxes
from minispore.ops.support.arguments import check_tensor_list, check_tensors, to_static
from minispore.ops.support.spelling import also_spelled

# -- new tensors ----------------------------------------------------------------------------------


@method("copy")
@method("clone")
def _copy_method(self: Tensor) -> Tensor:
    """Return a copy of the tensor, through which gradients flow."""
    return Identity()(self)


@method("contiguous")
def _contiguous_method(self: Tensor) -> Tensor:
    """Return the tensor itself if its elements are contiguous in row-major order, else a contiguous
    copy.

    Gradients flow through it.

    >>> t = Tensor([[1, 2], [3, 4]])
    >>> t.contiguous() is t, t.T.contiguous() is t.T
    (True, False)
    """
    return self if views.compute_layout(self).is_plain else _copy_method(self)


@method("fill")
def _fill_method(self: Tensor, value: Any) -> Tensor:
    """Return a tensor of the same shape and dtype filled with ``value``."""
    return Fill()(self.dtype, self.shape, value)


def new_zeros(input: Tensor, size: Any, *, dtype: Any = None) -> Tensor:
    """Return zeros of the shape ``size``, by default in the dtype of ``input``.

    Args:
        input (Tensor): any.
        size (int, tuple or list): the shape.
        dtype (mindspore.dtype): dtype of the result.

    Returns:
        Tensor

    Raises:
        TypeError: ``input`` is not a Tensor, or ``size`` holds no ints.
        ValueError: a length is negative.

    >>> print(new_zeros(Tensor([1.0, 2.0]), (2, 1)))
    [[0.]
     [0.]]
    """
    return _make_filled("new_zeros", input, size, dtype, 0)


def new_ones(input: Tensor, size: Any, *, dtype: Any = None) -> Tensor:
    """Return ones of the shape ``size``, by default in the dtype of ``input``.

    Args:
        input (Tensor): any.
        size (int, tuple or list): the shape.
        dtype (mindspore.dtype): dtype of the result.

    Returns:
        Tensor

    Raises:
        TypeError: ``input`` is not a Tensor, or ``size`` holds no ints.
        ValueError: a length is negative.

    >>> print(new_ones(Tensor([1, 2]), 3))
    [1 1 1]
    """
    return _make_filled("new_ones", input, size, dtype, 1)


def _make_filled(api_name: str, input: Tensor, size: Any, dtype: Any, value: int) -> Tensor:
    """Return a tensor of ``size`` filled with ``value``, by default in the dtype of ``input``.

    Raises:
        TypeError: ``input`` is not a Tensor.
    """
    if not isinstance(input, Tensor):
        raise TypeError(
            f"{api_name}: input must be a Tensor, got {input!r} ({type(input).__name__})."
        )
    return Fill()(input.dtype if dtype is None else dtype, size, value)


@method("new_zeros")
def _new_zeros(self: Tensor, size: Any, dtype: Any = None) -> Tensor:
    """Return zeros of the shape ``size``, an int or a tuple, by default in the tensor's dtype."""
    return new_zeros(self, size, dtype=dtype)


@method("new_ones")
def _new_ones(self: Tensor, size: Any, dtype: Any = None) -> Tensor:
    """Return ones of the shape ``size``, an int or a tuple, by default in the tensor's dtype."""
    return new_ones(self, size, dtype=dtype)


@method("new_full")
def _new_full(self: Tensor, size: Any, fill_value: Any, *, dtype: Any = None) -> Tensor:
    """Return a tensor of the shape ``size`` filled with ``fill_value``, by default in the tensor's
    dtype.
    """
    return Fill()(self.dtype if dtype is None else dtype, size, fill_value)


@method("new_empty")
def _new_empty(self: Tensor, size: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Return a tensor of the shape ``size`` with undefined content (zeros in minispore), by default
    in the tensor's dtype; ``device`` is ignored.
    """
    return Fill()(self.dtype if dtype is None else dtype, size, 0)


@method("itemset")
def _itemset_method(self: Tensor, *args: Any) -> Tensor:
    """Return a copy with one element set: ``itemset(value)`` or ``itemset(index, value)``.

    ``index`` is a tuple, or the index of an element of the flattened tensor. The tensor itself does
    not change, and no gradient flows. Raises IndexError if a tensor of several elements gets no
    index.

    >>> print(Tensor([1, 2]).itemset(1, 9))
    [1 9]
    """
    data = self.asnumpy().copy()
    if len(args) == 1 and data.size != 1:
        raise IndexError(
            f"Tensor.itemset: an index must come first, got shape {self.shape} and only a value."
        )
    *index, value = args
    index_value = index[0] if index else 0
    if not isinstance(index_value, tuple):
        index_value = _unravel_flat_index(index_value, data.shape)
    data[index_value] = value
    return Tensor(data)


def _unravel_flat_index(flat_index: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Convert the index of an element of the flat array to its index in an array of ``shape``.

    An index out of range is taken modulo the number of elements.
    """
    index = []
    flat_index = checks.integer("itemset", "index", to_static(flat_index))
    for d in reversed(shape):
        flat_index, remainder = divmod(flat_index, d)
        index.append(remainder)
    return tuple(reversed(index))


@method("value")
def _value_method(self: Tensor) -> Tensor:
    """Return the tensor itself; for a Parameter, its current content."""
    return self


@method("set_dtype")
def _set_dtype(self: Tensor, dtype: Any) -> mstype.DType:
    """Cast the tensor to ``dtype`` in place, and return its new dtype."""
    interpreter.current().assign(self, Cast()(self, dtype).value_)
    return self.dtype


@method("assign_value")
def _assign_value(self: Tensor, value: Any) -> Tensor:
    """Replace the content by ``value``, a tensor or a value that can become one, in place; return
    the tensor.
    """
    if isinstance(value, Parameter):
        value = value.value()
    return self._write_in_place(value if isinstance(value, Tensor) else Tensor(value))


@method("requires_grad_")
def _requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Return the tensor unchanged: ``grad`` decides what is differentiated, not this flag."""
    return self


@method("index")
def _index_method(self: Tensor, indices: Any) -> Tensor:
    """Return the elements at ``indices``, a list with one index tensor per axis, which are
    broadcast.
    """
    return self[check_tensor_list("index", indices, "indices")]


# -- queries --------------------------------------------------------------------------------------


@method("is_floating_point")
def _is_floating_point(self: Tensor) -> bool:
    """Whether the dtype is a floating-point type."""
    return self.dtype.kind == "f"


@method("is_complex")
def _is_complex(self: Tensor) -> bool:
    """Whether the dtype is complex."""
    return self.dtype.kind == "c"


@method("is_signed")
def _is_signed(self: Tensor) -> bool:
    """Whether the dtype can represent negative numbers: signed integers, floats and complex
    numbers.
    """
    return self.dtype.kind in "ifc"


@method("is_contiguous")
def _is_contiguous(self: Tensor) -> bool:
    """Whether the elements are contiguous in row-major order; False for a transposed view or a
    slice of columns, always True in a graph.

    >>> t = Tensor([[1, 2], [3, 4]])
    >>> t.is_contiguous(), t.T.is_contiguous(), t[1].is_contiguous(), t[:, 1].is_contiguous()
    (True, False, True, False)
    """
    return views.get_reported_layout(self).contiguous


@method("nelement")
def _nelement_method(self: Tensor) -> int:
    """Return the number of elements."""
    return self.size


@method("ndimension")
def _ndimension_method(self: Tensor) -> int:
    """Return the number of axes."""
    return self.ndim


@method("storage_offset")
def _storage_offset(self: Tensor) -> int:
    """Return the offset, in elements, of the first element in the storage that a view shares; 0 in
    a graph.

    >>> Tensor([[1, 2], [3, 4]])[1:].storage_offset()
    2
    """
    return views.get_reported_layout(self).offset


@method("allclose")
def _allclose_method(
    self: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """Whether all elements are close to the elements of ``other``, as a Python bool.

    Close is |x - other| <= atol + rtol * |other|. NaNs are equal only if ``equal_nan``. The shapes
    must broadcast. It cannot be part of a graph.
    """
    check_tensors("allclose", other=other)
    return bool(np.allclose(self.asnumpy(), other.asnumpy(), rtol, atol, equal_nan))


@method("get_bytes")
def _get_bytes(self: Tensor) -> bytes:
    """Return a copy of the elements' bytes in row-major order."""
    return self.asnumpy().tobytes()


@method("is_shared")
@method("is_pinned")
def _is_pinned(self: Tensor) -> bool:
    """Return False: minispore has one kind of memory, which is neither shared nor pinned."""
    return False


@method("pin_memory")
def _pin_memory(self: Tensor) -> Tensor:
    """Return the tensor itself: minispore has only one kind of memory."""
    return self


@method("move_to")
@also_spelled(device="to")
def _move_to(self: Tensor, to: str = "CPU", blocking: bool = True) -> Tensor:
    """Return the tensor itself, whatever the device."""
    return self


@method("data_ptr")
def _data_ptr(self: Tensor) -> int:
    """Return the address of the content in the host's memory.

    Returns:
        int

    >>> t = Tensor([1.0])
    >>> t.data_ptr() == t.data_ptr()
    True
    """
    return self.asnumpy().ctypes.data


def _get_device(self: Tensor) -> str:
    """Return the device that ops run on: ``"CPU"``, or for example ``"Ascend:0"``."""
    settings = context.current()
    target = settings.device_target
    return target if target == "CPU" else f"{target}:{settings.device_id}"


def _has_content(self: Tensor) -> bool:
    """Whether the content exists; False until its initializer has run."""
    return not self.has_init


def _get_initializer(self: Tensor) -> Any:
    """Return the initializer that will create the content, or None if the content exists."""
    return self._pending_init


def _transpose_matrix(self: Tensor) -> Tensor:
    """Return the tensor with its last two axes swapped, as a view."""
    return swapaxes(self, -1, -2)


def _transpose_conjugate(self: Tensor) -> Tensor:
    """Return the complex conjugate of the tensor with its last two axes swapped."""
    swapped = swapaxes(self, -1, -2)
    return Conj()(swapped) if self.dtype.kind == "c" else swapped


def _get_data(self: Tensor) -> Tensor:
    """Return a second Tensor of the same content (``tensor.data``), through which no gradient
    flows.

    Both share the content, so a write to one changes the other. Assigning to ``tensor.data``
    replaces it.
    """
    alias = StopGradient()(self)
    views.register_view(alias, views.View(self, Identity(), ()))
    return alias


def _set_data(self: Tensor, value: Tensor) -> None:
    """Replace the content by ``value``; a Parameter also takes the dtype of ``value``.

    Raises:
        TypeError: ``value`` is not a Tensor.
    """
    if not isinstance(value, Tensor):
        raise TypeError(f"Tensor: data must be set to a Tensor, got {value!r:.80}.")
    if isinstance(self, Parameter):
        if value.dtype is not self.dtype:
            self.set_dtype(value.dtype)
        self.set_data(value)
    else:
        self._write_in_place(Identity()(value))


for _name, _getter in (
    ("device", _get_device),
    ("init", _get_initializer),
    ("init_finished", _has_content),
    ("mT", _transpose_matrix),
    ("mH", _transpose_conjugate),
    ("H", _transpose_conjugate),
):
    setattr(Tensor, _name, property(_getter))
Tensor.data = property(_get_data, _set_data)  # type: ignore[attr-defined]

_PRODUCTS: dict[str, Any] = {
    "addmm": addmm,
    "baddbmm": baddbmm,
    "dot": dot,
    "mm": mm,
    "mv": mv,
    "outer": outer,
}
for _name, _function in _PRODUCTS.items():
    method(_name)(_function)


__all__ = ["new_ones", "new_zeros"]  # the others are methods
