"""data_sink: a function that runs on the next batches of a dataset."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from minispore import context, device
from minispore.core import runtime as seam
from minispore.core.staged import Looped, StagedCallable
from minispore.core.tensor import Tensor
from minispore.core.value import Spec
from minispore.dataset.transfer import Stretch, TransferDataset, types_and_shapes
from minispore.foundation import checks
from minispore.ops.control.effects import GetNext
from minispore.train.dataset_helper import ByShape


def data_sink(
    fn: Callable[..., Any],
    dataset: Any,
    sink_size: int = 1,
    jit_config: Any = None,
    input_signature: Any = None,
) -> Callable[..., Any]:
    """``fn`` as a function without arguments that runs on the next ``sink_size`` batches.

    The data goes to the device on its own way, pass after pass without end; each call goes on where
    the last one stopped and returns what ``fn`` returned for its last batch.

    Args:
        fn: called with the columns of one batch.
        dataset: the dataset; it can be given to one data_sink only.
        sink_size: how many steps a call runs.
        jit_config: a JitConfig: run the steps as one graph, looped by the device. None: ``fn`` is
            called from Python for each step.
        input_signature: Tensors with the shape and dtype of the columns, to be compared.

    Raises:
        TypeError: ``sink_size`` is no int, or a column has another dtype than declared.
        ValueError: it is not positive, the device has no queue, the dataset is in use already, or a
            column has another shape than declared.
    """
    who = "data_sink"
    checks.integer(who, "sink_size", sink_size)
    if sink_size <= 0:
        raise ValueError(f"{who}: sink_size must be positive, got {sink_size}.")
    if not device.current().sinks:
        raise ValueError(
            f"{who}: device_target must be 'Ascend' or 'GPU', got "
            f"{context.get_context('device_target')!r}. Call set_context(device_target=...) first."
        )
    if dataset.use.transfer is not None:
        raise ValueError(f"{who}: the dataset has been used with a network. Make another one.")
    transfer = dataset.use.attach(dataset)
    lease = transfer.start(
        Stretch.of_passes(dataset)
    )  # the queue closes with the function that is returned
    _check_signature(input_signature, transfer)
    follows_shapes = sink_size == 1 and dataset.get_dataset_size() != 1
    lease.channel.warns_on_shape_change = jit_config is None and not follows_shapes
    steps = ByShape(transfer, lambda specs: _Step(fn, transfer.queue_name, specs, sink_size))

    def step() -> _Step:
        if follows_shapes:
            return steps.next()
        if steps.recent is None:
            lease.channel.required_specs = transfer.specs()
        return steps.recent or steps.next()

    @functools.wraps(fn, updated=())
    def sink_process(*args: Any, **kwargs: Any) -> Any:
        machine = device.current()
        with machine.interaction():
            if jit_config is not None and seam.compiler is not None:
                return seam.compiler.call(step(), (), {})
            out = None
            for i in range(sink_size):
                if i:
                    machine.begin_step()
                out = fn(*[Tensor.from_numpy(a) for a in machine.fetch(transfer.queue_name)])
            return out

    return sink_process


class _Step(StagedCallable, Looped):
    """``fn(*GetNext()())``: one step from the queue, which a device loops."""

    def __init__(
        self, fn: Callable[..., Any], queue: str, specs: tuple[Spec, ...], loop: int
    ) -> None:
        types, shapes = types_and_shapes(specs)
        self.fn, self._loop = fn, loop
        self._get_next = GetNext(types, shapes, len(types), queue)

    @property
    def loop(self) -> int:
        return self._loop

    def __call__(self) -> Any:
        return self.fn(*self._get_next())


def _check_signature(signature: Any, transfer: TransferDataset) -> None:
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
    for i, (want, spec, dtype) in enumerate(zip(declared, specs, types, strict=True), 1):
        if want.dtype != dtype:
            raise TypeError(
                f"data_sink: input {i} of input_signature must be {dtype} like the data, got "
                f"{want.dtype}."
            )
        if tuple(want.shape) != spec.shape:
            raise ValueError(
                f"data_sink: input {i} of input_signature must have the shape {spec.shape} of the "
                f"data, got {tuple(want.shape)}."
            )
