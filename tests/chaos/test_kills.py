"""Whatever writes a file may be killed: what is there under its name is whole."""

from __future__ import annotations

import os

import pytest

from benchmarks.attacks import writers

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a fork of this process")


@pytest.mark.parametrize("name", writers.WRITERS)
def test_a_killed_writer_leaves_the_old_file_or_the_new_one_and_no_draft_for_long(name) -> None:
    assert writers.attack(name, 6) > 0
