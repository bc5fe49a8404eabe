"""Where gradients are hard: kinks, ties, zeros, bounds, infinities, wide spreads, nothing at all.

A case is one function said twice (``edge_cases.txt``), for MindSpore (and ours) and for PyTorch,
and the arrays that it is differentiated at. ``tests/golden/make_edges.py`` asks the two oracles,
``test_edges.py`` ours.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

INF, NAN = float("inf"), float("nan")

# every kink, bound and zero of the functions below, the ends of exp in float32, and no numbers
POINTS = np.array(
    [-INF, -200, -89, -20, -6, -3, -2, -1, -0.5, 0, 0.5, 1, 2, 3, 6, 20, 89, 200, INF, NAN],
    np.float32,
)


class Case(NamedTuple):
    """The function ``of`` (``torch`` in PyTorch, "" where it has none) of the arrays ``at``."""

    of: str
    torch: str
    where: str  # what the arrays are called
    at: tuple[np.ndarray, ...]

    def __str__(self) -> str:
        return f"{self.of} at {self.where}"


def _table(heading: str) -> list[tuple[str, str, list[str]]]:
    """The lines below ``heading`` of the table: MindSpore's words, PyTorch's, the arrays."""
    text = Path(__file__).with_suffix(".txt").read_text().partition(f"[{heading}]")[2]
    results = []
    for line in text.partition("\n[")[0].strip().splitlines():
        of, torch, *where = [part.strip() for part in line.split("|")]
        torch = f"{torch}.{of}" if torch in ("torch", "F") else torch
        results.append((f"ops.{of}", torch, where[0].split(",") if where else []))
    return results


POINTWISE, BINARY, MATRIX = map(_table, ("of one number", "of two numbers", "of rows"))
TWO = np.array([-INF, -200, -2, -1, -0.5, 0, 0.5, 1, 2, 200, INF], np.float32)

# -- of arrays ------------------------------------------------------------------------------------


def _f(*rows: Any) -> np.ndarray:
    return np.array(rows, np.float32)


_RNG = np.random.default_rng(5)
ROWS = {
    "ties": _f([1, 2, 2, 1], [3, 3, 3, 3], [0, 0, -1, 5]),
    "zeros": np.zeros((3, 4), np.float32),
    "one zero row": _f([0, 0, 0, 0], [1, -2, 3, 0], [0, 0, 5, 0]),
    "equal rows": _f([1, 2, 3, 4], [1, 2, 3, 4], [0, 1, 0, 1]),
    "spread": _f([0, 100, -100, 50], [200, 0, -200, 88], [-90, -90, 90, 90]),
    "minus infinity": _f([-INF, 0, 1, -INF], [-INF, -INF, 2, 0], [1, 2, 3, -INF]),
    "one element": _f([0.5]),
    "one column": _f([1], [0], [-2]),
    "plain": _RNG.uniform(-2, 2, (3, 4)).astype(np.float32),
}


def cases() -> Iterator[Case]:
    """All of them but the compositions."""
    for of, torch, _ in POINTWISE:
        yield Case(of, torch, "points", (POINTS,))
    x, y = (a.reshape(-1) for a in np.meshgrid(TWO, TWO, indexing="ij"))
    for of, torch, _ in BINARY:
        if "PReLU" in of:
            yield Case(of, torch, "a number", (TWO[:, None], _f(0.5)))
        elif "BCE" in of:
            stored = (y >= 0) & (y <= 1)
            yield Case(of, torch, "all and [0, 1]", (x[stored], y[stored]))
        else:
            yield Case(of, torch, "pairs", (x, y))
    for of, torch, where in MATRIX:
        for name in ("plain", *where):
            yield Case(of, torch, name, (ROWS[name],))


# f(g(x)) over these, by the oracles as well, at each x of POINTS. MindSpore's logit dies with a
# segmentation fault behind another op.
COMPOSED = [(of, torch) for of, torch, _ in POINTWISE if torch and "logit" not in of]


def composition(outer: tuple[str, str], inner: tuple[str, str]) -> Case:
    """f(g(x)) at each x of POINTS."""
    ours, torch = (f"(lambda x: {f})({g})" for f, g in zip(outer, inner, strict=True))
    return Case(ours, torch, "points", (POINTS,))


def compositions() -> Iterator[Case]:
    """f(g(x)) for every two pointwise functions."""
    return itertools.starmap(composition, itertools.product(COMPOSED, COMPOSED))


# -- asking ---------------------------------------------------------------------------------------


def ours(ms: Any, case: Case) -> list[np.ndarray]:
    """The value and the gradients by each array, in MindSpore or minispore."""
    names: dict[str, Any] = {"ops": ms.ops, "INF": INF}
    names["ones"] = ms.Tensor(np.ones(4, np.float32))
    names["Tensor"] = lambda rows: ms.Tensor(np.array(rows, np.int32))
    names["Tensor64"] = lambda rows: ms.Tensor(np.array(rows, np.int64))
    names["Tensor32"] = lambda rows: ms.Tensor(np.array(rows, np.int32))

    def f(*xs: Any) -> Any:
        return eval(case.of, names | dict(zip("xy", xs, strict=False)))

    at = [ms.Tensor(a) for a in case.at]
    found = ms.grad(f, tuple(range(len(at))))(*at)
    grads = found if isinstance(found, tuple) else (found,)
    return [f(*at).asnumpy(), *[g.asnumpy() for g in grads]]


def pytorch(torch: Any, case: Case) -> list[np.ndarray]:
    """The same in PyTorch."""
    names: dict[str, Any] = {
        "torch": torch,
        "F": torch.nn.functional,
        "INF": INF,
        "Tensor": torch.tensor,
    }
    names |= {"Tensor64": torch.tensor, "Tensor32": torch.tensor, "ones": torch.ones(4)}
    at = [torch.tensor(a, requires_grad=True) for a in case.at]
    made = eval(case.torch, names | dict(zip("xy", at, strict=False)))
    grads = torch.autograd.grad(made.sum(), at, allow_unused=True)
    zero = SimpleNamespace(numpy=lambda: np.zeros((), np.float32))
    return [made.detach().numpy(), *[(g if g is not None else zero).numpy() for g in grads]]
