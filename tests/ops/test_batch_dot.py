"""batch_dot: products of two batches, sample by sample."""

from __future__ import annotations

import numpy as np
import pytest

from minispore import Tensor, ops


def _counting(*shape):
    return Tensor((np.arange(np.prod(shape)) % 7 - 2).reshape(shape).astype(np.float32))


@pytest.mark.parametrize(
    ("shape1", "shape2", "axes", "shape", "first"),  # from MindSpore 2.10
    [
        ((2, 3), (2, 3), None, (2, 1), [5.0, 14.0]),
        ((2, 2, 3), (2, 3, 2), None, (2, 2, 2), [4.0, 1.0, 4.0]),
        ((2, 2, 3), (2, 3), None, (2, 2), [5.0, -4.0, -3.0]),
        ((2, 3), (2, 3, 4), None, (2, 4), [2.0, -1.0, -4.0]),
        ((2, 3, 4, 5), (2, 5), (3, 1), (2, 3, 4), [10.0, -11.0, -4.0]),
        ((2, 3, 4, 5), (2, 4, 6), (-2, -2), (2, 3, 5, 6), [17.0, -3.0, -9.0]),
        ((2, 2, 2), (2, 2), 1, (2, 2), [4.0, 1.0, 4.0]),
        ((2, 3, 4), (2, 5, 4, 3), None, (2, 3, 5, 3), [3.0, 1.0, -1.0]),
        ((2, 3, 4), (2, 5, 4, 3), [1, -1], (2, 4, 5, 4), [2.0, -1.0, -11.0]),
    ],
)
def test_batch_dot_sums_along_an_axis_of_each_sample(shape1, shape2, axes, shape, first):
    output = ops.batch_dot(_counting(*shape1), _counting(*shape2), axes)
    assert output.shape == shape
    assert output.asnumpy().ravel()[: len(first)].tolist() == first


@pytest.mark.parametrize(
    ("shape1", "shape2", "axes", "error"),
    [
        ((2, 2, 3), (3, 3, 4), None, ValueError),
        ((2, 2, 3), (2, 4, 4), None, ValueError),
        ((2, 2, 3), (2, 3, 4), (0, 1), ValueError),
        ((2, 2, 3), (2, 3, 4), (5, 1), ValueError),
        ((2, 2, 3), (2, 3, 4), (1,), ValueError),
        ((2, 2, 3), (2, 3, 4), "a", ValueError),
        ((2, 3), (2, 3), True, TypeError),
        ((2,), (2,), None, ValueError),
    ],
)
def test_batch_dot_refuses_what_has_no_such_axis(shape1, shape2, axes, error):
    with pytest.raises(error, match="batch_dot"):
        ops.batch_dot(_counting(*shape1), _counting(*shape2), axes)


def test_batch_dot_is_one_of_float32():
    with pytest.raises(TypeError, match="float32"):
        ops.batch_dot(Tensor([[1, 2]]), Tensor([[1, 2]]))
