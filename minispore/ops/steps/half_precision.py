"""Conversions between float16 or bfloat16 and float32, in which half-precision ops are computed."""

from __future__ import annotations

import numpy as np

from minispore.core.primitive import Arithmetic, Primitive
from minispore.execution import half
from minispore.execution.layout import LIKE_INPUT
from minispore.ir.dtype import resolve_dtype
from minispore.ir.value import Spec


class Converted(Primitive):
    """Converts x to another dtype; the output has the memory order of x."""

    dtype: str
    pointwise = True
    arithmetic = Arithmetic.NONE
    layout = LIKE_INPUT

    def infer(self, x: Spec) -> Spec:
        """Return the spec of x with the dtype to convert to."""
        return Spec(x.shape, resolve_dtype(self.dtype).np)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        half.convert(x, out)


class Rounded(Primitive):
    """Rounds float32 numbers to the nearest value that ``dtype`` can represent; the result stays
    float32.
    """

    dtype: str
    pointwise = True
    layout = LIKE_INPUT
    reuse = (0,)

    def infer(self, x: Spec) -> Spec:
        return x

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Round each number to the nearest value of the dtype, and write it as float32."""
        half.round_to(resolve_dtype(self.dtype).np, x, out)
