"""What every callback is, what it is given, and who calls it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from contextlib import ExitStack
from types import TracebackType
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.errors import did_you_mean

#: The old protocol; each is called by the ``on_train_*`` and the ``on_eval_*`` of its name.
OLD_NAMES = ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")
EVENTS = tuple([f"on_{mode}_{name}" for mode in ("train", "eval") for name in OLD_NAMES])


class Callback:
    """Base of all callbacks: override what you want to be told.

    Every method gets a :class:`RunContext`. The ``on_train_*`` methods are called in training, the
    ``on_eval_*`` methods in evaluation; the old names (``begin``, ``step_end``, ...) in both,
    unless the new name is overridden. A callback is also a context manager around the whole run.

    >>> class Count(Callback):
    ...     steps = 0
    ...     def on_train_step_end(self, run_context):
    ...         self.steps = run_context.original_args().cur_step_num
    """

    def __enter__(self) -> Any:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Release what the callback holds; called on an exception too."""

    def begin(self, run_context: RunContext) -> None:
        """Called once before the run."""

    def epoch_begin(self, run_context: RunContext) -> None:
        """Called before each epoch."""

    def step_begin(self, run_context: RunContext) -> None:
        """Called before each step; in graph sink mode, before each sink."""

    def step_end(self, run_context: RunContext) -> None:
        """Called after each step; in graph sink mode, after each sink."""

    def epoch_end(self, run_context: RunContext) -> None:
        """Called after each epoch."""

    def end(self, run_context: RunContext) -> None:
        """Called once after the run."""

    def on_train_begin(self, run_context: RunContext) -> None:
        """Called once before the training."""
        self.begin(run_context)

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Called before each epoch of the training."""
        self.epoch_begin(run_context)

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Called before each step of the training; in graph sink mode, before each sink."""
        self.step_begin(run_context)

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Called after each step of the training; in graph sink mode, after each sink."""
        self.step_end(run_context)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Called after each epoch of the training."""
        self.epoch_end(run_context)

    def on_train_end(self, run_context: RunContext) -> None:
        """Called once after the training."""
        self.end(run_context)

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Called once before an evaluation."""
        self.begin(run_context)

    def on_eval_epoch_begin(self, run_context: RunContext) -> None:
        """Called before the pass over the evaluation set."""
        self.epoch_begin(run_context)

    def on_eval_step_begin(self, run_context: RunContext) -> None:
        """Called before each step of an evaluation."""
        self.step_begin(run_context)

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Called after each step of an evaluation."""
        self.step_end(run_context)

    def on_eval_epoch_end(self, run_context: RunContext) -> None:
        """Called after the pass over the evaluation set."""
        self.epoch_end(run_context)

    def on_eval_end(self, run_context: RunContext) -> None:
        """Called once after an evaluation."""
        self.end(run_context)


class CallbackManager:
    """Calls several callbacks in their order; enters them in that order and exits in reverse.

    Args:
        callbacks: None, one Callback, or several.

    Raises:
        TypeError: something in it is no Callback.
    """

    def __init__(self, callbacks: Callback | Iterable[Callback] | None) -> None:
        self.callbacks = as_list(callbacks)
        self._stack = ExitStack()

    def __enter__(self) -> CallbackManager:
        with ExitStack() as stack:
            entered = []
            for callback in self.callbacks:
                target = stack.enter_context(callback)
                if not isinstance(target, Callback):
                    warnings.warn(
                        f"{type(callback).__name__}.__enter__: must return a Callback, got "
                        f"{target!r}. The callback itself is used.",
                        stacklevel=3,
                    )
                    target = callback
                entered.append(target)
            self._stack = stack.pop_all()
        self.callbacks = entered
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return self._stack.__exit__(kind, error, trace)

    def call(self, event: str, run_context: RunContext) -> None:
        """Call the method ``event`` of each."""
        for callback in self.callbacks:
            getattr(callback, event)(run_context)


def as_list(callbacks: Any) -> list[Callback]:
    """The callbacks of what ``Model`` methods take for them.

    Raises:
        TypeError: something in it is no Callback.
    """
    if callbacks is None:
        return []
    if isinstance(callbacks, Callback):
        return [callbacks]
    if not isinstance(callbacks, list | tuple | dict):
        raise TypeError(
            "Model: callbacks must be a Callback or a list of Callback, got "
            f"{callbacks!r} ({type(callbacks).__name__})."
        )
    for callback in callbacks:
        if not isinstance(callback, Callback):
            raise TypeError(
                "Model: callbacks must hold instances of Callback only, got "
                f"{callback!r} ({type(callback).__name__})."
            )
    return list(callbacks)


def old_names_of(callback: Callback) -> list[str]:
    """Old names that the callback's own class defines; none for classes of this package."""
    if is_built_in(callback):
        return []
    return [name for name in OLD_NAMES if name in type(callback).__dict__]


def is_built_in(callback: Callback) -> bool:
    """Whether the class is one of this package."""
    return type(callback).__module__.partition(".")[0] == __name__.partition(".")[0]


class InternalCallbackParam(dict):
    """``cb_params``: what callbacks may know about the run, by key or by attribute.

    >>> params = InternalCallbackParam(cur_step_num=3)
    >>> params.cur_step_num
    3
    """

    __slots__ = ()

    def __getattr__(self, key: str) -> Any:
        try:
            return self[key]
        except KeyError:
            close = did_you_mean(key, self)
            raise AttributeError(f"cb_params: has no {key!r} at this point.{close}") from None

    def __setattr__(self, key: str, value: Any) -> None:
        self[key] = value

    def __delattr__(self, key: str) -> None:
        self.pop(key, None)


class RunContext:
    """What a callback is called with.

    Args:
        original_args: the dict that all callbacks of a run share.

    Raises:
        TypeError: it is no dict.
    """

    __slots__ = ("_original_args", "_stop_requested")

    def __init__(self, original_args: dict[str, Any]) -> None:
        if not isinstance(original_args, dict):
            raise TypeError(
                f"RunContext: original_args must be a dict, got {type(original_args).__name__}."
            )
        self._original_args = original_args
        self._stop_requested = False

    def original_args(self) -> Any:
        """The dict itself: what is changed in it, the run sees."""
        return self._original_args

    def request_stop(self) -> None:
        """End the run after this step; in sink mode, after this epoch."""
        self._stop_requested = True

    def get_stop_requested(self) -> bool:
        """Whether a stop was requested."""
        return self._stop_requested


def handle_loss(outputs: Any) -> Any:
    """The loss in a network's outputs, as monitors show it: the mean of a Tensor, as a float; of a
    tuple or list the first element as it is.
    """
    if isinstance(outputs, tuple | list):
        return outputs[0] if outputs and isinstance(outputs[0], Tensor) else outputs
    if isinstance(outputs, Tensor):
        return float(np.mean(outputs.asnumpy()))
    return outputs
