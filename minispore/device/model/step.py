"""One step of a program as the model sees it: its ops, what it is fed with, what it hands back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from minispore import context
from minispore.device.model.records import Operand, OpRecord, in_half, operand, records_of
from minispore.device.model.spec import DeviceSpec
from minispore.graph.ir import Graph

#: Values of ``set_context(ascend_config={"precision_mode": ...})`` that compute in float16.
HALF_MODES = ("force_fp16", "allow_mix_precision", "allow_mix_precision_fp16")


class Step(NamedTuple):
    """The ops of one step, in order, and what crosses the border for it."""

    records: Sequence[OpRecord]
    batch: Sequence[Operand]  # the columns of its batch
    results: Sequence[Operand] | None = None  # what the host gets back; None: a loss, not known
    fetches: bool = False  # whether GetNext brings the batch

    def on(self, spec: DeviceSpec) -> Step:
        """The same step in the precision that the context asks of an Ascend."""
        mode = context.current().ascend_config.get("precision_mode", "")
        if mode not in HALF_MODES or spec.target != "Ascend":
            return self
        return self._replace(records=in_half(self.records, self.batch))


def step_of(graph: Graph) -> Step:
    """The step that a traced graph does."""
    records = records_of(graph)
    fetched = [o for r in records if r.name == "GetNext" for o in r.outputs]
    return Step(
        records,
        fetched or [operand(v) for v in graph.inputs],
        [operand(v) for v in graph.outputs],
        bool(fetched),
    )
