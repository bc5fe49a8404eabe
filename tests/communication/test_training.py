"""A training of several ranks beside the same training of one: state, files, lines, metrics."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

if os.name != "posix":
    pytest.skip("several ranks without MPI need Unix sockets", allow_module_level=True)

PROGRAM = """
import sys
import numpy as np
import mindspore as ms
from mindspore import dataset, nn
from mindspore.communication import get_group_size, get_rank, init
from mindspore.ops.support import transport

folder, share, resume_from = sys.argv[1], sys.argv[2] == "share", (sys.argv[3:] or [None])[0]
ms.set_context(mode=ms.GRAPH_MODE)
init()
ranks = get_group_size()
ms.set_auto_parallel_context(
    parallel_mode="data_parallel", gradients_mean=True, enable_parallel_optimizer=share,
    parallel_optimizer_config={"parallel_optimizer_threshold": 0})
ms.set_seed(1)
rng = np.random.default_rng(0)
x = rng.standard_normal((24, 5)).astype(np.float32)
y = rng.integers(0, 3, 24).astype(np.int32)


def rows():
    data = dataset.NumpySlicesDataset((x, y), num_shards=ranks, shard_id=get_rank())
    return data.batch(12 // ranks)


net = nn.SequentialCell(nn.Dense(5, 80), nn.ReLU(), nn.Dense(80, 3))
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Adam(net.trainable_params(), 0.01)
model = ms.Model(net, loss, optimizer, metrics={"acc", "loss"})
saver = ms.ModelCheckpoint("x", folder, ms.CheckpointConfig(save_checkpoint_steps=2))
callbacks = [ms.LossMonitor(2), ms.TimeMonitor(), saver]
model.train(4, rows(), callbacks, dataset_sink_mode=False, resume_from=resume_from)

print("buckets", transport.current.traffic.buckets)
print("state", sum(p.nbytes for p in (*optimizer.moment1, *optimizer.moment2) if not p.has_init))
print("weights", *[f"{v!r}" for p in net.get_parameters() for v in p.asnumpy().ravel().tolist()])
print("metrics", *[f"{v:.6f}" for _, v in sorted(model.eval(rows()).items())])
try:
    print("moment", optimizer.moment1[0].asnumpy().shape)
except RuntimeError as error:
    print("moment", error)
"""


@dataclass
class Run:
    """The lines that a training printed, by rank, and the folder of its checkpoints."""

    lines: dict[int, list[str]]
    folder: Path

    def read_values(self, word: str) -> list[str]:
        """Return what follows ``word`` at the start of a line, by rank."""
        return [
            line.partition(" ")[2]
            for _, lines in sorted(self.lines.items())
            for line in lines
            if line.startswith(f"{word} ")
        ]

    def weights(self) -> list[float]:
        """Return the weights, which all ranks must have alike."""
        (one,) = set(self.read_values("weights"))
        return [float(v) for v in one.split()]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """One rank; two that share the optimizer; two that don't; three that go on from the half."""
    at = tmp_path_factory.mktemp("runs")
    script = at / "script.py"
    script.write_text(PROGRAM)

    def run(name: str, ranks: int, share: str, *more: str) -> Run:
        (at / name).mkdir()
        line = [sys.executable, "-m", "minispore", "--ranks", str(ranks), str(script)]
        quiet = {"OPENBLAS_NUM_THREADS": "1", "MINISPORE_TRANSPORT": "sockets"}
        done = subprocess.run(
            [*line, str(at / name), share, *more],
            env=os.environ | quiet,
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stderr
        lines: dict[int, list[str]] = {}
        for text in done.stdout.splitlines():
            rank, _, message = text.partition(" ")
            lines.setdefault(int(rank.strip("[]")), []).append(message)
        return Run(lines, at / name)

    two = run("two", 2, "share")
    return {
        "one": run("one", 1, "whole"),
        "two": two,
        "whole": run("whole", 2, "whole"),
        "three": run("three", 3, "share", str(two.folder / "x-2_2.ckpt")),
    }


def test_ranks_that_share_the_optimizer_come_to_the_bits_of_those_that_do_not(
    runs: dict[str, Run],
) -> None:
    assert runs["two"].weights() == runs["whole"].weights()
    assert runs["two"].weights() == pytest.approx(runs["one"].weights(), abs=1e-6)


def test_each_rank_stores_only_the_state_of_its_parameters(runs: dict[str, Run]) -> None:
    # Two moments of float32: of 80 x 5, and of 80, 3 x 80 and 3.
    assert runs["one"].read_values("state") == [str(2 * 4 * 723)]
    assert runs["two"].read_values("state") == [str(2 * 4 * 400), str(2 * 4 * (80 + 240 + 3))]
    mine, error = runs["two"].read_values("moment")
    assert mine == "(80, 5)"
    assert "only rank 0 has the content" in error


def test_a_bucket_of_a_shared_optimizer_is_reduced_once_a_step(runs: dict[str, Run]) -> None:
    assert runs["two"].read_values("buckets") == ["8", "8"]


def test_a_training_of_two_ranks_goes_on_with_three(runs: dict[str, Run]) -> None:
    assert runs["three"].weights() == pytest.approx(runs["one"].weights(), abs=1e-6)


def test_metrics_are_of_the_rows_of_all_ranks(runs: dict[str, Run]) -> None:
    (single,) = runs["one"].read_values("metrics")
    assert runs["two"].read_values("metrics") == [single, single]


def test_only_rank_0_prints_losses_and_times_and_writes_checkpoints(runs: dict[str, Run]) -> None:
    values_by_name = {
        rank: [line.split()[0] for line in lines if line.split()[0] in ("epoch:", "Train")]
        for rank, lines in runs["two"].lines.items()
    }
    assert values_by_name == {0: ["epoch:", "Train"] * 4, 1: []}
    written = sorted(path.name for path in runs["two"].folder.glob("*.ckpt"))
    assert written == [f"x-{epoch}_2.ckpt" for epoch in (1, 2, 3, 4)]
