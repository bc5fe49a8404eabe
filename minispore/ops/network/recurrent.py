"""Recurrent layers over all time steps: LSTM with a flat weight, DynamicRNN and DynamicGRUV2.

The latter two also return the gates of all steps.
"""

from __future__ import annotations

from math import prod
from typing import Any

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.compare import Greater
from minispore.ops.elementwise.extremes import Maximum, Minimum
from minispore.ops.elementwise.smooth_activations import Sigmoid, Tanh
from minispore.ops.index.select import Select
from minispore.ops.linalg.products import MatMulExt
from minispore.ops.network.lstm_sequence import lstm_layer
from minispore.ops.shape.cast_fill import Zeros
from minispore.ops.shape.join import Concat, Stack
from minispore.ops.shape.split import Split
from minispore.ops.shape.views import ExpandDims, Reshape
from minispore.ops.support.arguments import check_optional_tensors, check_real
from minispore.ops.support.derive import _Composite


class _Recurrent(_Composite):
    """Base of recurrent ops with one layer and direction, time-major, as on Ascend."""

    def require_attributes(self, **values: Any) -> None:
        """Raise a ValueError unless the attributes have these values."""
        for name, required in values.items():
            if getattr(self, name) != required:
                raise ValueError(
                    f"{self.name}: {name} must be {required!r}, got {getattr(self, name)!r}. "
                    "Other values run on no device."
                )

    def check_shapes(self, x: Tensor, **expected: tuple[Any, tuple[int, ...]]) -> None:
        """Check that x has 3 axes, and that each of ``expected`` (a tensor or None, its shape) has
        its shape.

        Raises:
            TypeError: an input is neither a Tensor nor None.
            ValueError: an input has another shape.
        """
        if x.ndim != 3:
            raise ValueError(f"{self.name}: x must have the axes (T, N, I), got shape {x.shape}.")
        check_optional_tensors(self.name, **{name: v for name, (v, _) in expected.items()})
        for name, (v, shape) in expected.items():
            if v is not None and v.shape != shape:
                raise ValueError(f"{self.name}: {name} must have the shape {shape}, got {v.shape}.")


def _project(x: Tensor, w: Tensor, b: Any) -> Tensor:
    """Return x @ w + b, or x @ w if ``b`` is None."""
    product = MatMulExt()(x, w)
    return product if b is None else product + b


class LSTM(_Composite):
    """c = sigmoid(f) * c + sigmoid(i) * tanh(g), h = sigmoid(o) * tanh(c), with one flat weight.

    The weight holds the input weights (4H, I) of all layers and directions, then their hidden
    weights (4H, H), then one bias (4H,) for each layer and direction; the rows are the gates i, f,
    g, o.

    Args:
        input_size: I.
        hidden_size: H.
        num_layers: the number of layers; each reads the outputs of the one before.
        has_bias: whether the weight ends with biases.
        bidirectional: also run backwards in time, and concatenate both outputs.
        dropout: from 0 to 1; no effect, as in MindSpore's op.
        proj_size: 0.

    Shape: x: (T, N, I); h, c: (L D, N, H); w: any shape with enough elements; output: y (T, N, D
        H), h and c of the last step, and two placeholders of one element, in which MindSpore saves
        intermediates for the gradient.

    Source: Hochreiter & Schmidhuber, https://doi.org/10.1162/neco.1997.9.8.1735

    >>> from minispore import ops
    >>> x, w, state = ops.ones((3, 2, 1)), ops.zeros((32, 1, 1)), ops.zeros((1, 2, 2))
    >>> y, h, c, _, _ = LSTM(1, 2, 1, True, False, 0.0)(x, state, state, w)
    >>> y.shape, h.shape, c.shape
    ((3, 2, 2), (1, 2, 2), (1, 2, 2))
    """

    input_size: int
    hidden_size: int
    num_layers: int
    has_bias: bool
    bidirectional: bool
    dropout: float
    proj_size: int = 0

    def check(self) -> None:
        """Check the sizes and flags; ``proj_size`` must be 0."""
        for size in ("input_size", "hidden_size", "num_layers"):
            checks.integer(self.name, size, getattr(self, size), 1)
        checks.boolean(self.name, "has_bias", self.has_bias)
        checks.boolean(self.name, "bidirectional", self.bidirectional)
        if not isinstance(self.dropout, float):
            raise TypeError(f"{self.name}: dropout must be a float, got {self.dropout!r}.")
        if not 0 <= self.dropout <= 1:
            raise ValueError(f"{self.name}: dropout must be from 0 to 1, got {self.dropout}.")
        if self.proj_size != 0:
            raise ValueError(f"{self.name}: proj_size must be 0, got {self.proj_size!r}.")

    def __call__(self, x: Tensor, h: Tensor, c: Tensor, w: Tensor) -> tuple[Tensor, ...]:
        """Run all layers and directions; return y, the last h and c (L D, N, H), and two
        placeholders (1, 1).

        Raises:
            ValueError: an input has a wrong shape, or w has too few elements.
        """
        if x.ndim != 3 or x.shape[2] != self.input_size:
            raise ValueError(
                f"{self.name}: x must have the shape (T, N, {self.input_size}), got {x.shape}."
            )
        directions = 2 if self.bidirectional else 1
        state_shape = (self.num_layers * directions, x.shape[1], self.hidden_size)
        for name, v in (("h", h), ("c", c)):
            if v.shape != state_shape:
                raise ValueError(
                    f"{self.name}: {name} must have the shape {state_shape}, got {v.shape}."
                )
        weights, hidden_weights, biases = self._split_flat_weight(w, directions)
        y, last_states = x, []
        for layer in range(self.num_layers):
            outputs = []
            for direction in range(directions):
                k = layer * directions + direction
                layer_weights = weights[k], hidden_weights[k], biases[k] if self.has_bias else None
                output, *state = lstm_layer(y, h[k], c[k], *layer_weights, reverse=direction == 1)
                outputs.append(output)
                last_states.append(state)
            y = Concat(2)(tuple(outputs)) if self.bidirectional else outputs[0]
        last = [Stack(0)(list(states)) for states in zip(*last_states, strict=True)]
        unused = Zeros()((1, 1), x.dtype)
        return (y, *last, unused, unused)

    def _split_flat_weight(self, w: Tensor, directions: int) -> list[list[Tensor]]:
        """Return the lists of input weights, hidden weights and biases that the flat weight holds.

        Each list is ordered by layer, then direction; that of the biases is empty without
        ``has_bias``. Further elements are ignored.

        Raises:
            ValueError: w has too few elements.
        """
        gate_rows, hidden = 4 * self.hidden_size, self.hidden_size
        sizes = [self.input_size] + [directions * hidden] * (self.num_layers - 1)
        shapes: list[list[tuple[int, ...]]] = [
            [(gate_rows, i) for i in sizes for _ in range(directions)],
            [(gate_rows, hidden) for _ in sizes for _ in range(directions)],
            [(gate_rows,) for _ in sizes for _ in range(directions) if self.has_bias],
        ]
        needed = sum(prod(shape) for group in shapes for shape in group)
        if w.size < needed:
            raise ValueError(
                f"{self.name}: w must have at least {needed} elements, got shape {w.shape}."
            )
        flat, offset = Reshape()(w, (-1,)), 0
        groups: list[list[Tensor]] = []
        for group in shapes:
            groups.append([])
            for shape in group:
                groups[-1].append(Reshape()(flat[offset : offset + prod(shape)], shape))
                offset += prod(shape)
        return groups


class DynamicRNN(_Recurrent):
    """An LSTM layer: c = f * c + i * j, h = o * tanh(c), with the gates i, j, f, o.

    Args:
        cell_type: "LSTM".
        direction: "UNIDIRECTIONAL".
        cell_depth: 1.
        use_peephole: False.
        keep_prob: 1.0.
        cell_clip: the bound to which the state is clipped, if positive.
        num_proj: 0.
        time_major: True.
        activation: "tanh".
        forget_bias: added to the forget gate before its sigmoid.
        is_training: accepted as in MindSpore, but has no effect.

    Shape: x: (T, N, I); w: (I + H, 4H), gates in the order i, j, f, o; b: (4H,); seq_length: (N,)
        or None; init_h, init_c: (1, N, H); output: y, h, c, i, j, f, o, tanh(c), each (T, N, H).

    Source: Hochreiter & Schmidhuber, https://doi.org/10.1162/neco.1997.9.8.1735

    >>> from minispore import ops
    >>> x, w, b = ops.ones((3, 2, 1)), ops.zeros((3, 8)), ops.zeros((8,))
    >>> state = ops.zeros((1, 2, 2))
    >>> DynamicRNN()(x, w, b, None, state, state)[0].shape
    (3, 2, 2)
    """

    cell_type: str = "LSTM"
    direction: str = "UNIDIRECTIONAL"
    cell_depth: int = 1
    use_peephole: bool = False
    keep_prob: float = 1.0
    cell_clip: float = -1.0
    num_proj: int = 0
    time_major: bool = True
    activation: str = "tanh"
    forget_bias: float = 0.0
    is_training: bool = True

    def check(self) -> None:
        """Raise a ValueError unless all but cell_clip, forget_bias and is_training have the only
        supported value.

        Also raises a TypeError if is_training is not a bool.
        """
        self.require_attributes(
            cell_type="LSTM",
            direction="UNIDIRECTIONAL",
            cell_depth=1,
            use_peephole=False,
            keep_prob=1.0,
            num_proj=0,
            time_major=True,
            activation="tanh",
        )
        checks.boolean(self.name, "is_training", self.is_training)

    def __call__(
        self,
        x: Tensor,
        w: Tensor,
        b: Tensor,
        seq_length: Any = None,
        init_h: Any = None,
        init_c: Any = None,
    ) -> tuple[Tensor, ...]:
        """Run all steps; return y, h, c, i, j, f, o and tanh(c), each stacked over time.

        After the end of a sequence y is 0, and h and c keep their values. Initial states of None
        are zeros.

        Raises:
            TypeError: an input is not a Tensor.
            ValueError: an input has a wrong shape.
        """
        hidden = b.shape[0] // 4
        state = (1, *x.shape[1:2], hidden)
        size = x.shape[-1] if x.ndim else 0
        self.check_shapes(
            x,
            w=(w, (size + hidden, 4 * hidden)),
            b=(b, (4 * hidden,)),
            seq_length=(seq_length, x.shape[1:2]),
            init_h=(init_h, state),
            init_c=(init_c, state),
        )
        empty = Zeros()(state[1:], x.dtype)
        h = empty if init_h is None else init_h[0]
        c = empty if init_c is None else init_c[0]
        inputs, hidden_weight = _project(x, w[:size], b), w[size:]
        steps = []
        for t in range(x.shape[0]):
            z = inputs[t] + MatMulExt()(h, hidden_weight)
            i, j, f, o = Split(1, 4)(z)
            i, o, j = Sigmoid()(i), Sigmoid()(o), Tanh()(j)
            f = Sigmoid()(f + self.forget_bias)
            new_c = f * c + i * j
            if self.cell_clip > 0:
                new_c = Minimum()(Maximum()(new_c, -self.cell_clip), self.cell_clip)
            tanh_c = Tanh()(new_c)
            new_h = o * tanh_c
            if seq_length is None:
                h, c = new_h, new_c
            else:
                running = ExpandDims()(Greater()(seq_length, t), 1)
                h, c = Select()(running, new_h, h), Select()(running, new_c, c)
                new_h = Select()(running, new_h, 0.0)
            steps.append((new_h, h, c, i, j, f, o, tanh_c))
        stack = Stack(0)
        return tuple(stack(column) for column in zip(*steps, strict=True))


class DynamicGRUV2(_Recurrent):
    """A GRU layer: h = (1 - z) * n + z * h, with the update gate z, reset gate r and new state n.

    Args:
        direction: "UNIDIRECTIONAL".
        cell_depth: 1.
        keep_prob: 1.0.
        cell_clip: -1.0.
        num_proj: 0.
        time_major: True.
        activation: "tanh".
        gate_order: "rzh" or "zrh", the order in weights and biases.
        reset_after: apply r after the product with the weights.
        is_training: accepted as in MindSpore, but has no effect.

    Shape: x: (T, N, I); weight_input: (I, 3H); weight_hidden: (H, 3H); biases: (3H,) or None;
        seq_length: (N,) or None; init_h: (N, H); the six outputs y, h, z, r, n and the hidden part
        of n: (T, N, H).

    Source: Cho et al., https://arxiv.org/abs/1406.1078

    >>> from minispore import ops
    >>> x, w, u = ops.ones((3, 2, 1)), ops.zeros((1, 6)), ops.zeros((2, 6))
    >>> DynamicGRUV2()(x, w, u, None, None, None, ops.zeros((2, 2)))[0].shape
    (3, 2, 2)
    """

    direction: str = "UNIDIRECTIONAL"
    cell_depth: int = 1
    keep_prob: float = 1.0
    cell_clip: float = -1.0
    num_proj: int = 0
    time_major: bool = True
    activation: str = "tanh"
    gate_order: str = "rzh"
    reset_after: bool = True
    is_training: bool = True

    def check(self) -> None:
        """Raise a ValueError unless each attribute has a supported value, most of them the only
        one.

        Also raises a TypeError if reset_after or is_training is not a bool.
        """
        self.require_attributes(
            direction="UNIDIRECTIONAL",
            cell_depth=1,
            keep_prob=1.0,
            cell_clip=-1.0,
            num_proj=0,
            time_major=True,
            activation="tanh",
        )
        checks.boolean(self.name, "reset_after", self.reset_after)
        checks.boolean(self.name, "is_training", self.is_training)
        if self.gate_order not in ("rzh", "zrh"):
            raise ValueError(
                f"{self.name}: gate_order must be 'rzh' or 'zrh', got {self.gate_order!r}."
            )

    def __call__(
        self,
        x: Tensor,
        weight_input: Tensor,
        weight_hidden: Tensor,
        bias_input: Any = None,
        bias_hidden: Any = None,
        seq_length: Any = None,
        init_h: Any = None,
    ) -> tuple[Tensor, ...]:
        """Run all steps; return y, h, z, r, n and the hidden part of n, each stacked over time.

        After the end of a sequence y is 0, and h keeps its value. An initial state of None is
        zeros.

        Raises:
            TypeError: an input is not a Tensor.
            ValueError: an input has a wrong shape.
        """
        check_real(self.name, x, weight_input, weight_hidden)
        hidden = weight_hidden.shape[0]
        self.check_shapes(
            x,
            weight_input=(weight_input, (x.shape[-1] if x.ndim else 0, 3 * hidden)),
            weight_hidden=(weight_hidden, (hidden, 3 * hidden)),
            bias_input=(bias_input, (3 * hidden,)),
            bias_hidden=(bias_hidden, (3 * hidden,)),
            seq_length=(seq_length, x.shape[1:2]),
            init_h=(init_h, (*x.shape[1:2], hidden)),
        )
        h = Zeros()((x.shape[1], hidden), mstype.float32) if init_h is None else init_h
        inputs = _project(x, weight_input, bias_input)
        split_gates = Split(1, 3)
        n_weight = weight_hidden[:, 2 * hidden :]
        steps = []
        for t in range(x.shape[0]):
            first_input, second_input, new_input = split_gates(inputs[t])
            first_hidden, second_hidden, new_hidden = split_gates(
                _project(h, weight_hidden, bias_hidden)
            )
            gates = Sigmoid()(first_input + first_hidden), Sigmoid()(second_input + second_hidden)
            r, z = gates if self.gate_order == "rzh" else gates[::-1]
            if self.reset_after:
                n = Tanh()(new_input + r * new_hidden)
            else:
                n_bias = None if bias_hidden is None else bias_hidden[2 * hidden :]
                new_hidden = _project(r * h, n_weight, n_bias)
                n = Tanh()(new_input + new_hidden)
            new_h = (1 - z) * n + z * h
            if seq_length is None:
                h = new_h
            else:
                running = ExpandDims()(Greater()(seq_length, t), 1)
                h, new_h = Select()(running, new_h, h), Select()(running, new_h, 0.0)
            steps.append((new_h, h, z, r, n, new_hidden))
        stack = Stack(0)
        return tuple(stack(column) for column in zip(*steps, strict=True))


__all__ = ["LSTM", "DynamicGRUV2", "DynamicRNN"]
