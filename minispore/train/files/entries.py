"""What a checkpoint holds, entry by entry, for scripts that write and read it by themselves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.files import resolve_write_path
from minispore.foundation.protobuf.message import Message
from minispore.train.files import checkpoint_file, safetensors_file
from minispore.train.files.checkpoint_file import Content


class TensorProto(Message):
    schema = "1 dims int*; 2 tensor_type str; 3 tensor_content bytes"


class Value(Message):
    schema = "1 tag str; 2 tensor TensorProto"


class Checkpoint(Message):
    """A ``.ckpt`` file, as MindSpore's ``checkpoint.proto`` numbers its fields."""

    schema = "1 value Value*"


_KINDS = (
    mstype.int8, mstype.uint8, mstype.int16, mstype.uint16, mstype.int32, mstype.uint32,
    mstype.int64, mstype.uint64, mstype.float16, mstype.float32, mstype.float64, mstype.bool_,
    mstype.bfloat16,
)  # fmt: skip

#: From the name of a type in a file to the type.
tensor_to_ms_type = {str(kind): kind for kind in _KINDS} | {"str": mstype.string}


class _NumpyTypes(dict[str, Any]):
    """From the name of a type in a file to NumPy's: a dict until 2.2, a function since."""

    def __call__(self, tensor_type_str: str) -> Any:
        return self.get(tensor_type_str)


tensor_to_np_type = _NumpyTypes(
    {str(kind): mstype.to_numpy(kind).type for kind in _KINDS} | {"str": "U"}
)


def _exec_save(
    ckpt_file_name: str,
    data_list: Mapping[str, Any],
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    map_param_inc: bool = False,
    crc_check: bool = False,
    format: str = "ckpt",
    remove_redundancy: Any = None,
) -> None:
    """Write a file of entries.

    Args:
        ckpt_file_name: the whole name, to which nothing is added.
        data_list: from names to ``[dims, type, data]``: the shape ([0] for a number or a text), the
            name of the type (``"Float32"``, ``"str"``), and a Tensor or array of its elements.
        enc_key: encrypts the file.
        enc_mode: how.
        map_param_inc: kept for MindSpore's sake.
        crc_check: end the file with a check sum.
        format: "ckpt" or "safetensors".
        remove_redundancy: kept for MindSpore's sake.

    Raises:
        ValueError: another format, or elements that do not fill the shape.
        KeyError: a type that files don't have.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "two.ckpt")
    >>> _exec_save(path, {"w": [[2], "Float32", Tensor([1.0, 2.0])]})
    >>> entry = _parse_ckpt_proto(path, None, "AES-GCM", False).value[0]
    >>> entry.tag, entry.tensor.dims, entry.tensor.tensor_type
    ('w', [2], 'Float32')
    """
    checks.one_of("_exec_save", "format", format, ("ckpt", "safetensors"))
    contents = {name: _content(name, *entry) for name, entry in data_list.items()}
    path = resolve_write_path(ckpt_file_name)
    if format == "safetensors":
        safetensors_file.write(path, contents, crc_check)
    else:
        checkpoint_file.write(path, contents, crc_check, enc_key, enc_mode)


def _content(name: str, dims: Any, kind: str, data: Any) -> Content:
    array = data.asnumpy() if isinstance(data, Tensor) else np.asarray(data)
    if kind == "str":
        return str(array)
    dtype = np.dtype(tensor_to_np_type[kind])
    flat = np.frombuffer(np.ascontiguousarray(array).tobytes(), dtype)
    shape = () if list(dims) == [0] and flat.size else tuple(dims)
    if flat.size != math.prod(shape):
        raise ValueError(
            f"_exec_save: {name!r} must hold {math.prod(shape)} elements of {kind} for dims "
            f"{list(dims)}, got {flat.size}."
        )
    return flat.reshape(shape)


def _parse_ckpt_proto(
    ckpt_file_name: str, dec_key: bytes | None, dec_mode: str, crc_check: bool
) -> Checkpoint:
    """The entries of a ``.ckpt`` file, as a message whose ``value`` is a list of them.

    Args:
        ckpt_file_name: the file.
        dec_key: the key of an encrypted one.
        dec_mode: how it was encrypted.
        crc_check: ask for the check sum at its end.

    Raises:
        ValueError: it is no checkpoint, or damaged.
    """
    found = checkpoint_file.read(
        resolve_write_path(ckpt_file_name), crc=crc_check, key=dec_key, mode=dec_mode
    )
    return Checkpoint(value=[_entry(name, content) for name, content in found.items()])


def _entry(name: str, content: Content) -> Value:
    kind = "str" if isinstance(content, str) else str(mstype.from_numpy(content.dtype))
    array = np.asarray(content)
    return Value(
        tag=name,
        tensor=TensorProto(
            dims=list(array.shape) or [0], tensor_type=kind, tensor_content=array.tobytes()
        ),
    )


__all__ = ["Checkpoint", "tensor_to_ms_type", "tensor_to_np_type"]
