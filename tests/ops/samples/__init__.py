"""Samples of ops: what the contract test runs every op on.

Each family has a file ``samples/<family>.py`` that calls :func:`sample` and :func:`bad` at import::

    sample(P.LogSoftmax(-1), floats(2, 3))
    bad(P.LogSoftmax(), floats(), match="at least one axis")

Arrays become tensors, everything else stays a static argument.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor


@dataclass(frozen=True)
class Sample:
    """One op on one set of arguments."""

    op: Primitive
    args: tuple[Any, ...]
    wrt: tuple[int, ...]  # positions to differentiate by: all floats unless said otherwise
    second: bool  # whether the second derivative is compared as well
    tolerance: float  # of results under other strides, where a sum may go another way round
    why_not: str = ""  # why a derivative is not compared

    def __str__(self) -> str:
        text = ",".join(
            f"{a.dtype.name}{list(a.shape)}".replace(" ", "")
            if isinstance(a, np.ndarray)
            else str(a)
            for a in self.args
        )
        return f"{self.op!r}({text})".replace(" ", "")


@dataclass(frozen=True)
class BadInput:
    """A call that must raise ``error`` with ``match`` in its text."""

    call: Callable[[], Any]
    error: type[Exception]
    match: str
    name: str = field(default="")


SAMPLES: dict[str, list[Sample]] = {}
BAD: dict[str, list[BadInput]] = {}
ELSEWHERE: dict[str, str] = {}  # ops that can't run alone, and the test file that runs them


def sample(
    op: Primitive,
    *args: Any,
    wrt: tuple[int, ...] | None = None,
    second: bool = True,
    tolerance: float = 1e-6,
    why_not: str = "",
) -> None:
    """Run ``op`` on ``args`` in every contract test.

    Args:
        op: the primitive.
        args: arrays and static arguments.
        wrt: positions of the arrays to differentiate by; by default all floating ones. () must
            come with ``why_not``.
        second: compare the second derivative, too.
        tolerance: of results under other memory orders.
        why_not: the reason where a derivative is left out.
    """
    if wrt == () or not second:
        assert why_not, f"{op!r}: say why a derivative is not compared"
    floats = tuple(
        i for i, a in enumerate(args) if isinstance(a, np.ndarray) and a.dtype.kind == "f"
    )
    output = Sample(op, args, floats if wrt is None else wrt, second, tolerance, why_not)
    SAMPLES.setdefault(type(op).name, []).append(output)


def bad(
    op: Primitive | Callable[[], Any],
    *args: Any,
    match: str,
    error: type[Exception] = ValueError,
    name: str = "",
) -> None:
    """``op(*args)`` must raise ``error`` with ``match`` in its text; a function is just called."""
    from minispore.core.tensor import Tensor

    if isinstance(op, Primitive):

        def call() -> Any:
            return op(*[Tensor(a) if isinstance(a, np.ndarray) else a for a in args])

        name = type(op).name
    else:
        assert name, "bad: name says which op a function is about"
        call = op
    BAD.setdefault(name, []).append(BadInput(call, error, match, name))


def elsewhere(name: str, where: str) -> None:
    """The op ``name`` can't run alone (it needs a queue, a rank, a file): ``where`` tests it."""
    ELSEWHERE[name] = where


# -- arrays: small, distinct, away from 0 and from whole numbers, where many functions have kinks --


def floats(*shape: int, low: float = -2.0, high: float = 2.0, seed: int = 0) -> np.ndarray:
    """Different numbers in (low, high), float32, in no order."""
    rng = np.random.default_rng([seed, *shape])
    n = int(np.prod(shape))
    steps = (rng.permutation(n) + rng.uniform(0.25, 0.75, n)) / max(n, 1)
    return (low + (high - low) * steps).astype(np.float32).reshape(shape)


def positive(*shape: int, seed: int = 0) -> np.ndarray:
    """Different numbers in (0.2, 2), float32."""
    return floats(*shape, low=0.2, high=2.0, seed=seed)


def ints(
    *shape: int, low: int = 0, high: int = 5, dtype: Any = np.int32, seed: int = 0
) -> np.ndarray:
    """Integers in [low, high)."""
    return np.random.default_rng([seed, *shape]).integers(low, high, shape).astype(dtype)


def bools(*shape: int, seed: int = 0) -> np.ndarray:
    """True and False."""
    return np.random.default_rng([seed, *shape]).random(shape) < 0.5


def load() -> None:
    """Import every family's file beside this one."""
    for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
        importlib.import_module(f"{__name__}.{path.stem}")


def tensors(args: tuple[Any, ...]) -> list[Any]:
    """The arguments of a sample as a call of the op takes them."""

    def one(a: Any) -> Any:
        if isinstance(a, np.ndarray):
            return Tensor(a)
        if isinstance(a, tuple | list) and any(isinstance(x, np.ndarray) for x in a):
            return tuple(one(x) for x in a)
        return a

    return [one(a) for a in args]
