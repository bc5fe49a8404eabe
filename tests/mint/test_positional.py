"""Functions of ``ops.function`` that have the arguments of ``mint``, by position."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor
from minispore.ops.auto_generate import (
    add_ext,
    log_softmax_ext,
    mean_ext,
    prod_ext,
    sort_ext,
    sub_ext,
    sum_ext,
)
from minispore.ops.function.array_func import repeat_interleave_ext

X = Tensor(np.array([[1.0, 3.0, 2.0]], np.float32))

CALLS: dict[str, tuple[Callable[[], Any], Any]] = {
    "add": (lambda: add_ext(X, X, 2), [[3.0, 9.0, 6.0]]),
    "sub": (lambda: sub_ext(X, X, 3), [[-2.0, -6.0, -4.0]]),
    "mean": (lambda: mean_ext(X, 1, True, ms.float64), [[2.0]]),
    "sum": (lambda: sum_ext(X, 1, False, ms.float64), [6.0]),
    "prod": (lambda: prod_ext(X, 1, False, ms.float64), [6.0]),
    "sort": (lambda: sort_ext(X, 1, True, True)[0], [[3.0, 2.0, 1.0]]),
    "log_softmax": (lambda: log_softmax_ext(X * 0, 1, ms.float64).exp() * 3, [[1.0] * 3]),
    "repeat_interleave": (lambda: repeat_interleave_ext(X, 2, 0, 2), [[1.0, 3.0, 2.0]] * 2),
}


@pytest.mark.parametrize("name", CALLS)
def test_keyword_only_mint_arguments_are_positional_in_ops_function(name: str) -> None:
    call, expected = CALLS[name]
    output = call()
    np.testing.assert_allclose(output.asnumpy(), expected, rtol=1e-6)
    assert output.dtype == (ms.float64 if "float64" in str(call.__code__.co_names) else ms.float32)


def test_too_many_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="positional argument"):
        add_ext(X, X, 1, 2)


def test_a_repeated_argument_is_refused() -> None:
    with pytest.raises(TypeError, match="alpha"):
        add_ext(X, X, 1, alpha=2)
