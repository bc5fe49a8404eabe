"""The derivative of all steps of an LSTM as one op."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minispore.core.kernels.blas import get_small_product_limit
from minispore.core.primitive import Calls
from minispore.core.value import Spec
from minispore.ops.elementwise.bases import a_kind
from minispore.ops.linalg.products import MatMul, MatMulExt
from minispore.ops.network.sequence import (
    Step,
    _Sequence,
    at_once,
    before_each,
    held,
    mark_stopped,
    mask_spec,
    merged,
    plus,
    running,
    span,
    stacked,
    vjp_by_formula,
    where_running,
)
from minispore.ops.shape.join import Concat
from minispore.ops.shape.views import Reshape
from minispore.ops.shape.whole import ZerosLike
from minispore.ops.statistics.reduce import ReduceSum

# The gates of a weight, i, f, g and o, are computed in the order i, f, o, g: three sigmoids lie
# together. (where they are then, where they come from) of each half.
HALVES = ((slice(0, 2), slice(0, 2)), (slice(2, 4), slice(3, 1, -1)))


class LSTMSequenceGrad(_Sequence):
    """The cotangents of the inputs of :class:`LSTMSequence` from those of its outputs.

    Shape: gates (4, T, N, H), all h and all c (T + 1, N, H), tanh(c) (T, N, H), w_hh (4H, H),
    lengths (N,) or None, the cotangents of gates, h and c, each one or None, that of h (1, N, H) if
    it is 0 but at the end -> the cotangent of the sums in the gates i, f, g and o (T, N, 4H), and
    of h and c (N, H).
    """

    gates = 4
    axes = (2, 1, 1, 1, None, 0, 2, 1, 1), (1, 0, 0)

    def infer(
        self, gates: Spec, hs: Spec, cs: Spec, tanhs: Spec, w_hh: Spec, lengths: Any, *rest: Any
    ) -> tuple[Spec, ...]:
        t, n, width = self.hidden(gates, w_hh, lengths)
        return Spec((t, n, 4 * width), gates.dtype), *[Spec((n, width), gates.dtype)] * 2

    def scratch(self, gates: Spec, *rest: Any) -> tuple[Spec, ...]:
        _, t, n, width = gates.shape
        lengths, dgates = rest[4:6]
        count = at_once(gates)
        shapes: list[tuple[int, ...]] = [(n, width), (n, width), (4, n, width)]
        shapes += [(count, n, width), (2, count, n, width)]
        shapes += [(4, count, n, width)] * (1 if dgates is None else 2)
        return (*[Spec(shape, gates.dtype) for shape in shapes], *mask_spec(t, n, lengths))

    def calls(
        self,
        gates: np.ndarray,
        hs: np.ndarray,
        cs: np.ndarray,
        tanhs: np.ndarray,
        w_hh: np.ndarray,
        lengths: np.ndarray | None,
        dgates: np.ndarray | None,
        dhs: np.ndarray | None,
        dcs: np.ndarray | None,
        *,
        out: Any,
        work: list[np.ndarray],
    ) -> Calls:
        made: Calls = []
        for state, given in ((out[1], dhs), (out[2], dcs)):
            end = None if given is None else given[0 if self.reverse else -1]
            made.append(partial(np.copyto, state, 0 if end is None else end))
        if lengths is not None:
            made.append(partial(mark_stopped, lengths, work[-1]))
        order = list(self.steps(gates.shape[1]))[::-1]
        kept, slopes = (gates, hs, cs, tanhs), (dgates, dhs, dcs)
        return [*made, *self._back(order, kept, w_hh, slopes, out, work, lengths)]

    def _back(
        self,
        steps: list[Step],
        kept: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
        w: np.ndarray,
        given: tuple[np.ndarray | None, np.ndarray | None, np.ndarray | None],
        out: Any,
        work: list[np.ndarray],
        lengths: np.ndarray | None,
    ) -> Calls:
        """Some steps back, which follow each other; ``kept``: gates, all h, all c and tanh(c);
        ``given``: the cotangents of the outputs.
        """
        dx, dh, dc = out[:3]
        u, v, e, through, product, each = work[:6]
        dgates, dhs, dcs = given
        end_alone = dhs is not None and len(dhs) < len(kept[1])
        forget = list(kept[0][1])
        made: Calls = []
        for begin in range(0, len(steps), len(through)):
            some = steps[begin : begin + len(through)]
            now, count = span(some), len(some)
            own = None if dgates is None else work[6][:, :count]
            rooms = each[:, :count], product[:, :count], through[:count], own
            made += self._factors(kept, dgates, now, *rooms)
            for t, before, _ in some:
                k = t - now.start
                d, rows = each[:, k], dx[t]
                by_c, by_h = d[:3], d[3]
                made += [
                    partial(np.multiply, dh, through[k], u),
                    partial(np.add, u, dc, u),  # by c
                    partial(np.multiply, by_c, u, by_c),
                    partial(np.multiply, by_h, dh, by_h),
                    partial(np.multiply, u, forget[t], u if lengths is not None else dc),
                ]
                if own is not None:
                    made += [partial(np.add, d[at], own[to, k], d[at]) for to, at in HALVES]
                if lengths is not None:
                    stop = work[-1][t]
                    made += [
                        partial(np.copyto, v, dh),
                        *held(stop, [(d, 0), (u, dc)]),
                        partial(np.copyto, dc, u),
                    ]
                by_gate = rows.reshape(len(rows), 4, -1).swapaxes(0, 1)
                made += [partial(np.copyto, by_gate, d), *_by_w(rows, d, w, e, dh)]
                if lengths is not None:
                    made += held(stop, [(dh, v)])
                for state, of in ((dh, None if end_alone else dhs), (dc, dcs)):
                    if of is not None:
                        made.append(partial(np.add, state, of[before], state))
        return made

    def _factors(
        self,
        kept: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
        dgates: np.ndarray | None,
        now: slice,
        d: np.ndarray,
        product: np.ndarray,
        through: np.ndarray,
        own: np.ndarray | None,
    ) -> Calls:
        """What some steps multiply the cotangents of their states by, none of which it waits for.

        In d for i, f and g, by that of c, and for o, by that of h; in ``through`` from h to c. And
        in ``own`` what the cotangents of the gates add to d. Of a product p = s y with a sigmoid
        s = 1 / (1 + e^-z), dp/dz is p - s p; with y = tanh(z) it is s - y p.
        """
        all_gates, hs, cs, tanhs = kept
        gates, tanh = all_gates[:, now], tanhs[now]
        i, f, o, g = gates
        h = before_each(hs, not self.reverse)[now]  # o tanh
        made: Calls = [
            partial(np.multiply, i, g, product[0]),
            partial(np.multiply, f, before_each(cs, self.reverse)[now], product[1]),
            partial(np.multiply, gates[:2], product, d[:2]),
            partial(np.subtract, product, d[:2], d[:2]),
            partial(np.multiply, g, product[0], d[2]),
            partial(np.subtract, i, d[2], d[2]),
            partial(np.multiply, o, h, d[3]),
            partial(np.subtract, h, d[3], d[3]),
            partial(np.multiply, tanh, h, through),
            partial(np.subtract, o, through, through),
        ]
        if own is not None:
            given, one = dgates[:, now], np.ones((), gates.dtype)  # type: ignore[index]
            made.append(partial(np.multiply, gates, gates, own))
            made.append(partial(np.subtract, gates[:3], own[:3], own[:3]))
            made.append(partial(np.subtract, one, own[3], own[3]))
            made.append(partial(np.multiply, own, given, own))
        return made

    def vjp(self, *args: Any, out: Any, dout: Any) -> Any:
        return vjp_by_formula(self, _lstm_backward, args, dout)


_NARROW = 128  # columns of w_hh up to which a product of one gate is small for BLAS


def _by_w(rows: np.ndarray, d: np.ndarray, w: np.ndarray, e: np.ndarray, dh: np.ndarray) -> Calls:
    """What makes the cotangent of h of that of a step's sums: ``rows`` (N, 4H), ``d`` (4, N, H).

    Never -0, so zeros of dhs change nothing, and need not be added.
    """
    if get_small_product_limit() and w.shape[1] <= _NARROW:
        products = partial(np.matmul, d, w.reshape(4, -1, w.shape[1]), e)
        return [products, partial(np.add.reduce, e, 0, None, dh, False, 0)]
    zero = np.zeros((), dh.dtype)
    return [partial(np.matmul, rows, w, dh), partial(np.add, dh, zero, dh)]


class LSTMSequenceWeights(_Sequence):
    """The cotangents of the weights of :class:`LSTMSequence` from that of the sums in its gates.

    Shape: cotangent (T, N, 4H), all h (T + 1, N, H), x (T, N, I), b (4H,) or None -> those of w
    (4H, I), w_hh (4H, H) and b (4H,).
    """

    gates = 4

    def infer(self, d: Spec, hs: Spec, x: Spec, b: Any) -> tuple[Spec, ...]:
        a_kind(self.name, d, "fV", "d")
        t, n, rows = d.shape
        if hs.shape != (t + 1, n, rows // 4) or x.shape[:2] != (t, n):
            raise ValueError(
                f"{self.name}: h must have the axes (T + 1, N, H) and x (T, N, I) of {d}, got {hs} "
                f"and {x}."
            )
        shapes = [(rows, x.shape[2]), (rows, rows // 4)] + [(rows,)] * (b is not None)
        return tuple([Spec(shape, d.dtype) for shape in shapes])

    def flops(self, d: Spec, hs: Spec, x: Spec, b: Any) -> int:
        return 2 * d.size * (x.shape[2] + d.shape[2] // 4)

    def scratch(self, d: Spec, hs: Spec, x: Spec, b: Any) -> tuple[Spec, ...]:
        t, n, rows = d.shape
        size = rows // 4 + x.shape[2]
        shapes = [(t * n, size), (rows, size)] + [(1, t * n)] * (b is not None)
        return tuple([Spec(shape, d.dtype) for shape in shapes])

    def calls(
        self,
        d: np.ndarray,
        hs: np.ndarray,
        x: np.ndarray,
        b: np.ndarray | None,
        *,
        out: Any,
        work: list[np.ndarray],
    ) -> Calls:
        (met, sums, *ones), width = work, hs.shape[2]
        rows = met.reshape(*x.shape[:2], -1)
        made: Calls = [
            partial(np.copyto, rows[..., :width], before_each(hs, self.reverse)),
            partial(np.copyto, rows[..., width:], x),
        ]
        each = merged(d, made)
        made += [
            partial(np.matmul, each.T, met, out=sums),
            partial(np.copyto, out[0], sums[:, width:]),
            partial(np.copyto, out[1], sums[:, :width]),
        ]
        if b is not None:
            made.append(partial(np.copyto, ones[0], 1))
            made.append(partial(np.matmul, ones[0], each, out=out[2][None]))
        return made

    def vjp(self, *args: Any, out: Any, dout: Any) -> Any:
        return vjp_by_formula(self, _of_weights, args, dout)


def _of_weights(prim: _Sequence, d: Any, hs: Any, x: Any, b: Any) -> Any:
    """:class:`LSTMSequenceWeights` in ops."""
    by, rows = MatMul(True), Reshape()(d, (-1, d.shape[2]))
    each = (Reshape()(a, (-1, a.shape[2])) for a in (x, before_each(hs, prim.reverse)))
    made = [by(rows, a) for a in each]
    if b is not None:
        made.append(ReduceSum()(rows, 0))
    return tuple(made)


def _lstm_backward(
    prim: _Sequence,
    gates: Any,
    hs: Any,
    cs: Any,
    tanhs: Any,
    w: Any,
    lengths: Any,
    dgates: Any,
    dhs: Any,
    dcs: Any,
) -> Any:
    """:class:`LSTMSequenceGrad` in ops."""
    count = gates.shape[1]
    end = 0 if prim.reverse else count
    empty = ZerosLike()(cs[0])
    if dhs is not None and dhs.shape[0] <= count:  # the end's alone
        rows = [ZerosLike()(hs[1:]), dhs]
        dhs = Concat(0)(rows[::-1] if prim.reverse else rows)
    dh, dc = plus(empty, dhs, end), plus(empty, dcs, end)
    made = {}
    for t, before, after in reversed(list(prim.steps(count))):
        i, f, o, g = (gates[k, t] for k in range(4))
        by_c, of_i, of_f, h = dc + dh * (o - tanhs[t] * hs[after]), i * g, f * cs[before], hs[after]
        d = [by_c * (of_i - i * of_i), by_c * (of_f - f * of_f)]
        d += [by_c * (i - g * of_i), dh * (h - o * h)]
        if dgates is not None:
            slopes = (i - i * i, f - f * f, 1 - g * g, o - o * o)
            d = [a + s * dgates[k, t] for a, s, k in zip(d, slopes, (0, 1, 3, 2), strict=True)]
        going = running(lengths, t)
        d = [where_running(going, a, 0.0) for a in d]
        made[t] = Concat(1)(d)
        dc = where_running(going, by_c * f, dc)
        dh = where_running(going, MatMulExt()(made[t], w), dh)
        dh, dc = plus(dh, dhs, before), plus(dc, dcs, before)
    return stacked(made), dh, dc


__all__ = ["HALVES", "LSTMSequenceGrad", "LSTMSequenceWeights"]
