"""DatasetHelper and connect_network_with_dataset: where datasets and networks meet."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import numpy as np

from minispore import context, device
from minispore.core import dtype as mstype
from minispore.core.staged import Looped
from minispore.core.tensor import Tensor
from minispore.core.value import Spec
from minispore.dataset.transfer import Stretch, TransferDataset, types_and_shapes
from minispore.device.channel import Lease
from minispore.foundation import checks
from minispore.nn.cell import Cell
from minispore.ops.control.effects import GetNext
from minispore.train.arguments import a_dataset, init_step_of, sink_size_of

T = TypeVar("T")


class DatasetHelper:
    """Iterates over what a training step is called with, with or without data sink.

    Without sink, each ``for`` over the helper is one pass over the dataset and gives lists of
    Tensors. With sink the data goes to the device on its own way, so each turn gives ``()``: one
    turn for all ``sink_size`` steps in GRAPH_MODE, one for each step in PYNATIVE_MODE.

    Args:
        dataset: the dataset.
        dataset_sink_mode: whether the data goes through the device's queue.
        sink_size: steps of one ``for`` over the helper; -1 for the dataset's size.
        epoch_num: how many passes over the dataset are sent, or can be iterated.

    Raises:
        TypeError: ``dataset_sink_mode`` is no bool, or ``sink_size`` no int.
        ValueError: ``sink_size`` is 0 or less than -1.
        RuntimeError: sink mode on CPU.

    Example:
        >>> import numpy as np
        >>> import minispore as ms
        >>> data = ms.dataset.NumpySlicesDataset({"x": np.arange(4)}, shuffle=False).batch(2)
        >>> [x.asnumpy().tolist() for (x,) in ms.DatasetHelper(data, dataset_sink_mode=False)]
        [[0, 1], [2, 3]]
    """

    def __init__(
        self,
        dataset: Any,
        dataset_sink_mode: bool = True,
        sink_size: int = -1,
        epoch_num: int = 1,
    ) -> None:
        who = "DatasetHelper"
        checks.boolean(who, "dataset_sink_mode", dataset_sink_mode)
        sink_size_of(who, sink_size)
        a_dataset(who, "dataset", dataset)
        size = dataset.get_dataset_size() if sink_size == -1 else sink_size
        self.iter: Any
        if not dataset_sink_mode:
            self.iter = NormalIterator(dataset, epoch_num)
            return
        self.iter = sink_iterator(dataset, size)
        passes = checks.integer(who, "epoch_num", epoch_num)
        self.iter.begin(Stretch.of_passes(dataset, passes, init_step_of(who, dataset, size)))

    @classmethod
    def over(cls, iterator: SinkIterator) -> DatasetHelper:
        """A helper for an iterator that is there already."""
        made = cls.__new__(cls)
        made.iter = iterator
        return made

    def __iter__(self) -> Any:
        return iter(self.iter)

    def sink_size(self) -> int:
        """How many steps a ``for`` over the helper makes the device run."""
        return self.iter.get_sink_size()

    def types_shapes(self) -> tuple[list[mstype.DType], list[list[int]]]:
        """Types and shapes of the first batch."""
        return self.iter.types_shapes()

    def stop_send(self) -> None:
        """Stop sending data to the device."""
        self.iter.transfer.stop_send()

    def continue_send(self) -> None:
        """Send on; here the sender never pauses but for room in the queue."""
        self.iter.transfer.continue_send()

    def release(self) -> None:
        """Close the queue and end its thread."""
        self.iter.transfer.release()

    def get_data_info(self) -> tuple[list[mstype.DType], list[list[int]]]:
        """Types and shapes of the batch that comes next."""
        return self.iter.transfer.get_data_info()

    def get_mbuf_queue_size(self) -> int:
        """How many batches wait in the device's queue."""
        return self.iter.transfer.get_mbuf_queue_size()

    def get_send_info(self, run_context: Any = None) -> list[Any]:
        """What was produced, sent and taken so far."""
        return self.iter.transfer.get_send_info()

    def dynamic_min_max_shapes(self) -> tuple[list[list[int]], list[list[int]]]:
        """The least and the largest shape of each column; a pipeline here has one."""
        shapes = self.types_shapes()[1]
        return shapes, shapes


class NormalIterator:
    """Batches as lists of Tensors; each ``for`` is one pass."""

    def __init__(self, dataset: Any, epoch_num: int = -1) -> None:
        self.dataset = dataset
        self.iter = dataset.create_tuple_iterator(num_epochs=epoch_num)

    def __iter__(self) -> Any:
        return iter(self.iter)


class SinkIterator:
    """Turns of a training whose data comes from the device's queue."""

    def __init__(self, dataset: Any, sink_size: int, transfer: TransferDataset) -> None:
        self.dataset = dataset
        self.steps = sink_size
        self.transfer = transfer
        self.sink_count = self._sink_count()
        self.lease: Lease | None = None

    def begin(self, stretch: Stretch, with_rows: bool = False) -> None:
        """Start to send; a former run of this dataset ends."""
        self.lease = self.transfer.start(stretch, with_rows)

    def __iter__(self) -> Iterator[tuple[()]]:
        for _ in range(self.sink_count):
            yield ()

    def _sink_count(self) -> int:
        raise TypeError(f"{type(self).__name__}: must say how many turns a sink has.")

    def get_sink_size(self) -> int:
        """Steps of one ``for``."""
        return self.dataset.__loop_size__ or self.steps

    def types_shapes(self) -> tuple[list[mstype.DType], list[list[int]]]:
        """Types and shapes of the first batch."""
        return types_and_shapes(self.transfer.specs())


class LoopSinkIterator(SinkIterator):
    """GRAPH_MODE: one turn, in which the device runs all steps."""

    def _sink_count(self) -> int:
        loop = self.dataset.__loop_size__
        if loop is None:
            return 1
        size = self.dataset.get_dataset_size()
        if loop <= size and size % loop:
            raise ValueError(
                f"DatasetHelper: __loop_size__ must divide the dataset size {size}, got {loop}."
            )
        return math.ceil(size / loop)


class StepSinkIterator(SinkIterator):
    """PYNATIVE_MODE: one turn for each step."""

    def _sink_count(self) -> int:
        return self.steps


def sink_iterator(
    dataset: Any, sink_size: int, transfer: TransferDataset | None = None
) -> SinkIterator:
    """The iterator for sink mode in the context as it is; nothing is sent yet.

    Raises:
        RuntimeError: the device has no queue.
    """
    record = context.current()
    graph = record.mode == context.GRAPH_MODE
    if not device.current().sinks and graph:
        raise RuntimeError(
            f"DatasetHelper: dataset sink mode is not supported on {record.device_target}. Set "
            "dataset_sink_mode=False, or device_target to 'Ascend' or 'GPU'."
        )
    kind = LoopSinkIterator if graph else StepSinkIterator
    return kind(dataset, sink_size, transfer or dataset.use.attach(dataset))


# -- a network that takes its inputs from a queue --------------------------------------------------


class Sink:
    """How a network behind a queue runs. No graph depends on it, so none is traced anew for it.

    Attributes:
        loop: steps of a call in GRAPH_MODE.
        lease: of the channel, which closes with its last holder.
    """

    def __init__(self, loop: int) -> None:
        self.loop = loop
        self.lease: Lease | None = None


class SinkNetwork(Cell, Looped):
    """``network(*GetNext()())``: a network that takes its inputs from a device queue.

    Called in GRAPH_MODE, the device runs ``loop`` steps and returns the last outputs; in
    PYNATIVE_MODE a call is one step.

    Args:
        network: the network.
        queue_name: the queue.
        specs: shape and dtype of the columns.
        loop: steps of a call in GRAPH_MODE.
    """

    def __init__(self, network: Cell, queue_name: str, specs: tuple[Spec, ...], loop: int) -> None:
        super().__init__(auto_prefix=False, flags=network.get_flags())
        types, shapes = types_and_shapes(specs)
        self.add_flags(sink_mode=True)
        self.get_next = GetNext(types, shapes, len(types), queue_name)
        self.network = network
        self.sink = Sink(loop)

    @property
    def loop(self) -> int:
        return self.sink.loop

    @property
    def recent(self) -> SinkNetwork:
        """The network of the newest call: this one."""
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with device.current().interaction():
            return super().__call__()

    def construct(self) -> Any:
        return self.network(*self.get_next())


class ByShape(Generic[T]):
    """Something for each shape that batches have: looks at the next batch before it is taken."""

    def __init__(self, transfer: TransferDataset, make: Callable[[tuple[Spec, ...]], T]) -> None:
        self._transfer, self._make = transfer, make
        self._made: dict[tuple[Spec, ...], T] = {}
        self.recent: T | None = None

    def next(self) -> T:
        """What there is for the shape of the next batch."""
        specs = self._transfer.channel.peek(context.current().op_timeout)
        if specs not in self._made:
            self._made[specs] = self._make(specs)
        self.recent = self._made[specs]
        return self.recent


class ShapeFollowingSinkNetwork(SinkNetwork):
    """A SinkNetwork of one step a call: for each shape of a batch it has a graph."""

    def __init__(self, network: Cell, transfer: TransferDataset) -> None:
        queue = transfer.queue_name
        super().__init__(network, queue, transfer.specs(), 1)
        self.by_shape = ByShape(transfer, lambda specs: SinkNetwork(network, queue, specs, 1))

    @property
    def recent(self) -> SinkNetwork:
        return self.by_shape.recent or self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.by_shape.next()()


def connect_network_with_dataset(network: Cell, dataset_helper: DatasetHelper) -> Cell:
    """A network that takes its inputs from the queue of ``dataset_helper``.

    Args:
        network: the network, called with one batch; parameters keep their names.
        dataset_helper: a helper in sink mode.

    Returns:
        A Cell without inputs; the same one for the same network and dataset.

    Raises:
        RuntimeError: the helper is not in sink mode.
        ValueError: the dataset feeds another network, or ``network.set_inputs`` says another shape.
        TypeError: ``network.set_inputs`` says another dtype.
    """
    iterator = getattr(dataset_helper, "iter", None)
    if iterator is None:
        raise TypeError(
            "connect_network_with_dataset: dataset_helper must be a DatasetHelper, got "
            f"{type(dataset_helper).__name__}. Make one: DatasetHelper(dataset)."
        )
    if not isinstance(iterator, SinkIterator):
        raise RuntimeError(
            "connect_network_with_dataset: the dataset_helper must be in sink mode, got "
            "dataset_sink_mode=False. Make it with dataset_sink_mode=True."
        )
    return connected(network, iterator)


def connected(network: Cell, iterator: SinkIterator) -> Cell:
    """``network`` behind the queue of ``iterator``; see :func:`connect_network_with_dataset`."""
    transfer = iterator.transfer
    if not device.current().sinks:
        return network
    if transfer.network is not None and transfer.network is not network:
        raise ValueError(
            "connect_network_with_dataset: the dataset must feed one network, got a second one. "
            "Make another dataset for it."
        )
    specs = transfer.specs()
    _check_inputs(network, specs)
    graph = context.current().mode == context.GRAPH_MODE
    steps = iterator.get_sink_size()
    one_by_one = steps == 1 and iterator.dataset.get_dataset_size() != 1
    follows = graph and one_by_one
    kind = ShapeFollowingSinkNetwork if follows else SinkNetwork
    transfer.network = network
    if type(transfer.wrapper) is not kind:
        transfer.wrapper = (
            ShapeFollowingSinkNetwork(network, transfer)
            if follows
            else SinkNetwork(network, transfer.queue_name, specs, steps)
        )
    if graph and not follows:
        transfer.channel.required_specs = specs
    transfer.channel.warns_on_shape_change = not graph and not one_by_one
    sink = transfer.wrapper.sink
    sink.loop, sink.lease = steps, iterator.lease
    return transfer.wrapper


def _check_inputs(network: Cell, specs: tuple[Spec, ...]) -> None:
    """Compare what ``network.set_inputs`` said with the columns."""
    declared = network.get_inputs()
    if not declared:
        return
    for i, (want, spec) in enumerate(zip(declared, specs, strict=False), 1):
        if not isinstance(want, Tensor):
            continue
        got = mstype.from_numpy(spec.dtype)
        if want.dtype != got:
            raise TypeError(f"set_inputs: input {i} must be {got} like the data, got {want.dtype}.")
        if len(want.shape) != len(spec.shape):
            raise ValueError(
                f"set_inputs: input {i} must have {len(spec.shape)} axes like the data, got "
                f"{len(want.shape)}."
            )
        if any(w not in (-1, None, s) for w, s in zip(want.shape, spec.shape, strict=True)):
            raise ValueError(
                f"set_inputs: input {i} must have the shape {spec.shape} of the data, got "
                f"{tuple(want.shape)}."
            )


def compile_for(network: Cell, dataset: Any, sink_mode: bool) -> None:
    """Compile ``network`` for the batches of ``dataset`` without running it.

    A later training in the same way finds the graph compiled. In PYNATIVE_MODE there is
    nothing to compile.
    """
    types, shapes = dataset.types_shapes()
    if not sink_mode:
        network.compile(*[Tensor(np.zeros(s, t)) for t, s in zip(types, shapes, strict=True)])
        return
    specs = tuple([Spec(tuple(s), np.dtype(t)) for t, s in zip(types, shapes, strict=True)])
    transfer = dataset.use.attach(dataset)
    transfer.network = network
    transfer.wrapper = SinkNetwork(network, transfer.queue_name, specs, loop=1)  # until it trains
    transfer.wrapper.compile()


__all__ = ["DatasetHelper", "connect_network_with_dataset"]
