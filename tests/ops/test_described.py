"""Ops that a script describes."""

from __future__ import annotations

import pytest

from minispore.ir.registry import registry
from minispore.ops.primitive import PrimitiveWithCheck, PrimitiveWithInfer, prim_attr_register


@pytest.mark.parametrize("base", [PrimitiveWithInfer, PrimitiveWithCheck])
def test_arguments_of_a_described_op_become_attributes(base: type) -> None:
    class Add(base):  # type: ignore[misc]  # named as one of ours, which stays
        @prim_attr_register
        def __init__(self, axis: int, keep: bool = False) -> None:
            self.seen = self.axis

    op = Add(3)
    assert (op.name, op.axis, op.keep, op.seen, op.attrs) == (
        "Add",
        3,
        False,
        3,
        {"axis": 3, "keep": False},
    )
    assert not issubclass(registry["Add"], PrimitiveWithInfer)


def test_a_described_op_can_not_be_called() -> None:
    with pytest.raises(RuntimeError, match="Mine: must have a kernel"):
        PrimitiveWithInfer("Mine")(1)
