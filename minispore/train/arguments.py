"""Checks of the arguments of Model's methods, in MindSpore's order, before anything runs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from minispore import context, device
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.core.tree import leaves
from minispore.dataset import config as dataset_config
from minispore.dataset.dataset import Dataset
from minispore.device import dump
from minispore.errors import warn
from minispore.foundation import checks
from minispore.nn.cell import Cell
from minispore.train.callback.base import Callback, check_callbacks, list_old_hook_names

_INT32_MAX = 2**31 - 1
UNKNOWN_SIZE = -1


@dataclass(frozen=True, eq=False, repr=False)
class TrainingArguments:
    """The checked arguments of a training.

    Attributes:
        epochs: the epoch numbers, from 0.
        size: batches per pass over the dataset; UNKNOWN_SIZE if the training does not need the
            number.
        sink_size: steps per epoch with data sink.
    """

    epochs: range
    dataset: Any
    callbacks: list[Callback]
    sink_mode: bool
    sink_size: int
    size: int


def check_training_arguments(
    api_name: str,
    epoch: Any,
    dataset: Any,
    callbacks: Any,
    sink_mode: Any,
    sink_size: Any,
    initial_epoch: Any,
    built_epochs: int | None,
) -> TrainingArguments:
    """Check the arguments of ``Model.train`` and ``Model.fit``.

    ``built_epochs`` is the ``epoch`` that ``Model.build`` was called with, or None.

    Returns:
        The arguments: callbacks as a list, and the dataset's size in place of a sink size of -1.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument has an invalid value, or the dataset is empty.
        AttributeError: ``dataset`` is not a dataset.
    """
    checks.boolean(api_name, "dataset_sink_mode", sink_mode)
    if built_epochs is not None and built_epochs != epoch:
        raise ValueError(
            f"{api_name}: epoch must be {built_epochs}, as Model.build was told, got {epoch!r}."
        )
    if sink_mode and dataset_config.get_debug_mode():
        raise ValueError(
            f"{api_name}: dataset_sink_mode must be False while the dataset's debug mode is on."
        )
    checks.integer(api_name, "sink_size", sink_size)
    if hasattr(epoch, "shape") or isinstance(epoch, Dataset):
        hint = (
            "epoch comes first, then a dataset of the arrays: "
            "ds.NumpySlicesDataset((x, y), ['x', 'y']).batch(32)."
        )
        value = checks.format_value(epoch)
        raise TypeError(checks.format_error(api_name, "epoch", "be an int", value, hint))
    checks.integer(api_name, "epoch", epoch, 1)
    checks.integer(api_name, "initial_epoch", initial_epoch, 0)
    if initial_epoch >= epoch:
        raise ValueError(
            f"{api_name}: initial_epoch must be less than epoch={epoch}, got {initial_epoch}."
        )
    size = UNKNOWN_SIZE
    if not (sink_mode and sink_size > 0 and not initial_epoch and _has_unknown_size(dataset)):
        size = check_dataset(api_name, "train_dataset", dataset).get_dataset_size()
    if size == 0:
        raise ValueError(
            f"{api_name}: the dataset must have a batch, got none. Check its files, and the batch "
            "size if drop_remainder is on."
        )
    steps_per_sink = check_sink_size(api_name, sink_size, size)
    if sink_mode and epoch * steps_per_sink > _INT32_MAX:
        raise ValueError(
            f"{api_name}: epoch * sink_size must be below 2**31, got {epoch * steps_per_sink}."
        )
    check_device_number(api_name)
    return TrainingArguments(
        range(initial_epoch, epoch),
        dataset,
        check_callbacks(callbacks),
        sink_mode,
        steps_per_sink,
        size,
    )


def compute_init_step(api_name: str, dataset: Any, sink_size: int) -> int:
    """Return the step, counted over all passes, at which the data begins (``set_init_step``).

    A step within a sink of ``sink_size`` steps is rounded down to the start of the sink, with a
    warning. 0 for a user-defined dataset class.
    """
    step = dataset.get_init_step() if isinstance(dataset, Dataset) else 0
    step_in_epoch = step % sink_size
    if step_in_epoch:
        warn(
            f"{api_name}: the dataset's init step must be the end of an epoch of {sink_size} steps "
            f"in sink mode, got {step}. It begins with step {step - step_in_epoch}.",
        )
    return step - step_in_epoch


def _has_unknown_size(dataset: Any) -> bool:
    """Whether the dataset's size is unknown before a run, and the device has a queue, which does
    not need the size.
    """
    return isinstance(dataset, Dataset) and not dataset.knows_size() and device.current().sinks


def check_dataset(api_name: str, name: str, value: Any) -> Any:
    """Check that ``value`` has the interface of a dataset, and return it.

    Raises:
        AttributeError: it has no ``get_dataset_size``.
    """
    if hasattr(value, "get_dataset_size"):
        return value
    hint = "Make one, as ds.NumpySlicesDataset((x, y), ['x', 'y']).batch(32)."
    if hasattr(value, "get_col_names"):
        hint = "Pass the dataset itself, not its iterator."
    raise AttributeError(
        f"{api_name}: {name} must be a dataset, got {type(value).__name__}. {hint}"
    )


def check_optimizer(optimizer: Any) -> Any:
    """Check that ``optimizer`` is an instance rather than a class, and return it.

    Raises:
        TypeError: it is a class.
    """
    if isinstance(optimizer, type):
        raise TypeError(
            f"Model: optimizer must be an instance, got the class {optimizer.__name__}. Call it "
            "with the parameters that it is to train: net.trainable_params()."
        )
    return optimizer


def check_validation_arguments(
    api_name: str, dataset: Any, frequency: Any, has_metrics: bool
) -> None:
    """Check the evaluation arguments of ``Model.fit``; without a dataset, only ``frequency``.

    Raises:
        TypeError: ``frequency`` is neither int nor list.
        ValueError: it is 0, there are no metrics, or the evaluation set is empty.
        AttributeError: ``dataset`` is not a dataset.
    """
    if not isinstance(frequency, int | list):
        raise TypeError(f"{api_name}: valid_frequency must be an int or a list, got {frequency!r}.")
    if frequency == 0:
        raise ValueError(f"{api_name}: valid_frequency must not be 0.")
    if dataset is None:
        return
    check_dataset(api_name, "valid_dataset", dataset)
    if not has_metrics:
        raise ValueError(f"{api_name}: metrics must be given to Model to evaluate, got none.")
    if dataset.get_dataset_size() == 0:
        raise ValueError(f"{api_name}: valid_dataset must have a batch, got none.")


def must_evaluate_after(epoch: int, frequency: int | list[int]) -> bool:
    """Whether an evaluation follows ``epoch`` (numbered from 1)."""
    return epoch in frequency if isinstance(frequency, list) else epoch % frequency == 0


def warn_of_old_hook_names(api_name: str, callbacks: list[Callback]) -> None:
    """Warn of callbacks that define hooks by their old names, such as ``step_end``."""
    for callback in callbacks:
        old_names = list_old_hook_names(callback)
        if old_names:
            warn(
                f"{api_name}: {type(callback).__name__} defines {', '.join(old_names)}; on_train_* "
                "and on_eval_* methods are the names of today.",
                DeprecationWarning,
            )


def check_no_old_hook_names(api_name: str, callbacks: list[Callback]) -> None:
    """Check that no callback of ``Model.fit`` defines a hook by its old name.

    Raises:
        ValueError: a callback defines an old name.
    """
    for callback in callbacks:
        old_names = list_old_hook_names(callback)
        if old_names:
            raise ValueError(
                f"{api_name}: {type(callback).__name__} must define on_train_* and on_eval_* "
                f"methods, got {', '.join(old_names)}, which would be called in training and "
                "evaluation."
            )


def warn_of_ineffective_arguments(
    api_name: str, has_no_queue: bool, loss_fn: Any, optimizer: Any
) -> None:
    """Warn of training arguments that have no effect: data sink (if ``has_no_queue``), a data dump
    in PYNATIVE_MODE, or a loss function without optimizer.
    """
    if has_no_queue:
        _warn_of_no_queue(api_name)
    warn_of_dump_without_graph(api_name)
    if loss_fn is not None and optimizer is None:
        _warn_of_no_optimizer(api_name)


def _warn_of_no_optimizer(api_name: str) -> None:
    """Warn that no weight will change."""
    warn(
        f"{api_name}: the Model has a loss_fn and no optimizer, so no weight will change. Give it "
        "an optimizer, or evaluate with Model.eval.",
    )


def _warn_of_no_queue(api_name: str) -> None:
    """Warn that the training runs without data sink."""
    warn(
        f"{api_name}: data can't be sunk to {context.get_context('device_target')}, which has no "
        "device queue. The training runs without sink; sink_size has no effect.",
    )


def check_columns(element: Any) -> None:
    """Check that ``element``, the columns of a step for a loss function, consists of two numeric
    columns.

    Raises:
        ValueError: there are more or fewer columns.
        TypeError: a column holds strings.
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
def note_unbatched_dataset(dataset: Any, cb_params: Any) -> Iterator[None]:
    """Add a note to a ValueError of the first step if the dataset yields unbatched rows.

    Mismatched shapes raise a ValueError, which the first step is the first to encounter.
    """
    try:
        yield
    except ValueError as error:
        is_running_step = cb_params.cur_step_num > cb_params.initial_step
        is_first_step = is_running_step and "net_outputs" not in cb_params
        if is_first_step and not getattr(dataset, "is_batched", bool)():
            error.add_note("The dataset is not batched. Did you forget dataset.batch(...)?")
        raise


def check_device_number(api_name: str) -> None:
    """Check that ``device_num`` is 1 in the mode "stand_alone".

    Raises:
        ValueError: ``device_num`` is not 1.
    """
    mode = context.get_auto_parallel_context("parallel_mode")
    device_count = context.get_auto_parallel_context("device_num")
    if mode == context.ParallelMode.STAND_ALONE and device_count != 1:
        raise ValueError(
            f"{api_name}: device_num must be 1 in mode 'stand_alone', got {device_count}."
        )


def check_mode_can_split(api_name: str) -> None:
    """Check that the parallel mode can split parameters, which gives them a layout.

    Raises:
        RuntimeError: the parallel mode does not split parameters.
    """
    mode = context.get_auto_parallel_context("parallel_mode")
    splitting_modes = (context.ParallelMode.SEMI_AUTO_PARALLEL, context.ParallelMode.AUTO_PARALLEL)
    if mode not in splitting_modes:
        raise RuntimeError(
            f"{api_name}: parallel_mode must be one of {', '.join(splitting_modes)}, got {mode!r}."
        )


def check_predict_data(api_name: str, data: Any) -> None:
    """Check that a network can be called with ``data``.

    Raises:
        TypeError: an element of it is not a Tensor, number, str or None.
        ValueError: a Tensor is empty.
    """
    for leaf in leaves(data):
        if isinstance(leaf, Tensor):
            if leaf.size == 0:
                raise ValueError(f"{api_name}: a Tensor must not be empty, got shape {leaf.shape}.")
        elif leaf is not None and not isinstance(leaf, bool | int | float | str):
            raise TypeError(
                f"{api_name}: predict_data must be Tensors, numbers, texts or containers of "
                f"them, got {checks.format_value(leaf)}. Wrap a NumPy array in Tensor(...)."
            )


def warn_of_dump_without_graph(api_name: str) -> None:
    """Warn if a data dump is configured in PYNATIVE_MODE, which runs no graphs to dump."""
    if context.current().mode == context.PYNATIVE_MODE and dump.find_dump_config() is not None:
        warn(
            f"{api_name}: a data dump follows graphs, and PYNATIVE_MODE has those of jit alone. "
            "Use GRAPH_MODE.",
        )


def check_sink_size(api_name: str, value: Any, dataset_size: int | None = None) -> int:
    """Check a sink size, -1 or positive, and return it.

    If ``dataset_size`` is given, it replaces -1.

    Raises:
        TypeError: it is not an int.
        ValueError: it is 0 or less than -1.
    """
    checks.integer(api_name, "sink_size", value)
    if value == 0 or value < -1:
        raise ValueError(f"{api_name}: sink_size must be -1 or positive, got {value}.")
    return dataset_size if value == -1 and dataset_size is not None else value


def accept_any(value: Any) -> None:
    """Do nothing: passed to the training loop where no check or update is needed."""


def make_unsplit_layout(network: Cell) -> dict[str, Any]:
    """Return the layout of each parameter by name, unsplit on one device.

    A layout is (device matrix, tensor map, slice shape, field size, whether the split is uniform,
    optimizer shard group), as in MindSpore.
    """
    return {
        p.name: ([1], [-1] * len(p.shape), list(p.shape), 0, True, "")
        for p in network.get_parameters()
    }


# -- trainings that are probably mistaken -------------------------------------------

_CELL_CONTAINERS: dict[Any, str] = {list: "nn.CellList", tuple: "nn.CellList", dict: "nn.CellDict"}


def warn_of_implausible_training(network: Cell, loss_fn: Any, optimizer: Any, steps: int) -> None:
    """Warn, before the first of ``steps`` steps, of probable mistakes in the training.

    These are layers in a Python container, which Cell does not register; an optimizer of another
    network; and a list of learning rates shorter than the training.
    """
    optimized_ids = set(map(id, optimizer.parameters))
    _warn_of_layers_in_containers(network, optimized_ids)
    cells = [cell for cell in (network, loss_fn) if isinstance(cell, Cell)]
    if not any(id(p) in optimized_ids for cell in cells for p in cell.get_parameters()):
        warn(
            f"Model: optimizer must have Parameters of the network, got {len(optimized_ids)} "
            "others, so no training changes the network. Pass network.trainable_params()."
        )
    count = optimizer._rate_count_
    if count is not None and optimizer.global_step.asnumpy().item() + steps > count:
        warn(
            f"{type(optimizer).__name__}: learning_rate must have a value for each step, got "
            f"{count} values for {steps} steps. Make the list longer, or train for less."
        )


def _warn_of_layers_in_containers(network: Cell, optimized_ids: set[int]) -> None:
    """Warn of each list, tuple or dict of layers whose Parameters are not trained.

    These are Parameters that neither the network has registered nor the optimizer has. Only
    public attributes of Cells are searched.
    """
    reachable_ids = set(map(id, network.get_parameters())) | optimized_ids
    for _, cell in network.cells_and_names():
        for name, container in vars(cell).items():
            replacement = _CELL_CONTAINERS.get(type(container))
            if replacement is None or name.startswith("_"):
                continue
            untrained = [p for p in _iterate_parameters(container) if id(p) not in reachable_ids]
            if untrained:
                warn(
                    f"{type(cell).__name__}: the layers in the {type(container).__name__} "
                    f"{name!r} are not registered, so {len(untrained)} of their Parameters are not "
                    f"trained. Use {replacement}."
                )


def _iterate_parameters(container: Any) -> Iterator[Parameter]:
    """Yield the Parameters of the layers in a list, tuple or dict; other elements have none."""
    for element in container.values() if isinstance(container, dict) else container:
        if isinstance(element, Cell):
            yield from element.get_parameters()
