"""What a family's file defines is public, or says that it is not.

A class is public when the front of its room gives it; it is internal when its name begins with an
underscore, when ``tests/ops/internal_ops.py`` names it, or when public ones are made of it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

import pytest

import minispore.dataset as ds
import minispore.nn.transformer
import minispore.ops
from minispore import mint, nn, train
from minispore.core.primitive import Primitive
from minispore.dataset.samplers import BuiltinSampler
from minispore.dataset.transforms.base import Transform
from minispore.experimental import optim
from minispore.ir.registry import registry
from minispore.nn.probability import bijector, distribution
from tests.ops.internal_ops import INTERNAL


@dataclass(frozen=True)
class Room:
    """Some files, what kinds of classes they define, and where those are public."""

    package: str
    kinds: tuple[type, ...]
    fronts: tuple[ModuleType, ...]
    listed: str  # the file that names them

    def classes(self, file: ModuleType) -> Iterator[type]:
        """Those that ``file`` defines."""
        for name, cls in vars(file).items():
            here = isinstance(cls, type) and (cls.__module__, cls.__name__) == (file.__name__, name)
            if here and issubclass(cls, self.kinds):
                yield cls

    def is_public(self, cls: type) -> bool:
        return any(
            getattr(front, cls.__name__, None) is cls
            and cls.__name__ in getattr(front, "__all__", vars(front))
            for front in self.fronts
        )

    def is_internal(self, cls: type) -> bool:
        return (
            cls.__name__.startswith("_")
            or (issubclass(cls, Primitive) and cls.__name__ in INTERNAL)
            or any(self.is_public(output) for output in _below(cls))
        )

    def unreachable(self, file: ModuleType) -> list[str]:
        """What to do about each class of ``file`` that nobody can get at."""
        return [
            f"{cls.__name__}: is neither public nor internal. Name it in __all__ of "
            f"{file.__name__} (where there is one) and import it in {self.listed}; then run "
            "`make stubs`. If only we use it, begin its name with an underscore"
            + (", or name it in tests/ops/internal_ops.py." if issubclass(cls, Primitive) else ".")
            for cls in self.classes(file)
            if not self.is_public(cls) and not self.is_internal(cls)
        ]


def _below(cls: type) -> Iterator[type]:
    for sub in cls.__subclasses__():
        yield sub
        yield from _below(sub)


_T, _V = "minispore.dataset.transforms", "minispore.dataset.vision"
_DOORS = [f"{room}.{door}" for room in (_T, _V) for door in ("c_transforms", "py_transforms")]

_DOORS_OF_OPS = ("operations.sparse_ops", "operations.nn_ops", "auto_generate")
_RARE = [importlib.import_module(f"minispore.ops.{door}") for door in _DOORS_OF_OPS]
OPS = Room("minispore.ops", (Primitive,), (minispore.ops, *_RARE), "minispore/ops/vocabulary.py")
ROOMS = [
    OPS,
    Room(
        "minispore.nn",
        (nn.Cell, nn.Metric),
        (nn, nn.layer, optim, bijector, distribution, nn.transformer),
        "minispore/nn/<room>/__init__.py",
    ),
    Room("minispore.mint", (nn.Cell,), (mint.nn, mint.optim), "minispore/mint/nn/__init__.py"),
    Room(
        "minispore.train.callback",
        (train.Callback,),
        (train,),
        "minispore/train/callback/__init__.py and minispore/train/__init__.py",
    ),
    Room(
        "minispore.dataset",
        (ds.Dataset, BuiltinSampler),
        (ds,),
        "minispore/dataset/__init__.py and its __all__",
    ),
    Room(
        "minispore.dataset",
        (Transform,),
        (ds.audio, ds.text, ds.transforms, ds.vision, *map(importlib.import_module, _DOORS)),
        "the __init__.py of its room and its __all__",
    ),
]


def files(package: str) -> list[ModuleType]:
    """The files of a room and of the rooms within it."""
    front = importlib.import_module(package)
    actual = pkgutil.walk_packages(front.__path__, f"{package}.")
    return [importlib.import_module(m.name) for m in actual if not m.ispkg]


CASES = [(room, file) for room in ROOMS for file in files(room.package) if any(room.classes(file))]


@pytest.mark.parametrize(
    ("room", "file"), CASES, ids=[f"{r.kinds[0].__name__}-{f.__name__[10:]}" for r, f in CASES]
)
def test_a_class_of_a_family_is_public_or_internal(room: Room, file: ModuleType) -> None:
    assert room.unreachable(file) == []


def test_an_unreachable_class_is_reported_with_the_files_to_edit() -> None:
    file = ModuleType("minispore.ops.elementwise.forgotten")
    kind = type("_Forgotten", (Primitive,), {"__module__": file.__name__})
    kind.__name__ = "Forgotten"
    file.Forgotten = kind  # type: ignore[attr-defined]
    (text,) = OPS.unreachable(file)
    assert "__all__ of minispore.ops.elementwise.forgotten" in text
    assert "minispore/ops/vocabulary.py" in text and "tests/ops/internal_ops.py" in text


def test_each_internal_op_exists() -> None:
    assert INTERNAL - registry.keys() == set()
