"""Atomic file writes: a file exists completely, or not at all.

A *draft* is written next to its target, synced to disk, and then renamed. A killed process leaves
its draft behind; the next process that writes to the folder removes it. A draft that is still being
written is locked, so that no process removes it as stale.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

try:
    import fcntl
except ImportError:  # Windows, which can't remove an open file
    fcntl = None  # type: ignore[assignment]

_DRAFT = re.compile(r"\.(.+)\.([a-z0-9_]{8})\.tmp", re.DOTALL)
_PATH_BYTES = 4000  # of Linux's 4096, with room for a file name
_NAME_BYTES = 240  # of the usual 255, with room for the rest of a draft's name
_TOKEN_PREFIX = "ms"  # so that other programs' temporary files are not taken for drafts
_JOURNAL_SUFFIX = ".replaced"
_scratch_folder: str | None = None  # the folder for all files of a dry run


@contextlib.contextmanager
def redirecting_to(folder: str) -> Iterator[None]:
    """Redirect written files to ``folder`` inside the ``with`` block, and read them from it.

    It applies to checkpoints, summaries, models and graphs.
    """
    global _scratch_folder
    previous, _scratch_folder = _scratch_folder, os.path.realpath(folder)
    try:
        yield
    finally:
        _scratch_folder = previous


def resolve_write_path(path: str | os.PathLike[str]) -> str:
    """Return the path at which to write a file or folder: ``path``, or its counterpart in the
    scratch folder.

    With a scratch folder, the result is absolute, and its parent folder is created.

    >>> resolve_write_path("out/net.ckpt")
    'out/net.ckpt'
    """
    if _scratch_folder is None:
        return os.fspath(path)
    real_path = os.path.realpath(path)
    if not Path(real_path).is_relative_to(_scratch_folder):
        real_path = os.path.join(_scratch_folder, os.path.splitdrive(real_path)[1].lstrip(os.sep))
    os.makedirs(os.path.dirname(real_path), exist_ok=True)
    return real_path


def resolve_read_path(path: str | os.PathLike[str]) -> str:
    """Return the path at which to read a file: its counterpart in the scratch folder, if that
    exists.

    A shortened run writes fewer files than a full one. If neither file exists, the newest file with
    the same extension in the scratch counterpart of its folder is used instead.
    """
    if _scratch_folder is None:
        return os.fspath(path)
    counterpart = Path(resolve_write_path(path))
    if counterpart.exists() or os.path.exists(path):
        return os.fspath(counterpart if counterpart.exists() else path)
    written = counterpart.parent.glob(f"*{counterpart.suffix}")
    return os.fspath(max(written, key=lambda file: file.stat().st_mtime_ns, default=path))


def check_path(label: str, path: str | os.PathLike[str], reserved: int = 0) -> None:
    """Check that a path is valid for a file or folder, with ``reserved`` more bytes in its name.

    The error begins with ``label``: an API's name and its argument.

    Raises:
        ValueError: it contains a NUL or a character that the system does not allow, or it or a name
            in it is too long.
    """
    try:
        encoded = os.fsencode(path)
    except UnicodeEncodeError:
        encoding = sys.getfilesystemencoding()
        raise ValueError(f"{label} must be encodable as {encoding}, got {path!a:.100}.") from None
    names = (encoded + b" " * reserved).split(b"/")
    if b"\0" in encoded or len(encoded) > _PATH_BYTES or max(map(len, names)) > _NAME_BYTES:
        raise ValueError(
            f"{label} must have no NUL, at most {_PATH_BYTES} bytes, and names of at most "
            f"{_NAME_BYTES - reserved} bytes, got {os.fspath(path)!r:.100}."
        )


def check_regular_file(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """Return the path of a file to read, after checking that it is not a pipe, device or the like.

    Reading from these may block forever, or never end. A folder is accepted: opening it raises an
    error.

    Raises:
        OSError: it is such a file; FileNotFoundError: it does not exist.
    """
    if not stat.S_ISREG(os.stat(path).st_mode) and not os.path.isdir(path):
        raise OSError(errno.EINVAL, "It must be a regular file", os.fspath(path))
    return path


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: it is not JSON, or is nested more deeply than Python can parse.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("JSON must not be nested so deeply") from None


def make_draft_path(target: Path, token: str) -> Path:
    """Return the path of a file's draft, in the same folder, with a token of eight letters, digits
    or "_".
    """
    return target.with_name(f".{target.name}.{token}.tmp")


def find_drafts(target: Path) -> list[tuple[Path, str]]:
    """Return the drafts of a file, with their tokens."""
    return [
        (path, token) for path, token, name in _list_drafts(target.parent) if name == target.name
    ]


def _list_drafts(folder: Path) -> list[tuple[Path, str, str]]:
    """Return (path, token, target name) of all drafts in a folder; an empty list if it is
    missing.
    """
    drafts = []
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        for path in folder.iterdir():
            if match := _DRAFT.fullmatch(path.name):
                drafts.append((path, match[2], match[1]))
    return drafts


class Draft:
    """A file that is written next to its target, and replaces it when complete.

    Args:
        target: the final path. Stale drafts of it are removed.

    Raises:
        OSError: the folder can't be written to.
    """

    def __init__(self, target: Path) -> None:
        remove_stale_drafts(target.parent, target.name.__eq__)
        self.target = target
        while True:
            self.token = f"{_TOKEN_PREFIX}{os.urandom(3).hex()}"
            self.path = make_draft_path(target, self.token)
            try:
                self.file: BinaryIO = open(self.path, "xb")  # noqa: SIM115  # close() closes it
            except FileExistsError:
                continue
            except OSError as exc:  # with the name of the target
                raise type(exc)(exc.errno, exc.strerror, str(target)) from None
            if _try_lock(self.file) is not False and self._is_current_file():
                return
            self.file.close()  # another process removed it before it was locked

    def _is_current_file(self) -> bool:
        """Whether the open file is still the one at ``self.path``, neither removed nor replaced."""
        try:
            return os.path.samestat(os.stat(self.path), os.fstat(self.file.fileno()))
        except FileNotFoundError:
            return False

    def sync_to_disk(self) -> None:
        """Sync the content to disk, so that it survives a power failure."""
        self.file.flush()
        os.fsync(self.file.fileno())

    def replace_target(self) -> None:
        """Rename the draft to its target, replacing an existing file."""
        if fcntl is None:
            self.file.close()  # Windows can't rename an open file
        os.replace(self.path, self.target)

    def close(self) -> None:
        """Close the file; a draft that was not renamed is removed."""
        with contextlib.suppress(OSError, ValueError):
            self.file.close()
        with contextlib.suppress(OSError):
            self.path.unlink()


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str], mode: int | None = None) -> Iterator[BinaryIO]:
    """Open a new file that replaces ``path`` if the ``with`` block ends without an exception.

    Args:
        path: the final path.
        mode: the permissions; None: those of the umask.
    """
    draft = Draft(Path(path))
    try:
        yield draft.file
        draft.sync_to_disk()
        if mode is not None:
            os.chmod(draft.path, mode)
        draft.replace_target()
    finally:
        draft.close()
    sync_folder(draft.target.parent)


def replace_targets(renames: Sequence[tuple[Path, Path]], journal: Path) -> None:
    """Rename several drafts in one folder to their targets: all or none.

    The journal lists the renames. Once it is written they will be completed in any case, because
    readers and writers of these files call :func:`finish_renames` first.
    """
    for draft, _ in renames:
        with open(draft, "rb+") as file:
            os.fsync(file.fileno())
    with _locking_folder(journal.parent):
        _finish_renames(journal)  # of a killed process
        with replacing(journal) as file:
            file.write(json.dumps([[draft.name, to.name] for draft, to in renames]).encode())
        _finish_renames(journal)


def finish_renames(journal: Path) -> bool:
    """Complete the renames of an interrupted process, or wait for those of a live one; return
    whether there was a journal.
    """
    if not journal.exists():
        return False
    with _locking_folder(journal.parent):
        _finish_renames(journal)
    return True


def _finish_renames(journal: Path) -> None:
    """Do the renames of a journal, if it exists, and remove it; the folder must be locked."""
    try:
        renames = parse_json(journal.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return
    for draft, target in renames:
        match = _DRAFT.fullmatch(draft)
        if match is None or match[1] != target:
            raise ValueError(f"{journal}: must name drafts and their files, got {draft!r}")
        with contextlib.suppress(FileNotFoundError):  # done already
            os.replace(journal.with_name(draft), journal.with_name(target))
    sync_folder(journal.parent)
    journal.unlink(missing_ok=True)


@contextlib.contextmanager
def _locking_folder(folder: Path) -> Iterator[None]:
    """Keep other processes from renaming sets of files in ``folder``, if the system has locks."""
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_UN)  # closing is not enough: a fork may also have it
        os.close(handle)


def write_text(path: str | os.PathLike[str], content: str) -> None:
    """Atomically replace the file at ``path`` by a text in UTF-8."""
    with replacing(path) as file:
        file.write(content.encode())


def remove_stale_drafts(
    folder: Path, matches: Callable[[str], bool], keep: Sequence[Path] = ()
) -> None:
    """Remove drafts left behind by killed processes.

    Drafts of other targets are also removed if locks show that their writers have ended.

    Args:
        folder: the folder of the drafts.
        matches: returns whether to remove the drafts of a target of this name.
        keep: drafts not to remove.
    """
    drafts = _list_drafts(folder)
    dead_tokens = _find_dead_tokens(folder, drafts)
    for path, token, name in drafts:
        is_stale = token in dead_tokens or (matches(name) and not is_being_written(path))
        if is_stale and path not in keep:
            with contextlib.suppress(OSError):
                path.unlink()


def _find_dead_tokens(folder: Path, drafts: list[tuple[Path, str, str]]) -> set[str]:
    """Return the tokens of drafts whose writers have ended, except those that a journal names.

    A writer of several files locks one of them; all of them have the same token.
    """
    dead = {token for _, token, _ in drafts if token.startswith(_TOKEN_PREFIX)}
    for path, token, _ in drafts:
        if token in dead and _is_locked(path) is not False:
            dead.remove(token)
    if dead:
        for journal in folder.glob(f".*{_JOURNAL_SUFFIX}"):
            with contextlib.suppress(OSError):
                content = journal.read_text("utf-8", "replace")
                dead = {token for token in dead if token not in content}
    return dead


def make_journal_path(first: Path) -> Path:
    """Return the path of the journal of a set of files being replaced.

    ``first`` is the first file.
    """
    return first.with_name(f".{first.name}{_JOURNAL_SUFFIX}")


def is_being_written(draft: Path) -> bool:
    """Whether a live process is writing to a draft; False if that is unknown, as on systems without
    locks.
    """
    return bool(_is_locked(draft))


def _is_locked(draft: Path) -> bool | None:
    """Whether a process has locked a draft; None if the system can't tell."""
    try:
        with open(draft, "rb") as file:
            has_lock = _try_lock(file)
            return None if has_lock is None else not has_lock
    except FileNotFoundError:
        return False
    except OSError:  # it belongs to another user
        return None


def _try_lock(file: BinaryIO) -> bool | None:
    """Lock an open file until it is closed; return False if another process has locked it.

    Returns None on systems without locks.
    """
    if fcntl is None:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    return True


def sync_folder(folder: Path) -> None:
    """Sync renames in a folder to disk, where the system supports it."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EBADF, errno.EINVAL):  # WebAssembly syncs no folders
            raise
    finally:
        os.close(handle)
