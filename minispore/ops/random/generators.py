"""Generators: streams of random numbers that users create, seed and restore."""

from __future__ import annotations

import itertools
import json
import weakref
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.execution import random

_generator_keys = itertools.count(1 << 62)  # seeds are below 2**32


class Generator:
    """A separate stream of random numbers, for functions with the argument ``generator``.

    The stream starts with seed 0, so all generators draw the same numbers until they are seeded.

    Attributes:
        key: the seed under which random functions look up the stream.

    >>> from minispore import mint
    >>> a, b = Generator(), Generator().manual_seed(0)
    >>> bool((mint.rand(3, generator=a) == mint.rand(3, generator=b)).all())
    True
    """

    def __init__(self) -> None:
        """Create a stream with seed 0, which is deleted with this object."""
        self.key = random.SharedSeed(next(_generator_keys))
        self.manual_seed(0)
        weakref.finalize(self, random.set_stream, self.key, None)

    def manual_seed(self, seed: int) -> Generator:
        """Restart the stream with ``seed``, an int taken modulo 2**64, and return the generator
        itself.

        Raises:
            TypeError: ``seed`` is not an int.
        """
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise TypeError(f"Generator: seed must be an int, got {seed!r}.")
        self._seed = seed
        entropy = seed & 0xFFFF_FFFF_FFFF_FFFF
        random.set_stream(self.key, np.random.Generator(np.random.PCG64(entropy)))
        return self

    def seed(self) -> int:
        """Restart the stream with a random 32-bit seed from the operating system, and return the
        seed.
        """
        seed = _draw_seed()
        self.manual_seed(seed)
        return seed

    def initial_seed(self) -> int:
        """Return the seed with which the stream last started, or that ``set_state`` restored."""
        return self._seed

    def get_state(self) -> Tensor:
        """Return the seed and the state of the stream as a uint8 tensor for :meth:`set_state`."""
        return _pack_state(self._seed, dict(random.generator(self.key).bit_generator.state))

    def set_state(self, state: Tensor) -> None:
        """Restore the stream and its seed from a tensor of :meth:`get_state`.

        Raises:
            ValueError: ``state`` is not the state of a generator.
        """
        seed, stream_state = _unpack_state(state)
        stream = np.random.Generator(np.random.PCG64())
        stream.bit_generator.state = stream_state
        self._seed = seed
        random.set_stream(self.key, stream)


class _DefaultGenerator(Generator):
    """The generator of the global stream, which all draws without a generator use."""

    def __init__(self) -> None:
        """Refer to the global stream, which is neither seeded nor restarted."""
        self.key = random.SharedSeed(0)

    def manual_seed(self, seed: int) -> Generator:
        """Call :func:`set_seed`, which also seeds NumPy and Python's ``random``, and return this
        generator.

        Raises:
            TypeError: ``seed`` is not an int.
            ValueError: ``seed`` is not in [0, 2**32 - 1].
        """
        random.set_seed(seed)
        return self

    def initial_seed(self) -> int:
        """Return the seed of the global stream; 0 if it was never seeded."""
        return random.get_seed() or 0

    def get_state(self) -> Tensor:
        """Return the seed (None if it was never set) and the state of the global stream as a uint8
        tensor.
        """
        seed, stream_state, *_ = random.get_state()
        return _pack_state(seed, stream_state)

    def set_state(self, state: Tensor) -> None:
        """Restore the seed and the global stream, and discard the streams that calls with a seed
        share.

        Private streams of ops and the streams of other generators do not change.
        """
        seed, stream_state = _unpack_state(state)
        _, _, _, *remaining_state = random.get_state()
        random.set_state((seed, stream_state, {}, *remaining_state))


def get_stream_key(api_name: str, generator: Any) -> int | None:
    """Return the stream key of ``generator``; None means the global stream.

    Raises:
        TypeError: ``generator`` is neither None nor a Generator.
    """
    if generator is None:
        return None
    if not isinstance(generator, Generator):
        raise TypeError(f"{api_name}: generator must be a Generator, got {generator!r}.")
    return generator.key


def _draw_seed() -> int:
    """Return a new 32-bit seed from the operating system's entropy."""
    return int(np.random.SeedSequence().generate_state(1)[0])


def _pack_state(seed: int | None, stream_state: dict[str, Any]) -> Tensor:
    """Pack a seed and a stream's state into a uint8 tensor, as JSON."""
    text = json.dumps([seed, stream_state]).encode()
    return Tensor(np.frombuffer(text, np.uint8).copy())


def _unpack_state(state: Tensor) -> tuple[Any, dict[str, Any]]:
    """Return the seed (int or None) and the stream's state from a tensor of
    :meth:`Generator.get_state`.

    Raises:
        ValueError: the tensor is not from ``get_state``.
    """
    try:
        seed, stream_state = json.loads(state.asnumpy().astype(np.uint8).tobytes())
    except (AttributeError, ValueError, TypeError) as exc:
        raise ValueError(f"Generator: state must come from get_state(), got {state!r}.") from exc
    return seed, stream_state


default_generator = _DefaultGenerator()


def get_rng_state() -> Tensor:
    """Return the seed and the state of the global stream, as a uint8 tensor for
    :func:`set_rng_state`.

    >>> from minispore import ops
    >>> state = get_rng_state()
    >>> first = ops.rand(2)
    >>> set_rng_state(state)
    >>> bool((ops.rand(2) == first).all())
    True
    """
    return default_generator.get_state()


def set_rng_state(state: Tensor) -> None:
    """Restore the global stream and its seed from a state of :func:`get_rng_state`.

    The streams that calls with a seed share start again.

    Raises:
        ValueError: ``state`` is not from ``get_rng_state``.
    """
    default_generator.set_state(state)


def initial_seed() -> int:
    """Return the seed with which the global stream last started; 0 if it was never seeded."""
    return default_generator.initial_seed()


def seed() -> int:
    """Seed the global stream, NumPy and Python's ``random`` with a random 32-bit number, and return
    it.
    """
    return default_generator.seed()


__all__ = [
    "Generator",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "seed",
    "set_rng_state",
]
