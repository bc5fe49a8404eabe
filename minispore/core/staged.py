"""Callables of which a compiler must know more than their code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Staged:
    """A callable of ours around functions of others, ``fn``, which read and write."""

    fn: Any


class Derivative(Staged):
    """The derivative of a function. Asked for again in the same way it is the same to a compiler.

    Args:
        fn: the function.
        key: by what one derivative of ``fn`` is told from another.
        run: computes it.
    """

    def __init__(self, fn: Callable[..., Any], key: tuple[Any, ...], run: Callable[..., Any]):
        self.fn, self.key, self._run = fn, key, run

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._run(*args, **kwargs)


class Looped:
    """A step without arguments, which a device runs ``loop`` times in one call."""

    @property
    def loop(self) -> int:
        """How many times."""
        raise NotImplementedError


def loop_of(fn: Any) -> int:
    """How many times a device runs ``fn`` in one call."""
    return fn.loop if isinstance(fn, Looped) else 1
