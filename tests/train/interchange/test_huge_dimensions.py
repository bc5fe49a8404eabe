"""MindIR files that name huge shapes are refused before memory is asked for."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import minispore as ms
from minispore import nn
from minispore.train.interchange import mindir_proto


@pytest.mark.parametrize("dims", [[2**62, 2], [2**31, 2**31], [2**40], [-5, 3], [1] * 1000])
@pytest.mark.parametrize("place", ["parameter", "input"])
def test_a_shape_that_no_memory_holds_is_refused(
    dims: list[int], place: str, tmp_path: Path
) -> None:
    file = tmp_path / "net.mindir"
    x = ms.Tensor(np.ones((1, 2), np.float32))
    ms.export(nn.Dense(2, 2), x, file_name=str(file), file_format="MINDIR")
    model = ms.load_mindir(str(file))
    graph = model.graph
    tensor = graph.parameter[0] if place == "parameter" else graph.input[0].tensor[0]
    tensor.dims[:] = dims
    file.chmod(0o600)
    file.write_bytes(model.SerializeToString())
    assert isinstance(model, mindir_proto.ModelProto)
    tracemalloc.start()
    try:
        with pytest.raises((RuntimeError, ValueError, TypeError)):
            nn.GraphCell(ms.load(str(file)))(x)
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()
