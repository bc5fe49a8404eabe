"""Bijector, the base of invertible maps of random variables, and Invert."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.cell import Cell
from minispore.nn.check import check_tensor
from minispore.nn.probability import parameters

FUNCTIONS = ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian")


class Bijector(Cell):
    """Base of bijectors: y = f(x), its inverse, and the logarithms of both derivatives.

    A subclass defines ``_forward``, ``_inverse``, ``_forward_log_jacobian`` and
    ``_inverse_log_jacobian``. Called with the name of one of the four functions and its arguments,
    it computes that function; called with a distribution of x, it returns the distribution of f(x).

    Args:
        is_constant_jacobian: whether the derivative is the same everywhere.
        is_injective: whether different x always have different y.
        name: the name of the bijector.
        dtype: the dtype of the values; by default any float type.
        param: the constructor's arguments; ``param["param_dict"]`` holds the parameters by name.

    Raises:
        TypeError: a parameter is not a float, or its dtype differs from the others'.

    >>> from minispore import Tensor
    >>> import minispore.nn.probability.bijector as msb
    >>> class Twice(msb.Bijector):
    ...     def __init__(self):
    ...         super().__init__(is_constant_jacobian=True, name="Twice", param={})
    ...     def _forward(self, x):
    ...         return x * 2
    >>> print(Twice().forward(Tensor([1.0, 2.0])))
    [2. 4.]
    """

    def __init__(
        self,
        is_constant_jacobian: bool = False,
        is_injective: bool = True,
        name: str | None = None,
        dtype: Any = None,
        param: dict[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self._name = checks.string(self, "name", name)
        api_name = type(self).__name__
        self._is_constant_jacobian = checks.boolean(
            api_name, "is_constant_jacobian", is_constant_jacobian
        )
        self._is_injective = checks.boolean(api_name, "is_injective", is_injective)
        self._dtype = (
            None if dtype is None else parameters.check_dtype(api_name, dtype, parameters.FLOATS)
        )
        self._parameters = {
            key: value
            for key, value in (param or {}).items()
            if key not in ("self", "param") and not key.startswith("_")
        }
        param_dict = self._parameters.get("param_dict")
        self._batch_shape = (
            None if param_dict is None else parameters.compute_batch_shape(param_dict)
        )
        self._is_scalar_batch = param_dict is not None and parameters.are_scalars(param_dict)
        self.default_parameters: list[Any] = []
        self.parameter_names: list[str] = []
        self.get_common_dtype: Any = None

    @property
    def name(self) -> str:
        """The name of the bijector."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The dtype that values must have; None for any float dtype."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that the bijector was created with."""
        return self._parameters

    @property
    def is_constant_jacobian(self) -> bool:
        """Whether the derivative is the same everywhere."""
        return self._is_constant_jacobian

    @property
    def is_injective(self) -> bool:
        """Whether different x always have different y."""
        return self._is_injective

    @property
    def batch_shape(self) -> tuple[int, ...] | None:
        """The shape of the parameters, broadcast together; None without parameters."""
        return self._batch_shape

    @property
    def is_scalar_batch(self) -> bool:
        """Whether all parameters are Python scalars."""
        return self._is_scalar_batch

    def shape_mapping(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of f(x) for x of shape ``shape``."""
        return np.broadcast_shapes(shape, self._batch_shape or ())

    def _add_parameter(self, value: Any, name: str) -> Tensor:
        """Register a parameter and return it as a Tensor.

        Raises:
            TypeError: the value is not a float scalar or float tensor, or its dtype differs from
                the others'.
        """
        api_name = type(self).__name__
        if isinstance(value, bool) or value is None:
            raise TypeError(
                checks.format_error(api_name, name, "be a number or a tensor", repr(value))
            )
        tensor = Tensor(value)
        required = self._dtype or self.get_common_dtype
        if required is not None and tensor.dtype is not required:
            raise TypeError(
                checks.format_error(api_name, name, f"be of {required}", str(tensor.dtype))
            )
        parameters.check_dtype(f"{api_name}: {name}", tensor.dtype, parameters.FLOATS)
        self.get_common_dtype = tensor.dtype
        self.default_parameters.append(value)
        self.parameter_names.append(name)
        return tensor

    def cast_param_by_value(self, value: Tensor, para: Tensor) -> Tensor:
        """Return the parameter ``para`` in the dtype of ``value``."""
        return ops.cast(para, value.dtype)

    def _cast_parameters(self, value: Tensor, *params: Tensor) -> tuple[Tensor, ...]:
        """Check ``value`` and return it with the parameters in its dtype."""
        value = self._check_value_dtype(value)
        return value, *[self.cast_param_by_value(value, p) for p in params]

    def _check_value_dtype(self, value: Tensor) -> Tensor:
        """Check that ``value`` is a Tensor of the bijector's dtype, or of any float dtype if it has
        none; return it.

        Raises:
            TypeError: ``value`` is not a Tensor of such a dtype.
        """
        check_tensor(self._name, "value", value)
        if self._dtype is None and value.dtype.kind != "f":
            raise TypeError(
                checks.format_error(self._name, "value", "be of a float type", str(value.dtype))
            )
        if self._dtype is not None and value.dtype is not self._dtype:
            rule = f"be of {self._dtype}"
            raise TypeError(checks.format_error(self._name, "value", rule, str(value.dtype)))
        return value

    def _check_value(self, value: Any, name: str) -> Tensor:
        """Check that ``value`` is a Tensor and return it."""
        return check_tensor(self._name, name, value)

    def forward(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return f(value)."""
        return self._get_method("_forward")(value, *args, **kwargs)

    def inverse(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return the x whose f(x) is ``value``."""
        return self._get_method("_inverse")(value, *args, **kwargs)

    def forward_log_jacobian(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return ln |f'(value)|."""
        return self._get_method("_forward_log_jacobian")(value, *args, **kwargs)

    def inverse_log_jacobian(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return ln of the derivative of the inverse at ``value``."""
        return self._get_method("_inverse_log_jacobian")(value, *args, **kwargs)

    def _get_method(self, method: str) -> Any:
        """Return the method that computes one of the four functions of a bijector.

        Raises:
            NotImplementedError: the class does not define it.
        """
        if not hasattr(type(self), method):
            raise NotImplementedError(
                f"{self._name}: {method[1:]} is not there. Define {method} in a subclass."
            )
        return getattr(self, method)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], Cell):
            return args[0].transformed_by(self)
        return super().__call__(*args, **kwargs)

    def construct(self, name: str, *args: Any, **kwargs: Any) -> Tensor:
        """Call ``name``, one of the bijector's four functions, with the arguments."""
        return getattr(self, checks.one_of(self._name, "name", name, FUNCTIONS))(*args, **kwargs)

    def extend_repr(self) -> str:
        if not self.is_scalar_batch:
            return f"batch_shape = {self.batch_shape}"
        pairs = zip(self.parameter_names, self.default_parameters, strict=True)
        return ", ".join(f"{name} = {value}" for name, value in pairs)


class Invert(Bijector):
    """y = g(x), where g is the inverse of ``bijector``.

    Args:
        bijector: the map to invert.
        name: the name of the bijector; by default ``"Invert"`` and the name of ``bijector``.

    Raises:
        TypeError: ``bijector`` is not a Bijector.

    >>> from minispore import Tensor
    >>> import minispore.nn.probability.bijector as msb
    >>> print(msb.Invert(msb.ScalarAffine(2.0, 1.0)).forward(Tensor([3.0, 5.0])))
    [1. 2.]
    """

    def __init__(self, bijector: Bijector, name: str = "") -> None:
        checks.instance("Invert", "bijector", bijector, Bijector)
        super().__init__(
            is_constant_jacobian=bijector.is_constant_jacobian,
            is_injective=bijector.is_injective,
            name=name or f"Invert{bijector.name}",
            dtype=bijector.dtype,
            param={"bijector": bijector, "name": name},
        )
        self._bijector = bijector
        self._batch_shape = bijector.batch_shape
        self._is_scalar_batch = bijector.is_scalar_batch

    @property
    def bijector(self) -> Bijector:
        """The bijector that is inverted."""
        return self._bijector

    def forward(self, x: Tensor) -> Tensor:
        """Return the x that ``bijector`` maps to the argument."""
        return self._bijector("inverse", x)

    def inverse(self, y: Tensor) -> Tensor:
        """Return the value of ``bijector`` at the argument."""
        return self._bijector("forward", y)

    def forward_log_jacobian(self, x: Tensor) -> Tensor:
        """Return ``inverse_log_jacobian`` of the inverted bijector."""
        return self._bijector("inverse_log_jacobian", x)

    def inverse_log_jacobian(self, y: Tensor) -> Tensor:
        """Return ``forward_log_jacobian`` of the inverted bijector."""
        return self._bijector("forward_log_jacobian", y)


__all__ = ["Bijector", "Invert"]
