"""What a Cell keeps beside its tensors, in its state dict."""

from __future__ import annotations

from typing import Any

import pytest

from minispore import Parameter, Tensor, nn


class Counted(nn.Cell):
    def __init__(self, seen: int = 3) -> None:
        super().__init__()
        self.w = Parameter(Tensor([1.0]), name="w")
        self.seen = seen

    def get_extra_state(self) -> Any:
        return {"seen": self.seen, "w": float(self.w.asnumpy()[0])}

    def set_extra_state(self, state: Any) -> None:
        self.seen, self.w_then = state["seen"], float(self.w.asnumpy()[0])


class Net(nn.Cell):
    def __init__(self, seen: int = 3) -> None:
        super().__init__()
        self.inner, self.dense = Counted(seen), nn.Dense(1, 1)


def test_extra_state_follows_the_tensors_of_its_cell() -> None:
    keys = ["inner.w", "inner._extra_state", "dense.weight", "dense.bias"]
    actual = Net().state_dict()
    assert list(actual) == keys and actual["inner._extra_state"] == {"seen": 3, "w": 1.0}


def test_extra_state_is_loaded_after_the_tensors() -> None:
    old, new = Net(7), Net()
    old.inner.w.set_data(Tensor([5.0]))
    assert new.load_state_dict(old.state_dict()) == ([], [])
    assert new.inner.seen == 7 and new.inner.w_then == 5.0


def test_missing_or_unexpected_extra_state_is_reported() -> None:
    actual = Net().state_dict()
    del actual["inner._extra_state"]
    with pytest.raises(RuntimeError, match=r"missing: inner\._extra_state"):
        Net().load_state_dict(actual)
    assert Net().load_state_dict(actual, strict=False).missing_keys == ["inner._extra_state"]
    dense = nn.Dense(1, 1)
    with pytest.raises(RuntimeError, match="unexpected: _extra_state"):
        dense.load_state_dict({**dense.state_dict(), "_extra_state": 1})


def test_a_wrong_tensor_leaves_the_state_as_it_was() -> None:
    net, actual = Net(), Net(7).state_dict()
    actual["dense.bias"] = Tensor([1.0, 2.0])
    with pytest.raises(RuntimeError, match="must have the shape"):
        net.load_state_dict(actual)
    assert net.inner.seen == 3


def test_other_cells_have_none() -> None:
    with pytest.raises(RuntimeError, match="has no extra state"):
        nn.Dense(1, 1).get_extra_state()
    with pytest.raises(RuntimeError, match="has no extra state"):
        nn.Dense(1, 1).set_extra_state(1)
