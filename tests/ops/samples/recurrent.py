"""Samples of recurrent layers."""

from __future__ import annotations

from minispore import ops as P
from minispore.ir.registry import registry
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

both = P.LSTM(2, 3, 2, True, True, 0.0)
w = floats(384, 1, 1, seed=4) / 2
states = floats(4, 2, 3, seed=5)
sample(both, x, states, states / 2, w, tolerance=1e-5)
plain = P.LSTM(2, 3, 1, False, False, 0.5)
sample(plain, x, state, state / 2, w[:60], tolerance=1e-5)
bad(both, x, states, states, w[1:], match="w must have at least 384 elements")
bad(both, x[..., :1], states, states, w, match="x must have the shape (T, N, 2)")
bad(both, x, states, states[:1], w, match="c must have the shape (4, 2, 3)")
bad(lambda: P.LSTM(2, 0, 1, True, True, 0.0), match="hidden_size must be >= 1", name="LSTM")
bad(lambda: P.LSTM(2, 3, 1, True, True, 1.5), match="dropout must be from 0 to 1", name="LSTM")

of_x, h, w_hh = floats(4, 3, 2, 3, seed=6), floats(2, 3, seed=7), floats(12, 3, seed=8) / 2
w_ih = floats(12, 2, seed=16) / 2
three, w_of_three, b_n = of_x[:3].copy(), w_hh[:9].copy(), floats(3, seed=9)
outs = [floats(4, 3, 2, 3, seed=10), floats(4, 2, 3, seed=11), floats(4, 2, 3, seed=12)]
gates, hs, tanhs = floats(4, 3, 2, 3, seed=13), floats(4, 2, 3, seed=14), floats(3, 2, 3, seed=15)
sums = floats(3, 2, 12, seed=16)
for reverse in (False, True):
    for ends in (None, lengths):
        lstm, gru = registry["LSTMSequence"](reverse), registry["GRUSequence"](reverse)
        sample(lstm, w_ih, w_hh, None, x, h, h / 2, ends, tolerance=1e-5)
        sample(lstm, w_ih, w_hh, b, x, h, h / 2, ends, tolerance=1e-5)
        sample(gru, three, h, w_of_three, b_n, ends, tolerance=1e-5)
        back = registry["LSTMSequenceGrad"](reverse)
        of = gates, hs, hs / 2, tanhs, w_hh, ends
        sample(back, *of, *outs, tolerance=1e-5)
        sample(back, *of, None, outs[1], None, tolerance=1e-5)
        sample(back, *of, outs[0], None, outs[2], tolerance=1e-5)
        back = registry["GRUSequenceGrad"](reverse)
        sample(back, gates, hs, w_of_three, ends, *outs[:2], tolerance=1e-5)
        sample(back, gates, hs, w_of_three, ends, outs[0], None, tolerance=1e-5)
    weights = registry["LSTMSequenceWeights"](reverse)
    sample(weights, sums, hs, x, None, tolerance=1e-5)
    sample(weights, sums, hs, x, b, tolerance=1e-5)
bad(weights, sums, hs[:2], x, None, match="h must have the axes (T + 1, N, H)")
long = floats(5, 2, 2)
sample(registry["LSTMSequence"](), w_ih, w_hh, None, long, h, h, None, tolerance=1e-5)
sample(registry["LSTMSequence"](), w_ih, w_hh, b, long, h, h, None, tolerance=1e-5)
sample(registry["GRUSequence"](), floats(3, 5, 2, 3), h, w_of_three, b_n, None, tolerance=1e-5)
lstm = registry["LSTMSequence"]()
bad(lstm, w_ih, w_hh, None, of_x, h, h, None, match="x must have the axes (T, N, I)")
bad(lstm, w_ih[:9], w_hh, None, x, h, h, None, match="w must have the shape (12, 2)")
bad(lstm, w_ih, w_hh, b[:9], x, h, h, None, match="b must have the shape (12,)")
bad(lstm, w_ih, w_hh[:9], None, x, h, h, None, match="w_hh must have the shape (12, 3)")
bad(lstm, w_ih, w_hh, None, x, h, h[:1], None, match="c must have the shape (2, 3)")
bad(registry["GRUSequence"](), of_x, h, w_of_three, b_n, None, match="must have the axes (3, T, N")
bad(registry["GRUSequence"](), three, h, w_of_three, b_n[:2], None, match="b_n must have the shape")
