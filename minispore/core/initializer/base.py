"""Initializer, the base class, and ``initializer``, which accepts one, its name or a number."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from minispore.core.initializer.deferred import DeferredTensor, is_deferring
from minispore.core.tensor import Tensor
from minispore.errors import did_you_mean
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec


class Initializer:
    """Base class of initializers. A subclass fills an array in ``_initialize(arr)``.

    >>> class Half(Initializer):
    ...     def _initialize(self, arr):
    ...         arr[...] = 0.5
    >>> print(initializer(Half(), (2,)).init_data())
    [0.5 0.5]
    """

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = kwargs

    def _initialize(self, arr: np.ndarray) -> None:
        """Raise a TypeError; a subclass overrides this to fill ``arr`` in place."""
        raise TypeError(
            f"{type(self).__name__}: must define _initialize(self, arr) that fills arr."
        )

    def __call__(self, arr: np.ndarray) -> None:
        """Fill ``arr`` in place."""
        self._initialize(arr)

    def _make_(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Return a new array of this shape and dtype, filled."""
        arr = np.empty(shape, dtype)
        self._initialize(arr)
        return arr

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._kwargs.items())})"


_INITIALIZER_ALIAS: dict[str, type[Initializer]] = {}  # name in lower case -> class


def _register(*names: str) -> Callable[[type[Initializer]], type[Initializer]]:
    """Return a decorator that registers an initializer for ``initializer("name", ...)``.

    The class is registered under its own name and ``names``; a name that is already taken keeps its
    class.
    """

    def add_aliases(cls: type[Initializer]) -> type[Initializer]:
        """Add ``cls`` to the table under its lower-case name and the aliases, and return it."""
        for name in (cls.__name__.lower(), *names):
            _INITIALIZER_ALIAS.setdefault(name, cls)
        return cls

    return add_aliases


class Constant(Initializer):
    """Initializer that fills an array with one value.

    >>> print(initializer(Constant(3), (2,)).init_data())
    [3. 3.]
    """

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)
        self.value = value

    def _initialize(self, arr: np.ndarray) -> None:
        arr.fill(self.value)


def initializer(init: Any, shape: Any = None, dtype: Any = mstype.float32) -> Tensor:
    """Return a tensor that ``init`` fills when a Parameter is made from it or ``init_data()`` is
    called.

    Args:
        init: an Initializer, its name (``"normal"``, ``"zeros"``, ``"he_uniform"``, ...), a number,
            or a Tensor (returned as it is).
        shape: an int, a tuple or a list; for a Tensor, its expected shape.
        dtype: the data type.

    Raises:
        TypeError: ``init`` is none of these.
        ValueError: the name is unknown, ``dtype`` is not a dtype, an axis of the shape is below 1,
            or the Tensor has a different shape.

    >>> print(initializer("ones", (1, 2)).init_data())
    [[1. 1.]]
    """
    content = init if isinstance(init, Tensor) else as_initializer(init)
    if isinstance(shape, numbers.Number):
        shape = (shape,)
    elif shape is not None:
        shape = tuple(shape)
    if isinstance(init, Tensor):
        if shape is not None and init.shape != shape:
            raise ValueError(
                f"initializer: init must have the shape {shape}, got a tensor of shape "
                f"{init.shape}."
            )
        return init
    if shape is None:
        raise ValueError("initializer: shape must be given unless init is a Tensor, got None.")
    if dtype is None:
        raise ValueError("initializer: dtype must be given, got None. Leave it out for float32.")
    for axis in shape:
        if isinstance(axis, bool) or not isinstance(axis, int | np.integer) or axis <= 0:
            raise ValueError(f"initializer: shape must consist of positive ints, got {shape}.")
    spec = Spec(tuple(map(int, shape)), mstype.to_numpy(dtype))
    return DeferredTensor(spec, content, is_deferring())


def as_initializer(init: Any) -> Initializer:
    """Return ``init`` as an Initializer: itself, the initializer of that name, or a Constant for a
    number.

    Raises:
        TypeError: ``init`` is none of these.
        ValueError: the name is unknown.
    """
    if not isinstance(init, numbers.Number | str | Initializer):
        raise TypeError(
            "initializer: init must be a Tensor, number, name or Initializer, "
            f"got {init!r} ({type(init).__name__})."
        )
    if isinstance(init, Initializer):
        return init
    if isinstance(init, str):
        cls = _INITIALIZER_ALIAS.get(init.lower())
        if cls is None:
            raise ValueError(
                "initializer: init must name an initializer, got "
                f"{init!r}.{did_you_mean(init, _INITIALIZER_ALIAS)}"
            )
        return cls()
    return Constant(init)


def _check_ndim(name: str, arr: np.ndarray, allowed: tuple[int, ...]) -> None:
    """Raise a ValueError unless the number of axes is one of ``allowed``."""
    if arr.ndim not in allowed:
        counts = " or ".join(map(str, allowed))
        raise ValueError(f"{name}: the shape must have {counts} axes, got {arr.shape}.")
