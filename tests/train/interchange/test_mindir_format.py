"""MindIR files in detail: numbers, records and constants are those that MindSpore 2.10 writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops
from minispore.train.interchange import mindir_proto as proto
from minispore.train.interchange.mindir_foreign import MONAD
from minispore.train.interchange.mindir_ops import CODECS, FUNCTIONS, RECORDS
from minispore.train.interchange.mindir_read import _decode_attribute, read_graph
from tests.conftest import ROOT

GOLDEN = ROOT / "tests" / "golden" / "mindir"
NUMBERS = json.loads((GOLDEN / "numbers.json").read_text(encoding="utf-8"))

# -- numbers ---------------------------------------------------------------------------------------


KINDS = (
    "FLOAT", "INT64", "STRING", "BOOL", "DOUBLE", "TENSOR", "TENSORS", "TUPLE", "LIST", "UMONAD",
    "IOMONAD", "NONE",
)  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_kinds_of_attributes_have_mindspore_s_numbers(name: str) -> None:
    assert getattr(proto, name) == NUMBERS["AttributeProto"][name]


@pytest.mark.parametrize("name", ["PRIMITIVE", "PRIMITIVE_FUNCTION"])
def test_kinds_of_ops_have_mindspore_s_numbers(name: str) -> None:
    assert getattr(proto, name) == NUMBERS["PrimitiveProto"][name]


@pytest.mark.parametrize("name", proto.TENSOR_TYPES)
def test_types_of_tensors_have_mindspore_s_numbers(name: str) -> None:
    theirs = {"float32": "FLOAT", "float64": "DOUBLE"}.get(name, name.upper())
    assert proto.TENSOR_TYPES[name] == NUMBERS["TensorProto"][theirs]


@pytest.mark.parametrize("name", proto.DTYPE_IDS)
def test_dtypes_have_mindspore_s_numbers(name: str) -> None:
    theirs = {reference.lower(): number for reference, number in NUMBERS["dtypes"].items()}
    assert proto.DTYPE_IDS[name] == theirs[name]


def test_layouts_and_pads_have_the_numbers_of_mindspore_s_enumerations() -> None:
    # mindspore/core/include/mindapi/base/format.h and types.h: Format, PadMode
    write, read = CODECS["format"]
    assert [write(name) for name in ("NCHW", "NHWC", "NCDHW")] == [0, 1, 14]
    assert [read(n) for n in (0, 1, 14)] == ["NCHW", "NHWC", "NCDHW"]
    write, read = CODECS["pad_mode"]
    assert [write(name) for name in ("PAD", "same", "VALID")] == [0, 1, 2]
    assert [read(n) for n in (0, 1, 2)] == ["pad", "same", "valid"]


# -- what a file says of each op -------------------------------------------------------------------

HELD = ("lenet", "mlp", "resnet", "shapes", "embedded", "records")


def written(nets: Any, name: str, folder: Path) -> tuple[Any, Any]:
    """Our model of a network, and MindSpore's."""
    net, inputs = nets[name]
    ms.export(net, *inputs, file_name=str(folder / name), file_format="MINDIR")
    return tuple(ms.load_mindir(str(f / f"{name}.mindir")) for f in (folder, GOLDEN))


def records(model: Any) -> dict[str, list[dict[str, Any]]]:
    """The attributes of each primitive, by op."""
    actual: dict[str, list[dict[str, Any]]] = {}
    for p in model.primitives:
        of = {a.name: _decode_attribute(a) for a in p.attribute}
        of = {k: v.lower() if isinstance(v, str) else v for k, v in of.items()}
        actual.setdefault(p.op_type, []).append(of)
    return actual


@pytest.mark.parametrize("name", HELD)
def test_the_record_of_an_op_says_what_mindspore_s_says(
    name: str, nets: Any, tmp_path: Path
) -> None:
    ours, theirs = map(records, written(nets, name, tmp_path))
    for op in (ours.keys() & theirs.keys()) & {*RECORDS, "MaxPool3DWithArgmax"}:
        unread = {"input_names", "output_names"}  # by the kernels
        unread |= {"format", "data_format"} if op in ("DepthToSpace", "SpaceToDepth") else set()
        for record in ours[op]:
            same = {"pad_mode", "pad"}  # "same" may be said as what it comes to
            assert any(
                all(their.get(k) == v for k, v in record.items() if k not in same)
                and their.keys() - unread == record.keys() - unread
                for their in theirs[op]
            ), (op, record, theirs[op])


def tuples(model: Any) -> set[tuple[bool, bool]]:
    """Of each tuple of the file: whether it is one of values, and whether its length is open."""
    messages = [a for n in model.graph.node for a in n.attribute]
    messages += [o.attr_info for o in model.graph.output]
    return {
        (any(v.tensors for v in a.values), bool(a.seq_info.is_dyn_len))
        for a in messages
        if a.type == proto.TUPLE
    }


@pytest.mark.parametrize("name", HELD)
def test_mindir_tuples_have_a_fixed_length(name: str, nets: Any, tmp_path: Path) -> None:
    ours, theirs = map(tuples, written(nets, name, tmp_path))
    assert not any(is_open for _, is_open in ours | theirs)


def constants(model: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Each call of a function: its op, and its constant arguments, with "..." for the others."""
    kinds = {f"REF::{p.name}": p.op_type for p in model.primitives}
    references: dict[str, Any] = {}
    for node in model.graph.node:
        if node.op_type == "Constant":
            (value,) = [a for a in node.attribute if a.name == "value"]
            content = _decode_attribute(value)
            references[node.output[0]] = "..." if isinstance(content, Tensor) else content
        elif kinds.get(node.op_type) in FUNCTIONS:
            yield kinds[node.op_type], tuple([references.get(i, "...") for i in node.input])


@pytest.mark.parametrize("name", HELD)
def test_mindir_functions_take_the_arguments_that_mindspore_writes(
    name: str, nets: Any, tmp_path: Path
) -> None:
    ours, theirs = (list(constants(m)) for m in written(nets, name, tmp_path))
    otherwise = {"Reshape", "StridedSlice", "Slice", "Transpose", "Tile", "Mul", "RealDiv", "Sub"}
    text = {op for op, _ in theirs} - otherwise
    for op, arguments in ours:
        assert op not in text or (op, arguments) in theirs


def test_mindir_names_its_producer_and_mindspore_version(nets: Any, tmp_path: Path) -> None:
    ours, theirs = written(nets, "lenet", tmp_path)
    for field in ("ir_version", "mind_ir_version", "little_endian"):
        assert getattr(ours, field) == getattr(theirs, field)
    assert (ours.producer_name, ours.model_version) == ("minispore", theirs.model_version)
    values_by_name = {a.name: (a.type, _decode_attribute(a)) for a in ours.graph.attribute}
    assert values_by_name == {"phase": (proto.STRING, "export"), "training": (proto.BOOL, False)}


def test_mindir_output_and_primitive_names_are_unique(nets: Any, tmp_path: Path) -> None:
    for name in HELD:
        ours, _ = written(nets, name, tmp_path)
        results = [o for node in ours.graph.node for o in node.output]
        assert len(set(results)) == len(results)
        assert len({p.name for p in ours.primitives}) == len(ours.primitives)


class Tied(nn.Cell):
    """One constant and one op, each used twice."""

    def construct(self, x: Tensor) -> Any:
        y = ops.reshape(x, (3, 2))
        return ops.reshape(ops.relu(y), (6,)), (y.sum(0), ops.reshape(ops.tanh(x), (3, 2)))


def test_equal_primitives_and_constants_are_written_once(tmp_path: Path) -> None:
    x = Tensor(np.ones((2, 3), np.float32))
    ms.export(Tied(), x, file_name=str(tmp_path / "a"), file_format="MINDIR")
    model = ms.load_mindir(str(tmp_path / "a.mindir"))
    kinds = [p.op_type for p in model.primitives]
    assert len(set(kinds)) == len(kinds)
    content = [n.attribute[0].SerializeToString() for n in model.graph.node if not n.input]
    assert len(set(content)) == len(content)


def test_shapes_of_values_stand_in_the_file(nets: Any, tmp_path: Path) -> None:
    """As in MindSpore's: a tensor has one shape, several are a tuple of them."""
    ours, _ = written(nets, "records", tmp_path)
    kinds = {f"REF::{p.name}": p.op_type for p in ours.primitives}
    shapes: dict[str, list[Any]] = {}
    for node in ours.graph.node:
        for a in node.attribute:
            if a.name == "shape" and node.op_type != "Constant":
                each = [t for v in a.values for t in v.tensors] if a.values else a.tensors
                of = [(tuple(t.dims), t.data_type) for t in each]
                shapes.setdefault(kinds[node.op_type], []).append(
                    (a.type, of, "seq_info" in vars(a))
                )
    one, several = proto.TENSORS, proto.TUPLE
    assert shapes["Mish"] == [(one, [((1, 1, 4, 6), 1)], False)]
    assert shapes["TopK"] == [(several, [((1, 1, 4, 3), 1), ((1, 1, 4, 3), 6)], True)]
    assert shapes["Unstack"] == [(several, [((1, 3, 3), 1)] * 4, True)]
    assert shapes["MaxPool3DWithArgmax"] == [
        (several, [((1, 1, 1, 2, 7), 1), ((1, 1, 1, 2, 7), 7)], True)
    ]


# -- what a file can't be --------------------------------------------------------------------------


@pytest.fixture
def model(nets: Any, tmp_path: Path) -> Any:
    return ms.load_mindir(str(GOLDEN / "mlp.mindir"))


def test_a_file_with_control_flow_is_refused(model: Any) -> None:
    model.functions.add(name="branch")
    with pytest.raises(RuntimeError, match=r"control flow \(1 further graphs\)"):
        read_graph(model)


def test_a_file_with_a_map_is_refused(model: Any) -> None:
    model.graph.map_parameter.add(name="map")
    with pytest.raises(RuntimeError, match="holds a MapParameter"):
        read_graph(model)


def test_an_input_that_is_no_tensor_is_named(model: Any) -> None:
    model.graph.input[0].tensor = []
    with pytest.raises(RuntimeError, match=r"input '[^':]+' is no tensor"):
        read_graph(model)


def test_load_names_an_undefined_value(model: Any) -> None:
    model.graph.output[0].name = "nobody"
    with pytest.raises(RuntimeError, match="asks for 'nobody' before it is there"):
        read_graph(model)


@pytest.mark.parametrize(
    ("dims", "data_type", "text"),
    [([-2], 1, r"a shape of unknown rank, \(-2,\)"), ([1], 99, "the unknown data type 99")],
)
def test_an_input_of_no_shape_or_type_is_named(
    dims: Any, data_type: int, text: str, model: Any
) -> None:
    tensor = model.graph.input[0].tensor[0]
    tensor.dims, tensor.data_type = dims, data_type
    with pytest.raises(RuntimeError, match=text):
        read_graph(model)


def test_external_parameter_files_are_refused(model: Any) -> None:
    model.graph.parameter[0].external_data = proto.ExternalDataProto(location="data_0")
    with pytest.raises(RuntimeError, match=r"files of their own \(data_0\)"):
        read_graph(model)


def test_bytes_that_make_no_parameter_are_refused(model: Any) -> None:
    tensor = model.graph.parameter[0]
    tensor.raw_data = tensor.raw_data[:-1]
    with pytest.raises(RuntimeError, match=r"\d+ bytes do not make a float32 of the shape"):
        read_graph(model)


def test_arguments_that_do_not_fit_are_reported_with_the_op(model: Any) -> None:
    for node in model.graph.node:
        if node.op_type.startswith("REF::") and "MatMul" in node.domain:
            node.input = node.input[:1]
    with pytest.raises(RuntimeError, match=r"load: MatMul of Default/\S+: "):
        read_graph(model)


@pytest.mark.parametrize(
    ("fields", "value"),
    [
        ({"type": proto.BOOL, "i": 1}, True),
        ({"type": proto.BOOL, "ints": [0]}, False),
        ({"type": proto.INT64, "i": 7}, 7),
        ({"type": proto.INT64, "ints": [8]}, 8),
        ({"type": proto.FLOAT, "f": 1e-5}, 1e-5),  # of which float32 keeps 9.99999974e-06
        ({"type": proto.FLOAT, "floats": [0.1]}, 0.1),
        ({"type": proto.DOUBLE, "d": 0.1}, 0.1),
        ({"type": proto.DOUBLE, "doubles": [0.2]}, 0.2),
        ({"type": proto.STRING, "s": b"ab"}, "ab"),
        ({"type": proto.STRING, "strings": [b"cd"]}, "cd"),
        ({"type": proto.NONE}, None),
        ({"type": proto.UMONAD}, MONAD),
        ({"type": proto.IOMONAD}, MONAD),
        ({"type": proto.LIST, "values": []}, ()),
    ],
)
def test_an_attribute_is_a_value_of_python(fields: Any, value: Any) -> None:
    output = proto.AttributeProto.FromString(proto.AttributeProto(**fields).SerializeToString())
    actual = _decode_attribute(output)
    assert actual == value and type(actual) is type(value)


def test_tensors_of_an_attribute_come_one_or_several() -> None:
    one = proto.TensorProto(dims=[1], data_type=6, raw_data=np.int32([5]).tobytes())
    assert _decode_attribute(proto.AttributeProto(type=proto.TENSOR, t=one)).asnumpy().tolist() == [
        5
    ]
    assert (
        _decode_attribute(proto.AttributeProto(type=proto.TENSORS, tensors=[one])).dtype is ms.int32
    )
    several = _decode_attribute(proto.AttributeProto(type=proto.TENSORS, tensors=[one, one]))
    assert [t.asnumpy().tolist() for t in several] == [[5], [5]]


# -- pads, and what is read --------------------------------------------------------------------


class Padded(nn.Cell):
    def __init__(self, value: float, pairs: tuple[int, ...] = (1, 2)) -> None:
        super().__init__()
        self.value, self.pairs = value, pairs

    def construct(self, x: Tensor) -> Tensor:
        return ops.pad(x, self.pairs, "constant", self.value)


@pytest.mark.parametrize(
    ("pairs", "value", "ops"),
    [
        ((1, 2), 0.0, {"Pad"}),
        ((1, 2), np.inf, {"Pad", "Select"}),
        ((-1, 2), 0.0, {"Slice", "Pad"}),
        ((-1, 2, 1, 0), -1.0, {"Slice", "Pad", "Select"}),
    ],
)
def test_a_border_is_a_pad_with_zeros_and_a_choice(pairs, value, ops, tmp_path: Path) -> None:
    net = Padded(value, pairs)
    x, file = Tensor(np.ones((2, 3), np.float32)), str(tmp_path / "a")
    ms.export(net, x, file_name=file, file_format="MINDIR")
    assert {p.op_type for p in ms.load_mindir(file + ".mindir").primitives} == ops
    assert np.array_equal(ms.load(file + ".mindir")(x).asnumpy(), net(x).asnumpy())


def test_a_border_of_a_tensor_is_refused(tmp_path: Path) -> None:
    class Bordered(nn.Cell):
        def construct(self, x: Tensor, value: Tensor) -> Tensor:
            return ops.pad(x, (1, 2), "constant", value)

    x = Tensor(np.ones((2, 3), np.float32))
    with pytest.raises(RuntimeError, match="pad with a number in a MindIR file"):
        file = str(tmp_path / "a")
        ms.export(Bordered(), x, Tensor(1.0), file_name=file, file_format="MINDIR")


@pytest.mark.parametrize("name", ["lenet", "shapes", "assigned", "inplace"])
def test_a_graph_that_is_read_holds_nothing_twice_and_nothing_in_vain(name: str) -> None:
    graph = ms.load(str(GOLDEN / f"{name}.mindir")).graph
    uses, results = graph.count_uses(), set(graph.results())
    for node in graph.nodes:
        assert any(uses.get(o) or o in results for o in node.outputs)
        assert any(a.data is None or a in graph.state.values() for a in node.inputs)
    messages = [(node.prim, node.args) for node in graph.nodes]
    assert all(one != other for i, one in enumerate(messages) for other in messages[:i])


@pytest.mark.parametrize("other", [0.0, Tensor(np.float32([1, 2, 3])), Tensor(np.ones((2, 3)))])
def test_all_that_is_selected_among_has_one_shape(other: Any, tmp_path: Path) -> None:
    """MindSpore's kernel broadcasts nothing."""

    class Chosen(nn.Cell):
        def construct(self, x: Tensor, condition: Tensor) -> Tensor:
            return ops.select(condition, x, other if isinstance(other, float) else other * 1)

    x, condition = Tensor(np.ones((2, 3), np.float32)), Tensor([True, False, True])
    if isinstance(other, Tensor):
        other = ops.cast(other, ms.float32)
    ms.export(Chosen(), x, condition, file_name=str(tmp_path / "a"), file_format="MINDIR")
    graph = ms.load_mindir(str(tmp_path / "a.mindir")).graph
    shapes = {
        n.output[0]: tuple(a.tensors[0].dims)
        for n in graph.node
        for a in n.attribute
        if a.name in ("shape", "value") and a.tensors
    }
    shapes |= {i.name: tuple(i.tensor[0].dims) for i in graph.input}
    (select,) = [n for n in graph.node if "/Select-" in n.domain]
    assert [shapes[name] for name in select.input] == [(2, 3)] * 3
