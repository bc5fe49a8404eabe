"""Calls with every argument at several values give the real MindSpore's arrays, in both modes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import minispore as ms
from minispore import numpy as mnp
from tests.golden.arguments.cases import ask, calls, templates

GOLDEN = np.load(Path(__file__).parents[1] / "golden" / "arguments" / "mindspore.npz")


def golden(template: str) -> dict[str, list[np.ndarray]]:
    """The calls of a line that MindSpore can make, and their arrays."""
    values, options = GOLDEN[f"values {template}"], {}
    for head in GOLDEN[f"heads {template}"]:
        call, *kinds = head.split("|")
        options[call] = []
        for kind in kinds:
            dtype, shape = kind.split(" ", 1)
            size = tuple(map(int, shape[1:-1].split(", "))) if shape != "[]" else ()
            count = int(np.prod(size))
            options[call].append(values[:count].reshape(size).astype(dtype))
            values = values[count:]
    return options


@pytest.mark.parametrize("template", templates())
def test_a_call_gives_mindspores_arrays_whatever_its_arguments(template: str) -> None:
    reference = golden(template)
    assert reference.keys() <= set(calls(template))
    for call, arrays in reference.items():
        actual = ask(ms, mnp, call, slopes=template[0] != "~")
        assert [(a.dtype, a.shape) for a in actual] == [(a.dtype, a.shape) for a in arrays], call
        for a, b in zip(actual, arrays, strict=True):
            tolerance = 1e-2 if "float16" in call else 2e-5
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance, err_msg=call)


@pytest.mark.parametrize("template", templates())
def test_a_graph_gives_the_same_bits_whatever_the_arguments(template: str) -> None:
    for call in calls(template)[::5]:
        apart, staged = (ask(ms, mnp, call, template[0] != "~", mode) for mode in (False, True))
        for a, b in zip(apart, staged, strict=True):
            assert a.dtype == b.dtype and a.tobytes() == b.tobytes(), call
