"""Samples of Bessel functions."""

from __future__ import annotations

from minispore import ops as P
from tests.ops.samples import bad, floats, positive, sample

for op in (P.BesselJ0(), P.BesselJ1(), P.BesselI0(), P.BesselI1(), P.BesselI0e(), P.BesselI1e()):
    sample(op, floats(3, 4))
    sample(op, floats(3, low=20.0, high=40.0))
    bad(op, 1.5, match="must be a Tensor", error=TypeError)
for op in (P.BesselY0(), P.BesselY1(), P.BesselK0(), P.BesselK1(), P.BesselK0e(), P.BesselK1e()):
    sample(op, positive(3, 4))
    sample(op, floats(3, low=20.0, high=40.0))
    bad(op, 1.5, match="must be a Tensor", error=TypeError)
