"""Tracing: what becomes a graph, what a graph is built on, and what can't be one."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor, context, nn, ops
from minispore.core.initializer import initializer
from minispore.errors import GraphModeError
from minispore.graph import compiler as front
from minispore.graph import jit

compiler = front.compiler


def test_a_traced_function_gives_what_python_gives() -> None:
    @jit
    def f(x: Tensor, y: Tensor) -> Tensor:
        return (x + y) * x - 2.0

    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 5.0])
    assert f(x, y).asnumpy().tolist() == [2.0, 12.0]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_decorated_class_stays_a_class(mode: int) -> None:
    ms.set_context(mode=mode)

    @jit
    class Scale(nn.Cell):
        def __init__(self) -> None:
            super(Scale, self).__init__()  # noqa: UP008
            self.by = 2

        def construct(self, x: Tensor) -> Tensor:
            assert x._value.data is None  # a graph is made of it
            return x * self.by

    class More(Scale):
        def construct(self, x: Tensor) -> Tensor:
            return super().construct(x) + 1

    @jit
    class Plain:
        def times(self, x: int) -> int:
            return 2 * x

    assert isinstance(Scale(), Scale)
    assert Scale()(Tensor([3.0])).asnumpy().tolist() == [6]
    assert More()(Tensor([3.0])).asnumpy().tolist() == [7]
    assert Plain().times(3) == 6


def test_tuples_lists_dicts_and_constants_come_out_as_they_went_in() -> None:
    @jit
    def f(x: Tensor) -> dict:
        return {"a": [x, x + 1.0], "b": (x * 2.0, 7, None, "text")}

    out = f(Tensor([1.0]))
    assert out["a"][1].asnumpy().tolist() == [2.0]
    assert out["b"][1:] == (7, None, "text")


def test_a_second_call_does_not_retrace() -> None:
    @jit
    def f(x: Tensor) -> Tensor:
        return x + 1.0

    before = compiler.compiles
    for _ in range(3):
        f(Tensor([1.0]))
    f(Tensor([1.0, 2.0]))
    assert compiler.compiles - before == 2


@pytest.mark.parametrize(
    "again, reason",
    [
        ((Tensor([1.0, 2.0]), 1), "new shape: input 0 became float32[2], was float32[1]"),
        ((Tensor([1]), 1), "new dtype: input 0 became int64[1], was float32[1]"),
        ((Tensor([1.0]), 2), "new constant"),
        ((Tensor([1.0]), 1.0), "new constant"),
        ((Tensor([1.0]), True), "new constant"),
    ],
)
def test_a_recompile_has_a_reason(again: tuple, reason: str) -> None:
    @jit
    def f(x: Tensor, k: float) -> Tensor:
        return x * k

    f(Tensor([1.0]), 1)
    f(*again)
    assert compiler.recompiles[-1].startswith(f"f: {reason}")


def test_a_changed_train_flag_or_attribute_recompiles_with_that_reason(graph_mode: None) -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.factor = 2.0

        def construct(self, x: Tensor) -> Tensor:
            return x * self.factor if self.training else x

    net, x = Net(), Tensor([3.0])
    assert net(x).asnumpy().tolist() == [3.0]
    net.set_train(True)
    assert net(x).asnumpy().tolist() == [6.0]
    assert "train flag of Net became True" in compiler.recompiles[-1]
    net.factor = 5.0
    assert net(x).asnumpy().tolist() == [15.0]
    assert "an attribute of Net changed" in compiler.recompiles[-1]


def test_print_recompiles_prints_the_reason(capsys: pytest.CaptureFixture) -> None:
    f = jit(lambda x: x + 1.0)
    f(Tensor([1.0]))
    context.set_context(print_recompiles=True)
    f(Tensor([1.0, 2.0]))
    assert capsys.readouterr().err == (
        "recompile <lambda>: new shape: input 0 became float32[2], was float32[1]\n"
    )


def test_train_and_eval_graphs_both_stay(graph_mode: None) -> None:
    net, x = nn.Dropout(p=0.5), Tensor(np.ones(4, np.float32))
    net.set_train(True)
    net(x)
    net.set_train(False)
    net(x)
    before = compiler.compiles
    for flag in (True, False, True):
        net.set_train(flag)
        net(x)
    assert compiler.compiles == before


def test_a_parameter_is_state_and_an_update_is_seen_after_the_call() -> None:
    p = Parameter(Tensor([1.0]), name="p")

    @jit
    def f(x: Tensor) -> Tensor:
        ops.assign(p, p * 2.0)
        return p + x

    assert f(Tensor([10.0])).asnumpy().tolist() == [12.0]
    assert p.asnumpy().tolist() == [2.0]
    assert f(Tensor([10.0])).asnumpy().tolist() == [14.0]


def test_reads_before_and_after_an_assign_see_old_and_new() -> None:
    p = Parameter(Tensor([1.0]), name="p")

    @jit
    def f() -> tuple:
        old = p + 0.0
        ops.assign(p, p + 1.0)
        return old, p + 0.0

    old, new = f()
    assert (old.asnumpy()[0], new.asnumpy()[0]) == (1.0, 2.0)


def test_set_data_between_calls_is_seen() -> None:
    p = Parameter(Tensor([1.0]), name="p")
    f = jit(lambda x: p * x)
    assert f(Tensor([2.0])).asnumpy()[0] == 2.0
    p.set_data(Tensor([10.0]))
    assert f(Tensor([2.0])).asnumpy()[0] == 20.0


def test_results_are_not_overwritten_by_the_next_call() -> None:
    f = jit(lambda x: x + 1.0)
    first = f(Tensor([1.0]))
    f(Tensor([5.0]))
    assert first.asnumpy().tolist() == [2.0]


# -- control flow on values -----------------------------------------------------------------------


def test_both_branches_of_an_if_on_a_value_are_traced() -> None:
    @jit
    def f(x: Tensor) -> Tensor:
        if x.sum() > 0:
            return x * 10.0
        return x - 1.0

    before = compiler.compiles
    for value, expected in ((1.0, 10.0), (-1.0, -2.0), (2.0, 20.0), (-3.0, -4.0)):
        assert f(Tensor([value])).asnumpy()[0] == expected
    assert compiler.compiles - before == 2


def test_a_while_on_a_value_runs_as_often_as_python_would() -> None:
    @jit
    def f(x: Tensor) -> Tensor:
        while x.sum() < 10.0:
            x = x * 2.0
        return x

    for start, expected in ((1.0, 16.0), (3.0, 12.0), (20.0, 20.0), (1.0, 16.0)):
        assert f(Tensor([start])).asnumpy()[0] == expected


def test_a_for_over_a_tensor_count_specialises_on_the_count() -> None:
    @jit
    def f(x: Tensor, n: Tensor) -> Tensor:
        for _ in range(n):
            x = x + 1.0
        return x

    assert [f(Tensor([0.0]), Tensor(n)).asnumpy()[0] for n in (3, 0, 3)] == [3.0, 0.0, 3.0]


def test_a_failed_guard_has_no_effect_before_the_right_branch_runs() -> None:
    p = Parameter(Tensor([0.0]), name="p")

    @jit
    def f(x: Tensor) -> Tensor:
        ops.assign(p, p + 1.0)
        if x.sum() > 0:
            ops.assign(p, p * 10.0)
        return p + 0.0

    got = [f(Tensor([v])).asnumpy()[0] for v in (1.0, -1.0, 1.0, -1.0)]
    assert got == [10.0, 11.0, 120.0, 121.0]


def test_a_failed_guard_after_a_multi_step_op_repeats_no_update() -> None:
    class Counted(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.n = nn.Conv2d(1, 4, 3), Parameter(Tensor([0.0]), name="n")

        def construct(self, x: Tensor) -> Tensor:
            y = self.conv(x).sum() * 0
            ops.assign_add(self.n, Tensor([1.0]))
            return y + 1 if y + x.sum() > 0 else y - 1

    net = Counted()
    for sign in (1, 1, -1, 1, -1):
        net(Tensor(np.full((1, 1, 4, 4), sign, np.float32)))
    assert net.n.asnumpy().tolist() == [5.0]


def test_a_failed_guard_does_not_draw_twice() -> None:
    def f(x: Tensor) -> Tensor:
        y = ops.Dropout(0.5)(ops.ones_like(x))[0]
        return y * 2.0 if x.sum() > 0 else y * 3.0

    values = [1.0, -1.0, 1.0, -1.0, -1.0]
    inputs = [Tensor(np.full(64, v, np.float32)) for v in values]
    ms.set_seed(3)
    by_op = [f(x).asnumpy() for x in inputs]
    ms.set_seed(3)
    graph = jit(f)
    assert all(np.array_equal(graph(x).asnumpy(), expected) for x, expected in zip(inputs, by_op))


def test_a_branch_on_a_random_draw_is_a_graph_of_each_outcome() -> None:
    def f(x: Tensor) -> Tensor:
        y = ops.Dropout(0.5)(x)[0]
        return y * 2.0 if y.sum() > 0 else y - 1.0

    x = Tensor([1.0])
    ms.set_seed(3)
    by_op = [f(x).asnumpy()[0] for _ in range(20)]
    ms.set_seed(3)
    graph = jit(f)
    compiled = compiler.compiles
    assert [graph(x).asnumpy()[0] for _ in range(20)] == by_op
    assert set(by_op) == {4.0, -1.0}
    assert compiler.compiles - compiled == 2


def test_a_loop_that_waits_for_a_draw_runs_op_by_op() -> None:
    @jit
    def f(x: Tensor) -> Tensor:
        while True:
            y = ops.Dropout(0.5)(x)[0]
            if y.sum() > 0:
                return y

    with pytest.warns(RuntimeWarning, match="random draw"):
        assert f(Tensor([1.0])).asnumpy()[0] == 2.0


def test_an_error_in_an_unreached_branch_is_not_raised() -> None:
    @jit
    def f(x: Tensor) -> Tensor:
        y = ops.Dropout(0.999)(x)[0]
        if y.sum() > 0:
            return y
        raise AssertionError("nothing is left")

    with pytest.warns(RuntimeWarning, match="raised AssertionError"):
        assert f(ops.ones(8, ms.float32)).shape == (8,)


def test_past_the_bound_of_branches_it_runs_op_by_op_with_one_warning() -> None:
    @jit
    def f(x: Tensor, n: Tensor) -> Tensor:
        for _ in range(n):
            x = x + 1.0
        return x

    with pytest.warns(RuntimeWarning, match="runs op by op, since more than 16") as seen:
        got = [f(Tensor([0.0]), Tensor(n)).asnumpy()[0] for n in range(20)]
    assert got == list(range(20))
    assert len(seen) == 1
    assert "test_trace.py:" in str(seen[0].message)


def test_an_op_whose_shape_depends_on_values_runs_op_by_op_with_one_warning() -> None:
    @jit
    def f(x: Tensor) -> Tensor:
        return x[x > 0] + 1

    with pytest.warns(RuntimeWarning, match="shape of its output depends on values") as seen:
        assert f(Tensor([0, 5])).asnumpy().tolist() == [6]
        assert f(Tensor([5, 3])).asnumpy().tolist() == [6, 4]
    assert len(seen) == 1


# -- what a trace leaves behind -------------------------------------------------------------------


def test_a_tensor_constructed_inside_a_graph_may_change_in_place() -> None:
    @jit
    def f(x: Tensor) -> Tensor:
        tensor = Tensor([0.0, 0.0])
        tensor[1] = x[0]
        return tensor

    assert f(Tensor([4.0])).asnumpy().tolist() == [0.0, 4.0]


def test_an_error_in_construct_propagates_and_later_traces_succeed() -> None:
    @jit
    def f(x: Tensor) -> Tensor:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        f(Tensor([1.0]))
    assert jit(lambda x: x + 1.0)(Tensor([1.0])).asnumpy()[0] == 2.0


def test_parameters_of_a_function_graph_must_have_unique_names() -> None:
    a, b = (Parameter(Tensor([float(i)]), name="x") for i in (1, 2))
    names = "its name 'x' already exists"
    with pytest.raises(ValueError, match=names):
        ms.jit(lambda x, y: x + y)(a, b)
    with pytest.raises(RuntimeError, match=names):
        ms.jit(lambda x: x + a + b)(Tensor([1.0]))
    assert ms.jit(lambda x, y: x + y + a)(a, a).asnumpy().tolist() == [3.0]
    assert (a + b).asnumpy().tolist() == [3.0]


@pytest.mark.parametrize("mode", [context.PYNATIVE_MODE, context.GRAPH_MODE])
def test_an_input_parameter_may_share_the_name_of_a_cell_parameter(mode) -> None:
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([1.0]), name="w")

        def construct(self, x, a, b):
            return x * self.w + a * b

    net, x, other = Net(), Tensor([2.0]), Parameter(Tensor([3.0]), name="w")
    context.set_context(mode=mode)
    assert net(x, other, other).asnumpy().tolist() == [11.0]
    assert net(x, x, other).asnumpy().tolist() == [8.0]
    assert net(x, net.w, net.w).asnumpy().tolist() == [3.0]
    assert ms.grad(net)(x, other, other).asnumpy().tolist() == [1.0]


@pytest.mark.parametrize("mode", [context.PYNATIVE_MODE, context.GRAPH_MODE])
def test_layers_that_a_cell_hides_in_a_tuple_may_share_names_in_both_modes(mode) -> None:
    class Net(nn.Cell):
        def __init__(self, *layers):
            super().__init__()
            self.layers = layers

        def construct(self, x):
            return self.layers[0](x) + self.layers[1](x)

    context.set_context(mode=mode)
    layers = [nn.Dense(1, 1, weight_init="ones", bias_init="zeros") for _ in range(2)]
    assert Net(*layers)(Tensor([[1.0]])).asnumpy().tolist() == [[2.0]]


def test_a_cell_that_did_not_begin_says_so_in_a_graph() -> None:
    class Net(nn.Cell):
        def __init__(self):
            self.a = 1

        def construct(self):
            return self.a

    context.set_context(mode=context.GRAPH_MODE)
    with pytest.raises(AttributeError, match=r"call super\(\).__init__\(\) there first"):
        Net()()


def test_an_uninitialized_tensor_is_reported_as_without_content() -> None:
    f = jit(lambda x: x + initializer("ones", (1,)))
    with (
        pytest.warns(RuntimeWarning, match="a tensor without content, or of another graph"),
        pytest.raises(GraphModeError, match=r"If initializer\(\) made it, call init_data"),
    ):
        f(Tensor([1.0]))
