"""Fused calls: formulas, such as flash attention, that a device computes in one kernel.

One record replaces the ops of a call, and another the ops of its derivative. Intermediates take no
memory; the derivative recomputes them from the inputs and outputs of the call.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from minispore.device.model.records import BACKWARD, Operand, OpRecord
from minispore.ir.value import Value


def fuse_calls(
    records: Sequence[OpRecord], calls: Mapping[Value, str], results: set[Value]
) -> list[OpRecord]:
    """Return the records with one record in place of the ops of each call, and of each derivative.

    Args:
        records: the ops of a step.
        calls: the call of an op, such as "RmsNorm-3", by the op's first output.
        results: the outputs of the step.
    """
    members: defaultdict[tuple[str, bool], list[int]] = defaultdict(list)
    readers: defaultdict[Hashable, set[int]] = defaultdict(set)
    for index, r in enumerate(records):
        key = r.outputs[0].key if r.outputs else None
        call = calls.get(key) if isinstance(key, Value) else None
        if call:
            members[call, r.kind == BACKWARD].append(index)
        for o in r.inputs:
            readers[o.key].add(index)
    replacements: dict[int, OpRecord | None] = dict.fromkeys(
        index for indices in members.values() for index in indices
    )
    for (call, is_backward), indices in members.items():
        if is_backward and (call, False) in members:
            continue  # fused together with its forward call
        all_indices = {*indices, *members.get((call, True), ())}
        forward = [records[i] for i in indices]
        outputs = _find_outputs(forward, readers, all_indices, results)
        replacements[indices[0]] = _make_fused_record(call, forward, forward, outputs)
        if len(all_indices) > len(indices):
            backward_indices = members[call, True]
            backward = [records[i] for i in backward_indices]
            saved_operands = _drop_duplicates((*_find_inputs(forward), *outputs))
            grads = _find_outputs(backward, readers, set(backward_indices), results)
            derivative = _make_fused_record(
                f"{call}-Grad", backward, forward + backward, grads, saved_operands
            )
            replacements[backward_indices[0]] = derivative
            statistics = _make_statistics(call, forward)
            if statistics is not None:
                forward_record = replacements[indices[0]]
                assert forward_record is not None
                replacements[indices[0]] = replace(
                    forward_record, outputs=(*forward_record.outputs, statistics)
                )
                replacements[backward_indices[0]] = replace(
                    derivative, inputs=(*derivative.inputs, statistics)
                )
    return [
        record
        for index, r in enumerate(records)
        if (record := replacements.get(index, r)) is not None
    ]


def _make_fused_record(
    call: str,
    replaced: Sequence[OpRecord],
    ops: Sequence[OpRecord],
    outputs: Sequence[Operand],
    saved: Sequence[Operand] = (),
) -> OpRecord:
    """Return one record in place of the ops ``replaced`` of a call, or of its derivative.

    Its parts are the records of ``ops`` that compute the outputs from ``saved`` and other arrays.
    """
    saved_keys = {o.key for o in saved}
    needed_keys = {o.key for o in outputs}
    parts: list[OpRecord] = []
    for r in reversed(ops):
        needed = {o.key for o in r.outputs} & needed_keys - saved_keys
        if needed:
            parts.insert(0, r)
            needed_keys.update(o.key for o in r.inputs)
    output_keys = {o.key for r in ops for o in r.outputs} - saved_keys
    inputs = [o for o in (*saved, *_find_inputs(parts)) if o.key in needed_keys - output_keys]
    name, _, suffix = call.partition("-")
    first_op = replaced[0]
    return OpRecord(
        name + ("Grad" if suffix.endswith("Grad") else ""),
        _drop_duplicates(inputs),
        tuple(outputs),
        kind=first_op.kind,
        scope=first_op.scope,
        line=first_op.line,
        parts=tuple(parts),
    )


def _make_statistics(call: str, ops: Sequence[OpRecord]) -> Operand | None:
    """Return the array that a call's softmax saves for the derivative; None if it has no softmax.

    It holds the maximum and the sum of each row, 8 times each in float32, as in
    FlashAttentionScore.
    """
    for r in ops:
        if r.name in ("Softmax", "ShiftedSoftmax"):
            shape = (*r.outputs[0].shape[:-1], 2 * 8)
            return Operand(("statistics", call), shape, np.dtype(np.float32))
    return None


def _find_inputs(ops: Sequence[OpRecord]) -> tuple[Operand, ...]:
    """Return the arrays that ``ops`` read but do not make, each once."""
    output_keys = {o.key for r in ops for o in r.outputs}
    return _drop_duplicates(o for r in ops for o in r.inputs if o.key not in output_keys)


def _find_outputs(
    ops: Sequence[OpRecord],
    readers: Mapping[Hashable, set[int]],
    inside: set[int],
    results: set[Value],
) -> list[Operand]:
    """Return the outputs of ``ops`` that other ops read or that are outputs of the step; the last
    output if there are none.

    ``inside`` are the indices of ops whose reads do not count.
    """
    outputs = [o for r in ops for o in r.outputs]
    used = [o for o in outputs if o.key in results or readers.get(o.key, set()) - inside]
    return used or outputs[-1:]


def _drop_duplicates(operands: Iterable[Operand]) -> tuple[Operand, ...]:
    """Return the operands without duplicate arrays."""
    return tuple({o.key: o for o in operands}.values())
