"""Names of MindSpore that a script uses and the version in question has not."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

from minispore.check.versions import MISSING, VERSIONS

#: Names that were gone before the oldest of the versions: what to write now.
GONE = {
    "mindspore.ops.control_depend": "mindspore.ops.depend",
    "mindspore.ops.ControlDepend": "mindspore.ops.depend",
    "mindspore.nn.LearningRateSchedule": (
        "mindspore.nn.learning_rate_schedule.LearningRateSchedule"
    ),
    "mindspore.dataset.DatasetHelper": "mindspore.DatasetHelper",
}
_DOORS = {"mindspore.ops.operations": "mindspore.ops", "minispore": "mindspore"}


def gone(tree: ast.Module, version: str = VERSIONS[-1]) -> Iterator[tuple[int, str, str]]:
    """Line, path and new spelling of each name in a module that ``version`` has not.

    >>> list(gone(ast.parse("from mindspore import ms_function as f")))
    [(1, 'mindspore.ms_function', 'mindspore.jit')]
    >>> list(gone(ast.parse("import mindspore as ms; ms.ops.swiglu"), "1.10"))
    [(1, 'mindspore.ops.swiglu', 'nothing of this name before MindSpore 2.10')]
    """
    missing, guarded = _missing(version), _guarded(tree)
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        if node in guarded:
            continue
        if isinstance(node, ast.Import):
            for name in node.names:
                known[name.asname or name.name.split(".")[0]] = _path(
                    name.name if name.asname else name.name.split(".")[0]
                )
                yield from _told(node.lineno, name.name, missing)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for name in node.names:
                path = f"{node.module}.{name.name}"
                known[name.asname or name.name] = _path(path)
                yield from _told(node.lineno, path, missing)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node not in guarded:
            root, _, names = ast.unparse(node).partition(".")
            if root in known:
                path = f"{known[root]}.{names}"
                if _path(path) in missing:  # the whole chain, so that each place is told once
                    yield from _told(node.lineno, path, missing)


def _guarded(tree: ast.Module) -> set[ast.AST]:
    """What stands where a script asks whether a name is there: under a test of the version or by
    hasattr, or beside a handler of the error that a missing name raises.
    """
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Try):
            caught = " ".join(ast.unparse(h.type) if h.type else _ERRORS[0] for h in node.handlers)
            asks = any(error in caught for error in _ERRORS)
        elif isinstance(node, ast.If | ast.IfExp):
            asks = any(word in ast.unparse(node.test).lower() for word in ("hasattr(", "version"))
        else:
            continue
        if asks:
            found.update(ast.walk(node))
    return found


_ERRORS = ("Exception", "ImportError", "ModuleNotFoundError", "AttributeError")


@functools.cache
def _missing(version: str) -> dict[str, str]:
    """What to write in place of each name that ``version`` has not."""
    found = dict(GONE)
    for module, names in MISSING[version].items():
        for word in names.split():
            name, _, new = word.partition("=")
            path = f"{module}.{name}"
            found[path] = new.replace("~", " ") if new else _since(path, version)
    return found


def _since(path: str, version: str) -> str:
    later = VERSIONS[VERSIONS.index(version) + 1 :]
    for other in later:
        if path not in _paths(other):
            return f"nothing of this name before MindSpore {other}"
    return "nothing of this name any more"


@functools.cache
def _paths(version: str) -> frozenset[str]:
    return frozenset(
        f"{module}.{word.partition('=')[0]}"
        for module, names in MISSING[version].items()
        for word in names.split()
    )


def _path(path: str) -> str:
    for door, room in _DOORS.items():
        if path == door or path.startswith(door + "."):
            path = room + path[len(door) :]
    return path


def _told(line: int, path: str, missing: dict[str, str]) -> Iterator[tuple[int, str, str]]:
    parts = _path(path).split(".")
    for n in range(2, len(parts) + 1):
        name = ".".join(parts[:n])
        if name in missing:
            yield line, name, missing[name]
            return


__all__ = ["GONE", "gone"]
