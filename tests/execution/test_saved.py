"""What a forward pass makes on its way is there for its gradient, and changes none of its bits."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops
from minispore.core import interpreter
from minispore.core.tape import Tape
from minispore.execution.half import is_half
from minispore.execution.kernels import saved_intermediates
from minispore.execution.kernels.saved_intermediates import SavedIntermediates
from minispore.ops.steps.winograd import WinogradPoints

pytestmark = pytest.mark.usefixtures("op_by_op")

RNG = np.random.default_rng(0)


def random_tensor(*shape: int, dtype: Any = np.float32) -> Tensor:
    return Tensor(RNG.standard_normal(shape).astype(dtype))


WEIGHT = ms.Parameter(random_tensor(16, 16, 3, 3), name="w")


def conv(x: Tensor) -> Tensor:
    return ops.conv2d(x, WEIGHT, pad_mode="pad", padding=1)


LABELS = Tensor(np.arange(8, dtype=np.int32) % 5)
# What is differentiated, by what, and how many bytes it saves.
CASES: dict[str, tuple[Callable[..., Any], Any, int]] = {
    "a convolution by its weight": (conv, random_tensor(8, 16, 8, 16), 6 * 10 * 16 * 4 * 8 * 4),
    "gelu": (ops.GeLU(), random_tensor(8, 5), 8 * 5 * 4),
    "silu": (ops.SiLU(), random_tensor(8, 5), 8 * 5 * 4),
    "cross entropy": (lambda x: ops.cross_entropy(x, LABELS), random_tensor(8, 5), 8 * 5 * 4),
    "sparse cross entropy": (
        lambda x: ops.SparseSoftmaxCrossEntropyWithLogits()(x, LABELS),
        random_tensor(8, 5), 8 * 5 * 4,
    ),
}  # fmt: skip
SAVING = [name for name in CASES if name != "cross entropy"]  # which is made of other ops


def taped(function: Callable[..., Any], x: Tensor) -> tuple[Tape, Tensor]:
    """A tape of the function, and what it gave."""
    tape = Tape()
    tape.watch(x.value_)
    tape.watch(WEIGHT.value_)
    with interpreter.recording_on((tape,)):
        return tape, function(x)


def saved_bytes(tape: Tape) -> int:
    return sum(output.nbytes for _, output in tape.saved._arrays.values())


@pytest.mark.parametrize("name", SAVING)
def test_a_gradient_uses_and_frees_the_saved_intermediates_of_its_op(name: str) -> None:
    function, x, size = CASES[name]
    tape, out = taped(function, x)
    assert saved_bytes(tape) == size
    tape.backward([(out.value_, ops.ones_like(out))])
    assert saved_bytes(tape) == tape.saved._nbytes == 0


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_no_bit_depends_on_what_was_saved(
    name: str, dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    function, x, _ = CASES[name]
    if name.startswith("a convolution"):
        w = Tensor(WEIGHT.asnumpy().astype(dtype))
        derived: Any = ms.grad(
            lambda x, w: ops.conv2d(x, w, pad_mode="pad", padding=1), (0, 1)
        )  # fmt: skip
        inputs = [Tensor(x.asnumpy().astype(dtype)), w]
    else:
        derived = ms.grad(function, (0,))
        inputs = [Tensor(x.asnumpy().astype(dtype))]
    actual = derived(*inputs)
    second = ms.grad(lambda *xs: sum(d.sum() for d in _tuple(derived(*xs))), 0)(*inputs)
    monkeypatch.setattr(saved_intermediates, "_MOST_BYTES", 0)
    for a, b in zip(_tuple(actual), _tuple(derived(*inputs)), strict=True):
        assert a.asnumpy().tobytes() == b.asnumpy().tobytes()
    gradient = ms.grad(lambda *xs: sum(d.sum() for d in _tuple(derived(*xs))), 0)(*inputs)
    assert second.asnumpy().tobytes() == gradient.asnumpy().tobytes()


def _tuple(x: Any) -> tuple[Any, ...]:
    return x if isinstance(x, tuple) else (x,)


def test_winograd_points_are_computed_once_for_a_convolution_and_its_gradient(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outputs, calls = [], WinogradPoints.calls
    monkeypatch.setattr(
        WinogradPoints, "calls", lambda self, *a, **k: outputs.append(self) or calls(self, *a, **k)
    )
    ms.grad(conv, 0, WEIGHT)(CASES["a convolution by its weight"][1])
    assert len(outputs) == 2  # of x, and of dy for the gradient of x


def test_what_no_gradient_asks_for_is_not_saved() -> None:
    x = CASES["a convolution by its weight"][1]
    frozen = ms.Parameter(random_tensor(16, 16, 3, 3), name="frozen")
    tape, _ = taped(lambda x: ops.conv2d(x, frozen, pad_mode="pad", padding=1), x)
    assert not saved_bytes(tape), "by the weight, which is not watched"
    tape, _ = taped(lambda x: ops.GeLU()(random_tensor(3, 4)) + x.sum(), x)
    assert not saved_bytes(tape), "of what is not reached"

    def aside(x: Tensor) -> Tensor:
        with ms.core.autograd.no_grad():
            output = ops.GeLU()(x)
        return output + x

    tape, _ = taped(aside, x)
    assert not saved_bytes(tape), "under no_grad"
    assert interpreter.tapes() == () and not saved_intermediates.is_saving()


def test_a_gate_of_half_floats_is_not_saved_since_its_kernel_sees_a_copy() -> None:
    x = Tensor(CASES["gelu"][1].asnumpy().astype(np.float16))
    assert is_half(x.value_.spec.dtype)
    assert not saved_bytes(taped(ops.GeLU(), x)[0])


def test_intermediates_above_the_byte_limit_are_recomputed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_intermediates, "_MOST_BYTES", 100)
    x, y = random_tensor(16), random_tensor(16)  # 64 bytes each
    tape, out = taped(lambda x: ops.GeLU()(x) * ops.GeLU()(x + y), x)
    assert saved_bytes(tape) == 64
    grads = tape.backward([(out.value_, ops.ones_like(out))])
    monkeypatch.undo()
    expected = ms.grad(lambda x: ops.GeLU()(x) * ops.GeLU()(x + y))(x)
    assert grads[x.value_].asnumpy().tobytes() == expected.asnumpy().tobytes()
    assert saved_bytes(tape) == 0


def test_what_two_ops_make_alike_is_saved_once() -> None:
    function, x, size = CASES["a convolution by its weight"]
    tape, out = taped(lambda x: function(x) + function(x), x)
    assert saved_bytes(tape) == tape.saved._nbytes == size
    tape.backward([(out.value_, ops.ones_like(out))])
    assert saved_bytes(tape) == tape.saved._nbytes == 0


def test_take_returns_each_saved_intermediate_once() -> None:
    stored, prim, x = SavedIntermediates(), ops.GeLU(), np.zeros(3)
    stored.store(np.ones(3), (prim,), (x,))
    assert stored.take((prim,), (np.zeros(3),)) is None
    assert stored.take((ops.SiLU(),), (x,)) is None
    assert stored.take((prim,), (x,)) is not None
    assert stored.take((prim,), (x,)) is None


def test_arrays_of_a_gradient_go_without_the_garbage_collector(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A step that held them in a cycle would double what training needs."""
    net = nn.SequentialCell(nn.Conv2d(16, 16, 3, pad_mode="pad", padding=1), nn.GELU())
    x, seen, original_store = random_tensor(8, 16, 8, 16), list[Any](), SavedIntermediates.store

    def watched(self: SavedIntermediates, actual: np.ndarray, *rest: Any) -> None:
        seen.append(weakref.ref(actual))
        original_store(self, actual, *rest)

    monkeypatch.setattr(SavedIntermediates, "store", watched)
    gc.disable()
    try:
        ms.value_and_grad(net, None, net.trainable_params())(x)
        assert len(seen) == 2 and [output() for output in seen] == [None, None]
    finally:
        gc.enable()


def test_a_recomputed_cell_has_the_gradients_of_a_plain_cell() -> None:
    net = nn.SequentialCell(nn.Conv2d(16, 16, 3, pad_mode="pad", padding=1), nn.GELU())
    x = random_tensor(8, 16, 8, 16)
    expected = ms.grad(net, None, net.trainable_params())(x)
    net.recompute()
    gradient = ms.grad(net, None, net.trainable_params())(x)
    for a, b in zip(expected, gradient, strict=True):
        assert a.asnumpy().tobytes() == b.asnumpy().tobytes()
