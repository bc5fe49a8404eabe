"""Run a script with shortened trainings and without writing files, and record its trainings."""

from __future__ import annotations

import functools
import importlib
import inspect
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from minispore import context
from minispore.check.steps import StepRecorder
from minispore.dataset.dataset import Dataset
from minispore.device.model.spec import DeviceSpec
from minispore.foundation import files
from minispore.graph.trace import user_frame
from minispore.train.callback.base import check_callbacks
from minispore.train.dataset_helper import DatasetHelper
from minispore.train.model import Model

#: Maximum epochs of a shortened training; the second one shows recompilations.
MAX_EPOCHS = 2


@dataclass
class Training:
    """One use of a dataset: a call of ``Model.train`` or ``fit``, or a loop over it."""

    file: str
    line: int
    dataset: Any
    model: Any = None  # None: the script's own loop
    sinks: bool = False  # whether it requests data sink
    sink_size: int = -1
    epochs: int = 1
    callbacks: list[Any] = field(default_factory=list)


class Trainings:
    """Collects the uses of datasets in a script, one per line, and the steps of its loops."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, int], Training] = {}
        self.step_recorder = StepRecorder()

    def note_use(self, dataset: Any, **details: Any) -> tuple[str, int]:
        """Record that the current line of the script uses ``dataset``; return its file and line.

        Also ends the batch that is being recorded.
        """
        self.step_recorder.end_batch()
        frame = user_frame()
        file, line = frame.f_code.co_filename, frame.f_lineno or 0
        self.entries.setdefault((file, line), Training(file, line, dataset, **details))
        return file, line


@contextmanager
def shorten_trainings(
    trainings: Trainings, steps: int, spec: DeviceSpec, amp_level: str = ""
) -> Iterator[None]:
    """Shorten each training to ``steps`` steps on ``spec``'s device target in the ``with`` block.

    Files are written to a scratch folder. With ``amp_level``, trainings that do not request mixed
    precision get that level.
    """
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as restore_stack:
        restore_stack.enter_context(files.redirecting_to(scratch))
        restore_stack.enter_context(trainings.step_recorder.watching())
        restore_stack.enter_context(
            context.subscribed(lambda old, new: _force_device_target(spec.target))
        )
        _force_device_target(spec.target)

        def patch(
            holder: Any, name: str, make_wrapper: Callable[..., Any], *wrapper_args: Any
        ) -> None:
            """Replace an attribute of ``holder`` by a wrapper until ``restore_stack`` closes."""
            original = getattr(holder, name)
            restore_stack.callback(setattr, holder, name, original)
            setattr(holder, name, make_wrapper(original, *wrapper_args))

        patch(Model, "train", _wrap_training, trainings, steps)
        patch(Model, "fit", _wrap_training, trainings, steps)
        patch(
            Model,
            "eval",
            _wrap_with_changed_arguments,
            lambda arguments: _limit_steps(arguments, "valid_dataset", steps),
        )
        patch(Dataset, "create_tuple_iterator", _wrap_iterator, trainings, steps)
        patch(Dataset, "create_dict_iterator", _wrap_iterator, trainings, steps)
        patch(
            DatasetHelper,
            "__init__",
            _wrap_with_changed_arguments,
            lambda arguments: _shorten_dataset_helper(arguments, trainings, steps),
        )
        for module_name in ("minispore", "minispore.train", "minispore.train.data_sink"):
            patch(
                importlib.import_module(module_name), "data_sink", _wrap_data_sink, trainings, steps
            )
        if amp_level:
            patch(
                Model,
                "__init__",
                _wrap_with_changed_arguments,
                lambda arguments: _set_amp_level(arguments, "amp_level", amp_level),
            )
            for module_name in ("minispore.amp", "minispore.train.amp"):
                module = importlib.import_module(module_name)
                patch(module, "build_train_network", _wrap_with_changed_arguments,
                    lambda arguments: _set_amp_level(arguments, "level", amp_level))  # fmt: skip
        yield


def _force_device_target(target: str) -> None:
    """Set the context's device target to ``target`` again if the script has set another one."""
    if context.current().device_target != target:
        context.set_context(device_target=target)


def _wrap_with_changed_arguments(
    function: Callable[..., Any], change_arguments: Callable[[dict[str, Any]], Any]
) -> Any:
    """Return ``function`` wrapped so that ``change_arguments`` edits its arguments at each call.

    ``change_arguments`` receives the arguments by name, in a dict.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call_with_changed_arguments(*args: Any, **kwargs: Any) -> Any:
        """Edit the arguments, then call the function; arguments that do not match its signature are
        not edited.
        """
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:  # the function itself raises the better message
            return function(*args, **kwargs)
        change_arguments(bound.arguments)
        return function(*bound.args, **bound.kwargs)

    return call_with_changed_arguments


def _limit_steps(arguments: dict[str, Any], name: str, steps: int) -> None:
    """Replace the Dataset in argument ``name``, if there is one, by its first ``steps`` batches."""
    if isinstance(arguments.get(name), Dataset):
        arguments[name] = arguments[name].take(steps)


def _set_amp_level(arguments: dict[str, Any], name: str, level: str) -> None:
    """Set argument ``name`` to an AMP level if it is O0 or missing and an optimizer is given."""
    if arguments.get("optimizer") is not None and arguments.get(name, "O0") == "O0":
        arguments[name] = level


def _wrap_training(function: Callable[..., Any], trainings: Trainings, steps: int) -> Any:
    """Return ``Model.train`` or ``fit``, wrapped to record and shorten the training."""

    def note_and_shorten(arguments: dict[str, Any]) -> None:
        """Record a training and its settings, then limit its epochs and the batches of its
        datasets.

        Drops ``sink_size``.
        """
        trainings.note_use(
            arguments["train_dataset"],
            model=arguments["self"],
            sinks=arguments.get("dataset_sink_mode", False) is True,
            sink_size=arguments.get("sink_size", -1),
            epochs=arguments["epoch"],
            callbacks=check_callbacks(arguments.get("callbacks")),
        )
        _limit_steps(arguments, "train_dataset", steps)
        _limit_steps(arguments, "valid_dataset", steps)
        arguments.pop("sink_size", None)
        initial_epoch = arguments.get("initial_epoch", 0)
        if isinstance(arguments["epoch"], int) and isinstance(initial_epoch, int):
            arguments["epoch"] = min(arguments["epoch"], initial_epoch + MAX_EPOCHS)

    return _wrap_with_changed_arguments(function, note_and_shorten)


def _shorten_dataset_helper(arguments: dict[str, Any], trainings: Trainings, steps: int) -> None:
    """Record the dataset of a new DatasetHelper, limit it to ``steps``, and drop the sink size."""
    sink_size = arguments.pop("sink_size", -1)
    sinks = arguments.get("dataset_sink_mode", True) is True
    trainings.note_use(arguments["dataset"], sinks=sinks, sink_size=sink_size)
    _limit_steps(arguments, "dataset", steps)


def _wrap_iterator(make_iterator: Callable[..., Any], trainings: Trainings, steps: int) -> Any:
    """Return an iterator method of datasets, wrapped so that its iterators yield ``steps`` batches.

    ``trainings`` records where each dataset is used, and the ops that run between two fetches.
    """

    def make_short_iterator(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the dataset's iterator, limited to ``steps`` batches, which are recorded."""
        location = trainings.note_use(self)
        batches = make_iterator(self.take(steps), *args, **kwargs)
        original_fetch, original_shape = batches._read_row, batches._arrange_row

        def fetch_row() -> Any:
            """End the recorded batch, and fetch the next row."""
            trainings.step_recorder.end_batch()
            return original_fetch()

        def shape_row(values: list[Any]) -> Any:
            """Begin to record a batch, and shape its values."""
            trainings.step_recorder.begin_batch(location, values)
            return original_shape(values)

        vars(batches).update(_read_row=fetch_row, _arrange_row=shape_row)
        return batches

    return functools.wraps(make_iterator)(make_short_iterator)


def _wrap_data_sink(function: Callable[..., Any], trainings: Trainings, steps: int) -> Any:
    """Return ``data_sink`` with short sinks; after ``steps`` calls the last result is repeated."""

    @functools.wraps(function)
    def data_sink(fn: Any, dataset: Any, sink_size: int = 1, *args: Any, **kwargs: Any) -> Any:
        """Record the sink, and return its function, of which only the first ``steps`` calls run."""
        location = trainings.note_use(dataset, sinks=True, sink_size=sink_size)
        steps_per_sink = min(sink_size, steps) if isinstance(sink_size, int) else sink_size
        sink_function = function(fn, dataset, steps_per_sink, *args, **kwargs)
        results: list[Any] = []

        def call_sink(*args: Any, **kwargs: Any) -> Any:
            """Run a sink and record its ops; after ``steps`` calls return the last result again."""
            if len(results) < steps:
                trainings.step_recorder.begin_batch(location)
                results.append(sink_function(*args, **kwargs))
            return results[-1]

        return functools.wraps(sink_function)(call_sink)

    return data_sink


__all__ = ["Training", "Trainings", "shorten_trainings"]
