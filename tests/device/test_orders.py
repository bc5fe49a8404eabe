"""Streams and events: nothing waits on a device whose ops are done when they return."""

import threading

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops, runtime


def test_work_of_two_streams_gives_what_one_would() -> None:
    first, second = runtime.Stream(), ms.hal.Stream(priority=-1)
    with runtime.StreamCtx(first):
        c = ops.matmul(Tensor(np.ones((1, 2), np.float32)), Tensor(np.ones((2, 2), np.float32)))
    second.wait_stream(first)
    second.wait_event(first.record_event())
    with runtime.StreamCtx(second):
        d = ops.matmul(c, Tensor(np.ones((2, 2), np.float32)))
    runtime.synchronize()
    assert d.asnumpy().tolist() == [[4, 4]] and first.query() and first != second


def test_the_current_stream_is_that_of_the_thread_and_comes_back() -> None:
    stream, seen = runtime.Stream(), []
    with runtime.StreamCtx(stream), runtime.StreamCtx(None):
        assert runtime.current_stream() == stream == runtime.Stream(stream_id=stream.id)
        other = threading.Thread(target=lambda: seen.append(runtime.current_stream()))
        other.start()
        other.join()
    with pytest.raises(KeyError), runtime.StreamCtx(stream):
        raise KeyError
    assert seen == [runtime.default_stream()] == [runtime.current_stream()]


def test_a_stream_of_another_device_is_not_gone_on_in() -> None:
    ms.set_context(device_target="GPU")
    with runtime.StreamCtx(runtime.Stream()):
        ms.set_context(device_target="Ascend")
        assert runtime.current_stream() == runtime.default_stream()
        assert runtime.current_stream().device_name == "Ascend"


def test_events_tell_the_time_between_them_if_they_note_it() -> None:
    begin, end = runtime.Event(enable_timing=True), runtime.Event(True)
    with pytest.raises(RuntimeError, match="must be recorded"):
        begin.elapsed_time(end)
    begin.record()
    end.record(runtime.current_stream())
    assert 0 <= begin.elapsed_time(end) == -end.elapsed_time(begin)
    with pytest.raises(RuntimeError, match=r"Event\(enable_timing=True\)"):
        begin.elapsed_time(runtime.Event())


@pytest.mark.parametrize(
    "call",
    [
        lambda: runtime.StreamCtx(3),
        lambda: runtime.set_cur_stream("main"),
        lambda: runtime.Stream(priority="high"),
        lambda: runtime.Stream(name="mine"),
        lambda: runtime.Event(1),
        lambda: runtime.default_stream().wait_event(None),
        lambda: runtime.Event().record(2),
    ],
)
def test_what_is_no_stream_or_event_is_refused(call) -> None:
    with pytest.raises(TypeError, match=r"^\w+: "):
        call()


def test_a_graph_in_whose_construct_events_are_recorded_records_them_at_each_call() -> None:
    class Timed(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.events = []

        def construct(self, x: Tensor) -> Tensor:
            begin, end = runtime.Event(True), runtime.Event(True)
            begin.record()
            y = x * 2
            end.record()
            self.events.append(begin.elapsed_time(end))
            return y

    ms.set_context(mode=ms.GRAPH_MODE)
    net = Timed()
    with pytest.warns(RuntimeWarning, match="since an Event was recorded"):
        net(Tensor([1.0]))
    net(Tensor([1.0]))
    assert len(net.events) == 2
