"""Plans: what an op does is found out once for arguments of a kind, and computes what it did."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops
from minispore.core import interpreter
from minispore.core.primitive import Primitive
from minispore.execution import half, layout
from minispore.execution.kernels import plans as made_once
from minispore.execution.kernels.bound_kernel import BoundKernel
from minispore.execution.kernels.plans import KernelPlanCache
from minispore.ir.registry import registry
from minispore.ir.value import Spec, Value
from tests.ops.samples import SAMPLES, Sample
from tests.ops.test_contract import tensors

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def afresh() -> Iterator[None]:
    mode = ms.get_context("mode")
    ms.set_context(mode=ms.PYNATIVE_MODE)
    plans().clear()
    yield
    ms.set_context(mode=mode)
    plans().clear()


def plans() -> KernelPlanCache:
    """Those of this thread."""
    return interpreter._local.state.plans


def outputs(actual: Any) -> list[np.ndarray]:
    return [t.asnumpy() for t in (actual if isinstance(actual, tuple) else (actual,))]


def kernels() -> list[BoundKernel]:
    owners = [getattr(plan.kernel, "__self__", None) for plan in plans()._plans.values()]
    return [k for k in owners if isinstance(k, BoundKernel)]


def other(a: Any) -> Any:
    """Other numbers, where they can be any."""
    return a[::-1] * a.dtype.type(0.5) if isinstance(a, np.ndarray) and a.dtype.kind == "f" else a


ALL = [s for result in SAMPLES.values() for s in result]
SOME = [
    s
    for s in ALL
    if s.op.effect.is_pure
    and not s.op.dynamic
    and (s.op.traits.lowers_to_steps or s.op.traits.has_scratch)
]


def narrow(a: Any) -> Any:
    return a.astype(np.float16) if isinstance(a, np.ndarray) and a.dtype.kind == "f" else a


@pytest.mark.parametrize("halves", [False, True])
@pytest.mark.parametrize("s", SOME, ids=str)
def test_a_bound_kernel_gives_the_bits_of_a_fresh_one(s: Sample, halves: bool) -> None:
    args = tuple(narrow(a) for a in s.args) if halves else s.args
    first = s.op(*tensors(args))
    before = [a.copy() for a in outputs(first)]
    for _ in range(4):
        s.op(*tensors(tuple(other(a) for a in args)))
    second = s.op(*tensors(args))
    for a, b, c in zip(before, outputs(second), outputs(first), strict=True):
        assert a.tobytes() == b.tobytes() == c.tobytes()


def test_kernels_of_each_kind_are_bound() -> None:
    for _ in range(4):
        ops.conv2d(random_tensor(1, 2, 6, 6), random_tensor(3, 2, 3, 3))
        ops.max_pool2d(random_tensor(1, 2, 6, 6), 2, 2)
        ops.add(random_tensor(3, 4), random_tensor(3, 4))  # to make its one call is quickly done
    assert len(kernels()) == 2


def random_tensor(*shape: int) -> Tensor:
    return Tensor(RNG.standard_normal(shape).astype(np.float32))


def test_a_kernel_is_bound_for_each_memory_order() -> None:
    x = RNG.standard_normal((2, 3, 4, 6)).astype(np.float32)
    expected = x.reshape(2, 3, 2, 2, 3, 2).max((3, 5))
    inputs = [x, x.transpose(3, 2, 1, 0).copy().transpose(3, 2, 1, 0), np.asfortranarray(x)]
    inputs += [np.flip(np.flip(x, 2).copy(), 2), np.broadcast_to(x[:1, :, :, :], x.shape)]
    for _ in range(5):
        for a in inputs[:4]:
            assert np.array_equal(pooled(a), expected)
        assert np.array_equal(pooled(inputs[4]), np.broadcast_to(expected[:1], expected.shape))
    assert len(kernels()) == 4  # two of them lie alike


def pooled(x: np.ndarray) -> np.ndarray:
    return applied(registry["MaxPool"](2, 2), x)


def applied(prim: Primitive, x: np.ndarray, *args: Any) -> np.ndarray:
    """What ``prim`` makes of x just as it lies."""
    output = interpreter.bind(prim, (Value(Spec(x.shape, x.dtype), x), *args))
    assert isinstance(output, Value)
    return output.data


class Plus(Primitive):
    """x + the sum of numbers, of which True counts ten."""

    internal = True

    def infer(self, x: Spec, numbers: Any) -> Spec:
        return x

    def scratch(self, x: Spec, numbers: Any) -> tuple[Spec, ...]:
        return (x,)

    def calls(self, x: np.ndarray, numbers: Any, *, out: np.ndarray, work: Any) -> Any:
        total = sum(10 if n is True else n for n in numbers)
        return [lambda: np.copyto(work[0], x), lambda: np.copyto(out, work[0] + total)]


del registry["Plus"]


def test_equal_arguments_of_different_types_have_separate_plans() -> None:
    x, output = np.float32([1.0]), []
    for numbers in [(1,)] * 5 + [(True,)] * 5 + [(0, 1)] * 5 + [(False, True)] * 5:
        output.append(float(applied(Plus(), x, numbers)[0]))
    assert output == [2.0] * 5 + [11.0] * 5 + [2.0] * 5 + [11.0] * 5
    assert len(kernels()) == 4


def test_large_arrays_are_not_copied() -> None:
    for _ in range(5):
        ops.max_pool2d(random_tensor(1, 1, 256, 256), 2, 2)
    assert not kernels()


def test_kernels_hold_a_bounded_memory() -> None:
    most = 0
    for n in range(1, 400):
        for _ in range(3):
            ops.conv2d(random_tensor(1, 8, 20, 20 + n % 30), random_tensor(n // 30 + 1, 8, 3, 3))
        most = max(most, sum(k.nbytes for k in kernels()))
    assert 4 << 20 < most < 20 << 20


def test_kernels_that_work_in_much_memory_are_not_bound() -> None:
    for _ in range(5):
        ops.conv2d(random_tensor(1, 1, 130, 130), random_tensor(1, 1, 30, 30), dilation=2)
    assert not kernels()


def test_a_setting_makes_kernels_anew() -> None:
    x, w = random_tensor(2, 8, 32, 32), random_tensor(8, 8, 3, 3)

    def conv_bytes() -> bytes:
        out = [ops.conv2d(x, w, pad_mode="same").asnumpy().tobytes() for _ in range(5)]
        assert len({*out}) == 1
        return out[0]

    by_default = conv_bytes()
    ms.set_context(conv_winograd=0)
    try:
        by_columns = conv_bytes()
    finally:
        ms.set_context(conv_winograd=4)
    assert by_default == conv_bytes() != by_columns


def test_concurrent_threads_do_not_share_scratch_arrays() -> None:
    xs = [random_tensor(1, 4, 12, 12) for _ in range(4)]
    w = random_tensor(4, 4, 3, 3)
    expected = [ops.conv2d(x, w).asnumpy() for x in xs]
    wrong: list[int] = []

    def work(i: int) -> None:
        for _ in range(200):
            if not np.array_equal(ops.conv2d(xs[i], w).asnumpy(), expected[i]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_empty_like_preserves_the_memory_order() -> None:
    a = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for like in (a, a.T, a[:, ::-1], a[::2, 1:, ::3], np.broadcast_to(a[0, 0], (5, 4)), a[:0]):
        for dtype in (None, np.dtype(np.float64)):
            output = layout.empty_like(like, dtype)
            size = like.itemsize if dtype is None else 8
            assert output.shape == like.shape and output.dtype == (dtype or like.dtype)
            if output.size:
                assert output.strides == tuple(s // like.itemsize * size for s in like.strides)
            output[...] = like
            assert np.array_equal(output, like)


def test_widening_float16_views_gives_the_values_of_astype() -> None:
    x = RNG.standard_normal((3, 4, 5)).astype(np.float16)
    for a in (x, x.T, x[:, ::-2], x[::2]):
        assert np.array_equal(half.to_float32(a), a.astype(np.float32))


def test_ops_leave_the_users_numpy_error_settings_unchanged() -> None:
    zero, seen = Tensor(np.float32(0)), []

    def record_errstate(x: Tensor) -> Tensor:
        seen.append(np.geterr())
        return x

    with np.errstate(divide="raise", over="warn", under="ignore", invalid="raise"):
        user_settings = np.geterr()
        assert np.isneginf(ops.log(zero).asnumpy()) and np.geterr() == user_settings
        with pytest.raises(ValueError, match="broadcast"):
            ops.add(Tensor(np.ones(2)), Tensor(np.ones(3)))
        assert np.geterr() == user_settings
        ms.grad(lambda x: record_errstate(ops.log(x)))(zero)
        assert seen == [user_settings] and np.geterr() == user_settings


AXIS_ORDERS = [(0, 1, 2, 3), (1, 2, 3, 0), (3, 0, 2, 1), (2, 3, 1, 0)]


@pytest.mark.parametrize(
    "shape", [(2, 3, 4, 5), (1, 3, 1, 5), (2, 1, 4, 1), (0, 3, 4, 5), (1,) * 4]
)
@pytest.mark.parametrize("rule", [layout.ROW_MAJOR, layout.LIKE_INPUT, layout.BATCH_LAST])
def test_plan_allocators_follow_the_layout_rules(rule: str, shape: Any) -> None:
    spec = Spec(shape, np.dtype(np.float32))
    back = [np.argsort(order) for order in AXIS_ORDERS]
    dense = [
        np.ones([shape[i] for i in o]).transpose(b) for o, b in zip(AXIS_ORDERS, back, strict=True)
    ]
    for a in [*dense, *(np.flip(d) for d in dense), np.broadcast_to(np.ones(shape[-1]), shape)]:
        expected, output = (
            layout.empty(spec, rule, [a]),
            made_once._make_allocator(spec, rule, [a])(),
        )
        assert (output.shape, output.dtype) == (expected.shape, expected.dtype)
        assert output.strides == expected.strides or not output.size


def test_an_op_has_a_separate_plan_for_each_memory_order() -> None:
    x = RNG.standard_normal((4, 5)).astype(np.float32)
    relu = registry["ReLU"]()
    for a in (x, np.asfortranarray(x), x[:, ::-1], x, np.asfortranarray(x)):
        output = applied(relu, a)
        assert np.array_equal(output, np.maximum(a, 0))
        assert np.argsort(output.strides).tolist() == np.argsort(np.abs(a.strides)).tolist()
    assert len([p for p in plans()._plans.values() if p.prim is relu]) == 3


def test_plans_are_bounded_and_those_of_an_error_are_none(monkeypatch: Any) -> None:
    monkeypatch.setattr(made_once, "_MOST_PLANS", 20)
    for n in range(1, 100):
        assert ops.relu(random_tensor(n)).shape == (n,)
        with pytest.raises(ValueError, match="must"):
            ops.matmul(random_tensor(2, n), random_tensor(n + 1, 2))
        assert 1 <= len(plans()._plans) <= 20
    for n in range(1, 100):  # the shape of what these make is in no plan
        ops.nonzero(random_tensor(n))
        assert len(plans()._plans) <= 20


CALLER = contextvars.ContextVar("own", default="nobody's")


def test_a_function_of_the_users_runs_in_the_users_context(capfd: Any) -> None:
    messages = []

    def hook(grad: Tensor) -> Tensor:
        messages.append(("hook", CALLER.get()))
        return grad

    def record_caller(x: np.ndarray) -> np.ndarray:
        messages.append(("custom", CALLER.get()))
        return x

    custom = ops.Custom(record_caller, lambda s: s, lambda d: d, func_type="pyfunc")
    hooked = ops.InsertGradientOf(hook)
    token = CALLER.set("mine")
    try:
        for _ in range(2):
            custom(random_tensor(2))
            ms.grad(lambda x: hooked(ops.log(x)).sum())(random_tensor(2))
    finally:
        CALLER.reset(token)
    assert messages == [("custom", "mine"), ("hook", "mine")] * 2
    with np.printoptions(precision=2, floatmode="fixed"):
        ops.Print()(Tensor([1.23456]))
    assert "1.23" in (out := capfd.readouterr().out) and "1.2346" not in out


class Nested(Primitive):
    """-log(x), by ops: what no op of ours does."""

    internal = True

    def infer(self, x: Spec) -> Spec:
        return x

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        out[...] = -applied(registry["Log"](), x)


del registry["Nested"]


def test_a_kernel_may_run_ops() -> None:
    before = np.geterr()
    for _ in range(4):
        assert applied(Nested(), np.float32([0, 1])).tolist() == [np.inf, 0.0]
    assert np.geterr() == before


def test_what_was_shared_by_a_plan_is_not_shared_by_its_results() -> None:
    x, w = random_tensor(1, 2, 6, 6), random_tensor(3, 2, 3, 3)
    output = [ops.conv2d(x * i, w) for i in range(6)]
    seen = [m.asnumpy().copy() for m in output]
    ops.conv2d(x * 9, w)
    assert all(np.array_equal(m.asnumpy(), s) for m, s in zip(output, seen, strict=True))
    assert len({s.tobytes() for s in seen}) == 6
