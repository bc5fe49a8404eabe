"""Tensor: a box that holds one immutable Value, with MindSpore's operators.

Every operation is ``call("Name", ...)``: the vocabulary (``ops/``) lies above, so a name crosses,
not an import.
The longer tail of methods (``t.mean()``, ``t.reshape(...)``) is hung on by ``ops`` through
:func:`method`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from minispore.core import arguments, interpreter, views
from minispore.core import dtype as mstype
from minispore.core.arguments import (
    a_device,
    bind_alike,
    cast,
    check_operands,
    held,
    of_array,
    static,
    to_array,
)
from minispore.core.box import Box
from minispore.core.display import content, text
from minispore.core.dtype import DType
from minispore.core.registry import OpName, primitive, registry
from minispore.core.value import Spec, Symbol, Value

if TYPE_CHECKING:
    from minispore.core.primitive import Primitive
    from minispore.core.tensor_methods import TensorMethods

    class _Methods(Box, TensorMethods):
        """What a checker must be told of the methods that ops hang on."""

else:
    _Methods = Box

F = TypeVar("F", bound=Callable[..., Any])


class Tensor(_Methods):
    """An n-dimensional array.

    Args:
        input_data: a number, a nested list or tuple of numbers, a NumPy array or a Tensor. Copied.
        dtype: a minispore dtype; by default the data's own (Python floats become
            float32, ints int64).
        shape: in place of data, with a dtype: the shape to fill. With None (or -1) for lengths that
            are open, or None where even the number of axes is, the tensor has no content: it
            declares an input (``set_inputs``, ``input_signature``), and shows -1 for such lengths,
            (-2,) for an open number of axes.
        init: an initializer (``minispore.common.initializer``) that fills it, by default with 0.

    Raises:
        TypeError: the data can't be held by a tensor (strings, None and ragged lists can't).
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

    __slots__ = ("__dict__",)  # of attributes that users hang on it

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
            input_data = held(value.data, dtype)
        if input_data is None and init is None and dtype is not None and _is_open(shape):
            self._value = Value(_open_spec(shape, dtype))
            return
        filled = init is not None or (input_data is None and shape is not None)
        if filled and input_data is not None:
            raise ValueError("Tensor: init must come without input_data, got both.")
        data = _initialised(dtype, shape, init) if filled else to_array(input_data, dtype)
        self._value = Value(Spec(data.shape, data.dtype), data)
        interpreter.interpreter().born(self)

    @staticmethod
    def from_numpy(array: np.ndarray) -> Tensor:
        """A tensor over ``array`` itself, not a copy. C-contiguous arrays only.

        >>> Tensor.from_numpy(np.zeros(3, np.float32)).shape
        (3,)
        """
        if not isinstance(array, np.ndarray):
            raise TypeError(f"Tensor.from_numpy: array must be a numpy.ndarray, got {type(array)}.")
        mstype.from_numpy(array.dtype)
        made = wrap(Value(Spec(array.shape, array.dtype), array))
        made._value.lent = True
        return made

    # -- Python's questions -----------------------------------------------------------------------

    def __bool__(self) -> bool:
        data = self._answer("bool()")
        if data.size != 1:
            raise ValueError(
                f"Tensor: bool() must be asked of one element, got a tensor of shape {self.shape}. "
                "The truth value of an array with more than one element is ambiguous. Use .all() "
                "or .any()."
            )
        return bool(data.reshape(())[()])

    def __int__(self) -> int:
        return int(self._number("int()"))

    def __float__(self) -> float:
        return float(self._number("float()"))

    def __complex__(self) -> complex:
        return complex(self._number("complex()"))

    def __index__(self) -> int:
        data = self._answer("index")
        if data.dtype.kind not in "iub" or data.size != 1:
            raise ValueError(
                f"Tensor: only one integer element can be an index, got {self.dtype} of shape "
                f"{self.shape}."
            )
        return int(data.item())

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("Tensor: a tensor without axes has no len().")
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        if not self.shape:
            raise TypeError("Tensor: a tensor without axes can't be iterated over.")
        return (self[i] for i in range(self.shape[0]))

    def __contains__(self, item: Any) -> bool:
        return bool((self == item).any()) if _is_operand(item) else False

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        head = f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, value="
        data = self._shown()
        return f"{head}{' <traced>' if data is None else content(data)})"

    def __str__(self) -> str:
        data = self._shown()
        return f"Tensor({self._value.spec}, traced)" if data is None else text(data)

    def _shown(self) -> np.ndarray | None:
        value = self._value
        return (
            interpreter.interpreter().concrete(value, "printing")
            if interpreter.tracing()
            else value.data
        )

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec and self.size == 1 else format(str(self), spec)

    def __copy__(self) -> Tensor:
        return call("Identity", self)

    def __deepcopy__(self, memodict: Any) -> Tensor:
        spec = self._value.spec
        declared = any(n < 0 for n in spec.shape)  # of open shape: it has no content to copy
        return wrap(Value(spec, None if declared else self.asnumpy().copy()))

    def __reduce__(self) -> Any:
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
        return call("LogicalNot", self)

    def __round__(self) -> Tensor:
        return call("Round", self)

    def __add__(self, other: Any) -> Tensor:
        return _binary("Add", self, other)

    def __radd__(self, other: Any) -> Tensor:
        return _binary("Add", other, self)

    def __sub__(self, other: Any) -> Tensor:
        both = self.dtype.kind == "b" and (
            isinstance(other, bool) or (isinstance(other, Tensor) and other.dtype.kind == "b")
        )
        return _binary("LogicalXor" if both else "Sub", self, other)

    def __rsub__(self, other: Any) -> Tensor:
        return _binary("Sub", other, self)

    def __mul__(self, other: Any) -> Tensor:
        return _binary("Mul", self, other)

    def __rmul__(self, other: Any) -> Tensor:
        return _binary("Mul", other, self)

    def __truediv__(self, other: Any) -> Tensor:
        return _binary("Div", self, other)

    def __rtruediv__(self, other: Any) -> Tensor:
        return _binary("Div", other, self)

    def __floordiv__(self, other: Any) -> Tensor:
        return _binary("FloorDiv", self, other)

    def __rfloordiv__(self, other: Any) -> Tensor:
        return _binary("FloorDiv", other, self)

    def __mod__(self, other: Any) -> Tensor:
        return _binary("FloorMod", self, other)

    def __rmod__(self, other: Any) -> Tensor:
        return _binary("FloorMod", other, self)

    def __pow__(self, other: Any) -> Tensor:
        return _binary("Pow", self, other)

    def __rpow__(self, other: Any) -> Tensor:
        return _binary("Pow", other, self)

    def __matmul__(self, other: Any) -> Tensor:
        return call("MatMulExt", self, other)

    def __rmatmul__(self, other: Any) -> Tensor:
        return call("MatMulExt", other, self)

    __iadd__, __isub__, __imul__, __itruediv__ = __add__, __sub__, __mul__, __truediv__
    __ifloordiv__, __imod__, __ipow__ = __floordiv__, __mod__, __pow__

    def __lt__(self, other: Any) -> Tensor:
        return _binary("Less", self, other)

    def __le__(self, other: Any) -> Tensor:
        return _binary("LessEqual", self, other)

    def __gt__(self, other: Any) -> Tensor:
        return _binary("Greater", self, other)

    def __ge__(self, other: Any) -> Tensor:
        return _binary("GreaterEqual", self, other)

    def __eq__(self, other: object) -> Any:
        return _binary("Equal", self, other) if _is_operand(other) else False

    def __ne__(self, other: object) -> Any:
        return _binary("NotEqual", self, other) if _is_operand(other) else True

    def __and__(self, other: Any) -> Tensor:
        return _bitwise("LogicalAnd", "BitwiseAnd", self, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Tensor:
        return _bitwise("LogicalOr", "BitwiseOr", self, other)

    __ror__ = __or__

    def __xor__(self, other: Any) -> Tensor:
        return _bitwise("LogicalXor", "BitwiseXor", self, other)

    __rxor__ = __xor__

    def _inplace(self, new: Tensor) -> Tensor:
        """Take the content of ``new`` and stay the same object, as ``t.add_(1)`` and ``t[0] = 1``
        mean, with all that share the content; ``t += 1`` is ``t = t + 1``, a new tensor."""
        views.write(self, new._value)
        return self

    def __getitem__(self, index: Any) -> Tensor:
        parts, *tensors = _index_args(index)
        masked = any(t._value.spec.dtype.kind == "b" for t in tensors)
        return call("GetItemByMask" if masked else "GetItem", self, parts, *tensors)

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(value, Tensor):
            value = wrap(of_array(to_array(value, self.dtype)))
        self._inplace(call("SetItem", self, value, *_index_args(index)))


def _is_open(shape: Any) -> bool:
    """Whether a shape, or a length of it, is not known yet."""
    if shape is None:
        return True
    return isinstance(shape, list | tuple) and any(
        isinstance(d, Symbol) or d in (None, -1, *_OPEN_RANK) for d in shape
    )


_OPEN_RANK = (-2,)  # the shape of a tensor of which not even the number of axes is known


def _open_spec(shape: Any, dtype: DType) -> Spec:
    known = [-1 if d is None or isinstance(d, Symbol) else d for d in shape or ()]
    lengths = _OPEN_RANK if shape is None else known
    return Spec(tuple(lengths), mstype.to_numpy(dtype))


def fits(want: Spec, got: Spec) -> bool:
    """Whether a tensor of ``got`` is what a perhaps open ``want`` declares."""
    if want.shape == _OPEN_RANK:
        return want.dtype == got.dtype
    alike = want.dtype == got.dtype and want.ndim == got.ndim
    return alike and all(w in (-1, g) for w, g in zip(want.shape, got.shape))


def tensor(
    input_data: Any = None,
    dtype: DType | None = None,
    shape: Any = None,
    init: Any = None,
    const_arg: bool = False,
    device: str | None = None,
) -> Tensor:
    """A tensor of ``input_data``, see :class:`Tensor`."""
    return Tensor(input_data, dtype, shape, init, const_arg, a_device("tensor", device))


def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor over ``array`` itself, not a copy."""
    return Tensor.from_numpy(array)


def method(name: str) -> Callable[[F], F]:
    """Hang a public function onto Tensor as the method ``name``: ``t.name(...)`` is ``function(t,
    ...)``.
    """

    def hang(function: F) -> F:
        setattr(Tensor, name, function)
        return function

    return hang


def wrap(value: Value) -> Tensor:
    """A new Tensor around a Value."""
    box = Tensor.__new__(Tensor)
    box._value = value
    return box


def call(name: OpName, *args: Any) -> Any:
    """Apply the primitive ``name`` with its default attributes."""
    return apply(primitive(name), args)


def apply(prim: Primitive, args: tuple[Any, ...]) -> Any:
    """Apply ``prim`` to tensors and static arguments: unwrap, promote, bind, wrap."""
    if prim.variadic and len(args) == 1 and isinstance(args[0], tuple | list):
        args = tuple(args[0])
    values = tuple([a._value if isinstance(a, Tensor) else static(prim, a) for a in args])
    out = (bind_alike if prim.promotes else interpreter.bind)(prim, values)
    if prim.mutates:
        outputs = (out,) if isinstance(out, Value) else out
        for i, made in zip(prim.mutates, outputs, strict=False):
            if isinstance(args[i], Tensor):  # a view shows what is written in what it is a view of
                shown = views.view_of(args[i]) is not None
                (views.write if shown else interpreter.interpreter().assign)(args[i], made)
    if out.__class__ is Value:
        box = wrap(out)
        if prim.shows and isinstance(args[0], Tensor):
            views.show(box, views.View(args[0], prim, args[1:]))
        return box
    return tuple([wrap(v) for v in out])  # type: ignore[union-attr]


def _initialised(dtype: Any, shape: Any, init: Any) -> np.ndarray:
    if shape is None or dtype is None:
        raise ValueError("Tensor: init must come with shape and dtype, got one without the others.")
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    made = mstype.to_numpy(dtype)
    if init is not None and not hasattr(init, "_make_"):
        raise TypeError(f"Tensor: init must be an Initializer, got {init!r}. Call initializer().")
    return np.zeros(shape, made) if init is None else init._make_(shape, made)


def _is_operand(other: object) -> bool:
    """Whether a tensor can equal it: to MindSpore no list, no array and no complex number does."""
    return isinstance(other, Tensor | int | float | np.generic)


def _operand(x: Any, beside: Any) -> Any:
    """An array, a list or a tuple as a Tensor; the latter two take the dtype of ``beside``."""
    if isinstance(x, list | tuple):
        return Tensor(x, beside.dtype)
    return Tensor(x) if isinstance(x, np.ndarray) else x


#: Operators that MindSpore refuses for a NumPy array on the right, and a complex number.
_ARITHMETIC = frozenset({"Add", "Sub", "Mul", "Div", "FloorDiv", "FloorMod", "Pow"})
_ORDER = frozenset({"Less", "LessEqual", "Greater", "GreaterEqual"})
#: These it refuses for a list or a tuple, too, as it does bitwise ones.
_ALONE = _ORDER | {"Pow"}


def _binary(name: str, x: Any, y: Any) -> Tensor:
    if x.__class__ is not Tensor or y.__class__ is not Tensor:
        if name in _ARITHMETIC or name in _ORDER:
            check_operands(name, x, y)
        if name in _ALONE and isinstance(y, list | tuple):
            return NotImplemented
        x, y = _operand(x, y), _operand(y, x)
        if not (
            isinstance(x, Tensor | int | float | complex | np.generic)
            and isinstance(y, Tensor | int | float | complex | np.generic)
        ):
            return NotImplemented
    return apply(primitive(name), (x, y))


def _bitwise(logical: str, bitwise: str, x: Tensor, other: Any) -> Tensor:
    if isinstance(other, list | tuple):
        return NotImplemented
    other = _operand(other, x)
    kinds = {
        x.dtype.kind,
        other.dtype.kind if isinstance(other, Tensor) else "b" if isinstance(other, bool) else "i",
    }
    return _binary(logical if kinds == {"b"} else bitwise, x, other)


def _index_args(index: Any) -> tuple[Any, ...]:
    """An index as static parts with a hole (``"tensor"``) for each tensor, then the tensors.

    A list of anything but integers and bools is a tuple, as it once was in NumPy.
    """
    parts: list[Any] = []
    tensors: list[Tensor] = []
    whole = int | np.integer | np.bool_
    if isinstance(index, list) and not all(isinstance(part, whole) for part in index):
        index = tuple(index)
    for part in index if isinstance(index, tuple) else (index,):
        if isinstance(part, list | tuple | np.ndarray):
            try:
                array = np.asarray(part)
            except ValueError as exc:
                raise IndexError(
                    f"Tensor: a list in an index must be an array, got {exc}."
                ) from exc
            typed = array.size or array.dtype.kind in "iub"  # [] has no dtype of its own
            part = Tensor(array if typed else array.astype(np.int64))
        if isinstance(part, Tensor):
            tensors.append(part)
            parts.append("tensor")
        elif isinstance(part, slice):
            parts.append(("slice", *map(arguments.slice_bound, (part.start, part.stop, part.step))))
        elif isinstance(part, bool | np.bool_):
            parts.append(("bool", bool(part)))  # True == 1, but they index differently
        elif isinstance(part, int | np.integer):
            parts.append(int(part))
        elif part is None or part is Ellipsis:
            parts.append("newaxis" if part is None else "ellipsis")
        else:
            raise (TypeError if isinstance(index, tuple) else IndexError)(
                "Tensor: an index must be an int, slice, None, ..., bool, list or Tensor, got "
                f"{part!r} ({type(part).__name__})."
            )
    return (tuple(parts), *tensors)


__all__ = ["Tensor", "apply", "call", "method", "primitive", "registry", "wrap"]
