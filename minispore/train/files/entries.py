"""Checkpoint entries as protobuf messages, for scripts that read and write checkpoint files
themselves.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.files import resolve_write_path
from minispore.foundation.protobuf.message import Message
from minispore.ir import dtype as mstype
from minispore.train.files import checkpoint_file, safetensors_file
from minispore.train.files.checkpoint_file import Content


class TensorProto(Message):
    """An array in a ``.ckpt`` file."""

    schema = "1 dims int*; 2 tensor_type str; 3 tensor_content bytes"


class Value(Message):
    """An entry of a ``.ckpt`` file: a name and an array."""

    schema = "1 tag str; 2 tensor TensorProto"


class Checkpoint(Message):
    """A ``.ckpt`` file as a message, with the field numbers of MindSpore's ``checkpoint.proto``."""

    schema = "1 value Value*"


_FILE_DTYPES = (
    mstype.int8, mstype.uint8, mstype.int16, mstype.uint16, mstype.int32, mstype.uint32,
    mstype.int64, mstype.uint64, mstype.float16, mstype.float32, mstype.float64, mstype.bool_,
    mstype.bfloat16,
)  # fmt: skip

#: The dtype for each type name in a file.
tensor_to_ms_type = {str(kind): kind for kind in _FILE_DTYPES} | {"str": mstype.string}


class _NumpyTypes(dict[str, Any]):
    """A dict from the type name in a file to NumPy's type, which can also be called.

    ``tensor_to_np_type`` is a dict in MindSpore up to 2.2 and a function since.
    """

    def __call__(self, tensor_type_str: str) -> Any:
        """Return NumPy's type for the type name in a file; None if it is unknown."""
        return self.get(tensor_type_str)


tensor_to_np_type = _NumpyTypes(
    {str(kind): mstype.to_numpy(kind).type for kind in _FILE_DTYPES} | {"str": "U"}
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
    """Write a checkpoint file from entries of dims, type name and data.

    Args:
        ckpt_file_name: the complete name; no extension is added.
        data_list: maps names to ``[dims, type, data]``: the shape ([0] for a number or a string),
            the name of the type (``"Float32"``, ``"str"``), and a Tensor or array of the elements.
        enc_key: encrypts the file.
        enc_mode: the mode of the encryption.
        map_param_inc: accepted for compatibility, has no effect.
        crc_check: whether the file ends with a checksum.
        format: "ckpt" or "safetensors".
        remove_redundancy: accepted for compatibility, has no effect.

    Raises:
        ValueError: the format is unknown, or the elements do not fill the shape.
        KeyError: checkpoint files don't support the type.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "two.ckpt")
    >>> _exec_save(path, {"w": [[2], "Float32", Tensor([1.0, 2.0])]})
    >>> entry = _parse_ckpt_proto(path, None, "AES-GCM", False).value[0]
    >>> entry.tag, entry.tensor.dims, entry.tensor.tensor_type
    ('w', [2], 'Float32')
    """
    checks.one_of("_exec_save", "format", format, ("ckpt", "safetensors"))
    contents = {name: _decode_entry(name, *entry) for name, entry in data_list.items()}
    path = resolve_write_path(ckpt_file_name)
    if format == "safetensors":
        safetensors_file.write(path, contents, crc_check)
    else:
        checkpoint_file.write(path, contents, crc_check, enc_key, enc_mode)


def _decode_entry(name: str, dims: Any, type_name: str, data: Any) -> Content:
    """Return the array or string of one entry of ``_exec_save``.

    Raises:
        ValueError: the elements do not fill the shape.
    """
    array = data.asnumpy() if isinstance(data, Tensor) else np.asarray(data)
    if type_name == "str":
        return str(array)
    dtype = np.dtype(tensor_to_np_type[type_name])
    elements = np.frombuffer(np.ascontiguousarray(array).tobytes(), dtype)
    shape = () if list(dims) == [0] and elements.size else tuple(dims)
    if elements.size != math.prod(shape):
        raise ValueError(
            f"_exec_save: {name!r} must hold {math.prod(shape)} elements of {type_name} for dims "
            f"{list(dims)}, got {elements.size}."
        )
    return elements.reshape(shape)


def _parse_ckpt_proto(
    ckpt_file_name: str, dec_key: bytes | None, dec_mode: str, crc_check: bool
) -> Checkpoint:
    """Read a ``.ckpt`` file as a message whose ``value`` is the list of its entries.

    Args:
        ckpt_file_name: the file.
        dec_key: the key of an encrypted file.
        dec_mode: how it was encrypted.
        crc_check: whether to verify the checksum at its end.

    Raises:
        ValueError: it is not a checkpoint, or is damaged.
    """
    contents = checkpoint_file.read(
        resolve_write_path(ckpt_file_name), crc=crc_check, key=dec_key, mode=dec_mode
    )
    return Checkpoint(value=[_encode_entry(name, content) for name, content in contents.items()])


def _encode_entry(name: str, content: Content) -> Value:
    """Encode an array or string as an entry of a ``.ckpt`` file: shape, type name and bytes."""
    type_name = "str" if isinstance(content, str) else str(mstype.from_numpy(content.dtype))
    array = np.asarray(content)
    return Value(
        tag=name,
        tensor=TensorProto(
            dims=list(array.shape) or [0], tensor_type=type_name, tensor_content=array.tobytes()
        ),
    )


__all__ = ["Checkpoint", "tensor_to_ms_type", "tensor_to_np_type"]
