"""CRC-32C (Castagnoli), the checksum of TFRecord files.

A CRC is linear over GF(2): the checksum of a block is the exclusive or of the effects of its bytes,
and the effect of a byte depends only on the number of bytes that follow. So one table lookup and
one reduction process 512 bytes, and only the blocks are processed one by one.

Source: RFC 3720, appendix B.4.
"""

from __future__ import annotations

from functools import cache

import numpy as np

_POLYNOMIAL = 0x82F63B78  # the polynomial with its bits reversed
_BLOCK = 512
_MAX_BYTEWISE = 64  # fewer bytes are faster one at a time
_ALL_ONES = 0xFFFFFFFF


def crc32c(data: bytes) -> int:
    """Return the CRC-32C (Castagnoli) checksum of ``data``.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    if len(data) < _MAX_BYTEWISE:
        state, table = _ALL_ONES, _list_byte_table()
        for byte in data:
            state = (state >> 8) ^ table[(state ^ byte) & 0xFF]
        return state ^ _ALL_ONES
    # An initial state of all ones is equivalent to inverting the first four bytes, and leading
    # zeros leave a state of zero unchanged.
    padded = np.zeros(-(-len(data) // _BLOCK) * _BLOCK, np.uint8)
    start = len(padded) - len(data)
    padded[start:] = np.frombuffer(data, np.uint8)
    padded[start : start + 4] ^= 0xFF
    effects = _compute_byte_effects()
    # Index of the flattened table.
    table_index = padded.reshape(-1, _BLOCK) + np.arange(_BLOCK) * 256
    block_effects = np.bitwise_xor.reduce(effects.ravel()[table_index], axis=1).tolist()
    a, b, c, d = _list_shift_tables()
    state = 0
    for block_effect in block_effects:
        shifted = a[state & 0xFF] ^ b[state >> 8 & 0xFF] ^ c[state >> 16 & 0xFF] ^ d[state >> 24]
        state = shifted ^ block_effect
    return state ^ _ALL_ONES


@cache
def _compute_byte_table() -> np.ndarray:
    """Return uint32 (256,): the state of the CRC after each byte, from a state of zero."""
    state = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        state = np.where(state & 1, state >> 1 ^ np.uint32(_POLYNOMIAL), state >> 1)
    return state.astype(np.uint32)


@cache
def _list_byte_table() -> list[int]:
    """Return :func:`_compute_byte_table` as a list, which is faster for single lookups."""
    return _compute_byte_table().tolist()


@cache
def _compute_byte_effects() -> np.ndarray:
    """Return the effect of each byte on the state at the end of a block: uint32 (positions, bytes).

    The initial state and all other bytes of the block are zero.
    """
    byte_table = _compute_byte_table()
    table = np.empty((_BLOCK, 256), np.uint32)
    table[-1] = byte_table
    for position in range(_BLOCK - 2, -1, -1):
        following = table[position + 1]
        table[position] = following >> 8 ^ byte_table[following & 0xFF]
    return table


@cache
def _list_shift_tables() -> tuple[list[int], list[int], list[int], list[int]]:
    """Return for each of the four bytes of a state its effect after a block of zeros."""
    a, b, c, d = _compute_byte_effects()[:4].tolist()
    return a, b, c, d
