"""All steps of an LSTM as one op."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minispore.core.primitive import Calls
from minispore.core.tensor import Tensor
from minispore.core.value import Spec
from minispore.ops.elementwise.bases import a_kind
from minispore.ops.elementwise.smooth_activations import Sigmoid, Tanh
from minispore.ops.linalg.products import MatMul
from minispore.ops.network.lstm_gradient import HALVES, LSTMSequenceGrad, LSTMSequenceWeights
from minispore.ops.network.sequence import (
    FEW,
    Step,
    _Sequence,
    held,
    mark_stopped,
    mask_spec,
    merged,
    outputs_of,
    parts_of,
    running,
    sigmoids,
    span,
    stacked,
    where_running,
)
from minispore.ops.shape.join import Concat, Stack
from minispore.ops.shape.split import Split
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.shape.whole import ZerosLike

_Given = tuple[np.ndarray, np.ndarray, np.ndarray | None, np.ndarray]  # w, w_hh, b, x


class LSTMSequence(_Sequence):
    """c = f c + i g and h = o tanh(c) for each step, (i, f, g, o) = act(x w' + b + h w_hh').

    Shape: w (4H, I), w_hh (4H, H), b (4H,) or None, x (T, N, I), h and c (N, H), lengths (N,) or
    None -> i, f, o and g (4, T, N, H), all h and all c (T + 1, N, H), the first ones (the last, in
    reverse) among them, and tanh(c) after each step (T, N, H).

    Source: Hochreiter & Schmidhuber, https://doi.org/10.1162/neco.1997.9.8.1735
    """

    gates = 4
    axes = (None, None, None, 1, 0, 0, 0), (2, 1, 1, 1)

    def infer(
        self, w: Spec, w_hh: Spec, b: Any, x: Spec, h: Spec, c: Spec, lengths: Any
    ) -> tuple[Spec, ...]:
        a_kind(self.name, x, "fV", "x")
        if x.ndim != 3 or w_hh.ndim != 2:
            raise ValueError(
                f"{self.name}: x must have the axes (T, N, I) and w_hh (4H, H), got {x} and {w_hh}."
            )
        t, n, size = x.shape
        width = w_hh.shape[1]
        gates, states = Spec((4, t, n, width), x.dtype), Spec((t + 1, n, width), x.dtype)
        self.hidden(gates, w_hh, lengths, h=h, c=c)
        for name, given, shape in (("w", w, (4 * width, size)), ("b", b, (4 * width,))):
            if given is not None and given != Spec(shape, x.dtype):
                raise ValueError(
                    f"{self.name}: {name} must have the shape {shape} and the dtype of x "
                    f"{x.dtype}, got {given}."
                )
        return gates, states, states, Spec((t, n, width), x.dtype)

    def flops(self, w: Spec, w_hh: Spec, b: Any, x: Spec, *rest: Any) -> int:
        t, n, size = x.shape
        return 2 * t * n * w.shape[0] * (size + w.shape[0] // 4)

    def scratch(
        self, w: Spec, w_hh: Spec, b: Any, x: Spec, h: Spec, c: Spec, lengths: Any
    ) -> tuple[Spec, ...]:
        (t, n, size), width = x.shape, h.shape[1]
        shapes = [(4, n, width), (n, width)]
        size += b is not None
        if t >= FEW and _joined(size, width):
            shapes += [(4, width + size, width), (n, width + size)]
        elif t >= FEW:
            shapes += [(4, width, width), (4, size, width), (t, n, size)]
        return (*[Spec(shape, x.dtype) for shape in shapes], *mask_spec(t, n, lengths))

    def calls(
        self,
        w: np.ndarray,
        w_hh: np.ndarray,
        b: np.ndarray | None,
        x: np.ndarray,
        h: np.ndarray,
        c: np.ndarray,
        lengths: np.ndarray | None,
        *,
        out: Any,
        work: list[np.ndarray],
    ) -> Calls:
        _, hs, cs, _ = out
        first = len(x) if self.reverse else 0
        made: Calls = [partial(np.copyto, hs[first], h), partial(np.copyto, cs[first], c)]
        if lengths is not None:
            made.append(partial(mark_stopped, lengths, work[-1]))
        given = w, w_hh, b, x
        if len(x) < FEW:
            return made + self._by_few(given, lengths, out, work)
        if _joined(x.shape[2] + (b is not None), h.shape[1]):
            return made + self._by_both(given, lengths, out, work)
        return made + self._by_each(given, lengths, out, work)

    def _by_few(self, given: _Given, lengths: Any, out: Any, work: list[np.ndarray]) -> Calls:
        """To turn the weights would take longer than the products."""
        (w, w_hh, b, x), gates, across = given, out[0], work[0]
        each, each_h = (a.reshape(4, w_hh.shape[1], -1).swapaxes(1, 2) for a in (w, w_hh))
        made: Calls = []
        for to, at in HALVES:
            made.append(partial(np.matmul, x, each[at][:, None], out=gates[to]))
            if b is not None:
                bias = b.reshape(4, 1, 1, -1)[at]
                made.append(partial(np.add, gates[to], bias, gates[to]))
        by_h = [(each_h[at], across[to]) for to, at in HALVES]
        sums = partial(_added, by_h, gates, out[1], across)
        steps = list(self.steps(len(x)))
        return made + self._steps(steps, sums, lengths, out, work, negated=False)

    def _by_both(self, given: _Given, lengths: Any, out: Any, work: list[np.ndarray]) -> Calls:
        """One product with x and h of each step, beside each other."""
        (w, w_hh, b, x), across = given, work[0]
        (turned, both), width, size = work[2:4], w_hh.shape[1], x.shape[2]
        of_h, of_x, of_b = np.split(both, [width, width + size], 1)
        made = [*_turned(w_hh, turned[:, :width]), *_turned(w, turned[:, width : width + size])]
        if b is not None:
            made += [*_turned(b, turned[:, width + size :]), partial(np.copyto, of_b, 1)]

        def sums(t: int, before: int) -> Calls:
            return [
                partial(np.copyto, of_h, out[1][before]),
                partial(np.copyto, of_x, x[t]),
                partial(np.matmul, both, turned, across),
            ]

        steps = list(self.steps(len(x)))
        return made + self._steps(steps, sums, lengths, out, work, negated=True)

    def _by_each(self, given: _Given, lengths: Any, out: Any, work: list[np.ndarray]) -> Calls:
        """What x adds in a few products for many steps, which stays in the cache."""
        (w, w_hh, b, x), gates, across = given, out[0], work[0]
        turned_h, turned_x, rows = work[2:5]
        size = x.shape[2]
        made = [*_turned(w_hh, turned_h), *_turned(w, turned_x[:, :size])]
        if b is not None:
            made += [*_turned(b, turned_x[:, size:]), partial(np.copyto, rows[..., size:], 1)]
        sums = partial(_added, [(turned_h, across)], gates, out[1], across)
        for some in parts_of(list(self.steps(len(x))), 2 * x.size * len(w)):
            now, copies = span(some), Calls()
            into = merged(gates[:, now], copies)
            made += [
                partial(np.copyto, rows[now, :, :size], x[now]),
                partial(np.matmul, rows[now].reshape(-1, rows.shape[2]), turned_x, out=into),
            ]
            if copies:
                made.append(partial(np.copyto, gates[:, now], into.reshape(gates[:, now].shape)))
            made += self._steps(some, sums, lengths, out, work, negated=True)
        return made

    def _steps(
        self,
        steps: list[Step],
        sums: Callable[[int, int], Calls],
        lengths: np.ndarray | None,
        out: Any,
        work: list[np.ndarray],
        negated: bool,
    ) -> Calls:
        """Some steps.

        Args:
            steps: which.
            sums: gives the calls that make the sums in the gates i, f, o and g of a step, by its
                number and that of the state before it; ``negated``: for sigmoids, minus that.
        """
        gates, hs, cs, tanhs = out
        across, product = work[:2]
        made: Calls = []
        for t, before, after in steps:
            now = gates[:, t]
            i, f, o, g = now
            made += [
                *sums(t, before),
                partial(np.tanh, across[3], g),
                *sigmoids(across[:3], now[:3], negated),
                partial(np.multiply, f, cs[before], cs[after]),
                partial(np.multiply, i, g, product),
                partial(np.add, cs[after], product, cs[after]),
            ]
            if lengths is not None:
                made += held(work[-1][t], [(now, 0), (cs[after], cs[before])])
            made += [
                partial(np.tanh, cs[after], tanhs[t]),
                partial(np.multiply, o, tanhs[t], hs[after]),
            ]
            if lengths is not None:
                made += held(work[-1][t], [(hs[after], hs[before])])
        return made

    def told(
        self, w: Tensor, w_hh: Tensor, b: Any, x: Tensor, h: Tensor, c: Tensor, lengths: Any
    ) -> Any:
        """The op in ops that every format has."""
        first = x.shape[0] if self.reverse else 0
        gates, hs, cs, tanhs = {}, {first: h}, {first: c}, {}
        by, apart = MatMul(False, True), Split(1, 4)
        of_x = by(Reshape()(x, (-1, x.shape[2])), w)
        of_x = Reshape()(of_x if b is None else of_x + b, (*x.shape[:2], -1))
        for t, before, after in self.steps(x.shape[0]):
            i, f, g, o = apart(of_x[t] + by(hs[before], w_hh))
            i, f, g, o = Sigmoid()(i), Sigmoid()(f), Tanh()(g), Sigmoid()(o)
            new_c = f * cs[before] + i * g
            going, gates[t] = running(lengths, t), Stack(0)([i, f, o, g])
            cs[after] = where_running(going, new_c, cs[before])
            tanhs[t] = Tanh()(cs[after])
            hs[after] = where_running(going, o * tanhs[t], hs[before])
        made = Transpose()(stacked(gates), (1, 0, 2, 3))
        return made, stacked(hs), stacked(cs), stacked(tanhs)

    def vjp(self, *args: Any, out: Any, dout: Any) -> Any:
        w, w_hh, b, x, _, _, lengths = args
        gates, hs, cs, tanhs = out
        dgates, dhs, dcs, dtanhs = dout
        if dtanhs is not None:
            rows = [ZerosLike()(cs[:1]), dtanhs * (1 - tanhs * tanhs)]
            by_tanhs = Concat(0)(rows[::-1] if self.reverse else rows)
            dcs = by_tanhs if dcs is None else dcs + by_tanhs
        made: list[Any] = []
        of_weights: list[Any] = []

        def back(at: int) -> Any:
            if not made:
                op = LSTMSequenceGrad(self.reverse)
                made[:] = op(gates, hs, cs, tanhs, w_hh, lengths, dgates, dhs, dcs)
            return made[at]

        def weights(at: int) -> Any:
            if not of_weights:
                of_weights[:] = LSTMSequenceWeights(self.reverse)(back(0), hs, x, b)
            return of_weights[at]

        by_w = (
            (lambda: weights(0)),
            (lambda: weights(1)),
            (lambda: weights(2)) if b is not None else None,
        )
        return *by_w, lambda: _by_x(back(0), w), lambda: back(1), lambda: back(2), None


def _joined(size: int, width: int) -> bool:
    """Whether one product of x and h, of so many columns, takes less time than one of each."""
    return size <= width


def _added(
    by_h: list[tuple[np.ndarray, np.ndarray]],
    gates: np.ndarray,
    hs: np.ndarray,
    across: np.ndarray,
    t: int,
    before: int,
) -> Calls:
    """What h adds to what is in the gates of a step; ``by_h``: by what, and where to."""
    products = [partial(np.matmul, hs[before], some, new) for some, new in by_h]
    return [*products, partial(np.add, gates[:, t], across, across)]


def _turned(w: np.ndarray, out: np.ndarray) -> Calls:
    """w of the gates i, f, g and o, turned, as those of i, f, o and g: -w of the three sigmoids."""
    each = w.reshape(4, out.shape[2], -1).swapaxes(1, 2)
    return [
        partial(np.negative, each[:2], out[:2]),
        partial(np.negative, each[3], out[2]),
        partial(np.copyto, out[3], each[2]),
    ]


def _by_x(d: Tensor, w: Tensor) -> Tensor:
    """The cotangent of x: (T, N, 4H) with (4H, I) -> (T, N, I)."""
    made = MatMul()(Reshape()(d, (-1, d.shape[2])), w)
    return Reshape()(made, (*d.shape[:2], -1))


def lstm_layer(
    x: Tensor,
    h: Tensor,
    c: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b: Tensor | None,
    lengths: Any = None,
    reverse: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    """An LSTM over x (T, N, I): all h, the last h and the last c. Gates in the order i, f, g, o."""
    made = LSTMSequence(reverse)(w_ih, w_hh, b, x, h, c, lengths)
    end = 0 if reverse else -1
    return outputs_of(made[1], lengths, reverse), made[1][end], made[2][end]


__all__ = ["lstm_layer"]
