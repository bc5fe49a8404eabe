"""All steps of an LSTM as one op, and its derivative."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minispore.core.primitive import Calls
from minispore.core.registry import registry
from minispore.core.tensor import Tensor, call
from minispore.core.value import Spec
from minispore.ops.network.sequence import (
    FEW,
    _Sequence,
    at_once,
    before_each,
    by_weights,
    held,
    mark_stopped,
    mask_spec,
    of_x_for,
    outputs_of,
    plus,
    running,
    sigmoids,
    stacked,
    turned_weights,
    vjp_by_formula,
    where_running,
)


class LSTMSequence(_Sequence):
    """c = f c + i g and h = o tanh(c) for each step, (i, f, g, o) = act(of_x + h w_hh').

    Shape: of_x (4, T, N, H), h and c (N, H), w_hh (4H, H), lengths (N,) or None -> the gates
    (4, T, N, H), all h and all c (T + 1, N, H), the first ones (the last, in reverse) among them,
    and tanh(c) after each step (T, N, H).

    Source: Hochreiter & Schmidhuber, https://doi.org/10.1162/neco.1997.9.8.1735
    """

    gates = 4
    reuse = (0,)

    def infer(self, of_x: Spec, h: Spec, c: Spec, w_hh: Spec, lengths: Any) -> tuple[Spec, ...]:
        t, n, width = self.hidden(of_x, w_hh, lengths, h=h, c=c)
        states = Spec((t + 1, n, width), of_x.dtype)
        return of_x, states, states, Spec((t, n, width), of_x.dtype)

    def scratch(self, of_x: Spec, h: Spec, c: Spec, w_hh: Spec, lengths: Any) -> tuple[Spec, ...]:
        _, t, n, width = of_x.shape
        own = Spec((4, n, width), of_x.dtype), Spec((n, width), of_x.dtype)
        turned = (Spec((4, width, width), of_x.dtype),) if t >= FEW else ()
        return (*own, *turned, *mask_spec(t, n, lengths))

    def calls(
        self,
        of_x: np.ndarray,
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
        t_count = of_x.shape[1]
        across, product = work[:2]
        _, _, of_g, of_o = across
        turned, made = turned_weights(w_hh, 4, work[2] if t_count >= FEW else None)
        first = t_count if self.reverse else 0
        made += [partial(np.copyto, hs[first], h), partial(np.copyto, cs[first], c)]
        if lengths is not None:
            made.append(partial(mark_stopped, lengths, work[-1]))
        at = list(of_x.swapaxes(0, 1))
        for t, before, after in self.steps(t_count):
            i, f, g, o = gates[t]
            made += [
                partial(np.matmul, hs[before], turned, across),
                partial(np.add, at[t], across, across),
                partial(np.tanh, of_g, g),
                *sigmoids(across, [(across[:2], gates[t][:2]), (of_o, o)]),
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

    def told(self, of_x: Tensor, h: Tensor, c: Tensor, w_hh: Tensor, lengths: Any) -> Any:
        """The op in ops that every format has."""
        first = of_x.shape[1] if self.reverse else 0
        gates, hs, cs, tanhs = {}, {first: h}, {first: c}, {}
        for t, before, after in self.steps(of_x.shape[1]):
            across = registry["Split"](1, 4)(registry["MatMul"](False, True)(hs[before], w_hh))
            i, f, g, o = (of_x[k, t] + a for k, a in enumerate(across))
            i, f, g, o = call("Sigmoid", i), call("Sigmoid", f), call("Tanh", g), call("Sigmoid", o)
            new_c = f * cs[before] + i * g
            going, gates[t] = running(lengths, t), registry["Stack"](0)([i, f, g, o])
            cs[after] = where_running(going, new_c, cs[before])
            tanhs[t] = call("Tanh", cs[after])
            hs[after] = where_running(going, o * tanhs[t], hs[before])
        made = call("Transpose", stacked(gates), (1, 0, 2, 3))
        return made, stacked(hs), stacked(cs), stacked(tanhs)

    def vjp(
        self, of_x: Tensor, h: Tensor, c: Tensor, w_hh: Tensor, lengths: Any, *, out: Any, dout: Any
    ) -> Any:
        gates, hs, cs, tanhs = out
        dgates, dhs, dcs, dtanhs = dout
        if dtanhs is not None:
            rows = [call("ZerosLike", cs[:1]), dtanhs * (1 - tanhs * tanhs)]
            by_tanhs = registry["Concat"](0)(rows[::-1] if self.reverse else rows)
            dcs = by_tanhs if dcs is None else dcs + by_tanhs
        back = LSTMSequenceGrad(self.reverse)
        dx, dh, dc = back(gates, cs, w_hh, lengths, tanhs, dgates, dhs, dcs)
        return dx, dh, dc, lambda: by_weights(dx, before_each(hs, self.reverse)), None


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
        i, _, g, o = gates[:, now]
        d, slope, one = dx[:, now], slope[:, : len(through)], np.ones((), gates.dtype)
        made: Calls = [
            partial(np.multiply, gates[:, now], gates[:, now], slope),
            partial(np.subtract, gates[:2, now], slope[:2], slope[:2]),
            partial(np.subtract, one, slope[2], slope[2]),
            partial(np.subtract, o, slope[3], slope[3]),
            partial(np.multiply, slope[0], g, d[0]),
            partial(np.multiply, slope[1], before_each(cs, self.reverse)[now], d[1]),
            partial(np.multiply, slope[2], i, d[2]),
            partial(np.multiply, slope[3], tanhs[now], d[3]),
            partial(np.multiply, tanhs[now], tanhs[now], through),
            partial(np.subtract, one, through, through),
            partial(np.multiply, through, o, through),
        ]
        if own is not None:
            made.append(partial(np.multiply, slope, dgates[:, now], own))  # type: ignore[index]
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
    made = LSTMSequence(reverse)(of_x_for(4, x, w_ih, b), h, c, w_hh, lengths)
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
        i, f, g, o = (gates[k, t] for k in range(4))
        by_c = dc + dh * o * (1 - tanhs[t] * tanhs[t])
        raw = [by_c * g, by_c * cs[before], by_c * i, dh * tanhs[t]]
        if dgates is not None:
            raw = [d + dgates[k, t] for k, d in enumerate(raw)]
        slopes = (i - i * i, f - f * f, 1 - g * g, o - o * o)
        going = running(lengths, t)
        d = [where_running(going, x * s, 0.0) for x, s in zip(raw, slopes, strict=True)]
        made[t] = registry["Stack"](0)(d)
        dc = where_running(going, by_c * f, dc)
        dh = where_running(going, call("MatMulExt", registry["Concat"](1)(d), w), dh)
        dh, dc = plus(dh, dhs, before), plus(dc, dcs, before)
    return call("Transpose", stacked(made), (1, 0, 2, 3)), dh, dc


__all__ = ["lstm_layer"]
