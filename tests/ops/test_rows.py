"""RowTensor holds rows, and the functions of scripts that are registered for it take it."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import RowTensor, Tensor, ops

ROWS = RowTensor(Tensor([0, 2]), Tensor(np.float32([[1, 2], [3, 4]])), (3, 2))


def test_a_row_tensor_returns_its_indices_values_and_shape() -> None:
    assert ROWS.indices.asnumpy().tolist() == [0, 2]
    assert ROWS.values.asnumpy().tolist() == [[1, 2], [3, 4]]
    assert ROWS.dense_shape == (3, 2)


def test_a_row_tensor_can_be_constructed_from_another() -> None:
    copy = RowTensor(row_tensor=ROWS)
    assert copy.values.asnumpy().tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"indices": 1, "values": 2, "shape": 3},
        {"indices": ROWS.indices, "values": ROWS.values, "shape": [3, 2]},
        {"row_tensor": ROWS.values},
        {"row_tensor": ROWS, "shape": (3, 2)},
        {"row_tensor": ROWS, "indices": ROWS.indices},
    ],
)
def test_other_arguments_are_a_type_error(arguments: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="RowTensor: "):
        RowTensor(**arguments)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_gradient_function_for_row_tensors_is_dispatched(mode: int) -> None:
    ms.set_context(mode=mode)
    scaled = ops.MultitypeFuncGraph("scaled")

    @scaled.register("Tensor", "RowTensor")
    def _scaled_rows(scale: Tensor, grad: RowTensor) -> RowTensor:
        return RowTensor(grad.indices, grad.values * scale, grad.dense_shape)

    @ms.jit
    def rows(x: Tensor) -> Tensor:
        return scaled(Tensor(2.0), RowTensor(Tensor([0]), x, (3, 2))).values

    assert rows(Tensor(np.float32([[1, 2]]))).asnumpy().tolist() == [[2, 4]]
