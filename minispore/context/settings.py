"""Settings as fields of a frozen record, each with a rule.

A field made by :func:`setting` has the types that it accepts and the check that turns a given
value into the stored one; :func:`apply_settings` applies keyword arguments in MindSpore's
order. The two records are :class:`minispore.context.Context` and
:class:`minispore.context.parallel.AutoParallelContext`.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import field, fields, replace
from itertools import chain, count
from typing import Any, NamedTuple, TypeVar

from minispore.errors import did_you_mean
from minispore.foundation import files

#: (name of the setting with its function, given value) -> stored value, or ValueError
Check = Callable[[str, Any], Any]
R = TypeVar("R")


class Rule(NamedTuple):
    """The rule of a setting: the types and values that it accepts, and its targets."""

    types: tuple[type, ...]  # empty: any type
    check: Check
    targets: tuple[str, ...]  # the device targets that use it; empty: all
    is_deferred: bool  # if set for another target, it is stored until the target changes


def setting(
    default: Any,
    types: Any,
    check: Check | None = None,
    targets: tuple[str, ...] = (),
    is_deferred: bool = False,
) -> Any:
    """Return a dataclass field with a :class:`Rule` made from the other arguments.

    ``default`` is stored unchecked; a dict or list is copied for each record.
    """
    types = types if isinstance(types, tuple) else (types,)
    metadata = {"rule": Rule(types, check or require_value, targets, is_deferred)}
    if isinstance(default, dict | list):
        return field(default_factory=lambda: type(default)(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def get_rule(record: Any, key: str, caller: str) -> Rule:
    """Return the rule of the setting ``key``.

    Raises:
        ValueError: there is no setting of this name.
    """
    rules = {f.name: f.metadata["rule"] for f in fields(record)}
    if key not in rules:
        raise ValueError(f"{caller}: {key!r} is not recognized!{did_you_mean(key, rules)}")
    return rules[key]


def check_types(record: Any, values: dict[str, Any], caller: str) -> None:
    """Check the types of all values, before any value is checked. None and unknown names pass:
    :func:`apply_settings` rejects unknown names, and the checks of most settings None.

    Raises:
        TypeError: a value has a type that its setting does not accept.
    """
    rules = {f.name: f.metadata["rule"] for f in fields(record)}
    for key, value in values.items():
        types = rules[key].types if key in rules else ()
        if types and value is not None and not isinstance(value, types):
            names = " or ".join(t.__name__ for t in types)
            raise TypeError(
                f"{caller}: {key} must be of type {names}, got {value!r} ({type(value).__name__})."
                f"{' Use GRAPH_MODE or PYNATIVE_MODE.' if key == 'mode' else ''}"
            )


def apply_settings(record: R, values: dict[str, Any], caller: str) -> Iterator[R]:
    """Apply the settings one at a time, in order; yield the new record after each applied one.

    A setting of another target is ignored, or stored if its rule defers it, with a warning.
    ``caller`` is the name with which messages begin.

    Raises:
        ValueError: a name is unknown or a value is out of range; the records yielded before are
            valid. The check of a setting may raise other errors.
    """
    for key, value in values.items():
        rule = get_rule(record, key, caller)
        is_applicable = not rule.targets or record.device_target in rule.targets  # type: ignore[attr-defined]
        previous = record
        if is_applicable or rule.is_deferred:
            record = replace(record, **{key: rule.check(f"{caller}: {key}", value)})  # type: ignore[type-var]
        if not is_applicable and not (rule.is_deferred and record == previous):
            warnings.warn(
                f"{caller}: {key} is for {' and '.join(rule.targets)}; on "
                f"{record.device_target} it "  # type: ignore[attr-defined]
                f"{'has no effect' if rule.is_deferred else 'is ignored'}.",
                stacklevel=4,
            )
        if record is not previous:
            yield record


class Settings:
    """A separate group of settings in a record of ``kind``.

    The functions ``set_<name>``, ``get_<name>`` and ``reset_<name>`` use it.
    """

    def __init__(self, kind: Callable[[], Any], name: str) -> None:
        self._kind, self._name, self._current = kind, name, kind()

    def set(self, values: dict[str, Any]) -> None:
        """Change all given settings; if one is invalid, raise an error and change none."""
        caller = f"set_{self._name}"
        check_types(self._current, values, caller)
        self._current = [self._current, *apply_settings(self._current, values, caller)][-1]

    def get(self, key: str) -> Any:
        """Return one setting by name; raise a ValueError for an unknown name."""
        get_rule(self._current, key, f"get_{self._name}")
        return getattr(self._current, key)

    def reset(self) -> None:
        """Reset all settings to their defaults."""
        self._current = self._kind()


# -- checks ---------------------------------------------------------------------------------------


def require_value(label: str, value: Any) -> Any:
    """Check that a value is not None.

    Raises:
        ValueError: the value is None.
    """
    if value is None:
        raise ValueError(f"{label} must have a value, got None.")
    return value


def one_of(*allowed: Any) -> Check:
    """Return a check that a value is one of ``allowed``."""

    def check(label: str, value: Any) -> Any:
        """Return ``value``; raise a ValueError that lists the allowed ones."""
        if value not in allowed:
            choices = ", ".join(repr(a) for a in allowed)
            close = did_you_mean(value, allowed) if isinstance(value, str) else ""
            raise ValueError(f"{label} must be one of {choices}, got {value!r}.{close}")
        return value

    return check


def bounds(low: float, high: float = float("inf")) -> Check:
    """Return a check that a number is from ``low`` to ``high``, both included."""
    rule = f"must be >= {low}" if high == float("inf") else f"must be in range [{low}, {high}]"

    def check(label: str, value: Any) -> Any:
        """Return ``value``, a bool as an int; raise a ValueError for None or a number out of
        range.
        """
        if value is None or not low <= value <= high:
            raise ValueError(f"{label} {rule}, got {value!r}.")
        return int(value) if isinstance(value, bool) else value

    return check


def options_dict(**allowed: Any) -> Check:
    """Return a check of a dict with keys of ``allowed``: a list of values or a type for each."""

    def check(label: str, value: Any) -> dict[str, Any]:
        """Return a copy of the dict; raise a ValueError or TypeError that names the bad key."""
        for name, option in require_value(label, value).items():
            if name not in allowed:
                raise ValueError(
                    f"{label} must have keys of {', '.join(allowed)}, got {name!r}."
                    f"{did_you_mean(str(name), allowed)}"
                )
            rule = allowed[name]
            if isinstance(rule, list):
                one_of(*rule)(f"{label}[{name!r}]", option)
            elif not isinstance(option, rule):
                raise TypeError(f"{label}[{name!r}] must be a {rule.__name__}, got {option!r}.")
        return dict(value)

    return check


def ensure_folder(label: str, value: Any) -> str:
    """Make the folder ``value`` with its parents if it is missing; return its absolute path.

    Only this user may enter the folder if it is made here. While a scratch folder is set, the path
    is inside it (:func:`minispore.foundation.files.resolve_write_path`).

    Raises:
        ValueError: ``value`` is not a path, or the folder can't be made.
    """
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{label} must be a non-empty path, got {value!r}.")
    path = os.path.realpath(files.resolve_write_path(value))
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
    except OSError as exc:
        raise ValueError(f"{label} must be a folder that can be made: {exc}.") from exc
    return path


def resolve_new_file(label: str, value: Any) -> str:
    """Return the absolute path of a new file: ``value``, with the current time appended if that
    exists. If this exists, too, later seconds are tried.

    Its folder is made if it is missing. While a scratch folder is set, the path is inside it.

    Raises:
        ValueError: ``value`` is not a path, or its folder can't be made.
        OSError: ``value`` is a folder.
    """
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{label} must be a non-empty path, got {value!r}.")
    if os.path.isdir(value) or os.path.isdir(files.resolve_write_path(value)):
        raise OSError(f"{label} must be a file, got the folder {value!r}.")
    path = os.path.realpath(files.resolve_write_path(value))
    ensure_folder(label, os.path.dirname(path))
    now = int(time.time())
    candidates = chain((path,), (f"{path}.{second}" for second in count(now)))
    return next(candidate for candidate in candidates if not os.path.exists(candidate))


def deprecated_setting(advice: str) -> Check:
    """Return a check for a setting without effect, which warns with ``advice``."""

    def check(label: str, value: Any) -> Any:
        """Warn, and return ``value`` unchanged."""
        warnings.warn(f"{label} has no effect. {advice}", DeprecationWarning, stacklevel=5)
        return value

    return check
