"""Define the same networks in PyTorch, as its users write them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from benchmarks.suite.work import CODE, FIELDS, LATENT, MOBILE, VOCABULARY, WORDS, WORK, get_batch

Step = tuple[Callable[[], Any], str]


def conv(i: int, o: int, k: int = 3, stride: int = 1, groups: int = 1) -> nn.Module:
    return nn.Conv2d(i, o, k, stride, k // 2, groups=groups, bias=False)


def lenet() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, bias=False), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5, bias=False), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    )  # fmt: skip


def mlp() -> nn.Module:
    return nn.Sequential(
        nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)
    )


class Block(nn.Module):
    def __init__(self, i: int, o: int, stride: int) -> None:
        super().__init__()
        self.conv1, self.bn1 = conv(i, o, 3, stride), nn.BatchNorm2d(o)
        self.conv2, self.bn2 = conv(o, o), nn.BatchNorm2d(o)
        same = i == o
        self.short = (
            nn.Identity() if same else nn.Sequential(conv(i, o, 1, stride), nn.BatchNorm2d(o))
        )

    def forward(self, x: Any) -> Any:
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + self.short(x))


def make_pooled_classifier(layers: list[nn.Module], width: int) -> nn.Module:
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 10))


def resnet20() -> nn.Module:
    layers: list[nn.Module] = [conv(3, 16), nn.BatchNorm2d(16), nn.ReLU()]
    i = 16
    for o, stride in ((16, 1), (32, 2), (64, 2)):
        for n in range(3):
            layers.append(Block(i, o, stride if n == 0 else 1))
            i = o
    return make_pooled_classifier(layers, 64)


class Inverted(nn.Module):
    def __init__(self, i: int, o: int, widen: int, stride: int) -> None:
        super().__init__()
        wide, layers = i * widen, []
        if widen > 1:
            layers += [conv(i, wide, 1), nn.BatchNorm2d(wide), nn.ReLU6()]
        layers += [conv(wide, wide, 3, stride, wide), nn.BatchNorm2d(wide), nn.ReLU6()]
        layers += [conv(wide, o, 1), nn.BatchNorm2d(o)]
        self.body, self.plain = nn.Sequential(*layers), stride == 1 and i == o

    def forward(self, x: Any) -> Any:
        return x + self.body(x) if self.plain else self.body(x)


def mobilenet() -> nn.Module:
    layers: list[nn.Module] = [conv(3, 16), nn.BatchNorm2d(16), nn.ReLU6()]
    i = 16
    for widen, o, repeats, stride in MOBILE:
        for n in range(repeats):
            layers.append(Inverted(i, o, widen, stride if n == 0 else 1))
            i = o
    return make_pooled_classifier([*layers, conv(i, 128, 1), nn.BatchNorm2d(128), nn.ReLU6()], 128)


def alexnet() -> nn.Module:
    def layer(i: int, o: int) -> list[nn.Module]:
        return [nn.Conv2d(i, o, 3, 1, 1), nn.ReLU()]

    return nn.Sequential(
        *layer(3, 64), nn.MaxPool2d(2), *layer(64, 128), nn.MaxPool2d(2),
        *layer(128, 192), *layer(192, 128), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(2048, 256), nn.ReLU(), nn.Linear(256, 10),
    )  # fmt: skip


def pair(i: int, o: int) -> nn.Module:
    return nn.Sequential(
        *(conv(i, o), nn.BatchNorm2d(o), nn.ReLU()), *(conv(o, o), nn.BatchNorm2d(o), nn.ReLU())
    )


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.c = pair(1, 16), pair(16, 32), pair(32, 64)
        self.up_b = nn.ConvTranspose2d(64, 32, 2, 2, bias=False)
        self.up_a = nn.ConvTranspose2d(32, 16, 2, 2, bias=False)
        self.join_b, self.join_a, self.head = pair(64, 32), pair(32, 16), nn.Conv2d(16, 1, 1)

    def forward(self, x: Any) -> Any:
        a = self.a(x)
        b = self.b(F.max_pool2d(a, 2))
        c = self.c(F.max_pool2d(b, 2))
        b = self.join_b(torch.cat((b, self.up_b(c)), 1))
        return self.head(self.join_a(torch.cat((a, self.up_a(b)), 1)))


class Recurrent(nn.Module):
    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.layer, self.head = layer(64, 128, batch_first=True), nn.Linear(128, 10)

    def forward(self, x: Any) -> Any:
        return self.head(self.layer(x)[0][:, -1])


class Layer(nn.Module):
    """A transformer's layer: norm, attention, norm and two products."""

    def __init__(self, width: int, heads: int, causal: bool = False) -> None:
        super().__init__()
        self.heads, self.causal = heads, causal
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.norm_a, self.norm_b = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attention(self, x: Any) -> Any:
        n, t, width = x.shape
        q, k, v = self.qkv(x).reshape(n, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        actual = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.out(actual.transpose(1, 2).reshape(n, t, width))

    def forward(self, x: Any) -> Any:
        x = x + self.attention(self.norm_a(x))
        return x + self.down(F.gelu(self.up(self.norm_b(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, width: int = 128, depth: int = 4, length: int = 128) -> None:
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, width)
        self.places = nn.Parameter(torch.zeros(length, width))
        self.layers = nn.Sequential(*[Layer(width, 4, True) for _ in range(depth)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, VOCABULARY)

    def forward(self, ids: Any) -> Any:
        x = self.layers(self.words(ids) + self.places)
        return self.head(self.norm(x)).reshape(-1, VOCABULARY)


class WideDeep(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.wide, self.table = nn.Embedding(WORDS, 1), nn.Embedding(WORDS, 16)
        self.deep = nn.Sequential(
            nn.Linear(FIELDS * 16, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(),
            nn.Linear(128, 1),
        )  # fmt: skip

    def forward(self, ids: Any) -> Any:
        return self.wide(ids).sum(1) + self.deep(self.table(ids).reshape(-1, FIELDS * 16))


class Vae(nn.Module):
    """The loss of a variational autoencoder, from the images and the normal samples."""

    def __init__(self) -> None:
        super().__init__()
        self.into = nn.Linear(784, 400)
        self.mean, self.spread = nn.Linear(400, CODE), nn.Linear(400, CODE)
        self.out_a, self.out_b = nn.Linear(CODE, 400), nn.Linear(400, 784)

    def forward(self, x: Any, samples: Any) -> Any:
        h = F.relu(self.into(x))
        mean, spread = self.mean(h), self.spread(h)
        z = mean + samples * torch.exp(0.5 * spread)
        output = self.out_b(F.relu(self.out_a(z)))
        divergence = -0.5 * (1 + spread - mean * mean - torch.exp(spread)).sum()
        return F.binary_cross_entropy_with_logits(output, x, reduction="sum") + divergence


def up(i: int, o: int, first: bool = False) -> nn.Module:
    stride, padding = (1, 0) if first else (2, 1)
    return nn.ConvTranspose2d(i, o, 4, stride, padding, bias=False)


def make_generator() -> nn.Module:
    return nn.Sequential(
        up(LATENT, 128, True), nn.BatchNorm2d(128), nn.ReLU(),
        up(128, 64), nn.BatchNorm2d(64), nn.ReLU(),
        up(64, 32), nn.BatchNorm2d(32), nn.ReLU(), up(32, 1), nn.Tanh(),
    )  # fmt: skip


def make_discriminator() -> nn.Module:
    def down(i: int, o: int) -> nn.Module:
        return nn.Conv2d(i, o, 4, 2, 1, bias=False)

    return nn.Sequential(
        down(1, 32), nn.LeakyReLU(0.2), down(32, 64), nn.BatchNorm2d(64), nn.LeakyReLU(0.2),
        down(64, 128), nn.BatchNorm2d(128), nn.LeakyReLU(0.2),
        nn.Conv2d(128, 1, 4, bias=False), nn.Flatten(),
    )  # fmt: skip


NETWORKS: dict[str, Callable[[], nn.Module]] = {
    "lenet": lenet, "mlp": mlp, "resnet20": resnet20, "mobilenet": mobilenet, "alexnet": alexnet,
    "unet": UNet, "lstm": lambda: Recurrent(nn.LSTM), "gru": lambda: Recurrent(nn.GRU), "gpt": Gpt,
    "encoder": lambda: Layer(256, 8), "widedeep": WideDeep, "vae": Vae,
}  # fmt: skip
LOSSES: dict[str, Callable[..., Any]] = {
    "classes": F.cross_entropy,
    "words": F.cross_entropy,
    "itself": F.mse_loss,
    "bits": F.binary_cross_entropy_with_logits,
}


def make_torch_step(work: str, compile: bool = False) -> Step:
    """Make a step of PyTorch, eager or compiled."""
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    torch.manual_seed(0)
    about = f"PyTorch {torch.__version__} {'torch.compile' if compile else 'eager'}"
    wrap: Callable[[Any], Any] = torch.compile if compile else lambda net: net
    spec = WORK[work]
    x, y = (torch.from_numpy(a) for a in get_batch(work))
    if spec.net == "dcgan":
        return _make_gan_step(x, y, wrap), about
    net = NETWORKS[spec.net]()
    run = wrap(net)
    if not spec.optimizer:
        net.eval()

        def infer() -> Any:
            with torch.no_grad():
                return run(x).numpy()

        return infer, about
    x, y = (a.long() if a.dtype is torch.int32 else a for a in (x, y))
    optimizer: Any = (
        torch.optim.Adam(net.parameters(), 1e-3)
        if spec.optimizer == "Adam"
        else torch.optim.SGD(net.parameters(), 0.01, 0.9)
    )

    def step() -> float:
        optimizer.zero_grad()
        loss = run(x, y) if spec.net == "vae" else LOSSES[spec.labels](run(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step, about


def _make_gan_step(real: Any, samples: Any, wrap: Callable[[Any], Any]) -> Callable[[], Any]:
    """Make a step of the discriminator on real and generated images, then one of the generator."""
    maker_net, judge_net = make_generator(), make_discriminator()
    maker, judge = wrap(maker_net), wrap(judge_net)
    discriminator_optimizer = torch.optim.Adam(judge_net.parameters(), 2e-4, (0.5, 0.999))
    generator_optimizer = torch.optim.Adam(maker_net.parameters(), 2e-4, (0.5, 0.999))
    compute_loss = F.binary_cross_entropy_with_logits

    def step() -> float:
        with torch.no_grad():
            output = maker(samples)
        discriminator_optimizer.zero_grad()
        real_scores, fake_scores = judge(real), judge(output)
        first = compute_loss(real_scores, torch.ones_like(real_scores))
        first = first + compute_loss(fake_scores, torch.zeros_like(fake_scores))
        first.backward()
        discriminator_optimizer.step()
        generator_optimizer.zero_grad()
        answer = judge(maker(samples))
        second = compute_loss(answer, torch.ones_like(answer))
        second.backward()
        generator_optimizer.step()
        return first.item() + second.item()

    return step


__all__ = ["NETWORKS", "make_torch_step"]
