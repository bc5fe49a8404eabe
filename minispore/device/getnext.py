"""The text of GetNext errors, derived from the history of a channel.

The searchable words are MindSpore's on a device (``fault kernel_name=GetNext``, ``task error``,
``outputs = self.get_next()``); the five patterns are those that MindSpore's FAQ derives from the
channel's log (queue sizes, push times).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

HISTORY = 10  # number of entries that MindSpore's channel log keeps


@dataclass
class ChannelHistory:
    """The last queue sizes and batch times of a channel, and counts of its batches."""

    queue: str
    capacity: int
    profile: Callable[[], dict[str, float]] | None = None
    produced: int = 0  # number of batches that the pipeline produced
    sent: int = 0  # batches that went into the queue
    consumed_count: int = 0  # batches that GetNext got
    wait_count: int = 0
    waited_s: float = 0.0
    device_queue: deque[int] = field(default_factory=lambda: deque(maxlen=HISTORY))
    pipeline_s: deque[float] = field(default_factory=lambda: deque(maxlen=HISTORY))

    def note_sent(self, pipeline_time_s: float) -> None:
        """Record a batch that was queued, and the seconds the pipeline took to make it."""
        self.sent += 1
        self.pipeline_s.append(pipeline_time_s)

    def note_dequeued(self, queued: int, waited_s: float) -> None:
        """Record that GetNext took a batch after ``waited_s`` seconds and left ``queued`` batches
        queued.
        """
        self.consumed_count += 1
        self.device_queue.append(queued)
        if waited_s:
            self.wait_count += 1
            self.waited_s += waited_s

    @property
    def pattern(self) -> str:
        """The number and text of the FAQ's failure pattern that matches this history."""
        queue_sizes = list(self.device_queue)
        if self.sent == 0 and self.produced == 0:
            return "1: nothing was sent and no push was begun; the pipeline produced nothing"
        if self.sent == 0:
            return "2: a batch was produced but none was sent; the transfer is stuck"
        if queue_sizes and sum(queue_sizes) >= 0.9 * self.capacity * len(queue_sizes):
            return "4: the device queue is full; the network is slow or hangs, not the data"
        if self.sent <= 3:
            return f"3: {self.sent} sent, then slow; batch {self.sent + 1} takes long to make"
        return "5: the device queue is mostly empty; the data comes too slowly"

    @property
    def slowest_operation(self) -> str:
        """The dataset operation with the largest share of the pipeline's time, as text."""
        seconds = self.profile() if self.profile is not None else {}
        profiled_s = sum(seconds.values())
        if not profiled_s:
            total_s = sum(self.pipeline_s)
            return (
                f"not known; the last {len(self.pipeline_s)} batches took {total_s:.3f} s to make"
            )
        name = max(seconds, key=seconds.__getitem__)
        return f"{name}, {100 * seconds[name] / profiled_s:.0f} % of the pipeline's time"


_CASES = {
    "exhausted": "the queue is exhausted: the pipeline has ended, and GetNext asked for one batch "
    "more than it produced",
    "failed": "the pipeline failed (TDT Push data into device Failed): {failure}",
    "timeout": "get data timeout: no batch came for {waited_s:.2f} s (op_timeout {limit_s:g} s)",
    "closed": "the queue is closed: its dataset helper was released or the training has ended",
    "shape": "the shape changed, which a compiled graph can't follow: {detail}",
    "unknown": "Queue({queue}) Open Failed: there is no queue of this name",
}
_HINTS = {
    "exhausted": "Ask for fewer steps: at most epoch_num * get_dataset_size() of them, or give "
    "DatasetHelper a larger epoch_num.",
    "shape": "Use batch(..., drop_remainder=True), pad to one shape, or train with sink_size=1, "
    "which compiles one graph for each shape.",
    "closed": "Make a new DatasetHelper (or data_sink) and connect the network again.",
    "unknown": "Take the queue name from dataset_helper.iter.dataset.__transfer_dataset__.",
    "timeout": "Raise the limit with set_context(op_timeout=seconds) if the pipeline is only slow.",
}


def explain(
    case: str, history: ChannelHistory, failure: BaseException | None = None, **facts: Any
) -> str:
    """Return the text of the GetNext error for ``case``.

    Args:
        case: a key of ``_CASES``.
        history: the history of the channel.
        failure: the exception of the pipeline, if it failed.
        **facts: values of the placeholders in the text of the case.
    """
    failure_text = f"{type(failure).__name__}: {failure}" if failure is not None else ""
    cause = _CASES[case].format(failure=failure_text, queue=history.queue, **facts)
    lines = [
        f"GetNext: {cause}.",
        "  run task error! fault kernel_name=GetNext, "
        "Dump node (Default/GetNext-op1) task error, at: outputs = self.get_next()",
        f"  Queue name: {history.queue}. Batches produced: {history.produced}, sent: "
        f"{history.sent}, consumed: {history.consumed_count}.",
        f"  device_queue (last sizes): {list(history.device_queue)}; "
        f"seconds to make the last batches: {[round(s, 3) for s in history.pipeline_s]}",
    ]
    if case in ("timeout", "failed", "exhausted"):
        lines += [
            f"  Pattern {history.pattern}.",
            f"  Slowest dataset operation: {history.slowest_operation}.",
        ]
    if case in _HINTS:
        lines.append(f"  {_HINTS[case]}")
    lines += [
        "  To find out more: set dataset_sink_mode=False and train again;",
        "  iterate the dataset alone with create_dict_iterator(); optimise the data processing.",
    ]
    return "\n".join(lines)
