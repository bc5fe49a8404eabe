"""A number beside a tensor of half floats is one of them."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops

H = np.float16
X = np.array([2.875, -0.25], H)


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


class _Net(nn.Cell):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def construct(self, x):
        return self.function(x)


@pytest.mark.parametrize(
    ("function", "expected"),
    [  # what MindSpore gives, in both of its modes
        (lambda x: x * 0.1, [0.287353515625, -0.024993896484375]),
        (lambda x: x / 1e5, [0.0, -0.0]),
        (lambda x: x * 1e5, [np.inf, -np.inf]),
        (lambda x: x * 2049, [5888.0, -512.0]),
        (lambda x: ops.pow(x, 2.1), [9.1796875, np.nan]),
        (lambda x: x / 1e-8, [np.inf, -np.inf]),
        (lambda x: (x - x) * -1e9, [np.nan, np.nan]),
        (lambda x: ops.lerp(x, x + 1, 0.1), [2.974609375, -0.1500244140625]),  # an attribute there
        (lambda x: ops.exp2(x), [7.3359375, 0.8408203125]),
        (lambda x: ops.log10(x), [0.45849609375, np.nan]),
    ],
)
def test_a_number_is_rounded_to_a_half_before_it_counts(mode, function, expected):
    np.testing.assert_array_equal(_Net(function)(Tensor(X)).asnumpy(), np.array(expected, H))


@pytest.mark.parametrize("kind", [ms.float16, ms.bfloat16])
def test_deviations_of_half_floats_are_rounded_once(kind):
    x = Tensor(np.random.default_rng(0).uniform(0, 9, 100_001)).astype(kind)
    wide = x.astype(ms.float32)
    for output, exact in zip(ops.var_mean(x), ops.var_mean(wide), strict=True):
        assert output == exact.astype(kind)
    for function in (ops.var, ops.std):
        assert function(x).dtype == kind
        assert function(x) == function(wide).astype(kind)


def test_a_derivative_computes_with_its_numbers_as_they_are():
    x = Tensor(np.ones(100_000, H))
    assert ms.grad(lambda x: ops.mse_loss(x, x * 0))(x)[0].asnumpy() == H(2e-5)
    assert ms.grad(lambda x: x.mean())(x)[0].asnumpy() == H(1e-5)


class _Written(nn.Cell):
    def construct(self, x):
        return x * 1

    def bprop(self, x, out, dout):
        return (dout * 0.1,)


class _Hooked(nn.Cell):
    def __init__(self):
        super().__init__()
        self.register_backward_hook(lambda cell, given, made: (given[0] * 0.1,))

    def construct(self, x):
        return x * 1


_OWN_OP = ops.Custom(
    lambda x: x, lambda x: x, lambda x: x, "pyfunc", lambda x, out, dout: (dout * 0.1,)
)


@pytest.mark.parametrize(
    "taken",
    [
        lambda: _Written(),
        lambda: _Hooked(),
        lambda: ops.HookBackward(lambda given: (given[0] * 0.1,)),
        lambda: ops.InsertGradientOf(lambda given: given * 0.1),
        lambda: _OWN_OP,
    ],
)
def test_a_derivative_that_the_user_wrote_computes_as_all_that_users_write(mode, taken):
    x, w = [Tensor(np.random.default_rng(i).uniform(-3, 3, 300).astype(H)) for i in (0, 1)]
    taken = taken()
    gradient = ms.grad(lambda x: (taken(x) * w).sum())(x)
    np.testing.assert_array_equal(gradient.asnumpy(), (w * 0.1).asnumpy())
