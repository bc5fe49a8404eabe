"""Whatever is done in whatever order: GRAPH_MODE and PYNATIVE_MODE hold the same, bit for bit."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

import minispore as ms
from minispore import Tensor
from minispore.core.tree import map_leaves
from tests.train.lives import ACTIONS, SETTING, Picks, World


def bits(x: Any) -> Any:
    """What can be compared: of a tensor its type, shape and bytes, where every NaN is one."""
    output = x.asnumpy() if isinstance(x, Tensor) else x
    if isinstance(output, np.ndarray | np.generic | float):
        output = (
            np.where(np.isnan(output), np.nan, output)
            if np.any(output != output)
            else np.asarray(output)
        )
        return str(output.dtype), output.shape, output.tobytes()
    return output


class TwoLives(RuleBasedStateMachine):
    """Two worlds, in each of which the same is done; each has its mode, and they may swap."""

    def __init__(self) -> None:
        super().__init__()
        self.worlds = {ms.GRAPH_MODE: World(), ms.PYNATIVE_MODE: World()}
        self.done = 0

    def outcome(self, mode: int, action: Callable[..., Any], numbers: list[int]) -> Any:
        world = self.worlds[mode]
        ms.set_context(mode=mode)
        ms.set_seed(self.done)
        SETTING["k"] = world.setting
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "GRAPH_MODE: .* runs op by op")
            warnings.filterwarnings("ignore", ".*sink")
            try:
                inputs = action(world, Picks(numbers))
            except Exception as exc:
                inputs = type(exc).__name__
        return map_leaves(bits, inputs), map_leaves(bits, world.state())

    @rule(
        action=st.sampled_from(ACTIONS),
        numbers=st.lists(st.integers(0, 59), min_size=6, max_size=9),
    )
    def act(self, action: Callable[..., Any], numbers: list[int]) -> None:
        self.done += 1
        by_graph, left = self.outcome(ms.GRAPH_MODE, action, numbers)
        by_op, there = self.outcome(ms.PYNATIVE_MODE, action, numbers)
        assert by_graph == by_op, action.__name__
        assert left.keys() == there.keys()
        assert [k for k in left if left[k] != there[k]] == [], action.__name__

    @rule()
    def swap(self) -> None:
        graph, pynative = self.worlds.values()
        self.worlds = {ms.GRAPH_MODE: pynative, ms.PYNATIVE_MODE: graph}


TestTwoLives = TwoLives.TestCase
TestTwoLives.settings = settings(stateful_step_count=40)
