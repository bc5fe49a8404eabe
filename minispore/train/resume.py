"""Resume: what a checkpoint says of its training's place, and how a training goes on from there.

A place is the moment right after one callback was told of a step (or epoch, or the end): so the
training that goes on first tells the callbacks after that one, and then does what comes next. All
that later steps depend on is in the file: parameters, the random streams, the seed of the data and
the number of steps, the loss scale, what callbacks count.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from minispore.core import random
from minispore.core.tensor import Tensor
from minispore.dataset.pipeline.random import Seed
from minispore.foundation import checks
from minispore.nn.cell import Cell
from minispore.train.arguments import UNKNOWN, Training
from minispore.train.callback.backup import BackupAndRestore
from minispore.train.callback.base import Callback, CallbackManager, InternalCallbackParam
from minispore.train.files import checkpoint_file, safetensors_file
from minispore.train.files.checkpoint_file import PLACE, CheckpointError

_VERSION = 1
_STEP, _EPOCH, _END = "on_train_step_end", "on_train_epoch_end", "on_train_end"


class Course:
    """A training under way, which can tell its place at any time that a callback is called.

    Args:
        params: its record.
        callbacks: its callbacks.
        seed: of its data.
        size: batches of a pass over the data.
        loss_scale: what manages the loss scale, or None.
    """

    def __init__(
        self,
        params: InternalCallbackParam,
        callbacks: CallbackManager,
        seed: Seed,
        size: int,
        loss_scale: Any,
    ) -> None:
        self._params, self._callbacks = params, callbacks
        self._seed, self._size, self._loss_scale = seed, size, loss_scale

    def entries(self) -> dict[str, Tensor]:
        """The place as entries of a checkpoint; none while a step is under way."""
        params, callbacks = self._params, self._callbacks
        if callbacks.event not in (_STEP, _EPOCH, _END) or params.get("data_ended_early"):
            return {}
        if self._size == UNKNOWN:  # nobody can say in which pass the next step is
            return {}
        arrays: list[np.ndarray] = []
        place = {
            "version": _VERSION,
            "step": params.cur_step_num,
            "batch_num": params.batch_num,
            "size": self._size,
            "event": callbacks.event,
            "told": callbacks.at + 1,
            "seed": [self._seed.value, self._seed.chosen],
            "random": random.get_json_state(),
            "loss_scale": _numbers(self._loss_scale),
            "callbacks": [_counted(c, arrays) for c in callbacks.callbacks],
            "outputs": _packed(params.get("net_outputs"), arrays),
            "losses": [float(x) for x in params.get("sink_losses", ())],
            "sink_steps": params.get("sink_steps", 1),
            "results": _packed(params.get("eval_results"), arrays),
            "metrics": _packed(params.get("metrics"), arrays),
        }
        text = np.frombuffer(json.dumps(place).encode(), np.uint8).copy()
        return {f"{PLACE}{i}": Tensor(a) for i, a in enumerate([text, *arrays])}


class Resumption:
    """A checkpoint with a place, from which a training goes on.

    Args:
        who: asks for it, for messages.
        path: the file.

    Raises:
        ValueError: there is no such file, it is damaged, or it has no place.
    """

    def __init__(self, who: str, path: str) -> None:
        self._who, self.path = who, path
        if not os.path.isfile(path):
            raise ValueError(f"{who}: resume_from must be an existing file, got {path!r}.")
        kind = safetensors_file if path.endswith(".safetensors") else checkpoint_file
        found = kind.read(path)  # with a place, it is ours: its check sum is always compared
        places = sorted((n for n in found if n.startswith(PLACE)), key=lambda n: (len(n), n))
        arrays = [found.pop(n) for n in places]  # 10 comes after 9
        if not arrays:
            raise ValueError(
                f"{who}: resume_from must be a checkpoint with the place of its training, got "
                f"{path!r}, which has parameters alone. Let ModelCheckpoint write it, or load its "
                "parameters with load_checkpoint and pass initial_epoch."
            )
        self._parameters = found
        try:
            self._place = json.loads(np.asarray(arrays[0]).tobytes())
            if self._place["version"] != _VERSION:
                raise ValueError(f"it has version {self._place['version']!r}")
            self._read([np.asarray(a) for a in arrays[1:]])
        except (ValueError, TypeError, KeyError, IndexError, RecursionError) as exc:
            raise CheckpointError(f"{path}: its place can't be read: {exc!r}.") from exc

    def _read(self, arrays: list[np.ndarray]) -> None:
        place = self._place
        self.step, self._batch_num = int(place["step"]), int(place["batch_num"])
        self._size, self._event = int(place["size"]), str(place["event"])
        self._told, self.told = int(place["told"]), frozenset[int]()
        value, chosen = place["seed"]
        self.seed = Seed(int(value), bool(chosen))
        self._counted = [(name, _unpacked(c, arrays)) for name, c in place["callbacks"]]
        self.losses, self._sink_steps = place["losses"], place["sink_steps"]
        self._outputs = _unpacked(place["outputs"], arrays)
        self._results = {
            key: _unpacked(place[name], arrays)
            for key, name in (("eval_results", "results"), ("metrics", "metrics"))
            if place[name] != {"value": None}
        }

    def check(self, network: Cell, batch_num: int, size: int) -> None:
        """See that a training is the one that the checkpoint is of.

        Raises:
            ValueError: its epochs have another length, or parameters differ.
        """
        if (batch_num, size) != (self._batch_num, self._size):
            raise ValueError(
                f"{self._who}: resume_from must be of a training with epochs of {batch_num} steps "
                f"over {size} batches, got {self.path!r} with epochs of {self._batch_num} steps "
                f"over {self._size} batches. Give the same dataset, batch size and sink_size."
            )
        for p in network.get_parameters():
            there = self._parameters.get(p.name)
            if there is None:
                raise ValueError(
                    f"{self._who}: resume_from must hold {p.name!r}, which {self.path!r} does not. "
                    "A checkpoint of saved_network has no optimizer state."
                )
            mine = p.value_.spec
            if isinstance(there, str) or (there.shape, there.dtype) != (mine.shape, mine.dtype):
                got = "a text" if isinstance(there, str) else f"{there.dtype}{list(there.shape)}"
                raise ValueError(
                    f"{self._who}: resume_from must hold {p.name!r} as {mine.dtype}"
                    f"{list(mine.shape)}, got {got} in {self.path!r}. Is it of this network?"
                )

    def epochs(self, until: int) -> range:
        """The epochs that are not over, up to ``until``; the first may be under way."""
        if self._again is None:
            return range(self.step // self._batch_num, until)
        return range((self.step - 1) // self._batch_num, until)

    @property
    def _again(self) -> str | None:
        """The event that is not over; None if the training was stopped before its end."""
        stopped = self.step % self._batch_num and self._event != _STEP
        return None if stopped or self._event == _END else self._event

    def restore(self, network: Cell, loss_scale: Any) -> None:
        """Put back parameters, random streams and loss scale."""
        for p in network.get_parameters():
            p.set_data(Tensor(self._parameters[p.name]))
        random.set_json_state(self._place["random"])
        for name, value in self._place["loss_scale"].items():
            if hasattr(loss_scale, name):
                setattr(loss_scale, name, value)

    def restore_callbacks(self, callbacks: Sequence[Callback]) -> None:
        """Put back what callbacks count, and see which were told before the place: the n-th of a
        class is the n-th of its class.
        """
        names = [type(c).__name__ for c in callbacks]
        known = [name for name, _ in self._counted]
        # A callback was told if it is among the first, or was not there: it missed nothing.
        waiting = _numbered(known)[self._told :]
        self.told = frozenset(i for i, n in enumerate(_numbered(names)) if n not in waiting)
        left = list(self._counted)
        for callback in callbacks:
            at = next((i for i, e in enumerate(left) if e[0] == type(callback).__name__), None)
            if at is not None:
                for name, value in left.pop(at)[1].items():
                    setattr(callback, name, value)

    def restore_record(self, params: InternalCallbackParam) -> None:
        """Put back what callbacks look at: the outputs of the last step, and its evaluation."""
        params.cur_epoch_num = (self.step - 1) // self._batch_num + 1
        params.net_outputs = self._outputs
        if params.dataset_sink_mode:
            params.sink_losses = np.array(self.losses)
            params.sink_steps = self._sink_steps
        params.update(self._results)

    def is_in(self, event: str, total: int) -> bool:
        """Whether the place is in an event of callbacks, of which some are told and others not.

        Args:
            event: ``on_train_step_end``, ``on_train_epoch_end`` or ``on_train_end``.
            total: steps of the whole training.
        """
        if event == _END:
            return self._event == _END and self.step >= total
        return self._again == event


def resumption_of(
    who: str, given: Training, resume_from: Any, network: Cell, batch_num: int
) -> Resumption | None:
    """The place that a training is to go on from, if there is one; a backup comes first.

    Raises:
        TypeError: ``resume_from`` is no path.
        ValueError: it is of another training, or no place is there.
    """
    checks.instance(who, "resume_from", resume_from, str, or_none=True)
    if resume_from is not None and given.epochs.start:
        raise ValueError(
            f"{who}: initial_epoch must be 0 with resume_from, which tells it, got "
            f"{given.epochs.start}."
        )
    backups = [c.backup() for c in given.callbacks if isinstance(c, BackupAndRestore)]
    path = next((b for b in backups if b is not None), resume_from)
    if path is None:
        return None
    resumption = Resumption(who, path)
    resumption.check(network, batch_num, given.size)
    return resumption


def _numbers(manager: Any) -> dict[str, Any]:
    """The numbers that a loss scale manager keeps."""
    return {k: v for k, v in getattr(manager, "__dict__", {}).items() if isinstance(v, int | float)}


def _numbered(names: list[str]) -> list[tuple[str, int]]:
    """Each name with how many of it come before."""
    return [(name, names[:i].count(name)) for i, name in enumerate(names)]


def _counted(callback: Callback, arrays: list[np.ndarray]) -> list[Any]:
    values = {name: getattr(callback, name) for name in type(callback).resumes}
    return [type(callback).__name__, _packed(values, arrays)]


def _packed(value: Any, arrays: list[np.ndarray]) -> Any:
    """A nested value for JSON; tensors go into ``arrays``."""
    if isinstance(value, Tensor | np.ndarray | np.generic):
        arrays.append(np.asarray(value.asnumpy() if isinstance(value, Tensor) else value))
        return {"tensor" if isinstance(value, Tensor) else "array": len(arrays) - 1}
    if isinstance(value, dict):
        return {"dict": {str(k): _packed(v, arrays) for k, v in value.items()}}
    if isinstance(value, tuple | list):
        return {type(value).__name__: [_packed(v, arrays) for v in value]}
    return {"value": value if isinstance(value, bool | int | float | str) else None}


def _unpacked(packed: Any, arrays: list[np.ndarray]) -> Any:
    ((kind, content),) = packed.items()
    if kind in ("tensor", "array"):
        return Tensor(arrays[content]) if kind == "tensor" else arrays[content]
    if kind == "dict":
        return {k: _unpacked(v, arrays) for k, v in content.items()}
    if kind in ("tuple", "list"):
        items = [_unpacked(v, arrays) for v in content]
        return tuple(items) if kind == "tuple" else items
    return content
