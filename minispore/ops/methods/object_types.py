"""Type objects for Python objects and tensors: TensorType, Number and others, get_py_obj_dtype."""

from __future__ import annotations

from enum import Enum
from types import FunctionType, MethodType
from typing import Any

from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir import dtype as mstype
from minispore.ir.dtype import DType, Type, function, pytype_to_dtype, type_type


class TensorType(Type):
    """The type of tensors of one data type, or of any data type.

    Args:
        element (Type, optional): the data type of the elements. Default: ``None``, any.

    Raises:
        TypeError: ``element`` is not a Type.

    Example:
        >>> import minispore as ms
        >>> ms.TensorType(ms.float32), ms.TensorType(ms.float32) == ms.TensorType(ms.int8)
        (mindspore.tensor[float32], False)
    """

    __slots__ = ("_element",)

    def __init__(self, element: Type | None = None) -> None:
        """Set the element type; raise TypeError unless it is a Type or None."""
        if element is not None and not isinstance(element, Type):
            raise TypeError(
                f"TensorType: element must be a data type such as float32, got {element!r}."
            )
        self._element = element

    def element_type(self) -> Type | None:
        """Return the data type of the elements, or None for tensors of any.

        >>> import minispore as ms
        >>> ms.TensorType(ms.int8).element_type()
        mindspore.int8
        """
        return self._element

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorType) and self._element is other._element

    def __hash__(self) -> int:
        return hash((TensorType, self._element))

    def __str__(self) -> str:
        return "Tensor" if self._element is None else f"Tensor[{self._element}]"

    def __repr__(self) -> str:
        element_name = (
            "" if self._element is None else repr(self._element).replace("mindspore.", "")
        )
        return f"mindspore.tensor[{element_name}]" if element_name else "mindspore.tensor"


tensor_type = TensorType()


class _DTypeGroup(type):
    """Metaclass of classes whose instances are dtypes (``isinstance(ms.int8, Int)``).

    Calling such a class with a number of bits returns the dtype, and without it the generic type.

    Attributes:
        kinds: the kinds of the dtypes that are instances, "V" for bfloat16.
        widths: the type for each number of bits; 0 stands for the generic type.
    """

    kinds: str
    widths: dict[int, Type]

    def __instancecheck__(cls, instance: Any) -> bool:
        """Whether ``instance`` is a dtype of one of the kinds, or one of the class's types."""
        if isinstance(instance, DType):
            return (instance.kind if instance is not mstype.bfloat16 else "V") in cls.kinds
        return instance in cls.widths.values() if type(instance) is type(mstype.number) else False

    def __call__(cls, bits: int = 0) -> Any:
        """Return the type of ``bits`` bits, 0 for the generic one; else raise RuntimeError."""
        if bits not in cls.widths:
            allowed = ", ".join(map(str, cls.widths))
            raise RuntimeError(f"{cls.__name__}: bits must be one of {allowed}, got {bits}.")
        return cls.widths[bits]


class Number(Type, metaclass=_DTypeGroup):
    """All numbers."""

    kinds = "biufVc"
    widths: dict[int, Type] = {0: mstype.number}


class Bool(Number):
    """Truth values."""

    kinds = "b"
    widths = {0: mstype.bool_}


class Int(Number):
    """Integers.

    >>> import minispore as ms
    >>> isinstance(ms.int8, Int), isinstance(ms.uint8, Int), Int(64)
    (True, False, mindspore.int64)
    """

    kinds = "i"
    widths = {0: mstype.int_, 8: mstype.int8, 16: mstype.int16, 32: mstype.int32, 64: mstype.int64}


class UInt(Number):
    """Unsigned integers."""

    kinds = "u"
    widths = {
        0: mstype.uint, 8: mstype.uint8, 16: mstype.uint16, 32: mstype.uint32, 64: mstype.uint64
    }  # fmt: skip


class Float(Number):
    """Floats except bfloat16."""

    kinds = "f"
    widths = {0: mstype.float_, 16: mstype.float16, 32: mstype.float32, 64: mstype.float64}


class BFloat(Number):
    """bfloat16."""

    kinds = "V"
    widths = {16: mstype.bfloat16}


class Complex(Number):
    """Complex numbers."""

    kinds = "c"
    widths = {64: mstype.complex64, 128: mstype.complex128}


class String(Type, metaclass=_DTypeGroup):
    """Text."""

    kinds = "s"
    widths: dict[int, Type] = {0: mstype.string}


class List(Type, metaclass=_DTypeGroup):
    """Lists.

    >>> isinstance(get_py_obj_dtype([1]), List), isinstance(get_py_obj_dtype((1,)), List)
    (True, False)
    """

    kinds = ""
    widths: dict[int, Type] = {0: mstype.list_}


class Tuple(Type, metaclass=_DTypeGroup):
    """Tuples."""

    kinds = ""
    widths: dict[int, Type] = {0: mstype.tuple_}


class QuantDtype(Enum):
    """Signed and unsigned integers of 1 to 16 bits, for quantisation.

    >>> print(QuantDtype.INT8, QuantDtype.INT8.value())
    INT8 7
    """

    INT1, INT2, INT3, INT4, INT5, INT6, INT7, INT8 = range(8)
    INT9, INT10, INT11, INT12, INT13, INT14, INT15, INT16 = range(8, 16)
    UINT1, UINT2, UINT3, UINT4, UINT5, UINT6, UINT7, UINT8 = range(100, 108)
    UINT9, UINT10, UINT11, UINT12, UINT13, UINT14, UINT15, UINT16 = range(108, 116)

    def __str__(self) -> str:
        return self.name

    def value(self) -> int:  # type: ignore[override]  # a method, as in MindSpore
        """Return the number that represents the member in files: bits - 1, + 100 if unsigned."""
        return int(self._value_)


def get_py_obj_dtype(obj: Any) -> Type:
    """Return the Type of a Python object, or of the objects of a Python type.

    A tensor has a TensorType, a sparse tensor that of its values, a function, Primitive or Cell the
    type ``function``, and a Type ``type_type``.

    Args:
        obj (Any): an object, or a type.

    Returns:
        Type, a data type or the type of a kind of object.

    Raises:
        NotImplementedError: no Type exists for ``obj``, for example a dict.

    Example:
        >>> import minispore as ms
        >>> ms.get_py_obj_dtype(1), ms.get_py_obj_dtype("a"), ms.get_py_obj_dtype([1])
        (mindspore.int64, mindspore.string_, mindspore.list_)
        >>> ms.get_py_obj_dtype(ms.Tensor([1.0])), ms.get_py_obj_dtype(ms.int8)
        (mindspore.tensor[float32], mindspore.type_type)
    """
    if isinstance(obj, Type):
        return type_type
    tensor = obj if isinstance(obj, Tensor) else getattr(obj, "values", None)
    if isinstance(tensor, Tensor):  # also the values of a sparse tensor
        return TensorType(tensor.dtype)
    # A class or object with a `construct` method is a network.
    if isinstance(obj, FunctionType | MethodType | Primitive) or hasattr(obj, "construct"):
        return function
    return pytype_to_dtype(obj if isinstance(obj, type) else type(obj))


__all__ = ["TensorType", "get_py_obj_dtype", "tensor_type"]

attach_docstrings("minispore", __name__)
