"""Translates ICU regular expressions, which MindSpore uses, to Python's ``re`` syntax.

ICU adds: property classes (``[[:alpha:]]``, or a backslash and p), nested sets with ``&&`` and
``--``, code points in braces, escape letters for spaces and line ends, quotes, group names without
a P. ICU's definitions of word, space and dot differ from Python's in marks, fractions and line
ends.
"""

from __future__ import annotations

import re
import sys
import unicodedata
import warnings
from collections.abc import Callable
from functools import lru_cache

from minispore.dataset.text.scripts import Ranges, get_script_ranges

MAX_CODE = sys.maxunicode
LINE_ENDS: Ranges = ((0x0A, 0x0D), (0x85, 0x85), (0x2028, 0x2029))
SPACES: Ranges = (
    *((0x09, 0x0D), (0x20, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A)),
    *((0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000)),
)
CIRCLED: Ranges = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))
JOINERS: Ranges = ((0x200C, 0x200D),)
LONG_NAMES = {"letter": "l", "mark": "m", "number": "n", "punctuation": "p", "symbol": "s"}
LONG_NAMES |= {"separator": "z", "other": "c", "digit": "nd", "punct": "p", "cntrl": "cc"}
FIXED = {"ascii": ((0, 0x7F),), "any": ((0, MAX_CODE),), "space": SPACES, "whitespace": SPACES}


def is_space(character: str) -> bool:
    """Whether a character is Unicode white space."""
    return any(low <= ord(character) <= high for low, high in SPACES)


def _collect_ranges(holds: Callable[[str], bool]) -> Ranges:
    """Return the ranges of all of Unicode's characters for which ``holds`` is true."""
    ranges, begin = [], None
    for code in range(MAX_CODE + 2):
        is_member = code <= MAX_CODE and holds(chr(code))
        if is_member and begin is None:
            begin = code
        elif not is_member and begin is not None:
            ranges.append((begin, code - 1))
            begin = None
    return tuple(ranges)


def _union_ranges(*range_lists: Ranges) -> Ranges:
    """Return the union of ranges, sorted and merged."""
    out: list[tuple[int, int]] = []
    for low, high in sorted(r for ranges in range_lists for r in ranges):
        if out and low <= out[-1][1] + 1:
            out[-1] = out[-1][0], max(out[-1][1], high)
        else:
            out.append((low, high))
    return tuple(out)


def _complement_ranges(ranges: Ranges) -> Ranges:
    """Return the ranges of all other characters; ``ranges`` must be sorted and disjoint."""
    edges = [-1, *(edge for r in ranges for edge in r), MAX_CODE + 1]
    pairs = zip(edges[::2], edges[1::2])
    return tuple((low + 1, high - 1) for low, high in pairs if low + 1 <= high - 1)


def _intersect_ranges(a: Ranges, b: Ranges) -> Ranges:
    """Return the ranges of the characters in both; each must be sorted and disjoint."""
    return _complement_ranges(_union_ranges(_complement_ranges(a), _complement_ranges(b)))


@lru_cache(maxsize=64)
def get_property_ranges(name: str) -> Ranges:
    """Return the ranges of characters that have a Unicode property; the last 64 are cached.

    It is a general category, a script, or a POSIX class such as ``alpha``. Case, spaces,
    underscores, a prefix ``is`` and anything up to ``=`` do not matter.

    Raises:
        re.error: there is no property of this name.
    """
    key = name.split("=")[-1].lower().replace("_", "").replace(" ", "").removeprefix("is")
    key = LONG_NAMES.get(key, key)
    if key in FIXED:
        return FIXED[key]
    if key == "word":
        categories = map(get_property_ranges, ("L", "Nl", "M", "Nd", "Pc"))
        return _union_ranges(CIRCLED, JOINERS, *categories)
    if key in ("alpha", "alphabetic", "alnum"):
        names = ("L", "Nl", "Mc", "Nd") if key == "alnum" else ("L", "Nl", "Mc")
        return _union_ranges(CIRCLED, *map(get_property_ranges, names))
    if key in ("upper", "uppercase", "lower", "lowercase"):
        return _collect_ranges(str.isupper if key[0] == "u" else str.islower)
    if key == "xdigit":
        letters = ((0x41, 0x46), (0x61, 0x66), (0xFF21, 0xFF26), (0xFF41, 0xFF46))
        return _union_ranges(get_property_ranges("Nd"), letters)
    if key == "blank":
        return _union_ranges(((9, 9),), get_property_ranges("Zs"))
    if key in ("graph", "print"):
        categories = map(get_property_ranges, ("Cc", "Cs", "Cn"))
        visible = _complement_ranges(_union_ranges(SPACES, *categories))
        return visible if key == "graph" else _union_ranges(visible, get_property_ranges("Zs"))
    if key in ("lc", "l&"):
        return _union_ranges(*map(get_property_ranges, ("Lu", "Ll", "Lt")))
    if re.fullmatch("[clmnpsz][a-z]?", key):
        ranges = _collect_ranges(lambda c: unicodedata.category(c).lower().startswith(key))
        if ranges:
            return ranges
    script = get_script_ranges(key)
    if script is not None:
        return script
    raise re.error(f"no property {name!r} of characters")


class _PatternTranslator:
    """Translates an ICU pattern, from left to right; an instance is used once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0  # position of the next character to read
        self.dot_matches_all = re.search(r"\(\?[a-z]*s", text) is not None
        self.is_multiline = re.search(r"\(\?[a-z]*m", text) is not None

    def match_at_start(self, python_pattern: str) -> re.Match[str] | None:
        """Match a Python pattern at the current position, and advance past the match.

        Return None, and do not advance, if it does not match; the dot matches line ends too.
        """
        match = re.compile(python_pattern, re.DOTALL).match(self.text, self.position)
        self.position = match.end() if match else self.position
        return match

    def to_python_regex(self) -> str:
        """Return the entire pattern in Python's syntax; read it to its end.

        Raises:
            re.error: a property is unknown, a set is invalid, or a repetition has no lower bound.
        """
        out = []
        line_end = _format_class(LINE_ENDS)
        while self.position < len(self.text):
            if quoted := self.match_at_start(r"\\Q(.*?)(?:\\E|\Z)"):
                out.append(re.escape(quoted[1]))
            elif self.match_at_start(r"\\R"):
                out.append(rf"(?:\r\n|{line_end})")
            elif edge := self.match_at_start(r"\\([bB])"):
                word = _format_class(get_property_ranges("word"))
                begins, ends = f"(?<!{word})(?={word})", f"(?<={word})(?!{word})"
                out.append(f"(?:{begins}|{ends})" if edge[1] == "b" else f"(?!{begins}|{ends})")
            elif self.match_at_start(r"\\z"):
                out.append(r"\Z")
            elif self.match_at_start(r"\\Z") or (
                not self.is_multiline and self.match_at_start(r"\$")
            ):
                out.append(
                    rf"(?=\Z|\r\n\Z|(?:(?<!\r)\n|{_format_class(LINE_ENDS[1:])}|[\v\f\r])\Z)"
                )
            elif self.match_at_start(r"\{,"):
                raise re.error("a number of times must have a smallest one")
            elif group_reference := self.match_at_start(r"\\k<(\w+)>"):
                out.append(f"(?P={group_reference[1]})")
            elif self.match_at_start(r"\(\?<(?![=!])"):
                out.append("(?P<")
            elif (ranges := self.read_property()) is not None:
                out.append(_format_class(ranges))
            elif self.text[self.position] == "[":
                out.append(self.read_set())
            elif self.match_at_start(r"\."):
                no_line_end = _format_class(_complement_ranges(LINE_ENDS))
                out.append(r"(?:\r\n|.)" if self.dot_matches_all else no_line_end)
            elif number := self.match_at_start(r"\\x\{([0-9a-fA-F]+)\}"):
                out.append(re.escape(_make_character(int(number[1], 16))))
            elif self.match_at_start(r"\\e"):
                out.append(r"\x1b")
            else:
                out.append(self.match_at_start(r"\\?.|\\")[0])  # type: ignore[index]  # it matches
        return "".join(out)

    def read_property(self) -> Ranges | None:
        r"""Read a property or class such as ``\p{Lu}`` or ``\d``, and return its ranges.

        Return None, and do not advance, if there is none at the current position; raise re.error
        for an unknown property.
        """
        if match := self.match_at_start(r"\\([pP])\{([^}]*)\}"):
            ranges = get_property_ranges(match[2])
            return _complement_ranges(ranges) if match[1] == "P" else ranges
        if match := self.match_at_start(r"\\([hHvVwWsSdD])"):
            kinds = {"h": "blank", "w": "word", "s": "space", "d": "Nd"}
            kind = match[1].lower()
            ranges = LINE_ENDS if kind == "v" else get_property_ranges(kinds[kind])
            return _complement_ranges(ranges) if match[1].isupper() else ranges
        return None

    def read_set(self) -> str:
        """Read the set at the current position and return it as a Python class."""
        negated, ranges = self.read_set_members()
        return _format_class(ranges, negated)

    def read_set_members(self) -> tuple[bool, Ranges]:
        """Read the set at the current position, including nested sets and operators.

        Returns:
            Whether the set is negated, and the ranges of its members.

        Raises:
            re.error: the set has no end, or a member is invalid.
        """
        if posix := self.match_at_start(r"\[:(\^?)([\w =]+):\]"):
            return posix[1] == "^", get_property_ranges(posix[2])
        negated = self.match_at_start(r"\[(\^?)")[1] == "^"  # type: ignore[index]  # called at a bracket
        result: Ranges | None = None  # result of the operators read so far
        operator = ""  # the operator between the result and the members
        members: list[Ranges] = []
        is_first = True  # a bracket or an operator in first place is a member
        while True:
            if self.position >= len(self.text):
                raise re.error("a set has no end")
            mark = None if is_first else self.match_at_start(r"\]|&&|--")
            is_first = False
            if mark is None:
                members.append(self.read_member())
                continue
            right = _union_ranges(*members)
            if result is None:
                result = right
            else:
                if operator == "--":
                    right = _complement_ranges(right)
                result = _intersect_ranges(result, right)
            if mark[0] == "]":
                return negated, result
            operator, members = mark[0], []

    def read_member(self) -> Ranges:
        """Read one member of a set: a nested set, a property, a character or a range; return its
        ranges.

        Raises:
            re.error: the range is descending, or the member is invalid.
        """
        if self.text[self.position] == "[":
            negated, ranges = self.read_set_members()
            return _complement_ranges(ranges) if negated else ranges
        if (ranges_of_property := self.read_property()) is not None:
            return ranges_of_property
        low = high = self.read_code_point()
        if self.match_at_start(r"-(?![\]\[-])"):
            high = self.read_code_point()
        if high < low:
            raise re.error("a range must go upwards")
        return ((low, high),)

    def read_code_point(self) -> int:
        """Read a character or an escape and return its code point.

        Raises:
            re.error: the pattern ends, or no character has this code point.
        """
        if match := self.match_at_start(r"\\(?:x\{([0-9a-fA-F]+)\}|x(\w{2})|u(\w{4})|U(\w{8}))"):
            return ord(_make_character(int(match[1] or match[2] or match[3] or match[4], 16)))
        match = self.match_at_start(r"\\(.)|(.)")
        if match is None:
            raise re.error("a set has no end")
        return ord(ESCAPES.get(match[1], match[1]) if match[1] else match[2])


ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "a": "\a", "e": "\x1b", "b": "\b"}


def _make_character(code: int) -> str:
    """Return the character of a code point; raise re.error for an invalid one."""
    if code > MAX_CODE:
        raise re.error(f"no character has the number {code:#x}")
    return chr(code)


def _format_class(ranges: Ranges, negated: bool = False) -> str:
    """Return ranges as a character class of Python.

    A class without ranges matches nothing, or anything if negated.
    """
    if not ranges:
        return r"[\s\S]" if negated else "(?!)"
    members = []
    for low, high in ranges:
        members.append(_format_code_point(low))
        if low < high:
            members.append("-" + _format_code_point(high))
    return f"[{'^' if negated else ''}{''.join(members)}]"


def _format_code_point(code: int) -> str:
    """Return a code point as written in a class, escaped unless an ASCII letter or digit."""
    return chr(code) if chr(code).isascii() and chr(code).isalnum() else f"\\U{code:08x}"


@lru_cache(maxsize=64)
def compile_pattern(pattern: str) -> re.Pattern[str]:
    r"""Compile a pattern in ICU's syntax to a Python pattern; the last 64 are cached.

    Raises:
        re.error: the pattern is invalid, or uses unsupported syntax.

    >>> compile_pattern(r"[\p{Lu}--[A-C]]+").findall("ABCDÉ")
    ['DÉ']
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of syntax that a later Python may change
        return re.compile(_PatternTranslator(pattern).to_python_regex())
