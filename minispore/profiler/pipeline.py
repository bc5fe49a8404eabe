"""The files about the data pipeline: wall time of this computer, measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from minispore.dataset.pipeline.statistics import PipelineStatistics
from minispore.profiler.replay import Replay
from minispore.profiler.writing import table

RAW_HEADER = (
    "op_id",
    "op_type",
    "num_workers",
    "output_queue_size",
    "output_queue_average_size",
    "output_queue_length",
    "output_queue_usage_rate",
    "sample_interval",
    "parent_id",
    "children_id",
)
QUEUE_LOW = 0.25  # MindSpore's autotune looks at connectors that are used less than 75 % or more
WARN_EMPTY = 0.5


def _pipeline(run: Replay) -> PipelineStatistics | None:
    found = run.recorder.pipelines()
    return max(found, key=lambda p: p.nodes[-1].rows if p.nodes else 0, default=None)


def write_pipeline(path: Path, run: Replay) -> None:
    """Write each operation of the pipeline, the last one first as its number 0."""
    stats = _pipeline(run)
    rows: list[list[Any]] = []
    for i, node in enumerate(reversed(stats.nodes) if stats is not None else ()):
        assert stats is not None
        at_root = i == 0
        last = i + 1 == len(stats.nodes)
        fill = stats.queue_fill if at_root else ""
        average = stats.queue_fill * stats.queue_capacity if at_root else ""
        rows.append(
            [
                i,
                node.name,
                node.workers,
                stats.queue_size if at_root else "",
                average,
                stats.queue_capacity if at_root else "",
                fill,
                "",
                i - 1 if i else "",
                "" if last else i + 1,
            ]
        )
    table(path, RAW_HEADER, rows)


def pipeline_summary(run: Replay) -> dict[str, Any]:
    """What the pipeline did, operation by operation, and what to do about it."""
    stats, queues = _pipeline(run), run.recorder.queue_sizes
    nodes = list(reversed(stats.nodes)) if stats is not None else []
    sizes = [size for of_queue in queues.values() for size in of_queue]
    waits = [1e3 * s for of_queue in run.recorder.waits_s.values() for s in of_queue]
    times = [n.self_ns / 1e6 / n.workers / max(1, nodes[0].rows) for n in nodes]
    total = sum(times)
    warning, suggestion = "", ""
    empty = sum(size == 0 for size in sizes) / len(sizes) if sizes else 0.0
    if nodes and total:
        slowest = max(range(len(nodes)), key=times.__getitem__)
        starved = (
            empty >= WARN_EMPTY if sizes else stats is not None and stats.queue_fill < QUEUE_LOW
        )
        if starved:
            warning = (
                f"{nodes[slowest].name}: takes {times[slowest]:.3f} ms of {total:.3f} ms a batch "
                "and the consumer finds the queue empty"
            )
            suggestion = (
                f"give it more workers (num_parallel_workers, now {nodes[slowest].workers}), do "
                "less in it, or cache its results"
            )
    return {
        "op_ids": list(range(len(nodes))),
        "op_names": [n.name for n in nodes],
        "pipeline_ops": [n.name.split("(")[0] for n in nodes],
        "num_workers": [n.workers for n in nodes],
        "queue_average_size": sum(sizes) / len(sizes) if sizes else None,
        "queue_utilization_pct": round(100 * stats.queue_fill, 2) if stats is not None else None,
        "queue_empty_freq_pct": round(100 * empty, 2),
        "children_ids": [[i + 1] if i + 1 < len(nodes) else [] for i in range(len(nodes))],
        "parent_id": [i - 1 for i in range(len(nodes))],
        "rows": [n.rows for n in nodes],
        "time_ms_per_batch": [round(t, 6) for t in times],
        "per_pipeline_time": round(total, 6),
        "per_batch_time": round(sum(waits) / len(waits), 6) if waits else None,
        "bottleneck_warning": warning,
        "bottleneck_suggestion": suggestion,
        "note": "wall time of this computer",
    }


def write_pipeline_summary(path: Path, found: dict[str, Any]) -> None:
    """Write the summary as one row a key."""
    table(path, ["key", "value"], ([k, json.dumps(v)] for k, v in found.items()))
