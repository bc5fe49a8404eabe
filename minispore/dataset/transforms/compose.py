"""Transforms composed of other transforms: Compose, and random choices among several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.base import (
    Columns,
    RandomTransform,
    Transform,
    apply_transforms,
    as_columns,
    as_tuple,
    draw_int,
)
from minispore.ir.value import Spec


class _Function(Transform):
    """A user's Python function as a transform of rows."""

    function: Callable[..., Any]

    def convert_column(self, value: Any) -> Any:
        return value

    def transform_row(self, *columns: Any) -> Columns:
        return self.function(*columns)

    def __call__(self, *columns: Any) -> Columns:
        return self.function(*columns)


def as_transform(operation: Callable[..., Any]) -> Transform:
    """Return ``operation`` if it is a Transform, else a transform that calls it."""
    return operation if isinstance(operation, Transform) else _Function(operation)


def fuse_operations(operations: Iterable[Callable[..., Any]]) -> tuple[Transform, ...]:
    """Return the fewest transforms that are equivalent to ``operations`` in order.

    Each Compose is replaced by its transforms, functions are wrapped in transforms, and neighbours
    are fused if possible.

    >>> from minispore.dataset import vision
    >>> len(fuse_operations([vision.Rescale(1 / 255, 0), vision.Rescale(2, -1), vision.HWC2CHW()]))
    1
    """
    out: list[Transform] = []
    for operation in map(as_transform, unpack_operations(operations)):
        merged = out[-1].fuse(operation) if out else None
        if merged is None:
            out.append(operation)
        else:
            out[-1] = merged
    return tuple(out)


def unpack_operations(operations: Iterable[Callable[..., Any]]) -> Iterator[Callable[..., Any]]:
    """Yield the operations in order; replace each Compose, also nested ones, by its transforms.

    A user's function that was wrapped in a transform is yielded itself.
    """
    for operation in operations:
        if isinstance(operation, Compose):
            yield from unpack_operations(operation.transforms)
        else:
            yield operation.function if isinstance(operation, _Function) else operation


def _is_pil(value: Any) -> bool:
    """Whether ``value`` is an object of the package PIL, such as an image."""
    return type(value).__module__.partition(".")[0] == "PIL"


def are_chosen_in_python(transforms: Iterable[Transform]) -> bool:
    """Whether MindSpore makes a random choice among these transforms in Python, where a call
    returns a tuple.

    It does if none of them is a function and some exist in Python only.
    """
    transform_list = list(transforms)
    has_functions = any(isinstance(t, _Function) for t in transform_list)
    return not has_functions and any(t.is_python_only_in_mindspore for t in transform_list)


class Compose(Transform):
    """transforms[-1](... transforms[0](*columns)).

    A direct call returns a tuple for a PIL image, and if MindSpore has one of the transforms in
    Python only (ToPIL, Grayscale, Decode(to_pil=True), RandomOrder, ...).

    Args:
        transforms (list): transforms and Python functions, applied in order.

    Raises:
        TypeError: ``transforms`` is not a list, or an element is neither transform nor function.
        ValueError: ``transforms`` is empty, or an element is a class instead of an instance.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import transforms
        >>> transforms.Compose([transforms.TypeCast("float32"), np.sqrt])(np.array([4, 9]))
        array([2., 3.], dtype=float32)
    """

    transforms: Sequence[Any]

    def check(self) -> None:
        """Check the arguments, and store ``transforms`` as a tuple of transforms."""
        self.normalise(
            transforms=arguments.operations(self, "transforms", self.transforms, as_transform)
        )

    @property
    def random(self) -> bool:  # type: ignore[override]
        return any(t.random for t in self.transforms)

    @property
    def is_batched(self) -> bool:
        return all(t.is_batched for t in self.transforms)

    def transform_row(self, *columns: Any, rng: np.random.Generator | None = None) -> Columns:
        return apply_transforms(self.transforms, columns, rng)

    def transform_batch(self, *columns: Any, rngs: Sequence[np.random.Generator] = ()) -> Columns:
        """Return the block that each transform in turn has transformed; random ones draw from
        ``rngs``.
        """
        rngs = list(rngs)  # the transforms use each row's generator in turn
        for t in self.transforms:
            columns = as_tuple(
                t.transform_batch(*columns, rngs=rngs) if t.random else t.transform_batch(*columns)
            )
        return as_columns(columns)

    def infer(self, *specs: Spec) -> tuple[Spec, ...] | None:
        """Return the specs after the last transform; None as soon as one can't tell its specs."""
        output_specs: tuple[Spec, ...] | None = specs
        for t in self.transforms:
            output_specs = None if output_specs is None else t.infer(*output_specs)
        return output_specs

    @property
    def is_python_only_in_mindspore(self) -> bool:
        return any(t.is_python_only_in_mindspore for t in self.transforms)

    def __call__(self, *columns: Any) -> Columns:
        """Return the transformed row.

        A single column is returned without a tuple, except for a PIL image or if MindSpore computes
        one of the transforms in Python only.

        Raises:
            TypeError, RuntimeError: there are no columns.
        """
        returns_tuple = self.is_python_only_in_mindspore or (
            len(columns) == 1 and _is_pil(columns[0])
        )
        if not columns:
            error = TypeError if returns_tuple else RuntimeError
            raise error(
                "Compose: must be called with a row, got no columns. Compose was called without an "
                "image: Input Tensor is not valid."
            )
        for t in self.transforms:
            columns = as_tuple(t(*columns))
            if not returns_tuple:
                columns = tuple(self._check_result(column) for column in columns)
        return columns if returns_tuple else as_columns(columns)

    def _check_result(self, value: Any) -> Any:
        """Return a function's result with text, numbers, lists and PIL images converted to arrays.

        Raises:
            RuntimeError: the result is None.
        """
        if value is None:
            raise RuntimeError(
                "Compose: a function must give a value, got None from Python object. Return one."
            )
        plain_types = (str, bytes, int, float, list, np.generic)
        return np.asarray(value) if isinstance(value, plain_types) or _is_pil(value) else value


class RandomApply(RandomTransform):
    """All of the transforms in order with probability ``prob``, else none.

    Args:
        transforms (list): transforms and Python functions.
        prob (float): probability, in [0, 1]. Default: ``0.5``.

    Raises:
        TypeError: ``transforms`` is not a list of transforms, or ``prob`` not a number.
        ValueError: ``transforms`` is empty, or ``prob`` not in [0, 1].

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import transforms
        >>> transforms.RandomApply([np.square], prob=1.0)(np.array([3])).tolist()
        [9]
    """

    transforms: Sequence[Any]
    prob: float = 0.5
    stackable: ClassVar[bool] = False

    def check(self) -> None:
        """Check the arguments, and store ``transforms`` as a tuple of transforms."""
        transforms = arguments.operations(self, "transforms", self.transforms, as_transform)
        self.normalise(transforms=transforms)
        arguments.probability(self, "prob", self.prob)

    @property
    def is_python_only_in_mindspore(self) -> bool:
        return are_chosen_in_python(self.transforms)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        """Return all of the transforms with probability ``prob``, else ()."""
        return self.transforms if rng.random() < self.prob else ()


class RandomChoice(RandomTransform):
    """One of the transforms, chosen uniformly at random.

    Args:
        transforms (list): transforms and Python functions.

    Raises:
        TypeError: ``transforms`` is not a list of transforms.
        ValueError: ``transforms`` is empty.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import transforms
        >>> transforms.RandomChoice([np.square, np.abs])(np.array([1])).tolist()
        [1]
    """

    transforms: Sequence[Any]
    stackable: ClassVar[bool] = False

    def check(self) -> None:
        """Check the arguments, and store ``transforms`` as a tuple of transforms."""
        transforms = arguments.operations(self, "transforms", self.transforms, as_transform)
        self.normalise(transforms=transforms)

    @property
    def is_python_only_in_mindspore(self) -> bool:
        return are_chosen_in_python(self.transforms)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        return (self.transforms[draw_int(rng, 0, len(self.transforms) - 1)],)


class RandomOrder(RandomChoice):
    """All of the transforms, in a random order for each row.

    Args:
        transforms (list): transforms and Python functions.

    Raises:
        TypeError: ``transforms`` is not a list of transforms.
        ValueError: ``transforms`` is empty.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import transforms
        >>> transforms.RandomOrder([np.square, np.abs])(np.array([-2])).tolist()
        [4]
    """

    is_python_only_in_mindspore = True

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        return [self.transforms[i] for i in rng.permutation(len(self.transforms))]


def not_random(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a Python function as deterministic, so that its results may be cached.

    Sets ``function.random`` to False and returns the function itself.
    """
    function.random = False  # type: ignore[attr-defined]
    return function
