"""Safetensors files: a JSON header of names, types and places, then all arrays.

::

    8 bytes        length of the header, little end first
    header         {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
    the arrays     C order, little end first

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

from minispore.core import dtype as mstype
from minispore.foundation.files import replacing
from minispore.train.files.checkpoint_file import CheckpointError, Content

MAX_HEADER_BYTES = 100_000_000  # the format's own bound
_NAMES = {
    "bool_": "BOOL", "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64", "uint8": "U8",
    "uint16": "U16", "uint32": "U32", "uint64": "U64", "float16": "F16", "float32": "F32",
    "float64": "F64", "bfloat16": "BF16", "complex64": "C64",
}  # fmt: skip
_TYPES = {short: t for t in mstype.all_types if (short := _NAMES.get(t.name))}


def write(path: str | os.PathLike[str], contents: Mapping[str, Content], crc: bool = True) -> None:
    """Write arrays, whole or not at all.

    Raises:
        TypeError: a text is among them, or a complex array, which MindSpore can't read.
    """
    header: dict[str, Any] = {"__metadata__": {"format": "ms"}}
    arrays: list[memoryview] = []
    offset = check = 0
    for name in sorted(contents):
        content = contents[name]
        if isinstance(content, str):
            raise TypeError(f"safetensors: {name!r} is a text; the format holds arrays only.")
        if content.dtype.kind == "c":
            raise TypeError(
                f"safetensors: {name!r} is {mstype.from_numpy(content.dtype)}; MindSpore reads no "
                "complex arrays from this format. Use the format ckpt."
            )
        short = _NAMES[mstype.from_numpy(content.dtype).name]
        place = [offset, offset + content.nbytes]
        header[name] = {"dtype": short, "shape": list(content.shape), "data_offsets": place}
        arrays.append(np.ascontiguousarray(content).reshape(-1).view(np.uint8).data)
        offset += content.nbytes
        if crc:
            check = binascii.crc32(arrays[-1], binascii.crc32(name.encode(), check))
    if crc:
        header["__metadata__"]["crc_num"] = str(check)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with replacing(path) as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for array in arrays:
            file.write(array)


def read(
    path: str | os.PathLike[str],
    wanted: Callable[[str], bool] = lambda name: True,
    crc: bool = False,
) -> dict[str, Content]:
    """The arrays of a file, in the order of the header.

    Raises:
        CheckpointError: the file is damaged, cut off or something else.
    """
    with open(path, "rb") as file:
        data = memoryview(file.read())
    try:
        header, body = _header(data)
        metadata = header.pop("__metadata__", {})
        _check_places(header, len(body))
        summed = "crc_num" in metadata  # then it is compared, whether asked for or not
        arrays = {n: _array(n, entry, body) for n, entry in header.items() if wanted(n) or summed}
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as exc:
        raise CheckpointError(f"{path}: is no safetensors file, or a damaged one: {exc}.") from exc
    if summed:
        check = 0
        for name in sorted(arrays):
            view = arrays[name].reshape(-1).view(np.uint8).data
            check = binascii.crc32(view, binascii.crc32(name.encode(), check))
        if str(check) != metadata["crc_num"]:
            raise CheckpointError(f"{path}: the check sum does not fit; the file is damaged.")
    return {n: a for n, a in arrays.items() if wanted(n)}


def _header(data: memoryview) -> tuple[dict[str, Any], memoryview]:
    length = int.from_bytes(data[:8], "little") if len(data) >= 8 else -1
    if not 2 <= length <= min(MAX_HEADER_BYTES, len(data) - 8):
        raise ValueError(f"a header of {length} bytes in a file of {len(data)}")
    header = json.loads(bytes(data[8 : 8 + length]), object_pairs_hook=_distinct)
    if not isinstance(header, dict):
        raise ValueError("the header is no object")
    return header, data[8 + length :]


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{Counter(names).most_common(1)[0][0]!r} stands there twice")
    return made


def _check_places(header: dict[str, Any], size: int) -> None:
    """Each byte belongs to one array: so a small file can't claim to be a large one."""
    at = 0
    for start, stop, name in sorted((*e["data_offsets"], n) for n, e in header.items()):
        if start != at:
            fault = "overlaps the array before it" if start < at else "leaves bytes before it"
            raise ValueError(f"{name!r} is at {start} and {fault}")
        at = stop
    if at != size:
        raise ValueError(f"its arrays have {at} bytes, the file has {size} for them")


def _array(name: str, entry: dict[str, Any], body: memoryview) -> np.ndarray:
    dtype = mstype.to_numpy(_TYPES[entry["dtype"]])
    shape, (start, stop) = entry["shape"], entry["data_offsets"]
    if not all(isinstance(n, int) and n >= 0 for n in (*shape, start, stop)):
        raise ValueError(f"{name!r}: shape and offsets must be numbers, got {entry}")
    if not start <= stop <= len(body) or math.prod(shape) * dtype.itemsize != stop - start:
        raise ValueError(f"{name!r}: {entry} does not fit into {len(body)} bytes")
    array = np.empty(math.prod(shape), dtype)
    array.view(np.uint8)[:] = np.frombuffer(body[start:stop], np.uint8)
    return array.reshape(shape)
