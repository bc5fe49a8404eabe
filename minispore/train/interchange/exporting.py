"""export and load: writes networks to model files and reads them back."""

from __future__ import annotations

import binascii
import os
import re
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minispore.errors import did_you_mean
from minispore.foundation import files
from minispore.foundation.lazy_import import make_lazy_attributes
from minispore.foundation.protobuf import wire
from minispore.graph.funcgraph import FuncGraph
from minispore.nn.cell import Cell
from minispore.train.files import cipher
from minispore.train.interchange.open_axes import LENGTHS, has_open_axis

if TYPE_CHECKING:
    from minispore.train.interchange.mindir_proto import ModelProto

_PACKAGE = "minispore.train.interchange"
# Writers and readers of models are imported on use, since most programs don't need them.
_load_module: Callable[[str], Any] = make_lazy_attributes(_PACKAGE, {
    module: f"{_PACKAGE}.{module}" for module in (
        "inference", "mindir_proto", "mindir_read", "mindir_write", "onnx_recurrent", "onnx_write",
    )
})[0]  # fmt: skip

_FORMATS = {"AIR": ".air", "ONNX": ".onnx", "MINDIR": ".mindir"}
_OPTIONS = ("enc_key", "enc_mode", "dataset", "incremental", "custom_func")
_MAX_MODEL_BYTES = 2**31 - 1  # the limit in bytes of a protobuf message
_USER_INFO_FIELD, _CHECKSUM_DIGITS = 14, 8  # of a ModelProto; length of a CRC-32 in hexadecimal
_FILE_NAME = re.compile(r"[0-9a-zA-Z@_\-.:/\\]+")


def export(
    net: Cell | Callable[..., Any],
    *inputs: Any,
    file_name: str,
    file_format: str,
    **kwargs: Any,
) -> None:
    """Write the graph of a network, with its parameters, as a model file.

    The network is traced for the shapes and dtypes of ``inputs``: for MINDIR in its current mode
    (training after ``set_train()``); for ONNX as in ``set_train(False)``. A MINDIR file includes
    updates of Parameters (a counter, moving means, a cache, an optimizer step): each call of the
    loaded graph continues from the state that the last one left. An existing file is replaced when
    the new one is complete; only its owner can read it. The folder is made if it is missing.

    Args:
        net: a Cell, or for MINDIR also a function of Tensors.
        inputs: the arguments of ``net``: Tensors, for their shapes and dtypes
            (``Tensor(shape=[None, 4], dtype=...)`` leaves the length of an axis open), or numbers,
            which become constants.
        file_name: the file; ``.mindir`` or ``.onnx`` is added if it is missing.
        file_format: ``"MINDIR"``, which MindSpore reads, or ``"ONNX"``.
        kwargs: ``enc_key`` encrypts the file in the mode ``enc_mode``: AES-GCM by default, for
            MINDIR also AES-CBC or SM4-CBC, or a function that returns the encrypted content,
            ``enc_mode(content, enc_key)``. ``custom_func`` is called with the model message and may
            change it before a MINDIR file is written. ``incremental`` has no effect.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument has an invalid value, such as ``"AIR"``; the graph depends on
            values, or for ONNX updates Parameters.
        RuntimeError: an op has no counterpart in the format. No file is written then.

    >>> import os, tempfile
    >>> import minispore as ms
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "half")
    ...     ms.export(ms.nn.ReLU(), ms.Tensor([-1.0, 2.0]), file_name=file, file_format="MINDIR")
    ...     graph = ms.load(file + ".mindir")
    >>> print(ms.nn.GraphCell(graph)(ms.Tensor([3.0, -4.0])))
    [3. 0.]
    """
    api_name = "export"
    if file_format not in _FORMATS:
        hint = did_you_mean(file_format.upper(), _FORMATS) if isinstance(file_format, str) else ""
        raise ValueError(
            f"{api_name}: file_format must be 'MINDIR' or 'ONNX', got {file_format!r}.{hint}"
        )
    if file_format == "AIR":
        raise ValueError(
            f"{api_name}: file_format 'AIR' needs the compiler of an Ascend, which writes it "
            "alone. Use file_format='MINDIR': converters for every device read it."
        )
    path = _make_model_path(api_name, file_name, _FORMATS[file_format])
    encrypt = _make_encryption(api_name, file_format, kwargs)
    if not callable(net) or isinstance(net, type):
        raise TypeError(f"{api_name}: net must be a Cell or a function, got {net!r}.")
    if file_format == "ONNX" and not isinstance(net, Cell):
        raise ValueError(f"{api_name}: net must be a Cell for ONNX, got {type(net).__name__}.")
    is_onnx = file_format == "ONNX"
    trace = _load_module("inference").trace_network
    if is_onnx:
        trace = _load_module("inference").trace_inference_network
        trace = partial(trace, keeps_node=_load_module("onnx_recurrent").is_single_onnx_node)
    writer = _load_module("onnx_write" if is_onnx else "mindir_write")
    model = _trace_and_convert(net, inputs, trace, writer.make_model)
    if kwargs.get("custom_func") is not None:
        kwargs["custom_func"](model)
    _write_file(path, encrypt(_serialize_model(api_name, model, has_checksum=not is_onnx)))


def _trace_and_convert(
    net: Callable[..., Any],
    inputs: tuple[Any, ...],
    trace: Callable[..., FuncGraph],
    make_model: Callable[[FuncGraph, FuncGraph], Any],
) -> Any:
    """Trace a network and make its model; with an open axis, trace it for two lengths.

    Raises:
        ValueError: the models for the two lengths differ.
    """
    if not any(map(has_open_axis, inputs)):
        function = trace(net, inputs)
        return make_model(function, function)
    function, twin = (trace(net, inputs, n) for n in LENGTHS)
    model, twin_model = make_model(function, twin), make_model(twin, function)
    if model.SerializeToString() != twin_model.SerializeToString():
        raise ValueError(
            "export: a network with an open axis must do the same for each length, got one that "
            "counts with it. Export it with an input of a fixed shape."
        )
    return model


def load(file_name: str, **kwargs: Any) -> FuncGraph:
    """Read a MindIR file of minispore or MindSpore as a graph for :class:`mindspore.nn.GraphCell`.

    Args:
        file_name: the file, ``.mindir``.
        kwargs: ``dec_key`` decrypts a file in the mode ``dec_mode``, AES-GCM by default, or a
            function that returns the content, ``dec_mode(file_name, dec_key)``.

    Returns:
        The graph; ``print`` shows its ops, one per line.

    Raises:
        ValueError: there is no such file, or its name does not end with ``.mindir``.
        RuntimeError: the file is damaged, encrypted in another mode or with another key, or
            contains something that minispore can't run.
    """
    api_name = "load"
    if "obf_func" in kwargs:
        raise ValueError(
            f"{api_name}: obf_func is gone from MindSpore: nothing is hidden any more."
        )
    if not isinstance(file_name, str):
        raise ValueError(f"{api_name}: file_name must be a str, got {file_name!r}.")
    if not file_name.endswith(".mindir"):
        raise ValueError(f"{api_name}: file_name must end with '.mindir', got {file_name!r}.")
    file_name = files.resolve_read_path(file_name)
    if not os.path.isfile(file_name):
        raise ValueError(
            f"{api_name}: file_name must be a file, got {file_name!r}, which is not there."
        )
    path = os.path.realpath(file_name)
    key, mode = kwargs.get("dec_key"), kwargs.get("dec_mode", "AES-GCM")
    if key is None:
        data = Path(path).read_bytes()
    else:
        _check_key_types(api_name, "dec_key", key, mode)
        data = mode(path, key) if callable(mode) else _decrypt_file(api_name, path, key, mode)
    try:
        model = _parse_mindir(data)
    except (RecursionError, ValueError) as exc:
        raise RuntimeError(
            f"{api_name}: {file_name!r} is no MindIR file, a damaged or an encrypted one: {exc}."
        ) from exc
    if not model.graph.node and not model.graph.output:
        raise RuntimeError(f"{api_name}: {file_name!r} holds no graph.")
    return _load_module("mindir_read").read_graph(model)


def load_mindir(file_name: str) -> ModelProto:
    """Read the protobuf message in a MindIR file.

    Raises:
        TypeError: ``file_name`` is not a str.
        ValueError: ``file_name`` is not a valid file name, or the file is not a MindIR file.
    """
    _check_file_name("load_mindir", file_name)
    try:
        return _parse_mindir(Path(files.check_regular_file(file_name)).read_bytes())
    except (RecursionError, ValueError, OSError) as exc:
        raise ValueError(f"load_mindir: {file_name!r} can't be read: {exc}.") from exc


def save_mindir(model: ModelProto, file_name: str) -> None:
    """Write a model message from :func:`load_mindir`; ``.mindir`` is added if it is missing.

    Raises:
        TypeError: ``model`` is not a ModelProto, or ``file_name`` is not a str.
        ValueError: ``file_name`` is not a valid file name, or the model is too large.
    """
    api_name = "save_mindir"
    path = _make_model_path(api_name, file_name, ".mindir")
    if not isinstance(model, _load_module("mindir_proto").ModelProto):
        raise TypeError(f"{api_name}: model must be a ModelProto, got {type(model).__name__}.")
    _write_file(path, _serialize_model(api_name, model, has_checksum=True))


# -- files -----------------------------------------------------------------------------------------


def _check_file_name(api_name: str, file_name: Any) -> None:
    """Check that a file name is a str that MindSpore accepts.

    Raises:
        TypeError: it is not a str.
        ValueError: it names a folder, or contains characters that MindSpore refuses.
    """
    if not isinstance(file_name, str):
        raise TypeError(
            f"{api_name}: file_name must be a str, got {file_name!r} ({type(file_name).__name__})."
        )
    if file_name.endswith(("/", "\\")):
        raise ValueError(f"{api_name}: file_name must be a file, got the folder {file_name!r}.")
    if not _FILE_NAME.fullmatch(file_name):
        raise ValueError(
            f"{api_name}: file_name must be made of letters, digits and @ _ - . : / \\, got "
            f"{file_name!r}."
        )


def _make_model_path(api_name: str, file_name: Any, suffix: str) -> Path:
    """Check a file name and return its real path, with ``suffix`` added if it is missing.

    Raises IsADirectoryError if a folder has that name.
    """
    _check_file_name(api_name, file_name)
    path = os.path.realpath(file_name)
    path = path if path.endswith(suffix) else path + suffix
    if os.path.isdir(path):
        raise IsADirectoryError(f"{api_name}: file_name must be a file, got the folder {path!r}.")
    return Path(path)


def _serialize_model(api_name: str, model: Any, *, has_checksum: bool) -> bytes:
    """Serialize a model; raise a ValueError if it exceeds protobuf's limit of 2 GB.

    The checksum of a MindIR model is an entry of its ``user_info``, written twice at the end.
    MindSpore ignores it. Programs that modify the model write each entry once, so the old checksum
    is not mistaken for one of their file.
    """
    data: bytes = model.SerializeToString()
    if has_checksum:
        data += 2 * _encode_checksum(binascii.crc32(data))
    if len(data) > _MAX_MODEL_BYTES:
        raise ValueError(
            f"{api_name}: a model file must be smaller than 2 GB, got {len(data)} bytes. Save the "
            "parameters with save_checkpoint."
        )
    return data


def _encode_checksum(checksum: int) -> bytes:
    """Return the field ``user_info`` of a ModelProto with a checksum."""
    entry = wire.encode_block(1, b"minispore_crc32") + wire.encode_block(2, b"%08x" % checksum)
    return wire.encode_block(_USER_INFO_FIELD, entry)


def _parse_mindir(data: Any) -> ModelProto:
    """Parse a MindIR model, after verifying its checksum if minispore wrote the file.

    Raises:
        ValueError: it is not a model, or is damaged.
    """
    length = len(_encode_checksum(0))
    body, *copies = data[: -2 * length], data[-2 * length : -length], data[-length:]
    prefix = _encode_checksum(0)[:-_CHECKSUM_DIGITS]
    has_checksum = all(copy[: len(prefix)] == prefix for copy in copies)
    if has_checksum and _encode_checksum(binascii.crc32(body)) not in copies:
        raise ValueError("the check sum does not fit")
    model: ModelProto = _load_module("mindir_proto").ModelProto.FromString(
        body if has_checksum else data
    )
    return model


def _write_file(path: Path, data: bytes) -> None:
    """Write a read-only file, replacing an old one when complete; make its folder, accessible to
    the owner only.
    """
    path = Path(files.resolve_write_path(path))
    os.makedirs(path.parent, mode=0o700, exist_ok=True)
    if os.name == "nt" and path.exists():  # Windows can't replace a read-only file
        path.chmod(stat.S_IWUSR)
    with files.replacing(path, stat.S_IRUSR) as file:
        file.write(data)


def _make_encryption(
    api_name: str, file_format: str, kwargs: dict[str, Any]
) -> Callable[[bytes], bytes]:
    """Check the options of ``export`` and return the function that encrypts the file's content.

    Without a key it returns the content unchanged.

    Raises:
        TypeError: an option is unknown.
        ValueError: an option has an invalid value.
    """
    for option in kwargs:
        if option not in _OPTIONS:
            raise TypeError(
                f"{api_name}: has no argument {option!r}.{did_you_mean(option, _OPTIONS)}"
            )
    if kwargs.get("dataset") is not None:
        raise ValueError(
            f"{api_name}: dataset must be None: a dataset's steps are not written here."
        )
    if kwargs.get("custom_func") is not None and file_format != "MINDIR":
        raise ValueError(
            f"{api_name}: custom_func must be None for {file_format}: it is for MINDIR."
        )
    if "enc_key" not in kwargs:
        return lambda data: data
    key, mode = kwargs["enc_key"], kwargs.get("enc_mode", "AES-GCM")
    _check_key_types(api_name, "enc_key", key, mode)
    if callable(mode):
        return lambda data: mode(data, key)
    if file_format != "MINDIR":
        raise ValueError(
            f"{api_name}: enc_mode must be a function for {file_format}, got {mode!r}."
        )
    cipher.check_key(api_name, "enc_key", key, mode)
    return lambda data: cipher.encrypt(data, key, mode)


def _check_key_types(api_name: str, name: str, key: Any, mode: Any) -> None:
    """Check that a key is bytes and its mode a str or a function; ``name`` is enc_key or dec_key.

    Raises:
        ValueError: one of them has the wrong type.
    """
    if not isinstance(key, bytes):
        raise ValueError(f"{api_name}: {name} must be bytes, got {type(key).__name__}.")
    if not isinstance(mode, str) and not callable(mode):
        mode_name = f"{name[:3]}_mode"
        raise ValueError(f"{api_name}: {mode_name} must be a str or a function, got {mode!r}.")


def _decrypt_file(api_name: str, path: str, key: bytes, mode: str) -> bytes:
    """Return the decrypted content of a file.

    Raises:
        RuntimeError: the key or mode is wrong, or the file is damaged.
    """
    try:
        cipher.check_key(api_name, "dec_key", key, mode)
        return cipher.decrypt(memoryview(Path(path).read_bytes()), key, mode)
    except ValueError as exc:
        raise RuntimeError(f"{api_name}: {path!r} can't be decrypted: {exc}.") from exc


__all__ = ["export", "load", "load_mindir", "save_mindir"]
