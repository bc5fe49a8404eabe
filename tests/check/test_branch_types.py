"""A name that one side of a condition alone gives another type: what it was before counts."""

from __future__ import annotations

import pytest

from minispore.check import all_rules

RULE = "branch-types"
HEAD = "if x.sum() > 2:"
REFUSED = [
    f"y = x\n{HEAD}\n    y = x.astype(ms.int32)\nreturn y",
    f"y = 0\n{HEAD}\n    y = x\nreturn y",
    f"y = 0\n{HEAD}\n    y = y + x\nreturn y * 2",
    f"{HEAD}\n    x = x.astype(ms.float16)\nreturn x",
    f"y = x * 2\n{HEAD}\n    y = x > 1\nreturn y",
    f"y = x\n{HEAD}\n    y = (x, x)\nreturn y",
    "y = 0\nfor i in range(2):\n    if x.sum() > i:\n        y = y + x\nreturn y",
    "while x.sum() > 0:\n    return x\nreturn 0",
    "y = x\nwhile y.sum() < 5:\n    y = y + 1\n    if y.sum() > 3:\n        return y\nreturn 0",
    f"for i in range(3):\n    {HEAD}\n        return x\nreturn 0",
]
ACCEPTED = [
    f"y = 0\n{HEAD}\n    y = 1\nreturn x * y",
    f"y = x\n{HEAD}\n    y = x.astype(ms.int32)\nreturn x",
    f"y = 1.0\n{HEAD}\n    y = 2\nreturn x * y",
    f"y = x\n{HEAD}\n    y = x.astype(ms.int32)\n    y = y.astype(ms.float32)\nreturn y",
    f"y = x\n{HEAD}\n    y = ops.cast(x, ms.float32)\nreturn y",
    f"y = (x,)\n{HEAD}\n    y = (x, x)\nreturn y",
    f"y = [x]\n{HEAD}\n    y = [x, x]\nreturn y[0]",
    f"y = x\n{HEAD}\n    y = x * 2\nreturn y",
    "while x.sum() > 0:\n    return x\nreturn x + 1",
    "while x.sum() > 0:\n    return 1\nreturn 0",
    "n = 1\nwhile n > 0:\n    return x\nreturn 0",
]


def rules(check_script, lines: str) -> set[str]:
    text = all_rules()[RULE].program(lines).replace("mindspore", "minispore")
    return {f["rule"] for f in check_script(text)["findings"]}


@pytest.mark.parametrize("lines", REFUSED)
def test_check_reports_branches_whose_types_mindspore_cannot_join(lines: str, check_script) -> None:
    assert RULE in rules(check_script, lines)


@pytest.mark.parametrize("lines", ACCEPTED)
def test_what_they_join_or_nobody_reads_is_not(lines: str, check_script) -> None:
    assert RULE not in rules(check_script, lines)
