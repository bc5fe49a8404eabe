"""All steps of a GRU as one op, and its derivative."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minispore.core.primitive import Calls
from minispore.core.tensor import Tensor
from minispore.core.value import Spec
from minispore.ops.elementwise.bases import a_kind
from minispore.ops.elementwise.smooth_activations import Sigmoid, Tanh
from minispore.ops.linalg.products import MatMul, MatMulExt
from minispore.ops.network.sequence import (
    FEW,
    _Sequence,
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
from minispore.ops.shape.join import Concat, Stack
from minispore.ops.shape.split import Split
from minispore.ops.shape.views import ExpandDims, Transpose
from minispore.ops.shape.whole import Zeros, ZerosLike
from minispore.ops.statistics.reduce import ReduceSum


class GRUSequence(_Sequence):
    """h = n + z (h - n) for each step, n = tanh(of_x_n + r (h w_n' + b_n)).

    Shape: of_x (3, T, N, H) for r, z and n, h (N, H), w_hh (3H, H), b_n (H,), lengths (N,) or None
    -> r, z, n and h w_n' + b_n (4, T, N, H), and all h (T + 1, N, H).

    Source: Cho et al., https://arxiv.org/abs/1406.1078
    """

    gates = 3
    axes = (2, 0, None, None, 0), (2, 1)

    def infer(self, of_x: Spec, h: Spec, w_hh: Spec, b_n: Spec, lengths: Any) -> tuple[Spec, ...]:
        t, n, width = self.hidden(of_x, w_hh, lengths, h=h)
        if b_n != Spec((width,), of_x.dtype):
            raise ValueError(f"{self.name}: b_n must have the shape {(width,)}, got {b_n}.")
        return Spec((4, t, n, width), of_x.dtype), Spec((t + 1, n, width), of_x.dtype)

    def scratch(self, of_x: Spec, h: Spec, w_hh: Spec, b_n: Spec, lengths: Any) -> tuple[Spec, ...]:
        _, t, n, width = of_x.shape
        own = Spec((3, n, width), of_x.dtype), Spec((n, width), of_x.dtype)
        turned = (Spec((3, width, width), of_x.dtype),) if t >= FEW else ()
        return (*own, *turned, *mask_spec(t, n, lengths))

    def calls(
        self,
        of_x: np.ndarray,
        h: np.ndarray,
        w_hh: np.ndarray,
        b_n: np.ndarray,
        lengths: np.ndarray | None,
        *,
        out: Any,
        work: list[np.ndarray],
    ) -> Calls:
        gates, hs = out
        t_count = of_x.shape[1]
        across, bias = work[:2]
        turned, made = turned_weights(w_hh, 3, work[2] if t_count >= FEW else None)
        made.append(partial(np.copyto, hs[t_count if self.reverse else 0], h))
        made.append(partial(np.copyto, bias, b_n))
        if lengths is not None:
            made.append(partial(mark_stopped, lengths, work[-1]))
        for t, before, after in self.steps(t_count):
            g, rz = gates[:, t], gates[:2, t]
            made += [
                partial(np.matmul, hs[before], turned, across),
                partial(np.add, of_x[:2, t], across[:2], rz),
                *sigmoids(rz, rz),
                partial(np.add, across[2], bias, g[3]),
                partial(np.multiply, g[0], g[3], g[2]),
                partial(np.add, g[2], of_x[2, t], g[2]),
                partial(np.tanh, g[2], g[2]),
                partial(np.subtract, hs[before], g[2], hs[after]),
                partial(np.multiply, hs[after], g[1], hs[after]),
                partial(np.add, hs[after], g[2], hs[after]),
            ]
            if lengths is not None:
                made += held(work[-1][t], [(g, 0), (hs[after], hs[before])])
        return made

    def told(self, of_x: Tensor, h: Tensor, w_hh: Tensor, b_n: Tensor, lengths: Any) -> Any:
        """The op in ops that every format has."""
        gates, hs = {}, {of_x.shape[1] if self.reverse else 0: h}
        for t, before, after in self.steps(of_x.shape[1]):
            across = Split(1, 3)(MatMul(False, True)(hs[before], w_hh))
            r, z = (Sigmoid()(of_x[k, t] + across[k]) for k in range(2))
            of_n = across[2] + b_n
            n = Tanh()(of_x[2, t] + r * of_n)
            gates[t] = Stack(0)([r, z, n, of_n])
            new_h = n + z * (hs[before] - n)
            hs[after] = where_running(running(lengths, t), new_h, hs[before])
        return Transpose()(stacked(gates), (1, 0, 2, 3)), stacked(hs)

    def vjp(
        self,
        of_x: Tensor,
        h: Tensor,
        w_hh: Tensor,
        b_n: Tensor,
        lengths: Any,
        *,
        out: Any,
        dout: Any,
    ) -> Any:
        gates, hs = out
        back = GRUSequenceGrad(self.reverse)
        dx, dn, dh = back(gates, hs, w_hh, lengths, *dout)

        def by_w() -> Tensor:
            before = before_each(hs, self.reverse)
            parts = by_weights(dx[:2], before), by_weights(ExpandDims()(dn, 0), before)
            return Concat(0)(parts)

        return dx, dh, by_w, lambda: ReduceSum()(dn, (0, 1)), None


class GRUSequenceGrad(_Sequence):
    """The cotangents of of_x, h w_n' + b_n and h of :class:`GRUSequence` from those of its outputs.

    Shape: gates (4, T, N, H), all h (T + 1, N, H), w_hh (3H, H), lengths (N,) or None, the
    cotangents of gates and h, each one or None -> (3, T, N, H), (T, N, H), (N, H).
    """

    gates = 4  # as they are kept; w_hh has three
    axes = (2, 1, None, 0, 2, 1), (2, 1, 0)

    def infer(
        self, gates: Spec, hs: Spec, w_hh: Spec, lengths: Any, dgates: Any, dhs: Any
    ) -> tuple[Spec, ...]:
        a_kind(self.name, gates, "fV", "gates")
        if gates.ndim != 4 or hs.shape[1:] != gates.shape[2:]:
            raise ValueError(
                f"{self.name}: gates must have the axes (4, T, N, H) and h (T + 1, N, H), got "
                f"{gates} and {hs}."
            )
        _, t, n, h = gates.shape
        return tuple([Spec(shape, gates.dtype) for shape in ((3, t, n, h), (t, n, h), (n, h))])

    def flops(self, gates: Spec, *rest: Any) -> int:
        return super().flops(gates) * 3 // 4

    def scratch(self, gates: Spec, *rest: Any) -> tuple[Spec, ...]:
        _, t, n, width = gates.shape
        one = Spec((n, width), gates.dtype)
        return (one, one, Spec((3, n, width), gates.dtype), *mask_spec(t, n, rest[2]))

    def calls(
        self,
        gates: np.ndarray,
        hs: np.ndarray,
        w_hh: np.ndarray,
        lengths: np.ndarray | None,
        dgates: np.ndarray | None,
        dhs: np.ndarray | None,
        *,
        out: Any,
        work: list[np.ndarray],
    ) -> Calls:
        dx, dn, dh = out
        u, keep, e = work[:3]
        each = w_hh.reshape(3, -1, w_hh.shape[1])
        one = np.ones((), gates.dtype)
        end = None if dhs is None else dhs[0 if self.reverse else -1]
        made: Calls = [partial(np.copyto, dh, 0 if end is None else end)]
        if lengths is not None:
            made.append(partial(mark_stopped, lengths, work[3]))
        for t, before, _ in reversed(list(self.steps(gates.shape[1]))):
            r, z, n, across = gates[:, t]
            dr, dz, dnew = dx[:, t]
            made += [
                partial(np.subtract, hs[before], n, dz),
                partial(np.multiply, dz, dh, dz),
                partial(np.multiply, dh, z, keep),
                partial(np.subtract, dh, keep, dnew),
            ]
            if dgates is not None:
                made += [
                    partial(np.add, dz, dgates[1, t], dz),
                    partial(np.add, dnew, dgates[2, t], dnew),
                ]
            made += [
                partial(np.multiply, n, n, u),
                partial(np.subtract, one, u, u),
                partial(np.multiply, dnew, u, dnew),
                partial(np.multiply, dnew, across, dr),
                partial(np.multiply, dnew, r, dn[t]),
            ]
            if dgates is not None:
                made += [
                    partial(np.add, dr, dgates[0, t], dr),
                    partial(np.add, dn[t], dgates[3, t], dn[t]),
                ]
            for gate, d in ((r, dr), (z, dz)):
                made += [
                    partial(np.multiply, gate, gate, u),
                    partial(np.subtract, gate, u, u),
                    partial(np.multiply, d, u, d),
                ]
            if lengths is not None:
                stop = work[3][t]
                made += held(stop, [(dx[:, t], 0), (dn[t], 0), (keep, dh)])
            made += [
                partial(np.matmul, dx[:2, t], each[:2], e[:2]),
                partial(np.matmul, dn[t], each[2], e[2]),
                partial(np.add.reduce, e, 0, None, dh),
                partial(np.add, dh, keep, dh),
            ]
            if dhs is not None:
                made.append(partial(np.add, dh, dhs[before], dh))
        return made

    def vjp(self, *args: Any, out: Any, dout: Any) -> Any:
        return vjp_by_formula(self, _gru_backward, args, dout)


def gru_layer(
    x: Tensor,
    h: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None,
    b_hh: Tensor | None,
    lengths: Any = None,
    reverse: bool = False,
) -> tuple[Tensor, Tensor]:
    """A GRU over x (T, N, I): all h, and the last one. Gates in the order r, z, n."""
    width, zeros = h.shape[1], Zeros()
    b, b_n = b_ih, zeros((width,), x.dtype)
    if b_hh is not None:
        b_n = b_hh[2 * width :]
        early = Concat(0)((b_hh[: 2 * width], zeros((width,), x.dtype)))
        b = early if b is None else b + early
    _, hs = GRUSequence(reverse)(of_x_for(3, x, w_ih, b), h, w_hh, b_n, lengths)
    return outputs_of(hs, lengths, reverse), hs[0 if reverse else -1]


def _gru_backward(
    prim: _Sequence, gates: Any, hs: Any, w: Any, lengths: Any, dgates: Any, dhs: Any
) -> Any:
    """:class:`GRUSequenceGrad` in ops."""
    count = gates.shape[1]
    dh = plus(ZerosLike()(hs[0]), dhs, 0 if prim.reverse else count)
    made, by_n = {}, {}
    for t, before, _ in reversed(list(prim.steps(count))):
        r, z, n, across = (gates[k, t] for k in range(4))
        dz = dh * (hs[before] - n)
        dnew = dh - dh * z
        if dgates is not None:
            dz, dnew = dz + dgates[1, t], dnew + dgates[2, t]
        dnew = dnew * (1 - n * n)
        dr, dn = dnew * across, dnew * r
        if dgates is not None:
            dr, dn = dr + dgates[0, t], dn + dgates[3, t]
        going = running(lengths, t)
        dr, dz = (where_running(going, d * (s - s * s), 0.0) for d, s in ((dr, r), (dz, z)))
        dnew, by_n[t] = where_running(going, dnew, 0.0), where_running(going, dn, 0.0)
        made[t] = Stack(0)([dr, dz, dnew])
        across_w = MatMulExt()(Concat(1)([dr, dz, by_n[t]]), w)
        dh = plus(where_running(going, across_w + dh * z, dh), dhs, before)
    return Transpose()(stacked(made), (1, 0, 2, 3)), stacked(by_n), dh


__all__ = ["gru_layer"]
