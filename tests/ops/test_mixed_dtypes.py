"""Two tensors of different dtypes, one of them without axes: the dtype and values of MindSpore."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, mint, ops

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "mixed_dtypes.json"
FACTS: dict[str, dict[str, str]] = json.loads(GOLDEN.read_text(encoding="utf-8"))


def _tensor(spec: str) -> Tensor:
    """``float16[2]``: ones of this dtype and shape."""
    dtype, _, shape = spec.rstrip("]").partition("[")
    output = np.ones([int(n) for n in shape.split(",") if n], np.float32)
    return Tensor(output, ms.bool_ if dtype == "bool" else getattr(ms, dtype))


@pytest.mark.parametrize("case", FACTS)
def test_dtypes_are_mindspores(case: str) -> None:
    found = {}
    for names in FACTS[case]:
        x, y = map(_tensor, names.split())
        output = eval(case, {"x": x, "y": y, "ops": ms.ops, "mint": ms.mint})
        found[names] = str(output.dtype).lower()
    assert found == FACTS[case]


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        # a half is multiplied in float32, then rounded
        (Tensor([1e-3, 1], ms.float16), Tensor(1e5, ms.float32), np.float16([100.06, np.inf])),
        (Tensor([1e-3, 1], ms.float16), Tensor(1e5, ms.float64), np.float16([100.06, np.inf])),
        (Tensor([100, 1], ms.int32), Tensor(2**33 + 7, ms.int64), np.int32([700, 7])),
        (Tensor([100, 1], ms.int16), Tensor(70000, ms.int32), np.int16([-12352, 4464])),
        (Tensor([3, 1], ms.float32), Tensor(1e-300, ms.float64), np.float32([0, 0])),
    ],
)
@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_products_are_mindspores(mode: int, x: Tensor, y: Tensor, expected: np.ndarray) -> None:
    ms.set_context(mode=mode)

    class Times(ms.nn.Cell):
        def construct(self, x: Any, y: Any) -> Any:
            return x * y, y * x

    for result in Times()(x, y):
        assert result.asnumpy().dtype == expected.dtype
        np.testing.assert_array_equal(result.asnumpy(), expected)


@pytest.mark.parametrize(
    ("op", "by_x", "by_y"),
    [(ms.ops.mul, [3.0, 3.0], 1.00098), (ms.ops.div, [1 / 3, 1 / 3], -0.1112)],
)
def test_gradients_have_the_dtypes_of_the_inputs(op: Any, by_x: list[float], by_y: float) -> None:
    x, y = Tensor([1e-3, 1], ms.float16), Tensor(3.0, ms.float32)
    dx, dy = ms.grad(lambda x, y: op(x, y).sum(), (0, 1))(x, y)
    assert (dx.dtype, dy.dtype) == (ms.float16, ms.float32)
    np.testing.assert_allclose(dx.asnumpy(), by_x, rtol=1e-3)
    np.testing.assert_allclose(dy.asnumpy(), by_y, rtol=1e-3)


MODES = [ms.PYNATIVE_MODE, ms.GRAPH_MODE]
_T, _U = Tensor([True, False, True]), Tensor([True, True, False])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("minus", "plus"), [(mint.sub, mint.add), (Tensor.sub, Tensor.add), (Tensor.subtract, None)]
)
def test_a_factor_of_bools_is_true_or_false(mode: int, minus: Any, plus: Any) -> None:
    ms.set_context(mode=mode)
    for alpha, less, more in (
        (1, [0, 1, 1], [1, 1, 1]),
        (2, [0, 1, 1], [1, 1, 1]),
        (0, [1, 0, 1], [1, 0, 1]),
    ):
        for function, expected in ((minus, less), (plus, more)):
            if function is not None:
                output = function(_T, _U, alpha=alpha)
                assert output.dtype == ms.bool_ and output.asnumpy().tolist() == expected
    assert minus(_T, True).asnumpy().tolist() == [0, 1, 0]


@pytest.mark.parametrize("mode", MODES)
def test_bools_are_subtracted_as_integers_or_not_at_all(mode: int) -> None:
    ms.set_context(mode=mode)
    output = ops.subtract(_T, _U)
    assert output.dtype == ms.int64 and output.asnumpy().tolist() == [0, -1, 1]
    assert ops.subtract(_T, _U, alpha=2).asnumpy().tolist() == [-1, -2, 1]
    for call in (ops.sub, ops.Sub()):
        with pytest.raises(TypeError, match="Sub: inputs must be"):
            call(_T, _U)


@pytest.mark.parametrize("dtype", [ms.int64, ms.int32, ms.bool_])
def test_sums_of_squares_are_those_of_floats_of_one_dtype(dtype: Any) -> None:
    for x, y in ((dtype, dtype), (dtype, ms.float32), (ms.float16, ms.float32)):
        with pytest.raises(TypeError, match="SquareSumAll: x and y must be floats of one dtype"):
            ops.SquareSumAll()(Tensor([1], x), Tensor([1], y))
