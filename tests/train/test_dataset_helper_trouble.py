"""A DatasetHelper's pipeline that is slow, or fails."""

from __future__ import annotations

import math
import threading
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minispore.dataset as ds
from minispore import context
from minispore.errors import DatasetError, GetNextError
from minispore.train import Model
from tests.train.nets import (
    Log,
    devices,
    modes,
    numbers,
    sink,
    trainer,
    weights_of,
)

pytestmark = pytest.mark.usefixtures("no_channel_stays_open")


# -- a pipeline that is slow, or fails -------------------------------------------------------------


class Waiting:
    """A source whose row ``at`` waits until it is let go."""

    def __init__(self, rows: int, at: int) -> None:
        self.rows, self.at, self.go = rows, at, threading.Event()

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, i: int) -> Any:
        if i == self.at:
            self.go.wait(20)
        return (np.float32(i),)


@settings(max_examples=8)  # each waits for its limit
@given(size=st.integers(1, 4), mode=modes, dev=devices, at=st.integers(0, 3))
def test_a_slow_pipeline_is_explained_in_time(size, mode, dev, at) -> None:
    at %= size
    sink(mode, dev)
    context.set_context(op_timeout=0.05)
    source = Waiting(size, at)
    data = ds.GeneratorDataset(source, ["x"], shuffle=False).batch(1)
    start = time.monotonic()
    try:
        with pytest.raises(GetNextError) as caught:
            Model(Log(1, 1)).train(1, data, dataset_sink_mode=True)
        assert time.monotonic() - start < 3  # the limit is 0.05; the rest is a busy machine
    finally:
        source.go.set()
    text = str(caught.value)
    assert "op_timeout 0.05 s" in text
    assert "dataset_sink_mode=False" in text
    assert "create_dict_iterator()" in text
    net = Log(size, 1)  # the same pipeline without sink succeeds
    dataset = ds.GeneratorDataset(Waiting(size, -1), ["x"], shuffle=False).batch(1)
    Model(net).train(1, dataset)
    assert int(net.calls.asnumpy()) == size


class BadRow(Exception):
    pass


@given(size=st.integers(1, 5), mode=modes, dev=devices, at=st.integers(0, 4))
def test_a_failing_pipeline_is_chained_after_the_steps_before_it(size, mode, dev, at) -> None:
    at %= size
    sink(mode, dev)

    def fail(x: Any) -> Any:
        if x == at:
            raise BadRow(f"row {at}")
        return x

    data = ds.NumpySlicesDataset({"x": np.arange(size, dtype=np.float32)}, shuffle=False)
    net = Log(size, 1)
    with pytest.raises(GetNextError, match="TDT Push data into device Failed") as caught:
        Model(net).train(1, data.map(fail, ["x"]).batch(1), dataset_sink_mode=True)
    assert int(net.calls.asnumpy()) == at
    causes = []
    cause: BaseException | None = caught.value
    while cause is not None:
        causes.append(type(cause))
        cause = cause.__cause__
    assert BadRow in causes


def test_a_failing_pipeline_without_sink_raises_dataset_error() -> None:
    def fail(x: Any) -> Any:
        raise BadRow("no")

    data = ds.NumpySlicesDataset({"x": np.arange(2, dtype=np.float32)}).map(fail, ["x"]).batch(1)
    with pytest.raises(DatasetError) as caught:
        Model(Log(1, 1)).train(1, data)
    assert isinstance(caught.value.__cause__, BadRow)


def test_a_text_column_can_not_be_sent() -> None:
    sink()
    data = ds.NumpySlicesDataset({"t": ["a", "b"]}).batch(1)
    with pytest.raises(GetNextError, match="cannot send string data to device: column 't'"):
        Model(Log(1, 1)).train(1, data, dataset_sink_mode=True)


def test_the_slowest_operation_of_the_pipeline_is_named() -> None:
    sink()
    context.set_context(op_timeout=0.3)

    def slow(x: Any) -> Any:
        time.sleep(0.05 if x < 3 else 1)
        return x

    data = ds.NumpySlicesDataset({"x": np.arange(9, dtype=np.float32)}, shuffle=False)
    with pytest.raises(GetNextError, match=r"Slowest dataset operation: .*map.* %") as caught:
        Model(Log(1, 1)).train(1, data.map(slow, ["x"]).batch(1), dataset_sink_mode=True)
    assert math.isfinite(len(str(caught.value)))


def test_training_goes_on_on_a_new_dataset_after_a_failure() -> None:
    sink()

    def fail(x: Any) -> Any:
        raise BadRow("no")

    data = ds.NumpySlicesDataset({"x": np.arange(2, dtype=np.float32)}).map(fail, ["x"]).batch(1)
    net = Log(1, 1)
    model = Model(net)
    with pytest.raises(GetNextError):
        model.train(1, data, dataset_sink_mode=True)
    model.train(1, numbers(2, 1), dataset_sink_mode=True)
    assert int(net.calls.asnumpy()) == 2


def test_weights_of_a_trained_network_are_lists() -> None:
    assert weights_of(trainer())[0][0] == pytest.approx([0.1, 0.3, 0.5])
