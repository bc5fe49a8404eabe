"""The fifteen networks that are timed: each is there, and how much faster they are is said."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import minispore as ms
from benchmarks import suite
from benchmarks.harness import Result, Round
from benchmarks.step import GRAPH, PYNATIVE, TORCH, format_ratios
from benchmarks.suite.mindspore_nets import get_network_makers, make_train_step
from benchmarks.suite.work import WORK, get_batch


def test_each_work_has_a_network() -> None:
    nets = {w.net for w in WORK.values()} - {"dcgan"} | {"generator", "discriminator"}
    assert nets == set(get_network_makers(ms))


def test_pytorch_has_the_same_networks() -> None:
    source = (Path(suite.__file__).parent / "torch_nets.py").read_text(encoding="utf-8")
    table = next(
        node.value
        for node in ast.parse(source).body
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "NETWORKS"
    )
    assert isinstance(table, ast.Dict)
    names = {key.value for key in table.keys if isinstance(key, ast.Constant)}
    assert names == {w.net for w in WORK.values()} - {"dcgan"}


@pytest.mark.parametrize("work", ["mlp", "vae", "widedeep", "lenet_infer_1"])
def test_a_step_of_both_modes_gives_the_same_bits(work: str) -> None:
    outputs = []
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        ms.set_context(mode=mode)
        step, inputs = make_train_step(ms, work)
        outputs.append(step(*inputs).asnumpy().tobytes())
    assert outputs[0] == outputs[1]


def test_batches_are_the_same_on_every_side() -> None:
    for work in WORK:
        assert [a.tobytes() for a in get_batch(work)] == [a.tobytes() for a in get_batch(work)]


def test_compared_gives_the_geometric_mean_and_the_worst_by_each_clock() -> None:
    def results(ours: float, theirs: float) -> list[Result]:
        times = {GRAPH: (ours, 1.0), PYNATIVE: (4.0, 4.0), TORCH: (theirs, 2.0)}
        return [Result(name, 1, "", [Round(*t)]) for name, t in times.items()]

    text = format_ratios({"one": results(1.0, 2.0), "two": results(1.0, 8.0)})
    assert text.splitlines()[-2].split() == ["geometric", "mean", "2.00", "4.00", "0.50", "1.00"]
    assert text.splitlines()[-1].split() == ["worst", "2.00", "2.00", "0.50", "0.50"]
