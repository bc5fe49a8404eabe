"""Text files as records: lines, or CSV records, which may have line ends inside quotes."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

_PIECE = 1 << 20
_LINE_END, _QUOTE = 0x0A, 0x22


def index(path: Path, *, quotes: bool, empty: bool = False) -> np.ndarray:
    """Start and length of each line, without its end: int64 (lines, 2).

    Args:
        path: the file.
        quotes: whether a line end between double quotes does not count.
        empty: whether lines without a character count.
    """
    ends = []
    at, inside = 0, False
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
            ends.append(np.flatnonzero(end) + at)
            at += len(piece)
            last = piece[-1:]
    if last != b"\n" or inside:
        ends.append(np.array([at]))
    found = np.concatenate([np.empty(0, np.int64), *ends])
    starts = np.concatenate([np.zeros(1, np.int64), found[:-1] + 1])[: len(found)]
    lengths = found - starts
    places = np.stack([starts, lengths], axis=1)
    return places if empty else places[_has_text(path, places)]


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


def _has_text(path: Path, places: np.ndarray) -> np.ndarray:
    """Which lines have a character other than a carriage return."""
    long = places[:, 1] != 1
    keep = places[:, 1] > 0
    if not long.all():
        with path.open("rb") as file:
            for i in np.flatnonzero(~long):
                file.seek(int(places[i, 0]))
                keep[i] = file.read(1) != b"\r"
    return keep
