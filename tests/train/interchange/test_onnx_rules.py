"""How ops are said in ONNX where their attributes are not the usual ones, and with open axes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops
from minispore.ir.registry import registry
from minispore.train.interchange import mindir_write, onnx_write
from minispore.train.interchange.inference import trace_inference_network
from minispore.train.interchange.onnx_proto import ModelProto
from minispore.train.interchange.open_axes import (
    LENGTHS,
    PAST_END,
    fix_open_axes,
    has_open_axis,
    infer_open_shapes,
)
from tests.golden.mindir_nets import flat
from tests.train.interchange.test_export_arguments import Function, model_of, onnx_numbers

X = np.random.default_rng(0).standard_normal((2, 3, 4)).astype(np.float32)
IMAGE = np.random.default_rng(1).standard_normal((2, 4, 6, 5)).astype(np.float32)


def same_in_onnx(net: Any, *arrays: np.ndarray) -> list[str]:
    """Hold onnxruntime's numbers against the network's; return the ops of the file."""
    inputs = [Tensor(a) for a in arrays]
    net = net if isinstance(net, nn.Cell) else Function(net)
    model = model_of(net, *inputs)
    output = onnx_numbers(model.SerializeToString(), *inputs)
    for got, expected in zip(output, flat(net(*inputs)), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)
        assert got.dtype == expected.dtype
    return [n.op_type for n in model.graph.node]


@pytest.mark.parametrize("begin_mask", [0, 1, 2, 5])
@pytest.mark.parametrize("end_mask", [0, 1, 4, 6])
@pytest.mark.parametrize("strides", [(1, 1, 1), (1, 2, 3), (-1, 1, -2)])
def test_a_masked_end_is_the_end_of_the_axis(begin_mask: int, end_mask: int, strides: Any) -> None:
    begin = tuple(1 if s > 0 else n - 1 for s, n in zip(strides, X.shape))
    end = tuple(n if s > 0 else 0 for s, n in zip(strides, X.shape))
    cut = registry["StridedSlice"](begin_mask, end_mask)
    same_in_onnx(lambda x: cut(x, begin, end, strides), X)


@pytest.mark.parametrize(
    "net",
    [
        lambda x: ops.tile(x, (2, 1, 3)),
        lambda x: ops.tile(x, (2, 1, 1, 3)),
        lambda x: ops.stack((x, x * 2), -1),
        lambda x: ops.stack((x, x * 2), 1),
        lambda x: ops.unstack(x, -1),
        lambda x: ops.split(x, 3, 1),
        lambda x: ops.split(x, 2, -1),
        lambda x: ops.split(x, 4, 2),
        lambda x: ops.concat((x, x * 2), -2),
        lambda x: ops.transpose(x, (-1, 0, 1)),
        lambda x: ops.flip(x, (0, -1)),
        lambda x: ops.broadcast_to(x, (5, -1, -1, -1)),
        lambda x: ops.ReduceSum(True)(x, (0, -1)),
        lambda x: ops.ReduceMean(True)(x),
        lambda x: ops.ReduceMax()(x, -2),
        lambda x: ops.ReduceSum()(x[0, 0, 0] * 2),
        lambda x: ops.ReduceMax()(x[0, 0, 0] * 2),
        lambda x: ops.ReduceAll(True)(x > -1, 1),
        lambda x: ops.ReduceAny()(x > 1),
        lambda x: ops.Argmax(-2)(x),
        lambda x: ops.ArgMaxWithValue(1, True)(x),
        lambda x: ops.ArgMinWithValue(-1)(x),
        lambda x: ops.Sort(0, True)(x),
        lambda x: ops.Sort(-1)(x),
        lambda x: ops.CumSum(True, False)(x, 1),
        lambda x: ops.CumSum(False, True)(x, 0),
        lambda x: ops.triu(x, 1),
        lambda x: ops.tril(x, -1),
        lambda x: ops.LogSoftmax(0)(x),
        lambda x: ops.Softmax((1,))(x),
        lambda x: ops.AddN()((x, x * 2, x * 3)),
        lambda x: ops.floor_mod(x, 0.75),
        lambda x: ops.floor_mod(ops.cast(x * 10, ms.int32), 3),
        lambda x: ops.floor_div(x, 0.3),
        lambda x: ops.masked_fill(x, x > 0, 5.0),
        lambda x: ops.select(x > 0, x, -1.0),
        lambda x: ops.gather(x, Tensor([[2, 0]], ms.int32), 1),
        lambda x: ops.gather_nd(x, Tensor([[0, 1], [1, 2]], ms.int32)),
        lambda x: ops.gather_elements(x, 2, ops.cast(x > 0, ms.int32)),
        lambda x: ops.one_hot(ops.cast(x * 2, ms.int32), 2, 3.0, -1.0, 1),
        lambda x: ops.not_equal(ops.floor(x), 0.0),
        lambda x: (ops.gelu(x), ops.mish(x), ops.silu(x), ops.relu6(x * 9), ops.hardsigmoid(x)),
        lambda x: (ops.elu(x), ops.celu(x, 2.0), ops.selu(x), ops.hardswish(x)),
        lambda x: (ops.log1p(ops.abs(x)), ops.expm1(x), ops.rsqrt(ops.abs(x)), ops.square(x)),
        lambda x: ops.LayerNorm(1, 1, 0.5)(x, Tensor(X[0] * 2), Tensor(X[1]))[0],
        lambda x: ops.LayerNorm(-1, -1)(x, Tensor(X[0, 0]), Tensor(X[0, 1]))[0],
        lambda x: ops.LayerNorm(-1, 2)(x, Tensor(X[0, 0]), Tensor(X[0, 1]))[0],
        lambda x: ops.BatchMatMul(True, False)(x, x),
        lambda x: ops.BatchMatMul(False, True)(x, x),
        lambda x: ops.MatMul(True, False)(x[0], x[1]),
        lambda x: ops.MatMul(False, True)(x[0], x[1]),
        lambda x: ops.matmul(x, Tensor(X[0].T.copy())),
        lambda x: ops.Einsum("ijk,ilk->ijl")((x, x)),
    ],
)  # fmt: skip
def test_an_op_with_attributes_of_choice_computes_the_same(net: Any) -> None:
    same_in_onnx(net, X)


GRID = Tensor(np.random.default_rng(3).uniform(-1.2, 1.2, (2, 3, 4, 2)).astype(np.float32))


@pytest.mark.parametrize(
    "net",
    [
        lambda x: (ops.norm(x), ops.norm(x, 1, 1), ops.norm(x, float("inf"), 1), x.norm(3, -1)),
        lambda x: (ops.clamp(x, -0.5, 0.5), ops.clamp(x, max=x * 0.5)),
        lambda x: ops.logsumexp(x, (0, 1), keep_dims=True),
        lambda x: ops.meshgrid(x[0, 0], x[0, :, 0], x[:, 0, 0]),
        lambda x: ops.reverse_sequence(x, Tensor([1, 3, 0, 2], ms.int32), 1, 2),
        lambda x: (ops.round(x * 3), ops.round(x * 30, decimals=-1)),
        lambda x: (ops.lerp(x, x * 2, 0.3), ops.addcmul(x, x[0], x[:, :1], 0.5)),
        lambda x: (ops.pad(x, (1, 2), "reflect"), ops.pad(x, (1, -2), "replicate")),
        lambda x: ops.grid_sample(ops.stack((x, x), 1), GRID, align_corners=True),
        lambda x: ops.lrn(ops.stack((x, x), 3), 1),
        lambda x: (ops.cdist(x, x * 2), ops.cosine_similarity(x, x * x + 1, 1)),
        lambda x: (ops.diag(x[0]), ops.diagonal(x, 1, 2, 0), ops.trace(x[0])),
        lambda x: ops.unsorted_segment_sum(x, Tensor([-1, 1], ms.int32), 3),
        lambda x: ops.nan_to_num(x / ops.relu(x - 1)),
        lambda x: ops.isfinite(x / ops.relu(x - 1)),
        lambda x: ops.fmax(x / ops.relu(x - 1), x),
        lambda x: ops.atan2(ops.relu(x), ops.relu(x[::-1])),
        lambda x: ops.Gather(1)(x, Tensor([[2, 0], [1, 1]], ms.int32), 2),
    ],
)  # fmt: skip
def test_a_function_of_several_ops_computes_the_same(net: Any) -> None:
    same_in_onnx(net, X)


@pytest.mark.parametrize(
    "net",
    [
        nn.Conv2d(4, 6, (3, 2), (2, 1), pad_mode="same", dilation=(1, 2), group=2, has_bias=True),
        nn.Conv2d(4, 2, 3, pad_mode="pad", padding=(1, 0, 2, 1)),
        nn.Conv2dTranspose(4, 2, 3, 2, pad_mode="same", has_bias=True),
        nn.Conv2dTranspose(4, 4, (3, 2), (1, 3), pad_mode="pad", padding=(1, 0, 1, 0), group=2),
        nn.Conv2dTranspose(4, 2, 3, 2, pad_mode="valid", dilation=2),
        nn.Conv2dTranspose(4, 2, 3, 3, pad_mode="pad", output_padding=2),
        nn.MaxPool2d((3, 2), (2, 1), pad_mode="same"),
        nn.MaxPool2d(3, 2, pad_mode="pad", padding=1, dilation=2),
        nn.AvgPool2d((3, 2), (2, 1), pad_mode="same"),
        nn.AvgPool2d(3, 2, pad_mode="pad", padding=1),
        nn.AvgPool2d(3, 2, pad_mode="pad", padding=1, count_include_pad=False),
        nn.BatchNorm2d(4, eps=0.1),
        nn.PReLU(4),
        nn.ZeroPad2d((1, 2, 0, 3)),
        Function(lambda x: ops.BiasAdd()(x, Tensor(np.float32([1, 2, 3, 4])))),
        Function(lambda x: ops.BiasAdd()(x[:, :, 0], Tensor(np.float32([1, 2, 3, 4])))),
        Function(lambda x: ops.BiasAdd("NHWC")(x, Tensor(np.float32([1, 2, 3, 4, 5])))),
        Function(lambda x: ops.ResizeNearestNeighbor((4, 10))(x)),
        Function(lambda x: ops.ResizeNearestNeighbor((3, 7), True)(x)),
        Function(lambda x: ops.pad(x, (1, 2), "constant", 3.0)),
        Function(lambda x: ops.prelu(x, Tensor(np.float32([0.1, 0.2, 0.3, 0.4])))),
        Function(lambda x: ops.prelu(x[:, :, 0, 0], Tensor(np.float32([0.1, 0.2, 0.3, 0.4])))),
    ],
    ids=repr,
)
def test_a_layer_over_pictures_computes_the_same(net: nn.Cell) -> None:
    same_in_onnx(net.set_train(False), IMAGE)


def test_a_bias_of_rows_is_added_as_it_is() -> None:
    bias = Tensor(np.arange(5, dtype=np.float32))
    assert same_in_onnx(lambda x: ops.BiasAdd()(x, bias), IMAGE[0, 0]) == ["Add", "Identity"]


@pytest.mark.parametrize(
    "net",
    [
        nn.Conv2d(4, 2, 2, 4, pad_mode="valid"),
        nn.Conv2d(4, 2, 1, 3, pad_mode="same"),
        nn.Conv2dTranspose(4, 2, 2, 4, pad_mode="same"),
        nn.MaxPool2d(2, 4),
        nn.AvgPool2d(2, 4),
    ],
    ids=repr,
)
def test_where_windows_leave_a_rest_no_pad_is_below_zero(net: nn.Cell) -> None:
    net.set_train(False)
    same_in_onnx(net, IMAGE)
    nodes = model_of(net, Tensor(IMAGE)).graph.node
    pads = [n for node in nodes for a in node.attribute if a.name == "pads" for n in a.ints]
    assert pads and min(pads) >= 0


@pytest.mark.parametrize(
    ("net", "text"),
    [
        (nn.AvgPool2d(3, 2, ceil_mode=True, pad_mode="pad", padding=1), "divisor_override, dila"),
        (nn.AvgPool2d(2, 2, divisor_override=3), "divisor_override, dilation, ceil_mode"),
        (lambda x: ops.Softmax((0, 1))(x), "has several axes, and ONNX has one"),
        (lambda x: ops.floor_div(ops.cast(x, ms.int32), 2), "where division truncates"),
        (lambda x: ops.LayerNorm(1, -1)(x, Tensor(np.ones(5, np.float32)),
                                        Tensor(np.ones(5, np.float32)))[0], "must normalise the"),
        (lambda x: ops.erfinv(x), "Compute it with other ops, or export MINDIR"),
    ],
)  # fmt: skip
def test_what_onnx_has_not_is_refused_with_the_op(net: Any, text: str) -> None:
    with pytest.raises(RuntimeError, match=rf"^export: \w+\(.*{text}"):
        model_of(net if isinstance(net, nn.Cell) else Function(net), Tensor(IMAGE))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("last", [False, True])
def test_recurrent_outputs_and_last_states_match_in_onnx(reverse: bool, last: bool) -> None:
    net = nn.LSTM(3, 4, bidirectional=reverse)
    x = np.random.default_rng(2).standard_normal((5, 2, 3)).astype(np.float32)

    def run(x: Tensor) -> Any:
        out, (h, c) = net(x)
        return (h, c) if last else out

    same_in_onnx(run, x)


# -- open axes -------------------------------------------------------------------------------------


def test_two_lengths_are_prime_and_no_axis_of_a_network() -> None:
    assert all(all(n % k for k in range(2, n)) for n in LENGTHS)
    assert LENGTHS[0] != LENGTHS[1]
    assert np.iinfo(np.int32).max == PAST_END  # what both formats take for the end


def test_an_axis_is_open_where_its_length_is_minus_one() -> None:
    declared = Tensor(shape=[None, 3], dtype=ms.float32)
    assert has_open_axis(declared)
    assert not has_open_axis(Tensor(np.ones((1, 3)))) and not has_open_axis(3)
    assert fix_open_axes(declared.value_.spec, 7).shape == (7, 3)


OPEN = [
    lambda x: ops.reshape(x, (x.shape[0], 12)),
    lambda x: ops.reshape(x, (-1, 4)),
    lambda x: x[:, 1:, ::2],
    lambda x: x[:, :, -1],
    lambda x: ops.Slice()(x, (0, 1, 0), (x.shape[0], 2, 3)),
    lambda x: ops.broadcast_to(x[:, :1], (x.shape[0], 3, 4)),
    lambda x: x.mean((1, 2)),
    lambda x: ops.concat((x, x), 2),
    lambda x: ops.expand_dims(x, 1) * 2,
    lambda x: ops.softmax(ops.transpose(x, (0, 2, 1)), -1),
    lambda x: ops.split(x, 1, 1)[1],
    lambda x: ops.matmul(x, Tensor(X[0].T.copy())),
]
OPEN_IN_ONNX = [
    lambda x: ops.ones_like(x) + ops.clamp(x, 0.1, 0.5),
    lambda x: ops.norm(x, 2, 1) + ops.logsumexp(x, 1),
    lambda x: ops.cumprod(x, 2),
    lambda x: ops.meshgrid(x[:, 0, 0], x[0, 0])[1],
]


@pytest.mark.parametrize(
    ("net", "file_format"),
    [(net, "ONNX") for net in OPEN + OPEN_IN_ONNX] + [(net, "MINDIR") for net in OPEN],
)
def test_a_network_with_a_dynamic_first_axis_runs_for_every_length(
    net: Any, file_format: str, tmp_path: Path
) -> None:
    declared = Tensor(shape=[None, 3, 4], dtype=ms.float32)
    file = tmp_path / f"net.{file_format.lower()}"
    ms.export(Function(net), declared, file_name=str(file), file_format=file_format)
    for n in (1, 2, *LENGTHS):
        x = Tensor(np.random.default_rng(n).standard_normal((n, 3, 4)).astype(np.float32))
        if file_format == "ONNX":
            (got,) = onnx_numbers(file.read_bytes(), x)
        else:
            got = ms.load(str(file))(x).asnumpy()
        np.testing.assert_allclose(got, net(x).asnumpy(), rtol=1e-5, atol=1e-6)


def test_an_open_axis_has_a_name_in_onnx_and_minus_one_in_mindir(tmp_path: Path) -> None:
    declared = Tensor(shape=[None, 3], dtype=ms.float32)
    file = str(tmp_path / "net")
    for file_format in ("ONNX", "MINDIR"):
        ms.export(nn.ReLU(), declared, file_name=file, file_format=file_format)
    graph = ModelProto.FromString((tmp_path / "net.onnx").read_bytes()).graph
    for value in (graph.input[0], graph.output[0]):
        dims = value.type.tensor_type.shape.dim
        assert [(d.dim_param, d.dim_value) for d in dims] == [("N", 0), ("", 3)]
    model = ms.load_mindir(file + ".mindir").graph
    assert [t.dims for t in (model.input[0].tensor[0], model.output[0].tensor[0])] == [[-1, 3]] * 2


def test_several_open_axes_in_a_reshape_are_refused(tmp_path: Path) -> None:
    declared = Tensor(shape=[None, None, 2], dtype=ms.float32)

    def net(x: Tensor) -> Tensor:
        return ops.reshape(x, (x.shape[0], x.shape[1], 2, 1))

    with pytest.raises(RuntimeError, match="has several axes of open length, and ONNX can say one"):
        ms.export(Function(net), declared, file_name=str(tmp_path / "f"), file_format="ONNX")


@pytest.mark.parametrize("writer", [onnx_write, mindir_write])
def test_shapes_of_one_length_are_as_they_are(writer: Any) -> None:
    function = trace_inference_network(Function(OPEN[0]), (Tensor(X),))
    shapes = infer_open_shapes(function.graph, function.graph)
    assert all(-1 not in shape for shape in shapes.values())
    assert writer.make_model(function, function).graph.node
