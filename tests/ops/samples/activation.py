"""Samples of activations and softmax."""

from __future__ import annotations

from minispore import ops as P
from minispore.ir.registry import registry
from tests.ops.samples import bad, floats, ints, sample

for op in (P.ReLU(), P.ReLU6(), P.HSigmoid(), P.HSwish(), P.HShrink(), P.SoftShrink(), P.Sigmoid(),
           P.Tanh(), P.SiLU(), P.Softplus(), P.Mish(), P.Softsign(), P.GeLU(), P.FastGeLU(),
           P.Elu(), P.CeLU(1.5), P.SeLU(), registry["GeLUGate"]()):  # fmt: skip
    sample(op, floats(3, 4, low=-7.1, high=7.1), tolerance=1e-5)
    sample(op, floats())
    bad(op, 1.5, match="must be a Tensor", error=TypeError)
for op in (P.Elu, P.CeLU):
    bad(lambda op=op: op(1), match="alpha must be a float", name=op.__name__, error=TypeError)
for op in (P.ReLU(), P.ReLU6(), P.HSigmoid(), P.HSwish()):
    sample(op, ints(5, low=-4))
for op in (P.ReluGrad(), P.Relu6Grad(), P.SigmoidGrad(), P.TanhGrad()):
    sample(op, floats(3, 4), floats(3, 4, seed=1))
    bad(op, floats(3), floats(4), match="must have one shape and dtype")
sample(P.PReLU(), floats(2, 3), floats(3, seed=1))
sample(P.PReLU(), floats(2, 3, 4), floats(1, seed=1))
sample(P.PReLU(), floats(2, 3), floats(seed=1))
bad(P.PReLU(), floats(2, 3), floats(2), match="weight must have the shape (), (1,) or (3,)")

for shape, axis in (((2, 3), 1), ((2, 3), 0), ((4, 300), 1)):
    sample(registry["LogSoftmaxGrad"](axis), floats(*shape), floats(*shape, seed=1), tolerance=1e-5)
for op in (P.Softmax(), P.Softmax(0), P.Softmax((0, 2)), P.LogSoftmax(1)):
    sample(op, floats(2, 3, 2))
    bad(op, floats(), match="at least one axis")
bad(P.Softmax(3), floats(2, 3), match="axis must be in [-2, 2)")
sample(P.SoftmaxGrad((1,)), floats(2, 3), floats(2, 3, seed=1))
sample(P.GLU(), floats(2, 4))
bad(P.GLU(), floats(2, 3), match="must have an even length")
sample(P.LogSoftmaxExt(), floats(2, 3))
sample(P.LogSoftmaxExt(), floats(2, 3), 0, None)
bad(P.LogSoftmaxExt(), floats(2, 3), 3, match="axis must be in [-2, 2)")
# rows that are long enough for sums by products
sample(P.Softmax(), floats(5, 256), tolerance=1e-5)
sample(P.LogSoftmax(), floats(5, 256), tolerance=1e-5)
