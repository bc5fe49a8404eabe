"""Devices are data."""

from __future__ import annotations

import pytest

from minispore.device.model.spec import SPECS, device_spec

TAGS = {"S", "M", "C", "D", "A"}


def test_ascend910_is_the_default_and_a_target_names_its_default() -> None:
    assert device_spec() is device_spec("Ascend910") is device_spec("Ascend")


@pytest.mark.parametrize("name", SPECS)
def test_every_constant_has_a_unit_a_source_and_a_tag(name: str) -> None:
    for constant in device_spec(name).values():
        assert constant.unit
        assert constant.source
        assert constant.tag in TAGS


def test_all_devices_know_the_same_constants() -> None:
    assert {frozenset(spec) for spec in SPECS.values()} == {frozenset(device_spec())}


def test_the_published_peak_of_the_910_is_256_teraflops() -> None:
    assert device_spec("Ascend910").peak_cube_flops == 256e12


def test_the_published_peak_of_the_310_is_8_teraflops() -> None:
    assert device_spec("Ascend310").peak_cube_flops == 8e12


def test_a_constant_can_be_replaced_and_says_so() -> None:
    spec = device_spec().replace(ai_cores=16)
    assert spec.ai_cores == 16
    assert spec["ai_cores"].tag == "given"
    assert device_spec().ai_cores == 32


def test_replacing_an_unknown_constant_suggests_a_similar_one() -> None:
    with pytest.raises(ValueError, match="Did you mean 'ai_cores'"):
        device_spec().replace(ai_core=16)


@pytest.mark.parametrize("bad", [-1, 0, float("nan"), float("inf")])
def test_a_constant_must_stay_positive_and_finite(bad: float) -> None:
    with pytest.raises(ValueError, match="positive finite"):
        device_spec().replace(clock_mhz=bad)


def test_a_constant_must_be_a_number() -> None:
    with pytest.raises(TypeError, match="must be a number"):
        device_spec().replace(clock_mhz="1000")  # type: ignore[arg-type]


def test_an_unknown_device_suggests_a_similar_one() -> None:
    with pytest.raises(ValueError, match="Did you mean 'Ascend910'"):
        device_spec("Ascend911")


def test_an_unknown_attribute_suggests_a_similar_one() -> None:
    with pytest.raises(AttributeError, match="Did you mean 'clock_mhz'"):
        device_spec().clock_mhs


def test_the_table_shows_every_constant_with_its_tag() -> None:
    table = device_spec().table()
    assert "a model" in table
    assert all(f"  {name} " in table for name in device_spec())
    assert "[S] anandtech" in table
