"""Parameter groups: parsing of the ``params`` argument of optimizers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.errors import did_you_mean
from minispore.foundation import checks

_KEYS = ("params", "lr", "weight_decay", "order_params", "grad_centralization")


@dataclass(eq=False, repr=False)
class Group:
    """Parameters that share settings; None means the optimizer's setting."""

    members: list[Parameter]
    lr: Any = None
    weight_decay: Any = None
    grad_centralization: bool = False
    number: int = 0


def parse_groups(api_name: str, parameters: Any) -> tuple[list[Group], bool]:
    """Parse the argument ``params`` of an optimizer into groups, in its order.

    A dict with ``order_params`` splits them into one group per parameter, in the order it gives.

    Returns:
        The groups, and whether ``parameters`` was given as groups.

    Raises:
        TypeError: the items are neither Parameters nor dicts, or are a mixture; or a setting is
            None.
        ValueError: ``parameters`` is None or empty, ``order_params`` does not match, or a name
            occurs twice.
        KeyError: a group has an unknown key, or no ``params``.
        RuntimeError: a parameter is in two groups.
    """
    items = _to_list(api_name, "params", parameters)
    if all(isinstance(p, Parameter) for p in items):
        _check_distinct_names(api_name, [Group(items)], ValueError)
        return [Group(items)], False
    for g in items:
        if not isinstance(g, dict):
            raise TypeError(
                f"{api_name}: params must be all Parameters or all dicts of groups, got "
                f"{checks.format_value(g)} among them. Pass network.trainable_params()."
            )
    groups, order = [], None
    for number, spec in enumerate(items):
        for key in spec:
            if key not in _KEYS:
                raise KeyError(
                    f"{api_name}: a group's key must be one of {', '.join(_KEYS)}, got "
                    f"{key!r}.{did_you_mean(key, _KEYS)}"
                )
            if spec[key] is None and key in ("lr", "weight_decay"):
                raise TypeError(
                    f"{api_name}: {key} of a group must be given or left out, got None."
                )
        if "order_params" in spec:
            if len(spec) > 1:
                raise ValueError(
                    f"{api_name}: a dict with order_params must have no other key, got "
                    f"{list(spec)}."
                )
            if not isinstance(spec["order_params"], Iterable):
                raise TypeError(
                    f"{api_name}: order_params must be a list, got "
                    f"{checks.format_value(spec['order_params'])}."
                )
            order = list(spec["order_params"])
            continue
        if "params" not in spec:
            raise KeyError(f"{api_name}: a group must have the key 'params', got {list(spec)}.")
        members = _to_list(api_name, "params of a group", spec["params"])
        for p in members:
            if not isinstance(p, Parameter):
                raise TypeError(
                    f"{api_name}: params of a group must be Parameters, got "
                    f"{checks.format_value(p)}."
                )
        centralizes = checks.boolean(
            api_name, "grad_centralization", spec.get("grad_centralization", False)
        )
        groups.append(Group(members, spec.get("lr"), spec.get("weight_decay"), centralizes, number))
    _check_distinct_names(api_name, groups, RuntimeError)
    return (groups if order is None else _order_groups(api_name, groups, order)), True


def _to_list(api_name: str, name: str, items: Any) -> list[Any]:
    """Return the items of an iterable of Parameters (or groups) as a list.

    Raises:
        ValueError: there are no items, or it is None.
        TypeError: it is a Tensor or not iterable.
    """
    if items is None:
        raise ValueError(f"{api_name}: {name} must be a list of Parameters, got None.")
    if isinstance(items, Tensor) or not isinstance(items, Iterable):
        raise TypeError(
            f"{api_name}: {name} must be a list of Parameters, got {checks.format_value(items)}. "
            "Pass network.trainable_params()."
        )
    values = list(items)
    if not values:
        raise ValueError(
            f"{api_name}: {name} must not be empty, got none. For 'Optimizer', the argument "
            "parameters must not be empty: does the network have some with requires_grad?"
        )
    return values


def _check_distinct_names(api_name: str, groups: list[Group], error_class: type[Exception]) -> None:
    """Check that no parameter name occurs twice in the groups; raise ``error_class`` otherwise."""
    seen = set()
    for p in (p for g in groups for p in g.members):
        if p.name in seen:
            raise error_class(
                f"{api_name}: a parameter must be in one group only, got {p.name!r} twice. "
                "Parameters of different networks need different names."
            )
        seen.add(p.name)


def _order_groups(api_name: str, groups: list[Group], order: list[Parameter]) -> list[Group]:
    """Return one group for each parameter in ``order``, with the settings of its former group.

    Raises:
        ValueError: ``order`` does not contain the parameters of all groups.
    """
    group_by_name = {p.name: g for g in groups for p in g.members}
    if len(order) != len(group_by_name) or any(p.name not in group_by_name for p in order):
        raise ValueError(
            f"{api_name}: order_params must hold the parameters of all groups, got {len(order)} "
            f"for {len(group_by_name)}."
        )
    params_by_name = {p.name: p for g in groups for p in g.members}
    return [replace(group_by_name[p.name], members=[params_by_name[p.name]]) for p in order]


__all__ = ["Group", "parse_groups"]
