"""CRC-32C (Castagnoli), the checksum of TFRecord files.

A CRC is linear over GF(2): the checksum of a block is the exclusive or of what each of its bytes
does on its own, given how many bytes follow it. So one gather in a table and one reduction check
512 bytes, and only the blocks come one by one.

Source: RFC 3720, appendix B.4.
"""

from __future__ import annotations

from functools import cache

import numpy as np

_POLYNOMIAL = 0x82F63B78  # reversed
_BLOCK = 512
_SHORT = 64  # fewer bytes are quicker one by one
_ONES = 0xFFFFFFFF


def crc32c(data: bytes) -> int:
    """The checksum of ``data``.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    if len(data) < _SHORT:
        state, table = _ONES, _byte_list()
        for byte in data:
            state = (state >> 8) ^ table[(state ^ byte) & 0xFF]
        return state ^ _ONES
    # A state of all ones before is the same as the first four bytes inverted, and zeros in front
    # of that leave a state of zero as it is.
    padded = np.zeros(-(-len(data) // _BLOCK) * _BLOCK, np.uint8)
    start = len(padded) - len(data)
    padded[start:] = np.frombuffer(data, np.uint8)
    padded[start : start + 4] ^= 0xFF
    effect = _effects()
    flat = padded.reshape(-1, _BLOCK) + np.arange(_BLOCK) * 256  # places in the flattened table
    of_blocks = np.bitwise_xor.reduce(effect.ravel()[flat], axis=1).tolist()
    a, b, c, d = _shift_lists()
    state = 0
    for of_block in of_blocks:
        moved = a[state & 0xFF] ^ b[state >> 8 & 0xFF] ^ c[state >> 16 & 0xFF] ^ d[state >> 24]
        state = moved ^ of_block
    return state ^ _ONES


@cache
def _byte_table() -> np.ndarray:
    """What one byte makes of a state of zero."""
    state = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        state = np.where(state & 1, state >> 1 ^ np.uint32(_POLYNOMIAL), state >> 1)
    return state.astype(np.uint32)


@cache
def _byte_list() -> list[int]:
    return _byte_table().tolist()


@cache
def _effects() -> np.ndarray:
    """uint32 (512, 256): what a byte at a place of a block makes of a state of zero, at the end."""
    one = _byte_table()
    table = np.empty((_BLOCK, 256), np.uint32)
    table[-1] = one
    for place in range(_BLOCK - 2, -1, -1):
        after = table[place + 1]
        table[place] = after >> 8 ^ one[after & 0xFF]
    return table


@cache
def _shift_lists() -> tuple[list[int], list[int], list[int], list[int]]:
    """What the four bytes of a state become when a block of zeros follows."""
    a, b, c, d = _effects()[:4].tolist()
    return a, b, c, d
