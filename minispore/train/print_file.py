"""The file of ``set_context(print_file_path=...)``, to which ``ops.Print`` writes on an Ascend.

The file is one message of MindSpore's ``print.proto``; each Print appends its values.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minispore import context
from minispore.core.tensor import Tensor
from minispore.foundation.files import resolve_read_path
from minispore.foundation.protobuf.message import Message
from minispore.foundation.protobuf.wire import WireError
from minispore.ops.support import printing

#: MindSpore's name of a dtype -> NumPy's dtype.
_DTYPES_BY_NAME = {
    name: np.dtype(name.lower())
    for name in (
        "Bool", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64",
        "Float16", "Float32", "Float64", "Complex64", "Complex128",
    )
}  # fmt: skip
_NAMES_BY_DTYPE = {dtype: name for name, dtype in _DTYPES_BY_NAME.items()}


class TensorProto(Message):
    """An array in a print file."""

    schema = "1 dims int*; 2 tensor_type str; 3 tensor_content bytes"


class Value(Message):
    """A printed value: a string or an array."""

    schema = "1 desc str; 2 tensor TensorProto"


class Print(Message):
    """A print file: a sequence of values."""

    schema = "1 value Value*"


def parse_print(print_file_name: str) -> list[Any]:
    """Read the values that ``ops.Print`` wrote to the file of ``set_context(print_file_path=...)``.

    Args:
        print_file_name: the file.

    Returns:
        Strings and Tensors, in the order in which they were printed.

    Raises:
        ValueError: the file does not exist or is empty.
        RuntimeError: it is not a print file.

    >>> import tempfile, os
    >>> import minispore as ms
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "print.pb")
    ...     ms.set_context(device_target="Ascend", print_file_path=path)
    ...     _ = ms.ops.Print()("x:", ms.Tensor([1.0, 2.0]))
    ...     ms.parse_print(path)
    ['x:', Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.00000000e+00])]
    """
    path = Path(resolve_read_path(print_file_name))
    if not path.is_file() or not path.stat().st_size:
        raise ValueError(
            f"parse_print: print_file_name must be a file with something in it, got "
            f"{print_file_name!r}. set_context(print_file_path=...) gets a time at its end if the "
            "file was there before."
        )
    try:
        return [_decode_value(value) for value in Print.FromString(path.read_bytes()).value]
    except (WireError, KeyError, ValueError, UnicodeDecodeError) as exc:
        raise RuntimeError(
            f"parse_print: {print_file_name} must be a file that ops.Print has written, but can't "
            f"be read: {exc}."
        ) from exc


def _decode_value(value: Value) -> Any:
    """Decode a value of a print file to a str or a Tensor."""
    tensor = value.tensor
    if not tensor.tensor_type:
        return value.desc
    array = np.frombuffer(tensor.tensor_content, _DTYPES_BY_NAME[tensor.tensor_type])
    return Tensor(array.reshape(tensor.dims).copy())


def _encode_value(value: Any) -> Value:
    """Encode a printed value: an array or a number as a tensor, anything else as text."""
    if not isinstance(value, np.ndarray | np.generic | int | float):
        return Value(desc=str(value))
    array = np.asarray(value)
    tensor = TensorProto(
        dims=list(array.shape),
        tensor_type=_NAMES_BY_DTYPE[array.dtype],
        tensor_content=array.tobytes(),
    )
    return Value(tensor=tensor)


def _append_to_file(args: Sequence[Any]) -> None:
    """Append the arguments of one ``ops.Print`` to the print file."""
    content = Print(value=[_encode_value(a) for a in args]).SerializeToString()
    with open(context.current().print_file_path, "ab") as file:
        file.write(content)


def _choose_print_destination(old: context.Context, new: context.Context) -> None:
    """Send prints to the file or the screen. Called by the context when it changes."""
    uses_file = new.print_file_path and new.device_target == "Ascend"
    printing.install(_append_to_file if uses_file else printing.print_to_screen)


context.subscribe(_choose_print_destination)

__all__ = ["parse_print"]
