"""Kill and resume trainings: each must end with the weights of an unbroken one.

The network has Dropout, BatchNorm and a loss scale; data is shuffled, with or without a seed; the
rate follows a schedule, or a plateau of the evaluation.
"""

from __future__ import annotations

import random
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import minispore as ms
import minispore.dataset as ds
from benchmarks.attacks import kills
from minispore import context, nn
from minispore.train import (
    BackupAndRestore,
    CheckpointConfig,
    DynamicLossScaleManager,
    LearningRateScheduler,
    Model,
    ModelCheckpoint,
    ReduceLROnPlateau,
    load_checkpoint,
    save_checkpoint,
)

EPOCHS, ROWS = 4, 12
SINK_MODES = ("no sink", "sink", "sink of half a pass")


class Net(nn.Cell):
    """A network with state: batch normalisation and Dropout between two dense layers."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Dense(3, 6)
        self.norm = nn.BatchNorm1d(6)
        self.drop = nn.Dropout(p=0.4)
        self.last = nn.Dense(6, 1)

    def construct(self, x: Any) -> Any:
        return self.last(self.drop(self.norm(self.first(x))))


def make_dataset() -> Any:
    """Make twelve random rows, shuffled, in batches of two."""
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(ROWS, 3)).astype("f4"), rng.normal(size=(ROWS, 1)).astype("f4")
    return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=True).batch(2)


def train(folder: Path, mode: int, sink_mode: str, backup: bool, result: Path) -> None:
    """Train, from the last checkpoint in a folder if there is one, and save the weights."""
    context.set_context(mode=mode, device_target="Ascend")
    ms.set_seed(3)
    net = Net()
    optimizer = nn.Adam(net.trainable_params(), 0.02)
    scale = DynamicLossScaleManager(8, 2, 3)
    model = Model(net, nn.MSELoss(), optimizer, metrics={"mae"}, loss_scale_manager=scale)
    saved = sorted(folder.glob("*.ckpt"), key=lambda file: file.stat().st_mtime_ns)
    callbacks: list[Any] = [ReduceLROnPlateau("mae", factor=0.5, patience=1, min_delta=1e9)]
    if backup:
        callbacks.insert(0, BackupAndRestore(str(folder), delete_checkpoint=False))
    else:
        config = CheckpointConfig(save_checkpoint_steps=1, keep_checkpoint_max=2)
        callbacks.insert(0, ModelCheckpoint("a", str(folder), config))
        callbacks.append(LearningRateScheduler(lambda rate, step: rate * 0.97))
    sinks: dict[str, Any] = {"dataset_sink_mode": sink_mode != "no sink"}
    if sink_mode == "sink of half a pass":
        sinks["sink_size"] = ROWS // 4
    resume = str(saved[-1]) if saved and not backup else None
    model.fit(
        EPOCHS, make_dataset(), make_dataset(), callbacks=callbacks, resume_from=resume, **sinks
    )
    save_checkpoint(model.train_network, str(result))


def attack(count: int, seed: int = 0) -> tuple[int, int]:
    """Kill and resume ``count`` trainings, each up to three times; return how many kills there were
    and how many trainings resumed from a checkpoint.

    Raises:
        AssertionError: one ends with other numbers than an unbroken one.
    """
    rng = random.Random(seed)
    unbroken: dict[Any, tuple[int, dict[str, Any]]] = {}
    killed_count = resumed_count = 0
    with tempfile.TemporaryDirectory() as parent, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(count):
            mode = rng.choice((ms.GRAPH_MODE, ms.PYNATIVE_MODE))
            case = (mode, rng.choice(SINK_MODES), rng.random() < 0.25)
            if case not in unbroken:
                unbroken[case] = _train_unbroken(Path(parent) / f"whole{len(unbroken)}", case)
            calls, expected = unbroken[case]
            folder = Path(parent) / str(i)
            folder.mkdir()
            result = folder / "result" / "end.ckpt"
            result.parent.mkdir()
            for _ in range(rng.randint(1, 3)):
                has_checkpoint = bool(list(folder.glob("*.ckpt")))
                run_training = lambda: train(folder, *case, result)  # noqa: E731, B023
                status = kills.run_killed_at(rng.randrange(calls), run_training)
                assert status in (kills.DONE, kills.KILLED), f"{case}: failed by itself"
                killed_count += status == kills.KILLED
                resumed_count += has_checkpoint
                if status == kills.DONE:
                    break
            else:
                resumed_count += bool(list(folder.glob("*.ckpt")))
                status = kills.run_killed_at(10**9, lambda: train(folder, *case, result))  # noqa: B023
                assert status == kills.DONE, f"{case}: a resumed training failed"
            _check_weights(case, expected, load_checkpoint(str(result)))
    return killed_count, resumed_count


def _train_unbroken(folder: Path, case: Any) -> tuple[int, dict[str, Any]]:
    """Train without a kill; return how many calls may be killed, and the weights."""
    folder.mkdir()
    result = folder / "result" / "end.ckpt"
    result.parent.mkdir()
    calls = kills.count_calls(lambda: train(folder, *case, result))
    return calls, load_checkpoint(str(result))


def _check_weights(case: Any, expected: dict[str, Any], actual: dict[str, Any]) -> None:
    """Check that the weights of a resumed training equal the expected ones."""
    assert expected.keys() == actual.keys(), case
    for name, value in expected.items():
        is_equal = np.array_equal(value.asnumpy(), actual[name].asnumpy(), equal_nan=True)
        assert is_equal, f"{case}: {name} differs after a resume"
