"""Patterns of texts mean what they mean to ICU, which the real MindSpore 2.10 asks."""

from __future__ import annotations

import numpy as np
import pytest

from minispore.dataset import text
from minispore.dataset.text.patterns import compile_pattern

FOUND = [
    (r"\p{Lu}+", "aBCé中É", ["BC", "É"]),
    (r"\P{L}+", "a1!b", ["1!"]),
    (r"\p{Han}+", "a中国々b\u3007", ["中国々", "\u3007"]),
    (r"\p{script=Greek}", "aΣb", ["Σ"]),
    (r"\p{Latin}+", "aªⅣΣ", ["aªⅣ"]),
    (r"[[:alpha:]]+", "ab1c", ["ab", "c"]),
    (r"[[:^alpha:]]+", "ab1 c", ["1 "]),
    (r"[\p{L}\p{N}]+", "a½b-1", ["a½b", "1"]),
    (r"[a-z&&[^bc]]+", "abcde", ["a", "de"]),
    (r"[\p{L}--[a-c]]+", "abcde", ["de"]),
    (r"[[a-c][x-z]]+", "abmyz", ["ab", "yz"]),
    (r"[]a]+", "b]a", ["]a"]),
    (r"[a\]]+", "b]a", ["]a"]),
    (r"\w+", "e\u0301t ½ ②", ["e\u0301t"]),  # marks are parts of words, fractions are none
    (r"\s", "a\x1c\u3000\u200b", ["\u3000"]),
    (r"\h+", "a\t \nb", ["\t "]),
    (r"\R", "a\r\nb\u2028", ["\r\n", "\u2028"]),
    (r".+", "a\rb\u2028c", ["a", "b", "c"]),
    (r"(?s).", "a\r\nb", ["a", "\r\n", "b"]),
    (r"[^c]c$", "ac\x85", ["ac"]),
    (r"\x{4e2d}", "中国", ["中"]),
    (r"[\x{4e00}-\u9fff]+", "a中国", ["中国"]),
    (r"\Q.*\E", "a.*", [".*"]),
    (r"(?<x>[ab])\k<x>", "abb", ["bb"]),
    (r"a\Z", "a\r\n", ["a"]),
]


@pytest.mark.parametrize(("pattern", "value", "expected"), FOUND, ids=[p for p, *_ in FOUND])
def test_a_pattern_finds_what_icu_finds(pattern: str, value: str, expected: list[str]) -> None:
    assert [match[0] for match in compile_pattern(pattern).finditer(value)] == expected


def test_both_transforms_read_them() -> None:
    assert text.RegexReplace(r"\p{Nd}", "#")(np.array("a1")).item() == "a#"
    assert text.RegexTokenizer(r"[[:space:]]+", "")(np.array("a  b")).tolist() == ["a", "b"]
    words = text.RegexTokenizer(r"\p{Han}", r"\p{Han}")(np.array("a中b"))
    assert words.tolist() == ["a", "中", "b"]


@pytest.mark.parametrize("pattern", [r"\p{Foo}", r"\pL", "[a-", "[z-a]", "a{,2}", "(", "*", "[^]"])
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(RuntimeError, match="must be a regular expression"):
        text.RegexReplace(pattern, "")
