"""The wire format between a pipeline and its worker processes.

No pickle is used. A message is a JSON header, which gives the dtype, shape and offset of every
array, and a payload, the arrays' bytes. The payload is in shared memory if it fits; otherwise it
follows the header through the pipe.
"""

from __future__ import annotations

import json
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from minispore.dataset.pipeline.block import Column

_ALIGN = 64


def send(connection: Connection, memory: memoryview, columns: list[Column], **extra: Any) -> None:
    """Send columns and further JSON-serializable values to the other process.

    Raises:
        TypeError: a column holds a value of an unsupported type; nothing was sent.
    """
    arrays: list[np.ndarray] = []
    header = {"columns": [_encode_value(column, arrays) for column in columns], **extra}
    layouts: list[tuple[str, list[int], int]] = []
    payload_bytes = 0
    for array in arrays:
        layouts.append((_format_dtype(array.dtype), list(array.shape), payload_bytes))
        payload_bytes += -(-array.nbytes // _ALIGN) * _ALIGN
    inline = payload_bytes > len(memory)
    target = memoryview(bytearray(payload_bytes)) if inline else memory
    for array, (_, _, start) in zip(arrays, layouts):
        view = np.frombuffer(target, np.uint8, array.nbytes, start)
        view[:] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    connection.send_bytes(json.dumps({**header, "arrays": layouts, "inline": inline}).encode())
    if inline:
        connection.send_bytes(target)


def receive(connection: Connection, memory: memoryview) -> tuple[list[Column], dict[str, Any]]:
    """Receive a message of :func:`send`: columns, with copied arrays, and the further values."""
    header = json.loads(connection.recv_bytes())
    source = memoryview(connection.recv_bytes()) if header["inline"] else memory
    arrays = []
    for name, shape, start in header["arrays"]:
        dtype = np.dtype(name)
        count = int(np.prod(shape, dtype=np.int64))
        raw = np.frombuffer(source, np.uint8, count * dtype.itemsize, start)
        arrays.append(raw.copy().view(dtype).reshape(shape))
    columns = [_decode_value(column, arrays) for column in header.pop("columns")]
    return columns, header


def _format_dtype(dtype: np.dtype) -> str:
    """Return a text from which ``np.dtype`` makes the dtype again."""
    # bfloat16 and similar dtypes have only a name.
    return dtype.name if dtype.kind == "V" else dtype.str


def _encode_value(value: Any, arrays: list[np.ndarray]) -> list:
    """Return a value as [tag, content].

    Arrays are appended to ``arrays``; the content is their index.

    Raises:
        TypeError: a value has an unsupported type.
    """
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
        items = [[_encode_value(k, arrays), _encode_value(v, arrays)] for k, v in value.items()]
        return ["dict", items]
    if isinstance(value, list):
        return ["list", [_encode_value(v, arrays) for v in value]]
    if isinstance(value, tuple):
        return ["tuple", [_encode_value(v, arrays) for v in value]]
    if isinstance(value, bytes):
        arrays.append(np.frombuffer(value, np.uint8))
        return ["bytes", len(arrays) - 1]
    if value is None or isinstance(value, bool | int | float | str):
        return ["plain", value]
    raise TypeError(
        f"a row must hold arrays, numbers, strings or dicts, got {type(value).__name__}."
    )


def _decode_value(encoded: list, arrays: list[np.ndarray]) -> Any:
    """Return the value of [tag, content], with arrays taken from ``arrays``."""
    tag, content = encoded
    if tag == "array":
        return arrays[content]
    if tag == "empty":
        return np.empty(content[1], content[0])
    if tag == "dict":
        return {_decode_value(k, arrays): _decode_value(v, arrays) for k, v in content}
    if tag == "list":
        return [_decode_value(v, arrays) for v in content]
    if tag == "tuple":
        return tuple(_decode_value(v, arrays) for v in content)
    if tag == "bytes":
        return arrays[content].tobytes()
    return content
