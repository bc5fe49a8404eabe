"""Recurrent layers: all time steps, several layers, one or both directions."""

from __future__ import annotations

import math
from typing import Any

from minispore import ops
from minispore.core.initializer import initializer
from minispore.core.initializer.random_initializers import NumPyUniform
from minispore.core.parameter import Parameter, ParameterTuple
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn import check
from minispore.nn.cell import Cell
from minispore.nn.layer.basic import Dropout
from minispore.nn.layer.rnn_cells import linear, rnn_step
from minispore.ops.network.gru_sequence import gru_layer
from minispore.ops.network.lstm_sequence import lstm_layer

Weights = tuple[Any, Any, Any, Any]  # w_ih, w_hh, b_ih, b_hh; the biases may be None
State = tuple[Tensor, ...]  # (h,), or (h, c) for an LSTM


class _Recurrent(Cell):
    """Base of RNN, GRU and LSTM: parameters, initial states, loops over layers and directions."""

    chunks = 1  # number of gates in a weight
    states = 1  # number of tensors in a state

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.input_size = checks.integer(name, "input_size", input_size, 1)
        self.hidden_size = checks.integer(name, "hidden_size", hidden_size, 1)
        self.num_layers = checks.integer(name, "num_layers", num_layers, 1)
        self.has_bias = checks.boolean(name, "has_bias", has_bias)
        self.batch_first = checks.boolean(name, "batch_first", batch_first)
        self.dropout = checks.number(name, "dropout", dropout, 0.0, 1.0, "[)")
        self.bidirectional = checks.boolean(name, "bidirectional", bidirectional)
        self.dropout_op = Dropout(p=self.dropout)
        self._n_directions = 2 if bidirectional else 1
        init, rows = NumPyUniform(1 / math.sqrt(hidden_size)), self.chunks * hidden_size
        kinds = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")[: 4 if has_bias else 2]
        params: dict[str, list[Parameter]] = {kind: [] for kind in kinds}
        for layer in range(num_layers):
            width = hidden_size * self._n_directions if layer else input_size
            columns = {"weight_ih": (width,), "weight_hh": (hidden_size,)}
            for suffix in ("", "_reverse")[: self._n_directions]:
                for kind in kinds:
                    values = initializer(init, (rows, *columns.get(kind, ())), dtype)
                    params[kind].append(Parameter(values, name=f"{kind}_l{layer}{suffix}"))
        self.w_ih_list = ParameterTuple(params["weight_ih"])
        self.w_hh_list = ParameterTuple(params["weight_hh"])
        self.b_ih_list = ParameterTuple(params.get("bias_ih", ()))
        self.b_hh_list = ParameterTuple(params.get("bias_hh", ()))

    def _run_direction(
        self, x: Tensor, state: State, seq_length: Any, weights: Weights, reverse: bool
    ) -> tuple[Tensor, State]:
        """Run one layer in one direction; return the outputs (T, N, H) and the last state."""
        raise AttributeError

    # -- all time steps -----------------------------------------------------------------------

    def construct(self, x: Tensor, hx: Any = None, seq_length: Tensor | None = None) -> Any:
        """Run all layers and directions; return the outputs of the last layer, and the last state
        of each layer and direction: a Tensor, or for an LSTM (h, c).
        """
        check.check_ndim(type(self).__name__, "x", x, 3)
        if x.shape[2] != self.input_size:
            raise ValueError(
                f"{type(self).__name__}: the last axis of x must be input_size={self.input_size}, "
                f"got shape {x.shape}."
            )
        if self.batch_first:
            x = ops.transpose(x, (1, 0, 2))
        state = self._get_initial_state(x, hx)
        self._check_lengths(x, seq_length)
        if seq_length is not None:  # zeros after the end exclude these steps from all gradients
            t = ops.arange(x.shape[0], dtype=seq_length.dtype)
            running = ops.less(ops.expand_dims(t, 1), seq_length)
            x = ops.select(ops.expand_dims(running, 2), x, 0.0)
        last_states: list[State] = []
        for layer in range(self.num_layers):
            outputs = []
            for direction in range(self._n_directions):
                n = layer * self._n_directions + direction
                weights, initial = self._get_weights(n, x), tuple(s[n] for s in state)
                out, last = self._run_direction(x, initial, seq_length, weights, direction == 1)
                outputs.append(out)
                last_states.append(last)
            x = outputs[0] if self._n_directions == 1 else ops.concat(outputs, 2)
            if layer < self.num_layers - 1:
                x = self.dropout_op(x)
        stacked = tuple(ops.stack([s[k] for s in last_states], 0) for k in range(self.states))
        if self.batch_first:
            x = ops.transpose(x, (1, 0, 2))
        return x, (stacked[0] if self.states == 1 else stacked)

    def _get_weights(self, n: int, x: Tensor) -> Weights:
        """Return the n-th weights and biases, cast to the dtype of x; None for missing biases."""

        def cast_parameter(params: ParameterTuple) -> Any:
            return ops.cast(params[n], x.dtype) if params else None

        return (
            cast_parameter(self.w_ih_list),
            cast_parameter(self.w_hh_list),
            cast_parameter(self.b_ih_list),
            cast_parameter(self.b_hh_list),
        )

    def _get_initial_state(self, x: Tensor, hx: Any) -> State:
        """Check the initial state and return it as a tuple; None gives zeros.

        Raises:
            TypeError, ValueError: its structure, dtype or shape does not fit.
        """
        name = type(self).__name__
        shape = (self.num_layers * self._n_directions, x.shape[1], self.hidden_size)
        if hx is None:
            return (ops.zeros(shape, x.dtype),) * self.states
        if self.states == 2 and not (isinstance(hx, tuple | list) and len(hx) == 2):
            raise TypeError(f"{name}: hx must be a tuple (h, c), got {checks.format_value(hx)}.")
        state = tuple(hx) if self.states == 2 else (hx,)
        for h in state:
            if check.check_tensor(name, "hx", h).dtype is not x.dtype:
                raise TypeError(f"{name}: hx must be {x.dtype} as x, got {h.dtype}. Cast it.")
            if h.shape != shape:
                raise ValueError(f"{name}: hx must have the shape {shape}, got {h.shape}.")
        return state

    def _check_lengths(self, x: Tensor, seq_length: Tensor | None) -> None:
        """Check that ``seq_length`` is None or holds an int for each row of the batch.

        Raises:
            TypeError, ValueError: it is neither.
        """
        if seq_length is None:
            return
        name = type(self).__name__
        if check.check_tensor(name, "seq_length", seq_length).dtype.kind not in "iu":
            raise TypeError(f"{name}: seq_length must be int32 or int64, got {seq_length.dtype}.")
        if seq_length.shape != (x.shape[1],):
            raise ValueError(
                f"{name}: seq_length must have the shape {(x.shape[1],)}, one for each of the "
                f"batch, got {seq_length.shape}."
            )


def _reverse_time(x: Tensor, seq_length: Tensor | None) -> Tensor:
    """Reverse x (T, N, F) in time; with lengths, only the first ``seq_length[n]`` steps of row
    n.
    """
    if seq_length is None:
        return x[::-1]
    t = ops.reshape(ops.arange(x.shape[0], dtype=seq_length.dtype), (-1, 1))
    source_steps = ops.select(t < seq_length, seq_length - 1 - t, ops.broadcast_to(t, x.shape[:2]))
    return ops.gather_d(x, 0, ops.broadcast_to(ops.expand_dims(source_steps, 2), x.shape))


class RNN(_Recurrent):
    """h = activation(x w_ih' + b_ih + h w_hh' + b_hh) for each step.

    Args:
        input_size: length of each x.
        hidden_size: length of h.
        num_layers: the number of layers; each reads the outputs of the one before.
        has_bias: whether there are biases.
        batch_first: whether x and the output are (N, T, ...), not (T, N, ...).
        dropout: probability of zero in the outputs between layers, in training.
        bidirectional: also run backwards in time, and concatenate both outputs.
        dtype: the dtype of the parameters.
        nonlinearity: ``"tanh"`` or ``"relu"``.

    Inputs: x, the initial state hx (zeros by default), the length of each sequence (T by default).

    Returns:
        All outputs, and the last state.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of range; when called: the shapes do not fit.

    Shape: x (T, N, input_size), hx (L D, N, hidden_size) -> (T, N, D hidden_size), (L D, N,
        hidden_size).
    """

    def __init__(self, *args: Any, nonlinearity: str = "tanh", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.nonlinearity = checks.one_of("RNN", "nonlinearity", nonlinearity, ("tanh", "relu"))

    def _run_direction(
        self, x: Tensor, state: State, seq_length: Any, weights: Weights, reverse: bool
    ) -> tuple[Tensor, State]:
        """Run one layer in one direction, step by step; return the outputs (T, N, H) and (h,).

        The input's term of all steps is computed at once.
        """
        w_ih, w_hh, b_ih, b_hh = weights
        activation = ops.tanh if self.nonlinearity == "tanh" else ops.relu
        ordered = _reverse_time(x, seq_length) if reverse else x
        input_terms = linear(ops.reshape(ordered, (-1, x.shape[2])), w_ih, b_ih)
        (h,), outputs = state, []
        step_terms = ops.unstack(ops.reshape(input_terms, (*x.shape[:2], -1)), 0)
        for t, input_term in enumerate(step_terms):
            out = updated = rnn_step(activation, input_term, h, w_hh, b_hh)
            if seq_length is not None:  # ended sequences keep their state and output zeros
                is_running = ops.reshape(seq_length > t, (-1, 1))
                out = ops.select(is_running, updated, ops.zeros_like(updated))
                updated = ops.select(is_running, updated, h)
            h = updated
            outputs.append(out)
        y = ops.stack(outputs, 0)
        return _reverse_time(y, seq_length) if reverse else y, (h,)


class GRU(_Recurrent):
    """A GRU step (see :class:`GRUCell`) for each time step. The arguments are those of
    :class:`RNN`.

    Shape: x (T, N, input_size), hx (L D, N, hidden_size) -> (T, N, D hidden_size), (L D, N,
        hidden_size).
    """

    chunks = 3

    def _run_direction(
        self, x: Tensor, state: State, seq_length: Any, weights: Weights, reverse: bool
    ) -> tuple[Tensor, State]:
        """Run one layer in one direction as one op; return the outputs (T, N, H) and (h,)."""
        y, h = gru_layer(x, state[0], *weights, seq_length, reverse)
        return y, (h,)


class LSTM(_Recurrent):
    """An LSTM step (see :class:`LSTMCell`) for each time step.

    The arguments are those of :class:`RNN`.

    Shape: x (T, N, input_size), hx: two of (L D, N, hidden_size) -> (T, N, D hidden_size), two of
    (L D, N, hidden_size).

    >>> import numpy as np
    >>> y, (h, c) = LSTM(3, 4, num_layers=2)(Tensor(np.zeros((5, 2, 3), np.float32)))
    >>> y.shape, h.shape, c.shape
    ((5, 2, 4), (2, 2, 4), (2, 2, 4))
    """

    chunks = 4
    states = 2

    def _run_direction(
        self, x: Tensor, state: State, seq_length: Any, weights: Weights, reverse: bool
    ) -> tuple[Tensor, State]:
        """Run one layer in one direction as one op; return the outputs (T, N, H) and (h, c).

        The bias of the op is the sum of both biases.
        """
        w_ih, w_hh, b_ih, b_hh = weights
        b = None if b_ih is None else b_ih + b_hh
        y, *last = lstm_layer(x, state[0], state[1], w_ih, w_hh, b, seq_length, reverse)
        return y, tuple(last)


__all__ = ["GRU", "LSTM", "RNN"]
