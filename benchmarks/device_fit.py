"""Measure how much the constants that published rows gave owe to each row: leave one out.

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
    """The kernels of a program, with times that follow the four constants."""

    def __init__(self, cost: ProgramCost) -> None:
        kernels = cost.kernels
        self.compute = np.array([k.compute_us for k in kernels])
        self.memory = np.array([k.memory_us for k in kernels])
        self.us = np.array([k.us for k in kernels])
        self.fixed = self.us - np.maximum(self.compute, self.memory)
        self.masks = {name: np.zeros(len(kernels), bool) for name in FITTED}
        for i, k in enumerate(kernels):
            name = _find_constant(k.ops)
            if name:
                self.masks[name][i] = True

    def compute_total_us(self, factors: Mapping[str, float]) -> float:
        """Return the microseconds when each constant is multiplied by its factor."""
        compute = self.compute.copy()
        for name, mask in self.masks.items():
            compute[mask] *= factors[name] ** FITTED[name]
        memory = self.memory * factors["memory_efficiency"] ** -1
        return float(np.sum(self.fixed + np.maximum(compute, memory)))


def _find_constant(ops: Sequence[str]) -> str:
    """Return the constant that decides the time of a kernel with these ops; "" if none does."""
    for op in ops:
        role = get_matmul_kind(op)
        if role:
            return "product_efficiency" if role == "product" else "cube_efficiency"
        if get_op_cost(op).by_rows:
            return "row_us"
    return ""


def fit_factors(
    programs: Sequence[Repriced], published_us: Sequence[float], overheads_us: Sequence[float]
) -> dict[str, float]:
    """Fit one constant after the other and return their factors; ``overheads_us`` is the
    time of each step outside its kernels.
    """
    factors = dict.fromkeys(FITTED, 1.0)

    def distance(trial: Mapping[str, float]) -> float:
        return sum(
            abs(np.log((p.compute_total_us(trial) + overhead_us) / us))
            for p, us, overhead_us in zip(programs, published_us, overheads_us, strict=True)
        )

    for _ in range(PASSES):
        for name in FITTED:
            trials = [{**factors, name: float(f)} for f in STEPS]
            factors = min([factors, *trials], key=distance)
    return factors


def compute_left_out_errors(
    networks: Sequence[object],
    costs: Sequence[ProgramCost],
    step_us: Sequence[float],
    published_us: Sequence[float],
) -> list[float]:
    """Return the relative error of each row with constants that other networks have chosen."""
    programs = [Repriced(cost) for cost in costs]
    overhead_us = [us - cost.device_us for us, cost in zip(step_us, costs, strict=True)]
    errors = []
    factors: dict[object, dict[str, float]] = {}
    for network in dict.fromkeys(networks):
        rest = [i for i, other in enumerate(networks) if other != network]
        factors[network] = fit_factors(
            [programs[i] for i in rest],
            [published_us[i] for i in rest],
            [overhead_us[i] for i in rest],
        )
    for index, network in enumerate(networks):
        errors.append(
            (programs[index].compute_total_us(factors[network]) + overhead_us[index])
            / published_us[index]
            - 1
        )
    return errors


def compute_median_and_worst(errors: Sequence[float]) -> tuple[float, float]:
    """Return the median and the largest absolute error."""
    sizes = [abs(e) for e in errors]
    return statistics.median(sizes), max(sizes)
