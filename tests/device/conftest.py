"""The tests of the model are about an Ascend, unless they say otherwise."""

from __future__ import annotations

import pytest

from minispore import context


@pytest.fixture(autouse=True)
def on_an_ascend() -> None:
    context.set_context(device_target="Ascend")
