"""export and load: every argument that can't be is refused, and says what could be."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops
from minispore.train.interchange import exporting, onnx_write
from minispore.train.interchange.inference import inference_mode, trace_inference_network
from minispore.train.interchange.onnx_proto import ModelProto, ValueInfoProto

X = Tensor(np.ones((2, 3), np.float32))


def export(folder: Path, net: Any = None, *inputs: Any, **options: Any) -> None:
    args = {"file_name": str(folder / "net"), "file_format": "MINDIR", **options}
    ms.export(net or nn.ReLU(), *(inputs or (X,)), **args)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"net": nn.ReLU}, TypeError, r"net must be a Cell or a function, got <class"),
        ({"net": "net"}, TypeError, "net must be a Cell or a function, got 'net'"),
        ({"dataset": []}, ValueError, "dataset must be None"),
        ({"file_format": "ONNX", "custom_func": print}, ValueError, "custom_func must be None for"),
        ({"enc_key": b"k", "enc_mode": 3}, ValueError, "enc_mode must be a str or a function"),
        ({"enc_key": b"k" * 16, "file_format": "ONNX"}, ValueError, "must be a function for ONNX"),
        ({"file_name": "a\\"}, ValueError, "must be a file, got the folder"),
        ({"file_name": "a\nb"}, ValueError, "must be made of letters"),
        ({"file_name": ""}, ValueError, "must be made of letters"),
        ({"file_format": 3}, ValueError, r"must be 'MINDIR' or 'ONNX', got 3\.$"),
    ],
)
def test_what_can_not_be_exported(options: Any, error: Any, text: str, tmp_path: Path) -> None:
    with pytest.raises(error, match=f"^export: .*{text}"):
        export(tmp_path, options.pop("net", None), **options)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "options", [{"dataset": None}, {"custom_func": None}, {"incremental": True}]
)
@pytest.mark.parametrize("file_format", ["MINDIR", "ONNX"])
def test_export_accepts_none_options_and_incremental(
    options: Any, file_format: str, tmp_path: Path
) -> None:
    export(tmp_path, file_format=file_format, **options)
    assert len(os.listdir(tmp_path)) == 1


def test_a_file_of_more_than_2_gb_is_refused(tmp_path: Path, monkeypatch: Any) -> None:
    assert exporting._MAX_MODEL_BYTES == 2**31 - 1  # what a message of protobuf can hold
    export(tmp_path)
    size = (tmp_path / "net.mindir").stat().st_size
    monkeypatch.setattr(exporting, "_MAX_MODEL_BYTES", size)
    export(tmp_path)
    monkeypatch.setattr(exporting, "_MAX_MODEL_BYTES", size - 1)
    with pytest.raises(ValueError, match=f"must be smaller than 2 GB, got {size} bytes"):
        export(tmp_path)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"obf_func": print}, ValueError, "obf_func is gone"),
        ({"dec_key": "text", "dec_mode": print}, ValueError, "dec_key must be bytes, got str"),
        ({"dec_key": b"k", "dec_mode": 3}, ValueError, "dec_mode must be a str or a function"),
    ],
)
def test_what_load_refuses(options: Any, error: Any, text: str, tmp_path: Path) -> None:
    export(tmp_path)
    with pytest.raises(error, match=f"^load: .*{text}"):
        ms.load(str(tmp_path / "net.mindir"), **options)


def test_a_file_without_a_graph_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.mindir").write_bytes(b"")
    with pytest.raises(RuntimeError, match=r"a\.mindir' holds no graph"):
        ms.load(str(tmp_path / "a.mindir"))


def test_a_record_that_can_not_be_read_or_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.mindir").write_bytes(b"\xff\xff\xff")
    for name in ("a.mindir", "none.mindir"):
        with pytest.raises(ValueError, match=f"load_mindir: '.*{name}' can't be read"):
            ms.load_mindir(str(tmp_path / name))
    with pytest.raises(TypeError, match="load_mindir: file_name must be a str, got 3"):
        ms.load_mindir(3)
    with pytest.raises(TypeError, match="save_mindir: model must be a ModelProto, got bytes"):
        ms.save_mindir(b"", str(tmp_path / "b"))
    with pytest.raises(TypeError, match="save_mindir: file_name must be a str"):
        ms.save_mindir(b"", 3)


# -- what is traced --------------------------------------------------------------------------------


class Function(nn.Cell):
    """A Cell around a function."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def construct(self, *xs: Any) -> Any:
        return self.function(*xs)


def test_a_shape_that_hangs_on_values_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^export: .*\(test_export_arguments\.py:\d+\)\. A file"):
        export(tmp_path, Function(ops.nonzero))


def test_two_parameters_of_one_name_are_refused(tmp_path: Path) -> None:
    weights = [ms.Parameter(Tensor([float(k)]), name="w") for k in (1, 2)]

    def both(x: Tensor) -> Tensor:
        return x * weights[0] + weights[1]

    with pytest.raises(ValueError, match="must have different names, got 'w' twice"):
        export(tmp_path, both)


@pytest.mark.parametrize("wrong", [(), None, 3.0, {}, {"a": 3.0}])
def test_a_network_returns_tensors(wrong: Any, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="must return Tensors, or tuples and dicts"):
        export(tmp_path, Function(lambda x: wrong))


def test_all_of_a_nested_answer_keeps_its_place(tmp_path: Path) -> None:
    net = Function(lambda x: (x + 1, [x + 2, (x + 3,)], x + 4))
    export(tmp_path, net)
    one, (two, (three,)), four = ms.load(str(tmp_path / "net.mindir"))(X)
    assert [float(t.asnumpy().flat[0]) for t in (one, two, three, four)] == [2, 3, 4, 5]


def test_flags_and_phases_are_as_before() -> None:
    net = nn.SequentialCell(nn.Dropout(p=0.5), nn.ReLU()).set_train()
    net[1].set_train(False)
    net.phase = "mine"
    with inference_mode(net):
        assert not any(cell.training for _, cell in net.cells_and_names())
    assert [cell.training for _, cell in net.cells_and_names()] == [True, True, False]
    assert net.phase == "mine"


def test_inference_mode_accepts_a_function() -> None:
    with inference_mode(lambda x: x):
        pass


CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def assigned(index: Any, value: Any) -> Any:
    def net(x: Tensor) -> Tensor:
        y = x * 1.0
        y[index] = value
        return y

    return net


@pytest.mark.parametrize(
    ("index", "value"),
    [
        (0, 5.0),
        ((slice(None), 1), 7),
        ((..., slice(1, 3)), 2.5),
        (1, Tensor(CUBE[0] * 2)),
        ((slice(None), slice(0, 2)), Tensor(np.float32([[1, 2, 3, 4]]))),
        ((0, 0), Tensor(np.float32([[9, 8, 7, 6]]))),  # an axis more than the item has
        ((0, 0), Tensor(np.float32([[[9, 8, 7, 6]]]))),
        ((1, 2), Tensor(np.int32([1, 2, 3, 4]))),
        ((0, 0, 0), Tensor(np.int32([3]))),
        ((0, 0, 0), Tensor(np.float32(3))),
    ],
)
@pytest.mark.parametrize("file_format", ["MINDIR", "ONNX"])
def test_an_item_that_is_set_is_written_as_a_scatter(
    index: Any, value: Any, file_format: str, tmp_path: Path
) -> None:
    net = Function(assigned(index, value))
    expected = net(Tensor(CUBE)).asnumpy()
    np.testing.assert_allclose(numbers(net, file_format, tmp_path, Tensor(CUBE)), expected)


def numbers(net: Any, file_format: str, folder: Path, *inputs: Tensor) -> np.ndarray:
    """What a file of the network gives, the first output."""
    export(folder, net, *inputs, file_format=file_format)
    if file_format == "MINDIR":
        out = ms.load(str(folder / "net.mindir"))(*inputs)
        return (out[0] if isinstance(out, tuple) else out).asnumpy()
    return onnx_numbers((folder / "net.onnx").read_bytes(), *inputs)[0]


def onnx_numbers(content: bytes, *inputs: Tensor) -> list[np.ndarray]:
    runtime = pytest.importorskip("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    session = runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    args = zip(session.get_inputs(), inputs, strict=True)
    output: list[np.ndarray] = session.run(None, {i.name: x.asnumpy() for i, x in args})
    return output


INDICES = [
    0, -1, (0, 1), (slice(None), None, 1), (..., 0), (0, ..., -1), (..., None), None,
    (slice(0, 1), ..., slice(1, 3)), slice(None, None, -1), (slice(None), slice(2, None, -2)),
    (slice(None), slice(2, 0, -1), slice(-3, -1)), (1, slice(None, None, 2), slice(3, None, -3)),
]  # fmt: skip


@pytest.mark.parametrize("index", INDICES, ids=repr)
@pytest.mark.parametrize("file_format", ["MINDIR", "ONNX"])
def test_an_index_reads_the_same_from_each_file(
    index: Any, file_format: str, tmp_path: Path
) -> None:
    net = Function(lambda x: x[index])
    assert np.array_equal(numbers(net, file_format, tmp_path, Tensor(CUBE)), CUBE[index])


@pytest.mark.parametrize("index", [[0, -1], [-2, 1, 1], [[2], [-3]]])
@pytest.mark.parametrize("lead", [0, 1, 2])
@pytest.mark.parametrize("file_format", ["MINDIR", "ONNX"])
def test_places_that_are_computed_count_from_both_ends(
    index: Any, lead: int, file_format: str, tmp_path: Path
) -> None:
    x = np.arange(27, dtype=np.float32).reshape(3, 3, 3)

    def net(x: Tensor, i: Tensor) -> Tensor:
        return x[(slice(None),) * lead + (i,)]

    places = np.array(index, np.int32)
    got = numbers(Function(net), file_format, tmp_path, Tensor(x), Tensor(places))
    assert np.array_equal(got, x[(slice(None),) * lead + (places,)])


def test_onnx_gather_receives_only_non_negative_indices() -> None:
    places = Tensor([0, -1, -2, 1], ms.int32)
    model = model_of(Function(lambda x, i: x[i]), Tensor(CUBE), places)
    (gather,) = [n for n in model.graph.node if n.op_type == "Gather"]
    kind = model.graph.input[1].type
    model.graph.output.append(ValueInfoProto(name=gather.input[1], type=kind))
    got = onnx_numbers(model.SerializeToString(), Tensor(CUBE), places)[1]
    assert got.tolist() == [0, len(CUBE) - 1, len(CUBE) - 2, 1]


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no such modes")
def test_export_creates_the_folder_with_owner_only_permissions(tmp_path: Path) -> None:
    export(tmp_path / "made")
    assert stat.S_IMODE((tmp_path / "made").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "net",
    [lambda x, i: x[i, i], lambda x, i: x[0, i], lambda x, i: x[i, 1:], lambda x, i: x[None, i]],
)
def test_other_mixtures_of_places_are_refused_with_the_line(net: Any, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"^export: GetItem\(\).*has no counterpart"):
        export(tmp_path, Function(net), Tensor(CUBE), Tensor([0, 1], ms.int32))


# -- ONNX ------------------------------------------------------------------------------------------


def model_of(net: Any, *inputs: Tensor) -> ModelProto:
    function = trace_inference_network(net, inputs)
    return onnx_write.make_model(function, function)


def test_an_onnx_model_names_its_producer_and_opset() -> None:
    model = model_of(Function(lambda x: x + 1), X)
    assert (model.ir_version, model.producer_name) == (8, "minispore")
    assert model.producer_version == ms.__version__
    assert [(o.domain, o.version) for o in model.opset_import] == [("", 17)]
    assert model.graph.name == "Function"
    assert [i.name for i in model.graph.input] == ["input_0"]
    assert [o.name for o in model.graph.output] == ["output_0"]


def test_a_parameter_may_have_the_name_of_a_value() -> None:
    class Named(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            for k, name in enumerate(("input_0", "value_1", "constant_0", "output_0"), 1):
                setattr(self, f"p{k}", ms.Parameter(Tensor([float(k)]), name=name))

        def construct(self, x: Tensor) -> Tensor:
            return (x * self.p1 + self.p2) * 5.0 - self.p3 - self.p4

    content = model_of(Named(), Tensor([2.0])).SerializeToString()
    (got,) = onnx_numbers(content, Tensor([2.0]))
    assert got == (2.0 * 1 + 2) * 5 - 3 - 4


def test_a_constant_is_written_once() -> None:
    model = model_of(Function(lambda x: (x + 3.0) * 3.0 + ops.reshape(x, (3, 2)).sum() * 3), X)
    contents = [(t.data_type, tuple(t.dims), t.raw_data) for t in model.graph.initializer]
    assert len(set(contents)) == len(contents)


def test_nodes_are_named_by_their_cell_and_number() -> None:
    net = nn.SequentialCell(nn.ReLU(), nn.Tanh())
    names = [n.name for n in model_of(net, X).graph.node]
    assert len(set(names)) == len(names)
    assert names[0].endswith("/Relu_1") and names[1].endswith("/Tanh_2")


@pytest.mark.parametrize("value", [True, 3, -2, 0.5, "floor", (1, 2), []])
def test_an_attribute_keeps_its_kind(value: Any) -> None:
    onnx = pytest.importorskip("onnx")
    output = onnx.AttributeProto.FromString(
        onnx_write._make_attribute("a", value).SerializeToString()
    )
    text = onnx.helper.get_attribute_value(output)
    text = text.decode() if isinstance(text, bytes) else text
    assert (list(text) if isinstance(value, tuple) else text) == (
        list(value) if isinstance(value, tuple) else value
    )


def test_types_have_the_numbers_of_onnx() -> None:
    onnx = pytest.importorskip("onnx")
    from minispore.train.interchange import onnx_proto

    theirs = {"float32": "FLOAT", "float64": "DOUBLE"}
    for name, number in onnx_proto.TENSOR_TYPES.items():
        assert number == onnx.TensorProto.DataType.Value(theirs.get(name, name.upper()))
    for name in ("FLOAT", "INT", "STRING", "TENSOR", "FLOATS", "INTS", "STRINGS"):
        assert getattr(onnx_proto, name) == onnx.AttributeProto.AttributeType.Value(name)
