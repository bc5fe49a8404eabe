"""Half floats in a graph: in float32 between ops, and what comes out is PYNATIVE's to the bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minispore as ms
from minispore import Parameter, Tensor, nn, ops
from minispore.core.primitive import Arithmetic
from minispore.core.tree import tensors_in
from minispore.graph.staging import program_of
from minispore.ir import runtime
from tests.ops.samples import SAMPLES, load

pytest.importorskip("ml_dtypes")
load()

HALVES = pytest.mark.parametrize("kind", [ms.float16, ms.bfloat16], ids=str)
ODD = [0.0, -0.0, np.inf, -np.inf, np.nan, 6e-8, -6e-8, 3e-5, 65504.0, 1e-45, -1e-40, 3e38]

# From (8, 6, 10) to the same shape: what computes, what moves and what is a view.
STEPS: dict[str, Callable[[Any], Any]] = {
    "exp": ops.exp,
    "relu": ops.relu,
    "tanh": ops.tanh,
    "negative": ops.neg,
    "sum": lambda x: x - ops.sum(x, 1, keepdim=True),
    "mean of turned": lambda x: (
        x + ops.mean(ops.transpose(x, (2, 0, 1)), 0, keep_dims=True)[0][:, :, None]
    ),
    "sliced": lambda x: x * ops.sum(x[:, ::2], (1, 2), keepdim=True),
    "turned product": lambda x: ops.matmul(ops.transpose(x, (0, 2, 1)), x).sum(1)[:, None] + x,
    "reversed": lambda x: ops.flip(x, (1,)) + x,
    "repeated": lambda x: ops.sum(ops.broadcast_to(x[:, :1], x.shape) * x, 0) + x,
    "joined": lambda x: ops.concat((x[4:], x[:4]), 0),
    "chosen": lambda x: ops.where(x > 0.5, x, -x * 3),
    "number chosen": lambda x: ops.where(x > 0.5, x, 0.1),
    "gathered": lambda x: ops.gather(x, Tensor([5, 4, 3, 2, 1, 0]), 1),
    "float32 between": lambda x: ops.cast(ops.sqrt(ops.cast(x, ms.float32)), x.dtype) + x,
    "softmax": lambda x: ops.softmax(x, 0),
    "reshaped": lambda x: ops.sum(ops.reshape(x, (6, 80)), 1).reshape(6, 1) + x,
    "sorted": lambda x: ops.sort(x, 1)[0],
    "compared": lambda x: ops.cast(x >= 0, x.dtype) * x,
}


def both(fn: Any, *xs: Tensor) -> tuple[list[bytes], list[bytes]]:
    """The bits of what ``fn`` makes in PYNATIVE and in GRAPH."""
    results = []
    for output in (fn(*xs), runtime.compiler.call(fn, xs, {})):
        parts = [t.astype(ms.float32).asnumpy() for t in tensors_in(output)]
        # the sign of a NaN is what the additions of a product happen to meet last
        results.append([np.where(np.isnan(p), np.float32(np.nan), p).tobytes() for p in parts])
    return results[0], results[1]


@given(
    st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=4),
    st.sampled_from([ms.float16, ms.bfloat16]),
    st.integers(0, 99),
    st.booleans(),
)
def test_a_chain_and_its_gradient_have_the_same_bits_in_both_modes(
    names: list[str], kind: Any, seed: int, odd: bool
) -> None:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((8, 6, 10)).astype(np.float32)
    if odd:
        x.flat[rng.integers(0, x.size, len(ODD))] = ODD
    weight = Tensor(rng.standard_normal(x.shape).astype(np.float32)).astype(kind)

    def chain(x: Tensor) -> Tensor:
        for name in names:
            x = STEPS[name](x)
        return x

    def derived(x: Tensor) -> Any:
        return chain(x), ms.grad(lambda x: (chain(x) * weight).sum())(x)

    with np.errstate(all="ignore"):
        by_op, by_graph = both(derived, Tensor(x).astype(kind))
    assert by_op == by_graph


def names_of(fn: Any, *xs: Tensor) -> list[str]:
    return [n.prim.name for n in program_of(fn, *xs).nodes]


@HALVES
def test_between_ops_nothing_is_converted(kind: Any) -> None:
    x = Tensor(np.ones((4, 4), np.float32)).astype(kind)
    names = names_of(lambda x: ops.exp(ops.transpose(ops.tanh(x), (1, 0))) * 3, x)
    assert names == [
        "Converted",
        "Tanh",
        "Rounded",
        "Exp",
        "Rounded",
        "Mul",
        "Rounded",
        "Converted",
    ]


def test_what_chooses_among_its_inputs_is_not_rounded() -> None:
    x = Tensor(np.ones((1, 2, 4, 4), np.float16))
    names = names_of(lambda x: ops.max_pool2d(ops.relu(-x), 2, 2), x)
    assert "Rounded" not in names


def test_rows_of_a_table_in_half_floats_are_copied_as_they_are() -> None:
    table = Parameter(Tensor(np.ones((100, 4), np.float16)), name="table")
    names = names_of(lambda i: ops.gather(table, i, 0), Tensor([3, 5]))
    assert names == ["Gather"]


@pytest.mark.parametrize(
    "s", [s for result in SAMPLES.values() for s in result if s.op.arithmetic is Arithmetic.EXACT]
)
def test_an_op_that_says_so_makes_nothing_to_round(s: Any) -> None:
    dtype = np.dtype(np.float16)
    inputs = [a.astype(dtype).astype(np.float32) if is_float(a) else a for a in s.args]
    output = s.op(*[Tensor(a) if isinstance(a, np.ndarray) else a for a in inputs]).asnumpy()
    if output.dtype == np.float32:
        assert np.array_equal(output, output.astype(dtype).astype(np.float32), equal_nan=True)


def is_float(a: Any) -> bool:
    return isinstance(a, np.ndarray) and a.dtype.kind == "f"


@HALVES
@pytest.mark.parametrize("optimizer", [nn.Momentum, nn.Adam])
def test_weights_in_half_floats_are_updated_as_op_by_op(kind: Any, optimizer: Any) -> None:
    def trained(mode: int) -> list[bytes]:
        ms.set_context(mode=mode)
        weight = np.random.default_rng(0).standard_normal((20, 30)).astype(np.float32)
        net = nn.Dense(30, 20, weight_init=Tensor(weight), bias_init="zeros")
        for p in net.get_parameters():
            p.set_dtype(kind)
        rates = {"learning_rate": 0.1} | ({"momentum": 0.9} if optimizer is nn.Momentum else {})
        step = nn.TrainOneStepCell(
            nn.WithLossCell(net, nn.MSELoss()), optimizer(net.trainable_params(), **rates)
        )
        x = Tensor(np.linspace(-1, 1, 120, dtype=np.float32).reshape(4, 30)).astype(kind)
        y = Tensor(np.ones((4, 20), np.float32)).astype(kind)
        actual = [step(x, y) for _ in range(3)] + list(net.get_parameters())
        return [t.astype(ms.float32).asnumpy().tobytes() for t in actual]

    assert trained(ms.GRAPH_MODE) == trained(ms.PYNATIVE_MODE)
