"""List the public names: which front offers what, each thing once."""

from __future__ import annotations

import enum
import importlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.ir.input_names import get_input_names
from minispore.nn.cell import Cell

# A thing that several fronts offer is described where it comes first. A new front: a line here,
# then `make reference`, then its own `describe(__name__)`.
FRONTS = [
    "minispore.ops",
    "minispore.nn",
    "minispore.nn.probability.bijector",
    "minispore.nn.probability.distribution",
    "minispore.nn.transformer",
    "minispore.mint",
    "minispore.mint.nn",
    "minispore.mint.nn.functional",
    "minispore.mint.linalg",
    "minispore.mint.special",
    "minispore.numpy",
    "minispore.numpy.fft",
    "minispore.scipy.fft",
    "minispore.scipy.linalg",
    "minispore.scipy.optimize",
    "minispore.dataset.sources.pictures",
    "minispore.dataset.sources.reviews",
    "minispore.dataset.sources.sounds",
    "minispore.dataset.sources.texts",
    "minispore.dataset",
    "minispore.dataset.vision",
    "minispore.dataset.text",
    "minispore.dataset.audio",
    "minispore.dataset.transforms",
    "minispore.dataset.config",
    "minispore.mindrecord",
    "minispore.train.sharded",
    "minispore.train",
    "minispore.common.initializer",
    "minispore.experimental.optim",
    "minispore.experimental.optim.lr_scheduler",
    "minispore.mint.optim",
    "minispore.amp",
    "minispore.communication",
    "minispore.communication.comm_func",
    "minispore.mint.distributed",
    "minispore.device",
    "minispore.profiler.network",
    "minispore.profiler.sessions",
    "minispore.profiler",
    "minispore.tools",
    "minispore.utils",
    "minispore.log",
    "minispore.runtime",
    "minispore.hal",
    "minispore.parallel",
    "minispore.context",
    "minispore",
]


@dataclass(frozen=True)
class Name:
    """A public name: ``path`` below its ``front`` (``Tensor.abs`` for a method)."""

    front: str
    path: str
    thing: Any

    @property
    def qualified_name(self) -> str:
        """As a script says it: ``ops.abs``, ``Tensor.abs``, ``ms.set_seed``."""
        if self.path.startswith("Tensor."):
            return self.path
        room = self.front.partition(".")[2]
        return f"{ALIAS.get(room, room)}.{self.path}"

    @property
    def is_op(self) -> bool:
        return self.is_class and Primitive in self.thing.__mro__[1:]

    @property
    def is_cell(self) -> bool:
        return inspect.isclass(self.thing) and issubclass(self.thing, Cell)

    @property
    def is_class(self) -> bool:
        return inspect.isclass(self.thing)

    def parameters(self) -> list[inspect.Parameter]:
        """Return the parameters: of a class those of its constructor, then (of an op) those
        of its call.
        """
        thing = self.thing
        if is_name_of_values(thing) or (self.is_class and issubclass(thing, BaseException)):
            return []
        if self.is_op:
            output = _list_parameters(thing) if "__init__" in vars(thing) else _list_fields(thing)
            return [*output, *inputs(thing)]
        if self.is_cell and thing.__init__ is Cell.__init__ and thing is not Cell:
            return []  # what all Cells take, and nobody gives this one
        if self.is_class and isinstance(getattr(thing, "fields", None), dict):
            return _list_fields(thing)
        return [p for p in _list_parameters(thing) if p.name not in ("self", "_")]


# How scripts call the rooms.
ALIAS = {
    "": "ms",
    "numpy": "mnp",
    "numpy.fft": "mnp.fft",
    "dataset": "ds",
    "dataset.sources.pictures": "ds",
    "dataset.sources.reviews": "ds",
    "dataset.sources.sounds": "ds",
    "dataset.sources.texts": "ds",
    "train.sharded": "ms",
    "profiler.network": "profiler",
    "profiler.sessions": "profiler",
    "dataset.vision": "vision",
    "dataset.text": "text",
    "dataset.audio": "audio",
    "dataset.transforms": "transforms",
    "dataset.config": "ds.config",
    "common.initializer": "initializer",
    "mint.nn.functional": "F",
    "communication.comm_func": "comm_func",
    "mint.distributed": "distributed",
    "nn.probability.bijector": "msb",
    "nn.probability.distribution": "msd",
    "scipy.fft": "fft",
    "scipy.linalg": "linalg",
    "scipy.optimize": "optimize",
    "experimental.optim": "optim",
    "experimental.optim.lr_scheduler": "lr_scheduler",
}


def is_name_of_values(thing: Any) -> bool:
    """Whether it is an enumeration or a record of several results, which nobody makes by hand."""
    return inspect.isclass(thing) and issubclass(thing, enum.Enum)


def _list_parameters(thing: Any) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(thing).parameters.values())
    except (TypeError, ValueError):
        return []


def _list_fields(op: Any) -> list[inspect.Parameter]:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    outputs = []
    for field, default in op.fields.items():
        noted = (inspect.get_annotations(c) for c in op.__mro__)
        note = next((n[field] for n in noted if field in n), "Any")
        value = inspect.Parameter.empty if type(default) is object else default  # _REQUIRED
        outputs.append(inspect.Parameter(field, kind, default=value, annotation=note))
    return outputs


def inputs(thing: Any) -> list[inspect.Parameter]:
    """Return the parameters of a call of an op or Cell, by their public names."""
    actual = list_source_inputs(thing)
    real = get_input_names(thing.name) if issubclass(thing, Primitive) else ()
    if thing.__call__ is not Primitive.__call__ or len(actual) < len(real):
        return actual
    named = [*real, *[p.name for p in actual[len(real) :]]]
    return [p.replace(name=name) for p, name in zip(actual, named, strict=True)]


def list_source_inputs(thing: Any) -> list[inspect.Parameter]:
    """Return the parameters of a call of an op or Cell, by the names that the source has."""
    if issubclass(thing, Primitive):
        function = thing.__call__ if thing.__call__ is not Primitive.__call__ else thing.infer
        if function is Primitive.infer:
            function = thing.kernel if thing.dynamic else thing.lower_to_steps
    else:
        function = thing.construct
    results = [p for p in _list_parameters(function) if p.name != "self"]
    if issubclass(thing, Primitive):
        results = [p for p in results if p.kind is not p.VAR_KEYWORD]  # the inputs themselves
    if function is getattr(Primitive, "infer", None):
        return []
    return [p.replace(annotation=_translate_annotation(p.annotation)) for p in results]


def _translate_annotation(annotation: Any) -> Any:
    """Translate an op's Spec, Value or array to the Tensor that its caller gives."""
    if annotation in ("Spec", "Value", "np.ndarray"):
        return "Tensor"
    return "Any" if annotation is inspect.Parameter.empty else annotation


def names() -> Iterator[Name]:
    """Yield every public name."""
    seen: set[int] = set()
    for front in FRONTS:
        module = importlib.import_module(front)
        for path in sorted(public(module)):
            thing = getattr(module, path)
            if isinstance(thing, ModuleType) or not callable(thing) or id(thing) in seen:
                continue
            if not str(getattr(thing, "__module__", "")).startswith("minispore"):
                continue
            if not (inspect.isclass(thing) or inspect.isfunction(thing)):
                continue
            seen.add(id(thing))
            yield Name(front, path, thing)
    for path, thing in sorted(vars(Tensor).items()):
        if inspect.isfunction(thing) and path[0] != "_" and id(thing) not in seen:
            seen.add(id(thing))
            yield Name("minispore", f"Tensor.{path}", thing)


def public(module: ModuleType) -> list[str]:
    """Return the names that a front offers."""
    listed = getattr(module, "__all__", None)
    return [n for n in listed or dir(module) if n[0] != "_"]
