"""Draws with seeds: what repeats in MindSpore 2.10 (PYNATIVE, CPU) repeats here, in both modes.

A history is eleven draws: two of an object made under ``set_seed(1)`` and two of its twin; after
``set_seed(2)`` one of the first and two of a new one; after ``set_seed(1)`` again two of the first
and two of a new one. Equal letters are equal draws. Of a function all "objects" are its calls.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops
from minispore.core.primitive import Effect
from minispore.execution import random
from minispore.ir.registry import registry
from tests.ops.internal_ops import INTERNAL
from tests.ops.samples import load

load()  # all rooms of ops are open then

OWN = "ababcabdeab"  # the object's own stream, begun by its seeds alone
SAME = "aaaaaaaaaaa"  # each call draws the same
SHARED = "abcdefgabcd"  # one stream for all who name the seed; set_seed begins it

WEIGHTS = Tensor(np.ones(50, np.float32))
LOGITS = Tensor(np.zeros((2, 50), np.float32))
LABELS = Tensor(np.array([[1], [3]], np.int64))
PLACES = Tensor(np.ones((30, 3), np.bool_))
HALF, ONE, MANY = (Tensor(np.array([v], np.float32)) for v in (0.5, 1.0, 50.0))
ROWS = Tensor(np.arange(50))
IMAGE, RATIO = Tensor(np.ones((1, 37, 39, 1), np.float32)), (1.0, 1.4, 1.6, 1.0)
SIZE, BOX = Tensor([1000, 1000, 3]), Tensor([[[0.2, 0.2, 0.7, 0.7]]])

Draw = Callable[[], Any]
# What makes an object of two seeds, and what draws from it.
OBJECTS: dict[str, tuple[Callable[[int, int], Any], Callable[[Any], Any], str]] = {
    "UniformReal": (ops.UniformReal, lambda op: op((20,)), OWN),
    "StandardNormal": (ops.StandardNormal, lambda op: op((20,)), OWN),
    "StandardLaplace": (ops.StandardLaplace, lambda op: op((20,)), OWN),
    "UniformInt": (
        ops.UniformInt,
        lambda op: op((20,), Tensor(0, ms.int32), Tensor(1000, ms.int32)),
        OWN,
    ),
    "TruncatedNormal": (
        lambda a, b: ops.TruncatedNormal(ms.float32, a, b),
        lambda op: op((4, 5)),
        OWN,
    ),
    "ParameterizedTruncatedNormal": (
        ops.ParameterizedTruncatedNormal,
        lambda op: op((2, 9), ONE, ONE, ONE, MANY),
        OWN,
    ),
    "Gamma": (ops.Gamma, lambda op: op((20,), ONE, ONE), OWN),
    "RandomGamma": (ops.RandomGamma, lambda op: op((20,), ONE), OWN),
    "Poisson": (ops.Poisson, lambda op: op((20,), MANY), OWN),
    "RandomPoisson": (ops.RandomPoisson, lambda op: op((20,), MANY), OWN),
    "Bernoulli": (ops.Bernoulli, lambda op: op(WEIGHTS, HALF), SAME),
    "Multinomial": (ops.Multinomial, lambda op: op(WEIGHTS, 20), OWN),
    "MultinomialWithReplacement": (
        lambda a, b: (ops.MultinomialWithReplacement(20, True), a, b),
        lambda made: made[0](WEIGHTS, made[1], made[2]),
        OWN,
    ),
    "RandomCategorical": (
        lambda a, b: (ops.RandomCategorical(ms.int64), a),
        lambda made: made[0](LOGITS, 20, made[1]),
        OWN,
    ),
    "RandomShuffle": (ops.RandomShuffle, lambda op: op(ROWS), OWN),
    "FractionalAvgPool": (
        lambda a, b: ops.FractionalAvgPool(RATIO, False, False, a + b > 0, a, b),
        lambda op: op(IMAGE)[1],
        SAME,
    ),
    "FractionalMaxPool": (
        lambda a, b: ops.FractionalMaxPool(RATIO, False, False, a + b > 0, a, b),
        lambda op: op(IMAGE)[1],
        SAME,
    ),
    "SampleDistortedBoundingBoxV2": (
        ops.SampleDistortedBoundingBoxV2,
        lambda op: op(SIZE, BOX, HALF / 5)[0],
        SAME,
    ),
    "RandpermV2": (ops.RandpermV2, lambda op: op(50), SAME),
    "RandomChoiceWithMask": (
        lambda a, b: ops.RandomChoiceWithMask(20, a, b),
        lambda op: op(PLACES)[0],
        OWN,
    ),
    "UniformCandidateSampler": (
        lambda a, b: ops.UniformCandidateSampler(1, 20, False, 1000, a),
        lambda op: op(LABELS)[0],
        OWN,
    ),
    "LogUniformCandidateSampler": (
        lambda a, b: ops.LogUniformCandidateSampler(1, 20, True, 1000, a),
        lambda op: op(LABELS)[0],
        OWN,
    ),
    "Dropout": (lambda a, b: ops.Dropout(0.5, a, b), lambda op: op(WEIGHTS)[0], OWN),
    "DropoutGenMask": (ops.DropoutGenMask, lambda op: op((160,), 0.5), OWN),
}
# Take no seeds: all they draw comes from the stream that set_seed begins.
SEEDLESS = {
    "Cauchy",
    "Dropout2D",
    "Dropout3D",
    "ExtractGlimpse",
    "LogNormalReverse",
    "NonDeterministicInts",
    "Randperm",
}
FUNCTIONS: dict[str, tuple[Callable[[int], Any], str]] = {
    "rand": (lambda s: ops.rand(20, seed=s), SHARED),
    "rand_like": (lambda s: ops.rand_like(WEIGHTS, seed=s), SHARED),
    "randn": (lambda s: ops.randn(20, seed=s), SHARED),
    "randn_like": (lambda s: ops.randn_like(WEIGHTS, seed=s), SHARED),
    "randint": (lambda s: ops.randint(0, 1000, (20,), seed=s), SHARED),
    "standard_normal": (lambda s: ops.standard_normal((20,), seed=s), SHARED),
    "standard_laplace": (lambda s: ops.standard_laplace((20,), seed=s), SHARED),
    "normal": (lambda s: ops.normal((20,), Tensor(0.0), Tensor(1.0), seed=s), SHARED),
    "laplace": (lambda s: ops.laplace((20,), Tensor(0.0), Tensor(1.0), seed=s), SHARED),
    "uniform": (lambda s: ops.uniform((20,), Tensor(0.0), Tensor(1.0), seed=s), SHARED),
    "random_gamma": (lambda s: ops.random_gamma((20,), ONE, seed=s), SHARED),
    "random_poisson": (lambda s: ops.random_poisson((20,), MANY, seed=s), SHARED),
    "bernoulli": (lambda s: ops.bernoulli(WEIGHTS, 0.5, s), SAME),
    "multinomial": (lambda s: ops.multinomial(WEIGHTS, 20, True, s), SHARED),
    "multinomial without replacement": (
        lambda s: ops.multinomial(WEIGHTS, 20, False, s),
        SHARED,
    ),
    "multinomial_with_replacement": (
        lambda s: ops.multinomial_with_replacement(WEIGHTS, s, 0, 20, True),
        SAME,
    ),
    "random_categorical": (lambda s: ops.random_categorical(LOGITS, 20, s), SAME),
    "shuffle": (lambda s: ops.shuffle(ROWS, s), SHARED),
    "randperm": (lambda s: ops.randperm(50, seed=s), SAME),
    "choice_with_mask": (lambda s: ops.choice_with_mask(PLACES, 20, s)[0], SHARED),
    "uniform_candidate_sampler": (
        lambda s: ops.uniform_candidate_sampler(LABELS, 1, 20, False, 1000, s)[0],
        SAME,
    ),
    "log_uniform_candidate_sampler": (
        lambda s: ops.log_uniform_candidate_sampler(LABELS, 1, 20, True, 1000, s)[0],
        SAME,
    ),
    "dropout": (lambda s: ops.dropout(WEIGHTS, 0.5, True, s), SHARED),
}


class Drawing(nn.Cell):
    """Draws of what it was given."""

    def __init__(self, made: Any, draw: Callable[[Any], Any]) -> None:
        super().__init__()
        self.made, self.draw = made, draw

    def construct(self) -> Any:
        return self.draw(self.made)


class Making(nn.Cell):
    """Makes what it draws of, at each call."""

    def __init__(self, make: Callable[[], Any], draw: Callable[[Any], Any]) -> None:
        super().__init__()
        self.make, self.draw = make, draw

    def construct(self) -> Any:
        output = self.make()
        return self.draw(output), self.draw(output)


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def either_mode(request: pytest.FixtureRequest) -> Iterator[None]:
    before = random.get_state()
    ms.set_context(mode=request.param)
    yield
    random.set_state(before)


def letters(draws: list[Any]) -> str:
    """``draws`` by letters, equal ones by equal letters."""
    seen: dict[Any, str] = {}
    return "".join(
        seen.setdefault(tuple(d.asnumpy().ravel().tolist()), chr(97 + len(seen))) for d in draws
    )


def history(new: Callable[[], Draw]) -> str:
    """The eleven draws that the module's text tells of."""
    ms.set_seed(1)
    first, twin = new(), new()
    draws = [first(), first(), twin(), twin()]
    ms.set_seed(2)
    draws.append(first())
    later = new()
    draws += [later(), later()]
    ms.set_seed(1)
    draws += [first(), first()]
    last = new()
    return letters([*draws, last(), last()])


def test_every_random_op_has_a_seed_history() -> None:
    drawing = {n for n, op in registry.items() if op.effect is Effect.RANDOM} - INTERNAL
    assert drawing - SEEDLESS == set(OBJECTS)


@pytest.mark.parametrize("seeds", [(3, 0), (3, 5)], ids=str)
@pytest.mark.parametrize("name", sorted(OBJECTS))
def test_objects_with_seeds_repeat_as_the_real_ones(
    name: str, seeds: tuple[int, int], either_mode: None
) -> None:
    make, draw, expected = OBJECTS[name]
    assert history(lambda: Drawing(make(*seeds), draw)) == expected


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_with_a_seed_repeat_as_the_real_ones(name: str, either_mode: None) -> None:
    draw, expected = FUNCTIONS[name]
    assert history(lambda: Drawing(3, draw)) == expected


@pytest.mark.parametrize("name", ["RandpermV2", "LogUniformCandidateSampler", "Bernoulli"])
def test_to_some_ops_0_is_a_seed_like_any_other(name: str, either_mode: None) -> None:
    make, draw, expected = OBJECTS[name]
    assert history(lambda: Drawing(make(0, 0), draw)) == expected


@pytest.mark.parametrize(
    "name", sorted(OBJECTS.keys() - {"RandpermV2", "LogUniformCandidateSampler", "Bernoulli"})
)
def test_an_object_without_seeds_draws_from_the_stream_that_set_seed_begins(
    name: str, either_mode: None
) -> None:
    make, draw, _ = OBJECTS[name]
    assert history(lambda: Drawing(make(0, 0), draw)) == SHARED


@pytest.mark.parametrize("name", sorted(n for n in OBJECTS if OBJECTS[n][2] == OWN))
def test_an_op_created_in_construct_restarts_its_stream_at_each_call(
    name: str, either_mode: None
) -> None:
    make, draw, _ = OBJECTS[name]
    net = Making(lambda: make(3, 5), draw)
    assert letters([*net(), *net(), *Making(lambda: make(3, 5), draw)()]) == "ababab"


def test_an_object_has_one_stream_for_each_seed_of_its_calls(either_mode: None) -> None:
    net = Drawing(
        ops.RandomCategorical(ms.int64), lambda op: (op(LOGITS, 20, 5), op(LOGITS, 20, 7))
    )
    assert letters([*net(), *net()]) == "abcd"
    other = Drawing(ops.RandomCategorical(ms.int64), lambda op: op(LOGITS, 20, 7))
    assert letters([net.made(LOGITS, 20, 7), other(), other(), other()]) == "abca"


def test_multinomial_restarts_its_stream_when_the_seeds_change(either_mode: None) -> None:
    draw = ops.MultinomialWithReplacement(20, True)
    outputs = [Drawing(seed, lambda s: draw(WEIGHTS, s, 0))() for seed in (5, 5, 7, 7, 5)]
    assert letters(outputs) == "abcda"


def test_a_copy_of_an_op_begins_where_the_op_began() -> None:
    op = ops.UniformReal(3, 5)
    first = op((20,))
    assert letters([first, copy.deepcopy(op)((20,)), op((20,))]) == "aab"


def test_ops_with_seeds_are_equal_to_none_but_themselves() -> None:
    op, twin = ops.UniformReal(3), ops.UniformReal(3)
    assert op != twin
    assert op in [op]
    assert ops.UniformReal() == ops.UniformReal()


def test_positions_hold_the_streams_of_objects_too() -> None:
    op = ops.UniformReal(3, 5)
    op((20,))
    saved = random.get_json_state()
    second = op((20,))
    random.set_json_state(saved)
    assert letters([second, op((20,))]) == "aa"


def test_a_graph_that_takes_another_branch_draws_no_number_of_an_object_twice() -> None:
    op = ops.UniformReal(3, 5)

    @ms.jit
    def net(x: Tensor) -> Tensor:
        output = op((20,))
        return output + 1 if x > 0 else output - 1

    went = [net(Tensor(1.0)) - 1, net(Tensor(-1.0)) + 1, net(Tensor(-1.0)) + 1]
    plain = ops.UniformReal(3, 5)
    assert [np.allclose(a.asnumpy(), plain((20,)).asnumpy(), atol=1e-6) for a in went] == [True] * 3


def test_seeds_of_a_choice_with_mask_may_be_negative() -> None:
    mask = Tensor(np.ones(99, np.bool_))
    draws = [ops.RandomChoiceWithMask(9, 1, -1024)(mask)[0].asnumpy() for _ in range(2)]
    np.testing.assert_array_equal(*draws)
