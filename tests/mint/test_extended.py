"""Names that end in ``_ext``: functions with the arguments of ``mint``, at ``ops.function``."""

from __future__ import annotations

import pytest

from minispore import Tensor, mint, ops
from minispore.ops.auto_generate.gen_ops_def import add_ext


def test_they_are_those_of_mint() -> None:
    assert ops.function.array_func.max_ext is mint.max
    assert ops.function.nn_func.interpolate_ext is mint.nn.functional.interpolate
    assert ops.function.random_func.randn_ext is mint.randn
    assert add_ext is ops.function.math_func.add_ext
    actual = ops.auto_generate.add_ext(Tensor([1.0]), Tensor([2.0]), alpha=2)
    assert actual.asnumpy() == [5]


def test_listed_ext_names_are_callable_and_other_names_raise() -> None:
    for door in (ops.function.array_func, ops.function.math_func, ops.auto_generate):
        listed = [name for name in dir(door) if name.endswith("_ext")]
        assert listed and all(callable(getattr(door, name)) for name in listed)
    with pytest.raises(AttributeError, match="no_such_ext"):
        ops.function.array_func.no_such_ext
