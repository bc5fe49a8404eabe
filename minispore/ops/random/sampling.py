"""Random choices: Bernoulli, categories, permutations, positions where a mask is true."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.tensor import Tensor, method
from minispore.execution.layout import LIKE_INPUT
from minispore.execution.random import SharedSeed, generator, make_stream
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import REAL, check_dtype_kind
from minispore.ops.random.draws import INT32, _Draw, _Seeded, to_primitive_seed
from minispore.ops.random.generators import get_stream_key
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.support.arguments import FLOAT_KINDS, check_number, check_tensor_spec, to_static

INT64 = np.dtype(np.int64)


class Bernoulli(_Draw):
    """Draws 1 with probability p, else 0, in the shape and dtype of x, whose values are not used.

    Args:
        seed: -1 for the global stream; otherwise each call draws the same numbers.
        offset: the second half of the seed.

    >>> print(Bernoulli()(Tensor([7.0, 8.0]), 1.0))
    [1. 1.]
    """

    seed: int = -1  # type: ignore[misc]
    offset: int = 0
    layout = LIKE_INPUT

    def has_private_streams(self) -> bool:
        """Return False: a seed restarts its stream in each call, and -1 means the global stream."""
        return False

    def check(self) -> None:
        checks.integer(self.name, "seed", self.seed, -1)
        checks.integer(self.name, "offset", self.offset, 0)

    def infer(self, x: Spec, p: Any) -> Spec:
        """Return the spec of x.

        Raises:
            TypeError: p is neither a float tensor nor a number.
            ValueError: p is a number outside [0, 1].
        """
        check_tensor_spec(self.name, x, "x")
        if isinstance(p, Spec):
            check_dtype_kind(self.name, p, FLOAT_KINDS, "p")
        elif isinstance(p, bool) or not isinstance(p, int | float):
            raise TypeError(f"{self.name}: p must be a number or a Tensor, got {p!r}.")
        elif not 0 <= p <= 1:
            raise ValueError(f"{self.name}: p must be in [0, 1], got {p}.")
        return x

    def kernel(self, x: np.ndarray, p: Any, *, out: np.ndarray) -> None:
        """Draw from a stream that each call starts anew from the seeds, or from the global stream
        if ``seed`` is -1.
        """
        rng = generator() if self.seed < 0 else _start_stream(self.seed, self.offset)
        out[...] = rng.random(out.shape) < p


class Multinomial(_Seeded):
    """Categories drawn with replacement by the weights x, which need not sum to 1.

    Shape: x: (C,) or (N, C); output: (num_samples,) or (N, num_samples).

    >>> print(Multinomial()(Tensor([0.0, 3.0]), 3))
    [1 1 1]
    """

    dtype: Any = mstype.int32

    def __call__(self, x: Any, num_samples: Any) -> Tensor:
        return super().__call__(x, to_static(num_samples))

    def infer(self, x: Spec, num_samples: int) -> Spec:
        """Return the spec (..., num_samples) in ``dtype``; raise unless x is a real vector or
        matrix, and ``num_samples`` an int of at least 0.
        """
        _check_weights_spec(self.name, x)
        checks.integer(self.name, "num_samples", num_samples, 0)
        return Spec((*x.shape[:-1], num_samples), mstype.to_numpy(self.dtype))

    def kernel(self, x: np.ndarray, num_samples: int, *, out: np.ndarray) -> None:
        """Draw the categories.

        Raises:
            ValueError: a weight is negative, or a row has no positive weight.
        """
        out[...] = _sample_categories(self.stream, _check_weights(self.name, x), num_samples, True)


class MultinomialWithReplacement(_Draw):
    """Categories (int64) drawn by the weights x, with or without replacement.

    The call takes two ints, ``seed`` and ``offset``. The stream of these seeds is private to the op
    and continues while they stay the same; if both are 0, the global stream is used.

    Shape: x: (C,) or (N, C); output: (numsamples,) or (N, numsamples).

    >>> draw = MultinomialWithReplacement(2)
    >>> print(np.sort(draw(Tensor([1.0, 1.0]), Tensor(0), Tensor(0)).asnumpy()))
    [0 1]
    """

    numsamples: int
    replacement: bool = False
    seed = seed2 = 0

    def has_private_streams(self) -> bool:
        """Return True: the op has private streams for the seeds passed to each call."""
        return True

    def check(self) -> None:
        """Raise an error unless ``numsamples`` is an int of at least 1 and ``replacement`` a
        bool.
        """
        checks.integer(self.name, "numsamples", self.numsamples, 1)
        checks.boolean(self.name, "replacement", self.replacement)

    def __call__(self, x: Any, seed: Any, offset: Any) -> Tensor:
        """Draw from ``x`` with two ints as seeds, or tensors of one int.

        Raises:
            TypeError: a seed is not an int.
        """
        seed = checks.integer(self.name, "seed", to_static(seed))
        offset = checks.integer(self.name, "offset", to_static(offset))
        return super().__call__(x, seed, offset)

    def infer(self, x: Spec, seed: int, offset: int) -> Spec:
        """Return the int64 spec of the drawn categories.

        Raises:
            TypeError: x is not a real tensor.
            ValueError: x is not 1-D or 2-D, or there are fewer categories than samples without
                replacement.
        """
        _check_weights_spec(self.name, x)
        if not self.replacement and self.numsamples > x.shape[-1]:
            raise ValueError(
                f"{self.name}: numsamples must be <= {x.shape[-1]}, the categories of x, without "
                f"replacement, got {self.numsamples}."
            )
        return Spec((*x.shape[:-1], self.numsamples), INT64)

    def kernel(self, x: np.ndarray, seed: int, offset: int, *, out: np.ndarray) -> None:
        """Draw categories, with or without replacement, from the stream of these seeds.

        The stream restarts when the seeds change. Seeds of 0 mean the global stream.

        Raises:
            ValueError: a weight is negative, or a row has no positive weight.
        """
        if (seed, offset) not in self._own.streams:
            self._own.restart()  # the seeds differ from those of the last call
        stream = self.get_stream(seed, offset) if seed or offset else generator()
        out[...] = _sample_categories(
            stream, _check_weights(self.name, x), self.numsamples, self.replacement
        )


def _start_stream(*seeds: int) -> np.random.Generator:
    """Return a new stream with these seeds, even if all are 0.

    If the first is a :class:`SharedSeed`, return its shared stream, which continues after the last
    draw.
    """
    return generator(*seeds) if isinstance(seeds[0], SharedSeed) else make_stream(*seeds)


def _check_weights_spec(api_name: str, x: Any) -> None:
    """Check that x is a real vector or matrix with at least one category.

    Raises:
        TypeError: x is not a real tensor.
        ValueError: x has another number of axes, or no categories.
    """
    if check_dtype_kind(api_name, x, REAL, "x").ndim not in (1, 2) or not x.shape[-1]:
        raise ValueError(
            f"{api_name}: x must hold the weights of categories in 1 or 2 axes, got {x}."
        )


def _check_weights(api_name: str, x: np.ndarray) -> np.ndarray:
    """Return the weights x as float64.

    Raises:
        ValueError: a weight is negative, or a row has no positive weight.
    """
    if not ((x >= 0).all() and (x.sum(-1) > 0).all()):
        raise ValueError(f"{api_name}: x must hold weights >= 0, in each row one > 0, got {x}.")
    return x.astype(np.float64)


def _sample_categories(
    stream: np.random.Generator, weights: np.ndarray, count: int, replacement: bool
) -> np.ndarray:
    """Draw ``count`` category indices for each row of ``weights``, with or without replacement.

    The weights (..., C) need not sum to 1. The result has the shape (..., count). Without
    replacement, categories of weight 0 are drawn only after all others.
    """
    if not replacement:
        # with weights as rates, the smallest of exponential variables are such a sample
        with np.errstate(divide="ignore"):
            times = stream.standard_exponential(weights.shape) / weights
        return np.argsort(times, -1)[..., :count]
    cumulative = np.cumsum(weights, -1)
    draws = stream.random((*weights.shape[:-1], count)) * cumulative[..., -1:]
    return (draws[..., None] >= cumulative[..., None, :]).sum(-1)


class RandomCategorical(_Draw):
    """Categories drawn with the probabilities softmax(logits), ``num_sample`` for each row.

    The call's ``seed`` selects a stream private to the op; 0 means the global stream.

    Shape: logits: (N, C); output: (N, num_sample) in ``dtype``.

    >>> print(RandomCategorical()(Tensor([[0.0, 99.0]]), 3, 0))
    [[1 1 1]]
    """

    dtype: Any = mstype.int64
    seed = seed2 = 0

    def has_private_streams(self) -> bool:
        """Return True: the op has private streams for the seeds other than 0 that are passed to its
        calls.
        """
        return True

    def __call__(self, logits: Any, num_sample: Any, seed: Any = 0) -> Tensor:
        return super().__call__(logits, to_static(num_sample), to_static(seed))

    def infer(self, logits: Spec, num_sample: int, seed: int) -> Spec:
        """Return the spec (rows, num_sample) in ``dtype``; raise unless logits is a float matrix,
        num_sample > 0, seed >= 0.
        """
        if check_dtype_kind(self.name, logits, FLOAT_KINDS, "logits").ndim != 2:
            raise ValueError(f"{self.name}: logits must have 2 axes, got {logits}.")
        checks.integer(self.name, "num_sample", num_sample, 1)
        checks.integer(self.name, "seed", seed, 0)
        return Spec((logits.shape[0], num_sample), mstype.to_numpy(self.dtype))

    def kernel(self, logits: np.ndarray, num_sample: int, seed: int, *, out: np.ndarray) -> None:
        """Draw from the stream of ``seed``, or from the global stream if it is 0."""
        weights = np.exp(logits.astype(np.float64) - logits.max(-1, keepdims=True))
        stream = self.get_stream(seed) if seed else generator()
        out[...] = _sample_categories(stream, weights, num_sample, replacement=True)


class RandomShuffle(_Seeded):
    """The rows of x (along axis 0) in random order; a 0-d x is copied.

    >>> print(np.sort(RandomShuffle()(Tensor([3, 1, 2])).asnumpy()))
    [1 2 3]
    """

    def infer(self, x: Spec) -> Spec:
        return check_tensor_spec(self.name, x, "x")

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Write the rows of x in random order; a 0-d x is copied."""
        np.copyto(out, x[self.stream.permutation(len(x))] if x.ndim else x)


class Randperm(_Draw):
    """The integers 0 to n - 1 in random order, padded with ``pad`` to ``max_length``.

    ``n`` is a number or a tensor of one element.

    >>> print(np.sort(Randperm(4, 9)(Tensor([3])).asnumpy()))
    [0 1 2 9]
    """

    max_length: int = 1
    pad: int = -1
    dtype: Any = mstype.int32
    seed = seed2 = 0

    def check(self) -> None:
        checks.integer(self.name, "max_length", self.max_length, 1)
        checks.integer(self.name, "pad", self.pad)

    def infer(self, n: Any) -> Spec:
        """Return the spec (max_length,) in ``dtype``; raise unless n is a number or holds one."""
        if not isinstance(n, Spec):
            check_number(self.name, n, "n")
        elif n.size != 1:
            raise ValueError(f"{self.name}: n must hold one number, got {n}.")
        return Spec((self.max_length,), mstype.to_numpy(self.dtype))

    def kernel(self, n: Any, *, out: np.ndarray) -> None:
        """Write the permutation and the padding.

        Raises:
            ValueError: ``n`` is negative or exceeds ``max_length``.
        """
        n = int(np.asarray(n).item())
        if not 0 <= n <= self.max_length:
            raise ValueError(f"{self.name}: n must be in [0, {self.max_length}], got {n}.")
        out[:n] = self.stream.permutation(n)
        out[n:] = self.pad


class RandpermV2(_Draw):
    """The integers 0 to n - 1 in a random order that depends only on ``seed`` and ``offset``.

    >>> print(np.sort(RandpermV2()(3).asnumpy()))
    [0 1 2]
    """

    seed: int = 0  # type: ignore[misc]
    offset: int = 0
    dtype: Any = mstype.int64

    def has_private_streams(self) -> bool:
        """Return False: each call starts a new stream with the op's seeds."""
        return False

    def check(self) -> None:
        checks.integer(self.name, "seed", self.seed, 0)
        checks.integer(self.name, "offset", self.offset, 0)

    def __call__(self, n: Any) -> Tensor:
        return super().__call__(to_static(n))

    def infer(self, n: int) -> Spec:
        return Spec((checks.integer(self.name, "n", n, 1),), mstype.to_numpy(self.dtype))

    def kernel(self, n: int, *, out: np.ndarray) -> None:
        """Draw from a stream that each call starts anew from the seeds, even if they are 0."""
        out[...] = _start_stream(self.seed, self.offset).permutation(n)


class RandomChoiceWithMask(_Draw):
    """``count`` positions where the bool tensor x is true, in random order, and a mask of the valid
    rows.

    Returns:
        ``(places int32 (count, axes of x), mask bool (count,))``; missing positions are zeros.

    >>> place, mask = RandomChoiceWithMask(2)(Tensor([False, True]))
    >>> print(place.asnumpy().ravel(), mask)
    [1 0] [ True False]
    """

    count: int = 256
    seed: int = 0  # type: ignore[misc]
    seed2: int = 0  # type: ignore[misc]

    def check(self) -> None:
        checks.integer(self.name, "count", self.count, 1)
        checks.integer(self.name, "seed", self.seed)
        checks.integer(self.name, "seed2", self.seed2)

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds modulo 2**64, since MindSpore accepts negative seeds for this op."""
        return tuple(n if n >= 0 else n % 2**64 for n in (self.seed, self.seed2))

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        """Return the specs of the int32 positions and the bool mask; raise unless x is bool with 1
        to 5 axes.
        """
        if not 1 <= check_dtype_kind(self.name, x, "b", "input_x").ndim <= 5:
            raise ValueError(f"{self.name}: input_x must have 1 to 5 axes, got {x}.")
        return Spec((self.count, x.ndim), INT32), Spec((self.count,), np.dtype(np.bool_))

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        """Shuffle the positions of true elements, and write the first ``count``, padded with zeros
        and False.
        """
        positions, mask = out
        chosen = self.stream.permutation(np.argwhere(x))[: self.count]
        positions[: len(chosen)] = chosen
        positions[len(chosen) :] = 0
        mask[: len(chosen)] = True
        mask[len(chosen) :] = False


# -- functions -------------------------------------------------------------------------------------


def bernoulli(input: Tensor, p: Any = 0.5, seed: int | None = None) -> Tensor:
    """Draw 1 with probability ``p``, else 0, in the shape and dtype of ``input``.

    ``p`` is a number or a float tensor. None as ``seed`` means the global stream; calls with the
    same seed draw the same numbers.
    """
    return Bernoulli(-1 if seed is None else seed)(input, p)


@method("bernoulli")
def _bernoulli_method(self: Tensor, *, generator: Any = None) -> Tensor:
    """Draw 1 with the probability that each element of the (float) tensor specifies, else 0.

    ``generator`` is the stream to draw from; None means the global stream.
    """
    return bernoulli(self, self, get_stream_key("Tensor.bernoulli", generator))


@method("multinomial")
def multinomial(
    input: Tensor, num_samples: int, replacement: bool = True, seed: int | None = None
) -> Tensor:
    """Draw ``num_samples`` categories (int32) for each row of ``input``, whose elements are
    weights.

    Raises:
        ValueError: a weight is negative, a row has no positive weight, or there are fewer
            categories than samples without replacement.
    """
    primitive_seed = to_primitive_seed("multinomial", seed)
    if replacement:
        return Multinomial(primitive_seed)(input, num_samples)
    categories = MultinomialWithReplacement(num_samples)(input, primitive_seed, 0)
    return Cast()(categories, mstype.int32)


def multinomial_with_replacement(
    x: Tensor, seed: int, offset: int, numsamples: int, replacement: bool = False
) -> Tensor:
    """Draw ``numsamples`` categories (int64) for each row of the weights ``x``, with or without
    replacement.

    Calls with the same ``seed`` and ``offset`` draw the same numbers; 0 for both means the global
    stream.
    """
    return MultinomialWithReplacement(numsamples, replacement)(x, seed, offset)


@method("random_categorical")
def random_categorical(
    logits: Tensor, num_sample: int, seed: int = 0, dtype: Any = mstype.int64
) -> Tensor:
    """Draw categories with the probabilities softmax(logits), ``num_sample`` for each row.

    Calls with the same ``seed`` draw the same numbers; 0 means the global stream.
    """
    return RandomCategorical(dtype)(logits, num_sample, seed)


def shuffle(x: Tensor, seed: int | None = None) -> Tensor:
    """Return a copy of ``x`` with its rows (along axis 0) in random order."""
    return RandomShuffle(to_primitive_seed("shuffle", seed))(x)


def randperm(n: int, seed: int = 0, offset: int = 0, dtype: Any = mstype.int64) -> Tensor:
    """Return the integers 0 to n - 1 in a random order that depends only on ``seed`` and
    ``offset``.
    """
    return RandpermV2(seed, offset, dtype)(n)


def choice_with_mask(
    input_x: Tensor, count: int = 256, seed: int | None = None
) -> tuple[Tensor, Tensor]:
    """Return ``count`` positions where ``input_x`` is true, in random order, and a mask of the
    valid rows.

    Returns:
        ``(positions int32 (count, axes of input_x), mask bool (count,))``; missing positions are
            zeros.
    """
    return RandomChoiceWithMask(count, to_primitive_seed("choice_with_mask", seed))(input_x)


__all__ = [
    "Bernoulli",
    "Multinomial",
    "MultinomialWithReplacement",
    "RandomCategorical",
    "RandomChoiceWithMask",
    "RandomShuffle",
    "Randperm",
    "RandpermV2",
    "bernoulli",
    "choice_with_mask",
    "multinomial",
    "multinomial_with_replacement",
    "random_categorical",
    "randperm",
    "shuffle",
]
