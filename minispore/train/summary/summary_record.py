"""SummaryRecord: writes values by name and step to event files."""

from __future__ import annotations

import atexit
import logging
import os
import platform
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar
from urllib.parse import quote

import numpy as np

from minispore import context
from minispore.communication import GlobalComm, get_rank
from minispore.core.tensor import Tensor
from minispore.errors import did_you_mean
from minispore.foundation import checks
from minispore.foundation.files import check_path, replacing, resolve_write_path
from minispore.foundation.protobuf import wire
from minispore.nn.cell import Cell
from minispore.ops.control import watch
from minispore.train.lineage_pb2 import (
    DatasetGraph,
    EvaluationLineage,
    LineageEvent,
    TrainLineage,
    UserDefinedInfo,
)
from minispore.train.summary import tensorboard
from minispore.train.summary.event_file import EventFile
from minispore.train.summary.values import find_mismatch, make_value
from minispore.train.summary_pb2 import Event, Summary, Value

log = logging.getLogger("minispore.train")

_TENSOR_PLUGINS = ("tensor", "scalar", "image", "histogram")
_TEXT_PLUGIN = "text"  # an extension of minispore, for TensorBoard only
_LINEAGE_MESSAGES: dict[str, tuple[type, str]] = {
    "train_lineage": (TrainLineage, "train_lineage"),
    "eval_lineage": (EvaluationLineage, "evaluation_lineage"),
    "dataset_graph": (DatasetGraph, "dataset_graph"),
    "custom_lineage_data": (UserDefinedInfo, "user_defined_info"),
}
_PLUGINS = (*_TENSOR_PLUGINS, *_LINEAGE_MESSAGES, "graph", "landscape", _TEXT_PLUGIN)
_VERSION = "MindSpore.Event:1"
_FILE_NAME_PART = re.compile(r"\w[\w.]*", re.ASCII)
_MODEL_GRAPH_FIELD = 4  # the field of a ModelProto that holds its graph


class SummaryRecord:
    """Record values by name and step in event files, which MindInsight and TensorBoard show.

    MindSpore's file is ``<file_prefix>.out.events.summary.<time>.<device>.<host><file_suffix>``;
    TensorBoard's, with the same values, is ``<file_prefix>.out.tfevents.<time>.<device>.<host>``.

    :meth:`record` writes the values added by :meth:`add_value` and those of the networks' summary
    ops since the last record. Lineage is written to a second file. A file is created with its first
    record.

    Args:
        log_dir (str): the folder, made when missing.
        file_prefix (str): the prefix of the file names. Default: ``"events"``.
        file_suffix (str): the suffix of the summary file's name. Default: ``"_MS"``.
        num_process (int): accepted for compatibility; the caller writes. Default: ``32``.
        network (Cell, optional): accepted for compatibility; graphs are recorded by ``add_value``.
        max_file_size (int, optional): size limit in bytes; the file ends before the first record
            that would exceed it.
        raise_exception (bool): whether to raise an OSError while writing rather than log it.
        export_options (dict, optional): ``{"tensor_format": "npy"}`` also writes each
            tensor to ``export_<time>/tensor/<name>_<step>.npy``.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a name or an option is invalid.
        RuntimeError: another SummaryRecord is open.

    Example:
        >>> import os, tempfile
        >>> import minispore as ms
        >>> folder = tempfile.mkdtemp()
        >>> with ms.train.SummaryRecord(folder) as record:
        ...     record.add_value("scalar", "loss", ms.Tensor(0.5))
        ...     record.record(step=1)
        True
        >>> os.path.getsize(record.log_dir) > 50
        True
    """

    count: ClassVar[int] = 0  # the number of open records

    def __init__(
        self,
        log_dir: str,
        file_prefix: str = "events",
        file_suffix: str = "_MS",
        num_process: int = 32,
        network: Cell | None = None,
        max_file_size: int | None = None,
        raise_exception: bool = False,
        export_options: dict[str, Any] | None = None,
    ) -> None:
        api_name = "SummaryRecord"
        if SummaryRecord.count:
            raise RuntimeError(f"{api_name}: only one may be open, got a second. Close the first.")
        if not isinstance(log_dir, str) or not log_dir.strip():
            raise TypeError(f"{api_name}: log_dir must be a path, got {log_dir!r}.")
        check_path(f"{api_name}: log_dir", log_dir)
        for name, value in (("file_prefix", file_prefix), ("file_suffix", file_suffix)):
            checks.instance(api_name, name, value, str)
            if not _FILE_NAME_PART.fullmatch(value):
                raise ValueError(
                    f"{api_name}: {name} must be of letters, digits, '_' and '.', got {value!r}."
                )
        checks.instance(api_name, "network", network, Cell, or_none=True)
        checks.instance(api_name, "max_file_size", max_file_size, int, or_none=True)
        if max_file_size is not None and max_file_size < 0:
            log.warning("%s: max_file_size is negative, so there is no limit.", api_name)
            max_file_size = None
        self.raise_exception = checks.boolean(api_name, "raise_exception", raise_exception)
        self._exports_tensors = check_export_options(api_name, export_options)
        log_dir = resolve_write_path(log_dir)
        os.makedirs(log_dir, exist_ok=True)
        time_s = int(time.time())
        device = get_rank() if GlobalComm.INITED else context.get_context("device_id")
        stem = f"{file_prefix}.out.events.summary.{time_s}.{device}.{platform.node()}"
        folder = Path(os.path.realpath(log_dir))
        self._summary_file = EventFile(
            folder / f"{stem}{file_suffix}", max_file_size, partial(Event, version=_VERSION)
        )
        self._tensorboard_file = EventFile(
            folder / stem.replace(".out.events.summary.", ".out.tfevents."),
            max_file_size,
            partial(tensorboard.Event, file_version=tensorboard.VERSION),
        )
        self._lineage_file = EventFile(folder / f"{stem}_lineage", max_file_size)
        self._export_folder = folder / f"export_{time_s}" / "tensor"
        self._mode = "train"
        self._is_closed = False
        self._added_arrays: dict[tuple[str, str], np.ndarray] = {}
        self._added_messages: list[tuple[str, str, bytes]] = []  # plugin, name, message
        self._op_arrays: dict[tuple[str, str], np.ndarray] = {}
        SummaryRecord.count += 1
        watch.listeners.append(self._note_op_value)
        atexit.register(self.close)

    def __enter__(self) -> SummaryRecord:
        """Return the record; ValueError if it is closed."""
        if self._is_closed:
            raise ValueError("SummaryRecord: must be open, got a closed one. Make another.")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the record."""
        self.close()

    @property
    def log_dir(self) -> str:
        """The path of the summary file."""
        return str(self._summary_file.path)

    def set_mode(self, mode: str) -> None:
        """Set the mode: in ``"eval"``, the values of summary ops are not recorded.

        Raises:
            ValueError: it is neither ``"train"`` nor ``"eval"``.
        """
        if mode not in ("train", "eval"):
            raise ValueError(f"SummaryRecord: mode must be 'train' or 'eval', got {mode!r}.")
        self._mode = mode

    def add_value(self, plugin: str, name: str, value: Any) -> None:
        """Add a value to the next :meth:`record`.

        A Tensor replaces an earlier one of the same plugin and name; other values are all kept.

        Args:
            plugin (str): ``"scalar"``, ``"image"``, ``"tensor"`` or ``"histogram"`` for a Tensor;
                ``"train_lineage"``, ``"eval_lineage"``, ``"dataset_graph"`` or
                ``"custom_lineage_data"`` for a message of ``train.lineage_pb2``; ``"graph"`` for
                the bytes of MindSpore's ModelProto; ``"landscape"`` for a message; ``"text"``
                for a str, which only TensorBoard shows.
            name (str): its name.
            value: the value.

        Raises:
            ValueError: there is no such plugin, ``name`` is not a str, or the shape does not fit.
            TypeError: ``value`` does not have the type that the plugin requires.
        """
        api_name = "SummaryRecord.add_value"
        if plugin in _TENSOR_PLUGINS:
            if not isinstance(name, str) or not name:
                raise ValueError(f"{api_name}: name must be a str that is not empty, got {name!r}.")
            if not isinstance(value, Tensor):
                raise TypeError(
                    f"{api_name}: value must be a Tensor for {plugin!r}, got "
                    f"{type(value).__name__}."
                )
            array = value.asnumpy().copy()
            mismatch = find_mismatch(plugin, array)
            if mismatch:
                raise ValueError(
                    f"{api_name}: value of {plugin!r} must {mismatch}, got {array.shape}."
                )
            if (plugin, name) in self._added_arrays:
                log.warning("%s: %s/%s was added twice; the newest counts.", api_name, name, plugin)
            self._added_arrays[plugin, name] = array
        elif plugin == _TEXT_PLUGIN:
            checks.instance(api_name, "value", value, str)
            self._added_messages.append((plugin, name, value.encode()))
        elif plugin in _LINEAGE_MESSAGES:
            message_class = _LINEAGE_MESSAGES[plugin][0]
            if not isinstance(value, message_class):
                raise TypeError(
                    f"{api_name}: value must be a {message_class.__name__} for {plugin!r}, got "
                    f"{type(value).__name__}."
                )
            self._added_messages.append((plugin, name, _serialize_message(value)))
        elif plugin == "graph":
            self._added_messages.append((plugin, name, _extract_graph(api_name, value)))
        elif plugin == "landscape":
            self._added_messages.append((plugin, name, _serialize_message(value)))
        else:
            hint = did_you_mean(str(plugin), _PLUGINS)
            raise ValueError(
                f"{api_name}: plugin must be one of {list(_PLUGINS)}, got {plugin!r}.{hint}"
            )

    def record(
        self,
        step: int,
        train_network: Cell | None = None,
        plugin_filter: Callable[[str], bool] | None = None,
    ) -> bool:
        """Write the values added, and those of summary ops, since the last record.

        Args:
            step (int): the step under which the values are shown.
            train_network (Cell, optional): accepted for compatibility.
            plugin_filter (function, optional): called with the name of a plugin; returns whether
                its values are written or dropped.

        Returns:
            bool, False if the record is closed.

        Raises:
            TypeError: ``step`` is not an int, or ``train_network`` is not a Cell.
        """
        api_name = "SummaryRecord.record"
        checks.integer(api_name, "step", step)
        checks.instance(api_name, "train_network", train_network, Cell, or_none=True)
        if self._is_closed:
            log.error("%s: the record is closed.", api_name)
            return False
        self._added_arrays |= self._op_arrays
        self._op_arrays = {}
        arrays, self._added_arrays = self._added_arrays, {}
        messages, self._added_messages = self._added_messages, []
        is_selected = plugin_filter or (lambda plugin: True)
        try:
            self._write_values(
                step,
                {key: array for key, array in arrays.items() if is_selected(key[0])},
                [message for message in messages if is_selected(message[0])],
            )
        except OSError as exc:
            log.error("%s: %s", api_name, exc)
            if self.raise_exception:
                raise
        return True

    def flush(self) -> None:
        """Flush the recorded values to disk."""
        if self._is_closed:
            log.error("SummaryRecord.flush: the record is closed.")
            return
        for file in (self._summary_file, self._tensorboard_file, self._lineage_file):
            file.flush()

    def close(self) -> None:
        """Flush and close the files; may be called again."""
        if self._is_closed:
            return
        self._is_closed = True
        SummaryRecord.count -= 1
        watch.listeners.remove(self._note_op_value)
        atexit.unregister(self.close)
        for file in (self._summary_file, self._tensorboard_file, self._lineage_file):
            file.close()

    def _note_op_value(self, plugin: str, name: str, array: np.ndarray) -> None:
        """Store the value of a summary op for the next :meth:`record`, in train mode only.

        Called by ``watch`` for each op. A value that does not fit its plugin is logged and dropped.
        """
        if self._mode != "train":
            return
        mismatch = find_mismatch(plugin, array)
        if mismatch:
            log.warning(
                "SummaryRecord: %s %s must %s, got %s.", plugin, name, mismatch, array.shape
            )
            return
        self._op_arrays[plugin, name] = array

    def _write_values(
        self,
        step: int,
        arrays: dict[tuple[str, str], np.ndarray],
        messages: list[tuple[str, str, bytes]],
    ) -> None:
        """Write arrays and messages to the summary, TensorBoard, lineage and export files, under
        ``step`` and the current time.
        """
        time_s = time.time()
        values = [make_value(plugin, name, array) for (plugin, name), array in arrays.items()]
        tensorboard_values = [
            tensorboard.make_value(plugin, name, array) for (plugin, name), array in arrays.items()
        ]
        for plugin, name, message in messages:
            if plugin == "graph":
                self._summary_file.write(Event(wall_time=time_s, graph_def=message))
                graph_def = tensorboard.convert_graph(message)
                self._tensorboard_file.write(
                    tensorboard.Event(wall_time=time_s, graph_def=graph_def)
                )
            elif plugin == _TEXT_PLUGIN:
                tensorboard_values.append(tensorboard.make_value(plugin, name, message.decode()))
            elif plugin == "landscape":
                values.append(Value(tag=name, loss_landscape=message))
            else:
                message_class, field = _LINEAGE_MESSAGES[plugin]
                content = {field: message_class.FromString(message)}  # type: ignore[attr-defined]
                self._lineage_file.write(LineageEvent(wall_time=time_s, **content))
        if values:
            self._summary_file.write(
                Event(wall_time=time_s, step=step, summary=Summary(value=values))
            )
        if tensorboard_values:
            summary = tensorboard.Summary(value=tensorboard_values)
            self._tensorboard_file.write(
                tensorboard.Event(wall_time=time_s, step=step, summary=summary)
            )
        if self._exports_tensors:
            for (plugin, name), array in arrays.items():
                if plugin == "tensor":
                    self._export_folder.mkdir(parents=True, exist_ok=True)
                    with replacing(
                        self._export_folder / f"{quote(name, safe='')}_{step}.npy"
                    ) as file:
                        np.save(file, array)


def _get_summary_tensor_data() -> dict[str, Tensor]:
    """Return and clear the latest inputs of summary ops, by ``"name[:Kind]"``.

    >>> from minispore.ops import TensorSummary
    >>> _ = _get_summary_tensor_data(), TensorSummary()("x", Tensor([1.0]))
    >>> list(_get_summary_tensor_data())
    ['x[:Tensor]']
    """
    tensors = {f"{name}[:{kind.title()}]": Tensor(a) for (name, kind), a in watch.latest.items()}
    watch.latest.clear()
    return tensors


def _serialize_message(value: Any) -> bytes:
    """Serialize a message of a minispore or protobuf class."""
    return value.SerializeToString()


def _extract_graph(api_name: str, value: Any) -> bytes:
    """Extract the graph's bytes from the bytes of a ModelProto; b"" if it has none.

    Raises:
        TypeError: ``value`` is not bytes.
    """
    if not isinstance(value, bytes):
        raise TypeError(f"{api_name}: value must be bytes for 'graph', got {type(value).__name__}.")
    graph = b""
    for field, content in wire.iterate_fields(value):
        if field == _MODEL_GRAPH_FIELD and isinstance(content, memoryview):
            graph = bytes(content)
    return graph


def check_export_options(api_name: str, options: Any) -> bool:
    """Check export options and return whether tensors are also written as ``.npy``.

    Raises:
        ValueError: an option or format is unknown.
        TypeError: the options are not a dict, or the format is not a str.
    """
    checks.instance(api_name, "export_options", options, dict, or_none=True)
    for name, tensor_format in (options or {}).items():
        if name != "tensor_format":
            raise ValueError(
                f"{api_name}: export_options may have 'tensor_format' only, got {name!r}."
            )
        checks.instance(api_name, name, tensor_format, str, or_none=True)
        if tensor_format not in ("npy", None):
            raise ValueError(
                f"{api_name}: tensor_format must be 'npy' or None, got {tensor_format!r}."
            )
    return bool(options) and options["tensor_format"] == "npy"


__all__ = ["SummaryRecord"]
