"""Names of MindSpore that a script uses and version 2.10 has no longer."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_VISION, _TRANSFORMS = "mindspore.dataset.vision", "mindspore.dataset.transforms"

# path: what to write now
GONE = {
    "mindspore.ms_function": "mindspore.jit",
    "mindspore.common.api.ms_function": "mindspore.jit",
    "mindspore.ms_class": "mindspore.jit_class",
    f"{_VISION}.c_transforms": _VISION,
    f"{_VISION}.py_transforms": _VISION,
    f"{_TRANSFORMS}.c_transforms": _TRANSFORMS,
    f"{_TRANSFORMS}.py_transforms": _TRANSFORMS,
    "mindspore.ops.control_depend": "mindspore.ops.depend",
    "mindspore.ops.ControlDepend": "mindspore.ops.depend",
    "mindspore.ops.ResizeBilinear": "mindspore.ops.interpolate",
    "mindspore.nn.ResizeBilinear": "mindspore.ops.interpolate",
    "mindspore.nn.LearningRateSchedule": (
        "mindspore.nn.learning_rate_schedule.LearningRateSchedule"
    ),
    "mindspore.dataset.DatasetHelper": "mindspore.DatasetHelper",
}
_DOORS = {"mindspore.ops.operations": "mindspore.ops", "minispore": "mindspore"}


def gone(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """Line, path and new spelling of each name in a module that is gone.

    >>> list(gone(ast.parse("from mindspore import ms_function as f")))
    [(1, 'mindspore.ms_function', 'mindspore.jit')]
    """
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                known[name.asname or name.name.split(".")[0]] = _path(
                    name.name if name.asname else name.name.split(".")[0]
                )
                yield from _told(node.lineno, name.name)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for name in node.names:
                path = f"{node.module}.{name.name}"
                known[name.asname or name.name] = _path(path)
                yield from _told(node.lineno, path)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            root, _, names = ast.unparse(node).partition(".")
            if root in known:
                path = f"{known[root]}.{names}"
                if _path(path) in GONE:  # the whole chain, so that each place is told once
                    yield from _told(node.lineno, path)


def _path(path: str) -> str:
    for door, room in _DOORS.items():
        if path == door or path.startswith(door + "."):
            path = room + path[len(door) :]
    return path


def _told(line: int, path: str) -> Iterator[tuple[int, str, str]]:
    path = _path(path)
    for old, new in GONE.items():
        if path == old or path.startswith(old + "."):
            yield line, old, new
            return


__all__ = ["GONE", "gone"]
