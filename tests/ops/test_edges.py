"""Gradients at the edges are those of the real MindSpore (``tests/golden/make_edges.py``).

PyTorch's stand beside them. Where the two differ we follow MindSpore, but for what MindSpore's CPU
kernels lose: a nan or an infinity on the way to something finite, a nan that ends as a number, and
digits. There PyTorch decides.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import minispore
from tests.ops.edge_cases import COMPOSED, POINTS, Case, cases, composition, ours

FOLDER = Path(__file__).parents[1] / "golden" / "edges"
MINDSPORE = dict(np.load(FOLDER / "mindspore.npz"))
PYTORCH = dict(np.load(FOLDER / "torch.npz"))

# Where ours differs from MindSpore on purpose, and why.
NO_DERIVATIVE = "finite differences and PyTorch agree with ours, not with MindSpore's CPU kernel"
DIFFERENT: dict[str, str] = {
    "ops.selu(x) at points": NO_DERIVATIVE,
    "ops.L2Normalize(1)(x)[:, 0] at zeros": NO_DERIVATIVE,
    "ops.L2Normalize(1)(x)[:, 0] at one zero row": NO_DERIVATIVE,
    "ops.L2Normalize(1)(x)[:, 0] at one element": NO_DERIVATIVE,
    "ops.bessel_y1(ops.abs(x)) at points": "at 0 it is -infinity, where MindSpore's is nan",
    "ops.i0(x) at points": "e^89 / sqrt(2 pi 89) is a float32: both oracles overflow on the way",
    "ops.soft_margin_loss(x, ops.ones_like(x) * -1) at spread": "PyTorch overflows: it is 200",
    "ops.remainder(x, y) at pairs": "at an infinite y MindSpore's value is nan, its slope 0",
    "ops.floor_mod(x, y) at pairs": "at an infinite y MindSpore's value is nan, its slope 0",
    "ops.TopK()(x, 2)[0] at ties": "MindSpore's partial sort takes any of equals, ours the first",
    "ops.TopK()(x, 2)[0] at zeros": "MindSpore's partial sort takes any of equals, ours the first",
}
DIFFERENT[
    'ops.BCEWithLogitsLoss("none")(x, y, ops.ones_like(x), ops.ones_like(x)) at all and [0, 1]'
] = "the slope by a label where the score is infinite: inf - inf on ours' way to infinity"
COARSE = 2e-4  # how far MindSpore's tanh and mish are from PyTorch's, which are exact

ASKED = [c for c in cases() if f"0 {c}" in MINDSPORE or f"0 {c}" in PYTORCH]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


def agree(actual: np.ndarray, golden: np.ndarray, coarse: float = 1e-6) -> np.ndarray:
    """Where two arrays hold the same, to float32's rounding."""
    scale = np.abs(golden, where=np.isfinite(golden), out=np.ones_like(golden))
    near = np.abs(actual - golden) <= coarse + 2e-5 * scale
    return near | (actual == golden) | (np.isnan(actual) & np.isnan(golden))


def right(actual: np.ndarray, oracles: list[np.ndarray], lost: np.ndarray) -> np.ndarray:
    """Where ``made`` is what the oracles, MindSpore first, let it be; ``lost``: at a nan."""
    first, last = oracles[0], oracles[-1]
    given_up = lost | ~np.isfinite(first) | agree(actual, first, COARSE)
    return agree(actual, first) | (given_up & agree(actual, last))


@pytest.mark.parametrize("case", [c for c in ASKED if str(c) not in DIFFERENT], ids=str)
def test_values_and_gradients_are_the_oracles(case: Case) -> None:
    for n, output in enumerate(ours(minispore, case)):
        oracles = [o[f"{n} {case}"] for o in (MINDSPORE, PYTORCH) if f"{n} {case}" in o]
        at_nan = [np.isnan(a) for a in case.at if a.shape == output.shape]
        lost = np.any(at_nan, axis=0) if at_nan else np.zeros(output.shape, bool)
        if n:  # a slope may also be finite where MindSpore's is not, and nan at nan
            fine = right(output, oracles, lost)
            fine |= (lost & np.isnan(output)) | (~np.isfinite(oracles[0]) & np.isfinite(output))
        else:
            fine = right(output, oracles, lost)
            fine |= lost & np.isnan(output)
        assert fine.all(), f"{'slope' if n else 'value'} {n}: {output}, the oracles {oracles}"


@pytest.mark.parametrize("case", sorted(DIFFERENT))
def test_every_difference_is_one(case: str) -> None:
    """A case that agrees by now has no place in the table."""
    actual = {str(c): c for c in ASKED}[case]
    output = ours(minispore, actual)
    oracle = MINDSPORE if f"0 {case}" in MINDSPORE else PYTORCH
    assert not all(agree(a, oracle[f"{n} {case}"]).all() for n, a in enumerate(output))


# -- f(g(x)) --------------------------------------------------------------------------------------

_MS, _PT = (np.load(FOLDER / f"{oracle}_compositions.npz") for oracle in ("mindspore", "torch"))
SLOPES = dict(zip(_MS["names"].tolist(), _MS["slopes"], strict=True))
PYTORCHS = dict(zip(_PT["names"].tolist(), _PT["slopes"], strict=True))


# its slope at a pole is infinite, which both oracles lose to the rounding of pi
SMOOTH = [pair[0] for pair in COMPOSED if pair[0] != "ops.digamma(x)"]


@functools.cache
def value(pointwise: str) -> np.ndarray:
    return ours(minispore, Case(pointwise, "", "points", (POINTS,)))[0]


@pytest.mark.parametrize("outer", SMOOTH)
def test_a_composition_has_a_finite_slope_wherever_mindspores_is(outer: str) -> None:
    wrong = []
    for pair in COMPOSED:
        case = composition((outer, ""), pair)
        if case.of in SLOPES:
            output = ours(minispore, case)[1]
            lost = np.isfinite(SLOPES[case.of]) & ~np.isfinite(output)
            lost &= ~np.isnan(value(pair[0]))  # what is no number has no slope
            lost &= np.isfinite(PYTORCHS[case.of])
            if lost.any():
                wrong.append(
                    f"{case.of} at {POINTS[lost]}: {output[lost]}, {SLOPES[case.of][lost]}"
                )
    assert not wrong, "\n".join(wrong)
