"""Channel: who waits is woken, not found out by looking again; bounds and texts at their edges."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from minispore.device import channel as channels
from minispore.device.ascend import Ascend
from minispore.device.channel import Batch, Channel
from minispore.device.getnext import ChannelHistory, explain
from minispore.device.gpu import GPU
from minispore.errors import GetNextError
from minispore.ir.value import Spec

LONG_S = 600.0  # longer than any test


def a_batch(*shape: int, origin: Any = None) -> Batch:
    return Batch((np.zeros(shape, np.float32),), origin)


def endless(nbytes: int = 4) -> Iterator[Batch]:
    while True:
        batch = a_batch(1)
        batch.nbytes = nbytes
        yield batch


@pytest.fixture
def opened() -> Iterator[Callable[..., Channel]]:
    outputs: list[Channel] = []

    def open_one(source: Any, **options: Any) -> Channel:
        outputs.append(Channel(f"queue-{len(outputs)}", source, **options))
        return outputs[-1]

    yield open_one
    for channel in outputs:
        channel.close()


@pytest.fixture
def one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits looks once, and then only when it is woken."""
    monkeypatch.setattr(channels, "SLICE_S", LONG_S)


class Waiter(threading.Thread):
    """Takes a batch; ``result`` is its origin, or what was raised."""

    def __init__(self, channel: Channel) -> None:
        super().__init__(daemon=True)
        self.channel, self.result = channel, None
        self.start()
        while not channel._monitor._waiters:  # it waits now
            time.sleep(0.001)

    def run(self) -> None:
        try:
            self.result = self.channel.take()[0].origin
        except GetNextError as exc:
            self.result = str(exc).partition(":")[2].partition(".")[0].strip()

    def ended(self) -> Any:
        self.join(60.0)
        assert not self.is_alive()
        return self.result


class Gate:
    """A source that makes what it is told to, when it is told to."""

    def __init__(self) -> None:
        self.open = threading.Event()

    def __call__(self) -> Iterator[Batch]:
        self.open.wait(LONG_S)
        yield a_batch(1, origin="late")

    def empty(self) -> Iterator[Batch]:
        self.open.wait(LONG_S)
        yield from ()


# -- waking ----------------------------------------------------------------------------------------


def test_a_batch_wakes_the_device_that_waits_for_it(one_look, opened) -> None:
    gate = Gate()
    waiter = Waiter(opened(gate))
    gate.open.set()
    assert waiter.ended() == "late"


def test_the_end_of_the_pipeline_wakes_the_device(one_look, opened) -> None:
    gate = Gate()
    waiter = Waiter(opened(gate.empty))
    gate.open.set()
    assert waiter.ended().startswith("the queue is exhausted")


def test_closing_wakes_the_device(one_look, opened) -> None:
    gate = Gate()
    channel = opened(gate.empty)
    waiter = Waiter(channel)
    threading.Thread(target=channel.close).start()
    assert waiter.ended().startswith("the queue is closed")
    gate.open.set()


def full(channel: Channel) -> None:
    while not channel._monitor._waiters:  # the sender waits for room
        time.sleep(0.001)


def test_taking_a_batch_wakes_the_sender(one_look, opened) -> None:
    channel = opened(endless, capacity=1)
    full(channel)
    channel.take()
    waiter = threading.Thread(target=full, args=(channel,), daemon=True)
    waiter.start()
    waiter.join(60.0)  # it has put another batch, and waits again
    assert channel.history.sent == 2


def test_closing_wakes_the_sender(one_look, opened) -> None:
    channel = opened(endless, capacity=1)
    full(channel)
    channel.close()
    channel._sender.join(60.0)
    assert not channel._sender.is_alive()


# -- bounds ----------------------------------------------------------------------------------------


def waits_with(channel: Channel) -> int:
    full(channel)
    return len(channel)


@pytest.mark.parametrize(
    ("device", "batches", "nbytes"), [(Ascend(), 100, 2 * 2**30), (GPU(), 8, 2**30)]
)
def test_the_queue_of_a_device_is_as_large_as_mindspore_s(device, batches, nbytes) -> None:
    channel = device.open_channel("small", endless)
    assert waits_with(channel) == batches
    channel.close()
    channel = device.open_channel("large", lambda: endless(nbytes // 4))
    assert waits_with(channel) == 4
    channel.close()


def test_a_channel_holds_a_hundred_batches_and_two_gigabytes_by_default(opened) -> None:
    assert waits_with(opened(endless)) == 100
    assert waits_with(opened(lambda: endless(2**30))) == 2


class Clock:
    """A time that moves by 5 s whenever somebody looks; after a minute it opens the gate."""

    def __init__(self, gate: Gate) -> None:
        self.now, self.gate = 0.0, gate

    def monotonic(self) -> float:
        self.now += 5.0
        if self.now > 60.0:
            self.gate.open.set()
        return self.now


@pytest.mark.parametrize("wait", [Channel.take, Channel.peek])
def test_a_wait_without_a_limit_has_none(opened, monkeypatch, wait) -> None:
    gate = Gate()
    monkeypatch.setattr(channels, "time", Clock(gate))
    monkeypatch.setattr(channels, "SLICE_S", 0.001)
    with pytest.warns(UserWarning, match="slow pipeline"):
        assert wait(opened(gate))


def test_mindspore_warns_of_a_slow_pipeline_after_25_seconds() -> None:
    assert channels.WARN_AFTER_S == 25.0


# -- what is counted -------------------------------------------------------------------------------


def test_an_available_batch_counts_as_no_wait(opened) -> None:
    channel = opened(lambda: iter([a_batch(1)]))
    while not len(channel):
        time.sleep(0.001)
    assert channel.take()[1] == 0.0
    assert channel.history.wait_count == 0


def test_a_wait_is_reported_in_seconds(opened) -> None:
    gate = Gate()
    channel = opened(gate)
    threading.Timer(0.02, gate.open.set).start()
    _, waited_s = channel.take()
    assert 0.0 < waited_s < LONG_S
    assert (channel.history.wait_count, channel.history.waited_s) == (1, waited_s)


def test_a_device_counts_the_batches_that_it_waited_for() -> None:
    device, gate = Ascend(), Gate()
    channel = device.open_channel("q", gate)
    threading.Timer(0.02, gate.open.set).start()
    device.fetch("q")
    channel.close()
    counters = device.counters
    assert counters.getnext_waits == 1 and 0.0 < counters.getnext_wait_s < LONG_S
    channel = device.open_channel("q", lambda: iter([a_batch(1)]))
    while not len(channel):
        time.sleep(0.001)
    device.fetch("q")
    channel.close()
    assert (counters.batches_taken, counters.getnext_waits) == (2, 1)


# -- closing ---------------------------------------------------------------------------------------


def test_a_closed_channel_hands_out_nothing_that_was_in_the_queue(opened) -> None:
    channel = opened(lambda: iter([a_batch(1)]))
    while not len(channel):
        time.sleep(0.001)
    channel.close()
    with pytest.raises(GetNextError, match="closed"):
        channel.take()


def test_closing_leaves_a_younger_channel_of_the_same_name(opened) -> None:
    old = opened(endless)
    young = Channel(old.name, endless)
    old.close()
    assert channels.find_channel(old.name) is young
    young.close()


def test_a_pipeline_that_hangs_is_interrupted_and_one_that_ended_is_not(opened) -> None:
    gate, interrupted = Gate(), threading.Event()
    opened(gate, interrupt=interrupted.set).close()
    assert interrupted.wait(60.0)
    gate.open.set()
    requests: list[str] = []
    channel = opened(lambda: iter(()), interrupt=lambda: requests.append("interrupted"))
    channel._sender.join(60.0)
    channel.close()
    assert requests == []


# -- texts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "message"), [("a", "string"), (b"a", "string"), (None, "object"), ({}, "object")]
)
def test_a_column_without_a_name_is_named_by_its_number(opened, expected, message) -> None:
    channel = opened(lambda: iter([Batch((np.zeros(1), np.array([expected])))]), columns=["x"])
    with pytest.raises(GetNextError, match=f"cannot send {message} data to device: column 1"):
        channel.take()


FLOATS = Spec((2,), np.dtype(np.float32))


def test_a_batch_of_another_number_of_columns_is_explained(opened) -> None:
    channel = opened(lambda: iter([a_batch(2)]), fixed=(FLOATS, FLOATS))
    with pytest.raises(GetNextError, match="the batch has 1 columns, the program takes 2"):
        channel.take()


def test_a_shape_that_differs_in_a_column_without_a_name_is_explained(opened) -> None:
    both = Batch((np.zeros(2, np.float32), np.zeros(3, np.float32)))
    channel = opened(lambda: iter([both]), fixed=(FLOATS, FLOATS), columns=["x"])
    text = r"column 1 is float32\[3\], the program was compiled for float32\[2\]"
    with pytest.raises(GetNextError, match=text):
        channel.take()


def test_batches_that_should_have_one_size_are_warned_of_once(opened) -> None:
    channel = opened(lambda: iter([a_batch(2), a_batch(2), a_batch(3), a_batch(4)]))
    channel.warns_on_shape_change = True
    for _ in range(2):
        channel.take()
    with pytest.warns(
        UserWarning, match=r"float32\[3\], in the first batch float32\[2\]"
    ) as message:
        channel.take()
        channel.take()
    assert len(message) == 1


def test_the_log_keeps_ten_entries_and_milliseconds() -> None:
    seen = ChannelHistory("q", capacity=10)
    for i in range(12):
        seen.note_sent(0.12345)
        seen.note_dequeued(i, 0.0)
    text = explain("timeout", seen, waited_s=1.0, limit_s=2.0)
    assert f"device_queue (last sizes): {list(range(2, 12))}; " in text
    assert f"to make the last batches: {[0.123] * 10}\n" in text
    assert "produced: 0, sent: 12, consumed: 12." in text
