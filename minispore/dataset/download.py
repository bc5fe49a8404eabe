"""Downloads of small datasets: ``ds.MnistDataset(download.mnist())``.

Each function returns the folder that the dataset class of the same name reads. Received bytes are
kept when a connection breaks, and the next call resumes there; a file is valid if its MD5 sum is
correct.
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

CHUNK_BYTES = 1 << 16
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
    """A dataset could not be fetched; the bytes received so far are kept."""


def mnist(folder: str | os.PathLike[str] | None = None) -> str:
    """Fetch MNIST, 11 MB.

    Args:
        folder: where to store the files; by default in the user's cache folder.

    Returns:
        The folder, for ``MnistDataset``.

    Raises:
        DownloadError: no mirror provided a file with the right MD5 sum; the message says which
            files to store by hand, and where.

    ``ds.MnistDataset(download.mnist(), "train")`` reads the files, which are fetched only once.
    """
    return str(fetch_files(_choose_folder(folder, "mnist"), _MNIST, _MNIST_MIRRORS))


def fashion_mnist(folder: str | os.PathLike[str] | None = None) -> str:
    """Fetch Fashion-MNIST, 29 MB, for ``FashionMnistDataset``; see :func:`mnist`."""
    return str(fetch_files(_choose_folder(folder, "fashion-mnist"), _FASHION, _FASHION_MIRRORS))


def cifar10(folder: str | os.PathLike[str] | None = None) -> str:
    """Fetch CIFAR-10, 162 MB, for ``Cifar10Dataset``; see :func:`mnist`."""
    target = _choose_folder(folder, "cifar-10")
    return _unpack_archive(target, _CIFAR10, _CIFAR10_FILES, _CIFAR_MIRRORS)


def cifar100(folder: str | os.PathLike[str] | None = None) -> str:
    """Fetch CIFAR-100, 161 MB, for ``Cifar100Dataset``; see :func:`mnist`."""
    target = _choose_folder(folder, "cifar-100")
    return _unpack_archive(target, _CIFAR100, _CIFAR100_FILES, _CIFAR_MIRRORS)


def cache_folder() -> Path:
    """Return the user's cache folder of minispore, on any system."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "minispore"


def fetch_files(folder: Path, files: Mapping[str, str], mirrors: Sequence[str]) -> Path:
    """Fetch all ``files`` (name to MD5 sum) that are missing or damaged, and return the folder.

    Raises:
        DownloadError: no mirror provided a file with the right MD5 sum.

    Example:
        >>> import hashlib, tempfile
        >>> shelf = Path(tempfile.mkdtemp())
        >>> _ = (shelf / "rows").write_bytes(b"1 2 3")
        >>> md5 = hashlib.md5(b"1 2 3").hexdigest()
        >>> kept = fetch_files(shelf / "kept", {"rows": md5}, [shelf.as_uri() + "/"])
        >>> (kept / "rows").read_bytes()
        b'1 2 3'
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, md5 in files.items():
        target = folder / name
        if target.is_file() and _compute_md5(target) == md5:
            continue
        failures = []
        for mirror in mirrors:
            try:
                _fetch_file(mirror + name, target, md5)
                break
            except OSError as error:  # of the network, or a DownloadError
                failures.append(f"{mirror}: {error}")
        else:
            raise DownloadError(
                f"{name} can't be fetched. Run again to go on, or put it into {folder} by hand "
                f"(MD5 {md5}).\n" + "\n".join(failures)
            )
    return folder


def _choose_folder(folder: str | os.PathLike[str] | None, name: str) -> Path:
    """Return ``folder``, by default a subfolder ``name`` of the user's cache."""
    return cache_folder() / name if folder is None else Path(folder)


def _compute_md5(path: Path) -> str:
    """Return the MD5 sum of a file in hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "md5").hexdigest()


def _fetch_file(url: str, target: Path, md5: str) -> None:
    """Fetch one file through ``target.part``; a damaged part of an earlier try is fetched again.

    Raises:
        DownloadError: the MD5 sum is wrong.
    """
    part = target.with_name(f"{target.name}.part")
    is_resumed = part.exists()
    _download_remaining(url, part)
    if _compute_md5(part) != md5:
        part.unlink()
        if not is_resumed:
            raise DownloadError("the MD5 sum is wrong")
        return _fetch_file(url, target, md5)
    os.replace(part, target)


def _download_remaining(url: str, part: Path) -> None:
    """Append to ``part`` the bytes of the file at ``url`` that are still missing.

    Raises:
        DownloadError: the connection closed early.
    """
    from tqdm import tqdm  # only here, as in ProgressBar

    present_bytes = part.stat().st_size if part.exists() else 0
    headers = {"Range": f"bytes={present_bytes}-"} if present_bytes else {}
    request = urllib.request.Request(url, headers=headers)
    try:
        response = urllib.request.urlopen(request, timeout=TIMEOUT_S)
    except urllib.error.HTTPError as error:
        with error:
            if error.code == 416:  # the part is already complete: the MD5 sum is checked later
                return
            raise
    with response:
        if response.status != 206:  # this server always sends the entire file
            present_bytes = 0
        remaining_bytes = response.headers.get("Content-Length")
        total = present_bytes + int(remaining_bytes) if remaining_bytes else None
        with (
            open(part, "ab" if present_bytes else "wb") as file,
            tqdm(
                total=total, initial=present_bytes, desc=part.stem, unit="B", unit_scale=True
            ) as bar,
        ):
            while chunk := response.read(CHUNK_BYTES):
                file.write(chunk)
                bar.update(len(chunk))
            received_bytes = file.tell()
    if total is not None and received_bytes < total:
        raise DownloadError(f"the connection closed after {received_bytes} of {total} bytes")


def _unpack_archive(
    folder: Path, archive: Mapping[str, str], files: Mapping[str, int], mirrors: Sequence[str]
) -> str:
    """Fetch an archive and unpack ``files`` (name in the archive to bytes) unless they exist.

    Returns:
        The folder of the files.
    """
    subfolder = folder / next(iter(files)).partition("/")[0]
    sizes = {folder / name: size for name, size in files.items()}
    if all(path.is_file() and path.stat().st_size == size for path, size in sizes.items()):
        return str(subfolder)
    fetch_files(folder, archive, mirrors)
    (name,) = archive
    subfolder.mkdir(exist_ok=True)
    with tarfile.open(folder / name) as archive_file:
        for member, size in files.items():
            stream = archive_file.extractfile(member)
            if stream is None:
                raise DownloadError(f"{name}: must hold the file {member}, it holds none.")
            with stream, replacing(folder / member) as file:
                remaining = size
                while remaining and (chunk := stream.read(min(CHUNK_BYTES, remaining))):
                    file.write(chunk)
                    remaining -= len(chunk)
                if remaining:
                    raise DownloadError(f"{name}: {member} must have {size} bytes, it is short.")
    return str(subfolder)


__all__ = ["DownloadError", "cifar10", "cifar100", "fashion_mnist", "mnist"]
