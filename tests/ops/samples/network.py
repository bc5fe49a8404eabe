"""Samples of normalisation, losses, dropout and optimizer updates."""

from __future__ import annotations

import numpy as np

from minispore import ops as P
from minispore.ops.network import batch_norm as norms
from tests.ops.samples import bad, floats, ints, positive, sample

UPDATE = "an update is a step, not a function to differentiate"

# -- normalisation ---------------------------------------------------------------------------------

sample(P.BiasAdd(), floats(2, 3), floats(3, seed=1))
sample(P.BiasAdd(), floats(2, 3, 2, 2), floats(3, seed=1))
sample(P.BiasAdd("NHWC"), floats(2, 2, 2, 3), floats(3, seed=1))
bad(P.BiasAdd(), floats(2, 3), floats(2), match="bias must have the shape (3,)")
bad(lambda: P.BiasAdd("HWCN"), match="data_format must be one of", name="BiasAdd")
sample(P.BiasAddGrad(), floats(2, 3, 2, 2))
sample(P.BiasAddGrad("NHWC"), floats(2, 2, 3))
bad(lambda: P.BiasAddGrad("C"), match="data_format must be one of", name="BiasAddGrad")

vectors = [positive(3, seed=i) for i in range(4)]
for fmt, shape in (("NCHW", (4, 3, 2, 2)), ("NHWC", (4, 2, 2, 3)), ("NCHW", (5, 3))):
    x, dy = floats(*shape), floats(*shape, seed=9)
    sample(P.BatchNorm(False, 0.1, 0.1, fmt), x, *vectors)
    sample(P.BatchNorm(True, 0.1, 0.1, fmt), x, *vectors, wrt=(0, 1, 2), tolerance=1e-5)
    sample(norms.BatchNormInfer(0.1, fmt), x, *vectors)
    sample(norms.BatchNormTrain(0.1, fmt), x, *vectors[:2], tolerance=1e-5)
    sample(norms.BatchNormGrad(0.1, fmt), dy, x, *vectors[:3], tolerance=1e-5)
bad(P.BatchNorm(), floats(2, 4), *vectors, match="scale must have the shape (4,)")
bad(P.BatchNorm(), floats(4), *vectors, match="at least 2 axes")
bad(lambda: P.BatchNorm(epsilon=0.0), match="epsilon must be in (0, 1]", name="BatchNorm")
sample(norms.MovingAverage(0.25, 1.5), floats(3), floats(3, seed=1), wrt=(), why_not=UPDATE)

for begin, shape in ((1, (3, 4)), (2, (2, 3, 4)), (-1, (2, 3, 4))):
    x = floats(*shape)
    gamma, beta = positive(*shape[begin:]), floats(*shape[begin:], seed=1)
    sample(P.LayerNorm(begin, begin, 0.1), x, gamma, beta, tolerance=1e-5)
    sample(
        P.LayerNormGrad(begin, begin, 0.1), x, floats(*shape, seed=2),
        positive(*shape[:begin], *[1] * len(shape[begin:])),
        floats(*shape[:begin], *[1] * len(shape[begin:]), seed=3), gamma, tolerance=1e-5,
    )  # fmt: skip
bad(P.LayerNorm(), floats(2, 3), floats(2), floats(3), match="gamma must have the shape (3,)")
bad(
    P.LayerNorm(-2, -2), floats(2, 3), floats(2, 3), floats(2, 3),
    match="begin_norm_axis must be in [-1, 2)", error=RuntimeError,
)  # fmt: skip

# -- losses ----------------------------------------------------------------------------------------

shares = positive(3, 4, seed=1)
shares /= shares.sum(1, keepdims=True)  # the gradient is that of labels which sum to 1
sample(P.SoftmaxCrossEntropyWithLogits(), floats(3, 4), shares, wrt=(0,))
bad(
    P.SoftmaxCrossEntropyWithLogits(),
    floats(3, 4),
    floats(3, 5),
    match="labels must have the shape",
)
bad(P.SoftmaxCrossEntropyWithLogits(), floats(3), floats(3), match="must have two axes")
for is_grad in (False, True):
    sample(P.SparseSoftmaxCrossEntropyWithLogits(is_grad), floats(3, 4), ints(3, high=4))
bad(
    P.SparseSoftmaxCrossEntropyWithLogits(), floats(3, 4), ints(2), match="one class number per row"
)
bad(
    P.SparseSoftmaxCrossEntropyWithLogits(),
    floats(2, 3),
    np.array([0, 3]),
    match="in [0, 3), got 0 to 3",
)

# -- dropout ---------------------------------------------------------------------------------------

sample(P.Dropout(0.6), floats(4, 5))
sample(P.DropoutGrad(0.5), floats(4), ints(4, high=2).astype(np.float32), wrt=(0,))
bad(lambda: P.Dropout(0.0), match="keep_prob must be in (0, 1]", name="Dropout")
bad(lambda: P.Dropout("a"), match="keep_prob must be a float", error=TypeError, name="Dropout")
bad(P.DropoutGrad(), floats(3), floats(4), match="mask must have the shape of dy")

# -- optimizer updates -----------------------------------------------------------------------------

w, m, v, g = (floats(3, 2), floats(3, 2, seed=1), positive(3, 2, seed=2), floats(3, 2, seed=3))
for nesterov in (False, True):
    sample(P.ApplyMomentum(nesterov), w, m, 0.1, g, 0.9, wrt=(), why_not=UPDATE)
    sample(
        P.Adam(False, nesterov), w, m, v, 0.9, 0.99, 0.1, 0.9, 0.99, 1e-8, g, wrt=(), why_not=UPDATE
    )
    sample(P.SGD(0.0, 0.1, nesterov), w, g, np.float32([0.1]), m, np.float32([0.9]), v, wrt=(),
           why_not=UPDATE)  # fmt: skip
sample(
    P.ApplyMomentum(False, False, 0.5),
    w,
    m,
    np.float32(0.1),
    g,
    np.float32(0.9),
    wrt=(),
    why_not=UPDATE,
)
sample(P.SGD(0.5), w, g, 0.1, m, 0.9, np.zeros((3, 2), np.float32), wrt=(), why_not=UPDATE)
sample(P.SGD(), w, g, 0.1, m, 0.0, v, wrt=(), why_not=UPDATE)
sample(P.AdamWeightDecay(), w, m, v, 0.1, 0.9, 0.99, 1e-8, 0.01, g, wrt=(), why_not=UPDATE)
short = floats(2, 2)
bad(P.ApplyMomentum(), w, m, 0.1, short, 0.9, match="must have the shape of the variable (3, 2)")
bad(
    P.Adam(),
    w,
    m,
    v,
    0.9,
    0.99,
    0.1,
    0.9,
    0.99,
    1e-8,
    short,
    match="must have the shape of the variable",
)
bad(P.AdamWeightDecay(), w, m, v, 0.1, 0.9, 0.99, 1e-8, 0.01, short, match="must have the shape of")
bad(P.SGD(), w, short, 0.1, m, 0.9, v, match="must have the shape of the variable")
bad(lambda: P.SGD(0.5, 0.0, True), match="dampening must be 0 with nesterov", name="SGD")

# -- adaptive pools --------------------------------------------------------------------------------

sample(P.AdaptiveAvgPool2D((2, None)), floats(2, 3, 5, 4))
sample(P.AdaptiveAvgPool2D(3), floats(3, 5, 7))
bad(P.AdaptiveAvgPool2D(2), floats(3, 3), match="input must have 3 or 4 axes")
bad(lambda: P.AdaptiveAvgPool2D((1, 2, 3)), match="2 numbers", name="AdaptiveAvgPool2D")
sample(P.AdaptiveAvgPool3D((1, 2, 3)), floats(2, 4, 3, 5))
bad(lambda: P.AdaptiveAvgPool3D(0), match="output_size must be >= 1", name="AdaptiveAvgPool3D")
sample(P.AdaptiveMaxPool2D((2, 3)), floats(2, 3, 5, 4))
bad(
    lambda: P.AdaptiveMaxPool2D(2.0),
    match="output_size must be an int",
    error=TypeError,
    name="AdaptiveMaxPool2D",
)
sample(P.AdaptiveMaxPool3D(), floats(1, 4, 3, 5), (2, 2, 2))
bad(P.AdaptiveMaxPool3D(), floats(3, 3), (1, 1, 1), match="input must have 4 or 5 axes")
# many rows, which are normalised some at a time
wide = floats(8, 160), floats(160, seed=1), floats(160, seed=2)
sample(P.LayerNorm(), *wide, tolerance=1e-5)
sample(
    P.LayerNorm(1, 1, 1e-3),
    floats(3, 4, 5, 24),
    floats(4, 5, 24, seed=1),
    floats(4, 5, 24),
    tolerance=1e-5,
)
grad_of = wide[0], floats(8, 160, seed=3), abs(floats(8, 1, seed=4)) + 1, floats(8, 1), wide[1]
sample(P.LayerNormGrad(), *grad_of, tolerance=1e-5)

CROWD = np.random.default_rng(5).permutation(2 * 2 * 5 * 6).reshape(2, 2, 5, 6).astype(np.float32)
PLACES = np.array([[[0.1, 0.6], [0.9, 0.3]], [[0.5, 0.5], [0.0, 0.99]]], np.float32)
pool = P.FractionalMaxPoolWithFixedKsize((2, 3), (3, 2))
sample(pool, CROWD, PLACES, wrt=(0,))
sample(pool, CROWD.astype(np.int32), PLACES, wrt=(), why_not="whole numbers")
bad(pool, CROWD[0], PLACES, match="input_x must have 4 axes")
bad(pool, CROWD, PLACES[:1], match="random_samples must have the shape (2, 2, 2)")
bad(
    P.FractionalMaxPoolWithFixedKsize(5, (2, 2)),
    CROWD,
    PLACES,
    match="ksize + output_shape - 1 must be",
)
bad(lambda: P.FractionalMaxPoolWithFixedKsize(0, 1), match="ksize must be >= 1",
    name="FractionalMaxPoolWithFixedKsize")  # fmt: skip
pool = P.FractionalMaxPool3DWithFixedKsize((1, 2, 2), (2, 3, 2))
sample(pool, CROWD[:, :, None].repeat(3, 2), np.concatenate([PLACES, PLACES[..., :1]], -1), wrt=(),
       why_not="equal elements")  # fmt: skip
bad(pool, CROWD, PLACES, match="input_x must have 5 axes")
