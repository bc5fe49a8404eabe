"""Records, exact lists and Chrome traces."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from minispore.device.model.timeline import Record, Timeline, round_to_grid, trace_events


@given(st.lists(st.floats(0, 1e9), max_size=50))
def test_times_on_the_grid_add_up_exactly_in_any_order(times: list[float]) -> None:
    on = [round_to_grid(t) for t in times]
    assert sum(on) == sum(reversed(on)) == sum(sorted(on))


def test_a_timeline_reads_as_lists() -> None:
    timeline = Timeline([Record("Host", "execute", 0, 2), Record("AI Core", "Conv2D", 2, 3)])
    assert timeline.as_lists() == [["Host", "execute", 0, 2], ["AI Core", "Conv2D", 2, 5]]


def test_busy_time_is_counted_for_each_lane() -> None:
    timeline = Timeline(
        [Record("Host", "a", 0, 2), Record("Host", "b", 5, 3), Record("H2D", "c", 0, 9)]
    )
    assert timeline.busy_us("Host") == 5
    assert timeline.elapsed_us == 9


def test_overlaps_lists_only_records_of_the_same_lane() -> None:
    a, b, c = Record("Host", "a", 0, 2), Record("Host", "b", 1, 3), Record("H2D", "c", 0, 9)
    assert Timeline([b, c, a]).overlaps() == [(a, b)]


def test_lanes_come_from_host_to_device() -> None:
    lanes = ["AI Core", "H2D", "Host", "other", "AI CPU"]
    timeline = Timeline([Record(lane, "x", 0, 1) for lane in lanes])
    assert timeline.lanes() == ["Host", "H2D", "AI CPU", "AI Core", "other"]


def test_the_chrome_trace_has_a_complete_event_for_each_task() -> None:
    timeline = Timeline([Record("AI Core", "conv/Conv2D-op0", 1.5, 2, 7, 3, "Conv2D", "conv", 64)])
    (event,) = [e for e in json.loads(timeline.chrome_trace(5)) if e["ph"] == "X"]
    assert event == {
        "name": "conv/Conv2D-op0", "ph": "X", "pid": 5, "tid": 1, "ts": 1.5, "dur": 2,
        "cat": "Conv2D", "args": {"step": 7, "scope": "conv", "bytes": 64},
    }  # fmt: skip


def test_the_chrome_trace_gives_lanes_the_process_ids_of_mindspore() -> None:
    timeline = Timeline([Record(lane, "x", 0, 1) for lane in ("Host", "AI CPU", "AI Core", "HCCL")])
    events = json.loads(timeline.chrome_trace(2))
    assert [e["pid"] for e in events if e["ph"] == "X"] == [11000, 9000, 2, 10000]


def test_the_chrome_trace_says_that_its_time_is_virtual() -> None:
    events = json.loads(Timeline([Record("Host", "x", 0, 1)]).chrome_trace())
    (labels,) = [e["args"]["labels"] for e in events if e["name"] == "process_labels"]
    assert labels == "virtual time, a model"


def test_last_step_limits_a_timeline_to_the_first_steps() -> None:
    timeline = Timeline(last_step=2)
    timeline.extend(Record("Host", "execute", i, 1, step=i) for i in range(5))
    assert [r.step for r in timeline] == [0, 1, 2]


def test_no_two_processes_of_a_trace_share_a_number() -> None:
    lanes = ("Data", "Host", "H2D", "D2H", "AI CPU", "AI Core", "HCCL")
    for device_id in (0, 7, 4095):
        events = trace_events([Record(lane, "task", 0.0, 1.0) for lane in lanes], device_id)
        named = [(e["pid"], e["args"]["name"]) for e in events if e["name"] == "process_name"]
        assert len({pid for pid, _ in named}) == len({name for _, name in named}) == len(named) == 5
