"""Write tests/golden/resume: a checkpoint in the middle of a training, and the weights at its end.

usage: python -m tests.golden.make_resume    (written at commit 7215cd8f)

``tests/train/test_resume.py`` resumes from the checkpoint. The records of callbacks in it hold
attribute names, so the test fails when one of these is renamed without a mapping.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import minispore as ms
import minispore.dataset as ds
from minispore import nn
from minispore.train import (
    CheckpointConfig,
    EarlyStopping,
    LossMonitor,
    Model,
    ModelCheckpoint,
    ReduceLROnPlateau,
    TimeMonitor,
)

FOLDER = Path(__file__).with_name("resume")
EPOCHS, STEP = 4, 9  # four epochs of four steps; the checkpoint is the one after the ninth step


def make_model() -> Model:
    """Return a model whose training draws dropout masks and changes its learning rate."""
    ms.set_seed(1)
    net = nn.SequentialCell(nn.Dense(3, 5), nn.Dropout(p=0.5), nn.Dense(5, 1))
    return Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.01, 0.9))


def make_data() -> Any:
    """Return eight rows in batches of two."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(8, 3)).astype("f4"), rng.normal(size=(8, 1)).astype("f4")
    return ds.NumpySlicesDataset((x, y), ["x", "y"]).batch(2)


def make_callbacks() -> list[Any]:
    """Return callbacks that keep state from epoch to epoch."""
    return [
        EarlyStopping("loss", patience=9),
        ReduceLROnPlateau("loss", patience=1, factor=0.5),
        LossMonitor(1000),
        TimeMonitor(),
    ]


def main() -> None:
    """Train, and keep one checkpoint and the final weights."""
    FOLDER.mkdir(exist_ok=True)
    config = CheckpointConfig(save_checkpoint_steps=STEP, keep_checkpoint_max=99)
    saver = ModelCheckpoint("middle", str(FOLDER), config)
    model = make_model()
    model.train(EPOCHS, make_data(), [*make_callbacks(), saver])
    files = sorted(FOLDER.glob("*.ckpt"), key=lambda path: path.stat().st_mtime_ns)
    files[0].rename(FOLDER / "middle.ckpt")
    for file in FOLDER.iterdir():
        if file.name != "middle.ckpt":
            file.unlink()
    weights = {p.name: p.asnumpy() for p in model.train_network.get_parameters()}
    np.savez(FOLDER / "weights.npz", **weights)


if __name__ == "__main__":
    main()
