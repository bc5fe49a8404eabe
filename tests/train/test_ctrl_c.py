"""Ctrl-C at whatever instruction the training's thread just is: it gets out, all threads end, and
what the thread was in (an interpreter, tapes, Cells) is what it was before.

Signals can't be aimed. So a trace function raises what they would, behind calls, where the
interpreter looks for signals, of the modules in which threads wait for each other or change what
is known of theirs. Not where Python itself starts a thread: what it does there is its own.
"""

from __future__ import annotations

import dis
import gc
import random
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from minispore import context
from minispore.device.channel import open_channels
from tests.conftest import _state_of_thread
from tests.train.nets import GRAPH, PYNATIVE, regression, trainer

WAITING = ("device/channel.py", "threads/monitor.py", "pipeline/lanes.py", "pipeline/mapping.py")
KNOWING = ("core/interpreter.py", "nn/cell.py", "core/tape.py", "core/autograd.py")
LIBRARY = "/threading.py", "/contextlib.py"  # what is entered by steps of Python's own


class Aimed:
    """Raises KeyboardInterrupt at a place of its own choice, counted in calls that came back."""

    def __init__(self, watched: tuple[str, ...], at: int | None = None) -> None:
        self.watched, self.at, self.seen, self.where = watched, at, 0, ""

    def run(self, work: Callable[[], Any]) -> bool:
        """Whether it was raised, and got out of ``work`` as what it is."""
        before = sys.gettrace()
        sys.settrace(self._called)
        try:
            work()
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(before)
        return False

    def _called(self, frame: FrameType, event: str, arg: Any) -> Any:
        name = frame.f_code.co_filename
        if not self._watches(frame):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        codes, back = frame.f_code.co_code, [-1]

        def stepped(frame: FrameType, event: str, arg: Any) -> Any:
            if event == "opcode":
                was, back[0] = back[0], frame.f_lasti
                if was >= 0 and dis.opname[codes[was]] == "CALL" and self._now(frame):
                    self.where = f"{name}:{frame.f_lineno}"
                    raise KeyboardInterrupt
            return stepped

        return stepped

    def _watches(self, frame: FrameType | None) -> bool:
        while frame is not None and frame.f_code.co_filename.endswith(LIBRARY):
            frame = None if frame.f_code.co_name == "start" else frame.f_back
        return frame is not None and frame.f_code.co_filename.endswith(self.watched)

    def _now(self, frame: FrameType | None) -> bool:
        self.seen += 1
        if self.seen != self.at:
            return False
        while frame is not None and not frame.f_code.co_filename.endswith("/weakref.py"):
            frame = frame.f_back
        return frame is None  # what is raised while something is collected gets nowhere


def training(mode: int, sink: bool) -> Callable[[], None]:
    context.set_context(mode=mode, device_target="Ascend")
    model = trainer()
    data = regression(3).map(lambda x: x, input_columns=["x"], num_parallel_workers=2)
    return lambda: model.train(2, data, dataset_sink_mode=sink)


@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
@pytest.mark.parametrize("sink", [True, False])
@pytest.mark.parametrize("watched", [WAITING, KNOWING], ids=["waiting", "knowing"])
def test_ctrl_c_between_any_two_steps_of_the_interpreter_leaves_nothing(
    mode: int, sink: bool, watched: tuple[str, ...]
) -> None:
    whole = Aimed(watched)
    assert not whole.run(training(mode, sink))
    assert whole.seen > 40
    for at in random.Random(mode + 2 * sink).sample(range(1, whole.seen + 1), 40):
        threads, state = set(threading.enumerate()), _state_of_thread()
        aimed = Aimed(watched, at)
        got_out = aimed.run(training(mode, sink))
        if open_channels():
            gc.collect()  # a cycle may keep the last holder of one for a while
        end = time.monotonic() + 2
        # A thread that is only just starting is listed, but can't be joined.
        while (left := set(threading.enumerate()) - threads) and time.monotonic() < end:
            time.sleep(0.001)
        assert not [t.name for t in left], aimed.where
        assert not open_channels(), aimed.where
        assert _state_of_thread() == state, aimed.where
        # Threads that wait for each other take other ways each time: it may have ended before.
        assert got_out == (aimed.where != ""), aimed.where
