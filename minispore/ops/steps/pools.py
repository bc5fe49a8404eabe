"""2x2 pooling in the blocked layout (:mod:`minispore.ops.steps.planes`).

The four elements of a window are in four different contiguous parts of the array. The pool is
therefore the maximum of four arrays, with no loop over windows::

    plane 0, row 0:  a a a ...      plane 1, row 0:  b b b ...
    plane 0, row 1:  c c c ...      plane 1, row 1:  d d d ...      max(a, b, c, d)
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minispore.core.primitive import Arithmetic, Calls, WorkSplit
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import view_as_integers
from minispore.ops.steps.columns import _Step


def _split_corners(x: Any) -> tuple[Any, Any, Any, Any]:
    """Return views of the four elements of each 2x2 window, in row-major order, each (C, B/2, H/2,
    W/B, N).

    ``x`` are planes (C, B, H, W/B, N): plane i holds every B-th column of the images, from column i
    on.
    """
    rows = x[:, :, 0::2], x[:, :, 1::2]
    return rows[0][:, 0::2], rows[0][:, 1::2], rows[1][:, 0::2], rows[1][:, 1::2]


class PlaneMaxPool(_Step):
    """Computes the maximum of each 2x2 window: planes (C, B, H, W/B, N) -> (C, B/2, H/2,
    W/B, N).
    """

    arithmetic = Arithmetic.EXACT
    work_split = WorkSplit(short_calls=True)

    def infer(self, x: Spec) -> Spec:
        """Return the spec (C, B/2, H/2, W/B, N): each output plane is the maximum of two planes."""
        c, b, h, w, n = x.shape
        return Spec((c, b // 2, h // 2, w, n), x.dtype)

    def rowwise(self, x: np.ndarray, *, out: np.ndarray) -> tuple[int, int]:
        """Return the axis of channels of the input and of the output: channels are independent."""
        return 0, 0

    def calls(self, x: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        """Return the three calls that take the maximum of the four corners."""
        a, b, c, d = _split_corners(x)
        return [
            partial(np.maximum, left, right, out=out)
            for left, right in ((a, b), (out, c), (out, d))
        ]


class PlaneMaxPoolGrad(_Step):
    """Routes dy to the first maximum of each 2x2 window of x; y holds the maxima."""

    arithmetic = Arithmetic.EXACT
    work_split = WorkSplit(short_calls=True)

    def infer(self, x: Spec, y: Spec, dy: Spec) -> Spec:
        """Return the spec of the gradient: the shape of x and the dtype of dy."""
        return Spec(x.shape, dy.dtype)

    def rowwise(self, x: np.ndarray, *others: np.ndarray, out: np.ndarray) -> tuple[int, ...]:
        """Return the axis of channels of x, y, dy and the output: channels are independent."""
        return 0, 0, 0, 0

    def scratch(self, x: Spec, y: Spec, dy: Spec) -> tuple[Spec, Spec]:
        """Return the specs of two masks: the windows whose maximum is not found yet, and a corner
        equal to it.
        """
        unclaimed = is_maximum = Spec(y.shape, np.dtype(bool))
        return unclaimed, is_maximum

    def calls(
        self, x: np.ndarray, y: np.ndarray, dy: np.ndarray, *, out: np.ndarray, work: Any
    ) -> Calls:
        """Return the calls that give dy to the first corner equal to y.

        The last corner gets dy if no earlier corner is equal: it is the maximum, or there is a NaN.
        """
        unclaimed, is_maximum = work
        calls: Calls = [partial(unclaimed.fill, True)]
        *corners, (_, last_target) = zip(_split_corners(x), _split_corners(out))
        for i, (corner, target) in enumerate(corners):
            calls.append(partial(np.equal, corner, y, out=is_maximum))
            if i:  # not claimed by an earlier corner
                calls.append(partial(np.logical_and, is_maximum, unclaimed, out=is_maximum))
            calls.append(partial(np.logical_xor, unclaimed, is_maximum, out=unclaimed))
            calls.append(
                partial(np.multiply, view_as_integers(dy), is_maximum, out=view_as_integers(target))
            )
        # An unclaimed window has its maximum in the last corner, or a NaN, which equals nothing.
        last_target = view_as_integers(last_target)
        return [*calls, partial(np.multiply, view_as_integers(dy), unclaimed, out=last_target)]
