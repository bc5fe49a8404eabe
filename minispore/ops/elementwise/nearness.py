"""Element-wise tests of whether numbers are close to each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import BOOL, REAL, broadcast, check_same_dtype
from minispore.ops.elementwise.compare import _Comparison
from minispore.ops.support.arguments import ORDERED_KINDS
from minispore.ops.support.spelling import also_spelled


class ApproximateEqual(_Comparison):
    """|x - y| < tolerance.

    >>> print(ApproximateEqual(0.5)(Tensor([1.0, 2.0]), Tensor([1.4, 3.0])))
    [ True False]
    """

    kinds = ORDERED_KINDS
    tolerance: float = 1e-05

    def check(self) -> None:
        if not isinstance(self.tolerance, float):
            actual = checks.format_value(self.tolerance)
            raise TypeError(checks.format_error(self.name, "tolerance", "be a float", actual))

    def infer(self, x: Any, y: Any) -> Any:
        """Return a bool spec; raise RuntimeError, as MindSpore does, for unequal shapes or at least
        8 axes.
        """
        if isinstance(x, Spec) and isinstance(y, Spec) and x.shape != y.shape:
            raise RuntimeError(f"{self.name}: x must have the same shape as y, got {x} and {y}.")
        spec = super().infer(x, y)
        if spec.ndim >= 8:
            raise RuntimeError(
                f"{self.name}: the x's rank should be less than 8, got {spec.ndim}. Reshape it."
            )
        return spec

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        np.less(np.abs(np.subtract(x, y)), self.tolerance, out=out)


class IsClose(_Comparison):
    """|x - y| <= atol + rtol * |y|.

    >>> print(IsClose()(Tensor([1.0, 2.0]), Tensor([1.0, 2.1])))
    [ True False]
    """

    rtol: float = 1e-05
    atol: float = 1e-08
    equal_nan: bool = False
    promotion = None
    kinds = REAL

    def check(self) -> None:
        """Check the attributes, and normalise both tolerances to Python scalars."""
        self.normalise(
            rtol=checks.scalar(self.name, "rtol", self.rtol),
            atol=checks.scalar(self.name, "atol", self.atol),
        )
        checks.boolean(self.name, "equal_nan", self.equal_nan)

    def infer(self, x: Any, y: Any) -> Spec:
        """Return the broadcast bool spec; raise TypeError unless both inputs are tensors of one
        real dtype.
        """
        check_same_dtype(self.name, x, y, kinds=self.kinds)
        return Spec(broadcast(self.name, x, y), BOOL)

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        out[...] = np.isclose(x, y, self.rtol, self.atol, self.equal_nan)


@method("approximate_equal")
@also_spelled(other="y")
def approximate_equal(x: Tensor, y: Any, tolerance: float = 1e-05) -> Tensor:
    """Whether |x - y| < tolerance."""
    return ApproximateEqual(tolerance)(x, y)


@method("isclose")
def isclose(
    input: Tensor, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Whether |input - other| <= atol + rtol * |other|; with ``equal_nan``, NaNs are close to each
    other.
    """
    return IsClose(rtol, atol, equal_nan)(input, other)


__all__ = ["ApproximateEqual", "IsClose", "approximate_equal", "isclose"]
