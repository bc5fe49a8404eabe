"""What these ops ask of their tensors."""

from __future__ import annotations

from typing import Any

from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor
from minispore.errors import ShapeError
from minispore.foundation import checks
from minispore.ops.shape.whole import Cast
from minispore.ops.support.arguments import check_optional_tensors, check_tensor_list

FLOATS = ("float16", "bfloat16", "float32")
NOT_QUANTISED = "What is quantised is not here: give what it stands for, in floats."


def with_axes(
    op: str, name: str, x: Tensor, *counts: int, kind: type[Exception] = ValueError
) -> None:
    """Raise unless ``x`` has one of ``counts`` axes."""
    if x.ndim not in counts:
        rule = f"have {' or '.join(map(str, counts))} axes"
        raise kind(checks.format_error(op, name, rule, f"shape {x.shape}"))


def with_shape(op: str, name: str, x: Tensor, shape: tuple[int, ...]) -> None:
    """Raise a ShapeError unless ``x`` has the ``shape`` that other arguments ask for."""
    if x.shape != shape:
        raise ShapeError(checks.format_error(op, name, f"have the shape {shape}", f"{x.shape}"))


def unquantised(op: str, **given: Any) -> None:
    """Raise a NotImplementedError, which is a RuntimeError, if one of them is given: a Tensor, or a
    list of some that are not all empty.
    """
    for name, x in given.items():
        said = checks.format_value(x)
        if isinstance(x, list | tuple):
            said, x = "tensors", next((t for t in check_tensor_list(op, x, name) if t.size), None)
        check_optional_tensors(op, **{name: x})
        if x is not None:
            raise NotImplementedError(checks.format_error(op, name, "be None", said, NOT_QUANTISED))


def places(at: Tensor) -> Tensor:
    """Indices, of which those below 0 are refused where they are used, and do not count from the
    end.
    """
    return Cast()(at, mstype.uint32)


def wide(x: Tensor) -> Tensor:
    """In float32, in which these ops compute."""
    return Cast()(x, mstype.float32)


__all__ = [
    "FLOATS",
    "NOT_QUANTISED",
    "places",
    "unquantised",
    "wide",
    "with_axes",
    "with_shape",
]
