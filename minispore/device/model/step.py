"""The ops, inputs and results of one step of a program, as the device's model sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from minispore import context
from minispore.device.model.records import (
    Operand,
    OpRecord,
    convert_to_float16,
    make_operand,
    records_of,
)
from minispore.device.model.spec import DeviceSpec
from minispore.graph.ir import Graph

#: Values of ``set_context(ascend_config={"precision_mode": ...})`` that compute in float16.
FLOAT16_MODES = ("force_fp16", "allow_mix_precision", "allow_mix_precision_fp16")


class Step(NamedTuple):
    """The ops of one step, in order, and the arrays that host and device exchange for it."""

    records: Sequence[OpRecord]
    batch: Sequence[Operand]  # the columns of its batch
    results: Sequence[Operand] | None = None  # arrays that go back to the host; None: one loss
    uses_getnext: bool = False  # whether GetNext brings the batch

    def apply_precision_mode(self, spec: DeviceSpec) -> Step:
        """Return the step in the precision of ``ascend_config``, if ``spec`` is an Ascend."""
        mode = context.current().ascend_config.get("precision_mode", "")
        if mode not in FLOAT16_MODES or spec.target != "Ascend":
            return self
        return self._replace(records=convert_to_float16(self.records, self.batch))


def make_step(graph: Graph) -> Step:
    """Make the step of a traced graph; its batch is GetNext's output, or the graph's inputs."""
    records = records_of(graph)
    getnext_outputs = [o for r in records if r.name == "GetNext" for o in r.outputs]
    return Step(
        records,
        getnext_outputs or [make_operand(v) for v in graph.inputs],
        [make_operand(v) for v in graph.outputs],
        bool(getnext_outputs),
    )
