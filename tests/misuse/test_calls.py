"""What beginners get wrong: nothing passes in silence, and each message says what to do.

``calls.txt`` holds one call after the other, each with the exception (or warning) that it must end
in and words that its message, or the notes beside it, must hold.
"""

from __future__ import annotations

import itertools
import re
import traceback
import warnings
from pathlib import Path

import pytest

from tests.misuse import names

TABLE = Path(__file__).with_name("calls.txt")


def calls() -> list[tuple[str, str, str]]:
    """Call, exception and words of each entry."""
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line]
    results = []
    for call, message in itertools.pairwise(lines):
        if message.startswith("    ") and not call.startswith("    "):
            kind, _, words = message.strip().partition(": ")
            results.append((call, kind, words))
    return results


def outcome(call: str) -> tuple[str, str]:
    """The exception or the warning that a call ends in, and its text with all notes."""
    space = {name: getattr(names, name) for name in names.__all__}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(compile(call, "<call>", "exec"), space)
        except BaseException as error:
            return type(error).__name__, "\n".join(traceback.format_exception_only(error))
    if caught:
        return caught[0].category.__name__, str(caught[0].message)
    return "nothing", ""


@pytest.mark.parametrize(("call", "kind", "words"), calls(), ids=[call for call, *_ in calls()])
def test_a_wrong_call_says_what_is_wrong(call, kind, words, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    got, text = outcome(call)
    assert got == kind, text
    assert not re.search(r"'\w+' object (has no|is not)", text), "it tells of our insides"
    assert words in text


def test_the_table_has_each_call_once() -> None:
    listed = [call for call, *_ in calls()]
    assert len(listed) == len(set(listed))
    assert len(listed) >= 300
