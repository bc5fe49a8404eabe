"""Files of checkpoints at the edges of their formats: what is the last that is read."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minispore.foundation.protobuf import wire
from minispore.train.files import checkpoint_file, cipher, safetensors_file
from minispore.train.files.checkpoint_file import CheckpointError

# -- .ckpt -----------------------------------------------------------------------------------------


def value(name: str = "a", dims: Any = (1,), kind: str = "Int8", data: bytes = b"\x07") -> bytes:
    """One value of a file, as MindSpore writes it; ``dims`` may be bytes: packed."""
    shape = (
        wire.encode_block(1, dims)
        if isinstance(dims, bytes)
        else b"".join([wire.encode_integer(1, d) for d in dims])
    )
    tensor = shape + wire.encode_block(2, kind.encode()) + wire.encode_block(3, data)
    return wire.encode_block(1, wire.encode_block(1, name.encode()) + wire.encode_block(2, tensor))


def read(tmp_path: Path, raw: bytes, **how: Any) -> dict[str, Any]:
    (tmp_path / "a.ckpt").write_bytes(raw)
    return checkpoint_file.read(tmp_path / "a.ckpt", **how)


def refused(tmp_path: Path, raw: bytes, text: str) -> None:
    with pytest.raises(CheckpointError, match=text):
        read(tmp_path, raw)


def test_bounds_are_those_of_the_format() -> None:
    assert checkpoint_file.SLICE_BYTES == 512 * 2**20
    assert cipher._CHUNK_BYTES == 64 * 2**20
    assert safetensors_file.MAX_HEADER_BYTES == 10**8


def test_a_value_that_mindspore_wrote_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, value())["a"].tolist() == [7]
    assert read(tmp_path, value(dims=bytes([1, 1])))["a"].tolist() == [[7]]  # packed


def test_a_scalar_of_shape_0_is_a_scalar(tmp_path: Path) -> None:
    text = read(tmp_path, value(dims=(0,)))["a"]
    assert text.shape == () and text.item() == 7
    assert read(tmp_path, value(dims=(0,), data=b""))["a"].shape == (0,)


def test_a_shape_has_64_sizes_at_most(tmp_path: Path) -> None:
    body = checkpoint_file._decode_tensor(memoryview(wire.encode_integer(1, 1) * 64), "a")
    assert body[0] == [1] * 64
    with pytest.raises(wire.WireError, match="has the shape"):
        checkpoint_file._decode_tensor(memoryview(wire.encode_integer(1, 1) * 65), "a")
    with pytest.raises(wire.WireError, match="has the shape"):
        checkpoint_file._decode_tensor(
            memoryview(wire.encode_integer(1, 1) + wire.encode_integer(1, -1)), "a"
        )


def test_a_packed_shape_takes_640_bytes_at_most(tmp_path: Path) -> None:
    ten = b"\x81" + b"\x80" * 8 + b"\x00"  # the number 1 in ten bytes
    assert (
        checkpoint_file._decode_tensor(memoryview(wire.encode_block(1, ten * 64)), "a")[0]
        == [1] * 64
    )
    refused(tmp_path, value(dims=ten * 64 + b"\x01"), "a shape takes 641 bytes")


def test_a_name_takes_65536_bytes_at_most(tmp_path: Path) -> None:
    assert list(read(tmp_path, value("n" * 65536))) == ["n" * 65536]
    refused(tmp_path, value("n" * 65537), "a name is no text or too long")


def test_values_that_say_nothing_are_passed_over(tmp_path: Path) -> None:
    nothing = wire.encode_integer(1, 5) + wire.encode_block(
        1, wire.encode_block(1, b"b") + wire.encode_integer(2, 3)
    )
    nothing += wire.encode_block(1, wire.encode_block(1, b"c"))
    assert list(read(tmp_path, nothing + value() + nothing)) == ["a"]


def test_a_value_without_a_name_is_refused(tmp_path: Path) -> None:
    refused(tmp_path, wire.encode_block(1, wire.encode_block(2, b"")), "a value has no name")


def test_slices_of_one_array_must_agree(tmp_path: Path) -> None:
    halves = value(dims=(2,), data=b"\x01") + value(dims=(2,), data=b"\x02")
    assert read(tmp_path, halves)["a"].tolist() == [1, 2]
    refused(tmp_path, value(dims=(2,)) + value(dims=(3,)), "its slices disagree")
    refused(tmp_path, value(dims=(2,)) + value(dims=(2,), kind="UInt8"), "its slices disagree")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (value(kind="str", data=b"abc"), "a text of 3 bytes is no UTF-32"),
        (value(kind="Complex7"), "unknown type 'Complex7'"),
        (value(dims=(2,)), r"1 bytes do not make a Int8 of the shape \[2\]"),
        (value(dims=(1,), kind="Int16"), "1 bytes do not make a Int16"),
    ],
)
def test_bytes_that_make_no_content_are_refused(tmp_path: Path, raw: bytes, text: str) -> None:
    refused(tmp_path, raw, text)


def test_a_text_ends_before_its_zeros(tmp_path: Path) -> None:
    raw = value(dims=(0,), kind="str", data="ab\0".encode("utf-32-le"))
    assert read(tmp_path, raw) == {"a": "ab"}


def test_a_file_of_nothing_but_a_check_sum_is_empty(tmp_path: Path) -> None:
    assert read(tmp_path, b"crc_num" + bytes(10), crc=True) == {}
    assert read(tmp_path, b"", crc=True) == {}


def test_a_checksum_is_written_by_default_and_required_only_with_crc(tmp_path: Path) -> None:
    contents = {"a": np.int8([7])}
    checkpoint_file.write(tmp_path / "a.ckpt", contents)
    raw = (tmp_path / "a.ckpt").read_bytes()
    assert raw[-17:-10] == b"crc_num"
    unmarked = bytearray(raw.removeprefix(checkpoint_file.CHECKED_FIELD))
    assert read(tmp_path, unmarked)["a"].tolist() == [7]
    with pytest.raises(CheckpointError, match="check sum"):
        read(tmp_path, unmarked, crc=True)
    checkpoint_file.write(tmp_path / "b.ckpt", contents, crc=False)
    assert (tmp_path / "b.ckpt").read_bytes() == value()


# -- encrypted -------------------------------------------------------------------------------------

KEY = bytes(range(16))


@pytest.fixture
def crypto() -> None:
    pytest.importorskip("cryptography", reason="the extra crypto is not there")


@pytest.mark.parametrize("mode", cipher.MODES)
@pytest.mark.parametrize("length", [1, 15, 16, 17, 32, 33, 64, 100])
def test_multi_block_ciphers_decrypt_to_the_plain_bytes(crypto, monkeypatch, mode, length) -> None:
    monkeypatch.setattr(cipher, "_CHUNK_BYTES", 32)
    plain = bytes(range(length))
    hidden = cipher.encrypt(plain, KEY, mode)
    assert hidden.count(cipher._MAGIC[mode]) == -(-length // 32)
    assert cipher.decrypt(memoryview(hidden), KEY, mode) == plain


def block(plain: bytes, width: int = 16, lost: int = 0) -> bytes:
    """One block of AES-CBC whose plain bytes need not be as they must."""
    iv = bytes(16)
    encryptor = cipher._make_cipher(KEY, "AES-CBC", iv, None).encryptor()
    hidden = encryptor.update(plain) + encryptor.finalize()
    length = struct.Struct("<I")
    body = length.pack(width) + iv[:width] + length.pack(len(hidden)) + hidden
    body = body[: len(body) - lost]
    return b"\xd9\x5e\x3a\x7f" + length.pack(len(body)) + body


@pytest.mark.parametrize("fill", [1, 2, 15, 16])
def test_a_block_is_filled_up_by_1_to_16_bytes(crypto, fill: int) -> None:
    raw = block(b"x" * (16 - fill) + bytes([fill]) * fill)
    assert cipher.decrypt(memoryview(raw), KEY, "AES-CBC") == b"x" * (16 - fill)


@pytest.mark.parametrize(
    "raw",
    [
        {"plain": b"x" * 15 + b"\0"},
        {"plain": b"\x11" * 32},
        {"plain": b"x" * 14 + b"\x01\x02"},
        {"plain": b"x" * 15 + b"\x01", "width": 12},
        {"plain": b"x" * 15 + b"\x01", "lost": 1},
    ],
)
def test_a_block_that_is_none_is_refused(crypto, raw: dict[str, Any]) -> None:
    with pytest.raises(cipher.CipherError):
        cipher.decrypt(memoryview(block(**raw)), KEY, "AES-CBC")


@pytest.mark.parametrize(
    ("length", "mode", "lengths"),
    [(15, "AES-GCM", "16 or 24 or 32"), (24, "SM4-CBC", "16"), (33, "AES-CBC", "16 or 24 or 32")],
)
def test_a_key_of_another_length_is_refused(crypto, length, mode, lengths) -> None:
    text = f"enc_key must have {lengths} bytes in mode {mode}, got {length}"
    with pytest.raises(ValueError, match=text):
        cipher.check_key("who", "enc_key", bytes(length), mode)
    with pytest.raises(ValueError, match="enc_mode must be one of AES-GCM, AES-CBC, SM4-CBC"):
        cipher.check_key("who", "enc_key", KEY, "DES")


# -- safetensors -----------------------------------------------------------------------------------


def tensors(tmp_path: Path, header: Any, body: bytes = b"", length: int | None = None) -> Any:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    size = len(text) if length is None else length
    (tmp_path / "a.safetensors").write_bytes(size.to_bytes(8, "little") + text + body)
    return safetensors_file.read(tmp_path / "a.safetensors")


def entry(start: Any = 0, stop: Any = 2, shape: Any = (2,), dtype: str = "U8") -> dict[str, Any]:
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [start, stop]}


def test_the_smallest_file_is_empty(tmp_path: Path) -> None:
    assert tensors(tmp_path, b"{}") == {}
    assert tensors(tmp_path, {"a": entry()}, b"\1\2")["a"].tolist() == [1, 2]
    assert tensors(tmp_path, {"a": entry(0, 0, (0, 3))})["a"].shape == (0, 3)


@pytest.mark.parametrize("size", [0, 7])
def test_a_file_without_a_header_is_refused(tmp_path: Path, size: int) -> None:
    (tmp_path / "a.safetensors").write_bytes(bytes(size))
    with pytest.raises(CheckpointError, match=f"a header of -1 bytes in a file of {size}"):
        safetensors_file.read(tmp_path / "a.safetensors")


@pytest.mark.parametrize(
    ("header", "body", "length", "text"),
    [
        (b"7", b"", 1, "a header of 1 bytes"),
        (b"{}", b"", 3, "a header of 3 bytes in a file of 10"),
        (b"[]", b"", None, "the header is no object"),
        ({"a": entry(shape=(3,))}, b"12", None, "does not fit into 2 bytes"),
        ({"a": entry(dtype="I16", shape=(2,))}, b"12", None, "does not fit into 2 bytes"),
        ({"a": entry(2, 0, ())}, b"12", None, "leaves bytes before it"),
        ({"a": entry(0, 2, (-1, -2))}, b"12", None, "shape and offsets must be numbers"),
        ({"a": entry(0, 2, (2.0,))}, b"12", None, "shape and offsets must be numbers"),
        ({"a": entry(0.0, 2)}, b"12", None, "shape and offsets must be numbers"),
        ({"a": entry(dtype="X8")}, b"12", None, "X8"),
    ],
)
def test_a_header_that_is_none_is_refused(tmp_path, header, body, length, text) -> None:
    with pytest.raises(CheckpointError, match=text):
        tensors(tmp_path, header, body, length)


@pytest.mark.parametrize("crc", [True, False])
def test_a_part_of_a_file_is_read_and_all_of_it_summed(tmp_path: Path, crc: bool) -> None:
    path = tmp_path / "a.safetensors"
    safetensors_file.write(path, {"b": np.int8([1, 2]), "a": np.float32([3])}, crc)
    text = safetensors_file.read(path, lambda name: name == "b")
    assert {name: a.tolist() for name, a in text.items()} == {"b": [1, 2]}
    raw = bytearray(path.read_bytes())
    raw[-6] ^= 1  # in a, which comes first
    path.write_bytes(raw)
    if crc:
        with pytest.raises(CheckpointError, match="check sum"):
            safetensors_file.read(path, lambda name: name == "b")
    else:
        assert list(safetensors_file.read(path, lambda name: name == "b")) == ["b"]


def test_safetensors_arrays_start_at_multiples_of_8_with_a_checksum(tmp_path: Path) -> None:
    for length in range(1, 9):
        safetensors_file.write(tmp_path / "a.safetensors", {"n" * length: np.int8([1, 2, 3])})
        raw = (tmp_path / "a.safetensors").read_bytes()
        head = int.from_bytes(raw[:8], "little")
        assert head % 8 == 0 and raw[8 + head :] == b"\1\2\3"
        assert raw[8 : 8 + head].count(b" ") < 8
        assert b'"crc_num"' in raw


@pytest.mark.parametrize("content", ["text", np.ones(1, np.complex64)])
def test_what_safetensors_can_not_hold_is_refused(tmp_path: Path, content: Any) -> None:
    with pytest.raises(TypeError, match="safetensors: 'a' is"):
        safetensors_file.write(tmp_path / "a.safetensors", {"a": content})
    assert list(tmp_path.iterdir()) == []
