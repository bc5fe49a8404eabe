"""Passes over datasets, with the real MindSpore and PyTorch's DataLoader beside them."""

from __future__ import annotations

import argparse
import contextlib
import gzip
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import minispore.dataset as ds
from benchmarks.harness import Result, Side, describe_machine, format_table, interleave
from minispore.mindrecord import FileWriter

SIDES = Path(__file__).with_name("data_sides.py")
CASES = ("lenet", "cifar", "arrays", "records", "tokens", "slow", "million", "sink")
IMAGES = {"lenet": 60000, "cifar": 50000, "arrays": 200_000, "records": 50000, "tokens": 20000}
RECORDS = ("records", "tokens")


def main(argv: list[str]) -> int:
    """Run the cases one after the other; in each case the sides take turns."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks data",
        description=__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)}; all")
    parser.add_argument("--mindspore-python", metavar="PATH", help="an interpreter with MindSpore")
    parser.add_argument("--torch-python", metavar="PATH", help="an interpreter with PyTorch")
    parser.add_argument("--mnist", metavar="DIR", help="the four files of MNIST; else random ones")
    parser.add_argument("--workers", type=int, default=1, help="num_parallel_workers of each map")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args(argv)
    unknown = set(args.cases) - set(CASES)
    if unknown:
        parser.error(f"there is no case {', '.join(sorted(unknown))}")
    print(f"datasets, {args.workers} worker(s) for each map, on {describe_machine()}")
    print(f"median of {args.rounds} rounds of one pass, the sides taking turns")
    with tempfile.TemporaryDirectory() as folder:
        for case in args.cases or CASES:
            if case == "million":
                measure_shuffle()
            elif case == "sink":
                measure_sink_wait(Path(folder), args)
            else:
                run_case(case, Path(folder), args)
    return 0


def run_case(case: str, folder: Path, args: argparse.Namespace) -> None:
    """Time all sides of one case and print their table."""
    with contextlib.ExitStack() as stack:
        sides = [
            stack.enter_context(Side(name, SIDES, function, python=python, options=options))
            for name, function, python, options in list_sides(case, folder, args)
        ]
        results = interleave(sides, rounds=args.rounds, steps=1, warm_up=1)
    print(f"\n{case}\n{format_table(results)}")
    if case in IMAGES:
        for r in results:
            print(f"{r.name}: {compute_rows_per_second(r, IMAGES[case]):,.0f} rows/s")


def compute_rows_per_second(result: Result, rows: int) -> float:
    """Return the rows per second of the median pass."""
    return 1e3 * rows / result.median_ms


def list_sides(case: str, folder: Path, args: argparse.Namespace) -> Iterator[tuple]:
    """Yield the name, function, interpreter and options of each side; ours is the first."""
    libraries = [("minispore", None)]
    if args.mindspore_python:
        libraries.append(("mindspore", args.mindspore_python))
    if case == "slow":
        for library, python in libraries:
            # MindSpore takes no more workers than there are processors.
            for workers in (1, 8 if library == "minispore" else min(8, os.cpu_count() or 1)):
                options = {"rows": 4000, "workers": workers, "processes": workers > 1}
                name = f"{library}, {workers} worker(s)"
                yield name, "make_slow_rows_pass", python, options | {"library": library}
        return
    options = {"rows": IMAGES["arrays"]}
    if case != "arrays":
        if case in RECORDS:
            output = write_mindrecord(folder, case)
        else:
            output = write_mnist(folder, args.mnist) if case == "lenet" else write_cifar(folder)
        options = {"folder": str(output), "workers": args.workers}
    for library, python in libraries:
        function = f"make_{'records' if case in RECORDS else case}_pass"
        yield library, function, python, options | {"library": library}
    if args.torch_python and case in ("lenet", "cifar"):
        for workers in (0, args.workers):
            name = f"PyTorch, {workers} worker(s)"
            yield name, f"make_torch_{case}_pass", args.torch_python, options | {"workers": workers}


def write_mnist(folder: Path, source: str | None) -> Path:
    """Write MNIST's training files, unzipped, into a folder; random ones of the same size
    without a source.
    """
    output = folder / "mnist"
    output.mkdir(exist_ok=True)
    for name, shape in (
        ("train-images-idx3-ubyte", (60000, 28, 28)),
        ("train-labels-idx1-ubyte", (60000,)),
    ):
        if source is None:
            head = bytes((0, 0, 8, len(shape))) + np.array(shape, ">u4").tobytes()
            high = 256 if len(shape) == 3 else 10
            content = np.random.default_rng(0).integers(0, high, shape, dtype=np.uint8).tobytes()
            (output / name).write_bytes(head + content)
        elif (zipped := Path(source) / f"{name}.gz").exists():
            (output / name).write_bytes(gzip.decompress(zipped.read_bytes()))
        else:
            (output / name).write_bytes((Path(source) / name).read_bytes())
    return output


def write_cifar(folder: Path) -> Path:
    """Write random training files of CIFAR-10's size into a folder."""
    output = folder / "cifar"
    output.mkdir(exist_ok=True)
    rng = np.random.default_rng(0)
    for i in range(1, 6):
        records = rng.integers(0, 256, (10000, 3073), dtype=np.uint8)
        records[:, 0] %= 10
        records.tofile(output / f"data_batch_{i}.bin")
    return output


def write_mindrecord(folder: Path, case: str) -> Path:
    """Write a MindRecord file: images of a kilobyte, or three arrays of 128 int32, and a label."""
    output = folder / f"{case}.mindrecord"
    rng = np.random.default_rng(0)
    writer = FileWriter(str(output), overwrite=True)
    label = {"label": {"type": "int32"}}
    if case == "records":
        writer.add_schema({"image": {"type": "bytes"}} | label)
    else:
        tokens = {"type": "int32", "shape": [-1]}
        writer.add_schema({"ids": tokens, "mask": tokens, "segment": tokens} | label)
    for start in range(0, IMAGES[case], 1000):
        if case == "records":
            rows = [{"image": rng.bytes(1024)} for _ in range(1000)]
        else:
            ids = rng.integers(0, 30000, (1000, 128), dtype=np.int32)
            rows = [{"ids": i, "mask": np.minimum(i, 1), "segment": i * 0} for i in ids]
        writer.write_raw_data([row | {"label": start + i} for i, row in enumerate(rows)])
    writer.commit()
    return output


def measure_shuffle() -> None:
    """Print what shuffling a million rows costs in memory and time, and whether either grows."""
    print("\nmillion: NumpySlicesDataset of 1,000,000 rows, shuffle(1,000,000), batch(1000)")
    source = ds.NumpySlicesDataset({"x": np.arange(1_000_000)}, shuffle=False)
    data = source.shuffle(1_000_000).batch(1000)
    before = measure_peak_mb()
    iterator = data.create_tuple_iterator(num_epochs=20, output_numpy=True)
    seconds, peaks = [], []
    for _ in range(20):
        start = time.perf_counter()
        for _ in iterator:
            pass
        seconds.append(time.perf_counter() - start)
        peaks.append(measure_peak_mb())
    after = ", ".join(f"{peaks[n - 1]} MB after pass {n}" for n in (1, 2, 5, 20))
    print(f"peak memory: {before} MB before, {after}")
    print(
        f"seconds of a pass: first {seconds[0]:.3f}, last {seconds[-1]:.3f}, most "
        f"{max(seconds):.3f}"
    )
    for rows in (250_000, 500_000, 1_000_000):
        cut = source.take(rows).shuffle(rows).batch(1000)
        start = time.perf_counter()
        for _ in cut.create_tuple_iterator(num_epochs=1, output_numpy=True):
            pass
        elapsed_s = time.perf_counter() - start
        print(f"{rows:9,} rows: {elapsed_s:.3f} s, {1e9 * elapsed_s / rows:.0f} ns a row")


def measure_sink_wait(folder: Path, args: argparse.Namespace) -> None:
    """Train LeNet-5 in sink mode and print how much of the time the device waits for data."""
    with Side(
        "sink",
        SIDES,
        "make_sink_training",
        options={"folder": str(write_mnist(folder, args.mnist))},
    ) as side:
        side.prepare()
    print(f"\nsink\n{side.about}")


def measure_peak_mb() -> int:
    """Return the peak memory of this process in megabytes; POSIX only."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (1024 if os.uname().sysname == "Linux" else 1024**2)
