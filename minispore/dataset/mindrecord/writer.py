"""FileWriter: writes rows to MindRecord files."""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from minispore.dataset.formats.mindrecord import exceptions as errors
from minispore.dataset.formats.mindrecord import schema as schemas
from minispore.dataset.formats.mindrecord.index import make_index_path, run_query
from minispore.dataset.formats.mindrecord.layout import Header, read_header
from minispore.dataset.formats.mindrecord.writing import PackedRow, SetLock, ShardWriter, pack_rows
from minispore.errors import did_you_mean
from minispore.foundation import files

_OP = "FileWriter"
_FORBIDDEN = set("\\/:*?\"<>|`&;'")
_HEADER_BYTES = 1 << 14, 1 << 27
_PATH_BYTES = 470  # SQLite opens no longer path than 504, and the index is written as a draft
_PAGE_BYTES = 1 << 15, 1 << 28
_MAX_SHARDS = 1000


class FileWriter:
    """Writes rows to one MindRecord file, or in turn to several.

    All files appear under their names at once, on ``commit``; there is no file before it, and none
    after a failure.

    Args:
        file_name (str): the file; several files get a number at the end of their names.
        shard_num (int): the number of files, 1 to 1000. Default: ``1``.
        overwrite (bool): whether existing files of these names are replaced. Default: ``False``.

    Raises:
        ParamValueError: an argument has an invalid value.

    Example:
        >>> import os, tempfile
        >>> from minispore.mindrecord import FileReader, FileWriter
        >>> folder = tempfile.TemporaryDirectory()
        >>> name = os.path.join(folder.name, "train.mindrecord")
        >>> writer = FileWriter(name)
        >>> writer.add_schema({"label": {"type": "int32"}, "data": {"type": "bytes"}}, "two images")
        >>> writer.write_raw_data([{"label": 7, "data": b"abc"}, {"label": 8, "data": b"de"}])
        >>> writer.commit()
        >>> reader = FileReader(name)
        >>> list(reader.get_next())
        [{'label': 7, 'data': b'abc'}, {'label': 8, 'data': b'de'}]
        >>> reader.close()
        >>> folder.cleanup()
    """

    def __init__(self, file_name: str, shard_num: int = 1, overwrite: bool = False) -> None:
        path = check_file_name(_OP, file_name)
        if isinstance(shard_num, bool) or not isinstance(shard_num, int):
            raise errors.ParamValueError(f"{_OP}: shard_num must be an int, got {shard_num!r}.")
        if not 1 <= shard_num <= _MAX_SHARDS:
            raise errors.ParamValueError(
                f"{_OP}: shard_num must be in [1, {_MAX_SHARDS}], got {shard_num}."
            )
        if not isinstance(overwrite, bool):
            raise errors.ParamValueError(f"{_OP}: overwrite must be a bool, got {overwrite!r}.")
        digits = len(str(shard_num - 1))
        paths = [path]
        if shard_num > 1:
            paths = [path.with_name(f"{path.name}{i:0{digits}d}") for i in range(shard_num)]
        self._paths, self._overwrite = paths, overwrite
        self._header = Header(schemas.Schema(()), (), tuple(p.name for p in paths))
        self._default_index = True
        self._writers: list[ShardWriter] | None = None
        self._reset_state()

    def _reset_state(self) -> None:
        """Set the state that writing changes to its start: no rows written, nothing committed."""
        self._next_file = 0  # index of the file that gets the next extra row
        self._parallel: bool | None = None
        self._committed = False

    @classmethod
    def open_for_append(cls, file_name: str) -> FileWriter:
        """Make a writer that appends rows to a file; the file is unchanged until ``commit``.

        Args:
            file_name (str): the file.

        Raises:
            ParamValueError: ``file_name`` is not a valid file name.
            MRMOpenForAppendError: the file or its index does not exist, or is damaged.
        """
        path = check_file_name(_OP, file_name)
        if not path.is_file() or not make_index_path(path).is_file():
            raise errors.MRMOpenForAppendError(
                f"{_OP}: file_name must be a MindRecord file with its index {path.name}.db beside "
                f"it, got {file_name!r}."
            )
        try:
            header = read_header(path)
            ((rows,),) = run_query(path, "SELECT COUNT(*) FROM INDEXES")
            if rows != header.rows:
                raise errors.MRMFetchDataError(f"its index has {rows} rows, not {header.rows}.")
            writer = cls.__new__(cls)
            writer._paths, writer._overwrite, writer._header = [path], True, header
            writer._default_index = False
            writer._reset_state()
            writer._create_writers(append=True)
        except (errors.MindRecordException, OSError) as exc:
            raise errors.MRMOpenForAppendError(
                f"{_OP}: {file_name!r} must be a MindRecord file that can be changed. {exc}"
            ) from exc
        return writer

    def add_schema(self, content: dict[str, Any], desc: str | None = None) -> None:
        """Set the schema of the rows.

        Args:
            content (dict): for each field its ``"type"``, one of int32, int64, float32, float64,
                string and bytes; an array of numbers also has a ``"shape"``, a list of sizes, one
                of which may be -1.
            desc (str, optional): a description.

        Raises:
            MRMInvalidSchemaError, MRMBuildSchemaError: ``content`` is not a valid schema.
            MRMAddSchemaError: a schema already exists.
        """
        schema = schemas.parse_schema(content, "" if desc is None else str(desc))
        if self._header.schema.fields:
            raise errors.MRMAddSchemaError(f"{_OP}: there must be one schema, it has one already.")
        raw = tuple(field.name for field in schema.raw)
        # The index already has a column INC_0, and its column names are case-insensitive.
        if len({"inc", *(name.lower() for name in raw)}) <= len(raw):
            raise errors.MRMInvalidSchemaError(
                f"{_OP}: fields must differ in more than upper and lower case, and not be called "
                f"'INC', got {list(raw)}. The index can't tell them apart."
            )
        self._header = replace(self._header, schema=schema, index_fields=raw)

    def add_index(self, index_fields: list[str]) -> None:
        """Set the fields by which rows can be looked up; by default all numbers and strings.

        Args:
            index_fields (list[str]): names of fields that are numbers or strings.

        Raises:
            ParamTypeError: ``index_fields`` is not a list of str.
            MRMGetMetaError: there is no schema yet.
            MRMDefineIndexError: a field has a wrong type.
            MRMAddIndexError: a field does not exist, or is named twice.
        """
        if not isinstance(index_fields, list) or not index_fields:
            raise errors.ParamTypeError(
                f"{_OP}: index_fields must be a list with a name in it, got {index_fields!r}."
            )
        schema = self._get_schema()
        added = list(() if self._default_index else self._header.index_fields)
        blobs = [field.name for field in schema.blob]
        for name in index_fields:
            if not isinstance(name, str):
                raise errors.ParamTypeError(f"{_OP}: index_fields must hold strs, got {name!r}.")
            if name in blobs:
                raise errors.MRMDefineIndexError(
                    f"{_OP}: index_fields must be numbers or strings, got {name!r}, which is bytes "
                    "or an array."
                )
            if name not in schema.names or name in added:
                raise errors.MRMAddIndexError(
                    f"{_OP}: index_fields must name fields of the schema, each once, got "
                    f"{name!r}.{did_you_mean(name, schema.names)}"
                )
            added.append(name)
        self._header, self._default_index = replace(self._header, index_fields=tuple(added)), False

    def write_raw_data(self, raw_data: list[dict[str, Any]], parallel_writer: bool = False) -> None:
        """Write rows; if a row does not fit the schema, none is written.

        Args:
            raw_data (list[dict]): rows; keys that are not in the schema are ignored.
            parallel_writer (bool): accepted, and must be the same in all calls; rows are written by
                one thread. Default: ``False``.

        Raises:
            TypeError: ``parallel_writer`` is not a bool.
            ParamTypeError: ``raw_data`` is not a list of dicts.
            MRMGetMetaError: there is no schema.
            MRMOpenError: a file already exists, or can't be made.
            MRMValidateDataError: a row does not fit the schema, or ``raw_data`` is empty.
            MRMWriteDatasetError: a row is larger than a page, or the disk is full.
            RuntimeError: ``commit`` was called, or ``parallel_writer`` differs from earlier calls.
        """
        if not isinstance(parallel_writer, bool):
            raise TypeError(f"{_OP}: parallel_writer must be a bool, got {parallel_writer!r}.")
        if self._parallel not in (None, parallel_writer):
            raise RuntimeError(f"{_OP}: parallel_writer must be the same in all calls.")
        if not isinstance(raw_data, list):
            raise errors.ParamTypeError(
                f"{_OP}: raw_data must be a list of rows, got {type(raw_data).__name__}."
            )
        for row in raw_data:
            if not isinstance(row, dict):
                raise errors.ParamTypeError(
                    f"{_OP}: each row of raw_data must be a dict, got {row!r:.80}."
                )
        self._check_not_committed("write_raw_data")
        schema = self._get_schema()
        if not raw_data:
            raise errors.MRMValidateDataError(f"{_OP}: raw_data must have a row, got none.")
        checked_rows = [schema.check_row(row, i) for i, row in enumerate(raw_data)]
        rows = pack_rows(self._header, checked_rows)
        self._parallel = parallel_writer
        for writer, chunk in zip(self._get_writers(), self._split_rows(rows)):
            self._write_chunk(writer, chunk)

    def write_round_robin(self, rows: Sequence[dict[str, Any]], first: int) -> None:
        """Write rows to the files in turn.

        Args:
            rows (sequence): the rows.
            first (int): the number of the first row: row i goes to file i modulo the number of
                files.
        """
        self._check_not_committed("write_round_robin")
        schema = self._get_schema()
        checked_rows = [schema.check_row(row, first + i) for i, row in enumerate(rows)]
        packed_rows = pack_rows(self._header, checked_rows)
        count = len(self._paths)
        for i, writer in enumerate(self._get_writers()):
            self._write_chunk(writer, packed_rows[(i - first) % count :: count])

    def commit(self) -> None:
        """Finish the files and rename them to their final names.

        Raises:
            MRMGetMetaError: there is no schema.
            MRMOpenError: a file already exists, or can't be made.
            MRMSetHeaderError: there are too many pages for the header.
            MRMCommitError: the files can't be finished.
            RuntimeError: ``commit`` was called before.
        """
        self._check_not_committed("commit")
        self._get_schema()
        writers = self._get_writers()
        self._committed = True
        try:
            for writer in writers:
                writer.finish()
            self._set_lock.move_into_place(writers)
        except (OSError, errors.DbConnectionError) as exc:
            raise errors.MRMCommitError(f"{_OP}: the files must be writable. {exc}.") from exc
        finally:
            self._clean()

    def discard(self) -> None:
        """Remove the drafts with all rows not committed; the writer can't be used afterwards."""
        self._committed = True
        if self._writers is not None:
            self._clean()

    def open_and_set_header(self) -> None:
        """Create the files, to check before the first row that they can be written.

        Raises:
            MRMGetMetaError: there is no schema.
            MRMOpenError: a file already exists, or can't be made.
        """
        self._get_schema()
        self._get_writers()

    def set_header_size(self, header_size: int) -> None:
        """Set the maximum size of a file's header in bytes; a page takes about 200 of them.

        Args:
            header_size (int): a multiple of 4 in [16 KB, 128 MB]; 16 MB unless set.

        Raises:
            MRMInvalidHeaderSizeError: ``header_size`` is invalid, or rows were written.
        """
        size = self._check_size(
            "header_size", header_size, _HEADER_BYTES, errors.MRMInvalidHeaderSizeError
        )
        self._header = replace(self._header, header_bytes=size)

    def set_page_size(self, page_size: int) -> None:
        """Set the maximum size of a page in bytes.

        Args:
            page_size (int): a multiple of 4 in [32 KB, 256 MB]; 32 MB unless set.

        Raises:
            MRMInvalidPageSizeError: ``page_size`` is invalid, or rows were written.
        """
        size = self._check_size("page_size", page_size, _PAGE_BYTES, errors.MRMInvalidPageSizeError)
        self._header = replace(self._header, page_bytes=size)

    def _check_size(
        self, name: str, value: Any, limits: tuple[int, int], error: type[Exception]
    ) -> int:
        """Check a size in bytes, which can only be set before the first row, and return it.

        Raises:
            TypeError: ``value`` is not an int.
            MindRecordException: of class ``error``, if ``value`` is not a multiple of 4 within the
                limits or rows were written.
        """
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{_OP}: {name} must be an int, got {value!r}.")
        if not limits[0] <= value <= limits[1] or value % 4:
            raise error(
                f"{_OP}: {name} must be a multiple of 4 in [{limits[0]}, {limits[1]}], got {value}."
            )
        if self._writers is not None:
            raise error(f"{_OP}: {name} must be set before the first row is written.")
        return value

    def _get_schema(self) -> schemas.Schema:
        """Return the schema; raise MRMGetMetaError if none was added."""
        if not self._header.schema.fields:
            raise errors.MRMGetMetaError(f"{_OP}: there must be a schema first. Call add_schema.")
        return self._header.schema

    def _check_not_committed(self, method_name: str) -> None:
        """Check that the files are not committed yet; raise RuntimeError if they are."""
        if self._committed:
            raise RuntimeError(
                f"{_OP}: {method_name} must not come after commit. Add rows to a finished file "
                "with FileWriter.open_for_append."
            )

    def _get_writers(self) -> list[ShardWriter]:
        """Return the writers of all files, created at the first call.

        That call also finishes the renames of a killed writer, and locks the set of files.

        Raises:
            MRMOpenError: a file already exists and must not be replaced, or can't be created.
        """
        if self._writers is None:
            files.finish_renames(files.make_journal_path(self._paths[0]))
            existing = [
                p for path in self._paths for p in (path, make_index_path(path)) if p.exists()
            ]
            if existing and not self._overwrite:
                raise errors.MRMOpenError(
                    f"{_OP}: the file {existing[0]} is there already. Pass overwrite=True to "
                    "replace it."
                )
            try:
                self._create_writers()
            except OSError as exc:
                raise errors.MRMOpenError(
                    f"{_OP}: file_name must be in a folder that can be written to, got "
                    f"{str(self._paths[0])!r}. {exc.strerror}."
                ) from exc
        assert self._writers is not None
        return self._writers

    def _create_writers(self, append: bool = False) -> None:
        """Lock the set of files, and create a writer for each file.

        If a writer fails, or when this object is garbage-collected, the drafts are discarded and
        the set is unlocked. With ``append`` the header keeps the number of the file in its set.
        """
        set_lock, shard_writers = SetLock(self._paths), list[ShardWriter]()
        try:
            for i, path in enumerate(self._paths):
                header = self._header if append else replace(self._header, shard=i)
                shard_writers.append(ShardWriter(path, header, set_lock.token, append=append))
        except BaseException:
            _discard_drafts(set_lock, shard_writers, os.getpid())
            raise
        self._writers, self._set_lock = shard_writers, set_lock
        self._clean = weakref.finalize(self, _discard_drafts, set_lock, shard_writers, os.getpid())

    def _split_rows(self, rows: list[PackedRow]) -> list[list[PackedRow]]:
        """Split rows evenly among the files; extra rows go to the files in turn."""
        count = len(self._paths)
        rows_per_file, extra = divmod(len(rows), count)
        chunks, start = [], 0
        for i in range(count):
            size = rows_per_file + ((i - self._next_file) % count < extra)
            chunks.append(rows[start : start + size])
            start += size
        self._next_file = (self._next_file + extra) % count
        return chunks

    def _write_chunk(self, writer: ShardWriter, rows: list[PackedRow]) -> None:
        """Write rows to one file, and discard all files if that fails.

        Raises:
            MRMWriteDatasetError: the operating system reported an error.
        """
        if not rows:
            return
        try:
            writer.write(rows)
        except BaseException as exc:
            # Some pages have rows missing from the header, so the files must not be finished.
            self.discard()
            if not isinstance(exc, OSError):
                raise
            raise errors.MRMWriteDatasetError(
                f"{_OP}: rows must be written to {writer.path.parent}, which failed. {exc}."
            ) from exc


def check_file_name(api_name: str, file_name: Any) -> Path:
    """Return ``file_name`` as a Path.

    Raises:
        ParamValueError: ``file_name`` is not a valid file name.
    """
    if not isinstance(file_name, str) or not file_name:
        raise errors.ParamValueError(f"{api_name}: file_name must be a str, got {file_name!r}.")
    path = Path(file_name)
    try:
        files.check_path(f"{api_name}: file_name", file_name, len(".db"))
        is_too_long = len(str(path.absolute()).encode()) > _PATH_BYTES
    except UnicodeEncodeError:
        raise errors.ParamValueError(f"{api_name}: file_name must be UTF-8.") from None
    except ValueError as exc:
        raise errors.ParamValueError(str(exc)) from None
    if is_too_long:
        raise errors.ParamValueError(
            f"{api_name}: file_name must have at most {_PATH_BYTES} bytes with its folder: no "
            f"index can be opened at {str(path)!r:.100}."
        )
    if not path.name or _FORBIDDEN & set(path.name):
        raise errors.ParamValueError(
            f"{api_name}: file_name must have none of the characters "
            f"{''.join(sorted(_FORBIDDEN))}, got "
            f"{file_name!r}."
        )
    return path


def _discard_drafts(set_lock: SetLock, writers: Sequence[ShardWriter], process: int) -> None:
    """Remove the drafts and release the lock.

    Drafts are kept once their renaming has begun, and in a process forked from the writer's.
    """
    if os.getpid() == process and not set_lock.is_moving:
        for writer in writers:
            writer.discard()
    set_lock.close()
