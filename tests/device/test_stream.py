"""Streams, events and waits keep their rules, for every program of tasks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minispore.device.model.spec import device_spec
from minispore.device.model.stream import Event, StreamClock
from minispore.device.model.timeline import round_to_grid
from minispore.errors import DeviceError

LANES = ("AI Core", "AI CPU", "H2D")


@pytest.fixture
def clock() -> StreamClock:
    return StreamClock(device_spec())


def test_tasks_of_one_stream_follow_each_other(clock: StreamClock) -> None:
    s = clock.stream("AI Core")
    clock.launch(s, "a", 3)
    clock.launch(s, "b", 2)
    assert clock.timeline.as_lists() == [["AI Core", "a", 0, 3], ["AI Core", "b", 3, 5]]


def test_streams_of_different_lanes_overlap(clock: StreamClock) -> None:
    clock.launch(clock.stream("AI Core"), "a", 3)
    clock.launch(clock.stream("H2D"), "b", 2)
    assert clock.timeline.as_lists() == [["AI Core", "a", 0, 3], ["H2D", "b", 0, 2]]


def test_streams_of_one_lane_take_turns_in_the_order_of_launch(clock: StreamClock) -> None:
    first, second = clock.stream("AI Core"), clock.stream("AI Core")
    clock.launch(second, "b", 2)
    clock.launch(first, "a", 3)
    assert clock.timeline.as_lists() == [["AI Core", "b", 0, 2], ["AI Core", "a", 2, 5]]


def test_a_task_starts_when_the_host_has_sent_it(clock: StreamClock) -> None:
    clock.occupy_host("execute", 7)
    clock.launch(clock.stream("AI Core"), "a", 1)
    assert clock.timeline.as_lists() == [["Host", "execute", 0, 7], ["AI Core", "a", 7, 8]]


def test_the_host_goes_on_at_once_until_it_synchronizes(clock: StreamClock) -> None:
    s = clock.stream("AI Core")
    clock.launch(s, "a", 9)
    assert clock.occupy_host("next", 1) == 1
    assert clock.synchronize(s) == 9
    assert clock.occupy_host("after", 1) == 10


def test_a_task_waits_for_all_its_events(clock: StreamClock) -> None:
    copies, compute = clock.stream("H2D"), clock.stream("AI Core")
    clock.launch(copies, "x", 4)
    early = clock.record(copies)
    clock.launch(copies, "y", 4)
    late = clock.record(copies)
    assert clock.launch(compute, "a", 1, waits=[late, early]) == 9


def test_a_stream_that_waits_holds_back_all_that_follows(clock: StreamClock) -> None:
    copies, compute = clock.stream("H2D"), clock.stream("AI Core")
    clock.launch(copies, "x", 4)
    clock.wait(compute, clock.record(copies))
    assert clock.launch(compute, "a", 1) == 5


def test_waiting_for_an_event_that_nothing_records_is_reported_at_once(clock: StreamClock) -> None:
    with pytest.raises(DeviceError, match="wait for ever"):
        clock.launch(clock.stream("AI Core"), "a", 1, waits=[clock.event()])
    assert len(clock.timeline) == 0


def test_the_number_of_streams_is_limited_by_the_device() -> None:
    clock = StreamClock(device_spec().replace(max_streams=2))
    clock.stream("AI Core"), clock.stream("AI CPU")
    with pytest.raises(DeviceError, match="stream exceeds limit"):
        clock.stream("H2D")


def test_the_number_of_events_is_limited_by_the_device() -> None:
    clock = StreamClock(device_spec().replace(max_events=1))
    clock.event()
    with pytest.raises(DeviceError, match="event exceeds limit"):
        clock.event()


def test_the_main_stream_of_a_lane_is_created_once(clock: StreamClock) -> None:
    assert clock.main_stream("H2D") is clock.main_stream("H2D")


def test_without_a_timeline_only_the_clock_goes_on() -> None:
    clock = StreamClock(device_spec(), timeline=None)
    assert clock.launch(clock.stream("AI Core"), "a", 3) == 3
    assert clock.occupy_host("b", 2) == 2


# One action of the host: (kind, stream, duration, whether a task waits for the newest event).
actions = st.lists(
    st.tuples(
        st.sampled_from(["launch", "host", "record", "sync"]),
        st.integers(0, 4),
        st.floats(0, 1000),
        st.booleans(),
    ),
    max_size=60,
)


def run(
    script: list[tuple[str, int, float, bool]],
) -> tuple[StreamClock, list[tuple[int, list[Event]]]]:
    clock = StreamClock(device_spec())
    streams = [clock.stream(LANES[i % 3]) for i in range(5)]
    waits: list[tuple[int, list[Event]]] = []
    events: list[Event] = []
    for kind, number, duration, waiting in script:
        if kind == "host":
            clock.occupy_host("host", duration)
        elif kind == "record":
            events.append(clock.record(streams[number]))
        elif kind == "sync":
            clock.synchronize(streams[number])
        else:
            chosen = events[-2:] if waiting else []
            waits.append((len(clock.timeline), [Event(e.number, e.time_us) for e in chosen]))
            clock.launch(streams[number], "task", duration, waits=chosen)
    return clock, waits


@given(actions)
def test_no_lane_ever_overlaps_itself(script) -> None:
    assert run(script)[0].timeline.overlaps() == []


@given(actions)
def test_every_wait_is_met(script) -> None:
    clock, waits = run(script)
    for index, events in waits:
        start = clock.timeline.records[index].start_us
        assert all(event.time_us <= start for event in events)


@given(actions)
def test_no_lane_is_busy_for_longer_than_has_passed(script) -> None:
    timeline = run(script)[0].timeline
    for lane in timeline.lanes():
        assert timeline.busy_us(lane) <= timeline.elapsed_us


@given(actions)
def test_the_same_script_gives_the_same_timeline_to_the_last_digit(script) -> None:
    assert run(script)[0].timeline.as_lists() == run(script)[0].timeline.as_lists()


@given(actions)
def test_every_task_starts_as_early_as_the_rule_allows(script) -> None:
    clock, waits = run(script)
    met = dict(waits)
    free: dict[str, float] = dict.fromkeys((*LANES, "Host"), 0.0)
    for index, r in enumerate(clock.timeline):
        bounds = [free[r.lane], *(e.time_us for e in met.get(index, []))]
        assert r.start_us >= max(bounds)
        assert r.start_us == round_to_grid(r.start_us)
        free[r.lane] = r.end_us
