"""Helpers of ``mindspore.numpy`` that user scripts import."""

from __future__ import annotations

from typing import Any, NoReturn

from minispore.core.tensor import Tensor
from minispore.ops.mnp.creation import to_tensor


def _to_tensor(*args: Any) -> Tensor | tuple[Tensor, ...]:
    """Convert one argument to a tensor, several to a tuple of tensors."""
    tensors = tuple(to_tensor(arg) for arg in args)
    return tensors[0] if len(tensors) == 1 else tensors


def _raise_type_error(info: str, param: Any = None) -> NoReturn:
    """Raise a TypeError with the text ``info``, followed by the type of ``param`` unless it is
    None.
    """
    raise TypeError(info if param is None else f"{info}{type(param)}")


def _raise_value_error(info: str, param: Any = None) -> NoReturn:
    """Raise a ValueError with the text ``info``, followed by ``param`` unless it is None."""
    raise ValueError(info if param is None else f"{info}{param}")


def _raise_unimplemented_error(info: str, param: Any = None) -> NoReturn:
    """Raise a NotImplementedError with the text ``info``, followed by ``param`` unless it is
    None.
    """
    raise NotImplementedError(info if param is None else f"{info}{param}")
