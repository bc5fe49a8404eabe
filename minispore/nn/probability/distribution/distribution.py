"""Distribution, the base of all distributions, and TransformedDistribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.cell import Cell
from minispore.nn.check import check_tensor
from minispore.nn.probability import parameters
from minispore.nn.probability.bijector.bijector import Bijector
from minispore.nn.probability.distribution.derivations import DERIVATIONS, FUNCTIONS


class Distribution(Cell):
    """Base of distributions of a random variable.

    A subclass defines any of ``_prob``, ``_log_prob``, ``_cdf``, ``_log_cdf``,
    ``_survival_function``, ``_log_survival``, ``_mean``, ``_mode``, ``_sd``, ``_var``,
    ``_entropy``, ``_kl_loss``, ``_cross_entropy`` and ``_sample``; functions that can be derived
    from these work, too. After its own arguments, each function accepts parameters that replace
    those of the distribution in this call. Called with the name of a function and its arguments,
    the distribution computes that function.

    Args:
        seed: the seed of the samples; 0 or None for the global seed.
        dtype: the dtype of the samples.
        name: the name of the distribution.
        param: the constructor's arguments; ``param["param_dict"]`` holds the parameters by name.

    Raises:
        TypeError: the parameters include arrays of different dtypes.
        ValueError: ``seed`` is negative.

    >>> import minispore as ms
    >>> import minispore.nn.probability.distribution as msd
    >>> class Halves(msd.Distribution):
    ...     def __init__(self):
    ...         super().__init__(None, ms.float32, "Halves", {"param_dict": {}})
    ...     def _cdf(self, value):
    ...         return 1.0 - 0.5**value
    >>> print(Halves().survival_function(ms.Tensor([1.0, 2.0])))
    [0.5  0.25]
    """

    def __init__(self, seed: int | None, dtype: Any, name: str, param: dict[str, Any]) -> None:
        super().__init__()
        self._name = checks.string(self, "name", name)
        self._seed = 0 if seed is None else checks.integer(name, "seed", seed, 0)
        self._dtype = dtype
        self._parameters = {
            key: value for key, value in param.items() if key != "self" and not key.startswith("_")
        }
        self.default_parameters: list[Tensor | None] = []
        self.parameter_names: list[str] = []
        param_dict = self._parameters.get("param_dict") or {}
        self.parameter_type = parameters.find_common_dtype(name, param_dict, dtype)
        self._batch_shape = parameters.compute_batch_shape(param_dict)
        self._is_scalar_batch = parameters.are_scalars(param_dict)
        self._broadcast_shape = self._batch_shape

    def _init_distribution(
        self, kinds: str, seed: int | None, dtype: Any, name: str, **params: Any
    ) -> None:
        """Initialize a distribution with parameters ``params`` and samples of ``dtype``.

        Args:
            kinds: the dtype kinds that samples may have.
        """
        parameters.check_dtype(type(self).__name__, dtype, kinds)
        arguments = {**params, "seed": seed, "dtype": dtype, "name": name, "param_dict": params}
        Distribution.__init__(self, seed, dtype, name, arguments)
        self._add_parameters(**params)

    def _add_parameters(self, **params: Any) -> None:
        """Register all parameters, each also as the attribute ``_<name>_value``."""
        self.default_parameters, self.parameter_names = [], []
        for name, value in params.items():
            setattr(self, f"_{name}_value", self._add_parameter(value, name))

    def _add_parameter(self, value: Any, name: str) -> Tensor | None:
        """Register a parameter and return it as a Tensor; None if each call must pass it."""
        api_name = type(self).__name__
        tensor = value
        if value is not None:
            tensor = parameters.to_tensor(api_name, name, value, self.parameter_type)
        self.default_parameters.append(tensor)
        self.parameter_names.append(name)
        return tensor

    @property
    def name(self) -> str:
        """The name of the distribution."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The dtype of samples."""
        return self._dtype

    @property
    def seed(self) -> int:
        """The seed of samples; 0 for the global seed."""
        return self._seed

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that the distribution was created with."""
        return self._parameters

    @property
    def is_scalar_batch(self) -> bool:
        """Whether all parameters are Python scalars."""
        return self._is_scalar_batch

    @property
    def batch_shape(self) -> tuple[int, ...] | None:
        """The shape of the parameters, broadcast together; None if a parameter must be passed in
        each call.
        """
        return self._batch_shape

    @property
    def broadcast_shape(self) -> tuple[int, ...] | None:
        """The shape of one sample."""
        return self._broadcast_shape

    def transformed_by(self, bijector: Bijector) -> TransformedDistribution:
        """Return the distribution of ``bijector(x)``, where x has this distribution."""
        return TransformedDistribution(bijector, self)

    # -- for subclasses ---------------------------------------------------------------------------

    def _check_value(self, value: Any, name: str) -> Tensor:
        """Check that ``value`` is a Tensor and return it."""
        return check_tensor(self._name, name, value)

    def _check_param_type(self, *args: Any) -> Any:
        """Return the parameters of the call, by default the distribution's, in the parameters'
        dtype: a single one as a Tensor, several as a tuple, broadcast together.
        """
        choices = zip(args, self.parameter_names, self.default_parameters, strict=False)
        params = [
            ops.cast(self._choose_parameter(*choice), self.parameter_type) for choice in choices
        ]
        if len(params) == 1:
            return params[0]
        shape = np.broadcast_shapes(*[p.shape for p in params])
        return tuple(p if p.shape == shape else ops.broadcast_to(p, shape) for p in params)

    def _choose_parameter(self, value: Any, name: str, default: Tensor | None) -> Tensor:
        """Return the parameter of the call, by default the distribution's.

        Raises:
            TypeError: there is neither.
        """
        if value is not None:
            return self._check_value(value, name)
        if default is None:
            hint = "The distribution was made without it, so each call needs it."
            raise TypeError(checks.format_error(self._name, name, "be a Tensor", "None", hint))
        return default

    @property
    def _value_type(self) -> Any:
        """The dtype in which values are computed."""
        return self._dtype

    def _cast_value(self, value: Any, *args: Any) -> tuple[Tensor, ...]:
        """Return one tuple of ``value``, cast to the dtype of the computation, and the parameters
        of the call, by default the distribution's.
        """
        value = ops.cast(self._check_value(value, "value"), self._value_type)
        params = self._check_param_type(*args)
        return (value, *params) if len(args) > 1 else (value, params)

    def _check_other(self, dist: Any, **params: Any) -> tuple[Tensor, ...]:
        """Check that the name ``dist`` is this distribution's type, and return the parameters of
        the other distribution as Tensors in this one's parameter dtype.

        Raises:
            ValueError: ``dist`` is a different type.
            TypeError: a parameter is not a Tensor.
        """
        dist_type = self._get_dist_type()
        if dist != dist_type:
            raise ValueError(
                checks.format_error(
                    self._name, "dist", f"be {dist_type!r}", checks.format_value(dist)
                )
            )
        return tuple(
            ops.cast(self._check_value(value, name), self.parameter_type)
            for name, value in params.items()
        )

    def _make_sample_shape(self, shape: Any, *params: Tensor) -> tuple[int, ...]:
        """Return ``shape`` followed by the shape of the parameters."""
        checks.instance(self._name, "shape", shape, tuple)
        return shape + tuple(params[0].shape)

    def _draw_uniform(self, shape: tuple[int, ...]) -> Tensor:
        """Return uniform random numbers from (0, 1); never 0."""
        return ops.clamp(ops.rand(shape, seed=self._seed), _TINY)

    def _get_dist_args(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Return each parameter: that of the call, after a check, by default the distribution's."""
        call_params = dict(zip(self.parameter_names, args, strict=False)) | kwargs
        pairs = zip(self.parameter_names, self.default_parameters, strict=True)
        return tuple(
            default if call_params.get(name) is None else self._check_value(call_params[name], name)
            for name, default in pairs
        )

    def _get_dist_type(self) -> str:
        return type(self).__name__

    # -- functions --------------------------------------------------------------------------------

    def _evaluate_function(self, function: str, *args: Any, **kwargs: Any) -> Any:
        """Evaluate a function with its own method, or with a method from which it can be derived.

        Raises:
            NotImplementedError: the class defines no such method.
        """
        for method, derive in DERIVATIONS[function].items():
            if hasattr(type(self), method):
                return derive(getattr(self, method)(*args, **kwargs))
        raise NotImplementedError(
            f"{self._name}: {function} is not there for this distribution. "
            f"A subclass can define {' or '.join(DERIVATIONS[function])}."
        )

    def prob(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return the probability or density of ``value``."""
        return self._evaluate_function("prob", value, *args, **kwargs)

    def log_prob(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return ln of the probability or density of ``value``."""
        return self._evaluate_function("log_prob", value, *args, **kwargs)

    def cdf(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return the probability of a value of at most ``value``."""
        return self._evaluate_function("cdf", value, *args, **kwargs)

    def log_cdf(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return ln of the probability of a value of at most ``value``."""
        return self._evaluate_function("log_cdf", value, *args, **kwargs)

    def survival_function(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return the probability of a value above ``value``."""
        return self._evaluate_function("survival_function", value, *args, **kwargs)

    def log_survival(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return ln of the probability of a value above ``value``."""
        return self._evaluate_function("log_survival", value, *args, **kwargs)

    def mean(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the mean."""
        return self._evaluate_function("mean", *args, **kwargs)

    def mode(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the most probable value."""
        return self._evaluate_function("mode", *args, **kwargs)

    def sd(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the standard deviation."""
        return self._evaluate_function("sd", *args, **kwargs)

    def var(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the variance."""
        return self._evaluate_function("var", *args, **kwargs)

    def entropy(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the entropy in nats."""
        return self._evaluate_function("entropy", *args, **kwargs)

    def kl_loss(self, dist: str, *args: Any, **kwargs: Any) -> Tensor:
        """Return the KL divergence KL(this || other).

        ``dist`` is the type of the other distribution. The other's parameters follow, then the
        parameters of this distribution.
        """
        return self._evaluate_function("kl_loss", dist, *args, **kwargs)

    def cross_entropy(self, dist: str, *args: Any, **kwargs: Any) -> Tensor:
        """Return entropy + KL(this || other), with the arguments of :meth:`kl_loss`."""
        return self._evaluate_function("cross_entropy", dist, *args, **kwargs)

    def sample(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return samples of shape ``shape`` (by default ``()``) + the shape of the parameters."""
        return self._evaluate_function("sample", *args, **kwargs)

    def get_dist_args(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Return the parameters of the call, by default the distribution's."""
        return self._get_dist_args(*args, **kwargs)

    def get_dist_type(self) -> str:
        """Return the type of the distribution, as an argument for ``kl_loss``."""
        return self._get_dist_type()

    def construct(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Call the function ``name`` of the distribution with the arguments.

        Raises:
            NotImplementedError: there is no function of that name.
        """
        if name not in FUNCTIONS:
            raise NotImplementedError(
                f"{self._name}: name must be one of {sorted(FUNCTIONS)}, got "
                f"{checks.format_value(name)}."
            )
        return getattr(self, name)(*args, **kwargs)

    def extend_repr(self) -> str:
        if not self.is_scalar_batch:
            return f"batch_shape = {self._broadcast_shape}"
        pairs = zip(self.parameter_names, self.default_parameters, strict=True)
        return ", ".join(f"{name} = {value}" for name, value in pairs)


class TransformedDistribution(Distribution):
    """The distribution of bijector(x), where x has the distribution ``distribution``.

    Functions accept parameters of x that replace its own in one call. The mean exists only if the
    bijector is affine.

    Args:
        bijector: the bijector; cumulative probabilities are correct only if it is increasing.
        distribution: the distribution of x, whose samples have a float type.
        seed: the seed of the samples; 0 or None for the global seed.
        name: the name of the distribution.

    Raises:
        TypeError: ``bijector`` is not a Bijector, or ``distribution`` is not a Distribution of
            floats.
        ValueError: ``mean`` is called, and the bijector is not affine.

    >>> import minispore as ms
    >>> import minispore.nn.probability.bijector as msb
    >>> import minispore.nn.probability.distribution as msd
    >>> wide = msd.TransformedDistribution(msb.ScalarAffine(10.0, 5.0), msd.Uniform(0.0, 1.0))
    >>> print(wide.cdf(ms.Tensor([4.0, 10.0])), wide.mean())
    [0.  0.5] 10.0
    """

    def __init__(
        self,
        bijector: Bijector,
        distribution: Distribution,
        seed: int | None = None,
        name: str = "transformed_distribution",
    ) -> None:
        api_name = type(self).__name__
        checks.instance(api_name, "bijector", bijector, Bijector)
        checks.instance(api_name, "distribution", distribution, Distribution)
        dtype = parameters.check_dtype(api_name, distribution.dtype, parameters.FLOATS)
        arguments = {"bijector": bijector, "distribution": distribution, "seed": seed, "name": name}
        super().__init__(seed, dtype, name, arguments)
        self._bijector = bijector
        self._distribution = distribution
        self._is_scalar_batch = distribution.is_scalar_batch and bijector.is_scalar_batch
        self._batch_shape = distribution.batch_shape
        self.default_parameters = distribution.default_parameters
        self.parameter_names = distribution.parameter_names
        self.parameter_type = distribution.parameter_type
        distribution_shape, bijector_shape = self._batch_shape, bijector.batch_shape
        self._broadcast_shape = None
        if distribution_shape is not None and bijector_shape is not None:
            self._broadcast_shape = np.broadcast_shapes(distribution_shape, bijector_shape)

    @property
    def bijector(self) -> Bijector:
        """The bijector."""
        return self._bijector

    @property
    def distribution(self) -> Distribution:
        """The distribution of x."""
        return self._distribution

    @property
    def is_linear_transformation(self) -> bool:
        """Whether the bijector is affine."""
        return self._bijector.is_constant_jacobian

    def _get_dist_type(self) -> str:
        """Return the name of the distribution, since its class does not tell which one it is."""
        return self._name

    def _cdf(self, value: Any, *args: Any, **kwargs: Any) -> Tensor:
        return self._distribution.cdf(self._bijector.inverse(value), *args, **kwargs)

    def _log_prob(self, value: Any, *args: Any, **kwargs: Any) -> Tensor:
        """Return the log density of x at the inverse of ``value``, plus the log derivative of the
        inverse.
        """
        log_prob = self._distribution.log_prob(self._bijector.inverse(value), *args, **kwargs)
        jacobian = self._bijector.inverse_log_jacobian(value)
        return ops.select(ops.equal(log_prob, -np.inf), log_prob, log_prob + jacobian)

    def _mean(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the bijector's value at the mean of x.

        Raises:
            ValueError: the bijector is not affine.
        """
        if not self.is_linear_transformation:
            raise ValueError(
                f"{self._name}: the mean of a map that is no line has no formula. "
                "Define _mean in a subclass."
            )
        return self._bijector.forward(self._distribution.mean(*args, **kwargs))

    def _sample(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._bijector.forward(self._distribution.sample(*args, **kwargs))

    def extend_repr(self) -> str:
        return ""  # repr lists the bijector and the distribution as child Cells


_TINY = float(np.finfo(np.float32).tiny)

__all__ = ["Distribution", "TransformedDistribution"]
