"""JiebaTokenizer: finds Chinese words with a dictionary and a hidden Markov model.

Both are read from the files of jieba's C++ version: each line of the dictionary has a word, its
frequency and its class; the model has the logarithms of its initial, transition and emission
probabilities.
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

_LOG_ZERO = -3.14e100
_BEGIN, _END, _MIDDLE, _SINGLE = range(4)  # the states: the position of a character in its word
_SEPARATORS = " \t\n\uff0c\u3002"  # and the full-width comma and stop
_LATIN = re.compile(r"[a-zA-Z][a-zA-Z0-9]*|[0-9][0-9.]*|[\x00-\x7f]")


class _Dictionary(NamedTuple):
    """A dictionary: the logarithm of each word's probability."""

    log_probabilities: dict[str, float]
    word_count: float  # sum of the frequencies of all words
    max_length: int
    added_log_probability: float  # for a word added without a frequency
    unknown_log_probability: float  # for a character that is not in the dictionary


class _HiddenMarkovModel(NamedTuple):
    """The logarithms of a hidden Markov model's probabilities."""

    initial: list[float]
    transitions: list[list[float]]  # by previous and next state
    emissions: list[dict[str, float]]  # of each character, by state


@lru_cache(maxsize=2)
def _read_dictionary(path: str) -> _Dictionary:
    """Read a dictionary file; the two most recent are cached.

    Words of frequency 0 are left out. An added word gets the median probability, an unknown
    character the smallest.

    Raises:
        OSError, ValueError: the file can't be read, or has a wrong format.
    """
    counts = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            word, count, *_ = line.split(" ")
            counts[word] = float(count)
    total = sum(counts.values())
    log_probabilities = {
        word: math.log(count / total) for word, count in counts.items() if count > 0
    }
    sorted_log_probabilities = sorted(log_probabilities.values())
    max_length = max(map(len, log_probabilities))
    return _Dictionary(
        log_probabilities,
        total,
        max_length,
        sorted_log_probabilities[len(sorted_log_probabilities) // 2],
        sorted_log_probabilities[0],
    )


@lru_cache(maxsize=2)
def _read_model(path: str) -> _HiddenMarkovModel:
    """Read a model file, four numbers or items per state; the two most recent are cached.

    Raises:
        OSError, ValueError, IndexError: the file can't be read, or has a wrong format.
    """
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.strip() and line[0] != "#"]
    numbers = [[float(n) for n in line.split()] for line in lines[:5]]
    emissions = []
    for line in lines[5:9]:  # after the initial probabilities and four lines of transitions
        pairs = (pair.rpartition(":") for pair in line.split(","))
        emissions.append({character: float(chance) for character, _, chance in pairs})
    return _HiddenMarkovModel(numbers[0], numbers[1:], emissions)


class JiebaTokenizer(Tokenizer):
    """The words of a Chinese text.

    Args:
        hmm_path (str): the file of the hidden Markov model.
        mp_path (str): the file of the dictionary.
        mode (JiebaMode): the likeliest words by the dictionary (``MP``), by the model (``HMM``), or
            by the dictionary, with the model for runs of single characters (``MIX``).
        with_offsets (bool): add two columns with the byte offsets where words begin and end.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a file does not exist, or has a wrong format.
        RuntimeError: in a run: the column is not a single text.

    Source: https://github.com/yanyiwu/cppjieba
    """

    empty_spans: ClassVar[list[Span]] = []
    hmm_path: str
    mp_path: str
    mode: Any = JiebaMode.MIX
    with_offsets: bool = False

    def check(self) -> None:
        """Check the arguments and read both files; also set ``added``, the dict of added words.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: a path is None, or its file can't be read or has a wrong format.
        """
        super().check()
        arguments.member(self, "mode", self.mode, JiebaMode)
        for name, read in (("hmm_path", _read_model), ("mp_path", _read_dictionary)):
            if (path := getattr(self, name)) is None:
                segment = "HMMSegment" if name == "hmm_path" else "MPSegment"
                hint = f"The dict of {segment} in cppjieba is not provided."
                raise ValueError(
                    arguments.format_error(self, name, "be a file of jieba", None, hint)
                )
            if not isinstance(path, str):
                hint = f"Wrong input type for {name}, should be string."
                raise TypeError(arguments.format_error(self, name, "be a str", path, hint))
            try:
                read(path)
            except (OSError, ValueError, IndexError) as error:
                rule = f"be a file of jieba ({error})"
                raise ValueError(arguments.format_error(self, name, rule, path)) from error
        self.normalise(added={})

    def add_word(self, word: str, freq: int | None = None) -> None:
        """Add a word to this tokenizer's dictionary, in place of an earlier entry.

        Args:
            word (str): the word to add.
            freq (int): how often it occurs; the more often, the likelier it is chosen as a word.
                None or 0: as often as the dictionary's median word.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: the word is empty, or ``freq`` is negative.
        """
        added: dict[str, float] = self.added  # type: ignore[attr-defined]
        if not check.string(self, "word", word):
            raise ValueError(arguments.format_error(self, "word", "not be empty", word))
        if freq is not None:
            check.int32(self, "freq", freq, 0)
        dictionary = _read_dictionary(self.mp_path)
        if freq:
            added[word] = math.log(freq / dictionary.word_count)
        else:
            added[word] = dictionary.added_log_probability

    def add_dict(self, user_dict: Any) -> None:
        """Add words to this tokenizer's dictionary, each as ``add_word`` does.

        Args:
            user_dict (dict or str): occurrences by word, or a file whose lines have a word and
                optionally, after a space, its occurrences.

        Raises:
            TypeError: ``user_dict`` is neither a dict nor a str, or a word or number has a wrong
                type.
            ValueError: the file can't be read, a word is empty, or a number is invalid.
        """
        if isinstance(user_dict, str):
            try:
                with open(user_dict, encoding="utf-8") as file:
                    rows = [line.split() for line in file if line.strip()]
            except OSError as error:
                rule = f"be a file ({error.strerror})"
                raise ValueError(
                    arguments.format_error(self, "user_dict", rule, user_dict)
                ) from error
            user_dict = {row[0]: int(row[1]) if len(row) > 1 else None for row in rows}
        if not isinstance(user_dict, dict):
            raise TypeError(
                arguments.format_error(self, "user_dict", "be a dict or a str", user_dict)
            )
        for word, freq in user_dict.items():
            self.add_word(word, freq)

    def __eq__(self, other: object) -> bool:
        """Whether the other is a tokenizer with the same arguments and the same added words."""
        added = self.added  # type: ignore[attr-defined]
        return super().__eq__(other) and added == other.added  # type: ignore[attr-defined]

    __hash__ = Tokenizer.__hash__  # of the arguments alone, since words can be added later

    def find_spans(self, text: str) -> Iterable[Span]:
        """Yield the spans of the words; each separator (space, tab, line end, comma, stop) is a
        word.
        """
        begin = 0
        for sentence in re.split(f"([{_SEPARATORS}])", text):
            if not sentence:
                continue
            words: Iterable[str]
            if sentence in _SEPARATORS:
                words = (sentence,)
            elif self.mode is JiebaMode.HMM:
                words = self._cut_by_model(sentence)
            else:
                words = self._cut_by_dictionary(sentence)
            for word in words:
                yield begin, begin + len(word)
                begin += len(word)

    def _cut_by_dictionary(self, text: str) -> Iterator[str]:
        """Split a text by the dictionary; in mode MIX the model splits single-character runs."""
        unknown = ""
        for word in self._find_best_words(text):
            if self.mode is JiebaMode.MIX and len(word) == 1:
                unknown += word
                continue
            yield from self._cut_by_model(unknown)
            unknown = ""
            yield word
        yield from self._cut_by_model(unknown)

    def _find_best_words(self, text: str) -> Iterator[str]:
        """Yield the dictionary's words with the largest product of probabilities (Viterbi from the
        end).

        A character that is not in the dictionary is a word with the smallest probability.
        """
        dictionary = _read_dictionary(self.mp_path)
        added: dict[str, float] = self.added  # type: ignore[attr-defined]
        max_length = max([dictionary.max_length, *map(len, added)])
        best_scores = [0.0] * (len(text) + 1)  # score of the text from each character on
        best_ends = [0] * len(text)  # the end of the best word that begins at each character
        for begin in reversed(range(len(text))):
            best_scores[begin] = _LOG_ZERO
            for end in range(begin + 1, min(begin + max_length, len(text)) + 1):
                word = text[begin:end]
                log_probability = added.get(word, dictionary.log_probabilities.get(word))
                if log_probability is None:
                    if len(word) > 1:
                        continue
                    log_probability = dictionary.unknown_log_probability
                score = log_probability + best_scores[end]
                if score > best_scores[begin]:
                    best_scores[begin], best_ends[begin] = score, end
        begin = 0
        while begin < len(text):
            yield text[begin : best_ends[begin]]
            begin = best_ends[begin]

    def _cut_by_model(self, text: str) -> Iterator[str]:
        """Split a text by the model; runs of ASCII letters and digits and other ASCII characters
        are words.
        """
        begin = 0
        for match in _LATIN.finditer(text):
            yield from self._run_viterbi(text[begin : match.start()])
            yield match.group()
            begin = match.end()
        yield from self._run_viterbi(text[begin:])

    def _run_viterbi(self, text: str) -> Iterator[str]:
        """Find the likeliest states of the characters (Viterbi), and yield the resulting words.

        Yields nothing for an empty text; the last character ends a word.
        """
        if not text:
            return
        model = _read_model(self.hmm_path)
        emissions = [[state.get(c, _LOG_ZERO) for state in model.emissions] for c in text]
        scores = [a + b for a, b in zip(model.initial, emissions[0])]  # of the best path, by state
        best_predecessors: list[list[int]] = []  # by character and state
        for emission in emissions[1:]:
            predecessors, new_scores = [], []
            for state in range(4):
                candidates = [
                    score + model.transitions[previous][state] + emission[state]
                    for previous, score in enumerate(scores)
                ]
                best = max(candidates)
                predecessors.append(candidates.index(best) if best > _LOG_ZERO else _END)
                new_scores.append(max(best, _LOG_ZERO))
            best_predecessors.append(predecessors)
            scores = new_scores
        states = [_END if scores[_END] >= scores[_SINGLE] else _SINGLE]
        for predecessors in reversed(best_predecessors):
            states.append(predecessors[states[-1]])
        begin = 0
        for end, state in enumerate(reversed(states), 1):
            if state in (_END, _SINGLE):
                yield text[begin:end]
                begin = end


__all__ = ["JiebaTokenizer"]
