"""DLPack: arrays from and to other frameworks of the same process."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import checks
from minispore.core.tensor import Tensor

_CPU = (1, 0)  # DLPack's number for the host's memory, and which one


class _Held:
    """A capsule as the object that NumPy asks for one."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CPU


def to_dlpack(tensor: Tensor) -> Any:
    """The tensor as a DLPack capsule, which other frameworks take in once.

    Args:
        tensor (Tensor): of numbers; its values are copied, since those of a Tensor never change.

    Returns:
        PyCapsule, that ``from_dlpack`` of any framework takes.

    Raises:
        TypeError: ``tensor`` is no Tensor, or its dtype is unknown to DLPack or NumPy's side of it.

    Source: dmlc.github.io/dlpack.

    >>> import numpy as np
    >>> print(from_dlpack(to_dlpack(Tensor([1.0, 2.0]))))
    [1. 2.]
    """
    array = checks.instance("to_dlpack", "tensor", tensor, Tensor).asnumpy().copy()
    try:
        return array.__dlpack__()
    except (BufferError, TypeError) as exc:
        raise TypeError(
            f"to_dlpack: tensor must be of a dtype that DLPack has, got {tensor.dtype} ({exc}). "
            "Cast it to mindspore.float32."
        ) from None


def from_dlpack(dlpack: Any) -> Tensor:
    """A Tensor of what a DLPack capsule holds; the values are copied.

    Args:
        dlpack: a capsule of the host's memory that nobody has taken in yet, or an object with
            ``__dlpack__``, as arrays of other frameworks are.

    Returns:
        Tensor, of the same shape and dtype.

    Raises:
        TypeError: ``dlpack`` is neither, or was taken in before.

    Source: dmlc.github.io/dlpack.

    >>> import numpy as np
    >>> print(from_dlpack(np.array([3, 4], np.int32)))
    [3 4]
    """
    held = dlpack if hasattr(dlpack, "__dlpack__") else _Held(dlpack)
    try:
        return Tensor(np.from_dlpack(held))
    except (BufferError, RuntimeError, TypeError, ValueError, AttributeError) as exc:
        raise TypeError(
            "from_dlpack: dlpack must be a DLPack capsule of the host's memory that nobody took "
            f"in yet, got {checks.shown(dlpack)} ({exc}). Make one with to_dlpack."
        ) from None


__all__ = ["from_dlpack", "to_dlpack"]
