"""Make single ops, forward and gradient, as they run in a step: minispore's program,
PyTorch eager.

Inputs and cotangents lie where the framework has them, so neither side copies any.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

Step = tuple[Callable[[], Any], str]

# name -> what it is called with; integers are drawn below the number that ends the shape
SHAPES: dict[str, tuple[tuple[int, ...], ...]] = {
    "sum": ((1000, 1000),),
    "relu": ((32, 64, 32, 32),),
    "sigmoid": ((1024, 1024),),
    "tanh": ((1024, 1024),),
    "gelu": ((1024, 1024),),
    "softmax": ((1024, 256),),
    "log_softmax": ((1024, 256),),
    "cross_entropy": ((1024, 1000),),
    "layer_norm": ((1024, 256), (256,), (256,)),
    "batch_norm": ((32, 32, 32, 32),),
    "max_pool": ((32, 32, 32, 32),),
    "embedding": ((10000, 64),),
    "matmul": ((512, 512), (512, 512)),
    "attention": ((8, 4, 128, 32), (8, 4, 128, 32), (8, 4, 128, 32)),
    "conv3x3_16": ((32, 16, 32, 32), (16, 16, 3, 3)),
    "conv3x3_64": ((32, 64, 8, 8), (64, 64, 3, 3)),
    "conv3x3_stride2": ((32, 32, 32, 32), (64, 32, 3, 3)),
    "conv5x5": ((32, 6, 14, 14), (16, 6, 5, 5)),
    "conv1x1": ((16, 96, 16, 16), (24, 96, 1, 1)),
    "depthwise": ((16, 96, 16, 16), (96, 1, 3, 3)),
    "concat": ((256, 1024), (256, 1024)),
}
LABELS = {"cross_entropy": (1024, 1000), "embedding": (8192, 10000)}


def make_arrays(name: str) -> tuple[list[np.ndarray], np.ndarray | None]:
    """Make the inputs, and the class numbers or ids that some ops take."""
    rng = np.random.default_rng(0)
    floats = [rng.standard_normal(s).astype(np.float32) for s in SHAPES[name]]
    ints = LABELS.get(name)
    return floats, None if ints is None else rng.integers(0, ints[1], ints[0]).astype(np.int32)


def minispore_op(name: str, mode: str = "GRAPH") -> Step:
    """Make the op and its gradient as a program of minispore, or op by op."""
    import minispore as ms
    from minispore import nn, ops
    from minispore.graph import program_of

    def conv(**options: Any) -> Any:
        return lambda x, w: ops.conv2d(x, w, **options)

    def attention(q: Any, k: Any, v: Any) -> Any:
        scores = ops.BatchMatMul(transpose_b=True)(q, k) * q.shape[-1] ** -0.5
        return ops.BatchMatMul()(ops.softmax(scores, -1), v)

    floats, ints = make_arrays(name)
    labels = None if ints is None else ms.Tensor(ints)
    norm = nn.BatchNorm2d(32) if name == "batch_norm" else None
    if norm is not None:
        norm.set_train()
    same = {"pad_mode": "pad", "padding": 1}
    make: dict[str, Callable[..., Any]] = {
        "sum": lambda x: x.sum(),
        "relu": ops.relu,
        "sigmoid": ops.sigmoid,
        "tanh": ops.tanh,
        "gelu": lambda x: ops.gelu(x, "tanh"),
        "softmax": ops.softmax,
        "log_softmax": ops.log_softmax,
        "cross_entropy": lambda x: nn.SoftmaxCrossEntropyWithLogits(True, "mean")(x, labels),
        "layer_norm": lambda x, g, b: ops.LayerNorm()(x, g, b)[0],
        "batch_norm": lambda x: norm(x),
        "max_pool": lambda x: ops.MaxPool(2, 2)(x),
        "embedding": lambda table: ops.gather(table, labels, 0),
        "matmul": lambda a, b: ops.MatMul()(a, b),
        "attention": attention,
        "conv3x3_16": conv(**same),
        "conv3x3_64": conv(**same),
        "conv3x3_stride2": conv(stride=2, **same),
        "conv5x5": conv(),
        "conv1x1": conv(),
        "depthwise": conv(groups=96, **same),
        "concat": lambda x, y: ops.concat((x, y), 1),
    }
    ms.set_context(mode=ms.GRAPH_MODE if mode == "GRAPH" else ms.PYNATIVE_MODE)
    inputs = [ms.Parameter(a, name=f"x{i}") for i, a in enumerate(floats)]
    shape = make[name](*inputs).shape
    samples = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    cotangent = ms.Parameter(samples, name="dy", requires_grad=False)

    def compute_output_and_gradients() -> Any:
        y, pull = ops.vjp(lambda *xs: make[name](*xs), *inputs)
        return y, pull(cotangent)

    program = program_of(compute_output_and_gradients) if mode == "GRAPH" else None
    run = compute_output_and_gradients if program is None else lambda: program.run([])
    return run, f"minispore {ms.__version__}, NumPy {np.__version__}"


def torch_op(name: str) -> Step:
    """Make the op and its gradient in PyTorch, eager."""
    import torch
    from torch.nn import functional as F

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))

    def attention(q: Any, k: Any, v: Any) -> Any:
        return torch.softmax(q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5, -1) @ v

    floats, ints = make_arrays(name)
    labels = None if ints is None else torch.from_numpy(ints).long()
    norm = torch.nn.BatchNorm2d(32)
    make: dict[str, Callable[..., Any]] = {
        "sum": torch.sum,
        "relu": F.relu,
        "sigmoid": torch.sigmoid,
        "tanh": torch.tanh,
        "gelu": lambda x: F.gelu(x, approximate="tanh"),
        "softmax": lambda x: torch.softmax(x, -1),
        "log_softmax": lambda x: torch.log_softmax(x, -1),
        "cross_entropy": lambda x: F.cross_entropy(x, labels),
        "layer_norm": lambda x, g, b: F.layer_norm(x, (256,), g, b),
        "batch_norm": norm,
        "max_pool": lambda x: F.max_pool2d(x, 2),
        "embedding": lambda table: F.embedding(labels, table),
        "matmul": torch.matmul,
        "attention": attention,
        "conv3x3_16": lambda x, w: F.conv2d(x, w, padding=1),
        "conv3x3_64": lambda x, w: F.conv2d(x, w, padding=1),
        "conv3x3_stride2": lambda x, w: F.conv2d(x, w, stride=2, padding=1),
        "conv5x5": F.conv2d,
        "conv1x1": F.conv2d,
        "depthwise": lambda x, w: F.conv2d(x, w, padding=1, groups=96),
        "concat": lambda x, y: torch.cat((x, y), 1),
    }
    inputs = [torch.from_numpy(a).requires_grad_() for a in floats]
    y = make[name](*inputs)
    samples = np.random.default_rng(1).standard_normal(tuple(y.shape)).astype(np.float32)
    cotangent = torch.from_numpy(samples)

    def step() -> Any:
        return torch.autograd.grad(make[name](*inputs), inputs, cotangent)

    return step, f"PyTorch {torch.__version__} eager"
