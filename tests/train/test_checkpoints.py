"""Checkpoints: files that MindSpore reads and writes too; any contents."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from minispore import nn
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation.protobuf import wire
from minispore.train import (
    async_ckpt_thread_status,
    load_checkpoint,
    load_param_into_net,
    save_checkpoint,
    serialization,
)
from minispore.train.files import checkpoint_file, safetensors_file
from minispore.train.files.async_saving import wait_for_saves
from tests.train.nets import (
    dense,
    regression,
    trainer,
    weights_of,
)

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "checkpoints"
DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DTYPES += ("float16", "float32", "float64")
FORMATS = {"ckpt": checkpoint_file, "safetensors": safetensors_file}


def expected() -> dict[str, np.ndarray]:
    outputs_by_name = {f"of.{t}": np.arange(6).reshape(2, 3).astype(t) for t in DTYPES}
    return outputs_by_name | {"scalar": np.array(2.5, np.float32), "one": np.array([7], np.int32)}


def same(actual: dict[str, Any], expected: dict[str, Any]) -> None:
    assert actual.keys() == expected.keys()
    for name, value in expected.items():
        if isinstance(value, str):
            assert actual[name] == value
        else:
            assert actual[name].dtype == value.dtype
            assert actual[name].shape == value.shape
            assert actual[name].tobytes() == value.tobytes()


# -- MindSpore's files -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mindspore.ckpt", "mindspore_crc.ckpt", "mindspore.safetensors"])
def test_a_file_of_mindspore_is_read(name) -> None:
    read = FORMATS[name.rpartition(".")[2]].read
    text = read(GOLDEN / name, crc=True)
    info = {
        "epoch_num": np.array(3, np.int64),
        "rate": np.array(0.5, np.float32),
        "flag": np.array(True),
        "text": "über",
    }
    same(text, expected() | (info if name == "mindspore.ckpt" else {}))


@pytest.mark.parametrize("name", ["mindspore.ckpt", "mindspore_crc.ckpt"])
def test_a_file_of_ours_is_mindspore_s_byte_for_byte(name, tmp_path) -> None:
    contents = checkpoint_file.read(GOLDEN / name)
    crc = "crc" in name
    checkpoint_file.write(tmp_path / name, contents, crc)
    ours, theirs = (tmp_path / name).read_bytes(), (GOLDEN / name).read_bytes()
    if crc:  # ours begins with a mark, of which the check sum is too
        ours = ours.removeprefix(checkpoint_file.CHECKED_FIELD)
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
        text = FORMATS[suffix].read(path)
    except checkpoint_file.CheckpointError as exc:
        assert str(path) in str(exc)
    except ImportError:
        pass  # the damage made a bfloat16 of it
    else:
        assert all(isinstance(v, np.ndarray | str) for v in text.values())


@pytest.mark.parametrize(
    "raw",
    [
        b"\x0a\xff\xff\xff\xff\x7f",  # a length of 34 GB
        b"\x0b",  # wire type 3
        b"\x0a" + b"\xff" * 11,  # a number without end
        b"\x00",  # field 0
        wire.encode_block(1, b""),  # a value without a name
        wire.encode_block(
            1, wire.encode_block(1, b"a") + wire.encode_block(2, wire.encode_integer(1, -1))
        ),  # shape (-1,)
        wire.encode_block(
            1, wire.encode_block(1, b"a") + wire.encode_block(2, wire.encode_integer(1, 2**62) * 2)
        ),
        wire.encode_block(
            1, wire.encode_block(1, b"a") + wire.encode_block(2, wire.encode_block(2, b"Object"))
        ),
        wire.encode_block(1, wire.encode_block(1, b"\xff") + wire.encode_block(2, b"")),  # no UTF-8
    ],
)
def test_malformed_bytes_raise_checkpoint_error(raw, tmp_path) -> None:
    path = tmp_path / "a.ckpt"
    path.write_bytes(raw)
    with pytest.raises(checkpoint_file.CheckpointError):
        checkpoint_file.read(path)


def test_a_wrong_mindspore_checksum_is_reported_only_with_crc(tmp_path) -> None:
    raw = bytearray((GOLDEN / "mindspore_crc.ckpt").read_bytes())
    raw[-20] ^= 1
    path = tmp_path / "a.ckpt"
    path.write_bytes(raw)
    checkpoint_file.read(path)
    with pytest.raises(checkpoint_file.CheckpointError, match="check sum"):
        checkpoint_file.read(path, crc=True)


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_changed_bit_is_reported_without_a_crc_option(suffix, tmp_path) -> None:
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
    extra = (
        wire.encode_integer(9, 5)
        + wire.encode_block(10, b"x")
        + b"\x59"
        + b"8" * 8
        + b"\x65"
        + b"4" * 4
    )
    path = tmp_path / "a.ckpt"
    checkpoint_file.write(path, {"a": np.ones(1, np.int8)}, crc=False)
    path.write_bytes(extra + path.read_bytes() + extra)
    same(checkpoint_file.read(path), {"a": np.ones(1, np.int8)})


def test_a_failed_write_leaves_only_the_previous_file(tmp_path, monkeypatch) -> None:
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
    second = trainer()
    assert load_param_into_net(second.train_network, load_checkpoint(f"{path}.ckpt")) == ([], [])
    assert weights_of(second) == weights_of(model)


def test_the_optimizer_s_state_is_in_it(tmp_path) -> None:
    path = str(tmp_path / "net.ckpt")
    save_checkpoint(trainer().train_network, path)
    params = load_checkpoint(path)
    assert {"weight", "bias", "learning_rate", "momentum", "moments.weight"} <= set(params)


def test_what_can_be_saved(tmp_path) -> None:
    path = str(tmp_path / "a.ckpt")
    w = Parameter(np.ones(2, np.float32), name="w")
    for obj in ([w], [{"name": "w", "data": Tensor([1.0, 1.0])}], {"w": w}, {"w": np.ones(2)}):
        save_checkpoint(obj, path)
        assert load_checkpoint(path)["w"].asnumpy().tolist() == [1.0, 1.0]
    save_checkpoint([w], path, append_dict={"n": 1, "x": 0.5, "b": True, "t": "a", "p": w})
    params = load_checkpoint(path)
    assert (int(params["n"].asnumpy()), bool(params["b"].asnumpy()), params["t"]) == (1, True, "a")
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
    arguments = {"save_obj": dense(), "ckpt_file_name": str(tmp_path / "a.ckpt"), **options}
    with pytest.raises(error):
        save_checkpoint(**arguments)
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
        ({"choice_func": lambda name: name.startswith(123)}, ValueError),
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


@pytest.mark.parametrize(("missing", "shown"), [(5, "4.bias"), (6, r"4.bias, \.\.\.")])
def test_the_first_five_that_are_missing_are_named(missing: int, shown: str) -> None:
    net = nn.CellList([nn.Dense(1, 1, has_bias=True) for _ in range(missing)])
    params = {f"{i}.weight": Parameter(np.ones((1, 1), np.float32)) for i in range(missing)}
    with pytest.warns(UserWarning, match=f"{missing} parameters .*{shown}\\.( |$)"):
        load_param_into_net(net, params)


def test_trailing_ones_of_a_shape_are_dropped() -> None:
    net = dense()
    four = {
        "weight": Parameter(np.ones((1, 3, 1, 1), np.float32), name="weight"),
        "bias": Parameter(np.ones(1, np.float32), name="bias"),
    }
    load_param_into_net(net, four)
    assert net.weight.shape == (1, 3)


def test_a_common_prefix_of_names_is_matched_unless_strict() -> None:
    values_by_name = {
        f"network.{n}": Parameter(np.full(s, 2, np.float32), name=f"network.{n}")
        for n, s in (("weight", (1, 3)), ("bias", (1,)))
    }
    net = dense()
    # as in MindSpore, what was found by its prefix is still told as not used
    assert load_param_into_net(net, values_by_name) == ([], ["network.weight", "network.bias"])
    assert net.bias.asnumpy().tolist() == [2.0]
    with pytest.warns(UserWarning):
        missing, unused = load_param_into_net(net, values_by_name, strict_load=True)
    assert missing == ["weight", "bias"]
    assert unused == ["network.weight", "network.bias"]


@pytest.mark.parametrize("net", [1, None])
def test_what_is_loaded_into_must_be_a_cell(net) -> None:
    with pytest.raises(TypeError):
        load_param_into_net(net, {})


def test_a_dict_of_something_else_is_refused() -> None:
    with pytest.raises(TypeError):
        load_param_into_net(dense(), {"weight": np.ones(3)})


def test_async_save_stores_the_values_at_the_time_of_the_call(tmp_path) -> None:
    net = dense()
    save_checkpoint(net, str(tmp_path / "a.ckpt"), async_save=True)
    net.bias.set_data(Tensor([9.0]))
    wait_for_saves()
    assert not async_ckpt_thread_status()
    assert load_checkpoint(str(tmp_path / "a.ckpt"))["bias"].asnumpy().tolist() == [0.0]


@pytest.mark.parametrize("flag", ["strict_load", "remove_redundancy"])
def test_flags_of_loading_are_bools(flag: str) -> None:
    with pytest.raises(TypeError, match=f"load_param_into_net: {flag} must be a bool, got 1"):
        load_param_into_net(dense(), {}, **{flag: 1})


def test_a_file_without_a_check_sum_says_once_what_it_gives_up(tmp_path, monkeypatch) -> None:
    texts: list[str] = []
    monkeypatch.setattr(serialization.log, "warning", lambda text, *_: texts.append(text))
    serialization._warn_of_missing_checksum.cache_clear()
    net = nn.Dense(1, 1)
    save_checkpoint(net, str(tmp_path / "a.ckpt"))
    assert texts == []
    for format in ("ckpt", "safetensors"):
        save_checkpoint(net, str(tmp_path / "a"), crc_check=False, format=format)
    assert len(texts) == 1 and texts[0].startswith("save_checkpoint: crc_check is False")
