"""Random ops for uniform, normal and Laplace draws, and the base classes of all random ops.

Ops draw from the stream that ``set_seed`` seeds, in program order, so both modes draw the same
numbers. An op object with seeds has private streams, which depend only on these seeds. Calls of a
function with the same seed share a stream, which ``set_seed`` restarts.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from minispore.core.interpreter import tracing
from minispore.core.primitive import Effect, Primitive
from minispore.core.tensor import Tensor
from minispore.execution.random import PrivateStreams, SharedSeed, generator
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import FLOAT32, broadcast, check_dtype_kind
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.support.arguments import (
    FLOAT_KINDS,
    check_arithmetic_operands,
    check_shape,
    check_tensors,
    to_static,
)

INT32 = np.dtype(np.int32)


class RestartDraws(Primitive):
    """Restarts the private streams ``owner`` from their seeds; its output, a 0-d bool, is always
    True.

    A graph that creates a random op with seeds runs this op in each call, since creating an op
    starts its streams.
    """

    owner: PrivateStreams
    effect = Effect.RANDOM

    def infer(self) -> Spec:
        return Spec((), np.dtype(np.bool_))

    def kernel(self, *, out: np.ndarray) -> None:
        """Restart the streams, and write True."""
        self.owner.restart()
        out[...] = True


class _Draw(Primitive):
    """Base of ops that draw new numbers in each call.

    They draw from a stream private to the op object if a seed is not 0, else from the global
    stream.
    """

    effect = Effect.RANDOM
    seed: ClassVar[int]
    seed2: ClassVar[int]
    _own: PrivateStreams

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Create the op, with private streams if ``has_private_streams``.

        In a graph that is being traced it also records a :class:`RestartDraws`, so that the streams
        restart in each call of the graph.
        """
        super().__init__(*args, **kwargs)
        if self.has_private_streams():
            object.__setattr__(self, "_own", PrivateStreams())
            if tracing():
                RestartDraws(self._own)()

    def __reduce__(self) -> Any:  # a copy gets new streams
        """Return the class and the attributes alone, so that a copied or unpickled op starts new
        streams.
        """
        return type(self), tuple(getattr(self, f) for f in self.fields)

    def check(self) -> None:
        checks.integer(self.name, "seed", self.seed, 0)
        checks.integer(self.name, "seed2", self.seed2, 0)

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds ``(seed, seed2)`` that the op was created with."""
        return self.seed, self.seed2

    def has_private_streams(self) -> bool:
        """Whether a new op object gets private streams: if a seed is not 0 and it is not a shared
        seed.
        """
        return any(self.seeds) and not isinstance(self.seeds[0], SharedSeed)

    @property
    def is_distinct(self) -> bool:
        """Whether the op has private streams, and so never equals another op with the same
        attributes.
        """
        return "_own" in vars(self)

    @property
    def stream(self) -> np.random.Generator:
        """The generator that the op draws from: a private, a shared or the global stream, by its
        ``seeds``.
        """
        return self.get_stream(*self.seeds)

    def get_stream(self, *seeds: int) -> np.random.Generator:
        """Return the generator of these seeds, continued after its last draw.

        It is private to the op if the op has private streams and the first seed is not a shared
        seed. Otherwise it is the stream that all calls with these seeds share, or the global stream
        if all seeds are 0.
        """
        if self.is_distinct and not isinstance(seeds[0], SharedSeed):
            return self._own.get_stream(*seeds)
        return generator(*seeds)


class _Seeded(_Draw):
    """Base of random ops with the attributes ``seed`` and ``seed2``."""

    seed: int = 0  # type: ignore[misc]
    seed2: int = 0  # type: ignore[misc]


class _DrawShape(_Seeded):
    """Base of random ops that draw an array of the shape passed to the call: an int, tuple, list or
    tensor of ints.
    """

    output_dtype: ClassVar[np.dtype] = FLOAT32

    def __call__(self, shape: Any) -> Tensor:
        return super().__call__(to_static(shape))

    def infer(self, shape: Any) -> Spec:
        return Spec(check_shape(self.name, shape), self.output_dtype)


class UniformReal(_DrawShape):
    """Uniform float32 draws from [0, 1).

    >>> UniformReal()((2, 3)).shape
    (2, 3)
    """

    def kernel(self, shape: Any, *, out: np.ndarray) -> None:
        out[...] = self.stream.random(out.shape, np.float32)


class StandardNormal(_DrawShape):
    """Float32 draws from the standard normal distribution.

    >>> StandardNormal()((2, 3)).shape
    (2, 3)
    """

    def kernel(self, shape: Any, *, out: np.ndarray) -> None:
        out[...] = self.stream.standard_normal(out.shape, np.float32)


class StandardLaplace(_DrawShape):
    """Float32 Laplace draws with mean 0 and scale 1.

    >>> StandardLaplace()((2, 3)).shape
    (2, 3)
    """

    def kernel(self, shape: Any, *, out: np.ndarray) -> None:
        out[...] = self.stream.laplace(size=out.shape)


class UniformInt(_Seeded):
    """Uniform int32 draws from [minval, maxval); the bounds are ints or integer tensors of one
    element.

    >>> print(UniformInt()((2,), Tensor(3, mstype.int32), Tensor(4, mstype.int32)))
    [3 3]
    """

    def __call__(self, shape: Any, minval: Any, maxval: Any) -> Tensor:
        return super().__call__(to_static(shape), minval, maxval)

    def infer(self, shape: Any, minval: Any, maxval: Any) -> Spec:
        """Return the int32 spec of ``shape``.

        Raises:
            TypeError: a bound is neither an int nor an integer tensor.
            ValueError: a bound is a tensor of more or fewer elements than one.
        """
        for name, bound in (("minval", minval), ("maxval", maxval)):
            if isinstance(bound, Spec):
                check_dtype_kind(self.name, bound, "iu", name)
                if bound.size != 1:
                    raise ValueError(f"{self.name}: {name} must hold one number, got {bound}.")
            else:
                checks.integer(self.name, name, bound)
        return Spec(check_shape(self.name, shape), INT32)

    def kernel(self, shape: Any, minval: Any, maxval: Any, *, out: np.ndarray) -> None:
        """Draw the integers; raise ValueError unless minval < maxval and both are int32."""
        low, high = int(np.asarray(minval).item()), int(np.asarray(maxval).item())
        for name, bound in (("minval", low), ("maxval", high)):
            if not -(2**31) <= bound < 2**31:
                raise ValueError(f"{self.name}: {name} must fit into int32, got {bound}.")
        if not low < high:
            raise ValueError(f"{self.name}: minval must be < maxval, got {low} and {high}.")
        out[...] = self.stream.integers(low, high, out.shape)


# -- functions -------------------------------------------------------------------------------------


def to_primitive_seed(op: str, seed: int | None) -> int:
    """Convert the seed of a function to the seed of a primitive.

    None and 0 become a seed of 0, which means the global stream; another int becomes a
    :class:`SharedSeed`, whose stream all calls with this seed share. ``op`` is the function's name
    for errors.

    Raises:
        TypeError: ``seed`` is neither None nor an int.
        ValueError: ``seed`` is negative.
    """
    return 0 if seed is None else SharedSeed(checks.integer(op, "seed", seed, 0))


def _parse_size(api_name: str, size: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the arguments ``*size`` as a shape, which is the same for ``f(2, 3)`` and ``f((2,
    3))``.

    Raises:
        TypeError: a length is not an int.
        ValueError: a length is negative.
    """
    shape = to_static(size[0]) if len(size) == 1 else to_static(size)
    return check_shape(api_name, shape, "size")


def _cast_if_needed(x: Tensor, dtype: Any) -> Tensor:
    """Cast ``x`` to ``dtype``; return ``x`` unchanged if ``dtype`` is None or already its dtype."""
    return x if dtype is None or x.dtype is dtype else Cast()(x, dtype)


def _check_float_dtype(api_name: str, dtype: Any) -> Any:
    """Return ``dtype`` if it is None or a float type.

    Raises:
        ValueError: ``dtype`` is not a float type.
    """
    if dtype is not None and mstype.to_numpy(dtype).kind not in FLOAT_KINDS:
        raise ValueError(f"{api_name}: dtype must be a float type, got {dtype!r}.")
    return dtype


def _check_int_dtype(api_name: str, dtype: Any) -> Any:
    """Return ``dtype`` if it is None or an int type.

    Raises:
        ValueError: ``dtype`` is not an int type.
    """
    if dtype is not None and mstype.to_numpy(dtype).kind not in "iu":
        raise ValueError(f"{api_name}: dtype must be an int type, got {dtype!r}.")
    return dtype


def rand(*size: Any, dtype: Any = None, seed: int | None = None) -> Tensor:
    """Return uniform draws from [0, 1) in the shape ``size``, in float32 unless ``dtype`` is
    another float type.

    The numbers are drawn in float32 and then cast. ``seed`` selects a stream that all calls with it
    share; None means the global stream.

    >>> rand(2, 3).shape
    (2, 3)
    """
    return _cast_if_needed(
        UniformReal(to_primitive_seed("rand", seed))(_parse_size("rand", size)),
        _check_float_dtype("rand", dtype),
    )


def rand_like(input: Tensor, seed: int | None = None, *, dtype: Any = None) -> Tensor:
    """Return uniform draws from [0, 1) in the shape and (by default) dtype of ``input``, which must
    be a float type.

    Raises:
        TypeError: ``input`` is not a Tensor.
        ValueError: the dtype is not a float type.
    """
    check_tensors("rand_like", input=input)
    numbers = UniformReal(to_primitive_seed("rand_like", seed))(input.shape)
    return _cast_if_needed(numbers, _check_float_dtype("rand_like", dtype or input.dtype))


def randn(*size: Any, dtype: Any = None, seed: int | None = None) -> Tensor:
    """Return standard normal draws in the shape ``size``, in float32 unless ``dtype`` is another
    float type.

    The numbers are drawn in float32 and then cast. ``seed`` selects a stream that all calls with it
    share; None means the global stream.

    >>> randn((2, 3)).shape
    (2, 3)
    """
    return _cast_if_needed(
        StandardNormal(to_primitive_seed("randn", seed))(_parse_size("randn", size)),
        _check_float_dtype("randn", dtype),
    )


def randn_like(input: Tensor, seed: int | None = None, *, dtype: Any = None) -> Tensor:
    """Return standard normal draws in the shape of ``input``, in float32 unless ``dtype`` is
    another float type.

    >>> randn_like(Tensor([1, 2])).dtype
    mindspore.float32
    """
    check_tensors("randn_like", input=input)
    numbers = StandardNormal(to_primitive_seed("randn_like", seed))(input.shape)
    return _cast_if_needed(numbers, _check_float_dtype("randn_like", dtype))


def randint(
    low: int, high: int, size: Any, seed: int | None = None, *, dtype: Any = None
) -> Tensor:
    """Return random integers from [low, high) in the shape ``size``, int64 by default.

    They are drawn as int32 and then cast.

    Raises:
        TypeError: a bound is not an int.
        ValueError: ``low`` is not below ``high``, a bound does not fit into int32, or ``dtype`` is
            not an int type.

    >>> print(randint(3, 4, (2,)))
    [3 3]
    """
    numbers = UniformInt(to_primitive_seed("randint", seed))(size, to_static(low), to_static(high))
    return _cast_if_needed(numbers, _check_int_dtype("randint", dtype or mstype.int64))


def randint_like(
    input: Tensor, low: int, high: int, seed: int | None = None, *, dtype: Any = None
) -> Tensor:
    """Return random integers from [low, high) in the shape and (by default) dtype of ``input``,
    which must be an int type.

    Raises:
        ValueError: ``low`` is not below ``high``, or the dtype is not an int type.
    """
    check_tensors("randint_like", input=input)
    return randint(
        low, high, input.shape, seed, dtype=_check_int_dtype("randint_like", dtype or input.dtype)
    )


def standard_normal(shape: Any, seed: int | None = None) -> Tensor:
    """Return float32 draws from the standard normal distribution in the shape ``shape``."""
    return StandardNormal(to_primitive_seed("standard_normal", seed))(shape)


def standard_laplace(shape: Any, seed: int | None = None) -> Tensor:
    """Return float32 Laplace draws with mean 0 and scale 1 in the shape ``shape``."""
    return StandardLaplace(to_primitive_seed("standard_laplace", seed))(shape)


def _broadcast_shape(api_name: str, shape: Any, *parameters: Any) -> tuple[int, ...]:
    """Return ``shape`` broadcast with the shapes of the parameters that are tensors.

    Raises:
        TypeError: ``shape`` is not an int or a sequence of ints.
        ValueError: the shapes do not broadcast.
    """
    requested = Spec(check_shape(api_name, to_static(shape)), FLOAT32)
    parameter_specs = [p.value_.spec for p in parameters if isinstance(p, Tensor)]
    return broadcast(api_name, requested, *parameter_specs)


def normal(shape: Any, mean: Any, stddev: Any, seed: int | None = None) -> Tensor:
    """Return normal draws; ``shape`` broadcasts with the shapes of ``mean`` and ``stddev``.

    ``seed`` selects a stream that all calls of functions with this seed share; None means the
    global stream.

    >>> normal((3, 2), Tensor([0.0, 5.0]), 1.0).shape
    (3, 2)
    """
    check_arithmetic_operands("normal", mean=mean, stddev=stddev)
    mean, stddev = (Tensor(p) if isinstance(p, np.ndarray) else p for p in (mean, stddev))
    numbers = StandardNormal(to_primitive_seed("normal", seed))(
        _broadcast_shape("normal", shape, mean, stddev)
    )
    return numbers * stddev + mean


def laplace(shape: Any, mean: Tensor, lambda_param: Tensor, seed: int | None = None) -> Tensor:
    """Return Laplace draws with the mean ``mean`` and the scale ``lambda_param``, whose shapes
    broadcast with ``shape``.
    """
    check_arithmetic_operands("laplace", mean=mean, lambda_param=lambda_param)
    full_shape = _broadcast_shape("laplace", shape, mean, lambda_param)
    return StandardLaplace(to_primitive_seed("laplace", seed))(full_shape) * lambda_param + mean


def uniform(
    shape: Any, minval: Any, maxval: Any, seed: int | None = None, dtype: Any = mstype.float32
) -> Tensor:
    """Return uniform draws from [minval, maxval); for dtype int32, integers.

    For float32, ``shape`` broadcasts with the shapes of the bounds; for int32, each bound is one
    integer.

    Raises:
        TypeError: ``dtype`` is neither float32 nor int32.

    >>> print(uniform((2,), Tensor(3, mstype.int32), Tensor(4, mstype.int32), dtype=mstype.int32))
    [3 3]
    """
    seed = to_primitive_seed("uniform", seed)
    if dtype is mstype.int32:
        return UniformInt(seed)(shape, minval, maxval)
    if dtype is not mstype.float32:
        raise TypeError(f"uniform: dtype must be float32 or int32, got {dtype!r}.")
    numbers = UniformReal(seed)(_broadcast_shape("uniform", shape, minval, maxval))
    return numbers * (maxval - minval) + minval


__all__ = [
    "StandardLaplace",
    "StandardNormal",
    "UniformInt",
    "UniformReal",
    "laplace",
    "normal",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "standard_laplace",
    "standard_normal",
    "uniform",
]
