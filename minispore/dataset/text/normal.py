"""Transforms of the characters of texts, based on Python's Unicode tables."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.text.enums import NormalizeForm
from minispore.dataset.text.patterns import compile_pattern
from minispore.dataset.text.sequence import TextTransform, check_pattern
from minispore.dataset.transforms import arguments


class ElementwiseText(TextTransform):
    """Internal base of transforms that change each text of a row independently."""

    def transform_text(self, text: str) -> str:
        """Return the transformed text.

        A subclass must override it; by default it raises TypeError.
        """
        raise TypeError(f"{self.name}: must define transform_text.")

    def transform_row(self, x: np.ndarray) -> np.ndarray:
        """Return the transformed texts in the shape of ``x``; raise RuntimeError unless ``x`` is
        text.
        """
        texts = self.check_text(x, tuple(range(x.ndim + 1))).reshape(-1).tolist()
        results = [self.transform_text(text) for text in texts]
        return np.array(results, np.str_).reshape(x.shape)  # the dtype of an empty list is float64


class CaseFold(ElementwiseText):
    """Texts with folded case, in Unicode normal form NFKC.

    >>> CaseFold()(np.array(["Deep", "SEA"]))
    array(['deep', 'sea'], dtype='<U4')
    """

    def transform_text(self, text: str) -> str:
        return casefold_text(text)


def casefold_text(text: str, protected: re.Pattern[str] | None = None) -> str:
    """Fold the case of a text and normalise it to NFKC, except for matches of ``protected``.

    Characters that Unicode ignores by default, such as soft hyphens, are removed. ``protected``
    must have no groups.
    """
    if protected is not None:
        pieces = [casefold_text(piece) for piece in protected.split(text)]
        return "".join(
            piece + word for piece, word in zip(pieces, [*protected.findall(text), ""], strict=True)
        )
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return _IGNORABLE.sub("", folded)


# Unicode's Default_Ignorable_Code_Point, which NFKC_Casefold removes
_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)


class NormalizeUTF8(ElementwiseText):
    """Texts in a normal form of Unicode.

    Args:
        normalize_form (NormalizeForm): the normal form.

    Raises:
        TypeError: ``normalize_form`` is not a NormalizeForm.

    >>> NormalizeUTF8()(np.array(["ﬁsh"]))
    array(['fish'], dtype='<U4')
    """

    normalize_form: Any = NormalizeForm.NFKC

    def check(self) -> None:
        arguments.member(self, "normalize_form", self.normalize_form, NormalizeForm)

    def transform_text(self, text: str) -> str:
        if self.normalize_form is NormalizeForm.NONE:
            return text
        return unicodedata.normalize(self.normalize_form.name, text)


# A reference to a group in the replacement.
_REFERENCE = re.compile(r"\\(.)|\$(?:([0-9]+)|\{(\w*)\})?", re.DOTALL)


class RegexReplace(ElementwiseText):
    r"""Texts in which the matches of a pattern are replaced.

    Args:
        pattern (str): a regular expression in ICU's syntax.
        replace (str): the replacement; ``$1`` or ``${name}`` for a group, ``$0`` for the entire
            match, ``\$`` for a dollar.
        replace_all (bool): replace every match, not only the first.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: the pattern is invalid; in a run: ``replace`` names an unknown group.

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
        check_pattern(self, "pattern", self.pattern)

    def transform_text(self, text: str) -> str:
        max_count = 0 if self.replace_all else 1  # 0 for all
        return compile_pattern(self.pattern).sub(self._expand_replacement, text, max_count)

    def _expand_replacement(self, match: re.Match[str]) -> str:
        """Return the replacement of one match, with its group references expanded."""
        return _REFERENCE.sub(
            lambda reference: self._expand_reference(match, reference), self.replace
        )

    def _expand_reference(self, match: re.Match[str], reference: re.Match[str]) -> str:
        """Return the text of one reference or escaped character in the replacement.

        It is "" for a group that did not match. As many digits as possible form the number of a
        group; the others are kept.

        Raises:
            RuntimeError: the pattern has no such group.
        """
        literal, digits, name = reference.groups()
        if literal is not None:
            return literal
        if digits:  # as many as form the number of a group: $12 may be group 1 and a 2
            for end in range(len(digits), 0, -1):
                if int(digits[:end]) <= match.re.groups:
                    return (match[int(digits[:end])] or "") + digits[end:]
        elif name in match.re.groupindex:
            return match[name] or ""
        raise RuntimeError(
            arguments.format_error(self, "replace", "name groups of pattern", self.replace)
            + f" {reference[0]!r} is none: RegexReplace failed."
        )


__all__ = ["CaseFold", "NormalizeUTF8", "RegexReplace"]
