"""Limits of unpacked and decoded sizes.

A small file that unpacks to a huge one is an attack or a mistake.
"""

from __future__ import annotations

from pathlib import Path

FREE_BYTES = 64 << 20  # bytes that any file may unpack to
UNPACK_RATIO = 16  # and times its own size: MNIST's images take 5 times that of their .gz file
IMAGE_FREE_BYTES, IMAGE_RATIO = 24 << 20, 128  # the same for decoded images, which pack better


def get_max_unpacked_bytes(path: Path) -> int:
    """Return how many bytes may be unpacked from a file at once."""
    return FREE_BYTES + UNPACK_RATIO * path.stat().st_size


def get_max_decoded_bytes(encoded_bytes: int) -> int:
    """Return how many bytes an image of ``encoded_bytes`` bytes may have."""
    return IMAGE_FREE_BYTES + IMAGE_RATIO * encoded_bytes
