"""Define the programs that learn beside PyTorch: network, batches and optimizer of each.

Every side imports this file, so it knows NumPy alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.suite.work import Work, make_batch

BATCHES = 4  # they take turns
# Rates and decays that float32 has exactly: it keeps them as float64 does.
RATE, MOMENTUM = 2.0**-7, 0.875
ADAM_RATE, BETA1, BETA2, EPSILON = 2.0**-10, 0.875, 1 - 2.0**-10, 2.0**-27
LAYER_NORM_EPSILON = 1e-7  # MindSpore's
CLASSES, LETTERS = 11, 5  # of the sequences that CTC reads, the blank among them; in a target


class Program(NamedTuple):
    """A work with its title in the table."""

    title: str
    work: Work


PROGRAMS = {
    "lenet": Program("LeNet", Work("lenet", (16, 1, 32, 32), "classes", "Momentum")),
    "resnet20": Program("ResNet-20", Work("resnet20", (8, 3, 16, 16), "classes", "Momentum")),
    "lstm": Program("LSTM", Work("lstm", (8, 24, 64), "classes", "Adam")),
    "gru": Program("GRU", Work("gru", (8, 24, 64), "classes", "Adam")),
    "gpt": Program("GPT-mini", Work("gpt", (1, 128), "words", "Adam")),
    "encoder": Program("Transformer encoder", Work("encoder", (4, 16, 256), "itself", "Adam")),
    "unet": Program("U-Net", Work("unet", (2, 1, 32, 32), "bits", "Adam")),
    "vae": Program("VAE", Work("vae", (16, 784), "itself", "Adam")),
    "dcgan": Program("DCGAN", Work("dcgan", (8, 1, 32, 32), "none", "Adam")),
    "mobilenet": Program("MobileNetV2", Work("mobilenet", (8, 3, 16, 16), "classes", "Momentum")),
    "norms": Program("the norms", Work("norms", (8, 4, 8, 8), "classes", "Momentum")),
    "volumes": Program("1-d and 3-d conv", Work("volumes", (4, 2, 6, 8, 8), "classes", "Momentum")),
    "ctc": Program("CTC", Work("ctc", (4, 20, 16), "letters", "Momentum")),
}


def get_weights_path(folder: str, seed: int) -> Path:
    """Return the file of the weights with which a run begins."""
    return Path(folder) / f"{seed}.npz"


def make_batches(name: str, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray]]:
    """Make the batches of one run of a program: inputs and targets."""
    work = PROGRAMS[name].work
    outputs = []
    for number in range(seed * BATCHES, (seed + 1) * BATCHES):
        x, y = make_batch(work, number)
        if work.labels == "letters":
            rng = np.random.default_rng((100, number))
            y = rng.integers(1, CLASSES, (work.shape[0], LETTERS)).astype(np.int32)
        outputs.append((x, y))
    return outputs
