"""Text files as records: lines, or CSV records, which may have line ends inside quotes."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

_PIECE = 1 << 20
_LINE_END, _QUOTE, _RETURN = 0x0A, 0x22, 0x0D


def index(path: Path, *, quotes: bool, empty: bool = False, bare: bool = False) -> np.ndarray:
    """Start and length of each line, without its line feed: int64 (lines, 2).

    Args:
        path: the file.
        quotes: whether a line end between double quotes does not count.
        empty: whether lines without a character count.
        bare: whether lines of a carriage return alone count.
    """
    found = []
    at, start, inside = 0, 0, False  # start: of the line that comes next
    last = b"\n"
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            raw = np.frombuffer(piece, np.uint8)
            end = raw == _LINE_END
            if quotes:
                # Outside of quotes, an even number of them has come before.
                odd = np.bitwise_xor.accumulate(raw == _QUOTE) ^ inside
                inside = bool(odd[-1])
                end &= ~odd
            ends = np.flatnonzero(end) + at
            if len(ends):
                places = _places(start, ends)
                found.append(places if empty else places[_filled(places, raw, at, last, bare)])
                start = int(ends[-1]) + 1
            at += len(piece)
            last = piece[-1:]
    if last != b"\n" or inside:
        places = _places(start, np.array([at]))
        raw = np.frombuffer(last, np.uint8)
        found.append(places if empty else places[_filled(places, raw, at - 1, last, bare)])
    return np.concatenate([np.empty((0, 2), np.int64), *found])


def text(raw: bytes, start: int) -> str:
    """The line that begins at byte ``start`` as text.

    Raises:
        ValueError: it is no UTF-8.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise ValueError(f"the line at byte {start} must be UTF-8. {exc}") from exc


def fields(line: str, delimiter: str) -> list[str]:
    """The values of a CSV record.

    Raises:
        ValueError: quotes are not closed, or something follows them.

    >>> fields('1,"a ""b"", c"', ",")
    ['1', 'a "b", c']
    """
    try:
        records = list(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error as exc:
        raise ValueError(f"the record must be CSV. {exc}: {line[:80]!r}") from exc
    return records[0] if records else [""]


def _places(start: int, ends: np.ndarray) -> np.ndarray:
    """Start and length of the lines that end at ``ends``, the first at ``start``."""
    starts = np.concatenate([[start], ends[:-1] + 1])
    return np.stack([starts, ends - starts], axis=1)


def _filled(places: np.ndarray, raw: np.ndarray, at: int, last: bytes, bare: bool) -> np.ndarray:
    """Which lines have a character, other than a carriage return unless ``bare``.

    Args:
        raw: the characters from ``at`` on, after the character ``last``.
    """
    keep: np.ndarray = places[:, 1] > 0
    if bare:
        return keep
    single = np.flatnonzero(places[:, 1] == 1)
    characters = raw[places[single, 0] - at]
    if len(single) and places[single[0], 0] < at:  # it was the last of the piece before
        characters[0] = last[0]
    keep[single] = characters != _RETURN
    return keep
