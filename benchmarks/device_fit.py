"""How much the constants that were derived from published rows owe to each row: leave one out.

Four constants were chosen while looking at the rows. Each network in turn is left out with all its
rows, the four are chosen anew by the others, and the rows are predicted with those.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

import numpy as np

from minispore.device.model.cost import ProgramCost
from minispore.device.model.roles import get_matmul_kind
from minispore.device.model.table import get_op_cost

#: The constants, and what a larger one does to the time of what it is about.
FITTED = {"cube_efficiency": -1, "product_efficiency": -1, "row_us": 1, "memory_efficiency": -1}
STEPS = np.geomspace(0.6, 1.6, 41)
PASSES = 3


class Repriced:
    """The kernels of a program, whose prices follow the four constants."""

    def __init__(self, cost: ProgramCost) -> None:
        kernels = cost.kernels
        self.compute = np.array([k.compute_us for k in kernels])
        self.memory = np.array([k.memory_us for k in kernels])
        self.us = np.array([k.us for k in kernels])
        self.fixed = self.us - np.maximum(self.compute, self.memory)
        self.of = {name: np.zeros(len(kernels), bool) for name in FITTED}
        for i, k in enumerate(kernels):
            name = _about(k.ops)
            if name:
                self.of[name][i] = True

    def total(self, factors: Mapping[str, float]) -> float:
        """Microseconds with each constant so many times what it is."""
        compute = self.compute.copy()
        for name, mine in self.of.items():
            compute[mine] *= factors[name] ** FITTED[name]
        memory = self.memory * factors["memory_efficiency"] ** -1
        return float(np.sum(self.fixed + np.maximum(compute, memory)))


def _about(ops: Sequence[str]) -> str:
    for op in ops:
        role = get_matmul_kind(op)
        if role:
            return "product_efficiency" if role == "product" else "cube_efficiency"
        if get_op_cost(op).by_rows:
            return "row_us"
    return ""


def chosen(
    programs: Sequence[Repriced], published_us: Sequence[float], beside_us: Sequence[float]
) -> dict[str, float]:
    """The factors that bring the rows nearest, one constant after the other; ``beside_us`` is what
    a step takes besides its kernels.
    """
    factors = dict.fromkeys(FITTED, 1.0)

    def distance(trial: Mapping[str, float]) -> float:
        return sum(
            abs(np.log((p.total(trial) + beside) / us))
            for p, us, beside in zip(programs, published_us, beside_us, strict=True)
        )

    for _ in range(PASSES):
        for name in FITTED:
            trials = [{**factors, name: float(f)} for f in STEPS]
            factors = min([factors, *trials], key=distance)
    return factors


def left_out(
    networks: Sequence[object],
    costs: Sequence[ProgramCost],
    step_us: Sequence[float],
    published_us: Sequence[float],
) -> list[float]:
    """The relative error of each row with the constants that other networks choose."""
    programs = [Repriced(cost) for cost in costs]
    beside = [us - cost.device_us for us, cost in zip(step_us, costs, strict=True)]
    errors = []
    factors: dict[object, dict[str, float]] = {}
    for network in dict.fromkeys(networks):
        rest = [i for i, other in enumerate(networks) if other != network]
        factors[network] = chosen(
            [programs[i] for i in rest], [published_us[i] for i in rest], [beside[i] for i in rest]
        )
    for out, network in enumerate(networks):
        errors.append((programs[out].total(factors[network]) + beside[out]) / published_us[out] - 1)
    return errors


def median_and_worst(errors: Sequence[float]) -> tuple[float, float]:
    """Of their sizes."""
    sizes = [abs(e) for e in errors]
    return statistics.median(sizes), max(sizes)
