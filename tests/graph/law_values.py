"""More of them: values asked of tensors, printing, random numbers, Parameters, what is returned."""

from __future__ import annotations

import random
import time
from collections import OrderedDict, deque
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

import minispore as ms
from minispore import Parameter, Tensor, nn
from tests.graph.law_programs import cell, x, y

# -- values asked of tensors ----------------------------------------------------------------------


def values_asked() -> Any:
    def construct(self: Any, x: Tensor) -> Any:
        total = float(x.sum())
        return x * total, x[0].item(), x.tolist(), f"{x}", str(x), x.asnumpy() * 2

    net = cell(construct)
    return net(x()), net(y())


def numpy_on_tensors() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        return Tensor(np.exp(x.asnumpy())) + Tensor(np.sum(x.asnumpy()))

    net = cell(construct)
    return net(x()), net(y())


def a_slice_and_a_range_by_a_tensor() -> Any:
    def construct(self: Any, x: Tensor, n: Tensor) -> Tensor:
        for _ in range(int(n)):
            x = x + 1
        return x[:n]

    net = cell(construct)
    return net(x(), Tensor(1)), net(x(), Tensor(2))


def swallowed_questions() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        try:
            k = float(x[0])
        except Exception:
            k = 100.0
        return x * k

    net = cell(construct)
    return net(x()), net(y())


# -- printing -------------------------------------------------------------------------------------


def prints() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        print("in construct", x.shape)
        print("x =", x, [x * 2, {"k": x[0]}], sep=" | ", end=" !\n")
        print()
        return x + 1

    net = cell(construct)
    return net(x()), net(y())


def prints_in_a_branch_and_under_a_gradient() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        if x.sum() > 2.5:
            print("large", x.sum())
        else:
            print("small", x.sum())
        return (x * x).sum()

    net = cell(construct)
    return net(x()), net(y()), ms.grad(net)(x())


def prints_then_raises() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        print("before", x)
        if x.sum() > 2.5:
            raise ValueError("too large")
        return x

    net = cell(construct)
    output: list[Any] = [net(y())]
    try:
        net(x())
    except ValueError as exc:
        output.append(str(exc))
    return output


# -- random numbers and clocks --------------------------------------------------------------------


def python_and_numpy_random() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        return x * random.random() + float(np.random.rand()) + self.rng.integers(9)  # noqa: NPY002

    random.seed(3)
    np.random.seed(3)  # noqa: NPY002
    net = cell(construct, rng=np.random.default_rng(3))
    return [net(x()) for _ in range(3)]


def a_weight_made_inside() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        return nn.Dense(2, 2)(x.reshape((1, 2)))

    ms.set_seed(5)
    net = cell(construct)
    return net(x()), net(x())


def a_clock() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        return x * 0 + (time.perf_counter() > self.begun)

    net = cell(construct, begun=0.0)
    return net(x()), net(x())


def an_iterator() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        return x * next(self.numbers)

    net = cell(construct, numbers=iter([2.0, 3.0, 4.0]))
    return net(x()), net(x())


# -- Parameters and tensors in place --------------------------------------------------------------


def an_old_value_returned() -> Any:
    def construct(self: Any, x: Tensor) -> Any:
        times, shaped, stored = self.w * 1, self.w.reshape((2,)), self.w.reshape((2, 1))
        self.w = x
        return times, shaped, stored, self.w + 0

    net = cell(construct, w=Parameter(Tensor([7.0, 8.0]), name="w"))
    return net(x()), net(y()), net.w


def a_parameter_returned() -> Any:
    def construct(self: Any, x: Tensor) -> Any:
        before = self.w
        self.w = self.w + x
        return before, self.w

    net = cell(construct, w=Parameter(Tensor([1.0, 1.0]), name="w"))
    out = net(x()), net(x())
    return out, out[0][0] is net.w, net.w.name


def set_data_inside() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        self.w.set_data(Tensor([5.0, 5.0]))
        return x + self.w

    net = cell(construct, w=Parameter(Tensor([1.0, 1.0]), name="w"))
    out = net(x())
    net.w.set_data(Tensor([0.0, 0.0]))
    return out, net(x()), net.w


def an_argument_changed_in_place() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        x[0] = 9
        return x * 2

    net = cell(construct)
    mine = x()
    return net(mine), mine, net(mine), mine


def one_tensor_for_two_arguments() -> Any:
    def construct(self: Any, x: Tensor, y: Tensor) -> Tensor:
        x[0] = 9
        return x + y

    net = cell(construct)
    mine, other, both = x(), y(), y()
    return net(mine, other), mine, net(both, both), both, net(mine, other)


def a_tensor_of_self_changed_in_place() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        self.t[0] = x[1]
        return x + self.t

    net = cell(construct, t=Tensor([0.0, 0.0]))
    return net(x()), net(y()), net.t


# -- what is returned -----------------------------------------------------------------------------


def other_containers_returned() -> Any:
    def construct(self: Any, x: Tensor) -> Any:
        return OrderedDict(a=x), np.ones(2), SimpleNamespace(v=x * 2)

    net = cell(construct)
    a, b, c = net(x())
    return type(a).__name__, a["a"], b.tolist(), c.v


def tensors_in_what_is_no_container() -> Any:
    def construct(self: Any, x: Tensor) -> Any:
        named, views = deque([x + 1]), OrderedDict(a=x * 2)
        values = {"a": x}, {"a": x, "b": x * 3}
        return (
            named,
            views.values(),
            values[0].items(),
            (values[1].values(),),
            partial(max, x),
            x.sum,
        )

    net = cell(construct)
    output = [net(x()), net(x())][1]
    of_parts = [*output[0], *output[1], *[t for _, t in output[2]], *output[3][0], *output[4].args]
    return [type(part).__name__ for part in output], of_parts, output[5]()


def a_slice_of_tensors_returned() -> Any:
    net = cell(lambda self, x: slice(x, x + 1))
    output = [net(x()), net(x())][1]
    return output.start, output.stop


def a_function_that_has_a_tensor_for_a_default() -> Any:
    net = cell(lambda self, x: lambda y=x * 2: y)
    return [net(x()), net(x())][1]()


def a_generator() -> Any:
    def construct(self: Any, x: Tensor) -> Any:
        yield x
        yield x * 2

    return list(cell(construct)(x()))
