"""Functions that create tensors of constants, ranges and random numbers.

Random numbers are drawn from the global stream (``set_seed``), or from the stream of a
``generator``.
"""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.ir import dtype as mstype
from minispore.ops.random.generators import get_stream_key
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.support.arguments import check_number, check_tensors, to_static


def _parse_size(size: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the shape passed as ``f(2, 3)`` or as ``f((2, 3))``, or as a tensor, as a tuple."""
    shape = to_static(size[0]) if len(size) == 1 else to_static(size)
    return shape if isinstance(shape, tuple) else (shape,)


def zeros(size: Any, *, dtype: Any = None) -> Tensor:
    """Return a tensor of shape ``size`` filled with 0; float32 by default."""
    return ops.zeros(size, dtype)


def ones(size: Any, *, dtype: Any = None) -> Tensor:
    """Return a tensor of shape ``size`` filled with 1; float32 by default."""
    return ops.ones(size, dtype)


def empty(
    *size: Any, dtype: Any = None, device: str | None = None, pin_memory: bool = False
) -> Tensor:
    """Return a tensor with unspecified content, which in minispore is zeros; float32 by default.

    ``device`` and ``pin_memory`` have no effect.

    >>> empty(2, 3).shape
    (2, 3)
    """
    return ops.zeros(_parse_size(size), dtype)


def full(size: Any, fill_value: Any, *, dtype: Any = None) -> Tensor:
    """Return a tensor of shape ``size`` filled with ``fill_value``, in ``dtype`` or that of the
    value's Python type.

    A float value gives float32, an int or integer tensor int64.

    >>> print(full((2,), 0.5))
    [0.5 0.5]
    """
    if dtype is None:
        if isinstance(fill_value, Tensor):
            python_type = mstype.dtype_to_pytype(fill_value.dtype)
        else:
            python_type = type(to_static(fill_value))
        dtype = mstype.resolve_dtype(python_type)
    return ops.full(size, fill_value, dtype=dtype)


def empty_like(
    input: Tensor, *, dtype: Any = None, device: str | None = None, pin_memory: bool = False
) -> Tensor:
    """Call :func:`empty` with the shape and, by default, the dtype of ``input``.

    ``device`` and ``pin_memory`` have no effect.
    """
    check_tensors("empty_like", input=input)
    return ops.zeros(input.shape, dtype or input.dtype)


def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None) -> Tensor:
    """Return ``steps`` evenly spaced numbers from ``start`` to ``end``, both included; float32 by
    default.

    Raises a TypeError unless both are numbers or one-element tensors.
    """
    check_number("linspace", start, "start")
    check_number("linspace", end, "end")
    return Cast()(ops.linspace(float(start), float(end), steps), dtype or mstype.float32)


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Return the coordinates of a grid spanned by vectors, a tensor for each, indexed "ij" (the
    default) or "xy".

    >>> print(meshgrid(Tensor([1, 2]), Tensor([3, 4, 5]))[0])
    [[1 1 1]
     [2 2 2]]
    """
    return ops.meshgrid(*tensors, indexing="ij" if indexing is None else indexing)


# -- random numbers -------------------------------------------------------------------------------


def _get_seed(generator: Any) -> int | None:
    """Return the key of the stream of ``generator``, which draws accept as their seed.

    None means the global stream. Anything but a Generator or None raises a TypeError.
    """
    return get_stream_key("mint", generator)


def rand(*size: Any, generator: Any = None, dtype: Any = None, device: str | None = None) -> Tensor:
    """Return uniform random numbers in [0, 1) of shape ``size``; ``device`` has no effect."""
    return ops.rand(*size, dtype=dtype, seed=_get_seed(generator))


def rand_like(input: Tensor, *, dtype: Any = None, device: str | None = None) -> Tensor:
    """Return uniform random numbers in [0, 1) in the shape of ``input``; ``device`` has no
    effect.
    """
    return ops.rand_like(input, dtype=dtype)


def randn(
    *size: Any, generator: Any = None, dtype: Any = None, device: str | None = None
) -> Tensor:
    """Return random numbers of shape ``size`` from the standard normal distribution.

    ``device`` has no effect.
    """
    return ops.randn(*size, dtype=dtype, seed=_get_seed(generator))


def randn_like(input: Tensor, *, dtype: Any = None, device: str | None = None) -> Tensor:
    """Return random numbers from the standard normal distribution in the shape of ``input``.

    Their dtype is ``dtype``, or that of ``input``; ``device`` has no effect.
    """
    check_tensors("randn_like", input=input)
    return ops.randn_like(input, dtype=dtype or input.dtype)


def randint(
    *args: Any, generator: Any = None, dtype: Any = None, device: str | None = None
) -> Tensor:
    """Return random integers in [low, high): ``randint(high, size)`` or ``randint(low, high,
    size)``.

    The default dtype is int64; ``dtype`` may also be a float dtype. A different number of arguments
    raises a TypeError; ``device`` has no effect.

    >>> print(randint(3, 4, (2,)), randint(1, (2,)))
    [3 3] [0 0]
    """
    low, high = _parse_bounds("randint", args[:-1])
    integers = ops.randint(low, high, to_static(args[-1]), _get_seed(generator))
    return integers if dtype is None else Cast()(integers, dtype)


def randint_like(*args: Any, dtype: Any = None, device: str | None = None) -> Tensor:
    """Return random integers in [low, high) in the shape of ``input``.

    The arguments are ``randint_like(input, [low,] high)``; any others raise a TypeError. The dtype
    is ``dtype``, or that of ``input``; ``device`` has no effect.
    """
    if not args or not isinstance(args[0], Tensor):
        raise TypeError(f"randint_like: input must be a Tensor, got {args[:1]}.")
    input = args[0]
    low, high = _parse_bounds("randint_like", args[1:])
    integers = ops.randint(low, high, input.shape)
    return Cast()(integers, dtype or input.dtype)


def _parse_bounds(name: str, bounds: tuple[Any, ...]) -> tuple[int, int]:
    """Return (low, high) from ``high`` or ``low, high``, with low 0 by default; raise TypeError for
    other numbers of bounds.
    """
    if len(bounds) not in (1, 2):
        raise TypeError(f"{name}: bounds must be high, or low and high, got {bounds}.")
    return (0, bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])


def randperm(n: int, *, generator: Any = None, dtype: Any = mstype.int64) -> Tensor:
    """Return the numbers 0 to n - 1 in random order, as a vector of ``dtype``."""
    return ops.randperm(n, _get_seed(generator) or 0, dtype=dtype)


def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, generator: Any = None) -> Tensor:
    """Return normal random numbers of mean ``mean`` and standard deviation ``std``.

    The shape is ``size``, by default the common shape of ``mean`` and ``std``.

    Without ``generator``, they are drawn from the global stream.

    >>> normal(Tensor([0.0, 5.0]), 1.0).shape, normal(0.0, 1.0, (3,)).shape
    ((2,), (3,))
    """
    return ops.normal(() if size is None else size, mean, std, _get_seed(generator))


def bernoulli(input: Tensor, *, generator: Any = None) -> Tensor:
    """Return 1 with the probability that each element specifies, else 0, in the shape and dtype of
    ``input``.

    >>> print(bernoulli(Tensor([0.0, 1.0])))
    [0. 1.]
    """
    return ops.bernoulli(input, input, _get_seed(generator))


def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None
) -> Tensor:
    """Draw ``num_samples`` categories (int64) per row of ``input``, whose elements are weights.

    Without ``replacement``, a row draws each category at most once.
    """
    categories = ops.multinomial(input, num_samples, replacement, _get_seed(generator))
    return Cast()(categories, mstype.int64)


__all__ = [
    "bernoulli",
    "empty",
    "empty_like",
    "full",
    "linspace",
    "meshgrid",
    "multinomial",
    "normal",
    "ones",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "zeros",
]
