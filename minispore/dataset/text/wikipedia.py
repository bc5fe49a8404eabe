"""FilterWikipediaXML: the words of Wikipedia's pages."""

from __future__ import annotations

import re

from minispore.dataset.text.normal import ElementwiseText

_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


class FilterWikipediaXML(ElementwiseText):
    """Texts of a dump of Wikipedia as the words in them: small letters a to z, and single spaces.

    What stands in a line from its first tag to its last one goes, and so do names of characters
    (``&amp;``). Capital letters become small ones, each digit its word, anything else a space. A
    page that only leads to another one is empty.

    Source: M. Mahoney, http://mattmahoney.net/dc/textdata.html

    >>> import numpy as np
    >>> print(FilterWikipediaXML()(np.array("<text>Deep   sea: 4 miles")))
    deep sea four miles
    """

    def transform_text(self, text: str) -> str:
        """Strip markup and spell out digits; a redirect becomes ""."""
        if re.search("#redirect", text, re.IGNORECASE | re.ASCII):
            return ""
        for markup in ("<.*>", "<[^>]*>", "&[^;]*;"):
            text = re.sub(markup, " " if markup[0] == "&" else "", text)
        text = re.sub("[0-9]", lambda digit: f" {_DIGITS[int(digit[0])]} ", text)
        text = re.sub("[A-Z]", lambda letter: letter[0].lower(), text)
        return re.sub("[^a-z]+", " ", text).strip()


__all__ = ["FilterWikipediaXML"]
