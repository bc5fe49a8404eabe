"""The pytest fixture ``minispore_check``: ``pytest_plugins = ["minispore.check.plugin"]``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from minispore.check.call import check


@pytest.fixture
def minispore_check() -> Callable[..., None]:
    """Provide ``minispore_check(net, *inputs)``, which fails the test if there are
    certain findings.
    """

    def fail_on_findings(net: Callable[..., Any], *inputs: Any, strict: bool = False) -> None:
        """Fail the test with the report if ``net`` has certain findings; those of STRICT alone
        count only if ``strict``.
        """
        report = check(net, *inputs)
        if not strict:
            report = report.without_strict()
        if not report:
            pytest.fail(report.text(), pytrace=False)

    return fail_on_findings
