"""The channel between a pipeline and GetNext."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minispore.device import channel as channels
from minispore.device import faults
from minispore.device.channel import Batch, Channel, Lease
from minispore.device.getnext import ChannelHistory
from minispore.errors import GetNextError
from minispore.ir.value import Spec


def batches(count: int, rows: int = 2) -> Iterator[Batch]:
    for i in range(count):
        yield Batch((np.full((rows,), i, np.float32),), origin=i)


def endless() -> Iterator[Batch]:
    while True:
        yield Batch((np.zeros(1, np.float32),))


@pytest.fixture
def opened():
    outputs: list[Channel] = []

    def open_one(source, **options) -> Channel:
        outputs.append(Channel(f"queue-{len(outputs)}", source, **options))
        return outputs[-1]

    yield open_one
    for channel in outputs:
        channel.close()


def wait_until(condition, seconds: float = 5.0) -> None:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.001)
    assert condition()


@given(count=st.integers(0, 12), capacity=st.integers(1, 4))
def test_every_batch_arrives_once_and_in_order(count: int, capacity: int) -> None:
    channel = Channel("q", lambda: batches(count), capacity=capacity)
    selected = [channel.take(5.0)[0].origin for _ in range(count)]
    with pytest.raises(GetNextError, match="exhausted"):
        channel.take(5.0)
    channel.close()
    assert selected == list(range(count))


def test_the_sender_waits_while_the_queue_is_full(opened) -> None:
    channel = opened(endless, capacity=3)
    wait_until(lambda: channel.history.produced == 4)
    time.sleep(0.02)
    assert (len(channel), channel.history.produced) == (3, 4)  # the fourth waits at the door
    channel.take()
    wait_until(lambda: channel.history.produced == 5)


def test_the_queue_is_bounded_in_bytes_too(opened) -> None:
    channel = opened(lambda: batches(10, rows=4), capacity=10, capacity_bytes=40)  # 16 bytes each
    wait_until(lambda: channel.history.produced == 3)
    time.sleep(0.02)
    assert len(channel) == 2


def test_a_batch_larger_than_the_capacity_is_sent_singly(opened) -> None:
    channel = opened(lambda: batches(3, rows=100), capacity=10, capacity_bytes=40)
    assert [channel.take(5.0)[0].origin for _ in range(3)] == [0, 1, 2]


def test_a_wait_that_can_not_end_is_reported_at_once_without_any_time_out(opened) -> None:
    channel = opened(lambda: batches(1))
    channel.take()
    with pytest.raises(GetNextError, match="exhausted") as caught:
        channel.take(timeout_s=0)
    assert "produced: 1, sent: 1, consumed: 1" in str(caught.value)


def test_batches_before_a_failure_are_delivered_before_the_error(opened) -> None:
    def failing() -> Iterator[Batch]:
        yield from batches(2)
        raise KeyError("row 7")

    channel = opened(failing)
    channel.take()
    channel.take()
    with pytest.raises(GetNextError, match=r"TDT Push data into device Failed.*KeyError") as caught:
        channel.take()
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_source_that_can_not_even_start_is_a_failure(opened) -> None:
    def source():
        raise OSError("no such file")

    with pytest.raises(GetNextError) as caught:
        opened(source).take()
    assert isinstance(caught.value.__cause__, OSError)


def test_a_slow_pipeline_is_a_timeout(opened) -> None:
    release = threading.Event()

    def slow() -> Iterator[Batch]:
        release.wait(5)
        yield from batches(1)

    channel = opened(slow)
    with pytest.raises(GetNextError, match=r"no batch came for .* s \(op_timeout 0.05 s\)"):
        channel.take(timeout_s=0.05)
    release.set()
    assert channel.take(5.0)[0].origin == 0  # late, but there


def test_a_long_wait_warns_once(opened, monkeypatch) -> None:
    monkeypatch.setattr(channels, "WARN_AFTER_S", 0.02)
    monkeypatch.setattr(channels, "SLICE_S", 0.01)
    release = threading.Event()

    def slow() -> Iterator[Batch]:
        release.wait(0.1)
        yield from batches(1)

    with pytest.warns(UserWarning, match="slow pipeline") as caught:
        opened(slow).take(5.0)
    assert len(caught) == 1


def test_closing_wakes_a_sender_that_waits_for_room(opened) -> None:
    channel = opened(endless, capacity=1)
    wait_until(lambda: channel.history.produced == 2)
    channel.close()
    wait_until(lambda: not channel._sender.is_alive())


def test_closing_wakes_a_device_that_waits_for_a_batch(opened) -> None:
    release = threading.Event()

    def never() -> Iterator[Batch]:
        release.wait(5)
        yield from ()

    channel = opened(never)
    threading.Timer(0.05, channel.close).start()
    with pytest.raises(GetNextError, match="closed"):
        channel.take(5.0)
    release.set()


def test_closing_does_not_wait_for_slow_user_code(opened) -> None:
    release = threading.Event()

    def slow() -> Iterator[Batch]:
        release.wait(5)
        yield from ()

    channel = opened(slow)
    start = time.monotonic()
    channel.close()
    assert time.monotonic() - start < 2 * channels.JOIN_S
    release.set()


def test_close_ends_the_pipeline_in_the_sender_thread(opened) -> None:
    ended = []

    def source() -> Iterator[Batch]:
        try:
            yield from endless()
        finally:
            ended.append(threading.current_thread().name)

    channel = opened(source, capacity=1)
    channel.take(5.0)
    channel.close()
    assert ended == [f"minispore-sender-{channel.name}"]


def test_find_channel_returns_none_after_close(opened) -> None:
    channel = opened(endless)
    assert channels.find_channel(channel.name) is channel
    channel.close()
    channel.close()
    assert channels.find_channel(channel.name) is None


def test_the_channel_closes_with_the_last_holder_of_its_lease(opened) -> None:
    channel = opened(endless, capacity=1)
    lease = Lease(channel)
    second = lease
    del lease
    gc.collect()
    assert not channel.is_closed
    del second
    gc.collect()
    assert channel.is_closed


def test_a_string_column_can_not_be_sent(opened) -> None:
    channel = opened(lambda: iter([Batch((np.array(["a"]),))]), columns=["text"])
    with pytest.raises(GetNextError, match="cannot send string data to device: column 'text'"):
        channel.take()


def test_a_shape_that_a_graph_was_not_compiled_for_is_explained(opened) -> None:
    fixed = (Spec((4,), np.dtype(np.float32)),)
    channel = opened(lambda: batches(1, rows=3), columns=["image"], fixed=fixed)
    with pytest.raises(GetNextError, match=r"column 'image' is float32\[3\]") as caught:
        channel.take()
    assert "drop_remainder=True" in str(caught.value)


def test_an_error_is_explained_while_the_sender_goes_on(opened) -> None:
    fixed = (Spec((4,), np.dtype(np.float32)),)
    channel = opened(endless, capacity=50, fixed=fixed)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(5000):
            with pytest.raises(GetNextError, match="the shape changed"):
                channel.take(5.0)
    finally:
        sys.setswitchinterval(interval)


def test_peeking_leaves_the_batch(opened) -> None:
    channel = opened(lambda: batches(1))
    assert channel.peek(5.0) == (Spec((2,), np.dtype(np.float32)),)
    assert channel.take()[0].origin == 0


def test_on_origin_gets_the_origin_of_each_batch(opened) -> None:
    channel = opened(lambda: batches(3))
    seen: list[int] = []
    channel.on_origin = seen.append
    for _ in range(3):
        channel.take(5.0)
    assert seen == [0, 1, 2]


# -- the text of the error ------------------------------------------------------------------------


def text_of(channel: Channel, **options) -> str:
    with pytest.raises(GetNextError) as caught:
        channel.take(**options)
    return str(caught.value)


def test_the_error_has_the_words_that_users_search_for(opened) -> None:
    channel = opened(lambda: batches(0))
    text = text_of(channel)
    for words in (
        "fault kernel_name=GetNext",
        "task error",
        "outputs = self.get_next()",
        channel.name,
        "dataset_sink_mode=False",
        "create_dict_iterator()",
        "optimise the data processing",
    ):
        assert words in text


def test_the_error_names_the_slowest_dataset_operation(opened) -> None:
    channel = opened(lambda: batches(0), profile=lambda: {"Map(Resize)": 3.0, "Batch": 1.0})
    assert "Map(Resize), 75 % of the pipeline's time" in text_of(channel)


def test_pattern_1_nothing_was_produced(opened) -> None:
    with faults.slow_batch(1, 5.0):
        assert "Pattern 1" in text_of(opened(endless), timeout_s=0.03)


def test_pattern_3_a_few_batches_then_slow(opened) -> None:
    with faults.slow_batch(4, 5.0):
        channel = opened(endless)
        for _ in range(3):
            channel.take()
        assert "Pattern 3: 3 sent, then slow; batch 4" in text_of(channel, timeout_s=0.03)


def test_pattern_5_the_queue_is_mostly_empty(opened) -> None:
    with faults.producer_stops(after=9):
        channel = opened(endless, capacity=1)
        for _ in range(9):
            channel.take(5.0)
        assert "Pattern 5" in text_of(channel)


def test_bytes_of_received_batches_are_released(opened) -> None:
    size = 8  # bytes of a batch; three fit
    channel = opened(lambda: batches(40), capacity=100, capacity_bytes=3 * size)
    for _ in range(20):  # many times the capacity
        channel.take(5.0)
    wait_until(lambda: len(channel) == 3)


# -- what was counted ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("produced", "sent", "queued", "pattern"),
    [
        (0, 0, [], 1),
        (1, 0, [], 2),
        (3, 3, [], 3),
        (3, 3, [0, 1], 3),
        (20, 20, [9, 9], 4),  # nine tenths of 10 on average
        (20, 20, [9, 8], 5),
        (4, 4, [0], 5),
    ],
)
def test_the_pattern_follows_from_what_was_counted(produced, sent, queued, pattern) -> None:
    seen = ChannelHistory("q", capacity=10, produced=produced, sent=sent)
    seen.device_queue.extend(queued)
    assert seen.pattern.startswith(f"{pattern}: ")


def test_only_a_batch_that_was_waited_for_is_a_wait() -> None:
    seen = ChannelHistory("q", capacity=10)
    for waited_s in (0.0, 0.5, 0.25):
        seen.note_dequeued(1, waited_s)
    assert (seen.consumed_count, seen.wait_count, seen.waited_s) == (3, 2, 0.75)


def test_the_slowest_operation_is_named_with_its_share() -> None:
    seen = ChannelHistory("q", capacity=10, profile=lambda: {"map": 3.0, "batch": 1.0})
    assert seen.slowest_operation == "map, 75 % of the pipeline's time"


def test_slowest_operation_without_a_profile_reports_the_batch_time() -> None:
    seen = ChannelHistory("q", capacity=10)
    seen.note_sent(0.5)
    assert seen.slowest_operation == "not known; the last 1 batches took 0.500 s to make"
