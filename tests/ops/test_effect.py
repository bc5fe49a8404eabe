"""Ops with effects: the queue, printing, hooks, functions of the user, assignments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor, ops
from minispore.ir import runtime


class Queue:
    """A runtime whose queues hold what the test put there."""

    def __init__(self, batches: list[tuple[np.ndarray, ...]]) -> None:
        self.batches = iter(batches)
        self.host = runtime.HostRuntime()
        self.execute, self.launch = self.host.execute, self.host.launch

    def fetch(self, queue_name: str) -> tuple[np.ndarray, ...]:
        assert queue_name == "q"
        return next(self.batches)


@pytest.fixture
def queue() -> Iterator[None]:
    one, two = np.float32([[1, 2]]), np.int32([3])
    old = runtime.install_runtime(Queue([(one, two), (one + 1, two + 1)]))
    yield
    runtime.install_runtime(old)


# -- GetNext --------------------------------------------------------------------------------------


def test_getnext_gives_the_columns_of_one_batch_after_the_other(queue: None) -> None:
    get_next = ops.GetNext([ms.float32, ms.int32], [(1, 2), (1,)], 2, "q")
    x, y = get_next()
    assert x.asnumpy().tolist() == [[1, 2]] and y.asnumpy().tolist() == [3]
    assert get_next()[1].asnumpy().tolist() == [4]


def test_getnext_gives_a_tuple_even_of_one_column() -> None:
    old = runtime.install_runtime(Queue([(np.float32([1]),)]))
    try:
        assert isinstance(ops.GetNext([ms.float32], [(1,)], 1, "q")(), tuple)
    finally:
        runtime.install_runtime(old)


def test_getnext_knows_its_specs_before_a_batch_comes() -> None:
    specs = ops.GetNext([ms.float32, ms.int32], [[1, 2], [1]], 2, "q").infer()
    assert [(s.shape, s.dtype.name) for s in specs] == [((1, 2), "float32"), ((1,), "int32")]


@pytest.mark.parametrize(
    ("args", "error", "says"),
    [
        (("float32", [(1,)], 1, "q"), TypeError, "types must be a list or tuple"),
        (([ms.float32], 3, 1, "q"), TypeError, "shapes must be a list or tuple"),
        (([ms.float32], [], 1, "q"), ValueError, "of equal length, got 1 and 0"),
        (([ms.float32], [(1,)], 1.0, "q"), TypeError, "output_num must be an int"),
        (([ms.float32], [(1,)], True, "q"), TypeError, "output_num must be an int"),
    ],
)
def test_getnext_refuses(args: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        ops.GetNext(*args)


@pytest.mark.parametrize("args", [([3], [(1,)], 7, 5), ([], [], 0, None)])
def test_getnext_leaves_unchecked_what_mindspore_leaves_unchecked(args: Any) -> None:
    ops.GetNext(*args)


def test_getnext_on_the_host_says_that_the_cpu_has_no_queues() -> None:
    old = runtime.install_runtime(runtime.HostRuntime())
    try:
        with pytest.raises(RuntimeError, match=r"[Uu]nsupported op \[GetNext\] on CPU"):
            ops.GetNext([ms.float32], [(1,)], 1, "q")()
    finally:
        runtime.install_runtime(old)


# -- Print ----------------------------------------------------------------------------------------


def test_print_writes_text_and_tensors_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    ops.Print()("x is", Tensor([1, 2]), 3)
    assert capsys.readouterr().out == "x is\nTensor(shape=[2], dtype=Int64, value= [1, 2])\n3\n"


def test_print_prints_each_time_a_graph_runs(capsys: pytest.CaptureFixture[str]) -> None:
    @ms.jit
    def f(x: Tensor) -> Tensor:
        ops.print_("x:", x)
        return x + 1

    f(Tensor(1.0))
    f(Tensor(2.0))
    out = capsys.readouterr().out
    assert out.count("x:") == 2 and "value= 2)" in out


# -- assignments ----------------------------------------------------------------------------------


def test_assign_changes_the_parameter_and_returns_its_content() -> None:
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    assert ops.assign(p, Tensor([5.0, 6.0])).asnumpy().tolist() == [5, 6]
    assert p.asnumpy().tolist() == [5, 6]


def test_assign_add_and_sub_take_numbers() -> None:
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    ops.assign_add(p, 2.0)
    ops.assign_sub(p, Tensor(0.5))
    assert p.asnumpy().tolist() == [2.5, 3.5]


def test_what_was_read_before_an_assignment_stays() -> None:
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    first, same, loaded = p[0], ops.identity(p), ops.Load()(p)
    ops.assign(p, Tensor([5.0, 6.0]))
    assert (float(first), same.asnumpy().tolist(), loaded.asnumpy().tolist()) == (1, [1, 2], [1, 2])


def test_assignment_to_a_tensor_leaves_its_views_unchanged() -> None:
    x = Tensor([1.0, 2.0])
    view = x.reshape(2, 1)
    ops.assign_add(x, 1.0)
    assert x.asnumpy().tolist() == [2, 3] and view.asnumpy().tolist() == [[1], [2]]


def test_a_refused_assignment_changes_nothing() -> None:
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    with pytest.raises(ValueError, match="variable's shape"):
        ops.assign(p, Tensor([5.0]))
    with pytest.raises(TypeError, match="must fit into the variable"):
        ops.assign(Parameter(Tensor([1, 2]), name="q"), Tensor([5.0, 1.0]))
    assert p.asnumpy().tolist() == [1, 2]


def test_a_scatter_with_a_bad_index_changes_nothing() -> None:
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    with pytest.raises(RuntimeError, match=r"in \[0, 2\), got 7"):
        ops.scatter_update(p, Tensor([0, 7]), Tensor([5.0, 6.0]))
    assert p.asnumpy().tolist() == [1, 2]


# -- order ----------------------------------------------------------------------------------------


def test_depend_gives_its_value_whatever_it_depends_on() -> None:
    x = Tensor([1.0])
    assert ops.depend(x, (Tensor(1), None, [Tensor(2)])) is x


def test_effects_keep_their_order_in_a_graph() -> None:
    p = Parameter(Tensor([1.0]), name="p")

    @ms.jit
    def f(x: Tensor) -> Tensor:
        before = p + 0
        ops.assign(p, x)
        return ops.depend(before, p) + p * 10

    assert f(Tensor([3.0])).asnumpy().tolist() == [31]


# -- hooks ----------------------------------------------------------------------------------------


def test_hookbackward_sees_the_gradients_as_a_tuple_and_leaves_them() -> None:
    seen: list[Any] = []
    hook = ops.HookBackward(seen.append)
    grad = ms.grad(lambda x: hook(x * 2) * 3)(Tensor(1.0))
    assert float(grad) == 6
    assert [float(g) for g in seen[0]] == [3]


def test_hookbackward_replaces_several_gradients() -> None:
    hook = ops.HookBackward(lambda grads: (grads[0] * 10, grads[1] * 100))

    def f(x: Tensor, y: Tensor) -> Tensor:
        x, y = hook(x, y)
        return x + y

    assert [float(g) for g in ms.grad(f, (0, 1))(Tensor(1.0), Tensor(1.0))] == [10, 100]


def test_hookbackward_refuses_a_gradient_of_another_shape() -> None:
    hook = ops.HookBackward(lambda grads: Tensor([1.0, 2.0]))
    with pytest.raises(TypeError, match="hook_fn must return None or gradients of shapes"):
        ms.grad(lambda x: hook(x) * 3)(Tensor(1.0))


def test_insertgradientof_acts_in_a_graph_too() -> None:
    slow = ops.InsertGradientOf(lambda d: d / 10)
    f = ms.jit(lambda x: ms.grad(lambda t: (slow(t) * 3).sum())(x))
    assert f(Tensor([1.0])).asnumpy().tolist() == pytest.approx([0.3])


def test_a_removed_hook_is_not_called() -> None:
    calls: list[Any] = []

    def f(x: Tensor) -> Tensor:
        y = x * 2
        handle = y.register_hook(calls.append)
        handle.remove()
        return y * 3

    assert float(ms.grad(f)(Tensor(1.0))) == 6
    assert calls == []


def test_a_tensor_tells_its_hooks_in_their_order() -> None:
    x = Tensor(1.0)
    assert x.hooks() == []
    first = x.register_hook(print)
    x.register_hook(len)
    assert x.hooks() == [print, len]
    first.remove()
    assert x.hooks() == [len]


def test_hooks_must_be_functions() -> None:
    with pytest.raises(TypeError, match="hook_fn must be a function"):
        ops.HookBackward(3)
    with pytest.raises(TypeError, match="hook must be a function"):
        Tensor(1.0).register_hook(3)


# -- PyFunc ---------------------------------------------------------------------------------------


def test_pyfunc_runs_a_function_of_arrays() -> None:
    both = ops.PyFunc(
        lambda x, y: (x + y, x * y),
        [ms.float32, ms.float32],
        [(2,), (2,)],
        [ms.float32, ms.float32],
        [(2,), (2,)],
    )
    total, product = both((Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
    assert total.asnumpy().tolist() == [4, 6] and product.asnumpy().tolist() == [3, 8]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_pyfunc_without_outputs_is_called_for_what_it_does(mode: int) -> None:
    ms.set_context(mode=mode)
    seen: list[float] = []
    note = ops.PyFunc(lambda x: seen.append(float(x.sum())), [ms.float32], [(2,)], [], [])

    @ms.jit
    def noted(x: Tensor) -> Tensor:
        y = x * 2
        note((y,))
        return y + 1

    assert noted(Tensor([1.0, 2.0])).asnumpy().tolist() == [3, 5]
    assert noted(Tensor([3.0, 4.0])).asnumpy().tolist() == [7, 9]
    assert note((Tensor([1.0, 1.0]),)) == ()
    assert seen == [6, 14, 2]


def test_pyfunc_names_what_its_function_got_wrong() -> None:
    f = ops.PyFunc(lambda x: x[:1], [ms.float32], [(2,)], [ms.float32], [(2,)])
    with pytest.raises(RuntimeError, match=r"must return arrays of shapes \[\(2,\)\]"):
        f((Tensor([1.0, 2.0]),))
    with pytest.raises(ValueError, match=r"inputs must be float32\[2\], got int64\[2\]"):
        f((Tensor([1, 2]),))


def test_a_printed_line_is_what_python_prints_of_each_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    @ms.jit
    def f(x: Tensor) -> Tensor:
        print("x:", x, {"twice": [x * 2]}, sep="|", end=";\n")
        return x

    f(Tensor([1.0]))
    f(Tensor([2.0]))
    printed = capsys.readouterr().out
    print("x:", Tensor([1.0]), {"twice": [Tensor([2.0])]}, sep="|", end=";\n")
    print("x:", Tensor([2.0]), {"twice": [Tensor([4.0])]}, sep="|", end=";\n")
    assert printed == capsys.readouterr().out
