"""Write the files about the planned memory of the device, in virtual time."""

from __future__ import annotations

import json
from itertools import accumulate
from pathlib import Path
from typing import Any

from minispore.device.model.memory import ArrayLifetime, MemoryPlan
from minispore.device.model.records import OPTIMIZER
from minispore.device.model.spec import GIB
from minispore.foundation.files import write_text
from minispore.profiler.replay import PricedProgram
from minispore.profiler.writing import write_csv, write_json

MAX_NODES = 2000  # in the details; a longer list of ops is thinned out
LARGEST_ARRAYS = 20  # listed in the details for each node


def memory_over_time(priced: PricedProgram) -> list[tuple[float, dict[str, int]]]:
    """Return, for each op, its start within a step in microseconds, and the bytes in use at that
    time by kind.
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
    # ends[k] is when kernel k begins, and kernels[i] is the kernel of op i; an array lives from
    # the op life.first to the op life.last.
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
    """Write the bytes in use at the start of each op of a step, one per line."""
    lines = ["Timestamp(ns), Total Allocated, Total Reserved, Total Active"]
    plan: MemoryPlan = priced.plan
    for us, kinds in memory_over_time(priced):
        total = sum(kinds.values())
        lines.append(f"{round(us * 1e3)}, {total}, {plan.capacity}, {total}")
    write_text(path, "\n".join(lines) + "\n")


def write_summary(path: Path, plan: MemoryPlan) -> None:
    """Write the capacity and the peak in GiB, and the number of arrays, as JSON."""
    capacity, peak, static = (n / GIB for n in (plan.capacity, plan.peak, plan.static_bytes))
    counts = dict.fromkeys(("allocations", "deallocations"), len(plan.lifetimes))
    write_json(path, {"capacity": capacity, **counts, "peak_mem": peak, "static_mem": static})


def write_details(path: Path, priced: PricedProgram) -> None:
    """Write the memory in use during each op of a step, and its largest arrays, as JSON in GiB.

    If there are more than ``MAX_NODES`` ops, only every n-th is written.

    MindInsight cuts the text at the breakdowns, which therefore come last, in a single line.
    """
    plan, records = priced.plan, priced.records
    step = -(-len(plan.totals) // MAX_NODES) or 1
    indices = range(0, len(plan.totals), step)
    nodes, breakdowns, previous = [], [], plan.static_bytes
    for node_id, index in enumerate(indices):
        alive = [life for life in plan.lifetimes if life.first <= index <= life.last]
        largest = sorted(alive, key=lambda life: -life.nbytes)[:LARGEST_ARRAYS]
        breakdowns.append([_describe_array(life, indices) for life in largest])
        name = f"{records[index].name}-op{index}"
        outputs = [life for life in alive if life.first == index and life.label]
        node = {
            "name": name,
            "fullname": f"{records[index].scope or 'Default'}/{name}",
            "node_id": node_id,
            "size": sum(life.nbytes for life in outputs) / GIB,
            "allocated": (plan.totals[index] - previous) / GIB,
            "outputs": [_describe_array(life, indices) for life in outputs],
        }
        nodes.append(node)
        previous = plan.totals[index]
    computed = [i for i, index in enumerate(indices) if records[index].kind != OPTIMIZER]
    graph = {
        "graph_id": 0,
        "static_mem": plan.static_bytes / GIB,
        "fp_start": 0,
        "bp_end": computed[-1] if computed else 0,
        "lines": [plan.totals[index] / GIB for index in indices],
        "nodes": nodes,
        "breakdowns": breakdowns,
    }
    write_text(path, json.dumps({"0": graph}))


def _describe_array(life: ArrayLifetime, indices: range) -> dict[str, Any]:
    """Return the name, GiB, type and live range of an array for JSON, in positions of
    ``indices``.
    """
    return {
        "tensor_name": life.label or life.kind,
        "size": life.nbytes / GIB,
        "type": life.kind,
        "shape": list(life.shape),
        "data_type": f"{life.itemsize} bytes",
        "format": "DefaultFormat",
        "life_start": life.first // indices.step,
        "life_end": life.last // indices.step,
    }
