"""ONNX: the structure of the file, and its numbers where onnxruntime is installed."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import nn, ops
from minispore.ops.network.lstm_sequence import LSTMSequence
from minispore.train.interchange.onnx_proto import ModelProto
from tests.golden.mindir_nets import flat
from tests.train.interchange.conftest import IN_ONNX


def _model(path):
    return ModelProto.FromString(path.read_bytes())


@pytest.mark.parametrize("name", IN_ONNX)
def test_each_value_is_defined_once_before_it_is_read(name, nets, tmp_path):
    net, inputs = nets[name]
    ms.export(net, *inputs, file_name=str(tmp_path / "net"), file_format="ONNX")
    graph = _model(tmp_path / "net.onnx").graph
    output = {i.name for i in graph.input} | {t.name for t in graph.initializer}
    for node in graph.node:
        assert set(node.input) - {""} <= output
        assert not set(node.output) & output
        output |= set(node.output)
    assert {o.name for o in graph.output} <= output


def test_names_shapes_and_dtypes_are_those_of_the_network(nets, tmp_path):
    net, inputs = nets["lenet"]
    ms.export(net, *inputs, file_name=str(tmp_path / "net"), file_format="ONNX")
    model = _model(tmp_path / "net.onnx")
    (x,), (y,) = model.graph.input, model.graph.output
    shapes = [[d.dim_value for d in v.type.tensor_type.shape.dim] for v in (x, y)]
    assert shapes == [[2, 1, 28, 28], [2, 10]]
    assert [x.type.tensor_type.elem_type, y.type.tensor_type.elem_type] == [1, 1]
    assert {p.name for p in net.get_parameters()} <= {t.name for t in model.graph.initializer}
    assert [o.version for o in model.opset_import] == [17]
    assert [n.op_type for n in model.graph.node if n.op_type in ("Conv", "Gemm")] == [
        "Conv", "Conv", "Gemm", "Gemm",
    ]  # fmt: skip


def test_a_scalar_output_has_a_shape_of_no_axes(tmp_path):
    class Total(nn.Cell):
        def construct(self, x):
            return ops.ReduceSum()(x)

    ms.export(Total(), ms.Tensor([1.0]), file_name=str(tmp_path / "net"), file_format="ONNX")
    (y,) = _model(tmp_path / "net.onnx").graph.output
    assert "shape" in vars(y.type.tensor_type)


def test_only_a_cell_can_become_onnx(tmp_path):
    with pytest.raises(ValueError, match="net must be a Cell for ONNX"):
        ms.export(ops.relu, ms.Tensor([1.0]), file_name=str(tmp_path / "f"), file_format="ONNX")


@pytest.mark.parametrize("name", IN_ONNX)
def test_onnxruntime_gives_the_same_numbers(name, nets, tmp_path):
    onnx, runtime = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
    net, inputs = nets[name]
    file = str(tmp_path / "net.onnx")
    ms.export(net, *inputs, file_name=file, file_format="ONNX")
    onnx.checker.check_model(onnx.load(file), full_check=True)
    session = runtime.InferenceSession(file, providers=["CPUExecutionProvider"])
    feed = {i.name: x.asnumpy() for i, x in zip(session.get_inputs(), inputs, strict=True)}
    for got, expected in zip(session.run(None, feed), flat(net(*inputs)), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("rows", [0, 3])
@pytest.mark.parametrize("shifts, dims", [((1, -1), (0, 1)), (2, None), (5, 0), (0, 1)])
def test_roll_is_two_slices_for_each_axis(shifts, dims, rows, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    x = np.arange(4 * rows, dtype=np.float32).reshape(rows, 4)

    class Rolled(nn.Cell):
        def construct(self, x):
            return ops.roll(x, shifts, dims) + 0.0

    ms.export(Rolled(), ms.Tensor(x), file_name=str(tmp_path / "net"), file_format="ONNX")
    session = runtime.InferenceSession(str(tmp_path / "net.onnx"))
    (got,) = session.run(None, {session.get_inputs()[0].name: x})
    assert np.array_equal(got, np.roll(x, shifts, dims))


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
def test_a_recurrent_layer_exports_as_one_onnx_node(kind, has_bias, bidirectional, tmp_path):
    onnx, runtime = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
    net = kind(3, 4, num_layers=2, has_bias=has_bias, bidirectional=bidirectional)
    x = np.random.default_rng(0).standard_normal((9, 5, 3)).astype(np.float32)
    ms.export(net, ms.Tensor(x), file_name=str(tmp_path / "net"), file_format="ONNX")
    model = onnx.load(str(tmp_path / "net.onnx"))
    nodes = [node.op_type for node in model.graph.node]
    assert nodes.count(kind.__name__) == (4 if bidirectional else 2)
    assert "Sigmoid" not in nodes
    session = runtime.InferenceSession(str(tmp_path / "net.onnx"))
    output = session.run(None, {session.get_inputs()[0].name: x})
    for got, expected in zip(output, flat(net(ms.Tensor(x))), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("at", "look"), [(0, lambda gates: gates), (0, lambda gates: gates * 2), (2, lambda c: c),
                     (2, lambda c: c * 2), (2, lambda c: c[1] * 2), (2, lambda c: c[0, ..., -1]),
                     (3, lambda tanhs: tanhs), (3, lambda tanhs: tanhs * 2)],
)  # fmt: skip
def test_an_lstm_whose_gates_or_cells_are_used_is_unrolled(at, look, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    numbers = np.random.default_rng(0).standard_normal
    arrays = [(12, 3), (2, 3), (2, 3), (12, 3)]
    w_ih, h, c, w_hh = (ms.Tensor(numbers(shape).astype(np.float32)) for shape in arrays)

    class SelectedOutput(nn.Cell):
        def construct(self, x):
            return look(LSTMSequence()(w_ih, w_hh, None, x, h, c, None)[at])

    x = numbers((5, 2, 3)).astype(np.float32)
    ms.export(SelectedOutput(), ms.Tensor(x), file_name=str(tmp_path / "net"), file_format="ONNX")
    nodes = [node.op_type for node in _model(tmp_path / "net.onnx").graph.node]
    assert "LSTM" not in nodes
    session = runtime.InferenceSession(str(tmp_path / "net.onnx"))
    (got,) = session.run(None, {session.get_inputs()[0].name: x})
    np.testing.assert_allclose(got, SelectedOutput()(ms.Tensor(x)).asnumpy(), rtol=1e-5, atol=1e-6)


def test_a_gru_with_lengths_in_both_directions_is_its_steps(tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    ends = ms.Tensor(np.array([2, 4], np.int32))

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.gru = nn.GRU(3, 5, bidirectional=True)

        def construct(self, x):
            return self.gru(x, None, ends)

    net, x = Net(), np.random.default_rng(0).standard_normal((4, 2, 3)).astype(np.float32)
    ms.export(net, ms.Tensor(x), file_name=str(tmp_path / "net"), file_format="ONNX")
    session = runtime.InferenceSession(str(tmp_path / "net.onnx"))
    output = session.run(None, {session.get_inputs()[0].name: x})
    for got, expected in zip(output, net(ms.Tensor(x)), strict=True):
        np.testing.assert_allclose(got, expected.asnumpy(), rtol=1e-5, atol=1e-6)
