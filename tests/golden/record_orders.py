"""In which order files of records give their rows: the cases, for both sides.

A case is a dataset, its arguments, a seed and a number of passes; its outcome the numbers of the
rows of each pass, or the type of the error.
"""

from __future__ import annotations

import gzip
import io
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset.formats import tfrecord
from minispore.mindrecord import FileWriter

ROWS = (3, 5, 1, 4, 0, 2)  # of each file; row k of file f is 10 f + k
SHUFFLES = ("FALSE", "FILES", "GLOBAL")
PASSES = 3
FILE_KINDS = {"TextFileDataset": "txt", "CSVDataset": "txt", "TFRecordDataset": "records"}


def build(folder: Path) -> None:
    """Write the files."""
    for file, count in enumerate(ROWS):
        numbers = range(10 * file, 10 * file + count)
        (folder / f"{file}.txt").write_text("".join(f"{n}\n" for n in numbers))
        if not count:  # MindSpore takes no TFRecord file for one without a record
            continue
        records = io.BytesIO()
        for n in numbers:
            tfrecord.write_record(records, tfrecord.serialise_example({"n": np.array([n])}))
        (folder / f"{file}.records").write_bytes(records.getvalue())
        (folder / f"{file}.gz").write_bytes(gzip.compress(records.getvalue()))


def cases() -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = []
    for kind, shuffle, workers, seed in product(FILE_KINDS, SHUFFLES, (1, 2), (1, 58)):
        if shuffle == "FALSE" and seed != 1:
            continue
        common = {"kind": kind, "shuffle": shuffle, "num_parallel_workers": workers, "seed": seed}
        results.append(common)
        results.append({**common, "num_samples": 4})
        for rank in range(2):
            results.append({**common, "num_shards": 2, "shard_id": rank})
            results.append({**common, "num_shards": 2, "shard_id": rank, "num_samples": 4})
        results.append({**common, "num_shards": 4, "shard_id": 3})
        results.append({**common, "num_shards": 1, "shard_id": 0})
        if kind == "TFRecordDataset":
            packed = {**common, "compression_type": "GZIP"}
            equal = {"num_shards": 2, "shard_id": 1, "shard_equal_rows": True}
            results += [packed, {**common, **equal}, {**packed, **equal}]
            results.append({**packed, "num_shards": 2, "shard_id": 0})
    return results


MIND_SHUFFLES = ("FALSE", "GLOBAL", "FILES", "INFILE", "PARTIAL", "ADAPTIVE")


def build_mind(folder: Path) -> None:
    """Write the same rows as MindRecord files."""
    for file, count in enumerate(ROWS):
        if not count:
            continue
        writer = FileWriter(str(folder / f"{file}.mind"), 1)
        writer.add_schema({"n": {"type": "int32"}})
        writer.write_raw_data([{"n": 10 * file + k} for k in range(count)])
        writer.commit()


def mind_cases() -> list[dict[str, Any]]:
    """Cases of MindDataset: ``sampler`` are the arguments of a DistributedSampler."""
    results: list[dict[str, Any]] = []
    for shuffle, seed in product(MIND_SHUFFLES, (1, 58)):
        common = {"kind": "MindDataset", "shuffle": shuffle, "seed": seed}
        results.append(common)
        results += [{**common, "num_shards": 4, "shard_id": rank} for rank in range(4)]
        padded = {"columns_list": ["n"], "padded_sample": {"n": -1}, "num_padded": 1}
        if shuffle in ("FALSE", "GLOBAL"):
            results += [
                {**common, **padded, "num_shards": 2, "shard_id": rank} for rank in range(2)
            ]
    for offset, mixed in product((-1, 0, 1, 3, 4), (False, True)):
        samplers = [{"num_shards": 4, "shard_id": i, "offset": offset} for i in range(4)]
        results += [
            {"kind": "MindDataset", "seed": 1, "sampler": {**one, "shuffle": mixed}}
            for one in samplers
        ]
    return results


def mind_outcome(ds: Any, folder: Path, case: dict[str, Any]) -> Any:
    """Return what a package makes of a case of MindDataset."""
    values_by_name = {key: value for key, value in case.items() if key not in ("kind", "seed")}
    ds.config.set_seed(case["seed"])
    if "shuffle" in values_by_name:
        values_by_name["shuffle"] = values_by_name["shuffle"] != "FALSE" and getattr(
            ds.Shuffle, values_by_name["shuffle"]
        )
    if "sampler" in values_by_name:
        values_by_name["sampler"] = ds.DistributedSampler(**values_by_name["sampler"])
    files = sorted(map(str, folder.glob("*.mind")), reverse=True)
    return _read_passes(ds.MindDataset(files, **values_by_name))


def outcome(ds: Any, folder: Path, case: dict[str, Any]) -> Any:
    """Return what a package, ``mindspore.dataset`` or ours, makes of a case."""
    options = dict(case)
    kind, shuffle = options.pop("kind"), options.pop("shuffle")
    ds.config.set_seed(options.pop("seed"))
    options["shuffle"] = shuffle != "FALSE" and getattr(ds.Shuffle, shuffle)
    ending = "gz" if "compression_type" in options else FILE_KINDS[kind]
    if kind == "CSVDataset":
        options["column_names"] = ["n"]
    files = sorted(map(str, folder.glob(f"*.{ending}")), reverse=True)
    return _read_passes(getattr(ds, kind)(files, **options))


def _read_passes(data: Any) -> dict[str, Any]:
    size = data.get_dataset_size()
    iterator = data.create_tuple_iterator(num_epochs=PASSES, output_numpy=True)
    passes = [[int(row[0].item()) for row in iterator] for _ in range(PASSES)]
    return {"size": size, "passes": passes}
