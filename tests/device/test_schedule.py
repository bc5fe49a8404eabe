"""Four ways to run: exact timelines of small cases, and what holds for every case."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minispore.device.model.cost import ProgramCost
from minispore.device.model.schedule import WAYS, Schedule
from minispore.device.model.spec import SPECS, device_spec
from minispore.device.model.stream import StreamClock
from tests.device.programs import ROUND, program, programs


def run(
    cost: ProgramCost,
    way: str,
    steps: int,
    *,
    sink_size: int = 1,
    data_us: float = 0.0,
    detail: float = 0,
) -> Schedule:
    schedule = Schedule(StreamClock(cost.spec), cost, way, data_us, detail)
    schedule.run(steps, sink_size)
    return schedule


def lists(schedule: Schedule) -> list[list]:
    return schedule.clock.timeline.as_lists()


# -- exact timelines, worked out by hand from ROUND ------------------------------------------------


def test_without_a_sink_the_host_does_one_thing_after_the_other() -> None:
    assert lists(run(program(100, 50), "none", 1, data_us=40, detail=math.inf)) == [
        ["Data", "batch", 0, 40],
        ["Host", "feed", 40, 70],
        ["H2D", "H2D", 70, 75],
        ["Host", "execute", 75, 95],
        ["AI Core", "begin", 95, 98],
        ["Host", "launch Mul", 95, 99],
        ["AI Core", "k0", 99, 199],
        ["Host", "launch Mul", 99, 103],
        ["AI Core", "k1", 199, 249],
        ["AI Core", "end", 249, 251],
        ["Host", "synchronize", 251, 253],
        ["D2H", "D2H", 253, 258],
    ]


def test_getnext_with_data_sink_reads_the_prefetched_batches() -> None:
    assert lists(run(program(100), "data", 2, data_us=40)) == [
        ["Data", "batch", 0, 40],
        ["H2D", "H2D", 40, 45],
        ["Host", "execute", 0, 20],
        ["Host", "launch GetNext", 20, 24],
        ["AI CPU", "GetNext", 45, 55],
        ["AI Core", "begin", 55, 58],
        ["Host", "launch kernels", 24, 28],
        ["AI Core", "program", 58, 158],
        ["AI Core", "end", 158, 160],
        ["Host", "synchronize", 160, 162],
        ["D2H", "D2H", 162, 167],
        ["Data", "batch", 40, 80],
        ["H2D", "H2D", 80, 85],
        ["Host", "execute", 167, 187],
        ["Host", "launch GetNext", 187, 191],
        ["AI CPU", "GetNext", 191, 201],
        ["AI Core", "begin", 201, 204],
        ["Host", "launch kernels", 191, 195],
        ["AI Core", "program", 204, 304],
        ["AI Core", "end", 304, 306],
        ["Host", "synchronize", 306, 308],
        ["D2H", "D2H", 308, 313],
    ]


def test_with_graph_sink_the_host_starts_the_program_once_a_step() -> None:
    assert lists(run(program(100, 50), "graph", 1)) == [
        ["Data", "batch", 0, 0],
        ["H2D", "H2D", 0, 5],
        ["Host", "execute", 0, 20],
        ["AI CPU", "GetNext", 20, 30],
        ["AI Core", "begin", 30, 33],
        ["AI Core", "program", 33, 183],
        ["AI Core", "end", 183, 185],
        ["Host", "synchronize", 185, 187],
        ["D2H", "D2H", 187, 192],
    ]


def test_in_a_loop_sink_the_next_getnext_overlaps_this_step() -> None:
    assert lists(run(program(100), "loop", 2, sink_size=2, data_us=1)) == [
        ["Host", "execute", 0, 20],
        ["Data", "batch", 0, 1],
        ["H2D", "H2D", 1, 6],
        ["AI CPU", "GetNext", 20, 30],
        ["AI Core", "begin", 30, 33],
        ["AI Core", "program", 33, 133],
        ["AI Core", "end", 133, 135],
        ["Data", "batch", 1, 2],
        ["H2D", "H2D", 6, 11],
        ["AI CPU", "GetNext", 33, 43],
        ["AI Core", "begin", 135, 138],
        ["AI Core", "program", 138, 238],
        ["AI Core", "end", 238, 240],
        ["Host", "synchronize", 240, 242],
        ["D2H", "D2H", 242, 247],
    ]


def test_a_loop_sink_that_is_short_of_data_waits_in_getnext() -> None:
    schedule = run(program(10), "loop", 3, sink_size=3, data_us=100)
    starts = [r.start_us for r in schedule.clock.timeline if r.name == "GetNext"]
    assert starts == [105, 205, 305]
    assert schedule.wait_us == 2 * (205 - 130)  # the core was free at 115 + 3 + 10 + 2


def test_a_full_channel_holds_the_pipeline_back() -> None:
    cost = program(100, spec=ROUND.replace(channel_batches=2), input_bytes=8)
    schedule = run(cost, "loop", 4, sink_size=4)
    results = [r.start_us for r in schedule.clock.timeline if r.lane == "Data"]
    selected = [r.end_us for r in schedule.clock.timeline if r.name == "GetNext"]
    assert results == [0, 0, selected[0], selected[1]]


def test_a_loop_of_one_step_is_a_graph_sink() -> None:
    assert lists(run(program(100), "loop", 3)) == lists(run(program(100), "graph", 3))


def test_a_second_sink_starts_when_the_host_has_the_result_of_the_first() -> None:
    schedule = run(program(100), "loop", 4, sink_size=2)
    execute = [r.start_us for r in schedule.clock.timeline if r.name == "execute"]
    back = [r.end_us for r in schedule.clock.timeline if r.name == "D2H"]
    assert execute[1] == back[0]


def test_marks_are_the_points_of_each_step() -> None:
    schedule = Schedule(StreamClock(ROUND), program(100), "loop", marks=[])
    schedule.run(2, 2)
    assert schedule.marks == [(1, 33, 133, 135), (2, 138, 238, 240)]


def test_the_first_steps_can_appear_kernel_by_kernel() -> None:
    names = [r.name for r in run(program(1, 2), "graph", 3, detail=1).clock.timeline]
    assert (names.count("k0"), names.count("k1"), names.count("program")) == (1, 1, 2)


# -- counts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("way", "interactions"), [("none", 10), ("data", 10), ("graph", 10), ("loop", 3)]
)
def test_interactions_are_one_a_step_or_one_a_sink(way: str, interactions: int) -> None:
    assert run(program(5), way, 10, sink_size=4).counts.interactions == interactions


@pytest.mark.parametrize(
    ("way", "programs", "kernels"),
    [("none", 10, 20), ("data", 10, 30), ("graph", 10, 0), ("loop", 1, 0)],
)
def test_what_the_host_sends_is_counted(way: str, programs: int, kernels: int) -> None:
    counts = run(program(5, 5), way, 10, sink_size=10).counts
    assert (counts.program_launches, counts.kernel_launches) == (programs, kernels)


@pytest.mark.parametrize("way", WAYS)
def test_every_batch_crosses_the_bus_once(way: str) -> None:
    counts = run(program(5, input_bytes=64, columns=2), way, 10, sink_size=4).counts
    assert (counts.h2d_copies, counts.h2d_bytes) == (20, 640)


def test_an_unknown_sink_mode_suggests_a_similar_one() -> None:
    with pytest.raises(ValueError, match="Did you mean 'graph'"):
        run(program(5), "grap", 1)


# -- for every network and dataset ----------------------------------------------------------------

steps = st.integers(1, 40)
sinks = st.integers(1, 50)
pipelines = st.floats(0, 20_000)


@given(
    programs, steps, sinks, pipelines, st.sampled_from(["Ascend910", "Ascend310", "Ascend910B2"])
)
def test_loop_is_at_most_graph_is_at_most_data_is_at_most_none(
    cost, n, sink, data_us, name
) -> None:
    cost = ProgramCost(device_spec(name), cost.kernels, cost.input_bytes, cost.input_columns)
    none, data, graph, loop = (
        run(cost, way, n, sink_size=sink, data_us=data_us).clock.host_us for way in WAYS
    )
    assert loop <= graph <= data <= none


@given(programs, steps, pipelines)
def test_on_a_gpu_data_sink_is_at_most_no_sink(cost, n, data_us) -> None:
    cost = ProgramCost(SPECS["V100"], cost.kernels, cost.input_bytes, cost.input_columns)
    none, data = (run(cost, way, n, data_us=data_us).clock.host_us for way in SPECS["V100"].sinks)
    assert data <= none


@given(
    programs,
    st.integers(1, 15),
    st.integers(1, 6),
    pipelines,
    st.sampled_from(WAYS),
    st.integers(0, 4),
)
def test_no_lane_overlaps_itself(cost, n, sink, data_us, way, detail) -> None:
    schedule = run(cost, way, n, sink_size=sink, data_us=data_us, detail=detail)
    assert schedule.clock.timeline.overlaps() == []


@given(programs, steps, sinks, pipelines, st.sampled_from(WAYS))
def test_busy_is_at_most_elapsed(cost, n, sink, data_us, way) -> None:
    schedule = run(cost, way, n, sink_size=sink, data_us=data_us)
    timeline = schedule.clock.timeline
    assert schedule.busy_us <= schedule.clock.host_us == timeline.elapsed_us
    assert all(timeline.busy_us(lane) <= timeline.elapsed_us for lane in timeline.lanes())


@given(programs, st.integers(1, 15), st.integers(1, 6), pipelines, st.sampled_from(WAYS))
def test_the_timeline_is_the_same_to_the_last_digit_each_time(cost, n, sink, data_us, way) -> None:
    one, two = (run(cost, way, n, sink_size=sink, data_us=data_us) for _ in range(2))
    assert lists(one) == lists(two)


@given(programs, st.integers(1, 12), st.integers(1, 6), pipelines, st.sampled_from(WAYS))
def test_kernels_one_by_one_end_when_the_program_as_one_task_does(
    cost, n, sink, data_us, way
) -> None:
    whole = run(cost, way, n, sink_size=sink, data_us=data_us)
    parts = run(cost, way, n, sink_size=sink, data_us=data_us, detail=math.inf)
    assert whole.clock.host_us == parts.clock.host_us
    assert whole.busy_us == parts.busy_us == whole.step * cost.device_us


@given(programs, st.integers(1, 15), st.integers(1, 6), pipelines, st.sampled_from(WAYS[1:]))
def test_every_wait_is_met(cost, n, sink, data_us, way) -> None:
    timeline = run(cost, way, n, sink_size=sink, data_us=data_us).clock.timeline
    by_name = {
        name: [r for r in timeline if r.name == name] for name in ("batch", "H2D", "GetNext")
    }
    program_tasks = [r for r in timeline if r.name == "program"]
    for batch, copy, getnext in zip(*by_name.values(), strict=True):
        assert batch.end_us <= copy.start_us
        assert copy.end_us <= getnext.start_us
    for getnext, task in zip(by_name["GetNext"], program_tasks, strict=False):
        assert getnext.end_us <= task.start_us


@given(programs, steps, sinks, pipelines, st.sampled_from(WAYS))
def test_a_slower_pipeline_never_makes_a_run_faster(cost, n, sink, data_us, way) -> None:
    slow = run(cost, way, n, sink_size=sink, data_us=data_us + 10).clock.host_us
    assert run(cost, way, n, sink_size=sink, data_us=data_us).clock.host_us <= slow


@given(
    programs, st.integers(1, 20), st.integers(1, 20), sinks, pipelines, st.sampled_from(WAYS[:3])
)
def test_running_in_two_parts_is_running_at_once(cost, a, b, sink, data_us, way) -> None:
    parts = Schedule(StreamClock(cost.spec), cost, way, data_us)
    parts.run(a, sink)
    assert (
        parts.run(b, sink) == run(cost, way, a + b, sink_size=sink, data_us=data_us).clock.host_us
    )
