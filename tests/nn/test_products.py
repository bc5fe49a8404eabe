"""nn.Jvp, nn.Vjp and ops.linearize: forms and values of the real MindSpore."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops

X, Y, V = Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), Tensor([1.0, 1.0])
MODES = [ms.PYNATIVE_MODE, ms.GRAPH_MODE]


class Cube(nn.Cell):
    def construct(self, x):
        return x**3


class Two(nn.Cell):
    def construct(self, x, y):
        return 2 * x + y, y**3


def lists(actual):
    return [lists(m) for m in actual] if isinstance(actual, tuple) else actual.asnumpy().tolist()


@pytest.mark.parametrize("mode", MODES)
def test_one_input_and_output_give_tensors(mode):
    ms.set_context(mode=mode)
    assert lists(nn.Jvp(Cube())(X, V)) == [[1, 8], [3, 12]]
    assert lists(nn.Vjp(Cube())(X, V)) == [[1, 8], [3, 12]]


@pytest.mark.parametrize("mode", MODES)
def test_several_give_tuples(mode):
    ms.set_context(mode=mode)
    out = [[5, 8], [27, 64]]
    assert lists(nn.Jvp(Two())(X, Y, (V, V))) == [out, [[3, 3], [27, 48]]]
    assert lists(nn.Vjp(Two())(X, Y, (V, V))) == [out, [[2, 2], [28, 49]]]


class OfPair(nn.Cell):
    def construct(self, pair):
        return pair[0] * pair[1]


@pytest.mark.parametrize("mode", MODES)
def test_a_tuple_is_one_input(mode):
    ms.set_context(mode=mode)
    assert lists(nn.Jvp(OfPair())((X, Y), (V, V))) == [[3, 8], [4, 6]]
    assert lists(nn.Vjp(OfPair())((X, Y), V)) == [[3, 8], [[3, 4], [1, 2]]]
    for product, v in ((nn.Jvp, (V, V)), (nn.Vjp, V)):
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
            product(Two())((X, Y), v)


@pytest.mark.parametrize("kind", [nn.Jvp, nn.Vjp])
def test_a_direction_of_another_form_is_refused(kind):
    with pytest.raises(TypeError, match=r"v must be a Tensor, as the (in|out)put is, got tuple"):
        kind(Cube())(X, (V, V))
    with pytest.raises(TypeError, match=r"v must be a tuple, as the (in|out)put is, got Tensor"):
        kind(Two())(X, Y, V)


def test_linearize_runs_the_function_once():
    calls = []

    def fn(x, y):
        calls.append(1)
        return x * y, x + y

    out, along = ops.linearize(fn, (X, Y))
    for v in ((V, V), (2 * V, -V)):
        np.testing.assert_allclose(lists(along(v)), lists(ops.jvp(fn, (X, Y), v)[1]))
    assert lists(out) == [[3, 8], [4, 6]] and len(calls) == 3  # two of them by jvp
