"""MindSpore's hybrid loop language (``ops.kernel``), run in Python instead of compiled for a
device.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import wraps
from itertools import product
from types import FunctionType
from typing import Any

import numpy as np

from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings


def kernel(
    fn: Callable[..., Any] | None = None, reg_info: Any = None, compile_attrs: Any = None
) -> Any:
    """Return a function written in MindSpore's hybrid loop language as a function of NumPy arrays,
    which Custom also accepts.

    The function may use ``output_tensor(shape, dtype)`` and ``allocate(shape, dtype)``, arrays of
    zeros; ``grid(shape)``, ``serial``, ``vectorize``, ``parallel`` and ``reduce``, which iterate
    over indices; ``block_realize`` and ``attr``, which have no effect; NumPy's dtypes and
    functions; ``rsqrt``, ``erf`` and ``ceil_div``.

    Args:
        fn (Callable, optional): the function. Default: ``None``, which gives a decorator.
        reg_info (str | tuple | dict, optional): the op's description, stored on the function.
        compile_attrs (dict, optional): attributes for the compiler; only checked, since nothing is
            compiled.

    Returns:
        Callable, the function, or a decorator.

    Raises:
        TypeError: an argument has the wrong type.

    >>> @kernel
    ... def double(x):
    ...     y = output_tensor(x.shape, x.dtype)
    ...     for i in grid(x.shape):
    ...         y[i] = x[i] * 2
    ...     return y
    >>> double(np.arange(3))
    array([0, 2, 4])
    """
    if compile_attrs is not None and not isinstance(compile_attrs, dict):
        raise TypeError(
            checks.format_error("kernel", "compile_attrs", "be a dict", repr(compile_attrs))
        )
    for key in compile_attrs or ():
        if not isinstance(key, str):
            raise TypeError(
                checks.format_error("kernel", "compile_attrs", "have keys of str", repr(key))
            )
    if reg_info is not None and not isinstance(reg_info, str | tuple | dict):
        rule = "be a str, a tuple or a dict"
        raise TypeError(checks.format_error("kernel", "reg_info", rule, repr(reg_info)))

    def decorate(fn: Callable[..., Any]) -> Callable[..., Any]:
        """Return ``fn`` with the intrinsics of the language among its globals.

        Raises:
            TypeError: ``fn`` is not a function.
        """
        checks.function("kernel", "fn", fn)

        @wraps(fn)
        def run_with_intrinsics(*args: Any) -> Any:
            """Run ``fn`` with the intrinsics among its globals."""
            namespace = {**fn.__globals__, **_INTRINSICS}
            body = FunctionType(
                fn.__code__, namespace, fn.__name__, fn.__defaults__, fn.__closure__
            )
            return body(*args)

        if reg_info is not None:
            run_with_intrinsics.reg_info = reg_info  # type: ignore[attr-defined]
        return run_with_intrinsics

    return decorate if fn is None else decorate(fn)


def _allocate_tensor(
    shape: Sequence[int], dtype: Any = "float32", scope: str = "global"
) -> np.ndarray:
    """Return zeros: the intrinsics ``allocate`` and ``output_tensor``; ``scope`` has no effect."""
    return np.zeros(shape, dtype)


def _iterate_grid(extents: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Iterate over the index tuples of a grid of these ``extents``."""
    return product(*map(range, extents))


_INTRINSICS: dict[str, Any] = {
    "allocate": _allocate_tensor, "output_tensor": _allocate_tensor, "grid": _iterate_grid,
    **dict.fromkeys(("serial", "vectorize", "parallel", "reduce"), range),
    **dict.fromkeys(("attr", "block_realize"), lambda *args: nullcontext()),
    **{name: getattr(np, name) for name in (
        "abs", "ceil", "cos", "exp", "expm1", "float16", "float32", "float64", "floor", "int16",
        "int32", "int64", "int8", "isfinite", "isinf", "isnan", "log", "power", "round", "sign",
        "sin", "sqrt", "tanh", "trunc",
    )},
    "atan": np.arctan, "atan2": np.arctan2, "erf": math.erf,
    "rsqrt": lambda x: 1 / np.sqrt(x), "ceil_div": lambda a, b: (a + b - 1) // b,
}  # fmt: skip

__all__ = ["kernel"]

attach_docstrings("minispore.ops", __name__)
