"""The README shows what ``check`` prints for a script; here that script is checked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, blocks

_SCRIPT = """\
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn

ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(8, 2)
        self.calls = []

    def construct(self, x):
        self.calls.append(1)
        return self.dense(x)


x = np.ones((64, 8), np.float32)
data = ds.NumpySlicesDataset((x, x[:, 0].astype(np.int32)), ["x", "y"]).batch(16)
network = Net()
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = ms.Model(network, loss, nn.Momentum(network.trainable_params(), 0.1, 0.9))
model.train(2, data, dataset_sink_mode=True)
"""


@pytest.mark.parametrize("page", ["README.md", "README.zh.md"])
def test_check_prints_what_the_readme_shows(page: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(_SCRIPT, encoding="utf-8")
    text = (ROOT / page).read_text(encoding="utf-8")
    [output] = [b.text for b in blocks(text) if b.where == "tests/docs/test_readme_check.py"]
    printed = subprocess.run(
        [sys.executable, "-m", "minispore", "check", "train.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    assert output in printed
