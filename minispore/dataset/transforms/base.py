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
are those of a block of none. A random one keeps what it draws for a row (``draw``) apart from what
it does with it (``apply``), so rows and blocks can't differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, dataclass_transform

import numpy as np

from minispore.core import random
from minispore.core.value import Spec

Columns = Any  # one array, or a tuple with one array per column


class TensorOperation:
    """Anything made for ``map``: the base of all transforms, and of users' own classes."""

    def __call__(self, *columns: Any) -> Any:
        raise TypeError(f"{type(self).__name__}: must define __call__(self, *columns).")


class PyTensorOperation(TensorOperation):
    """Base of users' own operations, which define ``__call__`` or ``_execute_py``."""

    def __call__(self, *columns: Any) -> Any:
        execute = getattr(self, "_execute_py", None)
        return super().__call__(*columns) if execute is None else execute(*columns)


@dataclass_transform(frozen_default=True)
class Transform(TensorOperation):
    """Base of all transforms. See the module's text for what a subclass defines."""

    name: ClassVar[str]
    random: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.name = cls.__name__
        dataclass(frozen=True, repr=False)(cls)

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        """Validate the arguments; a subclass may put one into normal form with
        ``self.normalise(size=...)``."""

    def normalise(self, **arguments: Any) -> None:
        """Replace arguments by their normal form; for use in ``check`` only."""
        for name, value in arguments.items():
            object.__setattr__(self, name, value)

    # -- what the engine calls
    # ------------------------------------------------------------------------

    def row(self, *columns: Any) -> Columns:
        """The transform of one row."""
        out = self.batch(*[column[None] for column in columns])
        return tuple(block[0] for block in out) if isinstance(out, tuple) else out[0]

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

    # -- what users call
    # ------------------------------------------------------------------------------

    def __call__(self, *columns: Any) -> Columns:
        return self.row(*[self.column(column) for column in columns])

    def column(self, value: Any) -> Any:
        """A user's argument as the column of a row."""
        return value if hasattr(value, "__array_interface__") else np.asarray(value)

    def __repr__(self) -> str:
        shown = [f"{f.name}={getattr(self, f.name)!r}" for f in fields(self)]  # type: ignore[arg-type]
        return f"{self.name}({', '.join(shown)})"


class RandomTransform(Transform):
    """A transform that draws: ``draw`` draws all that a row needs, ``apply`` draws nothing.

    ``rngs`` of a block is one generator per row. The same generators in the same state give the
    same result, whether rows come one by one or in blocks.
    """

    random: ClassVar[bool] = True

    def draw(self, rng: np.random.Generator, *specs: Spec) -> Any:
        """All that is random about one row whose columns have these specs."""
        raise TypeError(f"{self.name}: must define draw.")

    def apply(self, *columns: Any, drawn: Sequence[Any]) -> Columns:
        """The transform of a block of rows, ``drawn[i]`` being what ``draw`` gave for row i."""
        raise TypeError(f"{self.name}: must define apply.")

    def row(self, *columns: Any, rng: np.random.Generator) -> Columns:  # type: ignore[override]
        drawn = self.draw(rng, *[Spec(column.shape, column.dtype) for column in columns])
        out = self.apply(*[column[None] for column in columns], drawn=[drawn])
        return tuple(block[0] for block in out) if isinstance(out, tuple) else out[0]

    @property
    def batched(self) -> bool:
        return True

    def batch(  # type: ignore[override]
        self, *columns: Any, rngs: Sequence[np.random.Generator]
    ) -> Columns:
        specs = [Spec(column.shape[1:], column.dtype) for column in columns]
        return self.apply(*columns, drawn=[self.draw(rng, *specs) for rng in rngs])

    def infer(self, *specs: Spec) -> tuple[Spec, ...] | None:
        return _specs_of_rows(self.batch(*_no_rows(specs), rngs=())) if self.batched else None

    def __call__(self, *columns: Any) -> Columns:
        return self.row(*[self.column(column) for column in columns], rng=random.generator())


def _no_rows(specs: Sequence[Spec]) -> list[np.ndarray]:
    return [np.empty((0, *shape), dtype) for shape, dtype in specs]


def _specs_of_rows(out: Columns) -> tuple[Spec, ...]:
    return tuple(Spec(a.shape[1:], a.dtype) for a in (out if isinstance(out, tuple) else (out,)))
