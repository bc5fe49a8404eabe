"""Samples of recurrent layers."""

from __future__ import annotations

from minispore import ops as P
from tests.ops.samples import bad, floats, ints, sample

x, lengths = floats(3, 2, 2), ints(2, low=1, high=4)
w, b = floats(5, 12, seed=1) / 2, floats(12, seed=2)
state = floats(1, 2, 3, seed=3)
sample(P.DynamicRNN(), x, w, b, None, state, state / 2, tolerance=1e-5)
sample(P.DynamicRNN(cell_clip=0.3, forget_bias=1.0), x, w, b, lengths, state, state, tolerance=1e-5)
bad(P.DynamicRNN(), x, w[:4], b, None, state, state, match="w must have the shape (5, 12)")
bad(lambda: P.DynamicRNN("GRU"), match="cell_type must be 'LSTM'", name="DynamicRNN")

wi, wh, bi, bh = floats(2, 9), floats(3, 9, seed=1) / 2, floats(9, seed=2), floats(9, seed=3)
for order in ("rzh", "zrh"):
    for after in (False, True):
        gru = P.DynamicGRUV2(gate_order=order, reset_after=after)
        sample(gru, x, wi, wh, bi, bh, None, state[0], tolerance=1e-5)
sample(P.DynamicGRUV2(), x, wi, wh, None, None, lengths, state[0], tolerance=1e-5)
bad(P.DynamicGRUV2(), x, wi, wh, bi[:3], bh, None, state[0], match="bias_input must have the shape")
bad(lambda: P.DynamicGRUV2(gate_order="hzr"), match="gate_order must be", name="DynamicGRUV2")
