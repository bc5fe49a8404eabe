"""What a GetNext error says: the evidence of a channel, read as an expert would read it.

The searchable words are those of the real device (``fault kernel_name=GetNext``, ``task error``,
``outputs = self.get_next()``); the five patterns are those that MindSpore's FAQ reads off the
channel's log (queue sizes, push times).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

HISTORY = 10  # as many entries as the real channel's log keeps


@dataclass
class Evidence:
    """What happened in a channel; cheap enough to keep always."""

    queue: str
    capacity: int
    profile: Callable[[], dict[str, float]] | None = None
    produced: int = 0  # batches that the pipeline made
    sent: int = 0  # batches that went into the queue
    taken: int = 0  # batches that GetNext got
    waits: int = 0
    waited_s: float = 0.0
    device_queue: deque[int] = field(default_factory=lambda: deque(maxlen=HISTORY))
    pipeline_s: deque[float] = field(default_factory=lambda: deque(maxlen=HISTORY))

    def note_sent(self, took_s: float) -> None:
        """A batch that took so long to make is in the queue."""
        self.sent += 1
        self.pipeline_s.append(took_s)

    def note_taken(self, queued: int, waited_s: float) -> None:
        """GetNext got a batch and left ``queued`` behind."""
        self.taken += 1
        self.device_queue.append(queued)
        if waited_s:
            self.waits += 1
            self.waited_s += waited_s

    @property
    def pattern(self) -> str:
        """Which of the five known patterns this is."""
        sizes = list(self.device_queue)
        if self.sent == 0 and self.produced == 0:
            return "1: nothing was sent and no push was begun; the pipeline produced nothing"
        if self.sent == 0:
            return "2: a batch was produced but none was sent; the transfer is stuck"
        if sizes and sum(sizes) >= 0.9 * self.capacity * len(sizes):
            return "4: the device queue is full; the network is slow or hangs, not the data"
        if self.sent <= 3:
            return f"3: {self.sent} sent, then slow; batch {self.sent + 1} takes long to make"
        return "5: the device queue is mostly empty; the data comes too slowly"

    @property
    def slowest(self) -> str:
        """The dataset operation with the largest share of the pipeline's time."""
        seconds = self.profile() if self.profile is not None else {}
        total = sum(seconds.values())
        if not total:
            made = sum(self.pipeline_s)
            return f"not known; the last {len(self.pipeline_s)} batches took {made:.3f} s to make"
        name = max(seconds, key=seconds.__getitem__)
        return f"{name}, {100 * seconds[name] / total:.0f} % of the pipeline's time"


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
    case: str, evidence: Evidence, failure: BaseException | None = None, **facts: Any
) -> str:
    """The text of the error for ``case``, a key of the table above, which names its ``facts``."""
    e = evidence
    shown = f"{type(failure).__name__}: {failure}" if failure is not None else ""
    what = _CASES[case].format(failure=shown, queue=e.queue, **facts)
    lines = [
        f"GetNext: {what}.",
        "  run task error! fault kernel_name=GetNext, "
        "Dump node (Default/GetNext-op1) task error, at: outputs = self.get_next()",
        f"  Queue name: {e.queue}. Batches produced: {e.produced}, sent: {e.sent}, "
        f"consumed: {e.taken}.",
        f"  device_queue (last sizes): {list(e.device_queue)}; "
        f"seconds to make the last batches: {[round(s, 3) for s in e.pipeline_s]}",
    ]
    if case in ("timeout", "failed", "exhausted"):
        lines += [f"  Pattern {e.pattern}.", f"  Slowest dataset operation: {e.slowest}."]
    if case in _HINTS:
        lines.append(f"  {_HINTS[case]}")
    lines += [
        "  To find out more: set dataset_sink_mode=False and train again;",
        "  iterate the dataset alone with create_dict_iterator(); optimise the data processing.",
    ]
    return "\n".join(lines)
