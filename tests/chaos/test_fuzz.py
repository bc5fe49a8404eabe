"""Damaged and hostile files are refused in words, in bounded time and memory."""

from __future__ import annotations

import pytest

from benchmarks.attacks import fuzz

IMAGES = {"PNG", "JPEG"}


@pytest.mark.parametrize("name", fuzz.READERS)
def test_a_damaged_file_is_read_or_refused_in_words(name) -> None:
    if name in IMAGES:
        pytest.importorskip("PIL")
    assert fuzz.attack(name, 60) > 0


@pytest.mark.parametrize("what", fuzz.HOSTILE | fuzz.LARGE)
def test_a_hostile_file_is_refused_within_the_memory_that_its_size_allows(what) -> None:
    if "PNG" in what:
        pytest.importorskip("PIL")
    fuzz.read_hostile_file(what)
