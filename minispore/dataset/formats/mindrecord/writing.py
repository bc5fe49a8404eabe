"""Writing the rows of one file: which page each goes to, and its index.

A file is written under another name and gets its own when it is whole.
"""

from __future__ import annotations

import shutil
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from minispore.dataset.formats.mindrecord import index
from minispore.dataset.formats.mindrecord.exceptions import MRMWriteDatasetError
from minispore.dataset.formats.mindrecord.layout import BLOB, RAW, Header, Page, journal_path
from minispore.dataset.formats.mindrecord.packing import pack
from minispore.foundation import files

Packed = tuple[bytes, bytes, int, list[Any]]  # raw row, blob row, bytes saved, index fields


def packed(header: Header, rows: Iterable[list[Any]]) -> list[Packed]:
    """Checked rows as bytes.

    Raises:
        MRMWriteDatasetError: one is larger than a page.
    """
    keys = [header.schema.names.index(name) for name in header.index_fields]
    found: list[Packed] = []
    for number, values in enumerate(rows):
        raw, blob, saved = pack(header.schema, values)
        if max(len(raw), len(blob)) > header.page_bytes:
            raise MRMWriteDatasetError(
                f"FileWriter: a row must fit a page of {header.page_bytes} bytes, got "
                f"{max(len(raw), len(blob))} in row {number} of raw_data. Set larger pages with "
                "set_page_size."
            )
        found.append((raw, blob, saved, [values[key] for key in keys]))
    return found


class ShardWriter:
    """One file that is being written.

    Args:
        path: where it will be.
        header: what it says of itself.
        token: of the drafts that it writes.
        append: whether there is such a file already, whose rows stay.
    """

    def __init__(self, path: Path, header: Header, token: str, *, append: bool = False) -> None:
        self.path, self._header, self._append = path, header, append
        self._pages = [replace(page, groups=list(page.groups)) for page in header.pages]
        self._saved, self._rows = header.saved, header.rows
        self._places = array("q")  # PLACES numbers for each row
        self._keys: list[list[Any]] = []
        self._data = files.make_draft_path(path, token)
        self._index = files.make_draft_path(index.index_path(path), token)
        try:
            for draft, name in self.names():
                draft.touch()
                if append:
                    shutil.copyfile(name, draft)
        except BaseException:
            self.discard()
            raise

    def write(self, rows: Sequence[Packed]) -> None:
        """Write rows after those that are there."""
        blob, raw = self._last(BLOB), self._last(RAW)
        group = raw.groups[-1][0] if raw else -1
        with self._data.open("r+b") as file:
            # Blob pages first, then raw pages: so their numbers are those of MindSpore's files.
            groups: list[tuple[int, Page, int, Sequence[Packed]]] = []
            for new, of_group in self._groups(rows, blob, raw):
                if blob is None or new:
                    group += 1
                    blob = self._page(BLOB, blob.kind_number + 1 if blob else 0, self._rows)
                    blob.groups.append((0, 0))
                start = blob.used
                self._put(file, blob, [row[1] for row in of_group])
                self._rows += len(of_group)
                blob.last = self._rows
                groups.append((group, blob, start, of_group))
            for number, blob, start, of_group in groups:
                raw = self._raw_page(raw, number, sum(len(row[0]) for row in of_group))
                self._note(number, raw, blob, start, of_group)
                self._put(file, raw, [row[0] for row in of_group])

    def finish(self) -> None:
        """Write the header and the index, still under other names."""
        header = self._header.with_pages(self._pages, self._saved)
        with self._data.open("r+b") as file:
            file.write(header.serialise())
        index.write(self._index, self.path.name, header, self._entries(), append=self._append)

    def names(self) -> list[tuple[Path, Path]]:
        """The files as they are, and the names that they are to get."""
        return [(self._data, self.path), (self._index, index.index_path(self.path))]

    def discard(self) -> None:
        """Remove what was written."""
        for file in (self._data, self._index):
            with suppress(OSError):
                file.unlink()

    def _groups(
        self, rows: Sequence[Packed], blob: Page | None, raw: Page | None
    ) -> Iterator[tuple[bool, Sequence[Packed]]]:
        """Rows that go to one blob page and one raw page, and whether these are new ones."""
        room = self._header.page_bytes
        blob_used, raw_used = (blob.used, raw.used) if blob and raw else (room, room)
        start, new = 0, False
        for at, (raw_row, blob_row, _, _) in enumerate(rows):
            if blob_used + len(blob_row) > room or raw_used + len(raw_row) > room:
                if at > start:
                    yield new, rows[start:at]
                start, new, blob_used, raw_used = at, True, 0, 0
            blob_used += len(blob_row)
            raw_used += len(raw_row)
        yield new, rows[start:]

    def _raw_page(self, raw: Page | None, group: int, size: int) -> Page:
        """The page for the raw rows of a group: the last one if it has room for all of them."""
        if raw is None or raw.used + size > self._header.page_bytes:
            raw = self._page(RAW, raw.number + 1 if raw else 0, 0)
        if not raw.groups or raw.groups[-1][0] != group:
            raw.groups.append((group, raw.used))
        return raw

    def _page(self, kind: str, kind_number: int, first: int) -> Page:
        self._pages.append(Page(len(self._pages), kind, kind_number, first=first))
        return self._pages[-1]

    def _last(self, kind: str) -> Page | None:
        return next((page for page in reversed(self._pages) if page.kind == kind), None)

    def _put(self, file: Any, page: Page, rows: list[bytes]) -> None:
        file.seek(self._header.header_bytes + page.number * self._header.page_bytes + page.used)
        data = b"".join(rows)
        file.write(data)
        page.used += len(data)

    def _note(
        self, group: int, raw: Page, blob: Page, blob_at: int, rows: Sequence[Packed]
    ) -> None:
        raw_at, row_id = raw.used, len(self._keys) + self._header.rows
        for raw_row, blob_row, saved, keys in rows:
            raw_end, blob_end = raw_at + len(raw_row), blob_at + len(blob_row)
            self._places.extend(
                (row_id, raw.number, raw_at, raw_end, group, blob.number, blob_at, blob_end)
            )
            self._keys.append(keys)
            self._saved += saved
            raw_at, blob_at, row_id = raw_end, blob_end, row_id + 1

    def _entries(self) -> Iterator[tuple]:
        for i, keys in enumerate(self._keys):
            yield (*self._places[i * index.PLACES : (i + 1) * index.PLACES], *keys)


class Turn:
    """Who writes the files of a set now: the drafts of killed writers are removed, and files that
    one of them has begun to replace are replaced.

    Args:
        paths: the files, without their indices.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        first = paths[0]
        self._journal = journal_path(first)
        files.finish_renames(self._journal)
        names = {name for path in paths for name in (path.name, index.index_path(path).name)}
        written = {
            token for draft, token in files.find_drafts(first) if files.is_being_written(draft)
        }
        keep = [
            files.make_draft_path(first.with_name(n), token) for n in names for token in written
        ]
        files.remove_stale_drafts(first.parent, names.__contains__, keep)
        self._draft = files.Draft(first)  # its lock is that of all
        self.token = self._draft.token

    def take_places(self, writers: Sequence[ShardWriter]) -> None:
        """Give all files of some writers their names."""
        files.replace_targets(
            [move for writer in writers for move in writer.names()], self._journal
        )

    @property
    def decided(self) -> bool:
        """Whether the drafts are as good as renamed."""
        return self._journal.exists()

    def close(self) -> None:
        """Let go of the lock."""
        self._draft.file.close()
