"""What every op that changes a Parameter must keep, in both modes: the Parameter is a leaf, and no
way from it to an output loses a gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import minispore as ms
import minispore.graph
from minispore import Parameter, Tensor, nn, ops
from minispore.ir import runtime
from tests.ops.samples import SAMPLES, Sample, load

load()
MUTATING = [s for result in SAMPLES.values() for s in result if s.op.mutates and not s.op.dynamic]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


class Changing:
    """A sample of an op, its changing inputs as Parameters and the others as tensors."""

    def __init__(self, s: Sample) -> None:
        self.op = s.op
        self.params = {
            i: Parameter(Tensor(s.args[i]), name=f"p{i}")
            for i in s.op.mutates
            if isinstance(s.args[i], np.ndarray)
        }
        self.at = [
            i for i, a in enumerate(s.args) if isinstance(a, np.ndarray) and i not in self.params
        ]
        self.args = s.args
        self.inputs = tuple(Tensor(s.args[i]) for i in self.at)

    def run(self, *xs: Tensor) -> Any:
        """Bind the op."""
        args: list[Any] = list(self.args)
        for i, p in self.params.items():
            args[i] = p
        for i, x in zip(self.at, xs, strict=True):
            args[i] = x
        return self.op(*args)

    def weighted(self, tensors: Any) -> Tensor:
        """A sum of all float elements, each with its own factor."""
        total = Tensor(0.0)
        for k, t in enumerate(tensors if isinstance(tensors, tuple | list) else (tensors,)):
            if t.dtype.kind == "f":
                w = np.random.default_rng(k).uniform(0.5, 1.5, t.shape).astype(np.float32)
                total = total + (t.astype(ms.float32) * Tensor(w)).sum()
        return total


def weighted_output(c: Changing, *xs: Tensor) -> Any:
    return c.weighted(c.run(*xs))


def read_after(c: Changing, *xs: Tensor) -> Any:
    c.run(*xs)
    return c.weighted([p * 2 for p in c.params.values()])


def read_before_and_after(c: Changing, *xs: Tensor) -> Any:
    before = [p * 2 for p in c.params.values()]
    c.run(*xs)
    return c.weighted([a + p for a, p in zip(before, c.params.values(), strict=True)])


def read_twice(c: Changing, *xs: Tensor) -> Any:
    c.run(*xs)
    return c.weighted([p * p.value() for p in c.params.values()])


def itself(c: Changing, *xs: Tensor) -> Any:
    c.run(*xs)
    return tuple(c.params.values())


def both(c: Changing, *xs: Tensor) -> Any:
    output = c.run(*xs)
    return (*c.params.values(), *(output if isinstance(output, tuple) else (output,)))


WAYS = [weighted_output, read_after, read_before_and_after, read_twice, itself, both]


def arrays_of(tree: Any) -> list[np.ndarray]:
    if isinstance(tree, tuple | list):
        return [a for x in tree for a in arrays_of(x)]
    return [tree.asnumpy()]


def outcome(s: Sample, way: Callable[..., Any], graph: bool) -> list[np.ndarray]:
    """Outputs, gradients by all inputs and Parameters, and what the Parameters hold then."""
    c = Changing(s)

    def f(*xs: Tensor) -> Any:
        return way(c, *xs)

    weights = list(c.params.values())
    derived = ms.value_and_grad(f, tuple(range(len(c.at))) or None, weights)
    output = runtime.compiler.call(derived, c.inputs, {}) if graph else derived(*c.inputs)
    return arrays_of(output) + [p.asnumpy() for p in c.params.values()]


@pytest.mark.parametrize("way", WAYS, ids=lambda w: w.__name__)
@pytest.mark.parametrize("s", MUTATING, ids=str)
def test_a_graph_gives_the_gradients_that_pynative_gives(s: Sample, way: Any) -> None:
    for a, b in zip(outcome(s, way, False), outcome(s, way, True), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("graph", [False, True], ids=["pynative", "graph"])
@pytest.mark.parametrize("s", MUTATING, ids=str)
def test_a_parameter_that_is_an_output_has_the_gradient_one(s: Sample, graph: bool) -> None:
    n = len(Changing(s).params)
    *_, grads = np.split(np.array(outcome(s, itself, graph), object), [-2 * n])
    for g in grads[:n]:
        np.testing.assert_array_equal(g, np.ones_like(g))


@pytest.mark.parametrize("graph", [False, True], ids=["pynative", "graph"])
@pytest.mark.parametrize("s", [s for s in MUTATING if Changing(s).at], ids=str)
def test_nothing_flows_from_a_read_into_what_was_written_before(s: Sample, graph: bool) -> None:
    c = Changing(s)
    derived = ms.grad(lambda *xs: read_after(c, *xs), tuple(range(len(c.at))))
    output = runtime.compiler.call(derived, c.inputs, {}) if graph else derived(*c.inputs)
    for g in arrays_of(output):
        assert not g.any()


# -- the real MindSpore's numbers ------------------------------------------------------------------

AT = np.array([0, 2], np.int32)
WEIGHTS = Tensor([1.0, 10.0, 100.0])


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("name", ["ScatterUpdate", "ScatterMax", "ScatterMin", "ScatterNdUpdate"])
def test_a_scatter_into_a_parameter_gives_both_the_gradient(name: str, mode: int) -> None:
    ms.set_context(mode=mode)
    p = Parameter(Tensor([4.0, 2.0, 3.0]), name="p")
    op = getattr(ops, name)()
    at = Tensor(AT[:, None] if "Nd" in name else AT)
    dx, dp = ms.grad(lambda x: op(p, at, x) * WEIGHTS, 0, p)(Tensor([5.0, 2.0]))
    assert (dx.asnumpy().tolist(), dp.asnumpy().tolist()) == ([1, 100], [1, 10, 100])


def assigned(p: Parameter, x: Tensor) -> Tensor:
    ops.assign(p, x * 2)
    return p * x


def assign_result(p: Parameter, x: Tensor) -> Tensor:
    return ops.assign(p, x * 2) * x


def assign_add_result(p: Parameter, x: Tensor) -> Tensor:
    return ops.assign_add(p, x) * x


def added_in_place(p: Parameter, x: Tensor) -> Tensor:
    p[0] = x[0]
    return p * x


def read_across(p: Parameter, x: Tensor) -> Tensor:
    y = p + 0
    ops.assign(p, x)
    return y * p


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize(
    ("way", "dx", "dp"),
    [
        (assigned, [10, 12, 14], [5, 6, 7]),
        (assign_result, [10, 12, 14], [5, 6, 7]),
        (assign_add_result, [11, 14, 17], [5, 6, 7]),
        (added_in_place, [5, 2, 3], [5, 6, 7]),
        (read_across, [0, 0, 0], [6, 8, 10]),
    ],
)
def test_a_parameter_stays_a_leaf_whatever_is_assigned(
    way: Any, dx: list[int], dp: list[int], mode: int
) -> None:
    ms.set_context(mode=mode)
    p = Parameter(Tensor([1.0, 2.0, 3.0]), name="p")
    by_x, by_p = ms.grad(lambda x: way(p, x), 0, p)(Tensor([5.0, 6.0, 7.0]))
    assert (by_x.asnumpy().tolist(), by_p.asnumpy().tolist()) == (dx, dp)


def test_what_an_op_gave_before_is_a_constant_for_a_later_gradient() -> None:
    p = Parameter(Tensor([1.0]), name="p")
    y = ops.assign_add(p, Tensor([2.0]))
    assert ms.grad(lambda x: y * x, None, p)(Tensor([5.0])).asnumpy().tolist() == [0]


def test_an_op_result_as_an_array_is_unchanged_by_later_updates() -> None:
    p = Parameter(Tensor([1.0]), name="p")
    output = ops.assign_add(p, Tensor([2.0])).asnumpy()
    ops.assign_add(p, Tensor([2.0]))
    assert (output.tolist(), p.asnumpy().tolist()) == ([3], [5])


def test_what_an_op_gave_is_no_name_of_the_parameter_for_another_op() -> None:
    p = Parameter(Tensor([1.0]), name="p")
    y = ops.assign_add(p, Tensor([2.0]))
    ops.assign_add(y, Tensor([5.0]))
    assert (p.asnumpy().tolist(), y.asnumpy().tolist()) == ([3], [8])


class Holder(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.w = Parameter(Tensor([1.0, 2.0]), name="w")

    def construct(self, x: Tensor) -> Any:
        return self.w, [x * 2, self.w]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_parameter_that_a_network_returns_is_the_parameter(mode: int) -> None:
    ms.set_context(mode=mode)
    net = Holder()
    first, (doubled, second) = net(Tensor([3.0]))
    assert first is net.w and second is net.w and doubled.asnumpy().tolist() == [6]


def _without_rates(s: Sample) -> list[int]:
    """The inputs that hold as many numbers as the variable has, or rows of it: values, no rates."""
    return [
        i
        for i, a in enumerate(s.args)
        if isinstance(a, np.ndarray) and a.dtype == np.float32 and i not in s.op.mutates
        if a.size > 1
    ]


# FusedAdaFactor takes gradients of any float, as MindSpore's.
OF_ONE_DTYPE = [s for s in MUTATING if not s.op.name.startswith("FusedAdaFactor")]


@pytest.mark.parametrize("sample", OF_ONE_DTYPE, ids=str)
def test_a_variable_takes_no_value_of_a_wider_dtype(sample: Sample) -> None:
    for i in _without_rates(sample):
        args = list(sample.args)
        args[i] = args[i].astype(np.float64)
        variables = [
            Parameter(Tensor(args[k]), name=f"p{k}") if isinstance(args[k], np.ndarray) else args[k]
            for k in sample.op.mutates
        ]
        for k, p in zip(sample.op.mutates, variables, strict=True):
            args[k] = p
        tensors = [Tensor(a) if isinstance(a, np.ndarray) else a for a in args]
        with pytest.raises(TypeError, match="dtype"):
            sample.op(*tensors)


@pytest.mark.parametrize("op", [ops.assign, ops.assign_add, ops.assign_sub])
@pytest.mark.parametrize(("dtype", "number"), [(ms.int32, 1.5), (ms.float32, 1j), (ms.bool_, 2)])
def test_a_variable_takes_no_number_of_a_higher_kind(op: Any, dtype: Any, number: Any) -> None:
    p = Parameter(Tensor([1], dtype), name="p")
    with pytest.raises(TypeError, match="must fit into the variable"):
        op(p, number)
    assert p.asnumpy() == [1]
