"""Updates of Parameters, op by op: their calls are bound to what stays where it is."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor
from minispore.core.primitive import Primitive
from minispore.ir.registry import registry
from minispore.ops.optim.updates import BLOCK, _Passes

pytestmark = pytest.mark.usefixtures("op_by_op")

OPS = {
    "Adam": (3, [0.81, 0.998, 0.01, 0.9, 0.999, 1e-8]),
    "AdamWeightDecay": (3, [0.01, 0.9, 0.999, 1e-8, 0.1]),
    "ApplyMomentum": (2, [0.01]),
}
CASES = [
    (name, nesterov)
    for name in OPS
    for nesterov in (False, True)
    if not nesterov or "use_nesterov" in registry[name].fields
]


def make_op(name: str, nesterov: bool) -> Primitive:
    return registry[name](**({"use_nesterov": True} if nesterov else {}))


def state(name: str, shape: tuple[int, ...], dtype: str = "float32") -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.random(shape).astype(dtype) for _ in range(OPS[name][0])]


def inputs(name: str, of: list[Any], scale: float, gradient: Any, kind: Any) -> list[Any]:
    numbers = [kind(np.array(n * scale, np.float32)) for n in OPS[name][1]]
    trailing = [kind(np.array(0.9, np.float32))] if name == "ApplyMomentum" else []
    return [*of, *numbers, gradient, *trailing]


def test_all_multi_pass_updates_are_listed() -> None:
    results = {n for n, op in registry.items() if issubclass(op, _Passes)}
    assert results == OPS.keys()


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("shape", [(), (5, 7), (BLOCK + 3,), (5, BLOCK // 2)], ids=str)
@pytest.mark.parametrize(("name", "nesterov"), CASES)
def test_each_step_has_the_bits_of_the_kernel(
    name: str, nesterov: bool, shape: tuple[int, ...], dtype: str
) -> None:
    op, arrays = make_op(name, nesterov), state(name, shape, dtype)
    params = [Parameter(a.copy(), name=f"p{i}") for i, a in enumerate(arrays)]
    rng = np.random.default_rng(1)
    for step in range(5):
        turned = np.array(rng.standard_normal(shape[::-1]), dtype)
        tensor = Tensor(turned).T if shape and step % 2 else Tensor(turned.T.copy())
        op(*inputs(name, params, 0.9**step, tensor, Tensor))
        reference = [Parameter(a.copy(), name=f"a{i}") for i, a in enumerate(arrays)]
        op(*inputs(name, reference, 0.9**step, tensor, Tensor))  # for the first time
        arrays = [a.asnumpy().copy() for a in reference]
        assert [p.asnumpy().tobytes() for p in params] == [a.tobytes() for a in arrays]


def test_passes_are_emitted_for_the_first_two_steps_only(monkeypatch: pytest.MonkeyPatch) -> None:
    op, times = make_op("Adam", False), []
    passes = type(op).emit_passes

    def counted(self: Any, *args: Any) -> Any:
        times.append(1)
        return passes(self, *args)

    monkeypatch.setattr(type(op), "emit_passes", counted)
    params = [Parameter(a, name=f"p{i}") for i, a in enumerate(state("Adam", (5,)))]
    for step in range(6):
        op(*inputs("Adam", params, 0.5**step, Tensor(np.ones(5, np.float32)), Tensor))
    assert len(times) == 2


@pytest.mark.parametrize("how", ["set_data", "set_dtype", "new array", "other moments"])
def test_a_bound_update_follows_a_parameter_whose_array_was_replaced(how: str) -> None:
    op, grad = make_op("ApplyMomentum", False), Tensor(np.ones(3, np.float32))
    w, m = (Parameter(np.zeros(3, np.float32), name=n) for n in "wm")
    for _ in range(3):
        op(w, m, 0.5, grad, 0.5)
    if how == "set_data":
        w.set_data(Tensor(np.full(3, 8.0, np.float32)))
    elif how == "set_dtype":
        w.set_dtype(ms.float64)
        m.set_dtype(ms.float64)
        grad = grad.astype(ms.float64)
    elif how == "new array":
        w.set_value_(Tensor(np.full(3, 8.0, np.float32))._value)
    else:
        m = Parameter(np.zeros(3, np.float32), name="other")
    for _ in range(3):
        expected_params = [Parameter(p.asnumpy().copy(), name="apart") for p in (w, m)]
        op(w, m, 0.5, grad, 0.5)
        op(*expected_params, 0.5, grad, 0.5)  # for the first time
        for actual, expected in zip((w, m), expected_params, strict=True):
            assert np.array_equal(actual.asnumpy(), expected.asnumpy())


def test_bound_updates_keep_no_reference_to_deleted_parameters() -> None:
    op = make_op("Adam", False)
    params = [Parameter(a, name=f"p{i}") for i, a in enumerate(state("Adam", (BLOCK + 1,)))]
    for _ in range(3):
        op(*inputs("Adam", params, 1.0, Tensor(np.ones(BLOCK + 1, np.float32)), Tensor))
    left = [weakref.ref(p) for p in params] + [weakref.ref(p._value.data) for p in params]
    del params
    gc.collect()
    assert [ref() for ref in left] == [None] * 6


def test_the_moments_of_an_optimizer_go_when_it_goes() -> None:
    op = make_op("Adam", False)
    params = [Parameter(a, name=f"p{i}") for i, a in enumerate(state("Adam", (9,)))]
    for _ in range(3):
        op(*inputs("Adam", params, 1.0, Tensor(np.ones(9, np.float32)), Tensor))
    stored, left = params[0], [weakref.ref(p._value.data) for p in params[1:]]
    del params
    gc.collect()
    assert [ref() for ref in left] == [None] * 2 and stored.shape == (9,)
