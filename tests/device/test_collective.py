"""all_reduce over N devices, and how much of it a step hides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minispore.device.model.collective import PUBLISHED_ALL_REDUCE, all_reduce_us
from minispore.device.model.cost import Kernel, ProgramCost
from minispore.device.model.parallel.data_parallel import estimate_data_parallel
from minispore.device.model.records import BACKWARD, OPTIMIZER
from minispore.device.model.spec import MIB, device_spec

SPEC = device_spec("Ascend910")


def step(*gradients: tuple[float, int], backward_us: float = 10_000) -> ProgramCost:
    kernels = (
        Kernel("b", "MatMul", backward_us, kind=BACKWARD),
        Kernel("o", "ApplyMomentum", 100, kind=OPTIMIZER),
    )
    return ProgramCost(ROUND, kernels, gradients=gradients)


def test_one_device_has_nobody_to_reduce_with() -> None:
    assert all_reduce_us(SPEC, 1 << 30, 1) == 0
    assert estimate_data_parallel(step((5, MIB)), 1).exposed_us == 0


def test_the_table_of_eight_devices_is_met_from_32_mb_on() -> None:
    for nbytes, us in PUBLISHED_ALL_REDUCE:
        if nbytes >= 32 << 20:
            assert all_reduce_us(SPEC, nbytes, 8) == pytest.approx(us, rel=0.20)


def test_the_all_reduce_of_the_profile_takes_what_it_took() -> None:
    assert all_reduce_us(SPEC, 224.7e6, 8) == pytest.approx(9300, rel=0.01)


@given(st.integers(1, 1 << 32), st.sampled_from([2, 4, 8, 16, 64, 1024, 4096]))
def test_more_bytes_never_take_less_time(nbytes: int, devices: int) -> None:
    assert all_reduce_us(SPEC, nbytes, devices) <= all_reduce_us(SPEC, nbytes + 4096, devices)


@given(st.integers(1, 1 << 32), st.integers(1, 11))
def test_twice_the_devices_never_take_less_time(nbytes: int, power: int) -> None:
    assert all_reduce_us(SPEC, nbytes, 2**power) <= all_reduce_us(SPEC, nbytes, 2 ** (power + 1))


@pytest.mark.parametrize("devices", [0, -1, 4097])
def test_the_number_of_devices_is_1_to_4096(devices: int) -> None:
    with pytest.raises(ValueError, match="from 1 to 4096"):
        all_reduce_us(SPEC, 1, devices)


@pytest.mark.parametrize("devices", [1.0, "8", True])
def test_the_number_of_devices_is_an_int(devices) -> None:
    with pytest.raises(TypeError, match="must be an int"):
        all_reduce_us(SPEC, 1, devices)


ROUND = SPEC.replace(hccl_latency_us=500, hccl_us_per_mb=1)  # 501 us for a MB of gradients
MB = 10**6


def test_an_all_reduce_after_the_last_gradient_shows_in_full() -> None:
    actual = estimate_data_parallel(step((10_000, MB)), 8)
    assert actual.exposed_us == actual.all_reduce_us == 501


def test_all_gradients_are_reduced_at_once_unless_they_are_cut() -> None:
    actual = estimate_data_parallel(step((1_000, MB), (9_000, MB)), 8)
    assert actual.all_reduce_us == 502
    assert actual.exposed_us == 0  # 9,502 of 10,000


def test_all_reduce_overlaps_with_the_gradients_that_follow() -> None:
    actual = estimate_data_parallel(step((1_000, MB), (9_900, MB)), 8, [0, 1])
    assert actual.all_reduce_us == 2 * 501
    assert actual.exposed_us == 9_900 + 501 - 10_000


def test_fusion_config_cuts_the_gradients_where_it_says() -> None:
    # Parameters 3, 2, 1, 0 become ready in this order; [1, 3] makes the buckets {3, 2} and {1, 0}.
    cost = step((1_000, MB), (2_000, MB), (8_000, MB), (9_800, MB))
    assert estimate_data_parallel(cost, 8, [3]).exposed_us == 9_800 + 504 - 10_000
    assert estimate_data_parallel(cost, 8, [1, 3]).all_reduce_us == 2 * 502
    assert estimate_data_parallel(cost, 8, [0, 1, 2, 3]).all_reduce_us == 4 * 501


@given(
    st.lists(st.tuples(st.floats(0, 10_000), st.integers(1, 1 << 30)), min_size=1, max_size=8),
    st.lists(st.integers(0, 7), max_size=4),
    st.integers(1, 4096),
)
def test_what_shows_of_an_all_reduce_is_never_more_than_all_of_it(gradients, cuts, devices) -> None:
    actual = estimate_data_parallel(step(*sorted(gradients)), devices, sorted(set(cuts)))
    assert 0 <= actual.exposed_us <= actual.all_reduce_us
