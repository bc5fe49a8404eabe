"""data_sink: turns a function into one whose calls run on the next batches of a dataset."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from minispore import context, device
from minispore.core.staged import Looped, StagedCallable
from minispore.core.tensor import Tensor
from minispore.dataset.transfer import BatchRange, TransferDataset, types_and_shapes
from minispore.foundation import checks
from minispore.ir import runtime
from minispore.ir.value import Spec
from minispore.ops.control.effects import GetNext
from minispore.train.dataset_helper import ShapeCache, SinkSettings


def data_sink(
    fn: Callable[..., Any],
    dataset: Any,
    sink_size: int = 1,
    jit_config: Any = None,
    input_signature: Any = None,
) -> Callable[..., Any]:
    """Return ``fn`` as a function without arguments that runs on the next ``sink_size`` batches.

    The device reads the data from its queue, in an endless sequence of passes; each call continues
    where the previous one stopped and returns the output of ``fn`` for its last batch.

    Args:
        fn: called with the columns of one batch.
        dataset: the dataset; it can be used in only one data_sink.
        sink_size: the number of steps per call.
        jit_config: a JitConfig: run the steps as one graph, looped by the device. None: ``fn`` is
            called from Python for each step.
        input_signature: Tensors with the expected shapes and dtypes of the columns.

    Raises:
        TypeError: ``sink_size`` is not an int, or the dtype of a column differs from the declared
            one.
        ValueError: it is not positive, the device has no queue, the dataset is in use already, or
            the shape of a column differs from the declared one.
    """
    api_name = "data_sink"
    checks.integer(api_name, "sink_size", sink_size)
    if sink_size <= 0:
        raise ValueError(f"{api_name}: sink_size must be positive, got {sink_size}.")
    if not device.current().sinks:
        raise ValueError(
            f"{api_name}: device_target must be 'Ascend' or 'GPU', got "
            f"{context.get_context('device_target')!r}. Call set_context(device_target=...) first."
        )
    if dataset.use.transfer is not None:
        raise ValueError(f"{api_name}: the dataset has been used with a network. Make another one.")
    transfer, sink_settings = dataset.use.get_transfer(dataset), SinkSettings()
    # The returned function holds the lease, so the queue closes with it.
    lease = transfer.start(BatchRange.from_passes(dataset))
    _check_signature(input_signature, transfer)
    follows_shapes = sink_size == 1 and dataset.get_dataset_size() != 1
    lease.channel.warns_on_shape_change = jit_config is None and not follows_shapes
    step_cache = ShapeCache(
        transfer, lambda specs: _QueueStep(fn, transfer.queue_name, specs, sink_size)
    )

    def get_step() -> _QueueStep:
        """Return the step to compile for the shape of the next batch.

        If shapes are fixed, there is only one step, and its first call makes the queue refuse
        batches of other shapes.
        """
        if follows_shapes:
            return step_cache.get_for_next_batch()
        if step_cache.last_used is None:
            lease.channel.required_specs = transfer.specs()
        return step_cache.last_used or step_cache.get_for_next_batch()

    @functools.wraps(fn, updated=())
    def sink_process(*args: Any, **kwargs: Any) -> Any:
        """Call ``fn`` on the next ``sink_size`` batches of the queue and return the last output.

        With ``jit_config`` and a compiler, a compiled step replaces ``fn``.
        """
        sink_settings.check_unchanged()
        current_device = device.current()
        with current_device.interaction():
            if jit_config is not None and runtime.compiler is not None:
                return runtime.compiler.call(get_step(), (), {})
            output = None
            for i in range(sink_size):
                if i:
                    current_device.begin_step()
                output = fn(
                    *[Tensor.from_numpy(a) for a in current_device.fetch(transfer.queue_name)]
                )
            return output

    return sink_process


class _QueueStep(StagedCallable, Looped):
    """``fn(*GetNext()())``: one step on a batch from the queue, which the device loops."""

    def __init__(
        self, fn: Callable[..., Any], queue: str, specs: tuple[Spec, ...], loop: int
    ) -> None:
        types, shapes = types_and_shapes(specs)
        self.fn, self._loop = fn, loop
        self._get_next = GetNext(types, shapes, len(types), queue)

    @property
    def loop(self) -> int:
        """The number of steps per call."""
        return self._loop

    def __call__(self) -> Any:
        """Run ``fn`` on the next batch of the queue."""
        return self.fn(*self._get_next())


def _check_signature(signature: Any, transfer: TransferDataset) -> None:
    """Check that the Tensors of ``input_signature`` have the shapes and dtypes of the columns.

    A declared length of -1 matches any length.

    Raises:
        ValueError: the number of Tensors or a shape differs.
        TypeError: a dtype differs.
    """
    if signature is None:
        return
    specs = transfer.specs()
    declared = (signature,) if isinstance(signature, Tensor) else tuple(signature)
    if len(declared) != len(specs):
        raise ValueError(
            f"data_sink: input_signature must have a Tensor for each of the {len(specs)} inputs of "
            f"the data, got {len(declared)}."
        )
    types, _ = types_and_shapes(specs)
    for i, (declared_input, spec, dtype) in enumerate(zip(declared, specs, types, strict=True), 1):
        if declared_input.dtype != dtype:
            raise TypeError(
                f"data_sink: input {i} of input_signature must be {dtype} like the data, got "
                f"{declared_input.dtype}."
            )
        shape = declared_input.shape
        if len(shape) != spec.ndim or any(
            n not in (-1, size) for n, size in zip(shape, spec.shape)
        ):
            raise ValueError(
                f"data_sink: input {i} of input_signature must have the shape {spec.shape} of the "
                f"data, got {tuple(shape)}."
            )
