"""Define the programs of ``curves`` in PyTorch, and train them by MindSpore's rules."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from benchmarks.suite.curves_work import (
    ADAM_RATE,
    BETA1,
    BETA2,
    CLASSES,
    EPSILON,
    LAYER_NORM_EPSILON,
    LETTERS,
    MOMENTUM,
    PROGRAMS,
    RATE,
    get_weights_path,
    make_batches,
)
from benchmarks.suite.torch_nets import LOSSES, NETWORKS, make_discriminator, make_generator

Step = tuple[Callable[[], Any], str]


def make_norms() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(4, 8, 3, padding=1, bias=False), nn.GroupNorm(4, 8), nn.ReLU(),
        nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.Tanh(),
        nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.InstanceNorm2d(8, affine=True), nn.ReLU(),
        nn.Flatten(), nn.Linear(512, 32), nn.BatchNorm1d(32), nn.Tanh(),
        nn.Linear(32, 32), nn.LayerNorm(32), nn.ReLU(), nn.Linear(32, 10),
    )  # fmt: skip


class Volumes(nn.Module):
    """Convolutions over three axes, then over one."""

    def __init__(self) -> None:
        super().__init__()
        self.solid = nn.Sequential(
            nn.Conv3d(2, 4, 3, padding=1), nn.BatchNorm3d(4), nn.ReLU(),
            nn.Conv3d(4, 6, 3, 2, padding=1, bias=False), nn.ReLU(),
        )  # fmt: skip
        self.line = nn.Sequential(
            nn.Conv1d(6, 8, 5, 2, padding=2), nn.ReLU(),
            nn.ConvTranspose1d(8, 6, 4, 2, padding=1, bias=False), nn.Tanh(),
        )  # fmt: skip
        self.head = nn.Linear(288, 10)

    def forward(self, x: Any) -> Any:
        return self.head(self.line(self.solid(x).reshape(len(x), 6, 48)).reshape(len(x), -1))


class Reader(nn.Module):
    """The CTC loss of a sequence and its letters."""

    def __init__(self) -> None:
        super().__init__()
        self.into, self.head = nn.Linear(16, 32), nn.Linear(32, CLASSES)

    def forward(self, x: Any, y: Any) -> Any:
        n, t, _ = x.shape
        scores = self.head(torch.tanh(self.into(x))).transpose(0, 1)
        lengths, letters = torch.full((n,), t), torch.full((n,), LETTERS)
        return F.ctc_loss(F.log_softmax(scores, -1), y, lengths, letters, reduction="sum")


MORE: dict[str, Callable[[], nn.Module]] = {"norms": make_norms, "volumes": Volumes, "ctc": Reader}


class Adam:
    """MindSpore's Adam: epsilon is added before the averages are corrected, and the powers
    of the decays have the dtype of the weights.
    """

    def __init__(self, weights: Iterable[Any]) -> None:
        self.weights = list(weights)
        self.first, self.second = ([torch.zeros_like(w) for w in self.weights] for _ in range(2))
        self.powers = torch.ones(2, dtype=self.weights[0].dtype)
        self.decays = torch.tensor([BETA1, BETA2], dtype=self.weights[0].dtype)

    def step(self) -> None:
        self.powers *= self.decays
        rest1, rest2 = 1 - self.powers
        rate = ADAM_RATE * rest2.sqrt() / rest1
        with torch.no_grad():
            for w, m, v in zip(self.weights, self.first, self.second, strict=True):
                m += (1 - BETA1) * (w.grad - m)
                v += (1 - BETA2) * (w.grad * w.grad - v)
                w -= rate * m / (v.sqrt() + EPSILON)

    def zero_grad(self) -> None:
        for w in self.weights:
            w.grad = None


def compute_torch_losses(
    program: str, dtype: str, steps: int, seeds: int, folder: str, threads: int = 1
) -> Step:
    """Train from weights that each seed decides; return as JSON the losses of each step. In
    float64 it writes the weights to files.
    """
    torch.set_num_threads(threads)
    losses = [_train_run(program, dtype, steps, seed, folder) for seed in range(seeds)]
    return (lambda: None), json.dumps(losses)


def _train_run(program: str, dtype: str, steps: int, seed: int, folder: str) -> list[float]:
    """Train one run and return the loss of each step; in float64 the first weights are saved."""
    torch.manual_seed(seed)
    work, kind = PROGRAMS[program].work, getattr(torch, dtype)
    is_gan = work.net == "dcgan"
    makers = [make_generator, make_discriminator] if is_gan else [(NETWORKS | MORE)[work.net]]
    nets = [make() for make in makers]
    values = [p.detach().numpy().copy() for net in nets for p in net.parameters()]
    if dtype == "float64":
        np.savez(get_weights_path(folder, seed), **{str(i): a for i, a in enumerate(values)})
    for net in nets:
        net.to(kind)
        for m in net.modules():
            if isinstance(m, nn.LayerNorm):
                m.eps = LAYER_NORM_EPSILON
    optimizers = [_make_optimizer(work.optimizer, net) for net in nets]
    inputs = []
    for arrays in make_batches(program, seed):
        x, y = map(torch.from_numpy, arrays)
        inputs.append([a.to(kind) if a.is_floating_point() else a for a in (x, y)])
    if work.labels in ("classes", "words"):
        inputs = [(x, y.long()) for x, y in inputs]
    if is_gan:
        step = _make_gan_step(nets, optimizers)
    else:
        returns_loss = work.net in ("vae", "ctc")  # its output is the loss

        def step(x: Any, y: Any) -> float:
            optimizers[0].zero_grad()
            loss = nets[0](x, y) if returns_loss else LOSSES[work.labels](nets[0](x), y)
            loss.backward()
            optimizers[0].step()
            return loss.item()

    return [step(*inputs[i % len(inputs)]) for i in range(steps)]


def _make_optimizer(name: str, net: nn.Module) -> Any:
    if name == "Adam":
        return Adam(net.parameters())
    return torch.optim.SGD(net.parameters(), RATE, MOMENTUM)


def _make_gan_step(nets: list[nn.Module], optimizers: list[Any]) -> Callable[[Any, Any], float]:
    """Make a step of the discriminator on real and generated images, then one of the generator."""
    (maker, judge), (generator_optimizer, discriminator_optimizer) = nets, optimizers
    compute_loss = F.binary_cross_entropy_with_logits

    def step(real: Any, samples: Any) -> float:
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
        return (first + second).item()

    return step
