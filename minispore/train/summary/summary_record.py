"""SummaryRecord: values by name, step by step, into an event file."""

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
from minispore.foundation.files import replacing, resolve_write_path
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
from minispore.train.summary.values import fits, value_of
from minispore.train.summary_pb2 import Event, Summary, Value

log = logging.getLogger("minispore.train")

_TENSORS = ("tensor", "scalar", "image", "histogram")
_TEXT = "text"  # ours: for TensorBoard alone
_LINEAGES: dict[str, tuple[type, str]] = {
    "train_lineage": (TrainLineage, "train_lineage"),
    "eval_lineage": (EvaluationLineage, "evaluation_lineage"),
    "dataset_graph": (DatasetGraph, "dataset_graph"),
    "custom_lineage_data": (UserDefinedInfo, "user_defined_info"),
}
_PLUGINS = (*_TENSORS, *_LINEAGES, "graph", "landscape", _TEXT)
_VERSION = "MindSpore.Event:1"
_NAME = re.compile(r"\w[\w.]*", re.ASCII)
_GRAPH_OF_MODEL = 4  # the field of a ModelProto that holds its graph


class SummaryRecord:
    """Record values in ``<file_prefix>.out.events.summary.<time>.<device>.<host><file_suffix>``,
    an event file as MindSpore writes it and MindInsight reads it; the same goes into
    ``<file_prefix>.out.tfevents.<time>.<device>.<host>``, which TensorBoard shows.

    What was added by :meth:`add_value`, and what the summary ops of networks handed out since the
    last time, goes into the file at :meth:`record`. Lineage goes into a second file. A file is
    there with its first record.

    Args:
        log_dir (str): the folder, made when missing.
        file_prefix (str): how the file names begin. Default: ``"events"``.
        file_suffix (str): how the summary file's name ends. Default: ``"_MS"``.
        num_process (int): accepted; the caller writes. Default: ``32``.
        network (Cell, optional): accepted; graphs are recorded by ``add_value``.
        max_file_size (int, optional): bytes that a file may have; with the first record for which
            there is no room, the file ends.
        raise_exception (bool): whether an OSError while writing is raised, not only logged.
        export_options (dict, optional): ``{"tensor_format": "npy"}`` also writes each
            tensor to ``export_<time>/tensor/<name>_<step>.npy``.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a name or an option can't be.
        RuntimeError: there is a record that is not closed.

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

    count: ClassVar[int] = 0  # of records that are open

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
        who = "SummaryRecord"
        if SummaryRecord.count:
            raise RuntimeError(f"{who}: only one may be open, got a second. Close the first.")
        if not isinstance(log_dir, str) or not log_dir.strip():
            raise TypeError(f"{who}: log_dir must be a path, got {log_dir!r}.")
        for name, value in (("file_prefix", file_prefix), ("file_suffix", file_suffix)):
            checks.instance(who, name, value, str)
            if not _NAME.fullmatch(value):
                raise ValueError(
                    f"{who}: {name} must be of letters, digits, '_' and '.', got {value!r}."
                )
        checks.instance(who, "network", network, Cell, or_none=True)
        checks.instance(who, "max_file_size", max_file_size, int, or_none=True)
        if max_file_size is not None and max_file_size < 0:
            log.warning("%s: max_file_size is negative, so there is no limit.", who)
            max_file_size = None
        self.raise_exception = checks.boolean(who, "raise_exception", raise_exception)
        self._export = wants_export(who, export_options)
        log_dir = resolve_write_path(log_dir)
        os.makedirs(log_dir, exist_ok=True)
        now = int(time.time())
        device = get_rank() if GlobalComm.INITED else context.get_context("device_id")
        stem = f"{file_prefix}.out.events.summary.{now}.{device}.{platform.node()}"
        folder = Path(os.path.realpath(log_dir))
        self._summaries = EventFile(
            folder / f"{stem}{file_suffix}", max_file_size, partial(Event, version=_VERSION)
        )
        self._tensorboard = EventFile(
            folder / stem.replace(".out.events.summary.", ".out.tfevents."),
            max_file_size,
            partial(tensorboard.Event, file_version=tensorboard.VERSION),
        )
        self._lineages = EventFile(folder / f"{stem}_lineage", max_file_size)
        self._exports = folder / f"export_{now}" / "tensor"
        self._mode = "train"
        self._closed = False
        self._arrays: dict[tuple[str, str], np.ndarray] = {}
        self._others: list[tuple[str, str, bytes]] = []  # plugin, name, message
        self._from_ops: dict[tuple[str, str], np.ndarray] = {}
        SummaryRecord.count += 1
        watch.listeners.append(self._note)
        atexit.register(self.close)

    def __enter__(self) -> SummaryRecord:
        if self._closed:
            raise ValueError("SummaryRecord: must be open, got a closed one. Make another.")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def log_dir(self) -> str:
        """The path of the summary file."""
        return str(self._summaries.path)

    def set_mode(self, mode: str) -> None:
        """``"train"`` or ``"eval"``; in ``"eval"``, what summary ops hand out is not recorded.

        Raises:
            ValueError: it is neither.
        """
        if mode not in ("train", "eval"):
            raise ValueError(f"SummaryRecord: mode must be 'train' or 'eval', got {mode!r}.")
        self._mode = mode

    def add_value(self, plugin: str, name: str, value: Any) -> None:
        """Keep a value for the next :meth:`record`; of several with one name, the newest counts.

        Args:
            plugin (str): ``"scalar"``, ``"image"``, ``"tensor"`` or ``"histogram"`` for a Tensor;
                ``"train_lineage"``, ``"eval_lineage"``, ``"dataset_graph"`` or
                ``"custom_lineage_data"`` for a message of ``train.lineage_pb2``; ``"graph"`` for
                the bytes of MindSpore's ModelProto; ``"landscape"`` for a message; ``"text"``
                for a str, which only TensorBoard shows.
            name (str): its name.
            value: the value.

        Raises:
            ValueError: there is no such plugin; ``name`` is no str; the shape does not fit.
            TypeError: ``value`` is not what the plugin takes.
        """
        who = "SummaryRecord.add_value"
        if plugin in _TENSORS:
            if not isinstance(name, str) or not name:
                raise ValueError(f"{who}: name must be a str that is not empty, got {name!r}.")
            if not isinstance(value, Tensor):
                raise TypeError(
                    f"{who}: value must be a Tensor for {plugin!r}, got {type(value).__name__}."
                )
            array = value.asnumpy().copy()
            wrong = fits(plugin, array)
            if wrong:
                raise ValueError(f"{who}: value of {plugin!r} must {wrong}, got {array.shape}.")
            if (plugin, name) in self._arrays:
                log.warning("%s: %s/%s was added twice; the newest counts.", who, name, plugin)
            self._arrays[plugin, name] = array
        elif plugin == _TEXT:
            checks.instance(who, "value", value, str)
            self._others.append((plugin, name, value.encode()))
        elif plugin in _LINEAGES:
            kind = _LINEAGES[plugin][0]
            if not isinstance(value, kind):
                raise TypeError(
                    f"{who}: value must be a {kind.__name__} for {plugin!r}, got "
                    f"{type(value).__name__}."
                )
            self._others.append((plugin, name, _bytes_of(value)))
        elif plugin == "graph":
            self._others.append((plugin, name, _graph_of(who, value)))
        elif plugin == "landscape":
            self._others.append((plugin, name, _bytes_of(value)))
        else:
            close = did_you_mean(str(plugin), _PLUGINS)
            raise ValueError(
                f"{who}: plugin must be one of {list(_PLUGINS)}, got {plugin!r}.{close}"
            )

    def record(
        self,
        step: int,
        train_network: Cell | None = None,
        plugin_filter: Callable[[str], bool] | None = None,
    ) -> bool:
        """Write what was added and handed out since the last time.

        Args:
            step (int): the number under which it is shown.
            train_network (Cell, optional): accepted.
            plugin_filter (function, optional): says by name which plugins are written; what the
                others got is dropped.

        Returns:
            bool, False if the record is closed.

        Raises:
            TypeError: ``step`` is no int, or ``train_network`` no Cell.
        """
        who = "SummaryRecord.record"
        checks.integer(who, "step", step)
        checks.instance(who, "train_network", train_network, Cell, or_none=True)
        if self._closed:
            log.error("%s: the record is closed.", who)
            return False
        self._arrays |= self._from_ops
        self._from_ops = {}
        arrays, self._arrays = self._arrays, {}
        others, self._others = self._others, []
        wanted = plugin_filter or (lambda plugin: True)
        try:
            self._write(
                step,
                {key: array for key, array in arrays.items() if wanted(key[0])},
                [other for other in others if wanted(other[0])],
            )
        except OSError as exc:
            log.error("%s: %s", who, exc)
            if self.raise_exception:
                raise
        return True

    def flush(self) -> None:
        """Bring to the disk what was recorded."""
        if self._closed:
            log.error("SummaryRecord.flush: the record is closed.")
            return
        for file in (self._summaries, self._tensorboard, self._lineages):
            file.flush()

    def close(self) -> None:
        """Bring all to the disk and end the files. Safe to call again."""
        if self._closed:
            return
        self._closed = True
        SummaryRecord.count -= 1
        watch.listeners.remove(self._note)
        atexit.unregister(self.close)
        for file in (self._summaries, self._tensorboard, self._lineages):
            file.close()

    def _note(self, kind: str, name: str, array: np.ndarray) -> None:
        if self._mode != "train":
            return
        wrong = fits(kind, array)
        if wrong:
            log.warning("SummaryRecord: %s %s must %s, got %s.", kind, name, wrong, array.shape)
            return
        self._from_ops[kind, name] = array

    def _write(
        self,
        step: int,
        arrays: dict[tuple[str, str], np.ndarray],
        others: list[tuple[str, str, bytes]],
    ) -> None:
        now = time.time()
        values = [value_of(plugin, name, array) for (plugin, name), array in arrays.items()]
        shown = [
            tensorboard.value_of(plugin, name, array) for (plugin, name), array in arrays.items()
        ]
        for plugin, name, message in others:
            if plugin == "graph":
                self._summaries.write(Event(wall_time=now, graph_def=message))
                drawn = tensorboard.graph_def(message)
                self._tensorboard.write(tensorboard.Event(wall_time=now, graph_def=drawn))
            elif plugin == _TEXT:
                shown.append(tensorboard.value_of(plugin, name, message.decode()))
            elif plugin == "landscape":
                values.append(Value(tag=name, loss_landscape=message))
            else:
                kind, field = _LINEAGES[plugin]
                content = {field: kind.FromString(message)}  # type: ignore[attr-defined]
                self._lineages.write(LineageEvent(wall_time=now, **content))
        if values:
            self._summaries.write(Event(wall_time=now, step=step, summary=Summary(value=values)))
        if shown:
            summary = tensorboard.Summary(value=shown)
            self._tensorboard.write(tensorboard.Event(wall_time=now, step=step, summary=summary))
        if self._export:
            for (plugin, name), array in arrays.items():
                if plugin == "tensor":
                    self._exports.mkdir(parents=True, exist_ok=True)
                    with replacing(self._exports / f"{quote(name, safe='')}_{step}.npy") as file:
                        np.save(file, array)


def _get_summary_tensor_data() -> dict[str, Tensor]:
    """What summary ops were given since the last call, by ``"name[:Kind]"``, the last of each.

    >>> from minispore.ops import TensorSummary
    >>> _ = _get_summary_tensor_data(), TensorSummary()("x", Tensor([1.0]))
    >>> list(_get_summary_tensor_data())
    ['x[:Tensor]']
    """
    found = {f"{name}[:{kind.title()}]": Tensor(a) for (name, kind), a in watch.latest.items()}
    watch.latest.clear()
    return found


def _bytes_of(value: Any) -> bytes:
    """The bytes of a message: of ours, or of protobuf's own classes."""
    return value.SerializeToString()


def _graph_of(who: str, value: Any) -> bytes:
    """The graph in the bytes of a ModelProto."""
    if not isinstance(value, bytes):
        raise TypeError(f"{who}: value must be bytes for 'graph', got {type(value).__name__}.")
    graph = b""
    for number, content in wire.iterate_fields(value):
        if number == _GRAPH_OF_MODEL and isinstance(content, memoryview):
            graph = bytes(content)
    return graph


def wants_export(who: str, options: Any) -> bool:
    """Whether tensors are to be written as ``.npy`` too."""
    checks.instance(who, "export_options", options, dict, or_none=True)
    for name, form in (options or {}).items():
        if name != "tensor_format":
            raise ValueError(f"{who}: export_options may have 'tensor_format' only, got {name!r}.")
        checks.instance(who, name, form, str, or_none=True)
        if form not in ("npy", None):
            raise ValueError(f"{who}: tensor_format must be 'npy' or None, got {form!r}.")
    return bool(options) and options["tensor_format"] == "npy"


__all__ = ["SummaryRecord"]
