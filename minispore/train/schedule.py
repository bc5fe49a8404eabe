"""explain_schedule: what a training will do, before it does it.

Everything here is arithmetic on the arguments; hypothesis holds it against real trainings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from minispore import context, device
from minispore.foundation import charts, checks
from minispore.train.arguments import sink_size_of
from minispore.train.callback.monitors import last_line

SHOWN_ROWS = 12


class EpochPlan(NamedTuple):
    """One epoch.

    Attributes:
        epoch: its number, from 1.
        first_batch: (pass, number in it) of its first batch, from 0.
        last_batch: the same of its last batch.
        step_ends: ``cur_step_num`` at each on_train_step_end.
        lines: what LossMonitor prints in it, without the loss.
    """

    epoch: int
    first_batch: tuple[int, int]
    last_batch: tuple[int, int]
    step_ends: range
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Schedule(charts.ShownAsText):
    """What :func:`explain_schedule` found.

    Attributes:
        sink: whether the data goes through the device's queue.
        why_not: why it does not although it was asked for, or "".
        batch_num: steps of an epoch.
        steps: steps of the training.
        turns: calls of the network; as many on_train_step_end.
        interactions: how often host and device meet.
        passes: passes over the dataset that begin.
        unused_batches: batches of the last pass that no step sees.
        unused_rows: the same in rows; None without ``batch_size``.
        epochs: one plan for each epoch.
    """

    epoch: int
    initial_epoch: int
    dataset_size: int
    batch_size: int | None
    sink: bool
    why_not: str
    graph: bool
    target: str
    batch_num: int
    steps: int
    turns: int
    interactions: int
    passes: int
    unused_batches: int
    epochs: tuple[EpochPlan, ...]

    @property
    def unused_rows(self) -> int | None:
        """Rows of the last pass that no step sees."""
        return None if self.batch_size is None else self.unused_batches * self.batch_size

    @property
    def printed(self) -> list[str]:
        """All lines that LossMonitor prints, without the loss."""
        return [line for epoch in self.epochs for line in epoch.lines]

    def __str__(self) -> str:
        how = "data sink" if self.sink else "no sink"
        if self.why_not:
            how += f" ({self.why_not})"
        mode = "GRAPH" if self.graph else "PYNATIVE"
        facts = [
            f"{how}, {mode} mode on {self.target}",
            f"epochs      {self.initial_epoch + 1}..{self.epoch}, {self.batch_num} steps each",
            f"steps       {self.steps}",
            f"callbacks   on_train_step_end {self.turns} times, on_train_epoch_end "
            f"{len(self.epochs)} times",
            f"interactions of host and device  {self.interactions}",
            f"data        {self.steps} batches, {self.passes} passes of {self.dataset_size} begun",
        ]
        if self.unused_batches:
            rows = "" if self.unused_rows is None else f" ({self.unused_rows} rows)"
            facts.append(
                f"            {self.unused_batches} batches{rows} of the last are not used"
            )
        head = (
            f"{'epoch':>5}  {'batches (pass:number)':<25}  {'step_end at':<15}  LossMonitor prints"
        )
        rows_shown = [_row(e) for e in self.epochs[:SHOWN_ROWS]]
        left = len(self.epochs) - SHOWN_ROWS
        if left > 0:
            rows_shown.append(f"{'...':>5}  and {left} more epochs")
        return "\n".join([*facts, head, *rows_shown])


def _row(e: EpochPlan) -> str:
    batches = f"{e.first_batch[0]}:{e.first_batch[1]} to {e.last_batch[0]}:{e.last_batch[1]}"
    first, last = e.step_ends[0], e.step_ends[-1]
    ends = f"{first}" if len(e.step_ends) == 1 else f"{first}, {e.step_ends[1]}, ..., {last}"
    lines = f"{len(e.lines)} lines" if len(e.lines) > 1 else "".join(e.lines) or "nothing"
    return f"{e.epoch:>5}  {batches:<25}  {ends:<15}  {lines}"


def explain_schedule(
    epoch: int,
    dataset_size: int,
    sink_size: int = -1,
    dataset_sink_mode: bool = True,
    initial_epoch: int = 0,
    per_print_times: int = 1,
    batch_size: int | None = None,
    every_step: bool = False,
    mode: int | None = None,
    device_target: str | None = None,
) -> Schedule:
    """What ``Model.train`` with these arguments will do, without doing it.

    Args:
        epoch: as for ``Model.train``.
        dataset_size: batches of a pass, ``dataset.get_dataset_size()``.
        sink_size: as for ``Model.train``.
        dataset_sink_mode: as for ``Model.train``.
        initial_epoch: as for ``Model.train``.
        per_print_times: of a LossMonitor.
        batch_size: rows of a batch, to count rows too.
        every_step: of a LossMonitor.
        mode: GRAPH_MODE or PYNATIVE_MODE; that of the context by default.
        device_target: that of the context by default.

    Returns:
        A record to print or to ask.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: one has a value that can't be.

    >>> plan = explain_schedule(2, 3, sink_size=2, mode=0, device_target="Ascend")
    >>> print(plan)
    data sink, GRAPH mode on Ascend
    epochs      1..2, 2 steps each
    steps       4
    callbacks   on_train_step_end 2 times, on_train_epoch_end 2 times
    interactions of host and device  2
    data        4 batches, 2 passes of 3 begun
                2 batches of the last are not used
    epoch  batches (pass:number)      step_end at      LossMonitor prints
        1  0:0 to 0:1                 2                epoch: 1 step: 2
        2  0:2 to 1:0                 4                epoch: 2 step: 2
    """
    who = "explain_schedule"
    size = checks.integer(who, "dataset_size", dataset_size, 1)
    checks.boolean(who, "dataset_sink_mode", dataset_sink_mode)
    steps = sink_size_of(who, sink_size, size)
    checks.integer(who, "epoch", epoch, 1)
    checks.integer(who, "initial_epoch", initial_epoch, 0)
    checks.integer(who, "per_print_times", per_print_times, 0)
    if initial_epoch >= epoch:
        raise ValueError(f"{who}: initial_epoch must be less than epoch={epoch}.")
    record = context.current()
    target = record.device_target if device_target is None else device_target
    if target not in device.TARGETS:
        known = ", ".join(device.TARGETS)
        raise ValueError(f"{who}: device_target must be one of {known}, got {target!r}.")
    graph = (record.mode if mode is None else mode) == context.GRAPH_MODE
    sink = dataset_sink_mode and device.TARGETS[target].sinks
    why_not = f"asked for, but {target} has no device queue" if dataset_sink_mode != sink else ""
    per_epoch = steps if sink else size
    per_turn = per_epoch if sink and graph else 1
    count = epoch - initial_epoch
    begun, total = initial_epoch * per_epoch, count * per_epoch
    plans = []
    turn = 1 if every_step else per_turn
    last_printed = last_line(per_print_times, turn, begun)
    for k in range(initial_epoch, epoch):
        first, end = k * per_epoch, (k + 1) * per_epoch
        ends = range(first + per_turn, end + 1, per_turn)
        looked_at = range(first + turn, end + 1, turn)
        lines = []
        for step in looked_at:
            if per_print_times and step - last_printed >= per_print_times:
                last_printed = step
                lines.append(f"epoch: {k + 1} step: {(step - 1) % per_epoch + 1}")
        plans.append(
            EpochPlan(k + 1, divmod(first, size), divmod(end - 1, size), ends, tuple(lines))
        )
    passes = -(-(begun + total) // size) - begun // size
    once_a_sink = sink and graph and target == "Ascend"
    return Schedule(
        epoch=epoch,
        initial_epoch=initial_epoch,
        dataset_size=size,
        batch_size=batch_size,
        sink=sink,
        why_not=why_not,
        graph=graph,
        target=target,
        batch_num=per_epoch,
        steps=total,
        turns=total // per_turn,
        interactions=count if once_a_sink else total,
        passes=passes,
        unused_batches=-(begun + total) % size,
        epochs=tuple(plans),
    )


__all__ = ["EpochPlan", "Schedule", "explain_schedule"]
