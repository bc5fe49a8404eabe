"""The files about device memory: planned, in virtual time."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

from minispore.device.model.memory import MemoryPlan
from minispore.files import write_text
from minispore.profiler.replay import Priced
from minispore.profiler.writing import table


def memory_over_time(priced: Priced) -> list[tuple[float, dict[str, int]]]:
    """(microseconds into a step, bytes by kind) whenever an op begins."""
    ends = list(accumulate((k.us for k in priced.cost.kernels), initial=0.0))
    kinds = priced.plan.over_ops()
    return [
        (ends[kernel], {kind: use[i] for kind, use in kinds.items()})
        for i, kernel in enumerate(priced.cost.op_kernels)
    ]


def write_operator_memory(path: Path, priced: Priced) -> None:
    """Write each array of a step: who made it, how large it is, from when to when it lives."""
    ends = list(accumulate((k.us for k in priced.cost.kernels), initial=0.0))
    kernels, plan = priced.cost.op_kernels, priced.plan
    totals = plan.totals
    rows = []
    for life in plan.lives:
        if not kernels:
            break
        begin, end = ends[kernels[life.first]], ends[min(len(ends) - 1, kernels[life.last] + 1)]
        rows.append(
            [
                life.label or life.kind,
                life.nbytes / 1024,
                begin,
                end,
                end - begin,
                totals[life.first] / 2**20,
                plan.capacity / 2**20,
            ]
        )
    table(
        path,
        [
            "Name",
            "Size(KB)",
            "Allocation Time(us)",
            "Release Time(us)",
            "Duration(us)",
            "Allocation Total Allocated(MB)",
            "Allocation Total Reserved(MB)",
        ],
        rows,
    )


def write_memory_record(path: Path, priced: Priced) -> None:
    """Write the memory in use whenever an op of a step begins."""
    lines = ["Timestamp(ns), Total Allocated, Total Reserved, Total Active"]
    plan: MemoryPlan = priced.plan
    for us, kinds in memory_over_time(priced):
        total = sum(kinds.values())
        lines.append(f"{round(us * 1e3)}, {total}, {plan.capacity}, {total}")
    write_text(path, "\n".join(lines) + "\n")
