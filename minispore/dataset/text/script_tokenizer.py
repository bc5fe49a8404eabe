"""UnicodeScriptTokenizer: splits texts where the script changes."""

from __future__ import annotations

from collections.abc import Iterable

from minispore.dataset import check
from minispore.dataset.text.patterns import is_space
from minispore.dataset.text.scripts import get_script
from minispore.dataset.text.tokenizers import Span, Tokenizer, split_runs


class UnicodeScriptTokenizer(Tokenizer):
    """Runs of characters of one script: Latin, Han, common signs, ..., and of white space.

    Args:
        keep_whitespace (bool): keep white space as words.
        with_offsets (bool): say at which bytes each word begins and ends, in two columns more.

    Raises:
        TypeError: one of them is not a bool.
        RuntimeError: in a run: the column is not one text.

    Source: Unicode Standard Annex 24.

    >>> import numpy as np
    >>> UnicodeScriptTokenizer()(np.array("deep 深 3.14"))
    array(['deep', '深', '3.14'], dtype='<U4')
    """

    keep_whitespace: bool = False
    with_offsets: bool = False

    def check(self) -> None:
        super().check()
        check.boolean(self, "keep_whitespace", self.keep_whitespace)

    def find_spans(self, text: str) -> Iterable[Span]:
        """Return the spans of the runs of a script; of spaces only if they are kept."""
        kinds = {c: (get_script(c), is_space(c)) for c in {*text}}
        keeps_spaces = self.keep_whitespace
        return (
            (a, b)
            for a, b in split_runs(text, kinds.__getitem__)
            if keeps_spaces or not kinds[text[a]][1]
        )


__all__ = ["UnicodeScriptTokenizer"]
