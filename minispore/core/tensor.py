"""Tensor: holds one immutable Value, with MindSpore's operators.

Every operation is ``call("Name", ...)``: the ops are in a higher layer (``ops/``), so they are
called by name rather than imported. ``ops`` attaches the other methods (``t.mean()``,
``t.reshape(...)``) by :func:`method`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from minispore.core import arguments, interpreter, views
from minispore.core.arguments import (
    bind_promoted,
    cast,
    check_device,
    check_operands,
    check_text_conversion,
    make_value,
    to_array,
    to_static,
)
from minispore.core.tensor_base import TensorBase
from minispore.foundation.array_text import format_matrix_cells, format_repr, format_str
from minispore.foundation.charts import format_html_table, format_html_text
from minispore.foundation.foreign_names import MissingName
from minispore.ir import dtype as mstype
from minispore.ir.dtype import DType
from minispore.ir.operator import Operator
from minispore.ir.registry import OpName, primitive, registry
from minispore.ir.value import Spec, Symbol, Value

if TYPE_CHECKING:
    from minispore.core.tensor_methods import TensorMethods

    class _Methods(TensorBase, TensorMethods):
        """Declares the methods that ``ops`` attaches, for type checkers."""

else:
    _Methods = TensorBase

F = TypeVar("F", bound=Callable[..., Any])


class Tensor(_Methods):
    """An n-dimensional array.

    Args:
        input_data: a number, a nested list or tuple of numbers, a NumPy array or a Tensor. Copied.
        dtype: a minispore dtype; by default the data's own (Python floats become
            float32, ints int64).
        shape: the shape to fill, in place of data; needs a dtype. With None (or -1) for unknown
            lengths, or None for an unknown number of axes, the tensor has no content: it declares
            an input (``set_inputs``, ``input_signature``). Its shape then has -1 for an unknown
            length, and is (-2,) for an unknown number of axes.
        init: an initializer (``minispore.common.initializer``) that fills it, by default with 0.
        const_arg: has no effect: graphs treat every tensor as variable.
        device: "CPU", "GPU" or "Ascend"; has no effect.

    Raises:
        TypeError: a tensor can't contain the data (strings, None, ragged lists).
        ValueError: ``init`` without ``shape`` and ``dtype``, or with data.

    >>> t = Tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> t.shape, t.dtype
    ((2, 2), mindspore.float32)
    >>> print(t)
    [[1. 2.]
     [3. 4.]]
    >>> Tensor(shape=[None, 3], dtype=mstype.float32).shape
    (-1, 3)
    """

    __slots__ = ("__dict__",)  # for attributes that users set

    def __init__(
        self,
        input_data: Any = None,
        dtype: DType | None = None,
        shape: Any = None,
        init: Any = None,
        const_arg: bool = False,
        device: str | None = None,
    ) -> None:
        if const_arg is not False:
            self.set_const_arg(const_arg)
        if isinstance(input_data, Tensor):
            value = input_data._value
            if value.data is None or (dtype is None and not value.shared):
                self._value = value if dtype is None else cast(value, dtype)
                return
            input_data = check_text_conversion(value.data, dtype)
        if input_data is None and init is None and dtype is not None and _is_dynamic(shape):
            self._value = Value(_make_dynamic_spec(shape, dtype))
            return
        has_initializer = init is not None or (input_data is None and shape is not None)
        if has_initializer and input_data is not None:
            raise ValueError("Tensor: init must come without input_data, got both.")
        data = (
            _make_initialized_array(dtype, shape, init)
            if has_initializer
            else to_array(input_data, dtype)
        )
        self._value = Value(Spec(data.shape, data.dtype), data)
        interpreter.current().on_create(self)

    @staticmethod
    def from_numpy(array: np.ndarray) -> Tensor:
        """Return a tensor that shares the memory of ``array``, which must be C-contiguous.

        Raises:
            TypeError: ``array`` is not a NumPy array, or has a dtype that tensors do not support.

        >>> Tensor.from_numpy(np.zeros(3, np.float32)).shape
        (3,)
        """
        if not isinstance(array, np.ndarray):
            raise TypeError(f"Tensor.from_numpy: array must be a numpy.ndarray, got {type(array)}.")
        mstype.from_numpy(array.dtype)
        tensor = wrap(Value(Spec(array.shape, array.dtype), array))
        tensor._value.lent = True
        return tensor

    # -- conversions to Python --------------------------------------------------------------------

    def __bool__(self) -> bool:
        """Return the truth value of the only element; ValueError for any other size. A trace adds a
        guard.
        """
        data = self._read_content("bool()")
        if data.size != 1:
            raise ValueError(
                f"Tensor: bool() must be asked of one element, got a tensor of shape {self.shape}. "
                "The truth value of an array with more than one element is ambiguous. Use .all() "
                "or .any()."
            )
        return bool(data.reshape(())[()])

    def __int__(self) -> int:
        return int(self._to_python_scalar("int()"))

    def __float__(self) -> float:
        return float(self._to_python_scalar("float()"))

    def __complex__(self) -> complex:
        return complex(self._to_python_scalar("complex()"))

    def __index__(self) -> int:
        """Return the only element, an integer, as an index; ValueError for floats or several
        elements.
        """
        data = self._read_content("index")
        if data.dtype.kind not in "iub" or data.size != 1:
            raise ValueError(
                f"Tensor: only one integer element can be an index, got {self.dtype} of shape "
                f"{self.shape}."
            )
        return int(data.item())

    def __len__(self) -> int:
        """Return the length of the first axis; TypeError for a 0-d tensor."""
        if not self.shape:
            raise TypeError("Tensor: a tensor without axes has no len().")
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        """Return an iterator over the tensors along the first axis; TypeError for a 0-d tensor."""
        if not self.shape:
            raise TypeError("Tensor: a tensor without axes can't be iterated over.")
        return (self[i] for i in range(self.shape[0]))

    def __contains__(self, item: Any) -> bool:
        """Whether an element equals ``item``; False for objects that can't be compared with a
        tensor.
        """
        return bool((self == item).any()) if _is_operand(item) else False

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        head = f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, value="
        data = self._get_printable()
        return f"{head}{' <traced>' if data is None else format_repr(data)})"

    def _repr_html_(self) -> str:
        """Return the HTML that a notebook shows: a table for a vector or matrix, else the repr."""
        data = self._get_printable()
        if data is None or not data.size or data.ndim not in (1, 2) or data.dtype.kind in "USO":
            return format_html_text(repr(self))
        caption = f"{type(self).__name__}, {self.dtype}, {self.shape}"
        return format_html_table(caption, (), format_matrix_cells(data))

    def __str__(self) -> str:
        """Return the content as text, or the spec while a graph is traced."""
        data = self._get_printable()
        return f"Tensor({self._value.spec}, traced)" if data is None else format_str(data)

    def _get_printable(self) -> np.ndarray | None:
        """Return the array to print; None if there is none yet.

        In a trace, the interpreter provides it, and may refuse to trace.
        """
        value = self._value
        if not interpreter.tracing():
            return value.data
        return interpreter.current().concrete(value, "printing")

    def __format__(self, spec: str) -> str:
        """Format a single element by ``spec``; any other tensor as text."""
        return format(self.item(), spec) if spec and self.size == 1 else format(str(self), spec)

    def __copy__(self) -> Tensor:
        """Copy the tensor by an op, so that gradients flow through the copy."""
        return call("Identity", self)

    def __deepcopy__(self, memodict: Any) -> Tensor:
        """Return a tensor with a copy of the content, outside graphs; one of dynamic shape has no
        content.
        """
        spec = self._value.spec
        has_dynamic_shape = any(n < 0 for n in spec.shape)  # it has no content to copy
        return wrap(Value(spec, None if has_dynamic_shape else self.asnumpy().copy()))

    def __reduce__(self) -> Any:
        """Pickle the content, without hooks or derivatives."""
        return (Tensor, (self.asnumpy(),))

    @property
    def T(self) -> Tensor:
        """The tensor with its axes reversed."""
        return call("Transpose", self, tuple(range(self.ndim))[::-1])

    # -- operators --------------------------------------------------------------------------------

    def __neg__(self) -> Tensor:
        return call("Neg", self)

    def __pos__(self) -> Tensor:
        return self

    def __abs__(self) -> Tensor:
        return call("Abs", self)

    def __invert__(self) -> Tensor:
        """Return the logical NOT of a bool tensor."""
        return call("LogicalNot", self)

    def __round__(self) -> Tensor:
        return call("Round", self)

    def __add__(self, other: Any) -> Tensor:
        return _apply_binary("Add", self, other)

    def __radd__(self, other: Any) -> Tensor:
        return _apply_binary("Add", other, self)

    def __sub__(self, other: Any) -> Tensor:
        """Subtract; for two bools, return the exclusive or."""
        are_bools = self.dtype.kind == "b" and (
            isinstance(other, bool) or (isinstance(other, Tensor) and other.dtype.kind == "b")
        )
        return _apply_binary("LogicalXor" if are_bools else "Sub", self, other)

    def __rsub__(self, other: Any) -> Tensor:
        return _apply_binary("Sub", other, self)

    def __mul__(self, other: Any) -> Tensor:
        return _apply_binary("Mul", self, other)

    def __rmul__(self, other: Any) -> Tensor:
        return _apply_binary("Mul", other, self)

    def __truediv__(self, other: Any) -> Tensor:
        return _apply_binary("Div", self, other)

    def __rtruediv__(self, other: Any) -> Tensor:
        return _apply_binary("Div", other, self)

    def __floordiv__(self, other: Any) -> Tensor:
        return _apply_binary("FloorDiv", self, other)

    def __rfloordiv__(self, other: Any) -> Tensor:
        return _apply_binary("FloorDiv", other, self)

    def __mod__(self, other: Any) -> Tensor:
        return _apply_binary("FloorMod", self, other)

    def __rmod__(self, other: Any) -> Tensor:
        return _apply_binary("FloorMod", other, self)

    def __pow__(self, other: Any) -> Tensor:
        return _apply_binary("Pow", self, other)

    def __rpow__(self, other: Any) -> Tensor:
        return _apply_binary("Pow", other, self)

    def __matmul__(self, other: Any) -> Tensor:
        return call("MatMulExt", self, other)

    def __rmatmul__(self, other: Any) -> Tensor:
        return call("MatMulExt", other, self)

    __iadd__, __isub__, __imul__, __itruediv__ = __add__, __sub__, __mul__, __truediv__
    __ifloordiv__, __imod__, __ipow__ = __floordiv__, __mod__, __pow__

    def __lt__(self, other: Any) -> Tensor:
        return _apply_binary("Less", self, other)

    def __le__(self, other: Any) -> Tensor:
        return _apply_binary("LessEqual", self, other)

    def __gt__(self, other: Any) -> Tensor:
        return _apply_binary("Greater", self, other)

    def __ge__(self, other: Any) -> Tensor:
        return _apply_binary("GreaterEqual", self, other)

    def __eq__(self, other: object) -> Any:
        """Compare elementwise; return False for objects that never equal a tensor, such as a
        list.
        """
        return _apply_binary("Equal", self, other) if _is_operand(other) else False

    def __ne__(self, other: object) -> Any:
        """Compare elementwise; return True for objects that never equal a tensor, such as a
        list.
        """
        return _apply_binary("NotEqual", self, other) if _is_operand(other) else True

    def __and__(self, other: Any) -> Tensor:
        return _apply_bitwise("LogicalAnd", "BitwiseAnd", self, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Tensor:
        return _apply_bitwise("LogicalOr", "BitwiseOr", self, other)

    __ror__ = __or__

    def __xor__(self, other: Any) -> Tensor:
        return _apply_bitwise("LogicalXor", "BitwiseXor", self, other)

    __rxor__ = __xor__

    def _write_in_place(self, result: Tensor) -> Tensor:
        """Replace the content of this tensor, and of tensors that share it, by that of ``result``.

        For ``t.add_(1)`` and ``t[0] = 1``; ``t += 1`` makes a new tensor.
        """
        views.write_through(self, result._value)
        return self

    def __getitem__(self, index: Any) -> Tensor:
        """Return the part at ``index``: by GetItemByMask if it contains a bool tensor, else by
        GetItem.
        """
        components, *tensors = _split_index(index)
        has_mask = any(t._value.spec.dtype.kind == "b" for t in tensors)
        return call("GetItemByMask" if has_mask else "GetItem", self, components, *tensors)

    def __setitem__(self, index: Any, value: Any) -> None:
        """Write ``value`` into the part at ``index``, also in tensors that share the content."""
        if not isinstance(value, Tensor):
            value = wrap(make_value(to_array(value, self.dtype)))
        self._write_in_place(call("SetItem", self, value, *_split_index(index)))


def _is_dynamic(shape: Any) -> bool:
    """Whether a shape, or a length of it, is unknown: None, -1, -2 or a Symbol."""
    if shape is None:
        return True
    return isinstance(shape, list | tuple) and any(
        isinstance(d, Symbol) or d in (None, -1, *_UNKNOWN_RANK_SHAPE) for d in shape
    )


_UNKNOWN_RANK_SHAPE = (-2,)  # the shape of a tensor with an unknown number of axes


def _make_dynamic_spec(shape: Any, dtype: DType) -> Spec:
    """Return the spec of a declared input, with -1 for unknown lengths."""
    dims = [-1 if d is None or isinstance(d, Symbol) else d for d in shape or ()]
    lengths = _UNKNOWN_RANK_SHAPE if shape is None else dims
    return Spec(tuple(lengths), mstype.to_numpy(dtype))


def matches_spec(declared: Spec, actual: Spec) -> bool:
    """Whether ``declared``, which may have a dynamic shape, allows the spec ``actual``."""
    if declared.shape == _UNKNOWN_RANK_SHAPE:
        return declared.dtype == actual.dtype
    is_compatible = declared.dtype == actual.dtype and declared.ndim == actual.ndim
    return is_compatible and all(d in (-1, n) for d, n in zip(declared.shape, actual.shape))


MissingName.add_all(Tensor)


def tensor(
    input_data: Any = None,
    dtype: DType | None = None,
    shape: Any = None,
    init: Any = None,
    const_arg: bool = False,
    device: str | None = None,
) -> Tensor:
    """Return a Tensor made from ``input_data``; see :class:`Tensor`."""
    return Tensor(input_data, dtype, shape, init, const_arg, check_device("tensor", device))


def from_numpy(array: np.ndarray) -> Tensor:
    """Return a tensor that shares the memory of ``array``, without a copy."""
    return Tensor.from_numpy(array)


def method(name: str) -> Callable[[F], F]:
    """Return a decorator that attaches a public function to Tensor as the method ``name``:
    ``t.name(...)`` is ``function(t, ...)``.
    """

    def attach(function: F) -> F:
        """Set ``function`` as the method ``name`` of Tensor, and return it."""
        setattr(Tensor, name, function)
        return function

    return attach


def wrap(value: Value) -> Tensor:
    """Return a new Tensor whose content is ``value``, without a copy."""
    tensor = Tensor.__new__(Tensor)
    tensor._value = value
    return tensor


def call(name: OpName, *args: Any) -> Any:
    """Apply the primitive ``name`` with its default attributes to ``args``."""
    return apply(primitive(name), args)


def apply(prim: Operator, args: tuple[Any, ...]) -> Any:
    """Apply ``prim`` to tensors and static arguments; return its outputs as tensors.

    A tensor that ``prim`` mutates gets its new content; if it is a view, so does its base. An
    output that shares the content of the first argument is registered as a view.
    """
    if prim.variadic and len(args) == 1 and isinstance(args[0], tuple | list):
        args = tuple(args[0])
    values = tuple([a._value if isinstance(a, Tensor) else to_static(prim, a) for a in args])
    out = (interpreter.bind if prim.promotion is None else bind_promoted)(prim, values)
    if prim.mutates:
        outputs = (out,) if isinstance(out, Value) else out
        for position, output in zip(prim.mutates, outputs, strict=False):
            mutated = args[position]
            if isinstance(mutated, Tensor):  # a write to a view writes to its base
                if views.find_view(mutated) is not None:
                    views.write_through(mutated, output)
                else:
                    interpreter.current().assign(mutated, output)
    if out.__class__ is Value:
        tensor = wrap(out)
        if prim.scatter_view is not None and isinstance(args[0], Tensor):
            views.register_view(tensor, views.View(args[0], prim, args[1:]))
        return tensor
    return tuple([wrap(v) for v in out])  # type: ignore[union-attr]


def _make_initialized_array(dtype: Any, shape: Any, init: Any) -> np.ndarray:
    """Return an array filled by the initializer ``init``, or with zeros if it is None.

    Raises:
        ValueError: shape or dtype is missing.
        TypeError: ``init`` is not an Initializer.
    """
    if shape is None or dtype is None:
        raise ValueError("Tensor: init must come with shape and dtype, got one without the others.")
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    np_dtype = mstype.to_numpy(dtype)
    if init is not None and not hasattr(init, "_make_"):
        raise TypeError(f"Tensor: init must be an Initializer, got {init!r}. Call initializer().")
    return np.zeros(shape, np_dtype) if init is None else init._make_(shape, np_dtype)


def _is_operand(other: object) -> bool:
    """Whether ``==`` compares a tensor with ``other``: in MindSpore, lists, arrays and complex
    numbers never equal a tensor.
    """
    return isinstance(other, Tensor | int | float | np.generic)


def _to_operand(x: Any, other: Any) -> Any:
    """Convert an array, list or tuple to a Tensor; a list or tuple gets the dtype of ``other``.
    Return anything else unchanged.
    """
    if isinstance(x, list | tuple):
        return Tensor(x, other.dtype)
    return Tensor(x) if isinstance(x, np.ndarray) else x


#: Operators that MindSpore refuses if the right operand is a NumPy array or a complex number.
_ARITHMETIC = frozenset({"Add", "Sub", "Mul", "Div", "FloorDiv", "FloorMod", "Pow"})
_ORDERINGS = frozenset({"Less", "LessEqual", "Greater", "GreaterEqual"})
#: Operators that MindSpore refuses for a list or a tuple, too, like the bitwise operators.
_REFUSES_LISTS = _ORDERINGS | {"Pow"}


def _apply_binary(name: str, x: Any, y: Any) -> Tensor:
    """Apply the binary op ``name`` after converting lists and arrays to tensors.

    Where MindSpore refuses an operand's type, returns NotImplemented or raises a TypeError
    (:func:`check_operands`), as MindSpore does.
    """
    if x.__class__ is not Tensor or y.__class__ is not Tensor:
        if name in _ARITHMETIC or name in _ORDERINGS:
            check_operands(name, x, y)
        if name in _REFUSES_LISTS and isinstance(y, list | tuple):
            return NotImplemented
        x, y = _to_operand(x, y), _to_operand(y, x)
        if not (
            isinstance(x, Tensor | int | float | complex | np.generic)
            and isinstance(y, Tensor | int | float | complex | np.generic)
        ):
            return NotImplemented
    return apply(primitive(name), (x, y))


def _apply_bitwise(logical: str, bitwise: str, x: Tensor, other: Any) -> Tensor:
    """Apply the logical op to bools, the bitwise op to integers; NotImplemented for lists."""
    if isinstance(other, list | tuple):
        return NotImplemented
    other = _to_operand(other, x)
    is_bool = other.dtype.kind == "b" if isinstance(other, Tensor) else isinstance(other, bool)
    are_bools = is_bool and x.dtype.kind == "b"
    return _apply_binary(logical if are_bools else bitwise, x, other)


def _split_index(index: Any) -> tuple[Any, ...]:
    """Return ``(components, *tensors)`` of an index, for the ops GetItem and SetItem.

    The components are hashable: ints, ``("slice", start, stop, step)``, ``("bool", value)``,
    ``"newaxis"``, ``"ellipsis"``, and ``"tensor"`` in place of each tensor. Lists and arrays become
    tensors. A list of anything but integers and bools is treated as a tuple, as in old versions of
    NumPy.

    Raises:
        TypeError, IndexError: a component has a type that an index does not accept.
    """
    components: list[Any] = []
    tensors: list[Tensor] = []
    integer_types = int | np.integer | np.bool_
    if isinstance(index, list) and not all(
        isinstance(component, integer_types) for component in index
    ):
        index = tuple(index)
    for component in index if isinstance(index, tuple) else (index,):
        if isinstance(component, list | tuple | np.ndarray):
            try:
                array = np.asarray(component)
            except ValueError as exc:
                raise IndexError(
                    f"Tensor: a list in an index must be an array, got {exc}."
                ) from exc
            has_dtype = array.size or array.dtype.kind in "iub"  # np.asarray([]) is float64
            component = Tensor(array if has_dtype else array.astype(np.int64))
        if isinstance(component, Tensor):
            tensors.append(component)
            components.append("tensor")
        elif isinstance(component, slice):
            bounds = component.start, component.stop, component.step
            components.append(("slice", *map(arguments.to_slice_bound, bounds)))
        elif isinstance(component, bool | np.bool_):
            components.append(("bool", bool(component)))  # True == 1, but they index differently
        elif isinstance(component, int | np.integer):
            components.append(int(component))
        elif component is None or component is Ellipsis:
            components.append("newaxis" if component is None else "ellipsis")
        else:
            raise (TypeError if isinstance(index, tuple) else IndexError)(
                "Tensor: an index must be an int, slice, None, ..., bool, list or Tensor, got "
                f"{component!r} ({type(component).__name__})."
            )
    return (tuple(components), *tensors)


__all__ = ["Tensor", "apply", "call", "method", "primitive", "registry", "wrap"]
