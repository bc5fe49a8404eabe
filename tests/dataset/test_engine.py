"""Lanes, keyed randomness, statistics, caches and settings."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minispore.dataset as ds
from minispore.dataset import transforms, vision
from minispore.dataset.pipeline import random
from minispore.dataset.pipeline.block import Block, join, stack_rows
from minispore.dataset.pipeline.ordered_workers import UNORDERED, OrderedWorkers
from tests.dataset.conftest import counted, rows

# -- lanes --------------------------------------------------------------------------------------


def lanes(items, work, count, ahead=4):
    iterator = iter(items)
    return OrderedWorkers(lambda: next(iterator), work, count, lambda: ahead, "test")


@pytest.mark.parametrize("count", [0, 1, 4])
def test_results_come_in_the_order_of_the_items(count):
    def work(item, turn):
        time.sleep(0.002 * (item % 3))
        return item * item

    output = lanes(range(40), work, count)
    assert list(output) == [i * i for i in range(40)]
    output.join()


def test_tickets_pass_a_turnstile_in_order_and_one_at_a_time():
    passed, inside = [], threading.Lock()

    def work(item, turn):
        time.sleep(0.001 * ((item * 7) % 5))
        with turn.enter_turnstile("gate"):
            assert inside.acquire(blocking=False)
            passed.append(item)
            inside.release()
        return item

    output = lanes(range(50), work, 5)
    assert list(output) == list(range(50)) == passed
    output.join()


def test_a_ticket_that_skips_the_turnstile_holds_nobody_up():
    def work(item, turn):
        if item % 2:
            return item
        with turn.enter_turnstile("gate"):
            return item

    output = lanes(range(20), work, 3)
    assert list(output) == list(range(20))
    output.join()


@pytest.mark.parametrize("count", [0, 2])
def test_an_exception_comes_in_its_place(count):
    def work(item, turn):
        if item == 3:
            raise ValueError("three")
        return item

    output = lanes(range(10), work, count)
    assert [next(output) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="three"):
        next(output)
    output.stop()
    output.join()


def test_no_more_is_pulled_than_may_wait():
    pulled = []

    def items():
        for i in range(1000):
            pulled.append(i)
            yield i

    output = lanes(items(), lambda item, turn: item, 2, ahead=5)
    assert next(output) == 0
    time.sleep(0.05)
    assert len(pulled) <= 7
    output.stop()
    output.join()


# -- blocks -------------------------------------------------------------------------------------


def test_a_block_stops_at_the_first_error():
    fine = Block({"x": np.arange(3)}, 3)
    failed = Block({"x": np.arange(2)}, 2).copy_with_error(ValueError("no"))
    both = join([fine, failed, fine])
    assert both.count == 5 and isinstance(both.error, ValueError)
    assert both.slice_rows(0, 4).error is None and both.slice_rows(1, 5).error is both.error


def test_rows_are_stacked_only_where_shape_and_dtype_agree():
    assert stack_rows([np.int8(1)[...], np.int8(2)[...]]).dtype == np.int8
    for other in (np.int16(2)[...], np.zeros(1, np.int8), {"a": 1}):
        assert isinstance(stack_rows([np.int8(1)[...], other]), list)


# -- randomness ---------------------------------------------------------------------------------


@given(st.lists(st.integers(1, 9), max_size=3), st.integers(0, 2**63), st.integers(0, 5))
def test_row_generators_draw_the_same_numbers_together_and_one_by_one(counts, first, operation):
    key = random.make_key(7, 1, 2)
    numbers = np.arange(first, first + 4)
    together = random.RowGenerators(key, numbers, operation)
    row_generators = random.RowGenerators(key, numbers, operation)
    for count in counts:
        expected = [row_generators[i].random(count) for i in range(4)]
        np.testing.assert_array_equal(together.random(count), expected)


def test_rows_operations_nodes_and_passes_have_distinct_random_streams():
    keys = [random.make_key(1, node, number) for node in range(2) for number in range(2)]
    draws = [
        random.RowGenerators(key, np.arange(3), operation).random(2)
        for key in keys
        for operation in range(2)
    ]
    assert len(np.unique(draws)) == 4 * 2 * 3 * 2


def test_a_slice_of_row_generators_is_that_of_its_rows():
    whole = random.RowGenerators(random.make_key(1), np.arange(10), 0)
    assert [g.random() for g in whole[4:6]] == whole.random(1)[4:6, 0].tolist()


# -- statistics ---------------------------------------------------------------------------------


def test_statistics_tell_the_slowest_operation_and_the_fill_of_the_queue():
    def slow(x):
        time.sleep(0.001)
        return x

    data = counted(60).map(slow).map(lambda x: x + 1).batch(4)
    iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert len(list(iterator)) == 15
    message = iterator.statistics()
    assert [n.name for n in message.nodes] == [
        "NumpySlicesDataset",
        "map(slow) on x",
        "map(<lambda>) on x",
        "batch(4)",
    ]
    assert [n.rows for n in message.nodes] == [60, 60, 60, 15]
    assert message.slowest.name == "map(slow) on x" and message.slowest_share > 0.5
    assert message.slowest.us_per_row > 1000
    assert 0 <= message.queue_fill < 0.9 and message.gets >= 2 and message.waited_ns > 0


def test_before_the_first_row_nothing_was_done():
    message = counted(9).create_tuple_iterator(num_epochs=1).statistics()
    assert (message.gets, message.waited_ns) == (0, 0)
    assert (message.queue_capacity, message.queue_size, message.queue_fill) == (0, 0, 0.0)


def test_maps_that_run_as_one_are_one_in_the_statistics():
    images = np.zeros((20, 4, 4, 3), np.uint8)
    data = ds.NumpySlicesDataset({"i": images}, shuffle=False)
    data = data.map(vision.Rescale(2.0, 0.0), "i").map(vision.Rescale(1.0, 1.0), "i")
    iterator = data.create_tuple_iterator(num_epochs=1)
    assert len(list(iterator)) == 20
    messages = [(n.name, n.rows) for n in iterator.statistics().nodes]
    assert messages == [("NumpySlicesDataset", 20), ("map(Rescale, Rescale) on i", 20)]


@pytest.mark.parametrize(
    ("make", "name", "rows"),
    [
        (lambda: counted(60).filter(lambda x: x % 3 == 0), "filter", 20),
        (lambda: counted(60).flat_map(lambda x: counted(2)), "flat_map", 120),
        (lambda: ds.GeneratorDataset(lambda: iter(range(60)), ["x"]), "GeneratorDataset", 60),
        (lambda: ds.GeneratorDataset(range(60), ["x"]), "GeneratorDataset", 60),
        (lambda: counted(60).bucket_batch_by_length(["x"], [9], [4, 4], lambda x: x),
         "bucket_batch_by_length", 16),
    ],
)  # fmt: skip
def test_every_operation_counts_the_rows_that_it_gives(make, name, rows):
    iterator = make().create_tuple_iterator(num_epochs=1, output_numpy=True)
    count = len(list(iterator))
    message = iterator.statistics().nodes[-1]
    assert (message.name, message.rows, count) == (name, rows, rows)


# -- caches -------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 3])
def test_cached_rows_are_computed_once_in_any_order(workers):
    outputs = []

    def noted(x):
        outputs.append(int(x))
        return x * 2

    cache = ds.DatasetCache(session_id=1)
    data = ds.NumpySlicesDataset(np.arange(30), ["x"])
    data = data.map(noted, num_parallel_workers=workers, cache=cache).batch(4)
    passes = [sorted(x for batch in one for x in batch) for one in rows(data, passes=3)]
    assert passes == [list(range(0, 60, 2))] * 3
    assert set(outputs) == set(range(30))
    assert len(outputs) == 30 or workers > 1  # two threads may come to a row at the same time
    assert cache.get_stat().num_mem_cached == 30 and cache.get_stat().avg_cache_sz == 8


def test_rows_of_all_kinds_are_cached():
    shapes = [np.zeros(i % 3) for i in range(9)]
    data = ds.NumpySlicesDataset({"a": shapes, "s": [str(i) * i for i in range(9)]}, shuffle=False)
    cached = data.map(lambda a: a + 1, "a", cache=ds.DatasetCache(1))
    once, second = rows(cached, passes=2)
    assert once == second == rows(data.map(lambda a: a + 1, "a"))[0]


@pytest.mark.parametrize("then", [2, 6])
def test_a_cache_of_rows_that_have_become_more_or_fewer_begins_anew(then):
    values = [10, 20, 30, 40]
    cache = ds.DatasetCache(1)
    data = ds.GeneratorDataset(values, ["x"], shuffle=False).map(lambda x: x + 1, cache=cache)
    assert rows(data) == [[11, 21, 31, 41]]
    values[:] = range(then)
    assert rows(data) == [[x + 1 for x in range(then)]]


def test_a_cache_has_a_bound():
    cache = ds.DatasetCache(1, size=1)
    data = ds.NumpySlicesDataset(np.arange(100), ["x"], shuffle=False)
    data = data.map(lambda x: np.full(50_000, x), cache=cache)
    expected = [(np.full(50_000, i)).tolist() for i in (0, 99)]
    for _ in range(2):
        (got,) = rows(data)
        assert [got[0], got[-1]] == expected
    assert cache.get_stat().num_mem_cached == 3  # the third one reaches a megabyte


def test_a_failing_row_is_reported_through_a_cache():
    data = counted(10).map(lambda x: 1 // int(x - 4), cache=ds.DatasetCache(1))
    iterator = data.create_tuple_iterator(num_epochs=1)
    assert len([next(iterator) for _ in range(4)]) == 4
    with pytest.raises(RuntimeError, match="row 4"):
        next(iterator)


def test_what_changes_from_pass_to_pass_is_not_cached():
    images = ds.NumpySlicesDataset({"i": np.zeros((4, 9, 9, 1), np.uint8)})
    with pytest.raises(RuntimeError, match="cache must not be given to random transforms"):
        images.map(vision.RandomCrop(8), "i", cache=ds.DatasetCache(1))
    with pytest.raises(RuntimeError, match="cache must be given to maps right over a source"):
        images.batch(2).map(transforms.TypeCast(np.int32), "i", cache=ds.DatasetCache(1))
    with pytest.raises(ValueError, match="DatasetCache: size must be"):
        ds.DatasetCache(1, size=-1)


# -- settings -----------------------------------------------------------------------------------

BOOLEANS = (
    "auto_num_workers",
    "auto_offload",
    "debug_mode",
    "dynamic_shape",
    "enable_autotune",
    "enable_shared_mem",
    "enable_watchdog",
    "fast_recovery",
    "numa_enable",
)
INTEGERS = (
    "seed",
    "num_parallel_workers",
    "prefetch_size",
    "monitor_sampling_interval",
    "callback_timeout",
    "autotune_interval",
    "multiprocessing_timeout_interval",
)


@pytest.mark.parametrize("name", BOOLEANS)
def test_boolean_settings_are_stored_and_must_be_bools(name):
    setter, getter = getattr(ds.config, f"set_{name}"), getattr(ds.config, f"get_{name}")
    before = getter()
    setter(not before)
    assert getter() is not before
    with pytest.raises(TypeError, match=f"set_{name}: .* must be a bool"):
        setter(1)


def test_the_file_of_autotune_must_be_a_path_or_none():
    ds.config.set_enable_autotune(True, "tuned")
    ds.config.set_enable_autotune(False, None)
    for wrong in (123, True, b"tuned"):
        with pytest.raises(TypeError, match="set_enable_autotune: filepath_prefix must be a str"):
            ds.config.set_enable_autotune(True, wrong)
    with pytest.raises(RuntimeError, match="filepath_prefix must not be empty"):
        ds.config.set_enable_autotune(True, "")
    assert ds.config.get_enable_autotune() is False


@pytest.mark.parametrize("name", INTEGERS)
def test_integer_settings_are_stored_and_must_be_in_range(name):
    setter, getter = getattr(ds.config, f"set_{name}"), getattr(ds.config, f"get_{name}")
    setter(3)
    assert getter() == 3
    for wrong, error in ((-1, ValueError), (1.5, TypeError), (True, TypeError), ("3", TypeError)):
        with pytest.raises(error, match=f"set_{name}: "):
            setter(wrong)
    assert getter() == 3


def test_other_settings_are_stored_and_checked():
    assert ds.config.get_seed() == 5489
    assert 1 <= ds.config.get_num_parallel_workers() <= 8
    ds.config.set_iterator_mode(do_copy=True)
    assert ds.config.get_iterator_mode() == {"do_copy": True, "parallel_convert": False}
    with pytest.raises(ValueError, match="must be 'fork' or 'spawn', got 'thread'"):
        ds.config.set_multiprocessing_start_method("thread")
    with pytest.raises(TypeError, match="must be an ErrorSamplesMode"):
        ds.config.set_error_samples_mode("skip")
    with pytest.raises(ValueError, match="must be 'CPU'"):
        ds.config.set_video_backend("GPU")


def test_settings_are_loaded_from_a_file_all_or_none(tmp_path):
    file = tmp_path / "config.json"
    file.write_text('{"numParallelWorkers": 4, "prefetch_size": 8, "seed": 1}')
    ds.config.load(str(file))
    assert ds.config.get_num_parallel_workers() == 4 and ds.config.get_seed() == 1
    for wrong, error in (
        ('{"seed": 2, "prefetch_size": 0}', ValueError),
        ('{"seed": 2, "prefetchsize": 1}', RuntimeError),
        ("[1]", RuntimeError),
        ("{", RuntimeError),
    ):
        file.write_text(wrong)
        with pytest.raises(error):
            ds.config.load(str(file))
        assert ds.config.get_seed() == 1
    with pytest.raises(RuntimeError, match="must be a readable JSON file"):
        ds.config.load(str(tmp_path / "none"))


def test_in_debug_mode_everything_runs_in_the_callers_thread():
    ds.config.set_debug_mode(True)
    names = []

    def noted(x):
        names.append(threading.current_thread())
        return x

    data = counted(20).map(noted, num_parallel_workers=4, python_multiprocessing=True).batch(3)
    assert len(rows(data)[0]) == 7
    assert set(names) == {threading.current_thread()} and len(names) == 20


def test_do_copy_returns_arrays_with_separate_memory():
    data = counted(8).batch(4)
    for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True, do_copy=True):
        assert row[0].base is None


def test_unordered_turnstiles_may_be_nested():
    with UNORDERED.enter_turnstile("anywhere"), UNORDERED.enter_turnstile("anywhere"):
        pass
