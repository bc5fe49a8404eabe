"""Transforms of the characters of texts, by Python's own tables of Unicode."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.text.enums import NormalizeForm
from minispore.dataset.text.patterns import compiled
from minispore.dataset.text.sequence import TextTransform, pattern
from minispore.dataset.transforms import arguments


class Each(TextTransform):
    """Base of these, internal: every text of a row by itself."""

    def made(self, text: str) -> str:
        """What becomes of one text."""
        raise TypeError(f"{self.name}: must define made.")

    def row(self, x: np.ndarray) -> np.ndarray:
        words = self.words(x, tuple(range(x.ndim + 1)))
        return np.array([self.made(text) for text in words.reshape(-1).tolist()]).reshape(x.shape)


class CaseFold(Each):
    """Texts without the difference of upper and lower case, in Unicode's form NFKC.

    >>> CaseFold()(np.array(["Deep", "SEA"]))
    array(['deep', 'sea'], dtype='<U4')
    """

    def made(self, text: str) -> str:
        return casefolded(text)


def casefolded(text: str, kept: re.Pattern[str] | None = None) -> str:
    """Without cases, in the form NFKC; what ``kept`` matches stays."""
    if kept is not None:
        parts = [casefolded(part) for part in kept.split(text)]
        return "".join(
            part + word for part, word in zip(parts, [*kept.findall(text), ""], strict=True)
        )
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return _IGNORABLE.sub("", folded)


# Unicode's Default_Ignorable_Code_Point, which its NFKC_Casefold leaves out
_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)


class NormalizeUTF8(Each):
    """Texts in a normal form of Unicode.

    Args:
        normalize_form (NormalizeForm): which.

    Raises:
        TypeError: it is none.

    >>> NormalizeUTF8()(np.array(["ﬁsh"]))
    array(['fish'], dtype='<U4')
    """

    normalize_form: Any = NormalizeForm.NFKC

    def check(self) -> None:
        arguments.member(self, "normalize_form", self.normalize_form, NormalizeForm)

    def made(self, text: str) -> str:
        if self.normalize_form is NormalizeForm.NONE:
            return text
        return unicodedata.normalize(self.normalize_form.name, text)


_REFERENCE = re.compile(r"\\(.)|\$(?:([0-9]+)|\{(\w*)\})?", re.DOTALL)  # in what replaces a match


class RegexReplace(Each):
    r"""Texts in which what a pattern matches is replaced.

    Args:
        pattern (str): a regular expression, as ICU reads it.
        replace (str): what comes in its place; ``$1`` or ``${name}`` for a group, ``$0`` for all
            of the match, ``\$`` for a dollar.
        replace_all (bool): replace every match, not the first alone.

    Raises:
        TypeError: an argument of another type.
        RuntimeError: the pattern is none; in a run: ``replace`` names a group that is not there.

    >>> RegexReplace("[0-9]+", "#")(np.array(["20000 miles"]))
    array(['# miles'], dtype='<U7')
    """

    pattern: str
    replace: str
    replace_all: bool = True

    def check(self) -> None:
        check.string(self, "pattern", self.pattern)
        check.string(self, "replace", self.replace)
        check.boolean(self, "replace_all", self.replace_all)
        pattern(self, "pattern", self.pattern)

    def made(self, text: str) -> str:
        return compiled(self.pattern).sub(self._into, text, 0 if self.replace_all else 1)

    def _into(self, found: re.Match[str]) -> str:
        """What comes in the place of one match."""
        return _REFERENCE.sub(lambda part: self._part(found, part), self.replace)

    def _part(self, found: re.Match[str], part: re.Match[str]) -> str:
        literal, digits, name = part.groups()
        if literal is not None:
            return literal
        if digits:  # as many as make the number of a group
            for end in range(len(digits), 0, -1):
                if int(digits[:end]) <= found.re.groups:
                    return (found[int(digits[:end])] or "") + digits[end:]
        elif name in found.re.groupindex:
            return found[name] or ""
        raise RuntimeError(
            arguments.text(self, "replace", "name groups of pattern", self.replace)
            + f" {part[0]!r} is none: RegexReplace failed."
        )


__all__ = ["CaseFold", "NormalizeUTF8", "RegexReplace"]
