"""Wherever a value comes from, and however it is changed between two calls, a graph uses what is
there then: GRAPH_MODE gives what PYNATIVE_MODE gives. The programs are made of sources.txt.
"""

from __future__ import annotations

import random
import sys
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import minispore as ms
import minispore.dataset as ds
from minispore import Parameter, Tensor, nn, ops


class Source(NamedTuple):
    """How a value comes to be, is read by way of ``o``, and is changed."""

    setup: list[str]
    init: list[str]
    read: list[str]
    change: list[str]


def sources() -> dict[str, Source]:
    options = {}
    for part in Path(__file__).with_name("sources.txt").read_text(encoding="utf-8").split("\n\n"):
        name, *lines = part.strip("\n").split("\n")
        options[name] = Source([], [], [], [])
        for line in lines:
            kind, text = line[4:11].strip(), line[12:]
            getattr(options[name], kind).append(text)
    return options


SOURCES = sources()

HELD = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        o = self
        {init}
    def construct(self, x):
        o = self
        return x * ({read})
o = net = Net()
"""
# How the value is used: by what is called with a tensor.
WAYS = {
    "cell": HELD + "call = net",
    "nested": HELD + "call = nn.SequentialCell(nn.Identity(), nn.CellList([net])[0], nn.ReLU())",
    "grad": HELD + "call = ms.grad(net)",
    "jit of a gradient": HELD + "call = jit(ms.value_and_grad(lambda x: net(x).sum()))",
    "jit": """
class Holder: pass
o = Holder()
def init():
    {init}
init()
@jit
def call(x):
    return x * ({read})
""",
    "jit of a method": """
class Holder:
    @jit
    def call(o, x):
        return x * ({read})
o = Holder()
def init():
    {init}
init()
call = o.call
""",
    "training": HELD,
    "sink": HELD,
}
OTHERS = [way for way in WAYS if way != "cell"]
CASES = [
    case
    for i, name in enumerate(SOURCES)
    for case in ((name, "cell"), (name, OTHERS[i % len(OTHERS)]))
]


class Changing(ms.Callback):
    """Makes one change after each step."""

    def __init__(self, names: dict[str, Any], changes: list[str]) -> None:
        super().__init__()
        self.names, self.left, self.losses = names, [*changes], list[Any]()

    def step_end(self, run_context: Any) -> None:
        self.losses.append(run_context.original_args().net_outputs.asnumpy().tolist())
        if self.left:
            exec(self.left.pop(0), self.names)


def trained(names: dict[str, Any], changes: list[str], sink: bool) -> Any:
    def rows() -> Any:
        for _ in range(len(changes) + 2):
            yield np.ones(2, np.float32), np.ones(2, np.float32)

    net, steps = names["net"], len(changes) + 2
    parameters = [*net.trainable_params()] or [Parameter(Tensor([1.0]), name="none")]
    model = ms.Model(net, lambda out, label: (out - label).sum(), nn.SGD(parameters, 0.0))
    changing = Changing(names, changes)
    data = ds.GeneratorDataset(rows, ["x", "y"], shuffle=False)
    model.train(
        steps if sink else 1,
        data,
        callbacks=[changing],
        dataset_sink_mode=sink,
        sink_size=[-1, 1][sink],
    )
    return changing.losses


def called(names: dict[str, Any], changes: list[str]) -> Any:
    outputs = []
    for change in ("", *changes):
        exec(change, names)
        outputs += [names["call"](Tensor([1.0, 2.0])) for _ in range(2)]
    return outputs


def as_plain_data(actual: Any) -> Any:
    if isinstance(actual, list | tuple):
        return [as_plain_data(each) for each in actual]
    return actual.asnumpy().tolist() if isinstance(actual, Tensor) else actual


def run(name: str, way: str, mode: int, folder: Path) -> Any:
    setup, init, (read,), changes = SOURCES[name]
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    ms.set_seed(1)
    ms.set_context(mode=mode)
    names: dict[str, Any] = {
        "__name__": "program", "np": np, "ms": ms, "nn": nn, "ops": ops, "HERE": str(folder),
        "Tensor": Tensor, "Parameter": Parameter,
        "jit": ms.jit if mode == ms.GRAPH_MODE else lambda fn: fn,
    }  # fmt: skip
    body = WAYS[way].format(init="; ".join(init) or "pass", read=read)
    code = compile("\n".join(setup) + body, "program.py", "exec", dont_inherit=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(code, names)
        if way in ("training", "sink"):
            return trained(names, changes, way == "sink")
        return as_plain_data(called(names, changes))


@pytest.mark.parametrize(("name", "way"), CASES)
def test_what_is_changed_between_calls_is_seen_in_both_modes(
    name: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZZ", "1")
    monkeypatch.setitem(sys.modules, "zzmod", sys)
    by_op = run(name, way, ms.PYNATIVE_MODE, tmp_path)
    assert run(name, way, ms.GRAPH_MODE, tmp_path) == by_op
