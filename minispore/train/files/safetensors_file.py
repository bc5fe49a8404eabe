"""Safetensors files: a JSON header of names, types and offsets, then all arrays.

::

    8 bytes        length of the header, little endian
    header         {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
    the arrays     C order, little endian

Source: the format page of the safetensors project. MindSpore writes them with the metadata
``{"format": "ms"}``.
"""

from __future__ import annotations

import binascii
import json
import math
import os
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from minispore.foundation.files import replacing
from minispore.ir import dtype as mstype
from minispore.train.files.checkpoint_file import CheckpointError, Content

MAX_HEADER_BYTES = 100_000_000  # the limit of the format
_NAMES_BY_DTYPE = {
    "bool_": "BOOL", "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64", "uint8": "U8",
    "uint16": "U16", "uint32": "U32", "uint64": "U64", "float16": "F16", "float32": "F32",
    "float64": "F64", "bfloat16": "BF16", "complex64": "C64",
}  # fmt: skip
_DTYPES_BY_NAME = {short: t for t in mstype.all_types if (short := _NAMES_BY_DTYPE.get(t.name))}


def write(path: str | os.PathLike[str], contents: Mapping[str, Content], crc: bool = True) -> None:
    """Write arrays to a safetensors file, sorted by name; an existing file is replaced when
    complete.

    ``crc`` adds a checksum to the metadata.

    Raises:
        TypeError: a value is a string, or a complex array, which MindSpore can't read.
    """
    header: dict[str, Any] = {"__metadata__": {"format": "ms"}}
    arrays: list[memoryview] = []
    offset = checksum = 0
    for name in sorted(contents):
        content = contents[name]
        if isinstance(content, str):
            raise TypeError(f"safetensors: {name!r} is a text; the format holds arrays only.")
        if content.dtype.kind == "c":
            raise TypeError(
                f"safetensors: {name!r} is {mstype.from_numpy(content.dtype)}; MindSpore reads no "
                "complex arrays from this format. Use the format ckpt."
            )
        header[name] = {
            "dtype": _NAMES_BY_DTYPE[mstype.from_numpy(content.dtype).name],
            "shape": list(content.shape),
            "data_offsets": [offset, offset + content.nbytes],
        }
        arrays.append(np.ascontiguousarray(content).reshape(-1).view(np.uint8).data)
        offset += content.nbytes
        if crc:
            checksum = binascii.crc32(arrays[-1], binascii.crc32(name.encode(), checksum))
    if crc:
        header["__metadata__"]["crc_num"] = str(checksum)
    header_bytes = json.dumps(header, separators=(",", ":")).encode()
    header_bytes += b" " * (-len(header_bytes) % 8)
    with replacing(path) as file:
        file.write(len(header_bytes).to_bytes(8, "little") + header_bytes)
        for array in arrays:
            file.write(array)


def read(
    path: str | os.PathLike[str],
    is_requested: Callable[[str], bool] = lambda name: True,
    crc: bool = False,
) -> dict[str, Content]:
    """Read the requested arrays of a file, in the order of the header.

    A checksum in the metadata is always verified.

    Raises:
        CheckpointError: the file is damaged, truncated or not a safetensors file.
    """
    with open(path, "rb") as file:
        data = memoryview(file.read())
    try:
        header, body = _parse_header(data)
        metadata = header.pop("__metadata__", {})
        _check_offsets(header, len(body))
        has_checksum = "crc_num" in metadata  # verified even if `crc` is False
        arrays = {
            n: _copy_array(n, entry, body)
            for n, entry in header.items()
            if is_requested(n) or has_checksum
        }
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as exc:
        raise CheckpointError(f"{path}: is no safetensors file, or a damaged one: {exc}.") from exc
    if has_checksum:
        checksum = 0
        for name in sorted(arrays):
            content_bytes = arrays[name].reshape(-1).view(np.uint8).data
            checksum = binascii.crc32(content_bytes, binascii.crc32(name.encode(), checksum))
        if str(checksum) != metadata["crc_num"]:
            raise CheckpointError(f"{path}: the check sum does not fit; the file is damaged.")
    return {n: a for n, a in arrays.items() if is_requested(n)}


def _parse_header(data: memoryview) -> tuple[dict[str, Any], memoryview]:
    """Split a file into its parsed header and the bytes of the arrays.

    Raises:
        ValueError: the header is damaged or too long.
    """
    length = int.from_bytes(data[:8], "little") if len(data) >= 8 else -1
    if not 2 <= length <= min(MAX_HEADER_BYTES, len(data) - 8):
        raise ValueError(f"a header of {length} bytes in a file of {len(data)}")
    header = json.loads(bytes(data[8 : 8 + length]), object_pairs_hook=_make_distinct_dict)
    if not isinstance(header, dict):
        raise ValueError("the header is no object")
    return header, data[8 + length :]


def _make_distinct_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a dict of JSON pairs; raise a ValueError if a name occurs twice."""
    entries = dict(pairs)
    if len(entries) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{Counter(names).most_common(1)[0][0]!r} stands there twice")
    return entries


def _check_offsets(header: dict[str, Any], body_bytes: int) -> None:
    """Check that each byte belongs to exactly one array, so that a small file can't claim large
    arrays.

    Raises:
        ValueError: arrays overlap or leave gaps.
    """
    offset = 0
    for start, stop, name in sorted((*entry["data_offsets"], n) for n, entry in header.items()):
        if start != offset:
            problem = "overlaps the array before it" if start < offset else "leaves bytes before it"
            raise ValueError(f"{name!r} is at {start} and {problem}")
        offset = stop
    if offset != body_bytes:
        raise ValueError(f"its arrays have {offset} bytes, the file has {body_bytes} for them")


def _copy_array(name: str, entry: dict[str, Any], body: memoryview) -> np.ndarray:
    """Copy one array out of the array bytes of the file.

    Raises:
        ValueError: its shape and offsets do not match.
    """
    dtype = mstype.to_numpy(_DTYPES_BY_NAME[entry["dtype"]])
    shape, (start, stop) = entry["shape"], entry["data_offsets"]
    if not all(isinstance(n, int) and n >= 0 for n in (*shape, start, stop)):
        raise ValueError(f"{name!r}: shape and offsets must be numbers, got {entry}")
    if not start <= stop <= len(body) or math.prod(shape) * dtype.itemsize != stop - start:
        raise ValueError(f"{name!r}: {entry} does not fit into {len(body)} bytes")
    array = np.empty(math.prod(shape), dtype)
    array.view(np.uint8)[:] = np.frombuffer(body[start:stop], np.uint8)
    return array.reshape(shape)
