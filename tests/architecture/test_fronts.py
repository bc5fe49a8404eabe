"""What a public namespace shows is MindSpore's, or documented: no helper of ours leaks into it."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest

from tests.reference.names import FRONTS

# Packages of helpers, which no script asks for.
_HELPERS = (
    "minispore.ops.support", "minispore.ops.steps", "minispore.foundation",
)  # fmt: skip
_OFFERED = ("minispore.ops.support.deprecated", "minispore.ops.support.described")


def leaks(front: ModuleType) -> list[str]:
    """Public names of ``front`` that are of a room of helpers, or not of this package at all."""
    offered = getattr(front, "__all__", [n for n in dir(front) if n[0] != "_"])
    results = []
    for name in offered:
        thing = getattr(front, name)
        home = getattr(thing, "__module__", None) or type(thing).__module__
        if isinstance(thing, ModuleType) or home.startswith(_OFFERED):
            continue
        if home.startswith(_HELPERS) or not home.startswith(("minispore", "builtins")):
            results.append(f"{name} of {home}")
    return results


@pytest.mark.parametrize("front", FRONTS)
def test_no_helper_leaks_into_a_public_namespace(front: str) -> None:
    assert leaks(importlib.import_module(front)) == []


def test_a_helper_that_leaks_is_seen() -> None:
    front = ModuleType("front")
    exec(
        "from __future__ import annotations\nfrom minispore.foundation.lazy_import import "
        "make_lazy_attributes",
        vars(front),
    )
    assert leaks(front) == [
        "annotations of __future__",
        "make_lazy_attributes of minispore.foundation.lazy_import",
    ]
