"""All time steps of a GRU as one op, and its derivative."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minispore.core.primitive import Calls, Cotangents
from minispore.core.tensor import Tensor
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.elementwise.smooth_activations import Sigmoid, Tanh
from minispore.ops.linalg.products import MatMul, MatMulExt
from minispore.ops.network.sequence import (
    MIN_STEPS_TO_TRANSPOSE,
    _Sequence,
    add_indexed,
    compute_hidden_weight_grad,
    compute_vjp_by_formula,
    get_states_before,
    make_mask_spec,
    make_restore_calls,
    make_running_mask,
    make_sigmoid_calls,
    mark_stopped,
    mask_outputs,
    project_inputs,
    select_running,
    stack_steps,
    transpose_weights,
)
from minispore.ops.shape.cast_fill import Zeros, ZerosLike
from minispore.ops.shape.join import Concat, Stack
from minispore.ops.shape.split import Split
from minispore.ops.shape.views import ExpandDims, Transpose
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.support.arguments import FLOAT_KINDS


class GRUSequence(_Sequence):
    """All time steps of a GRU: h = n + z (h - n), with n = tanh(x_n + r (h w_n' + b_n)).

    ``x_gates`` holds the products of x and the input weights.

    Shape: x_gates (3, T, N, H) for r, z and n, h (N, H), w_hh (3H, H), b_n (H,), lengths (N,) or
    None -> r, z, n and h w_n' + b_n (4, T, N, H), and all h (T + 1, N, H).

    Source: Cho et al., https://arxiv.org/abs/1406.1078
    """

    gates = 3
    axes = (2, 0, None, None, 0), (2, 1)

    def infer(
        self, x_gates: Spec, h: Spec, w_hh: Spec, b_n: Spec, lengths: Any
    ) -> tuple[Spec, ...]:
        """Return the specs of the gates (4, T, N, H) and all h (T + 1, N, H); raise for inputs that
        do not fit.
        """
        t, n, width = self.check_shapes(x_gates, w_hh, lengths, h=h)
        if b_n != Spec((width,), x_gates.dtype):
            raise ValueError(f"{self.name}: b_n must have the shape {(width,)}, got {b_n}.")
        return Spec((4, t, n, width), x_gates.dtype), Spec((t + 1, n, width), x_gates.dtype)

    def scratch(
        self, x_gates: Spec, h: Spec, w_hh: Spec, b_n: Spec, lengths: Any
    ) -> tuple[Spec, ...]:
        """Return specs of buffers for a step's products, b_n, the transposed weights if transposing
        pays, and the mask of ended sequences.
        """
        _, t, n, width = x_gates.shape
        step_buffers = Spec((3, n, width), x_gates.dtype), Spec((n, width), x_gates.dtype)
        transposed = (
            (Spec((3, width, width), x_gates.dtype),) if t >= MIN_STEPS_TO_TRANSPOSE else ()
        )
        return (*step_buffers, *transposed, *make_mask_spec(t, n, lengths))

    def calls(
        self,
        x_gates: np.ndarray,
        h: np.ndarray,
        w_hh: np.ndarray,
        b_n: np.ndarray,
        lengths: np.ndarray | None,
        *,
        out: Any,
        work: list[np.ndarray],
    ) -> Calls:
        """Return the calls of all steps; ``out`` stores r, z, n and h w_n' + b_n of each step, and
        all h including the initial state.
        """
        gates, hs = out
        t_count = x_gates.shape[1]
        h_product, bias = work[:2]
        w_transposed, calls = transpose_weights(
            w_hh, 3, work[2] if t_count >= MIN_STEPS_TO_TRANSPOSE else None
        )
        calls.append(partial(np.copyto, hs[t_count if self.reverse else 0], h))
        calls.append(partial(np.copyto, bias, b_n))
        if lengths is not None:
            calls.append(partial(mark_stopped, lengths, work[-1]))
        for t, before, after in self.iterate_steps(t_count):
            step_gates, rz = gates[:, t], gates[:2, t]
            calls += [
                partial(np.matmul, hs[before], w_transposed, h_product),
                partial(np.add, x_gates[:2, t], h_product[:2], rz),
                *make_sigmoid_calls(rz, rz),
                partial(np.add, h_product[2], bias, step_gates[3]),
                partial(np.multiply, step_gates[0], step_gates[3], step_gates[2]),
                partial(np.add, step_gates[2], x_gates[2, t], step_gates[2]),
                partial(np.tanh, step_gates[2], step_gates[2]),
                partial(np.subtract, hs[before], step_gates[2], hs[after]),
                partial(np.multiply, hs[after], step_gates[1], hs[after]),
                partial(np.add, hs[after], step_gates[2], hs[after]),
            ]
            if lengths is not None:
                calls += make_restore_calls(work[-1][t], [(step_gates, 0), (hs[after], hs[before])])
        return calls

    def decompose(self, x_gates: Tensor, h: Tensor, w_hh: Tensor, b_n: Tensor, lengths: Any) -> Any:
        """Return the outputs of the op, computed by basic ops that every export format has."""
        gates, hs = {}, {x_gates.shape[1] if self.reverse else 0: h}
        for t, before, after in self.iterate_steps(x_gates.shape[1]):
            h_products = Split(1, 3)(MatMul(transpose_b=True)(hs[before], w_hh))
            r, z = (Sigmoid()(x_gates[k, t] + h_products[k]) for k in range(2))
            n_sum = h_products[2] + b_n
            n = Tanh()(x_gates[2, t] + r * n_sum)
            gates[t] = Stack(0)([r, z, n, n_sum])
            new_h = n + z * (hs[before] - n)
            hs[after] = select_running(make_running_mask(lengths, t), new_h, hs[before])
        return Transpose()(stack_steps(gates), (1, 0, 2, 3)), stack_steps(hs)

    def vjp(
        self,
        x_gates: Tensor,
        h: Tensor,
        w_hh: Tensor,
        b_n: Tensor,
        lengths: Any,
        *,
        out: Any,
        dout: Any,
    ) -> Cotangents:
        """Run the gradient op; return the gradients of x_gates and h, functions that compute those
        of w_hh and b_n, and None for ``lengths``.
        """
        gates, hs = out
        grad_op = GRUSequenceGrad(self.reverse)
        dx, dn, dh = grad_op(gates, hs, w_hh, lengths, *dout)

        def compute_w_grad() -> Tensor:
            """Compute the gradient of w_hh: the rows of the gates r and z, and the rows of n."""
            before = get_states_before(hs, self.reverse)
            rz_rows = compute_hidden_weight_grad(dx[:2], before)
            return Concat(0)((rz_rows, compute_hidden_weight_grad(ExpandDims()(dn, 0), before)))

        return dx, dh, compute_w_grad, lambda: ReduceSum()(dn, (0, 1)), None


class GRUSequenceGrad(_Sequence):
    """The cotangents of x_gates, h w_n' + b_n and h of :class:`GRUSequence`, from its outputs'
    cotangents.

    Shape: gates (4, T, N, H), all h (T + 1, N, H), w_hh (3H, H), lengths (N,) or None, the
    cotangents of gates and h, each possibly None -> (3, T, N, H), (T, N, H), (N, H).
    """

    gates = 4  # the number that GRUSequence stores; w_hh has three
    axes = (2, 1, None, 0, 2, 1), (2, 1, 0)

    def infer(
        self, gates: Spec, hs: Spec, w_hh: Spec, lengths: Any, dgates: Any, dhs: Any
    ) -> tuple[Spec, ...]:
        """Return the specs of the cotangents (3, T, N, H), (T, N, H) and (N, H); raise unless gates
        and h fit.
        """
        check_dtype_kind(self.name, gates, FLOAT_KINDS, "gates")
        if gates.ndim != 4 or hs.shape[1:] != gates.shape[2:]:
            raise ValueError(
                f"{self.name}: gates must have the axes (4, T, N, H) and h (T + 1, N, H), got "
                f"{gates} and {hs}."
            )
        _, t, n, h = gates.shape
        return tuple([Spec(shape, gates.dtype) for shape in ((3, t, n, h), (t, n, h), (n, h))])

    def flops(self, gates: Spec, *inputs: Any) -> int:
        return super().flops(gates) * 3 // 4

    def scratch(self, gates: Spec, *inputs: Any) -> tuple[Spec, ...]:
        _, t, n, width = gates.shape
        state = Spec((n, width), gates.dtype)
        return (state, state, Spec((3, n, width), gates.dtype), *make_mask_spec(t, n, inputs[2]))

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
        """Return the calls that go back from the last step; ended sequences pass dh through
        unchanged.
        """
        dx, dn, dh = out
        slope, direct_dh, gate_dhs = work[:3]
        gate_weights = w_hh.reshape(3, -1, w_hh.shape[1])
        one = np.ones((), gates.dtype)
        end = None if dhs is None else dhs[0 if self.reverse else -1]
        calls: Calls = [partial(np.copyto, dh, 0 if end is None else end)]
        if lengths is not None:
            calls.append(partial(mark_stopped, lengths, work[3]))
        for t, before, _ in reversed(list(self.iterate_steps(gates.shape[1]))):
            r, z, n, h_product = gates[:, t]
            dr, dz, dnew = dx[:, t]
            calls += [
                partial(np.subtract, hs[before], n, dz),
                partial(np.multiply, dz, dh, dz),
                partial(np.multiply, dh, z, direct_dh),
                partial(np.subtract, dh, direct_dh, dnew),
            ]
            if dgates is not None:
                calls += [
                    partial(np.add, dz, dgates[1, t], dz),
                    partial(np.add, dnew, dgates[2, t], dnew),
                ]
            calls += [
                partial(np.multiply, n, n, slope),
                partial(np.subtract, one, slope, slope),
                partial(np.multiply, dnew, slope, dnew),
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
                    partial(np.multiply, gate, gate, slope),
                    partial(np.subtract, gate, slope, slope),
                    partial(np.multiply, d, slope, d),
                ]
            if lengths is not None:
                stop = work[3][t]
                calls += make_restore_calls(stop, [(dx[:, t], 0), (dn[t], 0), (direct_dh, dh)])
            calls += [
                partial(np.matmul, dx[:2, t], gate_weights[:2], gate_dhs[:2]),
                partial(np.matmul, dn[t], gate_weights[2], gate_dhs[2]),
                partial(np.add.reduce, gate_dhs, 0, None, dh),
                partial(np.add, dh, direct_dh, dh),
            ]
            if dhs is not None:
                calls.append(partial(np.add, dh, dhs[before], dh))
        return calls

    def vjp(self, *args: Any, out: Any, dout: Any) -> Cotangents:
        return compute_vjp_by_formula(self, _compute_gru_backward, args, dout)


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
    """Run a GRU over x (T, N, I); return h after each step (T, N, H), and the last h (N, H).

    The rows of the weights are the gates r, z, n. A sequence keeps its state after ``lengths[n]``
    steps, and its outputs are then 0. With ``reverse`` the steps run from the last to the first,
    and the last h is that of step 0.
    """
    width, zeros = h.shape[1], Zeros()
    b, b_n = b_ih, zeros((width,), x.dtype)
    if b_hh is not None:
        b_n = b_hh[2 * width :]
        rz_bias = Concat(0)((b_hh[: 2 * width], zeros((width,), x.dtype)))
        b = rz_bias if b is None else b + rz_bias
    _, hs = GRUSequence(reverse)(project_inputs(3, x, w_ih, b), h, w_hh, b_n, lengths)
    return mask_outputs(hs, lengths, reverse), hs[0 if reverse else -1]


def _compute_gru_backward(
    prim: _Sequence, gates: Any, hs: Any, w: Any, lengths: Any, dgates: Any, dhs: Any
) -> Any:
    """Return the outputs of :class:`GRUSequenceGrad` by differentiable ops; its vjp differentiates
    this.
    """
    count = gates.shape[1]
    dh = add_indexed(ZerosLike()(hs[0]), dhs, 0 if prim.reverse else count)
    gate_grads, n_grads = {}, {}
    for t, before, _ in reversed(list(prim.iterate_steps(count))):
        r, z, n, h_product = (gates[k, t] for k in range(4))
        dz = dh * (hs[before] - n)
        dnew = dh - dh * z
        if dgates is not None:
            dz, dnew = dz + dgates[1, t], dnew + dgates[2, t]
        dnew = dnew * (1 - n * n)
        dr, dn = dnew * h_product, dnew * r
        if dgates is not None:
            dr, dn = dr + dgates[0, t], dn + dgates[3, t]
        is_running = make_running_mask(lengths, t)
        dr, dz = (select_running(is_running, d * (s - s * s), 0.0) for d, s in ((dr, r), (dz, z)))
        dnew = select_running(is_running, dnew, 0.0)
        n_grads[t] = select_running(is_running, dn, 0.0)
        gate_grads[t] = Stack(0)([dr, dz, dnew])
        dh_product = MatMulExt()(Concat(1)([dr, dz, n_grads[t]]), w)
        dh = add_indexed(select_running(is_running, dh_product + dh * z, dh), dhs, before)
    return Transpose()(stack_steps(gate_grads), (1, 0, 2, 3)), stack_steps(n_grads), dh


__all__ = ["gru_layer"]
