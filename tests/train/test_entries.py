"""What scripts write into checkpoints, and read out of them, by MindSpore's own functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, load_checkpoint, nn, save_checkpoint
from minispore.train.serialization import (
    Checkpoint,
    _exec_save,
    _parse_ckpt_proto,
    tensor_to_ms_type,
    tensor_to_np_type,
)

TYPES = [kind for kind in tensor_to_ms_type if kind != "str"]


def parsed(path: Path, key: bytes | None = None, mode: str = "AES-GCM") -> Any:
    return _parse_ckpt_proto(str(path), key, mode, False)


def read_by_hand(path: Path) -> dict[str, Any]:
    """A checkpoint as scripts read it."""
    actual = {}
    for entry in parsed(path).value:
        kind, content = entry.tensor.tensor_type, entry.tensor.tensor_content
        data = np.frombuffer(content, tensor_to_np_type(kind))
        assert tensor_to_np_type.get(kind) is tensor_to_np_type[kind]
        actual[entry.tag] = data[0] if entry.tensor.dims == [0] else data.reshape(entry.tensor.dims)
    return actual


@pytest.mark.parametrize("kind", TYPES)
def test_a_tensor_of_each_type_goes_out_and_in(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "any.name"
    value = Tensor(np.array([[1, 0, 2]]), tensor_to_ms_type[kind])
    _exec_save(str(path), {"w": [[1, 3], kind, value]})
    assert read_by_hand(path)["w"].tolist() == value.asnumpy().tolist()
    _exec_save(str(tmp_path / "a.ckpt"), {"w": [(1, 3), kind, value.asnumpy().reshape(-1)]})
    loaded = load_checkpoint(str(tmp_path / "a.ckpt"))["w"]
    assert (loaded.dtype, loaded.shape) == (value.dtype, (1, 3))


def test_numbers_and_texts_have_dims_of_0(tmp_path: Path) -> None:
    path = tmp_path / "a.ckpt"
    entries = {"n": [[0], "Int32", np.array(3, np.int32)], "t": [[0], "str", np.array("abc")]}
    _exec_save(str(path), entries)
    assert [list(e.tensor.dims) for e in parsed(path).value] == [[0], [0]]
    loaded = load_checkpoint(str(path))
    assert (loaded["n"].asnumpy().item(), loaded["t"]) == (3, "abc")
    text = parsed(path).value[1].tensor
    assert np.frombuffer(text.tensor_content, np.dtype("U3"))[0] == "abc"


def test_what_save_checkpoint_wrote_is_parsed(tmp_path: Path) -> None:
    net = nn.SequentialCell(nn.Dense(2, 3), nn.BatchNorm1d(3))
    path = tmp_path / "net.ckpt"
    save_checkpoint(net, str(path), append_dict={"epoch": 4})
    by_hand = read_by_hand(path)
    for p in net.get_parameters():
        assert (by_hand.pop(p.name) == p.asnumpy()).all()
    assert by_hand == {"epoch": 4}
    assert type(parsed(path)) is Checkpoint
    assert Checkpoint.FromString(parsed(path).SerializeToString()) == parsed(path)


def test_a_file_of_entries_may_be_encrypted_or_of_the_other_format(tmp_path: Path) -> None:
    key, entries = b"0123456789abcdef", {"w": [[1], "Float32", Tensor([1.0])]}
    _exec_save(str(tmp_path / "e.ckpt"), entries, key, "AES-CBC")
    assert parsed(tmp_path / "e.ckpt", key, "AES-CBC").value[0].tag == "w"
    with pytest.raises(ValueError, match="is encrypted"):
        parsed(tmp_path / "e.ckpt")
    _exec_save(str(tmp_path / "w.safetensors"), entries, format="safetensors")
    loaded = load_checkpoint(str(tmp_path / "w.safetensors"), format="safetensors")
    assert loaded["w"].dtype is ms.float32
    _exec_save(str(tmp_path / "c.ckpt"), entries, crc_check=True)
    damaged = bytearray((tmp_path / "c.ckpt").read_bytes())
    damaged[12] ^= 1
    (tmp_path / "c.ckpt").write_bytes(damaged)
    with pytest.raises(ValueError, match=r"check sum|no checkpoint"):
        parsed(tmp_path / "c.ckpt")


@pytest.mark.parametrize(
    ("entry", "format", "error"),
    [
        ([[3], "Float32", Tensor([1.0])], "ckpt", ValueError),
        ([[1], "Float31", Tensor([1.0])], "ckpt", KeyError),
        ([[1], "Float32", Tensor([1.0])], "onnx", ValueError),
    ],
)
def test_what_is_no_entry_leaves_no_file(
    entry: Any, format: str, error: Any, tmp_path: Path
) -> None:
    with pytest.raises(error):
        _exec_save(str(tmp_path / "a.ckpt"), {"w": entry}, format=format)
    assert list(tmp_path.iterdir()) == []
