"""Methods that change a tensor in place."""

from __future__ import annotations

import numpy as np
import pytest

from minispore import Tensor
from minispore.core import dtype as mstype


def test_an_inplace_method_returns_the_tensor_itself() -> None:
    t = Tensor([1.0, 2.0])
    assert t.add_(1, alpha=3) is t
    np.testing.assert_array_equal(t.asnumpy(), [4, 5])


def test_an_inplace_method_keeps_the_dtype() -> None:
    t = Tensor([1, 2])
    t.mul_(2.5)
    assert t.dtype is mstype.int64
    np.testing.assert_array_equal(t.asnumpy(), [2, 5])


def test_an_inplace_method_refuses_another_shape() -> None:
    with pytest.raises(ValueError, match="must keep the shape"):
        Tensor([1.0]).add_(Tensor([1.0, 2.0]))


@pytest.mark.parametrize("draw", ["uniform_", "normal_", "exponential_", "bernoulli_"])
def test_an_inplace_draw_fills_the_tensor(draw: str) -> None:
    t = Tensor(np.full(50, 7, np.float32))
    getattr(t, draw)()
    assert np.isfinite(t.asnumpy()).all() and (t.asnumpy() != 7).all()


def test_random_integers_fit_the_dtype() -> None:
    t = Tensor(np.zeros(99, np.int8))
    t.random_()
    assert t.asnumpy().min() >= 0 and len(set(t.tolist())) > 5
