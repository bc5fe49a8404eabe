"""Regular expressions as ICU reads them, which MindSpore uses, said in those of Python's ``re``.

What ICU has beyond: classes by properties (``[[:alpha:]]``, and those of a backslash and p), sets
in sets with ``&&`` and ``--``, characters by number in braces, spaces and ends of lines by letters,
quotes, names of groups without a P. Its words, spaces and dots differ from Python's in marks,
fractions and ends of lines.
"""

from __future__ import annotations

import re
import sys
import unicodedata
import warnings
from collections.abc import Callable
from functools import lru_cache

from minispore.dataset.text.scripts import Ranges, characters_of

END = sys.maxunicode
LINE_ENDS: Ranges = ((0x0A, 0x0D), (0x85, 0x85), (0x2028, 0x2029))
SPACES: Ranges = (
    *((0x09, 0x0D), (0x20, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A)),
    *((0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000)),
)
CIRCLED: Ranges = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))
JOINERS: Ranges = ((0x200C, 0x200D),)
LONG_NAMES = {"letter": "l", "mark": "m", "number": "n", "punctuation": "p", "symbol": "s"}
LONG_NAMES |= {"separator": "z", "other": "c", "digit": "nd", "punct": "p", "cntrl": "cc"}
FIXED = {"ascii": ((0, 0x7F),), "any": ((0, END),), "space": SPACES, "whitespace": SPACES}


def is_space(character: str) -> bool:
    """Whether a character is white space of Unicode."""
    return any(low <= ord(character) <= high for low, high in SPACES)


def _ranges(holds: Callable[[str], bool]) -> Ranges:
    found, begin = [], None
    for code in range(END + 2):
        inside = code <= END and holds(chr(code))
        if inside and begin is None:
            begin = code
        elif not inside and begin is not None:
            found.append((begin, code - 1))
            begin = None
    return tuple(found)


def _union(*parts: Ranges) -> Ranges:
    out: list[tuple[int, int]] = []
    for low, high in sorted(r for part in parts for r in part):
        if out and low <= out[-1][1] + 1:
            out[-1] = out[-1][0], max(out[-1][1], high)
        else:
            out.append((low, high))
    return tuple(out)


def _without(ranges: Ranges) -> Ranges:
    edges = [-1, *(edge for r in ranges for edge in r), END + 1]
    pairs = zip(edges[::2], edges[1::2])
    return tuple((low + 1, high - 1) for low, high in pairs if low + 1 <= high - 1)


def _both(a: Ranges, b: Ranges) -> Ranges:
    return _without(_union(_without(a), _without(b)))


@lru_cache(maxsize=64)
def property_of(name: str) -> Ranges:
    """The characters that have a property of Unicode.

    Raises:
        re.error: there is none of this name.
    """
    key = name.split("=")[-1].lower().replace("_", "").replace(" ", "").removeprefix("is")
    key = LONG_NAMES.get(key, key)
    if key in FIXED:
        return FIXED[key]
    if key == "word":
        marks = (property_of(kind) for kind in ("L", "Nl", "M", "Nd", "Pc"))
        return _union(CIRCLED, JOINERS, *marks)
    if key in ("alpha", "alphabetic", "alnum"):
        kinds = ("L", "Nl", "Mc", "Nd") if key == "alnum" else ("L", "Nl", "Mc")
        return _union(CIRCLED, *map(property_of, kinds))
    if key in ("upper", "uppercase", "lower", "lowercase"):
        return _ranges(str.isupper if key[0] == "u" else str.islower)
    if key == "xdigit":
        letters = ((0x41, 0x46), (0x61, 0x66), (0xFF21, 0xFF26), (0xFF41, 0xFF46))
        return _union(property_of("Nd"), letters)
    if key == "blank":
        return _union(((9, 9),), property_of("Zs"))
    if key in ("graph", "print"):
        seen = _without(_union(SPACES, property_of("Cc"), property_of("Cs"), property_of("Cn")))
        return seen if key == "graph" else _union(seen, property_of("Zs"))
    if key in ("lc", "l&"):
        return _union(*map(property_of, ("Lu", "Ll", "Lt")))
    if re.fullmatch("[clmnpsz][a-z]?", key):
        found = _ranges(lambda c: unicodedata.category(c).lower().startswith(key))
        if found:
            return found
    script = characters_of(key)
    if script is not None:
        return script
    raise re.error(f"no property {name!r} of characters")


class _Reader:
    """Reads a pattern from left to right."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.dots, self.lines = (re.search(rf"\(\?[a-z]*{flag}", text) for flag in "sm")

    def take(self, what: str) -> re.Match[str] | None:
        """What a pattern of Python matches here, which is then read."""
        found = re.compile(what, re.DOTALL).match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found

    def whole(self) -> str:
        """The pattern in Python's words."""
        out = []
        while self.at < len(self.text):
            if quoted := self.take(r"\\Q(.*?)(?:\\E|\Z)"):
                out.append(re.escape(quoted[1]))
            elif self.take(r"\\R"):
                out.append(f"(?:\\r\\n|{_class(LINE_ENDS)})")
            elif edge := self.take(r"\\([bB])"):
                word = _class(property_of("word"))
                begins, ends = f"(?<!{word})(?={word})", f"(?<={word})(?!{word})"
                out.append(f"(?:{begins}|{ends})" if edge[1] == "b" else f"(?!{begins}|{ends})")
            elif self.take(r"\\z"):
                out.append(r"\Z")
            elif self.take(r"\\Z") or (not self.lines and self.take(r"\$")):
                out.append(rf"(?=\Z|\r\n\Z|(?:(?<!\r)\n|{_class(LINE_ENDS[1:])}|[\v\f\r])\Z)")
            elif self.take(r"\{,"):
                raise re.error("a number of times must have a smallest one")
            elif named := self.take(r"\\k<(\w+)>"):
                out.append(f"(?P={named[1]})")
            elif self.take(r"\(\?<(?![=!])"):
                out.append("(?P<")
            elif (found := self.known()) is not None:
                out.append(_class(found))
            elif self.text[self.at] == "[":
                out.append(self.set())
            elif self.take(r"\."):
                out.append(r"(?:\r\n|.)" if self.dots else _class(_without(LINE_ENDS)))
            elif number := self.take(r"\\x\{([0-9a-fA-F]+)\}"):
                out.append(re.escape(_character(int(number[1], 16))))
            elif self.take(r"\\e"):
                out.append(r"\x1b")
            else:
                out.append(self.take(r"\\?.|\\")[0])  # type: ignore[index]  # something is there
        return "".join(out)

    def known(self) -> Ranges | None:
        """The class that is named here, if one is."""
        if found := self.take(r"\\([pP])\{([^}]*)\}"):
            ranges = property_of(found[2])
            return _without(ranges) if found[1] == "P" else ranges
        if found := self.take(r"\\([hHvVwWsSdD])"):
            kinds = {"h": "blank", "w": "word", "s": "space", "d": "Nd"}
            kind = found[1].lower()
            ranges = LINE_ENDS if kind == "v" else property_of(kinds[kind])
            return _without(ranges) if found[1].isupper() else ranges
        return None

    def set(self) -> str:
        """The set that begins here, as a class."""
        negated, ranges = self.members()
        return _class(ranges, negated)

    def members(self) -> tuple[bool, Ranges]:
        """Whether the set that begins here stands for all others, and what is named in it."""
        if posix := self.take(r"\[:(\^?)([\w =]+):\]"):
            return posix[1] == "^", property_of(posix[2])
        negated = self.take(r"\[(\^?)")[1] == "^"  # type: ignore[index]  # called at a bracket
        left: Ranges | None = None
        here: list[Ranges] = []
        how, first = "", True
        while True:
            if self.at >= len(self.text):
                raise re.error("a set has no end")
            end = not first and self.take(r"\]")
            joint = None if end or first else self.take("&&|--")
            if end or joint:
                right = _union(*here)
                if left is None:
                    left = right
                else:
                    left = _both(left, right if how == "&&" else _without(right))
                if end:
                    return negated, left
                how, here = joint[0] if joint else "", []
            elif self.text[self.at] == "[":
                inverse, ranges = self.members()
                here.append(_without(ranges) if inverse else ranges)
            elif (named := self.known()) is not None:
                here.append(named)
            else:
                low = high = self.code()
                if self.take(r"-(?![\]\[-])"):
                    high = self.code()
                if high < low:
                    raise re.error("a range must go upwards")
                here.append(((low, high),))
            first = False

    def code(self) -> int:
        """The code point that is written here."""
        if found := self.take(r"\\(?:x\{([0-9a-fA-F]+)\}|x(\w{2})|u(\w{4})|U(\w{8}))"):
            return ord(_character(int(found[1] or found[2] or found[3] or found[4], 16)))
        found = self.take(r"\\(.)|(.)")
        if found is None:
            raise re.error("a set has no end")
        return ord(ESCAPES.get(found[1], found[1]) if found[1] else found[2])


ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "a": "\a", "e": "\x1b", "b": "\b"}


def _character(code: int) -> str:
    if code > END:
        raise re.error(f"no character has the number {code:#x}")
    return chr(code)


def _class(ranges: Ranges, negated: bool = False) -> str:
    """Ranges as a class of Python's."""
    if not ranges:
        return r"[\s\S]" if negated else "(?!)"
    body = "".join(
        _edge(low) if low == high else f"{_edge(low)}-{_edge(high)}" for low, high in ranges
    )
    return f"[{'^' if negated else ''}{body}]"


def _edge(code: int) -> str:
    return chr(code) if chr(code).isascii() and chr(code).isalnum() else f"\\U{code:08x}"


@lru_cache(maxsize=64)
def compiled(pattern: str) -> re.Pattern[str]:
    r"""The pattern, ready to search with.

    Raises:
        re.error: it is none, or has something that neither ICU nor this knows.

    >>> compiled(r"[\p{Lu}--[A-C]]+").findall("ABCDÉ")
    ['DÉ']
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what another Python may understand in another way
        return re.compile(_Reader(pattern).whole())
