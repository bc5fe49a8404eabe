"""The networks that model files are held to, and one small one."""

from __future__ import annotations

from typing import Any

import pytest

import minispore as ms
from tests.golden.mindir_nets import networks

NAMES = (
    "lenet", "mlp", "resnet", "shapes", "embedded", "inplace", "assigned", "lstm", "more",
    "records",
)  # fmt: skip
IN_ONNX = tuple(name for name in NAMES if name != "more")


@pytest.fixture(scope="session")
def nets() -> dict[str, Any]:
    """Each network with its inputs as Tensors."""
    return {k: (net, [ms.Tensor(x) for x in xs]) for k, (net, xs) in networks(ms).items()}
