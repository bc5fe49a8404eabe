"""Data types: MindSpore's names for NumPy's dtypes.

Users see a :class:`DType` (``minispore.float32``); internally, arrays and specs have an
``np.dtype``.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from minispore.errors import did_you_mean


class Type:
    """Base of MindSpore's types: data types and kinds of Python objects.

    >>> isinstance(float32, Type), isinstance(list_, Type)
    (True, True)
    """

    __slots__ = ()

    def __new__(cls, *args: object) -> Self:
        """Create an instance of a subclass; Type itself has no instances.

        Raises:
            TypeError: it is called on Type itself.
        """
        if cls is Type:
            raise TypeError("Type: has no constructor. Use one of its kinds, such as float32.")
        return super().__new__(cls)


class DType(Type):
    """One data type, a singleton. ``str`` returns MindSpore's spelling (``Float32``)."""

    __slots__ = ("_np", "kind", "name", "title")

    def __init__(self, name: str, title: str, kind: str, np_name: str | None) -> None:
        self.name = name
        self.title = title
        self.kind = kind  # b(ool) i(nt) u(int) f(loat) c(omplex) s(tring)
        self._np = np.dtype(np_name) if np_name else None

    @property
    def np(self) -> np.dtype:
        """The NumPy dtype of this dtype; bfloat16 needs the optional package ml_dtypes, imported on
        first access.

        Raises:
            TypeError: this is ``uint``, which has no width.
            ImportError: this is bfloat16, and ml_dtypes is not installed.
        """
        if self is uint:
            raise TypeError(
                "dtype: must be one that tensors can hold, got mindspore.uint, which says no "
                "width. Use uint8, uint16, uint32 or uint64."
            )
        if self._np is None:
            try:
                import ml_dtypes
            except ImportError as exc:
                raise ImportError(
                    "minispore.bfloat16 needs ml_dtypes. Install it with: pip install "
                    "'minispore[bfloat16]'"
                ) from exc
            self._np = np.dtype(ml_dtypes.bfloat16)
            _FROM_NUMPY[self._np] = self
        return self._np

    def __str__(self) -> str:
        """Return MindSpore's spelling, such as ``Float32``."""
        return self.title

    def __repr__(self) -> str:
        """Return ``mindspore.`` and the name."""
        return f"mindspore.{self.name.rstrip('_')}{'_' if self is string else ''}"

    def __reduce__(self) -> str:
        """Pickle the name in this module, so that a copy is the same object."""
        return self.name


class Kind(Type):
    """A kind of Python object, a singleton: ``list_``, ``tuple_``, ``type_none``, ..."""

    __slots__ = ("name", "python", "title")

    def __init__(self, name: str, title: str, python: type | None = None) -> None:
        self.name = name
        self.title = title
        self.python = python

    def __str__(self) -> str:
        """Return MindSpore's spelling, such as ``List``."""
        return self.title

    def __repr__(self) -> str:
        """Return ``mindspore.`` and the name."""
        return f"mindspore.{self.name}"

    def __reduce__(self) -> str:
        """Pickle the name in this module, so that a copy is the same object."""
        return self.name


list_ = Kind("list_", "List", list)
tuple_ = Kind("tuple_", "Tuple", tuple)
type_none = Kind("type_none", "None", type(None))
type_type = Kind("type_type", "TypeType")
function = Kind("function", "Func")
number = Kind("number", "Number")

bool_ = DType("bool_", "Bool", "b", "bool")
int8 = DType("int8", "Int8", "i", "int8")
int16 = DType("int16", "Int16", "i", "int16")
int32 = DType("int32", "Int32", "i", "int32")
int64 = DType("int64", "Int64", "i", "int64")
uint8 = DType("uint8", "UInt8", "u", "uint8")
uint16 = DType("uint16", "UInt16", "u", "uint16")
uint32 = DType("uint32", "UInt32", "u", "uint32")
uint64 = DType("uint64", "UInt64", "u", "uint64")
float16 = DType("float16", "Float16", "f", "float16")
float32 = DType("float32", "Float32", "f", "float32")
float64 = DType("float64", "Float64", "f", "float64")
bfloat16 = DType("bfloat16", "BFloat16", "f", None)
complex64 = DType("complex64", "Complex64", "c", "complex64")
complex128 = DType("complex128", "Complex128", "c", "complex128")
string = DType("string", "String", "s", "str")

# Kinds without a width; a cast uses the default width.
int_ = DType("int_", "Int", "i", "int32")
float_ = DType("float_", "Float", "f", "float32")
uint = DType("uint", "UInt", "u", None)

half, single, double, cfloat, cdouble = float16, float32, float64, complex64, complex128
byte, short, intc, intp, long = int8, int16, int32, int64, int64
ubyte, ushort, uintc, uintp = uint8, uint16, uint32, uint64

all_types = (
    bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
    float16, float32, float64, bfloat16, complex64, complex128, string,
)  # fmt: skip
int_type = (int8, int16, int32, int64)
uint_type = (uint8, uint16, uint32, uint64)
float_type = (float16, float32, float64, bfloat16)
complex_type = (complex64, complex128)
number_type = int_type + uint_type + float_type + complex_type
signed_type = int_type + float_type + complex_type

_BY_NAME = {t.name: t for t in all_types} | {"bool": bool_}
# Other names of NumPy's dtypes, accepted as strings.
_BY_NAME |= {"int": int64, "long": int64, "uint": uint64, "half": float16, "single": float32}
_BY_NAME |= dict.fromkeys(("float", "float_", "double"), float64)
_FROM_NUMPY: dict[np.dtype, DType] = {t.np: t for t in all_types if t is not bfloat16}
_FROM_OBJECT_TYPE: dict[type, Type] = {
    float: float64, complex: complex128, list: list_, tuple: tuple_, type(None): type_none
}  # fmt: skip
_FROM_PYTHON = {bool: bool_, int: int64, float: float32, complex: complex64, str: string}


def from_numpy(dtype: np.dtype | type) -> DType:
    """Return the DType of a NumPy dtype.

    Raises:
        TypeError: NumPy's dtype has no counterpart (object, datetime, ...).

    >>> from_numpy(np.float32)
    mindspore.float32
    """
    dtype = np.dtype(dtype)
    result = _FROM_NUMPY.get(dtype)
    if result is not None:
        return result
    if dtype.kind in "US":
        return string
    if dtype.name == "bfloat16":
        return from_numpy(bfloat16.np)
    raise TypeError(
        f"dtype: must be one that tensors can hold, got numpy's {dtype}. Use a bool, integer, "
        "float or complex array."
    )


def resolve_dtype(dtype: object) -> DType:
    """Convert a DType, a Python type, a NumPy type or a name to a DType.

    Called by the functions that accept all of these: ``astype``, ``cumsum`` and ``numpy``.

    Raises:
        TypeError: ``dtype`` does not denote a data type.

    >>> [resolve_dtype(t) for t in (float32, int, np.float16, "int8")]
    [mindspore.float32, mindspore.int64, mindspore.float16, mindspore.int8]
    """
    if isinstance(dtype, DType):
        return dtype
    if isinstance(dtype, type) and dtype in _FROM_PYTHON:
        return _FROM_PYTHON[dtype]
    if isinstance(dtype, str):
        resolved = _BY_NAME.get(dtype.lower())
        if resolved is None:
            raise TypeError(
                f"dtype: must name a data type, got {dtype!r}.{did_you_mean(dtype, _BY_NAME)}"
            )
        return resolved
    try:
        if dtype is None:  # np.dtype(None) is float64
            raise TypeError
        return from_numpy(dtype)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(
            f"dtype: must be a minispore data type such as minispore.float32, got {dtype!r}."
        ) from None


def to_numpy(dtype: DType | np.dtype) -> np.dtype:
    """Return the NumPy dtype of a DType or NumPy dtype.

    Raises:
        TypeError: ``dtype`` is anything else, such as a Python type or the name of a type, which
            MindSpore also refuses.

    >>> to_numpy(float16), to_numpy(np.dtype("int8"))
    (dtype('float16'), dtype('int8'))
    """
    if isinstance(dtype, DType):
        return dtype.np
    if isinstance(dtype, np.dtype):
        return from_numpy(dtype).np
    hint = ""
    if isinstance(dtype, type | str):
        try:
            hint = f" Write minispore.{resolve_dtype(dtype).name}."
        except TypeError as unknown:
            hint = str(unknown).partition(".")[2]
    raise TypeError(
        f"dtype: must be a minispore data type such as minispore.float32, got {dtype!r}.{hint}"
    )


def dtype_to_nptype(type_: DType) -> type:
    """Return the NumPy scalar type of a DType: ``float32 -> numpy.float32``."""
    return to_numpy(type_).type


def dtype_to_pytype(type_: DType | Kind) -> type:
    """Return the Python type for values of a DType or Kind.

    Raises:
        KeyError: the Kind has many types.

    >>> dtype_to_pytype(int8), dtype_to_pytype(tuple_)
    (<class 'int'>, <class 'tuple'>)
    """
    if isinstance(type_, Kind):
        if type_.python is None:
            raise KeyError(f"dtype_to_pytype: {type_!r} has no one Python type.")
        return type_.python
    return {"b": bool, "i": int, "u": int, "f": float, "c": complex, "s": str}[type_.kind]


def pytype_to_dtype(obj: type) -> Type:
    """Return the Type of a Python or NumPy type.

    ``float`` is float64, as in NumPy, but a tensor of floats is float32.

    Raises:
        TypeError: ``obj`` is not a type.
        NotImplementedError: no Type corresponds to it.

    >>> pytype_to_dtype(int), pytype_to_dtype(float), pytype_to_dtype(list)
    (mindspore.int64, mindspore.float64, mindspore.list_)
    """
    if isinstance(obj, DType):
        return obj
    if not isinstance(obj, type):
        raise TypeError(f"pytype_to_dtype: obj must be a type, got {obj!r}. Give type(obj).")
    result = _FROM_OBJECT_TYPE.get(obj) or _FROM_PYTHON.get(obj)
    if result is None and issubclass(obj, np.generic):
        return from_numpy(obj)
    if result is None:
        raise NotImplementedError(
            f"pytype_to_dtype: obj must be a type that MindSpore has one for, got {obj!r}. Use "
            "bool, int, float, complex, str, list, tuple or a type of NumPy's numbers."
        )
    return result


def promote(a: np.dtype, b: np.dtype) -> np.dtype:
    """Return the common dtype of two tensors.

    A dtype of a higher :func:`category` wins regardless of the widths, except that complex64 and
    float64 give complex128; otherwise NumPy's rule applies, and float16 and bfloat16 give float32.

    >>> promote(np.dtype("int64"), np.dtype("float16"))
    dtype('float16')
    """
    if a == b:
        return a
    rank_a, rank_b = category(a), category(b)
    if rank_a == rank_b:
        if {a.name, b.name} == {"float16", "bfloat16"}:
            return np.dtype(np.float32)
        return np.promote_types(a, b)
    lower, higher = (b, a) if rank_a > rank_b else (a, b)
    return np.promote_types(a, b) if higher.kind == "c" and lower.kind == "f" else higher


def promote_scalar(a: np.dtype, scalar: bool | int | float | complex) -> np.dtype:
    """Return the common dtype of a tensor and a Python scalar.

    It is the tensor's dtype, unless the scalar has a higher :func:`category`.

    >>> promote_scalar(np.dtype("int32"), 1.5), promote_scalar(np.dtype("float16"), 2)
    (dtype('float32'), dtype('float16'))
    """
    rank = 2  # a category, which is float here
    if isinstance(scalar, bool):
        rank = 0
    elif isinstance(scalar, int):
        rank = 1
    elif isinstance(scalar, complex):
        rank = 3
    return a if category(a) >= rank else _SCALAR_DTYPES[rank]


# The dtypes of Python scalars, by category.
_SCALAR_DTYPES = tuple(map(np.dtype, ("bool", "int64", "float32", "complex64")))


def category(dtype: np.dtype) -> int:
    """Return 0 for bool, 1 for integer, 2 for float (also bfloat16), 3 for complex and 4 for other
    dtypes, such as strings.
    """
    return {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2, "c": 3}.get(dtype.kind, 4)


# The names in ``mindspore.dtype``.
__all__ = [
    "Type", "bfloat16", "bool_", "byte", "cdouble", "cfloat", "complex64", "complex128", "double",
    "dtype_to_nptype", "dtype_to_pytype", "float16", "float32", "float64", "float_", "half", "int8",
    "int16", "int32", "int64", "int_", "intc", "intp", "list_", "long", "number", "pytype_to_dtype",
    "short", "single", "string", "tuple_", "type_none", "ubyte", "uint", "uint8", "uint16",
    "uint32", "uint64", "uintc", "uintp", "ushort",
]  # fmt: skip
