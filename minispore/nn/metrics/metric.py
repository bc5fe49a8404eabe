"""Metric: the base of metrics, which accumulate over an evaluation."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks


def rearrange_inputs(func: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate ``update`` to get only the inputs chosen by :meth:`Metric.set_indexes`."""

    @functools.wraps(func)
    def update_with_chosen(self: Metric, *inputs: Any) -> Any:
        return func(self, *(inputs if not self.indexes else [inputs[i] for i in self.indexes]))

    return update_with_chosen


class Metric:
    """Base of all metrics: ``clear()`` resets, ``update(...)`` adds a batch, ``eval()`` evaluates.

    >>> class Count(Metric):
    ...     def clear(self): self.n = 0
    ...     def update(self, x): self.n += len(x)
    ...     def eval(self): return self.n
    >>> Count()([1, 2, 3])
    3
    """

    def __init__(self) -> None:
        self._indexes: list[int] | None = None

    def clear(self) -> None:
        """Reset the metric; subclasses override it.

        Raises:
            AttributeError: the subclass defines no ``clear``.
        """
        raise AttributeError(f"{type(self).__name__}: must define clear(self).")

    def update(self, *inputs: Any) -> None:
        """Add a batch; subclasses override it.

        Raises:
            AttributeError: the subclass defines no ``update``.
        """
        raise AttributeError(f"{type(self).__name__}: must define update(self, ...).")

    def eval(self) -> Any:
        """Return the result over all batches; subclasses override it.

        Raises:
            AttributeError: the subclass defines no ``eval``.
        """
        raise AttributeError(f"{type(self).__name__}: must define eval(self).")

    def __call__(self, *inputs: Any) -> Any:
        """Reset the metric, and return the result for these inputs alone."""
        self.clear()
        self.update(*inputs)
        return self.eval()

    @property
    def indexes(self) -> list[int] | None:
        """The positions of the inputs that ``update`` takes, or None for all."""
        return getattr(self, "_indexes", None)

    def set_indexes(self, indexes: list[int]) -> Any:
        """Choose the inputs that ``update`` takes, by position; returns the metric.

        Raises:
            ValueError: ``indexes`` is not a list of ints.
        """
        if not isinstance(indexes, list) or not all(isinstance(i, int) for i in indexes):
            raise ValueError(
                f"{type(self).__name__}: indexes must be a list of ints, got {indexes!r}."
            )
        self._indexes = indexes
        return self

    def _convert_data(self, data: Any) -> np.ndarray:
        """Convert an input to a NumPy array.

        Raises:
            TypeError: it is not a Tensor, list or array of numbers.
        """
        if isinstance(data, Tensor):
            return data.asnumpy()
        if isinstance(data, list | np.ndarray):
            data = np.asarray(data)
            if data.dtype.kind not in "USO":
                return data
        raise TypeError(
            f"{type(self).__name__}: an input must be a Tensor, list or numpy.ndarray of "
            f"numbers, got {checks.format_value(data)}."
        )

    def _convert_inputs_(self, inputs: tuple[Any, ...], *names: str) -> list[np.ndarray]:
        """Convert the inputs of ``update`` to arrays.

        Raises:
            ValueError: the number of inputs is not that of ``names``.
        """
        if len(inputs) != len(names):
            raise ValueError(
                f"{type(self).__name__}.update: needs {len(names)} inputs ({', '.join(names)}), "
                f"got {len(inputs)}."
            )
        return [self._convert_data(x) for x in inputs]

    def _check_count_(self, count: Any) -> None:
        """Check that ``eval`` has samples to evaluate.

        Raises:
            RuntimeError: ``count`` is 0.
        """
        if not count:
            raise RuntimeError(
                f"{type(self).__name__}.eval: needs at least one sample, got none. Call update "
                "first."
            )


class EvaluationBase(Metric):
    """Base of metrics for classes (``"classification"``) or for labels 0 and 1 (``"multilabel"``).

    Raises:
        TypeError: ``eval_type`` is invalid.
    """

    def __init__(self, eval_type: str) -> None:
        super().__init__()
        if eval_type not in ("classification", "multilabel"):
            raise TypeError(
                f"{type(self).__name__}: eval_type must be 'classification' or 'multilabel', "
                f"got {eval_type!r}."
            )
        self._type = eval_type

    def _check_shape(self, y_pred: np.ndarray, y: np.ndarray) -> None:
        """Check the shapes of y_pred and y: y has no class axis 1, or for multilabel the same
        shape.

        Raises:
            ValueError: the shapes do not match.
        """
        name = type(self).__name__
        if self._type == "classification":
            if y_pred.ndim != y.ndim + 1 or y.shape != y_pred.shape[:1] + y_pred.shape[2:]:
                raise ValueError(
                    f"{name}.update: y must have the shape of y_pred without axis 1, "
                    f"got y_pred {y_pred.shape} and y {y.shape}."
                )
        elif y_pred.shape != y.shape:
            raise ValueError(
                f"{name}.update: y must have the shape of y_pred, got {y.shape} and {y_pred.shape}."
            )

    def _check_value(self, y_pred: np.ndarray, y: np.ndarray) -> None:
        """Check that the inputs of ``"multilabel"`` are 0 or 1; raises ValueError."""
        if self._type == "multilabel" and not (_is_binary(y_pred) and _is_binary(y)):
            raise ValueError(
                f"{type(self).__name__}.update: y_pred and y must be 0 or 1 everywhere, got other "
                "values."
            )

    def _prepare_inputs(
        self, inputs: tuple[Any, ...], classes: int
    ) -> tuple[np.ndarray, np.ndarray, int]:
        """Convert and check the inputs of ``update``; return y_pred, y and the class count.

        For ``"classification"``, y holds class indices. ``classes`` is the count so far, or 0.
        """
        y_pred, y = self._convert_inputs_(inputs, "y_pred", "y")
        if self._type == "classification":
            y = to_class_numbers(y_pred, y)
        self._check_shape(y_pred, y)
        self._check_value(y_pred, y)
        return y_pred, y, check_class_count(self, y_pred, classes)


def _is_binary(data: np.ndarray) -> bool:
    return bool(np.isin(data, (0, 1)).all())


def is_onehot(data: np.ndarray) -> bool:
    """Whether each row along axis 1 has a single 1, and 0 elsewhere."""
    return data.ndim > 1 and _is_binary(data) and bool((data.sum(axis=1) == 1).all())


def to_class_numbers(y_pred: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Convert one-hot labels to class indices; return other labels unchanged."""
    return y.argmax(axis=1) if y_pred.ndim == y.ndim and is_onehot(y) else y


def check_class_count(metric: Metric, y_pred: np.ndarray, classes: int) -> int:
    """Return the number of classes, the length of axis 1 of ``y_pred``.

    Raises:
        ValueError: it differs from ``classes``, the number in earlier updates; 0 if there were
            none.
    """
    if classes and y_pred.shape[1] != classes:
        raise ValueError(
            f"{type(metric).__name__}.update: y_pred must have {classes} classes as before, "
            f"got {y_pred.shape[1]}."
        )
    return y_pred.shape[1]


__all__ = ["EvaluationBase", "Metric", "rearrange_inputs"]
