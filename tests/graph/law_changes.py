"""Programs that change something between two calls, from outside: each sees what is there then, and
what earlier calls gave is changed only with what it shares.

All of them stay graphs.
"""

from __future__ import annotations

import weakref
from array import array
from collections import ChainMap, UserDict, UserList
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

import minispore as ms
from minispore import Parameter, Tensor, nn, ops
from tests.graph.law_programs import cell, x

NUMBERS = Tensor([1, 2], ms.int32)


def ones(n: int, name: str = "w") -> Parameter:
    return Parameter(np.ones(n, np.float32), name=name)


# -- arguments that are equal and not the same ----------------------------------------------------


@dataclass(frozen=True)
class Config:
    k: Any


class Equal:
    """Equal to all others of its kind."""

    def __init__(self, k: Any) -> None:
        self.k = k

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal)

    def __hash__(self) -> int:
        return 1


def equal_arguments() -> Any:
    whole, first = cell(lambda self, x, c: x * c.k), cell(lambda self, x, c: x * next(iter(c)))
    results = [whole(NUMBERS, kind(k)) for kind in (Config, Equal) for k in (1, 1.0, True, 2, 3)]
    return [*results, *[first(NUMBERS, frozenset([k])) for k in (1, 1.0)]]


def zeros_of_either_sign() -> Any:
    by_argument = cell(lambda self, x, k: x / k)
    by_item = cell(lambda self, x: x / self.ks[0], ks=[0.0])
    out = [by_argument(x(), k) for k in (0.0, -0.0)]
    for k in (0.0, -0.0):
        by_item.ks[0] = k
        out.append(by_item(x()))
    return out


def arguments_that_are_no_more() -> Any:
    net = cell(lambda self, x, k: x * k[0])
    outputs = [
        net(x(), kind([k])) for kind in (bytearray, lambda v: array("i", v)) for k in (1, 2, 3)
    ]
    sized = cell(lambda self, x, p: x * p.shape[0])
    return [*outputs, *[sized(x(), ones(n)) for n in (1, 2, 3)]]


# -- what a Parameter is called, how large it is, whether it is trained ---------------------------


def what_is_asked_of_a_parameter_beside_its_content() -> Any:
    def construct(self: Any, x: Tensor, p: Parameter) -> Tensor:
        for each in (self.w, p):
            x = x * (each.shape[0] + len(each.name) + 10 * each.requires_grad)
        return x

    inputs = ones(2, "given")
    net = cell(construct, w=ones(3))
    out = [net(x(), inputs)]
    for p in (net.w, inputs):
        p.name = f"longer.{p.name}"
        out.append(net(x(), inputs))
        p.requires_grad = False
        out.append(net(x(), inputs))
        p.set_data(Tensor(np.ones(7, np.float32)))
        out.append(net(x(), inputs))
    return out


def parameters_that_construct_walks_over() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        for p in self.inner.trainable_params():
            x = x + p.sum() * (3 if "bias" in p.name else 1)
        return x

    net = cell(construct, inner=nn.Dense(2, 2, weight_init="ones", bias_init="ones"))
    out = [net(x())]
    net.inner.weight.name = "bias.too"
    out.append(net(x()))
    net.inner.insert_param_to_cell("more", ones(2, "more"))
    out.append(net(x()))
    net.inner.bias.requires_grad = False
    return [*out, net(x())]


# -- Cells that are used and never called ---------------------------------------------------------


class Helper(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.k = 2.0
        self.w = ones(2)

    def scaled(self, x: Tensor) -> Tensor:
        return x * self.k * self.w * (5 if self.training else 1)


def a_cell_of_which_a_method_is_called() -> Any:
    net = cell(lambda self, x: self.helper.scaled(x), helper=Helper())
    out = [net(x())]
    net.helper.k = 3.0
    out.append(net(x()))
    net.helper.set_train()
    out.append(net(x()))
    net.helper.w = Parameter(np.array([7.0, 8.0], np.float32), name="other")
    return [*out, net(x())]


def containers_that_change() -> Any:
    def of_list(self: Any, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x) + len(self.parts)
        return x

    listed = cell(of_list, parts=nn.CellList([nn.ReLU()]))
    named = cell(lambda self, x: sum(part(x) for part in self.parts.values()),
                 parts=nn.CellDict({"a": nn.ReLU()}))  # fmt: skip
    in_a_row = cell(lambda self, x: self.parts(x), parts=nn.SequentialCell(nn.ReLU(), nn.Tanh()))
    changes: list[tuple[nn.Cell, Callable[[Any], Any]]] = [
        (listed, lambda parts: parts.append(nn.Tanh())),
        (listed, lambda parts: parts.insert(0, nn.Sigmoid())),
        (listed, lambda parts: parts.__setitem__(0, nn.ReLU6())),
        (listed, lambda parts: parts.__delitem__(1)),
        (named, lambda parts: parts.__setitem__("b", nn.Tanh())),
        (named, lambda parts: parts.update({"b": nn.Sigmoid()})),
        (named, lambda parts: parts.pop("a")),
        (in_a_row, lambda parts: parts._cells.move_to_end("0")),
        (in_a_row, lambda parts: parts._cells.pop("0")),
        (in_a_row, lambda parts: parts._cells.popitem()),
    ]
    out = []
    for net, change in changes:
        out.append(net(x()))
        change(net.parts)
        out.append(net(x()))
    return out


# -- functions that others call -------------------------------------------------------------------


def hooks_that_read() -> Any:
    ks = [1.0]
    net = nn.Dense(2, 1, weight_init="ones", bias_init="ones")
    tensor = Tensor([[1.0, 2.0]])
    net.register_forward_pre_hook(lambda cell, args: (args[0] * ks[0],))
    net.register_forward_hook(lambda cell, args, out: out + ks[0])
    net.register_backward_pre_hook(lambda cell, grads: (grads[0] * ks[0],))
    net.register_backward_hook(lambda cell, out, given: (out[0] * ks[0],))
    net.weight.register_hook(lambda grad: grad + ks[0])
    tensor.register_hook(lambda grad: grad - ks[0])
    grads = ms.grad(lambda given: net(given).sum(), 0, net.trainable_params())
    out = []
    for k in (1.0, 2.0, 3.0):
        ks[0] = k
        out.append((net(tensor), grads(tensor)))
    return out


def functions_within_functions() -> Any:
    ks = [1.0]
    typed = ops.MultitypeFuncGraph("typed")
    typed.register("Tensor")(lambda v: v * ks[0])

    @lru_cache
    def remembered() -> float:
        return ks[0]

    nets = [
        cell(lambda self, x: self.f((x,))[0], f=ops.HyperMap(lambda v: v * ks[0])),
        cell(lambda self, x: self.f((x,))[0], f=ops.Map(lambda v: v * ks[0])),
        cell(lambda self, x: self.f(x), f=typed),
        cell(lambda self, x: ops.HyperMap()(self.f, (x,))[0], f=typed),
        cell(lambda self, x: x * remembered()),
    ]
    out = []
    for k in (1.0, 3.0):
        ks[0] = k
        remembered.cache_clear()
        out.append([net(x()) for net in nets])
    return out


# -- containers of Python's own -------------------------------------------------------------------


class Box:
    k = 1.0


def less_common_containers() -> Any:
    def construct(self: Any, x: Tensor) -> Tensor:
        values = self.b[0], self.a[0], self.u["k"], self.l[0], self.c["k"], self.r().k, sum(self.s)
        for k in values:
            x = x * k
        return x

    box, below, mixed = Box(), {"k": 1.0}, {1}
    net = cell(construct, b=bytearray([1]), a=array("d", [1.0]), u=UserDict(k=1.0),
               l=UserList([1.0]), c=ChainMap({}, below), r=weakref.ref(box), s=mixed)  # fmt: skip
    out = [net(x())]
    net.b[0] = 2
    out.append(net(x()))
    net.a[0] = 3.0
    out.append(net(x()))
    net.u["k"] = 5.0
    out.append(net(x()))
    net.l[0] = 7.0
    out.append(net(x()))
    below["k"] = 11.0
    out.append(net(x()))
    box.k = 13.0
    out.append(net(x()))
    mixed.add(16)
    return [*out, net(x())]


# -- what a call gave, and what is written later --------------------------------------------------

WRITES: list[Callable[[Any, Any, Tensor], Any]] = [
    lambda net, out, given: ops.assign(net.w, Tensor([7.0, 8.0])),
    lambda net, out, given: ops.assign_add(net.w, given),
    lambda net, out, given: nn.SGD([net.w], 1.0)((given,)),
    lambda net, out, given: net.w.set_data(Tensor([7.0, 8.0])),
    lambda net, out, given: net.w.__setitem__(0, 9.0),
    lambda net, out, given: net.w.add_(given),
    lambda net, out, given: net(given),
    lambda net, out, given: [net(given) for _ in range(3)],
    lambda net, out, given: out[0].__setitem__(0, 5.0),
    lambda net, out, given: out[-1].__setitem__(0, 5.0),
    lambda net, out, given: given.__setitem__(0, 4.0),
]


def written_later(construct: Callable[..., Any]) -> Any:
    """What becomes of the result of ``construct`` by each of the writes."""
    left = []
    for write in WRITES:
        net, inputs = cell(construct, w=ones(2)), x()
        out = net(inputs)
        write(net, out, inputs)
        left.append((out, net.w, inputs))
    return left


def what_an_assignment_gave() -> Any:
    def construct(self: Any, x: Tensor) -> Any:
        first = ops.assign_add(self.w, x)
        then = first * 1
        second = ops.assign(self.w, x * 3)
        return first, then, second, first + second, ops.assign_sub(self.w, x)

    return written_later(construct)


def views_of_a_parameter() -> Any:
    return written_later(lambda self, x: (self.w[0:1], self.w.reshape((2, 1)), self.w[1:2]))


def outputs_that_show_the_same() -> Any:
    def construct(self: Any, x: Tensor) -> Any:
        output, hidden = self.w * x, self.w + x
        return (
            output,
            output[0:1],
            output,
            hidden[0:1],
            {"all": hidden.reshape((2, 1))}["all"],
            x[0:1],
        )

    return written_later(construct)
