"""A script cut short: each training a few steps, and nothing written; what it trains is noted."""

from __future__ import annotations

import functools
import importlib
import inspect
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from minispore import context, files
from minispore.check.steps import Steps
from minispore.dataset.dataset import Dataset
from minispore.device.model.spec import DeviceSpec
from minispore.graph.trace import user_frame
from minispore.train.callback.base import as_list
from minispore.train.dataset_helper import DatasetHelper
from minispore.train.model import Model

#: How many epochs a training has at most: the second shows what compiles again.
EPOCHS = 2


@dataclass
class Training:
    """A use of a dataset: a call of ``Model.train`` or ``fit``, or a loop over it."""

    file: str
    line: int
    dataset: Any
    model: Any = None  # None: a loop of the script's own
    sinks: bool = False  # whether it asks for data sink
    sink_size: int = -1
    epochs: int = 1
    callbacks: list[Any] = field(default_factory=list)


class Trainings:
    """What the script trains on, each place once, and what it does with a batch."""

    def __init__(self) -> None:
        self.seen: dict[tuple[str, int], Training] = {}
        self.steps = Steps()

    def note(self, dataset: Any, **known: Any) -> tuple[str, int]:
        """Note a use of ``dataset`` by the script's line that runs now, and say where that is."""
        self.steps.end()
        frame = user_frame()
        file, line = frame.f_code.co_filename, frame.f_lineno or 0
        self.seen.setdefault((file, line), Training(file, line, dataset, **known))
        return file, line


@contextmanager
def cut_short(
    trainings: Trainings, steps: int, spec: DeviceSpec, amp_level: str = ""
) -> Iterator[None]:
    """Each training ``steps`` steps on ``spec``'s target, in mixed precision if it asks for none;
    what is written goes to a scratch folder.
    """
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as back:
        back.enter_context(files.writing_into(scratch))
        back.enter_context(trainings.steps.watching())
        back.enter_context(context.following(lambda old, new: _hold(spec.target)))
        _hold(spec.target)

        def put(owner: Any, name: str, wrap: Callable[..., Any], *known: Any) -> None:
            plain = getattr(owner, name)
            back.callback(setattr, owner, name, plain)
            setattr(owner, name, wrap(plain, *known))

        put(Model, "train", _shorter, trainings, steps)
        put(Model, "fit", _shorter, trainings, steps)
        put(Model, "eval", _changed, lambda given: _fewer(given, "valid_dataset", steps))
        put(Dataset, "create_tuple_iterator", _iterating, trainings, steps)
        put(Dataset, "create_dict_iterator", _iterating, trainings, steps)
        put(DatasetHelper, "__init__", _changed, lambda given: _help(given, trainings, steps))
        for door in ("minispore", "minispore.train", "minispore.train.data_sink"):
            put(importlib.import_module(door), "data_sink", _sinking, trainings, steps)
        if amp_level:
            put(Model, "__init__", _changed, lambda given: _mixed(given, "amp_level", amp_level))
            for door in ("minispore.amp", "minispore.train.amp"):
                room = importlib.import_module(door)
                put(room, "build_train_network", _changed,
                    lambda given: _mixed(given, "level", amp_level))  # fmt: skip
        yield


def _hold(target: str) -> None:
    """Whatever device the script asks for, it runs on the one that is asked about."""
    if context.current().device_target != target:
        context.set_context(device_target=target)


def _changed(plain: Callable[..., Any], change: Callable[[dict[str, Any]], Any]) -> Any:
    """``plain`` with other arguments: ``change`` sees them by name."""
    names = inspect.signature(plain)

    @functools.wraps(plain)
    def changed(*args: Any, **kwargs: Any) -> Any:
        try:
            given = names.bind(*args, **kwargs)
        except TypeError:  # which is said best by the function itself
            return plain(*args, **kwargs)
        change(given.arguments)
        return plain(*given.args, **given.kwargs)

    return changed


def _fewer(given: dict[str, Any], name: str, steps: int) -> None:
    if isinstance(given.get(name), Dataset):
        given[name] = given[name].take(steps)


def _mixed(given: dict[str, Any], name: str, level: str) -> None:
    if given.get("optimizer") is not None and given.get(name, "O0") == "O0":
        given[name] = level


def _shorter(plain: Callable[..., Any], trainings: Trainings, steps: int) -> Any:
    """``Model.train`` or ``fit``, with few steps and epochs."""

    def change(given: dict[str, Any]) -> None:
        trainings.note(
            given["train_dataset"],
            model=given["self"],
            sinks=given.get("dataset_sink_mode", False) is True,
            sink_size=given.get("sink_size", -1),
            epochs=given["epoch"],
            callbacks=as_list(given.get("callbacks")),
        )
        _fewer(given, "train_dataset", steps)
        _fewer(given, "valid_dataset", steps)
        given.pop("sink_size", None)
        begin = given.get("initial_epoch", 0)
        if isinstance(given["epoch"], int) and isinstance(begin, int):
            given["epoch"] = min(given["epoch"], begin + EPOCHS)

    return _changed(plain, change)


def _help(given: dict[str, Any], trainings: Trainings, steps: int) -> None:
    sink_size = given.pop("sink_size", -1)
    sinks = given.get("dataset_sink_mode", True) is True
    trainings.note(given["dataset"], sinks=sinks, sink_size=sink_size)
    _fewer(given, "dataset", steps)


def _iterating(plain: Callable[..., Any], trainings: Trainings, steps: int) -> Any:
    def iterator(self: Any, *args: Any, **kwargs: Any) -> Any:
        loop = trainings.note(self)
        rows = plain(self.take(steps), *args, **kwargs)
        fetch, shape = rows._row, rows._shaped

        def row() -> Any:
            trainings.steps.end()
            return fetch()

        def shaped(values: list[Any]) -> Any:
            trainings.steps.begin(loop, values)
            return shape(values)

        vars(rows).update(_row=row, _shaped=shaped)
        return rows

    return functools.wraps(plain)(iterator)


def _sinking(plain: Callable[..., Any], trainings: Trainings, steps: int) -> Any:
    """``data_sink`` with short sinks, of which later calls give what the last one gave."""

    @functools.wraps(plain)
    def data_sink(fn: Any, dataset: Any, sink_size: int = 1, *args: Any, **kwargs: Any) -> Any:
        loop = trainings.note(dataset, sinks=True, sink_size=sink_size)
        size = min(sink_size, steps) if isinstance(sink_size, int) else sink_size
        sunk = plain(fn, dataset, size, *args, **kwargs)
        results: list[Any] = []

        def few(*args: Any, **kwargs: Any) -> Any:
            if len(results) < steps:
                trainings.steps.begin(loop)
                results.append(sunk(*args, **kwargs))
            return results[-1]

        return functools.wraps(sunk)(few)

    return data_sink


__all__ = ["Training", "Trainings", "cut_short"]
