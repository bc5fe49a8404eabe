"""The adapter for keywords that MindSpore spells in several ways (``dim`` for ``axis``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def also_spelled(**aliases: str) -> Callable[[F], F]:
    """Return a decorator that accepts aliases of keywords: ``also_spelled(dim="axis")``.

    Raises:
        TypeError: (at the call) an argument is given under both names.

    >>> @also_spelled(dim="axis")
    ... def f(x, axis=None):
    ...     return axis
    >>> f(1, dim=2), f(1, axis=3)
    (2, 3)
    """

    def adapt(function: F) -> F:
        def call_with_aliases(*args: Any, **kwargs: Any) -> Any:
            for name in [name for name in kwargs if name in aliases]:
                if aliases[name] in kwargs:
                    raise TypeError(
                        f"{function.__name__}: {name} and {aliases[name]} mean the same, got both. "
                        "Give one."
                    )
                kwargs[aliases[name]] = kwargs.pop(name)
            return function(*args, **kwargs)

        # The same as functools.wraps, which makes twenty calls; there are many such functions.
        call_with_aliases.__dict__ = {
            **function.__dict__,
            "__wrapped__": function,
            "others": aliases,
        }
        call_with_aliases.__module__, call_with_aliases.__doc__ = (
            function.__module__,
            function.__doc__,
        )
        call_with_aliases.__name__, call_with_aliases.__qualname__ = (
            function.__name__,
            function.__qualname__,
        )
        call_with_aliases.__annotations__ = function.__annotations__
        return cast(F, call_with_aliases)

    return adapt


__all__ = ["also_spelled"]
