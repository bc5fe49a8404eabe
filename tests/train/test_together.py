"""Ranks that train together, seen from one of them: who tells, who keeps, who has given what."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import minispore.dataset as ds
from minispore import Parameter, Tensor, context
from minispore.ops.support import transport
from minispore.train import Callback, LossMonitor, TimeMonitor
from minispore.train import serialization as saving
from minispore.train.cross_rank import (
    choose_writing_rank,
    count_training_ranks,
    gather_outputs,
    read_param_content,
)
from tests.train.nets import dense, regression, trainer


class Rank(transport.Transport):
    """A rank of two, to which the other has sent what it would have."""

    def __init__(self, rank: int, other: Any = None) -> None:
        super().__init__(rank, lambda group: (0, 1))
        self.other, self.broadcasts = other, []

    def all_gather(self, x: np.ndarray, group: str) -> list[np.ndarray]:
        mine, other = x.copy(), x if self.other is None else self.other
        return [mine, other] if self.rank(group) == 0 else [other, mine]

    def begin_all_reduce(self, x: np.ndarray, op: str, group: str) -> Callable[[], np.ndarray]:
        return lambda: x * 2

    def broadcast(self, x: np.ndarray, root: int, group: str) -> np.ndarray:
        self.broadcasts.append((x.copy(), root))
        return x


@pytest.fixture
def ranks(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Be one rank of two in data parallel mode."""

    def be(rank: int, other: Any = None) -> Rank:
        context.set_auto_parallel_context(parallel_mode="data_parallel")
        output = Rank(rank, other)
        monkeypatch.setattr(transport, "current", output)
        return output

    return be


def test_a_rank_without_parallel_mode_counts_as_one_training_rank(ranks: Any) -> None:
    assert count_training_ranks() == 1
    ranks(0)
    assert count_training_ranks() == 2
    context.set_auto_parallel_context(parallel_mode="stand_alone")
    assert count_training_ranks() == 1


def find_silenced(callbacks: list[Callback]) -> list[bool]:
    choose_writing_rank(callbacks)
    return [callback._another_rank_writes_ for callback in callbacks]


def test_the_first_rank_tells_what_both_would(ranks: Any) -> None:
    ranks(0)
    assert find_silenced([LossMonitor(), TimeMonitor(), Callback()]) == [False, False, False]
    ranks(1)
    assert find_silenced([LossMonitor(), TimeMonitor(), Callback()]) == [True, True, False]


def test_the_second_rank_prints_only_for_a_rank_specific_dataset(ranks: Any) -> None:
    ranks(1, other=np.zeros((64, 16), np.uint8))
    assert find_silenced([LossMonitor()]) == [False]


def test_a_rank_without_parallel_mode_prints_all_output(ranks: Any) -> None:
    ranks(1)
    callbacks = [LossMonitor()]
    assert find_silenced(callbacks) == [True]
    context.set_auto_parallel_context(parallel_mode="stand_alone")
    assert find_silenced(callbacks) == [False]


def test_a_rank_without_parallel_mode_evaluates_without_gathering(ranks: Any) -> None:
    requests = []
    rank = ranks(0)
    rank.all_gather = lambda x, group: requests.append(x) or [x, x]
    rows = ds.NumpySlicesDataset((np.ones((4, 3), np.float32), np.ones((4, 1), np.float32)),
                                 num_shards=2, shard_id=0).batch(1)  # fmt: skip
    model = trainer(metrics={"mse"})
    model.eval(rows)
    assert requests
    requests.clear()
    context.set_auto_parallel_context(parallel_mode="stand_alone")
    model.eval(rows)
    assert not requests


@pytest.mark.parametrize("enabled", [True, False])
def test_parameter_broadcast_sends_the_weights_of_rank_0_at_the_start(
    enabled: bool, ranks: Any
) -> None:
    rank, model = ranks(1), trainer()
    results = [p.asnumpy().copy() for p in model.train_network.get_parameters()]
    context.set_auto_parallel_context(parameter_broadcast=enabled)
    model.train(1, regression(1))
    sent = [x.tolist() for x, root in rank.broadcasts if root == 0]
    assert sent == ([x.tolist() for x in results] if enabled else [])


def test_of_more_than_64_callbacks_the_rest_tell_themselves(ranks: Any) -> None:
    ranks(1)
    assert find_silenced([LossMonitor() for _ in range(66)]) == [True] * 64 + [False] * 2


def parameter_of_rank(rank: int | None) -> Parameter:
    parameter = Parameter(Tensor([1.0, 2.0]), name="w")
    parameter.owner_rank_ = rank
    return parameter


def test_a_replicated_parameter_is_read_without_communication(ranks: Any) -> None:
    other = ranks(1)
    assert read_param_content(parameter_of_rank(None)).tolist() == [1, 2]
    assert other.broadcasts == []


@pytest.mark.parametrize(("rank", "sends"), [(0, [0, 0]), (1, [1, 2])])
def test_what_a_rank_keeps_it_gives_to_the_others(rank: int, sends: Any, ranks: Any) -> None:
    other = ranks(rank)
    read_param_content(parameter_of_rank(1))
    ((sent, root),) = other.broadcasts
    assert (sent.tolist(), root, sent.dtype) == (sends, 1, np.float32)


def test_a_rank_that_writes_no_file_sends_the_parameters_it_owns(ranks: Any) -> None:
    other, net = ranks(1), dense()
    net.bias.owner_rank_ = 1
    saving.contribute_to_save(net, "unused", crc_check=True)
    assert [sent.shape for sent, _ in other.broadcasts] == [net.bias.shape]


def test_a_checkpoint_holds_what_other_ranks_keep(ranks: Any, tmp_path: Any) -> None:
    other, net = ranks(0), dense()
    net.weight.owner_rank_ = 1
    saving.save_checkpoint(net, str(tmp_path / "a"))
    assert [root for _, root in other.broadcasts] == [1]
    assert saving.load_checkpoint(str(tmp_path / "a.ckpt"))["weight"].asnumpy().tolist() == [
        [0] * 3
    ]


def test_outputs_of_all_ranks_come_by_rank() -> None:
    outputs = (Tensor([1.0, 2.0]), [Tensor(3)])
    (mine,) = gather_outputs(outputs)
    assert mine[0].asnumpy().tolist() == [1, 2] and mine[0].shape == (2,)
    assert mine[1][0].asnumpy() == 3 and mine[1][0].shape == ()
