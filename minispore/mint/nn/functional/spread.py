"""One number for all axes of space, or one for each."""

from __future__ import annotations

from typing import Any


def each(owner: str, name: str, value: Any, axes: int, least: int | None = None) -> tuple[int, ...]:
    """``value`` as one int for each of ``axes``.

    Raises:
        TypeError: it holds something else than ints.
        ValueError: they are too many or too few, or one is below ``least``.

    >>> each("conv2d", "stride", 2, 2), each("conv2d", "stride", (1, 2), 2)
    ((2, 2), (1, 2))
    """
    given = tuple(value) if isinstance(value, tuple | list) else (value,)
    for number in given:
        if isinstance(number, bool) or not isinstance(number, int):
            raise TypeError(f"{owner}: {name} must be an int or a tuple of ints, got {value!r}.")
    given = given * axes if len(given) == 1 else given
    if len(given) != axes:
        raise ValueError(f"{owner}: {name} must be an int or {axes} ints, got {value!r}.")
    if least is not None and min(given) < least:
        raise ValueError(f"{owner}: {name} must be at least {least}, got {value!r}.")
    return given


__all__ = ["each"]
