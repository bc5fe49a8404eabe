"""MindSpore's ``.ckpt`` files: arrays or strings by name.

::

    Checkpoint  = repeated Value value = 1, int64 checked = 15
    Value       = string tag = 1, TensorProto tensor = 2
    TensorProto = repeated int64 dims = 1, string tensor_type = 2, bytes tensor_content = 3

An array of more than 512 MB is split into several consecutive values with the same tag. A string
has the type ``str``, dims ``[0]`` and the content of a NumPy unicode scalar. With ``crc_check`` the
file ends with ``crc_num`` and the CRC-32 of all bytes before it, in 10 bytes, big endian. minispore
also marks such files at their beginning with a field that MindSpore ignores, to detect a truncated
file.
"""

from __future__ import annotations

import binascii
import itertools
import math
import os
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from minispore.foundation.files import replacing
from minispore.foundation.protobuf import wire
from minispore.ir import dtype as mstype
from minispore.train.files import cipher

Content = np.ndarray | str

SLICE_BYTES = 512 << 20
MAX_DIMS = 64
_MAX_VARINT_BYTES = 10  # of one integer encoded by protobuf
PROGRESS_PREFIX = "_resume."  # prefix of the entries that record the training's progress
MAX_NAME_BYTES = 1 << 16
CRC_MARK, _CRC_BYTES = b"crc_num", 10
CHECKED_FIELD = wire.encode_integer(15, 1)  # the first field of a file that ends with a checksum
_DTYPES_BY_NAME = {str(t): t for t in mstype.all_types if t is not mstype.string}


class CheckpointError(ValueError):
    """The error for a file that is not a checkpoint, or is damaged."""


# -- writing ---------------------------------------------------------------------------------------


def write(
    path: str | os.PathLike[str],
    contents: Mapping[str, Content],
    crc: bool = True,
    key: bytes | None = None,
    mode: str = "AES-GCM",
) -> None:
    """Write a checkpoint, encrypted if there is a key; an existing file is replaced when complete.

    With ``crc`` the file ends with a checksum, unless it is encrypted.
    """
    with replacing(path) as file:
        checksum = 0
        if key is not None:
            file.write(cipher.encrypt(b"".join(_encode_contents(contents)), key, mode))
            return
        for piece in itertools.chain([CHECKED_FIELD] * crc, _encode_contents(contents)):
            if crc:
                checksum = binascii.crc32(piece, checksum)
            file.write(piece)
        if crc:
            file.write(CRC_MARK + checksum.to_bytes(_CRC_BYTES, "big"))


def _encode_contents(contents: Mapping[str, Content]) -> Iterator[bytes | memoryview]:
    """Yield the encoded bytes of all contents, arrays in slices of at most ``SLICE_BYTES``."""
    for name, content in contents.items():
        if isinstance(content, str):
            data, dims, type_name = np.array(content).tobytes(), [0], "str"
            yield from _encode_value(name, dims, type_name, memoryview(data))
            continue
        type_name = str(mstype.from_numpy(content.dtype))
        # View as bytes, since bfloat16 and bool have no buffer format.
        data_view = np.ascontiguousarray(content).reshape(-1).view(np.uint8).data
        for offset in range(0, max(len(data_view), 1), SLICE_BYTES):
            yield from _encode_value(
                name, list(content.shape), type_name, data_view[offset : offset + SLICE_BYTES]
            )


def _encode_value(
    name: str, dims: list[int], type_name: str, data: memoryview
) -> Iterator[bytes | memoryview]:
    """Yield the encoded bytes of one value of a checkpoint: its head, then its data without a
    copy.
    """
    shape = b"".join([wire.encode_integer(1, d) for d in dims])
    tensor_head = shape + wire.encode_block(2, type_name.encode()) + wire.encode_head(3, len(data))
    tag = wire.encode_block(1, name.encode())
    tensor_length = len(tensor_head) + len(data)
    body = tag + wire.encode_head(2, tensor_length) + tensor_head
    yield wire.encode_head(1, len(body) + len(data)) + body
    yield data


# -- reading ---------------------------------------------------------------------------------------


def read(
    path: str | os.PathLike[str],
    is_requested: Callable[[str], bool] = lambda name: True,
    crc: bool = False,
    key: bytes | None = None,
    mode: str = "AES-GCM",
) -> dict[str, Content]:
    """Read the contents of a checkpoint, in file order.

    Args:
        path: the file.
        is_requested: returns whether to read a name.
        crc: verify the checksum, if the file has one; that of minispore's files is always verified.
        key: the key of an encrypted file.
        mode: the mode of its encryption.

    Raises:
        CheckpointError: the file is damaged, truncated, encrypted with another key, or not a
            checkpoint.
    """
    with open(path, "rb") as file:
        data = memoryview(file.read())
    if key is None and cipher.is_encrypted(data):
        raise CheckpointError(f"{path}: is encrypted. Pass its key as dec_key.")
    if key is not None:
        if not cipher.is_encrypted(data):
            raise CheckpointError(f"{path}: is not encrypted. Leave out dec_key.")
        try:
            data = memoryview(cipher.decrypt(data, key, mode))
        except cipher.CipherError as exc:
            raise CheckpointError(f"{path}: {exc}. Check dec_key and dec_mode.") from exc
    must_have_checksum = data[: len(CHECKED_FIELD)] == CHECKED_FIELD
    mark_offset = len(data) - _CRC_BYTES - len(CRC_MARK)
    if mark_offset >= 0 and data[mark_offset : mark_offset + len(CRC_MARK)] == CRC_MARK:
        expected = int.from_bytes(data[-_CRC_BYTES:], "big")
        data = data[:mark_offset]
        if (crc or must_have_checksum) and binascii.crc32(data) != expected:
            raise CheckpointError(f"{path}: the check sum does not fit; the file is damaged.")
    elif must_have_checksum:
        raise CheckpointError(f"{path}: its end, with the check sum, is lost; it is no whole file.")
    try:
        return _decode_contents(data, is_requested)
    except ValueError as exc:
        raise CheckpointError(f"{path}: is no checkpoint, or a damaged one: {exc}.") from exc


def _decode_contents(data: memoryview, is_requested: Callable[[str], bool]) -> dict[str, Content]:
    """Decode the requested contents of a checkpoint; join the slices of each.

    Raises:
        ValueError: the data is damaged.
    """
    slices: dict[str, list[memoryview]] = {}
    heads: dict[str, tuple[list[int], str]] = {}
    for field, value in wire.iterate_fields(data):
        if field != 1 or not isinstance(value, memoryview):
            continue
        name, tensor = "", None
        for inner_field, content in wire.iterate_fields(value):
            if inner_field == 1:
                name = _decode_text(content, "a name")
            elif inner_field == 2 and isinstance(content, memoryview):
                tensor = content
        if not name:
            raise wire.WireError("a value has no name")
        if tensor is None or not is_requested(name):
            continue
        dims, type_name, body = _decode_tensor(tensor, name)
        if heads.setdefault(name, (dims, type_name)) != (dims, type_name):
            raise wire.WireError(f"{name!r}: its slices disagree about shape or type")
        slices.setdefault(name, []).append(body)
    return {name: _join_slices(name, *heads[name], chunks) for name, chunks in slices.items()}


def _decode_tensor(data: memoryview, name: str) -> tuple[list[int], str, memoryview]:
    """Decode a TensorProto into dims, type name and content; errors begin with ``name``."""
    dims: list[int] = []
    type_name, body = "", memoryview(b"")
    for field, value in wire.iterate_fields(data):
        if field == 1:  # dims, which newer writers may pack into one field
            if isinstance(value, memoryview) and len(value) > MAX_DIMS * _MAX_VARINT_BYTES:
                raise wire.WireError(f"a shape takes {len(value)} bytes")
            dims += wire.decode_integers(value).tolist()
        elif field == 2:
            type_name = _decode_text(value, "a type")
        elif field == 3 and isinstance(value, memoryview):
            body = value
    if len(dims) > MAX_DIMS or any(d < 0 for d in dims):
        raise wire.WireError(f"{name!r}: has the shape {dims[: MAX_DIMS + 1]}")
    return dims, type_name, body


def _decode_text(data: wire.FieldValue, description: str) -> str:
    """Decode a UTF-8 name; raises WireError, naming ``description``, if it is too long."""
    if not isinstance(data, memoryview) or len(data) > MAX_NAME_BYTES:
        raise wire.WireError(f"{description} is no text or too long")
    return bytes(data).decode("utf-8")


def _join_slices(name: str, dims: list[int], type_name: str, chunks: list[memoryview]) -> Content:
    """Return the string or array stored in the slices.

    Raises:
        WireError: the type is unknown, or the length does not fit.
    """
    length = sum(map(len, chunks))
    if type_name == "str":
        if length % 4:
            raise wire.WireError(f"{name!r}: a text of {length} bytes is no UTF-32")
        return b"".join(chunks).decode("utf-32-le").rstrip("\0")
    if type_name not in _DTYPES_BY_NAME:
        raise wire.WireError(f"{name!r}: has the unknown type {type_name!r}")
    dtype = mstype.to_numpy(_DTYPES_BY_NAME[type_name])
    if dims == [0] and length:
        dims = []  # a scalar, which MindSpore sometimes writes so
    if math.prod(dims) * dtype.itemsize != length:
        raise wire.WireError(
            f"{name!r}: {length} bytes do not make a {type_name} of the shape {dims}"
        )
    array = np.empty(math.prod(dims), dtype)
    array_bytes, offset = array.view(np.uint8), 0
    for chunk in chunks:
        array_bytes[offset : offset + len(chunk)] = np.frombuffer(chunk, np.uint8)
        offset += len(chunk)
    return array.reshape(dims)
