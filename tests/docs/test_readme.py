"""What README.md shows of a session is what the package prints."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

import lenet_mnist
import minispore as ms
from minispore import nn


def sessions(root: Path) -> list[str]:
    text = (root / "README.md").read_text(encoding="utf-8")
    return re.findall(r"```pycon\n(.*?)```", text, re.DOTALL)


@pytest.fixture
def names() -> dict[str, object]:
    """What the sessions take for granted: numpy, and the LeNet model of the example."""
    ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
    network = lenet_mnist.LeNet5()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(network.trainable_params(), learning_rate=0.01, momentum=0.9)
    return {"np": np, "ms": ms, "model": ms.Model(network, loss, optimizer)}


def test_the_sessions_of_the_readme_are_true(root: Path, names: dict[str, object]) -> None:
    found = sessions(root)
    assert len(found) == 2
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    for number, session in enumerate(found):
        test = doctest.DocTestParser().get_doctest(session, names, f"session {number}", None, None)
        runner.run(test, out=report.append)
    assert not runner.failures, "".join(report)
