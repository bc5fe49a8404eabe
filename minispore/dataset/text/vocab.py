"""Vocab: words and their ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.errors import DatasetError, did_you_mean
from minispore.foundation import checks
from minispore.foundation.files import check_regular_file


class Vocab:
    """The words of a language model, each with its id.

    Made by ``from_list``, ``from_dict``, ``from_file`` or ``from_dataset``.

    Source: https://www.mindspore.cn/docs/en/master/api_python/dataset_text/mindspore.dataset.text.Vocab.html

    >>> vocab = Vocab.from_list(["deep", "sea"], special_tokens=["<unk>"])
    >>> vocab.vocab()
    {'<unk>': 0, 'deep': 1, 'sea': 2}
    >>> vocab.tokens_to_ids(["sea", "sky"]), vocab.ids_to_tokens(1)
    ([2, -1], 'deep')
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] | None = None  # word -> id; None if made without words

    @classmethod
    def from_list(
        cls,
        word_list: list[str],
        special_tokens: list[str] | None = None,
        special_first: bool = True,
    ) -> Vocab:
        """Make a vocabulary from the words of a list, in its order.

        Args:
            word_list (list): distinct words.
            special_tokens (list): more words, such as ``"<unk>"``.
            special_first (bool): whether special tokens come first, else last.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: a word occurs twice.
        """
        if not isinstance(word_list, list):
            raise check.wrong_type("Vocab", "word_list", "be a list", word_list, list)
        words = _check_unique("word_list", word_list)
        return cls._from_words(_add_special_tokens(words, special_tokens, special_first))

    @classmethod
    def from_dict(cls, word_dict: Mapping[str, int]) -> Vocab:
        """Make a vocabulary from a dict of words and ids.

        Args:
            word_dict (dict): word -> id, 0 or more.

        Raises:
            TypeError: ``word_dict`` is not a dict from str to int.
            ValueError: an id is negative.
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
        """Make a vocabulary from the words of a file, one per line.

        Args:
            file_path (str): the file, in UTF-8.
            delimiter (str): the string that ends the word in its line; ``""`` for the end of the
                line.
            vocab_size (int): the maximum number of words.
            special_tokens (list): more words.
            special_first (bool): whether special tokens come first, else last.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: ``vocab_size`` is not positive, or a special token is among the words or
                occurs twice.
            RuntimeError: the file can't be read, or a word occurs twice.
        """
        check.string("Vocab", "file_path", file_path)
        check.string("Vocab", "delimiter", delimiter)
        if vocab_size is not None:
            check.positive("Vocab", "vocab_size", vocab_size)
        try:
            with open(check_regular_file(file_path), encoding="utf-8", newline="\n") as file:
                lines = [line.removesuffix("\n") for line in file]
        except (OSError, UnicodeDecodeError) as error:
            raise DatasetError(
                f"Vocab: file_path must be a text file in UTF-8, got {file_path!r}: {error}."
            ) from error
        words = [line.split(delimiter)[0] if delimiter else line for line in lines]
        try:
            words = _check_unique("file_path", words[:vocab_size])
        except ValueError as error:
            raise DatasetError(str(error)) from None
        return cls._from_words(_add_special_tokens(words, special_tokens, special_first))

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
        """Make a vocabulary from a dataset's words, the most frequent first.

        Equally frequent words are in alphabetical order.

        Args:
            dataset (Dataset): rows of text, which are read once; bytes are decoded from UTF-8.
            columns (list): the columns with the words; None for all columns.
            freq_range (tuple): the minimum and maximum frequency of a word; None for no limit.
            top_k (int): the maximum number of words.
            special_tokens (list): more words, which must not occur in the dataset.
            special_first (bool): whether special tokens come first, else last.

        Raises:
            TypeError: an argument has a wrong type, or a column does not hold text.
            ValueError: ``freq_range`` is not two bounds in order or one is negative, ``top_k`` is
                not positive, or a special token occurs twice.
            RuntimeError: a column does not exist, bytes are not UTF-8, or a special token occurs in
                the dataset.
        """
        minimum, maximum = _check_frequency_range(freq_range)
        if top_k is not None:
            check.positive("Vocab", "top_k", top_k)
        selected = None if columns is None else check.names("Vocab", "columns", columns)
        names = dataset.get_col_names()
        check.check_columns_exist("Vocab", "columns", selected or (), names)
        counts: Counter[str] = Counter()
        for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True):
            for name in selected or names:
                if row[name].dtype.kind not in "US":
                    raise TypeError(
                        f"Vocab: columns must hold text, got {row[name].dtype} in {name!r}. "
                        "Name the columns that do."
                    )
                words = row[name].reshape(-1).tolist()
                counts.update(_decode_words(name, words) if row[name].dtype.kind == "S" else words)
        frequent = [word for word, count in counts.items() if minimum <= count <= maximum]
        words = sorted(frequent, key=lambda word: (-counts[word], word.encode()))[:top_k]
        for word in special_tokens or ():
            if word in counts:
                raise DatasetError(
                    f"Vocab: special_tokens must not occur in the dataset, got {word!r}."
                )
        return cls._from_words(_add_special_tokens(words, special_tokens, special_first))

    @classmethod
    def _from_words(cls, words: Iterable[str]) -> Vocab:
        """Make a vocabulary that numbers the words in order, from 0."""
        vocab = cls()
        vocab._numbers = {word: number for number, word in enumerate(words)}
        return vocab

    def vocab(self) -> dict[str, int]:
        """Return a new dict from words to ids.

        Raises:
            RuntimeError: the Vocab was made without words.
        """
        if self._numbers is None:
            raise RuntimeError(
                "Vocab: has no words. Make it with Vocab.from_list, from_dict or ..."
            )
        return dict(self._numbers)

    def tokens_to_ids(self, tokens: str | list[str] | np.ndarray) -> int | list[int]:
        """Return the ids of words, -1 for unknown words; an int for a single word, also in a list.

        Args:
            tokens (str or list): one word, or several.

        Raises:
            TypeError: ``tokens`` has a wrong type.
            RuntimeError: the Vocab was made without words.
        """
        ids_by_word = self.vocab()
        if isinstance(tokens, np.ndarray):
            tokens = tokens.tolist()
        token_list = [tokens] if isinstance(tokens, str) else tokens
        if not isinstance(token_list, list):
            kinds = (str, list, np.ndarray)
            raise check.wrong_type(self, "tokens", "be a str or a list", tokens, *kinds)
        words = [check.string(self, "tokens", word) for word in token_list]
        ids = [ids_by_word.get(word, -1) for word in words]
        return ids[0] if len(ids) == 1 else ids

    def ids_to_tokens(self, ids: int | list[int] | np.ndarray) -> str | list[str]:
        """Return the words of ids, "" for unknown ids; a str for a single id, also in a list.

        Args:
            ids (int or list): one id, or several, 0 or more.

        Raises:
            TypeError: ``ids`` has a wrong type.
            ValueError: an id is negative.
            RuntimeError: the Vocab was made without words.
        """
        words_by_id = {number: word for word, number in self.vocab().items()}
        if isinstance(ids, np.ndarray):
            ids = ids.tolist()
        id_list = [ids] if isinstance(ids, int) else ids
        if not isinstance(id_list, list):
            kinds = (int, list, np.ndarray)
            raise check.wrong_type(self, "ids", "be an int or a list", ids, *kinds)
        numbers = [check.int32(self, "ids", n, 0) for n in id_list]
        words = [words_by_id.get(number, "") for number in numbers]
        return words[0] if len(words) == 1 else words

    def get_id(self, word: str, unknown_token: str | None) -> int:
        """Return the id of a word, else the id of ``unknown_token``; for :class:`Lookup`.

        Raises:
            RuntimeError: the word is unknown, and ``unknown_token`` is None.
        """
        ids_by_word = self._numbers or {}
        if word not in ids_by_word and unknown_token is None:
            raise RuntimeError(
                "Lookup: the word must be in the vocab, got "
                f"{word!r}.{did_you_mean(word, ids_by_word)} "
                "Give unknown_token for those that are not."
            )
        return ids_by_word[word] if word in ids_by_word else ids_by_word[str(unknown_token)]

    def __contains__(self, word: str) -> bool:
        return word in (self._numbers or {})


def _check_frequency_range(freq_range: Any) -> tuple[float, float]:
    """Check ``freq_range`` and return the smallest and largest count of a word.

    They are 0 and infinity where there is no limit.

    Raises:
        TypeError: ``freq_range`` is not a tuple, or a bound is neither an int nor None.
        ValueError: there are not two bounds in order, or one is negative.
    """
    if freq_range is None:
        return 0, float("inf")
    if not isinstance(freq_range, tuple):
        raise check.wrong_type("Vocab", "freq_range", "be a tuple of two", freq_range, tuple)
    if len(freq_range) != 2:
        hint = "freq_range needs to be a tuple of 2 element."
        raise ValueError(
            checks.format_error("Vocab", "freq_range", "have two ends", str(freq_range), hint)
        )
    minimum, maximum = freq_range
    for bound in freq_range:
        if bound is not None:
            check.integer("Vocab", "freq_range", bound, 0)
    if minimum is not None and maximum is not None and minimum > maximum:
        hint = "The frequency range [a,b] should be 0 <= a <= b (a,b are inclusive)."
        raise ValueError(checks.format_error("Vocab", "freq_range", "grow", str(freq_range), hint))
    return minimum or 0, float("inf") if maximum is None else maximum


def _decode_words(column: str, words: list[bytes]) -> list[str]:
    """Decode the words of a column from UTF-8; raise DatasetError for bytes that are not UTF-8."""
    try:
        return [word.decode() for word in words]
    except UnicodeDecodeError as error:
        raise DatasetError(
            f"Vocab: columns must hold text in UTF-8, got {error.object!r} in {column!r}: {error}."
        ) from error


def _check_unique(name: str, words: Iterable[Any]) -> list[str]:
    """Check that words are distinct strs, and return them as a list; ``name`` is the argument's.

    Raises:
        TypeError: a word is not a str.
        ValueError: a word occurs twice.
    """
    checked = [check.string("Vocab", name, word) for word in words]
    duplicates = (word for word, count in Counter(checked).items() if count > 1)
    if duplicate := next(duplicates, None):
        raise ValueError(
            f"Vocab: {name} must hold each word once, got {duplicate!r} more often. "
            f"{name} contains duplicate word: {duplicate}."
        )
    return checked


def _add_special_tokens(words: list[str], special: Any, special_first: bool) -> list[str]:
    """Return the words with special tokens, a list or None, before or after them.

    Raises:
        TypeError: ``special`` or one of its words, or ``special_first``, has a wrong type.
        ValueError: a special token occurs twice, or is among the words.
    """
    check.boolean("Vocab", "special_first", special_first)
    if special is not None and not isinstance(special, list | tuple):
        raise TypeError(
            checks.format_error(
                "Vocab", "special_tokens", "be a list", checks.format_value(special)
            )
        )
    special_words = _check_unique("special_tokens", special or ())
    if shared := sorted({*special_words} & {*words}):
        raise ValueError(
            f"Vocab: special_tokens must not be among the words, got {shared[0]!r}, which is a "
            "duplicate."
        )
    return [*special_words, *words] if special_first else [*words, *special_words]


def to_bytes(array: np.ndarray, encoding: str = "utf8") -> np.ndarray:
    """Encode an array of str as bytes.

    Args:
        array (numpy.ndarray): an array of str.
        encoding (str): the encoding.

    Raises:
        ValueError: ``array`` is not an array.
        TypeError: the elements are not text.

    >>> to_bytes(np.array(["sea"]))
    array([b'sea'], dtype='|S3')
    """
    if not isinstance(array, np.ndarray):
        raise ValueError(
            checks.format_error("to_bytes", "array", "be a NumPy array", checks.format_value(array))
        )
    return np.char.encode(array, encoding)


def to_str(array: np.ndarray, encoding: str = "utf8") -> np.ndarray:
    """Decode an array of bytes as str.

    Args:
        array (numpy.ndarray): an array of bytes; an array of str is returned unchanged.
        encoding (str): the encoding.

    Raises:
        TypeError: ``array`` is not an array of bytes or str.

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
