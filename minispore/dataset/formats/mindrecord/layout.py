"""The header of a file: its schema, where its pages are, which files belong together."""

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
from minispore.dataset.formats.mindrecord.schema import Schema, parse
from minispore.foundation.files import finish_renames

HEADER_BYTES = 1 << 24  # unless a user says otherwise
PAGE_BYTES = 1 << 25
VERSION = "3.0"
RAW, BLOB = "RAW_DATA", "BLOB_DATA"
_SIZE = 8  # bytes of the length before the header


@dataclass
class Page:
    """``used`` bytes of rows.

    Attributes:
        number: its place in the file.
        kind_number: of a blob page, its place among blob pages; of a raw page, the number after the
            raw page before it.
        first, last: the rows of a blob page, the last not among them.
        groups: pairs of row group and offset; a blob page has none of its own, but says (0, 0).
    """

    number: int
    kind: str
    kind_number: int
    used: int = 0
    first: int = 0
    last: int = 0
    groups: list[tuple[int, int]] = field(default_factory=list)

    def json(self, shard: int) -> dict[str, Any]:
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
    """What a file says of itself.

    Attributes:
        files: the names of all files of the set; this is number ``shard``.
        index_fields: the fields by which the index looks up rows.
        saved: bytes that compression saved.
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
        """How many rows the file has."""
        return max((page.last for page in self.pages), default=0)

    def with_pages(self, pages: list[Page], saved: int) -> Header:
        """The same file, with these pages."""
        return replace(self, pages=tuple(pages), saved=saved)

    def serialise(self) -> bytes:
        """The bytes at the beginning of the file.

        Raises:
            MRMSetHeaderError: they are more than ``header_bytes``.
        """
        index = [{"index_field": name, "schema_id": 0} for name in self.index_fields]
        schema = {
            "blob_fields": [f.name for f in self.schema.blob],
            "desc": self.schema.description,
            "schema": self.schema.content(),
        }
        header = {
            "header_size": self.header_bytes,
            "index_fields": index or None,
            "page": [page.json(self.shard) for page in self.pages] or None,
            "page_size": self.page_bytes,
            "compression_size": max(self.saved, 0),
            "schema": [schema],
            "shard_addresses": list(self.files),
            "shard_id": self.shard,
            "statistics": None,
            "version": VERSION,
        }
        data = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
        if _SIZE + len(data) > self.header_bytes:
            raise MRMSetHeaderError(
                f"FileWriter: the header must fit {self.header_bytes} bytes, got {len(data)} for "
                f"{len(self.pages)} pages. Set a larger one with set_header_size, or larger pages "
                "with set_page_size."
            )
        return len(data).to_bytes(_SIZE, "little") + data


def journal_path(first: Path) -> Path:
    """What says that the files of a set are being replaced; ``first`` is the first of them."""
    return first.with_name(f".{first.name}.replaced")


def read_header(path: Path) -> Header:
    """The header of a file; its set is whole, even if its writer was killed.

    Raises:
        MRMFetchDataError: it is none.
    """
    header = _read_header(path)
    journal = journal_path(path.with_name(header.files[0])) if header.files else None
    try:
        return _read_header(path) if journal and finish_renames(journal) else header
    except (OSError, ValueError, TypeError, RecursionError) as exc:
        raise MRMFetchDataError(
            f"{path.name}: must be replaced by what a killed process has written, which failed. "
            f"{exc}. ({path})"
        ) from exc


def _read_header(path: Path) -> Header:
    with path.open("rb") as file:
        size = int.from_bytes(file.read(_SIZE), "little")
        there = file.seek(0, 2)
        if not 0 < size <= there - _SIZE:
            raise _damaged(path, "it is shorter than its header")
        file.seek(_SIZE)
        data = file.read(size)
    try:
        return _parsed(json.loads(data))
    except MindRecordException as exc:
        raise _damaged(path, str(exc)) from exc
    except (
        ArithmeticError, ValueError, LookupError, TypeError, AttributeError, RecursionError
    ) as exc:  # fmt: skip
        raise _damaged(path, f"{type(exc).__name__}: {exc}") from exc


def _parsed(read: dict[str, Any]) -> Header:
    described = read["schema"][0]
    header = Header(
        parse(described["schema"], described.get("desc") or ""),
        tuple(entry["index_field"] for entry in read["index_fields"] or ()),
        tuple(Path(name).name for name in read["shard_addresses"]),
        int(read["shard_id"]),
        tuple(_page(page) for page in read["page"] or ()),
        int(read.get("compression_size") or 0),
        int(read["header_size"]),
        int(read["page_size"]),
    )
    unknown = set(header.index_fields) - {f.name for f in header.schema.raw}
    if unknown or header.header_bytes <= 0 or header.page_bytes <= 0:
        raise ValueError(f"index fields {sorted(unknown)} or sizes")
    return header


def _page(read: dict[str, Any]) -> Page:
    return Page(
        int(read["page_id"]),
        str(read["page_type"]),
        int(read["page_type_id"]),
        int(read["page_size"]),
        int(read["start_row_id"]),
        int(read["end_row_id"]),
        [(int(group["id"]), int(group["offset"])) for group in read["row_group_ids"]],
    )


def _damaged(path: Path, why: str) -> MRMFetchDataError:
    return MRMFetchDataError(
        f"{path.name}: must be a MindRecord file, but its header can't be read: {why}. ({path})"
    )
