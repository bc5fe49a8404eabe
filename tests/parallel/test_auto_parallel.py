"""AutoParallel, layouts, strategies and servers: there, or refused with what to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, context, nn
from minispore.context import parallel
from minispore.parallel import Layout, shard
from minispore.parallel import nn as parallel_nn
from minispore.parallel.auto_parallel import AutoParallel


@pytest.fixture
def two_ranks() -> Iterator[None]:
    """As if init() had found two."""
    parallel.set_rank_count(2)
    yield
    parallel.reset_auto_parallel_context()
    parallel.set_rank_count(1)


def setting(name: str) -> Any:
    return context.get_auto_parallel_context(name)


def test_auto_parallel_computes_what_its_network_computes() -> None:
    net = nn.Dense(3, 2)
    x = Tensor(np.float32([[1, 2, 3]]))
    np.testing.assert_array_equal(AutoParallel(net)(x).asnumpy(), net(x).asnumpy())


@pytest.mark.parametrize(
    "mode, expected",
    [
        ("semi_auto", "semi_auto_parallel"),
        ("sharding_propagation", "auto_parallel"),
        ("recursive_programming", "auto_parallel"),
    ],
)
def test_auto_parallel_trains_in_its_mode(two_ranks: None, mode: str, expected: str) -> None:
    net = AutoParallel(nn.Dense(2, 1), mode)
    assert setting("parallel_mode") == expected
    assert nn.TrainOneStepCell(net, nn.SGD(net.trainable_params())).reducer_flag


def test_auto_parallel_methods_set_the_parallel_context() -> None:
    net = AutoParallel(nn.ReLU())
    net.hsdp(2, 16, "level2")
    net.enable_gradients_mean()
    net.dataset_strategy("full_batch")
    net.pipeline(2)
    assert setting("enable_parallel_optimizer") and setting("gradients_mean")
    assert setting("dataset_strategy") == "full_batch" and net.get_pipeline_stages() == 2
    assert setting("parallel_optimizer_config")["parallel_optimizer_threshold"] == 16


@pytest.mark.parametrize(
    "tell, error, words",
    [
        (lambda net: net.hsdp(0), ValueError, "shard_size must"),
        (lambda net: net.hsdp(optimizer_level="level4"), ValueError, "optimizer_level must"),
        (lambda net: net.pipeline(0), ValueError, "stages must"),
        (lambda net: net.pipeline(2, scheduler="none"), ValueError, "scheduler must"),
        (lambda net: net.dataset_strategy(None), ValueError, "config must not be None"),
        (lambda net: net.dataset_strategy((1,)), TypeError, "tuples or Layouts"),
        (lambda net: net.save_param_strategy_file(1), TypeError, "file_path must"),
        (lambda net: AutoParallel(net, "manual"), ValueError, "parallel_mode must"),
    ],
)
def test_auto_parallel_refuses_bad_arguments(tell: Any, error: Any, words: str) -> None:
    net = AutoParallel(nn.ReLU())
    with pytest.raises(error, match=words):
        tell(net)


def test_stages_are_refused_on_several_ranks_with_the_dry_run(two_ranks: None) -> None:
    net = AutoParallel(nn.ReLU())
    with pytest.raises(RuntimeError, match=r"must train data parallel.*device\.estimate"):
        net.pipeline(2)


def test_a_function_is_not_split_on_one_rank_and_refused_on_two() -> None:
    def double(x: Tensor) -> Tensor:
        return x * 2

    assert shard(double, ((1,),)) is double
    parallel.reset_auto_parallel_context()
    try:
        parallel.set_rank_count(2)
        context.set_auto_parallel_context(parallel_mode="auto_parallel")
        with pytest.raises(RuntimeError, match=r"shard: the 2 ranks.*device\.estimate"):
            shard(double, ((2,),))
    finally:
        parallel.reset_auto_parallel_context()
        parallel.set_rank_count(1)


@pytest.mark.parametrize("name, value", [("in_strategy", [1]), ("out_strategy", 1)])
def test_a_strategy_must_be_a_tuple(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=f"shard: {name} must"):
        shard(abs, **{"in_strategy": ((1,),), name: value})


def test_a_layout_maps_each_tensor_axis_to_a_device_axis() -> None:
    layout = Layout((2, 2, 2), ("dp", "sp", "mp"))
    # as MindSpore 2.10 answers
    assert layout("dp", "mp").to_dict() == {
        "device_matrix": (2, 2, 2),
        "tensor_map": (2, 0),
        "interleaved_parallel": False,
        "alias_name": ("dp", "sp", "mp"),
        "rank_list": [0, 1, 2, 3, 4, 5, 6, 7],
    }
    assert layout(("dp", "sp"), "None").to_dict()["tensor_map"] == ((2, 1), -1)


@pytest.mark.parametrize(
    "grid, names, ranks, error",
    [
        ([2], ("a",), None, TypeError),
        ((2,), ["a"], None, TypeError),
        ((2,), (1,), None, TypeError),
        ((2,), ("a", "b"), None, ValueError),
        ((2, 2), ("a", "a"), None, ValueError),
        ((2,), ("None",), None, ValueError),
        ((2,), ("",), None, ValueError),
        ((2, 2), ("interleaved_parallel", "a"), None, ValueError),
        ((2,), ("a",), (0, 1), TypeError),
        ((2,), ("a",), [0], ValueError),
    ],
)
def test_a_layout_that_is_none_is_refused(grid: Any, names: Any, ranks: Any, error: Any) -> None:
    with pytest.raises(error, match="Layout: "):
        Layout(grid, names, ranks)


@pytest.mark.parametrize("axes", [("c",), ("a", "a"), (("a", "b"), "b")])
def test_a_layout_uses_existing_device_axes_once_each(axes: Any) -> None:
    with pytest.raises(ValueError, match="must name axes"):
        Layout((2, 2), ("a", "b"))(*axes)


def test_a_layout_of_no_tensor_has_no_map() -> None:
    with pytest.raises(ValueError, match="must be called"):
        Layout((2,), ("a",)).to_dict()


def test_parallel_nn_has_the_cells_by_their_short_names() -> None:
    assert parallel_nn.Pipeline is nn.PipelineCell
    assert parallel_nn.GradAccumulation is nn.GradAccumulationCell


def test_servers_of_parameters_are_refused_with_the_dry_run() -> None:
    with pytest.raises(RuntimeError, match=r"enable_ps must be False.*device\.estimate"):
        ms.set_ps_context(enable_ps=True)
    with pytest.raises(ValueError, match="enable_pss"):
        ms.set_ps_context(enable_pss=True)
    assert ms.get_ps_context("enable_ps") is False
