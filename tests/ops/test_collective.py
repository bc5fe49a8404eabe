"""Collectives over several ranks: the ranks are threads, and every number is derived by hand."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops
from minispore.communication.mesh import Mesh
from minispore.ops.control.bucket import AllGatherShares, AllReduceBegin, AllReduceEnd
from minispore.ops.support import transport

RANKS = 2


class Threads:
    """The transport of whichever thread calls: each thread is a rank, with sockets to the other."""

    def __init__(self) -> None:
        self.local = threading.local()
        ends = socket.socketpair()
        self.meshes = [Mesh(r, {1 - r: ends[r]}, lambda _: (0, 1), 10.0) for r in range(RANKS)]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.meshes[self.local.rank], name)


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
    for mesh in threads.meshes:
        mesh.close()


def vector(*numbers: float) -> Tensor:
    return Tensor(np.float32(numbers))


def lists(results: list[Any]) -> list[Any]:
    return [r.asnumpy().tolist() for r in results]


@pytest.mark.parametrize(
    ("op", "expected"), [("sum", [3, 30]), ("max", [2, 20]), ("min", [1, 10]), ("prod", [2, 200])]
)
def test_allreduce(world: Any, op: str, expected: list[float]) -> None:
    actual = world(lambda rank: ops.AllReduce(op)(vector(1, 10) * (rank + 1)))
    assert lists(actual) == [expected, expected]


def test_allgather_and_reducescatter_undo_each_other(world: Any) -> None:
    assert lists(world(lambda rank: ops.AllGather()(vector(rank)))) == [[0, 1], [0, 1]]
    assert lists(world(lambda rank: ops.ReduceScatter()(vector(1, 10)))) == [[2], [20]]


def test_broadcast_gives_every_rank_what_the_root_has(world: Any) -> None:
    actual = world(lambda rank: ops.Broadcast(1)((vector(rank), vector(rank * 5)))[1])
    assert lists(actual) == [[5], [5]]


def test_alltoall_transposes_ranks_and_parts(world: Any) -> None:
    actual = world(lambda rank: ops.AlltoAll(2, 0, 0)(vector(10 * rank, 10 * rank + 1)))
    assert lists(actual) == [[0, 10], [1, 11]]


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


def test_a_single_rank_cannot_send_or_receive() -> None:
    with pytest.raises(ValueError, match=r"Send: the rank must be from 0 to 0 .* got 1"):
        ops.Send(0, 1)(vector(1))
    with pytest.raises(ValueError, match=r"Receive: the rank must be another one, got 0"):
        ops.Receive(0, 0, (1,), ms.float32)()


def test_the_names_of_the_reductions() -> None:
    names = (ops.ReduceOp.SUM, ops.ReduceOp.MAX, ops.ReduceOp.MIN, ops.ReduceOp.PROD)
    assert names == ("sum", "max", "min", "prod")


def bucket(rank: int) -> tuple[Tensor, Tensor]:
    ticket = AllReduceBegin("float32")((vector(1, 2) * (rank + 1), vector(10)))
    like = (("float32", (2,)), ("float16", (1,)))
    return AllReduceEnd(like, 0.5)(ticket)


def test_bucket_sums_go_only_to_their_owner_ranks(world: Any) -> None:
    def owned(rank: int) -> list[list[float]]:
        xs = (vector(1, 2) * (rank + 1), vector(10), vector(5, 6, 7))
        ticket = AllReduceBegin("float32", owners=(1, 0, 1))(xs)
        like = ((("float32", (1,)),), (("float32", (2,)), ("float32", (3,))))[rank]
        return [t.asnumpy().tolist() for t in AllReduceEnd(like, 0.5)(ticket)]

    assert world(owned) == [[[10.0]], [[1.5, 3.0], [5.0, 6.0, 7.0]]]


def test_a_rank_that_owns_nothing_of_a_bucket_takes_part(world: Any) -> None:
    def owned(rank: int) -> list[list[float]]:
        ticket = AllReduceBegin("float32", owners=(1,))((vector(1, 2),))
        like = ((), (("float32", (2,)),))[rank]
        return [t.asnumpy().tolist() for t in AllReduceEnd(like)(ticket)]

    assert world(owned) == [[], [[2.0, 4.0]]]


def test_shares_of_other_ranks_come_as_their_owners_have_them(world: Any) -> None:
    def shares(rank: int) -> list[list[float]]:
        xs = tuple(vector(*v) * (10 * rank + 1) for v in ((1, 2), (3,), (4, 5, 6)))
        return [t.asnumpy().tolist() for t in AllGatherShares((0, 1, 0))(xs)]

    assert world(shares) == [[[33.0]], [[1.0, 2.0], [4.0, 5.0, 6.0]]]


def test_a_bucket_is_the_scaled_sum_of_each_of_its_tensors(world: Any) -> None:
    for first, second in world(bucket):
        assert first.asnumpy().tolist() == [1.5, 3.0]
        assert second.asnumpy().tolist() == [10.0] and second.dtype == ms.float16


def test_a_bucket_is_one_all_reduce_and_leaves_nothing_in_flight(world: Any) -> None:
    def counted(rank: int) -> Any:
        bucket(rank)
        traffic = transport.current.traffic
        return traffic.buckets, traffic.nbytes, traffic.in_flight, 0 <= traffic.hidden <= 1

    assert world(counted) == [(1, 12, {}, True)] * 2
