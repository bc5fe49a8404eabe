"""Writes the rows of one MindRecord file, page by page, and its index.

A file is written as a draft under a temporary name and renamed when it is complete.
"""

from __future__ import annotations

import shutil
import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

from minispore.dataset.formats.mindrecord import index
from minispore.dataset.formats.mindrecord.checksums import Checksums, read_checksums
from minispore.dataset.formats.mindrecord.exceptions import MRMWriteDatasetError
from minispore.dataset.formats.mindrecord.layout import BLOB, RAW, Header, Page
from minispore.dataset.formats.mindrecord.packing import pack_row
from minispore.foundation import files

PackedRow = tuple[bytes, bytes, int, list[Any]]  # raw row, blob row, bytes saved, index fields


def pack_rows(header: Header, rows: Iterable[list[Any]]) -> list[PackedRow]:
    """Pack checked rows into bytes.

    Raises:
        MRMWriteDatasetError: a row is larger than a page.
    """
    keys = [header.schema.names.index(name) for name in header.index_fields]
    packed_rows: list[PackedRow] = []
    for number, values in enumerate(rows):
        raw, blob, saved = pack_row(header.schema, values)
        if max(len(raw), len(blob)) > header.page_bytes:
            raise MRMWriteDatasetError(
                f"FileWriter: a row must fit a page of {header.page_bytes} bytes, got "
                f"{max(len(raw), len(blob))} in row {number} of raw_data. Set larger pages with "
                "set_page_size."
            )
        packed_rows.append((raw, blob, saved, [values[key] for key in keys]))
    return packed_rows


class ShardWriter:
    """Writes one file as a draft.

    Args:
        path: the final path of the file.
        header: the header of the file, without pages.
        token: part of the drafts' names, see :mod:`minispore.files`.
        append: whether rows are added to an existing file.
    """

    def __init__(self, path: Path, header: Header, token: str, *, append: bool = False) -> None:
        self.path, self._header, self._append = path, header, append
        self._pages = [replace(page, groups=list(page.groups)) for page in header.pages]
        self._saved, self._rows = header.saved, header.rows
        self._locations = array("q")  # LOCATION_COUNT numbers for each row
        self._keys: list[list[Any]] = []
        self._checksums: Checksums | None = Checksums()
        if append:  # a file without checksums stays without them
            self._checksums = read_checksums(path, header.rows)
        self._data = files.make_draft_path(path, token)
        self._index = files.make_draft_path(index.make_index_path(path), token)
        try:
            for draft, name in self.list_moves():
                draft.touch()
                if append:
                    shutil.copyfile(name, draft)
        except BaseException:
            self.discard()
            raise

    def write(self, rows: Sequence[PackedRow]) -> None:
        """Append packed rows to the last pages of the draft, then to new pages."""
        blob, raw = self._find_last_page(BLOB), self._find_last_page(RAW)
        group = raw.groups[-1][0] if raw else -1
        with self._data.open("r+b") as file:
            # Blob pages first, then raw pages, so that the page numbers equal those of MindSpore's
            # files.
            groups: list[tuple[int, Page, int, Sequence[PackedRow]]] = []
            for starts_page, group_rows in self._split_into_groups(rows, blob, raw):
                if blob is None or starts_page:
                    group += 1
                    blob = self._add_page(BLOB, blob.kind_number + 1 if blob else 0, self._rows)
                    blob.groups.append((0, 0))
                start = blob.used
                self._append_to_page(file, blob, [row[1] for row in group_rows])
                self._rows += len(group_rows)
                blob.last = self._rows
                groups.append((group, blob, start, group_rows))
            for number, blob, start, group_rows in groups:
                raw = self._choose_raw_page(raw, number, sum(len(row[0]) for row in group_rows))
                self._record_locations(number, raw, blob, start, group_rows)
                self._append_to_page(file, raw, [row[0] for row in group_rows])

    def finish(self) -> None:
        """Write the header and the index of the draft."""
        header = self._header.replace_pages(self._pages, self._saved)
        data = header.serialise()
        with self._data.open("r+b") as file:
            file.write(data)
        index.write_index(
            self._index,
            self.path.name,
            header,
            self._iterate_index_rows(),
            lambda database: self._write_checksums(database, data),
            append=self._append,
        )

    def _write_checksums(self, database: sqlite3.Connection, header: bytes) -> None:
        """Write the checksums of header and rows to the index, unless the file has none."""
        if self._checksums is not None:
            self._checksums.header = crc32(header)
            self._checksums.write(database)

    def list_moves(self) -> list[tuple[Path, Path]]:
        """Return the drafts of file and index, each with its final path."""
        return [(self._data, self.path), (self._index, index.make_index_path(self.path))]

    def discard(self) -> None:
        """Remove the drafts."""
        for file in (self._data, self._index):
            with suppress(OSError):
                file.unlink()

    def _split_into_groups(
        self, rows: Sequence[PackedRow], blob: Page | None, raw: Page | None
    ) -> Iterator[tuple[bool, Sequence[PackedRow]]]:
        """Split rows into row groups; the rows of a group share one blob page and one raw page.

        Yields:
            Whether the group begins new pages, and its rows.
        """
        page_bytes = self._header.page_bytes
        blob_used, raw_used = (blob.used, raw.used) if blob and raw else (page_bytes, page_bytes)
        start, starts_page = 0, False
        for end, (raw_row, blob_row, _, _) in enumerate(rows):
            if blob_used + len(blob_row) > page_bytes or raw_used + len(raw_row) > page_bytes:
                if end > start:
                    yield starts_page, rows[start:end]
                start, starts_page, blob_used, raw_used = end, True, 0, 0
            blob_used += len(blob_row)
            raw_used += len(raw_row)
        yield starts_page, rows[start:]

    def _choose_raw_page(self, raw: Page | None, group: int, size: int) -> Page:
        """Return the raw page for a group of ``size`` bytes: the last if it fits, or a new one.

        The group is recorded in the page.
        """
        if raw is None or raw.used + size > self._header.page_bytes:
            raw = self._add_page(RAW, raw.number + 1 if raw else 0, 0)
        if not raw.groups or raw.groups[-1][0] != group:
            raw.groups.append((group, raw.used))
        return raw

    def _add_page(self, kind: str, kind_number: int, first: int) -> Page:
        """Append an empty page and return it."""
        self._pages.append(Page(len(self._pages), kind, kind_number, first=first))
        return self._pages[-1]

    def _find_last_page(self, kind: str) -> Page | None:
        """Return the last page of a kind, None if there is none."""
        return next((page for page in reversed(self._pages) if page.kind == kind), None)

    def _append_to_page(self, file: Any, page: Page, rows: list[bytes]) -> None:
        """Write rows at the end of a page of the draft."""
        file.seek(self._header.header_bytes + page.number * self._header.page_bytes + page.used)
        data = b"".join(rows)
        file.write(data)
        page.used += len(data)

    def _record_locations(
        self, group: int, raw: Page, blob: Page, blob_start: int, rows: Sequence[PackedRow]
    ) -> None:
        """Record locations, index fields and checksums of a group's rows, and the bytes saved."""
        raw_start, row_id = raw.used, len(self._keys) + self._header.rows
        for raw_row, blob_row, saved, keys in rows:
            raw_end, blob_end = raw_start + len(raw_row), blob_start + len(blob_row)
            self._locations.extend(
                (row_id, raw.number, raw_start, raw_end, group, blob.number, blob_start, blob_end)
            )
            self._keys.append(keys)
            if self._checksums is not None:
                self._checksums.add_row(raw_row, blob_row)
            self._saved += saved
            raw_start, blob_start, row_id = raw_end, blob_end, row_id + 1

    def _iterate_index_rows(self) -> Iterator[tuple]:
        """Yield the rows of the index: locations and index fields."""
        for i, keys in enumerate(self._keys):
            yield (
                *self._locations[i * index.LOCATION_COUNT : (i + 1) * index.LOCATION_COUNT],
                *keys,
            )


class SetLock:
    """The lock of a set of files, which lets one process write the set at a time.

    Acquiring the lock finishes a replacement that a killed writer began, and removes the drafts of
    killed writers.

    Args:
        paths: the files, without their indices.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        first = paths[0]
        self._journal = files.make_journal_path(first)
        files.finish_renames(self._journal)
        names = {name for path in paths for name in (path.name, index.make_index_path(path).name)}
        live_tokens = {
            token for draft, token in files.find_drafts(first) if files.is_being_written(draft)
        }
        keep = [
            files.make_draft_path(first.with_name(n), token) for n in names for token in live_tokens
        ]
        files.remove_stale_drafts(first.parent, names.__contains__, keep)
        self._draft = files.Draft(first)  # its lock is the lock of the set
        self.token = self._draft.token

    def move_into_place(self, writers: Sequence[ShardWriter]) -> None:
        """Rename the drafts of all writers to their final names, all at once."""
        files.replace_targets(
            [move for writer in writers for move in writer.list_moves()], self._journal
        )

    @property
    def is_moving(self) -> bool:
        """Whether renaming has begun, so that the drafts must not be removed."""
        return self._journal.exists()

    def close(self) -> None:
        """Release the lock."""
        self._draft.file.close()
