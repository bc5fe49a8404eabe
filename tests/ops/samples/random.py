"""Samples of random draws."""

from __future__ import annotations

import numpy as np

from minispore import ops as P
from minispore.execution.random import PrivateStreams
from minispore.ops.random.distributions import Uniform
from minispore.ops.random.draws import RestartDraws
from tests.ops.samples import bad, bools, floats, ints, positive, sample

DRAW = "a draw has no derivative"

for op in (P.UniformReal(), P.UniformReal(3, 1), P.StandardNormal(), P.StandardLaplace(),
           P.TruncatedNormal(), P.NonDeterministicInts()):  # fmt: skip
    sample(op, (3, 4))
    if op != P.TruncatedNormal():
        sample(op, ())
    bad(op, (-1,), match="every length in shape must be >= 0")
    bad(op, 1.5, match="shape must be an int or a tuple of ints", error=TypeError)
for op in (P.UniformReal, P.StandardNormal, P.StandardLaplace):
    bad(lambda op=op: op(-1), match="seed must be >= 0", name=op.name)
bad(lambda: P.NonDeterministicInts("int8"), match="dtype must be", error=TypeError,
    name="NonDeterministicInts")  # fmt: skip
sample(P.UniformInt(), (3, 4), np.int32(2), np.int32(7))
sample(P.UniformInt(), (3, 4), np.array(2, np.int32), np.array([7], np.int32))
bad(P.UniformInt(), (2,), 3, 3, match="minval must be < maxval")
bad(P.UniformInt(), (2,), 0, 2**31, match="maxval must fit into int32, got 2147483648")
bad(P.UniformInt(), (2,), -(2**33), 0, match="minval must fit into int32")
bad(P.UniformInt(), (2,), floats(1), 3, match="minval must be of a dtype", error=TypeError)
for op in (P.Gamma(), P.ParameterizedTruncatedNormal()):
    bad(op, (2, 3), *[ints(1)] * (2 if op == P.Gamma() else 4), match="of a dtype", error=TypeError)
bad(P.TruncatedNormal(), (3,), match="shape must have at least 2 axes")
sample(P.Gamma(), (3, 1, 2), positive(2), positive(2, 1), wrt=(), why_not=DRAW)
sample(P.RandomGamma(), (3,), positive(2), wrt=(), why_not=DRAW)
bad(P.RandomGamma(), (3,), ints(2), match="alpha must be of a dtype", error=TypeError)
sample(P.Poisson(), (3, 2), positive(2), wrt=(), why_not=DRAW)
bad(P.Poisson(), (3,), positive(2), match="shapes that broadcast together")
sample(P.RandomPoisson(), (3,), positive(2), wrt=(), why_not=DRAW)
bad(P.RandomPoisson(), (-3,), positive(2), match="every length in shape must be >= 0")
one = np.ones(1, np.float32)
sample(P.ParameterizedTruncatedNormal(), (2, 5), positive(2), positive(2), -one, one, wrt=(),
       why_not=DRAW)  # fmt: skip
bad(P.ParameterizedTruncatedNormal(), (2, 5), *[positive(3)] * 4, match="mean must have the shape")
sample(P.LogNormalReverse(), floats(3, 4), wrt=(), why_not=DRAW)
bad(P.LogNormalReverse(), ints(3), match="must be of a dtype of kind", error=TypeError)
sample(P.Cauchy((3, 4)))
bad(lambda: P.Cauchy((-1,))(), match="every length in size must be >= 0", name="Cauchy")

sample(P.Bernoulli(), floats(3, 4), 0.5, wrt=(), why_not=DRAW)
sample(P.Bernoulli(3), floats(3, 4), positive(4) / 2, wrt=(), why_not=DRAW)
bad(P.Bernoulli(), floats(3), 1.5, match="p must be in [0, 1]")
for op in (P.Multinomial(), P.RandomCategorical()):
    sample(op, positive(2, 3), 4, *[0][: op != P.Multinomial()], wrt=(), why_not=DRAW)
sample(P.Multinomial(), positive(3), 4, wrt=(), why_not=DRAW)
bad(P.Multinomial(), -positive(3), 2, match="must hold weights >= 0")
bad(P.Multinomial(), positive(2, 3, 4), 2, match="in 1 or 2 axes")
bad(P.RandomCategorical(), floats(3), 2, 0, match="logits must have 2 axes")
for replacement in (False, True):
    op = P.MultinomialWithReplacement(2, replacement)
    sample(op, positive(2, 3), 1, 2, wrt=(), why_not=DRAW)
bad(P.MultinomialWithReplacement(4), positive(3), 0, 0, match="numsamples must be <= 3")
sample(P.RandomShuffle(), floats(4, 2), wrt=(), why_not=DRAW)
bad(P.RandomShuffle(), 3, match="x must be a Tensor", error=TypeError)
sample(P.Randperm(5), np.array([3], np.int32))
bad(P.Randperm(5), np.array([9], np.int32), match="n must be in [0, 5]")
sample(P.RandpermV2(), 5)
bad(P.RandpermV2(), 0, match="n must be >= 1")
sample(P.RandomChoiceWithMask(4), bools(3, 2))
sample(P.RandomChoiceWithMask(2), bools(9))
bad(P.RandomChoiceWithMask(2), floats(3), match="of a dtype of kind bool", error=TypeError)
for unique in (False, True):
    sample(P.UniformCandidateSampler(2, 3, unique, 5), ints(4, 2))
    sample(P.LogUniformCandidateSampler(2, 3, unique, 5), ints(4, 2))
bad(P.UniformCandidateSampler(1, 2, True, 5), ints(4, 2), match="num_true = 1 columns")
bad(lambda: P.LogUniformCandidateSampler(1, 6, True, 5), match="num_sampled must be <= range_max",
    name="LogUniformCandidateSampler")  # fmt: skip

sample(P.Dropout2D(0.5), floats(2, 3, 2, 2))
sample(P.Dropout2D(0.0), floats(2, 3, 2, 2))
sample(P.Dropout3D(0.5), floats(2, 3, 1, 2, 2))
for op in (P.Dropout2D(), P.Dropout3D()):
    bad(op, floats(2, 3), match="x must have")
sample(P.DropoutGenMask(), (3, 50), np.array(0.5, np.float32), wrt=(), why_not=DRAW)
sample(P.DropoutGenMask(1), (3, 50), 0.5)
bad(P.DropoutGenMask(), (3, 50), 0.0, match="keep_prob must be in (0, 1]")
sample(P.DropoutDoMask(), floats(3, 4), ints(16, high=255, dtype=np.uint8), 0.5)
bad(P.DropoutDoMask(), floats(3, 4), ints(1, dtype=np.uint8), 0.5, match="mask must be uint8")
sample(RestartDraws(PrivateStreams()))
sample(Uniform(1.0, 2.0), floats(3, 4), wrt=(), why_not=DRAW)
sample(Uniform(seed=3), floats(3, 4), wrt=(), why_not=DRAW)
bad(Uniform(), ints(3), match="x must be a Tensor of float16", error=TypeError)
bad(lambda: Uniform(2.0, 1.0), match="minval must be <= maxval", name="Uniform")
bad(lambda: Uniform(1), match="minval must be a float", error=TypeError, name="Uniform")
