"""A training that is hit by a fault or by Ctrl-C ends at once, and the next one works."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore.dataset as ds
from minispore import context
from minispore.device import faults
from minispore.device.channel import open_channels
from minispore.train import Callback, CheckpointConfig, Model, ModelCheckpoint
from tests.train import fault_runs
from tests.train.nets import GRAPH, PYNATIVE, Log, numbers, regression, trainer


@pytest.mark.parametrize("seeds", [range(k, k + 5) for k in range(0, 40, 5)], ids=str)
def test_random_faults_end_as_they_must(seeds) -> None:
    for seed in seeds:
        fault_runs.one(seed)


# -- Ctrl-C ----------------------------------------------------------------------------------------


class Interrupted:
    """Sends SIGINT to this process when told, and measures how long it takes to get through."""

    def __init__(self, after_s: float = 0.15) -> None:
        self.sent = 0.0
        self.timer = threading.Timer(after_s, self._send)

    def _send(self) -> None:
        self.sent = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

    def stops(self, run: Any) -> float:
        """Run until the interrupt; returns the seconds from the signal to its end."""
        self.timer.start()
        with pytest.raises(KeyboardInterrupt):
            run()
        return time.monotonic() - self.sent


class Stuck:
    """A source whose rows never come before it is let go."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def __len__(self) -> int:
        return 100

    def __getitem__(self, i: int) -> Any:
        if i > 1:
            self.go.wait(30)
        return (np.float32(i),)


@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
@pytest.mark.parametrize("sink", [True, False])
def test_ctrl_c_while_the_pipeline_hangs(mode, sink) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    source = Stuck()
    data = ds.GeneratorDataset(source, ["x"], shuffle=False).batch(1)
    took = Interrupted().stops(lambda: Model(Log(1, 1)).train(1, data, dataset_sink_mode=sink))
    source.go.set()
    # 0.5 s and a step are promised; a busy machine may need more to say so
    assert took < 2.0
    assert not open_channels()
    trainer().train(1, regression(2), dataset_sink_mode=sink)


@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
@pytest.mark.parametrize("sink", [True, False])
def test_ctrl_c_in_the_middle_of_a_sink(mode, sink) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    model = trainer()
    took = Interrupted().stops(
        lambda: model.train(
            10**6, regression(3), dataset_sink_mode=sink, sink_size=1000 if sink else -1
        )
    )
    assert took < 2.0
    assert not open_channels()
    model.train(1, regression(2), dataset_sink_mode=sink)


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize(("sink", "name"), [(True, "sender"), (False, "rows")])
def test_ctrl_c_while_a_thread_starts_is_ctrl_c_and_leaves_nothing(
    begun, sink, name, monkeypatch, no_channel_stays_open
) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    start, data, model = threading.Thread.start, regression(3), trainer()
    started = []

    def interrupted(thread: threading.Thread) -> None:
        if not thread.name.startswith(f"minispore-{name}"):
            return start(thread)
        if begun:
            start(thread)
            started.append(thread)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.train(1, data, dataset_sink_mode=sink)
    assert not open_channels()
    assert len(started) == begun
    for thread in started:
        thread.join(5)
        assert not thread.is_alive()
    model.train(1, data, dataset_sink_mode=sink)


def test_ctrl_c_reaches_the_callbacks_exits() -> None:
    seen = []

    class Look(Callback):
        def __exit__(self, kind, error, trace) -> None:
            seen.append(kind)

        def on_train_step_end(self, run_context: Any) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Model(Log(1)).train(1, numbers(1), Look())
    assert seen == [KeyboardInterrupt]


STUCK = """
import time
import numpy as np
import minispore.dataset as ds
from minispore import nn
from minispore.train import LambdaCallback, Model

def rows():
    try:
        while True:
            yield (np.ones(3, np.float32),)
    finally:
        time.sleep(3600)

data = ds.GeneratorDataset(rows, ["x"]).batch(1)
data.get_dataset_size = lambda: 5
stop = LambdaCallback(on_train_step_end=lambda context: context.request_stop())
Model(nn.Dense(3, 1)).train(1, data, stop)
"""


def test_a_program_ends_while_its_source_is_still_closing(root: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", STUCK], env=os.environ | {"PYTHONPATH": str(root)}, timeout=600
    )
    assert run.returncode == 0


# -- exceptions of the user's own code -------------------------------------------------------------


@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
@pytest.mark.parametrize("sink", [True, False])
@pytest.mark.parametrize("where", ["construct", "callback"])
def test_a_user_exception_propagates_with_its_source_lines(mode, sink, where) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    net = fault_runs.Broken(1) if where == "construct" else Log(1)
    callbacks = [] if where == "construct" else [fault_runs.Raises(1)]
    with pytest.raises(fault_runs.Injected) as caught:
        Model(net).train(1, numbers(2), callbacks, dataset_sink_mode=sink)
    assert any("fault_runs.py" in str(entry.path) for entry in caught.traceback)
    assert not open_channels()


def test_a_producer_that_stops_ends_a_pass_without_sink() -> None:
    net = Log(4)
    with (
        faults.producer_stops(2),
        pytest.warns(UserWarning, match="ended after 2 batches, its size was said to be 4"),
    ):
        Model(net).train(1, numbers(4))
    assert int(net.calls.asnumpy()) == 2


class Short:
    def __len__(self) -> int:
        return 4

    def __getitem__(self, i: int) -> Any:
        return (np.float32(i),)


def short() -> Any:
    data = ds.GeneratorDataset(Short(), ["x"], shuffle=False).batch(1)
    data.get_dataset_size = lambda: 6  # a size that is wrong
    return data


def test_a_short_pass_warns_at_the_line_that_trains() -> None:
    net = Log(8, 1)
    with pytest.warns(
        UserWarning, match="ended after 4 batches, its size was said to be 6"
    ) as message:
        Model(net).train(2, short())
    assert int(net.calls.asnumpy()) == 8
    assert {warning.filename for warning in message} == {__file__}


@pytest.mark.filterwarnings("ignore:.*ended after 4 batches")
def test_a_checkpoint_of_short_passes_cannot_resume(tmp_path) -> None:
    saver = ModelCheckpoint("a", str(tmp_path), CheckpointConfig(save_checkpoint_steps=4))
    Model(Log(8, 1)).train(2, short(), saver)
    last = tmp_path / "a-2_2.ckpt"
    with pytest.raises(ValueError, match="place"):
        Model(Log(8, 1)).train(3, short(), resume_from=str(last))
