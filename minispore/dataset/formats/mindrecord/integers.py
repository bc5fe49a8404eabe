"""Compressed integers: each in the least of 1, 2, 4 or 8 bytes that holds it.

An array is its count (big-endian uint32), two bits for each number that tell the size (0 to 3 for
1, 2, 4 and 8 bytes; the first number's are the highest of a byte), then the numbers, little-endian.
"""

from __future__ import annotations

import numpy as np

from minispore.dataset.formats.mindrecord.exceptions import MRMFetchDataError

_COUNT = 4  # bytes of the count
_LEAST = np.array([-(1 << bits) for bits in (7, 15, 31)])
_SHIFTS = np.array([6, 4, 2, 0], np.uint8)
_CODES = np.arange(256, dtype=np.uint8)[:, None] >> _SHIFTS & 3  # (256, 4): of each byte of sizes
_SIZES = np.array([1, 2, 4, 8])
_TAIL = np.zeros(7, np.uint8)


def compress(values: np.ndarray) -> bytes:
    """The bytes of an array of integers, in C order.

    >>> compress(np.array([1, 300])).hex(" ")
    '00 00 00 02 10 01 2c 01'
    """
    numbers = values.ravel().astype(np.int64)
    # ~x = -x - 1 is as many bits wide as x, and negative for x >= 0.
    codes = (np.minimum(numbers, ~numbers)[:, None] < _LEAST).sum(axis=1).astype(np.uint8)
    fours = np.zeros(-(-len(numbers) // 4) * 4, np.uint8)
    fours[: len(codes)] = codes
    sizes = (fours.reshape(-1, 4) << _SHIFTS).sum(axis=1).astype(np.uint8)
    ends = np.cumsum(_SIZES[codes])
    starts = ends - _SIZES[codes]
    body = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    for code in range(4):
        at = np.flatnonzero(codes == code)
        if len(at):
            size = 1 << code
            places = starts[at][:, None] + np.arange(size)
            body[places] = numbers[at].astype(f"<i{size}").view(np.uint8).reshape(-1, size)
    return len(numbers).to_bytes(_COUNT, "big") + sizes.tobytes() + body.tobytes()


def expand(data: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> list[np.ndarray]:
    """The int64 numbers of many compressed arrays in ``data``: all of one array if each holds as
    many, as ``[array (rows, count)]``; else one array for each row.

    Raises:
        MRMFetchDataError: one is damaged.
    """
    if (lengths < _COUNT).any():
        raise MRMFetchDataError("an array of integers must begin with its count")
    head = data[starts[:, None] + np.arange(_COUNT)]
    counts = np.ascontiguousarray(head).view(">u4").ravel().astype(np.int64)
    heads = -(-counts // 4)
    if (heads + counts > lengths - _COUNT).any():
        raise MRMFetchDataError("an array of integers must hold as many as its count says")
    # The bytes of sizes of all rows, one after the other, as four codes each; without those that
    # fill up the last byte of a row.
    codes = _CODES[data[_runs(starts + _COUNT, heads)]].ravel()
    if (heads * 4 != counts).any():
        codes = codes[_runs(4 * (np.cumsum(heads) - heads), counts)]
    ends = np.cumsum(counts)
    sizes = _SIZES[codes]
    after = np.concatenate([[0], np.cumsum(sizes)])
    if (after[ends] - after[ends - counts] + heads + _COUNT != lengths).any():
        raise MRMFetchDataError("an array of integers must end where its sizes say")
    at = after[:-1] + np.repeat(starts + _COUNT + heads - after[ends - counts], counts)
    # Eight bytes from each number on; shifts throw away what follows it, and keep its sign.
    eights = np.ndarray(len(data), "<i8", np.concatenate([data, _TAIL]), strides=(1,))
    shifts = 64 - 8 * sizes
    numbers = eights[at] << shifts >> shifts
    if len(counts) and (counts == counts[0]).all():
        return [numbers.reshape(len(counts), -1 if counts[0] else 0)]
    return np.split(numbers, ends[:-1])


def _runs(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The numbers ``starts[i], starts[i] + 1, ...``, ``lengths[i]`` of them, for each i.

    >>> _runs(np.array([5, 0]), np.array([2, 3]))
    array([5, 6, 0, 1, 2])
    """
    before = np.cumsum(lengths) - lengths
    return np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
