"""The ops, inputs and results of one step of a program, as the device's model sees them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from minispore import context
from minispore.device.model.fused_calls import fuse_calls
from minispore.device.model.records import (
    Operand,
    OpRecord,
    convert_to_float16,
    make_operand,
    records_of,
)
from minispore.device.model.spec import DeviceSpec
from minispore.graph.ir import Graph
from minispore.graph.trace import Retrace
from minispore.ir.value import Spec

#: Values of ``set_context(ascend_config={"precision_mode": ...})`` that compute in float16.
FLOAT16_MODES = ("force_fp16", "allow_mix_precision", "allow_mix_precision_fp16")


class Step(NamedTuple):
    """The ops of one step, in order, and the arrays that host and device exchange for it."""

    records: Sequence[OpRecord]
    batch: Sequence[Operand]  # the columns of the batch
    results: Sequence[Operand] | None = None  # arrays copied back to the host; None: one loss
    uses_getnext: bool = False  # whether GetNext fetches the batch
    # Traces the step with the rows of its batch multiplied by a factor.
    trace_scaled: Callable[[int], Step] | None = None

    def apply_precision_mode(self, spec: DeviceSpec) -> Step:
        """Return the step in the precision of ``ascend_config`` if ``spec`` is an Ascend, otherwise
        itself.

        float16 modes convert its arrays.
        """
        mode = context.current().ascend_config.get("precision_mode", "")
        if mode not in FLOAT16_MODES or spec.target != "Ascend":
            return self
        trace_scaled = self.trace_scaled
        return self._replace(
            records=convert_to_float16(self.records, self.batch),
            trace_scaled=trace_scaled
            and (lambda factor: trace_scaled(factor).apply_precision_mode(spec)),
        )


def make_step(graph: Graph, retrace: Retrace | None = None) -> Step:
    """Make the step of a traced graph; its batch is GetNext's output, or the graph's inputs.

    Fused calls become one op. ``retrace`` traces the same function on a batch with other specs;
    without it, the Step can't be traced again for a batch of another size.
    """
    records: Sequence[OpRecord] = records_of(graph)
    if graph.fused_calls:
        records = fuse_calls(records, graph.fused_calls, set(graph.results()))
    getnext_outputs = [o for r in records if r.name == "GetNext" for o in r.outputs]
    step = Step(
        records,
        getnext_outputs or [make_operand(v) for v in graph.inputs],
        [make_operand(v) for v in graph.outputs],
        bool(getnext_outputs),
    )
    if retrace is None:
        return step
    return step._replace(
        trace_scaled=lambda factor: make_step(retrace(partial(_scale_rows, factor)))
    )


def _scale_rows(factor: int, specs: Sequence[Spec]) -> list[Spec]:
    """Return the specs of a batch with ``factor`` times the rows of its first column.

    A column is not changed if its first length is not a multiple of the rows.
    """
    rows = specs[0].shape[0] if specs and specs[0].shape else 1
    return [
        Spec((factor * s.shape[0], *s.shape[1:]), s.dtype)
        if s.shape and rows and s.shape[0] % rows == 0
        else s
        for s in specs
    ]
