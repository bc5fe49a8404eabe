"""What a tensor says of itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor, context


@pytest.mark.parametrize(("target", "message"), [("CPU", "CPU"), ("Ascend", "Ascend:0")])
def test_a_tensor_says_where_ops_compute_with_it(target: str, message: str) -> None:
    context.set_context(device_target=target)
    assert Tensor([1.0]).device == message and Parameter(Tensor([1.0]), name="p").device == message


def test_init_finished_is_false_until_the_content_is_initialized() -> None:
    later = ms.common.initializer.initializer("ones", (2,))
    assert not later.init_finished and later.init is not None
    later.init_data()
    assert later.init_finished
    filled = Tensor([1.0])
    assert filled.init_finished and filled.init is None


def test_data_ptr_is_the_address_of_the_array() -> None:
    x = Tensor(np.zeros(3, np.float32))
    assert x.data_ptr() == x.asnumpy().ctypes.data != Tensor([1.0]).data_ptr()


def test_the_top_level_asks_the_device() -> None:
    assert ms.memory_allocated is ms.runtime.memory_allocated
    assert ms.synchronize() is None and ms.max_memory_allocated() >= ms.memory_allocated()


@pytest.mark.parametrize("item", [None, "x", [1.0, 2.0], (1.0,), {}, ms.float32])
def test_what_is_no_number_is_in_no_tensor(item: Any) -> None:
    assert item not in Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert 1.0 in Tensor([1.0]) and Tensor([5.0]) not in Tensor([1.0])


@pytest.mark.parametrize(
    ("kind", "expected"),
    [(ms.int32, [2, 4]), (ms.int8, [2, 4]), (ms.float16, [2.5, 4.699]), (ms.float64, [2.5, 4.7])],
)
@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_list_operand_takes_the_dtype_of_the_tensor(
    mode: int, kind: Any, expected: list[float]
) -> None:
    ms.set_context(mode=mode)
    x = Tensor([1, 2], kind)

    @ms.jit
    def right(x: Tensor) -> Tensor:
        return x - [-1.5, -2.7]

    @ms.jit
    def left(x: Tensor) -> Tensor:
        return (1.5, 2.7) - -x

    for of in (right, left):
        assert of(x).dtype is kind
        assert np.allclose(of(x).asnumpy(), expected, atol=2e-4)
    assert (x // (1, 2)).dtype is (x - (1, 1)).dtype is (x % [1, 2]).dtype is kind


def test_what_no_operator_takes_is_a_type_error() -> None:
    x, whole = Tensor([1.0, 2.0]), Tensor(3, ms.int32)
    for ask in (
        lambda: x ** (1, 2),
        lambda: whole & [1, 2],
        lambda: whole | (1,),
        lambda: Tensor([True]) ^ [True],
        lambda: whole * "ab",
        lambda: "ab" * whole,
        lambda: x * b"x",
        lambda: whole - (Tensor(1.5), 2),
    ):
        with pytest.raises(TypeError):
            ask()
    assert ([1, 2] ** x).tolist() == [1, 4]
