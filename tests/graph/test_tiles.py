"""However many threads compute, a network computes the same bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops
from minispore.core.primitive import WorkSplit
from minispore.execution.threads.tiles import slice_rows
from minispore.graph import program_of, tiles
from minispore.graph.program import Program
from minispore.graph.tiles import Tiles
from minispore.ir.value import Spec
from minispore.ops import operations as P
from minispore.ops.network import sequence
from tests.ops.samples import Sample
from tests.ops.test_contract import (
    ALL,
    by_id,
    frozen,
    poisoned,
    run,
    specs_of,
    static_kernels,
)

pytestmark = pytest.mark.usefixtures("everything_is_long")


def drawn(*shape: int) -> np.ndarray:
    return np.random.default_rng(2).standard_normal(shape).astype(np.float32)


def images() -> nn.Cell:
    return nn.SequentialCell(
        nn.Conv2d(4, 8, 3, pad_mode="pad", padding=1), nn.BatchNorm2d(8), nn.ReLU(),
        nn.Conv2d(8, 8, 3, 2, pad_mode="pad", padding=1, group=8), nn.BatchNorm2d(8), nn.ReLU6(),
        nn.Conv2d(8, 8, 3, pad_mode="pad", padding=1, group=8),
        nn.Conv2d(8, 16, 1), nn.Sigmoid(), nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(64, 5),
    )  # fmt: skip


class Words(nn.Cell):
    """Attention, layer norms, a recurrence."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.query, self.lstm = nn.LayerNorm((16,)), nn.Dense(16, 16), nn.LSTM(16, 8)
        self.last = nn.Dense(8, 5)

    def construct(self, x: Tensor) -> Tensor:
        q = self.query(self.norm(x))
        seen = ops.softmax(ops.matmul(q, q.swapaxes(-1, -2)))
        y, _ = self.lstm(ops.gelu(ops.matmul(seen, q)))
        return ops.log_softmax(self.last(y.mean(1)))


NETWORKS: dict[str, tuple[Callable[[], nn.Cell], tuple[int, ...], Any]] = {
    "images": (images, (6, 4, 8, 8), nn.Momentum),
    "words": (Words, (6, 48, 16), nn.Adam),  # so large that BLAS has to do with it
    "layers": (
        lambda: nn.SequentialCell(nn.Dense(64, 128), nn.Tanh(), nn.Dense(128, 5)), (96, 64), nn.Adam
    ),
}  # fmt: skip


def trained(name: str, mode: int, threads: int) -> list[bytes]:
    """Losses and weights of three steps."""
    make, shape, optimizer = NETWORKS[name]
    ms.set_context(mode=mode, runtime_num_threads=threads)
    ms.set_seed(3)
    net = make()
    rates = {"momentum": 0.9} if optimizer is nn.Momentum else {}
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True)),
        optimizer(net.trainable_params(), 0.1, **rates),
    )
    step.set_train()
    x = Tensor(drawn(*shape))
    y = Tensor(np.arange(shape[0], dtype=np.int32) % 5)
    losses = [step(x, y).asnumpy().tobytes() for _ in range(3)]
    return losses + [p.asnumpy().tobytes() for p in net.get_parameters()]


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_trains_to_the_same_bits_on_one_two_and_three_threads(name: str) -> None:
    one = trained(name, ms.GRAPH_MODE, 1)
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        for threads in (1, 2, 3):
            assert trained(name, mode, threads) == one, (mode, threads)


def program(fn: Any, *inputs: np.ndarray, threads: int = 2) -> tuple[Program, list[Any]]:
    """The program of ``fn``, and what so many threads run of it."""
    ms.set_context(runtime_num_threads=threads)
    output = program_of(fn, *map(Tensor, inputs))
    return output, output._get_tiled_steps(threads)


def name_of(actual: Program, step: Any) -> str:
    node = actual.find_node(step)
    return node.prim.name if node is not None else ""


def test_pointwise_nodes_that_follow_each_other_are_one_step_in_tiles() -> None:
    _, steps = program(lambda x: ops.tanh(x * 2 + 1), drawn(8, 8))
    assert [[len(t) for t in s.tiles] for s in steps] == [[3, 3, 3, 3]]


def test_an_op_that_computes_rows_is_one_step_in_tiles() -> None:
    output, steps = program(lambda x: ops.softmax(x), drawn(8, 4, 4))
    [step] = [s for s in steps if isinstance(s, Tiles)]
    assert name_of(output, step) == "Softmax"
    assert len(step.tiles) == 2  # one for each core: each pays for its calls


def test_an_op_that_computes_rows_from_the_rows_around_them_is_one_step_in_tiles() -> None:
    x, w = drawn(4, 8, 16, 16), drawn(8, 8, 3, 3)
    output, steps = program(lambda x, w: ops.conv2d(x, w, pad_mode="same"), x, w, threads=3)
    cut = [s for s in steps if isinstance(s, Tiles)]
    [step] = [s for s in cut if name_of(output, s) == "WinogradGemm"]
    assert len(step.tiles) == 3
    together = output.run([x, w])[0].tobytes()
    ms.set_context(runtime_num_threads=1)
    assert output.run([x, w])[0].tobytes() == together


def test_tiles_have_separate_scratch_arrays_that_the_next_node_reuses() -> None:
    spare, specs = tiles.ScratchPool(), [Spec((5,), np.dtype("f4")), Spec((2, 3), np.dtype("f8"))]
    first, second, next_first = (spare.get_arrays(tile, specs) for tile in (0, 1, 0))
    assert [(a.shape, a.dtype) for a in first] == [((5,), np.float32), ((2, 3), np.float64)]
    for a in first:
        assert not any(np.may_share_memory(a, b) for b in (*second, *first) if b is not a)
    for a, b in zip(first, next_first, strict=True):
        assert a.ctypes.data == b.ctypes.data


def test_rows_that_have_other_bits_are_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "_row_checks", {})
    monkeypatch.setattr(P.Softmax, "rowwise", lambda self, x, out: (1, 1))  # along what is summed
    _, steps = program(lambda x: ops.softmax(x), drawn(8, 6))
    assert not any(isinstance(s, Tiles) for s in steps)


def test_sequences_are_cut_where_products_of_blas_are_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rows in twelves, as BLAS for AVX2 has them; halves are tried first."""
    tried = []

    def alike(node: Any, emit: Any, lies: Any, axes: Any, where: list[slice]) -> bool:
        tried.append([some.start for some in where])
        return all(some.start % 12 == 0 for some in where)

    monkeypatch.setattr(tiles, "_rows_have_equal_bits", alike)
    monkeypatch.setattr(sequence._Sequence, "work_split", WorkSplit(row_edges=(1, 12)))
    net = nn.LSTM(3, 4)
    output, steps = program(lambda x: net(x)[0], drawn(5, 32, 3))
    assert [0, 16] in tried and [0, 12] in tried
    [step] = [s for s in steps if name_of(output, s) == "LSTMSequence"]
    assert isinstance(step, Tiles) and len(step.tiles) == 2


def test_the_row_check_repeats_when_rows_match_by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sum in another order is often the same: here of the numbers that are drawn first."""
    monkeypatch.setattr(tiles, "_row_checks", {})
    whole, runs = P.Softmax.kernel, []

    def kernel(self: Any, x: np.ndarray, *, out: np.ndarray) -> None:
        whole(self, x, out=out)
        runs.append(len(x))
        if len(runs) > 3 and len(x) == 1:
            np.add(out, 1, out=out)

    monkeypatch.setattr(P.Softmax, "kernel", kernel)
    _, steps = program(lambda x: ops.softmax(x), drawn(2, 6))
    assert runs.count(1) >= 3
    assert not any(isinstance(s, Tiles) for s in steps)


def test_measure_calls_runs_tiled_nodes_one_by_one() -> None:
    output, steps = program(lambda x: ops.tanh(x) + ops.softmax(x), drawn(8, 8))
    assert any(isinstance(s, Tiles) for s in steps)
    count = len(list(output.steps()))
    counted, spent = [0] * count, [0] * count
    with output.measure_calls(counted, spent):
        output.run([drawn(8, 8)])
    assert counted == [1] * count


def test_every_step_of_a_tiled_program_names_its_op() -> None:
    output, steps = program(lambda x: ops.sort(ops.tanh(x))[0], drawn(8, 8))
    assert {name_of(output, step) for step in steps} == {"Tanh", "Sort"}
    assert [isinstance(s, Tiles) for s in steps if name_of(output, s) == "Sort"] == [False]
    assert {name_of(output, step) for _, step in output.steps()} == {"Tanh", "Sort"}


def test_the_number_of_threads_may_change_between_two_runs() -> None:
    x = drawn(64, 8)
    output, _ = program(lambda x: ops.tanh(x) * 2, x)
    for threads in (2, 1, 3, 2):
        ms.set_context(runtime_num_threads=threads)
        assert np.array_equal(output.run([x])[0], np.tanh(x) * np.float32(2))


@by_id([s for s in ALL if s.op.traits.has_rowwise])
def test_an_op_that_computes_rows_gives_the_same_of_each_row(s: Sample) -> None:
    for prim, args, outs in static_kernels(s):
        if not prim.traits.has_rowwise:
            continue
        axes = prim.rowwise(*args, out=outs if len(outs) > 1 else outs[0])
        if axes is None:
            continue
        whole, rows = ([poisoned(spec, 0xFF) for spec in specs_of(prim, args)] for _ in range(2))
        run(prim, frozen(args), tuple(whole))
        arrays = [*args, *rows]
        pairs = [(a, i) for a, i in zip(arrays, axes, strict=True) if isinstance(i, int)]
        for k in range(max(a.shape[i] for a, i in pairs)):
            row = slice(k, k + 1)
            some = [slice_rows(a, i, row) for a, i in zip(arrays, axes, strict=True)]
            run(prim, tuple(some[: len(args)]), tuple(some[len(args) :]))
        for a, b in zip(rows, whole, strict=True):
            # one row alone may be summed in a way of its own
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6, err_msg=str(prim))
