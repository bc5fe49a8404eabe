"""The examples of the reference print what the real MindSpore prints for them.

``tests/golden/make_examples.py`` asked it, of what it has and can do on a CPU.
"""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path

import numpy as np
import pytest

from tests.golden.make_examples import FILE
from tests.reference.write import read_entries

GOLDEN: dict[str, dict[str, dict[str, str]]] = json.loads(FILE.read_text(encoding="utf-8"))
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\b(?:nan|inf)\b")

# What MindSpore 2.10 prints on a CPU, and why it is not followed.
ITS_OWN = {
    **dict.fromkeys(
        [
            "Adam",
            "AdamWeightDecay",
            "ApplyCenteredRMSProp",
            "ApplyRMSProp",
            "FusedAdaFactor",
            "FusedAdaFactorWithGlobalNorm",
            "FusedCastAdamWeightDecay",
        ],
        "its kernels write the weights, and give back memory that nobody wrote",
    ),
    "empty_like": "memory that nobody wrote",
    **dict.fromkeys(("get_rng_state", "set_rng_state"), "its ops.rand is not of that state"),
    "manual_seed": "it keeps two seeds; here one is the seed of all",
    "Tensor.requires_grad_": "gives back None, where ours is the tensor, as PyTorch's",
    **dict.fromkeys(("Decode", "ToPIL"), "its transforms do not show what they were made of"),
    "AdjustHue": "one of 255 levels apart",
    **dict.fromkeys(("arccos", "arcsin"), "it computes them of bools in float16"),
    "binary_cross_entropy": "twice the loss, of its formula",
    "NuclearNorm": "not the sum of the singular values",
    **dict.fromkeys(("NextAfter", "nextafter"), "x itself"),
    **dict.fromkeys(("Xlogy", "xlogy", "logsigmoid"), "wrong at the edge: docs/compat.md"),
}


def alike(ours: str, theirs: str) -> bool:
    """Whether two outputs say the same, with numbers as close as their digits."""
    noise = re.compile(r"<BLANKLINE>|[\s,\[\]()]|np\.\w+|dtype=\w+")
    a, b = (re.sub(r" +([+-][\d.e]+j)", r"\1", noise.sub(" ", x)).split() for x in (ours, theirs))
    if [NUMBER.sub("#", x) for x in a] != [NUMBER.sub("#", x) for x in b]:
        return False
    numbers = [[float(n) for x in side for n in NUMBER.findall(x)] for side in (a, b)]
    return np.allclose(*numbers, rtol=2e-4, atol=2e-5, equal_nan=True)


@pytest.mark.parametrize("room", GOLDEN)
def test_an_example_prints_what_mindspore_prints(room: str, written: tuple[Path, str]) -> None:
    other, seen = [], 0
    for front, path, text in read_entries(written[0]):
        theirs = GOLDEN[room].get(path, {}) if front == room else {}
        for example in doctest.DocTestParser().get_examples(text):
            if example.source in theirs and path not in ITS_OWN:
                seen += 1
                if not alike(example.want, theirs[example.source]):
                    other.append(f"{path}: {example.want}MindSpore: {theirs[example.source]}")
    assert not other, "\n".join(other)
    expected = len(GOLDEN[room].keys() - ITS_OWN.keys())
    assert seen >= 0.8 * expected, "too few are as they were: run tests/golden/make_examples.py"
