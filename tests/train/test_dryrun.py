"""MS_SIMULATION_LEVEL: a script goes through without results, and tells what it would take."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from minispore.device import dryrun

SCRIPT = """
import sys
import numpy as np
import minispore as ms
import minispore.dataset as ds
from minispore import Tensor, nn
from minispore.communication import get_group_size, get_rank, init
from minispore.train import Callback, Model, ModelCheckpoint

class Tells(Callback):
    def on_train_step_end(self, run_context):
        print("a step was done")

ms.set_context(mode=getattr(ms, sys.argv[1]), device_target="Ascend")
init()
print("rank", get_rank(), "of", get_group_size())
net = nn.SequentialCell([nn.Dense(8, 1 << 20), nn.ReLU(), nn.Dense(1 << 20, 4)])
x, y = np.ones((64, 8), np.float32), np.zeros(64, np.int32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"]).batch(16)
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = Model(net, loss, nn.Momentum(net.trainable_params(), 0.1, 0.9), metrics={"acc"})
model.train(2, data, callbacks=[Tells(), ModelCheckpoint(directory="kept")], dataset_sink_mode=True)
print("metrics", model.eval(data))
print("predicted", model.predict(Tensor(np.ones((5, 8), np.float32))).shape)
ms.save_checkpoint(net, "net.ckpt")
print("weights are there:", not net[0].weight.has_init)
"""


def run(folder: Path, mode: str = "GRAPH_MODE", **variables: str) -> str:
    """What the script prints."""
    (folder / "script.py").write_text(SCRIPT, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "script.py", mode],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def level_1(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp("dryrun")
    variables = {dryrun.VARIABLE: "1", "RANK_ID": "5", "RANK_SIZE": "8"}
    return run(folder, **variables), folder


def test_the_script_runs_through_without_a_step(level_1) -> None:
    text, _ = level_1
    assert "a step was done" not in text
    assert text.endswith("weights are there: False\n")


def test_the_memory_is_printed_in_the_words_of_mindspore_s_dryrun(level_1) -> None:
    text, _ = level_1
    for line in (
        r"Device MOC memory size: 32768M",
        r"MindSpore Used memory size: 30710M",
        r"Used peak memory usage \(without fragments\): \d+M",
        r"Actual peak memory usage \(with fragments\): \d+M",
        r"    optimizer state +52\.\d+ M",
    ):
        assert re.search(f"^{line}$", text, re.MULTILINE), line


def test_the_predicted_step_is_printed(level_1) -> None:
    assert re.search(r"^Predicted step: [\d.]+ ms \(loop\), [\d.]+ ms without", level_1[0], re.M)


def test_a_dry_run_of_many_ranks_needs_only_one_process(level_1) -> None:
    text, _ = level_1
    assert "rank 5 of 8\n" in text
    assert re.search(
        r"^  8 ranks: all_reduce [\d.]+ ms, of which [\d.]+ ms not overlapped$", text, re.M
    )


def test_results_are_named_as_none_and_nothing_is_written(level_1) -> None:
    text, folder = level_1
    assert "metrics {'acc': nan}\n" in text
    assert "predicted (5, 4)\n" in text
    assert not list(folder.rglob("*.ckpt"))


def test_level_0_leaves_out_the_kinds_of_memory(tmp_path: Path) -> None:
    text = run(tmp_path, "PYNATIVE_MODE", **{dryrun.VARIABLE: "0"})
    assert "optimizer state" not in text
    assert "Predicted step: " in text


@pytest.mark.parametrize("message", ["2", "3", "yes", "-1"])
def test_levels_that_need_a_card_are_refused(monkeypatch: pytest.MonkeyPatch, message: str) -> None:
    monkeypatch.setenv(dryrun.VARIABLE, message)
    with pytest.raises(RuntimeError, match="must be 0 or 1, got"):
        dryrun.read_level()


@pytest.mark.parametrize(("message", "level"), [("0", 0), (" 1 ", 1), ("", None), (" ", None)])
def test_the_variable_says_the_level(monkeypatch, message: str, level: int | None) -> None:
    monkeypatch.setenv(dryrun.VARIABLE, message)
    assert dryrun.read_level() == level


@pytest.mark.parametrize(
    ("message", "ranks"), [("", 1), ("0", 1), ("1", 1), ("12", 12), ("two", 1)]
)
def test_the_environment_says_how_many_ranks(monkeypatch, message: str, ranks: int) -> None:
    monkeypatch.setenv("RANK_SIZE", message)
    assert dryrun.read_rank_count() == ranks


class Forecast(dict):
    """What a dry run is told of a step: 64 MB of a card's 32 GB, and two ways to run it."""

    spec = SimpleNamespace(name="Card", memory_bytes=32 << 30, best_sink="loop")
    cost = SimpleNamespace(launches=7)
    memory = SimpleNamespace(capacity=30 << 30, peak=64 << 20, table=lambda: "the table")
    parallel = SimpleNamespace(devices=1, all_reduce_us=2500.0, exposed_us=1250.0)

    def __init__(self) -> None:
        super().__init__(
            none=SimpleNamespace(step_us=12_000.0), loop=SimpleNamespace(step_us=1500.0, way="loop")
        )


def test_the_report_prints_each_number_with_its_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dryrun, "compute_peak_with_fragments", lambda plan: 80 << 20)
    lines = [
        "DryRun: net, 7 kernels on Card; a model, not a run",
        "Device MOC memory size: 32768M",
        "MindSpore Used memory size: 30720M",
        "Used peak memory usage (without fragments): 64M",
        "Actual peak memory usage (with fragments): 80M",
        "Predicted step: 1.500 ms (loop), 12.000 ms without sink",
    ]
    forecast = Forecast()
    assert dryrun.format_report("net", forecast, 0).splitlines() == lines
    forecast.parallel = SimpleNamespace(devices=2, all_reduce_us=2500.0, exposed_us=1250.0)
    ranks = "  2 ranks: all_reduce 2.500 ms, of which 1.250 ms not overlapped"
    assert dryrun.format_report("net", forecast, 1).splitlines() == [
        *lines[:5],
        "the table",
        lines[5],
        ranks,
    ]


def test_only_a_training_is_forecast_for_several_ranks(level_1) -> None:
    assert level_1[0].count("8 ranks: all_reduce") == 1


def test_without_the_variable_scripts_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(dryrun.VARIABLE, raising=False)
    assert dryrun.read_level() is None
