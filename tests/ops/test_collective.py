"""Collectives over several ranks: the ranks are threads, and every number is derived by hand."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops
from minispore.core.value import Spec
from minispore.ops.support import transport

RANKS = 2


class Threads:
    """A transport between threads of one process: each thread is a rank."""

    def __init__(self) -> None:
        self.local = threading.local()
        self.slots: list[Any] = [None] * RANKS
        self.gate = threading.Barrier(RANKS, timeout=10)
        self.mail: dict[tuple[int, int, int], np.ndarray] = {}
        self.arrived = threading.Condition()

    def size(self, group: str) -> int:
        return RANKS

    def rank(self, group: str) -> int:
        return self.local.rank

    def exchange(self, x: Any) -> list[Any]:
        """What every rank brings, by rank."""
        self.slots[self.local.rank] = x
        self.gate.wait()
        found = list(self.slots)
        self.gate.wait()
        return found

    def all_reduce(self, x: np.ndarray, op: str, group: str) -> np.ndarray:
        how = {"sum": np.sum, "max": np.max, "min": np.min, "prod": np.prod}[op]
        return how(np.stack(self.exchange(x.copy())), axis=0)

    def all_gather(self, x: np.ndarray, group: str) -> list[np.ndarray]:
        return self.exchange(x.copy())

    def all_to_all(self, parts: Sequence[np.ndarray], group: str) -> list[np.ndarray]:
        return [sent[self.local.rank] for sent in self.exchange([p.copy() for p in parts])]

    def broadcast(self, x: np.ndarray, root: int, group: str) -> np.ndarray:
        return self.exchange(x.copy())[root]

    def send(self, x: np.ndarray, to: int, tag: int, group: str) -> None:
        with self.arrived:
            self.mail[self.local.rank, to, tag] = x.copy()
            self.arrived.notify_all()

    def receive(self, like: Spec, source: int, tag: int, group: str) -> np.ndarray:
        key = (source, self.local.rank, tag)
        with self.arrived:
            assert self.arrived.wait_for(lambda: key in self.mail, timeout=10)
            return self.mail.pop(key)

    def barrier(self, group: str) -> None:
        self.exchange(None)


@pytest.fixture
def world() -> Iterator[Callable[[Callable[[int], Any]], list[Any]]]:
    """Runs a function of the rank on every rank and returns what each gave."""
    threads = Threads()
    old = transport.install(threads)

    def run(fn: Callable[[int], Any]) -> list[Any]:
        results: list[Any] = [None] * RANKS

        def of_rank(rank: int) -> None:
            threads.local.rank = rank
            results[rank] = fn(rank)

        started = [threading.Thread(target=of_rank, args=(r,)) for r in range(RANKS)]
        for t in started:
            t.start()
        for t in started:
            t.join()
        return results

    yield run
    transport.install(old)


def vector(*numbers: float) -> Tensor:
    return Tensor(np.float32(numbers))


def lists(results: list[Any]) -> list[Any]:
    return [r.asnumpy().tolist() for r in results]


@pytest.mark.parametrize(
    ("op", "expected"), [("sum", [3, 30]), ("max", [2, 20]), ("min", [1, 10]), ("prod", [2, 200])]
)
def test_allreduce(world: Any, op: str, expected: list[float]) -> None:
    found = world(lambda rank: ops.AllReduce(op)(vector(1, 10) * (rank + 1)))
    assert lists(found) == [expected, expected]


def test_allgather_and_reducescatter_undo_each_other(world: Any) -> None:
    assert lists(world(lambda rank: ops.AllGather()(vector(rank)))) == [[0, 1], [0, 1]]
    assert lists(world(lambda rank: ops.ReduceScatter()(vector(1, 10)))) == [[2], [20]]


def test_broadcast_gives_every_rank_what_the_root_has(world: Any) -> None:
    found = world(lambda rank: ops.Broadcast(1)((vector(rank), vector(rank * 5)))[1])
    assert lists(found) == [[5], [5]]


def test_alltoall_transposes_ranks_and_parts(world: Any) -> None:
    found = world(lambda rank: ops.AlltoAll(2, 0, 0)(vector(10 * rank, 10 * rank + 1)))
    assert lists(found) == [[0, 10], [1, 11]]


def test_reduce_gather_and_scatter_have_one_end(world: Any) -> None:
    assert lists(world(lambda rank: ops.Reduce(1)(vector(rank + 1)))) == [[1], [3]]
    assert lists(world(lambda rank: ops.CollectiveGather(0)(vector(rank)))) == [[0, 1], [1]]
    parts = world(lambda rank: ops.CollectiveScatter(1)(vector(rank, rank + 5)))
    assert lists(parts) == [[1], [6]]


def test_send_and_receive_pair_by_tag(world: Any) -> None:
    def talk(rank: int) -> Any:
        if rank == 0:
            ops.Send(2, 1)(vector(8))
            return ops.Send(1, 1)(vector(7))
        first = ops.Receive(1, 0, (1,), ms.float32)()
        return first * 10 + ops.Receive(2, 0, (1,), ms.float32)()

    assert lists(world(talk))[1] == [78]


def test_the_gradient_of_allreduce_is_the_allreduce_of_the_gradient(world: Any) -> None:
    def f(rank: int) -> Any:
        return ms.grad(lambda x: ops.AllReduce()(x) * (rank + 1))(vector(1))

    assert lists(world(f)) == [[3], [3]]


def test_the_gradient_of_a_maximum_goes_to_the_rank_that_has_it(world: Any) -> None:
    def f(rank: int) -> Any:
        return ms.grad(lambda x: ops.AllReduce("max")(x))(vector(rank))

    assert lists(world(f)) == [[0], [2]]


def test_the_gradients_of_gather_scatter_and_exchange(world: Any) -> None:
    weights = vector(1, 10)
    gathered = world(lambda rank: ms.grad(lambda x: ops.AllGather()(x) * weights)(vector(rank)))
    assert lists(gathered) == [[2], [20]]
    scattered = world(
        lambda rank: ms.grad(lambda x: ops.ReduceScatter()(x) * (rank + 1))(vector(1, 1))
    )
    assert lists(scattered) == [[1, 2], [1, 2]]
    exchanged = world(
        lambda rank: ms.grad(lambda x: ops.AlltoAll(2, 0, 0)(x) * (rank + 1))(vector(1, 1))
    )
    assert lists(exchanged) == [[1, 2], [1, 2]]


def test_alone_there_is_nobody_to_talk_to() -> None:
    with pytest.raises(RuntimeError, match=r"Send: there is no rank 1; this process is alone"):
        ops.Send(0, 1)(vector(1))
    with pytest.raises(RuntimeError, match=r"Receive: there is no rank 1"):
        ops.Receive(0, 1, (1,), ms.float32)()


def test_the_names_of_the_reductions() -> None:
    names = (ops.ReduceOp.SUM, ops.ReduceOp.MAX, ops.ReduceOp.MIN, ops.ReduceOp.PROD)
    assert names == ("sum", "max", "min", "prod")
