"""UnicodeScriptTokenizer: splits texts where the script changes."""

from __future__ import annotations

from collections.abc import Iterable

from minispore.dataset import check
from minispore.dataset.text.patterns import is_space
from minispore.dataset.text.scripts import get_script
from minispore.dataset.text.tokenizers import Span, Tokenizer, split_runs


class UnicodeScriptTokenizer(Tokenizer):
    """Splits a text into runs of one script (Latin, Han, common signs, ...) or of white space.

    Args:
        keep_whitespace (bool): keep white space as words.
        with_offsets (bool): add two columns with the byte offsets where words begin and end.

    Raises:
        TypeError: an argument is not a bool.
        RuntimeError: in a run: the column is not a single text.

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
        """Yield the spans of runs of one script, of white space only with ``keep_whitespace``."""
        kinds = {c: (get_script(c), is_space(c)) for c in {*text}}
        keeps_spaces = self.keep_whitespace
        return (
            (a, b)
            for a, b in split_runs(text, kinds.__getitem__)
            if keeps_spaces or not kinds[text[a]][1]
        )


__all__ = ["UnicodeScriptTokenizer"]
