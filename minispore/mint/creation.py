"""New tensors: constants, ranges, draws.

Draws come from the global stream (``set_seed``), or from the stream of a ``generator``.
"""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core import dtype as mstype
from minispore.core.random.generators import key_of
from minispore.core.tensor import Tensor
from minispore.ops.shape.whole import Cast
from minispore.ops.support.axes import a_number, all_tensors, static


def _size(size: tuple[Any, ...]) -> tuple[int, ...]:
    """(2, 3) from f(2, 3) and from f((2, 3))."""
    given = static(size[0]) if len(size) == 1 else static(size)
    return given if isinstance(given, tuple) else (given,)


def zeros(size: Any, *, dtype: Any = None) -> Tensor:
    """0 in the shape ``size``; float32 by default."""
    return ops.zeros(size, dtype)


def ones(size: Any, *, dtype: Any = None) -> Tensor:
    """1 in the shape ``size``; float32 by default."""
    return ops.ones(size, dtype)


def empty(
    *size: Any, dtype: Any = None, device: str | None = None, pin_memory: bool = False
) -> Tensor:
    """A tensor of which only shape and dtype matter; it holds zeros.

    >>> empty(2, 3).shape
    (2, 3)
    """
    return ops.zeros(_size(size), dtype)


def full(size: Any, fill_value: Any, *, dtype: Any = None) -> Tensor:
    """``fill_value`` in the shape ``size``, in its own dtype or ``dtype``.

    >>> print(full((2,), 0.5))
    [0.5 0.5]
    """
    if dtype is None:
        of_tensor = isinstance(fill_value, Tensor)
        kind = mstype.dtype_to_pytype(fill_value.dtype) if of_tensor else type(static(fill_value))
        dtype = mstype.named(kind)
    return ops.full(size, fill_value, dtype=dtype)


def empty_like(
    input: Tensor, *, dtype: Any = None, device: str | None = None, pin_memory: bool = False
) -> Tensor:
    """:func:`empty` in the shape and dtype of ``input``."""
    all_tensors("empty_like", input=input)
    return ops.zeros(input.shape, dtype or input.dtype)


def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None) -> Tensor:
    """``steps`` numbers evenly spaced from ``start`` to ``end``; float32 by default."""
    first, last = (a_number("linspace", x, n) for x, n in ((start, "start"), (end, "end")))
    made = ops.linspace(float(first), float(last), steps)
    return Cast()(made, dtype or mstype.float32)


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Vectors as the coordinates of a grid: "ij" (the default) or "xy".

    >>> print(meshgrid(Tensor([1, 2]), Tensor([3, 4, 5]))[0])
    [[1 1 1]
     [2 2 2]]
    """
    return ops.meshgrid(*tensors, indexing="ij" if indexing is None else indexing)


# -- draws ----------------------------------------------------------------------------------------


def _seed(generator: Any) -> int | None:
    return key_of("mint", generator)


def rand(*size: Any, generator: Any = None, dtype: Any = None, device: str | None = None) -> Tensor:
    """Uniform numbers in [0, 1)."""
    return ops.rand(*size, dtype=dtype, seed=_seed(generator))


def rand_like(input: Tensor, *, dtype: Any = None, device: str | None = None) -> Tensor:
    """Uniform numbers in [0, 1) in the shape of ``input``."""
    return ops.rand_like(input, dtype=dtype)


def randn(
    *size: Any, generator: Any = None, dtype: Any = None, device: str | None = None
) -> Tensor:
    """Numbers of the standard normal distribution."""
    return ops.randn(*size, dtype=dtype, seed=_seed(generator))


def randn_like(input: Tensor, *, dtype: Any = None, device: str | None = None) -> Tensor:
    """Numbers of the standard normal distribution in the shape of ``input``."""
    all_tensors("randn_like", input=input)
    return ops.randn_like(input, dtype=dtype or input.dtype)


def randint(
    *args: Any, generator: Any = None, dtype: Any = None, device: str | None = None
) -> Tensor:
    """Integers in [low, high): ``randint(high, size)`` or ``randint(low, high, size)``; int64, or
    what ``dtype`` says, also floats.

    >>> print(randint(3, 4, (2,)), randint(1, (2,)))
    [3 3] [0 0]
    """
    low, high = _bounds("randint", args[:-1])
    made = ops.randint(low, high, static(args[-1]), _seed(generator))
    return made if dtype is None else Cast()(made, dtype)


def randint_like(*args: Any, dtype: Any = None, device: str | None = None) -> Tensor:
    """Integers in [low, high) in the shape of ``input``: ``randint_like(input, [low,] high)``."""
    if not args or not isinstance(args[0], Tensor):
        raise TypeError(f"randint_like: input must be a Tensor, got {args[:1]}.")
    input = args[0]
    low, high = _bounds("randint_like", args[1:])
    made = ops.randint(low, high, input.shape)
    return Cast()(made, dtype or input.dtype)


def _bounds(name: str, given: tuple[Any, ...]) -> tuple[int, int]:
    if len(given) not in (1, 2):
        raise TypeError(f"{name}: bounds must be high, or low and high, got {given}.")
    return (0, given[0]) if len(given) == 1 else (given[0], given[1])


def randperm(n: int, *, generator: Any = None, dtype: Any = mstype.int64) -> Tensor:
    """The numbers 0 to n - 1 in random order."""
    return ops.randperm(n, _seed(generator) or 0, dtype=dtype)


def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, generator: Any = None) -> Tensor:
    """Normal numbers around ``mean`` with deviation ``std``, in ``size`` or in their shape.

    >>> normal(Tensor([0.0, 5.0]), 1.0).shape, normal(0.0, 1.0, (3,)).shape
    ((2,), (3,))
    """
    return ops.normal(() if size is None else size, mean, std, _seed(generator))


def bernoulli(input: Tensor, *, generator: Any = None) -> Tensor:
    """1 with the probability that each element says, else 0.

    >>> print(bernoulli(Tensor([0.0, 1.0])))
    [0. 1.]
    """
    return ops.bernoulli(input, input, _seed(generator))


def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None
) -> Tensor:
    """``num_samples`` category numbers (int64) drawn by the weights in each row of ``input``."""
    made = ops.multinomial(input, num_samples, replacement, _seed(generator))
    return Cast()(made, mstype.int64)


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
