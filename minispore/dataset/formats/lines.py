"""Text files as records: lines, or CSV records, which may contain quoted line ends."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

_CHUNK_BYTES = 1 << 20
_FIELD_CHARACTERS = 2**31 - 1  # the maximum of a C long on all systems
_LINE_END, _QUOTE, _RETURN = 0x0A, 0x22, 0x0D


def index_lines(
    path: Path, *, quoted: bool, keep_empty: bool = False, keep_returns: bool = False
) -> np.ndarray:
    """Return start and length of each line, without its line feed: int64 (lines, 2).

    Args:
        path: the file.
        quoted: whether line ends between double quotes are part of a line.
        keep_empty: whether empty lines are included.
        keep_returns: whether lines of a single carriage return are included.
    """
    spans = []
    chunk_start, line_start, in_quotes = 0, 0, False  # line_start: start of the next line
    last_byte = b"\n"
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            raw = np.frombuffer(chunk, np.uint8)
            is_end = raw == _LINE_END
            if quoted:
                # A byte is outside of quotes if an even number of quotes precedes it.
                is_quoted = np.bitwise_xor.accumulate(raw == _QUOTE) ^ in_quotes
                in_quotes = bool(is_quoted[-1])
                is_end &= ~is_quoted
            ends = np.flatnonzero(is_end) + chunk_start
            if len(ends):
                chunk_spans = _make_spans(line_start, ends)
                if not keep_empty:
                    mask = _has_content(chunk_spans, raw, chunk_start, last_byte, keep_returns)
                    chunk_spans = chunk_spans[mask]
                spans.append(chunk_spans)
                line_start = int(ends[-1]) + 1
            chunk_start += len(chunk)
            last_byte = chunk[-1:]
    if last_byte != b"\n" or in_quotes:
        chunk_spans = _make_spans(line_start, np.array([chunk_start]))
        if not keep_empty:
            raw = np.frombuffer(last_byte, np.uint8)
            mask = _has_content(chunk_spans, raw, chunk_start - 1, last_byte, keep_returns)
            chunk_spans = chunk_spans[mask]
        spans.append(chunk_spans)
    return np.concatenate([np.empty((0, 2), np.int64), *spans])


def decode_line(raw: bytes, start: int) -> str:
    """Decode the line that begins at byte ``start``.

    Raises:
        ValueError: the line is not valid UTF-8.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise ValueError(f"the line at byte {start} must be UTF-8. {exc}") from exc


def read_csv(lines: Iterable[str], **options: Any) -> Iterator[list[str]]:
    """Return an iterator over the records of CSV lines, whose fields may have any length.

    This raises Python's limit of 131,072 characters per field, for the entire process.
    """
    csv.field_size_limit(_FIELD_CHARACTERS)
    return csv.reader(lines, **options)


def parse_csv_record(line: str, delimiter: str) -> list[str]:
    """Return the values of a CSV record.

    Raises:
        ValueError: quotes are not closed, or something follows them.

    >>> parse_csv_record('1,"a ""b"", c"', ",")
    ['1', 'a "b", c']
    """
    try:
        records = list(read_csv([line], delimiter=delimiter, strict=True))
    except csv.Error as exc:
        raise ValueError(f"the record must be CSV. {exc}: {line[:80]!r}") from exc
    return records[0] if records else [""]


def _make_spans(start: int, ends: np.ndarray) -> np.ndarray:
    """Return start and length of consecutive lines from ``start`` on that end at ``ends``."""
    starts = np.concatenate([[start], ends[:-1] + 1])
    return np.stack([starts, ends - starts], axis=1)


def _has_content(
    spans: np.ndarray, raw: np.ndarray, chunk_start: int, last_byte: bytes, keep_returns: bool
) -> np.ndarray:
    """Return a mask of the lines with content.

    Args:
        spans: start and length of each line (lines, 2), in the file.
        raw: the bytes of the chunk.
        chunk_start: where the chunk begins in the file.
        last_byte: the last byte of the previous chunk.
        keep_returns: whether a single carriage return is content.
    """
    has_content: np.ndarray = spans[:, 1] > 0
    if keep_returns:
        return has_content
    single = np.flatnonzero(spans[:, 1] == 1)
    characters = raw[spans[single, 0] - chunk_start]
    # The line's only character is the last byte of the previous chunk.
    if len(single) and spans[single[0], 0] < chunk_start:
        characters[0] = last_byte[0]
    has_content[single] = characters != _RETURN
    return has_content
