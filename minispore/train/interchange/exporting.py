"""export and load: networks to model files, and back."""

from __future__ import annotations

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
from minispore.graph.funcgraph import FuncGraph
from minispore.nn.cell import Cell
from minispore.train.files import cipher
from minispore.train.interchange.open_axes import LENGTHS, is_open

if TYPE_CHECKING:
    from minispore.train.interchange.mindir_proto import ModelProto

_FRONT = "minispore.train.interchange"
# Writers and readers of models: most programs have no use for them.
_room: Callable[[str], Any] = make_lazy_attributes(_FRONT, {
    room: f"{_FRONT}.{room}" for room in (
        "inference", "mindir_proto", "mindir_read", "mindir_write", "onnx_recurrent", "onnx_write",
    )
})[0]  # fmt: skip

_FORMATS = {"AIR": ".air", "ONNX": ".onnx", "MINDIR": ".mindir"}
_OPTIONS = ("enc_key", "enc_mode", "dataset", "incremental", "custom_func")
_LARGEST = 2**31 - 1  # bytes of a protobuf message
_FILE_NAME = re.compile(r"[0-9a-zA-Z@_\-.:/\\]+")


def export(
    net: Cell | Callable[..., Any],
    *inputs: Any,
    file_name: str,
    file_format: str,
    **kwargs: Any,
) -> None:
    """Write the graph of a network, with its parameters, as a model file.

    The network is traced for the shapes and dtypes of ``inputs``: for MINDIR as it is, in training
    after ``set_train()``; for ONNX as in ``set_train(False)``. What it does to its Parameters (a
    counter, moving means, a cache, the step of an optimizer) a MINDIR file does, too: each call of
    what ``load`` reads goes on from where the last has ended. The file appears whole or not at all,
    readable by its owner; its folder is made where it is missing.

    Args:
        net: a Cell, or for MINDIR also a function of Tensors.
        inputs: what ``net`` is called with: Tensors (their shapes count; ``Tensor(shape=[None, 4],
            dtype=...)`` leaves the length of an axis open), or numbers, which become constants.
        file_name: the file; ``.mindir`` or ``.onnx`` is added where it is missing.
        file_format: ``"MINDIR"``, which MindSpore reads, or ``"ONNX"``.
        kwargs: ``enc_key`` encrypts the file in one of MindSpore's ways, ``enc_mode`` (AES-GCM),
            which for MINDIR may be AES-CBC and SM4-CBC, too, or is a function that gives the
            content: ``enc_mode(content, enc_key)``;
            ``custom_func`` gets the model's record and may change it, before a MINDIR file is
            written; ``incremental`` is kept for MindSpore's sake.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: one has a value that can't be; the graph depends on values, or for ONNX
            changes Parameters; ``"AIR"``.
        RuntimeError: an op has no counterpart in the format. No file is touched then.

    >>> import os, tempfile
    >>> import minispore as ms
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "half")
    ...     ms.export(ms.nn.ReLU(), ms.Tensor([-1.0, 2.0]), file_name=file, file_format="MINDIR")
    ...     graph = ms.load(file + ".mindir")
    >>> print(ms.nn.GraphCell(graph)(ms.Tensor([3.0, -4.0])))
    [3. 0.]
    """
    who = "export"
    if file_format not in _FORMATS:
        hint = did_you_mean(file_format.upper(), _FORMATS) if isinstance(file_format, str) else ""
        raise ValueError(
            f"{who}: file_format must be 'MINDIR' or 'ONNX', got {file_format!r}.{hint}"
        )
    if file_format == "AIR":
        raise ValueError(
            f"{who}: file_format 'AIR' needs the compiler of an Ascend, which writes it alone. Use "
            "file_format='MINDIR': converters for every device read it."
        )
    path = _path(who, file_name, _FORMATS[file_format])
    encode = _encryption(who, file_format, kwargs)
    if not callable(net) or isinstance(net, type):
        raise TypeError(f"{who}: net must be a Cell or a function, got {net!r}.")
    if file_format == "ONNX" and not isinstance(net, Cell):
        raise ValueError(f"{who}: net must be a Cell for ONNX, got {type(net).__name__}.")
    onnx = file_format == "ONNX"
    trace = _room("inference").graph_of
    if onnx:
        trace = _room("inference").inference_graph
        trace = partial(trace, said_whole=_room("onnx_recurrent").said_whole)
    model = _model(net, inputs, trace, _room("onnx_write" if onnx else "mindir_write").model_of)
    if kwargs.get("custom_func") is not None:
        kwargs["custom_func"](model)
    _write(path, encode(_bytes(who, model)))


def _model(
    net: Callable[..., Any],
    inputs: tuple[Any, ...],
    trace: Callable[..., FuncGraph],
    model_of: Callable[[FuncGraph, FuncGraph], Any],
) -> Any:
    """The model of a network; with an open axis, what is the same for two lengths of it."""
    if not any(map(is_open, inputs)):
        function = trace(net, inputs)
        return model_of(function, function)
    one, other = (trace(net, inputs, n) for n in LENGTHS)
    made, twin = model_of(one, other), model_of(other, one)
    if made.SerializeToString() != twin.SerializeToString():
        raise ValueError(
            "export: a network with an open axis must do the same for each length, got one that "
            "counts with it. Export it with an input of a fixed shape."
        )
    return made


def load(file_name: str, **kwargs: Any) -> FuncGraph:
    """Read a MindIR file, minispore's or MindSpore's: a graph that :class:`mindspore.nn.GraphCell`
    runs.

    Args:
        file_name: the file, ``.mindir``.
        kwargs: ``dec_key`` opens a file that was encrypted in the way ``dec_mode`` (AES-GCM), which
            may be a function that gives the content: ``dec_mode(file_name, dec_key)``.

    Returns:
        The graph; ``print`` shows its ops, a line each.

    Raises:
        ValueError: there is no such file, or its name is no ``.mindir``.
        RuntimeError: it is damaged, encrypted in another way or with another key, or holds what
            minispore can't run.
    """
    who = "load"
    if "obf_func" in kwargs:
        raise ValueError(f"{who}: obf_func is gone from MindSpore: nothing is hidden any more.")
    if not isinstance(file_name, str):
        raise ValueError(f"{who}: file_name must be a str, got {file_name!r}.")
    if not file_name.endswith(".mindir"):
        raise ValueError(f"{who}: file_name must end with '.mindir', got {file_name!r}.")
    file_name = files.resolve_read_path(file_name)
    if not os.path.exists(file_name):
        raise ValueError(f"{who}: file_name must be a file, got {file_name!r}, which is not there.")
    path = os.path.realpath(file_name)
    key, mode = kwargs.get("dec_key"), kwargs.get("dec_mode", "AES-GCM")
    if key is None:
        data = Path(path).read_bytes()
    else:
        _check_key(who, "dec_key", key, mode)
        data = mode(path, key) if callable(mode) else _opened(who, path, key, mode)
    try:
        model = _room("mindir_proto").ModelProto.FromString(data)
    except (RecursionError, ValueError) as exc:
        raise RuntimeError(
            f"{who}: {file_name!r} is no MindIR file, a damaged or an encrypted one: {exc}."
        ) from exc
    if not model.graph.node and not model.graph.output:
        raise RuntimeError(f"{who}: {file_name!r} holds no graph.")
    return _room("mindir_read").graph_of(model)


def load_mindir(file_name: str) -> ModelProto:
    """The record that a MindIR file holds, field by field.

    Raises:
        TypeError: ``file_name`` is no str.
        ValueError: it can't be a file's name, or the file is no MindIR.
    """
    _check_name("load_mindir", file_name)
    try:
        made: ModelProto = _room("mindir_proto").ModelProto.FromString(Path(file_name).read_bytes())
        return made
    except (RecursionError, ValueError, OSError) as exc:
        raise ValueError(f"load_mindir: {file_name!r} can't be read: {exc}.") from exc


def save_mindir(model: ModelProto, file_name: str) -> None:
    """Write a record that :func:`load_mindir` has read; ``.mindir`` is added where it is missing.

    Raises:
        TypeError: ``model`` is no such record, or ``file_name`` no str.
        ValueError: ``file_name`` can't be a file's name.
    """
    who = "save_mindir"
    path = _path(who, file_name, ".mindir")
    if not isinstance(model, _room("mindir_proto").ModelProto):
        raise TypeError(f"{who}: model must be a ModelProto, got {type(model).__name__}.")
    _write(path, _bytes(who, model))


# -- files -----------------------------------------------------------------------------------------


def _check_name(who: str, file_name: Any) -> None:
    if not isinstance(file_name, str):
        raise TypeError(
            f"{who}: file_name must be a str, got {file_name!r} ({type(file_name).__name__})."
        )
    if file_name.endswith(("/", "\\")):
        raise ValueError(f"{who}: file_name must be a file, got the folder {file_name!r}.")
    if not _FILE_NAME.fullmatch(file_name):
        raise ValueError(
            f"{who}: file_name must be made of letters, digits and @ _ - . : / \\, got "
            f"{file_name!r}."
        )


def _path(who: str, file_name: Any, suffix: str) -> Path:
    _check_name(who, file_name)
    path = os.path.realpath(file_name)
    path = path if path.endswith(suffix) else path + suffix
    if os.path.isdir(path):
        raise IsADirectoryError(f"{who}: file_name must be a file, got the folder {path!r}.")
    return Path(path)


def _bytes(who: str, model: Any) -> bytes:
    data: bytes = model.SerializeToString()
    if len(data) > _LARGEST:
        raise ValueError(
            f"{who}: a model file must be smaller than 2 GB, got {len(data)} bytes. Save the "
            "parameters with save_checkpoint."
        )
    return data


def _write(path: Path, data: bytes) -> None:
    path = Path(files.resolve_write_path(path))
    os.makedirs(path.parent, mode=0o700, exist_ok=True)
    if os.name == "nt" and path.exists():  # Windows replaces no file that is read-only
        path.chmod(stat.S_IWUSR)
    with files.replacing(path, stat.S_IRUSR) as file:
        file.write(data)


def _encryption(who: str, file_format: str, kwargs: dict[str, Any]) -> Callable[[bytes], bytes]:
    """What turns the content into that of the file."""
    for option in kwargs:
        if option not in _OPTIONS:
            raise TypeError(f"{who}: has no argument {option!r}.{did_you_mean(option, _OPTIONS)}")
    if kwargs.get("dataset") is not None:
        raise ValueError(f"{who}: dataset must be None: a dataset's steps are not written here.")
    if kwargs.get("custom_func") is not None and file_format != "MINDIR":
        raise ValueError(f"{who}: custom_func must be None for {file_format}: it is for MINDIR.")
    if "enc_key" not in kwargs:
        return lambda data: data
    key, mode = kwargs["enc_key"], kwargs.get("enc_mode", "AES-GCM")
    _check_key(who, "enc_key", key, mode)
    if callable(mode):
        return lambda data: mode(data, key)
    if file_format != "MINDIR":
        raise ValueError(f"{who}: enc_mode must be a function for {file_format}, got {mode!r}.")
    cipher.check_key(who, "enc_key", key, mode)
    return lambda data: cipher.encrypted(data, key, mode)


def _check_key(who: str, name: str, key: Any, mode: Any) -> None:
    if not isinstance(key, bytes):
        raise ValueError(f"{who}: {name} must be bytes, got {type(key).__name__}.")
    if not isinstance(mode, str) and not callable(mode):
        how = f"{name[:3]}_mode"
        raise ValueError(f"{who}: {how} must be a str or a function, got {mode!r}.")


def _opened(who: str, path: str, key: bytes, mode: str) -> bytes:
    """The content of an encrypted file."""
    try:
        cipher.check_key(who, "dec_key", key, mode)
        return cipher.decrypted(memoryview(Path(path).read_bytes()), key, mode)
    except ValueError as exc:
        raise RuntimeError(f"{who}: {path!r} can't be decrypted: {exc}.") from exc


__all__ = ["export", "load", "load_mindir", "save_mindir"]
