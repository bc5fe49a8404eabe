"""A graph meets its inputs as they lie in memory, so that it sums them in the order of PYNATIVE."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, jit, ops
from minispore.execution import layout
from minispore.ir.value import Spec

VIEWS = {
    "swapped": lambda t: t.swapaxes(-1, -2),
    "transposed": lambda t: t.transpose(2, 0, 3, 1),
    "with gaps": lambda t: t[:, ::2],
    "with gaps inside": lambda t: t[..., ::2],
    "reversed": lambda t: t[:, :, ::-1, ::-1],
    "a column": lambda t: t[:, 1:3, :, 1].swapaxes(0, 1),
    "cut": lambda t: t[1:, :, 1:],
}
SUMS = {
    "mean": lambda x: x.mean(),
    "std": lambda x: ops.std(x),
    "exp": lambda x: (ops.exp(x) * x).sum(),
    "product": lambda x: ops.matmul(x, x.swapaxes(-1, -2)).sum(0),
}


@pytest.mark.parametrize("total", SUMS.values(), ids=SUMS)
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_a_view_gives_the_same_bits_in_both_modes(view, total):
    for seed in range(8):
        values = np.random.default_rng(seed).standard_normal((4, 6, 5, 8), np.float32)
        once, graph = total(view(Tensor(values))), jit(total)(view(Tensor(values)))
        assert once.asnumpy().tobytes() == graph.asnumpy().tobytes()
        slope = ms.grad(lambda x: (total(x) * total(x)).sum())
        once, graph = slope(view(Tensor(values))), jit(slope)(view(Tensor(values)))
        assert once.asnumpy().tobytes() == graph.asnumpy().tobytes()


def test_views_with_equal_strides_share_a_graph():
    compiler = ms.ir.runtime.compiler
    double = jit(lambda x: x * 2)
    tensor = Tensor(np.arange(24.0, dtype=np.float32).reshape(2, 3, 4))
    double(tensor[:, 0])
    start = compiler.compiles
    double(tensor[:, 2])
    assert compiler.compiles == start
    double(Tensor(np.zeros((2, 4), np.float32)))
    assert compiler.compiles == start + 1
    assert compiler.recompiles[-1].endswith(
        "new memory order: an input became, or was, a view of another tensor"
    )


def test_normalized_strides_limit_gaps_to_one_element():
    a = np.zeros((3, 5, 100), np.float32)
    assert layout.normalize_strides(a) is None
    assert layout.normalize_strides(a[:, :, ::50]) == (80, 16, 8)
    assert layout.normalize_strides(a[:, :, 7].T) == (8, 40)
    assert layout.normalize_strides(a[::-1]) == (-2000, 400, 4)
    assert layout.compute_span(Spec((3, 5, 100), np.dtype(np.float32)), (-2000, 400, 4)) == (
        4000,
        6000,
    )
