"""Containers: SequentialCell, CellList and CellDict."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any

from minispore.core.tensor import Tensor
from minispore.foundation.checks import format_value
from minispore.nn.cell import Cell


def _find_container_prefix(cells: Mapping[str, Cell]) -> str:
    """Return the container's prefix, such as ``backbone.``, in the parameter names of ``cells``.

    The prefix is the part before ``<key>.<path>`` in the first parameter's name. It is empty if the
    name does not end in this.
    """
    for key, cell in cells.items():
        for path, parameter in cell.parameters_and_names():
            suffix = f"{key}.{path}"
            return parameter.name[: -len(suffix)] if parameter.name.endswith(suffix) else ""
    return ""


def _find_key_prefix(cells: Mapping[str, Cell]) -> str:
    """Return the prefix before the key in the parameter names of the next Cell.

    As in MindSpore, whose checkpoints hold these names, the prefix is the part before the key in
    the name of the first Cell's first parameter. If the key occurs several times there, the
    occurrence where the second Cell's name has its own key is used, or else the last one. After one
    Cell with a parameter ``0.0.weight`` the result is ``0.``.
    """
    name_parts = [
        (key, first.name.split("."))
        for key, cell in cells.items()
        if (first := next((p for _, p in cell.parameters_and_names()), None)) is not None
    ]
    if not name_parts:
        return ""
    (key, parts), *others = name_parts
    positions = [i for i, part in enumerate(parts) if part == key]
    if others:
        second_key, second_parts = others[0]
        common = [i for i in positions if second_parts[i : i + 1] == [second_key]]
        positions = common[:1] or positions
    return "".join(f"{part}." for part in parts[: positions[-1] if positions else 0])


class _CellSequence(Cell):
    """Base of SequentialCell and CellList: a sequence of Cells that are named by their positions.

    Names given by the user do not change, nor do those in a slice of a SequentialCell.
    """

    def __init__(self, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        self._fixed_names_: set[str] = set()

    def _check_cell_(self, cell: Any) -> Cell:
        """Check that an element is a Cell and return it; raises TypeError."""
        if not isinstance(cell, Cell):
            raise TypeError(
                f"{type(self).__name__}: each element must be a Cell, got {format_value(cell)}."
            )
        return cell

    def _check_index_(self, index: Any, end: int = 0) -> int:
        """Check an index and return it as a non-negative position.

        Args:
            index: an int or a Tensor; negative values count from the end.
            end: 1 if the position after the last Cell is allowed too.

        Raises:
            TypeError: ``index`` is not an int.
            IndexError: ``index`` is out of range.
        """
        if isinstance(index, Tensor):
            index = operator.index(index)
        if isinstance(index, bool) or not isinstance(index, int):
            raise TypeError(
                f"{type(self).__name__}: an index must be an int, got {format_value(index)}."
            )
        n = len(self)
        if not -n <= index < n + end:
            raise IndexError(
                f"{type(self).__name__}: an index must be in [{-n}, {n + end}), got {index}."
            )
        return index + n if index < 0 else index

    def _set_cell_(self, key: str, cell: Cell, prefix: str | None = None) -> None:
        """Store a Cell under ``key``; with ``auto_prefix``, also rename its parameters.

        Args:
            key: the name of the Cell in the container.
            cell: the Cell.
            prefix: precedes the key in parameter names; by default as for the Cells before it.
        """
        if self._auto_prefix:
            key_prefix = _find_key_prefix(self._cells) if prefix is None else prefix
            cell.update_parameters_name(f"{key_prefix}{key}.")
        cell._record_.attribute = key
        self._cells[key] = cell

    def _replace_cells_(self, items: list[tuple[str, Cell]]) -> None:
        """Replace the content by ``items``, pairs of a former key (or "") and a Cell.

        Keys are numbered anew, except names given by the user; with ``auto_prefix``, the parameters
        of Cells whose key changed are renamed.
        """
        prefix = _find_container_prefix(self._cells)
        previous_items = list(self._cells.items())
        for key in list(self._cells):
            del self._cells[key]
        self._fixed_names_ &= {key for key, _ in items}
        for i, (key, cell) in enumerate(items):
            new_key = key if key in self._fixed_names_ else self._find_free_name_(i)
            if self._auto_prefix and (new_key, cell) not in previous_items:
                cell.update_parameters_name(f"{prefix}{new_key}.")
            cell._record_.attribute = new_key
            self._cells[new_key] = cell

    def _find_free_name_(self, position: int) -> str:
        """Return the first number from ``position`` on that is not a name yet."""
        while str(position) in self._cells or str(position) in self._fixed_names_:
            position += 1
        return str(position)

    def __len__(self) -> int:
        return len(self._cells)

    def __bool__(self) -> bool:
        return len(self._cells) > 0

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._cells.values())

    def __contains__(self, cell: object) -> bool:
        return any(cell is element for element in self._cells.values())

    def __getitem__(self, index: Any) -> Any:
        """Return the Cell at an index, or a new container for a slice."""
        if isinstance(index, slice):
            sliced = type(self)()
            for cell in list(self._cells.values())[index]:
                sliced._cells[str(len(sliced))] = cell
            return sliced
        return list(self._cells.values())[self._check_index_(index)]

    def __setitem__(self, index: int, cell: Cell) -> None:
        self._check_cell_(cell)
        self._set_cell_(list(self._cells)[self._check_index_(index)], cell)

    def __delitem__(self, index: int | slice) -> None:
        items = list(self._cells.items())
        del items[index if isinstance(index, slice) else self._check_index_(index)]
        self._replace_cells_(items)

    def append(self, cell: Cell) -> Any:
        """Append a Cell; return the container."""
        self._set_cell_(self._find_free_name_(len(self)), self._check_cell_(cell))
        return self

    def insert(self, index: int, cell: Cell) -> None:
        """Insert a Cell before position ``index``.

        Raises:
            TypeError: ``cell`` is not a Cell.
            IndexError: ``index`` is out of range.
        """
        position = self._check_index_(index, end=1)
        items = list(self._cells.items())
        items.insert(position, ("", self._check_cell_(cell)))
        self._replace_cells_(items)

    def set_grad(self, flag: bool = True) -> Any:
        """Call :meth:`Cell.set_grad` on each Cell and on the container."""
        for cell in self:
            cell.set_grad(flag)
        return super().set_grad(flag)


class SequentialCell(_CellSequence):
    """cells[n](... cells[1](cells[0](x))).

    Args:
        args: Cells, or one list of them, or one OrderedDict that names them.

    A slice of a SequentialCell is a SequentialCell of the same Cells under the same names.

    Raises:
        TypeError: an argument has another type.

    >>> from minispore import nn
    >>> SequentialCell(nn.Dense(4, 8), nn.ReLU())
    SequentialCell(
      (0): Dense(input_channels=4, output_channels=8, has_bias=True)
      (1): ReLU()
    )
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        cells: Any = args
        if len(args) == 1 and not isinstance(args[0], Cell):
            cells = args[0]
            if not isinstance(cells, list | OrderedDict):
                raise TypeError(
                    "SequentialCell: args must be Cells, one list of Cells or one OrderedDict of "
                    f"Cells, got {format_value(cells)}."
                )
        has_names = isinstance(cells, OrderedDict)
        cells_by_name = cells if has_names else {str(i): cell for i, cell in enumerate(cells)}
        for name, cell in cells_by_name.items():
            self.insert_child_to_cell(name, self._check_cell_(cell))
            cell.update_parameters_name(f"{name}.")
        self._fixed_names_ |= set(cells) if has_names else set()

    def __getitem__(self, index: Any) -> Any:
        """Return the Cell at an index, or a container for a slice, with unchanged keys."""
        if not isinstance(index, slice):
            return super().__getitem__(index)
        sliced = type(self)()
        for key, cell in list(self._cells.items())[index]:
            sliced._cells[key] = cell
        sliced._fixed_names_ |= set(sliced._cells)  # checkpoints find the parameters by these names
        return sliced

    @property
    def cell_list(self) -> list[Cell]:
        """The Cells, in order."""
        return list(self._cells.values())

    def construct(self, input_data: Any) -> Any:
        for cell in self._cells.values():
            input_data = cell(input_data)
        return input_data


class CellList(_CellSequence):
    """A list of Cells whose parameters belong to the network. Call its elements, not the list
    itself.

    Args:
        args: one list of Cells.
        auto_prefix: whether parameters are named after the position of their Cell.

    Raises:
        TypeError: ``args`` is not a list, or an element is not a Cell.

    >>> from minispore import nn
    >>> layers = CellList([nn.Dense(2, 2) for _ in range(2)])
    >>> [p.name for p in layers.get_parameters()]
    ['0.weight', '0.bias', '1.weight', '1.bias']
    """

    def __init__(self, *args: Any, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        if args:
            self.extend(args[0])

    def extend(self, cells: list[Cell]) -> CellList:
        """Append the Cells of a list; return this CellList.

        Raises:
            TypeError: ``cells`` is not a list, an element is not a Cell, or it is a CellDict.
        """
        if not isinstance(cells, list):
            raise TypeError(f"CellList: cells must be a list of Cells, got {format_value(cells)}.")
        for cell in cells:
            if isinstance(self._check_cell_(cell), CellDict):
                raise TypeError(
                    "CellList: an element can't be a CellDict. Put its Cells into the list."
                )
        prefix = _find_key_prefix(self._cells)  # once, so that all Cells get the same prefix
        for cell in cells:
            self._set_cell_(str(len(self)), cell, prefix)
        return self

    def __iadd__(self, cells: list[Cell]) -> CellList:
        return self.extend(cells)


class CellDict(Cell):
    """A dict of Cells whose parameters belong to the network. Call its values, not the dict itself.

    Args:
        args: one mapping from name to Cell, or an iterable of (name, Cell) pairs. Further arguments
            are ignored.
        auto_prefix: whether parameters are named after the key of their Cell.

    Raises:
        TypeError: a key is not a str, or a value is not a Cell.
        KeyError: a key is empty, has a dot or is an attribute of Cell.

    >>> from minispore import nn
    >>> cells = CellDict({"a": nn.ReLU(), "b": nn.Tanh()})
    >>> list(cells.keys()), cells["a"]
    (['a', 'b'], ReLU())
    """

    def __init__(self, *args: Any, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        if args:
            self.update(args[0])

    def __getitem__(self, key: str) -> Cell:
        return self._cells[key]

    def __setitem__(self, key: str, cell: Cell) -> None:
        """Store a Cell under a name without dots, and rename its parameters accordingly."""
        if not isinstance(key, str):
            raise TypeError(f"CellDict: a key must be a str, got {format_value(key)}.")
        if not isinstance(cell, Cell) or isinstance(cell, CellDict | _CellSequence):
            raise TypeError(
                f"CellDict: a value must be a Cell that is no container, got {format_value(cell)}."
            )
        if not key or "." in key:
            raise KeyError(f"CellDict: a key must be a name without dots, got {key!r}.")
        if key not in self._cells and hasattr(self, key):
            raise KeyError(
                f"CellDict: a key can't be the name of an attribute of Cell, got {key!r}."
            )
        if self._auto_prefix:
            cell.update_parameters_name(f"{_find_key_prefix(self._cells)}{key}.")
        cell._record_.attribute = key
        self._cells[key] = cell

    def __delitem__(self, key: str) -> None:
        del self._cells[key]

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def __contains__(self, key: object) -> bool:
        return key in self._cells

    def keys(self) -> KeysView[str]:
        """Return the names."""
        return self._cells.keys()

    def values(self) -> ValuesView[Cell]:
        """Return the Cells."""
        return self._cells.values()

    def items(self) -> ItemsView[str, Cell]:
        """Return the pairs of name and Cell."""
        return self._cells.items()

    def clear(self) -> None:
        """Remove all Cells."""
        for key in list(self._cells):
            del self._cells[key]

    def pop(self, key: str) -> Cell:
        """Remove a Cell and return it."""
        cell = self._cells[key]
        del self._cells[key]
        return cell

    def update(self, cells: Any) -> None:
        """Add the Cells of a mapping, or of an iterable of (name, Cell) pairs.

        Raises:
            TypeError: ``cells`` is not an iterable of pairs.
            ValueError: the length of an element is not 2.
        """
        if not isinstance(cells, Iterable):
            raise TypeError(
                "CellDict.update: cells must be a mapping or an iterable of pairs, got "
                f"{format_value(cells)}."
            )
        pairs = cells.items() if isinstance(cells, Mapping | CellDict) else cells
        for pair in pairs:
            if not isinstance(pair, Iterable):
                raise TypeError(
                    "CellDict.update: each element must be a pair (name, Cell), got "
                    f"{format_value(pair)}."
                )
            if len(pair := tuple(pair)) != 2:
                raise ValueError(
                    f"CellDict.update: each element must be a pair (name, Cell), got {pair!r}."
                )
            self[pair[0]] = pair[1]


__all__ = ["CellDict", "CellList", "SequentialCell"]
