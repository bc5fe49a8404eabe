"""Where the handwritten digits come from: a folder of the user's, the network, or our own pen.

All of it ends in a folder of IDX files, the format of MNIST: two big-endian 32-bit numbers (a magic
one and the count; for images also height and width), then one byte for each pixel or label.
"""

from __future__ import annotations

import hashlib
import os
import struct
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from tqdm import tqdm

import digits

COUNTS = {"train": 60_000, "t10k": 10_000}
IMAGES_MAGIC, LABELS_MAGIC = 2051, 2049
MANIFEST = "digits.sha256"  # as `sha256sum --check` reads it; written last

# MD5 sums of the files as Yann LeCun published them.
DOWNLOADS = {
    "train-images-idx3-ubyte.gz": "f68b3c2dcbeaaa9fbdd348bbdeb94873",
    "train-labels-idx1-ubyte.gz": "d53e105ee54ea40749a09fcbcd1e9432",
    "t10k-images-idx3-ubyte.gz": "9fb629c4189551a2d022fa330f9573f3",
    "t10k-labels-idx1-ubyte.gz": "ec29112dd5afa0611ce80d1b7f02629c",
}
MIRRORS = (
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
)
PIECE_BYTES = 1 << 16
TIMEOUT_S = 30.0


class DownloadError(OSError):
    """MNIST could not be fetched; what has arrived is kept and the next try goes on from there."""


def find(data_dir: str | None = None, *, fetch: bool = False) -> Path:
    """The folder to train on.

    That is ``data_dir``, else the real MNIST from the network if ``fetch``, else the folder in the
    environment variable ``MINISPORE_MNIST``, else digits of our own drawing. What is fetched or
    drawn is kept in the user's cache folder.
    """
    if data_dir:
        return Path(data_dir)
    if fetch:
        return download(cache_folder() / "mnist")
    if os.environ.get("MINISPORE_MNIST"):
        return Path(os.environ["MINISPORE_MNIST"])
    return generate(cache_folder() / f"digits-{digits.DRAWING}")


def split(folder: Path, usage: str) -> Path:
    """The folder of one half: ``folder/train`` or ``folder/test`` if it exists, else ``folder``."""
    inner = folder / usage
    return inner if inner.is_dir() else folder


def cache_folder() -> Path:
    """Where this user keeps what can be made again."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "minispore"


def generate(folder: Path, *, seed: int = 0, counts: dict[str, int] = COUNTS) -> Path:
    """Draw digits into ``folder`` as MNIST's four files, unless they are there and intact."""
    names = [
        f"{half}-{kind}" for half in counts for kind in ("images-idx3-ubyte", "labels-idx1-ubyte")
    ]
    if _intact(folder, names):
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MANIFEST).unlink(missing_ok=True)
    with tqdm(total=sum(counts.values()), desc="drawing digits", unit="") as bar:
        for number, (half, count) in enumerate(counts.items()):
            with (
                _replacing(folder / f"{half}-images-idx3-ubyte") as images_file,
                _replacing(folder / f"{half}-labels-idx1-ubyte") as labels_file,
            ):
                images_file.write(struct.pack(">4I", IMAGES_MAGIC, count, digits.SIDE, digits.SIDE))
                labels_file.write(struct.pack(">2I", LABELS_MAGIC, count))
                for images, labels in digits.draw(count, seed=seed, split=number):
                    images_file.write(images.tobytes())
                    labels_file.write(labels.tobytes())
                    bar.update(len(labels))
    with _replacing(folder / MANIFEST) as manifest:
        for name in names:
            manifest.write(f"{_digest(folder / name, 'sha256')}  {name}\n".encode())
    return folder


def _intact(folder: Path, names: Sequence[str]) -> bool:
    """Whether the files are there and are those that the manifest was written for."""
    try:
        lines = (folder / MANIFEST).read_text(encoding="ascii").splitlines()
        return lines == [f"{_digest(folder / name, 'sha256')}  {name}" for name in names]
    except (OSError, UnicodeDecodeError):
        return False


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """Write under a temporary name; only a whole file gets the real one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(temporary, "wb") as file:
            yield file
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _digest(path: Path, algorithm: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def download(
    folder: Path, *, mirrors: Sequence[str] = MIRRORS, files: dict[str, str] = DOWNLOADS
) -> Path:
    """Fetch the real MNIST into ``folder``; go on where an earlier try stopped.

    Raises:
        DownloadError: no mirror gave a file with the right MD5 sum.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, md5 in files.items():
        target = folder / name
        if target.is_file() and _digest(target, "md5") == md5:
            continue
        failures = []
        for mirror in mirrors:
            try:
                _fetch(mirror + name, target, md5)
                break
            except OSError as error:  # of the network, or ours
                failures.append(f"{mirror}: {error}")
        else:
            raise DownloadError(
                f"{name} can't be fetched; run again to go on, or name a folder with --data-dir.\n"
                + "\n".join(failures)
            )
    return folder


def _fetch(url: str, target: Path, md5: str) -> None:
    """Fetch one file through ``target.part``; from the start if what was there is of no use."""
    part = target.with_name(f"{target.name}.part")
    resumed = part.exists()
    _append(url, part)
    if _digest(part, "md5") != md5:
        part.unlink()
        if not resumed:
            raise DownloadError("the MD5 sum is wrong")
        return _fetch(url, target, md5)
    os.replace(part, target)


def _append(url: str, part: Path) -> None:
    """Add to ``part`` what it lacks of the file behind ``url``."""
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        response = urllib.request.urlopen(request, timeout=TIMEOUT_S)
    except urllib.error.HTTPError as error:
        with error:
            if error.code == 416:  # nothing beyond what we have: the MD5 sum will tell
                return
            raise
    with response:
        if response.status != 206:  # this server sends whole files only
            have = 0
        rest = response.headers.get("Content-Length")
        total = have + int(rest) if rest else None
        with (
            open(part, "ab" if have else "wb") as file,
            tqdm(total=total, initial=have, desc=part.stem, unit="B", unit_scale=True) as bar,
        ):
            while piece := response.read(PIECE_BYTES):
                file.write(piece)
                bar.update(len(piece))
            arrived = file.tell()
    if total is not None and arrived < total:
        raise DownloadError(f"the connection closed after {arrived} of {total} bytes")
