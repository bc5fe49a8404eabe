"""FilterWikipediaXML: extracts the words of Wikipedia pages."""

from __future__ import annotations

import re

from minispore.dataset.text.normal import ElementwiseText

_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


class FilterWikipediaXML(ElementwiseText):
    """Texts of a Wikipedia dump reduced to words: lower-case letters a to z, and single spaces.

    In each line, everything from the first tag to the last is removed, and character entities
    (``&amp;``) become spaces. Letters become lower-case, digits become words, anything else becomes
    a space. A redirect page becomes empty.

    Source: M. Mahoney, http://mattmahoney.net/dc/textdata.html

    >>> import numpy as np
    >>> print(FilterWikipediaXML()(np.array("<text>Deep   sea: 4 miles")))
    deep sea four miles
    """

    def transform_text(self, text: str) -> str:
        """Strip markup, lower the case and spell out digits; return "" for a redirect."""
        if re.search("#redirect", text, re.IGNORECASE | re.ASCII):
            return ""
        for markup in ("<.*>", "<[^>]*>", "&[^;]*;"):
            text = re.sub(markup, " " if markup[0] == "&" else "", text)
        text = re.sub("[0-9]", lambda digit: f" {_DIGITS[int(digit[0])]} ", text)
        text = re.sub("[A-Z]", lambda letter: letter[0].lower(), text)
        return re.sub("[^a-z]+", " ", text).strip()


__all__ = ["FilterWikipediaXML"]
