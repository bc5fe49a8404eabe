"""All steps of a GRU as one op, and its derivative."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minispore.core.primitive import Calls
from minispore.core.tensor import Tensor
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.elementwise.smooth_activations import Sigmoid, Tanh
from minispore.ops.linalg.products import MatMul, MatMulExt
from minispore.ops.network.sequence import (
    MIN_STEPS_TO_TRANSPOSE,
    _Sequence,
    add_indexed,
    hidden_weight_grad,
    make_restore_calls,
    make_sigmoid_calls,
    mark_stopped,
    mask_outputs,
    mask_spec,
    project_inputs,
    running_mask,
    select_running,
    stack_steps,
    states_before,
    transpose_weights,
    vjp_by_formula,
)
from minispore.ops.shape.cast_fill import Zeros, ZerosLike
from minispore.ops.shape.join import Concat, Stack
from minispore.ops.shape.split import Split
from minispore.ops.shape.views import ExpandDims, Transpose
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.support.arguments import FLOAT_KINDS


class GRUSequence(_Sequence):
    """h = n + z (h - n) for each step, n = tanh(of_x_n + r (h w_n' + b_n)).

    Shape: of_x (3, T, N, H) for r, z and n, h (N, H), w_hh (3H, H), b_n (H,), lengths (N,) or None
    -> r, z, n and h w_n' + b_n (4, T, N, H), and all h (T + 1, N, H).

    Source: Cho et al., https://arxiv.org/abs/1406.1078
    """

    gates = 3
    axes = (2, 0, None, None, 0), (2, 1)

    def infer(self, of_x: Spec, h: Spec, w_hh: Spec, b_n: Spec, lengths: Any) -> tuple[Spec, ...]:
        t, n, width = self.check_shapes(of_x, w_hh, lengths, h=h)
        if b_n != Spec((width,), of_x.dtype):
            raise ValueError(f"{self.name}: b_n must have the shape {(width,)}, got {b_n}.")
        return Spec((4, t, n, width), of_x.dtype), Spec((t + 1, n, width), of_x.dtype)

    def scratch(self, of_x: Spec, h: Spec, w_hh: Spec, b_n: Spec, lengths: Any) -> tuple[Spec, ...]:
        _, t, n, width = of_x.shape
        step_buffers = Spec((3, n, width), of_x.dtype), Spec((n, width), of_x.dtype)
        transposed = (Spec((3, width, width), of_x.dtype),) if t >= MIN_STEPS_TO_TRANSPOSE else ()
        return (*step_buffers, *transposed, *mask_spec(t, n, lengths))

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
        h_product, bias = work[:2]
        w_transposed, calls = transpose_weights(
            w_hh, 3, work[2] if t_count >= MIN_STEPS_TO_TRANSPOSE else None
        )
        calls.append(partial(np.copyto, hs[t_count if self.reverse else 0], h))
        calls.append(partial(np.copyto, bias, b_n))
        if lengths is not None:
            calls.append(partial(mark_stopped, lengths, work[-1]))
        for t, before, after in self.steps(t_count):
            g, rz = gates[:, t], gates[:2, t]
            calls += [
                partial(np.matmul, hs[before], w_transposed, h_product),
                partial(np.add, of_x[:2, t], h_product[:2], rz),
                *make_sigmoid_calls(rz, rz),
                partial(np.add, h_product[2], bias, g[3]),
                partial(np.multiply, g[0], g[3], g[2]),
                partial(np.add, g[2], of_x[2, t], g[2]),
                partial(np.tanh, g[2], g[2]),
                partial(np.subtract, hs[before], g[2], hs[after]),
                partial(np.multiply, hs[after], g[1], hs[after]),
                partial(np.add, hs[after], g[2], hs[after]),
            ]
            if lengths is not None:
                calls += make_restore_calls(work[-1][t], [(g, 0), (hs[after], hs[before])])
        return calls

    def decompose(self, of_x: Tensor, h: Tensor, w_hh: Tensor, b_n: Tensor, lengths: Any) -> Any:
        """Express the op in basic ops that every export format has."""
        gates, hs = {}, {of_x.shape[1] if self.reverse else 0: h}
        for t, before, after in self.steps(of_x.shape[1]):
            h_products = Split(1, 3)(MatMul(transpose_b=True)(hs[before], w_hh))
            r, z = (Sigmoid()(of_x[k, t] + h_products[k]) for k in range(2))
            of_n = h_products[2] + b_n
            n = Tanh()(of_x[2, t] + r * of_n)
            gates[t] = Stack(0)([r, z, n, of_n])
            new_h = n + z * (hs[before] - n)
            hs[after] = select_running(running_mask(lengths, t), new_h, hs[before])
        return Transpose()(stack_steps(gates), (1, 0, 2, 3)), stack_steps(hs)

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
        grad_op = GRUSequenceGrad(self.reverse)
        dx, dn, dh = grad_op(gates, hs, w_hh, lengths, *dout)

        def w_grad() -> Tensor:
            """Compute the gradient of the hidden weights, of the gates r and z and of the
            new state.
            """
            before = states_before(hs, self.reverse)
            terms = (
                hidden_weight_grad(dx[:2], before),
                hidden_weight_grad(ExpandDims()(dn, 0), before),
            )
            return Concat(0)(terms)

        return dx, dh, w_grad, lambda: ReduceSum()(dn, (0, 1)), None


class GRUSequenceGrad(_Sequence):
    """The cotangents of of_x, h w_n' + b_n and h of :class:`GRUSequence` from those of its outputs.

    Shape: gates (4, T, N, H), all h (T + 1, N, H), w_hh (3H, H), lengths (N,) or None, the
    cotangents of gates and h, each one or None -> (3, T, N, H), (T, N, H), (N, H).
    """

    gates = 4  # as GRUSequence stores them; w_hh has three
    axes = (2, 1, None, 0, 2, 1), (2, 1, 0)

    def infer(
        self, gates: Spec, hs: Spec, w_hh: Spec, lengths: Any, dgates: Any, dhs: Any
    ) -> tuple[Spec, ...]:
        check_dtype_kind(self.name, gates, FLOAT_KINDS, "gates")
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
        gate_weights = w_hh.reshape(3, -1, w_hh.shape[1])
        one = np.ones((), gates.dtype)
        end = None if dhs is None else dhs[0 if self.reverse else -1]
        calls: Calls = [partial(np.copyto, dh, 0 if end is None else end)]
        if lengths is not None:
            calls.append(partial(mark_stopped, lengths, work[3]))
        for t, before, _ in reversed(list(self.steps(gates.shape[1]))):
            r, z, n, h_product = gates[:, t]
            dr, dz, dnew = dx[:, t]
            calls += [
                partial(np.subtract, hs[before], n, dz),
                partial(np.multiply, dz, dh, dz),
                partial(np.multiply, dh, z, keep),
                partial(np.subtract, dh, keep, dnew),
            ]
            if dgates is not None:
                calls += [
                    partial(np.add, dz, dgates[1, t], dz),
                    partial(np.add, dnew, dgates[2, t], dnew),
                ]
            calls += [
                partial(np.multiply, n, n, u),
                partial(np.subtract, one, u, u),
                partial(np.multiply, dnew, u, dnew),
                partial(np.multiply, dnew, h_product, dr),
                partial(np.multiply, dnew, r, dn[t]),
            ]
            if dgates is not None:
                calls += [
                    partial(np.add, dr, dgates[0, t], dr),
                    partial(np.add, dn[t], dgates[3, t], dn[t]),
                ]
            for gate, d in ((r, dr), (z, dz)):
                calls += [
                    partial(np.multiply, gate, gate, u),
                    partial(np.subtract, gate, u, u),
                    partial(np.multiply, d, u, d),
                ]
            if lengths is not None:
                stop = work[3][t]
                calls += make_restore_calls(stop, [(dx[:, t], 0), (dn[t], 0), (keep, dh)])
            calls += [
                partial(np.matmul, dx[:2, t], gate_weights[:2], e[:2]),
                partial(np.matmul, dn[t], gate_weights[2], e[2]),
                partial(np.add.reduce, e, 0, None, dh),
                partial(np.add, dh, keep, dh),
            ]
            if dhs is not None:
                calls.append(partial(np.add, dh, dhs[before], dh))
        return calls

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
    """Run a GRU over x (T, N, I) and return all h and the last one; gates in the order r, z, n."""
    width, zeros = h.shape[1], Zeros()
    b, b_n = b_ih, zeros((width,), x.dtype)
    if b_hh is not None:
        b_n = b_hh[2 * width :]
        rz_bias = Concat(0)((b_hh[: 2 * width], zeros((width,), x.dtype)))
        b = rz_bias if b is None else b + rz_bias
    _, hs = GRUSequence(reverse)(project_inputs(3, x, w_ih, b), h, w_hh, b_n, lengths)
    return mask_outputs(hs, lengths, reverse), hs[0 if reverse else -1]


def _gru_backward(
    prim: _Sequence, gates: Any, hs: Any, w: Any, lengths: Any, dgates: Any, dhs: Any
) -> Any:
    """Compute :class:`GRUSequenceGrad` by differentiable ops; its vjp derives this formula."""
    count = gates.shape[1]
    dh = add_indexed(ZerosLike()(hs[0]), dhs, 0 if prim.reverse else count)
    gate_grads, n_grads = {}, {}
    for t, before, _ in reversed(list(prim.steps(count))):
        r, z, n, h_product = (gates[k, t] for k in range(4))
        dz = dh * (hs[before] - n)
        dnew = dh - dh * z
        if dgates is not None:
            dz, dnew = dz + dgates[1, t], dnew + dgates[2, t]
        dnew = dnew * (1 - n * n)
        dr, dn = dnew * h_product, dnew * r
        if dgates is not None:
            dr, dn = dr + dgates[0, t], dn + dgates[3, t]
        is_running = running_mask(lengths, t)
        dr, dz = (select_running(is_running, d * (s - s * s), 0.0) for d, s in ((dr, r), (dz, z)))
        dnew, n_grads[t] = (
            select_running(is_running, dnew, 0.0),
            select_running(is_running, dn, 0.0),
        )
        gate_grads[t] = Stack(0)([dr, dz, dnew])
        dh_product = MatMulExt()(Concat(1)([dr, dz, n_grads[t]]), w)
        dh = add_indexed(select_running(is_running, dh_product + dh * z, dh), dhs, before)
    return Transpose()(stack_steps(gate_grads), (1, 0, 2, 3)), stack_steps(n_grads), dh


__all__ = ["gru_layer"]
