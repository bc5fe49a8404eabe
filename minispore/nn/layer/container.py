"""Containers: Cells in a row, in a list, in a dict."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any

from minispore.core.tensor import Tensor
from minispore.foundation.checks import format_value
from minispore.nn.cell import Cell


def _place(cells: Mapping[str, Cell]) -> str:
    """What stands before ``<key>.<path>`` in the names of the parameters in ``cells``:
    ``backbone.`` for example.
    """
    for key, cell in cells.items():
        for path, parameter in cell.parameters_and_names():
            own = f"{key}.{path}"
            return parameter.name[: -len(own)] if parameter.name.endswith(own) else ""
    return ""


def _prefix(cells: Mapping[str, Cell]) -> str:
    """What comes before the key in the names of the next Cell's parameters.

    MindSpore asks the names of those that are there, and so do we, since checkpoints hold them:
    what stands before the key in the first one, where the second Cell's name has its key too, or
    else where the key stands last. After one Cell named ``0.0.weight`` that is ``0.``, not nothing.
    """
    named = [
        (key, first.name.split("."))
        for key, cell in cells.items()
        if (first := next((p for _, p in cell.parameters_and_names()), None)) is not None
    ]
    if not named:
        return ""
    (key, parts), *others = named
    places = [i for i, part in enumerate(parts) if part == key]
    for second, of_second in others[:1]:
        shared = [i for i in places if of_second[i : i + 1] == [second]]
        places = shared[:1] or places
    return "".join(f"{part}." for part in parts[: places[-1] if places else 0])


class _Listed(Cell):
    """What SequentialCell and CellList share: a list of Cells with their positions for names, but
    for names that were given, and those of a part of a row, which stay.
    """

    def __init__(self, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        self._given_: set[str] = set()

    def _checked_(self, cell: Any) -> Cell:
        if not isinstance(cell, Cell):
            raise TypeError(
                f"{type(self).__name__}: each element must be a Cell, got {format_value(cell)}."
            )
        return cell

    def _position_(self, index: Any, end: int = 0) -> int:
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

    def _put_(self, key: str, cell: Cell, prefix: str | None = None) -> None:
        if self._auto_prefix:
            before = _prefix(self._cells) if prefix is None else prefix
            cell.update_parameters_name(f"{before}{key}.")
        cell._record_.attribute = key
        self._cells[key] = cell

    def _relist_(self, items: list[tuple[str, Cell]]) -> None:
        """Take ``items`` for the content; positions that changed give new names."""
        prefix = _place(self._cells)
        old = list(self._cells.items())
        for key in list(self._cells):
            del self._cells[key]
        self._given_ &= {key for key, _ in items}
        for i, (key, cell) in enumerate(items):
            new = key if key in self._given_ else self._free_(i)
            if self._auto_prefix and (new, cell) not in old:
                cell.update_parameters_name(f"{prefix}{new}.")
            cell._record_.attribute = new
            self._cells[new] = cell

    def _free_(self, position: int) -> str:
        """The name for ``position``: the next number that is no name yet."""
        while str(position) in self._cells or str(position) in self._given_:
            position += 1
        return str(position)

    def __len__(self) -> int:
        return len(self._cells)

    def __bool__(self) -> bool:
        return len(self._cells) > 0

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._cells.values())

    def __contains__(self, cell: object) -> bool:
        return any(cell is own for own in self._cells.values())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            made = type(self)()
            for cell in list(self._cells.values())[index]:
                made._cells[str(len(made))] = cell
            return made
        return list(self._cells.values())[self._position_(index)]

    def __setitem__(self, index: int, cell: Cell) -> None:
        self._checked_(cell)
        self._put_(list(self._cells)[self._position_(index)], cell)

    def __delitem__(self, index: int | slice) -> None:
        items = list(self._cells.items())
        del items[index if isinstance(index, slice) else self._position_(index)]
        self._relist_(items)

    def append(self, cell: Cell) -> Any:
        """Put a Cell at the end."""
        self._put_(self._free_(len(self)), self._checked_(cell))
        return self

    def insert(self, index: int, cell: Cell) -> None:
        """Put a Cell before position ``index``.

        Raises:
            TypeError: ``cell`` is no Cell.
            IndexError: ``index`` is out of range.
        """
        position = self._position_(index, end=1)
        items = list(self._cells.items())
        items.insert(position, ("", self._checked_(cell)))
        self._relist_(items)

    def set_grad(self, flag: bool = True) -> Any:
        """:meth:`Cell.set_grad` for the container and each Cell in it."""
        for cell in self:
            cell.set_grad(flag)
        return super().set_grad(flag)


class SequentialCell(_Listed):
    """cells[n](... cells[1](cells[0](x))).

    Args:
        args: Cells, or one list of them, or one OrderedDict that names them.

    A slice of it is one of its Cells, by their names in it.

    Raises:
        TypeError: something else.

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
                    "Cells, "
                    f"got {format_value(cells)}."
                )
        given = isinstance(cells, OrderedDict)
        named = cells if given else {str(i): cell for i, cell in enumerate(cells)}
        for name, cell in named.items():
            self.insert_child_to_cell(name, self._checked_(cell))
            cell.update_parameters_name(f"{name}.")
        self._given_ |= set(cells) if given else set()

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, slice):
            return super().__getitem__(index)
        made = type(self)()
        for key, cell in list(self._cells.items())[index]:
            made._cells[key] = cell
        made._given_ |= set(made._cells)  # parameters are found by these in a checkpoint
        return made

    @property
    def cell_list(self) -> list[Cell]:
        """The Cells, in order."""
        return list(self._cells.values())

    def construct(self, input_data: Any) -> Any:
        for cell in self._cells.values():
            input_data = cell(input_data)
        return input_data


class CellList(_Listed):
    """A list of Cells, whose parameters belong to the network. It is no layer: call its elements.

    Args:
        args: one list of Cells.
        auto_prefix: whether parameters are named after their position.

    Raises:
        TypeError: not a list, or an element is no Cell.

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
        """Put the Cells of a list at the end.

        Raises:
            TypeError: no list, or an element is no Cell or a CellDict.
        """
        if not isinstance(cells, list):
            raise TypeError(f"CellList: cells must be a list of Cells, got {format_value(cells)}.")
        for cell in cells:
            if isinstance(self._checked_(cell), CellDict):
                raise TypeError(
                    "CellList: an element can't be a CellDict. Put its Cells into the list."
                )
        prefix = _prefix(self._cells)  # once: the Cells of one list are named alike
        for cell in cells:
            self._put_(str(len(self)), cell, prefix)
        return self

    def __iadd__(self, cells: list[Cell]) -> CellList:
        return self.extend(cells)


class CellDict(Cell):
    """A dict of Cells, whose parameters belong to the network. It is no layer: call its values.

    Args:
        args: one mapping from name to Cell, or an iterable of such pairs.
        auto_prefix: whether parameters are named after their key.

    Raises:
        TypeError: a key is no str or a value no Cell.
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
        if not isinstance(key, str):
            raise TypeError(f"CellDict: a key must be a str, got {format_value(key)}.")
        if not isinstance(cell, Cell) or isinstance(cell, CellDict | _Listed):
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
            cell.update_parameters_name(f"{_prefix(self._cells)}{key}.")
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
        """The names."""
        return self._cells.keys()

    def values(self) -> ValuesView[Cell]:
        """The Cells."""
        return self._cells.values()

    def items(self) -> ItemsView[str, Cell]:
        """Pairs of name and Cell."""
        return self._cells.items()

    def clear(self) -> None:
        """Take all Cells out."""
        for key in list(self._cells):
            del self._cells[key]

    def pop(self, key: str) -> Cell:
        """Take a Cell out and return it."""
        cell = self._cells[key]
        del self._cells[key]
        return cell

    def update(self, cells: Any) -> None:
        """Put in the Cells of a mapping or of an iterable of pairs.

        Raises:
            TypeError: no iterable of pairs.
            ValueError: an element has another length than 2.
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
