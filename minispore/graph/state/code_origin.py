"""The origin of a piece of code, and code that depends on more than Python objects.

Code of this package, of NumPy and of the standard library is not read. The standard library modules
in ``_PURE_MODULES`` depend on their arguments alone. All others (files, clocks, threads, settings
of the process) have effects that a graph can't repeat: code that uses them is called untraceable.
"""

from __future__ import annotations

import functools
import os
import sys
import types
import weakref
from typing import Any

from minispore.errors import PACKAGE_FOLDER

_PACKAGE_NAMES = ("minispore", "mindspore")
_STDLIB_MODULES = sys.stdlib_module_names - {"__main__"}
_STDLIB_PATH = os.path.dirname(os.__file__) + os.sep

# Their state, if any, is in attributes and containers, which are tracked.
_PURE_MODULES = frozenset({
    "abc", "argparse", "array", "ast", "base64", "binascii", "bisect", "builtins", "calendar",
    "cmath", "collections", "collections_abc", "colorsys", "configparser", "contextlib", "copy",
    "copyreg", "dataclasses", "datetime", "difflib", "enum", "fractions", "functools", "graphlib",
    "hashlib", "heapq", "html", "itertools", "json", "keyword", "math", "numbers", "operator",
    "optparse", "pprint", "random", "re", "reprlib", "sre", "statistics", "string", "struct",
    "textwrap", "types", "typing", "unicodedata", "weakref", "weakrefset", "zlib",
})  # fmt: skip
# The functions of inspect that only read their argument; others see the frames of a program.
_INSPECT_READERS = frozenset({
    "Parameter", "Signature", "getmro", "isbuiltin", "isclass", "iscoroutinefunction",
    "isfunction", "isgeneratorfunction", "ismethod", "ismodule", "isroutine", "signature",
})  # fmt: skip
_CLOCK_METHODS = frozenset({"now", "today", "utcnow"})  # methods of datetime's classes
_UNTRACEABLE_BUILTINS = frozenset({open, input, eval, exec, globals, __import__})
_UNTRACEABLE_NUMPY = frozenset({
    "fromfile", "genfromtxt", "getbufsize", "geterrcall", "load", "loadtxt", "memmap", "save",
    "savetxt", "savez", "savez_compressed", "set_printoptions", "setbufsize", "seterr",
    "seterrcall",
})  # fmt: skip
# Modules of this package whose functions depend on settings that compiled graphs do not track.
_SETTINGS_MODULES = (
    "minispore.communication", "minispore.context", "minispore.ops.random.generators",
    "minispore.dataset.config", "minispore.device", "minispore.execution.random", "minispore.log",
    "minispore.mint.distributed",
    "minispore.parallel._algo_parameters", "minispore.parallel._auto_parallel_context",
    "minispore.parallel._cost_model_context",
)  # fmt: skip


def is_untraceable_module(module: str) -> bool:
    """Whether ``module`` is an impure module of the standard library, whose calls no graph can
    contain; False if it is not a string.
    """
    if not isinstance(module, str):  # compiled types may have a __module__ that is not a string
        return False
    top = module.partition(".")[0]
    return top in _STDLIB_MODULES and top.strip("_") not in _PURE_MODULES


def is_untraceable(value: Any, owner: Any = None, attributes: tuple[str, ...] = ()) -> bool:
    """Whether ``value`` depends on, or changes, more than Python objects: files, clocks, settings.

    Args:
        value: the object that the code uses.
        owner: the module that it is a member of; None if there is none.
        attributes: the attributes of ``value`` that the code uses.
    """
    if isinstance(value, types.ModuleType) or _is_constant(value):
        return False
    if isinstance(value, types.FunctionType) and (value.__module__ or "").startswith(
        _SETTINGS_MODULES
    ):
        return True
    if str(type(value).__module__).startswith("minispore.dataset"):
        return True
    if isinstance(value, weakref.finalize):
        return True
    if isinstance(value, types.BuiltinFunctionType) and value in _UNTRACEABLE_BUILTINS:
        return True
    if isinstance(value, type) and value.__module__ == "datetime":
        return bool(_CLOCK_METHODS.intersection(attributes))
    if (
        getattr(value, "__module__", "") == "inspect"
        and getattr(value, "__name__", "") in _INSPECT_READERS
    ):
        return False
    owner_name = getattr(owner, "__name__", "")
    if (
        owner_name.partition(".")[0] == "numpy"
        and getattr(value, "__name__", "") in _UNTRACEABLE_NUMPY
    ):
        return True
    modules = (getattr(x, "__module__", "") for x in (value, type(value)))
    return any(map(is_untraceable_module, (owner_name, *modules)))


def _is_constant(value: Any) -> bool:
    """Whether ``value`` is an immutable constant; its items are not inspected."""
    return isinstance(value, int | float | str | bytes | complex | tuple | type(None))


@functools.lru_cache(maxsize=4096)
def _is_foreign(module: str) -> bool:
    """Whether ``module`` is not the user's: it belongs to this package, NumPy, the standard library
    or an installed package.
    """
    top = module.partition(".")[0].removeprefix("@")
    if top == "__main__":  # the script; what is imported by that name may be its installed launcher
        return False
    if top in ("minispore", "mindspore", "numpy", "builtins") or top in _STDLIB_MODULES:
        return True
    file = getattr(sys.modules.get(top), "__file__", None) or ""
    return "-packages" + os.sep in file and not _uses_this_package(top, len(sys.modules))


@functools.lru_cache(maxsize=256)
def _uses_this_package(package: str, count: int) -> bool:
    """Whether an installed package uses minispore: one of its modules imports from it.

    ``count`` is the number of imported modules; it is part of the cache key, so the answer is
    computed again when more are imported.
    """
    return any(
        str(getattr(member, "__module__", None) or getattr(member, "__name__", "")).startswith(
            _PACKAGE_NAMES
        )
        for name, module in [*sys.modules.items()]
        if name == package or name.startswith(package + ".")
        for member in vars(module).values()
        if isinstance(member, types.ModuleType | types.FunctionType | type)
    )


def is_package_module(module: str) -> bool:
    """Whether ``module`` is the name of a module of this package; False if it is not a string."""
    return isinstance(module, str) and module.startswith(_PACKAGE_NAMES)


def is_user_code(module: str, code: types.CodeType | None = None) -> bool:
    """Whether code of ``module`` is the user's; doctests of this package count as such.

    With ``code``, the file of the code is decisive: code that this package or the standard library
    has added to a module of the user is not the user's.
    """
    if code is not None:
        file = code.co_filename
        if file.startswith((PACKAGE_FOLDER, "<frozen")):
            return False
        if file.startswith(_STDLIB_PATH) and "-packages" + os.sep not in file:
            return False  # such as the methods that dataclasses adds to users' classes
        # A doctest of this package.
        return module.startswith(_PACKAGE_NAMES) or not _is_foreign(module)
    return isinstance(module, str) and not _is_foreign(module)


def is_from_numpy(value: Any) -> bool:
    """Whether ``value`` is a module, function or object of NumPy, judged by the modules that define
    it and its type.
    """
    module_name = value.__name__ if isinstance(value, types.ModuleType) else type(value).__module__
    defining_module = str(getattr(value, "__module__", module_name))
    return "numpy" in (module_name.partition(".")[0], defining_module.partition(".")[0])


def get_module_member(module: types.ModuleType, name: str) -> Any:
    """Return a member of ``module``, or None.

    Reading a member of a module that is not the user's may import a lazy submodule.
    """
    namespace = vars(module)
    return namespace.get(name) if is_user_code(module.__name__) else getattr(module, name, None)


def find_constructors(cls: type) -> list[Any]:
    """Return the constructors of ``cls`` and of its bases that are the user's.

    There are three entries per class, for ``__init__``, ``__new__`` and ``__post_init__``; None for
    each that it does not define.
    """
    names = "__init__", "__new__", "__post_init__"
    return [vars(c).get(n) for c in cls.__mro__ if is_user_code(c.__module__) for n in names]


__all__ = [
    "find_constructors",
    "get_module_member",
    "is_from_numpy",
    "is_package_module",
    "is_untraceable",
    "is_untraceable_module",
    "is_user_code",
]
