"""Programs of several ranks, started as a user would start them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "minispore"]
QUIET = {"OPENBLAS_NUM_THREADS": "1"}


def run(tmp_path: Path, source: str, *arguments: str, **said: str) -> subprocess.CompletedProcess:
    script = tmp_path / "script.py"
    script.write_text(source)
    line = [*COMMAND, *arguments, str(script)]
    environment = os.environ | QUIET | said
    return subprocess.run(line, env=environment, capture_output=True, text=True, timeout=120)


def shown(finished: subprocess.CompletedProcess) -> dict[str, list[str]]:
    """The lines of each rank."""
    lines: dict[str, list[str]] = {}
    for line in finished.stdout.splitlines():
        rank, _, text = line.partition(" ")
        lines.setdefault(rank, []).append(text)
    return lines


WHO = """
from mindspore.communication import init, get_rank, get_group_size
init()
print(get_rank(), get_group_size())
"""


def test_each_rank_knows_itself_and_its_lines_carry_its_number(tmp_path: Path) -> None:
    finished = run(tmp_path, WHO, "--ranks", "3")
    assert finished.returncode == 0, finished.stderr
    assert shown(finished) == {"[0]": ["0 3"], "[1]": ["1 3"], "[2]": ["2 3"]}


@pytest.mark.parametrize("count", ["0", "two", "-1"])
def test_a_number_of_ranks_that_is_none_is_refused(tmp_path: Path, count: str) -> None:
    finished = run(tmp_path, WHO, "--ranks", count)
    assert finished.returncode == 2
    assert f"--ranks must be a number of processes from 1, got {count!r}" in finished.stderr


TRAIN = """
import sys
import numpy as np
import mindspore as ms
from mindspore import nn, dataset
from mindspore.communication import init, get_rank, get_group_size

mode, sink = {mode}, {sink}
ms.set_context(mode=mode, device_target="Ascend")
init()
ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True,
                             parameter_broadcast=True, device_num=get_group_size())
ms.set_seed(get_rank())  # ranks begin with other weights, and take over those of rank 0
rng = np.random.default_rng(0)
x = rng.standard_normal((24, 5)).astype(np.float32)
y = rng.integers(0, 3, 24).astype(np.int32)
# Each batch of all ranks together has the rows of one batch of a single rank.
data = dataset.NumpySlicesDataset((x, y), shuffle=False, num_shards=get_group_size(),
                                  shard_id=get_rank()).batch(12 // get_group_size())
net = nn.SequentialCell(nn.Dense(5, 8), nn.ReLU(), nn.Dense(8, 3))
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
ms.Model(net, loss, optimizer).train(3, data, dataset_sink_mode=sink)
print(*[f"{{v:.5f}}" for p in net.get_parameters() for v in p.asnumpy().ravel()[:4]])
"""


@pytest.mark.parametrize("mode, sink", [(0, True), (0, False), (1, False)])
def test_two_ranks_train_as_one_with_the_whole_batch(tmp_path: Path, mode: int, sink: bool) -> None:
    source = TRAIN.format(mode=mode, sink=sink)
    alone = run(tmp_path, source)
    assert alone.returncode == 0, alone.stderr
    (expected,) = alone.stdout.splitlines()
    both = run(tmp_path, source, "--ranks", "2")
    assert both.returncode == 0, both.stderr
    ranks = shown(both)
    assert ranks["[0]"] == ranks["[1]"]
    got, wanted = ([float(v) for v in line.split()] for line in (ranks["[0]"][0], expected))
    assert got == pytest.approx(wanted, abs=2e-5)


BRANCH = """
import mindspore as ms
from mindspore import ops, Tensor
from mindspore.communication import init, get_rank

ms.set_context(mode=ms.GRAPH_MODE)
init()

@ms.jit
def f(x):
    total = ops.AllReduce()(x)
    if total.sum() > 5:  # the first graph takes the other branch, and its guard fails here
        return total * 2
    return total + 1

print(f(Tensor([1.0])), f(Tensor([3.0])), f(Tensor([1.0])))
"""


def test_a_branch_on_a_reduced_value_reduces_once(tmp_path: Path) -> None:
    finished = run(tmp_path, BRANCH, "--ranks", "2")
    assert finished.returncode == 0, finished.stderr
    assert shown(finished) == {"[0]": ["[3.] [12.] [3.]"], "[1]": ["[3.] [12.] [3.]"]}


def test_when_a_rank_fails_the_others_are_told_and_its_status_is_that_of_all(
    tmp_path: Path,
) -> None:
    source = """
import sys
from mindspore import ops, Tensor
from mindspore.communication import init, get_rank
init()
if get_rank() == 1:
    sys.exit(3)
ops.AllReduce()(Tensor([1.0]))
"""
    finished = run(tmp_path, source, "--ranks", "2")
    assert finished.returncode in (1, 3)  # whichever the launcher sees first
    assert "[0] RuntimeError: AllReduce: rank 1 has ended while rank 0 waits for it" in (
        finished.stderr
    )
    assert "minispore: rank" in finished.stderr and "ended with status" in finished.stderr


@pytest.mark.skipif(os.name != "posix", reason="process groups and signals of POSIX")
def test_ctrl_c_ends_all_ranks(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import os, time\nprint('ready', os.getpid(), flush=True)\ntime.sleep(100)\n")
    started = subprocess.Popen(
        [*COMMAND, "--ranks", "2", str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | QUIET,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert started.stdout is not None
    pids = [int(started.stdout.readline().split()[-1]) for _ in range(2)]
    os.killpg(started.pid, signal.SIGINT)  # as a terminal does
    started.communicate(timeout=30)
    assert started.returncode == 130
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as door:
        return str(door.getsockname()[1])


@pytest.mark.parametrize(
    "rank, size",
    [
        ("MS_NODE_ID", "MS_WORKER_NUM"),
        ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
        ("RANK_ID", "RANK_SIZE"),
    ],
)
def test_ranks_of_other_launchers_find_each_other(tmp_path: Path, rank: str, size: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(WHO)
    common = os.environ | QUIET | {size: "2", "MS_SCHED_PORT": free_port()}
    started = [
        subprocess.Popen(
            [*COMMAND, str(script)], env=common | {rank: r}, stdout=subprocess.PIPE, text=True
        )
        for r in ("1", "0")
    ]
    assert [p.communicate(timeout=60)[0].strip() for p in started] == ["1 2", "0 2"]


def test_a_rank_that_nobody_joins_says_how_to_start_them_all(tmp_path: Path) -> None:
    begun = time.monotonic()
    said = {"RANK_ID": "0", "RANK_SIZE": "2", "HCCL_CONNECT_TIMEOUT": "1"}
    finished = run(tmp_path, WHO, MS_SCHED_PORT=free_port(), **said)
    assert finished.returncode == 1 and time.monotonic() - begun < 60
    assert "rank 0 of 2 has waited 1 s" in finished.stderr
    assert "for the ranks [1]" in finished.stderr and "--ranks N" in finished.stderr


@pytest.mark.parametrize(
    "said, message",
    [
        ({"RANK_SIZE": "2"}, "RANK_ID must be the rank of this process, from 0 to 1"),
        ({"RANK_SIZE": "2", "RANK_ID": "2"}, "got '2'"),
        ({"RANK_SIZE": "many"}, "RANK_SIZE must be a whole number, got 'many'"),
    ],
)
def test_a_launch_that_makes_no_sense_is_an_error(
    tmp_path: Path, said: dict[str, str], message: str
) -> None:
    finished = run(tmp_path, WHO, **said)
    assert finished.returncode == 1 and message in finished.stderr


def test_a_stranger_at_the_door_keeps_nobody_out(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(WHO)
    port = free_port()
    common = os.environ | QUIET | {"RANK_SIZE": "2", "MS_SCHED_PORT": port}

    def start(rank: str) -> subprocess.Popen[str]:
        line = [*COMMAND, str(script)]
        return subprocess.Popen(
            line, env=common | {"RANK_ID": rank}, stdout=subprocess.PIPE, text=True
        )

    first = start("0")
    for words in (b"", b"GET / HTTP/1.1\r\n\r\n"):
        knock(int(port), words)
    second = start("1")
    assert first.communicate(timeout=60)[0].strip() == "0 2"
    assert second.communicate(timeout=60)[0].strip() == "1 2"


def knock(port: int, words: bytes) -> None:
    """Connect as soon as somebody listens, say something and go."""
    deadline = time.monotonic() + 30
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
                connection.sendall(words)
            return
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_a_last_line_without_an_end_stays_a_line(tmp_path: Path) -> None:
    finished = run(tmp_path, "print('open', end='')", "--ranks", "2")
    assert sorted(finished.stdout.splitlines()) == ["[0] open", "[1] open"]
