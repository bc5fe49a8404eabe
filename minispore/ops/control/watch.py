"""Ops that observe values while a computation runs: checks, summaries, dumps."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Cotangents, Effect, Primitive
from minispore.core.tensor import Tensor
from minispore.ir.value import Spec
from minispore.ops.support.arguments import check_tensor_spec

_FLOAT32, _INT32 = np.dtype(np.float32), np.dtype(np.int32)


class FloatStatus(Primitive):
    """[1.0] if an element is infinite or NaN, else [0.0].

    >>> print(FloatStatus()(Tensor([1.0, float("nan")])))
    [1.]
    """

    def infer(self, x: Spec) -> Spec:
        if check_tensor_spec(self.name, x).dtype.kind != "f":
            raise TypeError(f"{self.name}: x must be a float tensor, got {x}.")
        return Spec((1,), _FLOAT32)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Write 1 if an element is infinite or NaN, else 0."""
        out[0] = not np.isfinite(x).all()


class CheckNumerics(Primitive):
    """``x``, if all its elements are finite.

    Raises:
        RuntimeError: when it runs: an element is infinite or NaN.

    >>> print(CheckNumerics()(Tensor([1.0])))
    [1.]
    """

    effect = Effect.EXTERNAL

    def infer(self, x: Spec) -> Spec:
        if check_tensor_spec(self.name, x).dtype.kind != "f":
            raise TypeError(f"{self.name}: x must be a float tensor, got {x}.")
        return x

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Copy x; raise RuntimeError if an element is infinite or NaN."""
        if not np.isfinite(x).all():
            kind = "NaN" if np.isnan(x).any() else "Inf"
            raise RuntimeError(f"{self.name}: every element must be finite, got {kind}.")
        np.copyto(out, x)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (dout,)


#: Called with (kind, name, array) for each summary op that runs.
listeners: list[Callable[[str, str, np.ndarray], None]] = []
#: The last array of each summary op, by (name, kind).
latest: dict[tuple[str, str], np.ndarray] = {}


class _Summary(Primitive):
    """An op that passes a named tensor to the summary listeners."""

    kind: ClassVar[str]
    effect = Effect.EXTERNAL

    def find_shape_error(self, value: Spec) -> str:
        """Return the rule that ``value`` breaks, as the end of "value must", or ""."""
        return ""

    def infer(self, name: Any, value: Spec) -> Spec:
        """Return a 0-d int32; raise unless ``name`` is a str and ``value`` has a shape for this
        summary.
        """
        if not isinstance(name, str) or not name:
            error = ValueError if name == "" else TypeError
            raise error(f"{self.name}: name must be a str that is not empty, got {name!r}.")
        broken_rule = self.find_shape_error(check_tensor_spec(self.name, value, "value"))
        if broken_rule:
            raise ValueError(f"{self.name}: value must {broken_rule}, got {value}.")
        return Spec((), _INT32)

    def kernel(self, name: str, value: np.ndarray, *, out: np.ndarray) -> None:
        """Store a copy of the value in ``latest`` under its name and kind, and pass one to each
        function in ``listeners``; the output is a 0.
        """
        latest[name, self.kind] = value.copy()
        for listener in listeners:
            listener(self.kind, name, value.copy())
        out.fill(0)


class ScalarSummary(_Summary):
    """Passes a tensor of one element to the summary listeners.

    >>> listeners.append(lambda kind, name, value: print(kind, name, value))
    >>> _ = ScalarSummary()("loss", Tensor(0.5))
    scalar loss 0.5
    >>> _ = listeners.pop()
    """

    kind = "scalar"

    def find_shape_error(self, value: Spec) -> str:
        """Return "" if ``value`` has one element and at most 1 axis, else the broken rule."""
        return "" if value.size == 1 and value.ndim < 2 else "hold one element"


class TensorSummary(_Summary):
    """Passes a tensor to the summary listeners."""

    kind = "tensor"

    def find_shape_error(self, value: Spec) -> str:
        """Return "" if ``value`` has an axis, else the broken rule."""
        return "" if value.ndim else "have at least 1 axis"


class HistogramSummary(_Summary):
    """Passes a tensor to the summary listeners, to show the distribution of its elements."""

    kind = "histogram"

    def find_shape_error(self, value: Spec) -> str:
        """Return "" if ``value`` has an axis, else the broken rule."""
        return "" if value.ndim else "have at least 1 axis"


class ImageSummary(_Summary):
    """Passes images (N, C, H, W) to the summary listeners."""

    kind = "image"

    def find_shape_error(self, value: Spec) -> str:
        """Return "" if ``value`` has 4 axes, else the broken rule."""
        return "" if value.ndim == 4 else "have 4 axes (N, C, H, W)"


_dump_counter = itertools.count()


class TensorDump(Primitive):
    """Writes a tensor to ``<file>_<dtype>_<number>.npy``, where the number counts the dumps.

    Returns a scalar 0, since every op has an output.
    """

    input_output: str = "out"
    effect = Effect.EXTERNAL

    def check(self) -> None:
        if self.input_output not in ("in", "out"):
            raise ValueError(
                f"{self.name}: input_output must be 'in' or 'out', got {self.input_output!r}."
            )

    def infer(self, file: Any, x: Spec) -> Spec:
        """Return the spec of the output, a 0-d int32; raise TypeError unless ``file`` is a path."""
        if not isinstance(file, str) or not file:
            raise TypeError(f"{self.name}: file must be a path, got {file!r}.")
        check_tensor_spec(self.name, x, "input_x")
        return Spec((), _INT32)

    def kernel(self, file: str, x: np.ndarray, *, out: np.ndarray) -> None:
        """Save x as ``<file>_<dtype>_<number>.npy`` with the next number of the process, and create
        missing folders.
        """
        path = Path(file.removesuffix(".npy"))
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path.with_name(f"{path.name}_{x.dtype.name}_{next(_dump_counter)}.npy"), x)
        out.fill(0)


def tensordump(file_name: str, tensor: Tensor, mode: str = "out") -> None:
    """Write ``tensor`` to ``<file_name>_<dtype>_<number>.npy``, where the number counts the dumps;
    ``mode`` is only checked.
    """
    TensorDump(mode)(file_name, tensor)


__all__ = [
    "CheckNumerics",
    "FloatStatus",
    "HistogramSummary",
    "ImageSummary",
    "ScalarSummary",
    "TensorDump",
    "TensorSummary",
    "tensordump",
]
