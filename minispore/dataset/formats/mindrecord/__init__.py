"""MindRecord files: rows of a schema in pages, with an SQLite index beside them.

A set of rows is one file, or several (``name0``, ``name1``, ...), each with
its index, ``<file>.db``.

::

    file      uint64 length, JSON header of that length, nothing up to header_size, then the pages:
              page i begins at header_size + i * page_size
    page      RAW_DATA or BLOB_DATA rows, one after the other
    raw row   uint64 length, msgpack map of the fields that are numbers or strings, sorted by name
    blob row  uint64 length, then the fields that are bytes or arrays, sorted by name; where there
              are several, each with its length before it, a big-endian uint64
    array     floats: little-endian. Integers: compressed, see :mod:`.integers`
    index     table INDEXES: for each row the page and the place of both parts, and the fields by
              which rows may be looked up

The rows of one blob page are a row group, whose raw rows lie together in one raw page. All of this
was learned from files. The writer's files are the same as MindSpore's, byte for byte, but where a
group outgrows its raw page: there MindSpore moves it to the next, and here a new group begins.
"""
