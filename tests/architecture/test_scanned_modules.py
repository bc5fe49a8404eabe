"""The scanner of Python state tells modules of the package apart by names, which must be true."""

from __future__ import annotations

import pytest

from minispore.graph.state import code_origin, scanner
from tests.architecture.layers import load_modules

MODULES = load_modules()
SCANNED = {
    *code_origin._SETTINGS_MODULES,
    *scanner._BASE_MODULES,
    *scanner._MUTABLE_PACKAGES,
    *scanner._RANDOM_MODULES,
}


@pytest.mark.parametrize("name", sorted(SCANNED))
def test_each_module_that_the_scanner_names_exists(name: str) -> None:
    assert name in MODULES
