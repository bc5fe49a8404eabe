"""Passes: functions from graph to graph, in the order of ``PIPELINE``; tests verify after each."""

from __future__ import annotations

from collections.abc import Callable

from minispore.graph.ir import Graph
from minispore.graph.passes.clean import common_subexpressions, dead_code, fold_constants
from minispore.graph.passes.early import begin_early
from minispore.graph.passes.fuse import fuse_pairs, share_gates
from minispore.graph.passes.layout import meet_planes, relu_after_pool
from minispore.graph.passes.lower import lower
from minispore.graph.passes.simplify import simplify
from minispore.graph.passes.widen import widen

Pass = Callable[[Graph], Graph]

PIPELINE: tuple[Pass, ...] = (
    dead_code,
    simplify,
    fold_constants,
    common_subexpressions,
    fuse_pairs,
    share_gates,
    relu_after_pool,
    lower,
    common_subexpressions,
    meet_planes,
    widen,
    common_subexpressions,
    dead_code,
    begin_early,
)

__all__ = [
    "PIPELINE",
    "Pass",
    "begin_early",
    "common_subexpressions",
    "dead_code",
    "fold_constants",
    "fuse_pairs",
    "lower",
    "meet_planes",
    "relu_after_pool",
    "share_gates",
    "simplify",
    "widen",
]
