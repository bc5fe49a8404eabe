"""AudioTransform, the base of audio transforms, and the rules that check their arguments.

Rows are (..., time), or have the shape in ``shape``; the leading axes are channels, each
transformed independently. Transforms compute in float64 for float64 rows, else in float32.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar

import numpy as np

from minispore.dataset import check
from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.base import Columns, RandomTransform, Transform
from minispore.foundation.checks import INT32_MAX
from minispore.ir.value import Spec

# Called as rule(api_name, argument_name, value); raises TypeError or ValueError for a wrong value.
Rule = Callable[[object, str, Any], Any]
NUMBER_LIMIT = arguments.EXACT_FLOAT32_INTEGER  # largest number that MindSpore accepts


def integer(low: int = -INT32_MAX - 1, high: int = INT32_MAX) -> Rule:
    """Return a rule, a function that checks an argument, for an int from ``low`` to ``high``."""
    return lambda api_name, name, value: check.integer(api_name, name, value, low, high)


def real(low: float = -NUMBER_LIMIT, high: float = NUMBER_LIMIT, closed: str = "[]") -> Rule:
    """Return a rule, a function that checks an argument, for a number from ``low`` to ``high``.

    ``closed`` says which ends are included, such as ``"(]"``.
    """
    return lambda api_name, name, value: arguments.number(api_name, name, value, low, high, closed)


def floating(low: float, high: float = NUMBER_LIMIT, closed: str = "[]") -> Rule:
    """Return a rule like :func:`real` that accepts only a float."""

    def check_float(api_name: object, name: str, value: Any) -> Any:
        """Return ``value`` if it is a float in the interval; raise TypeError or ValueError
        otherwise.
        """
        if not isinstance(value, float):
            raise arguments.wrong_type(api_name, name, "be a float", value, float)
        return arguments.number(api_name, name, value, low, high, closed, kinds=(float,))

    return check_float


def not_zero(rule: Rule, bounds: str) -> Rule:
    """Return a rule that also rejects 0; ``bounds`` is the interval in MindSpore's error."""

    def check_nonzero(api_name: object, name: str, value: Any) -> Any:
        """Return ``value`` if the rule accepts it and it is not 0, else raise TypeError or
        ValueError.
        """
        if rule(api_name, name, value) == 0:
            detail = f"Input {name} is not within the required interval of {bounds}."
            raise ValueError(arguments.format_error(api_name, name, "not be 0", value, detail))
        return value

    return check_nonzero


def optional(rule: Rule) -> Rule:
    """Return a rule that accepts None, or a value that ``rule`` accepts."""
    return lambda api_name, name, value: None if value is None else rule(api_name, name, value)


def one_of(enum_type: type[Enum]) -> Rule:
    """Return a rule that accepts only a member of an enumeration."""
    return lambda api_name, name, value: arguments.member(api_name, name, value, enum_type)


flag: Rule = check.boolean
positive = integer(1)
natural = integer(0)
positive_real = real(0, NUMBER_LIMIT, "(]")
natural_real = real(0)
not_zero_int = not_zero(integer(), "[-2147483648, 0) and (0, 2147483647]")
not_zero_real = not_zero(real(), f"[-{NUMBER_LIMIT}, 0) and (0, {NUMBER_LIMIT}]")


class _AudioTransformBase(Transform):
    """Base of all audio transforms: argument rules and checks of rows."""

    rules: ClassVar[Mapping[str, Rule]] = {}  # rules by argument name
    axes: ClassVar[int] = 1  # minimum number of axes of a row
    shape: ClassVar[str] = "<..., time>"
    kinds: ClassVar[str] = "biuf"  # dtype kinds that a row may have
    accepts_lists: ClassVar[bool] = False  # whether a call also accepts a list of numbers

    def check(self) -> None:
        """Check each argument by its rule in ``rules``; raise TypeError or ValueError for a wrong
        one.
        """
        for field, rule in self.rules.items():
            rule(self, field, getattr(self, field))

    def convert_column(self, value: Any) -> Any:
        """Return an array unchanged, and a list as an array; raise TypeError unless
        ``accepts_lists``.
        """
        if not self.accepts_lists and not isinstance(value, np.ndarray):
            raise TypeError(
                f"{self.name}: audio must be a NumPy array, got {type(value).__name__}. "
                f"Input should be NumPy audio, got {type(value)}."
            )
        return np.asarray(value)

    def check_spec(self, spec: Spec) -> None:
        """Raise RuntimeError unless the spec has a row's rank and dtype kind, and no empty axis."""
        shape, dtype = spec
        if len(shape) < self.axes or (self.shape.endswith("complex=2>") and shape[-1] != 2):
            raise RuntimeError(
                f"{self.name}: audio must be of shape {self.shape}, got {shape}. The shape of input"
                " tensor does not match the requirement of operator. "
                f"Expecting tensor in shape of {self.shape}."
            )
        if dtype.kind not in self.kinds:
            expected = "[int, float, double]" if "i" in self.kinds else "[float, double]"
            raise RuntimeError(
                f"{self.name}: audio must hold numbers of {expected}, got {dtype}. The data type "
                "of input tensor does not match the requirement of operator. Expecting tensor in "
                f"type of {expected}."
            )
        if 0 in shape:
            raise RuntimeError(
                f"{self.name}: audio must not be empty, got shape {shape}: Input Tensor has no "
                "data."
            )

    def make_error(self, argument: str, rule: str, got: object) -> RuntimeError:
        """Return, but do not raise, the RuntimeError ``MFCC: <argument> must <rule>, got ...``."""
        return RuntimeError(f"{self.name}: {argument} must {rule}, got {got}.")


class AudioTransform(_AudioTransformBase):
    """Base of deterministic audio transforms; subclasses define ``transform_waves``."""

    def transform_waves(self, x: np.ndarray) -> Columns:
        """Transform (N, ..., time) in float32 or float64 to (N, ...); must not write into ``x``.

        A subclass must override it; by default it raises TypeError.
        """
        raise TypeError(f"{self.name}: must define waves.")

    def transform_batch(self, x: np.ndarray) -> Columns:
        """Convert a block of rows to floats and transform it; raise RuntimeError for wrong rows."""
        self.check_spec(Spec(x.shape[1:], x.dtype))
        return self.transform_waves(as_float(x))


class RandomAudioTransform(RandomTransform, _AudioTransformBase):
    """Base of random transforms of an audio column."""

    def transform_row(self, x: Any, *, rng: np.random.Generator) -> Columns:  # type: ignore[override]
        """Transform one row by the drawn transforms; raise RuntimeError for a wrong row."""
        self.check_spec(Spec(x.shape, x.dtype))
        return super().transform_row(x, rng=rng)


def as_float(x: np.ndarray) -> np.ndarray:
    """Return float64 arrays unchanged, all others as float32."""
    return x if x.dtype == np.float64 else x.astype(np.float32, copy=False)


def flatten_leading_axes(x: np.ndarray, axes: int = 1) -> np.ndarray:
    """Flatten all axes but the last ``axes`` into one: (..., time) -> (rows, time)."""
    lead_ndim = x.ndim - axes
    # -1 fails if there are no rows
    return x.reshape(math.prod(x.shape[:lead_ndim]), *x.shape[lead_ndim:])


def restore_leading_axes(out: np.ndarray, like: np.ndarray, axes: int = 1) -> np.ndarray:
    """Give ``out`` (rows, ...) the leading axes of ``like`` that flatten_leading_axes merged."""
    return out.reshape(*like.shape[: like.ndim - axes], *out.shape[1:])


def linspace(start: float, stop: float, count: int, dtype: Any) -> np.ndarray:
    """Return ``count`` values from ``start`` to ``stop``, rounded to ``dtype`` as in MindSpore."""
    scalar_type = np.dtype(dtype).type
    step = scalar_type(0)
    if count != 1:
        step = (scalar_type(stop) - scalar_type(start)) / scalar_type(count - 1)
    return scalar_type(start) + np.arange(count, dtype=dtype) * step


__all__: Sequence[str] = ["AudioTransform", "RandomAudioTransform"]
