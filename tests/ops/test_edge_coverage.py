"""Every differentiable op is asked at its edges (``edge_cases.txt``), or has none; and each of the
functions asked there takes one element, and none.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import minispore
from minispore import Tensor
from minispore.core import interpreter
from minispore.core.autograd import value_and_grad
from minispore.core.primitive import Primitive
from minispore.ir.registry import registry
from tests.ops.edge_cases import BINARY, MATRIX, POINTS, POINTWISE, TWO, Case, ours
from tests.ops.internal_ops import INTERNAL
from tests.ops.samples import ELSEWHERE, SAMPLES, Sample, load
from tests.ops.test_edges import ASKED

load()

# What is neither asked nor linear, and why it has no edge at which an oracle could be asked.
POLYNOMIAL = "a polynomial, or an entire function, of its inputs"
SINGULAR = "its one edge is a singular matrix, where there is no finite slope"
RANDOM = "linear in what it keeps, which is drawn anew in each call"
SHIFTED = "a division, as `div`, at the places that indices name"
ASSIGNS = "it changes a Parameter, in place; the op without that is asked"
COMPLEX = "of complex numbers"
NO_EDGE = {
    "MatrixExp": POLYNOMIAL,
    "MatrixDeterminant": POLYNOMIAL,
    "Cholesky": SINGULAR,
    "LogMatrixDeterminant": SINGULAR,
    "MatrixInverse": SINGULAR,
    "MatrixSolve": SINGULAR,
    "MatrixTriangularSolve": SINGULAR,
    "Qr": SINGULAR,
    "Svd": "equal or zero singular values, where the vectors have no derivative",
    "Dropout": RANDOM,
    "Dropout2D": RANDOM,
    "Dropout3D": RANDOM,
    "RealDiv": "of floats it is `Div`, which is asked",
    "ScatterDiv": SHIFTED,
    "ScatterNdDiv": SHIFTED,
    "ScatterMax": ASSIGNS,
    "ScatterMin": ASSIGNS,
    "ScatterNdMax": ASSIGNS,
    "ScatterNdMin": ASSIGNS,
    "ScatterNdUpdate": ASSIGNS,
    "ScatterUpdate": ASSIGNS,
    "Assign": ASSIGNS,
    "Complex": COMPLEX,
    "ComplexAbs": COMPLEX,
    "SegmentProd": "neither oracle has its slope; `unsorted_segment_prod` is asked",
    "FractionalMaxPool3DWithFixedKsize": "ties go as those of `MaxPool`, which is asked",
    "MaxPool3DWithArgmax": "ties go as those of `MaxPool`, which is asked",
    "FractionalMaxPoolWithFixedKsize": "ties go as those of `MaxPool`, which is asked",
    "FractionalAvgPool": RANDOM,
    "FractionalMaxPool": "ties go as those of `MaxPool`, which is asked",
    "MaxPoolWithArgmax": "the values of `MaxPoolWithArgmaxV2`, which is asked",
    "Betainc": "neither oracle differentiates it",
    "NextAfter": "it moves by one rounding: its slope is 1",
    "CTCLoss": "its kinks are in what it is made of: log-sum-exp, which is asked",
    "CTCLossV2": "its kinks are in what it is made of: log-sum-exp, which is asked",
    "RNNTLoss": "its kinks are in what it is made of: log-sum-exp, which is asked",
}
DIFFERENTIABLE = sorted(
    name for name, op in registry.items() if op.vjp is not Primitive.vjp and name not in INTERNAL
)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


@functools.cache
def covered_ops() -> frozenset[str]:
    """The ops that an edge case binds, forward or backward."""
    actual: set[str] = set()
    bind = interpreter.bind

    def seeing(prim: Any, args: Any) -> Any:
        actual.add(type(prim).name)
        return bind(prim, args)

    interpreter.bind = seeing
    try:
        for case in ASKED:
            ours(minispore, case)
    finally:
        interpreter.bind = bind
    return frozenset(actual)


def slope(sample: Sample, args: tuple[Any, ...], i: int) -> np.ndarray:
    """The gradient by input i of a weighed sum of all float outputs."""

    def total(*xs: Any) -> Any:
        output = sample.op(*xs)
        parts = [
            t for t in (output if isinstance(output, tuple) else (output,)) if t.dtype.kind == "f"
        ]
        weights = [np.cos(np.arange(t.size, dtype=np.float32)).reshape(t.shape) for t in parts]
        weighed = [(t * Tensor(w)).sum() for t, w in zip(parts, weights, strict=True)]
        return functools.reduce(lambda a, b: a + b, weighed)

    tensors = [Tensor(a) if isinstance(a, np.ndarray | np.generic) else a for a in args]
    return value_and_grad(total, i)(*tensors)[1].asnumpy()


def is_linear(sample: Sample, i: int) -> bool:
    """Whether the slope by input i is the same wherever that input is: it has no edge."""
    moved = list(sample.args)
    x = moved[i]
    moved[i] = -3 * x[..., ::-1] if x.ndim else np.asarray(-3 * x, x.dtype)
    first, second = slope(sample, sample.args, i), slope(sample, tuple(moved), i)
    return bool(np.allclose(first, second, rtol=1e-4, atol=1e-5))


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_a_differentiable_op_has_edge_cases_or_no_edge(name: str) -> None:
    if name in covered_ops() or name in NO_EDGE or name in ELSEWHERE:
        return
    inputs = [(sample, i) for sample in SAMPLES[name] for i in sample.wrt]
    assert inputs, f"{name} is in no line of edge_cases.txt, and no sample tells of its slope"
    for sample, i in inputs:
        assert is_linear(sample, i), f"{sample} has edges: give it a line in edge_cases.txt"


def test_ops_without_edges_have_no_edge_cases() -> None:
    assert not NO_EDGE.keys() & covered_ops()
    assert NO_EDGE.keys() <= set(DIFFERENTIABLE)


# -- one element, and none ------------------------------------------------------------------------

ONE, PAIRS = [of for of, *_ in POINTWISE], [of for of, *_ in BINARY if "PReLU" not in of]


def gradients(of: str, *at: np.ndarray) -> list[np.ndarray]:
    return ours(minispore, Case(of, "", "", at))[1:]


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 3)])
@pytest.mark.parametrize("of", ONE + PAIRS)
def test_the_gradient_of_nothing_is_nothing(of: str, shape: tuple[int, ...]) -> None:
    nothing = np.zeros(shape, np.float32)
    for result in gradients(of, *[nothing] * (2 if of in PAIRS else 1)):
        assert result.shape == shape and result.dtype == np.float32


@pytest.mark.parametrize("of", ONE)
def test_a_single_number_has_the_same_slope_as_among_others(of: str) -> None:
    (among,) = gradients(of, POINTS)
    for shape in ((), (1,)):
        results = [gradients(of, np.full(shape, x, np.float32))[0] for x in POINTS]
        assert {a.shape for a in results} == {shape}
        np.testing.assert_allclose(np.array(results).ravel(), among, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("of", PAIRS)
def test_a_single_pair_has_the_same_slopes_as_among_others(of: str) -> None:
    x, y = TWO, np.clip(TWO[::-1], 0, 1) if "BCE" in of else TWO[::-1].copy()
    among = gradients(of, x, y)
    results = [gradients(of, x[i : i + 1], y[i : i + 1]) for i in range(len(x))]
    for k, expected in enumerate(among):
        actual = np.concatenate([slopes[k] for slopes in results])
        np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("of", [of for of, *_ in MATRIX])
def test_rows_of_nothing_have_a_gradient_or_are_refused_in_words(of: str) -> None:
    nothing = np.zeros((3, 0), np.float32)
    try:
        (actual,) = gradients(of, nothing)
    except (ValueError, TypeError, RuntimeError, IndexError) as error:
        assert ": " in str(error) and "must" in str(error), str(error)
    else:
        assert actual.shape == (3, 0)
