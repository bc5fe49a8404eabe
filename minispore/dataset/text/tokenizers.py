"""Tokenizers: transforms that split a text into words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Any, ClassVar, NamedTuple

import numpy as np

from minispore.dataset import check
from minispore.dataset.text.enums import NormalizeForm
from minispore.dataset.text.normal import casefold_text
from minispore.dataset.text.patterns import compile_pattern, is_space
from minispore.dataset.text.sequence import TextTransform, check_pattern
from minispore.dataset.text.vocab import Vocab
from minispore.dataset.transforms import arguments
from minispore.foundation import checks

Span = tuple[int, int]  # character positions: the first, and one past the last


class Tokenizer(TextTransform):
    """Internal base of tokenizers: a row is one text.

    With ``with_offsets`` the byte offsets of the words are output too.
    """

    # Span of the word "", the output for a text without words.
    empty_spans: ClassVar[list[Span]] = [(0, 0)]

    def find_spans(self, text: str) -> Iterable[Span]:
        """Return the spans (begin, end) of the words, in characters.

        A subclass must override it; by default it raises TypeError.
        """
        raise TypeError(f"{self.name}: must define find_spans.")

    def check(self) -> None:
        check.boolean(self, "with_offsets", self.with_offsets)  # type: ignore[attr-defined]

    def transform_row(self, x: np.ndarray) -> Any:
        """Return the words of a text, [""] if there are none; with ``with_offsets`` also their
        offsets.

        Raises:
            RuntimeError: ``x`` is not a single text.
        """
        text = self._normalise_text(str(self.check_text(x, (0,)).item()))
        spans = [*self.find_spans(text)]
        return self.format_result(
            [text[a:b] for a, b in spans] or [""], text, spans or self.empty_spans
        )

    def _normalise_text(self, text: str) -> str:
        """Return the text to split; BERT's tokenizer overrides it to normalise the text."""
        return text

    def format_result(self, words: list[str], text: str, spans: list[Span]) -> Any:
        """Return an array of the words; with ``with_offsets`` a tuple of it, their begins and their
        ends.

        The begins and ends are byte offsets in UTF-8, as uint32.

        Args:
            words (list): the words, which need not be parts of ``text``.
            text (str): the text that was split.
            spans (list): the span of each word in ``text``, in characters.
        """
        tokens = np.array(words)
        if not getattr(self, "with_offsets", False):
            return tokens
        byte_offsets = np.cumsum([0, *(len(character.encode()) for character in text)])
        begins = np.array([byte_offsets[begin] for begin, _ in spans], np.uint32)
        ends = np.array([byte_offsets[end] for _, end in spans], np.uint32)
        return tokens, begins, ends


def split_runs(text: str, get_kind: Callable[[str], Any]) -> Iterator[Span]:
    """Yield the spans of maximal runs of characters with equal results of ``get_kind``."""
    begin = 0
    for i in range(1, len(text) + 1):
        if i == len(text) or get_kind(text[i]) != get_kind(text[begin]):
            yield begin, i
            begin = i


class UnicodeCharTokenizer(Tokenizer):
    """The characters of a text.

    Args:
        with_offsets (bool): add two columns with the byte offsets where characters begin and end.

    Raises:
        TypeError: ``with_offsets`` is not a bool.
        RuntimeError: in a run: the column is not a single text.

    >>> UnicodeCharTokenizer()(np.array("sea"))
    array(['s', 'e', 'a'], dtype='<U1')
    """

    with_offsets: bool = False

    def find_spans(self, text: str) -> Iterable[Span]:
        return ((i, i + 1) for i in range(len(text)))


class WhitespaceTokenizer(Tokenizer):
    """Splits a text at white space.

    Args:
        with_offsets (bool): add two columns with the byte offsets where words begin and end.

    Raises:
        TypeError: ``with_offsets`` is not a bool.
        RuntimeError: in a run: the column is not a single text.

    >>> WhitespaceTokenizer()(np.array("the deep sea"))
    array(['the', 'deep', 'sea'], dtype='<U4')
    """

    with_offsets: bool = False

    def find_spans(self, text: str) -> Iterable[Span]:
        return ((a, b) for a, b in split_runs(text, is_space) if not is_space(text[a]))


class RegexTokenizer(Tokenizer):
    """Splits a text at the matches of a pattern; matches of a second pattern are kept as words.

    Args:
        delim_pattern (str): a regular expression in ICU's syntax.
        keep_delim_pattern (str): a pattern of the matches to keep; ``""`` for none.
        with_offsets (bool): add two columns with the byte offsets where words begin and end.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: a pattern is invalid; in a run: the column is not a single text.

    >>> RegexTokenizer("[ ,]", ",")(np.array("deep, sea"))
    array(['deep', ',', 'sea'], dtype='<U4')
    """

    delim_pattern: str
    keep_delim_pattern: str = ""
    with_offsets: bool = False

    def check(self) -> None:
        """Check the arguments; raise RuntimeError unless both patterns are regular expressions."""
        super().check()
        for name in ("delim_pattern", "keep_delim_pattern"):
            check.string(self, name, getattr(self, name))
        for name in ("delim_pattern", "keep_delim_pattern"):
            check_pattern(self, name, getattr(self, name))

    def find_spans(self, text: str) -> Iterable[Span]:
        """Yield the spans between delimiters, and of delimiters that match ``keep_delim_pattern``
        fully.
        """
        begin = 0
        for match in compile_pattern(self.delim_pattern).finditer(text):
            if begin < match.start():
                yield begin, match.start()
            keep_pattern = self.keep_delim_pattern
            if keep_pattern and match[0] and compile_pattern(keep_pattern).fullmatch(match[0]):
                yield match.span()
            begin = match.end()
        if begin < len(text):
            yield begin, len(text)


class _Piece(NamedTuple):
    """A piece of a word, and the byte offsets where it begins and ends."""

    text: str
    begin: int
    end: int


class WordpieceTokenizer(Tokenizer):
    """Splits words into the longest pieces in a vocabulary.

    Args:
        vocab (Vocab): the pieces.
        suffix_indicator (str): the prefix, in ``vocab``, of pieces that do not begin a word.
        max_bytes_per_token (int): words with more bytes are unknown.
        unknown_token (str): the output for an unknown word; ``""`` for the word itself.
        with_offsets (bool): add two columns with the byte offsets where pieces begin and end.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``max_bytes_per_token`` is negative.
        RuntimeError: in a run: the column is not text.

    >>> WordpieceTokenizer(Vocab.from_list(["deep", "##er", "sea"]))(np.array(["deeper", "sky"]))
    array(['deep', '##er', '[UNK]'], dtype='<U5')
    """

    vocab: Any
    suffix_indicator: str = "##"
    max_bytes_per_token: int = 100
    unknown_token: str = "[UNK]"
    with_offsets: bool = False

    def check(self) -> None:
        super().check()
        arguments.instance(self, "vocab", self.vocab, (Vocab,))
        check.string(self, "suffix_indicator", self.suffix_indicator)
        check.string(self, "unknown_token", self.unknown_token)
        check.int32(self, "max_bytes_per_token", self.max_bytes_per_token, 0)

    def transform_row(self, x: np.ndarray) -> Any:
        """Return the pieces of all words of the row, [""] if there are none.

        With ``with_offsets`` also return the byte offsets of each piece in its word.

        Raises:
            RuntimeError: ``x`` is not text of at most one axis.
        """
        pieces: list[_Piece] = []
        for word in self.check_text(x).reshape(-1).tolist():
            pieces += self._split_word(word)
        return _format_pieces(pieces or [_Piece("", 0, 0)], self.with_offsets)

    def _split_word(self, word: str) -> list[_Piece]:
        """Return the pieces of a word with byte offsets in the word.

        A word that is too long or can't be split is one piece: ``unknown_token``, or the word
        itself if that is "".
        """
        byte_count = len(word.encode())
        replacement = self.unknown_token or word
        if byte_count > self.max_bytes_per_token:  # as in MindSpore, the replacement's end
            return [_Piece(replacement, 0, len(replacement.encode()))]
        pieces, begin = [], 0
        while begin < len(word):
            prefix = self.suffix_indicator if begin else ""
            for end in range(len(word), begin, -1):
                piece = prefix + word[begin:end]
                if piece in self.vocab:
                    break
            else:
                return [_Piece(replacement, 0, byte_count)]
            pieces.append(_Piece(piece, len(word[:begin].encode()), len(word[:end].encode())))
            begin = end
        return pieces


def _format_pieces(pieces: list[_Piece], with_offsets: bool) -> Any:
    """Return the texts of pieces as an array; with ``with_offsets`` also their uint32 begins and
    ends.
    """
    tokens = np.array([piece.text for piece in pieces])
    if not with_offsets:
        return tokens
    begins = np.array([piece.begin for piece in pieces], np.uint32)
    ends = np.array([piece.end for piece in pieces], np.uint32)
    return tokens, begins, ends


_CJK = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
        (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))  # fmt: skip


def _is_single_token(character: str) -> bool:
    """Whether the character alone is a word in BERT: punctuation, ASCII symbols, ideographs."""
    code = ord(character)
    ascii_symbol = 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126
    ideograph = any(low <= code <= high for low, high in _CJK)
    return ascii_symbol or ideograph or unicodedata.category(character).startswith("P")


class _CharacterKind(Enum):
    """A character's role in BERT's tokenizer: it separates words, is a word, or part of a word."""

    SPACE = "space"
    WORD = "word"
    PART = "part"


def _get_kind(character: str) -> _CharacterKind:
    """Return the role of a character in BERT's tokenizer."""
    if is_space(character):
        return _CharacterKind.SPACE
    return _CharacterKind.WORD if _is_single_token(character) else _CharacterKind.PART


_RESERVED = re.compile(r"\[(?:CLS|SEP|UNK|PAD|MASK)\]")


class BasicTokenizer(Tokenizer):
    """Splits a text into words, marks and ideographs, as BERT does.

    Args:
        lower_case (bool): fold case and remove accents.
        keep_whitespace (bool): keep white space as words.
        normalization_form (NormalizeForm): the normal form of the text, if case is kept.
        preserve_unused_token (bool): do not split ``[CLS]``, ``[SEP]``, ``[UNK]``, ``[PAD]`` and
            ``[MASK]``.
        with_offsets (bool): add two columns with the byte offsets where words begin and end.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: in a run: the column is not a single text.

    Source: Devlin et al. 2018.

    >>> BasicTokenizer(lower_case=True)(np.array("Deep sea!"))
    array(['deep', 'sea', '!'], dtype='<U4')
    """

    lower_case: bool = False
    keep_whitespace: bool = False
    normalization_form: Any = NormalizeForm.NONE
    preserve_unused_token: bool = True
    with_offsets: bool = False

    def check(self) -> None:
        super().check()
        for flag in ("lower_case", "keep_whitespace", "preserve_unused_token"):
            check.boolean(self, flag, getattr(self, flag))
        arguments.member(self, "normalization_form", self.normalization_form, NormalizeForm)

    def _normalise_text(self, text: str) -> str:
        """Change case, accents and normal form as configured; replace control characters by spaces.

        With ``lower_case`` the text is case-folded without accents in normal form NFD, except for
        reserved words if they are preserved.
        """
        if self.lower_case:
            protected = _RESERVED if self.preserve_unused_token else None
            text = unicodedata.normalize("NFD", casefold_text(text, protected))
            text = "".join(c for c in text if unicodedata.category(c) != "Mn")
        elif self.normalization_form is not NormalizeForm.NONE:
            text = unicodedata.normalize(self.normalization_form.name, text)
        return "".join(" " if unicodedata.category(c) in ("Cc", "Cf") else c for c in text)

    def find_spans(self, text: str) -> Iterable[Span]:
        """Yield the spans of the words in order; reserved words are not split if preserved."""
        begin = 0
        reserved_matches = _RESERVED.finditer(text) if self.preserve_unused_token else ()
        for match in reserved_matches:
            yield from self._split_plain(text, begin, match.start())
            yield match.span()
            begin = match.end()
        yield from self._split_plain(text, begin, len(text))

    def _split_plain(self, text: str, begin: int, end: int) -> Iterator[Span]:
        """Yield the spans of the words in ``text[begin:end]``, which holds no reserved word.

        A mark or ideograph is a word; spaces are words only with ``keep_whitespace``.
        """
        kinds = {character: _get_kind(character) for character in {*text}}
        for run_begin, run_end in split_runs(text[begin:end], kinds.__getitem__):
            first, last = begin + run_begin, begin + run_end
            kind = kinds[text[first]]
            if kind is _CharacterKind.WORD:
                yield from ((i, i + 1) for i in range(first, last))
            elif kind is _CharacterKind.PART or self.keep_whitespace:
                yield first, last


class BertTokenizer(Tokenizer):
    """Splits a text into BERT's word pieces.

    It splits into words with :class:`BasicTokenizer`, then with :class:`WordpieceTokenizer`.

    Args:
        vocab (Vocab): the pieces.
        suffix_indicator (str): the prefix, in ``vocab``, of pieces that do not begin a word.
        max_bytes_per_token (int): words with more bytes are unknown.
        unknown_token (str): the output for an unknown word; ``""`` for the word itself.
        lower_case (bool): fold case and remove accents.
        keep_whitespace (bool): keep white space as words.
        normalization_form (NormalizeForm): the normal form of the text, if case is kept.
        preserve_unused_token (bool): do not split reserved words.
        with_offsets (bool): add two columns with the byte offsets where pieces begin and end.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``max_bytes_per_token`` is negative.
        RuntimeError: in a run: the column is not a single text.

    >>> vocab = Vocab.from_list(["deep", "##er", "sea"])
    >>> BertTokenizer(vocab, lower_case=True)(np.array("Deeper sea!"))
    array(['deep', '##er', 'sea', '[UNK]'], dtype='<U5')
    """

    vocab: Any
    suffix_indicator: str = "##"
    max_bytes_per_token: int = 100
    unknown_token: str = "[UNK]"
    lower_case: bool = False
    keep_whitespace: bool = False
    normalization_form: Any = NormalizeForm.NONE
    preserve_unused_token: bool = True
    with_offsets: bool = False

    def check(self) -> None:
        """Check the arguments by making the two tokenizers, stored as ``_basic`` and
        ``_wordpieces``.
        """
        super().check()
        flags = (self.lower_case, self.keep_whitespace, self.normalization_form)
        basic = BasicTokenizer(*flags, self.preserve_unused_token, with_offsets=True)
        limits = (self.suffix_indicator, self.max_bytes_per_token, self.unknown_token)
        pieces = WordpieceTokenizer(self.vocab, *limits, with_offsets=True)
        self.normalise(_basic=basic, _wordpieces=pieces)

    def transform_row(self, x: np.ndarray) -> Any:
        """Return the pieces of all words; with ``with_offsets`` also their byte offsets in the
        text.

        Raises:
            RuntimeError: ``x`` is not a single text.
        """
        pieces: list[_Piece] = []
        for word, word_begin, _ in zip(*self._basic.transform_row(x)):  # type: ignore[attr-defined]
            columns = self._wordpieces.transform_row(np.array(word))  # type: ignore[attr-defined]
            for piece, begin, end in zip(*columns):
                pieces.append(_Piece(str(piece), word_begin + begin, word_begin + end))
        return _format_pieces(pieces, self.with_offsets)


class PythonTokenizer(TextTransform):
    """Splits a text with a user's function.

    Args:
        tokenizer (Callable): takes a str and returns a list of str.

    Raises:
        TypeError: ``tokenizer`` is not callable.
        RuntimeError: in a run: ``tokenizer`` fails, or does not return a list of str.

    >>> PythonTokenizer(str.split)(np.array("deep sea"))
    array(['deep', 'sea'], dtype='<U4')
    """

    in_python = True

    tokenizer: Any

    def check(self) -> None:
        checks.function(self, "tokenizer", self.tokenizer)

    def transform_row(self, x: np.ndarray) -> np.ndarray:
        """Return the words of each text, of shape (*x.shape, words).

        Raises:
            RuntimeError: ``x`` is not text, the user's function fails, or texts have different
                numbers of words.
        """
        words = self.check_text(x, tuple(range(x.ndim + 1)), allow_bytes=True)
        token_rows = [self._call_tokenizer(text) for text in words.reshape(-1).tolist()]
        if len({len(tokens) for tokens in token_rows}) > 1:
            raise RuntimeError(
                "PythonTokenizer: tokenizer must return equally many words of each text of a row, "
                f"got {[len(tokens) for tokens in token_rows]!s:.80}."
            )
        return np.array(token_rows, np.str_).reshape(*x.shape, -1)

    def _call_tokenizer(self, text: str) -> np.ndarray:
        """Call the user's function on one text, and return its words as an array of str.

        Raises:
            RuntimeError: the function failed, or did not return a list of str.
        """
        try:
            result = self.tokenizer(text)
            tokens = np.array(result, np.str_)
        except Exception as exc:
            raise RuntimeError(
                f"PythonTokenizer: tokenizer failed on {text!r:.80}: error occurred in Pyfunc. "
                f"{type(exc).__name__}: {exc}"
            ) from exc
        if tokens.ndim != 1:
            raise RuntimeError(
                f"PythonTokenizer: tokenizer must return a list of str, got {result!r:.80} "
                f"({type(result).__name__}): error occurred in Pyfunc."
            )
        return tokens


__all__ = [
    "BasicTokenizer",
    "BertTokenizer",
    "PythonTokenizer",
    "RegexTokenizer",
    "UnicodeCharTokenizer",
    "WhitespaceTokenizer",
    "WordpieceTokenizer",
]
