"""The steps between half floats and float32, in which they are computed."""

from __future__ import annotations

import numpy as np

from minispore.core import half
from minispore.core.dtype import named
from minispore.core.layout import LIKE_INPUT
from minispore.core.primitive import Primitive
from minispore.core.value import Spec


class Converted(Primitive):
    """x in another dtype, which lies in memory as x does."""

    dtype: str
    internal = True
    pointwise = True
    moves = True
    layout = LIKE_INPUT

    def infer(self, x: Spec) -> Spec:
        return Spec(x.shape, named(self.dtype).np)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        half.convert(x, out)


class Rounded(Primitive):
    """The number of ``dtype`` that is nearest to each of x, in float32."""

    dtype: str
    internal = True
    pointwise = True
    layout = LIKE_INPUT
    reuse = (0,)

    def infer(self, x: Spec) -> Spec:
        return x

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        half.round_to(named(self.dtype).np, x, out)
