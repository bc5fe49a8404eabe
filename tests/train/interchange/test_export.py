"""export: arguments, the file, and what cannot be written."""

from __future__ import annotations

import os
import stat

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops
from minispore.train import interchange
from tests.conftest import ROOT

X = ms.Tensor(np.ones((2, 3), np.float32))


def _export(net, *inputs, folder, name="net", file_format="MINDIR", **kwargs):
    return ms.export(net, *inputs, file_name=str(folder / name), file_format=file_format, **kwargs)


@pytest.mark.parametrize(("file_format", "suffix"), [("MINDIR", ".mindir"), ("ONNX", ".onnx")])
def test_the_suffix_is_added_where_it_is_missing(file_format, suffix, tmp_path):
    assert _export(nn.ReLU(), X, folder=tmp_path, name="a", file_format=file_format) is None
    _export(nn.ReLU(), X, folder=tmp_path, name="b" + suffix, file_format=file_format)
    assert sorted(os.listdir(tmp_path)) == ["a" + suffix, "b" + suffix]


def test_export_replaces_a_file_and_makes_it_readable_only_by_its_owner(tmp_path):
    for net in (nn.ReLU(), nn.Tanh()):
        _export(net, X, folder=tmp_path)
    assert stat.S_IMODE(os.stat(tmp_path / "net.mindir").st_mode) == stat.S_IRUSR
    assert "Tanh" in str(ms.load(str(tmp_path / "net.mindir")))


def test_export_creates_a_missing_folder(tmp_path):
    _export(nn.ReLU(), X, folder=tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b" / "net.mindir").exists()


def test_the_names_are_where_mindspore_has_them():
    from minispore.train import serialization

    assert ms.export is ms.train.export is serialization.export
    assert ms.load is ms.train.load is serialization.load
    assert interchange.exporting.load_mindir is ms.load_mindir


class Inverse(nn.Cell):
    def construct(self, x):
        return ops.erfinv(x)


class Nested(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Inverse()

    def construct(self, x):
        return self.inner(x)


def test_an_op_without_a_counterpart_is_named_with_cell_and_line_and_no_file_is_touched(tmp_path):
    (tmp_path / "net.onnx").write_bytes(b"precious")
    with pytest.raises(
        RuntimeError, match=r"export: Erfinv\(.*\) \(in Nested\.inner, test_export\.py:\d+\) has no"
    ):
        _export(Nested(), X, folder=tmp_path, file_format="ONNX")
    assert os.listdir(tmp_path) == ["net.onnx"]
    assert (tmp_path / "net.onnx").read_bytes() == b"precious"


def test_air_names_the_way_out(tmp_path):
    with pytest.raises(ValueError, match="Use file_format='MINDIR'"):
        _export(nn.ReLU(), X, folder=tmp_path, file_format="AIR")


def test_an_unknown_format_is_refused_with_a_hint(tmp_path):
    with pytest.raises(ValueError, match=r"got .onnx.\. Did you mean .ONNX."):
        _export(nn.ReLU(), X, folder=tmp_path, file_format="onnx")


def test_a_file_name_must_be_a_plain_name(tmp_path):
    for wrong, error in ((3, TypeError), ("a b", ValueError), ("folder/", ValueError)):
        with pytest.raises(error, match="file_name must be"):
            ms.export(nn.ReLU(), X, file_name=wrong, file_format="MINDIR")
    (tmp_path / "net.mindir").mkdir()
    with pytest.raises(IsADirectoryError, match="file_name must be a file"):
        _export(nn.ReLU(), X, folder=tmp_path)


def test_an_input_must_be_a_tensor_or_a_number(tmp_path):
    with pytest.raises(TypeError, match=r"input 0 must be a Tensor, .* got list"):
        _export(nn.ReLU(), [X], folder=tmp_path)


def test_a_parameter_is_an_input_as_any_tensor_even_one_of_the_network(tmp_path):
    class Scaled(nn.Cell):
        def __init__(self):
            super().__init__()
            self.p = ms.Parameter(Tensor([3.0, 4.0]), name="p")

        def construct(self, x):
            return x * self.p

    net = Scaled()
    for inputs in (ms.Parameter(Tensor([1.0, 2.0]), name="x"), net.p):
        _export(net, inputs, folder=tmp_path)
        output = nn.GraphCell(ms.load(str(tmp_path / "net.mindir")))(Tensor([5.0, 6.0]))
        assert output.asnumpy().tolist() == [15.0, 24.0]


def test_a_number_becomes_a_constant(tmp_path):
    class Times(nn.Cell):
        def construct(self, x, n):
            return x * n

    _export(Times(), X, 3, folder=tmp_path)
    cell = nn.GraphCell(ms.load(str(tmp_path / "net.mindir")))
    np.testing.assert_array_equal(cell(X).asnumpy(), 3 * X.asnumpy())


def test_a_branch_on_a_value_is_refused_with_its_line(tmp_path):
    class Branch(nn.Cell):
        def construct(self, x):
            return x if x.sum() > 0 else -x

    with pytest.raises(ValueError, match=r"branches on the value of a tensor \(test_export\.py:"):
        _export(Branch(), X, folder=tmp_path)


def test_of_a_dict_the_values_are_the_outputs_and_a_str_is_a_constant(tmp_path):
    class Named(nn.Cell):
        def construct(self, x, way):
            output = x * 2 if way == "twice" else x
            return {"x": x, "more": (output, x + 1)}

    file = tmp_path / "named.mindir"
    ms.export(Named(), X, "twice", file_name=str(file), file_format="MINDIR")
    outs = nn.GraphCell(ms.load(str(file)))(X)
    stored, (doubled, more) = outs
    for got, expected in ((stored, X), (doubled, X * 2), (more, X + 1)):
        assert got.asnumpy().tolist() == expected.asnumpy().tolist()


def test_a_failing_network_leaves_no_file_and_its_training_flag(tmp_path):
    class Broken(nn.Cell):
        def construct(self, x):
            raise KeyError("mine")

    net = Broken().set_train()
    with pytest.raises(KeyError, match="mine"):
        _export(net, X, folder=tmp_path)
    assert net.training
    assert not os.listdir(tmp_path)


def test_a_function_as_enc_mode_makes_the_content_and_one_as_dec_mode_reads_it(tmp_path):
    def turned(data, key):
        return bytes(b ^ key[0] for b in data)

    def turned_back(file_name, key):
        with open(file_name, "rb") as file:
            return turned(file.read(), key)

    _export(nn.ReLU(), X, folder=tmp_path, enc_key=b"k", enc_mode=turned)
    file = str(tmp_path / "net.mindir")
    assert "ReLU" in str(ms.load(file, dec_key=b"k", dec_mode=turned_back))
    with pytest.raises(RuntimeError, match="damaged or an encrypted"):
        ms.load(file)


@pytest.mark.parametrize("mode", ["AES-GCM", "AES-CBC", "SM4-CBC"])
def test_an_encrypted_file_loads_only_with_its_key_and_mode(tmp_path, mode):
    pytest.importorskip("cryptography", reason="the extra crypto is not there")
    key = bytes(range(16))
    theirs = str(ROOT / "tests" / "golden" / "mindir" / "encrypted" / f"{mode}.mindir")
    _export(nn.ReLU(), X, folder=tmp_path, enc_key=key, enc_mode=mode)
    ours = str(tmp_path / "net.mindir")
    assert "ReLU" in str(ms.load(ours, dec_key=key, dec_mode=mode))
    twice = nn.GraphCell(ms.load(theirs, dec_key=key, dec_mode=mode))
    assert twice(Tensor([1.0, 2.0])).asnumpy().tolist() == [2.0, 4.0]
    other = "AES-CBC" if mode == "AES-GCM" else "AES-GCM"
    for file in (ours, theirs):
        for wrong in (
            {"dec_key": b"1" * 16, "dec_mode": mode},
            {"dec_key": b"1" * 5, "dec_mode": mode},
            {"dec_key": key, "dec_mode": other},
            {"dec_key": key, "dec_mode": "ROT13"},
            {},
        ):
            with pytest.raises(RuntimeError, match=r"^load: .*(decrypted|encrypted one)"):
                ms.load(file, **wrong)
    _export(nn.ReLU(), X, folder=tmp_path)
    with pytest.raises(RuntimeError, match="can't be decrypted"):
        ms.load(ours, dec_key=key, dec_mode=mode)


def test_ciphers_are_refused_before_anything_is_written(tmp_path):
    pytest.importorskip("cryptography", reason="the extra crypto is not there")
    with pytest.raises(ValueError, match="enc_key must have 16 or 24 or 32 bytes"):
        _export(nn.ReLU(), X, folder=tmp_path, enc_key=b"0" * 5)
    with pytest.raises(ValueError, match=r"enc_mode must be one of .*got 'ROT13'"):
        _export(nn.ReLU(), X, folder=tmp_path, enc_key=b"0" * 16, enc_mode="ROT13")
    with pytest.raises(ValueError, match="enc_key must be bytes, got str"):
        _export(nn.ReLU(), X, folder=tmp_path, enc_key="0" * 16)
    assert not os.listdir(tmp_path)


def test_an_unknown_option_is_refused_with_a_hint(tmp_path):
    with pytest.raises(TypeError, match="Did you mean 'custom_func'"):
        _export(nn.ReLU(), X, folder=tmp_path, custom_fun=print)
