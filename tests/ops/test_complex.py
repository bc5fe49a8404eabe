"""What every op of the registry must keep where its inputs are complex, on the same samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore
from minispore import Tensor
from tests.ops.samples import Sample
from tests.ops.test_contract import (
    DIFFERENTIABLE,
    by_id,
    directions,
    gradients,
    same_draws,  # noqa: F401  # a fixture for each test here, too
    slope,
    tensors,
)


def turned(s: Sample) -> Sample:
    """The sample in complex128, by the inputs to differentiate by."""

    def wide(i: int, a: Any) -> Any:
        if i not in s.wrt:
            return a
        return a.astype(np.complex128) * np.exp(1j * np.linspace(0.2, 1, a.size).reshape(a.shape))

    return Sample(s.op, tuple(wide(i, a) for i, a in enumerate(s.args)), s.wrt, False, s.tolerance)


@by_id([s for s in DIFFERENTIABLE if all(isinstance(s.args[i], np.ndarray) for i in s.wrt)])
def test_complex_numbers_are_refused_or_have_the_adjoint_gradient(s: Sample) -> None:
    s = turned(s)
    xs = [s.args[i] for i in s.wrt]

    def f(*at: Tensor) -> Tensor:
        args = tensors(s.args)
        for i, x in zip(s.wrt, at, strict=True):
            args[i] = x
        output = s.op(*args)
        total = Tensor(np.float64(0))
        for out in output if isinstance(output, tuple) else (output,):
            if out.dtype.kind in "fc":
                w = np.exp(1j * np.linspace(0, 3, out.size).reshape(out.shape))
                total = total + minispore.ops.real(out * Tensor(w)).sum()
        return total

    try:
        f(*[Tensor(x) for x in xs])
    except (TypeError, ValueError):
        return
    try:
        grads = gradients(f, [Tensor(x) for x in xs])
    except TypeError as exc:
        assert "must be real to be differentiated" in str(exc)
        return
    for phase in (1, 1j):
        along = [phase * d for d in directions(xs, 1)]
        expected = slope(f, xs, along)
        got = sum(float((g.asnumpy() * d.conj()).real.sum()) for g, d in zip(grads, along))
        assert got == pytest.approx(expected, rel=2e-6, abs=2e-7)
