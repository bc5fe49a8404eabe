"""Compiling without running, and what open shapes declare."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops
from minispore.common.api import _cell_graph_executor, _pynative_executor
from minispore.graph.compiler import compiler

OPEN = Tensor(shape=[None, 3], dtype=ms.float32)


class Noted(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.p = ms.Parameter(Tensor([1.0]), name="p")

    def construct(self, x: Tensor) -> Tensor:
        ops.assign_add(self.p, Tensor([1.0]))
        return x * self.p


def test_the_executor_compiles_and_runs_nothing() -> None:
    net, before = Noted(), compiler.compiles
    assert _cell_graph_executor.compile(net, Tensor([2.0]), phase="train") == ("train", True)
    assert compiler.compiles == before + 1
    assert net.p.asnumpy().tolist() == [1]
    _pynative_executor.sync()


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_open_shapes_compile_nothing_and_hinder_no_call(mode: int) -> None:
    ms.set_context(mode=mode)
    net = nn.Dense(3, 2)
    net.set_inputs(OPEN)
    net.compile(OPEN)
    assert _cell_graph_executor.compile(net, OPEN) == ("predict", False)
    assert net(Tensor(np.ones((4, 3), np.float32))).shape == (4, 2)
    assert net(Tensor(np.ones((5, 3), np.float32))).shape == (5, 2)


def test_a_tensor_of_open_shape_says_minus_one_for_open_lengths() -> None:
    assert (OPEN.shape, OPEN.dtype, OPEN.ndim) == ((-1, 3), ms.float32, 2)


@pytest.mark.parametrize(
    "use", [lambda t: t + 1, lambda t: t.asnumpy(), bool, ops.abs, ms.jit(lambda t: t + 1)]
)
def test_a_tensor_of_open_shape_has_no_content_to_compute_with(use) -> None:
    with pytest.raises(ValueError, match=r"open shape \(-1, 3\)"):
        use(OPEN)


@pytest.mark.parametrize(
    ("declared", "value", "fits"),
    [
        ([None, 3], (2, 3), True),
        ([None, 3], (7, 3), True),
        ([None, 3], (2, 4), False),
        ([None, 3], (3,), False),
    ],
)
def test_a_signature_may_leave_lengths_open(declared, value, fits) -> None:
    @ms.jit(input_signature=Tensor(shape=declared, dtype=ms.float32))
    def double(x: Tensor) -> Tensor:
        return x * 2

    x = Tensor(np.ones(value, np.float32))
    if fits:
        assert double(x).shape == value
    else:
        with pytest.raises(TypeError, match="by input_signature"):
            double(x)


@pytest.mark.parametrize("level", ["O0", "O1", "O2"])
def test_context_stores_the_jit_level(level: str) -> None:
    ms.set_context(jit_level=level, jit_syntax_level=ms.STRICT)
    assert ms.get_context("jit_level") == level


@pytest.mark.parametrize("shape", [None, [None, 3]])
def test_a_declared_input_is_copied_deeply(shape) -> None:
    declared = Tensor(shape=shape, dtype=ms.float32)
    twin = copy.deepcopy([declared])[0]
    assert twin is not declared and (twin.shape, twin.dtype) == (declared.shape, declared.dtype)
