"""Vectors, GloVe, FastText, CharNGram: word vectors, read from text files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from minispore.dataset import check
from minispore.errors import DatasetError
from minispore.foundation.files import check_regular_file


class Vectors:
    """The vectors of words. Made by ``from_file``.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "vectors.txt")
        >>> with open(path, "w") as file:
        ...     _ = file.write("deep 1 2\\nsea 3 4\\n")
        >>> vectors = text.Vectors.from_file(path)
        >>> text.ToVectors(vectors)(["sea", "sky"])
        array([[3., 4.],
               [0., 0.]], dtype=float32)
    """

    _file_pattern: ClassVar[str] = "*"  # pattern that a file's name must match

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}  # word -> its row in _values
        self._values = np.empty((0, 0), np.float32)  # (words, dimension)

    @classmethod
    def from_file(cls, file_path: str, max_vectors: int | None = None) -> Self:
        """Read a file that has a word and its numbers in each line, separated by single spaces.

        A first line with only two values, such as the number and length of the vectors, is skipped.
        If a word occurs twice, its first vector is used.

        Args:
            file_path (str): the file, in UTF-8.
            max_vectors (int, optional): the maximum number of vectors; None or 0 for all.
                Default: ``None``.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: ``max_vectors`` is negative.
            RuntimeError: the file can't be read, its name does not fit the class, it has no
                vectors, or a line is not a word and as many numbers as in the first, at least two.
        """
        api_name = cls.__name__
        check.string(api_name, "file_path", file_path)
        limit = 0 if max_vectors is None else check.int32(api_name, "max_vectors", max_vectors, 0)
        if not Path(file_path).match(cls._file_pattern):
            raise DatasetError(
                f"{api_name}: file_path must name a file {cls._file_pattern!r}, got "
                f"{file_path!r}. Rename it, "
                "or use Vectors."
            )
        vectors = cls()
        try:
            with open(check_regular_file(file_path), encoding="utf-8", newline="\n") as file:
                vectors_by_word = _read_vectors(file, limit)
        except (OSError, ValueError) as exc:
            raise DatasetError(
                f"{api_name}: file_path must be a file of vectors in UTF-8, got "
                f"{file_path!r}. {exc}."
            ) from exc
        vectors._rows = {word: row for row, word in enumerate(vectors_by_word)}
        vectors._values = np.stack([*vectors_by_word.values()])
        return vectors

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return self._values.shape[1]

    def vector(self, word: str) -> np.ndarray | None:
        """Return the float32 vector of a word, a view (dimension,); None for an unknown word."""
        row = self._rows.get(word)
        return None if row is None else self._values[row]


class GloVe(Vectors):
    """Vectors learned from word co-occurrence counts, read from a file ``glove.*.txt``.

    Source: J. Pennington, R. Socher, C. Manning, GloVe: global vectors for word representation,
        2014.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "glove.6B.2d.txt")
        >>> with open(path, "w") as file:
        ...     _ = file.write("deep 1 2\\nsea 3 4\\n")
        >>> text.ToVectors(text.GloVe.from_file(path))("deep")
        array([1., 2.], dtype=float32)
    """

    _file_pattern = "glove.*.txt"


class FastText(Vectors):
    """Word vectors learned with subword vectors, read from a file ``*.vec``.

    Source: P. Bojanowski, E. Grave, A. Joulin, T. Mikolov, Enriching word vectors with subword
        information, 2017.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "wiki.simple.vec")
        >>> with open(path, "w") as file:
        ...     _ = file.write("2 3\\ndeep 1 2 3\\nsea 4 5 6\\n")
        >>> text.ToVectors(text.FastText.from_file(path, max_vectors=1))(["deep", "sea"])
        array([[1., 2., 3.],
               [0., 0., 0.]], dtype=float32)
    """

    _file_pattern = "*.vec"


class CharNGram(Vectors):
    """Vectors of character n-grams, n from 2 to 4; the vector of a word is their mean.

    A line of the file begins with ``2gram-he``, ``3gram-#BEGIN#he`` or ``2gram-o#END#``.

    Source: K. Hashimoto, C. Xiong, Y. Tsuruoka, R. Socher, A joint many-task model, 2017.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "parts.txt")
        >>> with open(path, "w") as file:
        ...     _ = file.write("2gram-#BEGIN#h 1 2\\n2gram-he 3 6\\n")
        >>> text.ToVectors(text.CharNGram.from_file(path))(["he", "ho", "on"])
        array([[2., 4.],
               [1., 2.],
               [0., 0.]], dtype=float32)
    """

    def vector(self, word: str) -> np.ndarray | None:
        """Return the mean of the vectors of a word's character n-grams; None if all are unknown."""
        characters = ["#BEGIN#", *word, "#END#"]
        ngrams = [
            f"{n}gram-{''.join(characters[i : i + n])}"
            for n in (2, 3, 4)
            for i in range(len(characters) - n + 1)
        ]
        rows = [self._rows[ngram] for ngram in ngrams if ngram in self._rows]
        return self._values[rows].mean(axis=0) if rows else None


def _read_vectors(file: Any, limit: int) -> dict[str, np.ndarray]:
    """Read at most ``limit`` vectors (0 for all) of an open file, the first for each word.

    A first line of two values is skipped. Return a dict from words to float32 vectors.

    Raises:
        ValueError: a line is not a word and at least two numbers, as many as in the first, or there
            are no vectors.
    """
    vectors: dict[str, np.ndarray] = {}
    length = 0
    for number, line in enumerate(file, 1):
        word, *values = line.rstrip(" \t\r\n").split(" ")
        if number == 1 and len(values) == 1:
            continue
        length = length or max(2, len(values))
        if len(values) != length:
            raise ValueError(
                f"Line {number} must have a word and {length} numbers, got {len(values)} of them"
            )
        if word in vectors:
            continue
        vectors[word] = _parse_vector(number, values)
        if len(vectors) == limit:
            break
    if not vectors:
        raise ValueError("It has no vectors")
    return vectors


def _parse_vector(number: int, values: list[str]) -> np.ndarray:
    """Return the numbers of line ``number`` as float32; too large numbers become infinite.

    Raises:
        ValueError: a value is not a number.
    """
    try:
        if grouped := [value for value in values if "_" in value]:  # Python reads 1_0 as 10
            raise ValueError(f"could not convert string to float: {grouped[0]!r}")
        with np.errstate(over="ignore"):
            return np.array([*map(float, values)]).astype(np.float32)
    except ValueError as exc:
        raise ValueError(f"Line {number} must have numbers after its word. {exc}") from None


__all__ = ["CharNGram", "FastText", "GloVe", "Vectors"]
