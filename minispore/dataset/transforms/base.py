"""Transform: what one data operation is.

A subclass names its arguments by annotations (MindSpore's own, in order), validates them in
``check`` and says what it does to one row, or to a block of rows at once::

    class Rescale(ImageTransform):
        rescale: float
        shift: float

        def check(self): ...
        def batch(self, images): ...            # (N, H, W, C) -> (N, H, W, C)

Instances are frozen values: equal, hashable and printable by their arguments. A deterministic
transform says nothing but ``batch``: a row is a block of one, and the shape and dtype of the result
are those of a block of none. A random one says in ``choose`` which deterministic ones a row gets.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from enum import Enum
from typing import Any, ClassVar, dataclass_transform

import numpy as np

from minispore.core import random
from minispore.core.value import Spec
from minispore.errors import did_you_mean

Columns = Any  # one array, or a tuple with one array per column


class Implementation(Enum):
    """Which of MindSpore's two computes a transform; here one takes arrays and PIL images."""

    C = 0
    PY = 1


class TensorOperation:
    """Anything made for ``map``: the base of all transforms, and of users' own classes."""

    def __call__(self, *columns: Any) -> Any:
        raise TypeError(f"{type(self).__name__}: must define __call__(self, *columns).")


class PyTensorOperation(TensorOperation):
    """Base of users' own operations, which define ``__call__`` or ``_execute_py``."""

    def __call__(self, *columns: Any) -> Any:
        execute = getattr(self, "_execute_py", None)
        return super().__call__(*columns) if execute is None else execute(*columns)


_REQUIRED = object()


@dataclass_transform(frozen_default=True)
class Transform(TensorOperation):
    """Base of all transforms. See the module's text for what a subclass defines."""

    name: ClassVar[str]
    fields: ClassVar[dict[str, Any]] = {}  # the arguments and their defaults, in order
    random: ClassVar[bool] = False
    noun: ClassVar[str] = "column"  # what errors call one
    in_python: ClassVar[bool] = False  # MindSpore computes it by Python functions of one argument

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" not in cls.__dict__:
            cls.name = cls.__name__.lstrip("_")
        noted = inspect.get_annotations(cls)
        own = [field for field, note in noted.items() if not str(note).startswith("ClassVar")]
        cls.fields = {}
        for base in reversed(cls.__mro__[1:]):
            cls.fields |= base.__dict__.get("fields", {})
        cls.fields |= {field: getattr(cls, field, _REQUIRED) for field in own}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if len(args) > len(self.fields):
            raise TypeError(
                f"{self.name}: takes at most {len(self.fields)} arguments, got {len(args)}."
            )
        given = dict(zip(self.fields, args))
        for field in kwargs:
            if field not in self.fields:
                near = did_you_mean(field, self.fields)
                told = near + self._missing({*given, *kwargs})
                raise TypeError(f"{self.name}: has no argument {field!r}.{told}")
            if field in given:
                raise TypeError(f"{self.name}: argument {field!r} must be given once, got two.")
        values = {**self.fields, **given, **kwargs}
        if missing := self._missing({*given, *kwargs}):
            raise TypeError(f"{self.name}:{missing}")
        self.normalise(**values)
        self.check()

    def _missing(self, given: set[str]) -> str:
        """Which argument must be given and is not, in words; nothing if none is missing."""
        for field, default in self.fields.items():
            if default is _REQUIRED and field not in given:
                return f" argument {field!r} must be given, missing a required argument: {field!r}."
        return ""

    def check(self) -> None:
        """Validate the arguments; a subclass may put one into normal
        form with ``self.normalise(size=...)``."""

    def normalise(self, **arguments: Any) -> None:
        """Replace arguments by their normal form; for use in ``check`` only."""
        for name, value in arguments.items():
            object.__setattr__(self, name, value)

    # -- what the engine calls ------------------------------------------------------------

    def row(self, *columns: Any) -> Columns:
        """The transform of one row."""
        rows = columns if self.in_python else [np.asarray(column) for column in columns]
        out = self.batch(*[column[None] for column in rows])
        return as_columns([block[0, ...] for block in as_tuple(out)])

    @property
    def batched(self) -> bool:
        """Whether ``batch`` may be called: on rows of one shape, stacked along a new first axis."""
        return type(self).batch is not Transform.batch

    def batch(self, *columns: Any) -> Columns:
        """The transform of a block of rows."""
        raise TypeError(f"{self.name}: has no batched form. Call row for each row.")

    def fuse(self, following: Transform) -> Transform | None:
        """One transform that does what ``self`` and then ``following`` do, or None."""
        return None

    def infer(self, *specs: Spec) -> tuple[Spec, ...] | None:
        """Shape and dtype of each output column, or None if only a run can tell."""
        if not self.batched:
            return None
        return _specs_of_rows(self.batch(*_no_rows(specs)))

    # -- what users call ------------------------------------------------------------------

    def __call__(self, *columns: Any) -> Columns:
        return as_columns([narrow(c) for c in as_tuple(self.row(*self.given(columns)))])

    def given(self, columns: tuple[Any, ...]) -> list[Any]:
        """The arguments of a call as the columns of a row, if a kernel of MindSpore takes them."""
        made = [self.column(column) for column in columns]
        if self.in_python:
            if len(made) != 1:
                raise TypeError(
                    f"{self.name}: must be given one column, got {len(made)}. __call__() takes 2 "
                    f"positional arguments but {len(made) + 1} were given."
                )
            return made
        for column in made:
            kind = column.dtype.kind if isinstance(column, np.ndarray) else ""
            if kind and kind not in "biufUST":
                raise TypeError(
                    f"{self.name}: {self.noun} must hold numbers or text, got {column.dtype}. "
                    f"Invalid user input. Got {type(column)}: {column!r:.80}, cannot be converted "
                    "into tensor."
                )
        wanted = self.takes()
        if not made or (wanted is not None and len(made) != wanted):
            one = f"one {self.noun}" if wanted in (None, 1) else f"{wanted} columns"
            told = "Input Tensor is not valid." if not made else "The op is OneToOne."
            raise RuntimeError(f"{self.name}: must be given {one}, got {len(made)}. {told}")
        for column in made:
            if isinstance(column, np.ndarray) and not column.size:
                raise RuntimeError(
                    f"{self.name}: {self.noun} must not be empty, got {column.shape}. Input Tensor "
                    "has no data."
                )
        return made

    @property
    def only_python(self) -> bool:
        """Whether MindSpore has it in Python alone: what calls it gives a tuple of what it made."""
        return self.in_python

    def takes(self) -> int | None:
        """How many columns its row has; None for any number."""
        kind: Any = type(self)
        code = (kind.row if kind.row is not Transform.row else kind.batch).__code__
        return None if code.co_flags & inspect.CO_VARARGS else code.co_argcount - 1

    def column(self, value: Any) -> Any:
        """A user's argument as the column of a row."""
        return value if hasattr(value, "__array_interface__") else np.asarray(value)

    def __repr__(self) -> str:
        shown = [f"{field}={getattr(self, field)!r}" for field in self.fields]
        return f"{self.name}({', '.join(shown)})"

    def _key(self) -> tuple[Any, ...]:
        return (type(self), *(getattr(self, field) for field in self.fields))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Transform) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __setattr__(self, attribute: str, value: Any) -> None:
        kept = attribute in self.fields and vars(self).get(attribute, value) is not value
        ours = type(self).__module__.partition(".")[0] == __name__.partition(".")[0]
        # a user's subclass may have values of its own, and any transform MindSpore's choice
        if kept or (ours and attribute != "implementation"):
            raise AttributeError(f"{self.name}: can't be changed. Make a new {self.name}(...).")
        super().__setattr__(attribute, value)


class RandomTransform(Transform):
    """A transform that chooses, for each row anew, which transforms the row goes through.

    ``rngs`` of a block is one generator per row. The same generators in the same state give the
    same result, whether rows come one by one or in blocks.
    """

    random: ClassVar[bool] = True
    stackable: ClassVar[bool] = True  # results of rows of one shape and dtype are so, too

    def choose(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        """What one row whose columns have these specs goes through; may be nothing."""
        raise TypeError(f"{self.name}: must define choose.")

    def row(self, *columns: Any, rng: np.random.Generator) -> Columns:  # type: ignore[override]
        return run(self.choose(rng, *map(spec_of, columns)), columns, rng)

    @property
    def batched(self) -> bool:
        return self.stackable

    def batch(  # type: ignore[override]
        self, *columns: Any, rngs: Sequence[np.random.Generator]
    ) -> Columns:
        if not self.batched:
            return super().batch(*columns)
        if not rngs:
            specs = self.infer(*[Spec(c.shape[1:], c.dtype) for c in columns]) or ()
            return as_columns(_no_rows(specs))
        return self.block(columns, rngs)

    def block(self, columns: tuple[Any, ...], rngs: Sequence[np.random.Generator]) -> Columns:
        """A block of at least one row: row by row, unless a subclass knows a faster way."""
        rows = [as_tuple(self.row(*row, rng=rng)) for rng, *row in zip(rngs, *columns)]
        return as_columns([np.stack(column) for column in zip(*rows)])

    def infer(self, *specs: Spec) -> tuple[Spec, ...] | None:
        known: tuple[Spec, ...] | None = specs if self.batched else None
        for transform in self.choose(np.random.default_rng(0), *specs) if self.batched else ():
            known = None if known is None else transform.infer(*known)
        return known

    def __call__(self, *columns: Any) -> Columns:
        return self.row(*self.given(columns), rng=random.generator())


def run(
    transforms: Sequence[Any], columns: tuple[Any, ...], rng: np.random.Generator | None
) -> Columns:
    """One row through transforms of a user's, in order."""
    for t in transforms:
        columns = tuple(c if isinstance(c, np.ndarray) else t.column(c) for c in columns)
        columns = as_tuple(t.row(*columns, rng=rng) if t.random else t.row(*columns))
    return as_columns(columns)


def uniforms(rngs: Sequence[np.random.Generator], count: int) -> np.ndarray:
    """(rows, count) numbers in [0, 1): for each row what ``rng.random(count)`` gives.

    ``rngs`` that know how to draw for all rows at once say so by a method ``random``.
    """
    together = getattr(rngs, "random", None)
    if together is not None:
        return together(count)
    return np.reshape([rng.random(count) for rng in rngs], (len(rngs), count))


def draw_int(rng: np.random.Generator, low: int, high: int) -> int:
    """An integer in [low, high], each as likely as any other."""
    return int_from(rng.random(), low, high)  # a tenth of the cost of rng.integers


def int_from(uniform: float, low: int, high: int) -> int:
    """An integer in [low, high] from a number in [0, 1)."""
    return low + int(uniform * (high - low + 1))


def as_tuple(columns: Columns) -> tuple[Any, ...]:
    """One column or a tuple of columns as a tuple."""
    return columns if isinstance(columns, tuple) else (columns,)


def as_columns(columns: Sequence[Any]) -> Columns:
    """A sequence of columns as what transforms return: a single one by itself."""
    return columns[0] if len(columns) == 1 else tuple(columns)


def narrow(column: Any) -> Any:
    """Texts in the least room that the longest of them takes; anything else as it is.

    >>> narrow(np.array(["sea", "sun"], "<U20")).dtype
    dtype('<U3')
    """
    if not isinstance(column, np.ndarray) or column.dtype.kind not in "US":
        return column
    longest = int(np.char.str_len(column).max(initial=1))
    return column.astype(f"{column.dtype.kind}{longest}", copy=False)


def spec_of(column: Any) -> Spec:
    """Shape and dtype of a row's column: an array, or a PIL image as the array that it becomes."""
    if isinstance(column, np.ndarray):
        return Spec(column.shape, column.dtype)
    if hasattr(column, "getbands"):
        bands = len(column.getbands())
        size = (column.height, column.width)
        return Spec(size if bands == 1 else (*size, bands), np.dtype(np.uint8))
    array = np.asarray(column)
    return Spec(array.shape, array.dtype)


def _no_rows(specs: Sequence[Spec]) -> list[np.ndarray]:
    return [np.empty((0, *shape), dtype) for shape, dtype in specs]


def _specs_of_rows(out: Columns) -> tuple[Spec, ...]:
    return tuple(Spec(block.shape[1:], block.dtype) for block in as_tuple(out))
