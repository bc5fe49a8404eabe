"""What LSTM and GRU share, whose steps are one op each.

What x adds to the gates, x w_ih' + b, is one product for all steps, b a column of w_ih. Gates lie
apart, each (N, H), so that a step is one product of h with G matrices, and a few passes over arrays
that stay in the cache. What a sequence gives depends on no other of its batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar

import numpy as np

from minispore.core.dtype import int_type
from minispore.core.primitive import Calls, Primitive
from minispore.core.tensor import Tensor
from minispore.core.threads.tiles import Rows
from minispore.core.value import Spec
from minispore.foundation import checks
from minispore.ops.elementwise.bases import a_kind
from minispore.ops.elementwise.compare import Greater
from minispore.ops.index.select import Select
from minispore.ops.linalg.products import BatchMatMul
from minispore.ops.shape.join import Concat, Stack
from minispore.ops.shape.views import ExpandDims, Reshape
from minispore.ops.shape.whole import Ones
from minispore.ops.support.derive import pull_back

FEW = 4  # steps for which turning the weights costs more than it brings
_BYTES_AT_ONCE = 256 << 10  # of gates, which stay in the cache
_MOST_PARTS, _LEAST_FLOPS = 4, 30e6  # of a product for all steps, and in each of its parts

Step = tuple[int, int, int]  # t, the state before it, the state after it


class _Sequence(Primitive):
    """What LSTM and GRU share; ``reverse``: from the last step to the first.

    With lengths (N,), at the steps from ``lengths[n]`` on the state stays and the gates are zero.
    """

    reverse: bool = False
    internal = True
    partial = True
    matmul_kind = "product"
    gates = 0  # in w_hh
    # Of each argument and each output, which one has the sequences.
    axes: ClassVar[tuple[tuple[int | None, ...], tuple[int, ...]] | None] = None
    short_calls = True
    row_edges = 1, 12  # products of 12 rows and more are alike in BLAS for AVX2

    def rowwise(self, *args: Any, out: Any) -> tuple[Rows, ...] | None:
        if self.axes is None:
            return None
        given, made = self.axes
        return *[None if a is None else i for a, i in zip(args, given, strict=True)], *made

    def check(self) -> None:
        checks.boolean(self.name, "reverse", self.reverse)

    def steps(self, count: int) -> Iterator[Step]:
        """The steps, in order."""
        for t in range(count)[:: -1 if self.reverse else 1]:
            yield (t, t + 1, t) if self.reverse else (t, t, t + 1)

    def hidden(self, of_x: Spec, w_hh: Spec, lengths: Any, **states: Spec) -> tuple[int, int, int]:
        """T, N and H of inputs that fit."""
        a_kind(self.name, of_x, "fV", "of_x")
        gates = self.gates
        if of_x.ndim != 4 or of_x.shape[0] != gates:
            raise ValueError(
                f"{self.name}: of_x must have the axes ({gates}, T, N, H), got {of_x}."
            )
        _, t, n, h = of_x.shape
        wanted = dict.fromkeys(states, (n, h)) | {"w_hh": (gates * h, h)}
        for name, spec in {**states, "w_hh": w_hh}.items():
            if spec != Spec(wanted[name], of_x.dtype):
                raise ValueError(
                    f"{self.name}: {name} must have the shape {wanted[name]} and the dtype "
                    f"{of_x.dtype}, got {spec}."
                )
        if lengths is not None and lengths.shape != (n,):
            raise ValueError(f"{self.name}: lengths must have the shape {(n,)}, got {lengths}.")
        return t, n, h

    def flops(self, of_x: Spec, *rest: Any) -> int:
        _, t, n, h = of_x.shape
        return 2 * self.gates * t * n * h * h


def at_once(gates: Spec) -> int:
    """For how many steps is made together what none of them waits for: fewer, longer calls."""
    _, t, n, width = gates.shape
    return max(1, min(t, _BYTES_AT_ONCE // max(1, 4 * n * width * gates.dtype.itemsize)))


def parts_of(steps: list[Step], flops: int) -> list[list[Step]]:
    """Steps in parts, each with a part of a product for all of them, which stays in the cache."""
    parts = max(1, min(_MOST_PARTS, int(flops / _LEAST_FLOPS)))
    size = -(-len(steps) // parts)
    return [steps[i : i + size] for i in range(0, len(steps), size)]


def span(steps: list[Step]) -> slice:
    """Where steps that follow each other are in what all steps have."""
    return slice(min(steps)[0], max(steps)[0] + 1)


def turned_weights(w: np.ndarray, gates: int, work: np.ndarray | None) -> tuple[np.ndarray, Calls]:
    """w_hh (G H, H) as (G, H, H), each turned, and the calls that make it."""
    each = w.reshape(gates, -1, w.shape[1]).swapaxes(1, 2)
    return (each, []) if work is None else (work, [partial(np.copyto, work, each)])


def merged(a: np.ndarray, calls: Calls) -> np.ndarray:
    """a (..., T, N, H) as (..., T N, H); where it doesn't lie so, what ``calls`` copy it to."""
    shape = *a.shape[:-3], a.shape[-3] * a.shape[-2], a.shape[-1]
    seen = a.reshape(shape)
    if not np.shares_memory(seen, a):
        calls.append(partial(np.copyto, seen.reshape(a.shape), a))
    return seen


def sigmoids(x: np.ndarray, out: np.ndarray, negated: bool = False) -> Calls:
    """1 / (1 + e^-x), of x or of -x; x is overwritten."""
    one = np.ones((), x.dtype)
    return [
        *([] if negated else [partial(np.negative, x, x)]),
        partial(np.exp, x, x),
        partial(np.add, x, one, x),
        partial(np.true_divide, one, x, out),
    ]


def mark_stopped(lengths: np.ndarray, out: np.ndarray) -> None:
    """Which sequences have ended at which step: (T, N, 1)."""
    np.less_equal(lengths, np.arange(len(out), dtype=lengths.dtype)[:, None], out=out[..., 0])


def held(stop: np.ndarray, pairs: list[tuple[np.ndarray, Any]]) -> Calls:
    return [partial(np.copyto, new, old, where=stop) for new, old in pairs]


def mask_spec(t: int, n: int, lengths: Any) -> tuple[Spec, ...]:
    return () if lengths is None else (Spec((t, n, 1), np.dtype(bool)),)


def of_x_for(gates: int, x: Tensor, w: Tensor, b: Tensor | None) -> Tensor:
    """x (T, N, I) w' + b for each of the gates: (G, T, N, H)."""
    t, n, _ = x.shape
    if b is not None:
        ones = Ones()((t, n, 1), x.dtype)
        x = Concat(2)((x, ones))
        w = Concat(1)((w, ExpandDims()(b, 1)))
    rows = Reshape()(x, (t * n, -1))
    each = Reshape()(w, (gates, w.shape[0] // gates, w.shape[1]))
    return Reshape()(BatchMatMul(False, True)(rows, each), (gates, t, n, -1))


def outputs_of(hs: Tensor, lengths: Any, reverse: bool) -> Tensor:
    """h after each step, zero where a sequence has ended."""
    y = hs[:-1] if reverse else hs[1:]
    if lengths is None:
        return y
    count = np.arange(y.shape[0], dtype=lengths.dtype.name)[:, None, None]
    return Select()(Tensor(count) < ExpandDims()(lengths, 1), y, 0.0)


def before_each(hs: Any, reverse: bool) -> Any:
    """The state before each step."""
    return hs[1:] if reverse else hs[:-1]


def by_weights(d: Tensor, before: Tensor) -> Tensor:
    """The cotangent of a weight: (G, T, N, H) with (T, N, I) -> (G H, I)."""
    gates, width, size = d.shape[0], d.shape[-1], before.shape[-1]
    rows = Reshape()(before, (-1, size))
    made = BatchMatMul(True)(Reshape()(d, (gates, -1, width)), rows)
    return Reshape()(made, (gates * width, size))


def vjp_by_formula(prim: _Sequence, formula: Any, args: tuple[Any, ...], dout: Any) -> Any:
    """The derivative of a derivative, from the formula in ops; lengths have none."""
    at = [i for i, a in enumerate(args) if a is not None and a.dtype not in int_type]

    def of(*given: Tensor) -> Any:
        full = list(args)
        for i, a in zip(at, given, strict=True):
            full[i] = a
        return formula(prim, *full)

    found: list[Any] = [None] * len(args)
    for i, d in zip(at, pull_back(of, tuple([args[i] for i in at]), dout), strict=True):
        found[i] = d
    return tuple(found)


def plus(x: Tensor, given: Any, index: Any) -> Tensor:
    return x if given is None else x + given[index]


def running(lengths: Any, t: int) -> Any:
    return None if lengths is None else ExpandDims()(Greater()(lengths, t), 1)


def where_running(going: Any, new: Tensor, old: Any) -> Tensor:
    return new if going is None else Select()(going, new, old)


def stacked(parts: dict[int, Any]) -> Tensor:
    """Parts by their step -> one array with the steps in front."""
    return Stack(0)([parts[t] for t in sorted(parts)])


__all__: list[str] = []
