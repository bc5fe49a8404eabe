"""Settings as the fields of a frozen record, each with its own rule.

A field made by :func:`setting` knows the types it takes and the check that turns a given value into
the stored one; :func:`changed` applies a set of keyword arguments in MindSpore's order. The two
records are :class:`minispore.context.Context` and
:class:`minispore.context.parallel.AutoParallelContext`.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import field, fields, replace
from typing import Any, NamedTuple, TypeVar

from minispore import files
from minispore.errors import did_you_mean

#: (name of the setting with its function, given value) -> stored value, or ValueError
Check = Callable[[str, Any], Any]
R = TypeVar("R")


class Rule(NamedTuple):
    """What a setting accepts."""

    types: tuple[type, ...]  # none: anything
    check: Check
    targets: tuple[str, ...]  # the device targets that look at it; none: all
    waits: bool  # set for another target it is kept, for when the target changes


def setting(
    default: Any,
    types: Any,
    check: Check | None = None,
    targets: tuple[str, ...] = (),
    waits: bool = False,
) -> Any:
    """A dataclass field with a rule."""
    types = types if isinstance(types, tuple) else (types,)
    metadata = {"rule": Rule(types, check or keep, targets, waits)}
    if isinstance(default, dict | list):
        return field(default_factory=lambda: type(default)(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def find(record: Any, key: str, caller: str) -> Rule:
    """The rule of a setting.

    Raises:
        ValueError: there is no setting of this name.
    """
    rules = {f.name: f.metadata["rule"] for f in fields(record)}
    if key not in rules:
        raise ValueError(f"{caller}: {key!r} is not recognized!{did_you_mean(key, rules)}")
    return rules[key]


def check_types(record: Any, given: dict[str, Any], caller: str) -> None:
    """Compare types with the rules, before any value is looked at. Unknown names pass: they are
    the business of :func:`changed`.

    Raises:
        TypeError: a value is of a type that its setting does not take.
    """
    rules = {f.name: f.metadata["rule"] for f in fields(record)}
    for key, value in given.items():
        types = rules[key].types if key in rules else ()
        if types and value is not None and not isinstance(value, types):
            names = " or ".join(t.__name__ for t in types)
            raise TypeError(
                f"{caller}: {key} must be of type {names}, got {value!r} ({type(value).__name__})."
                f"{' Use GRAPH_MODE or PYNATIVE_MODE.' if key == 'mode' else ''}"
            )


def changed(record: R, given: dict[str, Any], caller: str) -> Iterator[R]:
    """The record after each of the settings ``given``, one at a time and in order.

    Raises:
        ValueError: an unknown name or a value out of its range; the records before it stand.
    """
    for key, value in given.items():
        rule = find(record, key, caller)
        here = not rule.targets or record.device_target in rule.targets  # type: ignore[attr-defined]
        before = record
        if here or rule.waits:
            record = replace(record, **{key: rule.check(f"{caller}: {key}", value)})  # type: ignore[type-var]
        if not here and not (rule.waits and record == before):
            warnings.warn(
                f"{caller}: {key} is for {' and '.join(rule.targets)}; on "
                f"{record.device_target} it "  # type: ignore[attr-defined]
                f"{'has no effect' if rule.waits else 'is ignored'}.",
                stacklevel=4,
            )
        if record is not before:
            yield record


class Settings:
    """Settings that stand by themselves, in a record of ``kind``; ``set_<name>``, ``get_<name>``
    and ``reset_<name>`` are made of it.
    """

    def __init__(self, kind: Callable[[], Any], name: str) -> None:
        self._kind, self._name, self._current = kind, name, kind()

    def set(self, given: dict[str, Any]) -> None:
        """Change all that are given, or none: each is checked before the first is taken."""
        caller = f"set_{self._name}"
        check_types(self._current, given, caller)
        self._current = [self._current, *changed(self._current, given, caller)][-1]

    def get(self, key: str) -> Any:
        """One setting by name."""
        find(self._current, key, f"get_{self._name}")
        return getattr(self._current, key)

    def reset(self) -> None:
        """Put all back to their defaults."""
        self._current = self._kind()


# -- checks ---------------------------------------------------------------------------------------


def keep(what: str, value: Any) -> Any:
    """Any value of the right type but None."""
    if value is None:
        raise ValueError(f"{what} must have a value, got None.")
    return value


def one_of(*allowed: Any) -> Check:
    """One of a few values."""

    def check(what: str, value: Any) -> Any:
        if value not in allowed:
            shown = ", ".join(repr(a) for a in allowed)
            close = did_you_mean(value, allowed) if isinstance(value, str) else ""
            raise ValueError(f"{what} must be one of {shown}, got {value!r}.{close}")
        return value

    return check


def within(low: float, high: float = float("inf")) -> Check:
    """A number from ``low`` to ``high``, both included."""
    rule = f"must be >= {low}" if high == float("inf") else f"must be in range [{low}, {high}]"

    def check(what: str, value: Any) -> Any:
        if value is None or not low <= value <= high:
            raise ValueError(f"{what} {rule}, got {value!r}.")
        return int(value) if isinstance(value, bool) else value

    return check


def options(**allowed: Any) -> Check:
    """A dict with keys of ``allowed``: a list of values or a type for each."""

    def check(what: str, value: Any) -> dict[str, Any]:
        for name, given in keep(what, value).items():
            if name not in allowed:
                raise ValueError(
                    f"{what} must have keys of {', '.join(allowed)}, got {name!r}."
                    f"{did_you_mean(str(name), allowed)}"
                )
            rule = allowed[name]
            if isinstance(rule, list):
                one_of(*rule)(f"{what}[{name!r}]", given)
            elif not isinstance(given, rule):
                raise TypeError(f"{what}[{name!r}] must be a {rule.__name__}, got {given!r}.")
        return dict(value)

    return check


def new_folder(what: str, value: Any) -> str:
    """A folder, made with its parents where it is missing; stored as an absolute path."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{what} must be a non-empty path, got {value!r}.")
    path = os.path.realpath(files.placed(value))
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
    except OSError as exc:
        raise ValueError(f"{what} must be a folder that can be made: {exc}.") from exc
    return path


def new_file(what: str, value: Any) -> str:
    """A file that is not there yet, as an absolute path: one that is gets the time at its end."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{what} must be a non-empty path, got {value!r}.")
    path = os.path.realpath(value)
    if os.path.isdir(path):
        raise OSError(f"{what} must be a file, got the folder {value!r}.")
    new_folder(what, os.path.dirname(path))
    fresh = f"{path}.{int(time.time())}" if os.path.exists(path) else path
    if os.path.exists(fresh):
        raise ValueError(f"{what} must be a new file, but {fresh} is there already. Wait a second.")
    return fresh


def without_effect(advice: str) -> Check:
    """A setting of old scripts: kept, with a DeprecationWarning."""

    def check(what: str, value: Any) -> Any:
        warnings.warn(f"{what} has no effect. {advice}", DeprecationWarning, stacklevel=5)
        return value

    return check
