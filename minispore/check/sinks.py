"""Whether data can be sunk, what callbacks will see, what compiles again, what goes to the host."""

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
from minispore.check.host import Host
from minispore.dataset.dataset import Dataset
from minispore.device.model.predict import MEASURED_BATCHES

Told = tuple[str, str, int, str]  # rule, file, line, about


@dataclass
class Columns:
    """The columns of a dataset, as some of its batches show them."""

    names: list[str]
    kinds: list[str] = field(default_factory=list)  # how each is shown: shape and type
    strings: list[str] = field(default_factory=list)
    dicts: list[str] = field(default_factory=list)
    changing: list[str] = field(default_factory=list)
    failed: str = ""

    @property
    def refused(self) -> str:
        """Why they can't be sunk; nothing if they can."""
        if self.strings:
            return f"{_listed(self.strings)} of strings"
        return f"{_listed(self.dicts)} of dicts" if self.dicts else ""


def columns_of(dataset: Any) -> Columns:
    """Look at the first batches of ``dataset``, and at what remains for its last."""
    found = Columns([])
    if not isinstance(dataset, Dataset):
        found.failed = f"a {type(dataset).__name__} is no dataset"
        return found
    shapes: dict[str, list[tuple[int, ...]]] = {}
    try:
        batches = dataset.create_dict_iterator(num_epochs=1, output_numpy=True)
        with closing(batches):
            for batch in islice(batches, min(MEASURED_BATCHES, _whole(dataset))):
                for name, value in batch.items():
                    _look(found, name, value, shapes)
    except Exception as exc:
        found.failed = f"{type(exc).__name__}: {str(exc).splitlines()[0]}"
        return found
    found.names = list(shapes)
    found.changing = [name for name, seen in shapes.items() if len(seen) > 1]
    return found


def _whole(dataset: Any) -> int:
    """The batches of a pass but for a smaller last one."""
    size = int(dataset.get_dataset_size())
    return size - (remainder(dataset) > 0) or size


def _look(found: Columns, name: str, value: Any, shapes: dict[str, list[tuple[int, ...]]]) -> None:
    seen = shapes.setdefault(name, [])
    new = not seen
    shape = np.shape(value) if isinstance(value, np.ndarray | np.generic) else ()
    if shape not in seen:
        seen.append(shape)
    if not new:
        return
    if isinstance(value, dict):
        found.dicts.append(name)
        found.kinds.append(f"{name}: dict")
    elif np.asarray(value).dtype.kind in "USO":
        found.strings.append(name)
        found.kinds.append(f"{name}: strings")
    else:
        found.kinds.append(f"{name}: {np.asarray(value).dtype}{list(shape)}")


def remainder(dataset: Any) -> int:
    """Rows of the last batch, if it is smaller than the others; else 0."""
    node = dataset.node
    while node is not None and not hasattr(node, "drop"):
        node = getattr(node, "child", None)
    if node is None or node.drop or not isinstance(node.batch_size, int):
        return 0
    rows = node.child.size()
    return 0 if rows is None else int(rows % node.batch_size)


def sinking(trainings: list[Training], host: Host, graphs: bool) -> tuple[list[str], list[Told]]:
    """The lines of the section, and what is to be found fault with.

    Args:
        trainings: what the script trains.
        host: what went back and forth.
        graphs: whether it trained in GRAPH_MODE.
    """
    lines: list[str] = []
    told: list[Told] = []
    for training in trainings:
        lines += _of_training(training, graphs, told)
    lines += _recompiles(host)
    asked = host.in_loops()
    for file, line, what, count in asked:
        lines.append(
            f"{place(file, line)}: {what} brings a value to the host, {count} times in this run; "
            "each waits for the device"
        )
    if trainings and not asked:
        lines.append("no loop of the script brings values to the host")
    return lines, told


def _of_training(training: Training, graphs: bool, told: list[Told]) -> Iterator[str]:
    where, dataset = place(training.file, training.line), training.dataset
    columns = columns_of(dataset)
    who = "a loop" if training.model is None else "Model.train"
    if columns.failed:
        yield f"{where}: {who}, whose data can't be looked at again ({columns.failed})"
        return
    left = remainder(dataset)
    shown = ", ".join(columns.kinds)
    if columns.refused:
        yield f"{where}: {who} can't sink its data, {columns.refused} ({shown})"
        if training.sinks:
            told.append(("sink-columns", training.file, training.line, columns.refused))
    elif columns.changing:
        many = _listed(columns.changing)
        yield f"{where}: {who} can sink one batch at a time only: shapes change ({many}; {shown})"
        if training.sinks and training.sink_size != 1:
            told.append(("sink-shapes", training.file, training.line, many))
    elif left:
        yield f"{where}: {who} can sink but for its last batch, of {left} rows ({shown})"
        if _reaches_the_end(training):
            told.append(("sink-shapes", training.file, training.line, f"{left} rows are left"))
    else:
        yield f"{where}: {who} can sink its data ({shown})"
    if training.model is not None:
        yield from _callbacks(training, graphs)


def _reaches_the_end(training: Training) -> bool:
    """Whether a sink has the last batch of a pass, too."""
    size = training.dataset.get_dataset_size()
    each = training.sink_size if training.sink_size > 0 else size
    return training.sinks and each > 1 and training.epochs * each >= size


def _callbacks(training: Training, graphs: bool) -> Iterator[str]:
    size = training.dataset.get_dataset_size()
    each = training.sink_size if training.sink_size > 0 else size
    names = ", ".join(type(c).__name__ for c in training.callbacks) or "callbacks"
    if training.sinks and graphs:
        yield (
            f"    {names}: step_end once a sink, of {each:,} steps, with the last one's loss"
            f" ({math.ceil(size / each):,} a pass)"
        )
    elif training.sinks:
        yield f"    {names}: step_end each step, as PYNATIVE_MODE sinks data alone"
    else:
        yield f"    {names}: step_end each of {size:,} steps; the host waits for the loss of each"


def _recompiles(host: Host) -> Iterator[str]:
    for (file, line, name, reason), count in sorted(host.again.items()):
        times = f"{count} times" if count > 1 else "once"
        yield f"{place(file, line)}: {name} is compiled again {times}: {reason}"


def place(file: str, line: int) -> str:
    """A line as it is shown."""
    return f"{os.path.basename(file)}:{line}"


def _listed(names: list[str]) -> str:
    return f"column{'s' * (len(names) > 1)} {', '.join(names)}"


__all__ = ["Told", "place", "remainder", "sinking"]
