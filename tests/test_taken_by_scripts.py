"""What scripts take of MindSpore's own modules under names with an underscore."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn
from minispore._c_expression import typing
from minispore.common.initializer import _init_random_normal, _init_random_uniform
from minispore.core.initializer import base
from minispore.nn.layer import rnn_cells
from minispore.train._utils import _make_directory

X = Tensor(np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3))
H, C = Tensor([[0.5, -0.5], [0.1, 0.2]]), Tensor([[1.0, -1.0], [0.3, 0.4]])


def test_numbers_are_drawn_as_initialisers_draw_them() -> None:
    ms.set_seed(3)
    found = np.float32([[-0.18441027, 0.4909185, 0.160213], [-0.38015917, 1.7301389, -0.5152085]])
    np.testing.assert_allclose(_init_random_uniform(-1.0, 2.0, (2, 3)), found, rtol=1e-6)
    ms.set_seed(3)
    found = np.float32([[-2.94548, 1.6174384, 1.8723339], [-5.4341373, 0.44766343, -0.1788259]])
    np.testing.assert_allclose(_init_random_normal(0.5, 2.0, (2, 3)), found, rtol=1e-5)
    assert _init_random_uniform(0, 1, 4).shape == (4,)


def test_an_initialiser_of_ones_own_takes_no_name_that_another_has(monkeypatch) -> None:
    monkeypatch.setattr(base, "_INITIALIZER_ALIAS", dict(base._INITIALIZER_ALIAS))

    def registered(number: float, name: str, *names: str) -> None:
        def fill(self, arr: np.ndarray) -> None:
            arr[...] = number

        base._register(*names)(type(name, (base.Initializer,), {"_initialize": fill}))

    registered(7, "Uniform")
    registered(8, "Mine", "sevens", "normal")
    registered(9, "Other", "sevens", "nines")

    def first(name: str) -> float:
        return float(base.initializer(name, (1,), ms.float32).init_data()[0])

    assert (first("mine"), first("sevens"), first("nines"), first("other")) == (8, 8, 9, 9)
    assert abs(first("uniform")) < 1 and abs(first("normal")) < 1


@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize(
    ("step", "cell"),
    [
        ("_rnn_tanh_cell", lambda b: nn.RNNCell(3, 2, b)),
        ("_rnn_relu_cell", lambda b: nn.RNNCell(3, 2, b, "relu")),
        ("_gru_cell", lambda b: nn.GRUCell(3, 2, b)),
        ("_lstm_cell", lambda b: nn.LSTMCell(3, 2, b)),
    ],
)
def test_a_step_is_that_of_its_cell(step, cell, has_bias) -> None:
    net = cell(has_bias)
    hidden = (H, C) if step == "_lstm_cell" else H
    weights = net.weight_ih, net.weight_hh, net.bias_ih, net.bias_hh
    made, whole = getattr(rnn_cells, step)(X, hidden, *weights), net(X, hidden)
    for a, b in zip(made, whole, strict=True):
        assert a.asnumpy().tolist() == b.asnumpy().tolist()


def test_a_step_of_a_plain_cell_is_its_formula() -> None:
    w, v = np.float32([[1, 0, 2], [0, 1, -1]]), np.float32([[1, 2], [0, -1]])
    made = rnn_cells._rnn_tanh_cell(X, H, Tensor(w), Tensor(v), None, None)
    found = np.tanh(X.asnumpy() @ w.T + H.asnumpy() @ v.T)
    np.testing.assert_allclose(made.asnumpy(), found, rtol=1e-6)


@pytest.mark.parametrize(
    ("group", "members"),
    [
        (typing.Number, (*ms.dtype.number_type, ms.bool_, ms.dtype.number, ms.dtype.float_)),
        (typing.Float, (ms.float16, ms.float32, ms.float64, ms.dtype.float_)),
        (typing.BFloat, (ms.bfloat16,)),
        (typing.Int, (*ms.dtype.int_type, ms.dtype.int_)),
        (typing.UInt, (*ms.dtype.uint_type, ms.dtype.uint)),
        (typing.Bool, (ms.bool_,)),
        (typing.Complex, ms.dtype.complex_type),
        (typing.String, (ms.string,)),
        (typing.TensorType, (ms.tensor_type,)),
    ],
)
def test_a_group_has_its_dtypes_and_no_others(group, members) -> None:
    others = (*ms.dtype.all_types, ms.dtype.number, ms.dtype.list_, ms.tensor_type, 3, None)
    assert {t for t in (*others, *members) if isinstance(t, group)} == set(members)


def test_a_group_names_a_dtype_by_its_bits() -> None:
    assert typing.Float(16) is ms.float16 and typing.Int(64) is ms.int64
    assert typing.Complex(64) is ms.complex64 and typing.Number() is ms.dtype.number
    assert ms.dtype.Float is typing.Float and ms.dtype.Bool() is ms.bool_
    assert issubclass(typing.Int, typing.Number) and issubclass(typing.Number, typing.Type)
    with pytest.raises(RuntimeError, match="must be one of 0, 16, 32, 64, got 5"):
        typing.Float(5)


def test_a_folder_is_made_and_told_whole(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert _make_directory("a/b") == _make_directory("a/b") == str(tmp_path.resolve() / "a" / "b")
    (tmp_path / "c").write_text("")
    for path, error in ((3, TypeError), ("", ValueError), ("c", NotADirectoryError)):
        with pytest.raises(error, match="path must"):
            _make_directory(path)


@pytest.mark.parametrize("kind", ["vision", "text", "audio", "standard_format", "user_defined"])
def test_datasets_have_the_paths_of_their_kinds(kind) -> None:
    door = importlib.import_module(f"minispore.dataset.engine.datasets_{kind}")
    assert door.GeneratorDataset is ms.dataset.GeneratorDataset
