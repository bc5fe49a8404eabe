"""Tracing: what Python in construct does, and gradients of it."""

from __future__ import annotations

import gc
import sys
import time
import types
import weakref
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor, context, nn, ops
from minispore.graph import cache, jit, program_of
from minispore.graph.staging import get_undecorated
from minispore.graph.state import code_origin
from minispore.graph.state.scanner import DependencyScanner
from tests.graph.test_trace import compiler

# -- gradients ------------------------------------------------------------------------------------


def test_a_gradient_inside_a_graph_and_a_gradient_of_it() -> None:
    cube = lambda x: x * x * x  # noqa: E731
    first, second = jit(ms.grad(cube)), jit(ms.grad(ms.grad(cube)))
    assert first(Tensor(2.0)).asnumpy() == 12.0
    assert second(Tensor(2.0)).asnumpy() == 12.0


def test_value_and_grad_is_one_graph_in_graph_mode(graph_mode: None) -> None:
    net = nn.Dense(3, 2)
    step = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())
    x = Tensor(np.ones((4, 3), np.float32))
    before = compiler.compiles
    _, grads = step(x)
    step(x)
    assert compiler.compiles == before + 1
    assert grads[1].asnumpy().tolist() == [4.0, 4.0]


def test_a_custom_bprop_inside_a_graph(graph_mode: None) -> None:
    class Scale(nn.Cell):
        def construct(self, x: Tensor) -> Tensor:
            return x * 2.0

        def bprop(self, x: Tensor, out: Tensor, dout: Tensor) -> tuple:
            return (dout * 100.0,)

    assert ms.grad(Scale())(Tensor([1.0])).asnumpy().tolist() == [100.0]


def test_a_jitted_function_inside_a_pynative_gradient() -> None:
    square = jit(lambda x: x * x)
    assert ms.grad(lambda x: square(x) * 3.0)(Tensor(2.0)).asnumpy() == 12.0


def test_input_signature_is_checked() -> None:
    @jit(input_signature=Tensor(np.zeros((2,), np.float32)))
    def f(x: Tensor) -> Tensor:
        return x

    f(Tensor([1.0, 2.0]))
    with pytest.raises(TypeError, match=r"input 0 of f must be float32\[2\]"):
        f(Tensor([1.0]))


def test_the_cache_is_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    @jit
    def f(x: Tensor, k: int) -> Tensor:
        return x * k

    def entries() -> list[Any]:
        reference = compiler.cache.entries.get(get_undecorated(f), {})
        return [entry for versions in reference.values() for entry in versions]

    monkeypatch.setattr(compiler, "cache", cache.Cache())  # with nothing that others have left
    monkeypatch.setattr(cache, "CACHE_BYTES", 50_000)
    before = compiler.compiles
    for k in range(100):
        f(Tensor([1.0]), 0)  # the one that is used most stays
        f(Tensor([1.0]), k)
    assert (
        sum(e.retained_bytes for e in every_entry())
        <= cache.CACHE_BYTES + entries()[0].retained_bytes
    )
    assert 1 < len(entries()) < 100
    assert compiler.compiles == before + 100


def every_entry() -> list[Any]:
    """All entries of the cache."""
    actual = compiler.cache.entries.values()
    return [entry for reference in actual for versions in reference.values() for entry in versions]


def test_a_traced_graph_goes_with_its_program(monkeypatch: pytest.MonkeyPatch) -> None:
    @jit
    def f(x: Tensor) -> Tensor:
        return x * x

    f(Tensor([1.0]))
    program = next(e for e in every_entry() if e.name.endswith("f") and e.last_program).last_program
    gone = [weakref.ref(program), weakref.ref(program.traced), weakref.ref(program.plan)]
    del program
    monkeypatch.setattr(cache, "CACHE_BYTES", 0)
    f(Tensor([1.0, 2.0]))
    gc.collect()
    assert [ref() for ref in gone] == [None] * 3


def test_a_program_can_be_had_without_running_it() -> None:
    p = Parameter(Tensor([1.0]), name="p")

    def f(x: Tensor) -> Tensor:
        ops.assign(p, x)
        return x

    program = program_of(f, Tensor([3.0]))
    assert program.peak_bytes > 0
    assert p.asnumpy().tolist() == [1.0]


# -- Python in construct --------------------------------------------------------------------------


def test_hypermap_and_multitypefuncgraph_work_inside_a_graph() -> None:
    scale = ops.MultitypeFuncGraph("scale")

    @scale.register("Number", "Tensor")
    def _scaled(k: float, x: Tensor) -> Tensor:
        return x * k

    hyper_map = ops.HyperMap()

    @jit
    def f(xs: tuple) -> tuple:
        return hyper_map(ops.partial(scale, 3.0), xs)

    out = f((Tensor([1.0]), (Tensor([2.0]), Tensor([4.0]))))
    assert [out[0].asnumpy()[0], out[1][0].asnumpy()[0], out[1][1].asnumpy()[0]] == [3.0, 6.0, 12.0]


def test_closures_lists_and_dicts_of_tensors_are_plain_python() -> None:
    def adder(k: Tensor) -> object:
        return lambda x: x + k

    @jit
    def f(x: Tensor) -> Tensor:
        parts = {"a": [x, x * 2.0]}
        parts["a"].append(adder(parts["a"][1])(x))
        return sum(parts["a"][1:], x)

    assert f(Tensor([1.0])).asnumpy()[0] == 1.0 + 2.0 + 3.0


def test_a_parameter_shared_by_two_cells_gets_both_gradients(graph_mode: None) -> None:
    class Tied(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.a = nn.Dense(2, 2, has_bias=False)
            self.b = nn.Dense(2, 2, has_bias=False)
            self.b.weight = self.a.weight

        def construct(self, x: Tensor) -> Tensor:
            return self.b(self.a(x)).sum()

    net = Tied()
    assert len(net.trainable_params()) == 1
    w = net.a.weight
    w.set_data(Tensor([[1.0, 0.0], [0.0, 1.0]]))
    grads = ms.grad(net, None, (w,))(Tensor([[1.0, 2.0]]))
    # y = sum(W W x): dW[i, j] = x[j] through the outer factor + (column sums of W)[i] x[j] = 2 x[j]
    assert grads[0].asnumpy().tolist() == [[2.0, 4.0], [2.0, 4.0]]


def test_dropout_draws_anew_each_step_and_the_same_in_both_modes() -> None:
    x = Tensor(np.ones((4, 64), np.float32))
    samples = []
    for mode in (context.GRAPH_MODE, context.PYNATIVE_MODE):
        context.set_context(mode=mode)
        ms.set_seed(5)
        net = nn.Dropout(p=0.5)
        net.set_train()
        samples.append([net(x).asnumpy() for _ in range(3)])
    assert not np.array_equal(samples[0][0], samples[0][1])
    assert all(np.array_equal(a, b) for a, b in zip(*samples))


def test_print_inside_a_branch_prints_once_in_program_order(
    capsys: pytest.CaptureFixture,
) -> None:
    @jit
    def f(x: Tensor) -> Tensor:
        ops.Print()("first")
        if x.sum() > 0:
            ops.Print()("positive")
        return x

    for value in (1.0, -1.0, 1.0):
        f(Tensor([value]))
    lines = [line for line in capsys.readouterr().out.splitlines() if line]
    assert lines == ["first", "positive", "first", "first", "positive"]


@pytest.mark.parametrize("how", [{}, {"mode": "PSJit"}, {"backend": "ms_backend"}])
@pytest.mark.parametrize("name", ["function", "fn"])
def test_jit_takes_the_function_by_the_name_of_each_version(name: str, how: dict) -> None:
    assert jit(**{name: lambda x: x * 2}, **how)(Tensor([1.0])).asnumpy().tolist() == [2.0]
    assert jit(**how)(lambda x: x * 2)(Tensor([1.0])).asnumpy().tolist() == [2.0]


@pytest.mark.parametrize(
    "option, value",
    [("capture_mode", "tracing"), ("jit_level", "O9"), ("dynamic", 7), ("fullgraph", 3)],
)
def test_jit_refuses_a_value_that_an_option_does_not_have(option: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"jit: {option} must be one of .*, got {value!r}"):
        jit(**{option: value})


def test_jit_refuses_what_is_no_function() -> None:
    with pytest.raises(TypeError, match="jit: function must be callable, got 3"):
        jit(3)


WEIGHTS = np.array([2.0, 3.0], np.float32)


def test_a_graph_takes_an_array_of_the_module() -> None:
    @ms.jit
    def weighted(x: Tensor) -> Tensor:
        return x * Tensor(WEIGHTS)

    assert weighted(Tensor([1.0, 2.0])).asnumpy().tolist() == [2, 6]


# -- containers of one's own -----------------------------------------------------------------------


class Lazy(OrderedDict):
    """What it shows is made at the first look, and some of it can't be."""

    def keys(self) -> Any:
        raise ValueError("looked at")

    values = items = __iter__ = keys


class LazyList(list):
    def __iter__(self) -> Any:
        raise ValueError("looked at")


class LazySet(set):
    def __iter__(self) -> Any:
        raise ValueError("looked at")


@pytest.mark.parametrize(
    ("table", "change"),
    [
        (Lazy(a=2.0), lambda t: t.update(a=3.0)),
        (LazyList([2.0]), lambda t: t.append(3.0)),
        (LazySet([2.0]), lambda t: t.add(3.0)),
    ],
    ids=["dict", "list", "set"],
)
def test_tracing_never_iterates_a_container_with_custom_iteration(table: Any, change: Any) -> None:
    def scaled(x: Tensor) -> Tensor:
        return x * len(table)

    compiled = jit(scaled)
    before = compiler.compiles
    assert compiled(Tensor(2.0)).asnumpy() == 2.0
    change(table)
    assert compiled(Tensor(2.0)).asnumpy() == 2.0 * len(table)
    assert compiler.compiles > before


def test_a_walk_ends_where_it_leads_outside() -> None:
    def timed(x: Tensor) -> Tensor:
        return x * (time.time() > 0)

    later = DependencyScanner()
    later.scan(timed)
    actual = len(later.functions)
    later.scan(test_a_gradient_inside_a_graph_and_a_gradient_of_it)
    assert (actual, len(later.functions)) == (1, 1)
    assert later.untraceable is not None


def test_a_script_is_the_users_code_although_an_installed_package_launched_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    launcher = types.ModuleType("__main__")
    launcher.__file__ = pytest.__file__
    monkeypatch.setitem(sys.modules, "__main__", launcher)
    code_origin._is_foreign.cache_clear()
    assert code_origin.is_user_code("__main__")
