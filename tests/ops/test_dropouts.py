"""Dropouts: what they look at, which is less where they drop nothing."""

from __future__ import annotations

import numpy as np
import pytest

from minispore import Tensor, mint, nn, ops


def test_a_dropout_that_drops_nothing_does_not_look_at_p() -> None:
    x, image = Tensor([[1.0, 2.0]]), Tensor(np.ones((1, 1, 2, 2), np.float32))
    for p in (2.0, -1.0, "any", None):
        assert ops.dropout(x, p, training=False) is x
        assert ops.dropout2d(image, p, training=False) is image
        assert ops.dropout3d(image, p, training=False) is image
    assert ops.dropout1d(image, 0.5, training=False) is image
    assert mint.nn.Dropout(2.0)(x) is x
    attention = nn.MultiheadAttention(2, 1, dropout=2.0)
    query = Tensor(np.ones((2, 1, 2), np.float32))
    assert attention(query, query, query)[0].shape == (2, 1, 2)
    for ask in (
        lambda: ops.dropout(x, 2.0),
        lambda: ops.dropout1d(x, 2.0, training=False),
        lambda: mint.nn.functional.dropout2d(image, 2.0, False),
        lambda: attention.set_train()(query, query, query),
    ):
        with pytest.raises(ValueError, match="p must be"):
            ask()


@pytest.mark.parametrize("kind", ["dropout", "dropout1d", "dropout2d", "dropout3d"])
@pytest.mark.parametrize("training", [1, 0, None, "yes"])
def test_whether_a_dropout_trains_is_a_bool(kind: str, training: object) -> None:
    with pytest.raises(TypeError, match="training must be a bool"):
        getattr(ops, kind)(Tensor(np.ones((1, 2, 2), np.float32)), 0.5, training)
