"""Tables of which several ranks look up rows: each rank steps the rows of all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

if os.name != "posix":
    pytest.skip("several ranks without MPI need Unix sockets", allow_module_level=True)

PROGRAM = """
import sys
import numpy as np
import mindspore as ms
from mindspore import nn
from mindspore.communication import get_group_size, get_rank, init

ms.set_context(mode=int(sys.argv[1]))
init()
ms.set_auto_parallel_context(
    parallel_mode="data_parallel", gradients_mean=True,
    enable_parallel_optimizer=sys.argv[2] == "share",
    parallel_optimizer_config={"parallel_optimizer_threshold": 0})
ms.set_seed(1)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.look_up, self.head = nn.EmbeddingLookup(7, 4, "ones"), nn.Dense(4, 1, "ones")

    def construct(self, x):
        return self.head(self.look_up(x)).mean()


net = Net()
step = nn.TrainOneStepCell(net, nn.LazyAdam(net.trainable_params(), 0.1))
rows = np.array([[1, 3, 3, 4], [3, 1, 6, 3], [6, 6, 4, 1]], np.int32)
of = 4 // get_group_size()
for batch in rows:
    step(ms.Tensor(batch[get_rank() * of:][:of]))
print("table", *net.look_up.embedding_table.asnumpy().ravel().tolist())
print("head", *net.head.weight.asnumpy().ravel().tolist())
"""


@pytest.mark.parametrize("share", ["share", "whole"])
@pytest.mark.parametrize("mode", ["0", "1"])
def test_two_ranks_come_to_what_one_does(tmp_path: Path, mode: str, share: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(PROGRAM)
    quiet = {"OPENBLAS_NUM_THREADS": "1", "MINISPORE_TRANSPORT": "sockets"}
    results = []
    for ranks in ("1", "2"):
        line = [sys.executable, "-m", "minispore", "--ranks", ranks, str(script), mode, share]
        done = subprocess.run(
            line, env=os.environ | quiet, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr
        messages = [text.partition("] ")[2] or text for text in done.stdout.splitlines()]
        assert len(set(messages)) == 2  # all ranks have the same
        results.append([[float(v) for v in line.split()[1:]] for line in sorted(set(messages))])
    one, two = results
    for mine, theirs in zip(one, two, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5)
    table = np.reshape(two[1], (7, 4))
    assert (table != 1).any(axis=1).tolist() == [False, True, False, True, True, False, True]
