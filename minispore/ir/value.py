"""The arrays that both modes compute with: Spec and Value.

A :class:`Value` is one array, known (PYNATIVE) or not computed yet (GRAPH). A Tensor contains a
Value (:mod:`minispore.core.tensor`).
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from minispore.errors import GraphModeError
from minispore.foundation import checks


class Symbol:
    """A length that is still unknown, with its known bounds and divisor.

    Like None, it may occur in the ``shape`` of a Tensor that ``Cell.set_inputs`` declares. A graph
    is compiled for each actual shape, so these facts are stored and have no effect.

    Args:
        max (int): the largest length; ignored unless it is above ``min``.
        min (int): the smallest length.
        divisor (int): the length is ``divisor * n + remainder`` for some n >= 1.
        remainder (int): see ``divisor``; from 0 to ``divisor - 1``.
        unique (bool): the length is the same wherever this object is used.

    Raises:
        TypeError: a number is not an int, or ``unique`` is not a bool.
        ValueError: ``min`` or ``divisor`` is below 1, or ``remainder`` is out of range.

    >>> import minispore as ms
    >>> rows = ms.Tensor(shape=[Symbol(divisor=8), 3], dtype=ms.float32)
    >>> rows.shape
    (-1, 3)
    """

    def __init__(
        self, max: int = 0, min: int = 1, divisor: int = 1, remainder: int = 0, unique: bool = False
    ) -> None:
        self.max = checks.integer("Symbol", "max", max)
        self.min = checks.integer("Symbol", "min", min, 1)
        self.divisor = checks.integer("Symbol", "divisor", divisor, 1)
        self.remainder = checks.integer("Symbol", "remainder", remainder, 0, self.divisor - 1)
        self.unique = checks.boolean("Symbol", "unique", unique)

    def __repr__(self) -> str:
        """Return the constructor call of an equal symbol."""
        fields = [f"{name}={value}" for name, value in vars(self).items()]
        return f"Symbol({', '.join(fields)})"


class Spec(NamedTuple):
    """Shape and dtype of an array."""

    shape: tuple[int, ...]
    dtype: np.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        n = 1
        for d in self.shape:
            n *= d
        return n

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return self.size * self.dtype.itemsize

    def __str__(self) -> str:
        """Return dtype and shape, such as ``float32[2, 3]``."""
        return f"{self.dtype.name}{list(self.shape)}"


class ValueHolder(Protocol):
    """A Tensor as an interpreter sees it: an object with a replaceable Value."""

    @property
    def value_(self) -> Value:
        """The Value that the tensor holds."""
        ...

    def set_value_(self, value: Value) -> None:
        """Replace the Value that the tensor holds."""
        ...


class ContentOwner(Protocol):
    """A Parameter as seen by the Value that is its content."""

    name: str
    _in_place_binding: Any  # the bound kernel of its last update, for the layer that runs kernels

    @property
    def requires_grad(self) -> bool:
        """Whether training changes it."""

    @property
    def has_init(self) -> bool:
        """Whether the content is not drawn from its initializer yet."""

    def init_data(self) -> Any:
        """Draw the content if its initialization was deferred."""

    def unshare_(self) -> None:
        """Copy the content for the Value that shares the buffer, before a write to the buffer."""


class Value:
    """One array, written once: ``data`` is the array, or None while it is only traced.

    Only the content of a Parameter is overwritten. Code that keeps such a Value (``shared``) copies
    it first, and a Value that was assigned to a Parameter gets a copy before an overwrite
    (``Parameter.unshare_``). Values are compared by identity.

    Attributes:
        param: the Parameter whose content this is, if any: reading the Value reads the Parameter.
        shared: whether a Parameter may overwrite ``data``; also set for an op's output that was
            assigned.
        lent: set once user code has ``data`` itself as a NumPy array, and thus may write to it.
    """

    __slots__ = ("__weakref__", "data", "lent", "param", "shared", "spec")
    lent: bool

    def __init__(
        self, spec: Spec, data: np.ndarray | None = None, param: ContentOwner | None = None
    ) -> None:
        self.spec = spec
        self.data: Any = data  # np.ndarray or None
        self.param = param
        self.shared = param is not None

    def alias(self) -> Value:
        """Return another Value with the same array that is not the content of a Parameter."""
        value = Value(self.spec, self.data)
        value.shared = self.shared
        return value

    def __repr__(self) -> str:
        """Return the spec, and whether the content is missing."""
        return f"Value({self.spec}{'' if self.data is not None else ', traced'})"


def make_no_content_error(spec: Spec) -> Exception:
    """Return the error to raise when a tensor without content is read."""
    if any(d < 0 for d in spec.shape):
        return ValueError(
            f"Tensor: a tensor of open shape {spec.shape} must not be computed with, since it only "
            "declares an input (set_inputs, input_signature). Pass one with data."
        )
    return GraphModeError(
        f"Tensor: a tensor must hold values to be computed with, got {spec} without any. If "
        "initializer() made it, call init_data() or make it a Parameter; if it was traced, it has "
        "left its graph: return it from construct instead of keeping it in a Python variable or "
        "attribute, and use a Parameter for state."
    )
