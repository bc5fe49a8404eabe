"""Callables that a compiler treats specially: derivatives and looped steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class StagedCallable:
    """Callable of this package that wraps a user's function ``fn``."""

    fn: Any


class Derivative(StagedCallable):
    """The derivative of a function. A compiler treats derivatives with equal keys as the same.

    Args:
        fn: the function.
        key: what distinguishes this derivative of ``fn`` from others.
        run: computes the derivative.
    """

    def __init__(self, fn: Callable[..., Any], key: tuple[Any, ...], run: Callable[..., Any]):
        self.fn, self.key, self._run = fn, key, run

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the derivative on the arguments of the function."""
        return self._run(*args, **kwargs)


class Looped:
    """A step without arguments that a device runs ``loop`` times in one call."""

    @property
    def loop(self) -> int:
        """The number of times that one call runs the step; subclasses override it."""
        raise NotImplementedError


def get_loop_count(fn: Any) -> int:
    """Return how many times a device runs ``fn`` in one call; 1 unless it is Looped."""
    return fn.loop if isinstance(fn, Looped) else 1
