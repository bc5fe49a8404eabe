"""The functions of the user that see the gradient of one tensor."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minispore.core import interpreter
from minispore.core.value import Value

if TYPE_CHECKING:
    from minispore.core.tensor import Tensor

_numbers = itertools.count()


class GradientHooks:
    """Called with the gradient one after the other; what one returns, if not None, takes its place.

    Attributes:
        at: the value on whose way back they stand; None: the tensor is a leaf.
    """

    __slots__ = ("at", "functions")

    def __init__(self, at: Value | None = None) -> None:
        self.at = at
        self.functions: dict[int, Callable[[Any], Any]] = {}

    def add(self, hook: Callable[[Any], Any]) -> GradientHook:
        """Put ``hook`` after the others."""
        number = next(_numbers)
        self.functions[number] = hook
        interpreter.touch()
        return GradientHook(self, number)

    def key(self) -> tuple[int, ...]:
        """What a compiled graph depends on."""
        return tuple(self.functions)

    def __call__(self, gradient: Tensor) -> Tensor:
        for hook in tuple(self.functions.values()):
            given = hook(gradient)
            if given is None:
                continue
            if getattr(given, "shape", None) != gradient.shape:
                raise RuntimeError(
                    f"register_hook: hook must return None or a gradient of shape "
                    f"{gradient.shape}, got {given!r}."
                )
            gradient = given.astype(gradient.dtype)
        return gradient


class GradientHook:
    """Takes a hook away again."""

    def __init__(self, hooks: GradientHooks, number: int) -> None:
        self._hooks, self._number = hooks, number

    def remove(self) -> None:
        """From now on the hook is not called."""
        self._hooks.functions.pop(self._number, None)
        interpreter.touch()


__all__ = ["GradientHook", "GradientHooks"]
