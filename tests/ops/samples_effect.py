"""Samples of assignments; ops that need a queue or write to a stream are tested in test_effect."""

from __future__ import annotations

from minispore import ops as P
from tests.ops.samples import bad, elsewhere, floats, ints, sample

for op in (P.Assign(), P.AssignAdd(), P.AssignSub()):
    sample(op, floats(2, 3), floats(2, 3, seed=1))
    sample(op, ints(3), ints(3, seed=1))
    bad(op, floats(2, 3), floats(2, 2), match="value must have the variable's shape")
    bad(op, ints(3), floats(3), match="must be of the variable's dtype", error=TypeError)
for op in (P.AssignAdd(), P.AssignSub()):
    sample(op, floats(2, 3), floats())
elsewhere("GetNext", "tests/ops/test_effect.py")
elsewhere("Print", "tests/ops/test_effect.py")
