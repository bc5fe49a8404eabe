"""The derivative of all time steps of an LSTM as one op."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minispore.core.primitive import Calls, Cotangents
from minispore.execution.kernels.blas import get_small_product_limit
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.linalg.products import MatMul, MatMulExt
from minispore.ops.network.sequence import (
    Step,
    _Sequence,
    add_indexed,
    choose_steps_per_chunk,
    compute_vjp_by_formula,
    get_states_before,
    get_time_slice,
    make_mask_spec,
    make_restore_calls,
    make_running_mask,
    mark_stopped,
    merge_time_and_batch,
    select_running,
    stack_steps,
)
from minispore.ops.shape.cast_fill import ZerosLike
from minispore.ops.shape.join import Concat
from minispore.ops.shape.views import Reshape
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.support.arguments import FLOAT_KINDS

# The rows of weights are the gates i, f, g, o. The op stores the gates as i, f, o, g, so that the
# three sigmoids are contiguous. Each half is (slice of the stored gates, slice of the weight's
# gates).
HALVES = ((slice(0, 2), slice(0, 2)), (slice(2, 4), slice(3, 1, -1)))


class LSTMSequenceGrad(_Sequence):
    """The cotangents of the gate sums, h and c of :class:`LSTMSequence`, from its outputs'
    cotangents.

    Shape: gates (4, T, N, H), all h and all c (T + 1, N, H), tanh(c) (T, N, H), w_hh (4H, H),
    lengths (N,) or None, the cotangents of gates, h and c, each possibly None -> the cotangent of
    the sums in the gates i, f, g and o (T, N, 4H), and those of h and c (N, H).
    """

    gates = 4
    axes = (2, 1, 1, 1, None, 0, 2, 1, 1), (1, 0, 0)

    def infer(
        self, gates: Spec, hs: Spec, cs: Spec, tanhs: Spec, w_hh: Spec, lengths: Any, *grads: Any
    ) -> tuple[Spec, ...]:
        t, n, width = self.check_shapes(gates, w_hh, lengths)
        return Spec((t, n, 4 * width), gates.dtype), *[Spec((n, width), gates.dtype)] * 2

    def scratch(self, gates: Spec, *inputs: Any) -> tuple[Spec, ...]:
        """Return specs of buffers for one step, for the local derivatives of a chunk of steps, and
        for the mask of ended sequences.
        """
        _, t, n, width = gates.shape
        lengths, dgates = inputs[4:6]
        count = choose_steps_per_chunk(gates)
        shapes: list[tuple[int, ...]] = [(n, width), (n, width), (4, n, width)]
        shapes += [(count, n, width), (2, count, n, width)]
        shapes += [(4, count, n, width)] * (1 if dgates is None else 2)
        return (*[Spec(shape, gates.dtype) for shape in shapes], *make_mask_spec(t, n, lengths))

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
        """Return calls that start at the cotangents of the last states and go back step by step.

        The outputs for h and c hold the cotangent of the current state in between.
        """
        calls: Calls = []
        for state, state_grads in ((out[1], dhs), (out[2], dcs)):
            end = None if state_grads is None else state_grads[0 if self.reverse else -1]
            calls.append(partial(np.copyto, state, 0 if end is None else end))
        if lengths is not None:
            calls.append(partial(mark_stopped, lengths, work[-1]))
        order = list(self.iterate_steps(gates.shape[1]))[::-1]
        saved, output_grads = (gates, hs, cs, tanhs), (dgates, dhs, dcs)
        return [
            *calls,
            *self._make_backward_calls(order, saved, w_hh, output_grads, out, work, lengths),
        ]

    def _make_backward_calls(
        self,
        steps: list[Step],
        saved: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
        w: np.ndarray,
        output_grads: tuple[np.ndarray | None, np.ndarray | None, np.ndarray | None],
        out: Any,
        work: list[np.ndarray],
        lengths: np.ndarray | None,
    ) -> Calls:
        """Return the calls that propagate gradients back through consecutive steps.

        Args:
            steps: the steps, the last one first.
            saved: gates, all h, all c and tanh(c) of the forward op.
            w: the hidden weight w_hh (4H, H).
            output_grads: the cotangents of gates, h and c, or None.
            out: the arrays to write.
            work: scratch arrays.
            lengths: the lengths of the sequences, or None.
        """
        dx, dh, dc = out[:3]
        total_dc, dh_copy, gate_dhs, h_to_c, product, gate_grads = work[:6]
        dgates, dhs, dcs = output_grads
        forget = list(saved[0][1])
        calls: Calls = []
        for begin in range(0, len(steps), len(h_to_c)):
            chunk = steps[begin : begin + len(h_to_c)]
            times, count = get_time_slice(chunk), len(chunk)
            gate_slopes = None if dgates is None else work[6][:, :count]
            buffers = gate_grads[:, :count], product[:, :count], h_to_c[:count], gate_slopes
            calls += self._make_local_derivative_calls(saved, dgates, times, *buffers)
            for t, before, _ in chunk:
                index = t - times.start
                grads, rows = gate_grads[:, index], dx[t]
                c_gates, h_gate = grads[:3], grads[3]
                calls += [
                    partial(np.multiply, dh, h_to_c[index], total_dc),
                    partial(np.add, total_dc, dc, total_dc),  # the total cotangent of c
                    partial(np.multiply, c_gates, total_dc, c_gates),
                    partial(np.multiply, h_gate, dh, h_gate),
                    partial(np.multiply, total_dc, forget[t], dc if lengths is None else total_dc),
                ]
                if gate_slopes is not None:
                    for half, weight_half in HALVES:
                        target = grads[weight_half]
                        calls.append(partial(np.add, target, gate_slopes[half, index], target))
                if lengths is not None:
                    stop = work[-1][t]
                    calls += [
                        partial(np.copyto, dh_copy, dh),
                        *make_restore_calls(stop, [(grads, 0), (total_dc, dc)]),
                        partial(np.copyto, dc, total_dc),
                    ]
                rows_by_gate = rows.reshape(len(rows), 4, -1).swapaxes(0, 1)
                calls += [
                    partial(np.copyto, rows_by_gate, grads),
                    *_make_hidden_grad_calls(rows, grads, w, gate_dhs, dh),
                ]
                if lengths is not None:
                    calls += make_restore_calls(stop, [(dh, dh_copy)])
                for state, state_grads in ((dh, dhs), (dc, dcs)):
                    if state_grads is not None:
                        calls.append(partial(np.add, state, state_grads[before], state))
        return calls

    def _make_local_derivative_calls(
        self,
        saved: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
        dgates: np.ndarray | None,
        times: slice,
        gate_factors: np.ndarray,
        product: np.ndarray,
        h_to_c: np.ndarray,
        gate_slopes: np.ndarray | None,
    ) -> Calls:
        """Return calls that compute the local derivatives of several steps in advance.

        ``gate_factors`` receives the factors that multiply the cotangent of c for the gates i, f
        and g, and the cotangent of h for o. ``h_to_c`` receives the factor from dh to dc, and
        ``gate_slopes`` the terms for the cotangents of the gates themselves. For a product p = s y
        with a sigmoid s = 1 / (1 + e^-z), dp/dz is p - s p; with y = tanh(z) it is s - y p.
        """
        all_gates, hs, cs, tanhs = saved
        gates, tanh = all_gates[:, times], tanhs[times]
        i, f, o, g = gates
        h = get_states_before(hs, not self.reverse)[times]  # o tanh
        calls: Calls = [
            partial(np.multiply, i, g, product[0]),
            partial(np.multiply, f, get_states_before(cs, self.reverse)[times], product[1]),
            partial(np.multiply, gates[:2], product, gate_factors[:2]),
            partial(np.subtract, product, gate_factors[:2], gate_factors[:2]),
            partial(np.multiply, g, product[0], gate_factors[2]),
            partial(np.subtract, i, gate_factors[2], gate_factors[2]),
            partial(np.multiply, o, h, gate_factors[3]),
            partial(np.subtract, h, gate_factors[3], gate_factors[3]),
            partial(np.multiply, tanh, h, h_to_c),
            partial(np.subtract, o, h_to_c, h_to_c),
        ]
        if gate_slopes is not None:
            dgates_slice, one = dgates[:, times], np.ones((), gates.dtype)  # type: ignore[index]
            calls.append(partial(np.multiply, gates, gates, gate_slopes))
            calls.append(partial(np.subtract, gates[:3], gate_slopes[:3], gate_slopes[:3]))
            calls.append(partial(np.subtract, one, gate_slopes[3], gate_slopes[3]))
            calls.append(partial(np.multiply, gate_slopes, dgates_slice, gate_slopes))
        return calls

    def vjp(self, *args: Any, out: Any, dout: Any) -> Cotangents:
        return compute_vjp_by_formula(self, _compute_lstm_backward, args, dout)


_NARROW = 128  # columns of w_hh up to which BLAS treats the product of one gate as small


def _make_hidden_grad_calls(
    rows: np.ndarray, gate_grads: np.ndarray, w: np.ndarray, gate_dhs: np.ndarray, dh: np.ndarray
) -> Calls:
    """Return calls that compute dh from the gates' gradients.

    If BLAS has kernels for small products and w is narrow, each gate is multiplied separately and
    the products are summed; else ``rows`` is multiplied by ``w`` at once.

    The gradients are given both as ``rows`` (N, 4H) and as ``gate_grads`` (4, N, H). ``gate_dhs``
    (4, N, H) is scratch.
    """
    if get_small_product_limit() and w.shape[1] <= _NARROW:
        products = partial(np.matmul, gate_grads, w.reshape(4, -1, w.shape[1]), gate_dhs)
        return [products, partial(np.add.reduce, gate_dhs, 0, None, dh)]
    return [partial(np.matmul, rows, w, dh)]


class LSTMSequenceWeights(_Sequence):
    """The cotangents of the weights of :class:`LSTMSequence`, from the cotangent of its gate sums.

    Shape: cotangent (T, N, 4H), all h (T + 1, N, H), x (T, N, I), b (4H,) or None -> those of w
    (4H, I), w_hh (4H, H) and b (4H,).
    """

    gates = 4

    def infer(self, sum_grads: Spec, hs: Spec, x: Spec, b: Any) -> tuple[Spec, ...]:
        """Return the specs of the cotangents of w, w_hh and, unless ``b`` is None, b.

        Raises:
            TypeError: ``sum_grads`` is not a float tensor.
            ValueError: a shape does not fit.
        """
        check_dtype_kind(self.name, sum_grads, FLOAT_KINDS, "d")
        t, n, rows = sum_grads.shape
        if hs.shape != (t + 1, n, rows // 4) or x.shape[:2] != (t, n):
            raise ValueError(
                f"{self.name}: h must have the axes (T + 1, N, H) and x (T, N, I) of {sum_grads}, "
                f"got {hs} and {x}."
            )
        shapes = [(rows, x.shape[2]), (rows, rows // 4)] + [(rows,)] * (b is not None)
        return tuple([Spec(shape, sum_grads.dtype) for shape in shapes])

    def flops(self, sum_grads: Spec, hs: Spec, x: Spec, b: Any) -> int:
        return 2 * sum_grads.size * (x.shape[2] + sum_grads.shape[2] // 4)

    def scratch(self, sum_grads: Spec, hs: Spec, x: Spec, b: Any) -> tuple[Spec, ...]:
        t, n, rows = sum_grads.shape
        size = rows // 4 + x.shape[2]
        shapes = [(t * n, size), (rows, size)] + [(1, t * n)] * (b is not None)
        return tuple([Spec(shape, sum_grads.dtype) for shape in shapes])

    def calls(
        self,
        sum_grads: np.ndarray,
        hs: np.ndarray,
        x: np.ndarray,
        b: np.ndarray | None,
        *,
        out: Any,
        work: list[np.ndarray],
    ) -> Calls:
        """Return the calls for one product of the cotangent with (h, x) concatenated, and its sum
        for the bias.
        """
        (joined_inputs, sums, *ones_rows), width = work, hs.shape[2]
        rows = joined_inputs.reshape(*x.shape[:2], -1)
        calls: Calls = [
            partial(np.copyto, rows[..., :width], get_states_before(hs, self.reverse)),
            partial(np.copyto, rows[..., width:], x),
        ]
        flat_grads = merge_time_and_batch(sum_grads, calls)
        calls += [
            partial(np.matmul, flat_grads.T, joined_inputs, out=sums),
            partial(np.copyto, out[0], sums[:, width:]),
            partial(np.copyto, out[1], sums[:, :width]),
        ]
        if b is not None:
            calls.append(partial(np.copyto, ones_rows[0], 1))
            calls.append(partial(np.matmul, ones_rows[0], flat_grads, out=out[2][None]))
        return calls

    def vjp(self, *args: Any, out: Any, dout: Any) -> Cotangents:
        return compute_vjp_by_formula(self, _compute_weight_grads, args, dout)


def _compute_weight_grads(prim: _Sequence, sum_grads: Any, hs: Any, x: Any, b: Any) -> Any:
    """Return the outputs of :class:`LSTMSequenceWeights` by differentiable ops; its vjp
    differentiates this.
    """
    matmul, rows = MatMul(transpose_a=True), Reshape()(sum_grads, (-1, sum_grads.shape[2]))
    inputs = (Reshape()(a, (-1, a.shape[2])) for a in (x, get_states_before(hs, prim.reverse)))
    grads = [matmul(rows, a) for a in inputs]
    if b is not None:
        grads.append(ReduceSum()(rows, 0))
    return tuple(grads)


def _compute_lstm_backward(
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
    """Return the outputs of :class:`LSTMSequenceGrad` by differentiable ops; its vjp differentiates
    this.
    """
    count = gates.shape[1]
    end = 0 if prim.reverse else count
    empty = ZerosLike()(cs[0])
    dh, dc = add_indexed(empty, dhs, end), add_indexed(empty, dcs, end)
    gate_grads = {}
    for t, before, after in reversed(list(prim.iterate_steps(count))):
        i, f, o, g = (gates[k, t] for k in range(4))
        i_product, f_product, h = i * g, f * cs[before], hs[after]
        total_dc = dc + dh * (o - tanhs[t] * h)
        grads = [total_dc * (i_product - i * i_product), total_dc * (f_product - f * f_product)]
        grads += [total_dc * (i - g * i_product), dh * (h - o * h)]
        if dgates is not None:
            slopes = (i - i * i, f - f * f, 1 - g * g, o - o * o)
            grads = [
                a + s * dgates[k, t] for a, s, k in zip(grads, slopes, (0, 1, 3, 2), strict=True)
            ]
        is_running = make_running_mask(lengths, t)
        grads = [select_running(is_running, a, 0.0) for a in grads]
        gate_grads[t] = Concat(1)(grads)
        dc = select_running(is_running, total_dc * f, dc)
        dh = select_running(is_running, MatMulExt()(gate_grads[t], w), dh)
        dh, dc = add_indexed(dh, dhs, before), add_indexed(dc, dcs, before)
    return stack_steps(gate_grads), dh, dc


__all__ = ["HALVES", "LSTMSequenceGrad", "LSTMSequenceWeights"]
