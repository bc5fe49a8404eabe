"""Files that are there whole, or not at all.

A *draft* is written beside its final place, brought to the disk, and then renamed. A process that
is killed leaves its draft behind; the next one that writes the same file removes it. A draft that
is still written to is locked, so that nobody takes it for such a leftover.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows, which doesn't remove a file that is open
    fcntl = None  # type: ignore[assignment]

_DRAFT = re.compile(r"\.(.+)\.([a-z0-9_]{8})\.tmp", re.DOTALL)
_scratch: str | None = None  # the folder that stands for the whole disk, while a run is rehearsed


@contextlib.contextmanager
def writing_into(folder: str) -> Iterator[None]:
    """What checkpoints, summaries, models and graphs are written to goes into ``folder`` instead,
    and is found there.
    """
    global _scratch
    before, _scratch = _scratch, os.path.realpath(folder)
    try:
        yield
    finally:
        _scratch = before


def placed(path: str | os.PathLike[str]) -> str:
    """Where to write a file or folder: at ``path``, or at its place in the scratch folder.

    >>> placed("out/net.ckpt")
    'out/net.ckpt'
    """
    if _scratch is None:
        return os.fspath(path)
    whole = os.path.realpath(path)
    if not whole.startswith(_scratch):
        whole = os.path.join(_scratch, os.path.splitdrive(whole)[1].lstrip(os.sep))
    os.makedirs(os.path.dirname(whole), exist_ok=True)
    return whole


def found(path: str | os.PathLike[str]) -> str:
    """Where to read a file: in the scratch folder, if it was written there."""
    if _scratch is not None and os.path.exists(placed(path)):
        return placed(path)
    return os.fspath(path)


def draft_path(target: Path, token: str) -> Path:
    """Where the draft of a file is, under a token of eight letters and digits."""
    return target.with_name(f".{target.name}.{token}.tmp")


def drafts_of(target: Path) -> list[tuple[Path, str]]:
    """The drafts of a file, with their tokens."""
    return [(path, token) for path, token, name in _drafts(target.parent) if name == target.name]


def _drafts(folder: Path) -> list[tuple[Path, str, str]]:
    found = []
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        for path in folder.iterdir():
            if match := _DRAFT.fullmatch(path.name):
                found.append((path, match[2], match[1]))
    return found


class Draft:
    """A file that takes the place of another one when it is whole.

    Args:
        target: its final place. Drafts of it that nobody writes to any more are removed.

    Raises:
        OSError: the folder can't be written to.
    """

    def __init__(self, target: Path) -> None:
        remove_stale(target.parent, target.name.__eq__)
        self.target = target
        while True:
            self.token = os.urandom(4).hex()
            self.path = draft_path(target, self.token)
            try:
                self.file: BinaryIO = open(self.path, "xb")  # noqa: SIM115  # close() closes it
            except FileExistsError:
                continue
            except OSError as exc:  # in words of the file that was asked for
                raise type(exc)(exc.errno, exc.strerror, str(target)) from None
            if _lock(self.file) and self._is_there():
                return
            self.file.close()  # it was removed before it was locked

    def _is_there(self) -> bool:
        try:
            return os.path.samestat(os.stat(self.path), os.fstat(self.file.fileno()))
        except FileNotFoundError:
            return False

    def bring_to_disk(self) -> None:
        """Make sure that all of it outlives a loss of power."""
        self.file.flush()
        os.fsync(self.file.fileno())

    def take_place(self) -> None:
        """Rename it to its final place."""
        if fcntl is None:
            self.file.close()  # Windows renames no file that is open
        os.replace(self.path, self.target)

    def close(self) -> None:
        """Let go of it; what is not in its place is removed."""
        with contextlib.suppress(OSError, ValueError):
            self.file.close()
        with contextlib.suppress(OSError):
            self.path.unlink()


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str], mode: int | None = None) -> Iterator[BinaryIO]:
    """A new file that takes the place of ``path`` when the block has ended well, and only then.

    Args:
        path: its final place.
        mode: who may read and write it; what the process's umask leaves, if None.
    """
    draft = Draft(Path(path))
    try:
        yield draft.file
        draft.bring_to_disk()
        if mode is not None:
            os.chmod(draft.path, mode)
        draft.take_place()
    finally:
        draft.close()
    sync_folder(draft.target.parent)


def take_places(moves: Sequence[tuple[Path, Path]], journal: Path) -> None:
    """Rename several drafts of one folder to their final places: all, or none.

    The journal says which; once it is there they are as good as renamed, whatever happens, because
    whoever reads or writes them calls :func:`finish` first.
    """
    for draft, _ in moves:
        with open(draft, "rb+") as file:
            os.fsync(file.fileno())
    with replacing(journal) as file:
        file.write(json.dumps([[draft.name, target.name] for draft, target in moves]).encode())
    finish(journal)


def finish(journal: Path) -> bool:
    """Do the renames that a process has begun and not done; returns whether there was a journal."""
    try:
        moves = json.loads(journal.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return False
    for draft, target in moves:
        match = _DRAFT.fullmatch(draft)
        if match is None or match[1] != target:
            raise ValueError(f"{journal}: must name drafts and their files, got {draft!r}")
        with contextlib.suppress(FileNotFoundError):  # it is done
            os.replace(journal.with_name(draft), journal.with_name(target))
    sync_folder(journal.parent)
    journal.unlink(missing_ok=True)
    return True


def write_text(path: str | os.PathLike[str], content: str) -> None:
    """Write a text as UTF-8."""
    with replacing(path) as file:
        file.write(content.encode())


def remove_stale(folder: Path, wanted: Callable[[str], bool], keep: Sequence[Path] = ()) -> None:
    """Remove the drafts that killed processes left.

    Args:
        folder: where they are.
        wanted: says of the name of a draft's final place whether its drafts go.
        keep: drafts that stay.
    """
    for path, _, name in _drafts(folder):
        if wanted(name) and path not in keep and not is_written(path):
            with contextlib.suppress(OSError):
                path.unlink()


def is_written(draft: Path) -> bool:
    """Whether a process that is alive writes to a draft."""
    try:
        with open(draft, "rb") as file:
            return not _lock(file)
    except OSError:
        return False


def _lock(file: BinaryIO) -> bool:
    """Lock an open file, if no other has it; the lock ends with the file, or with the process."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def sync_folder(folder: Path) -> None:
    """Bring renames in a folder to the disk, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
