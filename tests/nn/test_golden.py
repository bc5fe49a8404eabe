"""Values, gradients, trajectories and names are those of the real MindSpore
(``tests/golden/make_nn.py``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore
from minispore import context
from tests.nn.golden_runs import RUNS, title

FOLDER = Path(__file__).parents[1] / "golden" / "nn"

# Where ours differs on purpose, and why.
DIFFERENT: dict[str, str] = {
    "nn.EmbeddingLookup(5, 4, max_norm=0.5) ; ids ; forward": "MindSpore's CPU scales twice",
    "nn.Momentum(ps, 0.1, 0.9, use_nesterov=True)": "MindSpore's CPU kernel leaves Nesterov out",
    "nn.Adagrad(ps, learning_rate=0.1, update_slots=False)": "MindSpore's CPU updates them all the "
    "same",
}


def cases(kind: str) -> list[Any]:
    with np.load(FOLDER / f"{kind}.npz") as stored:
        results = {name.split(": ")[0] for name in stored.files}
    return [
        pytest.param(kind, case, id=title(case))
        for case in RUNS[kind][1]
        if title(case) in results and title(case) not in DIFFERENT
    ]


_loaded: dict[str, dict[str, np.ndarray]] = {}


def golden(kind: str, case: Any) -> dict[str, np.ndarray]:
    if kind not in _loaded:
        _loaded[kind] = dict(np.load(FOLDER / f"{kind}.npz"))
    start = f"{title(case)}: "
    return {name[len(start) :]: a for name, a in _loaded[kind].items() if name.startswith(start)}


def compare(
    actual: dict[str, np.ndarray], expected: dict[str, np.ndarray], atol: float = 3e-6
) -> None:
    assert list(actual) == list(expected)
    for what, a in actual.items():
        b = expected[what]
        if what == "names":
            assert a.tolist() == b.tolist()
            continue
        assert (what, a.shape) == (what, b.shape)
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=atol, err_msg=what)


def check(kind: str, case: Any, atol: float = 3e-6) -> None:
    compare(RUNS[kind][0](minispore, case), golden(kind, case), atol)


@pytest.mark.parametrize(("kind", "case"), cases("layers"))
def test_layers_compute_what_mindspore_computes(kind, case):
    check(kind, case)


@pytest.mark.parametrize(("kind", "case"), cases("losses"))
def test_losses_compute_what_mindspore_computes(kind, case):
    check(kind, case)


@pytest.mark.parametrize(("kind", "case"), cases("optimizers"))
def test_optimizers_go_where_mindspore_goes(kind, case):
    check(kind, case, atol=1e-5)


@pytest.mark.filterwarnings("error:GRAPH_MODE")
@pytest.mark.parametrize(
    ("kind", "case"), cases("layers") + cases("losses") + cases("optimizers") + cases("schedules")
)
def test_a_graph_of_it_computes_the_same(kind, case):
    context.set_context(mode=context.GRAPH_MODE)
    check(kind, case, atol=1e-5)


@pytest.mark.parametrize(("kind", "case"), cases("schedules") + cases("lists"))
def test_learning_rates_are_mindspores(kind, case):
    check(kind, case)


@pytest.mark.parametrize(("kind", "case"), cases("metrics"))
def test_metrics_are_mindspores(kind, case):
    check(kind, case)
