"""Compressed integers: each in the fewest of 1, 2, 4 or 8 bytes that can hold it.

An array is its count (big-endian uint32), two bits for the size of each number (0 to 3 for 1, 2, 4
and 8 bytes; the first number's are the highest bits of a byte), then the numbers, little-endian.
"""

from __future__ import annotations

import numpy as np

from minispore.dataset.formats.mindrecord.exceptions import MRMFetchDataError

_COUNT_BYTES = 4  # bytes of the count
_MINIMA = np.array([-(1 << bits) for bits in (7, 15, 31)])
_SHIFTS = np.array([6, 4, 2, 0], np.uint8)
_CODES = np.arange(256, dtype=np.uint8)[:, None] >> _SHIFTS & 3  # (256, 4): size codes by byte
_SIZES = np.array([1, 2, 4, 8])
_PADDING = np.zeros(7, np.uint8)


def compress(values: np.ndarray) -> bytes:
    """Compress an array of integers, in C order.

    >>> compress(np.array([1, 300])).hex(" ")
    '00 00 00 02 10 01 2c 01'
    """
    numbers = values.ravel().astype(np.int64)
    # ~x = -x - 1 is as many bits wide as x, and negative for x >= 0.
    codes = (np.minimum(numbers, ~numbers)[:, None] < _MINIMA).sum(axis=1).astype(np.uint8)
    padded_codes = np.zeros(-(-len(numbers) // 4) * 4, np.uint8)
    padded_codes[: len(codes)] = codes
    sizes = (padded_codes.reshape(-1, 4) << _SHIFTS).sum(axis=1).astype(np.uint8)
    ends = np.cumsum(_SIZES[codes])
    starts = ends - _SIZES[codes]
    body = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    for code in range(4):
        indices = np.flatnonzero(codes == code)
        if len(indices):
            size = 1 << code
            byte_index = starts[indices][:, None] + np.arange(size)
            body[byte_index] = numbers[indices].astype(f"<i{size}").view(np.uint8).reshape(-1, size)
    return len(numbers).to_bytes(_COUNT_BYTES, "big") + sizes.tobytes() + body.tobytes()


def expand(data: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> list[np.ndarray]:
    """Expand many compressed arrays in ``data`` to int64.

    The result is one array ``[array (rows, count)]`` if all counts are equal, else one array for
    each row.

    Raises:
        MRMFetchDataError: an array is damaged.
    """
    if (lengths < _COUNT_BYTES).any():
        raise MRMFetchDataError("an array of integers must begin with its count")
    count_bytes = data[starts[:, None] + np.arange(_COUNT_BYTES)]
    counts = np.ascontiguousarray(count_bytes).view(">u4").ravel().astype(np.int64)
    size_bytes = -(-counts // 4)
    if (size_bytes + counts > lengths - _COUNT_BYTES).any():
        raise MRMFetchDataError("an array of integers must hold as many as its count says")
    # The concatenated size bytes of all rows, as four codes each, without the codes that only fill
    # the last byte of a row.
    codes = _CODES[data[_concatenate_ranges(starts + _COUNT_BYTES, size_bytes)]].ravel()
    if (size_bytes * 4 != counts).any():
        codes = codes[_concatenate_ranges(4 * (np.cumsum(size_bytes) - size_bytes), counts)]
    ends = np.cumsum(counts)
    sizes = _SIZES[codes]
    cumulative = np.concatenate([[0], np.cumsum(sizes)])
    if (cumulative[ends] - cumulative[ends - counts] + size_bytes + _COUNT_BYTES != lengths).any():
        raise MRMFetchDataError("an array of integers must end where its sizes say")
    offsets = cumulative[:-1] + np.repeat(
        starts + _COUNT_BYTES + size_bytes - cumulative[ends - counts], counts
    )
    # Eight bytes from the start of each number; the shifts drop the bytes after it, keep its sign.
    words = np.ndarray(len(data), "<i8", np.concatenate([data, _PADDING]), strides=(1,))
    shifts = 64 - 8 * sizes
    numbers = words[offsets] << shifts >> shifts
    if len(counts) and (counts == counts[0]).all():
        return [numbers.reshape(len(counts), -1 if counts[0] else 0)]
    return np.split(numbers, ends[:-1])


def _concatenate_ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Concatenate the ranges ``starts[i], starts[i] + 1, ...`` of length ``lengths[i]``.

    >>> _concatenate_ranges(np.array([5, 0]), np.array([2, 3]))
    array([5, 6, 0, 1, 2])
    """
    range_starts = np.cumsum(lengths) - lengths
    return np.arange(int(lengths.sum())) + np.repeat(starts - range_starts, lengths)
