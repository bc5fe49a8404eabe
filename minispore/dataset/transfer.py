"""TransferDataset: the device end of a dataset, a named queue that a sender thread fills."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from minispore import context, device
from minispore.dataset.iterator import DeviceIterator
from minispore.dataset.pipeline.node import Node
from minispore.dataset.pipeline.random import Seed
from minispore.dataset.properties import hide_meta_columns
from minispore.device import channel as channels
from minispore.device.channel import Batch, Channel, Lease
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec


@dataclass(frozen=True)
class BatchRange:
    """A range of batches of a pipeline run, numbered over all passes.

    >>> BatchRange.from_steps(dataset_size=4, first_step=6, steps=5)
    BatchRange(first_pass=1, skip=2, passes=2, batches=5)
    """

    first_pass: int = 0
    skip: int = 0  # batches of the first pass before the range
    passes: int = -1  # -1: no end
    batches: int | None = None  # None: all batches of the passes
    seed: Seed | None = field(default=None, repr=False)  # None: the seed of ds.config

    @staticmethod
    def from_steps(
        dataset_size: int,
        first_step: int,
        steps: int,
        endless: bool = False,
        seed: Seed | None = None,
    ) -> BatchRange:
        """Return the range of ``steps`` batches from number ``first_step`` on.

        An endless dataset is one pass; a dataset of unknown size (-1) is repeated as often as
        needed.
        """
        if dataset_size < 0:
            return BatchRange(0, first_step, -1, steps, seed)
        if endless or not dataset_size:
            return BatchRange(0, first_step, 1, steps, seed)
        first_pass, skip = divmod(first_step, dataset_size)
        return BatchRange(first_pass, skip, math.ceil((skip + steps) / dataset_size), steps, seed)

    @staticmethod
    def from_passes(dataset: Any, passes: int = -1, first_step: int | None = None) -> BatchRange:
        """Return the range of passes from ``first_step`` on, by default the dataset's init step."""
        step = dataset.get_init_step() if first_step is None else first_step
        first_pass, skip = divmod(step, dataset.get_dataset_size()) if step else (0, 0)
        return BatchRange(first_pass, skip, passes)

    def make_iterator(self, node: Node, with_rows: bool = False) -> DeviceIterator:
        """Make a device iterator over just these batches of a dataset's ``node``."""
        return DeviceIterator(
            node,
            self.passes,
            self.batches,
            first_pass=self.first_pass,
            first_batch=self.skip,
            with_rows=with_rows,
            seed=self.seed,
        )


class TransferDataset:
    """The device end of a dataset; ``dataset.__transfer_dataset__``, as in MindSpore.

    Args:
        dataset: the dataset whose batches go through the queue.
        queue_name: the name that GetNext reads from; a new name is made if it is empty.
    """

    def __init__(self, dataset: Any, queue_name: str = "") -> None:
        self.queue_name = queue_name or secrets.token_hex(16)
        self.dataset = dataset
        self.network: Any = None  # the network that this queue feeds
        self.wrapper: Any = None  # that network, fed by GetNext
        self._channel: Channel | None = None
        self._specs: tuple[Spec, ...] | None = None

    def get_col_names(self) -> list[str]:
        """Return the names of the dataset's columns."""
        return list(hide_meta_columns(self.dataset.node).columns)

    def send(self, num_epochs: int = -1) -> Lease | None:
        """Restart the pipeline and send ``num_epochs`` passes of it; -1 for no limit.

        As in MindSpore, it does nothing on a device without a queue.
        """
        if not device.current().sinks:
            return None
        return self.start(BatchRange.from_passes(self.dataset, num_epochs))

    def start(self, batch_range: BatchRange, with_rows: bool = False) -> Lease:
        """Restart the pipeline and send a range of its batches.

        Returns:
            A lease; when its last reference is dropped, the queue is closed.
        """
        self.release()
        # The sender references only the node: the dataset references the network that it feeds and
        # so the lease, and a channel whose sender referenced the lease would never close.
        node = self.dataset.node
        source: DeviceIterator | None = None

        def produce_batches() -> Iterator[Batch]:
            """Yield the batches of the range for the queue; close their iterator at the end."""
            nonlocal source
            source = batch_range.make_iterator(node, with_rows)
            try:
                for batch in source:
                    yield Batch(batch.columns, batch)
            finally:
                source.close()

        def measure_seconds() -> dict[str, float]:
            """Return the seconds that each operation has taken so far."""
            return {} if source is None else _compute_node_seconds(source.statistics())

        def close_source() -> None:
            """Stop the pipeline, if it runs."""
            if source is not None:
                source.close()

        try:
            self._channel = device.current().open_channel(
                self.queue_name,
                produce_batches,
                columns=self.get_col_names(),
                profile=measure_seconds,
                interrupt=close_source,
            )
            return Lease(self._channel)
        except BaseException:  # Ctrl-C: the channel has no lease yet and would stay open
            open_channel = channels.find_channel(self.queue_name)
            if open_channel is not None:
                open_channel.close()
            raise

    @property
    def channel(self) -> Channel:
        """The channel that is open now.

        Raises:
            RuntimeError: nothing is being sent.
        """
        if self._channel is None or self._channel.is_closed:
            raise RuntimeError(
                f"TransferDataset: queue {self.queue_name} is closed. Make a new DatasetHelper."
            )
        return self._channel

    def specs(self) -> tuple[Spec, ...]:
        """Return shapes and dtypes of the first batch; waits for the batch if needed."""
        if self._specs is None:
            self._specs = self.channel.peek(context.current().op_timeout)
        return self._specs

    def stop_send(self) -> None:
        """Stop sending. The batches in the queue are dropped."""
        self.release()

    def continue_send(self) -> None:
        """Do nothing: the sender continues by itself as long as the queue is not full."""

    def release(self) -> None:
        """Close the queue and end the sender thread."""
        if self._channel is not None:
            self._channel.close()

    def get_data_info(self) -> tuple[list[mstype.DType], list[list[int]]]:
        """Return types and shapes of the batch that GetNext returns next; waits for it."""
        return types_and_shapes(self.channel.peek(context.current().op_timeout))

    def get_mbuf_queue_size(self) -> int:
        """Return the number of batches in the queue."""
        return len(self.channel)

    def get_send_info(self) -> list[Any]:
        """Return the numbers of batches produced, sent and received, and the seconds spent."""
        history = self.channel.history
        counts = [history.produced, history.sent, history.consumed_count]
        return [*counts, list(history.pipeline_s)]


def types_and_shapes(specs: tuple[Spec, ...]) -> tuple[list[mstype.DType], list[list[int]]]:
    """Return the specs as MindSpore's two lists, types and shapes."""
    return [mstype.from_numpy(s.dtype) for s in specs], [list(s.shape) for s in specs]


def _compute_node_seconds(statistics: Any) -> dict[str, float]:
    """Return the seconds of each operation, per worker."""
    return {n.name: n.self_ns / n.workers / 1e9 for n in statistics.nodes}


@dataclass(eq=False)
class DatasetUse:
    """The queues of one dataset and the model that trains with it.

    Each dataset has one such record.
    """

    transfer: TransferDataset | None = None  # the queue to the device, once there is one
    evaluation: TransferDataset | None = None  # a second queue: it may serve training as well
    owner: object = None  # identity of the Model that trains with it

    def get_transfer(self, dataset: Any) -> TransferDataset:
        """Return the queue to the device, made at the first call."""
        if self.transfer is None:
            self.transfer = TransferDataset(dataset)
        return self.transfer

    def get_evaluation_transfer(self, dataset: Any, network: Any) -> TransferDataset:
        """Return the queue for evaluations by ``network``, which is compiled once for it."""
        if self.evaluation is None or self.evaluation.network not in (None, network):
            self.evaluation = TransferDataset(dataset)
        return self.evaluation


__all__ = ["BatchRange", "DatasetUse", "TransferDataset", "channels", "types_and_shapes"]
