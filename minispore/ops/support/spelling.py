"""A decorator for keywords that MindSpore spells in several ways (``dim`` for ``axis``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def also_spelled(**aliases: str) -> Callable[[F], F]:
    """Return a decorator that accepts aliases of keywords: ``also_spelled(dim="axis")``.

    The attribute ``others`` of a decorated function has the aliases.

    Raises:
        TypeError: (at the call) an argument is passed under both names.

    >>> @also_spelled(dim="axis")
    ... def f(x, axis=None):
    ...     return axis
    >>> f(1, dim=2), f(1, axis=3)
    (2, 3)
    """

    def add_aliases(function: F) -> F:
        """Wrap ``function`` to accept the aliases; copy its name, docstring and signature to the
        wrapper.

        The wrapper has the aliases as attribute ``others``.
        """

        def call_with_aliases(*args: Any, **kwargs: Any) -> Any:
            """Call the function with aliases replaced; raise TypeError if both spellings are
            passed.
            """
            for name in [name for name in kwargs if name in aliases]:
                if aliases[name] in kwargs:
                    raise TypeError(
                        f"{function.__name__}: {name} and {aliases[name]} mean the same, got both. "
                        "Give one."
                    )
                kwargs[aliases[name]] = kwargs.pop(name)
            return function(*args, **kwargs)

        # Does the work of functools.wraps without its twenty calls, since many functions are
        # wrapped.
        adapter = call_with_aliases
        adapter.__dict__ = {**function.__dict__, "__wrapped__": function, "others": aliases}
        adapter.__module__, adapter.__doc__ = function.__module__, function.__doc__
        adapter.__name__, adapter.__qualname__ = function.__name__, function.__qualname__
        adapter.__annotations__ = function.__annotations__
        return cast(F, adapter)

    return add_aliases


__all__ = ["also_spelled"]
