"""ModelCheckpoint: checkpoints during a training, and how many of them to keep."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from minispore import context
from minispore.core.tensor import Tensor
from minispore.errors import did_you_mean, warn
from minispore.foundation import checks
from minispore.foundation.files import remove_stale_drafts, resolve_write_path, write_text
from minispore.graph.print import text
from minispore.graph.staging import latest_program
from minispore.nn.cell import Cell
from minispore.train.callback.base import Callback, RunContext
from minispore.train.dataset_helper import SinkNetwork
from minispore.train.files import cipher
from minispore.train.files.async_saving import wait_for_saves
from minispore.train.serialization import as_async_save, hand_over, save_checkpoint

_INFO = ("epoch_num", "step_num")


class CheckpointConfig:
    """When to save a checkpoint and which to keep.

    Args:
        save_checkpoint_steps: steps from one to the next; in graph sink mode, at the end of the
            sink in which they have passed.
        save_checkpoint_seconds: seconds from one to the next, if no steps are given.
        keep_checkpoint_max: how many files to keep; the oldest goes first.
        keep_checkpoint_per_n_minutes: keep one file of each period, if no maximum is given.
        integrated_save: kept for MindSpore's sake.
        async_save: write in a thread of its own.
        saved_network: what to save instead of the network that is trained.
        append_info: "epoch_num", "step_num" and a dict of more values to save.
        enc_key: encrypts the files, see :func:`minispore.save_checkpoint`.
        enc_mode: kept for MindSpore's sake.
        exception_save: save a checkpoint when the training ends in an exception.
        crc_check: end files with a check sum.
        remove_redundancy: kept for MindSpore's sake.
        format: "ckpt" or "safetensors".
        kwargs: kept for MindSpore's sake.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: one is out of range, or nothing says when to save and what to keep.
    """

    def __init__(
        self,
        save_checkpoint_steps: int | None = 1,
        save_checkpoint_seconds: int | None = 0,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_per_n_minutes: int | None = 0,
        integrated_save: bool = True,
        async_save: bool | str = False,
        saved_network: Cell | None = None,
        append_info: list[Any] | None = None,
        enc_key: bytes | None = None,
        enc_mode: str = "AES-GCM",
        exception_save: bool = False,
        crc_check: bool = True,
        remove_redundancy: bool = False,
        format: str = "ckpt",
        **kwargs: Any,
    ) -> None:
        who = "CheckpointConfig"
        numbers = {
            "save_checkpoint_steps": save_checkpoint_steps,
            "save_checkpoint_seconds": save_checkpoint_seconds,
            "keep_checkpoint_max": keep_checkpoint_max,
            "keep_checkpoint_per_n_minutes": keep_checkpoint_per_n_minutes,
        }
        for name, number in numbers.items():
            if number is not None:
                checks.integer(who, name, number, 0)
        if not any(numbers.values()):
            raise ValueError(f"{who}: one of {', '.join(numbers)} must be positive, got none.")
        self.save_checkpoint_steps = save_checkpoint_steps
        self.save_checkpoint_seconds = None if save_checkpoint_steps else save_checkpoint_seconds
        self.keep_checkpoint_max = keep_checkpoint_max
        self.keep_checkpoint_per_n_minutes = (
            None if keep_checkpoint_max else keep_checkpoint_per_n_minutes
        )
        if not keep_checkpoint_max and not keep_checkpoint_per_n_minutes:
            self.keep_checkpoint_max = 1
        self.integrated_save = checks.boolean(who, "integrated_save", integrated_save)
        self.async_save = as_async_save(who, async_save)
        self.saved_network = checks.instance(
            who, "saved_network", saved_network, Cell, or_none=True
        )
        self.append_dict = _append_dict(who, append_info)
        self.enc_key = checks.instance(who, "enc_key", enc_key, bytes, or_none=True)
        self.enc_mode = checks.instance(who, "enc_mode", enc_mode, str)
        if enc_key is not None:
            cipher.check_key(who, "enc_key", enc_key, enc_mode)
        self.exception_save = checks.boolean(who, "exception_save", exception_save)
        self.crc_check = checks.boolean(who, "crc_check", crc_check)
        self.remove_redundancy = checks.boolean(who, "remove_redundancy", remove_redundancy)
        self.format = checks.instance(who, "format", format, str)
        if format not in ("ckpt", "safetensors"):
            raise ValueError(f"{who}: format must be 'ckpt' or 'safetensors', got {format!r}.")
        self.map_param_inc = bool(kwargs.pop("incremental", False))
        known = inspect.signature(CheckpointConfig).parameters
        for name in kwargs:
            if near := did_you_mean(name, known):
                raise TypeError(f"{who}: has no argument {name!r}.{near}")

    def get_checkpoint_policy(self) -> dict[str, Any]:
        """When to save and what to keep, as a dict."""
        when = ("save_checkpoint_steps", "save_checkpoint_seconds")
        kept = ("keep_checkpoint_max", "keep_checkpoint_per_n_minutes", "saved_network")
        return {name: getattr(self, name) for name in (*when, *kept)}


def _append_dict(who: str, info: Any) -> dict[str, Any] | None:
    if info is None or info == []:
        return None
    checks.instance(who, "append_info", info, list)
    made: dict[str, Any] = {key: 0 for key in _INFO if key in info}
    dicts = [element for element in info if isinstance(element, dict)]
    if len(dicts) > 1:
        raise TypeError(f"{who}: append_info must hold one dict at most, got {len(dicts)}.")
    for element in info:
        if not isinstance(element, str | dict):
            raise TypeError(f"{who}: append_info must hold str and dict, got {element!r}.")
        if isinstance(element, str) and element not in _INFO:
            raise ValueError(
                f"{who}: append_info must hold {' or '.join(_INFO)} or a dict, got {element!r}."
            )
    for key, value in (pair for given in dicts for pair in given.items()):
        if not isinstance(key, str) or not isinstance(value, int | float | bool | str | Tensor):
            raise TypeError(
                f"{who}: append_info must map str to int, float, bool, str or Tensor, got "
                f"{key!r}: {value!r}."
            )
        made[key] = value
    return made


class CheckpointManager:
    """The checkpoint files of one prefix in a folder."""

    def __init__(self, format: str = "ckpt") -> None:
        self._suffix = f".{format}"
        self.ckpoint_filelist: list[str] = []

    @property
    def ckpoint_num(self) -> int:
        """How many there are."""
        return len(self.ckpoint_filelist)

    def update_ckpoint_filelist(self, directory: str, prefix: str) -> None:
        """Look again at what is there: ``<prefix>-<numbers>.<format>``."""
        self.ckpoint_filelist = [
            str(path)
            for path in Path(directory).iterdir()
            if path.suffix == self._suffix
            and path.name.startswith(f"{prefix}-")
            and not any(c.isalpha() for c in path.name[len(prefix) : -len(self._suffix)])
        ]

    def remove_oldest_ckpoint_file(self) -> None:
        """Remove the file with the oldest time."""
        self.remove_ckpoint_file(min(self.ckpoint_filelist, key=_age_and_name))

    def remove_ckpoint_file(self, file_name: str) -> None:
        """Remove one file; a failure is a warning, the training goes on."""
        try:
            os.remove(file_name)
        except OSError as exc:
            warn(f"ModelCheckpoint: can't remove {file_name}: {exc}.")
        if file_name in self.ckpoint_filelist:
            self.ckpoint_filelist.remove(file_name)

    def keep_one_ckpoint_per_minutes(self, minutes: float, now: float) -> None:
        """Of the files of the last ``minutes``, keep the oldest."""
        recent = [f for f in self.ckpoint_filelist if now - os.path.getmtime(f) < 60 * minutes]
        for file_name in sorted(recent, key=_age_and_name)[1:]:
            self.remove_ckpoint_file(file_name)


def _age_and_name(path: str) -> tuple[int, str]:
    return os.stat(path).st_mtime_ns, path


class ModelCheckpoint(Callback):
    """Save checkpoints during a training: ``<prefix>-<epoch>_<step in epoch>.ckpt``.

    They hold the network's parameters and the optimizer's state, and the place of the training, so
    that ``Model.train(..., resume_from=file)`` goes on from it. The last step is saved, too, unless
    ``config`` has neither steps nor seconds. In GRAPH_MODE there is also ``<prefix>-graph.meta``,
    the compiled step as text.

    Args:
        prefix: how file names begin; files of an earlier run with it make it ``<prefix>_1``, ... A
            function of cb_params makes a name each time.
        directory: the folder, made when missing; the current one by default. Or a
            function of cb_params.
        config: when to save and which to keep.

    Raises:
        ValueError: ``prefix`` is no str, or has a "/".
        TypeError: ``directory`` or ``config`` has the wrong type.
    """

    _reports_ = False

    resumes = ("_last_saved_step",)

    def __init__(
        self,
        prefix: str | Callable[[Any], str] = "CKP",
        directory: str | Callable[[Any], str] | None = None,
        config: CheckpointConfig | None = None,
    ) -> None:
        if not callable(prefix):
            _check_prefix(prefix)
        if directory is not None and not callable(directory):
            _check_directory(directory)
        self._config = CheckpointConfig() if config is None else config
        checks.instance("ModelCheckpoint", "config", self._config, CheckpointConfig)
        self._name_of = prefix if callable(prefix) else None
        self._folder_of = directory if callable(directory) else None
        self._directory = os.getcwd() if directory is None or self._folder_of else str(directory)
        self._directory = resolve_write_path(self._directory)
        os.makedirs(self._directory, exist_ok=True)
        self._given_prefix = self._prefix = "" if self._name_of else str(prefix)
        if self._name_of is None and self._folder_of is None:
            self._prefix = _free_prefix(self._directory, self._given_prefix)
            self._tells_ = f"{os.path.realpath(self._directory)}/{self._given_prefix}"
        self._manager = CheckpointManager(self._config.format)
        self._latest = ""
        self._last_saved_step = 0
        self._last_time = time.time()
        self._append = dict(self._config.append_dict or {})
        self._append_from = {key: self._append[key] for key in _INFO if key in self._append}
        self._params: Any = None
        self._graph_saved = False

    @property
    def latest_ckpt_file_name(self) -> str:
        """The file that was saved last; "" before the first."""
        return self._latest

    def on_train_begin(self, run_context: RunContext) -> None:
        self._params = run_context.original_args()
        if self._tells_ is not None and not self._told_elsewhere_:
            remove_stale_drafts(
                Path(self._directory), lambda name: name.startswith(self._given_prefix)
            )
        last, begun = self._last_saved_step, self._params.cur_step_num
        self._last_saved_step = last if 0 < last <= begun else begun  # a new training begins

    def step_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        if self._name_of is not None:
            self._prefix = _check_prefix(self._name_of(params))
        if self._folder_of is not None:
            self._directory = resolve_write_path(self._folder_of(params))
            os.makedirs(self._directory, exist_ok=True)
        if not self._graph_saved:
            self._graph_saved = True
            self._save_graph(params)
        self._save(params, self._due(params))

    def end(self, run_context: RunContext) -> None:
        config = self._config
        timed = config.save_checkpoint_steps or config.save_checkpoint_seconds
        self._save(run_context.original_args(), bool(timed))
        if self._config.async_save:
            wait_for_saves()
            self._make_room(newest=os.path.basename(self._latest))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        params, self._params = self._params, None
        if kind is None or params is None or not self._config.exception_save:
            return
        prefix = _free_prefix(self._directory, self._given_prefix, "_breakpoint")
        epoch, suffix = params.get("cur_epoch_num", 0), self._config.format
        begun = bool(epoch) and params.cur_step_num > (epoch - 1) * params.batch_num
        step = _step_in_epoch(params) if begun else 0
        self._write(params, f"{prefix}-{epoch}_{step}_breakpoint.{suffix}", async_save=False)

    def _save_graph(self, params: Any) -> None:
        """In GRAPH_MODE, ``<prefix>-graph.meta``: the compiled step as text."""
        if context.current().mode != context.GRAPH_MODE or self._told_elsewhere_:
            return
        network = params.train_network
        if isinstance(network, SinkNetwork):
            network = network.recent
        program = latest_program(network)
        if program is None:  # it runs op by op, there is no graph
            return
        path = os.path.join(self._directory, f"{self._prefix}-graph.meta")
        write_text(path, text(program.graph, type(network).__name__))

    def _due(self, params: Any) -> bool:
        steps, seconds = self._config.save_checkpoint_steps, self._config.save_checkpoint_seconds
        if steps:
            return params.cur_step_num >= self._last_saved_step + steps
        if seconds and time.time() - self._last_time > seconds:
            self._last_time = time.time()
            return True
        return False

    def _save(self, params: Any, due: bool) -> None:
        if not due or params.cur_step_num == self._last_saved_step:
            return
        name = f"{self._prefix}.{self._config.format}"
        if self._name_of is None:
            epoch, step = params.cur_epoch_num, _step_in_epoch(params)
            name = f"{self._prefix}-{epoch}_{step}.{self._config.format}"
        if self._config.async_save:
            wait_for_saves()
            self._make_room()
        self._last_saved_step = params.cur_step_num
        self._write(params, name, self._config.async_save)
        if not self._config.async_save:
            self._make_room(newest=name)
        self._latest = os.path.join(self._directory, name)
        params.last_save_ckpt_step = params.cur_step_num
        params.latest_ckpt_file = self._latest

    def _make_room(self, newest: str = "") -> None:
        """Remove what is too much; only after a file is whole, so that there is always one."""
        if self._told_elsewhere_:
            return
        manager, most = self._manager, self._config.keep_checkpoint_max
        manager.update_ckpoint_filelist(self._directory, self._prefix)
        if most:
            while manager.ckpoint_num > most:
                manager.remove_oldest_ckpoint_file()
        elif self._config.keep_checkpoint_per_n_minutes:
            minutes, now = self._config.keep_checkpoint_per_n_minutes, time.time()
            new = os.path.join(self._directory, newest)
            manager.ckpoint_filelist = [f for f in manager.ckpoint_filelist if f != new]
            manager.keep_one_ckpoint_per_minutes(minutes, now)

    def _write(self, params: Any, name: str, async_save: bool | str) -> None:
        now = {"epoch_num": params.get("cur_epoch_num", 0), "step_num": params.cur_step_num}
        for key, start in self._append_from.items():
            self._append[key] = start + now[key]
        config = self._config
        save = hand_over if self._told_elsewhere_ else save_checkpoint
        save(
            params.train_network if config.saved_network is None else config.saved_network,
            os.path.join(self._directory, name),
            config.integrated_save,
            async_save,
            self._append | (params.course.entries() if "course" in params else {}),
            config.enc_key,
            config.enc_mode,
            crc_check=config.crc_check,
            format=config.format,
        )


def _step_in_epoch(params: Any) -> int:
    return (params.cur_step_num - 1) % params.batch_num + 1


def _check_directory(directory: Any) -> None:
    if not isinstance(directory, str | os.PathLike):
        raise TypeError(f"ModelCheckpoint: directory must be str or function, got {directory!r}.")
    if not str(directory).strip():
        raise ValueError(f"ModelCheckpoint: directory must name a folder, got {directory!r}.")


def _check_prefix(prefix: Any) -> str:
    if not isinstance(prefix, str) or "/" in prefix:
        raise ValueError(f"ModelCheckpoint: prefix must be a str without '/', got {prefix!r}.")
    return prefix


def _free_prefix(directory: str, prefix: str, mark: str = "") -> str:
    """``prefix``, or ``prefix_<n>`` if files of earlier runs have it; ``mark`` ends their names."""
    used = 0
    for path in Path(directory).iterdir():
        stem, rest = path.stem, path.name[len(prefix) :]
        if path.suffix not in (".ckpt", ".safetensors") or not path.name.startswith(prefix):
            continue
        if stem.endswith("_breakpoint") != bool(mark):
            continue
        number = rest.partition("-")[0]
        if rest.startswith("-"):
            used = max(used, 1)
        elif number.startswith("_") and number[1:].isdigit():
            used = max(used, int(number[1:]) + 1)
    return f"{prefix}_{used}" if used else prefix
