"""Feeds: the sources from which a training or evaluation loop gets its data.

A *call* of the network does one step, or in GRAPH_MODE with data sink a whole sink. Only the feed
knows the number of steps per call and the batch at which an epoch begins; the loop does not.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from minispore import context, device
from minispore.core.tensor import Tensor
from minispore.dataset.config import get_iterator_mode
from minispore.dataset.dataset import Dataset
from minispore.dataset.pipeline.random import Seed
from minispore.dataset.transfer import BatchRange, TransferDataset
from minispore.device import faults
from minispore.device.channel import JOIN_S
from minispore.errors import warn
from minispore.foundation import process
from minispore.nn.cell import Cell
from minispore.train.arguments import TrainingArguments
from minispore.train.callback.base import InternalCallbackParam
from minispore.train.dataset_helper import (
    DatasetHelper,
    SinkIterator,
    SinkSettings,
    connect_to_queue,
    make_sink_iterator,
)
from minispore.train.ledger import BatchLedger

NetworkInputs = Any  # the arguments of a network call


class HostFeed:
    """A feed that passes each batch as the arguments of one call.

    Args:
        dataset: the dataset.
        size: its batches per pass. If the number is only known from a run (as with a filter of
            random rows), a pass may have fewer or more; each is read to its end.
        steps: the total number of batches, if each pass has ``size``.
        first_step: the number of the first batch, over all passes; under a seed a resumed
            training gets the same batches as an uninterrupted one.
        ledger: records each batch, if given.
        seed: the seed of the data; None for that of ``ds.config``.
    """

    steps_per_call = 1
    can_stop_mid_epoch = True  # a requested stop ends the epoch at once

    def __init__(
        self,
        dataset: Any,
        size: int,
        steps: int,
        first_step: int = 0,
        ledger: BatchLedger | None = None,
        seed: Seed | None = None,
    ) -> None:
        repeats_forever = dataset.get_repeat_count() == -1
        batch_range = BatchRange.from_steps(size, first_step, steps, repeats_forever, seed)
        self._has_fixed_size = repeats_forever or dataset.node.size() is not None
        if not self._has_fixed_size:
            batch_range = replace(batch_range, batches=None)  # of all passes
        self._batch_range = batch_range
        self.ended_early = False  # whether a pass had fewer batches than expected
        self._batches_per_pass = size
        self._dataset, self._ledger = dataset, ledger
        self._pipeline: Any = None
        self._batches: Iterator[Any] = iter(())
        self._copies_batches = False  # by ``ds.config.set_iterator_mode`` at the start
        self._pushed_back: list[Any] = []  # a batch that belongs to the next pass
        self._requested_batches = 0

    def connect(self, network: Cell, cb_params: InternalCallbackParam) -> Cell:
        """Return the network itself; the pipeline starts when the first batch is requested."""
        return network

    def epoch_inputs(
        self, done_steps: int = 0, losses: Sequence[float] = ()
    ) -> Iterator[NetworkInputs]:
        """Yield the batches of one pass as lists of Tensors, without the first ``done_steps``.

        These were done by the interrupted training that this one resumes.

        Warns if the number of batches differs from the expected one, and sets ``ended_early`` if
        there are fewer. A batch of the next pass is pushed back.
        """
        if self._pipeline is None:
            self._pipeline = self._batch_range.make_iterator(
                self._dataset.node, self._ledger is not None
            )
            self._batches = self._pipeline
            self._copies_batches = get_iterator_mode()["do_copy"]
        pass_number = self._batch_range.first_pass if done_steps else None
        batch_count = done_steps
        while batch_count < self._batches_per_pass or not self._has_fixed_size:
            batch = self._next_batch()
            if batch is None:
                self._check_pass_size(batch_count)
                return
            if pass_number is None:
                pass_number = batch.pass_number
            elif batch.pass_number != pass_number:
                self._pushed_back.append(batch)
                self._check_pass_size(batch_count)
                return
            if self._ledger is not None:
                self._ledger.record(batch)
            batch_count += 1
            yield [convert_column(c, self._copies_batches) for c in batch.columns]
        self._pipeline.finish()

    def record_call(self, cb_params: InternalCallbackParam) -> None:
        """Do nothing: the outputs of a call without sink are complete."""

    def _next_batch(self) -> Any:
        """Return the pushed-back or next batch; None at the end or at an injected fault.

        If the size of a pass is not fixed, also returns None at the end of each pass.
        """
        if self._pushed_back:
            return self._pushed_back.pop()
        self._requested_batches += 1
        if faults.injected and not faults.before_batch(self._requested_batches):
            return None
        return next(self._batches, None) if self._has_fixed_size else self._pipeline.read_in_pass()

    def _check_pass_size(self, batch_count: int) -> None:
        """Warn if the number of batches in a pass differs from the expected one; set
        ``ended_early``.
        """
        self.ended_early |= batch_count < self._batches_per_pass
        if batch_count != self._batches_per_pass:
            warn(
                f"Model.train: a pass over the dataset ended after {batch_count} batches, its size "
                f"was said to be {self._batches_per_pass}. Step numbers go by the size.",
            )

    def close(self) -> None:
        """Close the pipeline and its threads, without waiting long for slow user code."""
        if self._pipeline is None:
            return
        if not process.can_start_threads():
            self._pipeline.close()
            return
        closer = threading.Thread(target=self._pipeline.close, name="minispore-close", daemon=True)
        closer.start()
        closer.join(JOIN_S)


class IteratorFeed:
    """A feed from a user-defined dataset class, by the methods that MindSpore's loop calls.

    Args:
        dataset: has ``create_tuple_iterator(num_epochs=, do_copy=)``, whose result is iterated once
            per epoch, and ``reset()``, which is called after each epoch.
        epochs: the number of epochs.
    """

    steps_per_call = 1
    can_stop_mid_epoch = True
    ended_early = False

    def __init__(self, dataset: Any, epochs: int) -> None:
        self._dataset, self._epochs = dataset, epochs
        self._iterator: Any = None

    def connect(self, network: Cell, cb_params: InternalCallbackParam) -> Cell:
        """Return the network itself; the iterator is created when the first batch is requested."""
        return network

    def epoch_inputs(
        self, done_steps: int = 0, losses: Sequence[float] = ()
    ) -> Iterator[NetworkInputs]:
        """Yield an epoch's batches without the first ``done_steps``; then reset the dataset."""
        if self._iterator is None:
            self._iterator = self._dataset.create_tuple_iterator(
                num_epochs=self._epochs, do_copy=get_iterator_mode()["do_copy"]
            )
        for batch in itertools.islice(self._iterator, done_steps, None):
            yield list(batch)
        self._dataset.reset()

    def record_call(self, cb_params: InternalCallbackParam) -> None:
        """Do nothing: the outputs of a call without sink are complete."""

    def close(self) -> None:
        """Do nothing: the iterator belongs to the user."""


def check_has_queue(api_name: str, dataset: Any) -> None:
    """Check that a dataset can send its batches to the device's queue.

    Raises:
        AttributeError: its class is user-defined.
    """
    if not isinstance(dataset, Dataset):
        raise AttributeError(
            f"{api_name}: dataset must be one of mindspore.dataset for a data sink, got "
            f"{type(dataset).__name__}. Set dataset_sink_mode=False."
        )


def convert_column(column: Any, copy: bool = False) -> Any:
    """Convert a column to a Tensor over the same memory, or over a copy of it; a dict of columns to
    a dict of Tensors.

    Strings stay an array, as in dataset iterators.
    """
    if isinstance(column, dict):
        return {key: convert_column(value, copy) for key, value in column.items()}
    array = np.array(column) if copy else np.asarray(column)
    return array if array.dtype.kind in "US" else Tensor.from_numpy(array)


class SinkFeed:
    """A feed whose calls have no arguments: the data comes through the device's queue.

    Args:
        dataset: the dataset.
        size: its batches per pass.
        sink_size: steps per epoch.
        steps: the total number of batches.
        first_step: the number of the first batch, over all passes.
        ledger: records each batch, if given.
        transfer: a separate queue instead of the dataset's.
        one_call_per_step: make one call per step in GRAPH_MODE, too (for evaluation).
        seed: the seed of the data; None for that of ``ds.config``.
    """

    can_stop_mid_epoch = False
    ended_early = False

    def __init__(
        self,
        dataset: Any,
        size: int,
        sink_size: int,
        steps: int,
        first_step: int = 0,
        ledger: BatchLedger | None = None,
        transfer: TransferDataset | None = None,
        one_call_per_step: bool = False,
        seed: Seed | None = None,
    ) -> None:
        self._ledger = ledger
        repeats_forever = dataset.get_repeat_count() == -1
        self._batch_range = BatchRange.from_steps(size, first_step, steps, repeats_forever, seed)
        self._sinks_per_epoch = sink_size if one_call_per_step else 1
        self._dataset, self._transfer = dataset, transfer
        self._steps_per_sink = 1 if one_call_per_step else sink_size
        self._settings = SinkSettings()
        self._is_graph_mode = self._settings.mode == context.GRAPH_MODE
        self._has_one_call_per_epoch = self._is_graph_mode and not one_call_per_step
        self.steps_per_call = self._steps_per_sink if self._is_graph_mode else 1
        self._iterator: SinkIterator | None = None
        self._network: Any = None
        self._losses: list[float] = []

    def connect(self, network: Cell, cb_params: InternalCallbackParam) -> Cell:
        """Start to send the data and return the network that reads it from the queue.

        Also sets the connected network in ``cb_params``, in training together with a DatasetHelper.
        """
        iterator = make_sink_iterator(
            self._dataset, self._steps_per_sink, self._transfer, self._settings
        )
        iterator.start_sending(self._batch_range, self._ledger is not None)
        self._iterator = iterator
        if self._ledger is not None:
            iterator.transfer.channel.on_origin = self._ledger.record
        self._network = sink_network = connect_to_queue(network, iterator)
        if cb_params.mode == "eval":
            cb_params.eval_network = sink_network
        else:
            cb_params.train_network = sink_network
            cb_params.dataset_helper = DatasetHelper.from_iterator(iterator)
        return sink_network

    def epoch_inputs(
        self, done_steps: int = 0, losses: Sequence[float] = ()
    ) -> Iterator[NetworkInputs]:
        """Yield ``()`` for each call of an epoch, skipping its first ``done_steps`` steps.

        ``losses`` are those of the skipped steps, with which the epoch's losses begin.

        When a resumed sink runs in one call, its loop is shortened to the remaining steps.
        """
        assert self._iterator is not None
        self._losses = [*losses]
        remaining = self._steps_per_sink - done_steps
        if not self._has_one_call_per_epoch:
            for _ in range(self._sinks_per_epoch):
                yield from itertools.islice(self._iterator, done_steps, None)
        elif remaining:
            self.steps_per_call = remaining
            if done_steps:
                self._network.sink.loop = remaining
            yield from self._iterator
            if done_steps:
                self._network.sink.loop = self._steps_per_sink

    def record_call(self, cb_params: InternalCallbackParam) -> None:
        """Record the steps of the call and the losses of the epoch so far in ``cb_params``."""
        cb_params.sink_steps = self.steps_per_call
        cb_params.sink_losses = self._collect_losses(cb_params.net_outputs)

    def _collect_losses(self, outputs: Any) -> np.ndarray:
        """Return the losses of the epoch so far, including the loss of ``outputs``.

        In PYNATIVE_MODE that loss is also appended to the feed's list.
        """
        if self._is_graph_mode:  # the device stores the losses of a sink
            return device.current().losses
        loss = outputs[0] if isinstance(outputs, tuple | list) and outputs else outputs
        if isinstance(loss, Tensor) and loss.dtype.kind == "f":
            self._losses.append(float(np.mean(loss.asnumpy())))
        return np.array(self._losses)

    def close(self) -> None:
        """Close the queue and end the sender thread, if sending has begun."""
        if self._iterator is not None:
            self._iterator.transfer.release()


def make_feed(
    training_args: TrainingArguments,
    sink_mode: bool,
    steps: range,
    ledger: BatchLedger | None,
    seed: Seed,
) -> HostFeed | SinkFeed | IteratorFeed:
    """Make the feed of a training for ``steps``, numbered over all passes.

    A SinkFeed sends the data through a device queue, a HostFeed passes each batch as arguments; an
    iterable that is not a Dataset gets an IteratorFeed.
    """
    dataset, size, first_step = training_args.dataset, training_args.size, steps.start
    if sink_mode:
        check_has_queue("Model.train", dataset)
        return SinkFeed(
            dataset, size, training_args.sink_size, len(steps), first_step, ledger, seed=seed
        )
    if not isinstance(dataset, Dataset):
        return IteratorFeed(dataset, len(training_args.epochs))
    return HostFeed(dataset, size, len(steps), first_step, ledger, seed)


def can_sink() -> bool:
    """Whether the context's device accepts data through a queue."""
    return device.current().sinks
