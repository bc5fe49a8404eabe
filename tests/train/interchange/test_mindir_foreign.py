"""Ops of MindSpore's files that minispore says otherwise, held against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from minispore import Tensor
from minispore.train.interchange.mindir_foreign import FOREIGN, MONAD

X = np.array([[-2.5, -1.0, 0.0], [0.5, 1.0, 3.0]], np.float32)
Y = np.array([[2.0, -1.0, 4.0], [0.5, 2.0, -3.0]], np.float32)

FOREIGN_CASES: list[tuple[str, dict[str, Any], tuple[Any, ...], Any]] = [
    ("TensorMove", {}, (X,), X),
    ("FillV2", {}, ((2, 3), np.array(3.0, np.float32)), np.full((2, 3), 3.0, np.float32)),
    ("Depend", {}, (X,), X),
    ("StopGradient", {}, (X,), X),
    ("TupleGetItem", {}, ((X, Y), 1), Y),
    ("InplaceAddExt", {}, (X, Y), X + Y),
    ("InplaceAddExt", {}, (X, Y, 3), X + 3 * Y),
    ("InplaceAddExt", {}, (X, Y, 2), X + 2 * Y),
    ("InplaceAddsExt", {}, (X, 2, 3), X + 6),
    ("InplaceSubExt", {}, (X, Y), X - Y),
    ("InplaceSubExt", {}, (X, Y, 3), X - 3 * Y),
    ("InplaceSubExt", {}, (X, Y, 2), X - 2 * Y),
    ("InplaceSubScalar", {}, (X, 2, 3), X - 6),
    ("InplaceMul", {}, (X, Y), X * Y),
    ("InplaceMuls", {}, (X, 3), X * 3),
    ("InplaceDiv", {}, (X, Y), X / Y),
    ("InplaceDivs", {}, (X, 3.0), X / 3),
    ("InplaceFloorDivide", {}, (X, Y), X // Y),
    ("InplaceFloorDivides", {}, (X, 3), X // 3),
    ("InplaceRemainderTensorTensor", {}, (X, Y), X % Y),
    ("InplaceRemainderTensorScalar", {}, (X, 3), X % 3),
    ("InplaceCopy", {}, (X, Y[0]), np.broadcast_to(Y[0], X.shape)),
    ("SumExt", {}, (X, 1, False), X.sum(1)),
    ("SumExt", {}, (X, None, False), X.sum()),
    ("SumExt", {}, (X, (0,), True, 35), X.sum(0, keepdims=True).astype(np.int64)),
    ("MeanExt", {}, (X, 1, True), X.mean(1, keepdims=True)),
    ("MeanExt", {}, (X, None, False), X.mean()),
    ("MeanExt", {}, (X, 0, False, 44), X.mean(0).astype(np.float64)),
    ("Adds", {}, (X, 2), X + 2),
    ("Subs", {}, (X, 2), X - 2),
    ("Muls", {}, (X, 3), X * 3),
    ("Divs", {}, (X, 4), X / 4),
    ("LessScalar", {}, (X, 1), X < 1),
    ("LessEqualScalar", {}, (X, 1), X <= 1),
    ("GreaterScalar", {}, (X, 1), X > 1),
    ("GreaterEqualScalar", {}, (X, 1), X >= 1),
    ("EqualScalar", {}, (X, 1), X == 1),
    ("NotEqualScalar", {}, (X, 1), X != 1),
    ("PowTensorScalar", {}, (X, 3), X**3),
    ("LeakyReLUExt", {}, (X, 0.25), np.where(X > 0, X, X * 0.25)),
    ("RemainderTensorScalar", {}, (X, 2), X % 2),
    ("ClampScalar", {}, (X, -1.5, 0.75), X.clip(-1.5, 0.75)),
    ("ClampScalar", {}, (X, None, 0.75), np.minimum(X, np.float32(0.75))),
    ("ClampTensor", {}, (X, Y), np.maximum(X, Y)),
    ("Eye", {}, (2, 3, 35), np.eye(2, 3, dtype=np.int64)),
    (
        "LpNorm",
        {"axis": 1, "p": 1, "keep_dims": True, "epsilon": 1e-12},
        (X,),
        np.abs(X).sum(1, keepdims=True),
    ),
    ("Dense", {}, (X, Y), X @ Y.T),
    ("Dense", {}, (X, Y, X[:, 0]), X @ Y.T + X[:, 0]),
    ("MakeTuple", {}, (X, Y), (X, Y)),
    ("make_list", {}, (X, Y), (X, Y)),
    ("PadV3", {}, (X, (1, 2)), np.pad(X, ((0, 0), (1, 2)))),
    ("PadV3", {}, (X, np.array([1, 2, 0, 1]), 7.0),
     np.pad(X, ((0, 1), (1, 2)), constant_values=7.0)),
    ("PadV3", {"paddings_contiguous": False}, (X, (1, 0, 2, 1), 0),
     np.pad(X, ((0, 1), (1, 2)))),
    ("MirrorPad", {"mode": "REFLECT"}, (X, np.array([[0, 0], [1, 2]])),
     np.pad(X, ((0, 0), (1, 2)), mode="reflect")),
    ("L2Normalize", {"axis": 1, "epsilon": 1e-4}, (X,),
     X / np.sqrt((X * X).sum(1, keepdims=True))),
    ("AdaptiveAvgPool2D", {"output_size": (1, 3)}, (X.reshape(1, 2, 3),),
     X.mean(0).reshape(1, 1, 3)),
]  # fmt: skip


def to_tensor(value: Any) -> Any:
    if isinstance(value, tuple) and value and isinstance(value[0], np.ndarray):
        return tuple([to_tensor(v) for v in value])
    return Tensor(value) if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize(("op", "attributes", "args", "expected"), FOREIGN_CASES)
def test_an_op_with_another_name_computes_what_mindspore_s_does(
    op: str, attributes: Any, args: Any, expected: Any
) -> None:
    actual = FOREIGN[op](attributes, *[to_tensor(a) for a in args])
    several = isinstance(expected, tuple)
    assert isinstance(actual, tuple) == several
    for got, want in zip(
        *((actual, expected) if several else ((actual,), (expected,))), strict=True
    ):
        np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-6)
        assert got.asnumpy().dtype == np.asarray(want).dtype


def test_every_op_with_another_name_is_tried() -> None:
    elsewhere = {"Load", "LSTM", "GroupNorm", "MaxPool3DWithArgmax", "UpdateState"}
    gradients = {op for op in FOREIGN if "Grad" in op or op.endswith("Backward")}
    assert {op for op, *_ in FOREIGN_CASES} | elsewhere | gradients == set(FOREIGN)


def test_effects_are_what_orders_them() -> None:
    assert FOREIGN["UpdateState"]({}, Tensor(X), MONAD) is MONAD


@pytest.mark.parametrize("shape", [(2, 4, 3), (2, 4, 3, 2), (2, 4)])
def test_a_group_is_normal_by_itself(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32) * 3 + 1
    gamma, beta = np.float32([1, 2, 3, 4]), np.float32([4, 3, 2, 1])
    (got,) = FOREIGN["GroupNorm"]({}, Tensor(x), 2, Tensor(gamma), Tensor(beta), 0.5)
    rows = x.reshape(2, 2, -1)
    normal = (rows - rows.mean(2, keepdims=True)) / np.sqrt(rows.var(2, keepdims=True) + 0.5)
    each = (1, 4) + (1,) * (len(shape) - 2)
    expected = normal.reshape(shape) * gamma.reshape(each) + beta.reshape(each)
    np.testing.assert_allclose(got.asnumpy(), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "change", [{"ksize": (2, 3, 3)}, {"strides": (2, 1, 1)}, {"pads": (1, 1, 1)}]
)
def test_a_pooling_in_depth_is_refused(change: Any) -> None:
    of = {"ksize": (1, 3, 3), "strides": (1, 1, 1), "dilation": (1, 1, 1), "pads": (0, 1, 1)}
    x = Tensor(np.zeros((1, 1, 1, 4, 4), np.float32))
    (pooled,) = FOREIGN["MaxPool3DWithArgmax"]({**of, "ceil_mode": False}, x)
    assert pooled.shape == (1, 1, 1, 4, 4)
    with pytest.raises(ValueError, match="pools in depth"):
        FOREIGN["MaxPool3DWithArgmax"]({**of, "ceil_mode": False, **change}, x)
