"""The header of a MindRecord file: its schema, its pages, and the files of its set."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from minispore.dataset.formats.mindrecord.exceptions import (
    MindRecordException,
    MRMFetchDataError,
    MRMSetHeaderError,
)
from minispore.dataset.formats.mindrecord.schema import Schema, parse_schema
from minispore.foundation.files import finish_renames, make_journal_path

HEADER_BYTES = 1 << 24  # default, set with FileWriter.set_header_size
PAGE_BYTES = 1 << 25
VERSION = "3.0"
RAW, BLOB = "RAW_DATA", "BLOB_DATA"
_LENGTH_BYTES = 8  # bytes of the length before the header


@dataclass
class Page:
    """A page of a file, with ``used`` bytes of rows.

    Attributes:
        number: the index of the page in the file.
        kind_number: of a blob page, its index among blob pages; of a raw page, the ``number`` of
            the previous raw page plus 1.
        first, last: the rows of a blob page, ``last`` excluded.
        groups: pairs of row group and offset; a blob page has only the pair (0, 0).
    """

    number: int
    kind: str
    kind_number: int
    used: int = 0
    first: int = 0
    last: int = 0
    groups: list[tuple[int, int]] = field(default_factory=list)

    def to_json(self, shard: int) -> dict[str, Any]:
        """Return the page's entry in the JSON header."""
        return {
            "end_row_id": self.last,
            "page_id": self.number,
            "page_size": self.used,
            "page_type": self.kind,
            "page_type_id": self.kind_number,
            "row_group_ids": [{"id": group, "offset": offset} for group, offset in self.groups],
            "shard_id": shard,
            "start_row_id": self.first,
        }


@dataclass(frozen=True)
class Header:
    """The header of one file.

    Attributes:
        files: the names of all files of the set; this file is number ``shard``.
        index_fields: the fields by which the index looks up rows.
        saved: the number of bytes saved by compression.
    """

    schema: Schema
    index_fields: tuple[str, ...]
    files: tuple[str, ...]
    shard: int = 0
    pages: tuple[Page, ...] = ()
    saved: int = 0
    header_bytes: int = HEADER_BYTES
    page_bytes: int = PAGE_BYTES

    @property
    def rows(self) -> int:
        """The number of rows in the file."""
        return max((page.last for page in self.pages), default=0)

    def replace_pages(self, pages: list[Page], saved: int) -> Header:
        """Return the header of the same file with different pages and saved bytes."""
        return replace(self, pages=tuple(pages), saved=saved)

    def serialise(self) -> bytes:
        """Return the bytes at the beginning of the file.

        Raises:
            MRMSetHeaderError: the bytes exceed ``header_bytes``.
        """
        index = [{"index_field": name, "schema_id": 0} for name in self.index_fields]
        schema = {
            "blob_fields": [f.name for f in self.schema.blob],
            "desc": self.schema.description,
            "schema": self.schema.to_dict(),
        }
        header = {
            "header_size": self.header_bytes,
            "index_fields": index or None,
            "page": [page.to_json(self.shard) for page in self.pages] or None,
            "page_size": self.page_bytes,
            "compression_size": max(self.saved, 0),
            "schema": [schema],
            "shard_addresses": list(self.files),
            "shard_id": self.shard,
            "statistics": None,
            "version": VERSION,
        }
        data = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
        if _LENGTH_BYTES + len(data) > self.header_bytes:
            raise MRMSetHeaderError(
                f"FileWriter: the header must fit {self.header_bytes} bytes, got {len(data)} for "
                f"{len(self.pages)} pages. Set a larger one with set_header_size, or larger pages "
                "with set_page_size."
            )
        return len(data).to_bytes(_LENGTH_BYTES, "little") + data


def read_header(path: Path) -> Header:
    """Read the header of a file.

    If a killed writer began to replace the file's set, the replacement is finished first.

    Raises:
        MRMFetchDataError: the file has no valid header, or the replacement failed.
    """
    header = _read_header_once(path)
    journal = make_journal_path(path.with_name(header.files[0])) if header.files else None
    try:
        return _read_header_once(path) if journal and finish_renames(journal) else header
    except (OSError, ValueError, TypeError, RecursionError) as exc:
        raise MRMFetchDataError(
            f"{path.name}: must be replaced by what a killed process has written, which failed. "
            f"{exc}. ({path})"
        ) from exc


def read_header_bytes(path: Path) -> bytes:
    """Return the header of a file as bytes, with the length that precedes it.

    Raises:
        MRMFetchDataError: the file is shorter than its header.
    """
    with path.open("rb") as file:
        length = file.read(_LENGTH_BYTES)
        size = int.from_bytes(length, "little")
        file_bytes = file.seek(0, 2)
        if not 0 < size <= file_bytes - _LENGTH_BYTES:
            raise _make_damaged_error(path, "it is shorter than its header")
        file.seek(_LENGTH_BYTES)
        return length + file.read(size)


def _read_header_once(path: Path) -> Header:
    """Read the header of a file without finishing a replacement of the file."""
    data = read_header_bytes(path)[_LENGTH_BYTES:]
    try:
        return _parse_header(json.loads(data))
    except MindRecordException as exc:
        raise _make_damaged_error(path, str(exc)) from exc
    except (
        ArithmeticError, ValueError, LookupError, TypeError, AttributeError, RecursionError
    ) as exc:  # fmt: skip
        raise _make_damaged_error(path, f"{type(exc).__name__}: {exc}") from exc


def _parse_header(entries: dict[str, Any]) -> Header:
    """Make the Header of a file from its JSON entries.

    Wrong entries raise errors of several types, such as KeyError and ValueError.
    """
    schema_entry = entries["schema"][0]
    header = Header(
        parse_schema(schema_entry["schema"], schema_entry.get("desc") or ""),
        tuple(entry["index_field"] for entry in entries["index_fields"] or ()),
        tuple(Path(name).name for name in entries["shard_addresses"]),
        int(entries["shard_id"]),
        tuple(_parse_page(page) for page in entries["page"] or ()),
        int(entries.get("compression_size") or 0),
        int(entries["header_size"]),
        int(entries["page_size"]),
    )
    unknown = set(header.index_fields) - {f.name for f in header.schema.raw}
    if unknown or header.header_bytes <= 0 or header.page_bytes <= 0:
        raise ValueError(f"index fields {sorted(unknown)} or sizes")
    return header


def _parse_page(entries: dict[str, Any]) -> Page:
    """Make a page from its JSON entries."""
    return Page(
        int(entries["page_id"]),
        str(entries["page_type"]),
        int(entries["page_type_id"]),
        int(entries["page_size"]),
        int(entries["start_row_id"]),
        int(entries["end_row_id"]),
        [(int(group["id"]), int(group["offset"])) for group in entries["row_group_ids"]],
    )


def _make_damaged_error(path: Path, reason: str) -> MRMFetchDataError:
    """Return the error for a file whose header can't be read."""
    return MRMFetchDataError(
        f"{path.name}: must be a MindRecord file, but its header can't be read: {reason}. ({path})"
    )
