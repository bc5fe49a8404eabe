"""Vocab: words and their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.errors import DatasetError, did_you_mean
from minispore.foundation import checks


class Vocab:
    """The words of a language model, each with its number.

    Made by ``from_list``, ``from_dict``, ``from_file`` or ``from_dataset``.

    Source: https://www.mindspore.cn/docs/en/master/api_python/dataset_text/mindspore.dataset.text.Vocab.html

    >>> vocab = Vocab.from_list(["deep", "sea"], special_tokens=["<unk>"])
    >>> vocab.vocab()
    {'<unk>': 0, 'deep': 1, 'sea': 2}
    >>> vocab.tokens_to_ids(["sea", "sky"]), vocab.ids_to_tokens(1)
    ([2, -1], 'deep')
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] | None = None

    @classmethod
    def from_list(
        cls,
        word_list: list[str],
        special_tokens: list[str] | None = None,
        special_first: bool = True,
    ) -> Vocab:
        """The words of a list, in its order.

        Args:
            word_list (list): different words.
            special_tokens (list): more words, such as ``"<unk>"``.
            special_first (bool): whether they come first, else last.

        Raises:
            TypeError: an argument of another type.
            ValueError: a word that stands there twice.
        """
        if not isinstance(word_list, list):
            raise check.wrong_type("Vocab", "word_list", "be a list", word_list, list)
        words = _different("word_list", word_list)
        return cls._of(_with_special(words, special_tokens, special_first))

    @classmethod
    def from_dict(cls, word_dict: Mapping[str, int]) -> Vocab:
        """The words of a dict, with the numbers that it gives them.

        Args:
            word_dict (dict): numbers of 0 or more, by word.

        Raises:
            TypeError: no dict of ints by str.
            ValueError: a negative number.
        """
        if not isinstance(word_dict, dict):
            raise check.wrong_type("Vocab", "word_dict", "be a dict", word_dict, dict)
        for word, number in word_dict.items():
            check.string("Vocab", "word", word)
            check.int32("Vocab", "word_id", number, 0)
        vocab = cls()
        vocab._numbers = dict(word_dict)
        return vocab

    @classmethod
    def from_file(
        cls,
        file_path: str,
        delimiter: str = "",
        vocab_size: int | None = None,
        special_tokens: list[str] | None = None,
        special_first: bool = True,
    ) -> Vocab:
        """The words of a file, one in a line.

        Args:
            file_path (str): the file, in UTF-8.
            delimiter (str): what ends the word in its line; ``""`` for the end of the line.
            vocab_size (int): how many words to take at most.
            special_tokens (list): more words.
            special_first (bool): whether they come first, else last.

        Raises:
            TypeError: an argument of another type.
            ValueError: ``vocab_size`` is not positive, or a word stands there twice.
            RuntimeError: the file can't be read.
        """
        check.string("Vocab", "file_path", file_path)
        check.string("Vocab", "delimiter", delimiter)
        if vocab_size is not None:
            check.positive("Vocab", "vocab_size", vocab_size)
        try:
            with open(file_path, encoding="utf-8", newline="\n") as file:
                lines = [line.removesuffix("\n") for line in file]
        except (OSError, UnicodeDecodeError) as error:
            raise DatasetError(
                f"Vocab: file_path must be a text file in UTF-8, got {file_path!r}: {error}."
            ) from error
        words = [line.split(delimiter)[0] if delimiter else line for line in lines]
        try:
            words = _different("file_path", words[:vocab_size])
        except ValueError as error:
            raise DatasetError(str(error)) from None
        return cls._of(_with_special(words, special_tokens, special_first))

    @classmethod
    def from_dataset(
        cls,
        dataset: Any,
        columns: str | list[str] | None = None,
        freq_range: tuple[int | None, int | None] | None = None,
        top_k: int | None = None,
        special_tokens: list[str] | None = None,
        special_first: bool = True,
    ) -> Vocab:
        """The words of a dataset, the most frequent first; of the same frequency by the alphabet.

        Args:
            dataset (Dataset): rows of text.
            columns (list): where words are looked for; None for everywhere.
            freq_range (tuple): how often a word must and may occur; None for any number.
            top_k (int): how many words to take at most.
            special_tokens (list): more words, which must not occur in the dataset.
            special_first (bool): whether they come first, else last.

        Raises:
            TypeError: an argument of another type, or a column that is no text.
            ValueError: a bound that is negative, or ``top_k`` that is not positive.
            RuntimeError: a column that is not there, or a special word that occurs.
        """
        least, most = _range(freq_range)
        if top_k is not None:
            check.positive("Vocab", "top_k", top_k)
        wanted = None if columns is None else check.names("Vocab", "columns", columns)
        names = dataset.get_col_names()
        check.known("Vocab", "columns", wanted or (), names)
        counts: Counter[str] = Counter()
        for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True):
            for name in wanted or names:
                if row[name].dtype.kind not in "US":
                    raise TypeError(
                        f"Vocab: columns must hold text, got {row[name].dtype} in {name!r}. "
                        "Name the columns that do."
                    )
                counts.update(row[name].reshape(-1).tolist())
        frequent = [word for word, count in counts.items() if least <= count <= most]
        words = sorted(frequent, key=lambda word: (-counts[word], word.encode()))[:top_k]
        for word in special_tokens or ():
            if word in counts:
                raise DatasetError(
                    f"Vocab: special_tokens must not occur in the dataset, got {word!r}."
                )
        return cls._of(_with_special(words, special_tokens, special_first))

    @classmethod
    def _of(cls, words: Iterable[str]) -> Vocab:
        vocab = cls()
        vocab._numbers = {word: number for number, word in enumerate(words)}
        return vocab

    def vocab(self) -> dict[str, int]:
        """The numbers, by word.

        Returns:
            dict
        """
        if self._numbers is None:
            raise RuntimeError(
                "Vocab: has no words. Make it with Vocab.from_list, from_dict or ..."
            )
        return dict(self._numbers)

    def tokens_to_ids(self, tokens: str | list[str] | np.ndarray) -> int | list[int]:
        """The numbers of words; -1 of a word that is not there. One word has a number, no list.

        Args:
            tokens (str or list): one word, or several.

        Raises:
            TypeError: something else.
        """
        known = self.vocab()
        if isinstance(tokens, np.ndarray):
            tokens = tokens.tolist()
        listed = [tokens] if isinstance(tokens, str) else tokens
        if not isinstance(listed, list):
            kinds = (str, list, np.ndarray)
            raise check.wrong_type(self, "tokens", "be a str or a list", tokens, *kinds)
        words = [check.string(self, "tokens", word) for word in listed]
        found = [known.get(word, -1) for word in words]
        return found[0] if len(found) == 1 else found

    def ids_to_tokens(self, ids: int | list[int] | np.ndarray) -> str | list[str]:
        """The words of numbers; ``""`` of a number that is not there. One number has a word.

        Args:
            ids (int or list): one number, or several, of 0 or more.

        Raises:
            TypeError: something else.
            ValueError: a negative number.
        """
        known = {number: word for word, number in self.vocab().items()}
        if isinstance(ids, np.ndarray):
            ids = ids.tolist()
        listed = [ids] if isinstance(ids, int) else ids
        if not isinstance(listed, list):
            kinds = (int, list, np.ndarray)
            raise check.wrong_type(self, "ids", "be an int or a list", ids, *kinds)
        numbers = [check.int32(self, "ids", n, 0) for n in listed]
        found = [known.get(number, "") for number in numbers]
        return found[0] if len(found) == 1 else found

    def number(self, word: str, instead: str | None) -> int:
        """The number of a word, or of another where it has none; for :class:`Lookup`."""
        known = self._numbers or {}
        if word not in known and instead is None:
            raise RuntimeError(
                f"Lookup: the word must be in the vocab, got {word!r}.{did_you_mean(word, known)} "
                "Give unknown_token for those that are not."
            )
        return known[word] if word in known else known[str(instead)]

    def __contains__(self, word: str) -> bool:
        return word in (self._numbers or {})


def _range(freq_range: Any) -> tuple[float, float]:
    """The bounds of a word's count."""
    if freq_range is None:
        return 0, float("inf")
    if not isinstance(freq_range, tuple):
        raise check.wrong_type("Vocab", "freq_range", "be a tuple of two", freq_range, tuple)
    if len(freq_range) != 2:
        hint = "freq_range needs to be a tuple of 2 element."
        raise ValueError(
            checks.format_error("Vocab", "freq_range", "have two ends", str(freq_range), hint)
        )
    least, most = freq_range
    for bound in freq_range:
        if bound is not None:
            check.integer("Vocab", "freq_range", bound, 0)
    if least is not None and most is not None and least > most:
        hint = "The frequency range [a,b] should be 0 <= a <= b (a,b are inclusive)."
        raise ValueError(checks.format_error("Vocab", "freq_range", "grow", str(freq_range), hint))
    return least or 0, float("inf") if most is None else most


def _different(name: str, words: Iterable[Any]) -> list[str]:
    """Words, of which none stands there twice."""
    found = [check.string("Vocab", name, word) for word in words]
    if twice := next(_repeated(found), None):
        raise ValueError(
            f"Vocab: {name} must hold each word once, got {twice!r} more often. "
            f"{name} contains duplicate word: {twice}."
        )
    return found


def _repeated(words: list[str]) -> Iterator[str]:
    return (word for word, count in Counter(words).items() if count > 1)


def _with_special(words: list[str], special: Any, first: bool) -> list[str]:
    check.boolean("Vocab", "special_first", first)
    if special is not None and not isinstance(special, list | tuple):
        raise TypeError(
            checks.format_error(
                "Vocab", "special_tokens", "be a list", checks.format_value(special)
            )
        )
    added = _different("special_tokens", special or ())
    if both := sorted({*added} & {*words}):
        raise ValueError(
            f"Vocab: special_tokens must not be among the words, got {both[0]!r}, which is a "
            "duplicate."
        )
    return [*added, *words] if first else [*words, *added]


def to_bytes(array: np.ndarray, encoding: str = "utf8") -> np.ndarray:
    """Text as bytes.

    Args:
        array (numpy.ndarray): of str.
        encoding (str): how.

    Raises:
        ValueError: the array is of another type.

    >>> to_bytes(np.array(["sea"]))
    array([b'sea'], dtype='|S3')
    """
    if not isinstance(array, np.ndarray):
        raise ValueError(
            checks.format_error("to_bytes", "array", "be a NumPy array", checks.format_value(array))
        )
    return np.char.encode(array, encoding)


def to_str(array: np.ndarray, encoding: str = "utf8") -> np.ndarray:
    """Bytes as text.

    Args:
        array (numpy.ndarray): of bytes; of str, it is given back.
        encoding (str): how.

    Raises:
        TypeError: it is no array, or one of something else.

    >>> to_str(np.array([b"sea"]))
    array(['sea'], dtype='<U3')
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(
            checks.format_error("to_str", "array", "be a NumPy array", checks.format_value(array))
        )
    if array.dtype.kind not in "US":
        raise TypeError(checks.format_error("to_str", "array", "hold text", str(array.dtype)))
    return np.char.decode(array, encoding) if array.dtype.kind == "S" else array


__all__ = ["Vocab", "to_bytes", "to_str"]
