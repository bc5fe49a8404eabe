"""Damaged and hostile files for all readers: one family of errors, in bounded time and memory.

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
    """Writes a whole file under a name, and reads such a file.

    Attributes:
        target: the ending of the file that is changed, after the name.
    """

    write: Callable[[Path], Any]
    read: Callable[[Path], Any]
    target: str = ""


def _arrays() -> dict[str, Any]:
    return {"a": np.arange(20, dtype=np.float32).reshape(4, 5), "b.c": np.ones(3, np.int8)}


def _idx(path: Path) -> None:
    path.write_bytes(struct.pack(">4B3I", 0, 0, 8, 3, 4, 5, 6) + bytes(120))


def _zipped(write: Callable[[Path], Any]) -> Callable[[Path], Any]:
    def zipped(path: Path) -> None:
        write(path)
        path.write_bytes(gzip.compress(path.read_bytes()))

    return zipped


def _tfrecords(path: Path) -> None:
    with path.open("wb") as file:
        for i in range(5):
            example = {"x": np.array([i, -i]), "f": np.float32([0.5, i]), "s": [b"text"]}
            tfrecord.write_record(file, tfrecord.serialise_example(example))


def _records(path: Path) -> None:
    writer = FileWriter(str(path))
    writer.add_schema({"x": {"type": "int32"}, "s": {"type": "string"}, "d": {"type": "bytes"}})
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.write_raw_data([{"x": i, "s": "abc", "d": b"def"} for i in range(6)])
    writer.commit()


def _read_records(path: Path) -> None:
    reader = FileReader(str(path))
    try:
        list(reader.get_next())
    finally:
        reader.close()


def _rows(data: Any) -> None:
    for _ in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
        pass


def _model(path: Path) -> None:
    net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 2))
    export(net, Tensor(np.ones((1, 3), np.float32)), file_name=str(path), file_format="MINDIR")


def _image(kind: str) -> Callable[[Path], Any]:
    def write(path: Path) -> None:
        output = ms.dataset.vision.encode_png if kind == "png" else ms.dataset.vision.encode_jpeg
        output(np.arange(300, dtype=np.uint8).reshape(10, 10, 3)).tofile(path)

    return write


def _schema(path: Path) -> None:
    columns = {"x": {"type": "int32", "shape": [2]}, "y": {"type": "float32"}}
    path.write_text(json.dumps({"columns": columns, "numRows": 4}))


READERS = {
    "checkpoint": Reader(
        lambda p: checkpoint_file.write(p, _arrays(), crc=False), checkpoint_file.read
    ),
    "checkpoint with its sum": Reader(
        lambda p: checkpoint_file.write(p, _arrays()), checkpoint_file.read
    ),
    "safetensors": Reader(
        lambda p: safetensors_file.write(p, _arrays(), crc=False), safetensors_file.read
    ),
    "MindIR": Reader(_model, lambda p: load(f"{p}.mindir"), ".mindir"),
    "IDX": Reader(_idx, lambda p: idx.read(p, 3)),
    "IDX.gz": Reader(_zipped(_idx), lambda p: idx.read(p, 3)),
    "TFRecord": Reader(_tfrecords, lambda p: _rows(ds.TFRecordDataset(str(p), shuffle=False))),
    "TFRecord.gz": Reader(
        _zipped(_tfrecords),
        lambda p: _rows(ds.TFRecordDataset(str(p), shuffle=False, compression_type="GZIP")),
    ),
    "MindRecord": Reader(_records, _read_records),
    "MindRecord index": Reader(_records, _read_records, ".db"),
    "CSV": Reader(
        lambda p: p.write_text('x,y\n1,"a ""b"""\n2,c\n'),
        lambda p: _rows(ds.CSVDataset(str(p), shuffle=False)),
    ),
    "text": Reader(
        lambda p: p.write_text("one\ntwo\n\nthree"),
        lambda p: _rows(ds.TextFileDataset(str(p), shuffle=False)),
    ),
    "schema": Reader(_schema, lambda p: ds.Schema(str(p))),
    "PNG": Reader(_image("png"), lambda p: open_image("Decode", p.read_bytes())),
    "JPEG": Reader(_image("jpeg"), lambda p: open_image("Decode", p.read_bytes())),
}


def attack(name: str, count: int, seed: int = 0) -> int:
    """Read ``count`` changed files, each once for its time and once for its memory; returns how
    many were refused.

    Raises:
        AssertionError: one ended in another error, took too long or too much memory.
    """
    reader, rng = READERS[name], random.Random(f"{name} {seed}")
    refused = 0
    with tempfile.TemporaryDirectory() as at, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(at) / "file"
        reader.write(path)
        reader.read(path)
        target = Path(f"{path}{reader.target}")
        whole = target.read_bytes()
        for i in range(count):
            changed = _changed(whole, rng)
            target.unlink()
            target.write_bytes(changed)
            refused += _read(f"{name}, input {i} of seed {seed}", reader, path)
    return refused


def _read(what: str, reader: Reader, path: Path) -> bool:
    """Whether the file is refused. Time is the processor's: a busy machine is no fault."""
    start = time.process_time()
    refused = _refuses(what, reader, path)
    took = time.process_time() - start
    assert took < LIMIT_S, f"{what}: took {took:.1f} s"
    tracemalloc.start()
    before = _resident(anew=True)
    try:
        _refuses(what, reader, path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    peak = max(peak, _resident() - before)
    most = FREE_BYTES + RATIO * sum(p.stat().st_size for p in path.parent.iterdir())
    assert peak <= most, f"{what}: took {peak / 2**20:.0f} MB"
    return refused


def _resident(anew: bool = False) -> int:
    """The most memory that this process has had, with what libraries in C take; ``anew``: that it
    has from now on. 0 where the system does not tell.
    """
    if not _STATUS.exists():
        return 0
    if anew:
        _STATUS.with_name("clear_refs").write_text("5")
    (line,) = [x for x in _STATUS.read_text().splitlines() if x.startswith("VmHWM:")]
    return int(line.split()[1]) << 10


_STATUS = Path("/proc/self/status")


def _refuses(what: str, reader: Reader, path: Path) -> bool:
    try:
        reader.read(path)
    except Exception as error:
        own = type(error).__module__.partition(".")[0] == "minispore"
        assert own or type(error) in (RuntimeError, ValueError, ImportError), f"{what}: {error!r}"
        return True
    return False


def _changed(whole: bytes, rng: random.Random) -> bytes:
    data = bytearray(whole)
    for _ in range(rng.randint(1, 4)):
        # Half of the changes fall into the first bytes, where headers are.
        most = len(data) if rng.random() < 0.5 else min(len(data), 256)
        at = rng.randrange(max(1, most))
        kind = rng.randrange(6)
        if kind == 0:
            del data[at:]
        elif kind == 1 and data:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            data[at : at + 1] = bytes([rng.choice((0, 0x7F, 0x80, 0xFF, *b'{[,:"-e9'))])
        elif kind == 3:
            data[at : at + 8] = rng.choice((b"\xff" * 8, bytes(8), b"\x7f" + b"\xff" * 7))
        elif kind == 4:
            piece = data[at : at + rng.randint(1, 64)]
            into = rng.randrange(len(data) + 1)
            data[into:into] = piece * rng.choice((1, 1, 50))
        else:
            del data[at : at + rng.randint(1, 16)]
    return bytes(data)


# -- written by hand -------------------------------------------------------------------------------


def _bomb_idx(path: Path) -> None:
    path.write_bytes(
        gzip.compress(struct.pack(">4B3I", 0, 0, 8, 3, 1 << 10, 1 << 10, 1 << 9) + bytes(1 << 26))
    )


def _bomb_tfrecord(path: Path) -> None:
    head = struct.pack("<Q", 1 << 29)
    crc = struct.pack("<I", tfrecord._compute_masked_crc(head))
    path.write_bytes(gzip.compress(head + crc + bytes(1 << 26)))


def _view(path: Path) -> None:
    _records(path)
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


def _infinite_header(path: Path) -> None:
    _records(path)
    whole = path.read_bytes()
    size = int.from_bytes(whole[:8], "little")
    text = whole[8 : 8 + size].replace(b'"header_size":16384', b'"header_size":1e999', 1)
    path.write_bytes(len(text).to_bytes(8, "little") + text + whole[8 + size :])


def _deep_header(path: Path) -> None:
    text = b"[" * 100_000
    path.write_bytes(len(text).to_bytes(8, "little") + text)


def _huge_png(path: Path) -> None:
    ihdr = struct.pack(">2I5B", 30_000, 30_000, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", ihdr), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b"")]
    chunks = [
        struct.pack(">I", len(d)) + n + d + struct.pack(">I", zlib.crc32(n + d)) for n, d in parts
    ]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))


def _claims(path: Path) -> None:
    entry = {"dtype": "U8", "shape": [1000], "data_offsets": [0, 1000]}
    header = json.dumps({f"a{i}": entry for i in range(20_000)}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(1000))


HOSTILE = {
    "an IDX that unpacks to 512 MB": ("IDX.gz", _bomb_idx),
    "a TFRecord that unpacks to 512 MB": ("TFRecord.gz", _bomb_tfrecord),
    "an index without end": ("MindRecord index", _view),
    "a header with 1e999": ("MindRecord", _infinite_header),
    "a header of 100,000 brackets": ("MindRecord", _deep_header),
    "a schema of 100,000 brackets": ("schema", lambda p: p.write_text("[" * 100_000)),
    "a PNG of 30,000 x 30,000": ("PNG", _huge_png),
    "safetensors that share their bytes": ("safetensors", _claims),
}
LARGE = {
    "20 MB of newlines": ("text", lambda p: p.write_bytes(b"\n" * (20 << 20))),
    "100,000 names of columns": ("CSV", lambda p: p.write_text(",".join(map(str, range(100_000))))),
    "a line of 2 MB of commas": ("CSV", lambda p: p.write_bytes(b"," * (2 << 20))),
}


def hostile(what: str) -> None:
    """Read a file that was written by hand.

    Raises:
        AssertionError: it is not refused (those of LARGE may be read), or takes too much.
    """
    name, write = (HOSTILE | LARGE)[what]
    reader = READERS[name]
    with tempfile.TemporaryDirectory() as at, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(at) / "file"
        write(path)
        refused = _read(what, reader, path)
        assert refused or what in LARGE, f"{what}: was read"
