"""Predict a training without running it: ``estimate`` for time, ``memory_report`` for memory.

Both need only shapes: the training step of a Model is traced on the shapes of its dataset's
columns. If the pipeline's time for one batch is not given, it is measured on a few batches.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from minispore import context
from minispore.core import interpreter
from minispore.core.tensor import wrap
from minispore.core.tree import tensors_in
from minispore.device.model.collective import check_devices
from minispore.device.model.cost import program_cost
from minispore.device.model.devices.host import ImagePipeline
from minispore.device.model.forecast import Estimate, forecast
from minispore.device.model.memory import MemoryPlan, plan_memory
from minispore.device.model.spec import GIB, DeviceSpec, device_spec
from minispore.device.model.step import Step, make_step
from minispore.graph.ir import Graph
from minispore.graph.trace import Resize, Tracer, finish_graph
from minispore.ir.value import Spec

#: Limits on measuring the pipeline: batches, seconds.
MEASURED_BATCHES, MEASURED_S = 50, 1.0


@runtime_checkable
class Estimable(Protocol):
    """A Model, or any other object that has its training step as one Cell."""

    train_network: Any  # trains one step when called with the columns of a batch


class Shapes:
    """A substitute for a dataset that has only shapes, which ``estimate`` and ``memory_report``
    accept.

    Args:
        columns: shape and type of each column of a batch, the batch size first in each shape.
        size: the number of batches.

    >>> images = Shapes([((256, 3, 224, 224), np.float32), ((256,), np.int32)], size=5004)
    >>> images.get_dataset_size(), images.get_batch_size()
    (5004, 256)
    """

    def __init__(self, columns: Sequence[tuple[Sequence[int], Any]], size: int = 1) -> None:
        if not columns:
            raise ValueError("Shapes: columns must hold at least one column, got none.")
        self.columns = [(tuple(shape), np.dtype(dtype)) for shape, dtype in columns]
        self._size = size

    def get_dataset_size(self) -> int:
        """Return the number of batches."""
        return self._size

    def get_batch_size(self) -> int:
        """Return the length of the first column's first axis."""
        shape = self.columns[0][0]
        return shape[0] if shape else 1

    def types_shapes(self) -> tuple[list[np.dtype], list[tuple[int, ...]]]:
        """Return the dtype and shape of every column."""
        return [dtype for _, dtype in self.columns], [shape for shape, _ in self.columns]


def trace_step(network: Callable[..., Any], specs: Sequence[Spec]) -> Graph:
    """Trace ``network`` on inputs of these shapes into a graph, without data or execution.

    >>> graph = trace_step(lambda x: x * 2, [Spec((2, 3), np.dtype(np.float32))])
    >>> [node.prim.name for node in graph.nodes]
    ['Mul']
    """
    tracer = Tracer()
    inputs = [wrap(tracer.add_input(spec, None)) for spec in specs]
    with interpreter.using_interpreter(tracer):
        outputs = tensors_in(network(*inputs))
        return finish_graph(tracer, [t.value_ for t in outputs])


def specs_of(dataset: Any) -> list[Spec]:
    """Return the spec of each column of a batch of ``dataset``.

    Raises:
        TypeError: the dataset has no shapes.
    """
    if not hasattr(dataset, "types_shapes"):
        raise TypeError(
            "estimate: dataset must be a dataset, for the shapes of its columns, got "
            f"{type(dataset).__name__}."
        )
    types, shapes = dataset.types_shapes()
    return [Spec(tuple(shape), np.dtype(dtype)) for dtype, shape in zip(types, shapes, strict=True)]


def training_step(model: Any, dataset: Any) -> Step:
    """Trace one training step of ``model`` on the shapes of ``dataset``.

    A network or function is traced itself, and a Step is returned unchanged.

    Raises:
        TypeError: the model has no training step, or the dataset has no shapes.
    """
    if isinstance(model, Step):
        return model
    network = model.train_network if isinstance(model, Estimable) else None
    if network is None and callable(model):
        return _trace_network(model, specs_of(dataset))
    if network is None:
        raise TypeError(
            "estimate: model must have a training step, got "
            f"{type(model).__name__}. Wrap the network: Model(network, loss_fn, optimizer)."
        )
    return _trace_network(network, specs_of(dataset), is_training=True)


def _trace_network(
    network: Callable[..., Any], specs: Sequence[Spec], is_training: bool = False
) -> Step:
    """Trace the step of ``network`` on a batch of these specs, in training mode if ``is_training``.

    The Step can trace itself again for a batch of another size.
    """
    keep_specs: Resize = list

    def retrace(resize: Resize) -> Graph:
        """Trace the network on a batch of other specs; its train flags are restored afterwards."""
        is_in_eval_mode = is_training and getattr(network, "training", True) is False
        if is_in_eval_mode:  # after an evaluation, say
            cast(Any, network).set_train()
        try:
            return trace_step(network, resize(specs))
        finally:
            if is_in_eval_mode:
                cast(Any, network).set_train(False)

    return make_step(retrace(keep_specs), retrace)


def memory_report(
    model: Any,
    dataset: Any,
    *,
    device: str | DeviceSpec | None = None,
    batch_size: int | None = None,
) -> MemoryPlan:
    """Predict the memory of a training step on ``device``, and the largest batch that fits;
    nothing runs.

    Args:
        model: a Model with loss function and optimizer.
        dataset: its training data; only shapes and types are read.
        device: the name of a device, or a custom spec; the context's target by default.
        batch_size: rows of a batch; by default the dataset's.
    """
    spec = resolve_spec(device)
    step = training_step(model, dataset).apply_precision_mode(spec)
    rows = batch_size
    if rows is None and hasattr(dataset, "get_batch_size"):
        rows = dataset.get_batch_size()
    limit = int(context.current().max_device_memory * GIB)
    return plan_memory(
        step.records,
        spec,
        batch=step.batch,
        batch_size=rows,
        max_device_memory=limit,
        trace_scaled=step.trace_scaled,
    )


def estimate(
    model: Any,
    dataset: Any,
    *,
    device: str | DeviceSpec | None = None,
    sink_size: int = -1,
    data_us: float | None = None,
    host_rows_s: float | ImagePipeline | None = None,
    devices: int = 1,
    all_reduce_fusion_config: Sequence[int] | None = None,
) -> Estimate:
    """Predict one epoch for each of the four ways to drive a device: no sink, data sink, graph sink
    and loop sink; nothing is trained.

    Args:
        model: a Model with loss function and optimizer, whose training step is predicted; or a
            network or function, whose call is predicted; or a traced Step.
        dataset: the training data, or ``Shapes`` instead; for a Step the number of batches is
            enough.
        device: the name of a device (see ``SPECS``: "Ascend910", "Ascend910B2", "Ascend310P3",
            "V100", "A100", "CPU", ...), or a custom spec
            (``device_spec("Ascend910").replace(...)``); the context's target by default, with the
            ways that it supports.
        sink_size: steps of a sink; -1 for the whole dataset.
        data_us: microseconds that the data pipeline of a device needs for one batch; if None,
            measured on some batches of a dataset that has data, and multiplied by the number of
            devices of a server, which share the pipeline.
        host_rows_s: instead of ``data_us``, the rows per second (images/s) that the pipelines of a
            server make for all its devices; or an ``ImagePipeline``, which computes them.
        devices: number of devices that train data-parallel, 1 to 4096.
        all_reduce_fusion_config: the indices of Parameters at which the gradients are cut into
            buckets, as in MindSpore; by default the setting of the auto-parallel context.

    Returns:
        An Estimate; ``print`` it for the table.

    Raises:
        TypeError, ValueError: an argument is invalid; raised before anything is traced.
    """
    spec = resolve_spec(device)
    check_devices(spec, devices)
    _check_sink_size(sink_size)
    _check_pipeline(data_us, host_rows_s)
    size = dataset if isinstance(dataset, int) else dataset.get_dataset_size()
    if size < 1:
        raise ValueError(f"estimate: dataset must have at least one batch, got {size}.")
    step = training_step(model, dataset)
    measured = data_us is None and host_rows_s is None and hasattr(dataset, "create_dict_iterator")
    data_source = "measured" if measured else "given"
    devices_per_server = min(devices, int(spec.server_devices))
    workers_help = True
    if isinstance(host_rows_s, ImagePipeline):
        data_source = "computed"
        workers_help = not host_rows_s.is_python_bound(devices_per_server)
        host_rows_s = host_rows_s.compute_rows_s(devices_per_server)
    if measured:
        data_us = measure_pipeline(dataset) * devices_per_server
    elif host_rows_s is not None:
        data_us = rows_of(step) * devices_per_server * 1e6 / host_rows_s
    fusion = all_reduce_fusion_config
    if fusion is None:
        fusion = context.get_auto_parallel_context("all_reduce_fusion_config")
    return estimate_step(
        step,
        spec,
        size,
        size if sink_size == -1 else sink_size,
        data_us or 0.0,
        data_source=data_source,
        workers_help=workers_help,
        devices=devices,
        all_reduce_fusion_config=fusion,
    )


def estimate_step(
    step: Step, spec: DeviceSpec, size: int, sink_size: int, data_us: float, **options: Any
) -> Estimate:
    """Predict one epoch of a traced step as :func:`estimate` does, without checks of the arguments.

    ``size`` is the number of steps, ``data_us`` the pipeline's time for a batch.

    ``options`` are those of :func:`forecast`.
    """
    step = step.apply_precision_mode(spec)
    limit = int(context.current().max_device_memory * GIB)
    return forecast(
        program_cost(step.records, spec, batch=step.batch, results=step.results),
        plan_memory(
            step.records,
            spec,
            batch=step.batch,
            max_device_memory=limit,
            trace_scaled=step.trace_scaled,
        ),
        size,
        sink_size,
        data_us,
        rows=rows_of(step),
        **options,
    )


def rows_of(step: Step) -> int:
    """Return the rows of a step's batch: the length of the first axis of its first column; 1 if
    there is none.
    """
    return step.batch[0].shape[0] if step.batch and step.batch[0].shape else 1


def measure_pipeline(
    dataset: Any, batches: int = MEASURED_BATCHES, seconds: float = MEASURED_S
) -> float:
    """Measure the wall-clock microseconds that the pipeline of ``dataset`` needs for one batch,
    after the first.

    At most ``batches`` batches are fetched, and no new one after ``seconds``. If there is only one
    batch, its time is returned.
    """
    pipeline = dataset.create_dict_iterator(num_epochs=1, output_numpy=True)
    with closing(pipeline) if hasattr(pipeline, "close") else nullcontext():
        iterator = iter(pipeline)
        opened_at = time.perf_counter()
        next(iterator)
        start = time.perf_counter()
        count = 0
        for _ in iterator:
            count += 1
            if count == batches or time.perf_counter() - start > seconds:
                break
        end = time.perf_counter()
    return 1e6 * ((end - start) / count if count else start - opened_at)


def resolve_spec(device: str | DeviceSpec | None) -> DeviceSpec:
    """Return the spec of a named device; a spec unchanged, and for None the spec of the context's
    target.
    """
    if isinstance(device, DeviceSpec):
        return device
    return device_spec(context.current().device_target if device is None else device)


def _check_pipeline(data_us: float | None, host_rows_s: float | ImagePipeline | None) -> None:
    """Raise ValueError if both figures of the pipeline are given, or one is invalid."""
    rows_s = None if isinstance(host_rows_s, ImagePipeline) else host_rows_s
    for name, value in (("data_us", data_us), ("host_rows_s", rows_s)):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (is_number and math.isfinite(value) and value >= 0):
            raise ValueError(f"estimate: {name} must be a number of at least 0, got {value!r}.")
    if host_rows_s == 0:
        raise ValueError("estimate: host_rows_s must be above 0, got 0.")
    if data_us is not None and host_rows_s is not None:
        raise ValueError("estimate: data_us must come without host_rows_s, got both.")


def _check_sink_size(sink_size: int) -> None:
    """Raise TypeError or ValueError unless ``sink_size`` is -1 or a positive int."""
    if isinstance(sink_size, bool) or not isinstance(sink_size, int):
        raise TypeError(f"estimate: sink_size must be an int, got {type(sink_size).__name__}.")
    if sink_size == 0 or sink_size < -1:
        raise ValueError(f"estimate: sink_size must be -1 or positive, got {sink_size}.")
