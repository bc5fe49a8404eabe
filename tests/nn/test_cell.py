"""Cell: attributes that register themselves, and names."""

from __future__ import annotations

import copy

import pytest

import minispore as ms
from minispore import Parameter, ParameterTuple, Tensor, nn
from tests.nn.cells import Nest, Pair, names, par

# -- names ----------------------------------------------------------------------------------------


def test_an_unnamed_parameter_is_named_after_its_attribute():
    assert names(Pair()) == ["custom", "v"]


def test_a_cell_that_becomes_an_attribute_names_its_parameters_by_path():
    assert names(Nest()) == ["a.w", "a.v", "b.w", "b.v"]


def test_without_auto_prefix_names_stay():
    assert names(Nest(auto_prefix=False)) == ["custom", "v", "custom", "v"]


def test_names_that_clash_become_paths_at_the_first_call():
    net = Nest(auto_prefix=False)
    net(Tensor([1.0]))
    assert names(net) == ["a.w", "a.v", "b.w", "b.v"]


def test_parameters_come_before_those_of_cells_below():
    net = Nest()
    net.late = par()
    assert names(net) == ["late", "a.w", "a.v", "b.w", "b.v"]


def test_a_shared_cell_appears_once_under_its_last_name():
    class Shared(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a = Pair()
            self.b = self.a

    net = Shared()
    assert names(net) == ["b.w", "b.v"]
    assert [n for n, _ in net.cells_and_names()] == ["", "a"]


def test_a_shared_parameter_appears_once_under_its_first_name():
    class Tied(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a = Pair()
            self.b = Pair()
            self.b.w = self.a.w

    assert names(Tied()) == ["a.w", "a.v", "b.v"]


def test_a_parameter_tuple_registers_its_parameters_under_their_names():
    class Holder(nn.Cell):
        def __init__(self):
            super().__init__()
            self.ps = ParameterTuple((par("x"), par("y")))

    assert names(Holder()) == ["x", "y"]
    assert names(nn.CellList([Holder(), Holder()])) == ["0.x", "0.y", "1.x", "1.y"]


def test_unnamed_parameters_of_a_tuple_are_numbered():
    class Holder(nn.Cell):
        def __init__(self):
            super().__init__()
            self.ps = ParameterTuple((par(), par()))

    assert names(Holder()) == ["Parameter$1", "Parameter$2"]


def test_a_list_of_parameters_is_not_registered_but_its_names_must_differ():
    cell = nn.Cell()
    cell.ps = [par("x"), par("y")]
    assert names(cell) == []
    with pytest.raises(ValueError, match="its name 'x' already exists"):
        cell.ps = [par("x"), par("x")]
    with pytest.raises(ValueError, match="its name 'y' already exists"):
        cell.others = (par("y"),)
    assert not hasattr(cell, "others")
    cell.ps = [par("z"), cell.ps[0]]  # what was there before is no longer kept
    cell.others = (par("y"), cell.ps[0])


def test_parameters_dict_is_keyed_by_name_and_parameters_and_names_by_path():
    net = nn.Cell()
    net.w = par("custom")
    assert list(net.parameters_dict()) == ["custom"]
    assert [path for path, _ in net.parameters_and_names()] == ["w"]


def test_trainable_params_are_those_with_requires_grad():
    net = Pair()
    net.v.requires_grad = False
    assert net.trainable_params() == [net.w]
    assert net.untrainable_params() == [net.v]


def test_update_cell_prefix_tells_each_cell_its_path():
    net = Nest()
    net.update_cell_prefix()
    assert (net.param_prefix, net.a.param_prefix) == ("", "a")


def test_check_names_names_both_parameters_that_clash():
    with pytest.raises(
        ValueError, match=r"'a.w' and 'b.w' must have different names, got 'custom'"
    ):
        Nest(auto_prefix=False).check_names()


# -- attributes -----------------------------------------------------------------------------------


def test_assigning_a_tensor_to_a_parameter_sets_its_content():
    net = Pair()
    before = net.w
    net.w = Tensor([5.0])
    assert net.w is before
    assert net.w.asnumpy() == [5]


@pytest.mark.parametrize(("name", "what"), [("w", "Parameter"), ("a", "Cell")])
def test_a_registered_attribute_keeps_its_kind(name, what):
    net = Pair() if name == "w" else Nest()
    with pytest.raises(TypeError, match=f"{name!r} is a {what} and must be"):
        setattr(net, name, "three")


def test_a_cell_can_be_replaced_and_set_to_none():
    net = Nest()
    net.a = nn.ReLU()
    assert repr(net.a) == "ReLU()"
    net.a = None
    assert net.a is None
    assert names(net) == ["b.w", "b.v"]


def test_an_unknown_attribute_is_an_attribute_error_with_a_hint():
    with pytest.raises(AttributeError, match=r"Nest: has no attribute 'aa'\. Did you mean 'a'\?"):
        _ = Nest().aa


@pytest.mark.parametrize("value", [nn.ReLU(), par(), ParameterTuple((par("x"),))])
def test_registering_before_super_init_says_what_to_call(value):
    class Late(nn.Cell):
        def __init__(self):
            self.x = value

    with pytest.raises(AttributeError, match=r"call super\(\).__init__\(\)"):
        Late()


def test_deleting_an_attribute_unregisters_it():
    net = Nest()
    del net.a
    assert names(net) == ["b.w", "b.v"]


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("", par(), KeyError),
        ("a.b", par(), KeyError),
        ("construct", par(), KeyError),
        ("w", 3, TypeError),
    ],
)
def test_insert_param_to_cell_refuses_bad_names_and_values(name, value, error):
    net = Pair()
    with pytest.raises(error, match="insert_param_to_cell"):
        net.insert_param_to_cell(name, value)
    assert names(net) == ["custom", "v"]


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("a.b", nn.ReLU(), KeyError),
        (1, nn.ReLU(), TypeError),
        ("u", 3, TypeError),
        ("construct", nn.ReLU(), KeyError),
    ],
)
def test_insert_child_to_cell_refuses_bad_names_and_values(name, value, error):
    net = Nest()
    with pytest.raises(error, match="insert_child_to_cell"):
        net.insert_child_to_cell(name, value)
    assert list(net.name_cells()) == ["a", "b"]


def test_get_sub_cell_follows_a_path():
    net = nn.SequentialCell(nn.SequentialCell(nn.Tanh()))
    assert isinstance(net.get_sub_cell("0.0"), nn.Tanh)
    with pytest.raises(AttributeError, match="has no attribute '7'"):
        net.get_sub_cell("0.7")


def test_apply_visits_each_cell_from_below():
    seen = []
    nn.SequentialCell(nn.ReLU(), nn.SequentialCell(nn.Tanh())).apply(
        lambda c: seen.append(c.cls_name)
    )
    assert seen == ["ReLU", "Tanh", "SequentialCell", "SequentialCell"]


def test_repr_shows_the_tree_as_mindspore_does():
    net = nn.SequentialCell(nn.Dense(3, 4, activation="relu"), nn.Flatten())
    assert repr(net) == (
        "SequentialCell(\n"
        "  (0): Dense(\n"
        "    input_channels=3, output_channels=4, has_bias=True, activation=ReLU()\n"
        "    (activation): ReLU()\n"
        "  )\n"
        "  (1): Flatten()\n"
        ")"
    )


def test_a_deep_copy_has_separate_parameters_with_the_same_names():
    net = Nest()
    twin = copy.deepcopy(net)
    twin.a.w = Tensor([7.0])
    assert names(twin) == names(net)
    assert (twin.a.w.asnumpy(), net.a.w.asnumpy()) == ([7], [1])


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_an_overridden_get_parameters_is_not_called_by_the_library(mode):
    class Energy(nn.Cell):
        def __init__(self):
            super().__init__()
            self.constant = Parameter(Tensor([2.0]), name="constant")

        def get_parameters(self, system, names):
            return [names[system]]

        def construct(self, x):
            return x * self.constant

    ms.set_context(mode=mode)
    terms = nn.CellList([Energy(), Energy()])
    net = nn.SequentialCell(*terms)
    assert net(Tensor([3.0])).asnumpy() == [12] and net[0](Tensor([3.0])).asnumpy() == [6]
    assert len(net.trainable_params()) == 2
    net[0].to_float(ms.float16)
    net[0].init_parameters_data()


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_number_is_assigned_only_to_a_0d_parameter(mode):
    class Filled(nn.Cell):
        def __init__(self, start):
            super().__init__()
            self.p = ms.Parameter(Tensor(start))

        def construct(self, x):
            self.p = 3.0
            return x * self.p

    ms.set_context(mode=mode)
    assert Filled(1.0)(Tensor([2.0])).tolist() == [6.0]
    for start in ([1.0], [1.0, 2.0]):
        net = Filled(start)
        with pytest.raises(TypeError, match="'p' is a Parameter"):
            net(Tensor([2.0]))
        assert net.p.tolist() == start


@pytest.mark.parametrize("wrong", [3, "a", [1.0], True])
def test_a_buffer_is_set_to_a_tensor_or_none(wrong):
    net = nn.ReLU()
    net.register_buffer("kept", Tensor([1.0]))
    with pytest.raises(TypeError, match="'kept' is a buffer"):
        net.kept = wrong
    assert net.kept.tolist() == [1.0]
    net.kept = Tensor([2.0])
    assert dict(net.named_buffers())["kept"].tolist() == [2.0]
    net.kept = None
    assert net.kept is None


def test_an_emptied_cell_keeps_shapes_and_dtypes():
    net = nn.SequentialCell(nn.Dense(2, 3), nn.BatchNorm1d(3))
    net.register_buffer("kept", Tensor([1, 2]))
    before = [(p.name, p.shape, p.dtype) for p in net.get_parameters()]
    assert net.to_empty(recurse=False) is net
    assert net.kept.tolist() == [0, 0] and net[1].gamma.asnumpy().any()
    net.to_empty(device="CPU")
    assert [(p.name, p.shape, p.dtype) for p in net.get_parameters()] == before
    assert not any(p.asnumpy().any() for p in net.get_parameters())
