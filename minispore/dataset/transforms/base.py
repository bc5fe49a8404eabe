"""Transform: the base of all data operations.

A subclass declares its arguments by annotations (the same as in MindSpore, in order), validates
them in ``check`` and defines its effect on one row, or on a block of rows at once::

    class Rescale(ImageTransform):
        rescale: float
        shift: float

        def check(self): ...
        def transform_batch(self, images): ...            # (N, H, W, C) -> (N, H, W, C)

Instances are frozen values: they are compared, hashed and printed by their arguments. A
deterministic transform defines only ``transform_batch``: a row is a block of one, and the shape and
dtype of the result are inferred from an empty block. A random transform chooses deterministic
transforms for each row in ``choose_transforms``.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from enum import Enum
from typing import Any, ClassVar, dataclass_transform

import numpy as np

from minispore.dataset import config
from minispore.errors import did_you_mean
from minispore.foundation.field_signature import FieldSignature
from minispore.ir.value import Spec

Columns = Any  # one array, or a tuple with one array per column


class Implementation(Enum):
    """MindSpore's two implementations of a transform; minispore has one for arrays and PIL."""

    C = 0
    PY = 1


class TensorOperation:
    """Base of all operations for ``map``: transforms and users' own classes."""

    def __call__(self, *columns: Any) -> Any:
        """Raise TypeError; a subclass must override it."""
        raise TypeError(f"{type(self).__name__}: must define __call__(self, *columns).")


class PyTensorOperation(TensorOperation):
    """Base of users' own operations, which define ``__call__`` or ``_execute_py``."""

    def __call__(self, *columns: Any) -> Any:
        """Return ``self._execute_py(*columns)``; raise TypeError if the subclass does not define
        it.
        """
        execute = getattr(self, "_execute_py", None)
        return super().__call__(*columns) if execute is None else execute(*columns)


_REQUIRED = object()


@dataclass_transform(frozen_default=True)
class Transform(TensorOperation):
    """Base of all transforms; the module's docstring describes what a subclass defines."""

    __signature__ = FieldSignature(_REQUIRED)
    name: ClassVar[str]
    fields: ClassVar[dict[str, Any]] = {}  # the arguments and their defaults, in order
    random: ClassVar[bool] = False
    noun: ClassVar[str] = "column"  # the word for a column in errors
    # Whether MindSpore computes the transform by Python functions of one argument.
    in_python: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Collect the subclass's annotated arguments and their defaults in ``fields``.

        Also sets ``name`` from the class's name unless the subclass does.
        """
        super().__init_subclass__(**kwargs)
        if "name" not in cls.__dict__:
            cls.name = cls.__name__.lstrip("_")
        cls.fields = {}
        for base in reversed(cls.__mro__[1:]):
            cls.fields |= base.__dict__.get("fields", {})
        for field, annotation in inspect.get_annotations(cls).items():
            if not str(annotation).startswith("ClassVar"):
                cls.fields[field] = getattr(cls, field, _REQUIRED)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Set the arguments, in the order of ``fields``, as attributes, and call ``check``.

        Raises:
            TypeError: there are too many arguments, or one is unknown, missing or given twice.
        """
        if len(args) > len(self.fields):
            raise TypeError(
                f"{self.name}: takes at most {len(self.fields)} arguments, got {len(args)}."
            )
        bound = dict(zip(self.fields, args))
        for field in kwargs:
            if field not in self.fields:
                suggestion = did_you_mean(field, self.fields)
                hint = suggestion + self._describe_missing({*bound, *kwargs})
                raise TypeError(f"{self.name}: has no argument {field!r}.{hint}")
            if field in bound:
                raise TypeError(f"{self.name}: argument {field!r} must be given once, got two.")
        values = {**self.fields, **bound, **kwargs}
        if missing := self._describe_missing({*bound, *kwargs}):
            raise TypeError(f"{self.name}:{missing}")
        self.normalise(**values)
        self.check()

    def _describe_missing(self, bound: set[str]) -> str:
        """Return a message about the first required argument that is not in ``bound``, or ""."""
        for field, default in self.fields.items():
            if default is _REQUIRED and field not in bound:
                return f" argument {field!r} must be given, missing a required argument: {field!r}."
        return ""

    def check(self) -> None:
        """Validate the arguments, and convert them to their normal form.

        Subclasses override it, and call ``self.normalise(size=...)`` to convert.
        """

    def normalise(self, **arguments: Any) -> None:
        """Set arguments to their normal form, although instances are frozen; for use in ``check``
        only.
        """
        for name, value in arguments.items():
            object.__setattr__(self, name, value)

    # -- what the engine calls ------------------------------------------------------------

    def transform_row(self, *columns: Any) -> Columns:
        """Return the result for one row: one array, or a tuple of several output columns.

        By default the row is converted to arrays, unless ``in_python``, and transformed as a block
        of one.
        """
        rows = columns if self.in_python else [np.asarray(column) for column in columns]
        out = self.transform_batch(*[column[None] for column in rows])
        return as_columns([block[0, ...] for block in as_tuple(out)])

    @property
    def is_batched(self) -> bool:
        """Whether ``transform_batch`` works on rows of one shape, stacked along a first axis."""
        return type(self).transform_batch is not Transform.transform_batch

    def transform_batch(self, *columns: Any) -> Columns:
        """Return the result for a block of rows, stacked along a first axis.

        Raises:
            TypeError: the subclass defines only ``transform_row``.
        """
        raise TypeError(f"{self.name}: has no batched form. Call transform_row for each row.")

    def fuse(self, following: Transform) -> Transform | None:
        """Return one transform equal to ``self`` followed by ``following``, or None if there is
        none.

        Subclasses may override it; by default it returns None.
        """
        return None

    def infer(self, *specs: Spec) -> tuple[Spec, ...] | None:
        """Return the spec of one row of each output column, or None if only a run can tell.

        By default an empty block is transformed, so that errors of ``transform_batch`` are raised.
        """
        if not self.is_batched:
            return None
        return _make_row_specs(self.transform_batch(*_make_empty_columns(specs)))

    # -- what users call ------------------------------------------------------------------

    def __call__(self, *columns: Any) -> Columns:
        """Return the transformed row; the dtype of text is as short as its longest element.

        The columns are checked and converted by ``prepare_columns``, which raises for wrong ones.
        """
        out = self.transform_row(*self.prepare_columns(columns))
        return as_columns([narrow_text(column) for column in as_tuple(out)])

    def prepare_columns(self, columns: tuple[Any, ...]) -> list[Any]:
        """Convert the arguments of a call to the columns of a row.

        Raises:
            TypeError, RuntimeError: there are too many or too few columns, or one is empty or has
                a wrong type.
        """
        prepared = [self.convert_column(column) for column in columns]
        if self.in_python:
            if len(prepared) != 1:
                raise TypeError(
                    f"{self.name}: must be given one column, got {len(prepared)}. __call__() takes "
                    f"2 positional arguments but {len(prepared) + 1} were given."
                )
            return prepared
        for column in prepared:
            kind = column.dtype.kind if isinstance(column, np.ndarray) else ""
            if kind and kind not in "biufUST":
                raise TypeError(
                    f"{self.name}: {self.noun} must hold numbers or text, got {column.dtype}. "
                    f"Invalid user input. Got {type(column)}: {column!r:.80}, cannot be converted "
                    "into tensor."
                )
        expected = self.count_columns()
        if not prepared or (expected is not None and len(prepared) != expected):
            expected_text = f"one {self.noun}" if expected in (None, 1) else f"{expected} columns"
            mindspore_text = "Input Tensor is not valid." if not prepared else "The op is OneToOne."
            raise RuntimeError(
                f"{self.name}: must be given {expected_text}, got {len(prepared)}. {mindspore_text}"
            )
        for column in prepared:
            if isinstance(column, np.ndarray) and not column.size:
                raise RuntimeError(
                    f"{self.name}: {self.noun} must not be empty, got {column.shape}. Input Tensor "
                    "has no data."
                )
        return prepared

    @property
    def is_python_only_in_mindspore(self) -> bool:
        """Whether MindSpore has the transform in Python only, where a call returns a tuple."""
        return self.in_python

    def count_columns(self) -> int | None:
        """Return the number of columns of a row, as the transform's method declares; None for any
        number.
        """
        cls: Any = type(self)
        method = cls.transform_row
        if method is Transform.transform_row:
            method = cls.transform_batch
        code = method.__code__
        return None if code.co_flags & inspect.CO_VARARGS else code.co_argcount - 1

    def convert_column(self, value: Any) -> Any:
        """Convert a user's argument to an array; arrays and PIL images are returned unchanged."""
        return value if hasattr(value, "__array_interface__") else np.asarray(value)

    def __repr__(self) -> str:
        arguments = [f"{field}={getattr(self, field)!r}" for field in self.fields]
        return f"{self.name}({', '.join(arguments)})"

    def _identity(self) -> tuple[Any, ...]:
        """Return the class and the arguments, by which transforms are compared and hashed."""
        return (type(self), *(getattr(self, field) for field in self.fields))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Transform) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __setattr__(self, attribute: str, value: Any) -> None:
        """Set an attribute that is not an argument of the transform.

        Raises:
            AttributeError: the attribute is an argument, or the transform is one of minispore's and
                the attribute is not ``implementation``.
        """
        is_frozen = attribute in self.fields and vars(self).get(attribute, value) is not value
        is_builtin = type(self).__module__.partition(".")[0] == __name__.partition(".")[0]
        # a user's subclass may set its own attributes, and any transform `implementation`
        if is_frozen or (is_builtin and attribute != "implementation"):
            raise AttributeError(f"{self.name}: can't be changed. Make a new {self.name}(...).")
        super().__setattr__(attribute, value)


class RandomTransform(Transform):
    """A transform that chooses anew for each row which transforms to apply.

    ``rngs`` holds one generator per row of a block. The same generators in the same state give the
    same result, whether rows come one by one or in blocks.
    """

    random: ClassVar[bool] = True
    # Whether rows of equal shape and dtype give results of equal shape and dtype.
    stackable: ClassVar[bool] = True

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        """Choose the transforms, possibly none, for one row whose columns have these specs.

        A subclass must override it; by default it raises TypeError.
        """
        raise TypeError(f"{self.name}: must define choose_transforms.")

    def transform_row(self, *columns: Any, rng: np.random.Generator) -> Columns:  # type: ignore[override]
        """Apply the transforms chosen with ``rng`` to one row; they draw from it too."""
        return apply_transforms(self.choose_transforms(rng, *map(make_spec, columns)), columns, rng)

    @property
    def is_batched(self) -> bool:
        return self.stackable

    def transform_batch(  # type: ignore[override]
        self, *columns: Any, rngs: Sequence[np.random.Generator]
    ) -> Columns:
        """Transform the block; without ``rngs`` return empty columns of the inferred specs.

        Raises:
            TypeError: the transform is not batched.
        """
        if not self.is_batched:
            return super().transform_batch(*columns)
        if not rngs:
            specs = self.infer(*[Spec(c.shape[1:], c.dtype) for c in columns]) or ()
            return as_columns(_make_empty_columns(specs))
        return self.transform_block(columns, rngs)

    def transform_block(
        self, columns: tuple[Any, ...], rngs: Sequence[np.random.Generator]
    ) -> Columns:
        """Transform a block of at least one row, by default row by row, and stack the results.

        Subclasses may override it for speed.
        """
        rows = [as_tuple(self.transform_row(*row, rng=rng)) for rng, *row in zip(rngs, *columns)]
        return as_columns([np.stack(column) for column in zip(*rows)])

    def infer(self, *specs: Spec) -> tuple[Spec, ...] | None:
        """Return the specs of the output columns, which all random choices share.

        Return None if the transform is not batched, or a chosen transform can't tell.
        """
        output_specs: tuple[Spec, ...] | None = specs if self.is_batched else None
        for transform in (
            self.choose_transforms(np.random.default_rng(0), *specs) if self.is_batched else ()
        ):
            output_specs = None if output_specs is None else transform.infer(*output_specs)
        return output_specs

    def __call__(self, *columns: Any) -> Columns:
        """Return the transformed row; draw from the stream of calls outside a pipeline.

        This advances the stream. ``prepare_columns`` raises for wrong columns.
        """
        return self.transform_row(*self.prepare_columns(columns), rng=config.get_call_stream())


def apply_transforms(
    transforms: Sequence[Any], columns: tuple[Any, ...], rng: np.random.Generator | None
) -> Columns:
    """Apply transforms to one row, in order; random ones draw from ``rng``.

    A column that is not an array, such as a PIL image, is first converted as the transform
    requires. Return one column, or a tuple of several.
    """
    for transform in transforms:
        columns = tuple(
            c if isinstance(c, np.ndarray) else transform.convert_column(c) for c in columns
        )
        if transform.random:
            columns = as_tuple(transform.transform_row(*columns, rng=rng))
        else:
            columns = as_tuple(transform.transform_row(*columns))
    return as_columns(columns)


def draw_uniforms(rngs: Sequence[np.random.Generator], count: int) -> np.ndarray:
    """Draw (rows, count) numbers in [0, 1), in each row the same as ``rng.random(count)``.

    If ``rngs`` has a method ``random``, it draws for all rows at once.
    """
    draw_all_rows = getattr(rngs, "random", None)
    if draw_all_rows is not None:
        return draw_all_rows(count)
    return np.reshape([rng.random(count) for rng in rngs], (len(rngs), count))


def draw_int(rng: np.random.Generator, low: int, high: int) -> int:
    """Draw an integer in [low, high], uniformly."""
    return scale_to_int(rng.random(), low, high)  # a tenth of the cost of rng.integers


def scale_to_int(uniform: float, low: int, high: int) -> int:
    """Scale a number in [0, 1) to an integer in [low, high]."""
    return low + int(uniform * (high - low + 1))


def as_tuple(columns: Columns) -> tuple[Any, ...]:
    """Return one column or a tuple of columns as a tuple."""
    return columns if isinstance(columns, tuple) else (columns,)


def as_columns(columns: Sequence[Any]) -> Columns:
    """Return the only element of a sequence of columns, or a tuple of several."""
    return columns[0] if len(columns) == 1 else tuple(columns)


def narrow_text(column: Any) -> Any:
    """Return strings with the shortest dtype that fits the longest; return other values unchanged.

    >>> narrow_text(np.array(["sea", "sun"], "<U20")).dtype
    dtype('<U3')
    """
    if not isinstance(column, np.ndarray) or column.dtype.kind not in "US":
        return column
    longest = int(np.char.str_len(column).max(initial=1))
    return column.astype(f"{column.dtype.kind}{longest}", copy=False)


def make_spec(column: Any) -> Spec:
    """Return the spec, shape and dtype, of a row's column; a PIL image has those of its array."""
    if isinstance(column, np.ndarray):
        return Spec(column.shape, column.dtype)
    if hasattr(column, "getbands"):
        bands = len(column.getbands())
        size = (column.height, column.width)
        return Spec(size if bands == 1 else (*size, bands), np.dtype(np.uint8))
    array = np.asarray(column)
    return Spec(array.shape, array.dtype)


def _make_empty_columns(specs: Sequence[Spec]) -> list[np.ndarray]:
    """Return columns without rows for the specs of a row."""
    return [np.empty((0, *shape), dtype) for shape, dtype in specs]


def _make_row_specs(out: Columns) -> tuple[Spec, ...]:
    """Return the spec of one row of each column."""
    return tuple(Spec(block.shape[1:], block.dtype) for block in as_tuple(out))
