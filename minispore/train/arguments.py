"""What Model methods are given: checks in MindSpore's order, before anything runs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from minispore import context, device
from minispore.core.tensor import Tensor
from minispore.core.tree import leaves
from minispore.dataset import config as dataset_config
from minispore.dataset.dataset import Dataset
from minispore.device import dump
from minispore.errors import warn
from minispore.foundation import checks
from minispore.nn.cell import Cell
from minispore.train.callback.base import Callback, as_list, old_names_of

_INT32_MAX = 2**31 - 1
UNKNOWN = -1


@dataclass(frozen=True, eq=False, repr=False)
class Training:
    """The arguments of a training, checked.

    Attributes:
        epochs: numbers of the epochs, from 0.
        size: batches of a pass over the dataset; UNKNOWN if nobody need count them.
        sink_size: steps of an epoch with data sink.
    """

    epochs: range
    dataset: Any
    callbacks: list[Callback]
    sink: bool
    sink_size: int
    size: int


def training(
    who: str,
    epoch: Any,
    dataset: Any,
    callbacks: Any,
    sink: Any,
    sink_size: Any,
    initial_epoch: Any,
    built_epochs: int | None,
) -> Training:
    """Check the arguments of ``Model.train`` and ``Model.fit``.

    Raises:
        TypeError: one has the wrong type.
        ValueError: one has a value that can't be, or the dataset is empty.
    """
    checks.boolean(who, "dataset_sink_mode", sink)
    if built_epochs is not None and built_epochs != epoch:
        raise ValueError(
            f"{who}: epoch must be {built_epochs}, as Model.build was told, got {epoch!r}."
        )
    if sink and dataset_config.get_debug_mode():
        raise ValueError(
            f"{who}: dataset_sink_mode must be False while the dataset's debug mode is on."
        )
    checks.integer(who, "sink_size", sink_size)
    checks.integer(who, "epoch", epoch, 1)
    checks.integer(who, "initial_epoch", initial_epoch, 0)
    if initial_epoch >= epoch:
        raise ValueError(
            f"{who}: initial_epoch must be less than epoch={epoch}, got {initial_epoch}."
        )
    size = UNKNOWN
    if not (sink and sink_size > 0 and not initial_epoch and _is_uncounted(dataset)):
        size = a_dataset(who, "train_dataset", dataset).get_dataset_size()
    if size == 0:
        raise ValueError(
            f"{who}: the dataset must have a batch, got none. Check its files, and the batch size "
            "if drop_remainder is on."
        )
    steps = sink_size_of(who, sink_size, size)
    if sink and epoch * steps > _INT32_MAX:
        raise ValueError(f"{who}: epoch * sink_size must be below 2**31, got {epoch * steps}.")
    check_device_number(who)
    return Training(range(initial_epoch, epoch), dataset, as_list(callbacks), sink, steps, size)


def init_step_of(who: str, dataset: Any, sink_size: int) -> int:
    """The step of all passes with which the data begins: what ``set_init_step`` said, in sink mode
    the beginning of its epoch.
    """
    step = dataset.get_init_step() if isinstance(dataset, Dataset) else 0
    within = step % sink_size
    if within:
        warn(
            f"{who}: the dataset's init step must be the end of an epoch of {sink_size} steps in "
            f"sink mode, got {step}. It begins with step {step - within}.",
        )
    return step - within


def _is_uncounted(dataset: Any) -> bool:
    """Whether only a run can tell the size of a dataset, on a device whose queue needs none."""
    return isinstance(dataset, Dataset) and not dataset.knows_size() and device.current().sinks


def a_dataset(who: str, name: str, value: Any) -> Any:
    """Something that is iterated as a dataset is.

    Raises:
        AttributeError: it is none.
    """
    if hasattr(value, "get_dataset_size"):
        return value
    hint = "Make one, as ds.NumpySlicesDataset((x, y), ['x', 'y']).batch(32)."
    if hasattr(value, "get_col_names"):
        hint = "Pass the dataset itself, not its iterator."
    raise AttributeError(f"{who}: {name} must be a dataset, got {type(value).__name__}. {hint}")


def an_optimizer(optimizer: Any) -> Any:
    """An optimizer, and not its class.

    Raises:
        TypeError: it is a class.
    """
    if isinstance(optimizer, type):
        raise TypeError(
            f"Model: optimizer must be an instance, got the class {optimizer.__name__}. Call it "
            "with the parameters that it is to train: net.trainable_params()."
        )
    return optimizer


def validation(who: str, dataset: Any, frequency: Any, has_metrics: bool) -> None:
    """Check what ``Model.fit`` is to evaluate.

    Raises:
        TypeError: ``frequency`` is neither int nor list.
        ValueError: it is 0, there are no metrics, or the evaluation set is empty.
    """
    if not isinstance(frequency, int | list):
        raise TypeError(f"{who}: valid_frequency must be an int or a list, got {frequency!r}.")
    if frequency == 0:
        raise ValueError(f"{who}: valid_frequency must not be 0.")
    if dataset is None:
        return
    a_dataset(who, "valid_dataset", dataset)
    if not has_metrics:
        raise ValueError(f"{who}: metrics must be given to Model to evaluate, got none.")
    if dataset.get_dataset_size() == 0:
        raise ValueError(f"{who}: valid_dataset must have a batch, got none.")


def is_due(epoch: int, frequency: int | list[int]) -> bool:
    """Whether ``epoch`` (from 1) is one to evaluate after."""
    return epoch in frequency if isinstance(frequency, list) else epoch % frequency == 0


def warn_of_old_names(who: str, callbacks: list[Callback]) -> None:
    """Say which callbacks of the user's define the old names."""
    for callback in callbacks:
        old = old_names_of(callback)
        if old:
            warn(
                f"{who}: {type(callback).__name__} defines {', '.join(old)}; on_train_* and "
                "on_eval_* methods are the names of today.",
                DeprecationWarning,
            )


def refuse_old_names(who: str, callbacks: list[Callback]) -> None:
    """The same for ``Model.fit``, which refuses them.

    Raises:
        ValueError: a callback defines an old name.
    """
    for callback in callbacks:
        old = old_names_of(callback)
        if old:
            raise ValueError(
                f"{who}: {type(callback).__name__} must define on_train_* and on_eval_* methods, "
                f"got {', '.join(old)}, which would be called in training and evaluation."
            )


def warn_of(who: str, no_queue: bool, loss_fn: Any, optimizer: Any) -> None:
    """Say what a training can't do as it was asked to."""
    if no_queue:
        _warn_of_no_queue(who)
    warn_of_no_dump(who)
    if loss_fn is not None and optimizer is None:
        _warn_of_no_optimizer(who)


def _warn_of_no_optimizer(who: str) -> None:
    """Say that nothing will be learned."""
    warn(
        f"{who}: the Model has a loss_fn and no optimizer, so no weight will change. Give it an "
        "optimizer, or evaluate with Model.eval.",
    )


def _warn_of_no_queue(who: str) -> None:
    """Say that a training without sink is what becomes of one with sink."""
    warn(
        f"{who}: data can't be sunk to {context.get_context('device_target')}, which has no device "
        "queue. The training runs without sink; sink_size has no effect.",
    )


def check_columns(element: Any) -> None:
    """A loss function takes two columns, of numbers.

    Raises:
        ValueError: there are more or fewer.
        TypeError: one holds texts.
    """
    if len(element) != 2:
        raise ValueError(
            "Model.train: with a loss_fn the dataset must give two columns, data and label, got "
            f"{len(element)}. Compute the loss in the network, and leave loss_fn out."
        )
    for i, column in enumerate(element):
        if isinstance(column, np.ndarray):
            raise TypeError(
                f"Model.train: the columns of the dataset must hold numbers, got texts in column "
                f"{i}. Map them to numbers."
            )


@contextlib.contextmanager
def noting_no_batch(dataset: Any) -> Iterator[None]:
    """Say beside an error that the dataset gives single rows, if it does."""
    try:
        yield
    except Exception as error:
        if not getattr(dataset, "is_batched", bool)():
            error.add_note("The dataset is not batched. Did you forget dataset.batch(...)?")
        raise


def check_device_number(who: str) -> None:
    """One device trains alone.

    Raises:
        ValueError: the context says "stand_alone" and several devices.
    """
    mode = context.get_auto_parallel_context("parallel_mode")
    number = context.get_auto_parallel_context("device_num")
    if mode == context.ParallelMode.STAND_ALONE and number != 1:
        raise ValueError(f"{who}: device_num must be 1 in mode 'stand_alone', got {number}.")


def check_splitting(who: str) -> None:
    """Layouts are asked for where parameters may be split.

    Raises:
        RuntimeError: the parallel mode splits none.
    """
    mode = context.get_auto_parallel_context("parallel_mode")
    splitting = (context.ParallelMode.SEMI_AUTO_PARALLEL, context.ParallelMode.AUTO_PARALLEL)
    if mode not in splitting:
        raise RuntimeError(
            f"{who}: parallel_mode must be one of {', '.join(splitting)}, got {mode!r}."
        )


def check_predict_data(who: str, data: Any) -> None:
    """What a network can be called with.

    Raises:
        TypeError: something in it is no Tensor, number, text or None.
        ValueError: a Tensor is empty.
    """
    for leaf in leaves(data):
        if isinstance(leaf, Tensor):
            if leaf.size == 0:
                raise ValueError(f"{who}: a Tensor must not be empty, got shape {leaf.shape}.")
        elif leaf is not None and not isinstance(leaf, bool | int | float | str):
            raise TypeError(
                f"{who}: predict_data must be Tensors, numbers, texts or containers of them, got "
                f"{type(leaf).__name__}. Wrap a NumPy array in Tensor(...)."
            )


def warn_of_no_dump(who: str) -> None:
    """Warn where a data dump is asked for that no graph will make."""
    if context.current().mode == context.PYNATIVE_MODE and dump.find_dump_config() is not None:
        warn(
            f"{who}: a data dump follows graphs, and PYNATIVE_MODE has those of jit alone. Use "
            "GRAPH_MODE.",
        )


def sink_size_of(who: str, value: Any, dataset_size: int | None = None) -> int:
    """-1 or a positive number of steps; with ``dataset_size``, -1 becomes that.

    Raises:
        TypeError: it is no int.
        ValueError: it is 0 or less than -1.
    """
    checks.integer(who, "sink_size", value)
    if value == 0 or value < -1:
        raise ValueError(f"{who}: sink_size must be -1 or positive, got {value}.")
    return dataset_size if value == -1 and dataset_size is not None else value


def anything(value: Any) -> None:
    """Nothing to look at."""


def whole_layout(network: Cell) -> dict[str, Any]:
    """Device matrix, tensor map and slice shape of each parameter: on one device, all of it."""
    return {
        p.name: ([1], [-1] * len(p.shape), list(p.shape), 0, True, "")
        for p in network.get_parameters()
    }
