"""Write the files about the data pipeline, measured in wall time of this computer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from minispore.dataset.config import settings
from minispore.dataset.pipeline.statistics import PipelineStatistics
from minispore.profiler.replay import Replay
from minispore.profiler.writing import write_csv, write_json

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
QUEUE_LOW = 0.25  # mean fill of a starved queue (MindSpore's autotune: 75 % use)
WARN_EMPTY = 0.5


def _find_main_pipeline(run: Replay) -> PipelineStatistics | None:
    """Return the statistics of the pipeline that delivered the most rows, or None."""
    pipelines = run.recorder.pipelines()
    return max(pipelines, key=lambda p: p.nodes[-1].rows if p.nodes else 0, default=None)


def write_pipeline(path: Path, run: Replay) -> None:
    """Write each operation of the main pipeline as a row of CSV; the last operation is number 0.

    Only that one has a queue.
    """
    stats = _find_main_pipeline(run)
    rows: list[list[Any]] = []
    for i, node in enumerate(reversed(stats.nodes) if stats is not None else ()):
        assert stats is not None
        is_root = i == 0
        is_last = i + 1 == len(stats.nodes)
        fill = stats.queue_fill if is_root else ""
        child = "[]" if is_last else f"[{i + 1}]"
        average = stats.queue_fill * stats.queue_capacity if is_root else ""
        rows.append(
            [
                i,
                node.name,
                node.workers,
                f"[{stats.queue_size}]" if is_root else "",
                average,
                stats.queue_capacity if is_root else "",
                fill,
                settings().monitor_sampling_interval,
                i - 1 if i else "",
                child,
            ]
        )
    write_csv(path, RAW_HEADER, rows)


def write_profiling(path: Path, run: Replay) -> None:
    """Write each operation of the main pipeline as JSON; only the last operation has a queue."""
    stats = _find_main_pipeline(run)
    nodes = list(reversed(stats.nodes)) if stats is not None else []
    ops: list[dict[str, Any]] = []
    for i, node in enumerate(nodes):
        assert stats is not None
        queue = {"length": stats.queue_capacity, "size": [stats.queue_size]}
        op = {"op_id": i, "op_type": node.name.split("(")[0], "num_workers": node.workers}
        children = {"children": [i + 1]} if i + 1 < len(nodes) else {}
        ops.append(op | {"metrics": None if i else {"output_queue": queue}} | children)
    write_json(path, {"op_info": ops, "sampling_interval": settings().monitor_sampling_interval})


def summarize_pipeline(run: Replay) -> dict[str, Any]:
    """Return the times and queue sizes of the main pipeline by key, with advice if it is slow.

    Times are in milliseconds; where nothing was recorded, values are None and the advice is "".
    """
    stats, queues = _find_main_pipeline(run), run.recorder.queue_sizes
    nodes = list(reversed(stats.nodes)) if stats is not None else []
    sizes = [size for samples in queues.values() for size in samples]
    waits = [1e3 * s for samples in run.recorder.waits_s.values() for s in samples]
    # The milliseconds of each operation per batch of the last one, shared by its workers.
    times = [n.self_ns / 1e6 / n.workers / max(1, nodes[0].rows) for n in nodes]
    total = sum(times)
    warning, suggestion = "", ""
    empty_share = sum(size == 0 for size in sizes) / len(sizes) if sizes else 0.0
    if nodes and total:
        slowest = max(range(len(nodes)), key=times.__getitem__)
        is_starved = (
            empty_share >= WARN_EMPTY
            if sizes
            else stats is not None and stats.queue_fill < QUEUE_LOW
        )
        if is_starved:
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
        "queue_empty_freq_pct": round(100 * empty_share, 2),
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


def write_pipeline_summary(path: Path, summary: dict[str, Any]) -> None:
    """Write the summary as CSV, one row per key, with the value as JSON."""
    write_csv(path, ["key", "value"], ([k, json.dumps(v)] for k, v in summary.items()))
