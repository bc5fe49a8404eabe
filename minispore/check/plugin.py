"""The pytest fixture ``minispore_check``: ``pytest_plugins = ["minispore.check.plugin"]``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from minispore.check.call import check


@pytest.fixture
def minispore_check() -> Callable[..., None]:
    """``minispore_check(net, *inputs)`` fails the test with the findings, if there are any."""

    def run(net: Callable[..., Any], *inputs: Any, strict: bool = False) -> None:
        found = check(net, *inputs)
        if not strict:
            found = found.without_strict()
        if not found:
            pytest.fail(found.text(), pytrace=False)

    return run
