"""Derivatives that are ops of their own: the numbers of MindSpore 2.10's kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from minispore import Tensor
from minispore.ops.operations import _grad_ops as G

RNG = np.random.RandomState


def random_tensors(*shapes: tuple[int, ...]) -> list[Tensor]:
    """Tensors of one stream of uniform numbers from -2 to 2."""
    rng = RNG(0)
    return [Tensor(rng.uniform(-2, 2, shape).astype(np.float32)) for shape in shapes]


PLACES = Tensor([[[[0, 2], [8, 10]]]])
DY, X = (1, 1, 2, 2), (1, 1, 4, 4)


@pytest.mark.parametrize(
    ("op", "shapes", "rest", "expected"),
    [
        (G.EluGrad(), [(4,), (4,)], (), [0.1356, 0.8608, 0.3084, 0.1795]),
        (G.GluGrad(0), [(2,), (4,)], (), [0.0828, 0.5525, 0.0196, 0.0355]),
        (G.AdaptiveMaxPool2DGrad(), [DY, X], (PLACES,), [0.1953, 0, 0.8608, 0, 0, 0, 0, 0]),
        (G.MaxPoolGradWithArgmax(2, 2), [X, DY], (PLACES,), [-1.9191, 0, 1.3305, 0, 0, 0, 0, 0]),
        (G.MaxPoolGradWithArgmaxV2(2, 2), [X, DY], (PLACES,), [-1.9191, 0, 1.3305, 0, 0, 0, 0, 0]),
        (
            G.AffineGridGrad(),
            [(1, 2, 2, 2)],
            ((1, 1, 2, 2),),
            [0.1358, -0.5807, 0.0513, 0.1511, 0.5552, 3.191],
        ),
        (
            G.Conv2DBackpropFilter(2, 2),
            [(1, 2, 2, 2), (1, 1, 3, 3)],
            ((2, 1, 2, 2),),
            [0.0572, 1.3309, -0.745, 0.4951, -0.4408, 3.4232, -2.0361, -1.6848],
        ),
    ],
)
def test_a_gradient_op_computes_what_mindspores_does(
    op: Any, shapes: list[tuple[int, ...]], rest: tuple[Any, ...], expected: list[float]
) -> None:
    got = op(*random_tensors(*shapes), *rest).asnumpy().ravel()[: len(expected)]
    np.testing.assert_allclose(got, expected, atol=6e-5)


def test_a_filter_of_a_deformable_convolution_may_have_its_channels_last() -> None:
    dout, x = random_tensors((1, 2, 4, 4), (1, 2, 3, 3))
    offsets = Tensor(RNG(1).uniform(0.1, 0.9, (1, 12, 2, 2)).astype(np.float32))
    window = ((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))
    first = G.DeformableOffsetsGrad(*window)(dout, x, offsets)
    inputs = [t.transpose(0, 2, 3, 1) for t in (dout, x, offsets)]
    last = G.DeformableOffsetsGrad(*window, data_format="NHWC")(*inputs)
    for a, b in zip(first, last, strict=True):
        np.testing.assert_array_equal(a.transpose(0, 2, 3, 1).asnumpy(), b.asnumpy())


def test_a_deformable_convolution_has_the_windows_that_it_has_offsets_for() -> None:
    x, offsets = Tensor(np.ones((1, 2, 4, 4), np.float32)), np.full((1, 27, 1, 1), 0.1, np.float32)
    op = G.DeformableOffsetsGrad((1, 1, 1, 1), (0, 0, 0, 0), (3, 3))
    dx, doffsets = op(Tensor(np.ones((1, 2, 3, 3), np.float32)), x, Tensor(offsets))
    assert dx.asnumpy()[0, 0, 0] == pytest.approx([0.081, 0.09, 0.09, 0.009], abs=1e-6)
    assert doffsets.asnumpy().ravel() == pytest.approx([0] * 18 + [2] * 9, abs=1e-6)
