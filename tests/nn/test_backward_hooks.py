"""Hooks on the way back: when each is called, what it sees of tensors that have no gradient, and
what its answer does; as the real MindSpore does op by op, in both modes.
"""

from __future__ import annotations

from typing import Any

import pytest

import minispore as ms
from minispore import Parameter, Tensor, grad, nn, ops


class Times(nn.Cell):
    def __init__(self, factor: float = 2.0) -> None:
        super().__init__()
        self.w = Parameter(Tensor(factor), name="w")

    def construct(self, x: Tensor) -> Tensor:
        return x * self.w


class Does(nn.Cell):
    def __init__(self, does: Any) -> None:
        super().__init__()
        self.does = does

    def construct(self, *args: Any) -> Any:
        return self.does(*args)


def to_lists(grads: Any) -> Any:
    return tuple([None if g is None else g.asnumpy().tolist() for g in grads])


def watched(cell: nn.Cell, seen: list[Any], name: str = "") -> nn.Cell:
    cell.register_backward_pre_hook(lambda _, douts: seen.append((f"{name}>", to_lists(douts))))
    cell.register_backward_hook(
        lambda _, dins, douts: seen.append((f"{name}<", to_lists(dins), to_lists(douts)))
    )
    return cell


pytestmark = pytest.mark.filterwarnings("ignore:GRAPH_MODE")  # hooks that look at values


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], autouse=True)
def _each_mode(request: pytest.FixtureRequest) -> None:
    ms.set_context(mode=request.param)


def test_hooks_of_cells_whose_inputs_have_no_gradient_come_last_in_the_order_of_their_outputs():
    seen: list[Any] = []
    inner = watched(Times(), seen, "a"), watched(Times(3.0), seen, "b")
    net = watched(nn.SequentialCell(*inner), seen, "net")
    grad(net, None, net.trainable_params())(Tensor(1.0))
    assert seen == [
        ("net>", (1.0,)),
        ("b>", (1.0,)),
        ("b<", (3.0,), (1.0,)),
        ("a>", (3.0,)),
        ("net<", (None,), (1.0,)),
        ("a<", (None,), (3.0,)),
    ]


def test_a_gradient_within_a_hook_ends_before_those_that_come_last():
    seen: list[Any] = []
    net = watched(Times(), seen, "net")
    other = watched(Times(), seen, "other")

    def asks(*_: Any) -> None:
        grad(other, None, other.trainable_params())(Tensor(5.0))

    net.register_backward_pre_hook(asks)
    grad(net, None, net.trainable_params())(Tensor(1.0))
    assert [name for name, *_ in seen] == ["net>", "other>", "other<", "net<"]


def two(x: Any, y: Any) -> Any:
    return x * y, x + y


CASES: dict[str, tuple[Any, Any, Any, list[Any]]] = {
    "an output that nobody used": (two, lambda n, x: n(x, x)[0], 0, [(1.0, None), (2.0, 2.0)]),
    "an input that is a constant": (
        two,
        lambda n, x: n(x, Tensor(3.0))[1],
        0,
        [(None, 1.0), (1.0, None)],
    ),
    "an input that the output does not depend on": (
        lambda x, y: y * 2,
        lambda n, x: n(x, x * 2),
        0,
        [(1.0,), (None, 2.0)],
    ),
    "inputs of the function that it is not differentiated by": (
        two,
        lambda n, x, y: n(x, y)[0],
        0,
        [(1.0, None), (3.0, 2.0)],
    ),
    "a tensor in a tuple": (
        lambda xs, z: xs[0] * z,
        lambda n, x, z: n((x, x), z),
        (0, 1),
        [(1.0,), (2.0,)],
    ),
    "a number between tensors": (
        lambda x, k, y: x * k * y,
        lambda n, x: n(x, 3, Tensor(5.0)),
        0,
        [(1.0,), (15.0, None)],
    ),
    "outputs of other kinds": (
        lambda x: (x * 2, 3, (x * 3,), x * 4),
        lambda n, x: n(x)[3] + n.does(x)[0],
        0,
        [(None, 1.0), (4.0,)],
    ),
    "an output behind stop_gradient": (
        lambda x: (x * 2, ops.stop_gradient(x)),
        lambda n, x: n(x)[0] * n(x)[1],
        0,
        [(2.0, None), (4.0,)],
    ),
    "the input itself, twice": (
        lambda x: (x, x),
        lambda n, x: n(x)[0] * 3 + n.does(x)[0],
        0,
        [(3.0, None), (3.0,)],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_hook_sees_none_for_what_has_no_gradient(case):
    does, called, positions, expected = CASES[case]
    seen: list[Any] = []
    net = watched(Does(does), seen)
    count = 2 if called.__code__.co_argcount == 3 else 1
    inputs = [Tensor(2.0), Tensor(3.0)][:count]
    grad(lambda *xs: called(net, *xs), positions)(*inputs)
    # The first call of a Cell is the last on the way back.
    assert [s[1] for s in seen][-2:] == expected


def test_an_input_that_gets_no_gradient_is_none_though_it_could_have_one():
    weight, seen = Parameter(Tensor(5.0), name="weight"), []
    net = watched(Does(lambda _: weight * 2), seen)
    grad(lambda x: net(x) * x, 0, [weight])(Tensor(2.0))
    assert seen == [(">", (2.0,)), ("<", (None,), (2.0,))]


def test_what_a_hook_returns_for_a_missing_gradient_counts_where_one_can_flow():
    net = Does(two)
    net.register_backward_pre_hook(lambda _, douts: (douts[0], Tensor(10.0)))
    assert grad(lambda x: net(x, Tensor(3.0))[0])(Tensor(2.0)) == 13.0


@pytest.mark.parametrize("bad", [(None, Tensor(1.0)), ("x", Tensor(1.0)), [Tensor(1.0)], 3.0])
@pytest.mark.parametrize("kind", ["register_backward_hook", "register_backward_pre_hook"])
def test_a_hook_that_takes_a_gradient_away_or_gives_something_else_is_a_type_error(kind, bad):
    net = Does(two)
    getattr(net, kind)(lambda *_: bad)
    with pytest.raises(TypeError, match="must return"):
        grad(lambda x, y: net(x, y)[0] + net.does(x, y)[1], (0, 1))(Tensor(2.0), Tensor(3.0))


def test_insert_gradient_of_leaves_the_gradient_where_its_function_returns_none():
    seen: list[Any] = []
    look = ops.InsertGradientOf(lambda d: seen.append(d))
    assert grad(lambda x: look(x * 2) * 3)(Tensor(1.0)) == 6.0
    assert len(seen) == 1


def test_insert_gradient_of_takes_a_tuple_of_one():
    twice = ops.InsertGradientOf(lambda d: (d * 2,))
    assert grad(lambda x: twice(x) * 3)(Tensor(1.0)) == 6.0


def test_hook_backward_that_returns_another_number_of_gradients_is_a_type_error():
    hook = ops.HookBackward(lambda grads: (grads[0], grads[0]))
    with pytest.raises(TypeError, match="hook_fn"):
        grad(lambda x: hook(x) * 3)(Tensor(1.0))


def test_a_gradient_has_its_dtype_whatever_a_hook_of_the_tensor_returns():
    def f(x: Tensor) -> Tensor:
        y = x * 2
        y.register_hook(lambda d: d.astype(ms.float16))
        return y * 3

    assert grad(f)(Tensor(1.0)).dtype is ms.float32


@pytest.mark.parametrize("bad", ["x", 2.0, (Tensor(1.0),)])
def test_a_hook_of_a_tensor_that_returns_no_gradient_is_a_runtime_error(bad):
    def f(x: Tensor) -> Tensor:
        y = x * 2
        y.register_hook(lambda d: bad)
        return y * 3

    with pytest.raises(RuntimeError, match="register_hook"):
        grad(f)(Tensor(1.0))


def test_a_bprop_that_returns_none_is_a_type_error():
    class Forgets(nn.Cell):
        def construct(self, x: Tensor) -> Tensor:
            return x * 2

        def bprop(self, x: Tensor, out: Tensor, dout: Tensor) -> None:
            return None

    with pytest.raises(TypeError, match="got None"):
        grad(Forgets())(Tensor(2.0))
