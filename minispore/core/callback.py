"""Callback and RunContext: the interface of callbacks, independent of any kind of run."""

from __future__ import annotations

from types import TracebackType
from typing import Any, ClassVar


class Callback:
    """Base class of all callbacks: a subclass overrides the methods of the events it handles.

    Every method gets a :class:`RunContext`. The ``on_train_*`` methods are called in training, the
    ``on_eval_*`` methods in evaluation, and those with old names (``begin``, ``step_end``, ...) in
    both, unless the method with the new name is overridden. A callback is also a context manager
    around the whole run.

    >>> class Count(Callback):
    ...     steps = 0
    ...     def on_train_step_end(self, run_context):
    ...         self.steps = run_context.original_args().cur_step_num
    """

    _reports_: ClassVar[bool] = True  # False: prints nothing, so a progress bar may be shown

    # Names of attributes (numbers, strings, Tensors, dicts) that a resumed training restores;
    # a checkpoint saves them.
    resumes: ClassVar[tuple[str, ...]] = ()

    # Identifies the callback's output, if all ranks that train together write the same. The first
    # rank that has the callback writes it; on the other ranks the second attribute is True.
    _output_id_: str | None = None
    _another_rank_writes_: bool = False

    def __enter__(self) -> Any:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Release the callback's resources; also called after an exception."""

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
        """Called once after an evaluation; by default calls ``end``."""
        self.end(run_context)


class RunContext:
    """The argument of each callback method: the run's shared dict and the stop request.

    Args:
        original_args: the dict that all callbacks of a run share.

    Raises:
        TypeError: it is not a dict.
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
        """Return the shared dict itself; the run sees changes to it."""
        return self._original_args

    def request_stop(self) -> None:
        """Request that the run ends after this step; in sink mode, after this epoch."""
        self._stop_requested = True

    def get_stop_requested(self) -> bool:
        """Return whether a stop was requested."""
        return self._stop_requested


#: Callbacks that are called in every run of this process, after the run's own ones.
watchers: list[Callback] = []

__all__ = ["Callback", "RunContext"]
