"""MindRecord files: rows of a schema in pages, with an SQLite index beside them.

A set of rows is one file, or several (``name0``, ``name1``, ...), each with
its index, ``<file>.db``.

::

    file      uint64 length, JSON header of that length, nothing up to header_size, then the pages:
              page i begins at header_size + i * page_size
    page      consecutive RAW_DATA or BLOB_DATA rows
    raw row   uint64 length, msgpack map of the fields that are numbers or strings, sorted by name
    blob row  uint64 length, then the fields that are bytes or arrays, sorted by name; if there are
              several, each is preceded by its length, a big-endian uint64
    array     floats: little-endian. Integers: compressed, see :mod:`.integers`
    index     table INDEXES: for each row the page and the offsets of both parts, and the fields by
              which rows can be looked up

The rows of one blob page are a row group, whose raw rows are together in one raw page. All of this
was learned from files. The writer's files are identical to MindSpore's, byte for byte, unless a
group outgrows its raw page: MindSpore moves the group to the next page, this writer begins a new
group.
"""
