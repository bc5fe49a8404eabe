"""DatasetHelper and connect_network_with_dataset: the connection of datasets and networks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import numpy as np

from minispore import context, device
from minispore.core import interpreter
from minispore.core.staged import Looped
from minispore.core.tensor import Tensor
from minispore.dataset.config import get_iterator_mode
from minispore.dataset.transfer import BatchRange, TransferDataset, types_and_shapes
from minispore.device.channel import Lease
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.nn.cell import Cell
from minispore.ops.control.effects import GetNext
from minispore.train.arguments import check_dataset, check_sink_size, compute_init_step

T = TypeVar("T")
_MODE_NAMES: dict[object, str] = {
    context.GRAPH_MODE: "GRAPH_MODE",
    context.PYNATIVE_MODE: "PYNATIVE_MODE",
}


class DatasetHelper:
    """Iterates over the arguments of training steps, with or without data sink.

    Without sink, each ``for`` over the helper is one pass over the dataset and yields lists of
    Tensors. With sink the device reads the data from its queue, so each iteration yields ``()``:
    once for all ``sink_size`` steps in GRAPH_MODE, once per step in PYNATIVE_MODE.

    Args:
        dataset: the dataset.
        dataset_sink_mode: whether the data goes through the device's queue.
        sink_size: steps per ``for`` loop over the helper; -1 for the dataset's size.
        epoch_num: the number of passes over the dataset that are sent or can be iterated.

    Raises:
        TypeError: ``dataset_sink_mode`` is not a bool, or ``sink_size`` is not an int.
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
        api_name = "DatasetHelper"
        checks.boolean(api_name, "dataset_sink_mode", dataset_sink_mode)
        check_sink_size(api_name, sink_size)
        check_dataset(api_name, "dataset", dataset)
        size = dataset.get_dataset_size() if sink_size == -1 else sink_size
        self.iter: Any
        if not dataset_sink_mode:
            self.iter = NormalIterator(dataset, epoch_num)
            return
        self.iter = make_sink_iterator(dataset, size)
        passes = checks.integer(api_name, "epoch_num", epoch_num)
        self.iter.start_sending(
            BatchRange.from_passes(dataset, passes, compute_init_step(api_name, dataset, size))
        )

    @classmethod
    def from_iterator(cls, iterator: SinkIterator) -> DatasetHelper:
        """Make a helper for an existing iterator."""
        helper = cls.__new__(cls)
        helper.iter = iterator
        return helper

    def __iter__(self) -> Any:
        """Iterate over the batches, or in sink mode over empty tuples, one per call."""
        return iter(self.iter)

    def sink_size(self) -> int:
        """Return the number of steps of one sink."""
        return self.iter.get_sink_size()

    def types_shapes(self) -> tuple[list[mstype.DType], list[list[int]]]:
        """Return the types and shapes of the first batch."""
        return self.iter.types_shapes()

    def stop_send(self) -> None:
        """Stop sending data to the device; the queued batches are dropped."""
        self.iter.transfer.stop_send()

    def continue_send(self) -> None:
        """Accepted for compatibility: the sender pauses only while the queue is full."""
        self.iter.transfer.continue_send()

    def release(self) -> None:
        """Close the queue and end its thread."""
        self.iter.transfer.release()

    def get_data_info(self) -> tuple[list[mstype.DType], list[list[int]]]:
        """Return the types and shapes of the next batch, which stays in the queue; only with data
        sink.
        """
        return self.iter.transfer.get_data_info()

    def get_mbuf_queue_size(self) -> int:
        """Return the number of batches that wait in the device's queue; only with data sink."""
        return self.iter.transfer.get_mbuf_queue_size()

    def get_send_info(self, run_context: Any = None) -> list[Any]:
        """Return the numbers of batches produced, sent and consumed so far, and a list of seconds.

        These are the seconds that the pipeline took to make each of the last batches.
        """
        return self.iter.transfer.get_send_info()

    def dynamic_min_max_shapes(self) -> tuple[list[list[int]], list[list[int]]]:
        """Return the smallest and the largest shape of each column, which are equal in
        minispore.
        """
        shapes = self.types_shapes()[1]
        return shapes, shapes


class NormalIterator:
    """An iterator over batches as lists of Tensors, copied as ``ds.config.set_iterator_mode`` says
    when it is made; each ``for`` is one pass.
    """

    def __init__(self, dataset: Any, epoch_num: int = -1) -> None:
        self.dataset = dataset
        self.iter = dataset.create_tuple_iterator(
            num_epochs=epoch_num, do_copy=get_iterator_mode()["do_copy"]
        )

    def __iter__(self) -> Any:
        """Iterate over the batches of a pass."""
        return iter(self.iter)


class SinkSettings:
    """The settings under which a sink began; its queue and the steps per call depend on them."""

    _NAMES = ("mode", "device_target", "device_id")

    def __init__(self) -> None:
        self._initial_context = context.current()

    @property
    def mode(self) -> int:
        """The execution mode (GRAPH_MODE or PYNATIVE_MODE) in which the data sink began."""
        return self._initial_context.mode

    def check_unchanged(self) -> None:
        """Check that the settings have not changed since the sink began.

        Raises:
            RuntimeError: a callback or another thread has changed a setting.
        """
        current_context = context.current()
        if current_context is self._initial_context:
            return
        for name in self._NAMES:
            initial, value = getattr(self._initial_context, name), getattr(current_context, name)
            if initial != value:
                if name == "mode":
                    initial, value = _MODE_NAMES[initial], _MODE_NAMES[value]
                raise RuntimeError(
                    f"set_context: {name} must stay {initial} until the data sink ends, got "
                    f"{value}. Change it before or after the training, evaluation, DatasetHelper "
                    "or data_sink."
                )


class SinkIterator:
    """An iterator of ``()``, one for each call to a network that reads a device queue."""

    def __init__(
        self,
        dataset: Any,
        sink_size: int,
        transfer: TransferDataset,
        settings: SinkSettings | None = None,
    ) -> None:
        self.dataset = dataset
        self.steps_per_sink = sink_size
        self.transfer = transfer
        self.settings = settings or SinkSettings()
        self.sink_count = self._count_calls()
        self.lease: Lease | None = None

    def start_sending(self, batch_range: BatchRange, with_rows: bool = False) -> None:
        """Start to send the batches, and hold the channel; end a previous run of this dataset.

        ``with_rows`` adds the ids of the source rows to each batch, for a BatchLedger.
        """
        self.lease = self.transfer.start(batch_range, with_rows)

    def __iter__(self) -> Iterator[tuple[()]]:
        """Yield ``()`` for each call; raises RuntimeError if the settings have changed since the
        start.
        """
        for _ in range(self.sink_count):
            self.settings.check_unchanged()
            yield ()

    def _count_calls(self) -> int:
        """Return the number of network calls per ``for`` loop; subclasses must override it."""
        raise TypeError(f"{type(self).__name__}: must say how many turns a sink has.")

    def get_sink_size(self) -> int:
        """Return the number of steps of one sink: ``__loop_size__`` if it is set."""
        return self.dataset.__loop_size__ or self.steps_per_sink

    def types_shapes(self) -> tuple[list[mstype.DType], list[list[int]]]:
        """Return the types and shapes of the first batch."""
        return types_and_shapes(self.transfer.specs())


class LoopSinkIterator(SinkIterator):
    """The iterator for GRAPH_MODE: in one call the device runs all steps of a sink."""

    def _count_calls(self) -> int:
        """Return 1, or with ``__loop_size__`` the number of loops that cover the dataset.

        Raises:
            ValueError: ``__loop_size__`` does not divide the dataset size.
        """
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
    """The iterator for PYNATIVE_MODE: one call per step."""

    def _count_calls(self) -> int:
        """Return the number of steps of a sink."""
        return self.steps_per_sink


def make_sink_iterator(
    dataset: Any,
    sink_size: int,
    transfer: TransferDataset | None = None,
    settings: SinkSettings | None = None,
) -> SinkIterator:
    """Make the iterator for sink mode in the current context; nothing is sent yet.

    In GRAPH_MODE it is a LoopSinkIterator, otherwise a StepSinkIterator.

    Raises:
        RuntimeError: the mode is GRAPH_MODE on a device without queue, or the context differs from
            ``settings``.
    """
    settings = settings or SinkSettings()
    settings.check_unchanged()
    is_graph_mode = settings.mode == context.GRAPH_MODE
    if not device.current().sinks and is_graph_mode:
        raise RuntimeError(
            "DatasetHelper: dataset sink mode is not supported on "
            f"{context.current().device_target}. Set "
            "dataset_sink_mode=False, or device_target to 'Ascend' or 'GPU'."
        )
    iterator_class = LoopSinkIterator if is_graph_mode else StepSinkIterator
    transfer = transfer or dataset.use.get_transfer(dataset)
    return iterator_class(dataset, sink_size, transfer, settings)


# -- a network that takes its inputs from a queue --------------------------------------------------


class Sink:
    """The loop length and queue of a SinkNetwork; graphs stay valid when they change.

    Attributes:
        loop: steps of a call in GRAPH_MODE.
        lease: a hold on the channel, which closes when its last lease is released.
        settings: the settings when sending began; None before.
    """

    def __init__(self, loop: int) -> None:
        self.loop = loop
        self.settings: SinkSettings | None = None
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
        """The number of steps per call in GRAPH_MODE."""
        return self.sink.loop

    @property
    def active_network(self) -> SinkNetwork:
        """The network that ran last, always this one; ModelCheckpoint saves its graph."""
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run one call on batches of the queue, in the mode in which sending began."""
        settings = self.sink.settings
        if settings is not None:
            settings.check_unchanged()
        with device.current().interaction():
            if settings is None or interpreter.tracing():
                return super().__call__()
            # Use the mode at the start: another thread may change the context at any time, and a
            # call in a different mode would take a different number of steps.
            if compiler := interpreter.find_stage_compiler(settings.mode):
                return compiler.call(self, (), {})
            return self._call_and_track_((), {})

    def construct(self) -> Any:
        """Run the network on the next batch of the queue."""
        return self.network(*self.get_next())


class ShapeCache(Generic[T]):
    """A cache of one object per batch shape, looked up before the batch is consumed."""

    def __init__(self, transfer: TransferDataset, make: Callable[[tuple[Spec, ...]], T]) -> None:
        self._transfer, self._make_entry = transfer, make
        self._entries: dict[tuple[Spec, ...], T] = {}
        self.last_used: T | None = None

    def get_for_next_batch(self) -> T:
        """Return the object for the shape of the next batch, creating it if needed.

        Waits for the batch, which stays in the queue; also sets ``last_used``.
        """
        specs = self._transfer.channel.peek(context.current().op_timeout)
        if specs not in self._entries:
            self._entries[specs] = self._make_entry(specs)
        self.last_used = self._entries[specs]
        return self.last_used


class ShapeFollowingSinkNetwork(SinkNetwork):
    """A SinkNetwork with one step per call and one graph per batch shape."""

    def __init__(self, network: Cell, transfer: TransferDataset) -> None:
        queue = transfer.queue_name
        super().__init__(network, queue, transfer.specs(), 1)
        sink = self.sink

        def make_network(specs: tuple[Spec, ...]) -> SinkNetwork:
            """Return a network for this shape that shares the loop and queue."""
            sink_network = SinkNetwork(network, queue, specs, 1)
            sink_network.sink = sink
            return sink_network

        self.shape_cache = ShapeCache(transfer, make_network)

    @property
    def active_network(self) -> SinkNetwork:
        """The network for the last batch's shape; this object before the first batch."""
        return self.shape_cache.last_used or self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run one step by the network for the shape of the next batch."""
        return self.shape_cache.get_for_next_batch()()


def connect_network_with_dataset(network: Cell, dataset_helper: DatasetHelper) -> Cell:
    """Return a network that takes its inputs from the queue of ``dataset_helper``.

    Args:
        network: the network, called with one batch; parameters keep their names.
        dataset_helper: a helper in sink mode.

    Returns:
        A Cell without inputs; the same one for the same network and dataset.

    Raises:
        RuntimeError: the helper is not in sink mode.
        ValueError: the dataset feeds another network, or a shape differs from
            ``network.set_inputs``.
        TypeError: ``dataset_helper`` is not a DatasetHelper, or a dtype differs from
            ``network.set_inputs``.
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
    return connect_to_queue(network, iterator)


def connect_to_queue(network: Cell, iterator: SinkIterator) -> Cell:
    """Return ``network`` connected to the queue of ``iterator``; unchanged on a device without a
    queue.

    The dataset's queue keeps the connected Cell for later calls with the same network. In
    GRAPH_MODE with several steps per call, the queue then refuses batches of other shapes. See
    :func:`connect_network_with_dataset`, also for the exceptions.
    """
    transfer = iterator.transfer
    if not device.current().sinks:
        return network
    iterator.settings.check_unchanged()
    if transfer.network is not None and transfer.network is not network:
        raise ValueError(
            "connect_network_with_dataset: the dataset must feed one network, got a second one. "
            "Make another dataset for it."
        )
    specs = transfer.specs()
    _check_declared_inputs(network, specs)
    is_graph_mode = iterator.settings.mode == context.GRAPH_MODE
    steps_per_call = iterator.get_sink_size()
    one_step_per_call = steps_per_call == 1 and iterator.dataset.get_dataset_size() != 1
    follows_shapes = is_graph_mode and one_step_per_call
    network_class = ShapeFollowingSinkNetwork if follows_shapes else SinkNetwork
    transfer.network = network
    if type(transfer.wrapper) is not network_class:
        if follows_shapes:
            transfer.wrapper = ShapeFollowingSinkNetwork(network, transfer)
        else:
            transfer.wrapper = SinkNetwork(network, transfer.queue_name, specs, steps_per_call)
    if is_graph_mode and not follows_shapes:
        transfer.channel.required_specs = specs
    transfer.channel.warns_on_shape_change = not is_graph_mode and not one_step_per_call
    sink = transfer.wrapper.sink
    sink.loop, sink.lease, sink.settings = steps_per_call, iterator.lease, iterator.settings
    return transfer.wrapper


def _check_declared_inputs(network: Cell, specs: tuple[Spec, ...]) -> None:
    """Check that the columns match the inputs declared by ``network.set_inputs``.

    Raises:
        TypeError: a declared dtype differs.
        ValueError: a declared shape differs.
    """
    declared = network.get_inputs()
    if not declared:
        return
    for i, (declared_input, spec) in enumerate(zip(declared, specs, strict=False), 1):
        if not isinstance(declared_input, Tensor):
            continue
        dtype = mstype.from_numpy(spec.dtype)
        if declared_input.dtype != dtype:
            raise TypeError(
                f"set_inputs: input {i} must be {dtype} like the data, got {declared_input.dtype}."
            )
        if len(declared_input.shape) != len(spec.shape):
            raise ValueError(
                f"set_inputs: input {i} must have {len(spec.shape)} axes like the data, got "
                f"{len(declared_input.shape)}."
            )
        if any(
            size not in (-1, None, actual_size)
            for size, actual_size in zip(declared_input.shape, spec.shape, strict=True)
        ):
            raise ValueError(
                f"set_inputs: input {i} must have the shape {spec.shape} of the data, got "
                f"{tuple(declared_input.shape)}."
            )


def compile_for_dataset(network: Cell, dataset: Any, sink_mode: bool) -> None:
    """Compile ``network`` for the batches of ``dataset`` without running it.

    A later training in the same mode reuses the compiled graph; in sink mode the dataset's queue is
    connected to ``network`` for it. In PYNATIVE_MODE there is nothing to compile.
    """
    types, shapes = dataset.types_shapes()
    if not sink_mode:
        network.compile(*[Tensor(np.zeros(s, t)) for t, s in zip(types, shapes, strict=True)])
        return
    specs = tuple([Spec(tuple(s), np.dtype(t)) for t, s in zip(types, shapes, strict=True)])
    transfer = dataset.use.get_transfer(dataset)
    transfer.network = network
    transfer.wrapper = SinkNetwork(network, transfer.queue_name, specs, loop=1)  # until it trains
    transfer.wrapper.compile()


__all__ = ["DatasetHelper", "connect_network_with_dataset"]
