"""Ops of parameter servers and cuDNN, which scripts can create but not call."""

from __future__ import annotations

from typing import Any

from minispore.foundation.docstrings import attach_docstrings
from minispore.ops.support.described import PrimitiveWithInfer, prim_attr_register


class Push(PrimitiveWithInfer):
    """Sends the inputs of an optimizer to a parameter server.

    Args:
        optim_type (str, optional): the optimizer's op. Default: ``"ApplyMomentum"``.
        only_shape_indices (list, optional): the inputs of which only the shape is sent.
            Default: ``None``, none.

    Raises:
        RuntimeError: the op is called; there are no parameter servers.

    >>> Push("Adam", [0, 2, 3]).optim_type
    'Adam'
    """

    @prim_attr_register
    def __init__(
        self, optim_type: str = "ApplyMomentum", only_shape_indices: list[int] | None = None
    ) -> None:
        self.init_prim_io_names(["optim_inputs", "optim_input_shapes"], ["key"])


class Pull(PrimitiveWithInfer):
    """Fetches a weight from a parameter server.

    Raises:
        RuntimeError: the op is called; there are no parameter servers.

    >>> Pull().input_names
    ['key', 'weight']
    """

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(["key", "weight"], ["output"])


class CudnnGRU(PrimitiveWithInfer):
    """A GRU computed by cuDNN on a GPU; :class:`minispore.nn.GRU` does not need it.

    Args:
        input_size (int): number of features of x.
        hidden_size (int): number of features of the state.
        num_layers (int): number of layers.
        has_bias (bool): whether there are biases.
        bidirectional (bool): whether the GRU also runs backwards in time.
        dropout (float): probability of zero between layers.

    Raises:
        RuntimeError: the op is called; there is no cuDNN.

    >>> CudnnGRU(3, 4, 1, True, False, 0.0).hidden_size
    4
    """

    @prim_attr_register
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int,
        has_bias: bool,
        bidirectional: bool,
        dropout: Any,
    ) -> None:
        self.init_prim_io_names(["input", "h", "w"], ["output", "h_n", "reserve", "state"])


__all__ = ["CudnnGRU", "Pull", "Push"]

attach_docstrings("minispore.ops", __name__)
