"""MindSpore's ``.ckpt`` files: names with arrays or texts.

::

    Checkpoint  = repeated Value value = 1, int64 checked = 15
    Value       = string tag = 1, TensorProto tensor = 2
    TensorProto = repeated int64 dims = 1, string tensor_type = 2, bytes tensor_content = 3

An array of more than 512 MB is several values of one tag, one after the other. A text has the type
``str``, dims ``[0]`` and the content of a NumPy unicode scalar. With ``crc_check`` the file ends
with ``crc_num`` and the CRC-32 of all before it, in 10 bytes, big end first. Our files say so at
their beginning too, by a field that MindSpore passes over: one that lost its end is no whole file.
"""

from __future__ import annotations

import binascii
import itertools
import math
import os
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from minispore.core import dtype as mstype
from minispore.foundation.files import replacing
from minispore.foundation.protobuf import wire
from minispore.train.files import cipher

Content = np.ndarray | str

SLICE_BYTES = 512 << 20
MAX_DIMS = 64
PLACE = "_resume."  # how the names of entries begin that are no parameters but say a place
MAX_NAME_BYTES = 1 << 16
_CRC_MARK, _CRC_BYTES = b"crc_num", 10
CHECKED = wire.encode_integer(15, 1)  # at the beginning of a file that ends with its check sum
_KINDS = {str(t): t for t in mstype.all_types if t is not mstype.string}


class CheckpointError(ValueError):
    """The file is no checkpoint, or a damaged one."""


# -- writing ---------------------------------------------------------------------------------------


def write(
    path: str | os.PathLike[str],
    contents: Mapping[str, Content],
    crc: bool = True,
    key: bytes | None = None,
    mode: str = "AES-GCM",
) -> None:
    """Write a checkpoint: whole, or not at all; encrypted, if there is a key.

    An encrypted one has no check sum: it opens with its key, or not at all.
    """
    with replacing(path) as file:
        check = 0
        if key is not None:
            file.write(cipher.encrypted(b"".join(_pieces(contents)), key, mode))
            return
        for piece in itertools.chain([CHECKED] * crc, _pieces(contents)):
            if crc:
                check = binascii.crc32(piece, check)
            file.write(piece)
        if crc:
            file.write(_CRC_MARK + check.to_bytes(_CRC_BYTES, "big"))


def _pieces(contents: Mapping[str, Content]) -> Iterator[bytes | memoryview]:
    for name, content in contents.items():
        if isinstance(content, str):
            data, dims, kind = np.array(content).tobytes(), [0], "str"
            yield from _value(name, dims, kind, memoryview(data))
            continue
        kind = str(mstype.from_numpy(content.dtype))
        # A view as bytes; bfloat16 and bool have no buffer format of their own.
        data_view = np.ascontiguousarray(content).reshape(-1).view(np.uint8).data
        for at in range(0, max(len(data_view), 1), SLICE_BYTES):
            yield from _value(name, list(content.shape), kind, data_view[at : at + SLICE_BYTES])


def _value(name: str, dims: list[int], kind: str, data: memoryview) -> Iterator[bytes | memoryview]:
    shape = b"".join([wire.encode_integer(1, d) for d in dims])
    tensor_head = shape + wire.encode_block(2, kind.encode()) + wire.encode_head(3, len(data))
    tag = wire.encode_block(1, name.encode())
    tensor_length = len(tensor_head) + len(data)
    body = tag + wire.encode_head(2, tensor_length) + tensor_head
    yield wire.encode_head(1, len(body) + len(data)) + body
    yield data


# -- reading ---------------------------------------------------------------------------------------


def read(
    path: str | os.PathLike[str],
    wanted: Callable[[str], bool] = lambda name: True,
    crc: bool = False,
    key: bytes | None = None,
    mode: str = "AES-GCM",
) -> dict[str, Content]:
    """The contents of a checkpoint, in file order.

    Args:
        path: the file.
        wanted: which names to read.
        crc: compare the check sum, if the file has one; that of a file of ours always is.
        key: opens an encrypted file.
        mode: how it is encrypted.

    Raises:
        CheckpointError: the file is damaged, cut off, encrypted with another key,
            or something else.
    """
    with open(path, "rb") as file:
        data = memoryview(file.read())
    if key is None and cipher.is_encrypted(data):
        raise CheckpointError(f"{path}: is encrypted. Pass its key as dec_key.")
    if key is not None:
        if not cipher.is_encrypted(data):
            raise CheckpointError(f"{path}: is not encrypted. Leave out dec_key.")
        try:
            data = memoryview(cipher.decrypted(data, key, mode))
        except cipher.CipherError as exc:
            raise CheckpointError(f"{path}: {exc}. Check dec_key and dec_mode.") from exc
    checked = data[: len(CHECKED)] == CHECKED
    mark = len(data) - _CRC_BYTES - len(_CRC_MARK)
    if mark >= 0 and data[mark : mark + len(_CRC_MARK)] == _CRC_MARK:
        told = int.from_bytes(data[-_CRC_BYTES:], "big")
        data = data[:mark]
        if (crc or checked) and binascii.crc32(data) != told:
            raise CheckpointError(f"{path}: the check sum does not fit; the file is damaged.")
    elif checked:
        raise CheckpointError(f"{path}: its end, with the check sum, is lost; it is no whole file.")
    try:
        return _contents(data, wanted)
    except ValueError as exc:
        raise CheckpointError(f"{path}: is no checkpoint, or a damaged one: {exc}.") from exc


def _contents(data: memoryview, wanted: Callable[[str], bool]) -> dict[str, Content]:
    slices: dict[str, list[memoryview]] = {}
    heads: dict[str, tuple[list[int], str]] = {}
    for number, value in wire.iterate_fields(data):
        if number != 1 or not isinstance(value, memoryview):
            continue
        name, tensor = "", None
        for inner, content in wire.iterate_fields(value):
            if inner == 1:
                name = _text(content, "a name")
            elif inner == 2 and isinstance(content, memoryview):
                tensor = content
        if not name:
            raise wire.WireError("a value has no name")
        if tensor is None or not wanted(name):
            continue
        dims, kind, body = _tensor(tensor, name)
        if heads.setdefault(name, (dims, kind)) != (dims, kind):
            raise wire.WireError(f"{name!r}: its slices disagree about shape or type")
        slices.setdefault(name, []).append(body)
    return {name: _content(name, *heads[name], parts) for name, parts in slices.items()}


def _tensor(data: memoryview, name: str) -> tuple[list[int], str, memoryview]:
    dims: list[int] = []
    kind, body = "", memoryview(b"")
    for number, value in wire.iterate_fields(data):
        if number == 1:  # newer writers may pack them
            if isinstance(value, memoryview) and len(value) > MAX_DIMS * 10:
                raise wire.WireError(f"a shape takes {len(value)} bytes")
            dims += wire.decode_integers(value).tolist()
        elif number == 2:
            kind = _text(value, "a type")
        elif number == 3 and isinstance(value, memoryview):
            body = value
    if len(dims) > MAX_DIMS or any(d < 0 for d in dims):
        raise wire.WireError(f"{name!r}: has the shape {dims[: MAX_DIMS + 1]}")
    return dims, kind, body


def _text(data: wire.FieldValue, what: str) -> str:
    if not isinstance(data, memoryview) or len(data) > MAX_NAME_BYTES:
        raise wire.WireError(f"{what} is no text or too long")
    return bytes(data).decode("utf-8")


def _content(name: str, dims: list[int], kind: str, parts: list[memoryview]) -> Content:
    length = sum(len(p) for p in parts)
    if kind == "str":
        if length % 4:
            raise wire.WireError(f"{name!r}: a text of {length} bytes is no UTF-32")
        return b"".join(parts).decode("utf-32-le").rstrip("\0")
    if kind not in _KINDS:
        raise wire.WireError(f"{name!r}: has the unknown type {kind!r}")
    dtype = mstype.to_numpy(_KINDS[kind])
    if dims == [0] and length:
        dims = []  # how MindSpore writes a scalar at times
    if math.prod(dims) * dtype.itemsize != length:
        raise wire.WireError(f"{name!r}: {length} bytes do not make a {kind} of the shape {dims}")
    array = np.empty(math.prod(dims), dtype)
    into, at = array.view(np.uint8), 0
    for part in parts:
        into[at : at + len(part)] = np.frombuffer(part, np.uint8)
        at += len(part)
    return array.reshape(dims)
