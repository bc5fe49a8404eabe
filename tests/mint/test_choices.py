"""Functions of mint that do one thing or another by what they are given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, mint

MODES = pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])


@MODES
def test_max_and_min_accept_a_python_scalar(mode: int) -> None:
    ms.set_context(mode=mode)
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert mint.max(x, 2.5).asnumpy().tolist() == [[2.5, 2.5], [3.0, 4.0]]
    assert mint.min(x, 2.5).asnumpy().tolist() == [[1.0, 2.0], [2.5, 2.5]]
    less, more = mint.min(Tensor([0, 2]), True), mint.max(Tensor([0, 2]), True)
    assert (less.asnumpy().tolist(), more.asnumpy().tolist()) == ([0, 1], [1, 2])


@pytest.mark.parametrize("extreme", [mint.max, mint.min])
@pytest.mark.parametrize("arguments", [{"keepdim": True}, {"dim": None, "keepdim": True}])
def test_extremes_keep_no_axis_that_is_not_named(extreme: Any, arguments: Any) -> None:
    with pytest.raises(TypeError, match="dim"):
        extreme(Tensor([[1.0, 2.0], [3.0, 4.0]]), **arguments)


@MODES
@pytest.mark.parametrize(
    ("value", "kind"),
    [(Tensor([3], ms.float16), ms.float32), (Tensor([3], ms.int32), ms.int64), (True, ms.bool_)],
)
def test_full_is_filled_with_a_tensor_of_one_element(mode: int, value: Any, kind: Any) -> None:
    ms.set_context(mode=mode)

    @ms.jit
    def filled(value: Any) -> Tensor:
        return mint.full((2, 3), value)

    output = filled(value)
    assert output.dtype == kind
    expected = np.full((2, 3), np.array(value if value is True else value.asnumpy()).item())
    np.testing.assert_array_equal(output.asnumpy(), expected)


def test_softmax_of_a_number_is_one_and_without_an_axis_is_that_of_classes():
    one = [mint.softmax(Tensor(3.0), axis) for axis in (0, -1, None)]
    assert [(t.shape, t.item()) for t in one] == [((), 1.0)] * 3
    for shape, axis in (((2,), 0), ((2, 3), 1), ((2, 3, 4), 0), ((2, 3, 4, 5), 1)):
        x = mint.rand(shape)
        of_classes = mint.softmax(x, None)
        assert (of_classes == mint.softmax(x, axis)).all()
        assert (of_classes == mint.nn.functional.softmax(x)).all()
