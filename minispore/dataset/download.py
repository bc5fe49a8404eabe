"""Datasets to begin with, fetched once and kept: ``ds.MnistDataset(download.mnist())``.

Each function returns the folder that the source of its name reads. What has arrived is kept when a
connection breaks, and the next call goes on from there; a file counts when its MD5 sum is right.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tarfile
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path

from minispore.foundation.files import replacing

PIECE_BYTES = 1 << 16
TIMEOUT_S = 30.0

_MNIST_MIRRORS = (
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
)
_FASHION_MIRRORS = (
    "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
    "https://storage.googleapis.com/tensorflow/tf-keras-datasets/",
)
_CIFAR_MIRRORS = ("https://www.cs.toronto.edu/~kriz/",)

# MD5 sums as their authors published them.
_MNIST = {
    "train-images-idx3-ubyte.gz": "f68b3c2dcbeaaa9fbdd348bbdeb94873",
    "train-labels-idx1-ubyte.gz": "d53e105ee54ea40749a09fcbcd1e9432",
    "t10k-images-idx3-ubyte.gz": "9fb629c4189551a2d022fa330f9573f3",
    "t10k-labels-idx1-ubyte.gz": "ec29112dd5afa0611ce80d1b7f02629c",
}
_FASHION = {
    "train-images-idx3-ubyte.gz": "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
    "train-labels-idx1-ubyte.gz": "25c81989df183df01b3e8a0aad5dffbe",
    "t10k-images-idx3-ubyte.gz": "bef4ecab320f06d8554ea6380940ec79",
    "t10k-labels-idx1-ubyte.gz": "bb300cfdad3c16e7a12a480ee83cd310",
}
_CIFAR10 = {"cifar-10-binary.tar.gz": "c32a1d4ab5d03f1284b67883e8d87530"}
_CIFAR10_FILES = {
    **{f"cifar-10-batches-bin/data_batch_{i}.bin": 30_730_000 for i in range(1, 6)},
    "cifar-10-batches-bin/test_batch.bin": 30_730_000,
}
_CIFAR100 = {"cifar-100-binary.tar.gz": "03b5dce01913d631647c71ecec9e9cb8"}
_CIFAR100_FILES = {
    "cifar-100-binary/train.bin": 153_700_000,
    "cifar-100-binary/test.bin": 30_740_000,
}


class DownloadError(OSError):
    """A dataset could not be fetched; what has arrived is kept."""


def mnist(folder: str | os.PathLike[str] | None = None) -> str:
    """Fetch MNIST, 11 MB.

    Args:
        folder: where it is kept; by default in the user's cache folder.

    Returns:
        The folder, for ``MnistDataset``.

    Raises:
        DownloadError: no mirror gave a file with the right sum; the text says which files to put
            where by hand.

    ``ds.MnistDataset(download.mnist(), "train")`` reads what was fetched, or kept before.
    """
    return str(fetched(_place(folder, "mnist"), _MNIST, _MNIST_MIRRORS))


def fashion_mnist(folder: str | os.PathLike[str] | None = None) -> str:
    """Fetch Fashion-MNIST, 29 MB, for ``FashionMnistDataset``; see :func:`mnist`."""
    return str(fetched(_place(folder, "fashion-mnist"), _FASHION, _FASHION_MIRRORS))


def cifar10(folder: str | os.PathLike[str] | None = None) -> str:
    """Fetch CIFAR-10, 162 MB, for ``Cifar10Dataset``; see :func:`mnist`."""
    place = _place(folder, "cifar-10")
    return _unpacked(place, _CIFAR10, _CIFAR10_FILES, _CIFAR_MIRRORS)


def cifar100(folder: str | os.PathLike[str] | None = None) -> str:
    """Fetch CIFAR-100, 161 MB, for ``Cifar100Dataset``; see :func:`mnist`."""
    place = _place(folder, "cifar-100")
    return _unpacked(place, _CIFAR100, _CIFAR100_FILES, _CIFAR_MIRRORS)


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


def fetched(folder: Path, files: Mapping[str, str], mirrors: Sequence[str]) -> Path:
    """The folder with all ``files`` (name to MD5 sum), fetched where one is missing or damaged.

    Raises:
        DownloadError: no mirror gave a file with the right sum.

    Example:
        >>> import hashlib, tempfile
        >>> shelf = Path(tempfile.mkdtemp())
        >>> _ = (shelf / "rows").write_bytes(b"1 2 3")
        >>> md5 = hashlib.md5(b"1 2 3").hexdigest()
        >>> kept = fetched(shelf / "kept", {"rows": md5}, [shelf.as_uri() + "/"])
        >>> (kept / "rows").read_bytes()
        b'1 2 3'
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, md5 in files.items():
        target = folder / name
        if target.is_file() and _digest(target) == md5:
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
                f"{name} can't be fetched. Run again to go on, or put it into {folder} by hand "
                f"(MD5 {md5}).\n" + "\n".join(failures)
            )
    return folder


def _place(folder: str | os.PathLike[str] | None, name: str) -> Path:
    return cache_folder() / name if folder is None else Path(folder)


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "md5").hexdigest()


def _fetch(url: str, target: Path, md5: str) -> None:
    """Fetch one file through ``target.part``; from the start if what was there is of no use."""
    part = target.with_name(f"{target.name}.part")
    resumed = part.exists()
    _append(url, part)
    if _digest(part) != md5:
        part.unlink()
        if not resumed:
            raise DownloadError("the MD5 sum is wrong")
        return _fetch(url, target, md5)
    os.replace(part, target)


def _append(url: str, part: Path) -> None:
    """Add to ``part`` what it lacks of the file behind ``url``."""
    from tqdm import tqdm  # only here, as in ProgressBar

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


def _unpacked(
    folder: Path, archive: Mapping[str, str], files: Mapping[str, int], mirrors: Sequence[str]
) -> str:
    """The folder of ``files`` (name in the archive to bytes), unpacked from a fetched archive."""
    inner = folder / next(iter(files)).partition("/")[0]
    sizes = {folder / name: size for name, size in files.items()}
    if all(path.is_file() and path.stat().st_size == size for path, size in sizes.items()):
        return str(inner)
    fetched(folder, archive, mirrors)
    (name,) = archive
    inner.mkdir(exist_ok=True)
    with tarfile.open(folder / name) as packed:
        for member, size in files.items():
            stream = packed.extractfile(member)
            if stream is None:
                raise DownloadError(f"{name}: must hold the file {member}, it holds none.")
            with stream, replacing(folder / member) as file:
                left = size
                while left and (piece := stream.read(min(PIECE_BYTES, left))):
                    file.write(piece)
                    left -= len(piece)
                if left:
                    raise DownloadError(f"{name}: {member} must have {size} bytes, it is short.")
    return str(inner)


__all__ = ["DownloadError", "cifar10", "cifar100", "fashion_mnist", "mnist"]
