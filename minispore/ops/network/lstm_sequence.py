"""All steps of an LSTM as one op, and its derivative."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

from minispore.core.primitive import Calls
from minispore.core.registry import registry
from minispore.core.tensor import Tensor, call
from minispore.core.value import Spec
from minispore.ops.elementwise.bases import a_kind
from minispore.ops.network.sequence import (
    FEW,
    _Sequence,
    at_once,
    before_each,
    by_weights,
    held,
    mark_stopped,
    mask_spec,
    merged,
    outputs_of,
    plus,
    rows_for,
    running,
    sigmoids,
    stacked,
    vjp_by_formula,
    where_running,
)

# The gates of a weight, i, f, g and o, are computed in the order i, f, o, g: three sigmoids lie
# together. (where they are then, where they come from) of each half.
_HALVES = ((slice(0, 2), slice(0, 2)), (slice(2, 4), slice(3, 1, -1)))


class LSTMSequence(_Sequence):
    """c = f c + i g and h = o tanh(c) for each step, (i, f, g, o) = act(x w' + h w_hh').

    Shape: x (T, N, I), w (4H, I), h and c (N, H), w_hh (4H, H), lengths (N,) or None -> i, f, o
    and g (4, T, N, H), all h and all c (T + 1, N, H), the first ones (the last, in reverse) among
    them, and tanh(c) after each step (T, N, H).

    Source: Hochreiter & Schmidhuber, https://doi.org/10.1162/neco.1997.9.8.1735
    """

    gates = 4

    def infer(
        self, x: Spec, w: Spec, h: Spec, c: Spec, w_hh: Spec, lengths: Any
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
        if w != Spec((4 * width, size), x.dtype):
            raise ValueError(
                f"{self.name}: w must have the shape {(4 * width, size)} and the dtype of x "
                f"{x.dtype}, got {w}."
            )
        return gates, states, states, Spec((t, n, width), x.dtype)

    def flops(self, x: Spec, w: Spec, *rest: Any) -> int:
        t, n, size = x.shape
        return 2 * t * n * w.shape[0] * (size + w.shape[0] // 4)

    def scratch(
        self, x: Spec, w: Spec, h: Spec, c: Spec, w_hh: Spec, lengths: Any
    ) -> tuple[Spec, ...]:
        t, (n, width) = x.shape[0], h.shape
        own = Spec((4, n, width), x.dtype), Spec((n, width), x.dtype)
        turned = (Spec((4, width, width), x.dtype),) if t >= FEW else ()
        return (*own, *turned, *mask_spec(t, n, lengths))

    def calls(
        self,
        x: np.ndarray,
        w: np.ndarray,
        h: np.ndarray,
        c: np.ndarray,
        w_hh: np.ndarray,
        lengths: np.ndarray | None,
        *,
        out: Any,
        work: list[np.ndarray],
    ) -> Calls:
        gates = list(out[0].swapaxes(0, 1))
        hs, cs, tanhs = map(list, out[1:])
        t_count, width = len(x), h.shape[1]
        across, product = work[:2]
        each, each_h = (a.reshape(4, width, -1).swapaxes(1, 2) for a in (w, w_hh))
        made: Calls = []
        rows, into = merged(x, made), merged(out[0], made)
        made += [partial(np.matmul, rows, each[at], into[to]) for to, at in _HALVES]
        if not np.shares_memory(into, out[0]):
            made.append(partial(np.copyto, out[0], into.reshape(out[0].shape)))
        by_h = [(each_h[at], across[to]) for to, at in _HALVES]
        if t_count >= FEW:  # a product with turned weights takes less than turning them
            made += [partial(np.copyto, work[2][to], each_h[at]) for to, at in _HALVES]
            by_h = [(work[2], across)]
        first = t_count if self.reverse else 0
        made += [partial(np.copyto, hs[first], h), partial(np.copyto, cs[first], c)]
        if lengths is not None:
            made.append(partial(mark_stopped, lengths, work[-1]))
        for t, before, after in self.steps(t_count):
            i, f, o, g = gates[t]
            made += [
                *[partial(np.matmul, hs[before], some, new) for some, new in by_h],
                partial(np.add, gates[t], across, across),
                partial(np.tanh, across[3], g),
                *sigmoids(across[:3], gates[t][:3]),
                partial(np.multiply, f, cs[before], cs[after]),
                partial(np.multiply, i, g, product),
                partial(np.add, cs[after], product, cs[after]),
            ]
            if lengths is not None:
                made += held(work[-1][t], [(gates[t], 0), (cs[after], cs[before])])
            made += [
                partial(np.tanh, cs[after], tanhs[t]),
                partial(np.multiply, o, tanhs[t], hs[after]),
            ]
            if lengths is not None:
                made += held(work[-1][t], [(hs[after], hs[before])])
        return made

    def told(self, x: Tensor, w: Tensor, h: Tensor, c: Tensor, w_hh: Tensor, lengths: Any) -> Any:
        """The op in ops that every format has."""
        first = x.shape[0] if self.reverse else 0
        gates, hs, cs, tanhs = {}, {first: h}, {first: c}, {}
        by, apart = registry["MatMul"](False, True), registry["Split"](1, 4)
        of_x = call("Reshape", by(call("Reshape", x, (-1, x.shape[2])), w), (*x.shape[:2], -1))
        for t, before, after in self.steps(x.shape[0]):
            i, f, g, o = apart(of_x[t] + by(hs[before], w_hh))
            i, f, g, o = call("Sigmoid", i), call("Sigmoid", f), call("Tanh", g), call("Sigmoid", o)
            new_c = f * cs[before] + i * g
            going, gates[t] = running(lengths, t), registry["Stack"](0)([i, f, o, g])
            cs[after] = where_running(going, new_c, cs[before])
            tanhs[t] = call("Tanh", cs[after])
            hs[after] = where_running(going, o * tanhs[t], hs[before])
        made = call("Transpose", stacked(gates), (1, 0, 2, 3))
        return made, stacked(hs), stacked(cs), stacked(tanhs)

    def vjp(self, *args: Any, out: Any, dout: Any) -> Any:
        x, w, _, _, w_hh, lengths = args
        gates, hs, cs, tanhs = out
        dgates, dhs, dcs, dtanhs = dout
        if dtanhs is not None:
            rows = [call("ZerosLike", cs[:1]), dtanhs * (1 - tanhs * tanhs)]
            by_tanhs = registry["Concat"](0)(rows[::-1] if self.reverse else rows)
            dcs = by_tanhs if dcs is None else dcs + by_tanhs
        back = LSTMSequenceGrad(self.reverse)
        d, dh, dc = back(gates, cs, w_hh, lengths, tanhs, dgates, dhs, dcs)
        both = cache(lambda: LSTMWeightsGrad(self.reverse)(d, x, hs))
        return lambda: _by_x(d, w), lambda: both()[0], dh, dc, lambda: both()[1], None


def _by_x(d: Tensor, w: Tensor) -> Tensor:
    """The cotangent of x: (4, T, N, H) with (4H, I) -> (T, N, I)."""
    _, t, n, width = d.shape
    rows, each = call("Reshape", d, (4, t * n, width)), call("Reshape", w, (4, width, -1))
    made = call("ReduceSum", registry["BatchMatMul"]()(rows, each), 0)
    return call("Reshape", made, (t, n, -1))


class LSTMWeightsGrad(_Sequence):
    """The cotangents of w and w_hh of :class:`LSTMSequence`: one product for both.

    Shape: that of each gate (4, T, N, H), x (T, N, I), all h (T + 1, N, H) -> (4H, I), (4H, H).
    """

    gates = 4

    def infer(self, d: Spec, x: Spec, hs: Spec) -> tuple[Spec, ...]:
        a_kind(self.name, d, "fV", "d")
        width = d.shape[-1]
        return Spec((4 * width, x.shape[2]), d.dtype), Spec((4 * width, width), d.dtype)

    def flops(self, d: Spec, x: Spec, hs: Spec) -> int:
        return 2 * d.size * (x.shape[2] + d.shape[-1])

    def scratch(self, d: Spec, x: Spec, hs: Spec) -> tuple[Spec, ...]:
        (_, t, n, width), size = d.shape, x.shape[2]
        met, made = (t, n, width + size), (4, width, width + size)
        return Spec(met, d.dtype), Spec(made, d.dtype)

    def calls(
        self, d: np.ndarray, x: np.ndarray, hs: np.ndarray, *, out: Any, work: list[np.ndarray]
    ) -> Calls:
        (met, made), width = work, d.shape[-1]
        dw, dw_hh = (part.reshape(4, width, -1) for part in out)
        copies: Calls = []
        turned = merged(d, copies).swapaxes(1, 2)
        return [
            *copies,
            partial(np.copyto, met[..., :width], before_each(hs, self.reverse)),
            partial(np.copyto, met[..., width:], x),
            partial(np.matmul, turned, met.reshape(-1, met.shape[2]), out=made),
            partial(np.copyto, dw_hh, made[..., :width]),
            partial(np.copyto, dw, made[..., width:]),
        ]

    def vjp(self, d: Tensor, x: Tensor, hs: Tensor, *, out: Any, dout: Any) -> Any:
        return vjp_by_formula(self, _by_weights, (d, x, hs), dout)


def _by_weights(prim: _Sequence, d: Tensor, x: Tensor, hs: Tensor) -> tuple[Tensor, Tensor]:
    """:class:`LSTMWeightsGrad` in ops."""
    return by_weights(d, x), by_weights(d, before_each(hs, prim.reverse))


class LSTMSequenceGrad(_Sequence):
    """The cotangents of of_x, h and c of :class:`LSTMSequence` from those of its outputs.

    Shape: gates (4, T, N, H), c (T + 1, N, H), w_hh (4H, H), lengths (N,) or None, tanh(c)
    (T, N, H), the cotangents of gates, h and c, each one or None -> (4, T, N, H), (N, H), (N, H).
    """

    gates = 4

    def infer(
        self, gates: Spec, cs: Spec, w_hh: Spec, lengths: Any, *rest: Any
    ) -> tuple[Spec, ...]:
        _, n, h = self.hidden(gates, w_hh, lengths)
        return gates, Spec((n, h), gates.dtype), Spec((n, h), gates.dtype)

    def flops(self, gates: Spec, *rest: Any) -> int:
        return super().flops(gates)

    def scratch(self, gates: Spec, *rest: Any) -> tuple[Spec, ...]:
        _, t, n, width = gates.shape
        one, four = Spec((n, width), gates.dtype), Spec((4, n, width), gates.dtype)
        count = at_once(gates)
        slope = Spec((4, count, n, width), gates.dtype)
        through = Spec((count, n, width), gates.dtype)
        lengths, _, dgates = rest[2:5]
        own = () if dgates is None else (slope,)
        return (one, one, four, slope, through, *own, *mask_spec(t, n, lengths))

    def calls(
        self,
        gates: np.ndarray,
        cs: np.ndarray,
        w_hh: np.ndarray,
        lengths: np.ndarray | None,
        tanhs: np.ndarray,
        dgates: np.ndarray | None,
        dhs: np.ndarray | None,
        dcs: np.ndarray | None,
        *,
        out: Any,
        work: list[np.ndarray],
    ) -> Calls:
        dx, dh, dc = out
        u, v, e = work[:3]
        each = w_hh.reshape(4, -1, w_hh.shape[1])
        made: Calls = []
        for state, given in ((dh, dhs), (dc, dcs)):
            end = None if given is None else given[0 if self.reverse else -1]
            made.append(partial(np.copyto, state, 0 if end is None else end))
        if lengths is not None:
            made.append(partial(mark_stopped, lengths, work[-1]))
        forget, at = list(gates[1]), list(dx.swapaxes(0, 1))
        order = list(self.steps(gates.shape[1]))[::-1]
        for begin in range(0, len(order), work[3].shape[1]):
            some = order[begin : begin + work[3].shape[1]]
            now = slice(min(some)[0], max(some)[0] + 1)
            through = work[4][: len(some)]
            own = None if dgates is None else work[5][:, : len(some)]
            made += self._factors(gates, cs, tanhs, dgates, now, dx, work[3], through, own)
            for t, before, _ in some:
                d, by_c, by_h, k = at[t], at[t][:3], at[t][3], t - now.start
                made += [
                    partial(np.multiply, dh, through[k], u),
                    partial(np.add, u, dc, u),  # by c
                    partial(np.multiply, by_c, u, by_c),
                    partial(np.multiply, by_h, dh, by_h),
                    partial(np.multiply, u, forget[t], u if lengths is not None else dc),
                ]
                if own is not None:
                    made.append(partial(np.add, d, own[:, k], d))
                if lengths is not None:
                    stop = work[-1][t]
                    made += [
                        partial(np.copyto, v, dh),
                        *held(stop, [(d, 0), (u, dc)]),
                        partial(np.copyto, dc, u),
                    ]
                made += [
                    partial(np.matmul, d, each, e),
                    partial(np.add.reduce, e, 0, None, dh),
                ]
                if lengths is not None:
                    made += held(stop, [(dh, v)])
                for state, given in ((dh, dhs), (dc, dcs)):
                    if given is not None:
                        made.append(partial(np.add, state, given[before], state))
        return made

    def _factors(
        self,
        gates: np.ndarray,
        cs: np.ndarray,
        tanhs: np.ndarray,
        dgates: np.ndarray | None,
        now: slice,
        dx: np.ndarray,
        slope: np.ndarray,
        through: np.ndarray,
        own: np.ndarray | None,
    ) -> Calls:
        """What some steps multiply the cotangents of their states by, none of which it waits for.

        In dx for i, f and g, by that of c, and for o, by that of h; in ``through`` from h to c. And
        in ``own`` what the cotangents of the gates add to dx.
        """
        i, _, o, g = gates[:, now]
        d, slope, one = dx[:, now], slope[:, : len(through)], np.ones((), gates.dtype)
        made: Calls = [
            partial(np.multiply, gates[:, now], gates[:, now], slope),
            partial(np.subtract, gates[:3, now], slope[:3], slope[:3]),
            partial(np.subtract, one, slope[3], slope[3]),
            partial(np.multiply, slope[0], g, d[0]),
            partial(np.multiply, slope[1], before_each(cs, self.reverse)[now], d[1]),
            partial(np.multiply, slope[3], i, d[2]),
            partial(np.multiply, slope[2], tanhs[now], d[3]),
            partial(np.multiply, tanhs[now], tanhs[now], through),
            partial(np.subtract, one, through, through),
            partial(np.multiply, through, o, through),
        ]
        if own is not None:
            given = dgates[:, now]  # type: ignore[index]
            made += [partial(np.multiply, slope[to], given[to], own[at]) for to, at in _HALVES]
        return made

    def vjp(self, *args: Any, out: Any, dout: Any) -> Any:
        return vjp_by_formula(self, _lstm_backward, args, dout)


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
    made = LSTMSequence(reverse)(*rows_for(x, w_ih, b), h, c, w_hh, lengths)
    end = 0 if reverse else -1
    return outputs_of(made[1], lengths, reverse), made[1][end], made[2][end]


def _lstm_backward(
    prim: _Sequence,
    gates: Any,
    cs: Any,
    w: Any,
    lengths: Any,
    tanhs: Any,
    dgates: Any,
    dhs: Any,
    dcs: Any,
) -> Any:
    """:class:`LSTMSequenceGrad` in ops."""
    count = gates.shape[1]
    end = 0 if prim.reverse else count
    empty = call("ZerosLike", cs[0])
    dh, dc = plus(empty, dhs, end), plus(empty, dcs, end)
    made = {}
    for t, before, _ in reversed(list(prim.steps(count))):
        i, f, o, g = (gates[k, t] for k in range(4))
        by_c = dc + dh * o * (1 - tanhs[t] * tanhs[t])
        raw = [by_c * g, by_c * cs[before], by_c * i, dh * tanhs[t]]
        if dgates is not None:
            raw = [d + dgates[k, t] for k, d in zip((0, 1, 3, 2), raw, strict=True)]
        slopes = (i - i * i, f - f * f, 1 - g * g, o - o * o)
        going = running(lengths, t)
        d = [where_running(going, x * s, 0.0) for x, s in zip(raw, slopes, strict=True)]
        made[t] = registry["Stack"](0)(d)
        dc = where_running(going, by_c * f, dc)
        dh = where_running(going, call("MatMulExt", registry["Concat"](1)(d), w), dh)
        dh, dc = plus(dh, dhs, before), plus(dc, dcs, before)
    return call("Transpose", stacked(made), (1, 0, 2, 3)), dh, dc


__all__ = ["lstm_layer"]
