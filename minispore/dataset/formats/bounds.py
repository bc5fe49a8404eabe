"""Limits of unpacked and decoded sizes.

A small file that unpacks to huge data is an attack or a mistake.
"""

from __future__ import annotations

from pathlib import Path

FREE_BYTES = 64 << 20  # bytes that a file of any size may unpack to
UNPACK_RATIO = 16  # plus this times its size: MNIST's images are 5 times their .gz file
IMAGE_FREE_BYTES, IMAGE_RATIO = 24 << 20, 128  # the same for decoded images, which compress better


def get_max_unpacked_bytes(path: Path) -> int:
    """Return the maximum number of bytes that may be unpacked from a file at once."""
    return FREE_BYTES + UNPACK_RATIO * path.stat().st_size


def get_max_decoded_bytes(encoded_bytes: int) -> int:
    """Return how many bytes an image of ``encoded_bytes`` bytes may decode to."""
    return IMAGE_FREE_BYTES + IMAGE_RATIO * encoded_bytes
