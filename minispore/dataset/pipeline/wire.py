"""What crosses between a pipeline and its worker processes: arrays in shared memory, the rest as
JSON. No pickle.

A message is a JSON header, which names for every array its dtype, shape and place, and a payload of
raw bytes. The payload lies in shared memory where it fits; a larger one follows the header through
the pipe.
"""

from __future__ import annotations

import json
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from minispore.dataset.pipeline.block import Column

_ALIGN = 64


def send(connection: Connection, memory: memoryview, columns: list[Column], **extra: Any) -> None:
    """Send columns and anything that JSON can say."""
    arrays: list[np.ndarray] = []
    header = {"columns": [_encode(column, arrays) for column in columns], **extra}
    places: list[tuple[str, list[int], int]] = []
    end = 0
    for array in arrays:
        places.append((_dtype(array.dtype), list(array.shape), end))
        end += -(-array.nbytes // _ALIGN) * _ALIGN
    inline = end > len(memory)
    target = memoryview(bytearray(end)) if inline else memory
    for array, (_, _, start) in zip(arrays, places):
        view = np.frombuffer(target, np.uint8, array.nbytes, start)
        view[:] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    connection.send_bytes(json.dumps({**header, "arrays": places, "inline": inline}).encode())
    if inline:
        connection.send_bytes(target)


def receive(connection: Connection, memory: memoryview) -> tuple[list[Column], dict[str, Any]]:
    """What :func:`send` sent; the arrays are copies."""
    header = json.loads(connection.recv_bytes())
    source = memoryview(connection.recv_bytes()) if header["inline"] else memory
    arrays = []
    for name, shape, start in header["arrays"]:
        dtype = np.dtype(name)
        count = int(np.prod(shape, dtype=np.int64))
        raw = np.frombuffer(source, np.uint8, count * dtype.itemsize, start)
        arrays.append(raw.copy().view(dtype).reshape(shape))
    columns = [_decode(column, arrays) for column in header.pop("columns")]
    return columns, header


def _dtype(dtype: np.dtype) -> str:
    return dtype.name if dtype.kind == "V" else dtype.str  # bfloat16 and its like have only a name


def _encode(value: Any, arrays: list[np.ndarray]) -> list:
    """A value as [tag, content]."""
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        if array.dtype.kind == "O" or not array.dtype.itemsize:
            # An empty string has a dtype of no bytes, which no view can have.
            if array.dtype.kind in "US":
                return ["empty", [array.dtype.kind, list(array.shape)]]
            raise TypeError(f"a row must hold numbers or strings, got an array of {array.dtype}.")
        arrays.append(array)
        return ["array", len(arrays) - 1]
    if isinstance(value, dict):
        return ["dict", [[_encode(k, arrays), _encode(v, arrays)] for k, v in value.items()]]
    if isinstance(value, list):
        return ["list", [_encode(v, arrays) for v in value]]
    if isinstance(value, tuple):
        return ["tuple", [_encode(v, arrays) for v in value]]
    if isinstance(value, bytes):
        arrays.append(np.frombuffer(value, np.uint8))
        return ["bytes", len(arrays) - 1]
    if value is None or isinstance(value, bool | int | float | str):
        return ["plain", value]
    raise TypeError(
        f"a row must hold arrays, numbers, strings or dicts, got {type(value).__name__}."
    )


def _decode(coded: list, arrays: list[np.ndarray]) -> Any:
    tag, content = coded
    if tag == "array":
        return arrays[content]
    if tag == "empty":
        return np.empty(content[1], content[0])
    if tag == "dict":
        return {_decode(k, arrays): _decode(v, arrays) for k, v in content}
    if tag == "list":
        return [_decode(v, arrays) for v in content]
    if tag == "tuple":
        return tuple(_decode(v, arrays) for v in content)
    if tag == "bytes":
        return arrays[content].tobytes()
    return content
