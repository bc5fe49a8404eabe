"""The programs of ``curves`` in PyTorch, and how they learn by MindSpore's rules."""

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
    batches,
    weights,
)
from benchmarks.suite.torch_nets import LOSSES, NETWORKS, discriminator, generator

Step = tuple[Callable[[], Any], str]


def norms() -> nn.Module:
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
    """The loss of a sequence, from what is heard and what was said."""

    def __init__(self) -> None:
        super().__init__()
        self.into, self.head = nn.Linear(16, 32), nn.Linear(32, CLASSES)

    def forward(self, x: Any, y: Any) -> Any:
        n, t, _ = x.shape
        scores = self.head(torch.tanh(self.into(x))).transpose(0, 1)
        lengths, letters = torch.full((n,), t), torch.full((n,), LETTERS)
        return F.ctc_loss(F.log_softmax(scores, -1), y, lengths, letters, reduction="sum")


MORE: dict[str, Callable[[], nn.Module]] = {"norms": norms, "volumes": Volumes, "ctc": Reader}


class Adam:
    """MindSpore's: the square root gets epsilon before the averages are corrected, not after, and
    powers of the decays are kept in the precision of the weights.
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


def torch_losses(
    program: str, dtype: str, steps: int, seeds: int, folder: str, threads: int = 1
) -> Step:
    """Train from weights that are the same each time, and are left in files; what it says of
    itself is the loss of each step, for each seed.
    """
    torch.set_num_threads(threads)
    losses = [_learned(program, dtype, steps, seed, folder) for seed in range(seeds)]
    return (lambda: None), json.dumps(losses)


def _learned(program: str, dtype: str, steps: int, seed: int, folder: str) -> list[float]:
    torch.manual_seed(seed)
    work, kind = PROGRAMS[program].work, getattr(torch, dtype)
    adversaries = work.net == "dcgan"
    makers = [generator, discriminator] if adversaries else [(NETWORKS | MORE)[work.net]]
    nets = [make() for make in makers]
    values = [p.detach().numpy().copy() for net in nets for p in net.parameters()]
    if dtype == "float64":
        np.savez(weights(folder, seed), **{str(i): a for i, a in enumerate(values)})
    for net in nets:
        net.to(kind)
        for m in net.modules():
            if isinstance(m, nn.LayerNorm):
                m.eps = LAYER_NORM_EPSILON
    optimizers = [_optimizer(work.optimizer, net) for net in nets]
    inputs = []
    for arrays in batches(program, seed):
        x, y = map(torch.from_numpy, arrays)
        inputs.append([a.to(kind) if a.is_floating_point() else a for a in (x, y)])
    if work.labels in ("classes", "words"):
        inputs = [(x, y.long()) for x, y in inputs]
    if adversaries:
        step = _adversaries(nets, optimizers)
    else:
        whole = work.net in ("vae", "ctc")  # its output is the loss

        def step(x: Any, y: Any) -> float:
            optimizers[0].zero_grad()
            loss = nets[0](x, y) if whole else LOSSES[work.labels](nets[0](x), y)
            loss.backward()
            optimizers[0].step()
            return loss.item()

    return [step(*inputs[i % len(inputs)]) for i in range(steps)]


def _optimizer(name: str, net: nn.Module) -> Any:
    if name == "Adam":
        return Adam(net.parameters())
    return torch.optim.SGD(net.parameters(), RATE, MOMENTUM)


def _adversaries(nets: list[nn.Module], optimizers: list[Any]) -> Callable[[Any, Any], float]:
    """One step of the discriminator on real and made images, then one of the generator."""
    (maker, judge), (of_maker, of_judge) = nets, optimizers
    loss_of = F.binary_cross_entropy_with_logits

    def step(real: Any, samples: Any) -> float:
        with torch.no_grad():
            output = maker(samples)
        of_judge.zero_grad()
        of_real, of_made = judge(real), judge(output)
        first = loss_of(of_real, torch.ones_like(of_real))
        first = first + loss_of(of_made, torch.zeros_like(of_made))
        first.backward()
        of_judge.step()
        of_maker.zero_grad()
        answer = judge(maker(samples))
        second = loss_of(answer, torch.ones_like(answer))
        second.backward()
        of_maker.step()
        return (first + second).item()

    return step
