"""Describe the distribution of tensors over devices: layouts, and strategies for functions."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

from minispore import context
from minispore.foundation import checks

_INTERLEAVED_AXIS = "interleaved_parallel"  # an axis of copies on the same device


class Layout:
    """A grid of devices with named axes. Calling it with a name per tensor axis returns the
    tensor's layout on the grid.

    Args:
        device_matrix: the lengths of the grid's axes.
        alias_name: their names; ``"interleaved_parallel"`` may be the last one.
        rank_list: the ranks in the grid in row-major order; by default 0, 1, 2, ...

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a name is empty, ``"None"`` or repeated, there is not one name per axis, or not
            one rank per position in the grid.

    Source: https://www.mindspore.cn/docs/en/master/api_python/parallel/mindspore.parallel.Layout.html

    >>> Layout((2, 4), ("dp", "mp"))("dp", "None").to_dict()["tensor_map"]
    (1, -1)
    """

    def __init__(
        self, device_matrix: tuple[int, ...], alias_name: tuple[str, ...], rank_list: Any = None
    ) -> None:
        for name, value, cls in (
            ("device_matrix", device_matrix, int),
            ("alias_name", alias_name, str),
        ):
            if not isinstance(value, tuple) or not all(isinstance(v, cls) for v in value):
                raise TypeError(
                    f"Layout: {name} must be a tuple of {cls.__name__}, got "
                    f"{checks.format_value(value)}."
                )
        device_count = math.prod(device_matrix)
        ranks = list(range(device_count)) if rank_list is None else rank_list
        if not isinstance(ranks, list) or not all(isinstance(r, int) for r in ranks):
            raise TypeError(
                f"Layout: rank_list must be a list of ints, got {checks.format_value(ranks)}."
            )
        if len(ranks) != device_count:
            raise ValueError(f"Layout: rank_list must hold {device_count} ranks, got {len(ranks)}.")
        if (
            len(alias_name) != len(device_matrix)
            or len(set(alias_name)) != len(alias_name)
            or {"", "None"} & set(alias_name)
            or _INTERLEAVED_AXIS in alias_name[:-1]
        ):
            raise ValueError(
                f"Layout: alias_name must be {len(device_matrix)} different names, none of them "
                f"'None' and {_INTERLEAVED_AXIS!r} the last, got {alias_name}."
            )
        self._grid, self._names, self._ranks = device_matrix, alias_name, ranks
        self._tensor_map: tuple[Any, ...] | None = None

    def __call__(self, *tensor_map: Any) -> Layout:
        """Return the layout of a tensor: for each axis, a name, a tuple of names or ``"None"``.

        Raises:
            ValueError: the grid does not have a name, or a name is repeated.
        """
        names = [n for axes in tensor_map for n in (axes if isinstance(axes, tuple) else (axes,))]
        used = [name for name in names if name != "None"]
        if not set(used) <= set(self._names) or len(set(used)) != len(used):
            raise ValueError(
                f"Layout: tensor_map must name axes of {self._names}, each once, got {tensor_map}."
            )

        def convert_axes(axes: Any) -> Any:
            """Return the index, from the last, of a grid axis (a tuple for several); -1: "None"."""
            if isinstance(axes, tuple):
                return tuple([convert_axes(name) for name in axes])
            return -1 if axes == "None" else len(self._names) - 1 - self._names.index(axes)

        layout = copy.copy(self)
        layout._tensor_map = tuple([convert_axes(axes) for axes in tensor_map])
        return layout

    def to_dict(self) -> dict[str, Any]:
        """Return the grid, and the grid axis of each tensor axis, counted from the last one.

        Raises:
            ValueError: the layout has not been called yet.
        """
        if self._tensor_map is None:
            raise ValueError("Layout: must be called with the axes of a tensor before to_dict().")
        return {
            "device_matrix": self._grid, "tensor_map": self._tensor_map,
            "interleaved_parallel": _INTERLEAVED_AXIS in self._names, "alias_name": self._names,
            "rank_list": self._ranks,
        }  # fmt: skip


def shard(
    fn: Callable[..., Any], in_strategy: Any, out_strategy: Any = None, parameter_plan: Any = None
) -> Callable[..., Any]:
    """Return ``fn`` itself, after a check: on one rank there is nothing to split.

    Args:
        fn: a Cell or a function.
        in_strategy: how to split its inputs: a tuple.
        out_strategy: how to split its outputs: a tuple or None.
        parameter_plan: how to split its parameters: a dict or None.

    Raises:
        TypeError: an argument has the wrong type.
        RuntimeError: there are several ranks, in a mode that splits networks.

    >>> shard(abs, ((1,),))(-3)
    3
    """
    if not callable(fn):
        raise TypeError(f"shard: fn must be a Cell or a function, got {checks.format_value(fn)}.")
    for name, value, types in (
        ("in_strategy", in_strategy, tuple),
        ("out_strategy", out_strategy, tuple | None),
        ("parameter_plan", parameter_plan, dict | None),
    ):
        if not isinstance(value, types):
            raise TypeError(f"shard: {name} must be a {types}, got {checks.format_value(value)}.")
    context.parallel.note_shard_call("shard")
    return fn


__all__ = ["Layout", "shard"]
