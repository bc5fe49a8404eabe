"""A dry run: with ``MS_SIMULATION_LEVEL`` a script goes through without a device, data or results.

Weights have shapes and no content, each graph is traced, planned and priced, and nothing runs: the
results are zeros. What is printed has the words of MindSpore's own DryRun, then the predicted step.

========  ==========================================================================
level     what is printed of each graph
========  ==========================================================================
0         its kernels, the memory, the predicted step
1         the memory by kind as well
========  ==========================================================================
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from minispore import context
from minispore.core.initializer import later
from minispore.device.model.collective import Parallel
from minispore.device.model.forecast import Estimate
from minispore.device.model.fragments import peak_with_fragments
from minispore.device.model.memory import MemoryPlan
from minispore.device.model.predict import estimate_step
from minispore.device.model.records import OPTIMIZER
from minispore.device.model.spec import MIB, DeviceSpec, device_spec
from minispore.device.model.step import Step, step_of
from minispore.graph.compiler import GraphCompiler
from minispore.graph.ir import Graph
from minispore.graph.program import NODE_BYTES, Program

VARIABLE = "MS_SIMULATION_LEVEL"
LEVELS = ("0", "1")
#: Steps of the predicted sink.
SINK = 100


def level() -> int | None:
    """The level that the environment asks for; None: scripts run.

    Raises:
        RuntimeError: another level than 0 and 1: those need a card.
    """
    said = os.environ.get(VARIABLE, "").strip()
    if not said:
        return None
    if said not in LEVELS:
        raise RuntimeError(
            f"DryRun: {VARIABLE} must be 0 or 1, got {said!r}. Levels 2 and 3 need a card."
        )
    return int(said)


def devices() -> int:
    """The ranks of the run that is rehearsed."""
    said = os.environ.get("RANK_SIZE", "").strip()
    return int(said) if said.isdecimal() and int(said) else 1


def mock(mock_val: Any, *args: Any) -> Any:
    """What a branch asks for, where a rehearsal has no values.

    Args:
        mock_val (Any): the answer in a rehearsal.
        args: the answer in a run: a value, or a function and its arguments.

    Returns:
        One of the two.

    Raises:
        TypeError: no ``args``.

    >>> mock(True, 3 > 4), mock(0, max, 3, 4)
    (False, 4)
    """
    if not args:
        raise TypeError("mock: args must hold a value, or a function and its arguments, got none.")
    if level() is not None:
        return mock_val
    first, *others = args
    return first(*others) if callable(first) else first


def start(compiler: GraphCompiler) -> None:
    """From now on, weights have no content and graphs don't run, if the environment says so."""
    if level() is not None:
        compiler.rehearse = Rehearsal
        later.from_now_on()


class Rehearsal(Program):
    """A graph that is planned and priced in place of being run."""

    def __init__(self, name: str, traced: Graph, structure: Any, writes: Sequence[int]) -> None:
        self.graph = self.traced = traced
        self.structure, self.writes = structure, writes
        self.home, self.observers, self.saved_to, self.twin = None, (), "", None
        self.outputs = [np.zeros(v.spec.shape, v.spec.dtype) for v in traced.outputs]
        report(name, step_of(traced))

    @property
    def held_bytes(self) -> int:
        return NODE_BYTES * len(self.traced.nodes)

    def run(self, inputs: list[np.ndarray], replay: Any = None) -> list[np.ndarray]:
        return self.outputs


def report(name: str, step: Step, batches: int = SINK) -> Estimate:
    """Print what ``step`` would take of the context's device, and return it.

    Raises:
        DeviceMemoryError: it does not fit.
    """
    spec = device_spec(context.current().device_target)
    found = rehearsed(step, spec, batches)
    print(text(name, found, level() or 0), flush=True)
    if spec.target != "CPU":
        found.memory.check()
    return found


def rehearsed(step: Step, spec: DeviceSpec, batches: int) -> Estimate:
    """The forecast of a step on all ranks, whose data are always there."""
    trains = any(r.kind == OPTIMIZER for r in step.records)
    return estimate_step(
        step,
        spec,
        batches,
        batches,
        0.0,
        devices=min(devices(), int(spec.max_devices)) if trains else 1,
        all_reduce_fusion_config=context.get_auto_parallel_context("all_reduce_fusion_config"),
    )


def text(name: str, found: Estimate, level: int) -> str:
    """What a dry run says of a graph."""
    plan: MemoryPlan = found.memory
    parallel: Parallel = found.parallel
    best, alone = found[found.spec.sinks[-1]], found["none"]
    lines = [
        f"DryRun: {name}, {found.cost.launches} kernels on {found.spec.name}; a model, not a run",
        f"Device MOC memory size: {found.spec.memory_bytes / MIB:.0f}M",
        f"MindSpore Used memory size: {plan.capacity / MIB:.0f}M",
        f"Used peak memory usage (without fragments): {plan.peak / MIB:.0f}M",
        f"Actual peak memory usage (with fragments): {peak_with_fragments(plan) / MIB:.0f}M",
    ]
    if level:
        lines.append(plan.table())
    lines.append(
        f"Predicted step: {best.step_us / 1e3:.3f} ms ({best.way}), "
        f"{alone.step_us / 1e3:.3f} ms without sink"
    )
    if parallel.devices > 1:
        lines.append(
            f"  {parallel.devices} ranks: all_reduce {parallel.all_reduce_us / 1e3:.3f} ms, of "
            f"which {parallel.exposed_us / 1e3:.3f} ms show"
        )
    return "\n".join(lines)


__all__ = ["Rehearsal", "level", "mock", "report", "start"]
