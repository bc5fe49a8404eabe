from __future__ import annotations

from collections.abc import Iterator

import pytest

import minispore as ms


@pytest.fixture
def op_by_op() -> Iterator[None]:
    mode = ms.get_context("mode")
    ms.set_context(mode=ms.PYNATIVE_MODE)
    yield
    ms.set_context(mode=mode)
