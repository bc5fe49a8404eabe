"""A full disk is an error in words, and leaves the file that was there."""

from __future__ import annotations

import os

import pytest

if not hasattr(os, "fork"):
    pytest.skip("fills the disk of a fork of this process", allow_module_level=True)

from benchmarks.attacks import disks


@pytest.mark.parametrize("name", disks.WRITERS)
def test_a_full_disk_leaves_only_the_existing_file(name) -> None:
    assert disks.attack(name, 3) > 0
