"""The files of a session, which MindStudio's tools read.

Set MINISPORE_MSPROF_ANALYZE to the command of the package msprof-analyze to let it read them, too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from minispore import context
from minispore.device.model.collective import all_reduce_us
from minispore.device.model.cost import program_cost
from minispore.device.model.records import Operand, OpRecord
from minispore.device.model.spec import device_spec
from minispore.profiler import profile, tensorboard_trace_handler, transfers
from tests.profiler.conftest import train
from tests.profiler.test_files import rows

NAMES = {
    "kernel_details.csv",
    "memory_record.csv",
    "op_statistic.csv",
    "operator_memory.csv",
    "step_trace_time.csv",
    "trace_view.json",
}
PROGRAM = """
import sys
import numpy as np
from minispore import Tensor, context, nn
from minispore.communication import get_rank, init
from minispore.profiler import Profiler, profile, tensorboard_trace_handler
context.set_context(mode=context.GRAPH_MODE, device_target="Ascend")
init()
context.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
net = nn.Dense(4, 2)
loss = nn.WithLossCell(net, nn.MSELoss())
step = nn.TrainOneStepCell(loss, nn.SGD(net.trainable_params())).set_train()
x, y = Tensor(np.ones((8, 4), np.float32)), Tensor(np.ones((8, 2), np.float32))
with profile(on_trace_ready=tensorboard_trace_handler(sys.argv[1])):
    for _ in range(3):
        step(x, y)
profiler = Profiler(output_path=sys.argv[2])
profiler.add_metadata("rank", str(get_rank()))
for _ in range(3):
    step(x, y)
profiler.analyse()
"""


def find_output(folder: Path) -> Path:
    """Return the folder of the only recording."""
    (path,) = folder.glob("*_ascend_ms/ASCEND_PROFILER_OUTPUT")
    return path


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """The files of a training that was recorded as a whole."""
    context.set_context(mode=context.GRAPH_MODE, device_target="Ascend")
    handler = tensorboard_trace_handler(str(tmp_path))
    with profile(on_trace_ready=handler, profile_memory=True):
        train(sink=True)
    return find_output(tmp_path)


@pytest.fixture(scope="module")
def rank_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recordings of two ranks that train together."""
    folder = tmp_path_factory.mktemp("ranks")
    (folder / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "minispore", "--ranks", "2", "program.py", "out", "first"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "out"


def test_the_files_have_the_names_of_mindspore_2(output: Path) -> None:
    names = {path.name for path in output.iterdir()}
    assert names >= NAMES
    assert not [n for n in names if n.startswith(("step_trace_raw", "aicore_intermediate"))]


def test_the_parts_of_a_step_add_up_to_its_time(output: Path) -> None:
    steps = [{k: float(v) for k, v in row.items()} for row in rows(output / "step_trace_time.csv")]
    events = json.loads((output / "trace_view.json").read_text())
    durations = [e["dur"] for e in events if e.get("cat") == "step"]
    assert len(steps) == len(durations) > 3
    for step, duration in zip(steps, durations, strict=True):
        parts = step["Computing"] + step["Communication(Not Overlapped)"] + step["Free"]
        assert parts == duration
        assert 0 <= step["Preparing"] <= step["Free"]


def test_kernels_follow_each_other_on_their_stream(output: Path) -> None:
    ends: dict[str, float] = {}
    for row in rows(output / "kernel_details.csv"):
        stream = row["Accelerator Core"] + row["Stream ID"]
        start, wait_us = float(row["Start Time(us)"]), float(row["Wait Time(us)"])
        assert start - wait_us == ends.get(stream, 0.0)
        ends[stream] = start + float(row["Duration(us)"])


def test_shares_of_kernel_types_and_memory_are_consistent(output: Path) -> None:
    types = rows(output / "op_statistic.csv")
    assert sum(float(row["Ratio(%)"]) for row in types) == pytest.approx(100)
    records = [float(row["Total Allocated(MB)"]) for row in rows(output / "memory_record.csv")]
    arrays = rows(output / "operator_memory.csv")
    assert max(records) == max(float(row["Allocation Total Allocated(MB)"]) for row in arrays)


def test_each_rank_writes_the_sums_of_its_gradients(rank_folder: Path) -> None:
    infos = sorted(path.name for path in rank_folder.glob("*/profiler_info_*.json"))
    assert infos == ["profiler_info_0.json", "profiler_info_1.json"]
    for output in rank_folder.glob("*/ASCEND_PROFILER_OUTPUT"):
        steps = json.loads((output / "communication.json").read_text())
        assert list(steps) == ["step1", "step2", "step3"]
        for row, ops_of_step in zip(rows(output / "step_trace_time.csv"), steps.values()):
            (transfer,) = ops_of_step["collective"].values()
            elapsed_ms = transfer["Communication Time Info"]["Elapse Time(ms)"]
            assert float(row["Communication"]) == pytest.approx(1e3 * elapsed_ms)
            assert elapsed_ms > device_spec("Ascend910").hccl_latency_us / 1e3


def test_mindinsight_finds_the_link_and_the_cost_of_each_transfer(rank_folder: Path) -> None:
    """Rank 0 receives from rank 1, as each rank of a ring does from the one before."""
    for rank in (0, 1):
        table = rows(rank_folder.parent / "first" / "profiler" / f"hccl_raw_{rank}.csv")
        assert list(table[0]) == list(transfers.HEADER)
        assert [row["step_num"] for row in table] == ["1", "2", "3", "-"]
        for row in table:
            cost, links = float(row["communication_cost"]), json.loads(row["link_info"])
            milliseconds, kilobytes, rate = links[f"{1 - rank}-{rank}"]["HCCS"]
            assert milliseconds == pytest.approx(cost)
            assert rate == pytest.approx(1e3 * kilobytes / milliseconds)
        for row in table:
            ((step, cost, wait, links),) = json.loads(row["communication_operator_cost"]).values()
            assert (step, cost, wait) == (row["step_num"], float(row["communication_cost"]), 0)
            assert links == json.loads(row["link_info"])


def test_ranks_that_share_a_folder_keep_a_report_each(rank_folder: Path) -> None:
    shared = rank_folder.parent / "first" / "profiler"
    reports = sorted(path.name for path in shared.glob("*.html"))
    assert reports == ["report_0.html", "report_1.html"]
    for rank in (0, 1):
        metadata = json.loads((shared / f"profiler_metadata_{rank}.json").read_text())
        assert metadata == {"rank": str(rank)}
    for output in rank_folder.glob("*/ASCEND_PROFILER_OUTPUT"):
        assert len(list(output.glob("report_*.html"))) == 1


@pytest.mark.parametrize(
    "name, share", [("AllReduce", 1), ("AllReduceBegin", 1), ("AllGather", 0.5)]
)
def test_a_collective_of_a_run_takes_the_time_of_its_group(name: str, share: float) -> None:
    spec, x = device_spec("Ascend910"), Operand("x", (1 << 20,), np.dtype(np.float32))
    record = OpRecord(name, (x,), (x._replace(key="y"),), {"group": "hccl_world_group"})
    (alone,) = program_cost([record], spec).kernels
    (together,) = program_cost([record], spec, get_group_size={"hccl_world_group": 8}.get).kernels
    assert alone.lane == together.lane == "HCCL"
    assert alone.us < spec.hccl_latency_us / 10
    assert together.us == pytest.approx(share * all_reduce_us(spec, 4 << 20, 8), rel=0.01)


def test_mindstudio_reads_the_recordings_of_two_ranks(rank_folder: Path, tmp_path: Path) -> None:
    command = os.environ.get("MINISPORE_MSPROF_ANALYZE")
    if not command:
        pytest.skip("set MINISPORE_MSPROF_ANALYZE to the command of msprof-analyze")
    options = ["cluster", "-d", str(rank_folder), "-m", "all", "-o", str(tmp_path)]
    subprocess.run([command, *options], check=True, capture_output=True)
    result = tmp_path / "cluster_analysis_output"
    steps = rows(result / "cluster_step_trace_time.csv")
    assert {(row["Step"], row["Index"]) for row in steps} == {(s, r) for s in "123" for r in "01"}
    assert "hcom_allReduce" in (result / "cluster_communication.json").read_text()
