"""Write MindSpore 1.x's file about transfers between ranks, in virtual time.

The model has a single link, from the previous rank in a ring, and no waiting for other ranks.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from minispore.device.model.timeline import Record
from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport
from minispore.profiler.replay import Replay
from minispore.profiler.steps import iterate_steps
from minispore.profiler.writing import write_csv

HEADER = ("step_num", "communication_cost", "wait_cost", "link_info", "communication_operator_cost")


def get_transfer_name(transfer: Record, index: int) -> str:
    """Return HCCL's name for a transfer, the ``index``-th of its step."""
    op = transfer.op_type.removesuffix("Begin")
    return f"hcom_{op[:1].lower()}{op[1:]}__{index}@{WORLD}"


def write_transfers(path: Path, run: Replay) -> None:
    """Write a CSV row with the transfers of each step of the timeline, and one with the means."""
    rows = []
    all_transfers = defaultdict[str, list[Record]](list)
    for number, _, _, tasks in iterate_steps(run):
        transfers = [r for r in tasks if r.lane == "HCCL"]
        by_name = {get_transfer_name(r, i): [r] for i, r in enumerate(transfers)}
        rows.append(_make_row(number, by_name, 1))
        for name, records in by_name.items():
            all_transfers[name] += records
    rows.append(_make_row("-", all_transfers, max(1, len(rows))))
    write_csv(path, HEADER, rows)


def _make_row(number: int | str, transfers: dict[str, list[Record]], steps: int) -> list[Any]:
    """Return the row of ``HEADER``'s columns for a step, or for the means of ``steps`` steps.

    ``transfers`` are grouped by name.
    """
    costs = {
        name: [str(number), _compute_mean_ms(records, steps), 0.0, _make_links(records, steps)]
        for name, records in transfers.items()
    }
    records = [r for records in transfers.values() for r in records]
    links = json.dumps(_make_links(records, steps))
    return [number, _compute_mean_ms(records, steps), 0.0, links, json.dumps(costs)]


def _compute_mean_ms(transfers: list[Record], steps: int) -> float:
    """Return the mean milliseconds of the transfers per step."""
    return sum(r.duration_us for r in transfers) / 1e3 / steps


def _make_links(transfers: list[Record], steps: int) -> dict[str, dict[str, list[float]]]:
    """Return a dict: link -> kind -> [milliseconds, kB, kB per second] of the transfers, as means
    over ``steps``; {} without transfers.
    """
    ms = _compute_mean_ms(transfers, steps)
    kilobytes = sum(r.nbytes for r in transfers) / 1e3 / steps
    rank, size = transport.current.rank(WORLD), transport.current.size(WORLD)
    link = {f"{(rank - 1) % size}-{rank}": {"HCCS": [ms, kilobytes, 1e3 * kilobytes / (ms or 1)]}}
    return link if transfers else {}
