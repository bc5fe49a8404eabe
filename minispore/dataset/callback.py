"""DSCallback: told of what a ``map`` does. WaitedDSCallback: lets the map wait for the training."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from minispore.core.callback import Callback, RunContext
from minispore.core.threads.monitor import Event
from minispore.dataset import check, config
from minispore.dataset.pipeline.calls import CallbackParam, Hooks

_WAKE_S = 0.1  # no wait is longer than this: a pipeline that is closed soon ends

_EVENTS = ("ds_begin", "ds_epoch_begin", "ds_epoch_end", "ds_step_begin", "ds_step_end")


class DSCallback:
    """Base of what can be given to ``map(..., callbacks=...)``: override what you want to be told.

    Each method gets the place of the pipeline: ``cur_epoch_num``, ``cur_step_num`` (over all
    epochs) and ``cur_step_num_in_epoch``, from 1. A step is a row of the map; an epoch is one pass
    of the whole pipeline. The methods run in the main process, in the order of the rows; as rows
    are prepared ahead, steps may begin before earlier ones have ended.

    Args:
        step_size (int, optional): the methods for steps are called at the first step of an epoch
            and then every so many. Default: ``1``.

    Raises:
        TypeError: ``step_size`` is no int.
        ValueError: it is less than 1.

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
        """Called once before the first row."""

    def ds_epoch_begin(self, ds_run_context: CallbackParam) -> None:
        """Called before each epoch."""

    def ds_epoch_end(self, ds_run_context: CallbackParam) -> None:
        """Called after each epoch."""

    def ds_step_begin(self, ds_run_context: CallbackParam) -> None:
        """Called before the operations of the map get a row."""

    def ds_step_end(self, ds_run_context: CallbackParam) -> None:
        """Called after they gave it."""

    def create_runtime_obj(self) -> Hooks:
        """What the pipeline calls: the methods that are overridden.

        Raises:
            AttributeError: none is.
        """
        return _hooks(self, {e: e for e in _EVENTS if _overrides(self, DSCallback, e)})


class WaitedDSCallback(Callback, DSCallback):
    """A callback of a ``map`` and of the training that uses it: the map waits for the training.

    Before an epoch (from the second on) the map waits for the end of the training's epoch, before
    a step (from the second on) for the end of the training's step; then ``sync_epoch_begin`` and
    ``sync_step_begin`` are called with what is known of both. Give the same object to
    ``map(callbacks=...)`` and to ``Model.train(callbacks=...)``, without data sink. When the
    training ends, or the pipeline is closed, nobody waits any longer.

    Args:
        step_size (int, optional): rows of a training step, which is the batch size. Default: ``1``.

    Raises:
        TypeError: ``step_size`` is no int.
        ValueError: it is less than 1.
        RuntimeError: in the pipeline: the training did not come that far within
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
        """Called before an epoch of the pipeline, after the training's previous one."""

    def sync_step_begin(
        self, train_run_context: RunContext | None, ds_run_context: CallbackParam
    ) -> None:
        """Called before a step of the pipeline, after the training's previous one."""

    def __enter__(self) -> Any:
        """A training begins: what an earlier one left behind is no sign of this one."""
        self.step_event.clear()
        self.epoch_event.clear()
        self.training_ended = False
        return self

    def epoch_end(self, run_context: RunContext) -> None:
        """The training ended an epoch."""
        self.epoch_run_context = run_context
        self.epoch_event.set()

    def step_end(self, run_context: RunContext) -> None:
        """The training ended a step."""
        self.step_run_context = run_context
        self.step_event.set()

    def end(self, run_context: RunContext) -> None:
        """The training ended: nobody waits any longer."""
        self.training_ended = True
        self.epoch_end(run_context)
        self.step_end(run_context)

    def ds_epoch_begin(self, ds_run_context: CallbackParam) -> None:
        """Wait for the end of the training's epoch, then :meth:`sync_epoch_begin`."""
        if ds_run_context.cur_epoch_num > 1 and self._wait(
            "epoch_end", self.epoch_event, ds_run_context
        ):
            self.sync_epoch_begin(self.epoch_run_context, ds_run_context)

    def ds_step_begin(self, ds_run_context: CallbackParam) -> None:
        """Wait for the end of the training's step, then :meth:`sync_step_begin`."""
        if ds_run_context.cur_step_num > self.step_size and self._wait(
            "step_end", self.step_event, ds_run_context
        ):
            self.sync_step_begin(self.step_run_context, ds_run_context)

    def _wait(self, awaited: str, event: Event, place: CallbackParam) -> bool:
        """Whether to go on: the training came that far, or ended; False if the pipeline did."""
        seconds = config.get_callback_timeout()
        end = time.monotonic() + seconds
        while not self.training_ended and not event.wait(_WAKE_S):
            if place.stopped():
                return False
            if time.monotonic() > end:
                raise RuntimeError(
                    f"ds_{awaited.replace('end', 'begin')} timed out after {seconds} second(s): "
                    f"the training's {awaited} did not come. Give the callback to Model.train too, "
                    "without data sink, and let step_size be the batch size."
                )
        event.clear()
        return not place.stopped()

    def create_runtime_obj(self) -> Hooks:
        """What the pipeline calls: it waits where a method is overridden.

        Raises:
            AttributeError: none is.
        """
        waits = {"sync_step_begin": "ds_step_begin", "sync_epoch_begin": "ds_epoch_begin"}
        return _hooks(
            self, {e: e for s, e in waits.items() if _overrides(self, WaitedDSCallback, s)}
        )


def callbacks_of(op: str, value: Any) -> tuple[Callable[[], Hooks], ...]:
    """``callbacks`` of an operation, as what makes their hooks when a run starts.

    Raises:
        TypeError: it is no DSCallback, nor a list of them.
    """
    given = [] if value is None else value if isinstance(value, list | tuple) else [value]
    for i, callback in enumerate(given):
        if not isinstance(callback, DSCallback):
            name = f"callbacks[{i}]" if given is value else "callbacks"
            rule = "be a DSCallback or a list of them"
            raise check.wrong_type(op, "callbacks", rule, callback, DSCallback, known_as=name)
    return tuple([callback.create_runtime_obj for callback in given])


def _overrides(callback: DSCallback, base: type, method: str) -> bool:
    return getattr(type(callback), method) is not getattr(base, method)


def _hooks(callback: DSCallback, methods: dict[str, str]) -> Hooks:
    name = type(callback).__name__
    if not methods:
        raise AttributeError(
            f"{name}: must override a method, got none. It would never be called: "
            "Inheriting Callback class without overriding any methods."
        )
    calls = {event: getattr(callback, method) for event, method in methods.items()}
    return Hooks(name, callback.step_size, **calls)


__all__ = ["DSCallback", "WaitedDSCallback"]
