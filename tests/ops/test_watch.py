"""Summaries and dumps reach whoever records them, and only well-formed values do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops
from minispore.ops.control import watch


@pytest.fixture
def records() -> Iterator[list[tuple[str, str, Any]]]:
    results: list[tuple[str, str, Any]] = []
    listener = lambda kind, name, value: results.append((kind, name, value.tolist()))  # noqa: E731
    watch.listeners.append(listener)
    yield results
    watch.listeners.remove(listener)


def test_each_summary_says_what_kind_it_is(records: list[Any]) -> None:
    ops.ScalarSummary()("loss", Tensor(0.5))
    ops.TensorSummary()("w", Tensor([1.0]))
    ops.HistogramSummary()("g", Tensor([2.0]))
    ops.ImageSummary()("x", Tensor(np.zeros((1, 1, 1, 1), np.float32)))
    assert records == [
        ("scalar", "loss", 0.5),
        ("tensor", "w", [1.0]),
        ("histogram", "g", [2.0]),
        ("image", "x", [[[[0.0]]]]),
    ]


def test_a_summary_in_a_graph_is_recorded_at_every_run(records: list[Any]) -> None:
    @ms.jit
    def f(x: Tensor) -> Tensor:
        ops.ScalarSummary()("x", x)
        return x + 1

    f(Tensor(1.0))
    f(Tensor(2.0))
    assert records == [("scalar", "x", 1.0), ("scalar", "x", 2.0)]


@pytest.mark.parametrize(
    ("op", "value", "says"),
    [
        (ops.ScalarSummary(), np.float32([1, 2]), "must hold one element"),
        (ops.TensorSummary(), np.float32(1), "must have at least 1 axis"),
        (ops.HistogramSummary(), np.float32(1), "must have at least 1 axis"),
        (ops.ImageSummary(), np.float32([1]), r"must have 4 axes \(N, C, H, W\)"),
    ],
)
def test_a_summary_refuses_what_does_not_fit(op: Any, value: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        op("name", Tensor(value))
    for name, error in (("", ValueError), (3, TypeError)):
        with pytest.raises(error, match="name must be a str that is not empty"):
            op(name, Tensor(value))


def test_tensordump_writes_numbered_files(tmp_path: Path) -> None:
    for k in range(2):
        ops.tensordump(str(tmp_path / "deep" / "x.npy"), Tensor([float(k)]))
    files = sorted((tmp_path / "deep").iterdir(), key=lambda p: int(p.stem.split("_")[-1]))
    assert [p.stem.rpartition("_")[0] for p in files] == ["x_float32", "x_float32"]
    assert [np.load(p).tolist() for p in files] == [[0.0], [1.0]]


def test_tensordump_refuses_an_unknown_side_and_an_empty_name() -> None:
    with pytest.raises(ValueError, match="must be 'in' or 'out'"):
        ops.TensorDump("both")
    with pytest.raises(TypeError, match="file must be a path"):
        ops.TensorDump()("", Tensor(1))


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_dumpgradient_writes_what_flows_back_and_leaves_it(mode: int, tmp_path: Path) -> None:
    ms.set_context(mode=mode)
    path = str(tmp_path / "dx.npy")

    def cube(x: Tensor) -> Tensor:
        return ops.DumpGradient()(path, x, "out") ** 3

    assert cube(Tensor(2.0)) == 8 and not list(tmp_path.iterdir())
    assert ms.grad(cube)(Tensor(2.0)) == 12
    (file,) = tmp_path.iterdir()
    assert file.stem.startswith("dx_float32_") and np.load(file) == 12
    with pytest.raises(ValueError, match="DumpGradient: input_output must be one of"):
        ops.DumpGradient()("dx.npy", Tensor(2.0), "both")
    with pytest.raises(TypeError, match="DumpGradient: path must be a str"):
        ops.DumpGradient()(1, Tensor(2.0))
