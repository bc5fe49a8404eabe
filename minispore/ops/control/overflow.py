"""The device's overflow flag, which training with a scaled loss reads."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Effect, Primitive
from minispore.core.tensor import Tensor
from minispore.execution.overflow import flag
from minispore.ir.value import Spec
from minispore.ops.support.arguments import check_tensor_spec

_FLOAT32 = np.dtype(np.float32)
_FLOATS = (np.dtype(np.float16), _FLOAT32)


class NPUAllocFloatStatus(Primitive):
    """Eight zeros, into which :class:`NPUGetFloatStatus` writes the overflow flag.

    >>> print(NPUAllocFloatStatus()())
    [0. 0. 0. 0. 0. 0. 0. 0.]
    """

    effect = Effect.EXTERNAL

    def infer(self) -> Spec:
        return Spec((8,), _FLOAT32)

    def kernel(self, *, out: np.ndarray) -> None:
        out.fill(0)


class _StatusOp(Primitive):
    """Base of ops that write into the tensor that :class:`NPUAllocFloatStatus` created.

    A graph that restarts on a different branch runs both ops again.
    """

    mutates = (0,)

    def __call__(self, x: Any) -> Any:
        output = super().__call__(x)
        return x if isinstance(x, Tensor) else output

    def infer(self, x: Spec) -> Spec:
        if check_tensor_spec(self.name, x).dtype not in _FLOATS:
            raise TypeError(f"{self.name}: x must be float16 or float32, got {x}.")
        if not x.size:
            raise ValueError(f"{self.name}: x must have at least 1 element, got {x}.")
        return x


class NPUClearFloatStatus(_StatusOp):
    """Clears the overflow flag and starts to check ops; fills ``x`` with zeros and returns it."""

    effect = Effect.CLEARS_OVERFLOW

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Write zeros, clear the process's overflow flag, and check ops from now on."""
        out.fill(0)
        flag.clear()


class NPUGetFloatStatus(_StatusOp):
    """Writes into ``x`` whether an op has overflowed since :class:`NPUClearFloatStatus`.

    An op overflows if its output holds an infinity where no input held one or a NaN, or a NaN where
    no input held one. In that case the sum of ``x`` is 1, else 0. Later ops are not checked.

    Returns:
        ``x``.

    Raises:
        TypeError: ``x`` is neither float16 nor float32.
        ValueError: ``x`` is empty.

    >>> status = NPUAllocFloatStatus()()
    >>> _ = NPUClearFloatStatus()(status)
    >>> y = Tensor([3e38]) * 10
    >>> print(NPUGetFloatStatus()(status).sum(), status.sum())
    1.0 1.0
    """

    effect = Effect.READS_OVERFLOW

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Write the overflow flag into the first element and 0 into the others; ops are no longer
        checked.
        """
        has_overflowed = flag.read()
        out.fill(0)
        out.flat[0] = has_overflowed


__all__ = ["NPUAllocFloatStatus", "NPUClearFloatStatus", "NPUGetFloatStatus"]
