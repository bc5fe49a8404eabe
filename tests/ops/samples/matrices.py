"""Samples of inverses, determinants, factors and small products."""

from __future__ import annotations

import numpy as np

from minispore import ops as P
from minispore.ops.linalg.eigh import Eigh
from minispore.ops.linalg.least_squares import PivotRowOrder
from minispore.ops.linalg.lu import Lu
from minispore.ops.scipy.assignment import LinearSumAssignment
from tests.ops.samples import bad, floats, ints, positive, sample

COMPLEX = "the result is complex"
PLACES = "the results are places"


def regular(*shape: int, seed: int = 0) -> np.ndarray:
    """Matrices far from singular."""
    return floats(*shape, seed=seed) / 2 + 2 * np.eye(*shape[-2:], dtype=np.float32)


def definite(*shape: int) -> np.ndarray:
    """Symmetric positive definite matrices."""
    x = regular(*shape)
    return x @ x.swapaxes(-1, -2)


for op in (P.MatrixInverse(), P.MatrixInverse(True), P.MatrixDeterminant(),
           P.LogMatrixDeterminant(), P.MatrixExp(), P.MatrixPower(3), P.MatrixPower(-2),
           P.MatrixPower(0)):  # fmt: skip
    sample(op, regular(3, 3), tolerance=1e-4)
    sample(op, regular(2, 2, 2), tolerance=1e-4)
for op in (P.MatrixInverse(), P.MatrixDeterminant(), P.LogMatrixDeterminant(), P.MatrixExp(),
           P.MatrixPower(2), P.Cholesky(), P.Eig()):  # fmt: skip
    bad(op, floats(2, 3), match="square matrices")
bad(P.MatrixInverse(), np.zeros((2, 2), np.float32), match="the matrix must be regular")
bad(lambda: P.MatrixPower(1.5), match="n must be an int", error=TypeError, name="MatrixPower")
for adjoint in (False, True):
    sample(P.MatrixSolve(adjoint), regular(3, 3), floats(3, 2), tolerance=1e-5)
    sample(P.MatrixSolve(adjoint), regular(3, 3), floats(2, 3, 1), tolerance=1e-5)
    for lower in (False, True):
        sample(P.MatrixTriangularSolve(lower, adjoint), regular(3, 3), floats(3, 2), tolerance=1e-5)
    sample(P.Cholesky(adjoint), definite(2, 3, 3), tolerance=1e-5)
    sample(P.CholeskyInverse(adjoint), regular(3, 3), tolerance=1e-4)
    sample(P.CholeskySolve(adjoint), floats(3, 2), regular(3, 3), tolerance=1e-4)
for op in (P.MatrixSolve(), P.MatrixTriangularSolve()):
    bad(op, regular(3, 3), floats(2, 2), match="rhs must have 3 rows")
bad(P.Cholesky(), -definite(2, 2), match="must be positive definite")
bad(P.CholeskyInverse(), floats(2, 3), match="square matrices")
bad(P.CholeskySolve(), floats(2, 2), regular(3, 3), match="rhs must have 3 rows")
sample(P.MatrixSolveLs(), floats(4, 2), floats(4, 1), 0.1, tolerance=1e-4)
bad(P.MatrixSolveLs(), floats(4, 2), floats(3, 1), 0.1, match="as many rows as matrix")
sample(
    P.TridiagonalMatMul(), floats(1, 3), floats(1, 3, seed=1), floats(1, 3, seed=2), floats(3, 2)
)
bad(P.TridiagonalMatMul(), *[floats(1, 2)] * 3, floats(3, 2), match="superdiag must have the shape")

for shape in ((4, 3), (3, 4), (2, 3, 3)):
    x = floats(*shape, low=0.5, high=4.0)
    sample(P.Svd(), x, tolerance=1e-4)
    sample(P.Svd(False, False), x, tolerance=1e-4)
    sample(P.Qr(), x, tolerance=1e-4)
    sample(P.Geqrf(), x, wrt=(), why_not="LAPACK's form", tolerance=1e-4)
for options in ((False, True), (True, True), (False, False)):
    sample(
        P.Svd(*options), (floats(4, 3) + 1j * floats(4, 3, seed=1)).astype(np.complex64), wrt=(),
        why_not="of floats alone", tolerance=1e-4,
    )  # fmt: skip
sample(P.Svd(True), floats(4, 3), wrt=(), why_not="the extra columns are arbitrary", tolerance=1e-4)
sample(P.Qr(True), floats(4, 3), wrt=(), why_not="the extra columns are arbitrary", tolerance=1e-4)
for op in (P.Svd(), P.Qr(), P.Geqrf()):
    bad(op, floats(3), match="must hold matrices")
for compute_v in (False, True):
    sample(P.Eig(compute_v), definite(3, 3), wrt=(), why_not=COMPLEX, tolerance=1e-4)
sample(P.MatrixLogarithm(), definite(3, 3).astype(np.complex64), tolerance=1e-4)
bad(P.MatrixLogarithm(), regular(3, 3), match="kind complex", error=TypeError)

y, tau = floats(4, 2), positive(2)
sample(P.Orgqr(), y, tau)
bad(P.Orgqr(), floats(2, 4), tau, match="at least as many rows as columns")
for left in (False, True):
    for transpose in (False, True):
        sample(P.Ormqr(left, transpose), y, tau, floats(4, 3) if left else floats(3, 4))
bad(P.Ormqr(), y, tau, floats(3, 3), match="other must fit the (4,) rows")
pivots = np.array([2, 3, 3], np.int32)
sample(PivotRowOrder(3), pivots)
sample(P.LuUnpack(), regular(3, 3), pivots)
sample(P.LuSolve(), floats(3, 2), regular(3, 3), pivots, tolerance=1e-5)
bad(P.LuUnpack(), regular(3, 3), ints(2), match="one number for each step")
bad(P.LuUnpack(), regular(3, 3), np.array([1, 2, 4]), match="LU_pivots must be in [1, 3]")
bad(P.LuSolve(), floats(2, 2), regular(3, 3), pivots, match="as many rows as LU_data")
sample(P.Lstsq(), floats(4, 2), floats(4, 1), tolerance=1e-4)
sample(P.Lstsq(True, 0.1), floats(2, 4), floats(2), tolerance=1e-4)
bad(P.Lstsq(), floats(4, 2), floats(3), match="as many rows as matrix")
sample(P.NuclearNorm(), floats(2, 3), tolerance=1e-4)
sample(P.NuclearNorm((0, 2), True), floats(2, 2, 3), tolerance=1e-4)
bad(P.NuclearNorm((0, 2)), floats(2, 3), match="axis must be in [-2, 2)")

sample(P.Cross(), floats(2, 3), floats(2, 3, seed=1))
sample(P.Cross(0), floats(3, 3), floats(3, 3, seed=1))
bad(P.Cross(), floats(2, 2), floats(2, 2), match="an axis must have the length 3")
sample(P.Ger(), floats(3), floats(2))
bad(P.Ger(), floats(3, 1), floats(2), match="inputs must be vectors")
sample(P.Dense(), floats(2, 3), floats(4, 3), floats(4))
sample(P.Dense(), floats(2, 2, 3), floats(3))
bad(P.Dense(), floats(2, 3), floats(3, 4), match="weight must have (3,) columns")

# -- by SciPy's names -----------------------------------------------------------------------------

for op in (Eigh(), Eigh(False)):
    sample(op, floats(3, 3), tolerance=1e-4)
    sample(op, floats(2, 4, 4, seed=1), tolerance=1e-4)
sample(Lu(), floats(3, 3))
sample(Lu(), floats(2, 4, 4, seed=1))
sample(Lu(), floats(4, 3), wrt=(), why_not="of square matrices only")
limit = np.array(3)
for most in (False, True):
    sample(LinearSumAssignment(most), floats(4, 5), limit, wrt=(), why_not=PLACES)
    sample(LinearSumAssignment(most), floats(4, 2), limit, wrt=(), why_not=PLACES)
bad(LinearSumAssignment(), floats(4), limit, match="cost_matrix must have two axes")
bad(LinearSumAssignment(), floats(2, 2), np.array([1, 2]), match="must have one element")
