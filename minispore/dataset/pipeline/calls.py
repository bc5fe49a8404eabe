"""Calls: what a map tells its callbacks while a run goes on, in the order of the rows.

A step is a row of the map. The calls before steps are made where rows are pulled, one after the
other; those after steps where rows are handed on, in order again, however many workers were busy
in between. An epoch is a pass of the whole pipeline, so a repeat above the map makes it longer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from minispore.dataset.pipeline.block import Block
from minispore.errors import DatasetError


@dataclass(frozen=True)
class CallbackParam:
    """Where a map is: what its callbacks are called with.

    Attributes:
        cur_epoch_num: the epoch, from 1; 0 before the first.
        cur_step_num: the row, from 1, counted over all epochs.
        cur_step_num_in_epoch: the row, counted in this one.
        stopped: says whether the pipeline was closed, so that nobody should wait any longer.
    """

    cur_epoch_num: int
    cur_step_num: int
    cur_step_num_in_epoch: int
    stopped: Callable[[], bool] = field(repr=False, compare=False)


Call = Callable[[CallbackParam], None]


@dataclass(frozen=True)
class Hooks:
    """What one callback wants to be told; None for what it does not.

    Args:
        name: of the callback, for messages.
        step_size: it is told of every so many steps, beginning with the first of an epoch.
    """

    name: str
    step_size: int
    ds_begin: Call | None = None
    ds_epoch_begin: Call | None = None
    ds_epoch_end: Call | None = None
    ds_step_begin: Call | None = None
    ds_step_end: Call | None = None

    @property
    def steps(self) -> bool:
        """Whether it wants to know of steps."""
        return self.ds_step_begin is not None or self.ds_step_end is not None


class Calls:
    """The calls of one map in one run.

    Args:
        hooks: of its callbacks, in their order.
        stopped: says whether the run was closed.
    """

    def __init__(self, hooks: Sequence[Hooks], stopped: Callable[[], bool]) -> None:
        self._hooks, self._stopped = tuple(hooks), stopped
        self._sizes = [h.step_size for h in hooks if h.steps]
        self._epoch = self._steps = self._in_epoch = 0
        self._open = False  # an epoch is under way
        self._under_way: deque[CallbackParam] = deque()  # the steps that began and did not end

    def begin_epoch(self) -> None:
        """A pass over the map begins; nothing new, if it is one more in the same epoch."""
        if self._open:
            return
        if not self._epoch:
            self._call("ds_begin", self._here())
        self._open = True
        self._epoch, self._in_epoch = self._epoch + 1, 0
        self._call("ds_epoch_begin", self._here())

    def end_epoch(self) -> None:
        """The pass of the pipeline is over."""
        if self._open:
            self._open = False
            self._call("ds_epoch_end", self._here())

    def before(self, blocks: Iterator[Block]) -> Iterator[Block]:
        """The blocks, cut where a step begins that somebody wants to know of, each after the
        calls for it.
        """
        for block in blocks:
            done = 0
            while done < block.count:
                size = min([s - self._in_epoch % s for s in self._sizes], default=block.count)
                part = block.cut(done, done + size)
                step = self._here(1)
                self._call("ds_step_begin", step)
                if self._stopped():
                    return
                self._under_way.append(step)
                self._steps += part.count
                self._in_epoch += part.count
                done += part.count
                yield part
            if not block.count:
                self._under_way.append(self._here())
                yield block

    def after(self, block: Block) -> None:
        """The oldest of those blocks is through."""
        step = self._under_way.popleft()
        if block.count:
            self._call("ds_step_end", step)

    def _here(self, further: int = 0) -> CallbackParam:
        return CallbackParam(
            self._epoch, self._steps + further, self._in_epoch + further, self._stopped
        )

    def _call(self, event: str, param: CallbackParam) -> None:
        for hooks in self._hooks:
            call = getattr(hooks, event)
            step = event in ("ds_step_begin", "ds_step_end")
            if call is None or (step and (param.cur_step_num_in_epoch - 1) % hooks.step_size):
                continue
            try:
                call(param)
            except Exception as exc:
                raise DatasetError(
                    f"map: {event} of the callback {hooks.name} failed at step "
                    f"{param.cur_step_num_in_epoch} of epoch {param.cur_epoch_num}. "
                    f"{type(exc).__name__}: {exc}"
                ) from exc
