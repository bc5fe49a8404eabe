"""The records that both modes share: Spec, Value, Node.

A :class:`Value` is one array, known (PYNATIVE) or still to come (GRAPH). A
:class:`Node` says which primitive made which values from which. A Tensor is a box with a Value
in it (:mod:`minispore.core.tensor`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minispore import checks
from minispore.errors import GraphModeError

if TYPE_CHECKING:
    from minispore.core.parameter import Parameter
    from minispore.core.primitive import Primitive


class Symbol:
    """A length that is not known yet, with what is known of it.

    It stands in the ``shape`` of a Tensor that ``Cell.set_inputs`` declares, as None does. A graph
    is compiled for each shape that comes, so the knowledge is kept and changes nothing.

    Args:
        max (int): the largest length; it counts where it is above ``min``.
        min (int): the smallest length.
        divisor (int): the length is ``divisor * n + remainder`` for some n >= 1.
        remainder (int): see ``divisor``; from 0 to ``divisor - 1``.
        unique (bool): wherever this object stands, the length is the same.

    Raises:
        TypeError: a number is no int, or ``unique`` no bool.
        ValueError: ``min`` or ``divisor`` is below 1, or ``remainder`` out of range.

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
        said = [f"{name}={value}" for name, value in vars(self).items()]
        return f"Symbol({', '.join(said)})"


class Spec(NamedTuple):
    """Shape and dtype of an array."""

    shape: tuple[int, ...]
    dtype: np.dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        n = 1
        for d in self.shape:
            n *= d
        return n

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def __str__(self) -> str:
        return f"{self.dtype.name}{list(self.shape)}"


class Value:
    """One array, written once: ``data`` holds it, or is None while it is only traced.

    The content of a Parameter alone is overwritten; whoever keeps such a Value (``shared``) copies
    it first, and what an assignment gave gets a copy of its own by then (``Parameter.reclaim_``).
    Compared by identity.

    Attributes:
        param: the Parameter whose content this is, if any: reading it is reading the Parameter.
        shared: a Parameter may overwrite ``data``: a content, and what the op gave that made it.
        lent: set once NumPy code holds ``data`` itself, and so may write it.
    """

    __slots__ = ("__weakref__", "data", "lent", "param", "shared", "spec")
    lent: bool

    def __init__(
        self, spec: Spec, data: np.ndarray | None = None, param: Parameter | None = None
    ) -> None:
        self.spec = spec
        self.data: Any = data  # np.ndarray or None: those who run kernels know which
        self.param = param
        self.shared = param is not None

    def again(self) -> Value:
        """Another Value of the same array, no content of a Parameter."""
        made = Value(self.spec, self.data)
        made.shared = self.shared
        return made

    def __repr__(self) -> str:
        return f"Value({self.spec}{'' if self.data is not None else ', traced'})"


class Node:
    """``outputs = prim(*args)``. Each arg is a Value (an input) or any other object
    (a static argument).
    """

    __slots__ = ("args", "line", "outputs", "prim", "scope")

    def __init__(
        self,
        prim: Primitive,
        args: tuple[Any, ...],
        outputs: tuple[Value, ...],
        scope: str = "",
        line: str = "",
    ) -> None:
        self.prim = prim
        self.args = args
        self.outputs = outputs
        self.scope = scope  # path of the Cell that asked for it, such as "network.conv1"
        self.line = line  # "file.py:12", the user's line that asked for it

    @property
    def inputs(self) -> tuple[Value, ...]:
        return tuple([a for a in self.args if a.__class__ is Value])

    @property
    def specs(self) -> tuple[Any, ...]:
        """The args as ``infer`` takes them: specs, and static arguments as they are."""
        return tuple([a.spec if a.__class__ is Value else a for a in self.args])

    @property
    def flops(self) -> int:
        """Floating-point operations."""
        return int(self.prim.flops(*self.specs))

    def __repr__(self) -> str:
        return f"{', '.join(str(o.spec) for o in self.outputs)} = {self.prim!r}"


def no_content(spec: Spec) -> Exception:
    """What to raise where the content of a tensor is asked for that has none."""
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
