"""Ops that a script defines for MindSpore's compiler: a name, attributes and rules, but no
kernel.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any


class PrimitiveWithInfer:
    """An op that infers the shape and type of its output, for a kernel inside MindSpore.

    Its attributes and inference rules work. A call raises a RuntimeError, since minispore lacks the
    kernel.

    >>> class Twice(PrimitiveWithInfer):
    ...     @prim_attr_register
    ...     def __init__(self, times=2):
    ...         self.init_prim_io_names(["x"], ["y"])
    ...     def infer_shape(self, x):
    ...         return x
    >>> Twice().name, Twice().times, Twice().infer_shape([2, 3])
    ('Twice', 2, [2, 3])
    """

    def __init__(self, name: str) -> None:
        """Set ``name`` and an empty dict ``attrs``."""
        self.name = name
        self.attrs: dict[str, Any] = {}

    def add_prim_attr(self, name: str, value: Any) -> Any:
        """Set an attribute, and record it in ``attrs``; return this op."""
        setattr(self, name, value)
        self.attrs[name] = value
        return self

    def del_prim_attr(self, name: str) -> Any:
        """Delete an attribute, if it exists, here and in ``attrs``; return this op."""
        self.attrs.pop(name, None)
        self.__dict__.pop(name, None)
        return self

    def init_prim_io_names(self, inputs: list[str], outputs: list[str]) -> None:
        """Set the names of inputs and outputs as attributes ``input_names`` and
        ``output_names``.
        """
        self.add_prim_attr("input_names", inputs)
        self.add_prim_attr("output_names", outputs)

    def __call__(self, *args: Any) -> Any:
        """Raise a RuntimeError, as there is no kernel."""
        raise RuntimeError(
            f"{self.name}: must have a kernel to be called, and an op that a script describes has "
            "none. Write it as a Cell with construct and bprop, or give a function to ops.PyFunc."
        )


class PrimitiveWithCheck(PrimitiveWithInfer):
    """An op that checks its inputs, for a kernel inside MindSpore; see
    :class:`PrimitiveWithInfer`.
    """


def prim_attr_register(fn: Callable[..., None]) -> Callable[..., None]:
    """Decorate an ``__init__`` to set its arguments as attributes of the same names before it
    runs.

    Before that, the op gets the name of its class. Creating an instance of a class that is not a
    :class:`PrimitiveWithInfer` raises a TypeError.
    """

    @functools.wraps(fn)
    def init_with_attrs(self: Any, *args: Any, **kwargs: Any) -> None:
        """Set the arguments and defaults as attributes, then run the decorated ``__init__``; raise
        TypeError for an instance of any other class.
        """
        if not isinstance(self, PrimitiveWithInfer):
            raise TypeError(
                f"prim_attr_register: {type(self).__name__} must be a PrimitiveWithInfer, got "
                f"{type(self).__base__}. Derive it from ops.PrimitiveWithInfer."
            )
        PrimitiveWithInfer.__init__(self, type(self).__name__)
        bound = inspect.signature(fn).bind(self, *args, **kwargs)
        bound.apply_defaults()
        for name, value in list(bound.arguments.items())[1:]:
            self.add_prim_attr(name, value)
        fn(self, *args, **kwargs)

    return init_with_attrs


__all__ = ["PrimitiveWithCheck", "PrimitiveWithInfer", "prim_attr_register"]
