"""Functions take their arguments by the names that MindSpore has for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, mint, ops
from minispore import numpy as mnp

X = np.arange(6, dtype=np.float32).reshape(2, 3) / 8
IMAGE = X.reshape(1, 1, 2, 3)
ROWS = np.int32([1, 0])

CASES: list[tuple[Any, dict[str, Any], tuple[Any, ...]]] = [
    (ops.avg_pool2d, {"input_x": IMAGE, "kernel_size": 2}, (IMAGE, 2)),
    (ops.expand, {"input_x": X[:1], "size": (2, 3)}, (X[:1], (2, 3))),
    (ops.tensor_floordiv, {"input": X, "other": X + 1}, (X, X + 1)),
    (ops.tensor_slice, {"input": X, "begin": (0, 1), "size": (2, 1)}, (X, (0, 1), (2, 1))),
    (mnp.arccos, {"input": X}, (X,)),
    (mnp.logical_not, {"a": X > 0}, (X > 0,)),
    (mnp.negative, {"a": X}, (X,)),
    (mnp.positive, {"a": X}, (X,)),
    (mnp.bincount, {"x": ROWS, "length": 4}, (ROWS, None, 4)),
]


def tensors(value: Any) -> Any:
    return Tensor(value) if isinstance(value, np.ndarray) else value


NAMES = [function.__name__ for function, _, _ in CASES]


@pytest.mark.parametrize(("function", "named", "placed"), CASES, ids=NAMES)
def test_by_name_as_by_place(function: Any, named: Any, placed: Any) -> None:
    by_name = function(**{k: tensors(v) for k, v in named.items()}).asnumpy()
    by_place = function(*map(tensors, placed)).asnumpy()
    assert by_name.dtype == by_place.dtype and np.array_equal(by_name, by_place)


def test_an_index_add_names_what_it_changes() -> None:
    var = ms.Parameter(Tensor(X), name="var")
    output = ops.inplace_index_add(var=var, indices=Tensor(ROWS), updates=Tensor(X), axis=0)
    assert np.array_equal(output.asnumpy(), X + X[::-1])


@pytest.mark.parametrize("length", [1, 3, 4, 9])
def test_bincount_returns_length_bins(length: int) -> None:
    counted = np.bincount([0, 1, 1, 3], minlength=length)[:length]
    output = mnp.bincount(Tensor(np.int32([0, 1, 1, 3])), length=length)
    assert output.asnumpy().tolist() == counted.tolist()
    with pytest.raises(ValueError, match="length must"):
        mnp.bincount(Tensor(ROWS), length=0)


def test_a_tensor_may_name_its_device() -> None:
    assert ms.tensor([1.0], device="CPU").asnumpy().tolist() == [1.0]


@pytest.mark.parametrize("device", ["x", "cpu", "meta", 3])
def test_a_device_that_is_none_is_refused(device: Any) -> None:
    with pytest.raises(ValueError, match="device must be one of CPU, GPU, Ascend"):
        ms.tensor([1.0], device=device)


@pytest.mark.parametrize(("offset", "axes"), [(0, (0, 1)), (1, (0, 1)), (-1, (2, 0)), (0, (1, 2))])
def test_a_trace_is_along_any_two_axes(offset: int, axes: tuple[int, int]) -> None:
    cube = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    output = Tensor(cube).trace(offset, *axes)
    assert output.dtype == ms.int64 and np.array_equal(output.asnumpy(), cube.trace(offset, *axes))


def test_trace_returns_the_requested_dtype() -> None:
    assert Tensor(X).trace(dtype=ms.int8).dtype == ms.int8
    assert Tensor(X).trace(1).asnumpy() == X[0, 1] + X[1, 2]
    gradient = ms.grad(lambda x: x.trace(1))(Tensor(X)).asnumpy()
    assert gradient.tolist() == [[0, 1, 0], [0, 0, 1]]


def test_a_tensors_softmax_takes_its_dtype_by_place() -> None:
    assert Tensor(X).softmax(0, ms.float16).dtype == ms.float16


def test_a_hook_may_be_called_hook_fn() -> None:
    seen = []
    p = ms.Parameter(Tensor(X), name="p")
    handle = p.register_hook(hook_fn=lambda g: seen.append(g.shape))
    ms.grad(lambda x: (p * x).sum(), None, [p])(Tensor(X))
    handle.remove()
    assert seen == [X.shape]


@pytest.mark.parametrize("value", [(10, 1), (1, 10, -1), (-3,), (1.5, 0.5)])
@pytest.mark.parametrize("function", [ops.arange, mint.arange, mnp.arange])
def test_a_step_that_leads_away_from_the_end_is_refused(function: Any, value: Any) -> None:
    with pytest.raises(ValueError, match="must lead from start to limit"):
        function(*value)


def test_a_range_may_be_empty() -> None:
    assert ops.arange(1, 1).shape == ops.arange(0).shape == (0,)
