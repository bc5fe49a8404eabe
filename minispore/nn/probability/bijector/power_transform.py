"""Power transforms of 1 + c x, and their limit, the exponential."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.nn.probability.bijector.bijector import Bijector
from minispore.nn.probability.parameters import check_positive, exp, log


class PowerTransform(Bijector):
    """y = (1 + c x)^(1/c), or e^x if c is 0.

    Args:
        power: c, at least 0.
        name: the name of the bijector.

    Raises:
        ValueError: ``power`` is negative.
        TypeError: ``power`` is not a float.

    >>> from minispore import Tensor
    >>> import minispore.nn.probability.bijector as msb
    >>> square_root = msb.PowerTransform(power=2.0)
    >>> print(square_root.forward(Tensor([0.0, 4.0])))
    [1. 3.]
    >>> print(square_root.inverse(Tensor([1.0, 3.0])))
    [0. 4.]
    """

    def __init__(self, power: Any = 0.0, name: str = "PowerTransform") -> None:
        params = {"power": power}
        super().__init__(name=name, param={**params, "name": name, "param_dict": params})
        self._power = self._add_parameter(power, "power")
        check_positive(type(self).__name__, "power", self._power, allow_zero=True)

    @property
    def power(self) -> Tensor:
        """The parameter c."""
        return self._power

    def _broadcast_power(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Broadcast x and c together.

        Returns:
            x, c, a mask of the elements where c is 0, and c with these elements replaced by 1.
        """
        x, power = self._cast_parameters(x, self._power)
        ones = ops.ones_like(x + power)
        power, x = power * ones, x * ones
        is_zero = ops.equal(power, ops.zeros_like(power))
        return x, power, is_zero, ops.select(is_zero, ones, power)

    def _forward(self, x: Tensor) -> Tensor:
        x, _, is_zero, power = self._broadcast_power(x)
        return ops.select(is_zero, exp(x), exp(ops.log1p(x * power) / power))

    def _inverse(self, y: Tensor) -> Tensor:
        y, _, is_zero, power = self._broadcast_power(y)
        return ops.select(is_zero, log(y), ops.expm1(log(y) * power) / power)

    def _forward_log_jacobian(self, x: Tensor) -> Tensor:
        x, _, is_zero, power = self._broadcast_power(x)
        return ops.select(is_zero, x, (1.0 / power - 1) * ops.log1p(x * power))

    def _inverse_log_jacobian(self, y: Tensor) -> Tensor:
        y, power = self._cast_parameters(y, self._power)
        return (power - 1) * log(y)


class Exp(PowerTransform):
    """y = e^x.

    Args:
        name: the name of the bijector.

    >>> from minispore import Tensor
    >>> import minispore.nn.probability.bijector as msb
    >>> print(msb.Exp().forward(Tensor([0.0, 1.0])).asnumpy().round(4))
    [1.     2.7183]
    """

    def __init__(self, name: str = "Exp") -> None:
        super().__init__(name=name)

    def extend_repr(self) -> str:
        return "exp"


__all__ = ["Exp", "PowerTransform"]
