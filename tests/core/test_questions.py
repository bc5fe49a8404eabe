"""What a tensor says of itself."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor, context


@pytest.mark.parametrize(("target", "said"), [("CPU", "CPU"), ("Ascend", "Ascend:0")])
def test_a_tensor_says_where_ops_compute_with_it(target: str, said: str) -> None:
    context.set_context(device_target=target)
    assert Tensor([1.0]).device == said and Parameter(Tensor([1.0]), name="p").device == said


def test_a_content_that_is_still_to_be_drawn_says_so() -> None:
    later = ms.common.initializer.initializer("ones", (2,))
    assert not later.init_finished and later.init is not None
    later.init_data()
    assert later.init_finished
    there = Tensor([1.0])
    assert there.init_finished and there.init is None


def test_a_content_has_an_address_of_its_own() -> None:
    x = Tensor(np.zeros(3, np.float32))
    assert x.data_ptr() == x.asnumpy().ctypes.data != Tensor([1.0]).data_ptr()


def test_the_top_level_asks_the_device() -> None:
    assert ms.memory_allocated is ms.runtime.memory_allocated
    assert ms.synchronize() is None and ms.max_memory_allocated() >= ms.memory_allocated()
