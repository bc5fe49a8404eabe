"""Recurrent cells: one step in time."""

from __future__ import annotations

import math
from typing import Any

from minispore import checks, ops
from minispore.core import dtype as mstype
from minispore.core.initializer import Uniform, initializer
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.nn import check
from minispore.nn.cell import Cell


def product(x: Tensor, w: Tensor, b: Tensor | None) -> Tensor:
    """x (N, I) @ w.T (I, G) + b (G,)."""
    out = ops.MatMul(transpose_b=True)(x, w)
    return out if b is None else ops.BiasAdd()(out, b)


# The steps take what x adds to the gates, x w_ih' + b_ih: layers have it of all steps at once.


def rnn_step(activation: Any, of_x: Tensor, h: Tensor, w_hh: Tensor, b_hh: Any) -> Tensor:
    """activation(x w_ih' + b_ih + h w_hh' + b_hh)."""
    return activation(of_x + product(h, w_hh, b_hh))


def lstm_step(
    of_x: Tensor, state: tuple[Tensor, Tensor], w_hh: Tensor, b_hh: Any
) -> tuple[Tensor, Tensor]:
    """(h, c) one step later.  Gates in the order input, forget, cell, output.

    Source: Hochreiter & Schmidhuber 1997.
    """
    h, c = state
    i, f, g, o = ops.Split(1, 4)(of_x + product(h, w_hh, b_hh))
    c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
    return ops.sigmoid(o) * ops.tanh(c), c


def gru_step(of_x: Tensor, h: Tensor, w_hh: Tensor, b_hh: Any) -> Tensor:
    """h one step later.  Gates in the order reset, update, new.

    Source: Cho et al. 2014.
    """
    i_r, i_z, i_n = ops.Split(1, 3)(of_x)
    h_r, h_z, h_n = ops.Split(1, 3)(product(h, w_hh, b_hh))
    new = ops.tanh(i_n + ops.sigmoid(i_r + h_r) * h_n)
    return new + ops.sigmoid(i_z + h_z) * (h - new)


class RNNCellBase(Cell):
    """What recurrent cells share: weights for the input and the hidden state, uniform over
    +-1/sqrt(hidden_size).
    """

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
        self.weight_ih = Parameter(initializer(init, (rows, input_size), dtype))
        self.weight_hh = Parameter(initializer(init, (rows, hidden_size), dtype))
        self.bias_ih = Parameter(initializer(init, (rows,), dtype)) if has_bias else None
        self.bias_hh = Parameter(initializer(init, (rows,), dtype)) if has_bias else None

    def _of_x(self, x: Tensor) -> Tensor:
        return product(x, self.weight_ih, self.bias_ih)

    def _checked(self, x: Any, *states: Any) -> None:
        name = type(self).__name__
        check.ndim(name, "x", x, 2)
        for h in states:
            check.ndim(name, "hx", h, 2)
        if x.shape[1] != self.input_size or any(
            h.shape != (x.shape[0], self.hidden_size) for h in states
        ):
            raise ValueError(
                f"{name}: x must have the shape (N, {self.input_size}) and hx (N, "
                f"{self.hidden_size}), "
                f"got {x.shape} and {[h.shape for h in states]}."
            )


class RNNCell(RNNCellBase):
    """activation(x w_ih' + b_ih + h w_hh' + b_hh).

    Args:
        input_size: length of x.
        hidden_size: length of h.
        has_bias: whether there are biases.
        nonlinearity: ``"tanh"`` or ``"relu"``.
        dtype: of the parameters.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: an argument out of range; when called: shapes that do not fit.

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
        self._checked(x, hx)
        activation = ops.tanh if self.nonlinearity == "tanh" else ops.relu
        return rnn_step(activation, self._of_x(x), hx, self.weight_hh, self.bias_hh)


class LSTMCell(RNNCellBase):
    """One step of an LSTM: (h, c) from x and (h, c). Arguments as those of :class:`RNNCell`.

    Shape: x (N, input_size), hx: two of (N, hidden_size) -> two of (N, hidden_size).
    """

    def __init__(
        self, input_size: int, hidden_size: int, has_bias: bool = True, dtype: Any = mstype.float32
    ) -> None:
        super().__init__(input_size, hidden_size, has_bias, 4, dtype)

    def construct(self, x: Tensor, hx: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        if not isinstance(hx, tuple | list) or len(hx) != 2:
            raise TypeError(f"LSTMCell: hx must be a tuple (h, c), got {checks.shown(hx)}.")
        self._checked(x, *hx)
        return lstm_step(self._of_x(x), (hx[0], hx[1]), self.weight_hh, self.bias_hh)


class GRUCell(RNNCellBase):
    """One step of a GRU: h from x and h. Arguments as those of :class:`RNNCell`.

    Shape: x (N, input_size), hx (N, hidden_size) -> (N, hidden_size).
    """

    def __init__(
        self, input_size: int, hidden_size: int, has_bias: bool = True, dtype: Any = mstype.float32
    ) -> None:
        super().__init__(input_size, hidden_size, has_bias, 3, dtype)

    def construct(self, x: Tensor, hx: Tensor) -> Tensor:
        self._checked(x, hx)
        return gru_step(self._of_x(x), hx, self.weight_hh, self.bias_hh)


__all__ = ["GRUCell", "LSTMCell", "RNNCell"]
