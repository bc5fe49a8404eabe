"""Define the work that is timed: for each network its batch, its optimizer and its labels.

Every side imports this file, so it knows NumPy alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

VOCABULARY, FIELDS, WORDS = 1000, 26, 26_000  # of the language model; of Wide&Deep
LATENT = 64  # of the DCGAN
CODE = 20  # of the VAE


class Work(NamedTuple):
    """A network with the batch and the optimizer of a step.

    Attributes:
        net: which network; several works may run one.
        shape: of the input, the batch first.
        labels: "classes" (one of ten), "words" (the next one of each), "bits", "itself" or "none".
        optimizer: "Momentum", "Adam" or, where nothing is trained, "".
    """

    net: str
    shape: tuple[int, ...]
    labels: str
    optimizer: str


WORK = {
    "lenet": Work("lenet", (32, 1, 32, 32), "classes", "Momentum"),
    "mlp": Work("mlp", (128, 784), "classes", "Adam"),
    "resnet20": Work("resnet20", (32, 3, 32, 32), "classes", "Momentum"),
    "lstm": Work("lstm", (32, 64, 64), "classes", "Adam"),
    "gru": Work("gru", (32, 64, 64), "classes", "Adam"),
    "gpt": Work("gpt", (8, 128), "words", "Adam"),
    "dcgan": Work("dcgan", (32, 1, 32, 32), "none", "Adam"),
    "encoder": Work("encoder", (16, 64, 256), "itself", "Adam"),
    "mobilenet": Work("mobilenet", (16, 3, 32, 32), "classes", "Momentum"),
    "unet": Work("unet", (4, 1, 64, 64), "bits", "Adam"),
    "alexnet": Work("alexnet", (64, 3, 32, 32), "classes", "Momentum"),
    "widedeep": Work("widedeep", (512, FIELDS), "bits", "Adam"),
    "vae": Work("vae", (128, 784), "itself", "Adam"),
    "lenet_infer_1": Work("lenet", (1, 1, 32, 32), "classes", ""),
    "lenet_infer_1000": Work("lenet", (1000, 1, 32, 32), "classes", ""),
}

# (widening, channels, repeats, stride) of MobileNetV2's blocks, for small images
MOBILE = ((1, 16, 1, 1), (6, 24, 2, 1), (6, 32, 2, 2), (6, 64, 2, 2))


def get_batch(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Make the batch of the work with this name."""
    return make_batch(WORK[name])


def make_batch(work: Work, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Make a batch of noise in the shape of the work, and its labels."""
    rng = np.random.default_rng(seed)
    n = work.shape[0]
    if work.labels == "words":
        ids = rng.integers(0, VOCABULARY, (n, work.shape[1] + 1)).astype(np.int32)
        return ids[:, :-1].copy(), ids[:, 1:].reshape(-1).copy()
    if work.net == "widedeep":  # a table of each field's own words, all in one
        words = WORDS // FIELDS
        ids = rng.integers(0, words, work.shape) + np.arange(FIELDS) * words
        return ids.astype(np.int32), rng.integers(0, 2, (n, 1)).astype(np.float32)
    if work.net == "vae":
        x = rng.random(work.shape, np.float32)
        return x, rng.standard_normal((n, CODE)).astype(np.float32)  # what is drawn
    if work.net == "dcgan":
        x = rng.standard_normal(work.shape).astype(np.float32)
        return x, rng.standard_normal((n, LATENT, 1, 1)).astype(np.float32)
    x = rng.standard_normal(work.shape).astype(np.float32)
    if work.labels == "bits":
        return x, rng.integers(0, 2, work.shape).astype(np.float32)
    if work.labels == "itself":
        return x, rng.standard_normal(work.shape).astype(np.float32)
    return x, rng.integers(0, 10, n).astype(np.int32)
