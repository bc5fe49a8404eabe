"""What distributions share: their parameters, their functions, and what follows from what."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.cell import Cell
from minispore.nn.check import a_tensor
from minispore.nn.probability import parameters
from minispore.nn.probability.bijector.bijector import Bijector
from minispore.nn.probability.distribution.ways import FUNCTIONS, WAYS


class Distribution(Cell):
    """The distribution of a random variable.

    A subclass defines what it can of ``_prob``, ``_log_prob``, ``_cdf``, ``_log_cdf``,
    ``_survival_function``, ``_log_survival``, ``_mean``, ``_mode``, ``_sd``, ``_var``,
    ``_entropy``, ``_kl_loss``, ``_cross_entropy`` and ``_sample``; what follows is there, too.
    Every function takes other parameters for this one call behind its own arguments. Called
    with the name of a function and its arguments, the distribution computes that function.

    Args:
        seed: of the samples; 0 or None for the global seed.
        dtype: of the samples.
        name: of the distribution.
        param: what it was made of; ``param["param_dict"]`` has its parameters by name.

    Raises:
        TypeError: arrays of different dtypes among the parameters.
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
        given = self._parameters.get("param_dict") or {}
        self.parameter_type = parameters.common_dtype(name, given, dtype)
        self._batch_shape = parameters.batch_shape(given)
        self._is_scalar_batch = parameters.are_scalars(given)
        self._broadcast_shape = self._batch_shape

    def _begin(self, kinds: str, seed: int | None, dtype: Any, name: str, **given: Any) -> None:
        """Begin a distribution of ``given`` parameters with samples of a dtype of ``kinds``."""
        parameters.a_dtype(type(self).__name__, dtype, kinds)
        whole = {**given, "seed": seed, "dtype": dtype, "name": name, "param_dict": given}
        Distribution.__init__(self, seed, dtype, name, whole)
        self._add_parameters(**given)

    def _add_parameters(self, **given: Any) -> None:
        self.default_parameters, self.parameter_names = [], []
        for name, value in given.items():
            setattr(self, f"_{name}_value", self._add_parameter(value, name))

    def _add_parameter(self, value: Any, name: str) -> Tensor | None:
        """Note a parameter; its Tensor, or None if every call will give it."""
        owner = type(self).__name__
        made = value
        if value is not None:
            made = parameters.as_tensor(owner, name, value, self.parameter_type)
        self.default_parameters.append(made)
        self.parameter_names.append(name)
        return made

    @property
    def name(self) -> str:
        """The distribution's name."""
        return self._name

    @property
    def dtype(self) -> Any:
        """What samples are of."""
        return self._dtype

    @property
    def seed(self) -> int:
        """The samples' seed; 0 for the global one."""
        return self._seed

    @property
    def parameters(self) -> dict[str, Any]:
        """What the distribution was made of."""
        return self._parameters

    @property
    def is_scalar_batch(self) -> bool:
        """Whether all parameters are Python's own numbers."""
        return self._is_scalar_batch

    @property
    def batch_shape(self) -> tuple[int, ...] | None:
        """The parameters' shape, broadcast together; None if one is left to the calls."""
        return self._batch_shape

    @property
    def broadcast_shape(self) -> tuple[int, ...] | None:
        """The shape of one sample."""
        return self._broadcast_shape

    def transformed_by(self, bijector: Bijector) -> TransformedDistribution:
        """The distribution of the values of ``bijector``."""
        return TransformedDistribution(bijector, self)

    # -- for subclasses ---------------------------------------------------------------------------

    def _check_value(self, value: Any, name: str) -> Tensor:
        """A Tensor."""
        return a_tensor(self._name, name, value)

    def _check_param_type(self, *args: Any) -> Any:
        """The parameters, broadcast together: those of a call, else the distribution's own."""
        given = zip(args, self.parameter_names, self.default_parameters, strict=False)
        found = [ops.cast(self._one(*one), self.parameter_type) for one in given]
        if len(found) == 1:
            return found[0]
        shape = np.broadcast_shapes(*[p.shape for p in found])
        return tuple(p if p.shape == shape else ops.broadcast_to(p, shape) for p in found)

    def _one(self, given: Any, name: str, default: Tensor | None) -> Tensor:
        if given is not None:
            return self._check_value(given, name)
        if default is None:
            hint = "The distribution was made without it, so each call needs it."
            raise TypeError(checks.format_error(self._name, name, "be a Tensor", "None", hint))
        return default

    @property
    def _value_type(self) -> Any:
        """What values are computed with in."""
        return self._dtype

    def _at(self, value: Any, *args: Any) -> tuple[Tensor, ...]:
        """``value``, cast, and the parameters."""
        value = ops.cast(self._check_value(value, "value"), self._value_type)
        found = self._check_param_type(*args)
        return (value, *found) if len(args) > 1 else (value, found)

    def _other(self, dist: Any, **given: Any) -> tuple[Tensor, ...]:
        """The parameters of another distribution of this type."""
        kind = self._get_dist_type()
        if dist != kind:
            raise ValueError(
                checks.format_error(self._name, "dist", f"be {kind!r}", checks.format_value(dist))
            )
        return tuple(
            ops.cast(self._check_value(value, name), self.parameter_type)
            for name, value in given.items()
        )

    def _shape_of(self, shape: Any, *given: Tensor) -> tuple[int, ...]:
        """The shape of samples: ``shape`` of them, each of the parameters' shape."""
        checks.instance(self._name, "shape", shape, tuple)
        return shape + tuple(given[0].shape)

    def _uniform(self, shape: tuple[int, ...]) -> Tensor:
        """Numbers from (0, 1)."""
        return ops.clamp(ops.rand(shape, seed=self._seed), _TINY)

    def _get_dist_args(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        given = dict(zip(self.parameter_names, args, strict=False)) | kwargs
        pairs = zip(self.parameter_names, self.default_parameters, strict=True)
        return tuple(
            default if given.get(name) is None else self._check_value(given[name], name)
            for name, default in pairs
        )

    def _get_dist_type(self) -> str:
        return type(self).__name__

    # -- functions --------------------------------------------------------------------------------

    def _evaluate(self, function: str, *args: Any, **kwargs: Any) -> Any:
        for method, then in WAYS[function].items():
            if hasattr(type(self), method):
                return then(getattr(self, method)(*args, **kwargs))
        raise NotImplementedError(
            f"{self._name}: {function} is not there for this distribution. "
            f"A subclass can define {' or '.join(WAYS[function])}."
        )

    def prob(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """The probability of ``value``, or its density."""
        return self._evaluate("prob", value, *args, **kwargs)

    def log_prob(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """ln of the probability or density of ``value``."""
        return self._evaluate("log_prob", value, *args, **kwargs)

    def cdf(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """The probability of at most ``value``."""
        return self._evaluate("cdf", value, *args, **kwargs)

    def log_cdf(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """ln of the probability of at most ``value``."""
        return self._evaluate("log_cdf", value, *args, **kwargs)

    def survival_function(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """The probability of more than ``value``."""
        return self._evaluate("survival_function", value, *args, **kwargs)

    def log_survival(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """ln of the probability of more than ``value``."""
        return self._evaluate("log_survival", value, *args, **kwargs)

    def mean(self, *args: Any, **kwargs: Any) -> Tensor:
        """The mean."""
        return self._evaluate("mean", *args, **kwargs)

    def mode(self, *args: Any, **kwargs: Any) -> Tensor:
        """The most probable value."""
        return self._evaluate("mode", *args, **kwargs)

    def sd(self, *args: Any, **kwargs: Any) -> Tensor:
        """The standard deviation."""
        return self._evaluate("sd", *args, **kwargs)

    def var(self, *args: Any, **kwargs: Any) -> Tensor:
        """The variance."""
        return self._evaluate("var", *args, **kwargs)

    def entropy(self, *args: Any, **kwargs: Any) -> Tensor:
        """The entropy, in nats."""
        return self._evaluate("entropy", *args, **kwargs)

    def kl_loss(self, dist: str, *args: Any, **kwargs: Any) -> Tensor:
        """The divergence KL(this || other): ``dist`` is the type of the other distribution, its
        parameters follow, and then those of this one.
        """
        return self._evaluate("kl_loss", dist, *args, **kwargs)

    def cross_entropy(self, dist: str, *args: Any, **kwargs: Any) -> Tensor:
        """The entropy and the divergence from another distribution, given as in ``kl_loss``."""
        return self._evaluate("cross_entropy", dist, *args, **kwargs)

    def sample(self, *args: Any, **kwargs: Any) -> Tensor:
        """Random values: of the shape ``shape``, ``()`` by default, and the parameters'."""
        return self._evaluate("sample", *args, **kwargs)

    def get_dist_args(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The parameters: those of the call, else the distribution's own."""
        return self._get_dist_args(*args, **kwargs)

    def get_dist_type(self) -> str:
        """The type of the distribution, as ``kl_loss`` asks for it."""
        return self._get_dist_type()

    def construct(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """The function ``name`` at the arguments."""
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
    """The distribution of bijector(x), where x has another distribution.

    Functions take other parameters of x for one call. The mean is there where the map is a line.

    Args:
        bijector: the map; increasing, for the functions of cumulated probability.
        distribution: that of x, whose samples are of a float type.
        seed: of the samples; 0 or None for the global seed.
        name: of the distribution.

    Raises:
        TypeError: ``bijector`` is no Bijector, or ``distribution`` no Distribution of floats.
        ValueError: the mean is asked for, and the map is no line.

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
        owner = type(self).__name__
        checks.instance(owner, "bijector", bijector, Bijector)
        checks.instance(owner, "distribution", distribution, Distribution)
        dtype = parameters.a_dtype(owner, distribution.dtype, parameters.FLOATS)
        given = {"bijector": bijector, "distribution": distribution, "seed": seed, "name": name}
        super().__init__(seed, dtype, name, given)
        self._bijector = bijector
        self._distribution = distribution
        self._is_scalar_batch = distribution.is_scalar_batch and bijector.is_scalar_batch
        self._batch_shape = distribution.batch_shape
        self.default_parameters = distribution.default_parameters
        self.parameter_names = distribution.parameter_names
        self.parameter_type = distribution.parameter_type
        own, maps = self._batch_shape, bijector.batch_shape
        self._broadcast_shape = None
        if own is not None and maps is not None:
            self._broadcast_shape = np.broadcast_shapes(own, maps)

    @property
    def bijector(self) -> Bijector:
        """The map."""
        return self._bijector

    @property
    def distribution(self) -> Distribution:
        """The distribution of x."""
        return self._distribution

    @property
    def is_linear_transformation(self) -> bool:
        """Whether the map is a line."""
        return self._bijector.is_constant_jacobian

    def _get_dist_type(self) -> str:
        return self._name

    def _cdf(self, value: Any, *args: Any, **kwargs: Any) -> Tensor:
        return self._distribution.cdf(self._bijector.inverse(value), *args, **kwargs)

    def _log_prob(self, value: Any, *args: Any, **kwargs: Any) -> Tensor:
        inside = self._distribution.log_prob(self._bijector.inverse(value), *args, **kwargs)
        jacobian = self._bijector.inverse_log_jacobian(value)
        return ops.select(ops.equal(inside, -np.inf), inside, inside + jacobian)

    def _mean(self, *args: Any, **kwargs: Any) -> Tensor:
        if not self.is_linear_transformation:
            raise ValueError(
                f"{self._name}: the mean of a map that is no line has no formula. "
                "Define _mean in a subclass."
            )
        return self._bijector.forward(self._distribution.mean(*args, **kwargs))

    def _sample(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._bijector.forward(self._distribution.sample(*args, **kwargs))

    def extend_repr(self) -> str:
        return ""  # what it is made of is shown below


_TINY = float(np.finfo(np.float32).tiny)

__all__ = ["Distribution", "TransformedDistribution"]
