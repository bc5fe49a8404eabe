"""Shapes that never stop changing don't fill the memory."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

CODE = """
import os
import numpy as np
import minispore as ms
from minispore import Tensor, nn

ms.set_context(mode=ms.GRAPH_MODE)
net = nn.SequentialCell(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Conv2d(16, 16, 3), nn.ReLU())
loss = nn.WithLossCell(net, nn.MSELoss())
step = nn.TrainOneStepCell(loss, nn.SGD(net.trainable_params(), 0.01))


def resident_mb():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def round_of(heights):
    for h in heights:
        step(Tensor(np.ones((8, 3, h, 64), "f4")), Tensor(np.ones((8, 16, h, 64), "f4")))
    return resident_mb()


print(round_of([112]), round_of(range(32, 112, 2)), round_of(range(32, 112, 4)))
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
def test_40_heights_of_an_image_take_no_more_memory_than_a_few_times_the_largest() -> None:
    ended = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    one, first, second = [float(x) for x in ended.stdout.split()]
    assert first < 2 * one + 100, "40 programs share their memory"
    assert second < first + 64, "and a second round adds none"
