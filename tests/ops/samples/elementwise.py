"""Samples of elementwise ops."""

from __future__ import annotations

import numpy as np

from minispore import ops as P
from minispore.ops.elementwise.arithmetic import DivMod
from minispore.ops.elementwise.bases import ReduceToShape
from minispore.ops.elementwise.extremes import ClampMax, ClampMin, MaximumGrad
from minispore.ops.elementwise.powers import NonZero01
from minispore.ops.elementwise.weighted_sums import AccumulateNV2
from minispore.ops.mnp.maths import RealGcd
from tests.ops.samples import bad, bools, floats, ints, positive, sample

FLAT = "flat almost everywhere, and its derivative is 0"

# -- two inputs that broadcast ---------------------------------------------------------------------

for op in (P.Add(), P.Sub(), P.Mul(), P.SquaredDifference(), P.MulNoNan()):
    sample(op, floats(3, 4), floats(3, 4, seed=1))
    sample(op, floats(2, 3, 4), floats(4, seed=1))
    sample(op, floats(2, 1, 4), floats(3, 1, seed=1))
    sample(op, ints(3, 2), ints(3, 2, seed=1))
    bad(op, floats(2, 3), floats(4), match="shapes that broadcast together")
    bad(op, floats(2), "a", match="must be a Tensor or a number", error=TypeError)
sample(P.Add(), floats(3), 2)
sample(P.Sub(), 2, floats(3))
sample(P.Mul(), floats(3), 1.5)
sample(P.Mul(), ints(3), 1.5)
bad(P.Sub(), bools(2), bools(2), match="must be of a dtype of kind", error=TypeError)

for op in (P.RealDiv(), P.Div(), P.DivNoNan(), P.FloorMod(), P.Mod(), P.TruncateMod()):
    sample(op, floats(3, 4, high=4), positive(3, 4))
    sample(op, floats(2, 3, high=4), positive(3))
    bad(op, floats(2, 3), floats(4), match="shapes that broadcast together")
ROUNDED = (P.FloorDiv(), P.TruncateDiv(), DivMod("floor"), DivMod("trunc"))
for op in (P.FloorMod(), P.Mod(), P.TruncateMod(), *ROUNDED):
    sample(op, ints(5, low=-9, high=9), ints(5, low=2, high=4))
    sample(op, ints(5, low=-9, high=9), -2)
sample(P.RealDiv(), ints(4), ints(4, low=1, high=3))
sample(P.DivNoNan(), floats(4), np.array([1, 0, 2, 0], np.float32), wrt=(0,))
sample(P.MulNoNan(), np.array([np.inf, 2], np.float32), np.array([0, 3], np.float32), wrt=(0,),
       second=False, why_not="the slope by x at an infinite x is 0 times infinite")  # fmt: skip
for op in ROUNDED:
    sample(op, floats(3, 4, high=4), positive(3, 4))
    bad(op, floats(2, 3), floats(4), match="shapes that broadcast together")

for op in (P.Maximum(), P.Minimum(), P.Fmax(), P.Fmin(), ClampMin(), ClampMax()):
    sample(op, floats(3, 4), floats(3, 4, seed=1))
    sample(op, floats(2, 3), 0.1)
    sample(op, ints(4), ints(4, seed=1))
    bad(op, floats(2, 3), floats(4), match="shapes that broadcast together")
sample(MaximumGrad(), floats(2, 3), floats(2, 3, seed=1), floats(3, seed=2), wrt=(0,))
sample(MaximumGrad(), floats(3), floats(3, seed=1), 0.1, wrt=(0,))
sample(P.Heaviside(), floats(5), floats(5, seed=1), wrt=(0,))
bad(P.Heaviside(), floats(2), floats(3), match="shapes that broadcast together")

for op in (P.Pow(), P.Hypot(), P.Atan2(), P.Xlogy(), P.Xdivy()):
    sample(op, positive(3, 4), positive(3, 4, seed=1))
    sample(op, positive(2, 3), positive(3, seed=1))
    bad(op, floats(2, 3), floats(4), match="shapes that broadcast together")
for exponent in (0, 1, 2, 3, -1.5):
    sample(P.Pow(), positive(3), exponent)
sample(P.Pow(), 2.0, floats(3))
sample(P.Pow(), ints(4), ints(4, high=3, seed=1))
sample(P.Xlogy(), np.array([0, 0, 2], np.float32), np.array([0, 3, 3], np.float32), wrt=(),
       why_not="the slope by x at y = 0 is log(0)")  # fmt: skip
sample(P.Xdivy(), np.array([0, 2], np.float32), np.array([2, 3], np.float32), wrt=(1,))

for op in (P.Lerp(), P.Addcmul(), P.Addcdiv()):
    more = () if op == P.Lerp() else (floats(1, seed=3),)
    sample(op, floats(2, 3), positive(2, 3, seed=1), positive(2, 3, seed=2), *more)
    sample(op, floats(2, 3), positive(3, seed=1), positive(2, 1, seed=2), *more)
    more = () if op == P.Lerp() else (1.0,)
    bad(op, floats(2, 3), floats(4), floats(1), *more, match="shapes that broadcast together")
sample(P.Lerp(), floats(3), floats(3, seed=1), 0.3)

for op in (P.AddN(), AccumulateNV2()):
    sample(op, floats(2, 3), floats(2, 3, seed=1), floats(2, 3, seed=2))
    sample(op, ints(2))
    bad(op, floats(2), floats(3), match="inputs must have one shape and dtype")

# -- one input -------------------------------------------------------------------------------------

SMOOTH = (P.Neg(), P.Square(), P.Exp(), P.Expm1(), P.Sin(), P.Cos(), P.Atan(), P.Sinh(), P.Cosh(),
          P.Asinh(), P.Abs(), P.Reciprocal(), P.Inv(), P.Erf(), P.Erfc())  # fmt: skip
for op in SMOOTH:
    sample(op, floats(3, 4))
    sample(op, floats())
for op in (P.Sqrt(), P.Rsqrt(), P.Log(), P.Log1p()):
    sample(op, positive(3, 4))
for op in (P.Tan(), P.Asin(), P.ACos(), P.Atanh(), P.Erfinv()):
    sample(op, floats(3, 4, low=-0.8, high=0.8))
sample(P.Acosh(), floats(3, 4, low=1.2, high=3.0))
for op in (P.Sqrt(), P.Exp(), P.Log(), P.Sin(), P.Atan(), P.Reciprocal(), P.Rsqrt()):
    sample(op, ints(4, low=1))
for op in (P.Neg(), P.Abs(), P.Square(), P.Sign()):
    sample(op, ints(5, low=-3))
for op in (P.Sign(), P.Floor(), P.Ceil(), P.Rint(), P.Round(), P.Trunc()):
    sample(op, floats(3, 4, low=-3.9, high=3.9))
sample(P.Round(), ints(3))
sample(P.Round(), floats(4), 1)
sample(
    P.NanToNum(), np.array([np.nan, np.inf, -np.inf, 1], np.float32), wrt=(), why_not="not finite"
)
sample(P.NanToNum(1.0, 2.0, 3.0), floats(4))
sample(NonZero01(), np.array([0, 2], np.float32), wrt=(), why_not=FLAT)
sample(ReduceToShape((3, 1)), floats(2, 3, 4))
sample(ReduceToShape(()), floats(2, 3))

for op in (*SMOOTH, P.Sqrt(), P.Rsqrt(), P.Log(), P.Log1p(), P.Tan(), P.Asin(), P.ACos(), P.Atanh(),
           P.Acosh(), P.Erfinv(), P.Sign(), P.Floor(), P.Ceil(), P.Rint(), P.Round(), P.Trunc(),
           P.NanToNum(), P.LogicalNot(), P.IsNan(), P.IsInf(), P.IsFinite(), P.Invert(),
           P.PopulationCount()):  # fmt: skip
    bad(op, 1.5, match="must be a Tensor", error=TypeError)
bad(P.Neg(), bools(2), match="must be of a dtype of kind", error=TypeError)

# -- questions -------------------------------------------------------------------------------------

for op in (P.Equal(), P.NotEqual(), P.Less(), P.LessEqual(), P.Greater(), P.GreaterEqual(),
           P.LogicalAnd(), P.LogicalOr(), P.LogicalXor(), P.IsClose()):  # fmt: skip
    sample(op, ints(3, 4), ints(3, 4, seed=1))
    sample(op, floats(2, 3), floats(3, seed=1), wrt=(), why_not="an answer is no number")
    bad(op, floats(2, 3), floats(4), match="shapes that broadcast together")
sample(P.Equal(), ints(3), 1)
sample(P.ApproximateEqual(0.5), ints(3, 4), ints(3, 4, seed=1))
sample(P.ApproximateEqual(0.5), floats(2), floats(2, seed=1), wrt=(), why_not="no number")
bad(P.ApproximateEqual(0.5), floats(2, 3), floats(3), match="the same shape", error=RuntimeError)
for op in (P.LogicalNot(), P.IsNan(), P.IsInf(), P.IsFinite()):
    x = np.array([0, np.nan, np.inf, 1], np.float32)
    sample(op, x, wrt=(), why_not="an answer is no number")

# -- whole numbers ---------------------------------------------------------------------------------

for op in (P.BitwiseAnd(), P.BitwiseOr(), P.BitwiseXor(), P.LeftShift(), P.RightShift(), P.Gcd(),
           P.Lcm()):  # fmt: skip
    sample(op, ints(3, 4), ints(3, 4, seed=1))
    sample(op, ints(2, 3), ints(3, seed=1))
    bad(op, floats(2), floats(2), match="must be of a dtype of kind", error=TypeError)
sample(RealGcd(), np.float32([4.5, 6, -8]), np.float32([3, -9, 0]), wrt=(),
       why_not="a divisor moves in steps")  # fmt: skip
bad(RealGcd(), ints(2), ints(2), match="must be of a dtype of kind", error=TypeError)
sample(P.Invert(), ints(4))
sample(P.Invert(), bools(4))
sample(P.PopulationCount(), ints(4, high=99, dtype=np.int16))
sample(P.LerpScalar(), floats(3), floats(3, seed=1), 0.3)
bad(P.LerpScalar(), floats(3), floats(2), 0.3, match="shapes that broadcast together")
