"""Distributions and bijectors against those of the real MindSpore, and what samples must be."""

from __future__ import annotations

import builtins
from pathlib import Path

import numpy as np
import pytest

import minispore as ms
import minispore.nn.probability.bijector as msb
import minispore.nn.probability.distribution as msd
from minispore import Tensor, nn, ops
from tests.nn.probability_cases import cases, refusals, run

GOLDEN = np.load(Path(__file__).parents[1] / "golden" / "probability.npz")
COMPUTED = [c for c in cases() if c in GOLDEN and not str(GOLDEN[c]).startswith("raises")]
REFUSED = [c for c in [*cases(), *refusals()] if c in GOLDEN and c not in COMPUTED]

MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["eager", "graph"])


@MODES
@pytest.mark.parametrize("case", COMPUTED)
def test_a_function_gives_what_mindspore_gives(case: str, mode: int) -> None:
    ms.set_context(mode=mode)
    ours, theirs = run(ms, case), GOLDEN[case]
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    if ours.dtype.kind != "f":
        assert (ours == theirs).all()
        return
    # MindSpore's own log_softmax is 4e-6 off on a CPU
    close = {"rtol": 4e-3, "atol": 2e-3} if "float16" in case else {"rtol": 2e-5, "atol": 5e-6}
    np.testing.assert_allclose(ours, theirs, **close)


@MODES
@pytest.mark.parametrize("case", REFUSED)
def test_what_mindspore_refuses_is_refused_with_its_type(case: str, mode: int) -> None:
    ms.set_context(mode=mode)
    with pytest.raises(getattr(builtins, str(GOLDEN[case]).split()[1])):
        run(ms, case)


# The mean and the standard deviation of 20,000 samples, by what the parameters say.
SAMPLED = {
    "msd.Normal(3.0, 2.0)": (3.0, 2.0),
    "msd.Uniform(1.0, 4.0)": (2.5, 3 / 12**0.5),
    "msd.Logistic(1.0, 2.0)": (1.0, 2 * np.pi / 3**0.5),
    "msd.Exponential(0.5)": (2.0, 2.0),
    "msd.Gamma([3.0], [2.0])": (1.5, 3**0.5 / 2),
    "msd.Beta([3.0], [1.0])": (0.75, (3 / 80) ** 0.5),
    "msd.Bernoulli(0.25)": (0.25, (3 / 16) ** 0.5),
    "msd.Geometric(0.25)": (3.0, 12**0.5),
    "msd.Poisson([4.0])": (4.0, 2.0),
    "msd.Categorical([0.25, 0.25, 0.5])": (1.25, 0.6875**0.5),
    "msd.LogNormal(0.0, 0.5)": (1.1331, 0.6039),
    "msd.Gumbel(1.0, 2.0)": (1 + 2 * np.euler_gamma, 2 * np.pi / 6**0.5),
    "msb.ScalarAffine(2.0, 1.0)(msd.Normal(0.0, 1.0))": (1.0, 2.0),
}


@pytest.mark.parametrize("case", SAMPLED)
def test_samples_have_the_mean_and_the_spread_of_the_distribution(case: str) -> None:
    ms.set_seed(3)
    samples = run(ms, f"{case}.sample((20000,))")
    mean, sd = SAMPLED[case]
    assert abs(samples.mean() - mean) < 0.05 * sd and abs(samples.std() - sd) < 0.05 * sd


@pytest.mark.parametrize("case", SAMPLED)
def test_both_modes_draw_the_same_samples(case: str) -> None:
    samples = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        ms.set_seed(3)
        samples.append(run(ms, f"{case}('sample', (50,))"))
    assert (samples[0] == samples[1]).all()


def test_samples_of_one_seed_are_the_same_in_each_run() -> None:
    samples = []
    for seed in (7, 7, 8):
        ms.set_seed(3)
        samples.append(msd.Normal(0.0, 1.0, seed=seed).sample((5,)).asnumpy())
    assert (samples[0] == samples[1]).all() and not (samples[0] == samples[2]).any()


def test_a_sample_of_half_floats_has_their_dtype() -> None:
    assert msd.Normal(0.0, 1.0, dtype=ms.float16).sample((3,)).dtype is ms.float16


class Fit(nn.Cell):
    """The density of some values under a normal distribution whose parameters are learned."""

    def __init__(self) -> None:
        super().__init__()
        self.mean = ms.Parameter(Tensor([0.0], ms.float32), name="mean")
        self.log_sd = ms.Parameter(Tensor([0.0], ms.float32), name="log_sd")
        self.normal = msd.Normal()

    def construct(self, x: Tensor) -> Tensor:
        return -self.normal.log_prob(x, self.mean, ops.exp(self.log_sd)).mean()


@MODES
def test_parameters_of_a_distribution_are_learned(mode: int) -> None:
    ms.set_context(mode=mode)
    net = Fit()
    step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 0.1))
    x = Tensor([1.0, 3.0, 5.0], ms.float32)
    for _ in range(300):
        step(x)
    np.testing.assert_allclose(net.mean.asnumpy(), [3.0], rtol=1e-3)
    np.testing.assert_allclose(np.exp(net.log_sd.asnumpy()), [(8 / 3) ** 0.5], rtol=1e-3)


@MODES
def test_a_gradient_goes_through_a_sample_into_the_parameters(mode: int) -> None:
    ms.set_context(mode=mode)
    normal = msd.Normal()

    def total(mean: Tensor, sd: Tensor) -> Tensor:
        return normal("sample", (100,), mean, sd).sum()

    ms.set_seed(3)
    grads = ms.grad(total, (0, 1))(Tensor(1.0, ms.float32), Tensor(2.0, ms.float32))
    ms.set_seed(3)
    samples = msd.Normal(0.0, 1.0).sample((100,)).asnumpy()
    np.testing.assert_allclose(grads[0].asnumpy(), 100)
    np.testing.assert_allclose(grads[1].asnumpy(), samples.sum(), rtol=1e-4)


def test_a_parameter_of_a_distribution_belongs_to_its_cell() -> None:
    normal = msd.Normal(ms.Parameter(Tensor([0.5], ms.float32), name="middle"), 1.0)
    assert [p.name for p in normal.trainable_params()] == ["middle"]


def test_what_one_function_defines_gives_its_kin() -> None:
    class Tail(msd.Distribution):
        def __init__(self) -> None:
            super().__init__(None, ms.float32, "Tail", {"param_dict": {}})

        def _log_survival(self, value: Tensor) -> Tensor:
            return -value

        def _var(self) -> Tensor:
            return Tensor(4.0)

    x, tail = Tensor([0.5, 2.0]), Tail()
    above = np.exp([-0.5, -2.0])
    np.testing.assert_allclose(tail.survival_function(x).asnumpy(), above, rtol=1e-6)
    np.testing.assert_allclose(tail.cdf(x).asnumpy(), 1 - above, rtol=1e-6)
    np.testing.assert_allclose(tail.log_cdf(x).asnumpy(), np.log(1 - above), rtol=1e-6)
    assert tail.sd() == 2.0


def test_a_distribution_shows_its_parameters() -> None:
    assert repr(msd.Normal(1.0, 2.0)) == "Normal(mean = 1.0, standard deviation = 2.0)"
    mapped = msd.TransformedDistribution(msb.Exp(), msd.Normal(1.0, 2.0))
    assert [line.strip() for line in repr(mapped).splitlines()] == [
        "TransformedDistribution(",
        "(_bijector): Exp(exp)",
        "(_distribution): Normal(mean = 1.0, standard deviation = 2.0)",
        ")",
    ]
    assert "batch_shape = (2,)" in repr(msd.Normal([1.0, 2.0], 2.0))


def test_a_map_called_with_a_distribution_is_that_of_its_values() -> None:
    output = msb.Exp()(msd.Normal(0.0, 1.0))
    assert isinstance(output, msd.TransformedDistribution) and output.bijector.name == "Exp"


@MODES
@pytest.mark.parametrize("kind", [msd.Beta, msd.Gamma])
def test_sample_shape_is_followed_by_the_broadcast_parameter_shape(mode: int, kind: type) -> None:
    ms.set_context(mode=mode)
    output = kind([3.0], [1.0], seed=1)
    wide = [Tensor([2.0]), Tensor([2.0, 2.0, 2.0])]

    class Net(ms.nn.Cell):
        def construct(self, *given: Tensor) -> tuple[Tensor, ...]:
            return output.sample((2, 3), *given), output.sample((), *given)

    assert [x.shape for x in Net()(*wide)] == [(2, 3, 3), (3,)]
    assert [x.shape for x in Net()()] == [(2, 3, 1), (1,)]
    mean = output.sample((4000,)).asnumpy().mean()
    np.testing.assert_allclose(mean, 0.75 if kind is msd.Beta else 3.0, rtol=0.1)
