"""Groups of parameters, as optimizers take them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.errors import did_you_mean
from minispore.foundation import checks

_KEYS = ("params", "lr", "weight_decay", "order_params", "grad_centralization")


@dataclass(eq=False, repr=False)
class Group:
    """Parameters that share settings; None stands for the optimizer's own."""

    members: list[Parameter]
    lr: Any = None
    weight_decay: Any = None
    grad_centralization: bool = False
    number: int = 0


def groups_of(owner: str, parameters: Any) -> tuple[list[Group], bool]:
    """``parameters`` as groups, in the order of the parameters, and whether they were
    given as groups.

    Raises:
        TypeError: no Parameters and no dicts, or a mixture; a setting that is None.
        ValueError: None, nothing, an ``order_params`` that does not fit, or a name twice.
        KeyError: a group with an unknown key, or without ``params``.
        RuntimeError: a parameter that is in two groups.
    """
    items = _listed(owner, "params", parameters)
    if all(isinstance(p, Parameter) for p in items):
        _check_once(owner, [Group(items)], ValueError)
        return [Group(items)], False
    for g in items:
        if not isinstance(g, dict):
            raise TypeError(
                f"{owner}: params must be all Parameters or all dicts of groups, got "
                f"{checks.format_value(g)} among them."
            )
    groups, order = [], None
    for number, given in enumerate(items):
        for key in given:
            if key not in _KEYS:
                raise KeyError(
                    f"{owner}: a group's key must be one of {', '.join(_KEYS)}, got "
                    f"{key!r}.{did_you_mean(key, _KEYS)}"
                )
            if given[key] is None and key in ("lr", "weight_decay"):
                raise TypeError(f"{owner}: {key} of a group must be given or left out, got None.")
        if "order_params" in given:
            if len(given) > 1:
                raise ValueError(
                    f"{owner}: a dict with order_params must have no other key, got {list(given)}."
                )
            if not isinstance(given["order_params"], Iterable):
                raise TypeError(
                    f"{owner}: order_params must be a list, got "
                    f"{checks.format_value(given['order_params'])}."
                )
            order = list(given["order_params"])
            continue
        if "params" not in given:
            raise KeyError(f"{owner}: a group must have the key 'params', got {list(given)}.")
        members = _listed(owner, "params of a group", given["params"])
        for p in members:
            if not isinstance(p, Parameter):
                raise TypeError(
                    f"{owner}: params of a group must be Parameters, got {checks.format_value(p)}."
                )
        centralise = checks.boolean(
            owner, "grad_centralization", given.get("grad_centralization", False)
        )
        groups.append(
            Group(members, given.get("lr"), given.get("weight_decay"), centralise, number)
        )
    _check_once(owner, groups, RuntimeError)
    return (groups if order is None else _ordered(owner, groups, order)), True


def _listed(owner: str, name: str, items: Any) -> list[Any]:
    if items is None:
        raise ValueError(f"{owner}: {name} must be a list of Parameters, got None.")
    if isinstance(items, Tensor) or not isinstance(items, Iterable):
        raise TypeError(
            f"{owner}: {name} must be a list of Parameters, got {checks.format_value(items)}."
        )
    found = list(items)
    if not found:
        raise ValueError(
            f"{owner}: {name} must not be empty, got none. For 'Optimizer', the argument "
            "parameters must not be empty: does the network have some with requires_grad?"
        )
    return found


def _check_once(owner: str, groups: list[Group], error: type[Exception]) -> None:
    seen = set()
    for p in (p for g in groups for p in g.members):
        if p.name in seen:
            raise error(
                f"{owner}: a parameter must be in one group only, got {p.name!r} twice. Parameters "
                "of different networks need different names."
            )
        seen.add(p.name)


def _ordered(owner: str, groups: list[Group], order: list[Parameter]) -> list[Group]:
    """The parameters one by one, with its group's settings, in the order that was asked for."""
    of_name = {p.name: g for g in groups for p in g.members}
    if [p.name for p in order if p.name not in of_name] or len(order) != len(of_name):
        raise ValueError(
            f"{owner}: order_params must hold the parameters of all groups, got {len(order)} for "
            f"{len(of_name)}."
        )
    own = {p.name: p for g in groups for p in g.members}
    return [
        Group([own[p.name]], g.lr, g.weight_decay, g.grad_centralization, g.number)
        for p in order
        for g in (of_name[p.name],)
    ]


__all__ = ["Group", "groups_of"]
