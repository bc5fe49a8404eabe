"""CallbackManager, which calls callbacks, and InternalCallbackParam, which they get.

The base class of callbacks is in :mod:`minispore.core.callback`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from contextlib import ExitStack
from types import TracebackType
from typing import Any

import numpy as np

from minispore.core.callback import Callback as Callback
from minispore.core.callback import RunContext as RunContext
from minispore.core.tensor import Tensor
from minispore.errors import MissingAttribute, warn

#: The old hook names; ``on_train_*`` and ``on_eval_*`` call the old hook of the same event.
OLD_NAMES = ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")
EVENTS = tuple([f"on_{mode}_{name}" for mode in ("train", "eval") for name in OLD_NAMES])


class CallbackManager:
    """Calls several callbacks in order; enters them in the same order and exits them in reverse.

    Args:
        callbacks: None, one Callback, or several.

    Raises:
        TypeError: an element of it is not a Callback.
    """

    def __init__(self, callbacks: Callback | Iterable[Callback] | None) -> None:
        self.callbacks = check_callbacks(callbacks)
        self.event, self.index = "", -1  # the current event, the index of the running callback

    def __enter__(self) -> CallbackManager:
        """Enter all callbacks in order, and use the results of ``__enter__``; warn if a result is
        not a Callback.
        """
        with ExitStack() as stack:
            active_callbacks = []
            for callback in self.callbacks:
                active = stack.enter_context(callback)
                if not isinstance(active, Callback):
                    warn(
                        f"{type(callback).__name__}.__enter__: must return a Callback, got "
                        f"{active!r}. The callback itself is used.",
                    )
                    active = callback
                active_callbacks.append(active)
            self._stack = stack.pop_all()
        self.callbacks = active_callbacks
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Exit the callbacks in reverse order."""
        return self._stack.__exit__(kind, error, trace)

    def __getattr__(self, event: str) -> Any:
        """Return a function that calls the hook ``event``, or an old hook name, of all callbacks.

        Raises:
            AttributeError: there is no such event.
        """
        if event not in EVENTS and event not in OLD_NAMES:
            raise AttributeError(f"CallbackManager: has no event {event!r}.")
        return lambda run_context: self.call(event, run_context)

    def call(self, event: str, run_context: RunContext, completed: Container[int] = ()) -> None:
        """Call the method ``event`` of each callback whose index is not in ``completed``.

        Meanwhile ``event`` and ``index`` are set, so that a checkpoint can record which callbacks
        were called.
        """
        self.event = event
        for index, callback in enumerate(self.callbacks):
            if index not in completed:
                self.index = index
                getattr(callback, event)(run_context)
        self.event = ""


def check_callbacks(callbacks: Any) -> list[Callback]:
    """Return the callbacks given to a ``Model`` method as a list.

    Raises:
        TypeError: an element of it is not a Callback.
    """
    if callbacks is None:
        return []
    if isinstance(callbacks, Callback):
        return [callbacks]
    if isinstance(callbacks, type) and issubclass(callbacks, Callback):
        raise TypeError(
            f"Model: callbacks must be instances, got the class {callbacks.__name__}. Create one: "
            f"{callbacks.__name__}()."
        )
    if isinstance(callbacks, str) or not isinstance(callbacks, Iterable):
        raise TypeError(
            "Model: callbacks must be a Callback or a list of Callback, got "
            f"{callbacks!r} ({type(callbacks).__name__})."
        )
    callback_list = list(callbacks)
    for callback in callback_list:
        if isinstance(callback, type):
            check_callbacks(callback)
        if not isinstance(callback, Callback):
            raise TypeError(
                "Model: callbacks must hold instances of Callback only, got "
                f"{callback!r} ({type(callback).__name__})."
            )
    return callback_list


def list_old_hook_names(callback: Callback) -> list[str]:
    """Return the old hook names that a user's class defines itself; empty for built-in classes."""
    if is_built_in(callback):
        return []
    return [name for name in OLD_NAMES if name in type(callback).__dict__]


def is_built_in(callback: Callback) -> bool:
    """Whether the callback's class is part of this package."""
    return type(callback).__module__.partition(".")[0] == __name__.partition(".")[0]


class InternalCallbackParam(dict):
    """``cb_params``: the dict of a run's state that callbacks read and write, also by attribute.

    >>> params = InternalCallbackParam(cur_step_num=3)
    >>> params.cur_step_num
    3
    """

    __slots__ = ()

    def __getattr__(self, key: str) -> Any:
        """Return the entry ``key``; if it is missing, raise an AttributeError that suggests a
        similar name.
        """
        try:
            return self[key]
        except KeyError:
            raise MissingAttribute(
                f"cb_params: has no {key!r} at this point.", key, lambda: self
            ) from None

    def __setattr__(self, key: str, value: Any) -> None:
        """Set the entry ``key``."""
        self[key] = value

    def __delattr__(self, key: str) -> None:
        """Remove the entry ``key``, if it exists."""
        self.pop(key, None)


def handle_loss(outputs: Any) -> Any:
    """Return the loss in a network's outputs in the form that monitors print.

    The loss of a Tensor is the mean of its elements, as a float; that of a tuple or list is its
    first element, if that is a Tensor. Other outputs are returned unchanged.
    """
    if isinstance(outputs, tuple | list):
        return outputs[0] if outputs and isinstance(outputs[0], Tensor) else outputs
    if isinstance(outputs, Tensor):
        return float(np.mean(outputs.asnumpy()))
    return outputs
