"""Layers without weights: a function and its arguments as a Cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore.nn import Cell


class FunctionCell(Cell):
    """A Cell that computes ``function(input, **arguments)``; each argument is also an attribute."""

    function: Callable[..., Any]

    def __init__(self, **arguments: Any) -> None:
        """Set each argument as an attribute, too."""
        super().__init__()
        self._arguments = arguments
        for name, value in arguments.items():
            setattr(self, name, value)

    def construct(self, input: Any) -> Any:
        return self.function(input, **self._arguments)

    def extend_repr(self) -> str:
        """Return the arguments as ``name=value``, for the layer's text."""
        return ", ".join(f"{name}={value}" for name, value in self._arguments.items())


class TwoInputFunctionCell(FunctionCell):
    """A Cell that computes ``function(input, target, **arguments)``."""

    def construct(self, input: Any, target: Any) -> Any:  # type: ignore[override]
        return self.function(input, target, **self._arguments)


__all__ = ["FunctionCell", "TwoInputFunctionCell"]
