"""Values and dtypes are those that the real MindSpore computed (``tests/golden/make_ops.py``)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import minispore
from tests.ops.golden_cases import CASES, inputs, namespace, results

FILE = Path(__file__).parents[1] / "golden" / "ops" / "arrays.npz"
GOLDEN = dict(np.load(FILE))
FOUND = [case for case in CASES if f"0 {case}" in GOLDEN]

# Where ours differs on purpose, and why.
DIFFERENT: dict[str, str] = {
    "updated(lambda w, m: ops.ApplyAdagrad(False)(w, m, 0.1, y), x, p)": (
        "MindSpore's CPU kernel moves the slot whatever update_slots says"
    ),
    "updated(lambda w, m, v: ops.ApplyAdagradDA()(w, m, v, y, *da), x, p, q)": (
        "MindSpore's CPU kernel takes l1 * global_step off the sum, whatever its sign"
    ),
    "updated(lambda w, s, m: ops.ApplyRMSProp()(w, s, m, 0.1, y, 0.9, 0.5, 1e-3), x, p, q)": (
        "MindSpore's CPU kernel takes a reciprocal root of 12 bits"
    ),
    "updated(lambda w, a, l: ops.ApplyFtrl()(w, a, l, y, 0.1, 0.3, 0.02, -0.5), x, p, q)": (
        "MindSpore's CPU kernel adds l1 where linear is negative; FusedSparseFtrl does not"
    ),
    "grad(ops.ReduceProd(), v)": "MindSpore 2.10 gives ones in PYNATIVE_MODE",
    "ops.CTCLoss()(seq, *labelled)": "MindSpore's gradient holds anything after a sequence's end",
    "ops.CTCLoss(False, False)(seq, *labelled)": (
        "MindSpore's gradient holds anything after a sequence's end"
    ),
    "grad(lambda t: ops.Real()(ops.fft(t)) + ops.Imag()(ops.fft(t)) * x, x)": (
        "MindSpore's gradient of the imaginary part is twice what finite differences give"
    ),
    "grad(lambda t: ops.irfft(ops.rfft(t)) * x, x)": (
        "MindSpore's gradient is twice x, though irfft undoes rfft"
    ),
    "i.std()": "MindSpore squares the distance from the mean without its fraction",
    "i.var()": "MindSpore squares the distance from the mean without its fraction",
}


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


@pytest.mark.parametrize("case", [c for c in FOUND if c not in DIFFERENT])
def test_the_result_is_mindspores(case: str) -> None:
    output = results(eval(case, namespace(minispore, inputs())))
    golden = [GOLDEN[f"{n} {case}"] for n in range(len(output))]
    assert f"{len(output)} {case}" not in GOLDEN, "MindSpore has more outputs"
    for a, b in zip(output, golden, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        half = a.dtype == np.float16
        np.testing.assert_allclose(a, b, rtol=2e-3 if half else 2e-5, atol=1e-3 if half else 2e-6)
