"""What these ops ask of their tensors."""

from __future__ import annotations

from minispore import checks
from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor, call
from minispore.errors import ShapeError

FLOATS = ("float16", "bfloat16", "float32")


def with_axes(
    op: str, name: str, x: Tensor, *counts: int, kind: type[Exception] = ValueError
) -> None:
    """Raise unless ``x`` has one of ``counts`` axes."""
    if x.ndim not in counts:
        rule = f"have {' or '.join(map(str, counts))} axes"
        raise kind(checks.text(op, name, rule, f"shape {x.shape}"))


def with_shape(op: str, name: str, x: Tensor, shape: tuple[int, ...]) -> None:
    """Raise a ShapeError unless ``x`` has the ``shape`` that other arguments ask for."""
    if x.shape != shape:
        raise ShapeError(checks.text(op, name, f"have the shape {shape}", f"{x.shape}"))


def places(at: Tensor) -> Tensor:
    """Indices, of which those below 0 are refused where they are used, and do not count from the
    end.
    """
    return call("Cast", at, mstype.uint32)


def wide(x: Tensor) -> Tensor:
    """In float32, in which these ops compute."""
    return call("Cast", x, mstype.float32)


__all__ = ["FLOATS", "places", "wide", "with_axes", "with_shape"]
