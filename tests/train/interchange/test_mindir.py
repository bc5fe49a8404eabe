"""MindIR: what minispore writes it reads, and it reads what the real MindSpore wrote."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess

import numpy as np
import pytest

import minispore as ms
from minispore import nn, ops
from minispore.train.interchange.mindir_proto import ModelProto
from tests.conftest import ROOT
from tests.golden.changing_nets import changing
from tests.golden.mindir_nets import flat, networks
from tests.train.interchange.conftest import NAMES

GOLDEN = ROOT / "tests" / "golden" / "mindir"
MODES = pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])


def _loaded(net, *inputs, folder):
    ms.export(net, *inputs, file_name=str(folder / "net"), file_format="MINDIR")
    return ms.load(str(folder / "net.mindir"))


@MODES
@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_mindspore_gives_mindspores_numbers(name, mode, nets):
    ms.set_context(mode=mode)
    cell = nn.GraphCell(ms.load(str(GOLDEN / f"{name}.mindir")))
    with np.load(GOLDEN / "outputs.npz") as golden:
        expected = [golden[k] for k in golden.files if k.rpartition("_")[0] == name]
    for got, want in zip(flat(cell(*nets[name][1])), expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
        assert got.dtype == want.dtype


@MODES
@pytest.mark.parametrize("name", NAMES)
def test_a_network_and_its_file_give_the_same_numbers(name, mode, nets, tmp_path):
    ms.set_context(mode=mode)
    net, inputs = nets[name]
    cell = nn.GraphCell(_loaded(net, *inputs, folder=tmp_path))
    for got, expected in zip(flat(cell(*inputs)), flat(net(*inputs)), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", ["lenet", "mlp", "resnet", "embedded"])
def test_exported_mindir_uses_the_ops_of_the_mindspore_export(name, nets, tmp_path):
    net, inputs = nets[name]
    ms.export(net, *inputs, file_name=str(tmp_path / name), file_format="MINDIR")
    ours, theirs = (
        {(p.op_type, p.prim_type) for p in ms.load_mindir(str(f / f"{name}.mindir")).primitives}
        for f in (tmp_path, GOLDEN)
    )
    order_of_effects = {"Load", "UpdateState", "Depend", "MakeTuple"}
    reshapes = {"Reshape", "Flatten"}  # ours says Flatten by the shape that it gives
    assert {op for op in ours ^ theirs if op[0] not in order_of_effects | reshapes} == set()


def test_mindspore_itself_runs_ours(nets, tmp_path):
    python = os.environ.get("MINISPORE_MINDSPORE_PYTHON")
    if not python:
        pytest.skip("set MINISPORE_MINDSPORE_PYTHON to an interpreter that has MindSpore")
    all_nets = nets | {
        name: (net, [ms.Tensor(x) for x in arrays]) for name, (net, arrays) in changing(ms).items()
    }
    for name, (net, inputs) in all_nets.items():
        ms.export(net, *inputs, file_name=str(tmp_path / name), file_format="MINDIR")
    out = subprocess.run(
        [python, "-m", "tests.golden.make_mindir", "--read", str(tmp_path)],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": ""}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert out.stdout.count(": the same") == len(all_nets)


def test_a_parameter_may_have_any_name(tmp_path):
    class Named(nn.Cell):
        def __init__(self):
            super().__init__()
            self.input0 = ms.Parameter(ms.Tensor([2.0]))
            self.CNode_1 = ms.Parameter(ms.Tensor([3.0]))

        def construct(self, x):
            return x * self.input0 + self.CNode_1

    graph = _loaded(Named(), ms.Tensor([5.0]), folder=tmp_path)
    assert nn.GraphCell(graph)(ms.Tensor([5.0])).asnumpy() == 13.0


def test_parameters_keep_their_names_and_contents(nets, tmp_path):
    net, inputs = nets["resnet"]
    graph = _loaded(net, *inputs, folder=tmp_path)
    expected = {p.name: p.asnumpy() for p in net.get_parameters()}
    assert graph.parameters.keys() == expected.keys()
    for name, p in graph.parameters.items():
        np.testing.assert_array_equal(p.asnumpy(), expected[name])


def test_a_graph_prints_an_op_a_line(nets, tmp_path):
    graph = _loaded(*_flattened(nets["lenet"]), folder=tmp_path)
    assert "Conv2D(out_channel=4, kernel_size=(5, 5))(%input0, %conv1.weight)  # conv1" in str(
        graph
    )
    assert re.fullmatch(
        r"FuncGraph\(LeNet: \(float32\[2, 1, 28, 28\]\) -> \(float32\[2, 10\]\), "
        r"7 parameters, \d+ nodes\)",
        repr(graph),
    )


def _flattened(pair):
    return pair[0], *pair[1]


def test_a_graph_cell_can_be_trained_on(nets, tmp_path):
    net, inputs = nets["mlp"]
    cell = nn.GraphCell(_loaded(net, *inputs, folder=tmp_path))
    weights = ms.ParameterTuple(cell.trainable_params())
    grads = ms.grad(lambda x: ops.square(cell(x)[0]).sum(), None, weights)(*inputs)
    expected = ms.grad(lambda x: ops.square(net(x)[0]).sum(), None, net.trainable_params())(*inputs)
    by_name = dict(zip([w.name for w in weights], grads, strict=True))
    for p, want in zip(net.trainable_params(), expected, strict=True):
        np.testing.assert_allclose(by_name[p.name].asnumpy(), want.asnumpy(), atol=1e-6)


def test_params_init_replaces_contents_by_name_and_passes_over_others(tmp_path):
    x = ms.Tensor([[3.0]])
    graph = _loaded(nn.Dense(1, 1, "ones"), x, folder=tmp_path)
    cell = nn.GraphCell(graph, {"bias": ms.Tensor([0.5]), "nobody": ms.Tensor([9.0])})
    assert cell(x).asnumpy() == 3.5


def test_a_function_can_be_exported(tmp_path):
    x = ms.Tensor([1.0, 2.0])
    graph = _loaded(ms.jit(lambda x: x * 2 + 1), x, folder=tmp_path)
    np.testing.assert_array_equal(nn.GraphCell(graph)(x).asnumpy(), [3, 5])


class Index(nn.Cell):
    def __init__(self, index):
        super().__init__()
        self.index = index

    def construct(self, x):
        return x[self.index]


@pytest.mark.parametrize(
    "index",
    [0, -1, (0, 1), slice(None, None, -1), slice(2, None, -2), (slice(None), None, 1),
     (..., 0), (slice(0, 1), ..., slice(1, 3)), (None, 0, None), (slice(5, 0, -1), 1)],
)  # fmt: skip
def test_an_index_is_written_as_a_strided_slice(index, tmp_path):
    array = np.arange(24, dtype=np.float32).reshape(3, 2, 4)
    x = ms.Tensor(array)
    graph = _loaded(Index(index), x, folder=tmp_path)
    np.testing.assert_array_equal(nn.GraphCell(graph)(x).asnumpy(), array[index])


def test_an_index_tensor_is_written_as_a_gather_that_counts_from_the_end_too(tmp_path):
    class Picked(nn.Cell):
        def construct(self, x, i):
            return x[:, i]

    x, i = ms.Tensor(np.arange(6).reshape(2, 3)), ms.Tensor([2, -3], ms.int32)
    graph = _loaded(Picked(), x, i, folder=tmp_path)
    np.testing.assert_array_equal(nn.GraphCell(graph)(x, i).asnumpy(), [[2, 0], [5, 3]])


class Computed(nn.Cell):
    def __init__(self, function):
        super().__init__()
        self.construct = function


IMAGE = ms.Tensor(np.sin(np.arange(128, dtype=np.float32)).reshape(2, 1, 8, 8))


@pytest.mark.parametrize(
    "net",
    [
        nn.AvgPool2d(3, 2, pad_mode="pad", padding=1),
        nn.MaxPool2d(3, 2, pad_mode="pad", padding=1),
        nn.AvgPool2d(3, 2, pad_mode="same"),
        nn.Conv2dTranspose(1, 2, 4, 2, pad_mode="pad", padding=1),
        nn.GroupNorm(1, 1),
        nn.ZeroPad2d(1),
        nn.AdaptiveAvgPool2d((3, 2)),
        Computed(lambda x: ops.where(x > 0.5, x, 0.0)),
        Computed(lambda x: ops.split(x, [1, 4, 3], 2)),
        Computed(lambda x: ops.topk(x, 3)),
        Computed(lambda x: (x.astype(ms.int32) * 2 + 1, 1 - x, x % 0.3)),
        Computed(lambda x: (x.max(1), x.argmax(1), ops.cumsum(x, 2), (x > 0).any(1))),
        Computed(lambda x: ops.one_hot((x[0, 0] > 0).astype(ms.int32), 2, 1.0, 0.0)),
        Computed(lambda x: (x, x)),
    ],
    ids=repr,
)
def test_ops_that_mindspore_has_otherwise_come_back_the_same(net, tmp_path):
    expected = flat(net(IMAGE))
    got = flat(nn.GraphCell(_loaded(net, IMAGE, folder=tmp_path))(IMAGE))
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)
        assert a.dtype == b.dtype


def test_a_model_predicts_with_a_graph_cell(nets, tmp_path):
    net, inputs = nets["lenet"]
    cell = nn.GraphCell(_loaded(net, *inputs, folder=tmp_path))
    got = ms.Model(cell).predict(*inputs).asnumpy()
    np.testing.assert_allclose(got, net(*inputs).asnumpy(), rtol=1e-6, atol=1e-7)


def test_pooling_with_padding_goes_through_volumes_as_in_mindspore(tmp_path):
    net = nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)
    x = ms.Tensor(-np.arange(50, dtype=np.float32).reshape(1, 2, 5, 5))
    graph = _loaded(net, x, folder=tmp_path)
    np.testing.assert_array_equal(nn.GraphCell(graph)(x).asnumpy(), net(x).asnumpy())
    ops_in_file = {p.op_type for p in ms.load_mindir(str(tmp_path / "net.mindir")).primitives}
    assert ops_in_file == {"ExpandDims", "MaxPool3DWithArgmax", "Squeeze", "TupleGetItem"}


@pytest.mark.parametrize("padding", [(1, 0, 1, 1), (1, 1, 0, 1), (0, 1, 1, 0)])
def test_pooling_with_other_padding_on_one_side_is_refused(padding, tmp_path):
    x = ms.Tensor(np.ones((1, 2, 5, 5), np.float32))

    class Pooled(nn.Cell):
        def construct(self, x):
            return ops.MaxPool(3, 2, "pad", pad=padding)(x)

    with pytest.raises(RuntimeError, match="a MindIR file pads both sides alike"):
        ms.export(Pooled(), x, file_name=str(tmp_path / "a"), file_format="MINDIR")


def test_custom_func_may_change_the_record(tmp_path):
    def signed(model):
        model.user_info["version"] = "11.0"
        model.producer_name = "somebody"

    file = str(tmp_path / "net.mindir")
    ms.export(nn.ReLU(), ms.Tensor([1.0]), file_name=file, file_format="MINDIR", custom_func=signed)
    model = ms.load_mindir(file)
    assert (model.user_info, model.producer_name) == ({"version": "11.0"}, "somebody")
    ms.save_mindir(model, str(tmp_path / "again"))
    assert ms.load_mindir(str(tmp_path / "again.mindir")) == model


def test_a_mindspore_model_is_equal_after_save_and_load(tmp_path):
    model = ms.load_mindir(str(GOLDEN / "resnet.mindir"))
    ms.save_mindir(model, str(tmp_path / "again.mindir"))
    assert ms.load_mindir(str(tmp_path / "again.mindir")) == model
    assert len(model.graph.parameter) == len(list(networks(ms)["resnet"][0].get_parameters()))


# -- damage ---------------------------------------------------------------------------------------


def test_a_changed_byte_of_the_model_is_noticed(tmp_path):
    file = tmp_path / "net.mindir"
    net = nn.Dense(2, 2)
    ms.export(net, ms.Tensor(np.ones((1, 2), "f4")), file_name=str(file), file_format="MINDIR")
    data = file.read_bytes()
    offset = data.index(net.weight.asnumpy().tobytes()) + 1
    file.chmod(0o600)
    file.write_bytes(data[:offset] + bytes([data[offset] ^ 1]) + data[offset + 1 :])
    with pytest.raises(RuntimeError, match="the check sum does not fit"):
        ms.load(str(file))
    with pytest.raises(ValueError, match="the check sum does not fit"):
        ms.load_mindir(str(file))


def test_a_file_rewritten_by_another_program_is_not_checked_by_checksum(tmp_path):
    """Protobuf joins the two entries to one; the changed model is no damaged one."""
    file = tmp_path / "net.mindir"
    x = ms.Tensor(np.ones((1, 2), "f4"))
    ms.export(nn.Dense(2, 2), x, file_name=str(file), file_format="MINDIR")
    model = ModelProto.FromString(file.read_bytes())
    assert [*model.user_info] == ["minispore_crc32"]
    model.producer_name = "somebody"
    file.chmod(0o600)
    file.write_bytes(model.SerializeToString())
    assert ms.load_mindir(str(file)).producer_name == "somebody"


# -- refusals --------------------------------------------------------------------------------------


def test_another_shape_than_the_exported_one_is_refused(tmp_path):
    cell = nn.GraphCell(_loaded(nn.ReLU(), ms.Tensor([1.0]), folder=tmp_path))
    with pytest.raises(ValueError, match=r"input 0 must be float32\[1\], as when .*float32\[2\]"):
        cell(ms.Tensor([1.0, 2.0]))
    with pytest.raises(ValueError, match="must be called with 1 tensors, got 0"):
        cell()
    with pytest.raises(TypeError, match="input 0 must be a Tensor"):
        cell(1.0)


def test_a_graph_cell_takes_a_graph_and_tensors_by_name_only(tmp_path):
    graph = _loaded(nn.Dense(1, 1), ms.Tensor([[1.0]]), folder=tmp_path)
    with pytest.raises(TypeError, match=r"graph must be what mindspore\.load returned"):
        nn.GraphCell(nn.ReLU())
    with pytest.raises(TypeError, match="params_init must be a dict or None"):
        nn.GraphCell(graph, [1])
    with pytest.raises(TypeError, match="params_init must hold Tensors by name"):
        nn.GraphCell(graph, {"bias": 1.0})
    with pytest.raises(ValueError, match=r"parameter 'bias' must have the shape \(1,\)"):
        nn.GraphCell(graph, {"bias": ms.Tensor([1.0, 2.0])})
    with pytest.raises(ValueError, match="obf_random_seed must be None"):
        nn.GraphCell(graph, obf_random_seed=3)


@pytest.mark.parametrize("keep", [0, 1, 7, 500, 5000, -1])
def test_a_file_that_is_cut_off_raises_a_runtime_error(keep, tmp_path):
    data = (GOLDEN / "lenet.mindir").read_bytes()
    (tmp_path / "cut.mindir").write_bytes(data[:keep])
    with pytest.raises(RuntimeError, match=r"load: "):
        ms.load(str(tmp_path / "cut.mindir"))


def test_bytes_of_anything_else_raise_a_runtime_error(tmp_path):
    rng = np.random.default_rng(0)
    for size in (1, 10, 100, 1000):
        (tmp_path / "any.mindir").write_bytes(rng.bytes(size))
        with pytest.raises(RuntimeError, match=r"load: "):
            ms.load(str(tmp_path / "any.mindir"))


@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_file_loads_or_raises_a_runtime_error(name, tmp_path):
    rng = np.random.default_rng(0)
    good = np.frombuffer((GOLDEN / f"{name}.mindir").read_bytes(), np.uint8)
    for _ in range(20):
        data = good.copy()
        data[rng.integers(len(data))] = rng.integers(256)
        (tmp_path / "bad.mindir").write_bytes(data.tobytes())
        with contextlib.suppress(RuntimeError):
            ms.load(str(tmp_path / "bad.mindir"))


def test_an_op_that_nobody_knows_is_named(tmp_path):
    model = ms.load_mindir(str(GOLDEN / "mlp.mindir"))
    for p in model.primitives:
        p.op_type = p.op_type.replace("GeLU", "GeLV")
    ms.save_mindir(model, str(tmp_path / "odd"))
    with pytest.raises(RuntimeError, match=r"op GeLV \(Default/.*Did you mean 'GeLU'\?"):
        ms.load(str(tmp_path / "odd.mindir"))


def test_load_refuses_what_is_no_mindir_file(tmp_path):
    with pytest.raises(ValueError, match="must be a str"):
        ms.load(3)
    with pytest.raises(ValueError, match=r"must end with '.mindir'"):
        ms.load("net.onnx")
    with pytest.raises(ValueError, match="which is not there"):
        ms.load(str(tmp_path / "none.mindir"))


class Recurrent(nn.Cell):
    def __init__(self, kind):
        super().__init__()
        self.layer = kind(3, 4)

    def construct(self, x):
        return self.layer(x)[0]


class Products(nn.Cell):
    def construct(self, x):
        return ops.BatchMatMul()(x, ms.Tensor(np.ones((3, 3), np.float32)))


@pytest.mark.parametrize("make", [lambda: Recurrent(nn.GRU), Products], ids=["gru", "products"])
def test_both_sides_of_a_batched_product_have_the_same_first_axes(make, tmp_path):
    # MindSpore's kernel reads beyond the shorter one, and gives other numbers
    net, x = make(), ms.Tensor(np.ones((5, 2, 3), np.float32))
    ms.export(net, x, file_name=str(tmp_path / "net"), file_format="MINDIR")
    graph = ms.load_mindir(str(tmp_path / "net.mindir")).graph
    shapes = {
        n.output[0]: tuple(a.tensors[0].dims)
        for n in graph.node
        for a in n.attribute
        if a.name in ("shape", "value") and a.tensors
    }
    shapes |= {t.name: tuple(t.dims) for t in graph.parameter}
    shapes |= {i.name: tuple(i.tensor[0].dims) for i in graph.input}
    products = [n.input[:2] for n in graph.node if "/BatchMatMul-" in n.domain]
    for left, right in products:
        assert shapes[left][:-2] == shapes[right][:-2]
    assert products


@pytest.mark.parametrize("rows", [0, 3])
@pytest.mark.parametrize(
    ("shifts", "dims"), [((1,), (0,)), ((-1, 5), (0, 1)), ((4,), None), ((0,), (1,))]
)
def test_roll_is_written_as_slices_which_every_device_has(shifts, dims, rows, tmp_path):
    class Rolled(nn.Cell):
        def construct(self, x):
            return ops.roll(x, shifts, dims)

    x = ms.Tensor(np.arange(4 * rows, dtype=np.float32).reshape(rows, 4))
    ms.export(Rolled(), x, file_name=str(tmp_path / "net"), file_format="MINDIR")
    graph = ms.load(str(tmp_path / "net.mindir"))
    assert "Roll" not in str(graph).partition("\n")[2]
    np.testing.assert_array_equal(graph(x).asnumpy(), np.roll(x.asnumpy(), shifts, dims))
