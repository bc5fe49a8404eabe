"""Calls of a map's callbacks while a run goes on, in the order of the rows.

A step is a row of the map. The calls before steps are made where rows are pulled, one by one; the
calls after steps are made where rows are passed on, again in order, regardless of the number of
workers in between. An epoch is a pass of the whole pipeline, so a repeat above the map makes it
longer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from minispore.dataset.pipeline.block import Block
from minispore.errors import DatasetError


@dataclass(frozen=True)
class CallbackParam:
    """The progress of a map, passed to its callbacks.

    Attributes:
        cur_epoch_num: the epoch, from 1; 0 before the first.
        cur_step_num: the row, from 1, counted over all epochs.
        cur_step_num_in_epoch: the row, from 1, counted in this epoch.
        stopped: returns whether the pipeline was closed, so that a callback must stop waiting.
    """

    cur_epoch_num: int
    cur_step_num: int
    cur_step_num_in_epoch: int
    stopped: Callable[[], bool] = field(repr=False, compare=False)


Call = Callable[[CallbackParam], None]


@dataclass(frozen=True)
class Hooks:
    """The methods of one callback that the pipeline calls; None for those not overridden.

    Args:
        name: the name of the callback, for messages.
        step_size: the interval, in steps, between calls of the step methods, from an epoch's first
            step on.
    """

    name: str
    step_size: int
    ds_begin: Call | None = None
    ds_epoch_begin: Call | None = None
    ds_epoch_end: Call | None = None
    ds_step_begin: Call | None = None
    ds_step_end: Call | None = None

    @property
    def watches_steps(self) -> bool:
        """Whether the callback is called at steps."""
        return self.ds_step_begin is not None or self.ds_step_end is not None


class CallbackCalls:
    """Calls the callbacks of one map in one run, in order.

    Args:
        hooks: the hooks of the callbacks, in their order.
        stopped: returns whether the run was closed.
    """

    def __init__(self, hooks: Sequence[Hooks], stopped: Callable[[], bool]) -> None:
        self._hooks, self._stopped = tuple(hooks), stopped
        self._sizes = [h.step_size for h in hooks if h.watches_steps]
        self._epoch = self._step_count = self._steps_in_epoch = 0
        self._epoch_is_open = False  # whether an epoch has begun but not ended
        # One entry for each yielded block whose steps have begun but not ended.
        self._open_steps: deque[CallbackParam] = deque()

    def begin_epoch(self) -> None:
        """Begin an epoch unless one is open: a repeat makes several passes of one epoch.

        Calls ``ds_epoch_begin``, and before the first epoch ``ds_begin``.
        """
        if self._epoch_is_open:
            return
        if not self._epoch:
            self._call_hooks("ds_begin", self._make_param())
        self._epoch_is_open = True
        self._epoch, self._steps_in_epoch = self._epoch + 1, 0
        self._call_hooks("ds_epoch_begin", self._make_param())

    def end_epoch(self) -> None:
        """End the open epoch, if any, and call ``ds_epoch_end``.

        The run calls this at the end of a pass over the whole pipeline.
        """
        if self._epoch_is_open:
            self._epoch_is_open = False
            self._call_hooks("ds_epoch_end", self._make_param())

    def begin_steps(self, blocks: Iterator[Block]) -> Iterator[Block]:
        """Yield the blocks, split where a step begins that a callback watches.

        ``ds_step_begin`` is called before each yielded block that has rows; the blocks end early
        once the run is closed.
        """
        for block in blocks:
            done = 0
            while done < block.count:
                size = min([s - self._steps_in_epoch % s for s in self._sizes], default=block.count)
                step_block = block.slice_rows(done, done + size)
                param = self._make_param(1)
                self._call_hooks("ds_step_begin", param)
                if self._stopped():
                    return
                self._open_steps.append(param)
                self._step_count += step_block.count
                self._steps_in_epoch += step_block.count
                done += step_block.count
                yield step_block
            if not block.count:
                self._open_steps.append(self._make_param())
                yield block

    def end_step(self, block: Block) -> None:
        """Call ``ds_step_end`` for the oldest block that ``begin_steps`` yielded.

        An empty block does not count as a step.
        """
        param = self._open_steps.popleft()
        if block.count:
            self._call_hooks("ds_step_end", param)

    def _make_param(self, extra_steps: int = 0) -> CallbackParam:
        """Return the current progress, advanced by ``extra_steps``."""
        return CallbackParam(
            self._epoch,
            self._step_count + extra_steps,
            self._steps_in_epoch + extra_steps,
            self._stopped,
        )

    def _call_hooks(self, event: str, param: CallbackParam) -> None:
        """Call ``event`` of all callbacks with it; a step event only every ``step_size`` steps.

        Raises:
            DatasetError: a callback failed.
        """
        is_step_event = event in ("ds_step_begin", "ds_step_end")
        for hooks in self._hooks:
            call = getattr(hooks, event)
            if call is None:
                continue
            if is_step_event and (param.cur_step_num_in_epoch - 1) % hooks.step_size:
                continue
            try:
                call(param)
            except Exception as exc:
                raise DatasetError(
                    f"map: {event} of the callback {hooks.name} failed at step "
                    f"{param.cur_step_num_in_epoch} of epoch {param.cur_epoch_num}. "
                    f"{type(exc).__name__}: {exc}"
                ) from exc
