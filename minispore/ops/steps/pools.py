"""2x2 pooling of planes (:mod:`minispore.ops.steps.planes`): a window has its four elements in four
runs that lie apart, so it is a maximum of whole planes.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minispore.core.primitive import Calls
from minispore.core.value import Spec
from minispore.ops.elementwise.bases import bits
from minispore.ops.steps.columns import _Step


def _corners(x: Any) -> tuple[Any, Any, Any, Any]:
    """The four elements of each 2x2 window, in row-major order, as (C, B/2, H/2, W/B, N)."""
    rows = x[:, :, 0::2], x[:, :, 1::2]
    return rows[0][:, 0::2], rows[0][:, 1::2], rows[1][:, 0::2], rows[1][:, 1::2]


class PlanePool(_Step):
    """The maximum of each 2x2 window: planes (C, B, H, W, N) -> (C, B/2, H/2, W, N)."""

    chooses = short_calls = True

    def infer(self, x: Spec) -> Spec:
        c, b, h, w, n = x.shape
        return Spec((c, b // 2, h // 2, w, n), x.dtype)

    def rowwise(self, x: np.ndarray, *, out: np.ndarray) -> tuple[int, int]:
        return 0, 0

    def calls(self, x: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        a, b, c, d = _corners(x)
        return [partial(np.maximum, one, two, out=out) for one, two in ((a, b), (out, c), (out, d))]


class PlanePoolGrad(_Step):
    """dy sent to the first maximum of each 2x2 window of x, whose maximum is y."""

    chooses = short_calls = True

    def infer(self, x: Spec, y: Spec, dy: Spec) -> Spec:
        return Spec(x.shape, dy.dtype)

    def rowwise(self, x: np.ndarray, *given: np.ndarray, out: np.ndarray) -> tuple[int, ...]:
        return 0, 0, 0, 0

    def scratch(self, x: Spec, y: Spec, dy: Spec) -> tuple[Spec, Spec]:
        mask = Spec(y.shape, np.dtype(bool))
        return mask, mask

    def calls(
        self, x: np.ndarray, y: np.ndarray, dy: np.ndarray, *, out: np.ndarray, work: Any
    ) -> Calls:
        free, hit = work
        calls: Calls = [partial(free.fill, True)]
        *corners, last = zip(_corners(x), _corners(out))
        for n, (corner, made) in enumerate(corners):
            calls.append(partial(np.equal, corner, y, out=hit))
            if n:
                calls.append(partial(np.logical_and, hit, free, out=hit))
            calls.append(partial(np.logical_xor, free, hit, out=free))
            calls.append(partial(np.multiply, bits(dy), hit, out=bits(made)))
        # the maximum is somewhere; a NaN, equal to nothing, is sent to the last
        return [*calls, partial(np.multiply, bits(dy), free, out=bits(last[1]))]
