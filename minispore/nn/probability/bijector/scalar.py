"""Elementwise bijectors: affine, softplus and the CDF of the Gumbel distribution."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.nn.probability.bijector.bijector import Bijector
from minispore.nn.probability.parameters import check_positive, exp, log, softplus, softplus_inverse


class ScalarAffine(Bijector):
    """y = scale x + shift.

    Args:
        scale: the slope of the line.
        shift: the value at x = 0.
        name: the name of the bijector.

    Raises:
        TypeError: a parameter is not a float, or the dtypes of two parameters differ.

    >>> from minispore import Tensor
    >>> import minispore.nn.probability.bijector as msb
    >>> line = msb.ScalarAffine(2.0, 1.0)
    >>> print(line.forward(Tensor([0.0, 3.0])), line.inverse(Tensor([1.0, 7.0])))
    [1. 7.] [0. 3.]
    """

    def __init__(self, scale: Any = 1.0, shift: Any = 0.0, name: str = "ScalarAffine") -> None:
        params = {"scale": scale, "shift": shift}
        arguments = {**params, "name": name, "param_dict": params}
        super().__init__(is_constant_jacobian=True, name=name, param=arguments)
        self._scale = self._add_parameter(scale, "scale")
        self._shift = self._add_parameter(shift, "shift")

    @property
    def scale(self) -> Tensor:
        """The slope."""
        return self._scale

    @property
    def shift(self) -> Tensor:
        """The value at x = 0."""
        return self._shift

    def _forward(self, x: Tensor) -> Tensor:
        x, scale, shift = self._cast_parameters(x, self._scale, self._shift)
        return scale * x + shift

    def _inverse(self, y: Tensor) -> Tensor:
        y, scale, shift = self._cast_parameters(y, self._scale, self._shift)
        return (y - shift) / scale

    def _forward_log_jacobian(self, x: Tensor) -> Tensor:
        _, scale = self._cast_parameters(x, self._scale)
        return log(ops.abs(scale))

    def _inverse_log_jacobian(self, y: Tensor) -> Tensor:
        return -self._forward_log_jacobian(y)


class Softplus(Bijector):
    """y = ln(1 + e^(k x)) / k.

    Args:
        sharpness: k; the larger k, the closer y is to max(x, 0).
        name: the name of the bijector.

    Raises:
        TypeError: ``sharpness`` is not a float.

    >>> from minispore import Tensor
    >>> import minispore.nn.probability.bijector as msb
    >>> print(msb.Softplus(2.0).forward(Tensor([0.0, 9.0])).asnumpy().round(4))
    [0.3466 9.    ]
    """

    def __init__(self, sharpness: Any = 1.0, name: str = "Softplus") -> None:
        params = {"sharpness": sharpness}
        super().__init__(name=name, param={**params, "name": name, "param_dict": params})
        self._sharpness = self._add_parameter(sharpness, "sharpness")

    @property
    def sharpness(self) -> Tensor:
        """The sharpness k."""
        return self._sharpness

    def _forward(self, x: Tensor) -> Tensor:
        x, k = self._cast_parameters(x, self._sharpness)
        return softplus(k * x) / k

    def _inverse(self, y: Tensor) -> Tensor:
        y, k = self._cast_parameters(y, self._sharpness)
        return softplus_inverse(k * y) / k

    def _forward_log_jacobian(self, x: Tensor) -> Tensor:
        x, k = self._cast_parameters(x, self._sharpness)
        return ops.logsigmoid(k * x)

    def _inverse_log_jacobian(self, y: Tensor) -> Tensor:
        y, k = self._cast_parameters(y, self._sharpness)
        return k * y - softplus_inverse(k * y)


class GumbelCDF(Bijector):
    """y = exp(-exp(-(x - loc) / scale)).

    Args:
        loc: the mode of x, where its density is highest.
        scale: the spread of x, positive.
        name: the name of the bijector.

    Raises:
        ValueError: ``scale`` is not positive.
        TypeError: a parameter is not a float, or the dtypes of two parameters differ.

    >>> from minispore import Tensor
    >>> import minispore.nn.probability.bijector as msb
    >>> print(msb.GumbelCDF().forward(Tensor([0.0, 1.0])).asnumpy().round(4))
    [0.3679 0.6922]
    """

    def __init__(self, loc: Any = 0.0, scale: Any = 1.0, name: str = "GumbelCDF") -> None:
        params = {"loc": loc, "scale": scale}
        super().__init__(name=name, param={**params, "name": name, "param_dict": params})
        self._loc = self._add_parameter(loc, "loc")
        self._scale = self._add_parameter(scale, "scale")
        check_positive("GumbelCDF", "scale", self._scale)

    @property
    def loc(self) -> Tensor:
        """The mode of the distribution of x."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """The scale of the distribution of x."""
        return self._scale

    def _forward(self, x: Tensor) -> Tensor:
        x, loc, scale = self._cast_parameters(x, self._loc, self._scale)
        return exp(-exp(-((x - loc) / scale)))

    def _inverse(self, y: Tensor) -> Tensor:
        y, loc, scale = self._cast_parameters(y, self._loc, self._scale)
        return loc - scale * log(-log(y))

    def _forward_log_jacobian(self, x: Tensor) -> Tensor:
        x, loc, scale = self._cast_parameters(x, self._loc, self._scale)
        z = (x - loc) / scale
        return -z - exp(-z) - log(scale)

    def _inverse_log_jacobian(self, y: Tensor) -> Tensor:
        y, scale = self._cast_parameters(y, self._scale)
        return log(scale / (-1.0 * y * log(y)))


__all__ = ["GumbelCDF", "ScalarAffine", "Softplus"]
