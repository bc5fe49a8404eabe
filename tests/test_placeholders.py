"""Names that are not supported can be imported; whoever uses one is told what it is."""

from __future__ import annotations

from importlib import import_module

import pytest

from minispore import Tensor, _c_expression
from minispore.rewrite import Replacement, SymbolTree

NAMES = {
    "_c_expression": ["MSContext", "ParamInfo", "ms_ctx_param"],
    "common.file_system": ["FileSystem", "mindio_preload", "set_mindio_server_info"],
    "dataset.text": ["SentencePieceTokenizer", "SentencePieceVocab", "SPieceTokenizerOutType"],
    "mindrecord": ["set_dec_mode", "set_enc_key", "set_enc_mode"],
    "rewrite": ["Node", "NodeType", "ScopedValue", "SymbolTree", "ValueType"],
    "train": ["SummaryLandscape"],
    "train.callback": ["SummaryLandscape"],
}


@pytest.mark.parametrize(("path", "name"), [(p, n) for p, names in NAMES.items() for n in names])
def test_a_call_of_an_unsupported_name_says_what_it_is(path: str, name: str) -> None:
    placeholder = getattr(import_module(f"minispore.{path}"), name)
    with pytest.raises(NotImplementedError, match=rf"{name}: is not supported\. [A-Z]"):
        placeholder(1)


def test_an_attribute_of_a_placeholder_says_what_it_is() -> None:
    with pytest.raises(AttributeError, match=r"rewrite\.SymbolTree: is not supported"):
        SymbolTree.create(1)


def test_a_class_can_derive_from_a_placeholder() -> None:
    class Fusion(Replacement):  # type: ignore[misc]
        pass

    with pytest.raises(NotImplementedError, match=r"rewrite\.Replacement: is not supported"):
        Fusion()


def test_nothing_is_an_instance_of_a_placeholder() -> None:
    assert not isinstance(Tensor(1), SymbolTree)


def test_a_tensor_is_an_instance_of_the_compiled_tensor() -> None:
    assert isinstance(Tensor(1), _c_expression.TensorPy)
