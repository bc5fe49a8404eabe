"""The same script, started twice: both write checkpoints of one prefix into one folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import os, sys, time
import numpy as np
import minispore.dataset as ds
from minispore import nn
from minispore.train import CheckpointConfig, LambdaCallback, Model, ModelCheckpoint

folder = sys.argv[1]

def wait_for_other(run_context):
    open(os.path.join(folder, f"{os.getpid()}.ready"), "w").close()
    while sum(name.endswith(".ready") for name in os.listdir(folder)) < 2:
        time.sleep(0.01)

data = ds.NumpySlicesDataset((np.ones((40, 3), np.float32),), ["x"], shuffle=False).batch(1)
saver = ModelCheckpoint("net", folder, CheckpointConfig(keep_checkpoint_max=2))
callbacks = [LambdaCallback(on_train_begin=wait_for_other), saver]
Model(nn.Dense(3, 1)).train(1, data, callbacks)
"""


def test_two_processes_that_write_into_one_folder_both_end_well(root: Path, tmp_path: Path) -> None:
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(tmp_path)],
            env=os.environ | {"PYTHONPATH": str(root)},
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    errors = [run.communicate(timeout=600)[1] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], errors
    names = [path.name for path in tmp_path.iterdir() if path.suffix == ".ckpt"]
    assert "net-1_40.ckpt" in names
    assert all(re.fullmatch(r"net-1_\d+\.ckpt", name) for name in names)
    assert any("another program writes files of the prefix 'net'" in text for text in errors)
