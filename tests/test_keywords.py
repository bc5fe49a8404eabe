"""Classes, layers, functions and methods take their arguments by the names of MindSpore."""

from __future__ import annotations

import importlib
import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from minispore import Tensor

FACTS: dict[str, str] = json.loads((Path(__file__).parent / "golden/keywords.json").read_text())
MODULES = sorted({path.split(".")[0] if "." in path else "" for path in FACTS})
#: What nobody makes or calls by hand: datasets that methods derive from others, iterators, and
#: what takes any inputs. RandomSampler's ``shuffle`` chooses among the files of MindRecord.
OTHERS = (
    "dataset.BatchDataset", "dataset.BucketBatchByLengthDataset", "dataset.ConcatDataset",
    "dataset.Dataset", "dataset.DictIterator", "dataset.FilterDataset", "dataset.MapDataset",
    "dataset.MappableDataset", "dataset.ProjectDataset", "dataset.RandomSampler",
    "dataset.RenameDataset", "dataset.RepeatDataset", "dataset.ShuffleDataset",
    "dataset.SkipDataset", "dataset.SourceDataset", "dataset.SyncWaitDataset",
    "dataset.TakeDataset", "dataset.TupleIterator", "dataset.ZipDataset", "nn.LossBase.construct",
    "nn.VirtualDatasetCellTriple.construct", "communication.comm_func.CommHandle",
)  # fmt: skip


def resolve_path(path: str) -> Any:
    """What stands under a path here; None if nothing does."""
    actual: Any = importlib.import_module("minispore")
    for name in path.split("."):
        actual = getattr(actual, name, None)
    return actual


def argument_names(path: str) -> tuple[list[str], set[str]] | None:
    """The names by which arguments can be given: in their order, and all; None if any would do."""
    thing = resolve_path(path)
    if inspect.isclass(thing) and getattr(thing, "fields", None) and "__init__" not in vars(thing):
        return list(thing.fields), set(thing.fields)
    inputs = list(
        inspect.signature(thing.__init__ if inspect.isclass(thing) else thing).parameters.values()
    )
    if inspect.isclass(thing) or (inputs and inputs[0].name == "self") or path[:7] == "Tensor.":
        inputs = inputs[1:]
    if any(p.kind is p.VAR_POSITIONAL for p in inputs) and path.split(".")[-1] != "construct":
        return None
    others = getattr(thing, "others", {})
    places = [p.name for p in inputs if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if any(p.kind is p.VAR_KEYWORD for p in inputs):
        return places, set(FACTS[path].replace("*", "").split())
    return [first(name, others, path) for name in places], {p.name for p in inputs} | {*others}


def first(name: str, others: dict[str, str], path: str) -> str:
    """MindSpore's spelling of an argument that has several."""
    real = FACTS[path].split()
    return next((o for o, own in others.items() if own == name and o in real), name)


def differs(path: str) -> bool:
    actual = argument_names(path)
    if actual is None:
        return False
    places, names = actual
    real = FACTS[path].split()
    in_place = [name for name in real if name[0] != "*"]
    return places[: len(in_place)] != in_place or not names.issuperset(
        name.lstrip("*") for name in real
    )


def test_the_keyword_facts_are_complete() -> None:
    assert len(FACTS) > 2500 and issubclass(resolve_path("Tensor"), Tensor)


@pytest.mark.parametrize("module", MODULES)
def test_arguments_have_mindspores_names(module: str) -> None:
    paths = [p for p in FACTS if (p.split(".")[0] if "." in p else "") == module]
    wrong = {
        path: f"{FACTS[path]} here: {argument_names(path)}"
        for path in paths
        if resolve_path(path) is not None
        and path not in OTHERS
        and differs(path)
        and not path.startswith("ops.Tensor.")  # of a method's ways to be called it names one
    }
    assert not wrong
