"""A layer without weights: one function and its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore.nn import Cell


class Applied(Cell):
    """``function(*inputs, **arguments)`` as a Cell; each argument is an attribute, too."""

    function: Callable[..., Any]

    def __init__(self, **arguments: Any) -> None:
        super().__init__()
        self._arguments = arguments
        for name, value in arguments.items():
            setattr(self, name, value)

    def construct(self, input: Any) -> Any:
        return self.function(input, **self._arguments)

    def extend_repr(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self._arguments.items())


class AppliedToTwo(Applied):
    """``function(input, target, **arguments)`` as a Cell."""

    def construct(self, input: Any, target: Any) -> Any:  # type: ignore[override]
        return self.function(input, target, **self._arguments)


__all__ = ["Applied", "AppliedToTwo"]
