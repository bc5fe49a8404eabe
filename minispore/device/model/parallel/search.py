"""``cheapest_plan``: search for the ways to distribute a training over ranks that fit, fastest
first.

The search covers data x tensor x stages x ZeRO x recompute x micro-batches. Options that save
memory but cost time (higher ZeRO stages, then recomputing) are tried only if nothing fits without
them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from minispore.device.model.memory import usable_bytes
from minispore.device.model.parallel.plan import ParallelPlan, SplitStep
from minispore.device.model.parallel.sharding import Strategy, check_strategies
from minispore.device.model.predict import Shapes, resolve_spec, specs_of, training_step
from minispore.device.model.spec import GIB, DeviceSpec
from minispore.device.model.step import Step
from minispore.foundation import charts

#: The maximum number of plans that a printed search shows.
MOST_LINES = 12


@dataclass(frozen=True)
class PlanSearch(charts.TextRepr):
    """The plans of one training that fit into each rank's memory, from :func:`cheapest_plan`.

    Args:
        spec: the device.
        rows: the rows of a step of all ranks.
        memory: the bytes that a rank may use.
        plans: the plans, fastest first.

    Example:
        >>> from minispore import Model, nn
        >>> from minispore.device import Shapes, cheapest_plan
        >>> net = nn.Dense(64, 64)
        >>> model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
        >>> search = cheapest_plan(model, Shapes([((8, 64), "float32")] * 2), ranks=2)
        >>> search.best is search.plans[0]
        True
    """

    spec: DeviceSpec
    rows: int
    memory: int
    plans: tuple[ParallelPlan, ...]

    @property
    def best(self) -> ParallelPlan:
        """The fastest plan; among equally fast plans, the one with the fewest ranks."""
        return self.plans[0]

    def __str__(self) -> str:
        """Return a table with one line for each of the fastest plans."""
        lines = [
            f"{self.spec.name}: {self.rows} rows a step, {self.memory / GIB:.1f} GiB a rank; "
            "predicted, a model and no measurement",
            f"{'ranks':>6}{'data':>6}{'tensor':>8}{'stages':>8}{'micro':>7}{'ZeRO':>6}"
            f"{'recompute':>11}{'step ms':>11}{'rows/s':>9}{'bubble':>8}{'GiB':>7}",
        ]
        lines += [
            f"{p.ranks:>6}{p.data:>6}{p.tensor:>8}{len(p.stages):>8}{p.micro_batches:>7}{p.zero:>6}"
            f"{'yes' if p.recompute else 'no':>11}{p.step_us / 1e3:>11.1f}{p.rows_s:>9.1f}"
            f"{p.bubble:>8.0%}{p.peak / GIB:>7.1f}"
            for p in self.plans[:MOST_LINES]
        ]
        if len(self.plans) > MOST_LINES:
            lines.append(f"and {len(self.plans) - MOST_LINES} slower ones in .plans")
        return "\n".join(lines)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Plot the step time, the memory and the ranks of each plan.

        Args:
            path: a file to write, with the extension ``.png`` or ``.svg``.

        Returns:
            A matplotlib Figure.

        Raises:
            ImportError: matplotlib is not installed.
            ValueError: ``path`` has a different extension.
        """
        api_name = "PlanSearch.plot"
        drawing = charts.make_figure(api_name)
        axes = drawing.subplots()
        for p in self.plans:
            axes.plot(p.peak / GIB, p.step_us / 1e3, "o", color="#1f6fb4")
            label = f"{p.data} x {p.tensor} x {len(p.stages)}" + (" r" if p.recompute else "")
            axes.annotate(label, (p.peak / GIB, p.step_us / 1e3), fontsize="x-small")
        axes.axvline(self.memory / GIB, color="#c8c8c8")
        axes.set_xlabel("GiB of a rank")
        axes.set_ylabel("ms a step, predicted")
        axes.set_ylim(bottom=0)
        axes.set_title(
            f"{self.spec.name}: data x tensor x stages, r: recomputed", fontsize="medium"
        )
        return charts.save_chart(api_name, drawing, path)


def cheapest_plan(
    model: Any,
    dataset: Any,
    *,
    device: str | DeviceSpec | None = None,
    ranks: int = 8,
    memory: int | None = None,
    strategies: Mapping[str, Strategy] | None = None,
) -> PlanSearch:
    """Find the plans that distribute a training over at most ``ranks`` devices and fit, fastest
    first; nothing runs.

    Args:
        model: see :func:`parallel_plan`.
        dataset: its training data or their ``Shapes``: the batch of a step of all ranks together.
        device: see :func:`estimate`.
        ranks: the maximum number of devices, 1 to 4,096; tensor-parallel ranks and stages divide
            it.
        memory: the bytes that may be used on a device; by default all that MindSpore uses.
        strategies: see :func:`parallel_plan`.

    Raises:
        TypeError, ValueError: ``ranks`` is not an int in its range, or no plan fits.

    Example:
        >>> from minispore import Model, nn
        >>> from minispore.device import Shapes, cheapest_plan
        >>> net = nn.SequentialCell([nn.Dense(64, 256), nn.ReLU(), nn.Dense(256, 64)])
        >>> model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
        >>> batch = Shapes([((32, 64), "float32"), ((32, 64), "float32")])
        >>> cheapest_plan(model, batch, ranks=4).best.ranks <= 4
        True
    """
    spec = resolve_spec(device)
    if isinstance(ranks, bool) or not isinstance(ranks, int):
        raise TypeError(f"cheapest_plan: ranks must be an int, got {type(ranks).__name__}.")
    if not 1 <= ranks <= spec.max_devices:
        raise ValueError(
            f"cheapest_plan: ranks must be from 1 to {spec.max_devices:.0f}, got {ranks}."
        )
    usable = usable_bytes(spec, memory)
    rows, one_row = _cut_to_one_row(dataset)
    one_row_step = training_step(model, one_row)
    scaled = one_row_step.trace_scaled
    assert scaled is not None

    @cache
    def make_step(micro_rows: int) -> Step:
        """Return the step of a micro-batch with ``micro_rows`` rows, in the device's precision."""
        return (one_row_step if micro_rows == 1 else scaled(micro_rows)).apply_precision_mode(spec)

    fitting_plans: list[ParallelPlan] = []
    least_bytes = math.inf
    for tensor in _find_divisors(ranks, int(spec.server_devices)):
        check_strategies(strategies or {}, tensor)
        for stages in _find_divisors(ranks // tensor):

            @cache
            def make_split(
                micro_rows: int, tensor: int = tensor, stages: int = stages
            ) -> SplitStep:
                """Return the step of a micro-batch with ``micro_rows`` rows, on one rank of each
                stage.
                """
                return SplitStep(spec, make_step(micro_rows), tensor, stages, strategies)

            try:
                make_split(1)
            except ValueError:  # these ranks do not divide any weight, or the heads
                break
            for data in _find_divisors(rows, ranks // (tensor * stages)):
                plans = _find_fitting_plans(make_split, data, rows, usable)
                least_bytes = min(least_bytes, *(p.peak for p in plans))
                fitting_plans += [p for p in plans if p.peak <= usable]
    if not fitting_plans:
        raise ValueError(
            f"cheapest_plan: memory must be at least {least_bytes / GIB:.1f} GiB a rank for a plan "
            f"on {ranks} ranks, got {usable / GIB:.1f} GiB. Use more ranks."
        )
    fitting_plans.sort(key=lambda p: (p.step_us, p.ranks))
    return PlanSearch(spec, rows, usable, tuple(fitting_plans))


def _find_fitting_plans(
    make_split: Callable[[int], SplitStep], data: int, rows: int, usable: int
) -> list[ParallelPlan]:
    """Return the plans for one combination of tensor-parallel ranks, stages and ``data`` that fit,
    fewest micro-batches first. If none fits, return only the last plan, which needs least memory.

    Plans that are certainly slower are left out: a higher ZeRO stage than the first one that fits,
    and with one stage more micro-batches than the first number that fits.
    """
    plans: list[ParallelPlan] = []
    for recompute in (False, True):
        for micro_rows in reversed(_find_divisors(rows // data)):
            split, micro_batches = make_split(micro_rows), rows // data // micro_rows
            for zero in (1, 2, 3) if data > 1 else (0,):
                plan = split.plan(
                    data=data, micro_batches=micro_batches, zero=zero, recompute=recompute
                )
                if plan.peak <= usable:
                    plans.append(plan)
                    break
            if plan.peak <= usable and len(split.stages) == 1:
                break
    return plans or [plan]


def _cut_to_one_row(dataset: Any) -> tuple[int, Shapes]:
    """Return the rows of a batch of ``dataset``, and the shapes of a batch of one row."""
    specs = specs_of(dataset)
    rows = specs[0].shape[0] if specs[0].shape else 1
    columns: Iterable[tuple[tuple[int, ...], Any]] = (
        ((s.shape[0] // rows, *s.shape[1:]) if s.shape and s.shape[0] % rows == 0 else s.shape,
         s.dtype)
        for s in specs
    )  # fmt: skip
    return rows, Shapes(list(columns))


def _find_divisors(number: int, most: int | None = None) -> list[int]:
    """Return the divisors of ``number`` up to ``most``, in ascending order."""
    return [n for n in range(1, min(number, most or number) + 1) if number % n == 0]


__all__ = ["PlanSearch", "cheapest_plan"]
