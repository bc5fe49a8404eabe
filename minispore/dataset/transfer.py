"""TransferDataset: the device's end of a dataset, a named queue that a sender thread fills."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from minispore import context, device
from minispore.core import dtype as mstype
from minispore.core.value import Spec
from minispore.dataset.iterator import DeviceIterator
from minispore.dataset.pipeline.node import Node
from minispore.dataset.pipeline.random import Seed
from minispore.dataset.questions import visible
from minispore.device import channel as channels
from minispore.device.channel import Batch, Channel, Lease


@dataclass(frozen=True)
class Stretch:
    """Which batches of a pipeline run a consumer wants, by their number over all passes.

    >>> Stretch.of_steps(dataset_size=4, first_step=6, steps=5)
    Stretch(first_pass=1, skip=2, passes=2, batches=5)
    """

    first_pass: int = 0
    skip: int = 0  # batches of the first pass that come before
    passes: int = -1  # -1: no end
    batches: int | None = None  # None: all of the passes
    seed: Seed | None = field(default=None, repr=False)  # None: as ds.config says

    @staticmethod
    def of_steps(
        dataset_size: int,
        first_step: int,
        steps: int,
        endless: bool = False,
        seed: Seed | None = None,
    ) -> Stretch:
        """``steps`` batches from number ``first_step`` on; an endless dataset is one pass, and one
        of unknown size (-1) as many as are needed.
        """
        if dataset_size < 0:
            return Stretch(0, first_step, -1, steps, seed)
        if endless or not dataset_size:
            return Stretch(0, first_step, 1, steps, seed)
        first_pass, skip = divmod(first_step, dataset_size)
        return Stretch(first_pass, skip, math.ceil((skip + steps) / dataset_size), steps, seed)

    @staticmethod
    def of_passes(dataset: Any, passes: int = -1, first_step: int | None = None) -> Stretch:
        """Passes over ``dataset`` from ``first_step`` on: its init step, if that is None."""
        step = dataset.get_init_step() if first_step is None else first_step
        first_pass, skip = divmod(step, dataset.get_dataset_size()) if step else (0, 0)
        return Stretch(first_pass, skip, passes)

    def over(self, node: Node, with_rows: bool = False) -> DeviceIterator:
        """The device iterator of a dataset's ``node`` that gives just these batches."""
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
    """The device's end of a dataset; ``dataset.__transfer_dataset__``, as in MindSpore.

    Args:
        dataset: the dataset whose batches go through the queue.
        queue_name: the name that GetNext asks for; a new one if it is empty.
    """

    def __init__(self, dataset: Any, queue_name: str = "") -> None:
        self.queue_name = queue_name or secrets.token_hex(16)
        self.dataset = dataset
        self.network: Any = None  # that this queue feeds
        self.wrapper: Any = None  # that network, fed by GetNext
        self._channel: Channel | None = None
        self._specs: tuple[Spec, ...] | None = None

    def get_col_names(self) -> list[str]:
        """The names of the dataset's columns."""
        return list(visible(self.dataset.node).columns)

    def send(self, num_epochs: int = -1) -> Lease:
        """Start the pipeline anew and send ``num_epochs`` passes of it; -1 for no end."""
        return self.start(Stretch.of_passes(self.dataset, num_epochs))

    def start(self, stretch: Stretch, with_rows: bool = False) -> Lease:
        """Start the pipeline anew and send a stretch of it.

        Returns:
            A lease; when the last holder drops it, the queue is closed.
        """
        self.release()
        # The sender holds the pipeline alone: the dataset leads to the network that it feeds, so to
        # the lease, and a channel whose sender held that would never close.
        node = self.dataset.node
        source: DeviceIterator | None = None

        def batches() -> Iterator[Batch]:
            nonlocal source
            source = stretch.over(node, with_rows)
            try:
                for batch in source:
                    yield Batch(batch.columns, batch)
            finally:
                source.close()

        def profile() -> dict[str, float]:
            return {} if source is None else _seconds(source.statistics())

        def interrupt() -> None:
            if source is not None:
                source.close()

        try:
            self._channel = device.current().open_channel(
                self.queue_name,
                batches,
                columns=self.get_col_names(),
                profile=profile,
                interrupt=interrupt,
            )
            return Lease(self._channel)
        except BaseException:  # Ctrl-C: nobody holds the channel, which would stay open
            left = channels.find_channel(self.queue_name)
            if left is not None:
                left.close()
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
        """Shape and dtype of the first batch, which is waited for if need be."""
        if self._specs is None:
            self._specs = self.channel.peek(context.current().op_timeout)
        return self._specs

    def stop_send(self) -> None:
        """Stop sending. What is in the queue is dropped."""
        self.release()

    def continue_send(self) -> None:
        """Nothing to do: the sender goes on by itself as long as there is room."""

    def release(self) -> None:
        """Close the queue and end the sender thread."""
        if self._channel is not None:
            self._channel.close()

    def get_data_info(self) -> tuple[list[mstype.DType], list[list[int]]]:
        """Types and shapes of the batch that GetNext gets next."""
        return types_and_shapes(self.channel.peek(context.current().op_timeout))

    def get_mbuf_queue_size(self) -> int:
        """How many batches wait in the queue."""
        return len(self.channel)

    def get_send_info(self) -> list[Any]:
        """What the channel has seen: batches produced, sent and taken, and the seconds of each."""
        evidence = self.channel.history
        return [evidence.produced, evidence.sent, evidence.taken_count, list(evidence.pipeline_s)]


def types_and_shapes(specs: tuple[Spec, ...]) -> tuple[list[mstype.DType], list[list[int]]]:
    """MindSpore's two lists for ``specs``."""
    return [mstype.from_numpy(s.dtype) for s in specs], [list(s.shape) for s in specs]


def _seconds(statistics: Any) -> dict[str, float]:
    return {n.name: n.self_ns / n.workers / 1e9 for n in statistics.nodes}


@dataclass(eq=False)
class Use:
    """What one dataset is used for. Each dataset has one such record."""

    transfer: TransferDataset | None = None  # its queue to the device, once it has one
    evaluation: TransferDataset | None = None  # a second one, so that it can serve both
    owner: object = None  # of the Model that trains with it

    def attach(self, dataset: Any) -> TransferDataset:
        """The queue to the device, made at the first time."""
        if self.transfer is None:
            self.transfer = TransferDataset(dataset)
        return self.transfer

    def for_evaluation(self, dataset: Any, network: Any) -> TransferDataset:
        """The queue for evaluations by ``network``, kept, so that its graph is compiled once."""
        if self.evaluation is None or self.evaluation.network not in (None, network):
            self.evaluation = TransferDataset(dataset)
        return self.evaluation


__all__ = ["Stretch", "TransferDataset", "Use", "channels", "types_and_shapes"]
