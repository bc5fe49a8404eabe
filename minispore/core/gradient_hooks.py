"""User functions that are called with the gradient of one tensor, and may replace it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from minispore.core import interpreter
from minispore.ir.value import Value

_hook_ids = itertools.count()


class _Gradient(Protocol):
    """Protocol of a gradient (a Tensor): the attributes that the hooks use."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def dtype(self) -> Any: ...


G = TypeVar("G", bound=_Gradient)


class GradientHooks:
    """Hooks of one tensor, called in order; the result of one, if not None, replaces the gradient.

    Attributes:
        intermediate_value: the value whose gradient the hooks receive; None if the tensor is a
            leaf.
    """

    __slots__ = ("functions", "intermediate_value")

    def __init__(self, intermediate_value: Value | None = None) -> None:
        self.intermediate_value = intermediate_value
        self.functions: dict[int, Callable[[Any], Any]] = {}

    def add(self, hook: Callable[[Any], Any]) -> GradientHook:
        """Append ``hook``, and let compiled graphs check their validity; returns a handle that
        removes the hook.
        """
        hook_id = next(_hook_ids)
        self.functions[hook_id] = hook
        interpreter.note_change()
        return GradientHook(self, hook_id)

    def key(self) -> tuple[int, ...]:
        """Return the ids of the hooks in order, which are part of the cache key of a compiled
        graph.
        """
        return tuple(self.functions)

    def __call__(self, gradient: G) -> G:
        """Call the hooks in order; return the gradient that results, in its dtype.

        Raises:
            RuntimeError: a hook returned a gradient of a different shape.
        """
        for hook in tuple(self.functions.values()):
            replacement = hook(gradient)
            if replacement is None:
                continue
            if getattr(replacement, "shape", None) != gradient.shape:
                raise RuntimeError(
                    f"register_hook: hook must return None or a gradient of shape "
                    f"{gradient.shape}, got {replacement!r}."
                )
            gradient = replacement.astype(gradient.dtype)
        return gradient


class GradientHook:
    """Handle that removes a hook."""

    def __init__(self, hooks: GradientHooks, hook_id: int) -> None:
        self._hooks, self._hook_id = hooks, hook_id

    def remove(self) -> None:
        """Remove the hook, if it is not removed yet, and let compiled graphs check their
        validity.
        """
        self._hooks.functions.pop(self._hook_id, None)
        interpreter.note_change()


__all__ = ["GradientHook", "GradientHooks"]
