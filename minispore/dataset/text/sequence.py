"""Transforms of rows of words: their ids, vectors, windows and lengths."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.text.patterns import compile_pattern
from minispore.dataset.text.vectors import Vectors
from minispore.dataset.text.vocab import Vocab
from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.base import Transform
from minispore.foundation import checks
from minispore.ir import dtype as mstype


class TextTransform(Transform):
    """Internal base of transforms of text, row by row."""

    def check_text(
        self, x: np.ndarray, axes: tuple[int, ...] = (0, 1), allow_bytes: bool = False
    ) -> np.ndarray:
        """Return ``x`` as str after checking that it is text, and that its rank is one of ``axes``.

        Bytes, accepted only with ``allow_bytes``, are decoded from UTF-8.

        Raises:
            RuntimeError: ``x`` is not such text.
        """
        text_kinds = "US" if allow_bytes else "U"
        if x.dtype.kind not in text_kinds or x.ndim not in axes:
            allowed_ranks = " or ".join(str(n) for n in axes)
            raise RuntimeError(
                f"{self.name}: the column must be text of {allowed_ranks} axes, got {x.dtype} of "
                f"shape {x.shape}."
            )
        return np.char.decode(x, "utf8") if x.dtype.kind == "S" else x


def check_pattern(api_name: object, name: str, value: str) -> str:
    """Check a regular expression in ICU's syntax, and return it unchanged.

    Raises:
        RuntimeError: the expression can't be compiled.
    """
    try:
        compile_pattern(value)
    except re.error as error:
        rule = f"be a regular expression ({error})"
        raise RuntimeError(arguments.format_error(api_name, name, rule, value)) from error
    return value


class Lookup(TextTransform):
    """The id of each word.

    Args:
        vocab (Vocab): the vocabulary.
        unknown_token (str): the word whose id is used for unknown words.
        data_type (mindspore.dtype): the dtype of the ids.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: ``unknown_token`` is not in ``vocab``, or ``data_type`` is not numeric; in a
            run: a word is not in ``vocab``, and no ``unknown_token`` was given.

    >>> Lookup(Vocab.from_list(["deep", "sea"]), "deep")(np.array(["sea", "sky"]))
    array([1, 0], dtype=int32)
    """

    vocab: Any
    unknown_token: str | None = None
    data_type: Any = mstype.int32

    def check(self) -> None:
        """Check the arguments.

        Raises:
            TypeError: an argument has a wrong type.
            RuntimeError: ``vocab`` lacks ``unknown_token``, or ``data_type`` is not numeric.
        """
        arguments.instance(self, "vocab", self.vocab, (Vocab,))
        if not isinstance(self.data_type, mstype.DType):
            raise TypeError(
                arguments.format_error(self, "data_type", "be a data type", self.data_type)
            )
        if self.data_type.kind not in "iufb":
            rule = "be a data type of numbers"
            raise RuntimeError(arguments.format_error(self, "data_type", rule, self.data_type))
        if self.unknown_token is not None:
            check.string(self, "unknown_token", self.unknown_token)
            if self.unknown_token not in self.vocab:
                raise RuntimeError(
                    arguments.format_error(
                        self, "unknown_token", "be a word of the vocab", self.unknown_token
                    )
                )

    def transform_row(self, x: np.ndarray) -> np.ndarray:
        """Return the ids of the words, in the shape of ``x``.

        Raises:
            RuntimeError: ``x`` is not text, or a word is unknown and there is no ``unknown_token``.
        """
        words = self.check_text(x, tuple(range(x.ndim + 1)))
        numbers = [
            self.vocab.get_id(word, self.unknown_token) for word in words.reshape(-1).tolist()
        ]
        return np.array(numbers, self.data_type.np).reshape(x.shape)


class ToVectors(TextTransform):
    """The vectors of words, (words, dimension); (dimension,) for a single word.

    Args:
        vectors (Vectors): the word vectors.
        unk_init (list or tuple): the vector of an unknown word; None for zeros.
        lower_case_backup (bool): whether an unknown word is looked up again in lower case.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: the length of ``unk_init`` differs from that of the vectors; in a run: the
            column is not text, or is empty.
    """

    vectors: Any
    unk_init: Any = None
    lower_case_backup: bool = False

    def check(self) -> None:
        """Check the arguments, and store ``unk_init`` as a tuple, zeros by default.

        Raises:
            TypeError: an argument has a wrong type.
            RuntimeError: the length of ``unk_init`` differs from that of the vectors.
        """
        arguments.instance(self, "vectors", self.vectors, (Vectors,))
        unknown = () if self.unk_init is None else self.unk_init
        arguments.instance(self, "unk_init", unknown, (list, tuple))
        for i, value in enumerate(unknown):
            if isinstance(value, bool) or not isinstance(value, int | float):
                mindspore_text = check.type_mismatch_text(f"unk_init[{i}]", value, int, float)
                rule = arguments.format_error(self, f"unk_init[{i}]", "be a number", value)
                raise TypeError(f"{rule} {mindspore_text}")
        check.boolean(self, "lower_case_backup", self.lower_case_backup)
        length = self.vectors.dimension
        if unknown and len(unknown) != length:
            rule = f"have {length} numbers, as the vectors"
            raise RuntimeError(arguments.format_error(self, "unk_init", rule, unknown))
        self.normalise(unk_init=tuple(unknown) or (0,) * length)

    def transform_row(self, x: np.ndarray) -> np.ndarray:
        """Return float32 (words, dimension), or (dimension,) for one word; axes are flattened.

        Raises:
            RuntimeError: ``x`` is not text, or has no word.
        """
        words = self.check_text(x, tuple(range(x.ndim + 1))).reshape(-1).tolist()
        if not words:
            raise RuntimeError(f"{self.name}: the column must hold a word, got shape {x.shape}.")
        vectors = np.stack([self._get_vector(word) for word in words])
        return vectors[0] if len(words) == 1 else vectors

    def _get_vector(self, word: str) -> np.ndarray:
        """Return the vector of a word, or of its lower case with ``lower_case_backup``, else
        ``unk_init``.
        """
        vector = self.vectors.vector(word)
        if vector is None and self.lower_case_backup:
            vector = self.vectors.vector(word.lower())
        return np.array(self.unk_init, np.float32) if vector is None else vector


class Ngram(TextTransform):
    """All n-grams: n consecutive words, joined.

    Args:
        n (list): the lengths of the n-grams, which are output in this order.
        left_pad (tuple): a word, and how often it is prepended: at most n - 1 times.
        right_pad (tuple): a word, and how often it is appended: at most n - 1 times.
        separator (str): the string between words.

    Raises:
        TypeError: a length is not an int, or ``separator`` is not a str.
        ValueError: ``n`` is empty, a length is not positive, or a padding is not a pair of a word
            and a non-negative int.
        RuntimeError: in a run: the column is not a vector of text.

    >>> Ngram(2, left_pad=("_", 1))(np.array(["deep", "blue", "sea"]))
    array(['_ deep', 'deep blue', 'blue sea'], dtype='<U9')
    """

    n: Any
    left_pad: tuple = ("", 0)
    right_pad: tuple = ("", 0)
    separator: str = " "

    def check(self) -> None:
        """Check the arguments, and store ``n`` as a tuple of ints; see the class for errors."""
        lengths = (self.n,) if isinstance(self.n, int) else self.n
        if not isinstance(lengths, list | tuple) or not lengths:
            hint = "n needs to be a non-empty list of positive integers."
            raise ValueError(
                arguments.format_error(self, "n", "be an int or a list of them", self.n, hint)
            )
        lengths = tuple(
            check.positive(self, f"n[{i}]", n, f"gram_{i}") for i, n in enumerate(lengths)
        )
        for name, pad in (("left_pad", self.left_pad), ("right_pad", self.right_pad)):
            kinds = [str, int]
            if not isinstance(pad, tuple) or list(map(isinstance, pad, kinds)) != [True, True]:
                hint = f"{name} needs to be a tuple of (str, int)."
                raise ValueError(
                    arguments.format_error(self, name, "be (a word, how often)", pad, hint)
                )
            if pad[1] < 0:
                hint = "The padding width need to be positive numbers."
                raise ValueError(
                    arguments.format_error(self, name, "have no negative width", pad, hint)
                )
            check.int32(self, name, int(pad[1]), 0)
        check.string(self, "separator", self.separator)
        self.normalise(n=lengths)

    def transform_row(self, x: np.ndarray) -> np.ndarray:
        """Return the joined n-grams of each length in turn; "" for a length without n-grams.

        At most n - 1 padding words are added at each end.

        Raises:
            RuntimeError: ``x`` is not a vector of text.
        """
        words, ngrams = self.check_text(x, (1,)).tolist(), []
        for n in self.n:
            left_word, left_times = self.left_pad
            right_word, right_times = self.right_pad
            padded = [
                *[left_word] * min(left_times, n - 1),
                *words,
                *[right_word] * min(right_times, n - 1),
            ]
            joined = [self.separator.join(padded[i : i + n]) for i in range(len(padded) - n + 1)]
            ngrams += joined or [""]
        return np.array(ngrams)


class SlidingWindow(Transform):
    """All windows of ``width`` consecutive values, one per row.

    Args:
        width (int): the number of values in a window.
        axis (int): 0 or -1.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``width`` is not positive.
        RuntimeError: in a run: the column is not one-dimensional, or ``axis`` is neither 0 nor -1.

    >>> SlidingWindow(2)(np.array([1, 2, 3]))
    array([[1, 2],
           [2, 3]])
    """

    width: int
    axis: int = 0

    def check(self) -> None:
        check.int32(self, "width", self.width, 1)
        checks.integer(self, "axis", self.axis)

    def transform_row(self, x: np.ndarray) -> np.ndarray:
        """Return the windows (count, width); a row shorter than ``width`` gives an empty array
        (0,).

        Raises:
            RuntimeError: ``x`` is not a vector, or ``axis`` is neither 0 nor -1.
        """
        if x.ndim != 1 or self.axis not in (0, -1):
            raise RuntimeError(
                f"SlidingWindow: the column must have one axis, got shape {x.shape} and "
                f"axis={self.axis}."
            )
        if len(x) < self.width:
            return x[:0]
        return np.lib.stride_tricks.sliding_window_view(x, self.width).copy()


class ToNumber(TextTransform):
    """Numbers parsed from text; anything after the number is ignored.

    Args:
        data_type (mindspore.dtype): the dtype of the numbers.

    Raises:
        TypeError: ``data_type`` is not numeric.
        RuntimeError: in a run: a text does not begin with a number, or it is out of range.

    >>> from minispore import int8
    >>> ToNumber(int8)(np.array(["3", "-4"]))
    array([ 3, -4], dtype=int8)
    """

    data_type: Any

    def check(self) -> None:
        if not isinstance(self.data_type, mstype.DType) or self.data_type.kind not in "iuf":
            rule = "be a data type of numbers"
            raise TypeError(arguments.format_error(self, "data_type", rule, self.data_type))

    def transform_row(self, x: np.ndarray) -> np.ndarray:
        """Parse each text and return the numbers in the shape of ``x``.

        Raises:
            RuntimeError: ``x`` is not text, or a text does not begin with a number in the range of
                the dtype.
        """
        dtype = self.data_type.np
        parse = partial(_parse_float if dtype.kind == "f" else _parse_integer, dtype=dtype)
        try:
            texts = self.check_text(x, tuple(range(x.ndim + 1))).reshape(-1).tolist()
            numbers = [parse(text) for text in texts]
            bounds = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
            if wrong := [n for n in numbers if n < int(bounds.min) or n > int(bounds.max)]:
                raise ValueError(f"{wrong[0]} is out of bounds of {dtype}")
        except ValueError as error:
            raise RuntimeError(f"ToNumber: the text must be a {dtype}: {error}.") from error
        return np.array(numbers, dtype).reshape(x.shape)


# As parsed in C: a number at the beginning, followed by anything.
_INTEGER = re.compile(r"\s*[+-]?[0-9]+", re.ASCII)
_REAL = re.compile(
    r"\s*[+-]?(?:0x(?P<hex>[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?"
    r"|(?P<digits>[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|nan|inf)",
    re.ASCII | re.IGNORECASE,
)


def _parse_integer(text: str, dtype: np.dtype) -> int:
    """Return the integer at the beginning of a text, which may be out of the range of ``dtype``.

    Raises:
        ValueError: the text begins with no integer, or there is a minus anywhere and ``dtype`` is
            unsigned.
    """
    match = _INTEGER.match(text)
    if not match or (dtype.kind == "u" and "-" in text):
        raise ValueError(f"{text!r} begins with no number of {dtype}")
    return int(match.group())


def _parse_float(text: str, dtype: np.dtype) -> float:
    """Return the decimal or hexadecimal number, nan or inf at the beginning of a text.

    It may be too large for ``dtype``; a float16 may be as small as a float32.

    Raises:
        ValueError: the text begins with no number, or the number is too small for the dtype.
    """
    match = _REAL.match(text)
    if not match:
        raise ValueError(f"{text!r} begins with no number")
    number = float.fromhex(match.group()) if match["hex"] else float(match.group())
    smallest = float(np.finfo(np.promote_types(dtype, np.float32)).tiny)
    # A number whose digits are not all zero has underflowed.
    if abs(number) < smallest and (match["hex"] or match["digits"]).strip("0."):
        raise ValueError(f"{match.group()} is too small for {dtype}")
    return number


class Truncate(Transform):
    """The first ``max_seq_len`` values of the last axis.

    Args:
        max_seq_len (int): the number of values to keep.

    Raises:
        TypeError: ``max_seq_len`` is not an int.
        ValueError: ``max_seq_len`` is not positive.
        RuntimeError: in a run: the column has neither one nor two axes.

    >>> Truncate(2)(np.array(["deep", "blue", "sea"]))
    array(['deep', 'blue'], dtype='<U4')
    """

    max_seq_len: int

    def check(self) -> None:
        check.int32(self, "max_seq_len", self.max_seq_len, 1)

    def transform_row(self, x: np.ndarray) -> np.ndarray:
        """Return the first values of the last axis, a view.

        Raises:
            RuntimeError: ``x`` has neither one nor two axes.
        """
        if x.ndim not in (1, 2):
            raise RuntimeError(f"Truncate: the column must have 1 or 2 axes, got shape {x.shape}.")
        return x[..., : self.max_seq_len]


class TruncateSequencePair(Transform):
    """Two rows, the longer one shortened until their total length is at most ``max_length``.

    Args:
        max_length (int): the total number of values to keep.

    Raises:
        TypeError: ``max_length`` is not an int.
        ValueError: ``max_length`` is negative.
        RuntimeError: in a run: a column is not one-dimensional.

    >>> TruncateSequencePair(3)(np.array([1, 2, 3]), np.array([4, 5]))
    (array([1, 2]), array([4]))
    """

    max_length: int

    def check(self) -> None:
        check.int32(self, "max_length", self.max_length, 0)

    def transform_row(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Remove last values of the longer row, on a tie of the second, until both fit.

        Raises:
            RuntimeError: a row is not one-dimensional.
        """
        if first.ndim != 1 or second.ndim != 1:
            shapes = f"{first.shape} and {second.shape}"
            raise RuntimeError(
                f"TruncateSequencePair: both columns must have one axis, got {shapes}: both data "
                "column should be of rank 1."
            )
        first_length, second_length = len(first), len(second)
        while first_length + second_length > self.max_length:
            if first_length > second_length:
                first_length -= 1
            else:
                second_length -= 1
        return first[:first_length], second[:second_length]


class AddToken(TextTransform):
    """The words with a token added at the beginning or end.

    Args:
        token (str): the token to add.
        begin (bool): whether the token comes first, else last.

    Raises:
        TypeError: an argument has a wrong type.
        RuntimeError: ``token`` is empty; in a run: the column is not text of one or two axes.

    >>> AddToken("<s>")(np.array(["deep", "sea"]))
    array(['<s>', 'deep', 'sea'], dtype='<U4')
    """

    token: str
    begin: bool = True

    def check(self) -> None:
        """Check the arguments; raise RuntimeError if ``token`` is empty."""
        check.string(self, "token", self.token)
        check.boolean(self, "begin", self.begin)
        if not self.token:
            hint = "Parameter token is not provided."
            raise RuntimeError(
                arguments.format_error(self, "token", "not be empty", self.token, hint)
            )

    def transform_row(self, x: np.ndarray) -> np.ndarray:
        """Return the words with the token added along the last axis.

        Raises:
            RuntimeError: ``x`` is not text of one or two axes.
        """
        words = self.check_text(x, (1, 2))
        token_column = np.full((*words.shape[:-1], 1), self.token)
        return np.concatenate([token_column, words] if self.begin else [words, token_column], -1)


__all__ = [
    "AddToken",
    "Lookup",
    "Ngram",
    "SlidingWindow",
    "ToNumber",
    "ToVectors",
    "Truncate",
    "TruncateSequencePair",
]
