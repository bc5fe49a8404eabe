"""Layers without weights: Cells that wrap a function and its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore.nn import Cell


class FunctionCell(Cell):
    """A Cell that computes ``function(input, **arguments)`` and has each argument as an
    attribute.

    A subclass defines ``function``. Changing an attribute later does not change the computation.
    """

    function: Callable[..., Any]

    def __init__(self, **arguments: Any) -> None:
        """Store the arguments, and set each as an attribute."""
        super().__init__()
        self._arguments = arguments
        for name, value in arguments.items():
            setattr(self, name, value)

    def construct(self, input: Any) -> Any:
        """Return ``function(input, **arguments)``."""
        return self.function(input, **self._arguments)

    def extend_repr(self) -> str:
        """Return the arguments as ``name=value``, for the repr of the layer."""
        return ", ".join(f"{name}={value}" for name, value in self._arguments.items())


class TwoInputFunctionCell(FunctionCell):
    """A Cell that computes ``function(input, target, **arguments)``."""

    def construct(self, input: Any, target: Any) -> Any:  # type: ignore[override]
        """Return ``function(input, target, **arguments)``."""
        return self.function(input, target, **self._arguments)


__all__ = ["FunctionCell", "TwoInputFunctionCell"]
