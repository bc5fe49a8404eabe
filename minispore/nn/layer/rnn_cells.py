"""Recurrent cells: one time step of an RNN, LSTM or GRU."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore import ops
from minispore.core.initializer import Uniform, initializer
from minispore.core.initializer.deferred import is_deferring
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn import check
from minispore.nn.cell import Cell
from minispore.ops.network.gru_sequence import gru_layer
from minispore.ops.network.lstm_sequence import lstm_layer


def linear(x: Tensor, w: Tensor, b: Tensor | None) -> Tensor:
    """Return x (N, I) @ w.T (I, G) + b (G,)."""
    out = ops.MatMul(transpose_b=True)(x, w)
    return out if b is None else ops.BiasAdd()(out, b)


# Steps take the input's term of the gates, x w_ih' + b_ih, since layers compute it for all steps at
# once.


def rnn_step(activation: Any, input_term: Tensor, h: Tensor, w_hh: Tensor, b_hh: Any) -> Tensor:
    """Return activation(input_term + h w_hh' + b_hh), where input_term is x w_ih' + b_ih."""
    return activation(input_term + linear(h, w_hh, b_hh))


# One step of each cell, given weights and biases (or None). User scripts with custom cells import
# these functions, so they have MindSpore's names.


def _rnn_tanh_cell(inputs: Any, hidden: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Tensor:
    """Return tanh(inputs w_ih' + b_ih + hidden w_hh' + b_hh)."""
    return rnn_step(ops.tanh, linear(inputs, w_ih, b_ih), hidden, w_hh, b_hh)


def _rnn_relu_cell(inputs: Any, hidden: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Tensor:
    """Return relu(inputs w_ih' + b_ih + hidden w_hh' + b_hh)."""
    return rnn_step(ops.relu, linear(inputs, w_ih, b_ih), hidden, w_hh, b_hh)


def _lstm_cell(
    inputs: Any, hidden: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any
) -> tuple[Tensor, Tensor]:
    """Return the next (h, c) from ``hidden`` = (h, c), with the gates i, f, g, o."""
    b = None if b_ih is None else b_ih + b_hh
    _, h, c = lstm_layer(ops.expand_dims(inputs, 0), hidden[0], hidden[1], w_ih, w_hh, b)
    return h, c


def _gru_cell(inputs: Any, hidden: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Tensor:
    """Return the next h from ``hidden`` = h, with the gates r, z, n."""
    return gru_layer(ops.expand_dims(inputs, 0), hidden, w_ih, w_hh, b_ih, b_hh)[1]


class RNNCellBase(Cell):
    """Base of recurrent cells: weights and biases, uniform over +-1/sqrt(hidden_size)."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool,
        num_chunks: int,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.input_size = checks.integer(name, "input_size", input_size, 1)
        self.hidden_size = checks.integer(name, "hidden_size", hidden_size, 1)
        self.has_bias = checks.boolean(name, "has_bias", has_bias)
        init, rows = Uniform(1 / math.sqrt(hidden_size)), num_chunks * hidden_size
        if not is_deferring():  # MindSpore first draws normal numbers that it does not use
            count = rows * (input_size + hidden_size + 2 * has_bias)
            np.random.standard_normal(count)  # noqa: NPY002
        self.weight_ih = Parameter(initializer(init, (rows, input_size), dtype))
        self.weight_hh = Parameter(initializer(init, (rows, hidden_size), dtype))
        self.bias_ih = Parameter(initializer(init, (rows,), dtype)) if has_bias else None
        self.bias_hh = Parameter(initializer(init, (rows,), dtype)) if has_bias else None

    def reset_parameters(self, dtype: Any = mstype.float32) -> None:
        """Initialise the weights and biases again."""
        init = Uniform(1 / math.sqrt(self.hidden_size))
        for parameter in self.get_parameters():
            parameter.set_data(initializer(init, parameter.shape, dtype))

    def _get_weights(self) -> tuple[Any, ...]:
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def _check_inputs(self, x: Any, *states: Any) -> None:
        """Check the shapes of the input and the hidden states.

        Raises:
            TypeError, ValueError: an input or state does not fit.
        """
        name = type(self).__name__
        check.check_ndim(name, "x", x, 2)
        for h in states:
            check.check_ndim(name, "hx", h, 2)
        if x.shape[1] != self.input_size or any(
            h.shape != (x.shape[0], self.hidden_size) for h in states
        ):
            raise ValueError(
                f"{name}: x must have the shape (N, {self.input_size}) and hx (N, "
                f"{self.hidden_size}), got {x.shape} and {[h.shape for h in states]}."
            )


class RNNCell(RNNCellBase):
    """activation(x w_ih' + b_ih + h w_hh' + b_hh).

    Args:
        input_size: length of x.
        hidden_size: length of h.
        has_bias: whether there are biases.
        nonlinearity: ``"tanh"`` or ``"relu"``.
        dtype: the dtype of the parameters.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of range; when called: the shapes do not fit.

    Shape: x (N, input_size), hx (N, hidden_size) -> (N, hidden_size).
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool = True,
        nonlinearity: str = "tanh",
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__(input_size, hidden_size, has_bias, 1, dtype)
        self.nonlinearity = checks.one_of(
            "RNNCell",
            "nonlinearity",
            checks.string("RNNCell", "nonlinearity", nonlinearity),
            ("tanh", "relu"),
        )

    def construct(self, x: Tensor, hx: Tensor) -> Tensor:
        self._check_inputs(x, hx)
        step = _rnn_tanh_cell if self.nonlinearity == "tanh" else _rnn_relu_cell
        return step(x, hx, *self._get_weights())


class LSTMCell(RNNCellBase):
    """One step of an LSTM: the next (h, c) from x and (h, c), with the gates i, f, g, o.

    The arguments are those of :class:`RNNCell`.

    Shape: x (N, input_size), hx: two of (N, hidden_size) -> two of (N, hidden_size).
    """

    def __init__(
        self, input_size: int, hidden_size: int, has_bias: bool = True, dtype: Any = mstype.float32
    ) -> None:
        super().__init__(input_size, hidden_size, has_bias, 4, dtype)

    def construct(self, x: Tensor, hx: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        if not isinstance(hx, tuple | list) or len(hx) != 2:
            raise TypeError(f"LSTMCell: hx must be a tuple (h, c), got {checks.format_value(hx)}.")
        self._check_inputs(x, *hx)
        return _lstm_cell(x, hx, *self._get_weights())


class GRUCell(RNNCellBase):
    """One step of a GRU: the next h from x and h, with the gates r, z, n.

    The arguments are those of :class:`RNNCell`.

    Shape: x (N, input_size), hx (N, hidden_size) -> (N, hidden_size).
    """

    def __init__(
        self, input_size: int, hidden_size: int, has_bias: bool = True, dtype: Any = mstype.float32
    ) -> None:
        super().__init__(input_size, hidden_size, has_bias, 3, dtype)

    def construct(self, x: Tensor, hx: Tensor) -> Tensor:
        self._check_inputs(x, hx)
        return _gru_cell(x, hx, *self._get_weights())


__all__ = ["GRUCell", "LSTMCell", "RNNCell"]
