"""Every op that a model file can say, on the samples of its contract: its numbers stay the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from minispore import Tensor, nn
from minispore.train.interchange import mindir_read, mindir_write, onnx_write
from minispore.train.interchange.inference import inference_graph
from minispore.train.interchange.mindir_ops import FUNCTIONS, RECORDS
from minispore.train.interchange.mindir_proto import ModelProto
from minispore.train.interchange.onnx_shapes import RULES
from tests.golden.mindir_nets import flat
from tests.ops.samples import SAMPLES, Sample, load

load()


class One(nn.Cell):
    """One op; its arrays are the inputs, all else is fixed."""

    def __init__(self, sample: Sample) -> None:
        super().__init__()
        self.sample = sample

    def construct(self, *arrays: Tensor) -> Any:
        left = iter(arrays)
        return self.sample.op(
            *[next(left) if isinstance(a, np.ndarray) else a for a in self.sample.args]
        )


def inputs(sample: Sample) -> list[Tensor]:
    return [Tensor(a) for a in sample.args if isinstance(a, np.ndarray)]


def onnx_numbers(sample: Sample) -> list[np.ndarray]:
    """What onnxruntime makes of the op."""
    runtime = pytest.importorskip("onnxruntime")
    function = inference_graph(One(sample), tuple(inputs(sample)))
    content = onnx_write.model_of(function, function).SerializeToString()
    options = runtime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    session = runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    given = zip(session.get_inputs(), inputs(sample), strict=True)
    made: list[np.ndarray] = session.run(None, {i.name: x.asnumpy() for i, x in given})
    return made


def mindir_numbers(sample: Sample) -> list[np.ndarray]:
    """What the op gives when it was written and read again."""
    function = inference_graph(One(sample), tuple(inputs(sample)))
    content = mindir_write.model_of(function, function).SerializeToString()
    return flat(mindir_read.graph_of(ModelProto.FromString(content))(*inputs(sample)))


def integers(sample: Sample) -> bool:
    return all(x.dtype.kind == "i" for x in inputs(sample))


Says = Callable[[Any, Sample], Any]

#: What ONNX has not: (op, sample) -> whether it is refused.
NOT_IN_ONNX: dict[str, Says] = {
    "AvgPool": lambda op, _: op.ceil_mode or op.divisor_override is not None,
    "BatchNormInfer": lambda op, _: op.data_format == "NHWC",
    "Cast": lambda _, s: any(x.dtype.kind == "c" for x in inputs(s)),
    "FloorDiv": lambda _, s: integers(s),
    "Gather": lambda op, _: op.batch_dims,
    "HSigmoid": lambda _, s: integers(s),
    "HSwish": lambda _, s: integers(s),
    "LayerNorm": lambda *_: True,  # its mean and variance are looked at
    "Softmax": lambda op, _: isinstance(op.axis, tuple) and len(op.axis) > 1,
}
#: What MindSpore's files have not.
NOT_IN_MINDIR: dict[str, Says] = {
    "AvgPool": NOT_IN_ONNX["AvgPool"],
    "BatchNorm": lambda op, _: op.is_training,
    "TensorScatterElements": lambda op, _: op.reduction not in ("none", "add"),
}


def check(name: str, numbers: Callable[[Sample], list[np.ndarray]], refused: Says) -> None:
    for sample in SAMPLES[name]:
        if refused(sample.op, sample):
            with pytest.raises(RuntimeError, match=r"^export: \w+\(.*\) \(in One, "):
                numbers(sample)
            continue
        got, want = numbers(sample), flat(One(sample)(*inputs(sample)))
        if name.endswith("Sequence"):  # the gates are for the gradient alone
            got, want = got[1:], want[1:]
        for a, b in zip(got, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5, err_msg=str(sample))
            assert a.dtype == b.dtype, sample


@pytest.mark.parametrize("name", sorted(RULES))
def test_onnxruntime_gives_the_numbers_of_the_op(name: str) -> None:
    check(name, onnx_numbers, NOT_IN_ONNX.get(name, lambda *_: False))


@pytest.mark.parametrize("name", sorted({*FUNCTIONS, *RECORDS}))
def test_an_op_that_is_written_and_read_gives_its_numbers(name: str) -> None:
    check(name, mindir_numbers, NOT_IN_MINDIR.get(name, lambda *_: False))
