"""The one adapter for keywords that MindSpore spells in several ways (``dim`` for ``axis``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def also_spelled(**others: str) -> Callable[[F], F]:
    """Let callers use other names of keywords: ``also_spelled(dim="axis")``.

    Raises:
        TypeError: (at the call) an argument is given under both names.

    >>> @also_spelled(dim="axis")
    ... def f(x, axis=None):
    ...     return axis
    >>> f(1, dim=2), f(1, axis=3)
    (2, 3)
    """

    def adapt(function: F) -> F:
        def called(*args: Any, **kwargs: Any) -> Any:
            for name in kwargs.keys() & others:
                if others[name] in kwargs:
                    raise TypeError(
                        f"{function.__name__}: {name} and {others[name]} mean the same, got both. "
                        "Give one."
                    )
                kwargs[others[name]] = kwargs.pop(name)
            return function(*args, **kwargs)

        # What functools.wraps does, which takes twenty calls: there are many such functions.
        called.__dict__ = {**function.__dict__, "__wrapped__": function, "others": others}
        called.__module__, called.__doc__ = function.__module__, function.__doc__
        called.__name__, called.__qualname__ = function.__name__, function.__qualname__
        called.__annotations__ = function.__annotations__
        return cast(F, called)

    return adapt


__all__ = ["also_spelled"]
