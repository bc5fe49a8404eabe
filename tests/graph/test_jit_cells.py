"""``jit`` of Cells: of the Cell, of its construct, and put in place of its construct."""

from __future__ import annotations

import functools
import gc
import weakref

import pytest

import minispore as ms
from minispore import Tensor, nn
from minispore.graph.staging import get_undecorated
from tests.nn.cells import par


class Scale(nn.Cell):
    """Multiplies by a Parameter."""

    def __init__(self) -> None:
        super().__init__()
        self.w = par("w", 2.0)

    def construct(self, x):
        return x * self.w


@pytest.fixture(params=[ms.GRAPH_MODE, ms.PYNATIVE_MODE], autouse=True)
def mode(request):
    ms.set_context(mode=request.param)


@pytest.fixture(params=["cell", "construct", "twice"])
def replaced(request):
    """A Cell whose construct was replaced by a graph of itself."""
    net = Scale()
    net.construct = ms.jit(net.construct if request.param == "construct" else net)
    if request.param == "twice":
        net.construct = ms.jit(net)
    return net


def test_a_graph_of_the_cell_may_replace_its_construct(replaced):
    assert replaced(Tensor([3.0])).asnumpy() == [6]


def test_a_replaced_construct_has_a_gradient(replaced):
    _, (dw,) = ms.value_and_grad(replaced, None, replaced.trainable_params())(Tensor([3.0]))
    assert dw.asnumpy() == [3]


def test_a_replaced_construct_runs_inside_another_cell(replaced):
    assert nn.SequentialCell(replaced)(Tensor([3.0])).asnumpy() == [6]


def test_hooks_see_one_call_of_a_replaced_construct(replaced):
    replaced.register_forward_hook(lambda cell, args, out: out * 10)
    assert replaced(Tensor([3.0])).asnumpy() == [60]


def test_a_graph_of_a_cell_is_one_of_its_construct_without_hooks():
    net = Scale()
    net.register_forward_hook(lambda cell, args, out: out * 10)
    assert ms.jit(net)(Tensor([3.0])).asnumpy() == [6]


@pytest.mark.parametrize("of_construct", [True, False])
def test_a_graph_of_a_construct_computes_in_the_precision_of_its_cell(of_construct):
    net = Scale().to_float(ms.float16)
    assert ms.jit(net.construct if of_construct else net)(Tensor([3.0])).dtype is ms.float16


def test_a_gradient_of_a_construct_is_computed_in_the_precision_of_its_cell():
    net = Scale().to_float(ms.float16)
    value, _ = ms.value_and_grad(ms.jit(net.construct))(Tensor([3.0]))
    assert value.dtype is ms.float16


def test_a_decorated_method_is_undecorated_with_its_object():
    class Decorated(Scale):
        @ms.jit
        def construct(self, x):
            return x * self.w

    assert get_undecorated(Decorated().construct)(Tensor([3.0])).asnumpy() == [6]


def test_a_wrapper_of_a_graph_is_no_graph_itself():
    graph = ms.jit(lambda x: x)

    @functools.wraps(graph)
    def wrapper(x):
        return graph(x) + 1.0

    assert get_undecorated(wrapper) is wrapper


def test_a_cell_whose_construct_is_a_graph_of_itself_can_be_freed():
    net = Scale()
    net.construct = ms.jit(net)
    net(Tensor([3.0]))
    reference = weakref.ref(net)
    del net
    gc.collect()
    assert reference() is None
