"""Threads and processes: order, randomness, failures, and that nothing is left behind."""

from __future__ import annotations

import gc
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import minispore as ms
import minispore.dataset as ds
from minispore.dataset import vision
from minispore.dataset.pipeline.workers import can_fork
from tests.dataset.conftest import counted, rows

needs_fork = pytest.mark.skipif(not can_fork(), reason="functions can't be inherited here")
WAIT_S = 10.0


def square(x: np.ndarray) -> np.ndarray:
    """Importable, so that a spawned process can have it."""
    return x * x


class Slow:
    """Rows with random access that take a moment each, the even ones longer."""

    def __init__(self, count: int, seconds: float = 0.002) -> None:
        self.count, self.seconds = count, seconds

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, i: int) -> tuple[int]:
        time.sleep(self.seconds * (1 + i % 2))
        return (i,)


def ended(pid: int) -> bool:
    """Whether a process has ended (or waits for its parent to notice) within a while."""
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


# -- order and randomness -----------------------------------------------------------------------


@pytest.mark.parametrize("processes", [False, pytest.param(True, marks=needs_fork)])
@pytest.mark.parametrize("workers", [1, 2, 8])
def test_rows_come_in_order_whatever_the_number_of_workers(workers, processes):
    data = ds.GeneratorDataset(
        Slow(60),
        ["x"],
        shuffle=False,
        num_parallel_workers=workers,
        python_multiprocessing=processes,
    )
    data = data.map(square, num_parallel_workers=workers, python_multiprocessing=processes)
    assert rows(data, passes=2) == [[i * i for i in range(60)]] * 2


def test_a_function_with_one_worker_sees_rows_one_at_a_time_and_in_order():
    seen, inside = [], []

    def check_exclusive(x):
        inside.append(x)
        time.sleep(0.0002)
        assert len(inside) == 1
        inside.clear()
        seen.append(int(x))
        return x

    source = ds.GeneratorDataset(
        Slow(100, 0.0002),
        ["x"],
        shuffle=False,
        num_parallel_workers=6,
        python_multiprocessing=False,
    )
    data = source.map(check_exclusive).map(square, num_parallel_workers=4)
    assert rows(data) == [[i * i for i in range(100)]]
    assert seen == list(range(100))


def test_a_stream_is_mapped_by_several_workers_in_order():
    def numbers():
        yield from range(300)

    def slow(x):
        time.sleep(0.001 * (int(x) % 3))
        return x

    data = ds.GeneratorDataset(numbers, ["x"]).map(slow, num_parallel_workers=4)
    assert rows(data, passes=2) == [list(range(300))] * 2


@pytest.mark.parametrize("workers", [2, 5])
def test_random_transforms_draw_the_same_whatever_the_number_of_workers(workers):
    ds.config.set_seed(3)
    images = np.random.default_rng(0).integers(0, 256, (200, 10, 10, 3), dtype=np.uint8)

    def augmented(count):
        data = ds.NumpySlicesDataset({"image": images})
        steps = [vision.RandomCrop(8), vision.RandomHorizontalFlip()]
        return data.map(steps, "image", num_parallel_workers=count).batch(16)

    for a, b in zip(
        augmented(1).create_tuple_iterator(num_epochs=1, output_numpy=True),
        augmented(workers).create_tuple_iterator(num_epochs=1, output_numpy=True),
        strict=True,
    ):
        np.testing.assert_array_equal(a[0], b[0])


def test_random_transforms_draw_anew_in_each_pass_and_for_each_row():
    images = np.random.default_rng(0).integers(0, 256, (1, 40, 40, 1), dtype=np.uint8)
    data = ds.NumpySlicesDataset({"image": np.repeat(images, 30, axis=0)}, shuffle=False)
    data = data.map(vision.RandomCrop(20), "image")
    passes = rows(data, passes=2)
    different = {str(image) for one in passes for image in one}
    assert len(different) > 40  # of 60 draws from 441 places


def test_a_row_is_augmented_the_same_in_blocks_and_singly():
    ds.config.set_seed(1)
    images = np.random.default_rng(0).integers(0, 256, (40, 9, 9, 3), dtype=np.uint8)
    steps = [vision.RandomCrop(8, padding=2), vision.RandomHorizontalFlip(0.5)]
    source = ds.NumpySlicesDataset({"image": images}, shuffle=False)
    whole = rows(source.map(steps, "image"))[0]
    ds.config.set_debug_mode(True)
    iterator = source.map(steps, "image").create_tuple_iterator(num_epochs=1, output_numpy=True)
    state = iterator.get_state()
    for i in (0, 7, 31):
        iterator.set_state(state | {"position": i})
        assert next(iterator)[0].tolist() == whole[i]


# -- processes ----------------------------------------------------------------------------------


@needs_fork
def test_rows_of_all_kinds_cross_the_border_of_a_process():
    def kinds(x):
        big = np.full(3_000_000, int(x), np.float64)  # 24 MB, more than the shared memory holds
        return x, big, "text", b"raw", {"a": np.arange(2), "b": [1, "c", None]}, np.empty((0, 3))

    data = counted(3).map(
        kinds,
        "x",
        ["x", "big", "text", "raw", "dict", "none"],
        num_parallel_workers=2,
        python_multiprocessing=True,
    )
    for i, row in enumerate(data.create_dict_iterator(num_epochs=1, output_numpy=True)):
        assert row["x"] == i and row["big"].shape == (3_000_000,) and row["big"][7] == i
        assert row["text"] == "text" and row["raw"] == b"raw" and row["none"].shape == (0, 3)
        assert row["dict"]["a"].tolist() == [0, 1] and row["dict"]["b"] == [1, "c", None]


@needs_fork
@pytest.mark.parametrize("processes", [True, False])
def test_a_failure_in_a_worker_is_reported_like_a_local_one(processes):
    def fails(x):
        if x == 5:
            raise KeyError("five")
        return x

    data = counted(20).map(fails, num_parallel_workers=3, python_multiprocessing=processes)
    iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert [int(next(iterator)[0]) for _ in range(5)] == [0, 1, 2, 3, 4]
    with pytest.raises(RuntimeError, match="map: fails failed on row 5, column 'x'") as caught:
        next(iterator)
    cause = caught.value.__cause__
    assert isinstance(cause, KeyError)
    if processes:
        assert "in fails" in str(cause.__cause__) and "KeyError: 'five'" in str(cause.__cause__)


@needs_fork
def test_worker_processes_draw_different_numbers():
    def draw_number(x):
        time.sleep(0.01)  # so that both get rows
        return np.random.random()  # noqa: NPY002

    data = counted(40).map(draw_number, num_parallel_workers=2, python_multiprocessing=True)
    (numbers,) = rows(data)
    assert len(set(numbers)) == 40


class RandomRows:
    """Five rows, drawn from ``random`` and ``np.random``."""

    def __len__(self):
        return 5

    def __getitem__(self, i):
        return random.randint(1, 1000), np.random.randint(1, 1000)  # noqa: NPY002


def read_epochs(data, epochs=2):
    it = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    return [[int(row[0]) for row in it] for _ in range(epochs)]


FIRST, SECOND = [990, 931, 797, 706, 452], [120, 435, 8, 549, 93]


@needs_fork
@pytest.mark.parametrize("seeds", [ds.config.set_seed, ms.set_seed])
def test_under_a_seed_processes_draw_what_those_of_mindspore_do(seeds):
    seeds(1234)
    source = ds.GeneratorDataset(RandomRows(), ["x", "y"], num_parallel_workers=2, shuffle=False)
    for _ in range(2):  # each iterator begins anew
        assert read_epochs(source) == [FIRST, SECOND]
    assert read_epochs(source.project("y")) == [[816, 204, 724, 803, 295], [54, 3, 205, 240, 373]]

    def sum_(x):
        return x * 1000 + random.randint(1, 1000)

    both = source.map(sum_, "x", num_parallel_workers=2, python_multiprocessing=True)
    assert read_epochs(both) == [[1001 * x for x in FIRST], [1001 * x for x in SECOND]]


@pytest.mark.parametrize("seeds", [ds.config.set_seed, ms.set_seed])
def test_under_a_seed_functions_in_this_process_draw_what_mindspores_do(seeds):
    seeds(1234)
    data = counted(5).map(lambda x: random.randint(1, 1000), "x", num_parallel_workers=1)
    assert read_epochs(data) == [[990, 797, 452, 120, 8], [93, 933, 966, 962, 827]]


@needs_fork
def test_rows_of_many_processes_stand_in_order_under_a_seed_up_to_the_first_that_fails():
    ds.config.set_seed(3)

    def ragged(x):
        if int(x) in (137, 139):
            raise ValueError(f"no {int(x)}")
        return np.full(int(x) % 3, int(x)), f"row {int(x)}"

    def several(data):
        return data.map(
            ragged, "x", ["x", "text"], num_parallel_workers=3, python_multiprocessing=True
        )

    assert rows(several(counted(137)).project("text"))[0] == [f"row {i}" for i in range(137)]
    got = []
    with pytest.raises(RuntimeError, match=r"map: ragged failed on row 137, column 'x'.*no 137"):
        for x, text in several(counted(200)).create_tuple_iterator(num_epochs=1, output_numpy=True):
            got.append((x.tolist(), str(text)))
    assert got == [([i] * (i % 3), f"row {i}") for i in range(137)]


@needs_fork
def test_a_killed_worker_process_is_reported_and_the_others_end():
    def pid(x):
        time.sleep(0.05)
        return os.getpid()

    data = counted(1000).map(pid, num_parallel_workers=2, python_multiprocessing=True)
    iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    victim = int(next(iterator)[0])
    children = {p.pid for p in multiprocessing.active_children()}
    assert victim in children
    os.kill(victim, signal.SIGKILL)
    with pytest.raises(RuntimeError, match=rf"worker process {victim} was killed by SIGKILL"):
        for _ in iterator:
            pass
    assert all(ended(child) for child in children)


@needs_fork
def test_a_worker_process_that_takes_long_is_logged(caplog):
    ds.config.set_multiprocessing_timeout_interval(1)
    data = counted(1).map(
        lambda x: time.sleep(1.6) or x, num_parallel_workers=2, python_multiprocessing=True
    )
    assert rows(data) == [[0]]
    assert "has worked on its rows for more than 1 s" in caplog.text


@needs_fork
def test_a_worker_process_that_exits_is_reported():
    data = counted(9).map(
        lambda x: os._exit(3), num_parallel_workers=2, python_multiprocessing=True
    )
    with pytest.raises(RuntimeError, match="ended with status 3"):
        rows(data)


@needs_fork
def test_processes_of_a_row_that_is_spread_end_with_it():
    inner = {"num_parallel_workers": 2, "python_multiprocessing": True}
    data = counted(2).flat_map(lambda x: counted(2).map(square, **inner))
    before = set(multiprocessing.active_children())
    iterator = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    assert [int(x) for (x,) in iterator] == [0, 1, 0, 1]
    assert not set(multiprocessing.active_children()) - before
    iterator.close()


def test_spawned_processes_run_importable_functions():
    ds.config.set_multiprocessing_start_method("spawn")
    data = counted(10).map(square, num_parallel_workers=2, python_multiprocessing=True)
    assert rows(data) == [[i * i for i in range(10)]]


@needs_fork
def test_processes_end_with_the_process_that_started_them(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import os, sys, time\n"
        f"sys.path.insert(0, {str(Path(ds.__file__).parents[2])!r})\n"
        "import minispore.dataset as ds\n"
        "data = ds.NumpySlicesDataset(list(range(1000)), ['x'], shuffle=False)\n"
        "many = dict(num_parallel_workers=2, python_multiprocessing=True)\n"
        "data = data.map(lambda x: os.getpid(), **many)\n"
        "rows = data.create_tuple_iterator(output_numpy=True)\n"
        "print(*{int(next(rows)[0]) for _ in range(100)}, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as run:
        pids = [int(p) for p in run.stdout.readline().split()]
        run.kill()
        assert pids and all(ended(pid) for pid in pids)


# -- nothing is left behind ---------------------------------------------------------------------


def ours() -> list[str]:
    """Our threads that are alive, after a moment to end."""
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        alive = [t.name for t in threading.enumerate() if t.name.startswith("minispore-")]
        if not alive:
            break
        time.sleep(0.01)
    return alive


@needs_fork
def test_an_iterator_that_is_dropped_ends_its_threads_and_processes():
    data = counted(100_000).map(square, num_parallel_workers=2, python_multiprocessing=True)
    iterator = data.create_tuple_iterator()
    next(iterator)
    children = [p.pid for p in multiprocessing.active_children()]
    assert children
    del iterator
    gc.collect()
    assert ours() == [] and all(ended(child) for child in children)


def test_a_loop_that_is_left_early_ends_its_threads():
    for (x,) in counted(100_000).map(square, num_parallel_workers=3).batch(2):
        if x.asnumpy()[0] > 10:
            break
    del x
    gc.collect()
    assert ours() == []


def test_the_last_row_ends_the_threads():
    iterator = counted(100).create_tuple_iterator(num_epochs=1)
    assert len(list(iterator)) == 100
    assert ours() == []


def test_close_ends_a_generator_and_its_finally():
    closed = []

    def numbers():
        try:
            yield from range(1_000_000)
        finally:
            closed.append(True)

    iterator = ds.GeneratorDataset(numbers, ["x"]).batch(4).create_tuple_iterator()
    next(iterator)
    iterator.close()
    gc.collect()
    assert closed == [True] and ours() == []


def test_close_from_another_thread_ends_a_wait():
    going = threading.Event()

    def stuck():
        yield 1
        going.set()
        while True:
            time.sleep(0.01)
            if iterator.closing:
                return

    class Closing:
        closing = False

    data = ds.GeneratorDataset(stuck, ["x"])
    iterator = Closing()
    batches = data.device_iterator(1)
    assert next(batches).columns[0] == 1

    def close():
        going.wait(WAIT_S)
        batches.close()
        iterator.closing = True

    closer = threading.Thread(target=close)
    closer.start()
    assert list(batches) == []
    closer.join()


@needs_fork
def test_a_forked_child_that_closes_the_iterator_leaves_the_workers_running():
    data = counted(1000).map(square, num_parallel_workers=2, python_multiprocessing=True)
    iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert int(next(iterator)[0]) == 0
    child = os.fork()
    if child == 0:  # what a program does that forks and then drops what it inherited
        iterator.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert [int(x) for (x,) in iterator] == [i * i for i in range(1, 1000)]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are POSIX")
def test_ctrl_c_ends_a_wait_for_rows(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, time\n"
        f"sys.path.insert(0, {str(Path(ds.__file__).parents[2])!r})\n"
        "import minispore.dataset as ds\n"
        "def rows():\n"
        "    yield 1\n"
        "    print('waiting', flush=True)\n"
        "    time.sleep(60)\n"
        "try:\n"
        "    list(ds.GeneratorDataset(rows, ['x']).create_tuple_iterator(num_epochs=1))\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
    )
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout.readline() == "waiting\n"
        run.send_signal(signal.SIGINT)
        assert run.stdout.readline() == "interrupted\n"
        assert run.wait(WAIT_S) == 0


def test_memory_of_a_pipeline_does_not_grow_with_its_passes():
    iterator = counted(5000).shuffle(5000).batch(50).create_tuple_iterator(output_numpy=True)
    for _ in range(3):
        assert len(list(iterator)) == 100
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(20):
        assert len(list(iterator)) == 100
    gc.collect()
    iterator.close()
    assert len(gc.get_objects()) < before + 500
