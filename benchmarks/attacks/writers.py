"""Kill each writer of files anywhere: under its name there must be a whole file, old or new.

Each writer writes a *version*, a number that can be read back from its files. Version 1 is written
whole, version 2 is killed on the way; then 1 or 2 must be there, and after version 3 only its
files.
"""

from __future__ import annotations

import random
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import minispore.dataset as ds
from benchmarks.attacks import kills
from minispore import Tensor, nn
from minispore.mindrecord import FileReader, FileWriter, MRMOpenError
from minispore.train import (
    CheckpointConfig,
    Model,
    ModelCheckpoint,
    export,
    load,
    load_checkpoint,
    save_checkpoint,
)
from minispore.train.files.async_saving import wait_for_saves

ROWS = 40


@dataclass(frozen=True)
class Writer:
    """A pair of functions: one writes a version into a folder, the other reads which is in it.

    Attributes:
        replaces: whether it writes over what is there; else the folder is empty before it.
    """

    write: Callable[[Path, int], Any]
    read: Callable[[Path], int]
    replaces: bool = True


def _make_params(version: int) -> dict[str, Any]:
    return {f"p{i}": Tensor(np.full((50, 20), version, np.float32)) for i in range(6)}


def _make_checkpoint_writer(**options: Any) -> Writer:
    suffix = options.get("format", "ckpt")

    def write(folder: Path, version: int) -> None:
        save_checkpoint(_make_params(version), str(folder / f"a.{suffix}"), **options)
        wait_for_saves()

    def read(folder: Path) -> int:
        params = load_checkpoint(str(folder / f"a.{suffix}"), crc_check=True, format=suffix)
        return _find_common_value(np.concatenate([params[f"p{i}"].asnumpy() for i in range(6)]))

    return Writer(write, read)


def _find_common_value(values: Any) -> int:
    """Return the number that all values are; raise if they differ."""
    (version,) = np.unique(np.asarray(values)).tolist()
    return int(version)


_savers: dict[Path, ModelCheckpoint] = {}  # one that goes on keeps its prefix


def _train_and_save(folder: Path, version: int) -> None:
    net = nn.Dense(2, 1, weight_init="zeros")
    net.weight.set_data(Tensor(np.full((1, 2), version, np.float32)))
    data = ds.NumpySlicesDataset((np.ones((3, 2), "f4"), np.ones((3, 1), "f4")), shuffle=False)
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.0))
    config = CheckpointConfig(keep_checkpoint_max=1)
    if folder not in _savers:
        _savers[folder] = ModelCheckpoint("v", str(folder), config)
    model.train(1, data.batch(1), _savers[folder])


def _read_latest_checkpoint(folder: Path) -> int:
    file = max(folder.glob("v*.ckpt"), key=lambda path: path.stat().st_mtime_ns)
    return _find_common_value(load_checkpoint(str(file))["weight"].asnumpy())


def _make_rows(version: int) -> list[dict[str, Any]]:
    return [{"x": version, "data": bytes([version]) * 300} for _ in range(ROWS)]


SCHEMA = {"x": {"type": "int32"}, "data": {"type": "bytes"}}


def _make_mindrecord_writer(count: int) -> Writer:
    def write(folder: Path, version: int) -> None:
        writer = FileWriter(str(folder / "r"), count, overwrite=True)
        writer.add_schema(SCHEMA)
        writer.write_raw_data(_make_rows(version))
        writer.commit()

    def read(folder: Path) -> int:
        reader = FileReader(str(folder / ("r0" if count > 1 else "r")))
        try:
            rows = list(reader.get_next())
        finally:
            reader.close()
        if len(rows) != ROWS:
            raise ValueError(f"{len(rows)} rows")
        return _find_common_value([row["x"] for row in rows] + [row["data"][0] for row in rows])

    return Writer(write, read)


def _append_rows(folder: Path, version: int) -> None:
    """Append rows until there are ``version`` times ROWS of them."""
    if version == 1:
        _make_mindrecord_writer(1).write(folder, 1)
        return
    writer = FileWriter.open_for_append(str(folder / "r"))
    writer.write_raw_data(_make_rows(1) * (version - _count_appended(folder)))
    writer.commit()


def _count_appended(folder: Path) -> int:
    """Return how many times ROWS rows the file has; raise if it has a part of them."""
    reader = FileReader(str(folder / "r"))
    try:
        count = len([row for row in reader.get_next() if row == _make_rows(1)[0]])
    finally:
        reader.close()
    if count % ROWS or count != reader.len():
        raise ValueError(f"{count} rows")
    return count // ROWS


def _make_dataset_writer(kind: str, make: Callable[..., Any]) -> Writer:
    def write(folder: Path, version: int) -> None:
        rows = np.full((ROWS, 30), version, np.int64)
        ds.NumpySlicesDataset(rows, ["x"], shuffle=False).save(str(folder / "d"), 1, kind)

    def read(folder: Path) -> int:
        data = make(str(folder / "d"))
        rows = [r["x"] for r in data.create_dict_iterator(num_epochs=1, output_numpy=True)]
        if len(rows) != ROWS:
            raise ValueError(f"{len(rows)} rows")
        return _find_common_value(rows)

    return Writer(write, read, replaces=False)


def _write_mindir(folder: Path, version: int) -> None:
    net = nn.Dense(2, 1, weight_init="zeros", bias_init="zeros")
    net.weight.set_data(Tensor(np.full((1, 2), version, np.float32)))
    export(
        net, Tensor(np.ones((1, 2), np.float32)), file_name=str(folder / "m"), file_format="MINDIR"
    )


def _read_mindir(folder: Path) -> int:
    net = nn.GraphCell(load(str(folder / "m.mindir")))
    return int(net(Tensor(np.ones((1, 2), np.float32))).asnumpy()[0, 0]) // 2


WRITERS = {
    "checkpoint": _make_checkpoint_writer(crc_check=True),
    "checkpoint without a check sum": _make_checkpoint_writer(crc_check=False),
    "checkpoint by a thread": _make_checkpoint_writer(async_save=True, crc_check=True),
    "safetensors": _make_checkpoint_writer(format="safetensors", crc_check=True),
    "ModelCheckpoint, one is kept": Writer(_train_and_save, _read_latest_checkpoint),
    "MindRecord": _make_mindrecord_writer(1),
    "MindRecord, three files": _make_mindrecord_writer(3),
    "MindRecord, appended": Writer(_append_rows, _count_appended),
    "dataset to MindRecord": _make_dataset_writer(
        "mindrecord", lambda f: ds.MindDataset(f, shuffle=False)
    ),
    "dataset to TFRecord": _make_dataset_writer(
        "tfrecord", lambda f: ds.TFRecordDataset(f, shuffle=False)
    ),
    "MindIR": Writer(_write_mindir, _read_mindir),
}


def attack(name: str, count: int, seed: int = 0) -> int:
    """Kill a writer ``count`` times, anywhere; return how often it was killed.

    Raises:
        AssertionError: what it left is not whole, is neither old nor new, or is not cleared away.
    """
    writer, rng = WRITERS[name], random.Random(f"{name} {seed}")
    with tempfile.TemporaryDirectory() as parent, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (Path(parent) / "whole").mkdir()
        _write_first_version(writer, Path(parent) / "whole")
        calls = kills.count_calls(lambda: writer.write(Path(parent) / "whole", 2))
        done = 0
        for i in range(count):
            folder = Path(parent) / str(i)
            folder.mkdir()
            _write_first_version(writer, folder)
            # One half falls among the last, where files get their names.
            first = rng.choice((0, max(0, calls - 20)))
            done += _kill_and_check(name, writer, folder, rng.randrange(first, calls))
    return done


def _write_first_version(writer: Writer, folder: Path) -> None:
    """Write version 1, unless the writer needs an empty folder."""
    if writer.replaces:
        writer.write(folder, 1)


def _kill_and_check(name: str, writer: Writer, folder: Path, call: int) -> bool:
    """Kill a writer at a call, check its files, and check them after the next run; return whether
    it was killed.
    """
    what = f"{name}, killed at call {call}"
    status = kills.run_killed_at(call, lambda: writer.write(folder, 2))
    assert status in (kills.DONE, kills.KILLED), f"{what}: failed by itself"
    try:
        version = writer.read(folder)
    except Exception as exc:
        absent = not writer.replaces and not [p for p in folder.iterdir() if p.name[0] != "."]
        assert absent, f"{what}: left what can't be read: {exc!r}"
    else:
        assert version in ((1, 2) if writer.replaces else (2,)), f"{what}: {version} is there"
    expected = 3
    try:
        writer.write(folder, 3)
    except (FileExistsError, MRMOpenError):  # version 2 is there after all
        assert not writer.replaces, what
        expected = 2
    assert writer.read(folder) == expected, f"{what}: the next run is not what is there"
    leftovers = sorted(p.name for p in folder.iterdir() if p.name.startswith("."))
    assert not leftovers, f"{what}: left {leftovers} after the next run"
    return status == kills.KILLED
