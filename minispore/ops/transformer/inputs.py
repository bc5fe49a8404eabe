"""Checks and conversions of tensors for all transformer ops."""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor
from minispore.errors import ShapeError
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.support.arguments import check_optional_tensors, check_tensor_list

FLOATS = ("float16", "bfloat16", "float32")
QUANTIZED_HINT = "What is quantised is not here: give what it stands for, in floats."


def check_axes(
    op: str, name: str, x: Tensor, *counts: int, error: type[Exception] = ValueError
) -> None:
    """Raise ``error`` unless the number of axes of ``x``, the argument ``name``, is one of
    ``counts``.
    """
    if x.ndim not in counts:
        rule = f"have {' or '.join(map(str, counts))} axes"
        raise error(checks.format_error(op, name, rule, f"shape {x.shape}"))


def check_shape(op: str, name: str, x: Tensor, shape: tuple[int, ...]) -> None:
    """Raise a ShapeError, which is a ValueError and a RuntimeError, unless ``x`` has the ``shape``
    that other arguments require.
    """
    if x.shape != shape:
        raise ShapeError(checks.format_error(op, name, f"have the shape {shape}", f"{x.shape}"))


def check_unquantized(op: str, **tensors: Any) -> None:
    """Check that no argument for quantization is given; a list of empty tensors counts as None.

    Raises:
        TypeError: an argument is neither None, a Tensor, nor a list or tuple of Tensors.
        NotImplementedError: an argument is given.
    """
    for name, x in tensors.items():
        actual = checks.format_value(x)
        if isinstance(x, list | tuple):
            actual, x = "tensors", next((t for t in check_tensor_list(op, x, name) if t.size), None)
        check_optional_tensors(op, **{name: x})
        if x is not None:
            raise NotImplementedError(
                checks.format_error(op, name, "be None", actual, QUANTIZED_HINT)
            )


def to_unsigned_indices(indices: Tensor) -> Tensor:
    """Return indices as uint32, so that negative indices are out of range instead of wrapping
    around.
    """
    return Cast()(indices, mstype.uint32)


def to_float32(x: Tensor) -> Tensor:
    """Return ``x`` as float32, in which these ops compute."""
    return Cast()(x, mstype.float32)


__all__ = [
    "FLOATS",
    "QUANTIZED_HINT",
    "check_axes",
    "check_shape",
    "check_unquantized",
    "to_float32",
    "to_unsigned_indices",
]
