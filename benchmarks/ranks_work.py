"""Do the work of each rank in the benchmark ``ranks``: training steps, or all-reduces.

``python -m minispore --ranks 2 benchmarks/ranks_work.py lenet 300``. Rank i keeps to core i. Rank 0
prints a line of JSON with the seconds of its part.
"""

import itertools
import json
import os
import sys
import time

import numpy as np

import lenet_mnist
import minispore as ms
from minispore import nn, ops
from minispore.communication import get_rank, init
from minispore.ops.support import transport

WARM_UP = 20
BATCH = 32


class Block(nn.Cell):
    """A residual block: relu(x + two 3x3 convolutions of x), ``stride`` times as small."""

    def __init__(self, inner, outer, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inner, outer, 3, stride), nn.BatchNorm2d(outer)
        self.conv2, self.bn2 = nn.Conv2d(outer, outer, 3), nn.BatchNorm2d(outer)
        self.down = nn.Conv2d(inner, outer, 1, stride) if stride > 1 else nn.Identity()

    def construct(self, x):
        y = ops.relu(self.bn1(self.conv1(x)))
        return ops.relu(self.bn2(self.conv2(y)) + self.down(x))


def resnet20():
    """Make the ResNet-20 of He et al. for 32 x 32 images, and the shape of its batch."""
    widths = [16, 16, 16, 16, 32, 32, 32, 64, 64, 64]
    blocks = [Block(a, b, 2 if b > a else 1) for a, b in itertools.pairwise(widths)]
    stem = [nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU()]
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dense(64, 10)]
    return nn.SequentialCell(*stem, *blocks, *head), (BATCH, 3, 32, 32)


def lenet():
    """Make LeNet-5, and the shape of its batch."""
    return lenet_mnist.LeNet5(), (BATCH, 1, 32, 32)


def time_training(make, steps):
    """Return the seconds, the all-reduce buckets and the hidden share of a step, over
    ``steps`` steps.
    """
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    net, shape = make()
    rng = np.random.default_rng(get_rank())
    x = ms.Tensor(rng.standard_normal(shape, np.float32))
    y = ms.Tensor(rng.integers(0, 10, shape[0]).astype(np.int32))
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
    for _ in range(WARM_UP):
        step(x, y)
    traffic = transport.current.traffic
    buckets, waited, flying = traffic.buckets, traffic.waited_ns, traffic.in_flight_ns
    start = time.perf_counter()
    for _ in range(steps):
        step(x, y)
    seconds = time.perf_counter() - start
    flying, waited = traffic.in_flight_ns - flying, traffic.waited_ns - waited
    return {
        "seconds": seconds / steps,
        "buckets": (traffic.buckets - buckets) / steps,
        "hidden": 1 - waited / flying if flying else 0.0,
    }


def time_all_reduce(nbytes, rounds):
    """Return the seconds of one all-reduce of float32: the best of three medians."""
    x = np.ones(max(1, nbytes // 4), np.float32)
    medians = []
    for _ in range(3):
        times = []
        for _ in range(rounds):
            start = time.perf_counter()
            transport.current.all_reduce(x, "sum", "hccl_world_group")
            times.append(time.perf_counter() - start)
        medians.append(float(np.median(times)))
    return {"seconds": min(medians)}


if __name__ == "__main__":
    init()
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[get_rank() % len(cores)]})
    what, count = sys.argv[1], int(sys.argv[2])
    if what == "all_reduce":
        result = time_all_reduce(count, 3 if count > 1 << 20 else 100)
    else:
        result = time_training({"lenet": lenet, "resnet20": resnet20}[what], count)
    if get_rank() == 0:
        print(json.dumps(result), flush=True)
