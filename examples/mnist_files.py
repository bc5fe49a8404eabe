"""Find the handwritten digits: in a folder of the user's, on the network, or drawn by ourselves.

All of it ends in a folder of IDX files, the format of MNIST: two big-endian 32-bit numbers (a magic
one and the count; for images also height and width), then one byte for each pixel or label.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

import digits
from minispore.dataset import download
from minispore.foundation.files import replacing

COUNTS = {"train": 60_000, "t10k": 10_000}
IMAGES_MAGIC, LABELS_MAGIC = 2051, 2049
MANIFEST = "digits.sha256"  # as `sha256sum --check` reads it; written last


def find(data_dir: str | None = None, *, fetch: bool = False) -> Path:
    """Return the folder to train on; download or draw the digits if they are not there.

    That is ``data_dir``, else the real MNIST from the network if ``fetch``, else the folder in the
    environment variable ``MINISPORE_MNIST``, else digits of our own drawing. What is fetched or
    drawn is kept in the user's cache folder.
    """
    if data_dir:
        return Path(data_dir)
    if fetch:
        return Path(download.mnist())
    if os.environ.get("MINISPORE_MNIST"):
        return Path(os.environ["MINISPORE_MNIST"])
    return generate(download.cache_folder() / f"digits-{digits.DRAWING}")


def split(folder: Path, usage: str) -> Path:
    """Return the folder of one half: ``folder/train`` or ``folder/test`` if it exists, else
    ``folder``.
    """
    inner = folder / usage
    return inner if inner.is_dir() else folder


def generate(folder: Path, *, seed: int = 0, counts: dict[str, int] = COUNTS) -> Path:
    """Draw digits into ``folder`` as MNIST's four files, unless they are there and intact."""
    names = [
        f"{half}-{kind}" for half in counts for kind in ("images-idx3-ubyte", "labels-idx1-ubyte")
    ]
    if _is_intact(folder, names):
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MANIFEST).unlink(missing_ok=True)
    with tqdm(total=sum(counts.values()), desc="drawing digits", unit="") as bar:
        for number, (half, count) in enumerate(counts.items()):
            with (
                replacing(folder / f"{half}-images-idx3-ubyte") as images_file,
                replacing(folder / f"{half}-labels-idx1-ubyte") as labels_file,
            ):
                images_file.write(struct.pack(">4I", IMAGES_MAGIC, count, digits.SIDE, digits.SIDE))
                labels_file.write(struct.pack(">2I", LABELS_MAGIC, count))
                for images, labels in digits.draw(count, seed=seed, split=number):
                    images_file.write(images.tobytes())
                    labels_file.write(labels.tobytes())
                    bar.update(len(labels))
    with replacing(folder / MANIFEST) as manifest:
        for name in names:
            manifest.write(f"{_compute_digest(folder / name)}  {name}\n".encode())
    return folder


def _is_intact(folder: Path, names: Sequence[str]) -> bool:
    """Whether the files exist and have the digests of the manifest."""
    try:
        lines = (folder / MANIFEST).read_text(encoding="ascii").splitlines()
        return lines == [f"{_compute_digest(folder / name)}  {name}" for name in names]
    except (OSError, UnicodeDecodeError):
        return False


def _compute_digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
