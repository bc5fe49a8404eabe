"""All time steps of an LSTM as one op."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minispore.core.primitive import Calls, Cotangents
from minispore.core.tensor import Tensor
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.elementwise.smooth_activations import Sigmoid, Tanh
from minispore.ops.linalg.products import MatMul
from minispore.ops.network.lstm_gradient import HALVES, LSTMSequenceGrad, LSTMSequenceWeights
from minispore.ops.network.sequence import (
    MIN_STEPS_TO_TRANSPOSE,
    Step,
    _Sequence,
    get_time_slice,
    make_mask_spec,
    make_restore_calls,
    make_running_mask,
    make_sigmoid_calls,
    mark_stopped,
    mask_outputs,
    merge_time_and_batch,
    select_running,
    split_steps,
    stack_steps,
)
from minispore.ops.shape.cast_fill import ZerosLike
from minispore.ops.shape.join import Concat, Stack
from minispore.ops.shape.split import Split
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.support.arguments import FLOAT_KINDS

_LayerInputs = tuple[np.ndarray, np.ndarray, np.ndarray | None, np.ndarray]  # w, w_hh, b, x


class LSTMSequence(_Sequence):
    """All time steps of an LSTM: c = f c + i g, h = o tanh(c), (i, f, g, o) = act(x w' + b + h
    w_hh').

    act is tanh for g and the sigmoid for the others; the rows of the weights are ordered i, f, g,
    o.

    Shape: w (4H, I), w_hh (4H, H), b (4H,) or None, x (T, N, I), h and c (N, H), lengths (N,) or
    None -> i, f, o and g (4, T, N, H), all h and all c including the initial ones (T + 1, N, H),
    and tanh(c) after each step (T, N, H).

    Source: Hochreiter & Schmidhuber, https://doi.org/10.1162/neco.1997.9.8.1735
    """

    gates = 4
    axes = (None, None, None, 1, 0, 0, 0), (2, 1, 1, 1)

    def infer(
        self, w: Spec, w_hh: Spec, b: Any, x: Spec, h: Spec, c: Spec, lengths: Any
    ) -> tuple[Spec, ...]:
        """Return the specs of the gates i, f, o, g, of all h and all c with the initial states, and
        of tanh(c).

        Raises:
            TypeError: x is not a float tensor.
            ValueError: a shape or dtype does not fit.
        """
        check_dtype_kind(self.name, x, FLOAT_KINDS, "x")
        if x.ndim != 3 or w_hh.ndim != 2:
            raise ValueError(
                f"{self.name}: x must have the axes (T, N, I) and w_hh (4H, H), got {x} and {w_hh}."
            )
        t, n, size = x.shape
        width = w_hh.shape[1]
        gates, states = Spec((4, t, n, width), x.dtype), Spec((t + 1, n, width), x.dtype)
        self.check_shapes(gates, w_hh, lengths, h=h, c=c)
        for name, operand, shape in (("w", w, (4 * width, size)), ("b", b, (4 * width,))):
            if operand is not None and operand != Spec(shape, x.dtype):
                raise ValueError(
                    f"{self.name}: {name} must have the shape {shape} and the dtype of x "
                    f"{x.dtype}, got {operand}."
                )
        return gates, states, states, Spec((t, n, width), x.dtype)

    def flops(self, w: Spec, w_hh: Spec, b: Any, x: Spec, *states: Any) -> int:
        t, n, size = x.shape
        return 2 * t * n * w.shape[0] * (size + w.shape[0] // 4)

    def scratch(
        self, w: Spec, w_hh: Spec, b: Any, x: Spec, h: Spec, c: Spec, lengths: Any
    ) -> tuple[Spec, ...]:
        """Return specs of the buffers for the variant that ``calls`` chooses: short, joined or
        separate products.
        """
        (t, n, size), width = x.shape, h.shape[1]
        shapes = [(4, n, width), (n, width)]
        size += b is not None
        if t >= MIN_STEPS_TO_TRANSPOSE and _is_joined_product_faster(size, width):
            shapes += [(4, width + size, width), (n, width + size)]
        elif t >= MIN_STEPS_TO_TRANSPOSE:
            shapes += [(4, width, width), (4, size, width), (t, n, size)]
        return (*[Spec(shape, x.dtype) for shape in shapes], *make_mask_spec(t, n, lengths))

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
        """Return the calls of all steps, with the matrix products that are fastest for this number
        of steps and width.
        """
        _, hs, cs, _ = out
        initial = len(x) if self.reverse else 0
        calls: Calls = [partial(np.copyto, hs[initial], h), partial(np.copyto, cs[initial], c)]
        if lengths is not None:
            calls.append(partial(mark_stopped, lengths, work[-1]))
        inputs = w, w_hh, b, x
        if len(x) < MIN_STEPS_TO_TRANSPOSE:
            return calls + self._make_short_sequence_calls(inputs, lengths, out, work)
        if _is_joined_product_faster(x.shape[2] + (b is not None), h.shape[1]):
            return calls + self._make_joined_product_calls(inputs, lengths, out, work)
        return calls + self._make_separate_product_calls(inputs, lengths, out, work)

    def _make_short_sequence_calls(
        self, inputs: _LayerInputs, lengths: Any, out: Any, work: list[np.ndarray]
    ) -> Calls:
        """Return the calls for few steps, which use the weights without transposing them."""
        (w, w_hh, b, x), gates, h_products = inputs, out[0], work[0]
        x_weights, h_weights = (a.reshape(4, w_hh.shape[1], -1).swapaxes(1, 2) for a in (w, w_hh))
        calls: Calls = []
        for half, weight_half in HALVES:
            calls.append(partial(np.matmul, x, x_weights[weight_half][:, None], out=gates[half]))
            if b is not None:
                bias = b.reshape(4, 1, 1, -1)[weight_half]
                calls.append(partial(np.add, gates[half], bias, gates[half]))
        h_factors = [(h_weights[weight_half], h_products[half]) for half, weight_half in HALVES]
        make_sum_calls = partial(_add_hidden_product, h_factors, gates, out[1], h_products)
        steps = list(self.iterate_steps(len(x)))
        return [*calls, *self._make_step_calls(steps, make_sum_calls, lengths, out, work, False)]

    def _make_joined_product_calls(
        self, inputs: _LayerInputs, lengths: Any, out: Any, work: list[np.ndarray]
    ) -> Calls:
        """Return the calls that compute one product of the weights and (h, x) concatenated for each
        step.
        """
        (w, w_hh, b, x), gate_sums = inputs, work[0]
        (w_transposed, joined), width, size = work[2:4], w_hh.shape[1], x.shape[2]
        h_columns, x_columns, bias_columns = np.split(joined, [width, width + size], 1)
        calls = [
            *_make_transpose_weight_calls(w_hh, w_transposed[:, :width]),
            *_make_transpose_weight_calls(w, w_transposed[:, width : width + size]),
        ]
        if b is not None:
            calls += [
                *_make_transpose_weight_calls(b, w_transposed[:, width + size :]),
                partial(np.copyto, bias_columns, 1),
            ]

        def make_sum_calls(t: int, before: int) -> Calls:
            """Return the calls that compute a step's gate sums as one product of (h, x)."""
            return [
                partial(np.copyto, h_columns, out[1][before]),
                partial(np.copyto, x_columns, x[t]),
                partial(np.matmul, joined, w_transposed, gate_sums),
            ]

        steps = list(self.iterate_steps(len(x)))
        return [*calls, *self._make_step_calls(steps, make_sum_calls, lengths, out, work, True)]

    def _make_separate_product_calls(
        self, inputs: _LayerInputs, lengths: Any, out: Any, work: list[np.ndarray]
    ) -> Calls:
        """Return the calls that, for chunks of steps that fit into the cache, multiply x by its
        weights at once, then run the steps.
        """
        (w, w_hh, b, x), gates, h_products = inputs, out[0], work[0]
        wh_transposed, wx_transposed, rows = work[2:5]
        size = x.shape[2]
        calls = [
            *_make_transpose_weight_calls(w_hh, wh_transposed),
            *_make_transpose_weight_calls(w, wx_transposed[:, :size]),
        ]
        if b is not None:
            calls += [
                *_make_transpose_weight_calls(b, wx_transposed[:, size:]),
                partial(np.copyto, rows[..., size:], 1),
            ]
        make_sum_calls = partial(
            _add_hidden_product, [(wh_transposed, h_products)], gates, out[1], h_products
        )
        for chunk in split_steps(list(self.iterate_steps(len(x))), 2 * x.size * len(w)):
            times, copies = get_time_slice(chunk), Calls()
            x_products = merge_time_and_batch(gates[:, times], copies)
            flat_rows, target = rows[times].reshape(-1, rows.shape[2]), gates[:, times]
            calls.append(partial(np.copyto, rows[times, :, :size], x[times]))
            calls.append(partial(np.matmul, flat_rows, wx_transposed, out=x_products))
            if copies:
                calls.append(partial(np.copyto, target, x_products.reshape(target.shape)))
            calls += self._make_step_calls(chunk, make_sum_calls, lengths, out, work, negated=True)
        return calls

    def _make_step_calls(
        self,
        steps: list[Step],
        make_sum_calls: Callable[[int, int], Calls],
        lengths: np.ndarray | None,
        out: Any,
        work: list[np.ndarray],
        negated: bool,
    ) -> Calls:
        """Return the calls that compute the gates and states of the given steps.

        Where a sequence has ended, the state is kept and the gates are 0.

        Args:
            steps: the steps, in order.
            make_sum_calls: returns the calls that compute the gate sums (i, f, o, g) of a step from
                its number and the index of the state before it.
            lengths: the lengths of the sequences, or None.
            out: the outputs of the op.
            work: scratch arrays.
            negated: whether the sums of the three sigmoids are computed with opposite sign.
        """
        gates, hs, cs, tanhs = out
        gate_sums, product = work[:2]
        calls: Calls = []
        for t, before, after in steps:
            step_gates = gates[:, t]
            i, f, o, g = step_gates
            calls += [
                *make_sum_calls(t, before),
                partial(np.tanh, gate_sums[3], g),
                *make_sigmoid_calls(gate_sums[:3], step_gates[:3], negated),
                partial(np.multiply, f, cs[before], cs[after]),
                partial(np.multiply, i, g, product),
                partial(np.add, cs[after], product, cs[after]),
            ]
            if lengths is not None:
                calls += make_restore_calls(work[-1][t], [(step_gates, 0), (cs[after], cs[before])])
            calls += [
                partial(np.tanh, cs[after], tanhs[t]),
                partial(np.multiply, o, tanhs[t], hs[after]),
            ]
            if lengths is not None:
                calls += make_restore_calls(work[-1][t], [(hs[after], hs[before])])
        return calls

    def decompose(
        self, w: Tensor, w_hh: Tensor, b: Any, x: Tensor, h: Tensor, c: Tensor, lengths: Any
    ) -> Any:
        """Return the outputs of the op, computed by basic ops that every export format has."""
        initial = x.shape[0] if self.reverse else 0
        gates, hs, cs, tanhs = {}, {initial: h}, {initial: c}, {}
        matmul, split_gates = MatMul(transpose_b=True), Split(1, 4)
        x_products = matmul(Reshape()(x, (-1, x.shape[2])), w)
        x_products = Reshape()(x_products if b is None else x_products + b, (*x.shape[:2], -1))
        for t, before, after in self.iterate_steps(x.shape[0]):
            i, f, g, o = split_gates(x_products[t] + matmul(hs[before], w_hh))
            i, f, g, o = Sigmoid()(i), Sigmoid()(f), Tanh()(g), Sigmoid()(o)
            new_c = f * cs[before] + i * g
            is_running, gates[t] = make_running_mask(lengths, t), Stack(0)([i, f, o, g])
            cs[after] = select_running(is_running, new_c, cs[before])
            tanhs[t] = Tanh()(cs[after])
            hs[after] = select_running(is_running, o * tanhs[t], hs[before])
        gates_first = Transpose()(stack_steps(gates), (1, 0, 2, 3))
        return gates_first, stack_steps(hs), stack_steps(cs), stack_steps(tanhs)

    def vjp(self, *args: Any, out: Any, dout: Any) -> Cotangents:
        """Return gradient functions that share one gradient op for states and inputs, and one for
        the weights.

        The lengths have no gradient, nor the bias if it is None.
        """
        w, w_hh, b, x, _, _, lengths = args
        gates, hs, cs, tanhs = out
        dgates, dhs, dcs, dtanhs = dout
        if dtanhs is not None:
            rows = [ZerosLike()(cs[:1]), dtanhs * (1 - tanhs * tanhs)]
            c_grads = Concat(0)(rows[::-1] if self.reverse else rows)
            dcs = c_grads if dcs is None else dcs + c_grads
        input_grads: list[Any] = []
        weight_grads: list[Any] = []

        def get_input_grad(index: int) -> Any:
            """Return gradient ``index`` of LSTMSequenceGrad (gate sums, h, c), which the first call
            computes.
            """
            if not input_grads:
                op = LSTMSequenceGrad(self.reverse)
                input_grads[:] = op(gates, hs, cs, tanhs, w_hh, lengths, dgates, dhs, dcs)
            return input_grads[index]

        def get_weight_grad(index: int) -> Any:
            """Return gradient ``index`` of LSTMSequenceWeights (w, w_hh, b), which the first call
            computes.
            """
            if not weight_grads:
                weight_grads[:] = LSTMSequenceWeights(self.reverse)(get_input_grad(0), hs, x, b)
            return weight_grads[index]

        weight_grad_fns = (
            (lambda: get_weight_grad(0)),
            (lambda: get_weight_grad(1)),
            (lambda: get_weight_grad(2)) if b is not None else None,
        )
        return (
            *weight_grad_fns,
            lambda: _compute_input_grad(get_input_grad(0), w),
            lambda: get_input_grad(1),
            lambda: get_input_grad(2),
            None,
        )


def _is_joined_product_faster(size: int, width: int) -> bool:
    """Whether one product of (h, x) concatenated is faster than separate products of x and h.

    ``size`` is the number of columns of x, with one for the bias, and ``width`` that of h.
    """
    return size <= width


def _add_hidden_product(
    factors: list[tuple[np.ndarray, np.ndarray]],
    gates: np.ndarray,
    hs: np.ndarray,
    gate_sums: np.ndarray,
    t: int,
    before: int,
) -> Calls:
    """Return calls that add the gates at step t to the products of h with the weights.

    Args:
        factors: pairs of a weight and the array to write its product to.
        gates: the contribution of x to the gate sums, for each step.
        hs: h after each step.
        gate_sums: an array that holds the products, and then the sums.
        t: the step.
        before: the index in ``hs`` of h before the step.
    """
    products = [partial(np.matmul, hs[before], weight, product) for weight, product in factors]
    return [*products, partial(np.add, gates[:, t], gate_sums, gate_sums)]


def _make_transpose_weight_calls(w: np.ndarray, out: np.ndarray) -> Calls:
    """Return calls that write weights (4H, I) or (4H,), ordered i, f, g, o, to ``out`` (4, I, H),
    ordered i, f, o, g.

    The weights of the three sigmoids are also negated, since a sigmoid is 1 / (1 + e^-x).
    """
    gate_weights = w.reshape(4, out.shape[2], -1).swapaxes(1, 2)
    return [
        partial(np.negative, gate_weights[:2], out[:2]),
        partial(np.negative, gate_weights[3], out[2]),
        partial(np.copyto, out[3], gate_weights[2]),
    ]


def _compute_input_grad(sum_grads: Tensor, w: Tensor) -> Tensor:
    """Return the gradient of x: the gradient of the gate sums (T, N, 4H) times w (4H, I) -> (T, N,
    I).
    """
    product = MatMul()(Reshape()(sum_grads, (-1, sum_grads.shape[2])), w)
    return Reshape()(product, (*sum_grads.shape[:2], -1))


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
    """Run an LSTM over x (T, N, I); return h after each step (T, N, H), the last h and the last c
    (N, H).

    The rows of the weights are the gates i, f, g, o. A sequence keeps its state after
    ``lengths[n]`` steps, and its outputs are then 0. With ``reverse`` the steps run from the last
    to the first, and the last h is that of step 0.
    """
    outputs = LSTMSequence(reverse)(w_ih, w_hh, b, x, h, c, lengths)
    end = 0 if reverse else -1
    return mask_outputs(outputs[1], lengths, reverse), outputs[1][end], outputs[2][end]


__all__ = ["lstm_layer"]
