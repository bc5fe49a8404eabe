"""Define for each mechanism of :mod:`benchmarks.ablation` functions that work without it.

A switch names functions of the package by their paths, and says what takes the place of each. The
package itself has no settings for this.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable
from typing import Any

Replacements = dict[str, Callable[[Any], Any]]  # path of a function -> old one -> new one


def _return_constant(value: Any) -> Callable[[Any], Any]:
    """Return a replacement that returns ``value``, whatever it is called with."""
    return lambda old: lambda *args, **kwargs: value


def _disable_pass(name: str) -> Replacements:
    return {"graph.passes.PIPELINE": lambda old: tuple([p for p in old if p.__name__ != name])}


def _disable_blas(name: str) -> Replacements:
    path = "execution.kernels.blas._find_exact_function"
    return {
        path: lambda old: (
            lambda function_name, dtype: (
                None if function_name == name else old(function_name, dtype)
            )
        )
    }


def _disable_lowering(kind: str) -> Replacements:
    """Lower to columns wherever the class ``kind`` would be chosen."""

    def replace(old: Any) -> Any:
        from minispore.ops.steps.columns import ColumnLowering

        def choose(win: Any, batch: int, c: int, f: int, group: int, *rest: Any) -> Any:
            chosen = old(win, batch, c, f, group, *rest)
            return ColumnLowering(win, group) if type(chosen).__name__ == kind else chosen

        return choose

    return {"ops.steps.lowering.choose_lowering": replace}


def _limit_winograd(m: int) -> Replacements:
    return {
        "ops.steps.lowering.choose_lowering": lambda old: (
            lambda *args: old(*args[:-1], min(m, args[-1]))
        )
    }


OP_BY_OP: dict[str, Replacements] = {
    "kernel plans": {
        "execution.kernels.plans.KernelPlanCache.run": lambda old: (
            lambda self, *args: (self._plans.clear(), old(self, *args))[1]
        )
    },
    "bound kernels": {"execution.kernels.plans.KernelPlanCache.reserve": _return_constant(False)},
    "bound updates": {
        "execution.kernels.plans.InPlacePlan._bind_kernel": lambda old: (
            lambda self, param, arrays, outs: self.kernel
        )
    },
    "context without errstate": {
        "core.interpreter._local.state.plans._call_silently": lambda old: (
            importlib.import_module("minispore.execution.kernels.plans")._call_with_errstate
        )
    },
    "saved intermediates": {
        "execution.kernels.saved_intermediates.SavedIntermediates.store": _return_constant(None),
        "execution.kernels.saved_intermediates.is_saving": _return_constant(False),
    },
}
KERNELS: dict[str, Replacements] = {
    "BLAS ger": _disable_blas("ger"),
    "BLAS omatcopy": _disable_blas("omatcopy"),
    "BLAS sums": {
        "ops.support.sums.can_sum_spec_fast": _return_constant(False),
        "ops.support.sums._view_channels": _return_constant(None),
    },
    "small products": {"execution.kernels.blas.get_small_product_limit": _return_constant(0)},
    "products by parts of columns": {
        "ops.steps.products._choose_part_length": lambda old: lambda f, k, length, turned: length
    },
    "long sums in parts": {"ops.steps.products._FEW_RESULTS": lambda old: 0},
    "copies as large elements": {"execution.layout._dense_rows": _return_constant(False)},
    "copies staged against conflicts": {
        "ops.steps.columns.avoid_cache_conflicts": lambda old: lambda x: x
    },
    "inputs batch last": {
        "graph.strides._choose_input_orders": lambda old: (
            lambda graph: dict.fromkeys(graph.inputs, "row_major")
        )
    },
    "LayerNorm in slices of rows": {"ops.network.layer_norm._SLICE_BYTES": lambda old: 1 << 60},
    "updates in blocks": {"ops.optim.updates.BLOCK": lambda old: 1 << 60},
    "Winograd": _limit_winograd(0),
    "Winograd F(4, 3)": _limit_winograd(2),
    "planes": {"ops.steps.lowering.choose_block": _return_constant(0)},
    "depthwise": _disable_lowering("DepthwiseLowering"),
    "phases": _disable_lowering("PhaseLowering"),
}
GRAPHS: dict[str, Replacements] = {
    "reused buffers": {"graph.plan._find_reusable_buffer": _return_constant(None)},
    "updates in place": {"graph.plan._find_in_place_updates": lambda old: lambda *args: {}},
    "simplify": _disable_pass("simplify"),
    "fold_constants": _disable_pass("fold_constants"),
    "common_subexpressions": _disable_pass("common_subexpressions"),
    "fuse_pairs": _disable_pass("fuse_pairs"),
    "relu_after_pool": _disable_pass("relu_after_pool"),
    "lower": _disable_pass("lower"),
    "meet_planes": _disable_pass("meet_planes"),
    "widen": _disable_pass("widen"),
}

SEVERAL_THREADS: dict[str, Replacements] = {
    "tiles": {
        "graph.program.Program._get_tiled_steps": lambda old: lambda self, *_: self._steps,
        "execution.threads.worker_processes.should_use_workers": _return_constant(False),
    },
    "worker processes": {
        "execution.threads.worker_processes.should_use_workers": _return_constant(False)
    },
    "parallel tuner": {
        "graph.parallel_tuner.ParallelTuner.use_workers": _return_constant(True),
        "graph.parallel_tuner.ParallelTuner.record": _return_constant(None),
    },
    "tiles of updates": {"graph.updates.is_update": _return_constant(False)},
    "tiles of rows": {"graph.tiles._cut_rows": _return_constant([])},
    "CPU affinity": {
        "execution.threads.cpu_affinity.move_off_core": _return_constant(-1),
        "execution.threads.cpu_affinity.waking_off_cores": lambda old: (
            lambda cores: contextlib.nullcontext()
        ),
    },
}
TILES_OP_BY_OP: dict[str, Replacements] = {
    "tiles op by op": {"execution.threads.tiles.split_call": _return_constant([])}
}
SWITCHES = {None: {}, **OP_BY_OP, **KERNELS, **GRAPHS, **SEVERAL_THREADS, **TILES_OP_BY_OP}
