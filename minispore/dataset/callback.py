"""DSCallback, called at the epochs and steps of a ``map``, and WaitedDSCallback.

WaitedDSCallback makes the map wait for the training.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from minispore.core.callback import Callback, RunContext
from minispore.dataset import check, config
from minispore.dataset.pipeline.map_callbacks import CallbackParam, Hooks
from minispore.execution.threads.monitor import Event

_POLL_S = 0.1  # no wait is longer than this, so that a closed pipeline ends soon

_EVENTS = ("ds_begin", "ds_epoch_begin", "ds_epoch_end", "ds_step_begin", "ds_step_end")


class DSCallback:
    """Base of callbacks for ``map(..., callbacks=...)``: override the methods to be called.

    Each method receives the position of the pipeline: ``cur_epoch_num``, ``cur_step_num`` (over all
    epochs) and ``cur_step_num_in_epoch``, from 1. A step is a row of the map; an epoch is one pass
    of the whole pipeline. The methods run in the main process, in the order of the rows. As rows
    are prefetched, steps may begin before earlier ones have ended.

    Args:
        step_size (int, optional): the step methods are called at the first step of an epoch and
            then every ``step_size`` steps. Default: ``1``.

    Raises:
        TypeError: ``step_size`` is not an int.
        ValueError: ``step_size`` is less than 1.

    Example:
        >>> import minispore.dataset as ds
        >>> class Told(ds.DSCallback):
        ...     def ds_epoch_begin(self, ds_run_context):
        ...         print("epoch", ds_run_context.cur_epoch_num)
        ...     def ds_step_end(self, ds_run_context):
        ...         print("step", ds_run_context.cur_step_num)
        >>> data = ds.NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False)
        >>> data = data.map(lambda x: x, callbacks=Told(step_size=2))
        >>> rows = list(data.create_tuple_iterator(num_epochs=1))
        epoch 1
        step 1
        step 3
    """

    def __init__(self, step_size: int = 1) -> None:
        self.step_size = check.int32(type(self).__name__, "step_size", step_size, 1)

    def ds_begin(self, ds_run_context: CallbackParam) -> None:
        """Handle the start of a run, called once before the first row; for subclasses."""

    def ds_epoch_begin(self, ds_run_context: CallbackParam) -> None:
        """Handle the start of an epoch, called before each epoch; for subclasses."""

    def ds_epoch_end(self, ds_run_context: CallbackParam) -> None:
        """Handle the end of an epoch, called after each epoch; for subclasses."""

    def ds_step_begin(self, ds_run_context: CallbackParam) -> None:
        """Handle the start of a step, called before the operations get a row; for subclasses."""

    def ds_step_end(self, ds_run_context: CallbackParam) -> None:
        """Handle the end of a step, called after the operations returned a row; for subclasses."""

    def create_runtime_obj(self) -> Hooks:
        """Return the overridden methods, which the pipeline calls.

        Raises:
            AttributeError: no method is overridden.
        """
        overridden = [event for event in _EVENTS if _is_overridden(self, DSCallback, event)]
        return _make_hooks(self, overridden)


class WaitedDSCallback(Callback, DSCallback):
    """A callback that makes a ``map`` wait for the training that uses its rows.

    Before each epoch but the first, the map waits until the training's epoch has ended; before each
    step but the first, until the training's step has ended. Then ``sync_epoch_begin`` or
    ``sync_step_begin`` is called with the run contexts of both. Pass the same object to
    ``map(callbacks=...)`` and to ``Model.train(callbacks=...)``, without data sink. Waiting ends
    when the training ends or the pipeline is closed.

    Args:
        step_size (int, optional): rows of a training step, which is the batch size. Default: ``1``.

    Raises:
        TypeError: ``step_size`` is not an int.
        ValueError: ``step_size`` is less than 1.
        RuntimeError: in the pipeline: the training did not finish its epoch or step within
            ``ds.config.get_callback_timeout()`` seconds.

    Example:
        >>> import minispore as ms
        >>> import minispore.dataset as ds
        >>> class Follow(ds.WaitedDSCallback):
        ...     def sync_step_begin(self, train_run_context, ds_run_context):
        ...         trained = train_run_context.original_args().cur_step_num
        ...         print("row", ds_run_context.cur_step_num, "after training step", trained)
        >>> class Net(ms.nn.Cell):
        ...     def construct(self, x):
        ...         return x
        >>> follow = Follow()
        >>> data = ds.NumpySlicesDataset([1.0, 2.0], ["x"], shuffle=False)
        >>> data = data.map(lambda x: x, callbacks=follow)
        >>> ms.Model(Net()).train(1, data, callbacks=follow, dataset_sink_mode=False)
        row 2 after training step 1
    """

    def __init__(self, step_size: int = 1) -> None:
        DSCallback.__init__(self, step_size)
        self.step_event, self.epoch_event = Event(), Event()
        self.step_run_context: RunContext | None = None
        self.epoch_run_context: RunContext | None = None
        self.training_ended = False

    def sync_epoch_begin(
        self, train_run_context: RunContext | None, ds_run_context: CallbackParam
    ) -> None:
        """Handle the start of a pipeline epoch, called after the previous training epoch ended."""

    def sync_step_begin(
        self, train_run_context: RunContext | None, ds_run_context: CallbackParam
    ) -> None:
        """Handle the start of a pipeline step, called after the previous training step ended."""

    def __enter__(self) -> Any:
        """Begin a training and clear the events of an earlier one."""
        self.step_event.clear()
        self.epoch_event.clear()
        self.training_ended = False
        return self

    def epoch_end(self, run_context: RunContext) -> None:
        """Record that the training has finished an epoch."""
        self.epoch_run_context = run_context
        self.epoch_event.set()

    def step_end(self, run_context: RunContext) -> None:
        """Record that the training has finished a step."""
        self.step_run_context = run_context
        self.step_event.set()

    def end(self, run_context: RunContext) -> None:
        """Record the end of the training, which releases all waiting threads."""
        self.training_ended = True
        self.epoch_end(run_context)
        self.step_end(run_context)

    def ds_epoch_begin(self, ds_run_context: CallbackParam) -> None:
        """Wait for the end of the training's epoch, then call :meth:`sync_epoch_begin`.

        Does nothing before the first epoch.
        """
        if ds_run_context.cur_epoch_num > 1 and self._wait_for_training(
            "epoch_end", self.epoch_event, ds_run_context
        ):
            self.sync_epoch_begin(self.epoch_run_context, ds_run_context)

    def ds_step_begin(self, ds_run_context: CallbackParam) -> None:
        """Wait for the end of the training's step, then call :meth:`sync_step_begin`.

        Does nothing before the first ``step_size`` rows.
        """
        if ds_run_context.cur_step_num > self.step_size and self._wait_for_training(
            "step_end", self.step_event, ds_run_context
        ):
            self.sync_step_begin(self.step_run_context, ds_run_context)

    def _wait_for_training(self, event_name: str, event: Event, param: CallbackParam) -> bool:
        """Wait for an event of the training and clear it, or wait for the training's end.

        Returns:
            False if the pipeline was closed meanwhile.

        Raises:
            RuntimeError: the event did not occur within the timeout of ``ds.config``.
        """
        seconds = config.get_callback_timeout()
        deadline = time.monotonic() + seconds
        while not self.training_ended and not event.wait(_POLL_S):
            if param.stopped():
                return False
            if time.monotonic() > deadline:
                raise RuntimeError(
                    # ds_step_begin waits for step_end, ds_epoch_begin for epoch_end.
                    f"ds_{event_name.replace('end', 'begin')} timed out after {seconds} second(s): "
                    f"the training's {event_name} did not come. Give the callback to Model.train "
                    "too, without data sink, and let step_size be the batch size."
                )
        event.clear()
        return not param.stopped()

    def create_runtime_obj(self) -> Hooks:
        """Return hooks that wait before the events whose ``sync_`` method is overridden.

        Raises:
            AttributeError: no method is overridden.
        """
        events = {"sync_step_begin": "ds_step_begin", "sync_epoch_begin": "ds_epoch_begin"}
        overridden = [name for name in events if _is_overridden(self, WaitedDSCallback, name)]
        return _make_hooks(self, [events[name] for name in overridden])


def make_hook_factories(api_name: str, value: Any) -> tuple[Callable[[], Hooks], ...]:
    """Return for each callback of an operation a function that makes its hooks when a run starts.

    Raises:
        TypeError: ``value`` is neither a DSCallback nor a list of DSCallbacks.
    """
    if value is None:
        return ()
    is_listed = isinstance(value, list | tuple)
    callbacks = value if is_listed else [value]
    for i, callback in enumerate(callbacks):
        if not isinstance(callback, DSCallback):
            name = f"callbacks[{i}]" if is_listed else "callbacks"
            rule = "be a DSCallback or a list of them"
            raise check.wrong_type(
                api_name, "callbacks", rule, callback, DSCallback, mindspore_name=name
            )
    return tuple([callback.create_runtime_obj for callback in callbacks])


def _is_overridden(callback: DSCallback, base: type, method: str) -> bool:
    """Whether the class of ``callback`` overrides a method of ``base``."""
    return getattr(type(callback), method) is not getattr(base, method)


def _make_hooks(callback: DSCallback, events: Sequence[str]) -> Hooks:
    """Return the hooks of a callback: its methods for these events.

    Raises:
        AttributeError: ``events`` is empty.
    """
    name = type(callback).__name__
    if not events:
        raise AttributeError(
            f"{name}: must override a method, got none. It would never be called: "
            "Inheriting Callback class without overriding any methods."
        )
    methods = {event: getattr(callback, event) for event in events}
    return Hooks(name, callback.step_size, **methods)


__all__ = ["DSCallback", "WaitedDSCallback"]
