"""Primitives take their inputs by the names of MindSpore, those that take any there."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops
from minispore.core.primitive import Primitive
from minispore.ir.input_names import get_input_names

FILE = Path(__file__).parent / "golden/primitive_keywords.json"
FACTS: dict[str, str] = json.loads(FILE.read_text())
HERE = {
    name: thing
    for name, thing in vars(ops).items()
    if inspect.isclass(thing) and issubclass(thing, Primitive) and FACTS.get(name)
    if name != "TransposeView"  # another name of Transpose here
}


def argument_names(op: type[Primitive]) -> list[str]:
    inputs = [*inspect.signature(op.__call__).parameters.values()][1:]
    if any(p.kind is p.VAR_KEYWORD for p in inputs):
        return [*get_input_names(op.name)]
    return [p.name for p in inputs if p.kind is p.POSITIONAL_OR_KEYWORD]


def test_the_keyword_facts_are_complete() -> None:
    assert len(FACTS) > 500 and len(HERE) > 190


@pytest.mark.parametrize("name", sorted(HERE))
def test_inputs_have_mindspores_names_in_their_order(name: str) -> None:
    real = FACTS[name].replace("=", "").split()
    assert argument_names(HERE[name])[: len(real)] == real


def test_only_ops_with_named_inputs_in_mindspore_have_input_names() -> None:
    others = [n for n, names in FACTS.items() if not names and getattr(ops, n, None) is not None]
    assert [n for n in others if get_input_names(n)] == []


X = Tensor(np.array([[4.0, 1.0], [2.0, 3.0]], np.float32))
# What the real MindSpore gives for each was seen to be what it gives by position.
CALLS: list[tuple[Any, dict[str, Any]]] = [
    (ops.Add(), {"input": X, "other": X}),
    (ops.Div(), {"input": X, "other": X + 1}),
    (ops.MatMul(), {"input": X, "mat2": X}),
    (ops.Softmax(), {"input": X}),
    (ops.Round(), {"input": X}),
    (ops.Reshape(), {"input": X, "shape": (4,)}),
    (ops.Transpose(), {"input": X, "dims": (1, 0)}),
    (ops.Cast(), {"input_x": X, "dtype": ms.float16}),
    (ops.Concat(), {"tensors": (X, X)}),
    (ops.ReduceSum(), {"x": X, "axis": 0}),
    (ops.ReduceAll(), {"input": X > 1, "axis": 0}),
    (ops.CumSum(), {"input": X, "axis": 1}),
    (ops.Gather(), {"input_params": X, "input_indices": Tensor([1]), "axis": 0}),
    (ops.Zeros(), {"size": (2,), "dtype": ms.float32}),
    (ops.SmoothL1Loss(), {"prediction": X, "target": X + 1}),
    (ops.Select(), {"condition": X > 1, "input": X, "other": -X}),
]


def plain(actual: Any) -> Any:
    return [plain(m) for m in actual] if isinstance(actual, tuple) else actual.asnumpy().tolist()


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize(("op", "named"), CALLS, ids=lambda x: getattr(x, "name", ""))
def test_by_name_in_any_order_it_is_as_by_position(
    op: Primitive, named: dict[str, Any], mode: int
) -> None:
    class Net(nn.Cell):
        def construct(self) -> Any:
            return op(**dict(reversed(named.items())))

    ms.set_context(mode=mode)
    assert plain(Net()()) == plain(op(*named.values()))


def test_gradients_flow_through_keyword_inputs() -> None:
    slope = ms.grad(lambda x: ops.Mul()(x, other=ops.Exp()(input=x * 0)).sum())(X)
    assert slope.asnumpy().tolist() == [[1.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ops.Add()(X, y=X), r"Add: has no input 'y'. It has input, other."),
        (lambda: ops.Add()(X, input=X), r"Add: input must be given once"),
        (lambda: ops.Add()(other=X), r"Add: missing input 'input'"),
        (lambda: ops.Sub()(x=X, y=X), r"Sub: inputs must be given by position, got 'x' by name"),
    ],
)
def test_a_name_that_does_not_fit_is_refused(call: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()
