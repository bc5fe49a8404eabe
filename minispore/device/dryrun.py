"""Dry runs: ``MS_SIMULATION_LEVEL`` makes a script run without a device, data or results.

Weights have shapes but no content. Each graph is traced, planned and priced, and nothing runs: the
results are zeros. The output has the wording of MindSpore's DryRun, followed by the predicted step.

========  ==========================================================================
level     what is printed for each graph
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
from minispore.core.initializer import deferred
from minispore.device.model.forecast import Estimate
from minispore.device.model.fragments import compute_peak_with_fragments
from minispore.device.model.memory import MemoryPlan
from minispore.device.model.parallel.data_parallel import Parallel
from minispore.device.model.predict import estimate_step
from minispore.device.model.records import OPTIMIZER
from minispore.device.model.spec import MIB, DeviceSpec, device_spec
from minispore.device.model.step import Step, make_step
from minispore.graph.compiler import GraphCompiler
from minispore.graph.ir import Graph
from minispore.graph.program import NODE_BYTES, Program

VARIABLE = "MS_SIMULATION_LEVEL"
LEVELS = ("0", "1")
#: The number of steps of the predicted sink.
SINK_STEPS = 100


def read_level() -> int | None:
    """Return the simulation level of the environment; None if it is not set, so scripts run as
    usual.

    Raises:
        RuntimeError: the level is not 0 or 1; levels 2 and 3 need a real device.
    """
    setting = os.environ.get(VARIABLE, "").strip()
    if not setting:
        return None
    if setting not in LEVELS:
        raise RuntimeError(
            f"DryRun: {VARIABLE} must be 0 or 1, got {setting!r}. Levels 2 and 3 need a card."
        )
    return int(setting)


def read_rank_count() -> int:
    """Return the number of ranks of the simulated run, from ``RANK_SIZE``; 1 by default."""
    setting = os.environ.get("RANK_SIZE", "").strip()
    return int(setting) if setting.isdecimal() and int(setting) else 1


def mock(mock_val: Any, *args: Any) -> Any:
    """Return ``mock_val`` in a dry run, which has no values to branch on, otherwise the real value.

    Args:
        mock_val (Any): the result in a dry run.
        args: the result otherwise: a value, or a function and its arguments.

    Returns:
        ``mock_val``, or the value of ``args``.

    Raises:
        TypeError: ``args`` is empty.

    >>> mock(True, 3 > 4), mock(0, max, 3, 4)
    (False, 4)
    """
    if not args:
        raise TypeError("mock: args must hold a value, or a function and its arguments, got none.")
    if read_level() is not None:
        return mock_val
    value, *arguments = args
    return value(*arguments) if callable(value) else value


def enable_if_requested(compiler: GraphCompiler) -> None:
    """Switch the compiler and the initializers to dry runs if the environment asks for it."""
    if read_level() is not None:
        compiler.make_dry_run_program = DryRunProgram
        deferred.defer_until_exit()


class DryRunProgram(Program):
    """A program of a dry run: planned and priced when it is created; its runs return zeros."""

    def __init__(self, name: str, traced: Graph, structure: Any, writes: Sequence[int]) -> None:
        """Make the program of a traced graph: plan and price it, and print the report."""
        self.graph = self.traced = traced
        self.structure, self.written_inputs = structure, writes
        self.admitted_by, self.observers, self.saved_to, self.concurrent_copy = None, (), "", None
        self.outputs = [np.zeros(v.spec.shape, v.spec.dtype) for v in traced.outputs]
        print_report(name, make_step(traced))

    @property
    def retained_bytes(self) -> int:
        """The estimated bytes that are freed with the program."""
        return NODE_BYTES * len(self.traced.nodes)

    def run(self, inputs: list[np.ndarray], replay: Any = None) -> list[np.ndarray]:
        """Return zeros in place of the outputs; nothing runs."""
        return self.outputs


def print_report(name: str, step: Step, batches: int = SINK_STEPS) -> Estimate:
    """Print the predicted time and memory of ``step`` on the context's device; return the Estimate.

    ``batches`` is the number of steps that are predicted, in one sink.

    Raises:
        DeviceMemoryError: the step does not fit into the memory of an Ascend or GPU.
    """
    spec = device_spec(context.current().device_target)
    estimate = estimate_on_all_ranks(step, spec, batches)
    print(format_report(name, estimate, read_level() or 0), flush=True)
    if spec.target != "CPU":
        estimate.memory.check()
    return estimate


def estimate_on_all_ranks(step: Step, spec: DeviceSpec, batches: int) -> Estimate:
    """Return the estimate of a step for a data pipeline that takes no time.

    A step with an optimizer is on all ranks (``RANK_SIZE``), any other on one device.
    """
    is_training = any(r.kind == OPTIMIZER for r in step.records)
    return estimate_step(
        step,
        spec,
        batches,
        batches,
        0.0,
        devices=min(read_rank_count(), int(spec.max_devices)) if is_training else 1,
        all_reduce_fusion_config=context.get_auto_parallel_context("all_reduce_fusion_config"),
    )


def format_report(name: str, estimate: Estimate, level: int) -> str:
    """Format the report of a dry run for one graph; level 1 adds the memory by kind."""
    plan: MemoryPlan = estimate.memory
    parallel: Parallel = estimate.parallel
    best_sink, no_sink = estimate[estimate.spec.best_sink], estimate["none"]
    fragmented_peak = compute_peak_with_fragments(plan)
    lines = [
        f"DryRun: {name}, {estimate.cost.launches} kernels on {estimate.spec.name}; a model, "
        "not a run",
        f"Device MOC memory size: {estimate.spec.memory_bytes / MIB:.0f}M",
        f"MindSpore Used memory size: {plan.capacity / MIB:.0f}M",
        f"Used peak memory usage (without fragments): {plan.peak / MIB:.0f}M",
        f"Actual peak memory usage (with fragments): {fragmented_peak / MIB:.0f}M",
    ]
    if level:
        lines.append(plan.table())
    lines.append(
        f"Predicted step: {best_sink.step_us / 1e3:.3f} ms ({best_sink.way}), "
        f"{no_sink.step_us / 1e3:.3f} ms without sink"
    )
    if parallel.devices > 1:
        lines.append(
            f"  {parallel.devices} ranks: all_reduce {parallel.all_reduce_us / 1e3:.3f} ms, of "
            f"which {parallel.exposed_us / 1e3:.3f} ms not overlapped"
        )
    return "\n".join(lines)


__all__ = ["DryRunProgram", "enable_if_requested", "mock", "print_report", "read_level"]
