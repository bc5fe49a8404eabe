"""Collectives over sockets: the ranks are threads here, and every number is derived by hand."""

from __future__ import annotations

import itertools
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from minispore.communication.mesh import Mesh
from minispore.ir.value import Spec

GROUPS = {"world": (0, 1, 2), "outer": (2, 0)}
World = Callable[[Callable[[Mesh, int], Any]], list[Any]]


def meshes(timeout: float = 10.0) -> list[Mesh]:
    """Three ranks, each two joined by a socket pair."""
    ends: dict[int, dict[int, socket.socket]] = {r: {} for r in range(3)}
    for a, b in itertools.combinations(range(3), 2):
        ends[a][b], ends[b][a] = socket.socketpair()
    return [Mesh(r, ends[r], GROUPS.__getitem__, timeout) for r in range(3)]


@pytest.fixture
def world() -> Iterator[World]:
    """Runs a function on every rank and returns what each gave, or raised."""
    output = meshes()

    def run(fn: Callable[[Mesh, int], Any]) -> list[Any]:
        results: list[Any] = [None] * 3

        def one(rank: int) -> None:
            try:
                results[rank] = fn(output[rank], rank)
            except Exception as exc:
                results[rank] = exc

        threads = [threading.Thread(target=one, args=(r,)) for r in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=30)
            assert not thread.is_alive()
        return results

    yield run
    for mesh in output:
        mesh.close()


@pytest.mark.parametrize("n", [1, 2, 7, 100_000])  # the last is reduced part by part
@pytest.mark.parametrize(
    "op, expected",
    [("sum", 1 + 2 + 4), ("max", 4), ("min", 1), ("prod", 8)],
)
def test_all_ranks_get_what_the_reduction_of_all_is(
    world: World, n: int, op: str, expected: int
) -> None:
    output = world(lambda mesh, r: mesh.all_reduce(np.full((n, 1), 2**r, np.float32), op, "world"))
    for got in output:
        assert got.shape == (n, 1) and np.all(got == expected)


@pytest.mark.parametrize("n", [100, 100_000])
def test_sums_of_floats_have_the_same_bits_on_all_ranks_and_the_order_of_ranks(
    world: World, n: int
) -> None:
    xs = np.random.default_rng(0).standard_normal((3, n)).astype(np.float32)
    output = world(lambda mesh, r: mesh.all_reduce(xs[r], "sum", "world"))
    for got in output:
        assert np.array_equal(got, (xs[0] + xs[1]) + xs[2])


def test_all_gather_gives_the_arrays_by_rank(world: World) -> None:
    output = world(lambda mesh, r: mesh.all_gather(np.array([r]), "world"))
    assert [[x.item() for x in got] for got in output] == [[0, 1, 2]] * 3


def test_all_to_all_sends_part_i_to_rank_i(world: World) -> None:
    parts = lambda r: [np.array([10 * r + i]) for i in range(3)]  # noqa: E731
    output = world(lambda mesh, r: mesh.all_to_all(parts(r), "world"))
    assert [[x.item() for x in got] for got in output] == [[0, 10, 20], [1, 11, 21], [2, 12, 22]]


def test_broadcast_gives_the_array_of_the_root(world: World) -> None:
    output = world(lambda mesh, r: mesh.broadcast(np.array([r]), 1, "world"))
    assert [x.item() for x in output] == [1, 1, 1]


def test_a_group_gathers_its_ranks_in_the_order_of_the_group(world: World) -> None:
    def run(mesh: Mesh, r: int) -> Any:
        return [x.item() for x in mesh.all_gather(np.array([r]), "outer")]

    first, outsider, last = world(run)
    assert first == last == [2, 0]
    assert isinstance(outsider, ValueError) and "this is rank 1" in str(outsider)


def test_two_ranks_may_send_to_each_other_at_once(world: World) -> None:
    """More than the sockets hold, and by tag, not by order."""
    big = np.arange(1 << 21, dtype=np.float32)

    def run(mesh: Mesh, r: int) -> Any:
        if r == 2:
            return None
        mesh.send(big + r, 1 - r, 7, "world")
        mesh.send(np.array([r]), 1 - r, 8, "world")
        second = mesh.receive(Spec((1,), np.dtype(int)), 1 - r, 8, "world")
        return second.item(), mesh.receive(Spec(big.shape, big.dtype), 1 - r, 7, "world")

    zero, one, _ = world(run)
    assert zero[0] == 1 and np.array_equal(zero[1], big + 1)
    assert one[0] == 0 and np.array_equal(one[1], big)


def test_barrier_waits_until_all_ranks_have_arrived(world: World) -> None:
    arrived: list[int] = []

    def run(mesh: Mesh, r: int) -> int:
        if r == 0:
            threading.Event().wait(0.1)
        arrived.append(r)
        mesh.barrier("world")
        return len(arrived)

    assert world(run) == [3, 3, 3]


def test_ranks_in_different_collectives_get_an_error_with_both_calls(world: World) -> None:
    def run(mesh: Mesh, r: int) -> Any:
        x = np.zeros(3 if r else 2, np.float32)
        return mesh.all_reduce(x, "sum", "world") if r < 2 else mesh.all_gather(x, "world")

    text = [
        "AllReduce sum with float32[2]",
        "AllReduce sum with float32[3]",
        "AllGather with float32[3]",
    ]
    for rank, error in enumerate(world(run)):  # of the others, the one whose message came first
        others = [
            f"rank {r} is in {text[r]}, this rank in {text[rank]}" for r in range(3) if r != rank
        ]
        assert any(other in str(error) for other in others), error


def test_a_rank_that_has_ended_is_named() -> None:
    first, second, third = meshes()
    third.close()
    with pytest.raises(RuntimeError, match="rank 2 has ended while rank 0 waits for it"):
        first.barrier("world")
    first.close()
    second.close()


def test_what_an_ended_rank_has_sent_still_arrives() -> None:
    first, second, third = meshes()
    third.send(np.arange(5), 0, 1, "world")
    third.close()
    assert first.receive(Spec((5,), np.dtype(int)), 2, 1, "world").tolist() == [0, 1, 2, 3, 4]
    first.close()
    second.close()


def test_a_timeout_names_the_missing_ranks() -> None:
    first, second, third = meshes(timeout=0.3)
    with pytest.raises(RuntimeError, match=r"waited 0 s for the ranks \[1, 2\]"):
        first.barrier("world")
    for mesh in (first, second, third):
        mesh.close()


@pytest.mark.parametrize("rank", [-1, 3])
def test_an_unknown_rank_is_an_error_that_names_the_valid_ranks(world: World, rank: int) -> None:
    x = np.zeros(1, np.float32)
    for call in (
        lambda mesh: mesh.broadcast(x, rank, "world"),
        lambda mesh: mesh.send(x, rank, 0, "world"),
        lambda mesh: mesh.receive(Spec((1,), x.dtype), rank, 0, "world"),
    ):
        for error in world(lambda mesh, _, call=call: call(mesh)):
            assert isinstance(error, ValueError)
            assert f"from 0 to 2 in group 'world', got {rank}" in str(error)


def test_a_rank_can_not_send_to_itself(world: World) -> None:
    for error in world(lambda mesh, r: mesh.send(np.zeros(1), r, 0, "world")):
        assert isinstance(error, ValueError) and "must be another one" in str(error)
