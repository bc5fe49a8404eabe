"""ModelCheckpoint: saves checkpoints during a training and removes old ones."""

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
from minispore.foundation.files import (
    check_path,
    remove_stale_drafts,
    resolve_write_path,
    write_text,
)
from minispore.graph.print import text
from minispore.graph.staging import latest_program
from minispore.nn.cell import Cell
from minispore.train.callback.base import Callback, RunContext
from minispore.train.dataset_helper import SinkNetwork
from minispore.train.files import cipher
from minispore.train.files.async_saving import wait_for_saves
from minispore.train.serialization import check_async_save, contribute_to_save, save_checkpoint

_SUFFIX_BYTES = 40  # of a file name after the prefix: "-100_100000_breakpoint.safetensors"
_COUNTER_NAMES = ("epoch_num", "step_num")


class CheckpointConfig:
    """The configuration of ModelCheckpoint: when to save a checkpoint and which to keep.

    Args:
        save_checkpoint_steps: steps between two checkpoints; in graph sink mode, counted at the
            ends of sinks.
        save_checkpoint_seconds: seconds between two checkpoints, if the number of steps is not
            given.
        keep_checkpoint_max: the number of files to keep; the oldest are removed.
        keep_checkpoint_per_n_minutes: keep one file per this many minutes, if no maximum is given.
        integrated_save: accepted for compatibility, has no effect.
        async_save: write in a background thread.
        saved_network: a network to save instead of the trained one.
        append_info: "epoch_num", "step_num" and a dict of more values to save.
        enc_key: encrypts the files, see :func:`minispore.save_checkpoint`.
        enc_mode: the mode of the encryption, see :func:`minispore.save_checkpoint`.
        exception_save: save a checkpoint when the training ends in an exception.
        crc_check: whether files end with a checksum.
        remove_redundancy: accepted for compatibility, has no effect.
        format: "ckpt" or "safetensors".
        kwargs: accepted for compatibility, have no effect.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of range, or neither an interval nor a number of files is
            given.
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
        api_name = "CheckpointConfig"
        numbers = {
            "save_checkpoint_steps": save_checkpoint_steps,
            "save_checkpoint_seconds": save_checkpoint_seconds,
            "keep_checkpoint_max": keep_checkpoint_max,
            "keep_checkpoint_per_n_minutes": keep_checkpoint_per_n_minutes,
        }
        for name, number in numbers.items():
            if number is not None:
                checks.integer(api_name, name, number, 0)
        if not any(numbers.values()):
            raise ValueError(f"{api_name}: one of {', '.join(numbers)} must be positive, got none.")
        self.save_checkpoint_steps = save_checkpoint_steps
        self.save_checkpoint_seconds = None if save_checkpoint_steps else save_checkpoint_seconds
        self.keep_checkpoint_max = keep_checkpoint_max
        self.keep_checkpoint_per_n_minutes = (
            None if keep_checkpoint_max else keep_checkpoint_per_n_minutes
        )
        if not keep_checkpoint_max and not keep_checkpoint_per_n_minutes:
            self.keep_checkpoint_max = 1
        self.integrated_save = checks.boolean(api_name, "integrated_save", integrated_save)
        self.async_save = check_async_save(api_name, async_save)
        self.saved_network = checks.instance(
            api_name, "saved_network", saved_network, Cell, or_none=True
        )
        self.append_dict = _make_append_dict(api_name, append_info)
        self.enc_key = checks.instance(api_name, "enc_key", enc_key, bytes, or_none=True)
        self.enc_mode = checks.instance(api_name, "enc_mode", enc_mode, str)
        if enc_key is not None:
            cipher.check_key(api_name, "enc_key", enc_key, enc_mode)
        self.exception_save = checks.boolean(api_name, "exception_save", exception_save)
        self.crc_check = checks.boolean(api_name, "crc_check", crc_check)
        self.remove_redundancy = checks.boolean(api_name, "remove_redundancy", remove_redundancy)
        self.format = checks.instance(api_name, "format", format, str)
        if format not in ("ckpt", "safetensors"):
            raise ValueError(f"{api_name}: format must be 'ckpt' or 'safetensors', got {format!r}.")
        self.map_param_inc = bool(kwargs.pop("incremental", False))
        parameters = inspect.signature(CheckpointConfig).parameters
        for name in kwargs:
            if hint := did_you_mean(name, parameters):
                raise TypeError(f"{api_name}: has no argument {name!r}.{hint}")

    def get_checkpoint_policy(self) -> dict[str, Any]:
        """Return when to save, which files to keep and the network to save, by argument name."""
        interval_names = ("save_checkpoint_steps", "save_checkpoint_seconds")
        retention_names = ("keep_checkpoint_max", "keep_checkpoint_per_n_minutes", "saved_network")
        return {name: getattr(self, name) for name in (*interval_names, *retention_names)}


def _make_append_dict(api_name: str, info: Any) -> dict[str, Any] | None:
    """Check ``append_info`` and return it as a dict, with counters set to 0; None if it is empty.

    Raises:
        TypeError: an element or a value has the wrong type, or there are several dicts.
        ValueError: an element is an unknown name.
    """
    if info is None or info == []:
        return None
    checks.instance(api_name, "append_info", info, list)
    append_dict: dict[str, Any] = {key: 0 for key in _COUNTER_NAMES if key in info}
    dicts = [element for element in info if isinstance(element, dict)]
    if len(dicts) > 1:
        raise TypeError(f"{api_name}: append_info must hold one dict at most, got {len(dicts)}.")
    for element in info:
        if not isinstance(element, str | dict):
            raise TypeError(f"{api_name}: append_info must hold str and dict, got {element!r}.")
        if isinstance(element, str) and element not in _COUNTER_NAMES:
            raise ValueError(
                f"{api_name}: append_info must hold {' or '.join(_COUNTER_NAMES)} or a dict, "
                f"got {element!r}."
            )
    for key, value in dicts[0].items() if dicts else ():
        if not isinstance(key, str) or not isinstance(value, int | float | bool | str | Tensor):
            raise TypeError(
                f"{api_name}: append_info must map str to int, float, bool, str or Tensor, got "
                f"{key!r}: {value!r}."
            )
        append_dict[key] = value
    return append_dict


class CheckpointManager:
    """The checkpoint files that one training wrote, oldest first.

    Files of other programs are neither counted nor removed. Age and order are those in which this
    training wrote them: the time stamps of files depend on the wall clock, which may be set, and
    change when files are copied.

    Attributes:
        foreign_files: files of the same prefix in the folder that this training did not write.
    """

    def __init__(self, format: str = "ckpt") -> None:
        self._suffix = f".{format}"
        self._written: dict[str, tuple[float, int | None]] = {}  # monotonic time, inode
        self.ckpoint_filelist: list[str] = []
        self.foreign_files: list[str] = []

    @property
    def ckpoint_num(self) -> int:
        """The number of checkpoint files."""
        return len(self.ckpoint_filelist)

    def record_file(self, path: str) -> None:
        """Record a file that was just written; a file that is rewritten becomes the newest."""
        self._written.pop(path, None)
        self._written[path] = time.monotonic(), _find_inode(path)

    def update_ckpoint_filelist(self, directory: str, prefix: str) -> None:
        """Set ``ckpoint_filelist`` to the recorded files ``<prefix>-<numbers>.<format>`` that are
        still in the folder, oldest first.

        All other files of that name pattern, including replaced ones, go into ``foreign_files``.
        """
        paths = [
            os.path.join(directory, name)
            for name in os.listdir(directory)
            if name.startswith(f"{prefix}-")
            and name.endswith(self._suffix)
            and not any(c.isalpha() for c in name[len(prefix) : -len(self._suffix)])
        ]
        self.ckpoint_filelist = [
            path
            for path, (_, inode) in self._written.items()
            if path in paths and inode is not None and _find_inode(path) == inode
        ]
        self.foreign_files = sorted({*paths}.difference(self.ckpoint_filelist))

    def remove_oldest_ckpoint_file(self) -> None:
        """Remove the file that was written first."""
        self.remove_ckpoint_file(self.ckpoint_filelist[0])

    def remove_ckpoint_file(self, file_name: str) -> None:
        """Remove one file from the folder and from the lists.

        Warns if it can't be removed, unless it no longer exists.
        """
        try:
            os.remove(file_name)
        except FileNotFoundError:
            pass
        except OSError as exc:
            warn(f"ModelCheckpoint: can't remove {file_name}: {exc}.")
        self._written.pop(file_name, None)
        if file_name in self.ckpoint_filelist:
            self.ckpoint_filelist.remove(file_name)

    def keep_one_ckpoint_per_minutes(self, minutes: float, now: float) -> None:
        """Remove all files of the last ``minutes`` before ``now`` except the oldest."""
        recent_files = [
            path for path in self.ckpoint_filelist if now - self._written[path][0] < 60 * minutes
        ]
        for file_name in recent_files[1:]:
            self.remove_ckpoint_file(file_name)


def _find_inode(path: str) -> int | None:
    """Return the inode number, which identifies a file; None if the file does not exist."""
    try:
        return os.stat(path).st_ino
    except FileNotFoundError:
        return None


class ModelCheckpoint(Callback):
    """Save checkpoints during a training: ``<prefix>-<epoch>_<step in epoch>.ckpt``.

    Checkpoints hold parameters, optimizer state and the progress of the training;
    ``Model.train(..., resume_from=file)`` resumes it. The last step is saved, too, unless
    ``config`` has neither steps nor seconds. In GRAPH_MODE there is also ``<prefix>-graph.meta``,
    the compiled step as text.

    Args:
        prefix: the beginning of file names; if an earlier run has used it, ``<prefix>_1``, ... Or a
            function of cb_params that returns the name of each file.
        directory: the folder, made when missing; the current one by default. Or a
            function of cb_params.
        config: when to save and which files to keep.

    Raises:
        ValueError: ``prefix`` is not a str, or has a "/".
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
        self._make_prefix = prefix if callable(prefix) else None
        self._make_directory = directory if callable(directory) else None
        self._directory = (
            os.getcwd() if directory is None or self._make_directory else str(directory)
        )
        self._directory = resolve_write_path(self._directory)
        _make_folder(self._directory)
        self._user_prefix = self._prefix = "" if self._make_prefix else str(prefix)
        if self._make_prefix is None and self._make_directory is None:
            self._prefix = _find_unused_prefix(self._directory, self._user_prefix)
            self._output_id_ = f"{os.path.realpath(self._directory)}/{self._user_prefix}"
        self._manager = CheckpointManager(self._config.format)
        self._latest_file = ""
        self._last_saved_step = 0
        self._last_save_s = time.monotonic()
        self._unrecorded_file = ""  # saved last, not yet recorded by the manager
        self._has_warned_of_foreign_files = False
        self._append_values = dict(self._config.append_dict or {})
        self._initial_counters = {
            key: self._append_values[key] for key in _COUNTER_NAMES if key in self._append_values
        }
        self._cb_params: Any = None
        self._graph_is_saved = False

    @property
    def latest_ckpt_file_name(self) -> str:
        """The path of the last saved file; "" before the first save."""
        return self._latest_file

    def on_train_begin(self, run_context: RunContext) -> None:
        """Remove temporary files of interrupted saves, and set the step from which the next save is
        counted.
        """
        self._cb_params = run_context.original_args()
        if self._output_id_ is not None and not self._another_rank_writes_:
            remove_stale_drafts(
                Path(self._directory), lambda name: name.startswith(self._user_prefix)
            )
        last_saved, initial_step = self._last_saved_step, self._cb_params.cur_step_num
        # A new training starts from its initial step.
        self._last_saved_step = last_saved if 0 < last_saved <= initial_step else initial_step

    def step_end(self, run_context: RunContext) -> None:
        """Save a checkpoint if it is due, and the compiled graph at the first step.

        A prefix or folder that is a function is computed anew at each step.
        """
        cb_params = run_context.original_args()
        if self._make_prefix is not None:
            self._prefix = _check_prefix(self._make_prefix(cb_params))
        if self._make_directory is not None:
            directory = self._make_directory(cb_params)
            _check_directory(directory)
            self._directory = resolve_write_path(directory)
            _make_folder(self._directory)
        if not self._graph_is_saved:
            self._graph_is_saved = True
            self._save_graph(cb_params)
        self._save_if_due(cb_params, self._is_save_due(cb_params))

    def end(self, run_context: RunContext) -> None:
        """Save the last step if it is not saved yet, and wait for saves in threads.

        Saves nothing if the configuration has neither steps nor seconds between checkpoints.
        """
        config = self._config
        saves_last_step = config.save_checkpoint_steps or config.save_checkpoint_seconds
        self._save_if_due(run_context.original_args(), bool(saves_last_step))
        if self._config.async_save:
            wait_for_saves()
            self._remove_excess_files(newest=self._latest_file)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Save a ``_breakpoint`` checkpoint after an exception, if ``exception_save`` is set."""
        cb_params, self._cb_params = self._cb_params, None
        if kind is None or cb_params is None or not self._config.exception_save:
            return
        prefix = _find_unused_prefix(self._directory, self._user_prefix, "_breakpoint")
        epoch, suffix = cb_params.get("cur_epoch_num", 0), self._config.format
        has_step = bool(epoch) and cb_params.cur_step_num > (epoch - 1) * cb_params.batch_num
        step = _compute_step_in_epoch(cb_params) if has_step else 0
        self._write_checkpoint(
            cb_params, f"{prefix}-{epoch}_{step}_breakpoint.{suffix}", async_save=False
        )

    def _save_graph(self, cb_params: Any) -> None:
        """Write the compiled step as text to ``<prefix>-graph.meta``, in GRAPH_MODE, on the rank
        that writes.
        """
        if context.current().mode != context.GRAPH_MODE or self._another_rank_writes_:
            return
        network = cb_params.train_network
        if isinstance(network, SinkNetwork):
            network = network.active_network
        program = latest_program(network)
        if program is None:  # the network runs op by op, so there is no graph
            return
        path = os.path.join(self._directory, f"{self._prefix}-graph.meta")
        write_text(path, text(program.graph, type(network).__name__))

    def _is_save_due(self, cb_params: Any) -> bool:
        """Whether the steps or seconds until the next checkpoint have passed.

        If the seconds have passed, also restarts their count.
        """
        steps, seconds = self._config.save_checkpoint_steps, self._config.save_checkpoint_seconds
        if steps:
            return cb_params.cur_step_num >= self._last_saved_step + steps
        if seconds and time.monotonic() - self._last_save_s > seconds:
            self._last_save_s = time.monotonic()
            return True
        return False

    def _save_if_due(self, cb_params: Any, is_due: bool) -> None:
        """Save a checkpoint of the current step if it is due and not saved yet.

        Also removes excess files, and records the step and file in ``cb_params``.
        """
        if not is_due or cb_params.cur_step_num == self._last_saved_step:
            return
        name = f"{self._prefix}.{self._config.format}"
        if self._make_prefix is None:
            epoch, step = cb_params.cur_epoch_num, _compute_step_in_epoch(cb_params)
            name = f"{self._prefix}-{epoch}_{step}.{self._config.format}"
        if self._config.async_save:
            wait_for_saves()
            self._remove_excess_files()
        self._last_saved_step = cb_params.cur_step_num
        self._write_checkpoint(cb_params, name, self._config.async_save)
        self._latest_file = self._unrecorded_file = os.path.join(self._directory, name)
        if not self._config.async_save:
            self._remove_excess_files(newest=self._latest_file)
        cb_params.last_save_ckpt_step = cb_params.cur_step_num
        cb_params.latest_ckpt_file = self._latest_file

    def _remove_excess_files(self, newest: str = "") -> None:
        """Record the file that was written last, and remove the files in excess of those to keep.

        ``newest`` is never removed. Warns once of files that other programs write.
        """
        if self._another_rank_writes_:
            return
        manager, max_files = self._manager, self._config.keep_checkpoint_max
        if self._unrecorded_file:
            manager.record_file(self._unrecorded_file)
            self._unrecorded_file = ""
        manager.update_ckpoint_filelist(self._directory, self._prefix)
        self._warn_of_foreign_files(manager.foreign_files)
        if max_files:
            while manager.ckpoint_num > max_files:
                manager.remove_oldest_ckpoint_file()
        elif self._config.keep_checkpoint_per_n_minutes:
            manager.ckpoint_filelist = [f for f in manager.ckpoint_filelist if f != newest]
            manager.keep_one_ckpoint_per_minutes(
                self._config.keep_checkpoint_per_n_minutes, time.monotonic()
            )

    def _warn_of_foreign_files(self, paths: list[str]) -> None:
        """Warn once of files that another program wrote under the prefix of this training.

        A prefix given as a str is unused when the training begins; a folder returned by a function
        may hold files of earlier trainings.
        """
        if not paths or self._has_warned_of_foreign_files or self._output_id_ is None:
            return
        self._has_warned_of_foreign_files = True
        names = ", ".join([os.path.basename(path) for path in paths[:3]])
        warn(
            f"ModelCheckpoint: another program writes files of the prefix {self._prefix!r} into "
            f"{self._directory} ({names}{', ...' if len(paths) > 3 else ''}). They are neither "
            "counted nor removed, and one of the same name replaces this training's. Give each "
            "training a prefix of its own."
        )

    def _write_checkpoint(self, cb_params: Any, name: str, async_save: bool | str) -> None:
        """Write one checkpoint file; a rank that does not write sends its parameters instead.

        Also updates the appended counters.
        """
        counters = {
            "epoch_num": cb_params.get("cur_epoch_num", 0),
            "step_num": cb_params.cur_step_num,
        }
        for key, initial in self._initial_counters.items():
            self._append_values[key] = initial + counters[key]
        config = self._config
        save = contribute_to_save if self._another_rank_writes_ else save_checkpoint
        save(
            cb_params.train_network if config.saved_network is None else config.saved_network,
            os.path.join(self._directory, name),
            config.integrated_save,
            async_save,
            self._append_values
            | (cb_params.course.make_checkpoint_entries() if "course" in cb_params else {}),
            config.enc_key,
            config.enc_mode,
            crc_check=config.crc_check,
            format=config.format,
        )


def _compute_step_in_epoch(cb_params: Any) -> int:
    """Return the number of the current step within its epoch, from 1."""
    return (cb_params.cur_step_num - 1) % cb_params.batch_num + 1


def _check_directory(directory: Any) -> None:
    """Check that a checkpoint directory is a nonblank path.

    Raises:
        TypeError: ``directory`` is neither a str nor a path.
        ValueError: it is blank.
    """
    if not isinstance(directory, str | os.PathLike):
        raise TypeError(f"ModelCheckpoint: directory must be str or function, got {directory!r}.")
    if not str(directory).strip():
        raise ValueError(f"ModelCheckpoint: directory must name a folder, got {directory!r}.")
    check_path("ModelCheckpoint: directory", directory)


def _make_folder(directory: str) -> None:
    """Make the folder of checkpoints; an OSError gets a note that names the argument."""
    try:
        os.makedirs(directory, exist_ok=True)
    except OSError as exc:
        exc.add_note(
            f"ModelCheckpoint: directory must be a folder that can be made, got {directory!r}."
        )
        raise


def _check_prefix(prefix: Any) -> str:
    """Return ``prefix``; ValueError if it is not a str, has a "/", or makes file names too long."""
    if not isinstance(prefix, str) or "/" in prefix:
        raise ValueError(f"ModelCheckpoint: prefix must be a str without '/', got {prefix!r}.")
    check_path("ModelCheckpoint: prefix", prefix, _SUFFIX_BYTES)
    return prefix


def _find_unused_prefix(directory: str, prefix: str, suffix: str = "") -> str:
    """Return ``prefix``, or ``prefix_<n>`` if earlier runs used the prefix.

    With a ``suffix``, only ``_breakpoint`` checkpoints are considered; without one, only the
    others.
    """
    next_number = 0
    for path in Path(directory).iterdir():
        stem, remainder = path.stem, path.name[len(prefix) :]
        if path.suffix not in (".ckpt", ".safetensors") or not path.name.startswith(prefix):
            continue
        if stem.endswith("_breakpoint") != bool(suffix):
            continue
        number = remainder.partition("-")[0]
        if remainder.startswith("-"):
            next_number = max(next_number, 1)
        elif number.startswith("_") and number[1:].isdigit():
            next_number = max(next_number, int(number[1:]) + 1)
    return f"{prefix}_{next_number}" if next_number else prefix
