"""SequentialCell, CellList and CellDict: order, positions, names."""

from __future__ import annotations

from collections import OrderedDict

import pytest

from minispore import Tensor, nn


def dense() -> nn.Cell:
    return nn.Dense(1, 1, has_bias=False)


def names(cell: nn.Cell) -> list[str]:
    return [p.name for p in cell.get_parameters()]


class Net(nn.Cell):
    def __init__(self, make):
        super().__init__()
        self.layers = make()


@pytest.mark.parametrize(
    "make", [lambda a, b: nn.SequentialCell(a, b), lambda a, b: nn.SequentialCell([a, b])]
)
def test_a_sequential_cell_applies_its_cells_in_order(make):
    net = make(nn.ReLU(), nn.Tanh())
    assert [type(c) for c in net] == [nn.ReLU, nn.Tanh]
    assert net(Tensor(-1.0)).item() == 0


def test_an_ordered_dict_names_the_cells():
    net = nn.SequentialCell(OrderedDict([("fc", dense()), ("act", nn.ReLU())]))
    assert names(net) == ["fc.weight"]
    assert net[1] is net.act


def test_append_goes_on_with_the_names():
    net = Net(lambda: nn.CellList([dense()]))
    net.layers.append(dense())
    assert names(net) == ["layers.0.weight", "layers.1.weight"]


def test_cells_appended_to_an_empty_list_are_named_as_mindspore_names_them():
    net = Net(nn.CellList)
    net.layers.append(dense())
    assert names(net) == ["0.weight"]


def test_what_stands_before_the_key_of_the_last_cell_names_the_next_ones():
    net = Net(nn.CellList)
    for _ in range(3):
        net.layers.append(nn.SequentialCell(dense()))
    assert names(net) == ["0.0.weight", "0.1.0.weight", "0.2.0.weight"]
    row = nn.SequentialCell(nn.ReLU(), nn.CellList([nn.ReLU(), dense()]))
    row.append(dense())
    row[0] = dense()
    assert names(row) == ["1.0.weight", "1.1.weight", "1.2.weight"]


def test_the_cells_of_one_list_are_named_alike():
    cells = nn.CellList([nn.SequentialCell(dense()), nn.SequentialCell(dense())])
    assert names(cells) == ["0.0.weight", "1.0.weight"]
    part = nn.CellList([nn.SequentialCell(dense())])
    part += [dense(), dense()]
    assert names(part) == ["0.0.weight", "0.1.weight", "0.2.weight"]


def test_insert_renames_the_cells_after_it():
    net = Net(lambda: nn.CellList([dense(), dense()]))
    first, second = net.layers
    net.layers.insert(0, nn.ReLU())
    assert names(net) == ["layers.1.weight", "layers.2.weight"]
    assert list(net.layers)[1:] == [first, second]


def test_deleting_moves_the_names_back():
    net = Net(lambda: nn.SequentialCell(dense(), dense(), nn.ReLU()))
    second = net.layers[1]
    del net.layers[0]
    assert names(net) == ["layers.0.weight"]
    assert net.layers[0] is second


def test_deleting_a_cell_preserves_names_from_a_dict():
    net = nn.SequentialCell(OrderedDict([("a", dense()), ("b", dense())]))
    del net[0]
    assert names(net) == ["b.weight"]


def test_replacing_keeps_the_position():
    net = Net(lambda: nn.CellList([dense(), dense()]))
    net.layers[-1] = nn.Dense(2, 2, has_bias=False)
    assert names(net) == ["layers.0.weight", "layers.1.weight"]
    assert net.layers[1].in_channels == 2


def test_a_slice_is_a_container_of_the_same_cells_and_renames_nothing():
    net = Net(lambda: nn.SequentialCell(dense(), dense(), dense()))
    part = net.layers[1:]
    assert len(part) == 2
    assert part[0] is net.layers[1]
    assert names(net) == ["layers.0.weight", "layers.1.weight", "layers.2.weight"]


def test_extend_and_iadd_take_lists():
    cells = nn.CellList([nn.ReLU()])
    cells += [nn.Tanh()]
    assert [type(c) for c in cells.extend([nn.Sigmoid()])] == [nn.ReLU, nn.Tanh, nn.Sigmoid]


def test_without_auto_prefix_names_stay():
    assert names(nn.CellList([dense(), dense()], auto_prefix=False)) == ["weight", "weight"]


@pytest.mark.parametrize(
    ("act", "error"),
    [
        (lambda: nn.SequentialCell(3), TypeError),
        (lambda: nn.SequentialCell([3]), TypeError),
        (lambda: nn.SequentialCell({"a": nn.ReLU()}), TypeError),
        (lambda: nn.CellList(nn.ReLU()), TypeError),
        (lambda: nn.CellList([3]), TypeError),
        (lambda: nn.CellList([nn.CellDict()]), TypeError),
        (lambda: nn.CellList([nn.ReLU()])[1], IndexError),
        (lambda: nn.CellList([nn.ReLU()])["0"], TypeError),
        (lambda: nn.CellList([nn.ReLU()]).insert(3, nn.ReLU()), IndexError),
        (lambda: nn.CellList([nn.ReLU()]).append(3), TypeError),
        (lambda: nn.CellList([nn.ReLU()])(Tensor(1.0)), AttributeError),
        (lambda: nn.CellDict(3), TypeError),
        (lambda: nn.CellDict({1: nn.ReLU()}), TypeError),
        (lambda: nn.CellDict({"a": 3}), TypeError),
        (lambda: nn.CellDict({"a": nn.CellList()}), TypeError),
        (lambda: nn.CellDict({"a.b": nn.ReLU()}), KeyError),
        (lambda: nn.CellDict({"keys": nn.ReLU()}), KeyError),
        (lambda: nn.CellDict()["a"], KeyError),
        (lambda: nn.CellDict([("a",)]), ValueError),
    ],
)
def test_bad_contents_and_positions_are_refused(act, error):
    with pytest.raises(error):
        act()


def test_set_grad_reaches_each_cell():
    net = nn.SequentialCell(nn.ReLU(), nn.Tanh())
    net.set_grad()
    assert [c.requires_grad for c in net] == [True, True]


def test_a_cell_dict_is_a_dict():
    cells = nn.CellDict([("a", nn.ReLU())])
    cells["b"] = nn.Tanh()
    cells.update({"c": nn.Sigmoid()})
    assert list(cells) == list(cells.keys()) == ["a", "b", "c"]
    assert type(cells.pop("a")) is nn.ReLU
    assert [k for k, _ in cells.items()] == ["b", "c"]
    assert "b" in cells
    assert len(cells) == 2
    cells.clear()
    assert len(cells) == 0


def test_a_cell_dict_names_parameters_by_key():
    net = Net(lambda: nn.CellDict({"a": dense()}))
    net.layers["b"] = dense()
    assert names(net) == ["layers.a.weight", "layers.b.weight"]


def test_a_list_of_cells_is_false_when_empty_and_a_dict_of_cells_never_is():
    assert [bool(c) for c in (nn.CellList(), nn.SequentialCell(), nn.CellDict())] == [
        False,
        False,
        True,
    ]
    assert bool(nn.CellList([nn.ReLU()]))


def test_a_slice_keeps_the_keys_and_what_follows_takes_a_new_one():
    cells = nn.SequentialCell(dense(), nn.ReLU(), dense())
    part = cells[1:]
    assert [key for key, _ in part.cells_and_names()] == ["", "1", "2"]
    assert [key for key, _ in part.parameters_and_names()] == ["2.weight"]
    assert list(part.state_dict()) == ["2.weight"]
    part.append(dense())
    assert [key for key, _ in part.cells_and_names()] == ["", "1", "2", "3"]
    assert cells[2:].append(dense())[0] is cells[2] and len(cells[2:].append(dense())) == 2
    assert [key for key, _ in nn.CellList([dense(), dense()])[1:].cells_and_names()] == ["", "0"]


def _row():
    return nn.SequentialCell(nn.Dense(1, 1), nn.ReLU(), nn.Dense(1, 1), nn.Dense(1, 1))


def test_a_slice_of_a_sequential_cell_preserves_the_cell_names():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.head = _row()[1:]

    assert names(Net()) == ["head.2.weight", "head.2.bias", "head.3.weight", "head.3.bias"]
    part = _row()[2:]
    assert [name for name, _ in part.cells_and_names()] == ["", "2", "3"]
    del part[0]
    assert list(part._cells) == ["3"] and names(part) == ["3.weight", "3.bias"]
    assert list(nn.CellList(list(_row()))[2:]._cells) == ["0", "1"]


def test_a_cell_that_joins_a_part_takes_the_place_of_no_other():
    part = _row()[1:]
    part.append(nn.Dense(1, 1))
    part.insert(0, nn.ELU())
    part.insert(2, nn.GELU())
    kinds = [type(cell).__name__ for cell in part]
    assert kinds == ["ELU", "ReLU", "GELU", "Dense", "Dense", "Dense"]
    assert len(set(names(part))) == 6


def test_numeric_names_from_a_dict_survive_a_deletion():
    row = nn.SequentialCell(OrderedDict([("5", nn.Dense(1, 1)), ("1", nn.Dense(1, 1))]))
    del row[0]
    assert names(row) == ["1.weight", "1.bias"]
