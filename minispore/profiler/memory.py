"""Write the files about the planned memory of the device, in virtual time."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

from minispore.device.model.memory import MemoryPlan
from minispore.foundation.files import write_text
from minispore.profiler.replay import PricedProgram
from minispore.profiler.writing import write_csv


def memory_over_time(priced: PricedProgram) -> list[tuple[float, dict[str, int]]]:
    """Return for each op the microseconds into a step at which it begins, and the bytes then in use
    by kind.
    """
    ends = list(accumulate((k.us for k in priced.cost.kernels), initial=0.0))
    kinds = priced.plan.compute_usage_by_kind()
    return [
        (ends[kernel], {kind: nbytes[i] for kind, nbytes in kinds.items()})
        for i, kernel in enumerate(priced.cost.op_kernels)
    ]


def write_operator_memory(path: Path, priced: PricedProgram) -> None:
    """Write each array of a step with its origin, its size and its live range as CSV."""
    ends = list(accumulate((k.us for k in priced.cost.kernels), initial=0.0))
    kernels, plan = priced.cost.op_kernels, priced.plan
    totals = plan.totals
    rows = []
    for life in plan.lifetimes:
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
    write_csv(
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


def write_memory_record(path: Path, priced: PricedProgram) -> None:
    """Write the bytes in use at the begin of each op of a step, a line each."""
    lines = ["Timestamp(ns), Total Allocated, Total Reserved, Total Active"]
    plan: MemoryPlan = priced.plan
    for us, kinds in memory_over_time(priced):
        total = sum(kinds.values())
        lines.append(f"{round(us * 1e3)}, {total}, {plan.capacity}, {total}")
    write_text(path, "\n".join(lines) + "\n")
