"""Model files of the real MindSpore, and what it makes of minispore's.

With MindSpore's interpreter, from the repository's folder::

    python -m tests.golden.make_mindir                write into tests/golden/mindir
    python -m tests.golden.make_mindir --read FOLDER  run FOLDER/*.mindir, which minispore wrote of
                                                      the same networks, and compare
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore._c_expression import typing
from mindspore.common import dtype
from mindspore.train.mind_ir_pb2 import AttributeProto, PrimitiveProto, TensorProto

from tests.golden.changing_nets import CALLS, changing
from tests.golden.mindir_nets import flat, networks

FOLDER = Path(__file__).resolve().parent / "mindir"


def write() -> None:
    """Export each network, and keep its answers."""
    answers = {}
    for name, (net, inputs) in networks(ms).items():
        tensors = [ms.Tensor(x) for x in inputs]
        ms.export(net, *tensors, file_name=str(FOLDER / name), file_format="MINDIR")
        (FOLDER / f"{name}.mindir").chmod(0o644)
        for i, array in enumerate(flat(net(*tensors))):
            answers[f"{name}_{i}"] = array
    np.savez_compressed(FOLDER / "outputs.npz", **answers)
    np.savez_compressed(FOLDER / "changed.npz", **write_changing())
    (FOLDER / "numbers.json").write_text(json.dumps(numbers(), indent=1) + "\n", encoding="utf-8")


def write_changing() -> dict[str, np.ndarray]:
    """Export each network that changes its Parameters; what it gives, and has in the end."""
    answers = {}
    for name, (net, inputs) in changing(ms).items():
        tensors = [ms.Tensor(x) for x in inputs]
        ms.export(net, *tensors, file_name=str(FOLDER / name), file_format="MINDIR")
        (FOLDER / f"{name}.mindir").chmod(0o644)
        for call in range(CALLS):
            for i, array in enumerate(flat(net(*tensors))):
                answers[f"{name}/{call}/{i}"] = array
        for p in net.get_parameters():
            answers[f"{name}/{p.name}"] = p.asnumpy()
    return answers


def numbers() -> dict[str, dict[str, int]]:
    """What MindSpore's format numbers: kinds of attributes and of tensors, and its ops' dtypes."""
    types = [t for t in vars(dtype).values() if isinstance(t, typing.Number)]
    return {
        "AttributeProto": dict(AttributeProto.AttributeType.items()),
        "TensorProto": dict(TensorProto.DataType.items()),
        "PrimitiveProto": dict(PrimitiveProto.PrimType.items()),
        "dtypes": {str(t): typing.type_to_type_id(t) for t in types},
    }


def read(folder: str) -> None:
    """Run minispore's files, and hold them against this MindSpore's own answers."""
    for name, (net, inputs) in networks(ms).items():
        tensors = [ms.Tensor(x) for x in inputs]
        cell = ms.nn.GraphCell(ms.load(str(Path(folder) / f"{name}.mindir")))
        for mine, theirs in zip(flat(net(*tensors)), flat(cell(*tensors)), strict=True):
            np.testing.assert_allclose(theirs, mine, rtol=1e-5, atol=1e-6)
        print(f"{name}: the same")
    for name, (net, inputs) in changing(ms).items():
        tensors = [ms.Tensor(x) for x in inputs]
        cell = ms.nn.GraphCell(ms.load(str(Path(folder) / f"{name}.mindir")))
        for _ in range(CALLS):
            for mine, theirs in zip(flat(net(*tensors)), flat(cell(*tensors)), strict=True):
                np.testing.assert_allclose(theirs, mine, rtol=1e-4, atol=1e-5)
        values_by_name = {p.name: p.asnumpy() for p in cell.get_parameters()}
        for p in net.get_parameters():
            if p.name in values_by_name:
                np.testing.assert_allclose(
                    values_by_name[p.name], p.asnumpy(), rtol=1e-4, atol=1e-5
                )
        print(f"{name}: the same, and goes on alike")


if __name__ == "__main__":
    ms.set_context(mode=ms.GRAPH_MODE)
    read(sys.argv[2]) if sys.argv[1:2] == ["--read"] else write()
