"""LambdaCallback: a callback made of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore.train.callback.base import Callback, RunContext

Hook = Callable[[RunContext], Any] | None


class LambdaCallback(Callback):
    """Call a function at each of the twelve events of a run, except where it is None.

    >>> from minispore.train import LambdaCallback
    >>> show = LambdaCallback(on_train_end=lambda run_context: print("done"))
    """

    def __init__(
        self,
        on_train_epoch_begin: Hook = None,
        on_train_epoch_end: Hook = None,
        on_train_step_begin: Hook = None,
        on_train_step_end: Hook = None,
        on_train_begin: Hook = None,
        on_train_end: Hook = None,
        on_eval_epoch_begin: Hook = None,
        on_eval_epoch_end: Hook = None,
        on_eval_step_begin: Hook = None,
        on_eval_step_end: Hook = None,
        on_eval_begin: Hook = None,
        on_eval_end: Hook = None,
    ) -> None:
        for event, hook in list(locals().items()):
            if event.startswith("on_"):
                if hook is not None and not callable(hook):
                    raise TypeError(f"LambdaCallback: {event} must be a function, got {hook!r}.")
                setattr(self, event, hook or _do_nothing)


def _do_nothing(run_context: RunContext) -> None:
    """Do nothing, in place of a hook that was not given."""
