"""The Type of a Python object, and the type of tensors."""

from __future__ import annotations

from types import FunctionType, MethodType
from typing import Any

from minispore.core.dtype import Type, function, pytype_to_dtype, type_type
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.described import describe


class TensorType(Type):
    """The type of tensors of one data type, or of any.

    Args:
        element (Type, optional): the data type of the elements. Default: ``None``, any.

    Raises:
        TypeError: ``element`` is no Type.

    Example:
        >>> import minispore as ms
        >>> ms.TensorType(ms.float32), ms.TensorType(ms.float32) == ms.TensorType(ms.int8)
        (mindspore.tensor[float32], False)
    """

    __slots__ = ("_element",)

    def __init__(self, element: Type | None = None) -> None:
        if element is not None and not isinstance(element, Type):
            raise TypeError(
                f"TensorType: element must be a data type such as float32, got {element!r}."
            )
        self._element = element

    def element_type(self) -> Type | None:
        """The data type of the elements.

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
        said = "" if self._element is None else repr(self._element).replace("mindspore.", "")
        return f"mindspore.tensor[{said}]" if said else "mindspore.tensor"


tensor_type = TensorType()


def get_py_obj_dtype(obj: Any) -> Type:
    """The Type of a Python object, or of the objects of a Python type.

    Args:
        obj (Any): an object, or a type.

    Returns:
        Type, a data type or a kind of object.

    Raises:
        NotImplementedError: there is no Type for it, such as for a dict.

    Example:
        >>> import minispore as ms
        >>> ms.get_py_obj_dtype(1), ms.get_py_obj_dtype("a"), ms.get_py_obj_dtype([1])
        (mindspore.int64, mindspore.string_, mindspore.list_)
        >>> ms.get_py_obj_dtype(ms.Tensor([1.0])), ms.get_py_obj_dtype(ms.int8)
        (mindspore.tensor[float32], mindspore.type_type)
    """
    if isinstance(obj, Type):
        return type_type
    held = obj if isinstance(obj, Tensor) else getattr(obj, "values", None)
    if isinstance(held, Tensor):  # of a tensor, a sparse one, too
        return TensorType(held.dtype)
    # A network is what has `construct`, be it a Cell or its class.
    if isinstance(obj, FunctionType | MethodType | Primitive) or hasattr(obj, "construct"):
        return function
    return pytype_to_dtype(obj if isinstance(obj, type) else type(obj))


__all__ = ["TensorType", "get_py_obj_dtype", "tensor_type"]

describe("minispore", __name__)
