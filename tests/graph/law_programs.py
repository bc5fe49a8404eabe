"""Programs that keep state in Python, each a function that builds a network and calls it.

Every one is run in both modes and must give the same: what it returns, what it prints, what it
leaves in Python. ``test_law.GRAPH`` names those that stay one graph; all others run op by op, and
say so.
"""

from __future__ import annotations

from collections import deque
from types import SimpleNamespace
from typing import Any

import numpy as np

import minispore as ms
from minispore import Parameter, Tensor, nn

X, Y = [1.0, 2.0], [-1.0, 3.0]
COUNT = 0
LOG: list[Any] = []
SCALE = 2.0


def x() -> Tensor:
    return Tensor(X, ms.float32)


def y() -> Tensor:
    return Tensor(Y, ms.float32)


def cell(construct: Any, **attributes: Any) -> nn.Cell:
    """A Cell of its own class with these attributes."""
    output = type("Net", (nn.Cell,), {"construct": construct})()
    for name, value in attributes.items():
        setattr(output, name, value)
    return output


class CalledAround(nn.Cell):
    def __call__(self, x: Tensor) -> Tensor:
        return super().__call__(x) + 100

    def construct(self, x: Tensor) -> Tensor:
        return x * 2


def a_call_of_its_own() -> Any:
    net = CalledAround()
    return net(x()), net(x()), nn.SequentialCell(net)(x()), ms.grad(net)(x())


# -- attributes of Cells --------------------------------------------------------------------------


def counter_on_self() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        self.k = self.k + 1
        return x * self.k

    net = cell(construct, k=1)
    return net(x()), net(x()), net.k


def a_new_attribute() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        self.last = x * 2
        return self.last + 1

    net = cell(construct)
    return net(x()), net(y()), net.last


def recurrent_state_on_self() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        self.h = x if self.h is None else self.h * 0.5 + x
        return self.h

    net = cell(construct, h=None)
    return [net(x()) for _ in range(3)]


def counter_in_a_child_through_a_training_step() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        self.n += 1
        return (x * self.w * self.n).sum()

    net = cell(construct, n=0, w=Parameter(Tensor([1.0, 1.0]), name="w"))
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
    return [step(x()) for _ in range(3)], net.w, net.n


def setattr_and_delattr() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        self.k = self.k * 2
        del self.gone
        self.gone = self.k
        return x * self.k

    net = cell(construct, k=1, gone=0)
    return net(x()), net(x()), net.gone


def the_same_value_written_again() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        self.k = 3
        return x * self.k

    net = cell(construct, k=3)
    first = net(x())
    net.k = 5
    return first, net(x()), net.k


def an_attribute_written_in_one_branch() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        if x.sum() > 2:
            self.k = self.k + 1
        return x * self.k

    net = cell(construct, k=1)
    return net(Tensor([0.0])), net(x()), net(x()), net.k


# -- containers, objects, globals -----------------------------------------------------------------


def a_list_that_grows() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        self.seen.append(x)
        return x * len(self.seen)

    net = cell(construct, seen=[])
    return net(x()), net(y()), net.seen


def a_dict_a_set_and_a_deque() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        self.d["n"] = self.d.get("n", 0) + 1
        self.s.add(self.d["n"])
        self.q.append(self.d["n"])
        return x * (self.d["n"] + len(self.s) + len(self.q))

    net = cell(construct, d={}, s=set(), q=deque(maxlen=2))
    return net(x()), net(x()), net(x()), net.d, sorted(net.s), list(net.q)


def a_numpy_array_as_counter() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        self.n[0] += 1
        return x * float(self.n[0])

    net = cell(construct, n=np.zeros(1))
    return net(x()), net(x()), net.n.tolist()


class Meter:
    total = 0

    def __init__(self) -> None:
        self.n = 0

    def tick(self) -> int:
        self.n += 1
        Meter.total += 1
        return self.n


def an_object_with_a_method() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        return x * self.meter.tick()

    Meter.total = 0
    net = cell(construct, meter=Meter())
    return net(x()), net(x()), net.meter.n, Meter.total


def a_global_counter() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        global COUNT
        COUNT += 1
        return x * COUNT

    global COUNT
    COUNT = 0
    net = cell(construct)
    return net(x()), net(x()), COUNT


def a_global_list_through_a_helper() -> Any:
    def note(x: Tensor) -> None:
        LOG.append(x.shape)

    def construct(self: Any, x: Tensor) -> Tensor:
        note(x)
        return x * len(LOG)

    LOG.clear()
    net = cell(construct)
    return net(x()), net(x()), list(LOG)


def a_variable_of_an_enclosing_function() -> Any:
    n = 0

    def construct(self: Any, x: Tensor) -> Tensor:
        nonlocal n
        n += 1
        return x * n

    net = cell(construct)
    return net(x()), net(x()), n


def a_default_argument() -> Any:
    def construct(self: Any, x: Tensor, seen: list = []) -> Tensor:  # noqa: B006
        seen.append(1)
        return x * len(seen)

    net = cell(construct)
    return net(x()), net(x())


def a_list_given_as_argument() -> Any:
    def construct(self: Any, xs: list, more: dict) -> Tensor:
        xs[0] = xs[0] + 1
        more["made"] = xs[0] * 2
        return xs[0] + xs[1]

    net = cell(construct)
    inputs: list = [x(), y()]
    more: dict = {}
    return net(inputs, more), inputs, more


def a_method_of_a_plain_class() -> Any:
    class Counter:
        k = 3

        @ms.jit
        def call(self, x: Tensor) -> Tensor:
            self.k = self.k + 1
            return x * self.k

    a = Counter()
    return a.call(x()), a.call(x()), a.k


def a_function_that_counts_its_calls() -> Any:
    @ms.jit
    def f(x: Tensor) -> Tensor:
        tally.n = getattr(tally, "n", 0) + 1  # type: ignore[attr-defined]
        return x * tally.n  # type: ignore[attr-defined]

    def tally() -> None: ...

    return f(x()), f(x())


# -- what changes from outside --------------------------------------------------------------------


def changed_from_outside() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        out = x * self.ks[0] * self.d["a"] * self.box.v * Tensor(self.a) * self.t * self.f(1.0)
        return out * SCALE

    global SCALE
    SCALE = 2.0
    net = cell(construct, ks=[1.0], d={"a": 1.0}, box=SimpleNamespace(v=1.0),
               a=np.ones(2, np.float32), t=Tensor([1.0, 1.0]), f=lambda v: v)  # fmt: skip
    out = [net(x())]
    net.ks[0] = 2.0
    out.append(net(x()))
    net.d["a"] = 3.0
    out.append(net(x()))
    net.box.v = 5.0
    out.append(net(x()))
    net.a[1] = 7.0
    out.append(net(x()))
    net.t[0] = 11.0
    out.append(net(x()))
    SCALE = 4.0
    out.append(net(x()))
    net.f = lambda v: v * 10
    return [*out, net(x())]


def a_class_attribute_and_a_method_replaced() -> Any:
    class Net(nn.Cell):
        k = 2

        def helper(self, x: Tensor) -> Tensor:
            return x * self.k

        def construct(self, x: Tensor) -> Tensor:
            return self.helper(x)

    net = Net()
    first = net(x())
    Net.k = 5
    second = net(x())
    Net.helper = lambda self, x: x - 1  # type: ignore[method-assign,assignment]
    return first, second, net(x())


def requires_grad_changed_between_steps() -> Any:
    net = nn.Dense(2, 1, weight_init="ones")
    grad = ms.value_and_grad(lambda v: net(v).sum(), None, net.trainable_params())
    first = grad(Tensor([X]))[1]
    net.weight.requires_grad = False
    return first, grad(Tensor([X]))[1], [p.name for p in net.trainable_params()]
