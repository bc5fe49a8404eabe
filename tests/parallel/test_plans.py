"""Plans that several ranks run, and those that they refuse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from minispore import Parameter, context, nn, ops
from minispore.context import parallel, set_auto_parallel_context


@pytest.fixture
def two_ranks() -> Iterator[None]:
    """As if init() had found two."""
    parallel.set_rank_count(2)
    yield
    parallel.reset_auto_parallel_context()
    parallel.set_rank_count(1)


@pytest.mark.parametrize(
    "plan",
    [
        {"pipeline_stages": 2},
        {"auto_pipeline": True},
        {"dataset_strategy": ((2, 1), (2,))},
    ],
)
def test_a_plan_that_splits_the_network_is_refused_on_several_ranks(
    two_ranks: None, plan: dict[str, Any]
) -> None:
    (name,) = plan
    with pytest.raises(RuntimeError, match=f"must train data parallel.* got {name}=.*estimate"):
        set_auto_parallel_context(parallel_mode="semi_auto_parallel", **plan)
    assert context.get_auto_parallel_context("parallel_mode") == "stand_alone"


def test_pipeline_stages_are_accepted_on_one_rank_and_refused_on_two() -> None:
    set_auto_parallel_context(pipeline_stages=2)
    with pytest.raises(RuntimeError, match="init: the 2 ranks must"):
        parallel.set_rank_count(2)
    set_auto_parallel_context(pipeline_stages=4)


def matmul() -> None:
    ops.MatMul().shard(((2, 1), (1, 2)))


def dense() -> None:
    nn.Dense(2, 2).shard(((2, 1),))


def placed() -> None:
    ops.MatMul().place("MS_WORKER", 1)


@pytest.mark.parametrize(
    "ask, name", [(matmul, "MatMul.shard"), (dense, "Dense.shard"), (placed, "MatMul.place")]
)
def test_a_strategy_is_refused_where_a_mode_would_split_by_it(
    two_ranks: None, ask: Any, name: str
) -> None:
    ask()  # nothing splits in this mode, nor in data_parallel
    set_auto_parallel_context(parallel_mode="data_parallel")
    with pytest.raises(RuntimeError, match=f"got {name} in mode 'semi_auto_parallel'"):
        set_auto_parallel_context(parallel_mode="semi_auto_parallel")
    parallel.reset_auto_parallel_context()
    set_auto_parallel_context(parallel_mode="auto_parallel")
    with pytest.raises(RuntimeError, match=f"{name}: the 2 ranks must"):
        ask()


def test_enable_parallel_optimizer_requires_a_parallel_mode(two_ranks: None) -> None:
    set_auto_parallel_context(enable_parallel_optimizer=True)
    net = nn.Dense(2, 1)
    optimizer = nn.SGD(net.trainable_params())
    with pytest.raises(RuntimeError, match="enable_parallel_optimizer=True in mode 'stand_alone'"):
        nn.TrainOneStepCell(net, optimizer)
    set_auto_parallel_context(parallel_mode="data_parallel")
    assert nn.TrainOneStepCell(net, optimizer).reducer_flag


@pytest.mark.parametrize(
    "mode, reduced",
    [
        ("stand_alone", False),
        ("data_parallel", True),
        ("hybrid_parallel", True),
        ("semi_auto_parallel", True),
        ("auto_parallel", True),
    ],
)
def test_every_parallel_mode_reduces_gradients(mode: str, reduced: bool) -> None:
    set_auto_parallel_context(parallel_mode=mode)
    net = nn.Dense(2, 1)
    assert nn.TrainOneStepCell(net, nn.SGD(net.trainable_params())).reducer_flag is reduced


def sizes(parameters: int = 5, **said: Any) -> list[tuple[int, ...]]:
    """The parameters of each bucket, of ``parameters`` of 1 MB each."""
    set_auto_parallel_context(**said)
    owners = [Parameter(np.zeros(1 << 18, np.float32), name=f"p{i}") for i in range(parameters)]
    return [members for _, members in nn.DistributedGradReducer(owners)._buckets]


def test_gradients_share_one_bucket_the_last_parameter_first() -> None:
    assert sizes() == [(4, 3, 2, 1, 0)]


def test_a_bucket_is_closed_at_eight_megabytes() -> None:
    assert sizes(10) == [(9, 8, 7, 6, 5, 4, 3, 2), (1, 0)]


def test_all_reduce_fusion_config_names_the_last_parameter_of_each_bucket() -> None:
    assert sizes(all_reduce_fusion_config=[1, 3]) == [(4,), (3, 2), (1, 0)]


@pytest.mark.parametrize(
    "how, expected",
    [
        ({"allreduce": {"mode": "size", "config": 2}}, [(4, 3), (2, 1), (0,)]),
        ({"allreduce": {"mode": "index", "config": [0]}}, [(4, 3, 2, 1), (0,)]),
        ({"openstate": False}, [(4,), (3,), (2,), (1,), (0,)]),
    ],
)
def test_comm_fusion_says_how_buckets_are_cut(how: Any, expected: Any) -> None:
    assert sizes(comm_fusion=how) == expected


@pytest.mark.parametrize(
    "how, error, words",
    [
        ({"allreduce": {"mode": "some", "config": None}}, ValueError, "mode must be 'auto'"),
        ({"allreduce": {"mode": "size", "config": 0}}, ValueError, "above 0, got 0"),
        ({"allreduce": {"mode": "index", "config": 3}}, TypeError, "a list of indices, got 3"),
    ],
)
def test_a_comm_fusion_that_says_nothing_is_refused(how: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        set_auto_parallel_context(comm_fusion=how)


def test_parameters_of_one_fusion_number_travel_together() -> None:
    net = nn.SequentialCell(nn.Dense(1, 1), nn.Dense(1, 1))
    net[0].set_comm_fusion(2)
    reducer = nn.DistributedGradReducer(net.trainable_params())
    assert [members for _, members in reducer._buckets] == [(3, 2), (1, 0)]
    net[1].set_comm_fusion(0)
    reducer = nn.DistributedGradReducer(net.trainable_params())
    assert [members for _, members in reducer._buckets] == [(3,), (2,), (1, 0)]
