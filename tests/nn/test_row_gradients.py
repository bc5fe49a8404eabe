"""Tables of which rows are looked up: what optimizers make of gradients that are rows."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor, nn, ops
from minispore.core.row_gradient import RowGradient
from minispore.graph import program_of
from tests.golden import row_cases
from tests.golden.row_cases import OPTIMIZERS, table

GOLDEN = json.loads((Path(row_cases.__file__).parent / "rows.json").read_text())
LAZY = ("adam, lazy", "lazy", "ftrl", "proximal")
MODES = (ms.PYNATIVE_MODE, ms.GRAPH_MODE)


@pytest.fixture(params=MODES, ids=["by op", "as a graph"])
def mode(request: pytest.FixtureRequest) -> int:
    ms.set_context(mode=request.param)
    return int(request.param)


@pytest.mark.parametrize("case", GOLDEN)
def test_tables_are_those_of_mindspore(mode, case):
    output = table(ms, *case.split(": "), mode)
    np.testing.assert_allclose(output, GOLDEN[case], rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("net", ["one", "limited", "two", "beside", "scaled"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_both_modes_make_the_same_bits(net, optimizer):
    by_op, as_a_graph = (table(ms, net, optimizer, mode) for mode in MODES)
    assert by_op == as_a_graph


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_loss_scale_changes_nothing(mode, optimizer):
    assert table(ms, "scaled", optimizer, mode) == table(ms, "one", optimizer, mode)


class _TwoLookups(nn.Cell):
    def __init__(self, sparse: bool = True, width: int = 2) -> None:
        super().__init__()
        self.at = nn.EmbeddingLookup(5, width, "ones", target="DEVICE", sparse=sparse)

    def construct(self, x):
        return ops.square(self.at(x)).sum() + self.at(x + 1).sum()


X = Tensor([1, 2, 1], ms.int32)
WHOLE = np.array([[0], [4], [4], [1], [0]], np.float32).repeat(2, 1)  # of _Looked by the table


@pytest.mark.parametrize("optimizer", LAZY)
def test_rows_of_two_lookups_step_once_and_no_others(mode, optimizer):
    net = _TwoLookups()
    step = nn.TrainOneStepCell(net, OPTIMIZERS[optimizer](nn, net.trainable_params()))
    step(X)
    output = net.at.embedding_table.asnumpy()
    assert (output != 1).any(axis=1).tolist() == [False, True, True, True, False]
    dense = Parameter(Tensor(np.ones((5, 2), np.float32)), name="dense")
    OPTIMIZERS[optimizer](nn, [dense])((Tensor(WHOLE),))
    np.testing.assert_allclose(output[1:4], dense.asnumpy()[1:4], rtol=1e-6)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.filterwarnings("error")
def test_rows_go_out_of_one_graph_and_into_another(mode, optimizer):
    net, other = _TwoLookups(), _TwoLookups()
    step = nn.TrainOneStepCell(other, OPTIMIZERS[optimizer](nn, other.trainable_params()))
    output = OPTIMIZERS[optimizer](nn, net.trainable_params())
    forward = ms.value_and_grad(net, None, net.trainable_params())
    for x in (X, X + 1, X):
        loss, gradients = forward(x)
        assert isinstance(gradients[0], RowGradient)
        output(gradients)
        assert loss == step(x)
    assert (net.at.embedding_table == other.at.embedding_table).all()


def test_a_graph_of_rows_makes_no_gradient_of_the_whole_table():
    ms.set_context(mode=ms.GRAPH_MODE)
    net = _TwoLookups()
    step = nn.TrainOneStepCell(net, nn.LazyAdam(net.trainable_params()))
    names = [node.prim.name for node in program_of(step, X).graph.nodes]
    assert "FusedSparseLazyAdam" in names
    assert "GatherGrad" not in names


@pytest.mark.parametrize("kind", [nn.Momentum, nn.SGD, nn.RMSProp, nn.Lamb])
def test_optimizers_that_know_no_rows_meet_the_whole_table(mode, kind):
    tables = []
    for sparse in (True, False):
        net = _TwoLookups(sparse)
        rest = (0.1, 0.9) if kind is nn.Momentum else (0.1,)
        step = nn.TrainOneStepCell(net, kind(net.trainable_params(), *rest))
        for _ in range(2):
            step(X)
        tables.append(net.at.embedding_table.asnumpy())
    np.testing.assert_allclose(*tables, rtol=1e-6)


def test_centralised_rows_are_those_of_the_whole_gradient(mode):
    weight = Tensor(np.arange(16.0), ms.float32)

    class Net(nn.Cell):
        def __init__(self, sparse):
            super().__init__()
            self.at = nn.EmbeddingLookup(5, 16, "ones", target="DEVICE", sparse=sparse)

        def construct(self, x):
            return (self.at(x) * weight).sum()

    tables = []
    for sparse in (True, False):
        net = Net(sparse)
        groups = [{"params": net.trainable_params(), "grad_centralization": True}]
        nn.TrainOneStepCell(net, nn.FTRL(groups, learning_rate=0.1))(X)
        tables.append(net.at.embedding_table.asnumpy()[1:3])
    np.testing.assert_allclose(*tables, rtol=1e-6)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("shape", [(5,), (5, 2, 3), (5, 1, 2, 3)])
def test_a_table_of_any_number_of_axes_steps_as_a_matrix_does(mode, optimizer, shape):
    class Net(nn.Cell):
        def __init__(self, content):
            super().__init__()
            self.table, self.rows = Parameter(Tensor(content), name="table"), ops.SparseGatherV2()

        def construct(self, x):
            return ops.square(self.rows(self.table, x, 0)).sum()

    whole = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 8 - 1
    tables = []
    for content in (whole, whole.reshape(5, -1)):
        net = Net(content)
        output = OPTIMIZERS[optimizer](nn, net.trainable_params())
        step = nn.TrainOneStepCell(net, output)
        for _ in range(2):
            step(X)
        tables.append(net.table.asnumpy().reshape(5, -1))
    np.testing.assert_array_equal(*tables)


def test_rows_are_cast_back_where_the_table_was_cast(mode):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.table = Parameter(Tensor(np.ones((5, 2), np.float32)), name="table")
            self.gather = ops.SparseGatherV2()

        def construct(self, x):
            half = ops.cast(self.table, ms.float16)
            return self.gather(half, x - 5, 0).sum().astype(ms.float32)  # from the end, too

    net = Net()
    (gradient,) = ms.grad(net, None, net.trainable_params())(X)
    assert isinstance(gradient, RowGradient)
    assert (gradient.dtype, gradient.values.dtype) == (ms.float32, ms.float32)
    assert gradient.indices.asnumpy().tolist() == [1, 2, 1]
    assert gradient.asnumpy()[:, 0].tolist() == [0, 2, 1, 0, 0]


def test_embedding_lookup_with_an_offset_has_a_row_gradient(mode):
    table = Parameter(Tensor(np.arange(6.0).reshape(3, 2), ms.float32), name="table")
    indices = Tensor([[5, 4], [9, 4]], ms.int32)
    gradient = ms.grad(lambda: ops.EmbeddingLookup()(table, indices, 4).sum(), None, [table])()[0]
    assert isinstance(gradient, RowGradient)
    assert gradient.asnumpy().tolist() == [[2, 2], [1, 1], [0, 0]]


def test_other_axes_and_second_derivatives_have_dense_gradients(mode):
    table = Tensor(np.arange(6.0).reshape(2, 3), ms.float32)
    gather = ops.SparseGatherV2()
    gradient = ms.grad(lambda t: gather(t, Tensor([2, 2], ms.int32), 1).sum())(table)
    assert type(gradient) is Tensor and gradient.asnumpy().tolist() == [[0, 0, 2]] * 2

    def cubed(t):
        return (gather(t, Tensor([1, 1], ms.int32), 0) ** 3).sum()

    twice = ms.grad(lambda t: (ms.grad(cubed)(t) * t).sum())(table)
    np.testing.assert_allclose(twice.asnumpy(), [[0, 0, 0], (2 * 9 * table[1] ** 2).asnumpy()])


def test_what_is_done_with_rows():
    gradient = RowGradient(Tensor([2, 2]), Tensor([[1.0, 2.0], [3.0, 4.0]]), (4, 2))
    whole = np.array([[0, 0], [0, 0], [4, 6], [0, 0]], np.float32)
    assert (gradient.shape, gradient.ndim, gradient.dtype) == ((4, 2), 2, ms.float32)
    for output, expected in (
        (gradient * 2, whole * 2),
        (Tensor([2.0]) * gradient, whole * 2),
        (gradient * Tensor(2.0), whole * 2),
        (gradient / 2, whole / 2),
        (gradient * Tensor(whole), whole * whole),
        (gradient + 1, whole + 1),
        (gradient.concatenate(gradient * 2), whole * 3),
        (ops.clip_by_value(gradient, 0.0, 5.0), whole.clip(0, 5)),
    ):
        assert output.asnumpy().tolist() == expected.tolist()
    assert isinstance(gradient * 2, RowGradient) and isinstance(gradient / 2, RowGradient)
    with pytest.raises(TypeError, match="shape"):
        gradient.shape = (2, 4)


@pytest.mark.filterwarnings("error")
def test_a_graph_may_hold_rows():
    gradient = RowGradient(Tensor([2, 2]), Tensor([[1.0, 2.0], [3.0, 4.0]]), (4, 2))

    @ms.jit
    def added(x):
        return x + gradient, gradient * x[0, 0]

    for x in (ops.ones((4, 2)), ops.zeros((4, 2))):
        total, scaled = added(x)
        assert total.asnumpy()[:, 0].tolist() == (x.asnumpy()[:, 0] + [0, 0, 4, 0]).tolist()
        assert scaled.asnumpy()[2].tolist() == (x.asnumpy()[2] * [4, 6]).tolist()
    assert gradient.asnumpy()[2].tolist() == [4, 6]


def test_rows_that_are_written_are_no_longer_rows():
    gradient = RowGradient(Tensor([2]), Tensor([[1.0, 2.0]]), (4, 2))
    gradient[0] = 5.0
    assert type(gradient) is Tensor
    assert gradient.asnumpy().tolist() == [[5, 5], [0, 0], [1, 2], [0, 0]]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, Tensor, lambda g: g.copy()])
def test_rows_are_copied(copied):
    gradient = RowGradient(Tensor([2]), Tensor([[1.0, 2.0]]), (4, 2))
    output = copied(gradient)
    output[2] = 7.0
    assert output.asnumpy()[2].tolist() == [7, 7]
    assert gradient.asnumpy()[2].tolist() == [1, 2]


OTHERS = {
    "lazy": nn.LazyAdam,
    "adam": lambda ps: nn.Adam(ps, use_lazy=True),
    "ftrl": nn.FTRL,
    "proximal": nn.ProximalAdagrad,
    "decayed": lambda ps: nn.LazyAdam(ps, weight_decay=0.5),
    "whole": lambda ps: nn.Momentum(ps, 0.1, 0.9, weight_decay=0.5),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_an_index_that_the_table_does_not_have_gives_zeros_and_steps_no_row(mode, kind):
    tables = []
    for first in ([1, 3], [7, 1, -1, 3, -9]):
        net = nn.EmbeddingLookup(5, 2, "ones")
        step = nn.TrainOneStepCell(net, OTHERS[kind](net.trainable_params()))
        for indices in (first, [2, 2], [7, -1]):
            out = step(Tensor(indices, ms.int32))
        assert not out.asnumpy().any()
        tables.append(net.embedding_table.asnumpy())
    np.testing.assert_array_equal(*tables)
    if kind != "whole":
        assert (tables[0][[0, 4]] == 1).all() and (tables[0][1:4] != 1).all()


@pytest.mark.parametrize(
    ("op", "rates"),
    [
        (ops.FusedSparseFtrl(0.1, 0.0, 0.0, -0.5), 0),
        (ops.FusedSparseLazyAdam(), 6),
        (ops.FusedSparseAdam(), 6),
        (ops.FusedSparseProximalAdagrad(), 3),
    ],
)
def test_fused_updates_leave_out_indices_of_no_row(op, rates):
    outputs = []
    for indices in ([1, 1], [1, -1, 1, 4]):
        states = [Parameter(Tensor(np.ones((4, 2), np.float32))) for _ in op.mutates]
        gradient = np.array([[1, 2], [9, 9], [3, 4], [9, 9]], np.float32)
        stored = gradient if len(indices) == 4 else gradient[::2]
        numbers = [Tensor(0.5)] * rates
        op(*states, *numbers, Tensor(stored), Tensor(indices, ms.int32))
        outputs.append([s.asnumpy() for s in states])
    np.testing.assert_array_equal(*outputs)


@pytest.mark.parametrize("target", ["CPU", "DEVICE"])
def test_a_lookup_may_be_exported(tmp_path, target):
    net, x = nn.EmbeddingLookup(5, 2, target=target), Tensor([1, 4])
    ms.export(net, x, file_name=str(tmp_path / "net"), file_format="MINDIR")
    loaded = nn.GraphCell(ms.load(str(tmp_path / "net.mindir")))
    np.testing.assert_array_equal(loaded(x).asnumpy(), net(x).asnumpy())
