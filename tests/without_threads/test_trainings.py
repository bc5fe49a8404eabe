"""Trainings, savings and time-outs of an interpreter without threads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
import minispore.dataset as ds
from minispore import device, nn
from minispore.dataset.pipeline import run as pipeline_run
from minispore.device import faults
from minispore.errors import GetNextError
from minispore.foundation import process

X = np.random.default_rng(0).normal(size=(32, 4)).astype(np.float32)


def train(mode: int, sink: bool) -> tuple[bytes, Any]:
    """Train two epochs; return the weights and what the device counted."""
    ms.set_context(mode=mode, device_target="Ascend")
    ms.set_seed(1)
    data = ds.NumpySlicesDataset((X, X[:, :1]), ["x", "y"]).batch(4)
    network = nn.Dense(4, 1)
    model = ms.Model(network, nn.MSELoss(), nn.Momentum(network.trainable_params(), 0.1, 0.9))
    device.current().counters.reset()
    model.train(2, data, dataset_sink_mode=sink)
    return network.weight.asnumpy().tobytes(), device.current().counters.snapshot()


@pytest.mark.parametrize("sink", [False, True])
@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_training_is_the_one_that_threads_give(mode: int, sink: bool) -> None:
    assert not process.can_start_threads()
    weights, counters = train(mode, sink)
    assert weights == train(mode, not sink)[0]
    assert counters.interactions == (16 if not sink or mode == ms.PYNATIVE_MODE else 2)


def test_a_batch_that_comes_too_late_is_a_time_out() -> None:
    ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend", op_timeout=1)
    data = ds.NumpySlicesDataset((X, X[:, :1]), ["x", "y"]).batch(4)
    network = nn.Dense(4, 1)
    model = ms.Model(network, nn.MSELoss(), nn.SGD(network.trainable_params(), 0.1))
    with faults.slow_batch(2, 1.2), pytest.raises(GetNextError, match="time"):
        model.train(1, data, dataset_sink_mode=True)


def test_a_pipeline_that_fails_is_the_cause() -> None:
    ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
    data = ds.NumpySlicesDataset((X, X[:, :1]), ["x", "y"]).batch(4)
    network = nn.Dense(4, 1)
    model = ms.Model(network, nn.MSELoss(), nn.SGD(network.trainable_params(), 0.1))
    with faults.producer_raises(3), pytest.raises(GetNextError) as raised:
        model.train(1, data, dataset_sink_mode=True)
    assert "batch 3 failed" in str(raised.value.__cause__)


def test_an_asynchronous_save_is_done_at_once(tmp_path: Path) -> None:
    network = nn.Dense(2, 3)
    ms.save_checkpoint(network, str(tmp_path / "net"), async_save=True)
    assert [*ms.load_checkpoint(str(tmp_path / "net.ckpt"))] == ["weight", "bias"]
    future = ms.load_checkpoint_async(str(tmp_path / "net.ckpt"))
    assert future.result() is future.result()


def test_a_failing_asynchronous_save_is_raised_at_once(tmp_path: Path) -> None:
    target = tmp_path / "net.ckpt"
    target.mkdir()
    with pytest.raises(OSError):
        ms.save_checkpoint(nn.Dense(2, 3), str(target), async_save=True)


def test_worker_processes_are_replaced_with_one_warning() -> None:
    class Source:
        def __getitem__(self, i: int) -> Any:
            return (np.int32(i),)

        def __len__(self) -> int:
            return 6

    pipeline_run._warn_of_missing_processes.cache_clear()
    data = ds.GeneratorDataset(Source(), ["x"], num_parallel_workers=2, shuffle=False)
    with pytest.warns(UserWarning, match="can't start processes") as caught:
        rows = [int(x) for (x,) in data.create_tuple_iterator(output_numpy=True)]
        rows += [int(x) for (x,) in data.create_tuple_iterator(output_numpy=True)]
    assert rows == [*range(6), *range(6)]
    assert len(caught) == 1
