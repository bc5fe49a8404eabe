"""Checks of a Cell's inputs: tensors, and their number of axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks


def a_tensor(owner: str, name: str, value: Any) -> Tensor:
    """A Tensor."""
    if not isinstance(value, Tensor):
        hint = "Wrap it: Tensor(...)." if isinstance(value, list | tuple | np.ndarray) else ""
        raise TypeError(
            checks.format_error(owner, name, "be a Tensor", checks.format_value(value), hint)
        )
    return value


def plain(value: Any) -> Any:
    """A number of NumPy's as one of Python's; anything else as it is."""
    return value.item() if isinstance(value, np.integer | np.floating) else value


def a_flag(owner: str, name: str, value: Any) -> None:
    """A bool; a number will do, as MindSpore lets it.

    Raises:
        TypeError: neither.
    """
    if not isinstance(value, int | np.bool_):
        raise TypeError(checks.format_error(owner, name, "be a bool", checks.format_value(value)))


def a_function(owner: str, name: str, value: Any) -> Any:
    """A Cell or a function, and not the class of one.

    Raises:
        TypeError: neither.
    """
    if isinstance(value, type):
        raise TypeError(
            f"{owner}: {name} must be an instance, got the class {value.__name__}. Call it: "
            f"{value.__name__}()."
        )
    if not callable(value):
        raise TypeError(
            f"{owner}: {name} must be a Cell or a function, got {checks.format_value(value)}."
        )
    return value


_RECOMPUTED = (
    "mp_comm_recompute",
    "output_recompute",
    "parallel_optimizer_comm_recompute",
    "recompute_slice_activation",
)


def recompute_options(owner: str, options: dict[str, Any]) -> None:
    """What ``recompute`` is told.

    Raises:
        ValueError: there is no such option.
        TypeError: one is no bool (what ``recompute_slice_activation`` is counts for nothing).
    """
    for name, value in options.items():
        checks.one_of(owner, "keyword", name, _RECOMPUTED)
        if name != "recompute_slice_activation" and value is not None:
            checks.boolean(owner, name, value)


def ndim(owner: str, name: str, x: Any, *allowed: int) -> Tensor:
    """A Tensor with one of the ``allowed`` numbers of axes."""
    if a_tensor(owner, name, x).ndim not in allowed:
        counts = " or ".join(map(str, allowed))
        raise ValueError(f"{owner}: {name} must have {counts} axes, got shape {x.shape}.")
    return x
