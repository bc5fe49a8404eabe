"""Programs of several ranks, started as a user would start them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.attacks import signals

COMMAND = [sys.executable, "-m", "minispore"]
QUIET = {"OPENBLAS_NUM_THREADS": "1"}
MPI = pytest.mark.skipif(find_spec("mpi4py") is None, reason="the extra mpi is not there")
WAYS = [pytest.param("sockets"), pytest.param("mpi", marks=MPI)]
by_all_ways = pytest.mark.parametrize("way", WAYS)


def write(tmp_path: Path, source: str) -> Path:
    script = tmp_path / "script.py"
    script.write_text(source)
    return script


def run(
    tmp_path: Path, source: str, *arguments: str, way: str = "sockets", **said: str
) -> subprocess.CompletedProcess:
    line = [*COMMAND, *arguments, str(write(tmp_path, source))]
    environment = os.environ | QUIET | {"MINISPORE_TRANSPORT": way} | said
    return subprocess.run(line, env=environment, capture_output=True, text=True, timeout=300)


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


@by_all_ways
def test_each_rank_knows_itself_and_its_lines_carry_its_number(tmp_path: Path, way: str) -> None:
    finished = run(tmp_path, WHO, "--ranks", "3", way=way)
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
from mindspore.ops.support import transport
from mindspore.communication import init, get_rank, get_group_size

mode, sink = {mode}, {sink}
ms.set_context(mode=mode, device_target="Ascend")
init()
ms.set_auto_parallel_context(parallel_mode="{plan}", gradients_mean={mean},
                             enable_parallel_optimizer={mean},
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
traffic = transport.current.traffic
assert traffic.buckets in (0, 6), traffic  # one all-reduce for each of the 6 steps
print(*[f"{{v:.9f}}" for p in net.get_parameters() for v in p.asnumpy().ravel()[:4]])
"""


@pytest.mark.parametrize(
    "mode, sink, way, count, plan",
    [
        (0, True, "sockets", "2", "data_parallel"),
        (1, False, "sockets", "2", "semi_auto_parallel"),
        pytest.param(0, True, "mpi", "2", "auto_parallel", marks=MPI),
        pytest.param(0, False, "mpi", "4", "data_parallel", marks=MPI),
        pytest.param(1, False, "mpi", "2", "data_parallel", marks=MPI),
    ],
)
def test_ranks_train_as_one_with_the_whole_batch(
    tmp_path: Path, mode: int, sink: bool, way: str, count: str, plan: str
) -> None:
    source = TRAIN.format(mode=mode, sink=sink, plan=plan, mean=plan == "data_parallel")
    single = run(tmp_path, source)
    assert single.returncode == 0, single.stderr
    (expected,) = single.stdout.splitlines()
    several = run(tmp_path, source, "--ranks", count, way=way)
    assert several.returncode == 0, several.stderr
    weights = {line for lines in shown(several).values() for line in lines}
    assert len(weights) == 1 and len(shown(several)) == int(count)
    got, expected_output = ([float(v) for v in line.split()] for line in (weights.pop(), expected))
    assert got == pytest.approx(expected_output, abs=1e-6)


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


ONE_GOES = """
import os, signal, sys
from mindspore import ops, Tensor
from mindspore.communication import init, get_rank
init()
ops.AllReduce()(Tensor([1.0]))
if get_rank() == 1:
    {goes}
ops.AllReduce()(Tensor([1.0]))
"""


@pytest.mark.parametrize(
    "way, count, more",
    [
        ("sockets", 3, []),
        pytest.param("mpi", 2, [], marks=MPI),
        pytest.param("mpi", 3, [], marks=MPI),
        pytest.param("mpi", 3, ["ordered"], marks=MPI),
    ],
)
def test_random_collectives_are_what_numpy_makes_of_all_inputs(
    way: str, count: int, more: list[str]
) -> None:
    program = [str(Path(__file__).with_name("collectives.py")), "60", *more]
    done = subprocess.run(
        [*COMMAND, "--ranks", str(count), *program],
        env=os.environ | QUIET | {"MINISPORE_TRANSPORT": way},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0 and "wrong" not in done.stdout, done.stdout + done.stderr
    assert done.stdout.count("right") == count


@by_all_ways
@pytest.mark.parametrize(
    "goes",
    [
        "raise ValueError('no more')",
        "sys.exit(3)",
        "sys.exit(0)",
        "os._exit(0)",
        "os.kill(os.getpid(), signal.SIGKILL)",
    ],
)
def test_a_rank_that_goes_is_named_and_the_job_ends(tmp_path: Path, way: str, goes: str) -> None:
    finished = run(tmp_path, ONE_GOES.format(goes=goes), "--ranks", "2", way=way)
    assert finished.returncode != 0
    assert re.search(r"rank:? 1|,1\]", finished.stderr), finished.stderr
    if "raise" in goes:
        assert "ValueError: no more" in finished.stderr


@by_all_ways
def test_a_rank_that_stalls_is_named_when_the_others_have_waited_long_enough(
    tmp_path: Path, way: str
) -> None:
    source = ONE_GOES.format(goes="os.kill(os.getpid(), signal.SIGSTOP)")
    finished = run(tmp_path, source, "--ranks", "2", way=way, HCCL_EXEC_TIMEOUT="5")
    assert finished.returncode != 0
    assert "has waited 5 s for the ranks [1]" in finished.stderr


@by_all_ways
def test_ranks_in_different_collectives_stop_with_both_calls(tmp_path: Path, way: str) -> None:
    source = """
import numpy as np
from mindspore import ops, Tensor
from mindspore.communication import init, get_rank
init()
x = Tensor(np.zeros(3 if get_rank() else 2, np.float32))
ops.AllReduce()(x)
"""
    finished = run(tmp_path, source, "--ranks", "2", way=way)
    assert finished.returncode != 0
    assert (
        "rank 1 is in AllReduce sum with float32[3], this rank in AllReduce sum with float32[2]"
        in finished.stderr
    )


@by_all_ways
def test_the_error_of_a_slow_rank_is_not_lost_when_another_ends_the_job(
    tmp_path: Path, way: str
) -> None:
    source = """
import sys, time
import numpy as np
from mindspore import ops, Tensor
from mindspore.communication import init, get_rank

def print_late(*error):
    time.sleep(0 if get_rank() else 0.3)
    sys.__excepthook__(*error)

sys.excepthook = print_late
init()
ops.AllReduce()(Tensor(np.zeros(3 if get_rank() else 2, np.float32)))
"""
    finished = run(tmp_path, source, "--ranks", "2", way=way)
    assert "this rank in AllReduce sum with float32[2]" in finished.stderr


@by_all_ways
@pytest.mark.parametrize("number", signals.SIGNALS)
def test_no_rank_outlives_its_launcher(way: str, number: signal.Signals) -> None:
    assert not signals.signal_launcher(way, number, limit_s=60.0)


@pytest.fixture
def lobby() -> Iterator[Path]:
    """Where ranks of other launchers meet; the path of a socket must be short."""
    with tempfile.TemporaryDirectory(prefix="ms") as folder:
        yield Path(folder)


def start(script: Path, lobby: Path, rank: str, **said: str) -> subprocess.Popen[str]:
    common = os.environ | QUIET | {"TMPDIR": str(lobby), "RANK_SIZE": "2", "RANK_ID": rank}
    line = [*COMMAND, str(script)]
    return subprocess.Popen(
        line, env=common | said, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_ranks_of_a_shell_loop_find_each_other(tmp_path: Path, lobby: Path) -> None:
    script = write(tmp_path, WHO)
    started = [start(script, lobby, rank) for rank in ("1", "0")]
    assert [p.communicate(timeout=300)[0].strip() for p in started] == ["1 2", "0 2"]
    assert not list(lobby.glob("*/*.[01]"))


def test_ranks_of_msrun_find_each_other_and_its_scheduler_leaves(
    tmp_path: Path, lobby: Path
) -> None:
    script = write(tmp_path, WHO)
    msrun = {"MS_WORKER_NUM": "2", "MS_SCHED_HOST": "127.0.0.1", "MS_SCHED_PORT": "8118"}
    scheduler = start(script, lobby, "0", MS_ROLE="MS_SCHED", **msrun)
    workers = [
        start(script, lobby, r, MS_ROLE="MS_WORKER", MS_NODE_ID=r, **msrun) for r in ("0", "1")
    ]
    assert [p.communicate(timeout=300)[0].strip() for p in workers] == ["0 2", "1 2"]
    assert scheduler.communicate(timeout=300)[0] == "" and scheduler.returncode == 0


def test_two_jobs_at_once_do_not_meet(tmp_path: Path, lobby: Path) -> None:
    script = write(tmp_path, WHO.replace("get_rank(), ", "ops.AllReduce()(Tensor([J])), ", 1))
    source = "import os\nfrom mindspore import ops, Tensor\nJ = float(os.environ['JOB'])\n"
    script.write_text(source + script.read_text())
    started = [
        start(script, lobby, rank, JOB=job, MS_SCHED_PORT=f"900{job}")
        for rank in ("0", "1")
        for job in ("1", "2")
    ]
    printed = [p.communicate(timeout=300)[0].strip() for p in started]
    assert printed == ["[2.] 2", "[4.] 2", "[2.] 2", "[4.] 2"]


def test_a_rank_that_comes_twice_is_refused(tmp_path: Path, lobby: Path) -> None:
    script = write(tmp_path, WHO)
    options = {"HCCL_CONNECT_TIMEOUT": "5"}
    started = [start(script, lobby, "0", **options) for _ in range(2)]
    errors = [p.communicate(timeout=300)[1] for p in started]
    second, first = sorted(errors, key=lambda error: "has waited 5 s" in error)
    assert "another process claims the same rank" in second
    assert "MS_SCHED_PORT of its own" in second and "has waited 5 s" in first


def test_a_rank_that_nobody_joins_says_how_to_start_them_all(tmp_path: Path, lobby: Path) -> None:
    error = start(write(tmp_path, WHO), lobby, "0", HCCL_CONNECT_TIMEOUT="1").communicate()[1]
    assert "rank 0 of 2 has waited 1 s" in error
    assert "for the ranks [1]" in error and "--ranks N" in error and "mpirun -n N" in error


def test_ranks_on_another_machine_are_sent_to_mpirun(tmp_path: Path) -> None:
    table = tmp_path / "table.json"
    table.write_text(json.dumps({"server_list": [{"server_id": "a"}, {"server_id": "b"}]}))
    options = {"RANK_ID": "0", "RANK_SIZE": "2"}
    for more in ({"RANK_TABLE_FILE": str(table)}, {"MS_SCHED_HOST": "192.0.2.1"}):
        finished = run(tmp_path, WHO, **options, **more)
        assert finished.returncode == 1
        assert "on several machines need MPI" in finished.stderr
        assert "minispore[mpi]" in finished.stderr and "mpirun -n N" in finished.stderr


@MPI
@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="looks into /proc")
def test_a_killed_mpi_job_leaves_no_shared_memory(tmp_path: Path) -> None:
    source = """
import os, re, signal
from mindspore import ops, Tensor
from mindspore.communication import init, get_rank
init()
names = re.findall(r"/dev/shm/sm_segment[^ \\n]+", open("/proc/self/maps").read())
ops.AllReduce()(Tensor([1.0]))
if get_rank() == 1:
    print("shared", *set(names), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
ops.AllReduce()(Tensor([1.0]))
"""
    finished = run(tmp_path, source, "--ranks", "2", way="mpi")
    (names,) = re.findall(r"shared (.*)", finished.stdout)
    assert finished.returncode != 0
    assert not [name for name in names.split() if Path(name).exists()]


@MPI
def test_ranks_of_an_mpi_other_than_mpi4pys_raise_instead_of_running_single(tmp_path: Path) -> None:
    source = "import os\nos.environ['OMPI_COMM_WORLD_SIZE'] = '7'\n" + WHO
    finished = run(tmp_path, source, "--ranks", "2", way="mpi")
    assert finished.returncode != 0 and "mpirun must be of the MPI" in finished.stderr


def test_mpi_ranks_without_mpi4py_raise_instead_of_running_single(tmp_path: Path) -> None:
    source = "import sys\nsys.modules['mpi4py'] = None\n" + WHO
    finished = run(tmp_path, source, OMPI_COMM_WORLD_SIZE="2", OMPI_COMM_WORLD_RANK="0")
    assert finished.returncode == 1
    assert "need mpi4py" in finished.stderr and "minispore[mpi]" in finished.stderr


@pytest.mark.parametrize(
    "text, message",
    [
        ({"RANK_SIZE": "2"}, "RANK_ID must be the rank of this process, from 0 to 1"),
        ({"RANK_SIZE": "2", "RANK_ID": "2"}, "got '2'"),
        ({"RANK_SIZE": "many"}, "RANK_SIZE must be a whole number, got 'many'"),
    ],
)
def test_a_launch_that_makes_no_sense_is_an_error(
    tmp_path: Path, text: dict[str, str], message: str
) -> None:
    finished = run(tmp_path, WHO, **text)
    assert finished.returncode == 1 and message in finished.stderr


@by_all_ways
def test_a_last_line_without_an_end_stays_a_line(tmp_path: Path, way: str) -> None:
    finished = run(tmp_path, "print('open', end='')", "--ranks", "2", way=way)
    assert sorted(finished.stdout.splitlines()) == ["[0] open", "[1] open"]
