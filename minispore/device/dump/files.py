"""Writes the files of a dump, in MindSpore's folders and with MindSpore's names::

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

STREAM_ID = 0
STATISTICS = (
    "Op Type", "Op Name", "Task ID", "Stream ID", "Timestamp", "IO", "Slot", "Data Size",
    "Data Type", "Shape", "Max Value", "Min Value", "Avg Value", "Count", "Negative Zero Count",
    "Positive Zero Count", "NaN Count", "Negative Inf Count", "Positive Inf Count", "Zero Count",
)  # fmt: skip


@dataclass
class DumpedArray:
    """One input or output array of one op, with the names that locate it in the dump."""

    op_type: str
    name: str  # the full name with its scope: "Default/net/conv1/Conv2D-op12"
    task: int
    side: str  # "input" or "output"
    slot: int
    array: np.ndarray


class DumpWriter:
    """Writes the files of one graph.

    Args:
        config: the settings of the dump.
        rank: the rank that dumps.
        graph: the number of the graph.
    """

    def __init__(self, config: DumpConfig, rank: int, graph: int) -> None:
        self.config, self.graph = config, graph
        self.root = config.path / f"rank_{rank}"
        self.folder = self.root / config.net_name / str(graph)

    def write_graph(self, text: str, op_names: list[str], constants: list[np.ndarray]) -> None:
        """Write the text, op order and constants of the graph, before the first run."""
        self._write_text(
            ".dump_metadata/data_dump.json", json.dumps(json.loads(self.config.source))
        )
        self._write_text(f"graphs/ms_output_trace_code_graph_{self.graph}.ir", text)
        lines = "\n".join(["NodeExecutionOrder-FullNameWithScope", *op_names])
        self._write_text(f"execution_order/ms_execution_order_graph_{self.graph}.csv", lines)
        folder = self.folder / "constants"
        for number, array in enumerate(constants):
            folder.mkdir(parents=True, exist_ok=True)
            name = f"Parameter.data-{number}.0.0.{_get_timestamp_us()}.output.0.DefaultFormat.npy"
            np.save(folder / name, array)

    def _write_text(self, name: str, text: str) -> None:
        """Write ``text`` and a newline to the file ``name`` of the dump, creating its folder."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")

    def record_run(self, iteration: int) -> None:
        """Append run ``iteration`` to the list of completed runs."""
        path = self.root / f"execution_order/ms_global_execution_order_graph_{self.graph}.csv"
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{iteration}\n")

    def write_array(self, iteration: int, dumped: DumpedArray) -> None:
        """Write one array as ``.npy``, its statistics as a row of a CSV file, or both, as the
        configuration says.
        """
        folder = self.folder / str(iteration)
        folder.mkdir(parents=True, exist_ok=True)
        timestamp = _get_timestamp_us()
        short_name = dumped.name.rpartition("/")[2]
        name = short_name if self.config.synchronous else dumped.name.replace("/", "_")
        if self.config.saved_data != "statistic":
            location = (
                f"{dumped.task}.{STREAM_ID}.{timestamp}.{dumped.side}.{dumped.slot}.DefaultFormat"
            )
            np.save(folder / f"{dumped.op_type}.{name}.{location}.npy", dumped.array)
        if self.config.saved_data != "tensor":
            _append_statistics(folder / "statistic.csv", dumped, name, timestamp)


def _get_timestamp_us() -> int:
    """Return the time since the epoch in microseconds."""
    return time.time_ns() // 1000


def _append_statistics(path: Path, dumped: DumpedArray, name: str, timestamp: int) -> None:
    """Append a row with the statistics of one array to a CSV file; write a header first if it is
    new.
    """
    is_new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        if is_new:
            writer.writerow(STATISTICS)
        a = dumped.array
        shape = "(" + ",".join(map(str, a.shape)) + ")"
        place = dumped.op_type, name, dumped.task, STREAM_ID, timestamp, dumped.side, dumped.slot
        writer.writerow([*place, a.nbytes, a.dtype, shape, *_compute_statistics(a)])


def _compute_statistics(a: np.ndarray) -> list[float | int]:
    """Return max, min and mean of finite elements, and counts: all, -0, +0, NaN, -inf, +inf, 0.

    Complex elements count by their magnitude.

    As in MindSpore, the counts called negative and positive zeros count elements below and above
    zero.
    """
    x = a.astype(np.float64) if a.dtype.kind in "biufV" else np.abs(a)
    finite = x[np.isfinite(x)]
    extremes = [finite.max(), finite.min(), finite.mean()] if finite.size else [np.nan] * 3
    counts = [
        x.size, (finite < 0).sum(), (finite > 0).sum(), np.isnan(x).sum(),
        np.isneginf(x).sum(), np.isposinf(x).sum(), (x == 0).sum(),
    ]  # fmt: skip
    return [*map(float, extremes), *map(int, counts)]
