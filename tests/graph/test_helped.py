"""Programs whose tiles are run by helpers compute what one process computes."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops
from minispore.core.parameter import Parameter
from minispore.execution.threads import shared_memory, worker_processes
from minispore.execution.threads.worker_processes import Step
from minispore.graph import program_of, tiles
from minispore.graph.blocks import BoundNode
from minispore.graph.program import Program
from minispore.ops.optim.updates import BLOCK
from tests.graph.test_tiles import NETWORKS, drawn, trained
from tests.graph.test_updates import OPTIMIZERS, updated

pytestmark = pytest.mark.usefixtures("helped")


def program(fn: Any, *inputs: np.ndarray, threads: int = 2) -> tuple[Program, list[Any]]:
    """The program of ``fn``, and what so many processes run of it."""
    ms.set_context(mode=ms.GRAPH_MODE, runtime_num_threads=threads)
    output = program_of(fn, *map(Tensor, inputs))
    return output, output._get_tiled_steps(threads, True)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_trains_to_the_same_bits_with_none_one_and_two_helpers(name: str) -> None:
    one = trained(name, ms.GRAPH_MODE, 1)
    for threads in (2, 3):
        assert trained(name, ms.GRAPH_MODE, threads) == one
        assert len(worker_processes._team._workers) == threads - 1


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_helpers_update_to_the_same_bits(name: str) -> None:
    one, _ = updated(name, 1)
    output, steps = updated(name, 2)
    assert output == one
    assert any(isinstance(s, Step) for s in steps)


@pytest.mark.parametrize("layer", [nn.LSTM, nn.GRU])
@pytest.mark.parametrize("lengths", [None, [30, 12, 3, 64]])
def test_the_sequences_of_a_batch_are_shared_out(layer: Any, lengths: Any) -> None:
    net = layer(8, 8, bidirectional=True)
    x, ends = drawn(64, 4, 8), None if lengths is None else Tensor(np.array(lengths, np.int32))

    def slopes(x: Tensor) -> Any:
        return ops.value_and_grad(lambda x: net(x, None, ends)[0].sum(), 0, net.weights)(x)

    def bits(x: Tensor) -> list[bytes]:
        value, (dx, dw) = slopes(x)
        return [t.asnumpy().tobytes() for t in (value, dx, *dw)]

    net.weights = ms.ParameterTuple(net.trainable_params())
    output, steps = program(slopes, x)
    shared = {output.find_node(s).prim.name for s in steps if isinstance(s, Step)}  # type: ignore[union-attr]
    kind = layer.__name__
    assert {f"{kind}Sequence", f"{kind}SequenceGrad"} <= shared
    ms.set_context(mode=ms.GRAPH_MODE, runtime_num_threads=1)
    one = bits(Tensor(x))
    for threads in (2, 3):
        ms.set_context(runtime_num_threads=threads)
        assert bits(Tensor(x)) == one


def test_what_the_helpers_do_not_see_is_not_cut() -> None:
    ms.set_context(runtime_num_threads=2)
    mine, common = np.zeros(8, np.float32), shared_memory.allocate(32).view(np.float32)
    inputs = np.ones(8, np.float32)  # a constant of the graph
    bound = BoundNode(None, [inputs], (common,))  # type: ignore[arg-type]
    assert tiles._is_visible_to_workers(partial(np.add, inputs, common, common), bound)
    assert not tiles._is_visible_to_workers(partial(np.add, inputs, mine, common), bound)
    assert not tiles._is_visible_to_workers(partial(np.add, inputs, common, mine), bound)
    mine.flags.writeable = False
    assert tiles._is_visible_to_workers(partial(np.add, inputs, mine[2:], common), bound)


def test_parameters_that_helpers_see_are_those_of_the_network() -> None:
    weight = Parameter(Tensor(drawn(64, 64)), name="w")
    before = weight.asnumpy().copy()
    output, _ = program(lambda x: ops.matmul(x, weight), drawn(64, 64))
    assert shared_memory.is_shared(weight.value_.data)
    assert np.array_equal(weight.asnumpy(), before)
    x = drawn(64, 64)
    first = output.run([x])[0].copy()
    weight.set_data(Tensor(2 * before))
    assert np.array_equal(output.run([x])[0], 2 * first)
    weight.set_data(Tensor(before))
    assert np.array_equal(output.run([x])[0], first)


@pytest.mark.parametrize("at", [None, 0, 2000, -1])
@pytest.mark.parametrize("value", [-0.0, 1e-45, np.nan])
@pytest.mark.parametrize("count", [3000, 3001])
def test_what_moves_to_the_helpers_keeps_each_bit(
    at: int | None, value: float, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of zeros nothing is copied, so that their memory is there when it is touched."""
    content = np.zeros(count, np.float32)
    if at is not None:
        content[at] = value
    weight, copies = Parameter(Tensor(content), name="w"), []
    address = weight.value_.data.ctypes.data
    copyto = np.copyto
    monkeypatch.setattr(np, "copyto", lambda *a, **k: (copies.append(a), copyto(*a, **k)))
    program(lambda x: x + weight, drawn(count))
    monkeypatch.undo()
    assert shared_memory.is_shared(weight.value_.data) and weight.value_.data.ctypes.data != address
    assert weight.asnumpy().tobytes() == content.tobytes()
    moved = [a for a in copies if a[0] is weight.value_.data]
    assert len(moved) == (at is not None or count % 2)


def test_a_program_runs_on_threads_where_no_process_can_be_had(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused() -> int:
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(os, "fork", refused)
    x = drawn(64, 64)
    output, _ = program(lambda x: ops.tanh(x) * 2, x)
    assert np.array_equal(output.run([x])[0], np.tanh(x) * np.float32(2))
    assert not worker_processes.should_use_workers()
    assert any(isinstance(s, tiles.Tiles) for s in output._get_tiled_steps(2))


def test_a_forked_child_trains_with_its_private_workers_and_weights() -> None:
    count = 3 * BLOCK
    weight = Parameter(Tensor(np.zeros(count, np.float32)), name="w")
    optimizer = nn.SGD([weight], 1.0)
    ms.set_context(mode=ms.GRAPH_MODE, runtime_num_threads=2)
    one = (Tensor(np.ones(count, np.float32)),)
    for _ in range(3):
        optimizer(one)
    child = os.fork()
    if child == 0:
        try:
            for _ in range(5):
                optimizer(one)
            helped = len(worker_processes._team._workers) == 1  # by one of its own
            os._exit(0 if helped and (weight.asnumpy() == -8).all() else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (weight.asnumpy() == -3).all()
    optimizer(one)
    assert (weight.asnumpy() == -4).all()
    assert len(worker_processes._team._workers) == 1


def test_a_program_runs_without_busy_workers_and_keeps_its_tiles() -> None:
    x = drawn(64, 64)
    output, steps = program(lambda x: ops.tanh(x) * 2, x)
    worker_processes.end_workers()
    with worker_processes._team._busy:
        assert np.array_equal(output.run([x])[0], np.tanh(x) * np.float32(2))
    assert output._tiled_steps is steps


def test_results_are_equal_when_the_thread_count_rises_and_falls() -> None:
    x = drawn(64, 64)
    first, _ = program(lambda x: ops.tanh(x) * 2, x)
    second, _ = program(lambda x: ops.softmax(x), x)
    expected = [first.run([x])[0].tobytes(), second.run([x])[0].tobytes()]
    for threads in (3, 2, 1, 2):
        ms.set_context(runtime_num_threads=threads)
        assert [first.run([x])[0].tobytes(), second.run([x])[0].tobytes()] == expected
