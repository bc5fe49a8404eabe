"""Every op that a model file can say, on the samples of its contract: its numbers stay the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from minispore import Parameter, Tensor, nn
from minispore.train.interchange import mindir_read, mindir_write, onnx_write
from minispore.train.interchange.inference import trace_inference_network, trace_network
from minispore.train.interchange.mindir_ops import FUNCTIONS, RECORDS
from minispore.train.interchange.mindir_proto import ModelProto
from minispore.train.interchange.onnx_compound import RULES
from tests.golden.mindir_nets import flat
from tests.ops.samples import SAMPLES, Sample, load

load()


class One(nn.Cell):
    """One op; its arrays are the inputs, those that it changes Parameters, all else is fixed."""

    def __init__(self, sample: Sample) -> None:
        super().__init__()
        self.sample = sample
        for i in sample.op.mutates:
            setattr(self, f"held{i}", Parameter(Tensor(sample.args[i]), name=f"held{i}"))

    def construct(self, *arrays: Tensor) -> Any:
        left, of = iter(arrays), self.sample
        return of.op(*[
            getattr(self, f"held{i}") if i in of.op.mutates
            else next(left) if isinstance(a, np.ndarray) else a
            for i, a in enumerate(of.args)
        ])  # fmt: skip


def inputs(sample: Sample) -> list[Tensor]:
    values = sample.op.mutates
    return [
        Tensor(a)
        for i, a in enumerate(sample.args)
        if isinstance(a, np.ndarray) and i not in values
    ]


def onnx_numbers(sample: Sample) -> list[np.ndarray]:
    """What onnxruntime makes of the op."""
    runtime = pytest.importorskip("onnxruntime")
    function = trace_inference_network(One(sample), tuple(inputs(sample)))
    content = onnx_write.make_model(function, function).SerializeToString()
    options = runtime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    session = runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    args = zip(session.get_inputs(), inputs(sample), strict=True)
    output: list[np.ndarray] = session.run(None, {i.name: x.asnumpy() for i, x in args})
    return output


def mindir_numbers(sample: Sample) -> list[np.ndarray]:
    """What the op gives when it was written and read again."""
    function = trace_network(One(sample), tuple(inputs(sample)))
    content = mindir_write.make_model(function, function).SerializeToString()
    graph = mindir_read.read_graph(ModelProto.FromString(content))
    return [*flat(graph(*inputs(sample))), *[p.asnumpy() for p in graph.parameters.values()]]


def integers(sample: Sample) -> bool:
    return all(x.dtype.kind == "i" for x in inputs(sample))


Says = Callable[[Any, Sample], Any]

#: What ONNX has not: (op, sample) -> whether it is refused.
NOT_IN_ONNX: dict[str, Says] = {
    "AvgPool": lambda op, _: op.ceil_mode or op.divisor_override is not None,
    "BatchNormInfer": lambda op, _: op.data_format == "NHWC",
    "Cast": lambda _, s: any(x.dtype.kind == "c" for x in inputs(s)),
    "FloorDiv": lambda _, s: integers(s),
    "HSigmoid": lambda _, s: integers(s),
    "HSwish": lambda _, s: integers(s),
    "LayerNorm": lambda *_: True,  # its mean and variance are looked at
    "Softmax": lambda op, _: isinstance(op.axis, tuple) and len(op.axis) > 1,
}
#: What MindSpore's files have not.
NOT_IN_MINDIR: dict[str, Says] = {
    "AvgPool": NOT_IN_ONNX["AvgPool"],
    "AvgPoolGrad": lambda op, _: op.ceil_mode or (any(op.pad) and op.pad_mode != "same"),
    "MaxPoolGrad": lambda op, _: op.ceil_mode or (any(op.pad) and op.pad_mode != "same"),
    "BatchNorm": lambda op, _: op.is_training,
    "NLLLossGrad": lambda *_: True,  # it stands alone here
    "TensorScatterElements": lambda op, _: op.reduction not in ("none", "add"),
}


def check(name: str, numbers: Callable[[Sample], list[np.ndarray]], refused: Says) -> None:
    for sample in SAMPLES[name]:
        if refused(sample.op, sample):
            with pytest.raises(RuntimeError, match=r"^export: \w+\(.*\) \(in One, "):
                numbers(sample)
            continue
        got, net = numbers(sample), One(sample)
        expected = [*flat(net(*inputs(sample))), *[p.asnumpy() for p in net.get_parameters()]]
        if name == "Dropout":  # another draw
            got, expected = ([a != 0 for a in of] for of in (got, expected))
            assert got[0].any() == expected[0].any()
            continue
        if name.endswith("Sequence"):  # the gates are for the gradient alone
            got, expected = got[1:], expected[1:]
        for a, b in zip(got, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5, err_msg=str(sample))
            assert a.dtype == b.dtype, sample


@pytest.mark.parametrize("name", sorted(RULES))
def test_onnxruntime_gives_the_numbers_of_the_op(name: str) -> None:
    check(name, onnx_numbers, NOT_IN_ONNX.get(name, lambda *_: False))


@pytest.mark.parametrize("name", sorted({*FUNCTIONS, *RECORDS}))
def test_an_op_that_is_written_and_read_gives_its_numbers(name: str) -> None:
    check(name, mindir_numbers, NOT_IN_MINDIR.get(name, lambda *_: False))
