"""Pools of processes by themselves: how they begin, wait, answer and end."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
import time

import numpy as np
import pytest

import minispore.dataset as ds
from minispore.dataset import iterator
from minispore.dataset.pipeline import workers
from minispore.dataset.pipeline.ordered_workers import UNORDERED
from minispore.dataset.pipeline.random import Seed
from minispore.dataset.pipeline.workers import ProcessPool, can_fork

SEED = Seed.from_value(None)
pytestmark = pytest.mark.skipif(not can_fork(), reason="functions can't be inherited here")


def call(pool, rows):
    return pool.call([rows], rows, UNORDERED)


def test_closing_a_pool_terminates_its_processes(monkeypatch):
    monkeypatch.setattr(workers, "_JOIN_S", 60.0)  # on a busy machine
    pool = ProcessPool(
        "map", lambda columns: (columns, None), 2, SEED, "fork", (1 << 10, 1 << 10), 60.0
    )
    processes = [worker.process for worker in pool._workers]
    assert all(process.is_alive() for process in processes)
    pool.close()
    assert [process.exitcode for process in processes] == [-signal.SIGTERM] * 2


def test_a_pool_that_can_not_have_all_its_processes_ends_those_it_has(monkeypatch):
    def second_fails(*arguments):
        if outputs:
            raise OSError("no more processes")
        outputs.append(first(*arguments))
        return outputs[0]

    outputs, first = [], workers._WorkerProcess
    monkeypatch.setattr(workers, "_WorkerProcess", second_fails)
    monkeypatch.setattr(workers, "_JOIN_S", 60.0)
    with pytest.raises(OSError, match="no more"):
        ProcessPool(
            "map", lambda columns: (columns, None), 2, SEED, "fork", (1 << 10, 1 << 10), 60.0
        )
    assert outputs[0].process.exitcode == -signal.SIGTERM


def test_a_call_waits_while_all_pool_processes_are_busy():
    def late(columns):
        time.sleep(0.02)
        return columns, None

    pool, inputs, got = (
        ProcessPool("map", late, 1, SEED, "fork", (1 << 10, 1 << 10), 60.0),
        np.arange(3),
        [],
    )
    threads = [
        threading.Thread(target=lambda: got.append(call(pool, inputs)), daemon=True)
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    pool.close()
    assert [(out[0].tolist(), failure) for out, failure in got] == [([0, 1, 2], None)] * 3


def test_a_process_that_does_not_listen_is_killed_when_its_pool_is_closed(monkeypatch):
    def deaf(columns):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        return columns, None

    monkeypatch.setattr(workers, "_JOIN_S", 0.1)
    pool = ProcessPool("map", deaf, 1, SEED, "fork", (1 << 10, 1 << 10), 60.0)
    process = pool._workers[0].process
    call(pool, np.arange(3))
    pool.close()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL


@pytest.mark.parametrize(("ours", "status"), [(True, 1), (False, 0)])
def test_a_process_whose_other_side_is_gone_ends_in_silence(ours, status, monkeypatch):
    monkeypatch.setattr(workers, "_POLL_S", 0.01)
    context = multiprocessing.get_context("fork")
    parent_end, child_end = context.Pipe()

    def serve(parent):
        if not ours:
            parent_end.close()
        workers._run_worker(child_end, bytearray(8), bytearray(8), print, 1, parent)

    process = context.Process(target=serve, args=(0 if ours else os.getpid(),))
    process.start()
    child_end.close()
    if not ours:
        parent_end.close()
    process.join(60)
    assert process.exitcode == status


def leaves(columns):
    raise SystemExit("enough")


def gives_no_column(columns):
    return [[object()]], None


@pytest.mark.parametrize(("function", "text"), [(leaves, "enough"), (gives_no_column, "a row")])
def test_a_process_goes_on_after_what_no_operation_caught(function, text):
    pool = ProcessPool("map", function, 1, SEED, "fork", (1 << 10, 1 << 10), 60.0)
    try:
        for _ in range(2):
            out, failure = call(pool, np.arange(3))
            assert (out, failure.operation, failure.row) == ([], "worker", 0)
            assert text in str(failure.cause)
    finally:
        pool.close()


@pytest.mark.parametrize("method", ["create_dict_iterator", "device_iterator"])
def test_ctrl_c_after_the_processes_began_and_before_rows_are_read_leaves_none(
    method, monkeypatch
) -> None:
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(iterator, "Feed", interrupt)
    data = ds.NumpySlicesDataset({"x": np.arange(8)}, shuffle=False)
    data = data.map(lambda x: x, "x", num_parallel_workers=2, python_multiprocessing=True)
    with pytest.raises(KeyboardInterrupt):
        getattr(data, method)(1)
    gc.collect()
    assert not [p for p in multiprocessing.active_children() if "minispore" in p.name]
