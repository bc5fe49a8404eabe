"""Feeds: where the loop gets the data of its turns from.

A *turn* is one call of the network: one step, or in GRAPH_MODE with data sink the whole sink. Feeds
know how many steps a turn has and where in the data an epoch begins; the loop does not.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from minispore import context, device
from minispore.core.tensor import Tensor
from minispore.dataset.pipeline.random import Seed
from minispore.dataset.transfer import Stretch, TransferDataset
from minispore.device import faults
from minispore.device.channel import JOIN_S
from minispore.errors import warn
from minispore.nn.cell import Cell
from minispore.train.arguments import Training
from minispore.train.callback.base import InternalCallbackParam
from minispore.train.dataset_helper import DatasetHelper, SinkIterator, connected, sink_iterator
from minispore.train.ledger import BatchLedger

Element = Any  # what a network is called with


class HostFeed:
    """Batches as arguments, one a turn.

    Args:
        dataset: the dataset.
        size: its batches per pass.
        steps: how many batches.
        first_step: the number of the first, over all passes: under a seed, a resumed training sees
            what an unbroken one would have seen.
        ledger: wants to know each batch.
        seed: of the data; as ``ds.config`` says, if None.
    """

    steps_per_turn = 1
    stops_midway = True  # a requested stop ends the epoch at once

    def __init__(
        self,
        dataset: Any,
        size: int,
        steps: int,
        first_step: int = 0,
        ledger: BatchLedger | None = None,
        seed: Seed | None = None,
    ) -> None:
        endless = dataset.get_repeat_count() == -1
        self._stretch = Stretch.of_steps(size, first_step, steps, endless, seed)
        self.ended_early = False  # whether a pass was shorter than its size says
        self._size = size
        self._dataset, self._ledger = dataset, ledger
        self._source: Any = None
        self._batches: Iterator[Any] = iter(())
        self._held: list[Any] = []  # a batch that turned out to be of the next pass
        self._number = 0

    def connect(self, network: Cell, params: InternalCallbackParam) -> Cell:
        """The network as it is: the pipeline starts with the first turn."""
        return network

    def turns(self, done: int = 0, losses: Sequence[float] = ()) -> Iterator[Element]:
        """The batches of one pass, as lists of Tensors, but for the first ``done``."""
        if self._source is None:
            self._source = self._stretch.over(self._dataset.node, self._ledger is not None)
            self._batches = self._source
        number_of_pass = self._stretch.first_pass if done else None
        for taken in range(done, self._size):
            batch = self._next()
            if batch is None:
                self._say_short(taken)
                return
            if number_of_pass is None:
                number_of_pass = batch.pass_number
            elif batch.pass_number != number_of_pass:
                self._held.append(batch)
                self._say_short(taken)
                return
            if self._ledger is not None:
                self._ledger.note(batch)
            yield [tensor_of(c) for c in batch.columns]
        self._source.finish()

    def note(self, params: InternalCallbackParam) -> None:
        """Nothing: the outputs of a turn say it all."""

    def _next(self) -> Any:
        if self._held:
            return self._held.pop()
        self._number += 1
        if faults.injected and not faults.before_batch(self._number):
            return None
        return next(self._batches, None)

    def _say_short(self, taken: int) -> None:
        self.ended_early = True
        warn(
            f"Model.train: a pass over the dataset ended after {taken} batches, its size was said "
            f"to be {self._size}. Step numbers go by the size.",
        )

    def close(self) -> None:
        """End the pipeline and its threads; one inside slow user code is not waited for."""
        if self._source is None:
            return
        closer = threading.Thread(target=self._source.close, name="minispore-close", daemon=True)
        closer.start()
        closer.join(JOIN_S)


def tensor_of(column: Any) -> Any:
    """A column as a network takes it: a Tensor over the same memory, or a dict of them; texts stay
    an array, as iterators give them.
    """
    if isinstance(column, dict):
        return {key: tensor_of(value) for key, value in column.items()}
    array = np.asarray(column)
    return array if array.dtype.kind in "US" else Tensor.from_numpy(array)


class SinkFeed:
    """Turns without arguments: the data comes through the device's queue.

    Args:
        dataset: the dataset.
        size: its batches per pass.
        sink_size: steps of an epoch.
        steps: how many batches in all.
        first_step: the number of the first, over all passes.
        ledger: wants to know each batch.
        transfer: a queue of its own instead of the one that hangs on the dataset.
        each_step: one turn a step in GRAPH_MODE too (evaluation).
        seed: of the data; as ``ds.config`` says, if None.
    """

    stops_midway = False
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
        each_step: bool = False,
        seed: Seed | None = None,
    ) -> None:
        self._ledger = ledger
        endless = dataset.get_repeat_count() == -1
        self._stretch = Stretch.of_steps(size, first_step, steps, endless, seed)
        self._turns = sink_size if each_step else 1
        self._dataset, self._transfer = dataset, transfer
        self._steps = 1 if each_step else sink_size
        self._whole = context.current().mode == context.GRAPH_MODE and not each_step
        self.steps_per_turn = self._steps if context.current().mode == context.GRAPH_MODE else 1
        self._iterator: SinkIterator | None = None
        self._network: Any = None
        self._losses: list[float] = []

    def connect(self, network: Cell, params: InternalCallbackParam) -> Cell:
        """Start to send, and put the network behind the queue."""
        iterator = sink_iterator(self._dataset, self._steps, self._transfer)
        iterator.begin(self._stretch, self._ledger is not None)
        self._iterator = iterator
        if self._ledger is not None:
            iterator.transfer.channel.on_origin = self._ledger.note
        self._network = behind = connected(network, iterator)
        if params.mode == "eval":
            params.eval_network = behind
        else:
            params.train_network = behind
            params.dataset_helper = DatasetHelper.over(iterator)
        return behind

    def turns(self, done: int = 0, losses: Sequence[float] = ()) -> Iterator[Element]:
        """As many ``()`` as an epoch has turns, after ``done`` steps of it."""
        assert self._iterator is not None
        self._losses = [*losses]
        left = self._steps - done
        if not self._whole:
            for _ in range(self._turns):
                yield from itertools.islice(self._iterator, done, None)
        elif left:
            self.steps_per_turn = left
            if done:
                self._network.sink.loop = left
            yield from self._iterator
            if done:
                self._network.sink.loop = self._steps

    def note(self, params: InternalCallbackParam) -> None:
        """How many steps the turn had, and the loss of each step of the epoch so far."""
        params.sink_steps = self.steps_per_turn
        params.sink_losses = self._losses_of(params.net_outputs)

    def _losses_of(self, outputs: Any) -> np.ndarray:
        if context.current().mode == context.GRAPH_MODE:  # they stand in the device's ring
            return device.current().losses
        first = outputs[0] if isinstance(outputs, tuple | list) and outputs else outputs
        if isinstance(first, Tensor) and first.dtype.kind == "f":
            self._losses.append(float(np.mean(first.asnumpy())))
        return np.array(self._losses)

    def close(self) -> None:
        """Close the queue and end the sender thread."""
        if self._iterator is not None:
            self._iterator.transfer.release()


def feed_of(
    given: Training, sink: bool, steps: range, ledger: BatchLedger | None, seed: Seed
) -> HostFeed | SinkFeed:
    """The feed of a training for some steps, numbered over all passes."""
    data, size, first = given.dataset, given.size, steps.start
    if sink:
        return SinkFeed(data, size, given.sink_size, len(steps), first, ledger, seed=seed)
    return HostFeed(data, size, len(steps), first, ledger, seed)


def can_sink() -> bool:
    """Whether the device of the context takes data through a queue."""
    return device.current().sinks
