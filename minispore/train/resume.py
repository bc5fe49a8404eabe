"""Resume: the training progress that a checkpoint records, and how a training continues from it.

The recorded position is the moment right after one callback was called for a step (or epoch, or the
end): the resumed training first calls the remaining callbacks of that event, then continues. The
file holds everything that later steps depend on: parameters, random streams, the seed of the data,
the number of steps, the loss scale, and the counters of callbacks.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.dataset.pipeline.random import Seed
from minispore.execution import random
from minispore.foundation import checks
from minispore.foundation.files import parse_json
from minispore.nn.cell import Cell
from minispore.train.arguments import UNKNOWN_SIZE, TrainingArguments
from minispore.train.callback.backup import BackupAndRestore
from minispore.train.callback.base import Callback, CallbackManager, InternalCallbackParam
from minispore.train.files import checkpoint_file, safetensors_file
from minispore.train.files.checkpoint_file import PROGRESS_PREFIX, CheckpointError

_VERSION = 1
_STEP_END, _EPOCH_END, _TRAIN_END = "on_train_step_end", "on_train_epoch_end", "on_train_end"


class TrainingProgress:
    """The progress of a running training, which a callback can save at any of its events.

    Args:
        cb_params: the dict of the run's state that callbacks share.
        callbacks: the callbacks of the training.
        seed: the seed of the data.
        size: batches per pass over the dataset.
        loss_scale: the loss scale manager, or None.
    """

    def __init__(
        self,
        cb_params: InternalCallbackParam,
        callbacks: CallbackManager,
        seed: Seed,
        size: int,
        loss_scale: Any,
    ) -> None:
        self._cb_params, self._callbacks = cb_params, callbacks
        self._seed, self._size, self._loss_scale = seed, size, loss_scale

    def make_checkpoint_entries(self) -> dict[str, Tensor]:
        """Return the progress as entries of a checkpoint.

        Empty outside an ``_end`` event, after data that ended early, and for data of unknown size,
        since a training could not be resumed from there.
        """
        cb_params, callbacks = self._cb_params, self._callbacks
        if callbacks.event not in (_STEP_END, _EPOCH_END, _TRAIN_END) or cb_params.get(
            "data_ended_early"
        ):
            return {}
        if self._size == UNKNOWN_SIZE:  # the pass of the next step is unknown
            return {}
        arrays: list[np.ndarray] = []
        progress = {
            "version": _VERSION,
            "step": cb_params.cur_step_num,
            "batch_num": cb_params.batch_num,
            "size": self._size,
            "event": callbacks.event,
            "told": callbacks.index + 1,
            "seed": [self._seed.value, self._seed.chosen],
            "random": random.get_json_state(),
            "loss_scale": _get_numeric_attributes(self._loss_scale),
            "callbacks": [_pack_callback_state(c, arrays) for c in callbacks.callbacks],
            "outputs": _pack_value(cb_params.get("net_outputs"), arrays),
            "losses": [float(x) for x in cb_params.get("sink_losses", ())],
            "sink_steps": cb_params.get("sink_steps", 1),
            "results": _pack_value(cb_params.get("eval_results"), arrays),
            "metrics": _pack_value(cb_params.get("metrics"), arrays),
        }
        encoded = np.frombuffer(json.dumps(progress).encode(), np.uint8).copy()
        return {f"{PROGRESS_PREFIX}{i}": Tensor(a) for i, a in enumerate([encoded, *arrays])}


class Resumption:
    """A checkpoint with training progress, from which a training is resumed.

    Args:
        api_name: the name with which error messages begin.
        path: the file.

    Raises:
        ValueError: there is no such file, it is damaged, or it holds no progress.
    """

    def __init__(self, api_name: str, path: str) -> None:
        self._api_name, self.path = api_name, path
        if not os.path.isfile(path):
            raise ValueError(f"{api_name}: resume_from must be an existing file, got {path!r}.")
        file_format = safetensors_file if path.endswith(".safetensors") else checkpoint_file
        # This verifies the checksum, since minispore wrote any file with progress.
        contents = file_format.read(path)
        progress_keys = sorted(
            (n for n in contents if n.startswith(PROGRESS_PREFIX)), key=lambda n: (len(n), n)
        )
        arrays = [contents.pop(n) for n in progress_keys]  # sorted by number: 10 comes after 9
        if not arrays:
            raise ValueError(
                f"{api_name}: resume_from must be a checkpoint with the place of its training, got "
                f"{path!r}, which has parameters alone. Let ModelCheckpoint write it, or load its "
                "parameters with load_checkpoint and pass initial_epoch."
            )
        self._parameters = contents
        try:
            self._progress = parse_json(np.asarray(arrays[0]).tobytes())
            if self._progress["version"] != _VERSION:
                raise ValueError(f"it has version {self._progress['version']!r}")
            self._read_progress([np.asarray(a) for a in arrays[1:]])
        except (ValueError, TypeError, KeyError, IndexError, RecursionError) as exc:
            raise CheckpointError(f"{path}: its place can't be read: {exc!r}.") from exc

    def _read_progress(self, arrays: list[np.ndarray]) -> None:
        """Set the attributes of this object from the decoded progress and its ``arrays``; raise an
        error if an entry is missing.
        """
        progress = self._progress
        self.step, self._batch_num = int(progress["step"]), int(progress["batch_num"])
        self._size, self._event = int(progress["size"]), str(progress["event"])
        self._completed_count, self._completed_callbacks = int(progress["told"]), frozenset[int]()
        value, is_user_seed = progress["seed"]
        self.seed = Seed(int(value), bool(is_user_seed))
        self._callback_states = [
            (name, _unpack_value(c, arrays)) for name, c in progress["callbacks"]
        ]
        self.losses, self._sink_steps = progress["losses"], progress["sink_steps"]
        self._outputs = _unpack_value(progress["outputs"], arrays)
        self._results = {
            key: _unpack_value(progress[name], arrays)
            for key, name in (("eval_results", "results"), ("metrics", "metrics"))
            if progress[name] != {"value": None}
        }

    def check(self, network: Cell, batch_num: int, size: int) -> None:
        """Check that the checkpoint belongs to a training of this network and dataset.

        Raises:
            ValueError: the number of steps or batches differs, or parameters differ.
        """
        if (batch_num, size) != (self._batch_num, self._size):
            raise ValueError(
                f"{self._api_name}: resume_from must be of a training with epochs of {batch_num} "
                f"steps over {size} batches, got {self.path!r} with epochs of {self._batch_num} "
                f"steps over {self._size} batches. Give the same dataset, batch size and sink_size."
            )
        for p in network.get_parameters():
            saved = self._parameters.get(p.name)
            if saved is None:
                raise ValueError(
                    f"{self._api_name}: resume_from must hold {p.name!r}, which {self.path!r} does "
                    "not. A checkpoint of saved_network has no optimizer state."
                )
            expected = p.value_.spec
            if isinstance(saved, str) or (saved.shape, saved.dtype) != (
                expected.shape,
                expected.dtype,
            ):
                got = "a text" if isinstance(saved, str) else f"{saved.dtype}{list(saved.shape)}"
                raise ValueError(
                    f"{self._api_name}: resume_from must hold {p.name!r} as {expected.dtype}"
                    f"{list(expected.shape)}, got {got} in {self.path!r}. Is it of this network?"
                )

    def remaining_epochs(self, stop: int) -> range:
        """Return the range of epochs to run, up to ``stop``; the first may be partly done."""
        if self._interrupted_event is None:
            return range(self.step // self._batch_num, stop)
        return range((self.step - 1) // self._batch_num, stop)

    @property
    def _interrupted_event(self) -> str | None:
        """The step-end or epoch-end event during which the checkpoint was written, to be finished
        first.

        None at the end of a training, and after an epoch that a requested stop cut short: its
        remaining steps are run instead.
        """
        is_cut_short = self.step % self._batch_num and self._event != _STEP_END
        return None if is_cut_short or self._event == _TRAIN_END else self._event

    def restore(self, network: Cell, loss_scale: Any) -> None:
        """Restore parameters of ``network``, random streams and attributes of ``loss_scale`` from
        the checkpoint.
        """
        for p in network.get_parameters():
            p.set_data(Tensor(self._parameters[p.name]))
        random.set_json_state(self._progress["random"])
        for name, value in self._progress["loss_scale"].items():
            if hasattr(loss_scale, name):
                setattr(loss_scale, name, value)

    def restore_callbacks(self, callbacks: Sequence[Callback]) -> None:
        """Restore the saved attributes of callbacks, and record which callbacks had completed the
        event.

        Callbacks are matched by class name: the n-th of a class gets the state of the n-th saved
        one.
        """
        names = [type(c).__name__ for c in callbacks]
        saved_names = [name for name, _ in self._callback_states]
        # A callback that is new in this training counts as completed, as it missed no event.
        pending = _number_repetitions(saved_names)[self._completed_count :]
        self._completed_callbacks = frozenset(
            i for i, n in enumerate(_number_repetitions(names)) if n not in pending
        )
        remaining = list(self._callback_states)
        for callback in callbacks:
            class_names = [name for name, _ in remaining]
            if type(callback).__name__ in class_names:
                index = class_names.index(type(callback).__name__)
                for name, value in remaining.pop(index)[1].items():
                    setattr(callback, name, value)

    def restore_cb_params(self, cb_params: InternalCallbackParam) -> None:
        """Restore the last step's epoch number, outputs, losses and evaluation results in
        ``cb_params``.
        """
        cb_params.cur_epoch_num = (self.step - 1) // self._batch_num + 1
        cb_params.net_outputs = self._outputs
        if cb_params.dataset_sink_mode:
            cb_params.sink_losses = np.array(self.losses)
            cb_params.sink_steps = self._sink_steps
        cb_params.update(self._results)

    def is_interrupted_in(self, event: str, total_steps: int) -> bool:
        """Whether the checkpoint was written during ``event``, after some of its callbacks had run.

        Args:
            event: ``on_train_step_end``, ``on_train_epoch_end`` or ``on_train_end``.
            total_steps: steps of the whole training.
        """
        if event == _TRAIN_END:
            return self._event == _TRAIN_END and self.step >= total_steps
        return self._interrupted_event == event

    def find_completed_callbacks(self, event: str, total_steps: int) -> frozenset[int] | None:
        """Return the indices of the callbacks that saw ``event`` before the checkpoint was written.

        Returns:
            None if it was not written during this event: all callbacks must be called.
        """
        return self._completed_callbacks if self.is_interrupted_in(event, total_steps) else None


def find_resumption(
    api_name: str, training_args: TrainingArguments, resume_from: Any, network: Cell, batch_num: int
) -> Resumption | None:
    """Find the checkpoint to resume from; a file of BackupAndRestore takes precedence over
    ``resume_from``.

    Returns:
        None if there is nothing to resume.

    Raises:
        TypeError: ``resume_from`` is not a path.
        ValueError: it belongs to another training, or holds no progress.
    """
    checks.instance(api_name, "resume_from", resume_from, str, or_none=True)
    if resume_from is not None and training_args.epochs.start:
        raise ValueError(
            f"{api_name}: initial_epoch must be 0 with resume_from, which tells it, got "
            f"{training_args.epochs.start}."
        )
    backups = [c.find_backup() for c in training_args.callbacks if isinstance(c, BackupAndRestore)]
    path = next((b for b in backups if b is not None), resume_from)
    if path is None:
        return None
    resumption = Resumption(api_name, path)
    resumption.check(network, batch_num, training_args.size)
    return resumption


def _get_numeric_attributes(manager: Any) -> dict[str, Any]:
    """Return the numeric attributes of a loss scale manager by name."""
    return {k: v for k, v in getattr(manager, "__dict__", {}).items() if isinstance(v, int | float)}


def _number_repetitions(names: list[str]) -> list[tuple[str, int]]:
    """Pair each name with the number of its earlier occurrences."""
    return [(name, names[:i].count(name)) for i, name in enumerate(names)]


def _pack_callback_state(callback: Callback, arrays: list[np.ndarray]) -> list[Any]:
    """Return the class name and packed ``resumes`` attributes of a callback; append their arrays to
    ``arrays``.
    """
    values = {name: getattr(callback, name) for name in type(callback).resumes}
    return [type(callback).__name__, _pack_value(values, arrays)]


def _pack_value(value: Any, arrays: list[np.ndarray]) -> Any:
    """Pack a nested value for JSON; its tensors and arrays are appended to ``arrays``, and other
    objects become None.
    """
    if isinstance(value, Tensor | np.ndarray | np.generic):
        arrays.append(np.asarray(value.asnumpy() if isinstance(value, Tensor) else value))
        return {"tensor" if isinstance(value, Tensor) else "array": len(arrays) - 1}
    if isinstance(value, dict):
        return {"dict": {str(k): _pack_value(v, arrays) for k, v in value.items()}}
    if isinstance(value, tuple | list):
        return {type(value).__name__: [_pack_value(v, arrays) for v in value]}
    return {"value": value if isinstance(value, bool | int | float | str) else None}


def _unpack_value(packed: Any, arrays: list[np.ndarray]) -> Any:
    """Return the nested value that :func:`_pack_value` packed, with tensors from ``arrays``."""
    ((type_name, content),) = packed.items()
    if type_name in ("tensor", "array"):
        return Tensor(arrays[content]) if type_name == "tensor" else arrays[content]
    if type_name == "dict":
        return {k: _unpack_value(v, arrays) for k, v in content.items()}
    if type_name in ("tuple", "list"):
        elements = [_unpack_value(v, arrays) for v in content]
        return tuple(elements) if type_name == "tuple" else elements
    return content
