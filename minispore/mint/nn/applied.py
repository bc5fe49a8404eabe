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

    def construct(self, *inputs: Any) -> Any:
        return self.function(*inputs, **self._arguments)

    def extend_repr(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self._arguments.items())


__all__ = ["Applied"]
