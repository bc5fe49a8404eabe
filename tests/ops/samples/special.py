"""Samples of special functions and complex numbers."""

from __future__ import annotations

import numpy as np

from minispore import ops as P
from minispore.ops.elementwise.special import CopySign
from tests.ops.samples import bad, floats, ints, positive, sample

COMPLEX = "the result is complex"
BY_A = "the derivative by a has none by a itself"

sample(P.Lgamma(), positive(3, 4))
sample(P.Lgamma(), floats(3, 4) * 3)
sample(P.Digamma(), positive(3, 4))
sample(P.Digamma(), floats(3, 4) * 3)
for op in (P.Lgamma(), P.Digamma(), P.Sinc(), P.Logit()):
    bad(op, 1.5, match="must be a Tensor", error=TypeError)
for n in (0, 1, 3):
    sample(P.Polygamma(), n, positive(3, 4))
bad(P.Polygamma(), -1, positive(3), match="a must be >= 0")
sample(P.Zeta(), positive(3, 4) + 1.5, positive(3, 4, seed=1), wrt=(1,))
for op in (P.Igamma(), P.Igammac()):
    sample(op, positive(3, 4), positive(3, 4, seed=1), wrt=(1,))
    sample(op, positive(3, 1) * 9, positive(4, seed=1) * 9, second=False, why_not=BY_A)
for op in (P.Zeta(), P.Igamma(), P.Igammac(), P.NextAfter()):
    bad(op, floats(2, 3), floats(4), match="shapes that broadcast together")
sample(P.Betainc(), positive(5), positive(5, seed=1), positive(5, seed=2) / 2.1, wrt=(2,))
bad(
    P.Betainc(), positive(5), positive(4), positive(5), match="b must have the shape and dtype of a"
)
sample(P.Mvlgamma(3), positive(3) + 1)
bad(lambda: P.Mvlgamma(0), match="p must be an int >= 1", name="Mvlgamma")
sample(P.Sinc(), floats(3, 4))
sample(P.Sinc(), np.array([0, 1.5], np.float32), second=False, why_not="at 0 it is set by hand")
sample(P.Logit(), positive(3, 4) / 2.1)
sample(P.Logit(0.3), positive(3, 4) / 2.1)
sample(P.NextAfter(), floats(3), floats(3, seed=1), wrt=(), why_not="it moves by one rounding")
sample(CopySign(), floats(3, 4), floats(3, 4, seed=1), wrt=(0,))

z = (floats(3, 4) + 1j * floats(3, 4, seed=1)).astype(np.complex64)
sample(P.Complex(), floats(3, 4), floats(3, 4, seed=1), wrt=(), why_not=COMPLEX)
sample(P.Complex(), floats(3, 1), floats(4), wrt=(), why_not=COMPLEX)
bad(P.Complex(), floats(3), ints(3), match="must be of a dtype", error=TypeError)
sample(P.Polar(), positive(3), floats(3), wrt=(), why_not=COMPLEX)
bad(P.Polar(), positive(3), floats(4), match="shapes that broadcast together")
for op in (P.Real(), P.Imag(), P.Angle(), P.Conj(), P.ComplexAbs()):
    sample(op, z)
    if op != P.ComplexAbs():
        sample(op, floats(3, 4))
    bad(op, 1, match="must be", error=TypeError)
