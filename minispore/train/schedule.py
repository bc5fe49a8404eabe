"""explain_schedule: the steps, callbacks and data use of a training, computed before it runs.

The computation is arithmetic on the arguments; property tests compare it with real trainings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from minispore import context, device
from minispore.foundation import charts, checks
from minispore.train.arguments import check_sink_size
from minispore.train.callback.monitors import find_last_print_step

MAX_PRINTED_EPOCHS = 12


class EpochPlan(NamedTuple):
    """The steps, batches and printed lines of one epoch in a schedule.

    Attributes:
        epoch: its number, from 1.
        first_batch: (pass, index within the pass) of its first batch, from 0.
        last_batch: likewise, of its last batch.
        step_ends: ``cur_step_num`` at each on_train_step_end.
        lines: the lines that LossMonitor prints in the epoch, without the loss.
    """

    epoch: int
    first_batch: tuple[int, int]
    last_batch: tuple[int, int]
    step_ends: range
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Schedule(charts.TextRepr):
    """The schedule of a training, as computed by :func:`explain_schedule`.

    Attributes:
        sink: whether the data goes through the device's queue.
        why_not: the reason if data sink was requested but is not used, else "".
        batch_num: steps per epoch.
        steps: steps of the training.
        turns: calls of the network, each followed by on_train_step_end.
        interactions: interactions of host and device.
        passes: passes over the dataset begun.
        unused_batches: batches of the last pass that no step uses.
        unused_rows: ``unused_batches`` in rows; None without ``batch_size``.
        epochs: one plan per epoch.
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
        """The number of rows of the last pass that no step uses."""
        return None if self.batch_size is None else self.unused_batches * self.batch_size

    @property
    def printed(self) -> list[str]:
        """All lines that LossMonitor prints, without the loss."""
        return [line for epoch in self.epochs for line in epoch.lines]

    def __str__(self) -> str:
        """Return a text: the facts of the schedule and a table of its first ``MAX_PRINTED_EPOCHS``
        epochs.
        """
        sink_text = "data sink" if self.sink else "no sink"
        if self.why_not:
            sink_text += f" ({self.why_not})"
        mode = "GRAPH" if self.graph else "PYNATIVE"
        facts = [
            f"{sink_text}, {mode} mode on {self.target}",
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
        batches = "batches (pass:number, from 0)"
        header = f"{'epoch':>5}  {batches}  {'step_end at':<15}  LossMonitor prints"
        epoch_rows = [_format_epoch(e) for e in self.epochs[:MAX_PRINTED_EPOCHS]]
        remaining = len(self.epochs) - MAX_PRINTED_EPOCHS
        if remaining > 0:
            epoch_rows.append(f"{'...':>5}  and {remaining} more epochs")
        return "\n".join([*facts, header, *epoch_rows])


def _format_epoch(e: EpochPlan) -> str:
    """Format one epoch as a row of the table that a Schedule prints."""
    batches = f"{e.first_batch[0]}:{e.first_batch[1]} to {e.last_batch[0]}:{e.last_batch[1]}"
    first, last = e.step_ends[0], e.step_ends[-1]
    ends = f"{first}" if len(e.step_ends) == 1 else f"{first}, {e.step_ends[1]}, ..., {last}"
    lines = f"{len(e.lines)} lines" if len(e.lines) > 1 else "".join(e.lines) or "nothing"
    return f"{e.epoch:>5}  {batches:<29}  {ends:<15}  {lines}"


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
    """Compute the steps, callbacks and data use of ``Model.train`` with these arguments.

    Args:
        epoch: as for ``Model.train``.
        dataset_size: batches per pass, ``dataset.get_dataset_size()``.
        sink_size: as for ``Model.train``.
        dataset_sink_mode: as for ``Model.train``.
        initial_epoch: as for ``Model.train``.
        per_print_times: as for LossMonitor.
        batch_size: rows per batch, to also count rows.
        every_step: as for LossMonitor.
        mode: GRAPH_MODE or PYNATIVE_MODE; that of the context by default.
        device_target: that of the context by default.

    Returns:
        The schedule, which prints as a table.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument has an invalid value.

    >>> plan = explain_schedule(2, 3, sink_size=2, mode=0, device_target="Ascend")
    >>> print(plan)
    data sink, GRAPH mode on Ascend
    epochs      1..2, 2 steps each
    steps       4
    callbacks   on_train_step_end 2 times, on_train_epoch_end 2 times
    interactions of host and device  2
    data        4 batches, 2 passes of 3 begun
                2 batches of the last are not used
    epoch  batches (pass:number, from 0)  step_end at      LossMonitor prints
        1  0:0 to 0:1                     2                epoch: 1 step: 2
        2  0:2 to 1:0                     4                epoch: 2 step: 2
    """
    api_name = "explain_schedule"
    size = checks.integer(api_name, "dataset_size", dataset_size, 1)
    checks.boolean(api_name, "dataset_sink_mode", dataset_sink_mode)
    steps_per_sink = check_sink_size(api_name, sink_size, size)
    checks.integer(api_name, "epoch", epoch, 1)
    checks.integer(api_name, "initial_epoch", initial_epoch, 0)
    checks.integer(api_name, "per_print_times", per_print_times, 0)
    if initial_epoch >= epoch:
        raise ValueError(f"{api_name}: initial_epoch must be less than epoch={epoch}.")
    current_context = context.current()
    target = current_context.device_target if device_target is None else device_target
    if target not in device.TARGETS:
        target_names = ", ".join(device.TARGETS)
        raise ValueError(
            f"{api_name}: device_target must be one of {target_names}, got {target!r}."
        )
    is_graph_mode = (current_context.mode if mode is None else mode) == context.GRAPH_MODE
    uses_sink = dataset_sink_mode and device.TARGETS[target].sinks
    why_not = (
        f"asked for, but {target} has no device queue" if dataset_sink_mode != uses_sink else ""
    )
    steps_per_epoch = steps_per_sink if uses_sink else size
    steps_per_call = steps_per_epoch if uses_sink and is_graph_mode else 1
    epoch_count = epoch - initial_epoch
    initial_step, total_steps = initial_epoch * steps_per_epoch, epoch_count * steps_per_epoch
    plans = []
    check_interval = 1 if every_step else steps_per_call
    last_printed = find_last_print_step(per_print_times, check_interval, initial_step)
    for epoch_index in range(initial_epoch, epoch):
        first, end = epoch_index * steps_per_epoch, (epoch_index + 1) * steps_per_epoch
        step_ends = range(first + steps_per_call, end + 1, steps_per_call)
        checked_steps = range(first + check_interval, end + 1, check_interval)
        lines = []
        for step in checked_steps:
            if per_print_times and step - last_printed >= per_print_times:
                last_printed = step
                lines.append(f"epoch: {epoch_index + 1} step: {(step - 1) % steps_per_epoch + 1}")
        plans.append(
            EpochPlan(
                epoch_index + 1, divmod(first, size), divmod(end - 1, size), step_ends, tuple(lines)
            )
        )
    # The passes begun up to the last step, without those that ended before the first step.
    passes = -(-(initial_step + total_steps) // size) - initial_step // size
    one_interaction_per_sink = uses_sink and is_graph_mode and target == "Ascend"
    return Schedule(
        epoch=epoch,
        initial_epoch=initial_epoch,
        dataset_size=size,
        batch_size=batch_size,
        sink=uses_sink,
        why_not=why_not,
        graph=is_graph_mode,
        target=target,
        batch_num=steps_per_epoch,
        steps=total_steps,
        turns=total_steps // steps_per_call,
        interactions=epoch_count if one_interaction_per_sink else total_steps,
        passes=passes,
        unused_batches=-(initial_step + total_steps) % size,
        epochs=tuple(plans),
    )


__all__ = ["EpochPlan", "Schedule", "explain_schedule"]
