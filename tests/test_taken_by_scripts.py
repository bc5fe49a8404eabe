"""What scripts take of MindSpore's own modules under names with an underscore."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops
from minispore._c_expression import typing
from minispore.common.initializer import _init_random_normal, _init_random_uniform
from minispore.core.initializer import base
from minispore.nn.layer import rnn_cells
from minispore.nn.wrap import loss_scale
from minispore.train._utils import _make_directory

X = Tensor(np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3))
H, C = Tensor([[0.5, -0.5], [0.1, 0.2]]), Tensor([[1.0, -1.0], [0.3, 0.4]])


def test_private_init_functions_draw_like_the_initializers() -> None:
    ms.set_seed(3)
    actual = np.float32([[-0.18441027, 0.4909185, 0.160213], [-0.38015917, 1.7301389, -0.5152085]])
    np.testing.assert_allclose(_init_random_uniform(-1.0, 2.0, (2, 3)), actual, rtol=1e-6)
    ms.set_seed(3)
    actual = np.float32([[-2.94548, 1.6174384, 1.8723339], [-5.4341373, 0.44766343, -0.1788259]])
    np.testing.assert_allclose(_init_random_normal(0.5, 2.0, (2, 3)), actual, rtol=1e-5)
    assert _init_random_uniform(0, 1, 4).shape == (4,)


def test_a_custom_initializer_does_not_replace_a_registered_name(monkeypatch) -> None:
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
    output, whole = getattr(rnn_cells, step)(X, hidden, *weights), net(X, hidden)
    for a, b in zip(output, whole, strict=True):
        assert a.asnumpy().tolist() == b.asnumpy().tolist()


def test_a_step_of_a_plain_cell_is_its_formula() -> None:
    w, v = np.float32([[1, 0, 2], [0, 1, -1]]), np.float32([[1, 2], [0, -1]])
    output = rnn_cells._rnn_tanh_cell(X, H, Tensor(w), Tensor(v), None, None)
    actual = np.tanh(X.asnumpy() @ w.T + H.asnumpy() @ v.T)
    np.testing.assert_allclose(output.asnumpy(), actual, rtol=1e-6)


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


def test_make_directory_creates_a_folder_and_returns_its_absolute_path(
    tmp_path, monkeypatch
) -> None:
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


def test_private_helpers_of_custom_loops_and_layers_exist() -> None:
    from minispore.dataset.engine.datasets import _set_training_dataset
    from minispore.numpy.utils import _to_tensor
    from minispore.numpy.utils_const import _raise_value_error
    from minispore.parallel._ps_context import _is_role_pserver, _is_role_sched
    from minispore.parallel._transformer import layers, moe
    from minispore.parallel._utils import _device_number_check
    from minispore.train.metrics import metric
    from minispore.train.model import _StepSync, _transfer_tensor_to_tuple

    x, y = _to_tensor(1, [0.5])
    assert (x.dtype, y.dtype, _to_tensor(H) is H) == (ms.int32, ms.float32, True)
    with pytest.raises(ValueError, match="a length of 3"):
        _raise_value_error("a length of ", 3)
    assert not _is_role_pserver() and not _is_role_sched()
    _device_number_check("data_parallel", 2)
    with pytest.raises(ValueError, match="device_number"):
        _device_number_check("stand_alone", 2)
    assert metric.Metric is nn.Metric and issubclass(_StepSync, ms.train.Callback)
    assert _transfer_tensor_to_tuple(H) == (H,) and _transfer_tensor_to_tuple((H, C)) == (H, C)
    _set_training_dataset(None)
    assert layers._LayerInputCheck.check_shape_equal([2, 3], "x", "f", [[2, 3], [4, 3]])
    with pytest.raises(ValueError, match="x must have 3 along axis 1"):
        layers._LayerInputCheck.check_shape_value_on_axis([2, 4], 1, "x", "f", 3)
    with pytest.raises(NotImplementedError, match="expert_num must be 1"):
        moe.MoE(hidden_size=8)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_summed_gradients_are_scaled_and_begin_anew(mode: int) -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.sums = ms.ParameterTuple([ms.Parameter(H * 4, name="sum")])
            self.map = ops.HyperMap()

        def construct(self, scale: Tensor, grads: tuple[Tensor]) -> tuple[Tensor]:
            return self.map(ops.partial(self.scaled, scale), grads, self.sums)

    ms.set_context(mode=mode)
    for scaled, factor in ((loss_scale.grad_scale, 2.0), (loss_scale.shard_grad_scale, 0.5)):
        net = Net()
        net.scaled = scaled
        (got,) = net(Tensor(2.0), (H,))
        assert (got.asnumpy() == H.asnumpy() * factor).all()
        assert not net.sums[0].asnumpy().any()


def test_a_table_may_say_how_much_of_it_a_device_caches() -> None:
    table = nn.EmbeddingLookup(5, 2, param_init="ones", sparse=True, vocab_cache_size=3)
    assert table(Tensor([4, 0])).asnumpy().tolist() == [[1, 1], [1, 1]]
    with pytest.raises(ValueError, match="vocab_cache_size"):
        nn.EmbeddingLookup(5, 2, vocab_cache_size=-1)


def test_images_with_their_channels_first() -> None:
    from minispore.dataset.vision.py_transforms_util import hwc_to_chw

    image = np.arange(24).reshape(2, 3, 4)
    assert (hwc_to_chw(image) == image.transpose(2, 0, 1)).all()
    assert hwc_to_chw(image[0]) is not None and hwc_to_chw(image[0]).shape == (3, 4)
    with pytest.raises(TypeError, match="got list"):
        hwc_to_chw([1])


def test_a_value_is_checked_against_types() -> None:
    from minispore.train._utils import check_value_type

    check_value_type("x", 1, int)
    check_value_type("x", True, [bool, str])
    for value, types in ((True, int), ("a", [int, float])):
        with pytest.raises(TypeError, match=f"x must be of type .*int.*got {value!r}"):
            check_value_type("x", value, types)


def test_private_truncated_normal_draws_like_the_initializer() -> None:
    from minispore.common.initializer import TruncatedNormal, _init_truncated_normal

    ms.set_seed(3)
    tensor = base.initializer(TruncatedNormal(0.5, 0.1, -1, 2), (4,), ms.float32).init_data()
    ms.set_seed(3)
    samples = _init_truncated_normal(-1, 2, 0.1, 0.5, (4,))
    assert samples.tolist() == tensor.asnumpy().tolist()
    assert _init_truncated_normal(0.0, 1.0, 3.0, 0.0, (2,)).tolist() == [1, 1]
    with pytest.raises(ValueError, match="a must be below b"):
        _init_truncated_normal(1, 1, 0, 1, (2,))


def test_all_finite_accepts_a_device_status() -> None:
    from minispore.amp import all_finite, init_status

    status = init_status()
    assert bool(all_finite((X, H), status))
    assert not bool(all_finite((X, Tensor([np.inf])), status))


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_get_py_obj_dtype_works_in_a_network(mode: int) -> None:
    from minispore.common import dtype

    class Checked(nn.Cell):
        def construct(self, x: Tensor, state: object) -> Tensor:
            if not isinstance(ms.get_py_obj_dtype(state), dtype.Tuple):
                raise TypeError(f"state must be a tuple, got {ms.get_py_obj_dtype(state)}")
            return x + state[0]

    ms.set_context(mode=mode)
    assert repr(Checked()(H, (C, H))) == repr(H + C)
    with pytest.raises(TypeError, match="got Tensor"):
        Checked()(H, C)
    assert isinstance(ms.get_py_obj_dtype([1]), dtype.List) and dtype.List() is dtype.list_
    assert str(ms.get_py_obj_dtype(H)) == "Tensor[Float32]"


def test_integers_of_some_bits_have_numbers() -> None:
    """Those of the real one."""
    from minispore.common.dtype import QuantDtype

    assert [q.value() for q in QuantDtype] == [*range(16), *range(100, 116)]
    assert str(QuantDtype.INT8) == "INT8" and QuantDtype.UINT4.value() == 103


def test_labels_are_checked() -> None:
    from minispore.nn.loss.loss import _check_label_dtype

    _check_label_dtype(ms.int64, "Mine")
    with pytest.raises(TypeError, match="Mine: labels must be of int32 or int64, got Float32"):
        _check_label_dtype(ms.float32, "Mine")


def test_unsupported_ops_are_constructible_and_raise_when_called() -> None:
    from minispore.ops.operations._rl_inner_ops import CudnnGRU

    push, pull = ops.Push("Adam", [0, 2]), ops.operations.Pull()
    assert (push.optim_type, push.only_shape_indices) == ("Adam", [0, 2])
    for op in (push, pull, CudnnGRU(3, 4, 1, True, False, 0.0)):
        with pytest.raises(RuntimeError, match="kernel"):
            op(X, X)


def test_tensor_is_importable_from_the_paths_of_scripts() -> None:
    from minispore._c_expression import disable_multi_thread
    from minispore.common import initializer

    assert ops.Tensor is initializer.Tensor is Tensor
    assert disable_multi_thread() is None
