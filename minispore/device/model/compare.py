"""Comparison of a measured profile with the model by class of kernels, so that errors can't cancel
unnoticed.

A profile is the folder in which MindSpore's profiler wrote ``aicore_intermediate_*_type.csv``.
"""

from __future__ import annotations

import csv
import math
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from minispore.device.model.cost import ProgramCost
from minispore.foundation import charts

#: Class -> pattern of its kernel types, in the chip's libraries and in this model; the first match
#: counts.
CLASSES: dict[str, str] = {
    "its weight's gradient": r".*BackpropFilter.*",
    "its input's gradient": r".*BackpropInput.*",
    "convolution": r"(Depthwise)?Conv[23]D.*",
    "update": r".*(Momentum|Adam|Lamb|Ftrl|Adagrad|Adadelta|RMSProp|SGD|GradientDescent|Lars).*"
    r"|Fused.*Assign.*|Assign.*",
    "product": r"(Batch)?MatMul(V2|V3|D|Ext)?|Dense|GEMM|FullyConnection",
    "layout (TransData)": r"Trans(Data|pose)(D|RNN)?|FormatTransfer.*",
    "cast": r"Cast",
    "zeros (MemSet)": r"MemSet|(Dynamic)?AtomicAddrClean",
    "bias gradient": r"BiasAddGrad",
    "its gradient (pool)": r".*Pool.*Grad.*",
    "pool": r".*Pool.*",
    "normalisation": r"(BN|BatchNorm|LayerNorm|InstanceNorm|GroupNorm|RmsNorm|FusedBN).*",
    "softmax and loss": r".*Softmax.*|.*CrossEntropy.*|.*Loss.*",
    "dropout": r"(Fused)?.*Dropout.*",
    "reduction": r"Reduce.*|ArgMax.*|ArgMin.*|TopK.*|SquareSum.*",
    "gather and scatter": r"Gather.*|Embedding.*|.*Segment.*|Scatter.*|Strided?Slice.*|Split.*"
    r"|Concat.*|Slice.*|Tile.*|Pad.*|OneHot.*",
    "communication": r"(All|h?com).*|ReduceScatter|Broadcast",
}
ELEMENTWISE = "elementwise and other"
#: Entries of profiles that are not kernels.
NON_KERNEL_TYPES = frozenset(
    {"GetNext", "StreamActive", "StreamRecv", "StreamSend", "StreamSwitch"}
)


@cache
def get_kernel_class(op_type: str) -> str:
    """Return the class of a kernel type.

    >>> get_kernel_class("Conv2DBackpropFilterD"), get_kernel_class("AtomicAddrClean")
    ("its weight's gradient", 'zeros (MemSet)')
    >>> get_kernel_class("Mul")
    'elementwise and other'
    """
    return next(
        (class_name for class_name, types in CLASSES.items() if re.fullmatch(types, op_type)),
        ELEMENTWISE,
    )


class ClassTimes(NamedTuple):
    """The measured and predicted time and number of kernels of one class, in a step."""

    name: str
    measured_us: float
    predicted_us: float
    measured: float  # kernels
    predicted: int

    @property
    def error(self) -> float:
        """The relative error of the prediction; nan if the profile has no such kernel."""
        return self.predicted_us / self.measured_us - 1 if self.measured_us else math.nan


@dataclass(frozen=True)
class Comparison(charts.TextRepr):
    """A table of the measured and predicted times of each kernel class, longest first."""

    lines: tuple[ClassTimes, ...]
    steps: int  # number of steps in the profile

    @property
    def total(self) -> ClassTimes:
        """The sums over all classes."""
        lines = self.lines
        return ClassTimes(
            "sum",
            sum(x.measured_us for x in lines),
            sum(x.predicted_us for x in lines),
            sum(x.measured for x in lines),
            sum(x.predicted for x in lines),
        )

    @property
    def differing(self) -> float:
        """The sum of the absolute errors of all classes, as a fraction of the profile's time."""
        return sum(abs(x.predicted_us - x.measured_us) for x in self.lines) / (
            self.total.measured_us or 1.0
        )

    def __str__(self) -> str:
        """Return a table with one line per class and one for the sums."""
        lines = [
            f"{'us a step':<24}{'profile':>10}{'kernels':>9}{'predicted':>11}{'kernels':>9}  error"
        ]
        for line in (*self.lines, self.total):
            error = "" if math.isnan(line.error) else f"{line.error:>+6.0%}"
            lines.append(
                f"{line.name:<24}{line.measured_us:>10.1f}{line.measured:>9g}"
                f"{line.predicted_us:>11.1f}{line.predicted:>9}  {error}".rstrip()
            )
        lines.append(f"classes differ by {self.differing:.0%} of the profile; times are a model")
        return "\n".join(lines)


def compare(
    cost: ProgramCost, profile: str | os.PathLike[str], steps: int | None = None
) -> Comparison:
    """Compare a measured profile with the predicted kernels of ``cost``, by class.

    Args:
        cost: a priced step, ``estimate(...).cost``.
        profile: the folder with ``aicore_intermediate_*_type.csv``, or a folder whose subfolder
            ``profiler`` has it, or that file.
        steps: the number of steps in the profile; by default its count of GetNext, or else the
            greatest common divisor of all its counts.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file lacks a column, or ``steps`` is below 1.
    """
    measured = read_kernel_times(_find_profile_file(Path(profile)))
    return compare_kernel_times(cost, measured, steps)


def compare_kernel_times(
    cost: ProgramCost, measured: Iterable[tuple[str, float, int]], steps: int | None = None
) -> Comparison:
    """Compare measured kernel times with the predicted kernels of ``cost``, by class; raise
    ValueError for steps below 1.

    Predicted kernels outside the AI Core and measured entries that are no kernels do not count.

    Args:
        cost: the predicted kernels.
        measured: (kernel type, microseconds, frequency) of each type.
        steps: the number of measured steps; by default the frequency of GetNext, or the
            greatest common divisor of all frequencies.
    """
    measured = list(measured)
    if steps is None:
        getnext_counts = [count for op_type, _, count in measured if op_type == "GetNext"]
        common_divisor = math.gcd(*(count for _, _, count in measured))
        steps = getnext_counts[0] if getnext_counts else common_divisor or 1
    measured = [row for row in measured if row[0] not in NON_KERNEL_TYPES]
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise ValueError(f"compare: steps must be an int of at least 1, got {steps!r}.")
    measured_us, predicted_us = defaultdict[str, float](float), defaultdict[str, float](float)
    measured_counts, kernel_counts = Counter[str](), Counter[str]()
    for op_type, total_us, frequency in measured:
        measured_us[get_kernel_class(op_type)] += total_us / steps
        measured_counts[get_kernel_class(op_type)] += frequency
    for k in cost.kernels:
        if k.lane == "AI Core":
            predicted_us[get_kernel_class(k.op_type)] += k.us
            kernel_counts[get_kernel_class(k.op_type)] += 1
    names = {*measured_us, *predicted_us}
    lines = [
        ClassTimes(
            name,
            measured_us=measured_us[name],
            predicted_us=predicted_us[name],
            measured=measured_counts[name] / steps,
            predicted=kernel_counts[name],
        )
        for name in names
    ]
    lines.sort(key=lambda line: (-max(line.measured_us, line.predicted_us), line.name))
    return Comparison(tuple(lines), steps)


def _find_profile_file(path: Path) -> Path:
    """Return the file of kernel types in the folder of a profile.

    Raises:
        FileNotFoundError: there is none.
    """
    if path.is_file():
        return path
    matches = sorted([*path.glob("aicore_intermediate_*_type.csv")]) or sorted(
        path.glob("profiler/aicore_intermediate_*_type.csv")
    )
    if not matches:
        raise FileNotFoundError(
            f"compare: profile must hold aicore_intermediate_*_type.csv, got {path}, which has "
            "none. It is written by Profiler.analyse()."
        )
    return matches[0]


def read_kernel_times(path: Path) -> list[tuple[str, float, int]]:
    """Read (kernel type, microseconds, frequency) of each type from a profile's file.

    ``task_time`` is in microseconds; older versions called it ``total_time`` or ``execution_time``,
    in milliseconds, and ``kernel_type`` once was ``op_type``.

    Raises:
        ValueError: the file lacks one of these columns.
    """
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        names = rows.fieldnames or []
        us_per_unit = {"task_time": 1.0, "total_time": 1e3, "execution_time": 1e3}
        time_column = next((c for c in us_per_unit if c in names), None)
        type_column = next((c for c in ("kernel_type", "op_type") if c in names), None)
        if time_column is None or type_column is None or "execution_frequency" not in names:
            raise ValueError(
                "compare: the file must have the columns kernel_type, task_time (or total_time) "
                f"and execution_frequency, got {', '.join(names) or 'none'} in {path}."
            )
        return [
            (
                r[type_column],
                us_per_unit[time_column] * float(r[time_column]),
                int(r["execution_frequency"]),
            )
            for r in rows
        ]


__all__ = ["Comparison", "compare"]
