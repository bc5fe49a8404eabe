"""Define the networks in MindSpore's API: minispore, and by the same code the real MindSpore.

Each maker takes the module ``ms`` and gives a Cell; ``train`` adds a loss and an optimizer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.suite.work import CODE, FIELDS, LATENT, MOBILE, VOCABULARY, WORDS, WORK, get_batch

Step = tuple[Callable[[], Any], str]


def get_network_makers(ms: Any) -> dict[str, Callable[[], Any]]:
    """Return a function for each network that makes it."""
    nn, ops = ms.nn, ms.ops

    def conv(i: int, o: int, k: int = 3, stride: int = 1, group: int = 1) -> Any:
        return nn.Conv2d(i, o, k, stride, pad_mode="pad", padding=k // 2, group=group)

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

    class Block(nn.Cell):
        def __init__(self, i: int, o: int, stride: int) -> None:
            super().__init__()
            self.conv1, self.bn1 = conv(i, o, 3, stride), nn.BatchNorm2d(o)
            self.conv2, self.bn2 = conv(o, o), nn.BatchNorm2d(o)
            self.relu = nn.ReLU()
            self.short = (
                nn.SequentialCell(conv(i, o, 1, stride), nn.BatchNorm2d(o)) if i != o else None
            )

        def construct(self, x: Any) -> Any:
            y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
            return self.relu(y + (x if self.short is None else self.short(x)))

    class PooledClassifier(nn.Cell):
        """A classifier: feature maps, their mean, and a dense layer."""

        def __init__(self, body: Any, width: int) -> None:
            super().__init__()
            self.body, self.head = body, nn.Dense(width, 10)

        def construct(self, x: Any) -> Any:
            return self.head(ops.mean(self.body(x), (2, 3)))

    def resnet20() -> Any:
        cells: list[Any] = [conv(3, 16), nn.BatchNorm2d(16), nn.ReLU()]
        i = 16
        for o, stride in ((16, 1), (32, 2), (64, 2)):
            for n in range(3):
                cells.append(Block(i, o, stride if n == 0 else 1))
                i = o
        return PooledClassifier(nn.SequentialCell(*cells), 64)

    class Inverted(nn.Cell):
        def __init__(self, i: int, o: int, widen: int, stride: int) -> None:
            super().__init__()
            wide, cells = i * widen, []
            if widen > 1:
                cells += [conv(i, wide, 1), nn.BatchNorm2d(wide), nn.ReLU6()]
            cells += [conv(wide, wide, 3, stride, wide), nn.BatchNorm2d(wide), nn.ReLU6()]
            cells += [conv(wide, o, 1), nn.BatchNorm2d(o)]
            self.body, self.plain = nn.SequentialCell(*cells), stride == 1 and i == o

        def construct(self, x: Any) -> Any:
            return x + self.body(x) if self.plain else self.body(x)

    def mobilenet() -> Any:
        cells: list[Any] = [conv(3, 16), nn.BatchNorm2d(16), nn.ReLU6()]
        i = 16
        for widen, o, repeats, stride in MOBILE:
            for n in range(repeats):
                cells.append(Inverted(i, o, widen, stride if n == 0 else 1))
                i = o
        cells += [conv(i, 128, 1), nn.BatchNorm2d(128), nn.ReLU6()]
        return PooledClassifier(nn.SequentialCell(*cells), 128)

    def alexnet() -> Any:
        def layer(i: int, o: int) -> list[Any]:
            bias = {"has_bias": True, "pad_mode": "pad", "padding": 1}
            return [nn.Conv2d(i, o, 3, 1, **bias), nn.ReLU()]

        return nn.SequentialCell(
            *layer(3, 64), nn.MaxPool2d(2, 2), *layer(64, 128), nn.MaxPool2d(2, 2),
            *layer(128, 192), *layer(192, 128), nn.MaxPool2d(2, 2), nn.Flatten(),
            nn.Dense(2048, 256), nn.ReLU(), nn.Dense(256, 10),
        )  # fmt: skip

    class Pair(nn.Cell):
        def __init__(self, i: int, o: int) -> None:
            super().__init__()
            self.body = nn.SequentialCell(
                *(conv(i, o), nn.BatchNorm2d(o), nn.ReLU()),
                *(conv(o, o), nn.BatchNorm2d(o), nn.ReLU()),
            )

        def construct(self, x: Any) -> Any:
            return self.body(x)

    class UNet(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b, self.c = Pair(1, 16), Pair(16, 32), Pair(32, 64)
            self.pool = nn.MaxPool2d(2, 2)
            self.up_b = nn.Conv2dTranspose(64, 32, 2, 2, pad_mode="pad")
            self.up_a = nn.Conv2dTranspose(32, 16, 2, 2, pad_mode="pad")
            self.join_b, self.join_a = Pair(64, 32), Pair(32, 16)
            self.head = nn.Conv2d(16, 1, 1, has_bias=True)

        def construct(self, x: Any) -> Any:
            a = self.a(x)
            b = self.b(self.pool(a))
            c = self.c(self.pool(b))
            b = self.join_b(ops.concat((b, self.up_b(c)), 1))
            return self.head(self.join_a(ops.concat((a, self.up_a(b)), 1)))

    class Recurrent(nn.Cell):
        def __init__(self, layer: Any) -> None:
            super().__init__()
            self.layer, self.head = layer(64, 128, batch_first=True), nn.Dense(128, 10)

        def construct(self, x: Any) -> Any:
            return self.head(self.layer(x)[0][:, -1])

    class Attention(nn.Cell):
        def __init__(self, width: int, heads: int, causal: int = 0) -> None:
            super().__init__()
            self.heads, self.depth = heads, width // heads
            self.qkv, self.out = nn.Dense(width, 3 * width), nn.Dense(width, width)
            mask = np.triu(np.full((causal, causal), -1e9, np.float32), 1)
            self.mask = ms.Tensor(mask) if causal else None

        def construct(self, x: Any) -> Any:
            n, t, width = x.shape
            qkv = self.qkv(x).reshape((n, t, 3, self.heads, self.depth)).transpose((2, 0, 3, 1, 4))
            q, k, v = qkv[0], qkv[1], qkv[2]
            scores = ops.BatchMatMul(transpose_b=True)(q, k) * self.depth**-0.5
            if self.mask is not None:
                scores = scores + self.mask
            mixed = ops.BatchMatMul()(ops.softmax(scores, -1), v)
            return self.out(mixed.transpose((0, 2, 1, 3)).reshape((n, t, width)))

    class Layer(nn.Cell):
        """A transformer's layer: norm, attention, norm and two products."""

        def __init__(self, width: int, heads: int, causal: int = 0) -> None:
            super().__init__()
            self.attention = Attention(width, heads, causal)
            self.norm_a, self.norm_b = nn.LayerNorm((width,)), nn.LayerNorm((width,))
            self.up, self.down = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)
            self.gelu = nn.GELU()

        def construct(self, x: Any) -> Any:
            x = x + self.attention(self.norm_a(x))
            return x + self.down(self.gelu(self.up(self.norm_b(x))))

    class Gpt(nn.Cell):
        def __init__(self, width: int = 128, depth: int = 4, length: int = 128) -> None:
            super().__init__()
            self.words = nn.Embedding(VOCABULARY, width)
            self.places = ms.Parameter(np.zeros((length, width), np.float32), name="places")
            self.layers = nn.SequentialCell(*[Layer(width, 4, length) for _ in range(depth)])
            self.norm, self.head = nn.LayerNorm((width,)), nn.Dense(width, VOCABULARY)

        def construct(self, ids: Any) -> Any:
            x = self.layers(self.words(ids) + self.places)
            return self.head(self.norm(x)).reshape((-1, VOCABULARY))

    class WideDeep(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.wide, self.table = nn.Embedding(WORDS, 1), nn.Embedding(WORDS, 16)
            self.deep = nn.SequentialCell(
                nn.Dense(FIELDS * 16, 256), nn.ReLU(), nn.Dense(256, 128), nn.ReLU(),
                nn.Dense(128, 1),
            )  # fmt: skip

        def construct(self, ids: Any) -> Any:
            deep = self.deep(self.table(ids).reshape((-1, FIELDS * 16)))
            return self.wide(ids).sum(1) + deep

    class Vae(nn.Cell):
        """The loss of a variational autoencoder, from the images and the normal samples."""

        def __init__(self) -> None:
            super().__init__()
            self.into, self.mean, self.spread = (
                nn.Dense(784, 400), nn.Dense(400, CODE), nn.Dense(400, CODE)
            )  # fmt: skip
            self.out_a, self.out_b = nn.Dense(CODE, 400), nn.Dense(400, 784)
            self.bits = nn.BCEWithLogitsLoss(reduction="sum")

        def construct(self, x: Any, samples: Any) -> Any:
            h = ops.relu(self.into(x))
            mean, spread = self.mean(h), self.spread(h)
            z = mean + samples * ops.exp(0.5 * spread)
            output = self.out_b(ops.relu(self.out_a(z)))
            divergence = -0.5 * (1 + spread - mean * mean - ops.exp(spread)).sum()
            return self.bits(output, x) + divergence

    def up(i: int, o: int, first: bool = False) -> Any:
        stride, padding = (1, 0) if first else (2, 1)
        return nn.Conv2dTranspose(i, o, 4, stride, pad_mode="pad", padding=padding)

    def make_generator() -> Any:
        return nn.SequentialCell(
            up(LATENT, 128, True), nn.BatchNorm2d(128), nn.ReLU(),
            up(128, 64), nn.BatchNorm2d(64), nn.ReLU(),
            up(64, 32), nn.BatchNorm2d(32), nn.ReLU(), up(32, 1), nn.Tanh(),
        )  # fmt: skip

    def make_discriminator() -> Any:
        def down(i: int, o: int) -> Any:
            return nn.Conv2d(i, o, 4, 2, pad_mode="pad", padding=1)

        return nn.SequentialCell(
            down(1, 32), nn.LeakyReLU(0.2), down(32, 64), nn.BatchNorm2d(64), nn.LeakyReLU(0.2),
            down(64, 128), nn.BatchNorm2d(128), nn.LeakyReLU(0.2),
            nn.Conv2d(128, 1, 4, 1, pad_mode="valid"), nn.Flatten(),
        )  # fmt: skip

    return {
        "lenet": lenet, "mlp": mlp, "resnet20": resnet20, "mobilenet": mobilenet,
        "alexnet": alexnet, "unet": UNet, "lstm": lambda: Recurrent(nn.LSTM),
        "gru": lambda: Recurrent(nn.GRU), "gpt": Gpt, "encoder": lambda: Layer(256, 8),
        "widedeep": WideDeep, "vae": Vae, "generator": make_generator,
        "discriminator": make_discriminator,
    }  # fmt: skip


def make_loss(ms: Any, labels: str) -> Any:
    """Make the loss for these labels."""
    if labels == "itself":
        return ms.nn.MSELoss()
    if labels == "bits":
        return ms.nn.BCEWithLogitsLoss()
    return ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")


def _make_optimizer(ms: Any, name: str, weights: Any) -> Any:
    if WORK[name].optimizer == "Adam":
        return ms.nn.Adam(weights, 1e-3)
    return ms.nn.Momentum(weights, 0.01, 0.9)


def make_train_step(ms: Any, name: str) -> tuple[Any, tuple[Any, ...]]:
    """Make a Cell that does one step of ``name`` (a forward pass where nothing is trained),
    and its inputs.
    """
    ms.set_seed(0)
    make, net_name = get_network_makers(ms), WORK[name].net
    x, y = (ms.Tensor(a) for a in get_batch(name))
    if net_name == "dcgan":
        maker, judge = make["generator"](), make["discriminator"]()
        return make_gan_step(ms, maker, judge, lambda w: ms.nn.Adam(w, 2e-4, 0.5)), (x, y)
    net = make[net_name]()
    if not WORK[name].optimizer:
        net.set_train(False)
        return net, (x,)
    with_loss = (
        net if net_name == "vae" else ms.nn.WithLossCell(net, make_loss(ms, WORK[name].labels))
    )
    step = ms.nn.TrainOneStepCell(with_loss, _make_optimizer(ms, name, net.trainable_params()))
    step.set_train()
    return step, (x, y)


def make_gan_step(ms: Any, maker: Any, judge: Any, optimizer: Callable[[Any], Any]) -> Any:
    """Make a step of the discriminator on real and generated images, then one of the generator."""
    nn, ops = ms.nn, ms.ops

    class DiscriminatorLoss(nn.Cell):
        """The loss of the discriminator on real and on generated images."""

        def __init__(self, judge: Any) -> None:
            super().__init__()
            self.judge, self.loss = judge, nn.BCEWithLogitsLoss()

        def construct(self, real: Any, generated: Any) -> Any:
            real_scores, fake_scores = self.judge(real), self.judge(generated)
            return self.loss(real_scores, ops.ones_like(real_scores)) + self.loss(
                fake_scores, ops.zeros_like(fake_scores)
            )

    class GeneratorLoss(nn.Cell):
        """The loss of the generator: its images should pass for real ones."""

        def __init__(self, judge: Any, maker: Any) -> None:
            super().__init__()
            self.judge, self.maker, self.loss = judge, maker, nn.BCEWithLogitsLoss()

        def construct(self, samples: Any) -> Any:
            answer = self.judge(self.maker(samples))
            return self.loss(answer, ops.ones_like(answer))

    class GanStep(nn.Cell):
        def __init__(self) -> None:
            super().__init__(auto_prefix=True)
            self.maker = maker
            judged, fooled = DiscriminatorLoss(judge), GeneratorLoss(judge, maker)
            self.judged = nn.TrainOneStepCell(judged, optimizer(judge.trainable_params()))
            self.fooled = nn.TrainOneStepCell(fooled, optimizer(maker.trainable_params()))

        def construct(self, real: Any, samples: Any) -> Any:
            output = ops.stop_gradient(self.maker(samples))
            return self.judged(real, output) + self.fooled(samples)

    gan_step = GanStep()
    gan_step.set_train()
    return gan_step


def _make_step(ms: Any, options: dict[str, Any]) -> Callable[[], Any]:
    mode = ms.GRAPH_MODE if options["mode"] == "GRAPH" else ms.PYNATIVE_MODE
    ms.set_context(mode=mode, device_target="CPU")
    step, inputs = make_train_step(ms, options["work"])
    return lambda: step(*inputs).asnumpy()


def make_minispore_step(**options: Any) -> Step:
    """Make a step of minispore."""
    import minispore as ms

    return _make_step(ms, options), f"minispore {ms.__version__}, NumPy {np.__version__}"


def make_mindspore_step(**options: Any) -> Step:
    """Make a step of the real MindSpore on the CPU, by the same code."""
    import mindspore as ms

    return _make_step(ms, options), f"mindspore {ms.__version__}"


def compile_step(name: str) -> Any:
    """Return minispore's compiled program of one step, and the seconds that compiling took."""
    import time

    import minispore as ms
    from minispore.graph import program_of

    step, inputs = make_train_step(ms, name)
    start = time.perf_counter()
    return program_of(step, *inputs), time.perf_counter() - start
