"""Text files as records: lines, or CSV records, which may have line ends inside quotes."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

_PIECE = 1 << 20
_LINE_END, _QUOTE, _RETURN = 0x0A, 0x22, 0x0D


def index(path: Path, *, quotes: bool, empty: bool = False) -> np.ndarray:
    """Start and length of each line, without its end: int64 (lines, 2).

    Args:
        path: the file.
        quotes: whether a line end between double quotes does not count.
        empty: whether lines without a character count.
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
                found.append(_places(start, ends, None if empty else raw, at, last))
                start = int(ends[-1]) + 1
            at += len(piece)
            last = piece[-1:]
    if last != b"\n" or inside:
        before = np.frombuffer(last, np.uint8)
        found.append(_places(start, np.array([at]), None if empty else before, at - 1, last))
    return np.concatenate([np.empty((0, 2), np.int64), *found])


def text(path: Path, raw: bytes, start: int) -> str:
    """A line as text, without a carriage return at its end.

    Raises:
        ValueError: it is no UTF-8.
    """
    try:
        line = raw.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise ValueError(f"the line at byte {start} must be UTF-8. {exc}") from exc
    return line.removesuffix("\r").removeprefix("\ufeff" if start == 0 else "")


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


def _places(
    start: int, ends: np.ndarray, raw: np.ndarray | None, at: int, last: bytes
) -> np.ndarray:
    """Start and length of the lines that end at ``ends``, the first at ``start``.

    Args:
        raw: the characters from ``at`` on, after the character ``last``: then only lines count that
            have one other than a carriage return.
    """
    starts = np.concatenate([[start], ends[:-1] + 1])
    places = np.stack([starts, ends - starts], axis=1)
    if raw is None:
        return places
    keep = places[:, 1] > 0
    single = np.flatnonzero(places[:, 1] == 1)
    characters = raw[places[single, 0] - at]
    if len(single) and places[single[0], 0] < at:  # it was the last of the piece before
        characters[0] = last[0]
    keep[single] = characters != _RETURN
    return places[keep]
