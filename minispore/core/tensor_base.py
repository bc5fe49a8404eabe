"""TensorBase: the holder of one immutable Value, its attributes, and conversions to NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core import interpreter
from minispore.core.gradient_hooks import GradientHooks
from minispore.ir import dtype as mstype
from minispore.ir.dtype import DType
from minispore.ir.value import Value, make_no_content_error

# The tensor method that NumPy's operator calls when the tensor is its right operand.
_REFLECTED_OPERATORS: dict[np.ufunc, str] = {
    np.add: "__radd__",
    np.subtract: "__rsub__",
    np.multiply: "__rmul__",
    np.true_divide: "__rtruediv__",
    np.floor_divide: "__rfloordiv__",
    np.remainder: "__rmod__",
    np.power: "__rpow__",
    np.bitwise_and: "__rand__",
    np.bitwise_or: "__ror__",
    np.bitwise_xor: "__rxor__",
}
# The methods for comparisons with a NumPy scalar, which a graph compares as a Python scalar.
_COMPARISON_OPERATORS: dict[np.ufunc, str] = {
    np.less: "__gt__",
    np.less_equal: "__ge__",
    np.greater: "__lt__",
    np.greater_equal: "__le__",
    np.equal: "__eq__",
    np.not_equal: "__ne__",
}
# NumPy functions that call the method of the same name with arguments that the tensor's method
# lacks.
_NUMPY_REDUCTIONS = frozenset(
    {np.all, np.amax, np.amin, np.any, np.max, np.mean, np.min, np.prod, np.ptp, np.std, np.sum,
     np.var}
)  # fmt: skip


def _get_array(x: Any) -> Any:
    """Return the array of a tensor; return any other object unchanged."""
    return x.asnumpy() if isinstance(x, TensorBase) else x


class TensorBase:
    """Base class of Tensor: holds a Value, which an assignment replaces."""

    __slots__ = ("__weakref__", "_hooks", "_value", "_view", "_views")

    const_arg = False
    _value: Value
    _hooks: GradientHooks
    _view: Any  # this tensor's relation to its base, if it is a view: core.views
    _views: Any  # the views of this tensor, if any

    @property
    def value_(self) -> Value:
        """The Value of the tensor; for the framework's own use."""
        return self._value

    def set_value_(self, value: Value) -> None:
        """Replace the Value of the tensor, but not of its views or base; for the framework's own
        use.
        """
        self._value = value

    @property
    def hooks_(self) -> GradientHooks | None:
        """The user's hooks on its gradient, if any; for the framework's own use."""
        return getattr(self, "_hooks", None)

    @hooks_.setter
    def hooks_(self, hooks: GradientHooks) -> None:
        self._hooks = hooks

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        return self._value.spec.shape

    @shape.setter
    def shape(self, value: Any) -> None:
        """Raise a TypeError, since the shape can't be set."""
        raise TypeError(f"Tensor: shape must not be set, got {value!r}. Take x.reshape(...).")

    @property
    def dtype(self) -> DType:
        """The data type."""
        return mstype.from_numpy(self._value.spec.dtype)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._value.spec.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._value.spec.size

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._value.spec.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._value.spec.nbytes

    @property
    def strides(self) -> tuple[int, ...]:
        """The byte strides of a row-major array of this shape."""
        steps, step = [], self.itemsize
        for d in reversed(self.shape):
            steps.append(step)
            step *= d
        return tuple(reversed(steps))

    @property
    def has_init(self) -> bool:
        """Whether the content is not drawn from its initializer yet."""
        return self._value.data is None and self._pending_init is not None

    @property
    def _pending_init(self) -> Any:
        """The initializer of the content, for a Parameter or a tensor of ``initializer``; None for
        any other tensor.
        """
        return None

    def _get_content(self) -> np.ndarray:
        """Return the array of this tensor; draw it first if its initialization was deferred.

        Raises:
            GraphModeError: the tensor has neither content nor an initializer to draw it.
            ValueError: the tensor only declares an input of dynamic shape.
        """
        value = self._value
        if value.data is None:
            init = self._pending_init
            if init is None:
                raise make_no_content_error(value.spec)
            value.data = init._make_(*value.spec)
        return value.data

    def init_data(self, slice_index: Any = None, shape: Any = None, *_: Any, **__: Any) -> Any:
        """Return the tensor itself, as it has content; see :func:`initializer` for tensors without
        content.

        Args:
            slice_index, shape: must be None; a slice can be drawn only from a tensor without
                content.

        Raises:
            TypeError: they are not None.
        """
        if slice_index is not None or shape is not None:
            raise TypeError("Tensor: init_data draws a part of what initializer() makes only.")
        return self

    def set_const_arg(self, const_arg: bool = True) -> Any:
        """Set ``const_arg``: whether the tensor is a constant when passed to a network. It has no
        effect: graphs treat every tensor as variable.

        Raises:
            TypeError: ``const_arg`` is not a bool.
        """
        if not isinstance(const_arg, bool):
            raise TypeError(f"Tensor: const_arg must be a bool, got {const_arg!r}.")
        vars(self)["const_arg"] = const_arg
        return self

    def flush_from_cache(self) -> None:
        """Accepted for compatibility: there is no cache to flush."""

    def dim(self) -> int:
        """Return the number of axes."""
        return self.ndim

    def numel(self) -> int:
        """Return the number of elements."""
        return self.size

    def asnumpy(self) -> np.ndarray:
        """Return the content as a NumPy array that later steps do not change.

        Raises:
            GraphModeError: the tensor is being traced, so it has no value yet.
            ValueError: the tensor has a dynamic shape, so it never has a value.
        """
        value = self._value
        data = value.data
        if interpreter.tracing():
            data = interpreter.current().concrete(value, "asnumpy()")
        if data is None:
            data = self._get_content()
        if value.shared:
            return data.copy()
        value.lent = True
        return data

    numpy = asnumpy

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Return the content as an array, converted to ``dtype`` if given; a copy if the dtype
        changes or ``copy`` is true.
        """
        data = self.asnumpy()
        if dtype is not None and data.dtype != dtype:
            return data.astype(dtype)
        return data.copy() if copy else data

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """Apply a NumPy ufunc to the contents of tensors, as MindSpore does.

        ``array == tensor`` compares elements. ``array + tensor`` and ``np.float32(2) < tensor``
        call the tensor's operator instead, so gradients and graphs see them.
        """
        if any(isinstance(output, TensorBase) for output in options.get("out", ())):
            return NotImplemented
        left, right = inputs[0], inputs[-1]
        if method == "__call__" and not options and isinstance(right, TensorBase):
            name = _REFLECTED_OPERATORS.get(ufunc)
            if isinstance(left, np.ndarray | np.generic) and not left.ndim:
                left = left.dtype.type(left)
                name = name or _COMPARISON_OPERATORS.get(ufunc)
            if name is not None and isinstance(left, np.ndarray | np.generic):
                return getattr(right, name)(left)
        numpy_options = {name: _get_array(value) for name, value in options.items()}
        return getattr(ufunc, method)(*map(_get_array, inputs), **numpy_options)

    def __array_function__(self, function: Any, _: Any, args: Any, kwargs: Any) -> Any:
        """Apply NumPy's reductions to the contents of tensors, as MindSpore does.

        Other NumPy functions behave as if this method did not exist.
        """
        if function not in _NUMPY_REDUCTIONS:
            return function.__wrapped__(*args, **kwargs)
        numpy_kwargs = {name: _get_array(value) for name, value in kwargs.items()}
        return function(*map(_get_array, args), **numpy_kwargs)

    def item(self, *index: int) -> int | float | bool | complex:
        """Return the single element (or the one at ``index``) as a Python scalar.

        >>> from minispore import Tensor
        >>> Tensor([1, 2, 3]).item(1)
        2
        """
        return self.asnumpy().item(*index)

    def tolist(self) -> Any:
        """Return the content as nested lists of Python scalars."""
        return self.asnumpy().tolist()

    def _to_python_scalar(self, operation: str) -> Any:
        """Return the single element as a Python scalar, for the Python function ``operation``.

        Raises:
            ValueError: the tensor has several elements or none.
        """
        data = self._read_content(operation)
        if data.size != 1:
            raise ValueError(
                f"Tensor: {operation} must be asked of one element, got a tensor of shape "
                f"{data.shape}. Only one element tensors can be Python numbers: pick an element, "
                "or take tolist()."
            )
        return data.item()

    def _read_content(self, operation: str) -> np.ndarray:
        """Return the array for the Python function ``operation``, such as ``bool()``.

        Raises:
            GraphModeError: the tensor is being traced, so it has no value.
        """
        data = interpreter.current().concrete(self._value, operation)
        return self._get_content() if data is None else data
