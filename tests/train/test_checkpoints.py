"""Checkpoints: files that MindSpore reads and writes too, and when ModelCheckpoint makes them."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from minispore import context, nn, ops
from minispore.core import runtime as seam
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.protobuf import wire
from minispore.train import (
    Callback,
    CheckpointConfig,
    LambdaCallback,
    Model,
    ModelCheckpoint,
    RunContext,
    async_ckpt_thread_status,
    load_checkpoint,
    load_param_into_net,
    save_checkpoint,
)
from minispore.train.files import checkpoint_file, safetensors_file
from minispore.train.files.async_saving import wait_for_saves
from tests.train.nets import (
    GRAPH,
    PYNATIVE,
    Params,
    dense,
    devices,
    epochs,
    modes,
    numbers,
    regression,
    sizes,
    trainer,
    weights_of,
)

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "checkpoints"
DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DTYPES += ("float16", "float32", "float64")
FORMATS = {"ckpt": checkpoint_file, "safetensors": safetensors_file}


def expected() -> dict[str, np.ndarray]:
    made = {f"of.{t}": np.arange(6).reshape(2, 3).astype(t) for t in DTYPES}
    return made | {"scalar": np.array(2.5, np.float32), "one": np.array([7], np.int32)}


def same(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        if isinstance(value, str):
            assert found[name] == value
        else:
            assert found[name].dtype == value.dtype
            assert found[name].shape == value.shape
            assert found[name].tobytes() == value.tobytes()


# -- MindSpore's files -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mindspore.ckpt", "mindspore_crc.ckpt", "mindspore.safetensors"])
def test_a_file_of_mindspore_is_read(name) -> None:
    read = FORMATS[name.rpartition(".")[2]].read
    found = read(GOLDEN / name, crc=True)
    info = {
        "epoch_num": np.array(3, np.int64),
        "rate": np.array(0.5, np.float32),
        "flag": np.array(True),
        "text": "über",
    }
    same(found, expected() | (info if name == "mindspore.ckpt" else {}))


@pytest.mark.parametrize("name", ["mindspore.ckpt", "mindspore_crc.ckpt"])
def test_a_file_of_ours_is_mindspore_s_byte_for_byte(name, tmp_path) -> None:
    contents = checkpoint_file.read(GOLDEN / name)
    crc = "crc" in name
    checkpoint_file.write(tmp_path / name, contents, crc)
    ours, theirs = (tmp_path / name).read_bytes(), (GOLDEN / name).read_bytes()
    if crc:  # ours begins with a mark, of which the check sum is too
        ours = ours.removeprefix(checkpoint_file.CHECKED)
        ours, theirs = ours[:-10], theirs[:-10]
    assert ours == theirs


def test_a_brain_float_is_read_where_numpy_has_one() -> None:
    pytest.importorskip("ml_dtypes")
    (w,) = checkpoint_file.read(GOLDEN / "mindspore_bfloat16.ckpt").values()
    assert w.astype(np.float32).tolist() == [1.5, -2.0]  # type: ignore[union-attr]


def test_mindspore_itself_reads_ours(tmp_path) -> None:
    python = os.environ.get("MINISPORE_MINDSPORE_PYTHON")
    if not python:
        pytest.skip("set MINISPORE_MINDSPORE_PYTHON to an interpreter that has MindSpore")
    save_checkpoint(trainer().train_network, str(tmp_path / "net.ckpt"))
    script = GOLDEN.parent / "make_checkpoints.py"
    out = subprocess.run(
        [python, str(script), str(tmp_path / "net.ckpt")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "moments.weight" in out.stdout


# -- any contents ----------------------------------------------------------------------------------

arrays = st.sampled_from(DTYPES).flatmap(
    lambda t: npst.arrays(t, npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
)
names = st.text(min_size=1, max_size=20).filter(lambda s: s != "__metadata__")
texts = st.text(max_size=10).filter(lambda s: not s.endswith("\0"))


@given(contents=st.dictionaries(names, st.one_of(arrays, texts), max_size=5), crc=st.booleans())
def test_whatever_is_written_is_read(contents, crc, tmp_path_factory) -> None:
    path = tmp_path_factory.mktemp("any") / "a.ckpt"
    checkpoint_file.write(path, contents, crc)
    same(checkpoint_file.read(path, crc=crc), contents)


@given(contents=st.dictionaries(names, arrays, max_size=5), crc=st.booleans())
def test_whatever_is_written_as_safetensors_is_read(contents, crc, tmp_path_factory) -> None:
    path = tmp_path_factory.mktemp("any") / "a.safetensors"
    safetensors_file.write(path, contents, crc)
    same(safetensors_file.read(path, crc=crc), contents)


def test_a_large_array_travels_in_slices(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(checkpoint_file, "SLICE_BYTES", 7)
    contents = {"a": np.arange(5, dtype=np.int32), "b": np.ones((2, 2), np.float64)}
    checkpoint_file.write(tmp_path / "a.ckpt", contents)
    same(checkpoint_file.read(tmp_path / "a.ckpt"), contents)


def test_strided_arrays_are_written_in_c_order(tmp_path) -> None:
    a = np.arange(12, dtype=np.float32).reshape(3, 4).T[::2]
    for suffix, kind in FORMATS.items():
        kind.write(tmp_path / f"a.{suffix}", {"a": a})
        same(kind.read(tmp_path / f"a.{suffix}"), {"a": np.ascontiguousarray(a)})


@settings(max_examples=100)
@given(data=st.data(), suffix=st.sampled_from(list(FORMATS)))
def test_a_damaged_file_is_an_error_and_never_a_crash(data, suffix, tmp_path_factory) -> None:
    path = tmp_path_factory.mktemp("bad") / f"a.{suffix}"
    FORMATS[suffix].write(path, {"a": np.arange(4, dtype=np.float32), "b": np.ones(2, np.int8)})
    raw = bytearray(path.read_bytes())
    if data.draw(st.booleans()):
        del raw[data.draw(st.integers(0, len(raw) - 1)) :]
    for _ in range(data.draw(st.integers(0, 3))):
        if raw:
            raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(raw)
    try:
        found = FORMATS[suffix].read(path)
    except checkpoint_file.CheckpointError as exc:
        assert str(path) in str(exc)
    except ImportError:
        pass  # the damage made a bfloat16 of it
    else:
        assert all(isinstance(v, np.ndarray | str) for v in found.values())


@pytest.mark.parametrize(
    "raw",
    [
        b"\x0a\xff\xff\xff\xff\x7f",  # a length of 34 GB
        b"\x0b",  # wire type 3
        b"\x0a" + b"\xff" * 11,  # a number without end
        b"\x00",  # field 0
        wire.block(1, b""),  # a value without a name
        wire.block(1, wire.block(1, b"a") + wire.block(2, wire.integer(1, -1))),  # shape (-1,)
        wire.block(1, wire.block(1, b"a") + wire.block(2, wire.integer(1, 2**62) * 2)),
        wire.block(1, wire.block(1, b"a") + wire.block(2, wire.block(2, b"Object"))),
        wire.block(1, wire.block(1, b"\xff") + wire.block(2, b"")),  # no UTF-8
    ],
)
def test_what_is_no_checkpoint_is_said_to_be_none(raw, tmp_path) -> None:
    path = tmp_path / "a.ckpt"
    path.write_bytes(raw)
    with pytest.raises(checkpoint_file.CheckpointError):
        checkpoint_file.read(path)


def test_a_wrong_check_sum_of_mindspore_s_is_noticed_when_asked_for(tmp_path) -> None:
    raw = bytearray((GOLDEN / "mindspore_crc.ckpt").read_bytes())
    raw[-20] ^= 1
    path = tmp_path / "a.ckpt"
    path.write_bytes(raw)
    checkpoint_file.read(path)
    with pytest.raises(checkpoint_file.CheckpointError, match="check sum"):
        checkpoint_file.read(path, crc=True)


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_changed_bit_is_noticed_though_nobody_asked(suffix, tmp_path) -> None:
    path = tmp_path / f"a.{suffix}"
    FORMATS[suffix].write(path, {"a": np.arange(4, dtype=np.float32)})
    raw = bytearray(path.read_bytes())
    raw[-20 if suffix == "ckpt" else -1] ^= 1
    path.write_bytes(raw)
    with pytest.raises(ValueError, match="check sum does not fit"):
        FORMATS[suffix].read(path)


@pytest.mark.parametrize("lost", [1, 10, 17, 30, 45])
def test_a_file_that_lost_its_end_is_refused(lost, tmp_path) -> None:
    path = tmp_path / "a.ckpt"
    checkpoint_file.write(path, {"a": np.ones(1, np.int8), "b": np.ones(1, np.int8)})
    path.write_bytes(path.read_bytes()[:-lost])
    with pytest.raises(checkpoint_file.CheckpointError, match=r"end, with the check sum, is lost"):
        checkpoint_file.read(path)


@pytest.mark.parametrize(
    ("entries", "size", "fault"),
    [
        ({"a": (0, 4), "b": (0, 4)}, 4, "overlaps"),
        ({"a": (0, 4), "b": (2, 6)}, 6, "overlaps"),
        ({"a": (0, 4), "b": (8, 12)}, 12, "leaves bytes"),
        ({"a": (4, 8)}, 8, "leaves bytes"),
        ({"a": (0, 4)}, 8, "has 8 for them"),
        ({}, 4, "has 4 for them"),
    ],
)
def test_safetensors_whose_arrays_share_or_leave_bytes_are_refused(
    entries, size, fault, tmp_path
) -> None:
    header = {
        name: {"dtype": "U8", "shape": [stop - start], "data_offsets": [start, stop]}
        for name, (start, stop) in entries.items()
    }
    _safetensors(tmp_path / "a.safetensors", json.dumps(header), size)
    with pytest.raises(checkpoint_file.CheckpointError, match=fault):
        safetensors_file.read(tmp_path / "a.safetensors")


def test_safetensors_with_a_name_twice_are_refused(tmp_path) -> None:
    entry = '"a": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}'
    _safetensors(tmp_path / "a.safetensors", f"{{{entry}, {entry}}}", 0)
    with pytest.raises(checkpoint_file.CheckpointError, match="'a' stands there twice"):
        safetensors_file.read(tmp_path / "a.safetensors")


def _safetensors(path: Path, header: str, size: int) -> None:
    path.write_bytes(len(header).to_bytes(8, "little") + header.encode() + bytes(size))


def test_unknown_fields_are_passed_over(tmp_path) -> None:
    extra = wire.integer(9, 5) + wire.block(10, b"x") + b"\x59" + b"8" * 8 + b"\x65" + b"4" * 4
    path = tmp_path / "a.ckpt"
    checkpoint_file.write(path, {"a": np.ones(1, np.int8)}, crc=False)
    path.write_bytes(extra + path.read_bytes() + extra)
    same(checkpoint_file.read(path), {"a": np.ones(1, np.int8)})


def test_nothing_is_left_behind_when_writing_fails(tmp_path, monkeypatch) -> None:
    path = tmp_path / "a.ckpt"
    checkpoint_file.write(path, {"a": np.ones(1, np.int8)})
    before = path.read_bytes()

    def fail(handle: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        checkpoint_file.write(path, {"a": np.zeros(9, np.int8)})
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.ckpt"]


# -- save_checkpoint, load_checkpoint, load_param_into_net -----------------------------------------


def test_a_network_comes_back_as_it_was(tmp_path) -> None:
    model = trainer()
    model.train(1, regression(3))
    path = str(tmp_path / "net")
    save_checkpoint(model.train_network, path)  # the suffix is added
    again = trainer()
    assert load_param_into_net(again.train_network, load_checkpoint(f"{path}.ckpt")) == ([], [])
    assert weights_of(again) == weights_of(model)


def test_the_optimizer_s_state_is_in_it(tmp_path) -> None:
    path = str(tmp_path / "net.ckpt")
    save_checkpoint(trainer().train_network, path)
    found = load_checkpoint(path)
    assert {"weight", "bias", "learning_rate", "momentum", "moments.weight"} <= set(found)


def test_what_can_be_saved(tmp_path) -> None:
    path = str(tmp_path / "a.ckpt")
    w = Parameter(np.ones(2, np.float32), name="w")
    for obj in ([w], [{"name": "w", "data": Tensor([1.0, 1.0])}], {"w": w}, {"w": np.ones(2)}):
        save_checkpoint(obj, path)
        assert load_checkpoint(path)["w"].asnumpy().tolist() == [1.0, 1.0]
    save_checkpoint([w], path, append_dict={"n": 1, "x": 0.5, "b": True, "t": "a", "p": w})
    found = load_checkpoint(path)
    assert (int(found["n"].asnumpy()), bool(found["b"].asnumpy()), found["t"]) == (1, True, "a")
    save_checkpoint(dense(), path, choice_func=lambda name: name == "bias")
    assert list(load_checkpoint(path)) == ["bias"]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"save_obj": 1}, TypeError),
        ({"save_obj": [1]}, TypeError),
        ({"save_obj": {1: Tensor(1)}}, TypeError),
        ({"save_obj": [{"name": "a", "data": 1}]}, TypeError),
        ({"ckpt_file_name": 1}, TypeError),
        ({"integrated_save": 1}, TypeError),
        ({"async_save": 1}, TypeError),
        ({"async_save": "later"}, ValueError),
        ({"append_dict": 1}, TypeError),
        ({"append_dict": {"a": [1]}}, TypeError),
        ({"crc_check": 1}, TypeError),
        ({"format": "pt"}, ValueError),
        ({"enc_key": "key"}, TypeError),
        ({"enc_key": b"key"}, ValueError),
    ],
)
def test_arguments_of_save_checkpoint(options, error, tmp_path) -> None:
    given_ = {"save_obj": dense(), "ckpt_file_name": str(tmp_path / "a.ckpt"), **options}
    with pytest.raises(error):
        save_checkpoint(**given_)
    assert os.listdir(tmp_path) == []


def test_a_folder_is_no_checkpoint(tmp_path) -> None:
    with pytest.raises(IsADirectoryError):
        save_checkpoint(dense(), str(tmp_path))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"ckpt_file_name": 1}, TypeError),
        ({"ckpt_file_name": "no/such.ckpt"}, ValueError),
        ({"ckpt_file_name": "a.pt"}, ValueError),
        ({"format": "pt"}, ValueError),
        ({"filter_prefix": 1}, TypeError),
        ({"filter_prefix": []}, ValueError),
        ({"filter_prefix": [""]}, ValueError),
        ({"specify_prefix": ["a", 1]}, TypeError),
        ({"specify_prefix": "nothing"}, ValueError),
        ({"choice_func": lambda name: False}, ValueError),
        ({"dec_key": b"key"}, ValueError),
        ({"crc_check": 1}, TypeError),
    ],
)
def test_arguments_of_load_checkpoint(options, error, tmp_path) -> None:
    path = str(tmp_path / "a.ckpt")
    save_checkpoint(dense(), path)
    with pytest.raises(error):
        load_checkpoint(**{"ckpt_file_name": path, **options})


def test_prefixes_choose_what_is_loaded(tmp_path) -> None:
    path = str(tmp_path / "a.ckpt")
    save_checkpoint({n: Tensor([1.0]) for n in ("conv1.w", "conv2.w", "fc.w")}, path)
    assert list(load_checkpoint(path, specify_prefix="conv")) == ["conv1.w", "conv2.w"]
    assert list(load_checkpoint(path, filter_prefix=["conv1", "fc"])) == ["conv2.w"]
    assert list(load_checkpoint(path, choice_func=lambda n: n[0] == "f")) == ["fc.w"]


def test_loading_into_a_network_changes_nothing_when_something_does_not_fit() -> None:
    net = dense()
    before = net.weight.asnumpy()
    bad = {
        "weight": Parameter(np.ones((1, 3), np.float32), name="weight"),
        "bias": Parameter(np.ones(7, np.float32), name="bias"),
    }
    with pytest.raises(RuntimeError, match="'bias' must have the shape"):
        load_param_into_net(net, bad)
    assert net.weight.asnumpy().tolist() == before.tolist()


def test_types_of_one_kind_are_converted_unless_strict() -> None:
    net = dense()
    half = {"weight": Parameter(np.ones((1, 3), np.float16), name="weight")}
    with pytest.warns(UserWarning, match="1 parameters of the network are not in the dict: bias"):
        assert load_param_into_net(net, half) == (["bias"], [])
    assert net.weight.asnumpy().tolist() == [[1.0, 1.0, 1.0]]
    with pytest.raises(RuntimeError, match="strict_load is on"):
        load_param_into_net(net, half, strict_load=True)
    with pytest.raises(RuntimeError, match="must be Float32, got Int32"):
        load_param_into_net(net, {"weight": Parameter(np.ones((1, 3), np.int32), name="weight")})


def test_trailing_ones_of_a_shape_are_dropped() -> None:
    net = dense()
    four = {
        "weight": Parameter(np.ones((1, 3, 1, 1), np.float32), name="weight"),
        "bias": Parameter(np.ones(1, np.float32), name="bias"),
    }
    load_param_into_net(net, four)
    assert net.weight.shape == (1, 3)


def test_a_common_prefix_of_names_is_found_unless_strict() -> None:
    given_ = {
        f"network.{n}": Parameter(np.full(s, 2, np.float32), name=f"network.{n}")
        for n, s in (("weight", (1, 3)), ("bias", (1,)))
    }
    net = dense()
    # as in MindSpore, what was found by its prefix is still told as not used
    assert load_param_into_net(net, given_) == ([], ["network.weight", "network.bias"])
    assert net.bias.asnumpy().tolist() == [2.0]
    with pytest.warns(UserWarning):
        missing, unused = load_param_into_net(net, given_, strict_load=True)
    assert missing == ["weight", "bias"]
    assert unused == ["network.weight", "network.bias"]


@pytest.mark.parametrize("net", [1, None])
def test_what_is_loaded_into_must_be_a_cell(net) -> None:
    with pytest.raises(TypeError):
        load_param_into_net(net, {})


def test_a_dict_of_something_else_is_refused() -> None:
    with pytest.raises(TypeError):
        load_param_into_net(dense(), {"weight": np.ones(3)})


def test_saving_in_a_thread_saves_what_was_there_then(tmp_path) -> None:
    net = dense()
    save_checkpoint(net, str(tmp_path / "a.ckpt"), async_save=True)
    net.bias.set_data(Tensor([9.0]))
    wait_for_saves()
    assert not async_ckpt_thread_status()
    assert load_checkpoint(str(tmp_path / "a.ckpt"))["bias"].asnumpy().tolist() == [0.0]


# -- ModelCheckpoint -------------------------------------------------------------------------------


def names_in(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir() if p.suffix == ".ckpt")


class Weights(Callback):
    """Keeps the weights at every step_end, by step number."""

    def __init__(self, model: Any) -> None:
        self.model, self.by_step = model, {}

    def on_train_step_end(self, run_context: RunContext) -> None:
        self.by_step[run_context.original_args().cur_step_num] = weights_of(self.model)


def saved_weights(model: Any, path: Path) -> list[Any]:
    found = load_checkpoint(str(path))
    return [found[p.name].asnumpy().tolist() for p in model.train_network.get_parameters()]


@given(
    size=sizes,
    epoch=epochs,
    sink_size=st.integers(1, 5),
    every=st.integers(1, 12),
    most=st.integers(1, 4),
    dev=devices,
)
def test_p31_in_a_sink_checkpoints_come_at_multiples(
    size, epoch, sink_size, every, most, dev, tmp_path_factory
) -> None:
    folder = tmp_path_factory.mktemp("ckpt")
    context.set_context(mode=GRAPH, device_target=dev)
    config = CheckpointConfig(save_checkpoint_steps=every, keep_checkpoint_max=most)
    model = trainer()
    weights = Weights(model)
    saver = ModelCheckpoint("net", str(folder), config)
    model.train(
        epoch,
        regression(size),
        [weights, saver],
        dataset_sink_mode=True,
        sink_size=sink_size,
    )
    stride = math.ceil(every / sink_size)
    due = sorted({k for k in range(1, epoch + 1) if k % stride == 0} | {epoch})
    kept = due[-most:]
    assert names_in(folder) == sorted(f"net-{k}_{sink_size}.ckpt" for k in kept)
    for k in kept:
        path = folder / f"net-{k}_{sink_size}.ckpt"
        assert saved_weights(model, path) == weights.by_step[k * sink_size]
    assert saver.latest_ckpt_file_name == str(folder / f"net-{epoch}_{sink_size}.ckpt")


@given(size=sizes, epoch=epochs, every=st.integers(1, 9), most=st.integers(1, 4), mode=modes)
def test_p32_without_sink_checkpoints_come_every_so_many_steps(
    size, epoch, every, most, mode, tmp_path_factory
) -> None:
    folder = tmp_path_factory.mktemp("ckpt")
    context.set_context(mode=mode)
    config = CheckpointConfig(save_checkpoint_steps=every, keep_checkpoint_max=most)
    model = trainer()
    weights = Weights(model)
    model.train(epoch, regression(size), [weights, ModelCheckpoint("net", str(folder), config)])
    total = epoch * size
    due = sorted({*range(every, total + 1, every), total})
    by_name = {f"net-{(g - 1) // size + 1}_{(g - 1) % size + 1}.ckpt": g for g in due[-most:]}
    assert names_in(folder) == sorted(by_name)
    for name, g in by_name.items():
        assert saved_weights(model, folder / name) == weights.by_step[g]


def test_the_prefix_of_an_earlier_run_is_not_used_again(tmp_path) -> None:
    for expected_name in ("net-1_1.ckpt", "net_1-1_1.ckpt", "net_2-1_1.ckpt"):
        trainer().train(1, regression(1), ModelCheckpoint("net", str(tmp_path)))
        assert expected_name in names_in(tmp_path)


def test_the_checkpoint_of_an_exception_is_saved_when_asked_for(tmp_path) -> None:
    def fail(run_context: RunContext) -> None:
        if run_context.original_args().cur_step_num == 5:
            raise KeyError("stop")

    for saved in (False, True):
        config = CheckpointConfig(save_checkpoint_steps=100, exception_save=saved)
        callbacks = [
            ModelCheckpoint("net", str(tmp_path), config),
            LambdaCallback(on_train_step_end=fail),
        ]
        with pytest.raises(KeyError):
            trainer().train(3, regression(3), callbacks)
    assert names_in(tmp_path) == ["net-2_2_breakpoint.ckpt"]


def test_epoch_and_step_are_appended(tmp_path) -> None:
    config = CheckpointConfig(append_info=["epoch_num", "step_num", {"rate": 0.5}])
    trainer().train(2, regression(2), ModelCheckpoint("net", str(tmp_path), config))
    found = load_checkpoint(str(tmp_path / "net-2_1.ckpt"))
    assert [float(found[k].asnumpy()) for k in ("epoch_num", "step_num", "rate")] == [2, 3, 0.5]


def test_names_and_folders_may_be_functions(tmp_path) -> None:
    saver = ModelCheckpoint(
        lambda params: f"at{params.cur_step_num}",
        lambda params: str(tmp_path / f"epoch{params.cur_epoch_num}"),
    )
    trainer().train(2, regression(1), saver)
    assert names_in(tmp_path / "epoch1") == ["at1.ckpt"]
    assert names_in(tmp_path / "epoch2") == ["at2.ckpt"]


def test_another_network_can_be_saved(tmp_path) -> None:
    other = nn.Dense(2, 2)
    config = CheckpointConfig(saved_network=other)
    trainer().train(1, regression(1), ModelCheckpoint("net", str(tmp_path), config))
    assert load_checkpoint(str(tmp_path / "net-1_1.ckpt"))["weight"].shape == (2, 2)


def test_seconds_decide_when_there_are_no_steps(tmp_path, monkeypatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("minispore.train.callback.checkpoint.time.time", lambda: now[0])
    config = CheckpointConfig(save_checkpoint_steps=0, save_checkpoint_seconds=10)
    saver = ModelCheckpoint("net", str(tmp_path), config)
    later = LambdaCallback(on_train_step_begin=lambda c: now.__setitem__(0, now[0] + 6))
    trainer().train(1, regression(5), [later, saver])
    assert names_in(tmp_path) == ["net-1_2.ckpt", "net-1_4.ckpt", "net-1_5.ckpt"]


def test_one_file_of_each_period_is_kept(tmp_path) -> None:
    config = CheckpointConfig(keep_checkpoint_max=0, keep_checkpoint_per_n_minutes=1)
    saver = ModelCheckpoint("net", str(tmp_path), config)
    trainer().train(1, regression(4), saver)
    assert names_in(tmp_path) == ["net-1_1.ckpt", "net-1_4.ckpt"]


@pytest.mark.parametrize("format", list(FORMATS))
@pytest.mark.parametrize("async_save", [False, True, "process"])
def test_formats_and_threads(tmp_path, format, async_save) -> None:
    config = CheckpointConfig(format=format, async_save=async_save, crc_check=True)
    trainer().train(1, regression(2), ModelCheckpoint("net", str(tmp_path), config))
    found = load_checkpoint(str(tmp_path / f"net-1_2.{format}"), format=format, crc_check=True)
    assert "moments.weight" in found


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"save_checkpoint_steps": -1}, ValueError),
        ({"save_checkpoint_seconds": -1}, ValueError),
        ({"keep_checkpoint_max": 1.5}, TypeError),
        (
            {
                "save_checkpoint_steps": 0,
                "save_checkpoint_seconds": 0,
                "keep_checkpoint_max": 0,
                "keep_checkpoint_per_n_minutes": 0,
            },
            ValueError,
        ),
        ({"append_info": "epoch_num"}, TypeError),
        ({"append_info": ["epoch"]}, ValueError),
        ({"append_info": [1]}, TypeError),
        ({"append_info": [{}, {}]}, TypeError),
        ({"append_info": [{"a": [1]}]}, TypeError),
        ({"saved_network": 1}, TypeError),
        ({"integrated_save": 1}, TypeError),
        ({"async_save": "x"}, ValueError),
        ({"exception_save": 1}, TypeError),
        ({"format": "pt"}, ValueError),
    ],
)
def test_arguments_of_a_checkpoint_config(options, error) -> None:
    with pytest.raises(error):
        CheckpointConfig(**options)


def test_the_policy_of_a_config() -> None:
    config = CheckpointConfig(save_checkpoint_seconds=9, keep_checkpoint_per_n_minutes=9)
    assert config.save_checkpoint_seconds is None  # steps go first
    assert config.keep_checkpoint_per_n_minutes is None  # so does the maximum
    assert CheckpointConfig(keep_checkpoint_max=0).keep_checkpoint_max == 1
    assert config.get_checkpoint_policy()["save_checkpoint_steps"] == 1


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"prefix": 1}, ValueError),
        ({"prefix": "a/b"}, ValueError),
        ({"directory": 1}, TypeError),
        ({"config": {}}, TypeError),
    ],
)
def test_arguments_of_model_checkpoint(options, error, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error):
        ModelCheckpoint(**options)


def test_a_file_that_can_not_be_removed_is_a_warning(tmp_path) -> None:
    saver = ModelCheckpoint("net", str(tmp_path), CheckpointConfig(keep_checkpoint_max=1))
    saver._manager.ckpoint_filelist = [str(tmp_path / "gone.ckpt")]
    with pytest.warns(UserWarning, match="can't remove"):
        saver._manager.remove_ckpoint_file(str(tmp_path / "gone.ckpt"))


@pytest.mark.parametrize(
    "options", [{}, {"dataset_sink_mode": True}, {"sink_size": 1, "dataset_sink_mode": True}]
)
def test_in_graph_mode_the_graph_is_saved_once_and_compiled_once(options, tmp_path) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    model, data = trainer(), regression(2)
    before = seam.compiler.compiles
    model.train(2, data, ModelCheckpoint("net", str(tmp_path)), **options)
    assert seam.compiler.compiles == before + 1
    assert "ApplyMomentum" in (tmp_path / "net-graph.meta").read_text()
    context.set_context(mode=PYNATIVE)
    trainer().train(1, regression(1), ModelCheckpoint("other", str(tmp_path)))
    assert not (tmp_path / "other-graph.meta").exists()


class OpByOp(nn.Cell):
    """A network that can't be one graph: a shape in it depends on values."""

    def construct(self, x: Tensor) -> Tensor:
        return ops.nonzero(x).sum() * 1.0


@pytest.mark.parametrize("sink", [False, True])
@pytest.mark.filterwarnings("ignore:GRAPH_MODE.*op by op")
def test_a_network_that_is_no_graph_is_trained_op_by_op_and_has_no_graph_file(
    sink, tmp_path
) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    saver, outputs = ModelCheckpoint("net", str(tmp_path)), Params("net_outputs")
    data = numbers(3, shuffle=False)
    Model(OpByOp()).train(1, data, [saver, outputs], dataset_sink_mode=sink)
    assert float(outputs.values[-1].asnumpy()) == 1.0  # of the last batch, [4, 5]
    assert not (tmp_path / "net-graph.meta").exists()


def test_the_oldest_is_removed_only_when_the_new_one_is_there(tmp_path, monkeypatch) -> None:
    there = []
    write = checkpoint_file.write

    def look(*arguments: Any) -> None:
        there.append(len(os.listdir(tmp_path)))
        write(*arguments)

    monkeypatch.setattr(checkpoint_file, "write", look)
    saver = ModelCheckpoint("a", str(tmp_path), CheckpointConfig(keep_checkpoint_max=1))
    trainer().train(1, regression(3), saver)
    assert there == [0, 1, 1]
    assert os.listdir(tmp_path) == ["a-1_3.ckpt"]


def _full(monkeypatch) -> None:
    def fail(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint_file, "write", fail)


def test_a_save_by_a_thread_that_fails_is_raised_by_the_next(tmp_path, monkeypatch) -> None:
    _full(monkeypatch)
    save_checkpoint(nn.Dense(1, 1), str(tmp_path / "a"), async_save=True)
    with pytest.raises(OSError, match="No space") as caught:
        save_checkpoint(nn.Dense(1, 1), str(tmp_path / "b"), async_save=True)
    assert "a.ckpt" in caught.value.__notes__[0]
    wait_for_saves()  # it is raised once


def test_a_save_by_a_thread_that_fails_is_raised_when_the_training_ends(
    tmp_path, monkeypatch
) -> None:
    _full(monkeypatch)
    config = CheckpointConfig(save_checkpoint_steps=100, async_save=True)
    with pytest.raises(OSError, match="No space"):
        trainer().train(1, regression(2), ModelCheckpoint("a", str(tmp_path), config))


def test_a_save_by_a_thread_that_fails_is_told_of_when_python_ends(tmp_path) -> None:
    code = (
        "import os, minispore as ms\n"
        "from minispore import nn\n"
        f"os.mkdir({str(tmp_path / 'a')!r})\n"
        f"path = {str(tmp_path / 'a' / 'b.ckpt')!r}\n"
        f"os.rmdir({str(tmp_path / 'a')!r})\n"
        "ms.save_checkpoint(nn.Dense(1, 1), path, async_save=True)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "FileNotFoundError" in ended.stderr and "b.ckpt" in ended.stderr


def test_drafts_of_a_killed_training_are_removed_by_the_next(tmp_path) -> None:
    (tmp_path / ".a-1_2.ckpt.0123abcd.tmp").write_text("half")
    trainer().train(1, regression(1), ModelCheckpoint("a", str(tmp_path)))
    assert os.listdir(tmp_path) == ["a-1_1.ckpt"]


def test_the_record_knows_the_latest_file(tmp_path) -> None:
    seen = []
    look = LambdaCallback(
        on_train_end=lambda c: seen.append(
            (c.original_args().last_save_ckpt_step, c.original_args().latest_ckpt_file)
        )
    )
    trainer().train(1, regression(2), [ModelCheckpoint("net", str(tmp_path)), look])
    assert seen == [(2, str(tmp_path / "net-1_2.ckpt"))]


@pytest.mark.parametrize("suffix", ["ckpt", "safetensors"])
def test_python_s_own_modules_suffice_to_write_and_read(suffix: str, tmp_path: Path) -> None:
    program = (
        "import sys, minispore as ms\n"
        f"path, kind = sys.argv[1], {suffix!r}\n"
        "saved = [{'name': 'w', 'data': ms.Tensor([1.0])}]\n"
        "ms.save_checkpoint(saved, path, format=kind)\n"
        "ms.load_checkpoint(path, format=kind)\n"
        "print(*{'google', 'safetensors'} & {m.partition('.')[0] for m in sys.modules})\n"
    )
    path = str(tmp_path / f"net.{suffix}")
    run = [sys.executable, "-c", program, path]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout.split() == []


def test_complex_arrays_are_refused_in_safetensors(tmp_path) -> None:
    weights = [{"name": "c", "data": Tensor(np.ones(2, np.complex64))}]
    with pytest.raises(TypeError, match="reads no complex arrays from this format"):
        save_checkpoint(weights, str(tmp_path / "a"), format="safetensors")
    assert os.listdir(tmp_path) == []
    save_checkpoint(weights, str(tmp_path / "a"))
    assert load_checkpoint(str(tmp_path / "a.ckpt"))["c"].asnumpy().dtype == np.complex64


def test_empty_arrays_are_kept(tmp_path) -> None:
    save_checkpoint({"e": Tensor(np.zeros(0, np.float32))}, str(tmp_path / "a"))
    assert load_checkpoint(str(tmp_path / "a.ckpt"))["e"].shape == (0,)
