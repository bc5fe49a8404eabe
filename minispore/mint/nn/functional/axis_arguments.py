"""Arguments that are one int for all spatial axes, or one int per axis."""

from __future__ import annotations

from typing import Any


def expand_to_axes(
    api_name: str, name: str, value: Any, axes: int, minimum: int | None = None
) -> tuple[int, ...]:
    """Return ``value`` as a tuple of ``axes`` ints; a single int is repeated.

    Raises:
        TypeError: ``value`` is neither an int nor a tuple or list of ints.
        ValueError: ``value`` has too many or too few ints, or an int below ``minimum``.

    >>> expand_to_axes("conv2d", "stride", 2, 2), expand_to_axes("conv2d", "stride", (1, 2), 2)
    ((2, 2), (1, 2))
    """
    numbers = tuple(value) if isinstance(value, tuple | list) else (value,)
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int):
            raise TypeError(f"{api_name}: {name} must be an int or a tuple of ints, got {value!r}.")
    numbers = numbers * axes if len(numbers) == 1 else numbers
    if len(numbers) != axes:
        raise ValueError(f"{api_name}: {name} must be an int or {axes} ints, got {value!r}.")
    if minimum is not None and min(numbers) < minimum:
        raise ValueError(f"{api_name}: {name} must be at least {minimum}, got {value!r}.")
    return numbers


__all__ = ["expand_to_axes"]
