"""What ``benchmarks.step`` times: the same networks in minispore, hand-written NumPy and peers.

Each function takes the benchmark's options and returns ``(step, about)``, see benchmarks.harness.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Step = tuple[Callable[[], Any], str]

WORK = ("lenet", "mlp", "resnet20", "lenet_infer_1", "lenet_infer_1000")
_BATCH = {"lenet": 32, "mlp": 128, "resnet20": 32, "lenet_infer_1": 1, "lenet_infer_1000": 1000}


def data(work: str) -> tuple[np.ndarray, np.ndarray]:
    """A batch of noise in the network's shape, and labels."""
    rng, n = np.random.default_rng(0), _BATCH[work]
    shape = {"mlp": (n, 784), "resnet20": (n, 3, 32, 32)}.get(work, (n, 1, 32, 32))
    x = rng.standard_normal(shape).astype(np.float32)
    return x, rng.integers(0, 10, n).astype(np.int32)


# -- minispore, and the real MindSpore by the same code -------------------------------------------


def _networks(ms: Any) -> dict[str, Callable[[], Any]]:
    nn, ops = ms.nn, ms.ops

    def lenet() -> Any:
        return nn.SequentialCell(
            nn.Conv2d(1, 6, 5, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2),
            nn.Conv2d(6, 16, 5, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(),
            nn.Dense(400, 120), nn.ReLU(), nn.Dense(120, 84), nn.ReLU(), nn.Dense(84, 10),
        )  # fmt: skip

    def mlp() -> Any:
        return nn.SequentialCell(
            nn.Dense(784, 512), nn.ReLU(), nn.Dense(512, 512), nn.ReLU(), nn.Dense(512, 10)
        )

    def conv(i: int, o: int, k: int, stride: int = 1) -> Any:
        return nn.Conv2d(i, o, k, stride, pad_mode="pad", padding=k // 2)

    class Block(nn.Cell):
        def __init__(self, i: int, o: int, stride: int) -> None:
            super().__init__()
            self.conv1, self.bn1 = conv(i, o, 3, stride), nn.BatchNorm2d(o)
            self.conv2, self.bn2 = conv(o, o, 3), nn.BatchNorm2d(o)
            self.relu = nn.ReLU()
            self.short = (
                nn.SequentialCell(conv(i, o, 1, stride), nn.BatchNorm2d(o)) if i != o else None
            )

        def construct(self, x: Any) -> Any:
            y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
            return self.relu(y + (x if self.short is None else self.short(x)))

    class ResNet20(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.SequentialCell(conv(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU())
            blocks, i = [], 16
            for o, stride in ((16, 1), (32, 2), (64, 2)):
                for n in range(3):
                    blocks.append(Block(i, o, stride if n == 0 else 1))
                    i = o
            self.blocks = nn.SequentialCell(*blocks)
            self.head = nn.Dense(64, 10)

        def construct(self, x: Any) -> Any:
            return self.head(ops.mean(self.blocks(self.stem(x)), (2, 3)))

    return {"lenet": lenet, "mlp": mlp, "resnet20": ResNet20}


def _mindspore_like(ms: Any, options: dict[str, Any]) -> Callable[[], Any]:
    mode = ms.GRAPH_MODE if options["mode"] == "GRAPH" else ms.PYNATIVE_MODE
    ms.set_context(mode=mode, device_target="CPU")
    ms.set_seed(0)
    work = options["work"]
    net = _networks(ms)[work.split("_")[0]]()
    x, y = (ms.Tensor(a) for a in data(work))
    if "infer" in work:
        net.set_train(False)
        return lambda: net(x).asnumpy()
    loss = ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    if work == "mlp":
        optimizer = ms.nn.Adam(net.trainable_params(), 1e-3)
    else:
        optimizer = ms.nn.Momentum(net.trainable_params(), 0.01, 0.9)
    step = ms.nn.TrainOneStepCell(ms.nn.WithLossCell(net, loss), optimizer)
    step.set_train()
    return lambda: step(x, y).asnumpy()


def minispore_step(**options: Any) -> Step:
    """A step of minispore."""
    import minispore as ms

    return _mindspore_like(ms, options), f"minispore {ms.__version__}, NumPy {np.__version__}"


def mindspore_step(**options: Any) -> Step:
    """A step of the real MindSpore on the CPU, by the same code."""
    import mindspore as ms

    return _mindspore_like(ms, options), f"mindspore {ms.__version__}"


# -- PyTorch --------------------------------------------------------------------------------------


def torch_step(**options: Any) -> Step:
    """A step of PyTorch, eager or compiled."""
    import os

    import torch
    from torch import nn

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    torch.manual_seed(0)

    class Block(nn.Module):
        def __init__(self, i: int, o: int, stride: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(i, o, 3, stride, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(o)
            self.conv2, self.bn2 = nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o)
            self.short = nn.Identity()
            if i != o:
                self.short = nn.Sequential(
                    nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o)
                )

        def forward(self, x: Any) -> Any:
            y = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
            return torch.relu(y + self.short(x))

    def resnet20() -> Any:
        layers: list[Any] = [nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU()]
        i = 16
        for o, stride in ((16, 1), (32, 2), (64, 2)):
            for n in range(3):
                layers.append(Block(i, o, stride if n == 0 else 1))
                i = o
        return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))

    def lenet() -> Any:
        return nn.Sequential(
            nn.Conv2d(1, 6, 5, bias=False), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(6, 16, 5, bias=False), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
            nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
        )  # fmt: skip

    def mlp() -> Any:
        return nn.Sequential(
            nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)
        )

    work = options["work"]
    net = {"lenet": lenet, "mlp": mlp, "resnet20": resnet20}[work.split("_")[0]]()
    x, y = (torch.from_numpy(a) for a in data(work))
    y = y.long()
    how = "torch.compile" if options.get("compile") else "eager"
    run = torch.compile(net) if options.get("compile") else net
    if "infer" in work:
        net.eval()

        def infer() -> Any:
            with torch.no_grad():
                return run(x).numpy()

        return infer, f"PyTorch {torch.__version__} {how}"
    loss_of = nn.CrossEntropyLoss()
    if work == "mlp":
        optimizer: Any = torch.optim.Adam(net.parameters(), 1e-3)
    else:
        optimizer = torch.optim.SGD(net.parameters(), 0.01, 0.9)

    def step() -> float:
        optimizer.zero_grad()
        loss = loss_of(run(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step, f"PyTorch {torch.__version__} {how}"


# -- JAX ------------------------------------------------------------------------------------------


def jax_step(**options: Any) -> Step:
    """A step of JAX under jit: LeNet or the MLP, Momentum or Adam written out."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    work = options["work"]
    rng = np.random.default_rng(1)
    x, y = (jnp.asarray(a) for a in data(work))

    def dense(i: int, o: int) -> tuple[Any, Any]:
        return jnp.asarray(rng.standard_normal((i, o)) * i**-0.5, jnp.float32), jnp.zeros(o)

    def forward(params: Any, x: Any) -> Any:
        if work != "mlp":
            w1, w2, *params = params
            for w in (w1, w2):
                x = lax.conv(x, w, (1, 1), "VALID")
                window = (1, 1, 2, 2)
                x = lax.reduce_window(jax.nn.relu(x), -jnp.inf, lax.max, window, window, "VALID")
            x = x.reshape(len(x), -1)
        for i, (w, b) in enumerate(params):
            x = x @ w + b
            x = x if i == len(params) - 1 else jax.nn.relu(x)
        return x

    if work == "mlp":
        params: Any = [dense(784, 512), dense(512, 512), dense(512, 10)]
    else:
        filters = [(6, 1, 5, 5), (16, 6, 5, 5)]
        params = [jnp.asarray(rng.standard_normal(s) * 0.1, jnp.float32) for s in filters]
        params += [dense(400, 120), dense(120, 84), dense(84, 10)]
    if "infer" in work:
        run = jax.jit(forward)
        return lambda: np.asarray(run(params, x)), f"JAX {jax.__version__} jit"

    def loss(params: Any) -> Any:
        logits = forward(params, x)
        return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(len(y)), y])

    @jax.jit
    def train(params: Any, moments: Any, t: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params)
        tree = jax.tree_util.tree_map
        if work == "mlp":
            m = tree(lambda m, g: 0.9 * m + 0.1 * g, moments[0], grads)
            v = tree(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], grads)
            scale = 1e-3 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
            params = tree(lambda p, m, v: p - scale * m / (jnp.sqrt(v) + 1e-8), params, m, v)
            return value, params, (m, v)
        m = tree(lambda m, g: 0.9 * m + g, moments[0], grads)
        return value, tree(lambda p, m: p - 0.01 * m, params, m), (m, moments[1])

    zeros = jax.tree_util.tree_map(jnp.zeros_like, params)
    state = [params, (zeros, zeros), 1.0]

    def step() -> float:
        value, state[0], state[1] = train(*state)
        state[2] += 1.0
        return float(value)

    return step, f"JAX {jax.__version__} jit"


# -- tinygrad -------------------------------------------------------------------------------------


def tinygrad_step(**options: Any) -> Step:
    """A step of tinygrad under TinyJit: LeNet or the MLP."""
    import tinygrad
    from tinygrad import Context, Tensor, TinyJit
    from tinygrad import nn as tnn

    work = options["work"]
    x, y = (Tensor(a).realize() for a in data(work))
    if work == "mlp":
        layers: list[Any] = [tnn.Linear(784, 512), tnn.Linear(512, 512), tnn.Linear(512, 10)]
        convs: list[Any] = []
    else:
        convs = [tnn.Conv2d(1, 6, 5, bias=False), tnn.Conv2d(6, 16, 5, bias=False)]
        layers = [tnn.Linear(400, 120), tnn.Linear(120, 84), tnn.Linear(84, 10)]

    def forward(x: Any) -> Any:
        for c in convs:
            x = c(x).relu().max_pool2d((2, 2))
        x = x.flatten(1)
        for i, layer in enumerate(layers):
            x = layer(x) if i == len(layers) - 1 else layer(x).relu()
        return x

    about = f"tinygrad {getattr(tinygrad, '__version__', '')} TinyJit"
    if "infer" in work:
        run = TinyJit(lambda x: forward(x).realize())
        return lambda: run(x).numpy(), about
    params = tnn.state.get_parameters([*convs, *layers])
    if work == "mlp":
        optimizer: Any = tnn.optim.Adam(params, 1e-3)
    else:
        optimizer = tnn.optim.SGD(params, 0.01, momentum=0.9)

    @TinyJit
    def train(x: Any, y: Any) -> Any:
        with Context(TRAINING=1):
            optimizer.zero_grad()
            loss = forward(x).sparse_categorical_crossentropy(y).backward()
            optimizer.step()
            return loss.realize()

    return lambda: train(x, y).item(), about


# -- NumPy by hand, and the plan of ours ----------------------------------------------------------


def handwritten_step(**options: Any) -> Step:
    """A LeNet step without any framework."""
    from benchmarks.handwritten import lenet_step

    return lenet_step(*data("lenet")), f"NumPy {np.__version__}, see benchmarks/handwritten.py"


def program(work: str) -> Any:
    """minispore's compiled program of one step, and the seconds that compiling it took."""
    import time

    import minispore as ms
    from minispore.graph import program_of

    net = _networks(ms)[work.split("_")[0]]()
    x, y = (ms.Tensor(a) for a in data(work))
    if "infer" in work:
        start = time.perf_counter()
        return program_of(net, x), time.perf_counter() - start
    loss = ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    momentum = ms.nn.Momentum(net.trainable_params(), 0.01, 0.9)
    optimizer = ms.nn.Adam(net.trainable_params(), 1e-3) if work == "mlp" else momentum
    step = ms.nn.TrainOneStepCell(ms.nn.WithLossCell(net, loss), optimizer)
    step.set_train()
    start = time.perf_counter()
    return program_of(step, x, y), time.perf_counter() - start
