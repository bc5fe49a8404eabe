"""boost.GradientAccumulation updates with the mean of several steps."""

from __future__ import annotations

import pytest

import minispore as ms
from minispore import Parameter, Tensor, boost, nn


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_an_update_comes_once_in_so_many_calls_with_the_mean(mode):
    ms.set_context(mode=mode)
    weight = Parameter(Tensor([1.0]), name="w")
    step = boost.GradientAccumulation(2, nn.SGD([weight], 1.0))
    seen = []
    for grad in (2.0, 4.0, 1.0, 3.0):
        loss = step(Tensor(7.0), (Tensor([grad]),))
        seen.append(float(weight.asnumpy()[0]))
    assert seen == [1, -2, -2, -4] and float(loss) == 7


def test_boost_names_the_alternative_and_checks_its_arguments():
    with pytest.raises(NotImplementedError, match=r"boost\.GradientFreeze: .* requires_grad=False"):
        boost.GradientFreeze([1], "freeze", 0.5, 1)
    with pytest.raises(ValueError, match="max_accumulation_step"):
        boost.GradientAccumulation(0, nn.SGD([Parameter(Tensor([1.0]))], 1.0))
