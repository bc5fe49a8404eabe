"""A training where the system gives little: an ASCII locale, no stdout, few file descriptors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TRAINING = """
import os, sys
import numpy as np
import minispore as ms
import minispore.dataset as ds
from minispore import nn
from minispore.train import (
    CheckpointConfig, LossMonitor, Model, ModelCheckpoint, SummaryRecord, TimeMonitor,
)

folder = sys.argv[1]
ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
x, y = np.ones((16, 3), np.float32), np.ones((16, 1), np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False)
data = data.map(lambda a: a * 1, "x", num_parallel_workers=2, python_multiprocessing=True).batch(4)
net = nn.Dense(3, 1)
model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), metrics={"mae"})
saver = ModelCheckpoint("net", folder, CheckpointConfig(async_save=True))
if sys.getfilesystemencoding() == "ascii":
    try:
        ModelCheckpoint("n\\u00e4he", folder)
    except ValueError as error:
        assert str(error).startswith("ModelCheckpoint: prefix must be encodable as ascii"), error
    else:
        sys.exit("the prefix was not refused")
for sink in (False, True):
    model.train(2, data, [LossMonitor(), TimeMonitor(), saver], dataset_sink_mode=sink)
print(model, model.eval(data))
with SummaryRecord(folder) as record:
    record.add_value("scalar", "loss", ms.Tensor(1.0))
    record.record(1)
ms.export(net, ms.Tensor(x[:1]), file_name=os.path.join(folder, "net"), file_format="MINDIR")
nn.GraphCell(ms.load(os.path.join(folder, "net.mindir")))(ms.Tensor(x[:1]))
open(os.path.join(folder, "done"), "w").close()
"""


def train(
    root: Path, folder: Path, before: str = "", **options: object
) -> subprocess.CompletedProcess[str]:
    variables = options.pop("variables", {})
    assert isinstance(variables, dict)
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        [sys.executable, "-c", before + TRAINING, str(folder)],
        env=os.environ | {"PYTHONPATH": str(root), "OPENBLAS_NUM_THREADS": "1"} | variables,
        stderr=subprocess.PIPE,
        text=True,
        timeout=600,
        **options,
    )


def test_a_training_runs_in_an_ascii_locale(root: Path, tmp_path: Path) -> None:
    variables = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    run = train(root, tmp_path, variables=variables, stdout=subprocess.PIPE)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.count("loss is") == 2 * 4 + 2 and run.stdout.isascii()
    assert (tmp_path / "done").exists()


@pytest.mark.skipif(os.name != "posix", reason="descriptors of POSIX")
def test_a_training_runs_without_stdout(root: Path, tmp_path: Path) -> None:
    run = train(root, tmp_path, preexec_fn=lambda: os.close(1))
    assert (run.returncode, run.stderr) == (0, "")
    assert (tmp_path / "done").exists()


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
def test_a_training_runs_with_64_descriptors_and_leaves_none_open(
    root: Path, tmp_path: Path
) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"
    run = train(root, tmp_path, limit, stdout=subprocess.DEVNULL)
    assert (run.returncode, run.stderr) == (0, "")
    assert (tmp_path / "done").exists()
