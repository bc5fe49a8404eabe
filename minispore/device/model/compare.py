"""The kernels of a real profile beside those of the model, class by class: errors that cancel show.

A profile is the folder in which MindSpore's profiler left ``aicore_intermediate_*_type.csv``.
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

from minispore import chart
from minispore.device.model.cost import ProgramCost

#: Class -> the kernel types of it, of the chip's libraries and of this model; the first that fits.
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
#: What profiles count beside kernels.
NO_KERNELS = frozenset({"GetNext", "StreamActive", "StreamRecv", "StreamSend", "StreamSwitch"})


@cache
def class_of(op_type: str) -> str:
    """The class of a kernel type.

    >>> class_of("Conv2DBackpropFilterD"), class_of("AtomicAddrClean"), class_of("Mul")
    ("its weight's gradient", 'zeros (MemSet)', 'elementwise and other')
    """
    return next((n for n, types in CLASSES.items() if re.fullmatch(types, op_type)), ELEMENTWISE)


class Line(NamedTuple):
    """One class of kernels, measured and predicted, in a step."""

    name: str
    measured_us: float
    predicted_us: float
    measured: float  # kernels
    predicted: int

    @property
    def error(self) -> float:
        """The relative error of the model; nan for what the profile has not."""
        return self.predicted_us / self.measured_us - 1 if self.measured_us else math.nan


@dataclass(frozen=True)
class Comparison(chart.ShownAsText):
    """A profile and a model, class by class, the longest first."""

    lines: tuple[Line, ...]
    steps: int  # of the profile, as far as it tells

    @property
    def total(self) -> Line:
        """All classes together."""
        lines = self.lines
        return Line(
            "sum",
            sum(x.measured_us for x in lines),
            sum(x.predicted_us for x in lines),
            sum(x.measured for x in lines),
            sum(x.predicted for x in lines),
        )

    @property
    def differing(self) -> float:
        """The differences of all classes, none against another, as a share of the profile."""
        return sum(abs(x.predicted_us - x.measured_us) for x in self.lines) / (
            self.total.measured_us or 1.0
        )

    def __str__(self) -> str:
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
    """The classes of a profile beside those of ``cost``.

    Args:
        cost: a priced step, ``estimate(...).cost``.
        profile: the folder with ``aicore_intermediate_*_type.csv`` (or that has ``profiler`` with
            it in it), or that file.
        steps: steps that the profile has added up; by default as many as it has GetNext, or else
            what divides all its counts.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file has other columns, or ``steps`` is below 1.
    """
    measured = measured_types(_file(Path(profile)))
    return of_types(cost, measured, steps)


def of_types(
    cost: ProgramCost, measured: Iterable[tuple[str, float, int]], steps: int | None = None
) -> Comparison:
    """The same of (kernel type, microseconds, how often) in place of a file."""
    measured = list(measured)
    if steps is None:
        once = [count for op_type, _, count in measured if op_type == "GetNext"]
        steps = once[0] if once else math.gcd(*(count for _, _, count in measured)) or 1
    measured = [line for line in measured if line[0] not in NO_KERNELS]
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise ValueError(f"compare: steps must be an int of at least 1, got {steps!r}.")
    real, ours = defaultdict[str, float](float), defaultdict[str, float](float)
    real_count, count = Counter[str](), Counter[str]()
    for op_type, us, times in measured:
        real[class_of(op_type)] += us / steps
        real_count[class_of(op_type)] += times
    for k in cost.kernels:
        if k.lane == "AI Core":
            ours[class_of(k.op_type)] += k.us
            count[class_of(k.op_type)] += 1
    names = sorted({*real, *ours}, key=lambda n: (-max(real[n], ours[n]), n))
    return Comparison(
        tuple(Line(n, real[n], ours[n], real_count[n] / steps, count[n]) for n in names), steps
    )


def _file(path: Path) -> Path:
    if path.is_file():
        return path
    found = sorted([*path.glob("aicore_intermediate_*_type.csv")]) or sorted(
        path.glob("profiler/aicore_intermediate_*_type.csv")
    )
    if not found:
        raise FileNotFoundError(
            f"compare: profile must hold aicore_intermediate_*_type.csv, got {path}, which has "
            "none. It is written by Profiler.analyse()."
        )
    return found[0]


def measured_types(path: Path) -> list[tuple[str, float, int]]:
    """(kernel type, microseconds, how often) of a file of types.

    ``task_time`` is in microseconds; older versions called it ``total_time`` or ``execution_time``,
    in milliseconds, and ``kernel_type`` once was ``op_type``.
    """
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        names = rows.fieldnames or []
        unit = {"task_time": 1.0, "total_time": 1e3, "execution_time": 1e3}
        column = next((c for c in unit if c in names), None)
        kind = next((c for c in ("kernel_type", "op_type") if c in names), None)
        if column is None or kind is None or "execution_frequency" not in names:
            raise ValueError(
                "compare: the file must have the columns kernel_type, task_time (or total_time) "
                f"and execution_frequency, got {', '.join(names) or 'none'} in {path}."
            )
        return [
            (r[kind], unit[column] * float(r[column]), int(r["execution_frequency"])) for r in rows
        ]


__all__ = ["Comparison", "compare"]
