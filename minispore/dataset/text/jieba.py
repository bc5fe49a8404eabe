"""JiebaTokenizer: Chinese words by a dictionary and by a hidden Markov model.

Both are read from the files of jieba's C++ version: the dictionary has a word, how often it occurs
and its kind in each line; the model has the logarithms of its first, next and shown states.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from minispore.dataset import check
from minispore.dataset.text.enums import JiebaMode
from minispore.dataset.text.tokenizers import Span, Tokenizer
from minispore.dataset.transforms import arguments

_NEVER = -3.14e100
_BEGIN, _END, _MIDDLE, _SINGLE = range(4)  # where in a word a character stands
_SEPARATORS = " \t\n\uff0c\u3002"  # and the full-width comma and stop
_LATIN = re.compile(r"[a-zA-Z][a-zA-Z0-9]*|[0-9][0-9.]*|[\x00-\x7f]")


class _Words(NamedTuple):
    """A dictionary: how likely each word is, as a logarithm."""

    likely: dict[str, float]
    total: float  # occurrences of all words
    longest: int
    usual: float  # of a word that is added
    least: float  # of a character that is no word


class _Model(NamedTuple):
    """Logarithms of how likely a state is first, follows another, and shows a character."""

    first: list[float]
    follows: list[list[float]]
    shows: list[dict[str, float]]


@lru_cache(maxsize=2)
def _read_words(path: str) -> _Words:
    counts = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            word, count, *_ = line.split(" ")
            counts[word] = float(count)
    total = sum(counts.values())
    likely = {word: math.log(count / total) for word, count in counts.items() if count > 0}
    ranked = sorted(likely.values())
    longest = max(map(len, likely))
    return _Words(likely, total, longest, ranked[len(ranked) // 2], ranked[0])


@lru_cache(maxsize=2)
def _read_model(path: str) -> _Model:
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.strip() and line[0] != "#"]
    numbers = [[float(n) for n in line.split()] for line in lines[:5]]
    shows = []
    for line in lines[5:9]:
        pairs = (pair.rpartition(":") for pair in line.split(","))
        shows.append({character: float(chance) for character, _, chance in pairs})
    return _Model(numbers[0], numbers[1:], shows)


class JiebaTokenizer(Tokenizer):
    """The words of a Chinese text.

    Args:
        hmm_path (str): the file of the hidden Markov model.
        mp_path (str): the file of the dictionary.
        mode (JiebaMode): the likeliest words of the dictionary (``MP``), the model's (``HMM``), or
            the dictionary's, where characters that are no words go to the model (``MIX``).
        with_offsets (bool): say at which bytes each word begins and ends, in two columns more.

    Raises:
        TypeError: an argument of another type.
        ValueError: a file is not there, or is of another kind.
        RuntimeError: in a run: the column is not one text.

    Source: https://github.com/yanyiwu/cppjieba
    """

    of_nothing: ClassVar[list[Span]] = []
    hmm_path: str
    mp_path: str
    mode: Any = JiebaMode.MIX
    with_offsets: bool = False

    def check(self) -> None:
        super().check()
        arguments.member(self, "mode", self.mode, JiebaMode)
        for name, read in (("hmm_path", _read_model), ("mp_path", _read_words)):
            if (path := getattr(self, name)) is None:
                segment = "HMMSegment" if name == "hmm_path" else "MPSegment"
                hint = f"The dict of {segment} in cppjieba is not provided."
                raise ValueError(arguments.text(self, name, "be a file of jieba", None, hint))
            if not isinstance(path, str):
                hint = f"Wrong input type for {name}, should be string."
                raise TypeError(arguments.text(self, name, "be a str", path, hint))
            try:
                read(path)
            except (OSError, ValueError, IndexError) as error:
                rule = f"be a file of jieba ({error})"
                raise ValueError(arguments.text(self, name, rule, path)) from error
        self.normalise(added={})

    def add_word(self, word: str, freq: int | None = None) -> None:
        """Add a word to the dictionary.

        Args:
            word (str): it.
            freq (int): how often it occurs; the more, the likelier it is taken for a word.

        Raises:
            TypeError: an argument of another type.
            ValueError: the word is empty or was added before, or ``freq`` is negative.
        """
        added: dict[str, float] = self.added  # type: ignore[attr-defined]
        if not check.string(self, "word", word):
            raise ValueError(arguments.text(self, "word", "not be empty", word))
        if freq is not None:
            check.int32(self, "freq", freq, 0)
        words = _read_words(self.mp_path)
        added[word] = math.log(freq / words.total) if freq else words.usual

    def add_dict(self, user_dict: Any) -> None:
        """Add words to the dictionary.

        Args:
            user_dict (dict or str): occurrences by word, or a file with a word in each line, and
                behind a space how often it occurs.

        Raises:
            TypeError: neither.
            ValueError: the file can't be read.
        """
        if isinstance(user_dict, str):
            try:
                with open(user_dict, encoding="utf-8") as file:
                    rows = [line.split() for line in file if line.strip()]
            except OSError as error:
                rule = f"be a file ({error.strerror})"
                raise ValueError(arguments.text(self, "user_dict", rule, user_dict)) from error
            user_dict = {row[0]: int(row[1]) if len(row) > 1 else None for row in rows}
        if not isinstance(user_dict, dict):
            raise TypeError(arguments.text(self, "user_dict", "be a dict or a str", user_dict))
        for word, freq in user_dict.items():
            self.add_word(word, freq)

    def spans(self, text: str) -> Iterable[Span]:
        begin = 0
        for part in re.split(f"([{_SEPARATORS}])", text):
            words: Iterable[str] = (part,) if part else ()
            if part and part not in _SEPARATORS:
                words = self._modelled(part) if self.mode is JiebaMode.HMM else self._cut(part)
            for word in words:
                yield begin, begin + len(word)
                begin += len(word)

    def _cut(self, text: str) -> Iterator[str]:
        """By the dictionary; in the mode MIX, what is left of single characters by the model."""
        unknown = ""
        for word in self._likeliest(text):
            if self.mode is JiebaMode.MIX and len(word) == 1:
                unknown += word
                continue
            yield from self._modelled(unknown)
            unknown = ""
            yield word
        yield from self._modelled(unknown)

    def _likeliest(self, text: str) -> Iterator[str]:
        """The words whose product of likelihoods is the largest, found from the end."""
        words, added = _read_words(self.mp_path), self.added  # type: ignore[attr-defined]
        longest = max(words.longest, *map(len, added), 1) if added else words.longest
        best, ends = [0.0] * (len(text) + 1), [0] * len(text)
        for i in reversed(range(len(text))):
            best[i] = _NEVER
            for end in range(i + 1, min(i + longest, len(text)) + 1):
                word = text[i:end]
                chance = added.get(word, words.likely.get(word))
                if chance is None and end > i + 1:
                    continue
                found = (words.least if chance is None else chance) + best[end]
                if found > best[i]:
                    best[i], ends[i] = found, end
        i = 0
        while i < len(text):
            yield text[i : ends[i]]
            i = ends[i]

    def _modelled(self, text: str) -> Iterator[str]:
        """By the model; letters and digits of ASCII stay together."""
        begin = 0
        for found in _LATIN.finditer(text):
            yield from self._states(text[begin : found.start()])
            yield found.group()
            begin = found.end()
        yield from self._states(text[begin:])

    def _states(self, text: str) -> Iterator[str]:
        """The likeliest states of the characters, after Viterbi, and the words that they end."""
        if not text:
            return
        model = _read_model(self.hmm_path)
        shown = [[state.get(c, _NEVER) for state in model.shows] for c in text]
        weights = [a + b for a, b in zip(model.first, shown[0])]
        before: list[list[int]] = []
        for chances in shown[1:]:
            came, now = [], []
            for state in range(4):
                ways = [
                    w + model.follows[old][state] + chances[state] for old, w in enumerate(weights)
                ]
                best = max(ways)
                came.append(ways.index(best) if best > _NEVER else _END)
                now.append(max(best, _NEVER))
            before.append(came)
            weights = now
        states = [_END if weights[_END] >= weights[_SINGLE] else _SINGLE]
        for came in reversed(before):
            states.append(came[states[-1]])
        begin = 0
        for i, state in enumerate(reversed(states)):
            if state in (_END, _SINGLE):
                yield text[begin : i + 1]
                begin = i + 1


__all__ = ["JiebaTokenizer"]
