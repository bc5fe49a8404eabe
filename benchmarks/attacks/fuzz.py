"""Read damaged and hostile files: each reader must refuse them in bounded time and memory.

Each reader gets whole files, changed: cut off, bytes flipped, pieces taken out, doubled or put
elsewhere, numbers made huge. It must read them or say in the words of this package what is wrong:
a RuntimeError or ValueError (or one of ours below them), never an error of Python's insides.
"""

from __future__ import annotations

import gzip
import json
import random
import sqlite3
import struct
import tempfile
import time
import tracemalloc
import warnings
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import minispore as ms
import minispore.dataset as ds
from minispore import Tensor, nn
from minispore.dataset.formats import idx, tfrecord
from minispore.dataset.vision.decode import open_image
from minispore.mindrecord import FileReader, FileWriter
from minispore.train import export, load
from minispore.train.files import checkpoint_file, safetensors_file

LIMIT_S = 3.0
FREE_BYTES, RATIO = 64 << 20, 16


@dataclass(frozen=True)
class Reader:
    """A pair of functions: one writes an undamaged file, the other reads it.

    Attributes:
        target: the ending of the file that is changed, after the name.
    """

    write: Callable[[Path], Any]
    read: Callable[[Path], Any]
    target: str = ""


def _make_arrays() -> dict[str, Any]:
    return {"a": np.arange(20, dtype=np.float32).reshape(4, 5), "b.c": np.ones(3, np.int8)}


def _write_idx(path: Path) -> None:
    path.write_bytes(struct.pack(">4B3I", 0, 0, 8, 3, 4, 5, 6) + bytes(120))


def _compress_output(write: Callable[[Path], Any]) -> Callable[[Path], Any]:
    """Return a function that writes the file of ``write``, compressed by gzip."""

    def write_compressed(path: Path) -> None:
        write(path)
        path.write_bytes(gzip.compress(path.read_bytes()))

    return write_compressed


def _write_tfrecords(path: Path) -> None:
    with path.open("wb") as file:
        for i in range(5):
            example = {"x": np.array([i, -i]), "f": np.float32([0.5, i]), "s": [b"text"]}
            tfrecord.write_record(file, tfrecord.serialise_example(example))


def _write_mindrecord(path: Path) -> None:
    writer = FileWriter(str(path))
    writer.add_schema({"x": {"type": "int32"}, "s": {"type": "string"}, "d": {"type": "bytes"}})
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.write_raw_data([{"x": i, "s": "abc", "d": b"def"} for i in range(6)])
    writer.commit()


def _read_mindrecord(path: Path) -> None:
    reader = FileReader(str(path))
    try:
        list(reader.get_next())
    finally:
        reader.close()


def _iterate_rows(data: Any) -> None:
    for _ in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
        pass


def _write_mindir(path: Path) -> None:
    net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 2))
    export(net, Tensor(np.ones((1, 3), np.float32)), file_name=str(path), file_format="MINDIR")


def _make_image_writer(kind: str) -> Callable[[Path], Any]:
    def write(path: Path) -> None:
        output = ms.dataset.vision.encode_png if kind == "png" else ms.dataset.vision.encode_jpeg
        output(np.arange(300, dtype=np.uint8).reshape(10, 10, 3)).tofile(path)

    return write


def _write_schema(path: Path) -> None:
    columns = {"x": {"type": "int32", "shape": [2]}, "y": {"type": "float32"}}
    path.write_text(json.dumps({"columns": columns, "numRows": 4}))


READERS = {
    "checkpoint": Reader(
        lambda p: checkpoint_file.write(p, _make_arrays(), crc=False), checkpoint_file.read
    ),
    "checkpoint with its sum": Reader(
        lambda p: checkpoint_file.write(p, _make_arrays()), checkpoint_file.read
    ),
    "safetensors": Reader(
        lambda p: safetensors_file.write(p, _make_arrays(), crc=False), safetensors_file.read
    ),
    "MindIR": Reader(_write_mindir, lambda p: load(f"{p}.mindir"), ".mindir"),
    "IDX": Reader(_write_idx, lambda p: idx.read(p, 3)),
    "IDX.gz": Reader(_compress_output(_write_idx), lambda p: idx.read(p, 3)),
    "TFRecord": Reader(
        _write_tfrecords, lambda p: _iterate_rows(ds.TFRecordDataset(str(p), shuffle=False))
    ),
    "TFRecord.gz": Reader(
        _compress_output(_write_tfrecords),
        lambda p: _iterate_rows(ds.TFRecordDataset(str(p), shuffle=False, compression_type="GZIP")),
    ),
    "MindRecord": Reader(_write_mindrecord, _read_mindrecord),
    "MindRecord index": Reader(_write_mindrecord, _read_mindrecord, ".db"),
    "CSV": Reader(
        lambda p: p.write_text('x,y\n1,"a ""b"""\n2,c\n'),
        lambda p: _iterate_rows(ds.CSVDataset(str(p), shuffle=False)),
    ),
    "text": Reader(
        lambda p: p.write_text("one\ntwo\n\nthree"),
        lambda p: _iterate_rows(ds.TextFileDataset(str(p), shuffle=False)),
    ),
    "schema": Reader(_write_schema, lambda p: ds.Schema(str(p))),
    "PNG": Reader(_make_image_writer("png"), lambda p: open_image("Decode", p.read_bytes())),
    "JPEG": Reader(_make_image_writer("jpeg"), lambda p: open_image("Decode", p.read_bytes())),
}


def attack(name: str, count: int, seed: int = 0) -> int:
    """Read ``count`` damaged files, each once for its time and once for its memory; return how many
    were refused.

    Raises:
        AssertionError: one ended in another error, took too long or too much memory.
    """
    reader, rng = READERS[name], random.Random(f"{name} {seed}")
    refused = 0
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "file"
        reader.write(path)
        reader.read(path)
        target = Path(f"{path}{reader.target}")
        original = target.read_bytes()
        for i in range(count):
            damaged = _damage_bytes(original, rng)
            target.unlink()
            target.write_bytes(damaged)
            refused += _measure_read(f"{name}, input {i} of seed {seed}", reader, path)
    return refused


def _measure_read(what: str, reader: Reader, path: Path) -> bool:
    """Read a file twice, check the time and the memory, and return whether it is refused."""
    start = time.process_time()
    refused = _is_refused(what, reader, path)
    seconds = time.process_time() - start
    assert seconds < LIMIT_S, f"{what}: took {seconds:.1f} s"
    tracemalloc.start()
    before = _measure_peak_bytes(restart=True)
    try:
        _is_refused(what, reader, path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    peak = max(peak, _measure_peak_bytes() - before)
    limit = FREE_BYTES + RATIO * sum(p.stat().st_size for p in path.parent.iterdir())
    assert peak <= limit, f"{what}: took {peak / 2**20:.0f} MB"
    return refused


def _measure_peak_bytes(restart: bool = False) -> int:
    """Return the peak memory of this process, C libraries included; 0 where the system has no
    /proc.
    """
    if not _STATUS.exists():
        return 0
    if restart:
        _STATUS.with_name("clear_refs").write_text("5")
    (line,) = [x for x in _STATUS.read_text().splitlines() if x.startswith("VmHWM:")]
    return int(line.split()[1]) << 10


_STATUS = Path("/proc/self/status")


def _is_refused(what: str, reader: Reader, path: Path) -> bool:
    """Return whether reading raises; check that the error is one of this package or a plain one."""
    try:
        reader.read(path)
    except Exception as error:
        is_ours = type(error).__module__.partition(".")[0] == "minispore"
        assert is_ours or type(error) in (RuntimeError, ValueError, ImportError), (
            f"{what}: {error!r}"
        )
        return True
    return False


def _damage_bytes(original: bytes, rng: random.Random) -> bytes:
    """Return ``original`` with one to four random damages: bits, cuts, copies, huge numbers."""
    data = bytearray(original)
    for _ in range(rng.randint(1, 4)):
        # Half of the changes fall into the first bytes, where headers are.
        limit = len(data) if rng.random() < 0.5 else min(len(data), 256)
        offset = rng.randrange(max(1, limit))
        kind = rng.randrange(6)
        if kind == 0:
            del data[offset:]
        elif kind == 1 and data:
            data[offset] ^= 1 << rng.randrange(8)
        elif kind == 2:
            data[offset : offset + 1] = bytes([rng.choice((0, 0x7F, 0x80, 0xFF, *b'{[,:"-e9'))])
        elif kind == 3:
            data[offset : offset + 8] = rng.choice((b"\xff" * 8, bytes(8), b"\x7f" + b"\xff" * 7))
        elif kind == 4:
            piece = data[offset : offset + rng.randint(1, 64)]
            destination = rng.randrange(len(data) + 1)
            data[destination:destination] = piece * rng.choice((1, 1, 50))
        else:
            del data[offset : offset + rng.randint(1, 16)]
    return bytes(data)


# -- written by hand -------------------------------------------------------------------------------


def _write_idx_bomb(path: Path) -> None:
    path.write_bytes(
        gzip.compress(struct.pack(">4B3I", 0, 0, 8, 3, 1 << 10, 1 << 10, 1 << 9) + bytes(1 << 26))
    )


def _write_tfrecord_bomb(path: Path) -> None:
    head = struct.pack("<Q", 1 << 29)
    crc = struct.pack("<I", tfrecord._compute_masked_crc(head))
    path.write_bytes(gzip.compress(head + crc + bytes(1 << 26)))


def _write_endless_index(path: Path) -> None:
    """Write a MindRecord file whose index is a view that never ends."""
    _write_mindrecord(path)
    index = Path(f"{path}.db")
    index.unlink()
    columns = "0 AS PAGE_ID_RAW, 0 AS PAGE_OFFSET_RAW, 0 AS PAGE_OFFSET_RAW_END, n AS ROW_ID,"
    columns += " 0 AS PAGE_ID_BLOB, 0 AS PAGE_OFFSET_BLOB, 0 AS PAGE_OFFSET_BLOB_END"
    base = sqlite3.connect(index)
    base.execute(
        "CREATE VIEW INDEXES AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) "
        f"SELECT {columns} FROM c"
    )
    base.execute("CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)")
    base.commit()
    base.close()


def _write_infinite_header(path: Path) -> None:
    _write_mindrecord(path)
    original = path.read_bytes()
    size = int.from_bytes(original[:8], "little")
    text = original[8 : 8 + size].replace(b'"header_size":16384', b'"header_size":1e999', 1)
    path.write_bytes(len(text).to_bytes(8, "little") + text + original[8 + size :])


def _write_deep_header(path: Path) -> None:
    text = b"[" * 100_000
    path.write_bytes(len(text).to_bytes(8, "little") + text)


def _write_huge_png(path: Path) -> None:
    ihdr = struct.pack(">2I5B", 30_000, 30_000, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", ihdr), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b"")]
    chunks = [
        struct.pack(">I", len(d)) + n + d + struct.pack(">I", zlib.crc32(n + d)) for n, d in parts
    ]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))


def _write_overlapping_safetensors(path: Path) -> None:
    """Write a file with 20,000 entries that all share the same 1,000 bytes."""
    entry = {"dtype": "U8", "shape": [1000], "data_offsets": [0, 1000]}
    header = json.dumps({f"a{i}": entry for i in range(20_000)}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(1000))


HOSTILE = {
    "an IDX that unpacks to 512 MB": ("IDX.gz", _write_idx_bomb),
    "a TFRecord that unpacks to 512 MB": ("TFRecord.gz", _write_tfrecord_bomb),
    "an index without end": ("MindRecord index", _write_endless_index),
    "a header with 1e999": ("MindRecord", _write_infinite_header),
    "a header of 100,000 brackets": ("MindRecord", _write_deep_header),
    "a schema of 100,000 brackets": ("schema", lambda p: p.write_text("[" * 100_000)),
    "a PNG of 30,000 x 30,000": ("PNG", _write_huge_png),
    "safetensors that share their bytes": ("safetensors", _write_overlapping_safetensors),
}
LARGE = {
    "20 MB of newlines": ("text", lambda p: p.write_bytes(b"\n" * (20 << 20))),
    "100,000 names of columns": ("CSV", lambda p: p.write_text(",".join(map(str, range(100_000))))),
    "a line of 2 MB of commas": ("CSV", lambda p: p.write_bytes(b"," * (2 << 20))),
}


def read_hostile_file(what: str) -> None:
    """Read a file that was written by hand, as ``HOSTILE`` or ``LARGE`` names it.

    Raises:
        AssertionError: it is not refused (those of LARGE may be read), or takes too much.
    """
    name, write = (HOSTILE | LARGE)[what]
    reader = READERS[name]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / "file"
        write(path)
        refused = _measure_read(what, reader, path)
        assert refused or what in LARGE, f"{what}: was read"
