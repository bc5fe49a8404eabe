"""The files of a dump, in MindSpore's folders and under its names::

{path}/rank_{rank}/
    .dump_metadata/data_dump.json
    graphs/ms_output_trace_code_graph_{graph}.ir
    execution_order/ms_execution_order_graph_{graph}.csv
                    ms_global_execution_order_graph_{graph}.csv
    {net_name}/{graph}/{iteration}/{type}.{name}.{task}.{stream}.{time}.{input|output}.{i}.{format}.npy
                                   statistic.csv
    {net_name}/{graph}/constants/Parameter.data-{id}.0.0.{time}.output.0.DefaultFormat.npy
"""

from __future__ import annotations

import csv
import json
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from minispore.device.dump.config import DumpConfig

STREAM = 0
STATISTICS = (
    "Op Type", "Op Name", "Task ID", "Stream ID", "Timestamp", "IO", "Slot", "Data Size",
    "Data Type", "Shape", "Max Value", "Min Value", "Avg Value", "Count", "Negative Zero Count",
    "Positive Zero Count", "NaN Count", "Negative Inf Count", "Positive Inf Count", "Zero Count",
)  # fmt: skip


@dataclass
class Saved:
    """One array of one op."""

    op_type: str
    name: str  # with its Cells: "Default/net/conv1/Conv2D-op12"
    task: int
    side: str  # "input" or "output"
    slot: int
    array: np.ndarray


class Files:
    """Writes the files of one graph.

    Args:
        config: what to write.
        rank: whose folder it is.
        graph: the number of the graph.
    """

    def __init__(self, config: DumpConfig, rank: int, graph: int) -> None:
        self.config, self.graph = config, graph
        self.root = config.path / f"rank_{rank}"
        self.folder = self.root / config.net_name / str(graph)

    def describe(self, text: str, order: list[str], constants: list[np.ndarray]) -> None:
        """Write what is known before the first run: the graph, its order, its constants."""
        self._put(".dump_metadata/data_dump.json", json.dumps(json.loads(self.config.source)))
        self._put(f"graphs/ms_output_trace_code_graph_{self.graph}.ir", text)
        lines = "\n".join(["NodeExecutionOrder-FullNameWithScope", *order])
        self._put(f"execution_order/ms_execution_order_graph_{self.graph}.csv", lines)
        folder = self.folder / "constants"
        for number, array in enumerate(constants):
            folder.mkdir(parents=True, exist_ok=True)
            name = f"Parameter.data-{number}.0.0.{_now()}.output.0.DefaultFormat.npy"
            np.save(folder / name, array)

    def _put(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")

    def ran(self, iteration: int) -> None:
        """Note that run ``iteration`` has ended."""
        path = self.root / f"execution_order/ms_global_execution_order_graph_{self.graph}.csv"
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{iteration}\n")

    def save(self, iteration: int, saved: Saved) -> None:
        """Write one array, its statistics, or both."""
        folder = self.folder / str(iteration)
        folder.mkdir(parents=True, exist_ok=True)
        stamp = _now()
        short = saved.name.rpartition("/")[2]
        name = short if self.config.synchronous else saved.name.replace("/", "_")
        if self.config.saved != "statistic":
            where = f"{saved.task}.{STREAM}.{stamp}.{saved.side}.{saved.slot}.DefaultFormat"
            np.save(folder / f"{saved.op_type}.{name}.{where}.npy", saved.array)
        if self.config.saved != "tensor":
            _add_statistics(folder / "statistic.csv", saved, name, stamp)


def _now() -> int:
    return time.time_ns() // 1000


def _add_statistics(path: Path, saved: Saved, name: str, stamp: int) -> None:
    new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(STATISTICS)
        a = saved.array
        where = [saved.op_type, name, saved.task, STREAM, stamp, saved.side, saved.slot]
        shape = "(" + ",".join(map(str, a.shape)) + ")"
        writer.writerow([*where, a.nbytes, a.dtype, shape, *_statistics(a)])


def _statistics(a: np.ndarray) -> list[float | int]:
    """Max, min and mean of the numbers, and counts: all, -0, +0, NaN, -inf, +inf, 0.

    Negative and positive zeros are counts of numbers below and above zero, as MindSpore has them.
    """
    x = a.astype(np.float64) if a.dtype.kind in "biufV" else np.abs(a)
    real = x[np.isfinite(x)]
    extremes = [real.max(), real.min(), real.mean()] if real.size else [np.nan] * 3
    counts = [
        x.size, (real < 0).sum(), (real > 0).sum(), np.isnan(x).sum(),
        np.isneginf(x).sum(), np.isposinf(x).sum(), (x == 0).sum(),
    ]  # fmt: skip
    return [*map(float, extremes), *map(int, counts)]
