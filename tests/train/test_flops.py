"""FlopsUtilizationCollector counts the operations of a step. The numbers are MindSpore's."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import minispore as ms
import minispore.dataset as ds
from minispore import Parameter, Tensor, nn, ops
from minispore.train import FlopsUtilizationCollector, Model


class Products(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Dense(4, 4), nn.Dense(12, 5)

    def construct(self, x: Tensor) -> Tensor:
        x = self.first(x)
        y = ops.BatchMatMul()(ops.BatchMatMul(transpose_b=True)(x, x), x)
        return self.last(y.reshape(32, -1))


def conv(*args: Any, **how: Any) -> nn.Conv2d:
    return nn.Conv2d(*args, **{"pad_mode": "same", **how})


NETWORKS: dict[str, tuple[Any, tuple[int, ...], float]] = {
    "dense": (lambda: [nn.Dense(10, 5)], (10,), 6400),
    "two": (lambda: [nn.Dense(10, 7), nn.ReLU(), nn.Dense(7, 5)], (10,), 15680),
    "products": (lambda: [Products()], (3, 4), 31488),
    "conv": (lambda: [conv(4, 8, 3), nn.Flatten(), nn.Dense(512, 5)], (4, 8, 8), 2850816),
    "convs": (
        lambda: [conv(4, 8, 3, 2), nn.ReLU(), conv(8, 6, (1, 3)), nn.Flatten(), nn.Dense(96, 5)],
        (4, 8, 8),
        1124352,
    ),
    "groups": (
        lambda: [conv(4, 8, 3, 2), conv(8, 4, 3, group=2), nn.Flatten(), nn.Dense(64, 5)],
        (4, 8, 8),
        1536000,
    ),
    "conv1d": (lambda: [nn.Conv1d(4, 2, 3), nn.Flatten(), nn.Dense(16, 5)], (4, 8), 39936),
    "conv3d": (lambda: [nn.Conv3d(2, 2, 3), nn.Flatten(), nn.Dense(16, 5)], (2, 2, 2, 2), 15360),
    "none": (lambda: [nn.LayerNorm((5,))], (5,), 0),
}


def model_of(layers: Any) -> Model:
    net = nn.SequentialCell(layers())
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return Model(net, loss, nn.Momentum(net.trainable_params(), 0.01, 0.9), {"acc"})


def rows(shape: tuple[int, ...]) -> ds.Dataset:
    x = np.linspace(-1, 1, 64 * int(np.prod(shape)), dtype=np.float32).reshape(64, *shape)
    return ds.NumpySlicesDataset((x, np.arange(64, dtype=np.int32) % 5), shuffle=False).batch(32)


@pytest.mark.parametrize("name", NETWORKS)
def test_operations_are_counted_as_in_mindspore(name: str, capsys: Any) -> None:
    layers, shape, flops = NETWORKS[name]
    ms.set_context(mode=ms.GRAPH_MODE)
    collector = FlopsUtilizationCollector(2)
    model_of(layers).train(2, rows(shape), collector)
    assert collector.shard_model_flops == collector.full_hardware_flops == flops
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (
        f"Full model flops is {float(flops)}, Full hardware flops is {float(flops)}, "
        f"Shard model flops is {float(flops)}, Shard hardware flops is {float(flops)}."
    )
    assert len(lines) == 3  # after the first and the third step


def test_an_evaluation_and_sinks_are_counted_too(capsys: Any) -> None:
    ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
    model, data = model_of(lambda: [nn.Dense(10, 5)]), rows((10,))
    collector = FlopsUtilizationCollector(3, 1e6, full_flops=False)
    model.train(2, data, collector, dataset_sink_mode=True)
    printed = capsys.readouterr().out
    assert printed.startswith("Shard model flops is 6400.0, Shard hardware flops is 6400.0.\nTrain")
    actual = re.findall(r"Train per step time: +([\d.]+) ms mfu:([\d.]+)% hfu:([\d.]+)%", printed)
    assert len(actual) == 2
    for spent, mfu, hfu in actual:
        assert mfu == hfu
        assert float(mfu) == pytest.approx(640 / float(spent), rel=0.02)
    collector = FlopsUtilizationCollector(3)
    model.eval(data, collector)
    assert collector.full_model_flops == 3200
    assert "\nEval per step time: " in capsys.readouterr().out


def test_a_network_that_runs_op_by_op_has_no_graph_to_count(capsys: Any) -> None:
    model, data = model_of(lambda: [nn.Dense(10, 5)]), rows((10,))
    with pytest.raises(ValueError, match="must be GRAPH_MODE"):
        model.train(1, data, FlopsUtilizationCollector(2))
    quiet = FlopsUtilizationCollector(2, enable_ma_collector=True)
    model.train(1, data, quiet)
    assert not quiet.mfu_calculated
    assert capsys.readouterr().out == ""


def test_counts_and_times_go_to_files(tmp_path: Any, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setenv("MA_LOG_DIR", str(tmp_path))
    ms.set_context(mode=ms.GRAPH_MODE)
    collector = FlopsUtilizationCollector(2, enable_ma_collector=True)
    model_of(lambda: [nn.Dense(10, 5)]).train(1, rows((10,)), collector)
    assert capsys.readouterr().out == ""
    counts = (tmp_path / "flops_rank_0.txt").read_text(encoding="utf-8")
    assert [line.rsplit(" ", 1)[0] for line in counts.splitlines()] == [
        'flops{type="model_flops", rank_id="0"} 6400.0',
        'flops{type="hardware_flops", rank_id="0"} 6400.0',
    ]
    times = (tmp_path / "time_step_rank_0.txt").read_text(encoding="utf-8")
    assert times.startswith('time_monitor{type="per_step_time", rank_id="0"} ')


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ({"data_size": 0}, ValueError),
        ({"data_size": 2.0}, TypeError),
        ({"data_size": True}, TypeError),
        ({"data_size": 1, "full_flops": 1}, TypeError),
        ({"data_size": 1, "enable_ma_collector": 1}, TypeError),
    ],
)
def test_its_arguments_are_checked(value: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match=r"FlopsUtilizationCollector: .* must be"):
        FlopsUtilizationCollector(**value)


def test_a_products_weight_counts_whatever_wrote_the_product() -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.w = Parameter(Tensor(np.ones((10, 5), np.float32)), name="w")

        def construct(self, x: Tensor) -> Tensor:
            return ops.matmul(x, self.w)

    ms.set_context(mode=ms.GRAPH_MODE)
    collector = FlopsUtilizationCollector(2)
    model_of(lambda: [Net()]).train(1, rows((10,)), collector)
    assert collector.full_model_flops == 6400
