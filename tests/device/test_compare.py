"""A profile beside the model, class by class."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import minispore as ms
import minispore.dataset as ds
from benchmarks import models
from minispore import nn
from minispore.device import Estimate, estimate
from minispore.device.model.compare import (
    compare,
    compare_kernel_times,
    get_kernel_class,
    read_kernel_times,
)


@pytest.fixture(scope="module")
def lenet() -> Estimate:
    return estimate(*models.lenet(), device="Ascend910", data_us=0)


def profile(folder: Path, text: str) -> Path:
    path = folder / "aicore_intermediate_0_type.csv"
    path.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("op_type", "name"),
    [
        ("Conv2D", "convolution"),
        ("Conv2DBackpropFilterD", "its weight's gradient"),
        ("DepthwiseConv2DBackpropInput", "its input's gradient"),
        ("FusedMulApplyMomentum", "update"),
        ("MatMulV2", "product"),
        ("TransData", "layout (TransData)"),
        ("AtomicAddrClean", "zeros (MemSet)"),
        ("MaxPoolGradWithArgmax", "its gradient (pool)"),
        ("MaxPoolWithArgmax", "pool"),
        ("BNTrainingUpdateGrad", "normalisation"),
        ("ReluGrad", "elementwise and other"),
    ],
)
def test_the_chip_s_kernel_types_have_their_class(op_type: str, name: str) -> None:
    assert get_kernel_class(op_type) == name


def test_the_classes_of_a_comparison_add_up_to_profile_and_model(lenet: Estimate) -> None:
    actual = compare_kernel_times(
        lenet.cost, [("MatMul", 800.0, 8), ("Cast", 50.0, 13), ("Odd", 1.0, 1)]
    )
    assert actual.total.measured_us == 851
    assert actual.total.predicted_us == pytest.approx(lenet.cost.device_us)
    assert actual.total.predicted == lenet.cost.launches


def test_errors_that_cancel_show(lenet: Estimate) -> None:
    us = lenet.cost.device_us
    actual = compare_kernel_times(lenet.cost, [("NoKernelOfOurs", us, 1)], steps=1)
    assert actual.total.error == pytest.approx(0)
    assert actual.differing > 1


def test_compare_reads_a_file_in_the_folder_or_its_profiler_folder(
    lenet: Estimate, tmp_path
) -> None:
    inner = tmp_path / "profiler"
    inner.mkdir()
    profile(inner, "kernel_type,task_time,execution_frequency,percent\nMatMul,90,30,100\n")
    assert lenet.compare(tmp_path).lines == lenet.compare(inner).lines
    assert lenet.compare(tmp_path).steps == 30


def test_old_files_are_in_milliseconds(tmp_path: Path) -> None:
    profile(tmp_path, "kernel_type,total_time,execution_frequency,percent\nMatMul,1.085,9,73.8\n")
    (only,) = read_kernel_times(tmp_path / "aicore_intermediate_0_type.csv")
    assert only == ("MatMul", pytest.approx(1085), 9)


def test_the_oldest_files_name_their_columns_otherwise(tmp_path: Path) -> None:
    profile(tmp_path, "op_type,execution_time,execution_frequency,percent\nCast,0.5,2,100\n")
    (only,) = read_kernel_times(tmp_path / "aicore_intermediate_0_type.csv")
    assert only == ("Cast", pytest.approx(500), 2)


def test_a_profile_has_as_many_steps_as_it_has_getnext(lenet: Estimate) -> None:
    actual = compare_kernel_times(
        lenet.cost, [("GetNext", 0.1, 3), ("StreamSend", 0.1, 3), ("MatMul", 9.0, 25)]
    )
    assert actual.steps == 3
    assert actual.total.measured_us == 3


def test_compare_divides_totals_by_the_number_of_steps(lenet: Estimate) -> None:
    actual = compare_kernel_times(lenet.cost, [("MatMul", 800.0, 80), ("Cast", 130.0, 130)])
    assert actual.steps == 10
    assert {x.name: x.measured_us for x in actual.lines}["product"] == 80


def test_a_profile_of_this_model_compares_as_equal(tmp_path: Path) -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    profiler = ms.Profiler(output_path=str(tmp_path))
    net = nn.Dense(4, 3)
    x, y = np.ones((64, 4), np.float32), np.zeros(64, np.int32)
    data = ds.NumpySlicesDataset((x, y), ["x", "y"]).batch(8)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = ms.Model(net, loss, nn.SGD(net.trainable_params()))
    model.train(1, data, dataset_sink_mode=True)
    profiler.analyse()
    actual = estimate(model, data, data_us=0).compare(tmp_path, steps=8)
    assert actual.differing == pytest.approx(0, abs=1e-6)


def test_the_table_names_each_class_and_the_sum(lenet: Estimate) -> None:
    text = str(compare_kernel_times(lenet.cost, [("MatMul", 800.0, 8)]))
    assert "product" in text
    assert "sum" in text
    assert "times are a model" in text


def test_a_folder_without_a_profile_is_refused(lenet: Estimate, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="aicore_intermediate"):
        compare(lenet.cost, tmp_path)


def test_a_file_of_other_columns_is_refused(lenet: Estimate, tmp_path: Path) -> None:
    profile(tmp_path, "a,b\n1,2\n")
    with pytest.raises(ValueError, match="got a, b"):
        lenet.compare(tmp_path)


@pytest.mark.parametrize("steps", [0, -1, 1.5, True])
def test_steps_must_be_a_number_of_steps(lenet: Estimate, steps) -> None:
    with pytest.raises(ValueError, match="steps must be"):
        compare_kernel_times(lenet.cost, [("MatMul", 800.0, 8)], steps)
