"""Windows of pooling that reach beyond the input."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops

SIZE = 3
MOST = {1: ops.max_pool2d, 2: ops.max_pool2d, 3: ops.max_pool3d}
MEAN = {1: ops.avg_pool1d, 2: ops.avg_pool2d, 3: ops.avg_pool3d}


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("pad", [0, 1])
def test_ceil_mode_pools_the_whole_input_in_an_oversized_window(
    mode: int, axes: int, pad: int
) -> None:
    ms.set_context(mode=mode)
    x = np.random.default_rng(0).standard_normal((2, 2) + (SIZE,) * axes).astype(np.float32)
    whole = tuple(range(2, 2 + axes))
    how = {"kernel_size": SIZE + 2 * pad + 1, "stride": 4, "padding": pad, "ceil_mode": True}
    mean = MEAN[axes](Tensor(x), **how, count_include_pad=False)
    assert np.allclose(mean.asnumpy(), x.mean(whole, keepdims=True), atol=1e-6)
    padded = MEAN[axes](Tensor(x), **how, count_include_pad=True).asnumpy()
    share = (SIZE / (SIZE + 2 * pad)) ** axes  # the padding counts, what lies beyond it does not
    assert np.allclose(padded, share * x.mean(whole, keepdims=True), atol=1e-6)
    by_x = ms.grad(lambda x: MEAN[axes](x, **how, count_include_pad=False))(Tensor(x)).asnumpy()
    assert np.allclose(by_x, 1 / SIZE**axes)
    if axes > 1:
        most = MOST[axes](Tensor(x), **how)
        assert np.array_equal(most.asnumpy(), x.max(whole, keepdims=True))
        by_x = ms.grad(lambda x: MOST[axes](x, **how))(Tensor(x)).asnumpy()
        assert np.array_equal(by_x, x == x.max(whole, keepdims=True))


def test_where_no_window_begins_it_is_refused() -> None:
    x = Tensor(np.ones((1, 1, SIZE, SIZE), np.float32))
    for layer in (nn.MaxPool2d, nn.AvgPool2d):
        for how in (
            {"kernel_size": 4, "stride": 1, "pad_mode": "pad", "ceil_mode": True},
            {"kernel_size": 6, "stride": 3, "pad_mode": "pad", "ceil_mode": True},
            {"kernel_size": 4, "stride": 2, "pad_mode": "pad"},
        ):
            with pytest.raises((ValueError, RuntimeError), match="kernel_size must fit into the"):
                layer(**how)(x)
