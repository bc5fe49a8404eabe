"""Bring the table of docs/compat.md up to date: ``python -m tests.docs.compat``.

The first two columns are read from the package. The third, what differs from MindSpore, is written
by hand in the table itself and kept.
"""

from __future__ import annotations

import importlib
import re
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.architecture.house import house

PAGE = Path(__file__).resolve().parents[2] / "docs" / "compat.md"
BEGIN, END = "<!-- table -->\n", "<!-- end -->\n"
HEAD = "| MindSpore path | room | known difference |\n|---|---|---|\n"

# MindSpore's own module paths that exist here. The first group is what its documentation shows, and
# each public name of it has a row; the second, from all versions, is how scripts came to it, too.
DOCUMENTED = [
    "mindspore",
    "mindspore.amp",
    "mindspore.common.initializer",
    "mindspore.communication",
    "mindspore.context",
    "mindspore.dataset",
    "mindspore.dataset.config",
    "mindspore.dataset.transforms",
    "mindspore.dataset.vision",
    "mindspore.experimental.optim",
    "mindspore.experimental.optim.lr_scheduler",
    "mindspore.log",
    "mindspore.mindrecord",
    "mindspore.mint",
    "mindspore.mint.linalg",
    "mindspore.mint.nn",
    "mindspore.mint.nn.functional",
    "mindspore.mint.optim",
    "mindspore.mint.special",
    "mindspore.nn",
    "mindspore.numpy",
    "mindspore.ops",
    "mindspore.parallel",
    "mindspore.profiler",
    "mindspore.train",
]
HISTORICAL = [
    "mindspore._checkparam",
    "mindspore.common",
    "mindspore.common.api",
    "mindspore.common.dtype",
    "mindspore.common.jit_config",
    "mindspore.common.parameter",
    "mindspore.common.seed",
    "mindspore.common.tensor",
    "mindspore.communication.management",
    "mindspore.dataset.transforms.c_transforms",
    "mindspore.dataset.transforms.py_transforms",
    "mindspore.dataset.transforms.transforms",
    "mindspore.dataset.vision.c_transforms",
    "mindspore.dataset.vision.py_transforms",
    "mindspore.dataset.vision.py_transforms_util",
    "mindspore.dataset.vision.transforms",
    "mindspore.dataset.vision.utils",
    "mindspore.nn.cell",
    "mindspore.nn.dynamic_lr",
    "mindspore.nn.layer",
    "mindspore.nn.layer.activation",
    "mindspore.nn.layer.basic",
    "mindspore.nn.layer.combined",
    "mindspore.nn.layer.container",
    "mindspore.nn.layer.conv",
    "mindspore.nn.layer.dense",
    "mindspore.nn.layer.embedding",
    "mindspore.nn.layer.image",
    "mindspore.nn.layer.math",
    "mindspore.nn.layer.normalization",
    "mindspore.nn.layer.padding",
    "mindspore.nn.layer.pooling",
    "mindspore.nn.layer.rnn_cells",
    "mindspore.nn.layer.rnns",
    "mindspore.nn.layer.timedistributed",
    "mindspore.nn.layer.transformer",
    "mindspore.nn.learning_rate_schedule",
    "mindspore.nn.loss",
    "mindspore.nn.loss.loss",
    "mindspore.nn.metrics",
    "mindspore.nn.metrics.metric",
    "mindspore.nn.optim",
    "mindspore.nn.optim.ada_grad",
    "mindspore.nn.optim.adadelta",
    "mindspore.nn.optim.adam",
    "mindspore.nn.optim.adamax",
    "mindspore.nn.optim.asgd",
    "mindspore.nn.optim.ftrl",
    "mindspore.nn.optim.lamb",
    "mindspore.nn.optim.lars",
    "mindspore.nn.optim.momentum",
    "mindspore.nn.optim.optimizer",
    "mindspore.nn.optim.rmsprop",
    "mindspore.nn.optim.rprop",
    "mindspore.nn.optim.sgd",
    "mindspore.nn.utils",
    "mindspore.nn.utils.init",
    "mindspore.nn.wrap",
    "mindspore.nn.wrap.cell_wrapper",
    "mindspore.nn.wrap.grad_reducer",
    "mindspore.nn.wrap.loss_scale",
    "mindspore.ops.composite",
    "mindspore.ops.functional",
    "mindspore.ops.operations",
    "mindspore.ops.operations.comm_ops",
    "mindspore.ops.primitive",
    "mindspore.ops._primitive_cache",
    "mindspore.parallel._auto_parallel_context",
    "mindspore.parallel._utils",
    "mindspore.profiler.profiler",
    "mindspore.train.amp",
    "mindspore.train.callback",
    "mindspore.train.callback._callback",
    "mindspore.train.callback._checkpoint",
    "mindspore.train.callback._loss_monitor",
    "mindspore.train.callback._time_monitor",
    "mindspore.train.data_sink",
    "mindspore.train.dataset_helper",
    "mindspore.train.loss_scale_manager",
    "mindspore.train.metrics",
    "mindspore.train.model",
    "mindspore.train.serialization",
    "mindspore.version",
]

Row = tuple[str, str, str]

HOUSE = house()


def ours(path: str) -> ModuleType:
    """Our module behind a MindSpore path."""
    return importlib.import_module(path.replace("mindspore", "minispore", 1))


def public_names(module: ModuleType) -> list[str]:
    """What a module offers, less other modules: these have rows of their own."""
    names = getattr(module, "__all__", None) or [n for n in vars(module) if offers(module, n)]
    return sorted(n for n in set(names) if not isinstance(getattr(module, n), ModuleType))


def offers(module: ModuleType, name: str) -> bool:
    """Whether a module that has no ``__all__`` means others to use ``name``.

    A package or a door does if it is of ours (or a constant), any other module if it was written
    there.
    """
    where = str(getattr(getattr(module, name), "__module__", ""))
    if name.startswith("_"):
        return False
    if hasattr(module, "__path__") or HOUSE[module.__name__].is_door:
        return where.startswith("minispore") or name.isupper()
    return where == module.__name__


@cache
def table() -> tuple[tuple[str, str], ...]:
    """Path and room of everything public, by path."""
    rows, known = [], set()
    for path in DOCUMENTED:
        rows.append((path, room(ours(path), ours(path))))
        for name in public_names(ours(path)):
            rows.append((f"{path}.{name}", room(getattr(ours(path), name), ours(path))))
            known.add(name)
    for path in HISTORICAL:
        rows.append((path, room(ours(path), ours(path))))
        for name in getattr(ours(path), "__all__", ()):
            if name not in known:  # else it stands under the path that the documentation shows
                rows.append((f"{path}.{name}", room(getattr(ours(path), name), ours(path))))
    return tuple(sorted(rows, key=lambda row: (row[0].lower(), row[0])))


def room(thing: Any, module: ModuleType) -> str:
    """Where the thing is written, without the package's name."""
    if isinstance(thing, ModuleType):
        name = thing.__name__
    else:
        name = getattr(thing, "__module__", None) or type(thing).__module__
        if not str(name).startswith("minispore"):  # a plain constant
            name = module.__name__
    return str(name).removeprefix("minispore").removeprefix(".") or "the front"


def written() -> list[Row]:
    """The rows that stand in the page."""
    text = PAGE.read_text(encoding="utf-8")
    body = text[text.index(BEGIN) + len(BEGIN) : text.index(END)].removeprefix(HEAD)
    rows = [re.split(r"\s*\|\s*", line)[1:-1] for line in body.splitlines()]
    return [(path.strip("`"), where.strip("`"), what) for path, where, what in rows]


def main() -> int:
    """Write the page; say which hand-written differences lost their path."""
    differences = {path: what for path, _, what in written() if what}
    rows = [(path, where, differences.pop(path, "")) for path, where in table()]
    text = PAGE.read_text(encoding="utf-8")
    head, tail = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    lines = [f"| `{path}` | `{where}` | {what} |\n" for path, where, what in rows]
    PAGE.write_text(head + HEAD + "".join(lines) + tail, encoding="utf-8")
    for path, what in differences.items():
        print(f"{path} is gone, and with it: {what}", file=sys.stderr)
    print(f"{len(rows)} paths")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
