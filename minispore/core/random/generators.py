"""Generators: streams of random numbers that users hold, seed and put back."""

from __future__ import annotations

import itertools
import json
import weakref
from typing import Any

import numpy as np

from minispore.core import random
from minispore.core.tensor import Tensor

_keys = itertools.count(1 << 62)  # seeds are below 2**32


class Generator:
    """A stream of random numbers of its own, for the functions that take ``generator``.

    It starts at seed 0, so that each one draws the same until it is seeded otherwise.

    >>> from minispore import mint
    >>> a, b = Generator(), Generator().manual_seed(0)
    >>> bool((mint.rand(3, generator=a) == mint.rand(3, generator=b)).all())
    True
    """

    def __init__(self) -> None:
        self.key = random.Shared(next(_keys))
        self.manual_seed(0)
        weakref.finalize(self, random.hold, self.key, None)

    def manual_seed(self, seed: int) -> Generator:
        """Start again from ``seed``; returns the generator.

        Raises:
            TypeError: ``seed`` is not an int.
        """
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise TypeError(f"Generator: seed must be an int, got {seed!r}.")
        self._seed = seed
        entropy = seed & 0xFFFF_FFFF_FFFF_FFFF
        random.hold(self.key, np.random.Generator(np.random.PCG64(entropy)))
        return self

    def seed(self) -> int:
        """Start again from a seed that nobody knows, and tell it."""
        chosen = _fresh()
        self.manual_seed(chosen)
        return chosen

    def initial_seed(self) -> int:
        """The seed that the stream started from."""
        return self._seed

    def get_state(self) -> Tensor:
        """Where the stream is, as bytes for :meth:`set_state`."""
        return _packed(self._seed, dict(random.generator(self.key).bit_generator.state))

    def set_state(self, state: Tensor) -> None:
        """Go back to where :meth:`get_state` saw the stream.

        Raises:
            ValueError: ``state`` is of no generator.
        """
        seed, position = _unpacked(state)
        stream = np.random.Generator(np.random.PCG64())
        stream.bit_generator.state = position
        self._seed = seed
        random.hold(self.key, stream)


class _Default(Generator):
    """The stream that all draws without a generator take from."""

    def __init__(self) -> None:
        self.key = random.Shared(0)

    def manual_seed(self, seed: int) -> Generator:
        random.set_seed(seed)
        return self

    def initial_seed(self) -> int:
        return random.get_seed() or 0

    def get_state(self) -> Tensor:
        seed, position, *_ = random.get_state()
        return _packed(seed, position)

    def set_state(self, state: Tensor) -> None:
        seed, position = _unpacked(state)
        _, _, _, *others = random.get_state()
        random.set_state((seed, position, {}, *others))


def key_of(owner: str, generator: Any) -> int | None:
    """The seed of a draw from ``generator``; None takes from the common stream.

    Raises:
        TypeError: it is no Generator.
    """
    if generator is None:
        return None
    if not isinstance(generator, Generator):
        raise TypeError(f"{owner}: generator must be a Generator, got {generator!r}.")
    return generator.key


def _fresh() -> int:
    return int(np.random.SeedSequence().generate_state(1)[0])


def _packed(seed: int | None, position: dict[str, Any]) -> Tensor:
    text = json.dumps([seed, position]).encode()
    return Tensor(np.frombuffer(text, np.uint8).copy())


def _unpacked(state: Tensor) -> tuple[Any, dict[str, Any]]:
    try:
        seed, position = json.loads(state.asnumpy().astype(np.uint8).tobytes())
    except (AttributeError, ValueError, TypeError) as exc:
        raise ValueError(f"Generator: state must come from get_state(), got {state!r}.") from exc
    return seed, position


default_generator = _Default()


def get_rng_state() -> Tensor:
    """Where the common stream is, as bytes for :func:`set_rng_state`.

    >>> from minispore import ops
    >>> state = get_rng_state()
    >>> first = ops.rand(2)
    >>> set_rng_state(state)
    >>> bool((ops.rand(2) == first).all())
    True
    """
    return default_generator.get_state()


def set_rng_state(state: Tensor) -> None:
    """Put the common stream back to where :func:`get_rng_state` saw it."""
    default_generator.set_state(state)


def initial_seed() -> int:
    """The seed that the common stream started from; 0 if it was never seeded."""
    return default_generator.initial_seed()


def seed() -> int:
    """Seed the common stream with a number that nobody knows, and tell it."""
    return default_generator.seed()


__all__ = [
    "Generator",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "seed",
    "set_rng_state",
]
