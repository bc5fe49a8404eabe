"""docs/check.md is what the files of the rules say."""

from __future__ import annotations

import importlib.util
from pathlib import Path


def test_the_page_of_rules_is_up_to_date(root: Path) -> None:
    spec = importlib.util.spec_from_file_location("rules_page", root / "docs" / "rules.py")
    assert spec is not None and spec.loader is not None
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    assert page.PAGE.read_text(encoding="utf-8") == page.text()
