"""Box: what holds one immutable Value; what it is, and how its content is read."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core import dtype as mstype
from minispore.core import interpreter
from minispore.core.dtype import DType
from minispore.core.gradient_hooks import GradientHooks
from minispore.core.value import Value, no_content

# What the operators of an array ask of a tensor on their right.
_REFLECTED: dict[np.ufunc, str] = {
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
# And what a number of NumPy's asks, which a graph compares as any other number.
_COMPARED: dict[np.ufunc, str] = {
    np.less: "__gt__",
    np.less_equal: "__ge__",
    np.greater: "__lt__",
    np.greater_equal: "__le__",
    np.equal: "__eq__",
    np.not_equal: "__ne__",
}
# NumPy's functions that would ask an array's own method, in words that a tensor's does not know.
_REDUCED = frozenset(
    {np.all, np.amax, np.amin, np.any, np.max, np.mean, np.min, np.prod, np.ptp, np.std, np.sum,
     np.var}
)  # fmt: skip


def _content(x: Any) -> Any:
    return x.asnumpy() if isinstance(x, Box) else x


class Box:
    """Holds a Value, in whose place another may be put."""

    __slots__ = ("__weakref__", "_hooks", "_value", "_view", "_views")

    const_arg = False
    _value: Value
    _hooks: GradientHooks
    _view: Any  # what it shows of another box, if it does: core.views
    _views: Any  # those that show parts of it

    @property
    def value_(self) -> Value:
        """The Value in the box; for the framework's own use."""
        return self._value

    def set_value_(self, value: Value) -> None:
        """Put another Value into the box; for the framework's own use."""
        self._value = value

    @property
    def hooks_(self) -> GradientHooks | None:
        """The user's functions that see its gradient, if any; for the framework's own use."""
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
        """Bytes to step along each axis of a row-major array of this shape."""
        steps, step = [], self.itemsize
        for d in reversed(self.shape):
            steps.append(step)
            step *= d
        return tuple(reversed(steps))

    @property
    def has_init(self) -> bool:
        """Whether the content is still to be drawn from an initializer."""
        return self._value.data is None and self._init is not None

    @property
    def _init(self) -> Any:
        """The initializer that the content is still to be drawn from, if any."""
        return None

    def _content(self) -> np.ndarray:
        """The array, drawn now if it was left for later."""
        value = self._value
        if value.data is None:
            init = self._init
            if init is None:
                raise no_content(value.spec)
            value.data = init._make_(*value.spec)
        return value.data

    def init_data(self, slice_index: Any = None, shape: Any = None, *_: Any, **__: Any) -> Any:
        """The tensor itself, which is filled; see :func:`initializer` for one that is not.

        Args:
            slice_index, shape: of a part, which is drawn only of what has no content yet.

        Raises:
            TypeError: a part is asked for.
        """
        if slice_index is not None or shape is not None:
            raise TypeError("Tensor: init_data draws a part of what initializer() makes only.")
        return self

    def set_const_arg(self, const_arg: bool = True) -> Any:
        """Say whether the tensor is a constant when it is an argument of a network: known as
        ``const_arg``. Graphs here take every tensor as one that may change.

        Raises:
            TypeError: ``const_arg`` is no bool.
        """
        if not isinstance(const_arg, bool):
            raise TypeError(f"Tensor: const_arg must be a bool, got {const_arg!r}.")
        vars(self)["const_arg"] = const_arg
        return self

    def flush_from_cache(self) -> None:
        """Accepted for MindSpore's sake: there is no cache to flush."""

    def dim(self) -> int:
        """The number of axes."""
        return self.ndim

    def numel(self) -> int:
        """The number of elements."""
        return self.size

    def asnumpy(self) -> np.ndarray:
        """The content as a NumPy array that later steps do not change.

        Raises:
            GraphModeError: the tensor is being traced, so it has no value yet.
            ValueError: the tensor is of open shape, so it never has one.
        """
        value = self._value
        data = (
            interpreter.interpreter().concrete(value, "asnumpy()")
            if interpreter.tracing()
            else value.data
        )
        if data is None:
            data = self._content()
        if value.shared:
            return data.copy()
        value.lent = True
        return data

    numpy = asnumpy

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        data = self.asnumpy()
        if dtype is not None and data.dtype != dtype:
            return data.astype(dtype)
        return data.copy() if copy else data

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """NumPy's functions of tensors are those of their contents, as in MindSpore, so that
        ``array == tensor`` compares elements; but ``array + tensor`` asks the tensor, which has a
        gradient, and so does ``np.float32(2) < tensor``, which a graph computes.
        """
        if any(isinstance(made, Box) for made in options.get("out", ())):
            return NotImplemented
        left, right = inputs[0], inputs[-1]
        if method == "__call__" and not options and isinstance(right, Box):
            name = _REFLECTED.get(ufunc)
            if isinstance(left, np.ndarray | np.generic) and not left.ndim:
                left = left.dtype.type(left)
                name = name or _COMPARED.get(ufunc)
            if name is not None and isinstance(left, np.ndarray | np.generic):
                return getattr(right, name)(left)
        how = {name: _content(value) for name, value in options.items()}
        return getattr(ufunc, method)(*map(_content, inputs), **how)

    def __array_function__(self, function: Any, _: Any, args: Any, kwargs: Any) -> Any:
        """NumPy's reductions take the content, as they do of what an array less a tensor is in
        MindSpore; all other functions do what they do without this method.
        """
        if function not in _REDUCED:
            return function.__wrapped__(*args, **kwargs)
        named = {name: _content(value) for name, value in kwargs.items()}
        return function(*map(_content, args), **named)

    def item(self, *index: int) -> int | float | bool | complex:
        """The single element (or the one at ``index``) as a Python number.

        >>> from minispore import Tensor
        >>> Tensor([1, 2, 3]).item(1)
        2
        """
        return self.asnumpy().item(*index)

    def tolist(self) -> Any:
        """The content as nested lists of Python numbers."""
        return self.asnumpy().tolist()

    def _number(self, what: str) -> Any:
        data = self._answer(what)
        if data.size != 1:
            raise ValueError(
                f"Tensor: {what} must be asked of one element, got a tensor of shape {data.shape}. "
                "Only one element tensors can be Python numbers: pick an element, or take tolist()."
            )
        return data.item()

    def _answer(self, what: str) -> np.ndarray:
        data = interpreter.interpreter().concrete(self._value, what)
        return self._content() if data is None else data
