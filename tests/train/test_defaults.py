"""What nobody says is what MindSpore takes: defaults of everything around a training."""

from __future__ import annotations

import importlib
import inspect
import json
from pathlib import Path
from typing import Any

import pytest

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/signatures.json").read_text())
#: Known differences: a damaged checkpoint is found unless somebody asks for no check sum.
OTHERS = ("train.CheckpointConfig.crc_check", "train.save_checkpoint.crc_check")


def resolve_path(path: str) -> Any:
    """What stands under a path here; None if nothing does."""
    module, *names = path.split(".")
    actual: Any = importlib.import_module(f"minispore.{module}")
    for name in names:
        actual = getattr(actual, name, None)
    return actual.__init__ if inspect.isclass(actual) else actual


def parameters(path: str) -> dict[str, inspect.Parameter]:
    actual = resolve_path(path)
    return dict(inspect.signature(actual).parameters) if inspect.isfunction(actual) else {}


@pytest.mark.parametrize("path", [path for path in GOLDEN if resolve_path(path) is not None])
def test_defaults_are_mindspore_s(path: str) -> None:
    mine = parameters(path)
    both = [name for name in GOLDEN[path] if name in mine and f"{path}.{name}" not in OTHERS]
    assert {name: repr(mine[name].default) for name in both} == {
        name: GOLDEN[path][name] for name in both
    }
