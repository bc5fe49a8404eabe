"""Report whether data can be sunk, when callbacks are called, and what values the host reads."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from minispore.check.cut import Training
from minispore.check.host import HostInteractions
from minispore.dataset.dataset import Dataset
from minispore.device.model.predict import MEASURED_BATCHES

#: Rule, file, line, about, and lines to write instead if those of the rule do not apply.
RawFinding = tuple[str, str, int, str] | tuple[str, str, int, str, str]


@dataclass
class Columns:
    """The columns of a dataset, as seen in its first batches."""

    names: list[str]
    descriptions: list[str] = field(default_factory=list)  # dtype and shape of each, as text
    strings: list[str] = field(default_factory=list)
    dicts: list[str] = field(default_factory=list)
    changing_shapes: list[str] = field(default_factory=list)
    error: str = ""

    @property
    def refusal_reason(self) -> str:
        """The reason why the columns can't be sunk; "" if they can."""
        if self.strings:
            return f"{_format_columns(self.strings)} of strings"
        return f"{_format_columns(self.dicts)} of dicts" if self.dicts else ""


def inspect_columns(dataset: Any) -> Columns:
    """Describe the columns of ``dataset`` from its first full batches.

    An exception of the dataset ends the inspection and is stored as ``error``.
    """
    columns = Columns([])
    if not isinstance(dataset, Dataset):
        columns.error = f"a {type(dataset).__name__} is no dataset"
        return columns
    shapes: dict[str, list[tuple[int, ...]]] = {}
    try:
        batches = dataset.create_dict_iterator(num_epochs=1, output_numpy=True)
        with closing(batches):
            for batch in islice(batches, min(MEASURED_BATCHES, _count_full_batches(dataset))):
                for name, value in batch.items():
                    _inspect_value(columns, name, value, shapes)
    except Exception as exc:
        columns.error = f"{type(exc).__name__}: {str(exc).splitlines()[0]}"
        return columns
    columns.names = list(shapes)
    columns.changing_shapes = [
        name for name, column_shapes in shapes.items() if len(column_shapes) > 1
    ]
    return columns


def _count_full_batches(dataset: Any) -> int:
    """Return the number of batches in a pass, without a smaller last batch."""
    size = int(dataset.get_dataset_size())
    return size - (count_leftover_rows(dataset) > 0) or size


def _inspect_value(
    columns: Columns, name: str, value: Any, shapes: dict[str, list[tuple[int, ...]]]
) -> None:
    """Add the shape of a column's value to ``shapes``; at its first value describe the column in
    ``columns``.
    """
    column_shapes = shapes.setdefault(name, [])
    is_first = not column_shapes
    shape = np.shape(value) if isinstance(value, np.ndarray | np.generic) else ()
    if shape not in column_shapes:
        column_shapes.append(shape)
    if not is_first:
        return
    if isinstance(value, dict):
        columns.dicts.append(name)
        columns.descriptions.append(f"{name}: dict")
    elif np.asarray(value).dtype.kind in "USO":
        columns.strings.append(name)
        columns.descriptions.append(f"{name}: strings")
    else:
        columns.descriptions.append(f"{name}: {np.asarray(value).dtype}{list(shape)}")


def count_leftover_rows(dataset: Any) -> int:
    """Return the number of rows in the last batch of a pass if it is smaller than the others;
    otherwise, or if unknown, 0.
    """
    node = dataset.node
    while node is not None and not hasattr(node, "drop"):
        node = getattr(node, "child", None)
    if node is None or node.drop or not isinstance(node.batch_size, int):
        return 0
    rows = node.child.size()
    return 0 if rows is None else int(rows % node.batch_size)


def summarize_sinks(
    trainings: list[Training], interactions: HostInteractions, is_graph_mode: bool
) -> tuple[list[str], list[RawFinding]]:
    """Return the lines of the report's section about sinks, and its raw findings.

    Args:
        trainings: the trainings of the script.
        interactions: the values that the host read, and the recompilations.
        is_graph_mode: whether the script trained in GRAPH_MODE.
    """
    lines: list[str] = []
    raw_findings: list[RawFinding] = []
    for training in trainings:
        columns = inspect_columns(training.dataset)
        verdict, raw_finding = _describe_sink(training, columns)
        lines.append(verdict)
        if raw_finding is not None:
            raw_findings.append(raw_finding)
        if training.model is not None and not columns.error:
            lines.append(_describe_callbacks(training, is_graph_mode))
    lines += _describe_recompilations(interactions)
    loop_reads = interactions.find_reads_in_loops()
    for file, line, call, count in loop_reads:
        lines.append(
            f"{locate(file, line)}: {call} brings a value to the host, {count} times in the "
            "shortened run; each waits for the device"
        )
    if trainings and not loop_reads:
        lines.append("no loop of the script brings values to the host")
    return lines, raw_findings


def _describe_sink(training: Training, columns: Columns) -> tuple[str, RawFinding | None]:
    """Return a line on whether a training can sink its data, and a finding if it requests a sink
    that would fail.
    """
    location = locate(training.file, training.line)
    user = "a loop" if training.model is None else "Model.train"
    if columns.error:
        return f"{location}: {user}, whose data can't be looked at again ({columns.error})", None
    leftover = count_leftover_rows(training.dataset)
    specs = ", ".join(columns.descriptions)
    rule, problem, would_fail = "sink-shapes", "", False
    if columns.refusal_reason:
        rule, problem, would_fail = "sink-columns", columns.refusal_reason, training.sinks
        verdict = f"can't sink its data, {problem} ({specs})"
    elif columns.changing_shapes:
        problem = _format_columns(columns.changing_shapes)
        would_fail = training.sinks and training.sink_size != 1
        verdict = f"can sink one batch at a time only: shapes change ({problem}; {specs})"
    elif leftover:
        problem, would_fail = f"{leftover} rows are left", _reaches_last_batch(training)
        verdict = f"can sink but for its last batch, of {leftover} rows ({specs})"
    else:
        verdict = f"can sink its data ({specs})"
    finding = (rule, training.file, training.line, problem) if would_fail else None
    return f"{location}: {user} {verdict}", finding


def _reaches_last_batch(training: Training) -> bool:
    """Whether a sink of the training contains the last batch of a pass."""
    size = training.dataset.get_dataset_size()
    sink_size = training.sink_size if training.sink_size > 0 else size
    return training.sinks and sink_size > 1 and training.epochs * sink_size >= size


def _describe_callbacks(training: Training, is_graph_mode: bool) -> str:
    """Return a line with the number of ``step_end`` callbacks in a training."""
    size = training.dataset.get_dataset_size()
    sink_size = training.sink_size if training.sink_size > 0 else size
    names = ", ".join(type(c).__name__ for c in training.callbacks) or "callbacks"
    if training.sinks and is_graph_mode:
        return (
            f"    {names}: step_end once a sink, of {sink_size:,} steps, with the last one's loss"
            f" ({math.ceil(size / sink_size):,} a pass)"
        )
    if training.sinks:
        return f"    {names}: step_end each step, as PYNATIVE_MODE sinks data alone"
    return f"    {names}: step_end each of {size:,} steps; the host waits for the loss of each"


def _describe_recompilations(interactions: HostInteractions) -> Iterator[str]:
    """Yield a line for each function that was compiled again, with the reason."""
    for (file, line, name, reason), count in sorted(interactions.recompilations.items()):
        times = f"{count} times" if count > 1 else "once"
        yield f"{locate(file, line)}: {name} is compiled again {times}: {reason}"


def locate(file: str, line: int) -> str:
    """Return a file's base name and a line number in the format of the report."""
    return f"{os.path.basename(file)}:{line}"


def _format_columns(names: list[str]) -> str:
    """Return "column" or "columns" with the names."""
    return f"{'column' if len(names) == 1 else 'columns'} {', '.join(names)}"


__all__ = ["RawFinding", "count_leftover_rows", "locate", "summarize_sinks"]
