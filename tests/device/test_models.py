"""Networks of Cells are estimated as they are: a Model, shapes, and nothing else."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from benchmarks import models
from minispore import Parameter, nn, ops
from minispore.common.initializer import initializer
from minispore.device import Shapes, estimate, memory_report
from minispore.device.model.cost import Kernel
from minispore.nn.utils import no_init_parameters
from minispore.train import Model


def lenet(batch: int = 32) -> tuple[Model, Shapes]:
    network = nn.SequentialCell(
        [
            *(nn.Conv2d(1, 6, 5, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2)),
            *(nn.Conv2d(6, 16, 5, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2)),
            *(nn.Flatten(), nn.Dense(400, 120), nn.ReLU(), nn.Dense(120, 84), nn.ReLU()),
            nn.Dense(84, 10),
        ]
    )
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = Model(network, loss, nn.Momentum(network.trainable_params(), 0.01, 0.9))
    columns = [((batch, 1, 32, 32), np.float32), ((batch,), np.int32)]
    return model, Shapes(columns, size=1875)


def test_lenet_of_cells_is_within_a_third_of_the_published_step() -> None:
    model, shapes = lenet()
    assert estimate(model, shapes)["loop"].step_us == pytest.approx(1071, rel=0.35)


def test_an_estimate_allocates_no_activations() -> None:
    model, shapes = lenet(batch=65536)  # its first feature map alone is 1.2 GB
    tracemalloc.start()
    try:
        report = memory_report(model, shapes)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert report.peak_by_kind["activations"] > 1 << 30
    assert peak < 8 << 20


def test_the_train_flag_of_a_network_is_left_as_it_was() -> None:
    model, shapes = lenet()
    model.train_network.set_train(False)
    estimate(model, shapes)
    assert not model.train_network.training


def test_shapes_know_their_sizes_and_nothing_is_measured() -> None:
    model, shapes = lenet(8)
    assert (shapes.get_dataset_size(), shapes.get_batch_size()) == (1875, 8)
    actual = estimate(model, shapes)
    assert (actual.data_us, actual.data_measured) == (0, False)


def test_shapes_without_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one column"):
        Shapes([])


# -- many devices ----------------------------------------------------------------------------------

OPTIMIZERS = {
    "Momentum": lambda p: nn.Momentum(p, 0.1, 0.9, weight_decay=1e-4, loss_scale=1024.0),
    "Adam": lambda p: nn.Adam(p, 0.1, weight_decay=1e-4),
    "AdamWeightDecay": lambda p: nn.AdamWeightDecay(p, 0.1),
    "RMSProp": lambda p: nn.RMSProp(p, 0.1),
    "Lamb": lambda p: nn.Lamb(p, 0.1),
    "LARS": lambda p: nn.LARS(nn.Momentum(p, 0.1, 0.9)),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("level", ["O0", "O2"])
def test_each_gradient_is_reduced_once_whatever_the_optimizer_makes_of_it(name, level) -> None:
    net = nn.SequentialCell([nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 4)])
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    options = {"amp_level": level, "keep_batchnorm_fp32": False, "loss_scale_manager": None}
    model = Model(net, loss, OPTIMIZERS[name](net.trainable_params()), **options)
    batch = Shapes([((32, 8), np.float32), ((32,), np.int32)])
    actual = estimate(model, batch, data_us=0, devices=8)
    sizes = sorted(p.size for p in net.trainable_params())
    moved = sorted(nbytes for _, nbytes in actual.cost.gradients)
    assert moved in ([4 * s for s in sizes], [2 * s for s in sizes])
    assert 0 <= actual.parallel.exposed_us <= actual.parallel.all_reduce_us


# -- updates ---------------------------------------------------------------------------------------


def updates(name: str, device: str = "Ascend910") -> list[tuple[str, int]]:
    """(kernel type, ops in it) of the optimizer's kernels for one matrix."""
    net = nn.Dense(64, 64, has_bias=False)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = Model(net, loss, OPTIMIZERS[name](net.trainable_params()))
    batch = Shapes([((32, 64), np.float32), ((32,), np.int32)])
    kernels = estimate(model, batch, data_us=0, device=device).cost.kernels
    return [(k.op_type, len(k.ops)) for k in kernels if k.kind == "optimizer"]


@pytest.mark.parametrize(
    ("name", "kernel"),
    [("Momentum", "FusedMulApplyMomentum"), ("Adam", "FusedMulAdam")],
)
def test_loss_scale_and_weight_decay_are_part_of_the_update_s_kernel(name, kernel) -> None:
    assert kernel in [op_type for op_type, _ in updates(name)]
    assert len(updates(name)) == 2  # and one for all numbers


@pytest.mark.parametrize(("name", "most"), [("RMSProp", 4), ("Lamb", 9), ("LARS", 8)])
def test_an_optimizer_written_in_small_ops_has_few_kernels_for_a_parameter(name, most) -> None:
    assert len(updates(name)) <= most < sum(ops for _, ops in updates(name))


def test_a_device_without_fusion_runs_every_op_of_an_update() -> None:
    assert {ops for _, ops in updates("Lamb", "CPU")} == {1}


# -- kernels of derivatives and of rows ------------------------------------------------------------


def kernels_of(network: nn.Cell, *columns: tuple[tuple[int, ...], type]) -> list[Kernel]:
    model = Model(network, optimizer=nn.SGD(network.trainable_params(), 0.1))
    return list(estimate(model, Shapes(columns), data_us=0, device="Ascend910").cost.kernels)


class Curved(nn.Cell):
    """A product, an activation, a sum."""

    def __init__(self, activation: Callable[[Any], Any]) -> None:
        super().__init__()
        self.dense, self.activation = nn.Dense(64, 64), activation

    def construct(self, x: Any) -> Any:
        return self.activation(self.dense(x)).sum()


def test_the_derivative_of_one_op_is_one_kernel_in_however_many_ops_it_is_written() -> None:
    kernels = kernels_of(Curved(nn.GELU()), ((32, 64), np.float32))
    behind = [k for k in kernels if k.kind == "backward" and {"Tanh", "Mul"} & set(k.ops)]
    assert len(behind) == 1
    assert len(behind[0].ops) > 6


def test_what_a_user_writes_in_many_ops_is_many_kernels() -> None:
    def written(x: Any) -> Any:
        return 0.5 * x * (1 + ops.tanh(0.8 * (x + 0.04 * x * x * x)))

    kernels = kernels_of(Curved(written), ((32, 64), np.float32))
    assert len([k for k in kernels if k.kind == "backward"]) > 4


class Rows(nn.Cell):
    """The sum of some rows of a table."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.table = Parameter(initializer("zeros", (1 << 16, width)), name="table")

    def construct(self, ids: Any) -> Any:
        return ops.gather(self.table, ids, 0).sum()


@pytest.mark.parametrize("op", ["Gather", "GatherGrad"])
def test_short_rows_take_a_copy_each_and_not_their_bytes(op: str) -> None:
    def us(rows: int, width: int) -> float:
        kernels = kernels_of(Rows(width), ((rows,), np.int32))
        return sum(k.us for k in kernels if k.op_type == op)

    assert us(1 << 18, 4) == pytest.approx(us(1 << 18, 8), rel=0.05)
    assert us(1 << 19, 4) == pytest.approx(2 * us(1 << 18, 4), rel=0.05)


def test_a_large_bert_takes_no_memory_to_be_estimated() -> None:
    tracemalloc.start()
    try:
        with no_init_parameters():
            model, columns = models.bert(96, 24, 1024, 16, nn.Lamb)
        actual = estimate(model, columns, data_us=0, device="Ascend910")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert actual.memory.peak_by_kind["parameters"] > 1 << 30
    assert peak < 200 << 20
