"""Activations and dropout as layers."""

from __future__ import annotations

from typing import Any

from minispore.core.initializer import initializer
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.mint.nn import functional as F
from minispore.mint.nn.function_cell import FunctionCell
from minispore.nn import Cell


class ELU(FunctionCell):
    """x where it is positive, else alpha * (exp(x) - 1); with ``inplace`` also written to x."""

    function = staticmethod(F.elu)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(alpha=alpha, inplace=inplace)


class GELU(FunctionCell):
    """x * P(Z < x) for a standard normal Z; ``approximate`` "tanh" selects an approximation."""

    function = staticmethod(F.gelu)

    def __init__(self, approximate: str = "none") -> None:
        super().__init__(approximate=approximate)


class GLU(FunctionCell):
    """The first half of x along ``dim`` times the sigmoid of the second half."""

    function = staticmethod(F.glu)

    def __init__(self, dim: int = -1) -> None:
        super().__init__(dim=dim)


class Hardshrink(FunctionCell):
    """x where |x| > lambd, else 0."""

    function = staticmethod(F.hardshrink)

    def __init__(self, lambd: float = 0.5) -> None:
        """Store ``lambd``; raise TypeError unless it is a number."""
        super().__init__(lambd=checks.scalar("Hardshrink", "lambd", lambd))


class Hardsigmoid(FunctionCell):
    """min(max(x / 6 + 1 / 2, 0), 1)."""

    function = staticmethod(F.hardsigmoid)

    def __init__(self) -> None:
        super().__init__()


class Hardswish(FunctionCell):
    """x * hardsigmoid(x)."""

    function = staticmethod(F.hardswish)

    def __init__(self) -> None:
        super().__init__()


class Hardtanh(FunctionCell):
    """x clamped to the range from ``min_val`` to ``max_val``; with ``inplace`` also written to
    x.
    """

    function = staticmethod(F.hardtanh)

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__(min_val=min_val, max_val=max_val, inplace=inplace)


class LogSigmoid(FunctionCell):
    """log(sigmoid(x))."""

    function = staticmethod(F.logsigmoid)

    def __init__(self) -> None:
        super().__init__()


class LogSoftmax(FunctionCell):
    """log(softmax(x)) along ``dim``; by default axis 0 for 1 or 3 axes, else 1."""

    function = staticmethod(F.log_softmax)

    def __init__(self, dim: int | None = None) -> None:
        super().__init__(dim=dim)

    def construct(self, x: Any) -> Any:
        return self.function(x, **self._arguments)


class ReLU6(FunctionCell):
    """min(max(x, 0), 6); with ``inplace`` also written to x."""

    function = staticmethod(F.relu6)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class SELU(FunctionCell):
    """The scaled exponential linear unit; arguments are accepted, and have no effect."""

    function = staticmethod(F.selu)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Create the layer; all arguments are ignored, as ``inplace`` is."""
        super().__init__()


class SiLU(FunctionCell):
    """x * sigmoid(x); with ``inplace`` also written to x."""

    function = staticmethod(F.silu)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)

    def construct(self, x: Any) -> Any:
        return self.function(x, **self._arguments)


class Softmax(FunctionCell):
    """exp(x) / sum(exp(x)) along ``dim``; by default axis 0 for 0, 1 or 3 axes, else 1.

    >>> print(Softmax(-1)(Tensor([0.0, 0.0])))
    [0.5 0.5]
    """

    function = staticmethod(F.softmax)

    def __init__(self, dim: int | None = None) -> None:
        super().__init__(dim=dim)


class Softshrink(FunctionCell):
    """x shrunk towards 0 by ``lambd``; 0 where |x| <= lambd."""

    function = staticmethod(F.softshrink)

    def __init__(self, lambd: float = 0.5) -> None:
        """Store ``lambd``; raise TypeError unless it is a number."""
        super().__init__(lambd=checks.scalar("Softshrink", "lambd", lambd))


class Threshold(FunctionCell):
    """x where it is greater than ``threshold``, else ``value``; with ``inplace`` also written
    to x.
    """

    function = staticmethod(F.threshold)

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(threshold=threshold, value=value, inplace=inplace)


class PReLU(Cell):
    """x where it is positive, else weight * x, with a learned weight per channel or for all
    channels.

    Args:
        num_parameters: 1, or the number of channels (axis 1 of x).
        init: the initial weight.
        dtype: dtype of the weight; float32 by default.

    >>> print(PReLU()(Tensor([[-1.0, 2.0]])))
    [[-0.25  2.  ]]
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, dtype: Any = None) -> None:
        """Create the Parameter ``weight`` (num_parameters,), filled with ``init``; float32 by
        default.

        Raises a TypeError or ValueError unless ``num_parameters`` is an int of at least 1 and
        ``init`` a number.
        """
        super().__init__()
        self.num_parameters = checks.integer("PReLU", "num_parameters", num_parameters, 1)
        self.init = checks.number("PReLU", "init", init)
        start = initializer(init, (num_parameters,), dtype or mstype.float32)
        self.weight = Parameter(start, name="weight")

    def construct(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)


class _Dropout(FunctionCell):
    """Base class of dropout layers, which are the identity outside training; with ``inplace`` they
    also write to the input.
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        """Store the probability ``p`` and ``inplace``; the function checks them at the call."""
        super().__init__(p=p, inplace=inplace)

    def construct(self, input: Any) -> Any:
        """Return the input after dropout in training, else the input itself."""
        return self.function(input, training=bool(self.training), **self._arguments)


class Dropout(_Dropout):
    """In training, zeroes each element with probability ``p`` and divides the others by 1 - p."""

    function = staticmethod(F.dropout)


class Dropout2d(_Dropout):
    """In training, zeroes whole channels of (N, C, H, W) with probability ``p``, and divides the
    others by 1 - p.
    """

    function = staticmethod(F.dropout2d)


__all__ = [
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "Dropout",
    "Dropout2d",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LogSigmoid",
    "LogSoftmax",
    "PReLU",
    "ReLU6",
    "SiLU",
    "Softmax",
    "Softshrink",
    "Threshold",
]
