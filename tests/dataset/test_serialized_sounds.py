"""Transforms of sound and of text in MindSpore's JSON: see tests/golden/make_serialized.py."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore
import minispore.dataset as ds
from minispore.dataset import audio, text
from minispore.dataset.serialized import operations
from minispore.dataset.transforms.base import Transform
from tests.golden.make_serialized import EXPRESSIONS

FILE = Path(__file__).parent.parent / "golden" / "serialized.json"
WRITTEN: dict[str, Any] = json.loads(FILE.read_text())
NAMES = {"audio": audio, "text": text, "mstype": minispore, "np": np}


def mapped(operation: Transform) -> ds.Dataset:
    return ds.NumpySlicesDataset(np.zeros((2, 4), np.float32), ["x"]).map(operation, "x")


def make_transform(expression: str) -> Transform:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(expression, NAMES)


def test_every_transform_of_sound_is_written_and_read() -> None:
    named = {expression.split("(")[0].split(".")[1] for expression in EXPRESSIONS}
    kinds = [getattr(audio, name) for name in audio.__all__]
    sounds = {k.__name__ for k in kinds if isinstance(k, type) and issubclass(k, Transform)}
    assert sounds - named == set() and set(WRITTEN) == set(EXPRESSIONS)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_transform_is_written_as_mindspore_writes_it(expression: str) -> None:
    (message,) = ds.serialize(mapped(make_transform(expression)))["operations"]
    assert message == WRITTEN[expression]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_mindspore_wrote_comes_back_as_it_was(expression: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (read,) = operations.deserialize_operations([WRITTEN[expression]])
    assert type(read) is type(make_transform(expression))
    (second,) = operations.serialize_operation(read)
    assert second == WRITTEN[expression]


def test_texts_whose_arguments_mindspore_forgets_are_refused() -> None:
    for operation in (text.WhitespaceTokenizer(True), text.Ngram(2), text.RegexReplace("a", "b")):
        with pytest.raises(RuntimeError, match="must be built-in ones of vision"):
            ds.serialize(mapped(operation))
