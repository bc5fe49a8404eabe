"""AudioTransform: a transform of sound, and the rules that its arguments keep.

Rows are (..., time), or what the transform says; all axes before are channels, each on its own. It
computes in float32, or in float64 where the row is of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar

import numpy as np

from minispore.core.value import Spec
from minispore.dataset import check
from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.base import Columns, RandomTransform, Transform
from minispore.foundation.checks import INT32_MAX

Rule = Callable[[object, str, Any], Any]
MOST = arguments.EXACT_FLOAT32_INTEGER  # of all numbers, in MindSpore


def whole(low: int = -INT32_MAX - 1, high: int = INT32_MAX) -> Rule:
    """An int from ``low`` to ``high``."""
    return lambda owner, name, value: check.integer(owner, name, value, low, high)


def real(low: float = -MOST, high: float = MOST, closed: str = "[]") -> Rule:
    """A number from ``low`` to ``high``; ``closed`` tells which ends belong."""
    return lambda owner, name, value: arguments.number(owner, name, value, low, high, closed)


def floating(low: float, high: float = MOST, closed: str = "[]") -> Rule:
    """A :func:`real` that must be a float."""

    def rule(owner: object, name: str, value: Any) -> Any:
        if not isinstance(value, float):
            raise arguments.wrong_type(owner, name, "be a float", value, float)
        return arguments.number(owner, name, value, low, high, closed, kinds=(float,))

    return rule


def not_zero(rule: Rule, bounds: str) -> Rule:
    """A number of ``rule`` but 0; ``bounds`` are told by MindSpore."""

    def checked(owner: object, name: str, value: Any) -> Any:
        if rule(owner, name, value) == 0:
            told = f"Input {name} is not within the required interval of {bounds}."
            raise ValueError(arguments.format_error(owner, name, "not be 0", value, told))
        return value

    return checked


def optional(rule: Rule) -> Rule:
    """None, or what ``rule`` takes."""
    return lambda owner, name, value: None if value is None else rule(owner, name, value)


def one_of(kind: type[Enum]) -> Rule:
    """A member of an enumeration."""
    return lambda owner, name, value: arguments.member(owner, name, value, kind)


flag: Rule = check.boolean
positive = whole(1)
natural = whole(0)
positive_real = real(0, MOST, "(]")
natural_real = real(0)
not_zero_int = not_zero(whole(), "[-2147483648, 0) and (0, 2147483647]")
not_zero_real = not_zero(real(), f"[-{MOST}, 0) and (0, {MOST}]")


class _OfSound(Transform):
    """What deterministic and random transforms of sound have in common."""

    rules: ClassVar[Mapping[str, Rule]] = {}  # of each argument
    axes: ClassVar[int] = 1  # that a row has at least
    shape: ClassVar[str] = "<..., time>"
    kinds: ClassVar[str] = "biuf"  # of numbers that a row may hold
    lists: ClassVar[bool] = False  # whether a call takes a list of numbers, too

    def check(self) -> None:
        for field, rule in self.rules.items():
            rule(self, field, getattr(self, field))

    def column(self, value: Any) -> Any:
        if not self.lists and not isinstance(value, np.ndarray):
            raise TypeError(
                f"{self.name}: audio must be a NumPy array, got {type(value).__name__}. "
                f"Input should be NumPy audio, got {type(value)}."
            )
        return np.asarray(value)

    def look_at(self, spec: Spec) -> None:
        """What is no sound is refused."""
        shape, dtype = spec
        if len(shape) < self.axes or (self.shape.endswith("complex=2>") and shape[-1] != 2):
            raise RuntimeError(
                f"{self.name}: audio must be of shape {self.shape}, got {shape}. The shape of input"
                " tensor does not match the requirement of operator. "
                f"Expecting tensor in shape of {self.shape}."
            )
        if dtype.kind not in self.kinds:
            known = "[int, float, double]" if "i" in self.kinds else "[float, double]"
            raise RuntimeError(
                f"{self.name}: audio must hold numbers of {known}, got {dtype}. The data type of "
                "input tensor does not match the requirement of operator. "
                f"Expecting tensor in type of {known}."
            )
        if 0 in shape:
            raise RuntimeError(
                f"{self.name}: audio must not be empty, got shape {shape}: Input Tensor has no "
                "data."
            )

    def refuse(self, what: str, rule: str, got: object) -> RuntimeError:
        """What to raise for a row that does not go with the arguments."""
        return RuntimeError(f"{self.name}: {what} must {rule}, got {got}.")


class AudioTransform(_OfSound):
    """Base of transforms of one column of sound: a subclass defines ``waves``."""

    def waves(self, x: np.ndarray) -> Columns:
        """(N, ..., time) -> (N, ...), in float32 or float64; ``x`` is not written into."""
        raise TypeError(f"{self.name}: must define waves.")

    def batch(self, x: np.ndarray) -> Columns:
        self.look_at(Spec(x.shape[1:], x.dtype))
        return self.waves(as_float(x))


class RandomAudioTransform(RandomTransform, _OfSound):
    """Base of random transforms of one column of sound."""

    def row(self, x: Any, *, rng: np.random.Generator) -> Columns:  # type: ignore[override]
        self.look_at(Spec(x.shape, x.dtype))
        return super().row(x, rng=rng)


def as_float(x: np.ndarray) -> np.ndarray:
    """float64 as it is, all else as float32."""
    return x if x.dtype == np.float64 else x.astype(np.float32, copy=False)


def packed(x: np.ndarray, axes: int = 1) -> np.ndarray:
    """All axes but the last ``axes`` as one."""
    cut = x.ndim - axes
    return x.reshape(math.prod(x.shape[:cut]), *x.shape[cut:])  # -1 is no number of no rows


def unpacked(out: np.ndarray, like: np.ndarray, axes: int = 1) -> np.ndarray:
    """The rows of ``packed(like, axes)`` under the axes that they had."""
    return out.reshape(*like.shape[: like.ndim - axes], *out.shape[1:])


def linspace(start: float, stop: float, count: int, dtype: Any) -> np.ndarray:
    """``count`` values from ``start`` to ``stop``, each rounded to ``dtype`` as MindSpore's are."""
    kind = np.dtype(dtype).type
    step = kind(0) if count == 1 else (kind(stop) - kind(start)) / kind(count - 1)
    return kind(start) + np.arange(count, dtype=dtype) * step


__all__: Sequence[str] = ["AudioTransform", "RandomAudioTransform"]
