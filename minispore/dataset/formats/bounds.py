"""How much may come of a file: a small one that unpacks to a huge one is an attack or a mistake."""

from __future__ import annotations

from pathlib import Path

FREE = 64 << 20  # bytes that any file may unpack to
RATIO = 16  # and times its own size: MNIST's images take 5 times that of their .gz file
IMAGE_FREE, IMAGE_RATIO = 24 << 20, 128  # the same for decoded images, which pack better


def unpacked(path: Path) -> int:
    """How many bytes may be unpacked from a file at once."""
    return FREE + RATIO * path.stat().st_size


def decoded(encoded: int) -> int:
    """How many bytes an image of ``encoded`` bytes may have."""
    return IMAGE_FREE + IMAGE_RATIO * encoded
