"""Errors: what they say, and when they look for it."""

from __future__ import annotations

import difflib
import pickle
from typing import Any

import pytest

from minispore import nn
from minispore.device.model.spec import SPECS
from minispore.errors import MissingAttribute
from minispore.parallel._auto_parallel_context import auto_parallel_context
from minispore.train.callback.base import InternalCallbackParam

ASKED = [
    nn.Dense(2, 3),
    InternalCallbackParam(cur_step_num=3),
    auto_parallel_context(),
    next(iter(SPECS.values())),
]


@pytest.mark.parametrize("obj", ASKED, ids=lambda o: type(o).__name__)
def test_asking_for_a_missing_attribute_looks_for_no_close_name(
    obj: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("looked for a close name that nobody reads")

    monkeypatch.setattr(difflib, "get_close_matches", never)
    assert not hasattr(obj, "weihgt")
    assert getattr(obj, "weihgt", None) is None


def test_a_missing_attribute_suggests_a_similar_name() -> None:
    with pytest.raises(MissingAttribute, match=r"Dense: has no attribute 'weihgt'.*'weight'"):
        nn.Dense(2, 3).weihgt


def test_a_missing_attribute_crosses_to_another_process() -> None:
    try:
        nn.Dense(2, 3).weihgt
    except MissingAttribute as exc:
        assert str(pickle.loads(pickle.dumps(exc))) == str(exc)
