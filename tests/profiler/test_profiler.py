"""A profiler begins, ends, and leaves everything as it was."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from minispore import Tensor, context, device, ops
from minispore.dataset.pipeline import feed
from minispore.profiler import Profiler
from minispore.train import Callback
from tests.profiler.conftest import EPOCHS, ROWS, STEPS, train

GRAPH, PYNATIVE = context.GRAPH_MODE, context.PYNATIVE_MODE
MODES = [
    (GRAPH, "Ascend", True),
    (GRAPH, "Ascend", False),
    (GRAPH, "GPU", True),
    (GRAPH, "CPU", False),
    (PYNATIVE, "Ascend", True),
    (PYNATIVE, "Ascend", False),
    (PYNATIVE, "CPU", False),
]


# -- begin and end --------------------------------------------------------------------------------


def test_only_one_profiler_may_be_at_work(tmp_path: Path) -> None:
    first = Profiler(output_path=str(tmp_path))
    with pytest.raises(RuntimeError, match="only one"):
        Profiler(output_path=str(tmp_path))
    with pytest.raises(RuntimeError, match="at work already"):
        first.start()
    first.stop()


def test_a_profiler_that_was_not_started_cannot_stop(tmp_path: Path) -> None:
    profiler = Profiler(output_path=str(tmp_path), start_profile=False)
    assert not profiler.running
    with pytest.raises(RuntimeError, match="not at work"):
        profiler.stop()
    with pytest.raises(RuntimeError, match=r"start\(\) was not called"):
        profiler.analyse()


def test_after_a_stop_nobody_listens_and_nothing_is_timed(profiled) -> None:
    profiler = profiled()
    assert device.current().listeners == ()
    assert feed.feed_watchers == []
    before = [t.calls for t in profiler.recorder.wall_times()]
    train(sink=True)
    assert [t.calls for t in profiler.recorder.wall_times()] == before


def test_a_profiler_can_go_on_after_a_stop(profiled) -> None:
    profiler = profiled()
    profiler.start()
    train(sink=True)
    profiler.stop()
    assert profiler.recorder.steps == 2 * EPOCHS * STEPS


def test_a_profiler_follows_the_context_to_another_device(tmp_path: Path) -> None:
    profiler = Profiler(output_path=str(tmp_path))
    context.set_context(mode=GRAPH, device_target="Ascend", device_id=3)
    train(sink=True)
    profiler.stop()
    assert profiler.recorder.steps == EPOCHS * STEPS
    assert profiler.get_priced_run().machine.device_id == 3


def test_a_failing_training_leaves_a_profile_of_what_ran(tmp_path: Path) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    profiler = Profiler(output_path=str(tmp_path))
    train(sink=True)
    with device.faults.device_lost(2), pytest.raises(RuntimeError):
        train(sink=True)
    assert len(profiler.analyse()) > 10


# -- what is collected ----------------------------------------------------------------------------


@pytest.mark.parametrize(("mode", "target", "sink"), MODES)
def test_every_step_and_every_loss_is_recorded(profiled, mode, target, sink) -> None:
    run = profiled(mode, target, sink).get_priced_run()
    assert run.recorder.steps == EPOCHS * STEPS == len(run.marks)
    assert len(run.losses) == EPOCHS * STEPS


@pytest.mark.parametrize(("mode", "sink"), [(GRAPH, True), (GRAPH, False), (PYNATIVE, False)])
def test_the_losses_are_those_that_callbacks_see(tmp_path: Path, mode, sink) -> None:
    seen: list[float] = []

    class Note(Callback):
        def on_train_step_end(self, run_context) -> None:
            params = run_context.original_args()
            actual = params.sink_losses if sink else [params.net_outputs.asnumpy()]
            seen.extend(float(x) for x in actual)

    context.set_context(mode=mode, device_target="Ascend")
    profiler = Profiler(output_path=str(tmp_path))
    train(sink, callbacks=Note())
    profiler.stop()
    assert profiler.get_priced_run().losses == seen


@pytest.mark.parametrize(("mode", "target", "sink"), MODES)
def test_no_lane_of_the_virtual_timeline_overlaps_itself(profiled, mode, target, sink) -> None:
    assert profiled(mode, target, sink).get_priced_run().timeline.overlaps() == []


@pytest.mark.parametrize(
    ("mode", "sink", "way"),
    [(GRAPH, True, "loop"), (GRAPH, False, "none"), (PYNATIVE, False, "none")],
)
def test_the_run_reports_its_sink_mode(profiled, mode, sink, way) -> None:
    assert profiled(mode, "Ascend", sink).get_priced_run().main.sink_mode == way


@pytest.mark.parametrize("sink", [False, True])
def test_steps_after_those_of_a_graph_are_in_the_run(tmp_path: Path, sink) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    profiler = Profiler(output_path=str(tmp_path))
    for _ in range(3):  # more programs than eager steps are recorded
        train(sink)
    context.set_context(mode=PYNATIVE)
    train(sink=False)
    profiler.stop()
    run = profiler.get_priced_run()
    assert [p.steps for p in run.programs if p.name == "op by op"] == [EPOCHS * STEPS]
    assert len(run.marks) == len(run.losses) == 4 * EPOCHS * STEPS


def test_interactions_are_one_a_sink_or_one_a_step(profiled) -> None:
    assert len(profiled(GRAPH, "Ascend", True).recorder.launches) == EPOCHS


def test_without_a_sink_interactions_are_one_a_step(profiled) -> None:
    assert len(profiled(GRAPH, "Ascend", False).recorder.launches) == EPOCHS * STEPS


@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
def test_numpy_kernels_are_timed(profiled, mode) -> None:
    times = profiled(mode, "Ascend", False).recorder.wall_times()
    names = {t.name for t in times}
    assert {"MatMul", "ApplyMomentum"} <= names
    assert all(t.total_ns > 0 for t in times)
    assert [t.total_ns for t in times] == sorted((t.total_ns for t in times), reverse=True)


def test_timed_kernels_know_their_cell_and_line(profiled) -> None:
    times = profiled().recorder.wall_times()
    scopes = {t.scope for t in times if t.name == "MatMul"}
    assert any(scope.endswith("hidden") for scope in scopes)
    assert any(t.line.startswith("conftest.py:") for t in times)


def test_the_pipeline_is_measured(profiled) -> None:
    (stats,) = profiled().recorder.pipelines()
    assert stats.nodes[-1].rows == EPOCHS * STEPS


def test_a_profiled_training_computes_what_it_would_have_computed(tmp_path: Path) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    profiler = Profiler(output_path=str(tmp_path))
    x = Tensor(np.arange(6, dtype=np.float32))
    with_profiler = ops.Sqrt()(x).asnumpy()
    profiler.stop()
    np.testing.assert_array_equal(with_profiler, ops.Sqrt()(x).asnumpy())


def test_op_analyse_tells_about_one_kernel_type(profiled) -> None:
    actual = profiled().op_analyse("MatMul")
    assert actual["MatMul"]["execution_frequency"] == 5 * EPOCHS * STEPS  # 2 forward, 3 back
    assert 0 < actual["MatMul"]["percent"] < 100


def test_op_analyse_adds_up_the_programs(tmp_path: Path) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    with_two_programs = Profiler(output_path=str(tmp_path))
    for _ in range(2):
        train(sink=True)  # a new network, so a program of its own
    with_two_programs.stop()
    actual = with_two_programs.op_analyse("MatMul")["MatMul"]
    assert actual["execution_frequency"] == 2 * 5 * EPOCHS * STEPS
    kernels_us = sum(
        program.cost.device_us * program.steps
        for program in with_two_programs.get_priced_run().programs
    )
    assert actual["percent"] == round(100 * actual["task_time_us"] / kernels_us, 2)


# -- the context ----------------------------------------------------------------------------------


def test_enable_profiling_starts_and_stops_a_profiler(tmp_path: Path) -> None:
    context.set_context(
        mode=GRAPH,
        device_target="Ascend",
        enable_profiling=True,
        profiling_options=json.dumps({"result_path": str(tmp_path), "task_trace": "on"}),
    )
    train(sink=True)
    context.set_context(enable_profiling=False)
    names = {p.name for p in (tmp_path / "profiler").iterdir()}
    assert {"step_trace_raw_0_detail_time.csv", "report.html"} <= names
    assert "aicore_intermediate_0_type.csv" in names
    assert "aicpu_intermediate_0.csv" not in names  # aicpu_trace is off


def test_a_profiler_of_the_context_is_the_only_one(tmp_path: Path) -> None:
    options = json.dumps({"result_path": str(tmp_path)})
    context.set_context(enable_profiling=True, profiling_options=options)
    with pytest.raises(RuntimeError, match="only one"):
        Profiler(output_path=str(tmp_path))
    context.set_context(enable_profiling=False)


def test_rows_of_a_batch_are_not_mistaken_for_steps(profiled) -> None:
    assert profiled().get_priced_run().main.plan.batch_size == ROWS


def test_a_node_of_several_calls_is_one_line(profiled) -> None:
    for ran in profiled().recorder.programs.values():
        assert len(list(ran.program.steps())) > len(ran.program.nodes) == len(ran.wall_times())


def test_metadata_is_written_to_a_json_file(tmp_path: Path) -> None:
    prof = Profiler(output_path=str(tmp_path))
    prof.add_metadata("name", "first")
    prof.add_metadata_json("rates", "[0.1, 0.2]")
    with pytest.warns(UserWarning, match="must be str"):
        prof.add_metadata("count", 3)  # type: ignore[arg-type]
    with pytest.warns(UserWarning, match="a text of JSON"):
        prof.add_metadata_json("bad", "{")
    prof.analyse()
    written = json.loads((prof.folder / "profiler_metadata.json").read_text())
    assert written == {"name": "first", "rates": [0.1, 0.2]}
    with pytest.warns(UserWarning, match="no data of other processes"):
        Profiler.offline_analyse(str(tmp_path))
