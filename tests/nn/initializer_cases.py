"""Initializers that are held against the real MindSpore's draws, and the shapes that they fill.

``tests/golden/make_initializers.py`` draws with MindSpore, ``test_initializer.py`` with minispore.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MATRIX, KERNEL = (1000, 100), (20, 50, 10, 10)  # both of 10^5 elements
CASES = [
    *[
        (case, MATRIX)
        for case in (
            "TruncatedNormal()", "TruncatedNormal(0.02)", "TruncatedNormal(1.0)",
            "TruncatedNormal(0.5, 10, -1, 3)", "TruncatedNormal(1.0, 0, 0.5, 1)",
            "TruncatedNormal(1.0, 0, 2, 9)", "TruncatedNormal(1.0, 2, -9, -2)",
            "TruncatedNormal(2.0, 0, -0.5, 0.25)", "Uniform()", "Uniform(2)", "Normal()",
            "Normal(0.5, 3)", "Sparse(0.25)", "Sparse(0.5, 2.0)", "Orthogonal()", "Orthogonal(2)",
            "'normal'", "'uniform'", "'truncatednormal'", "'xavier_normal'",
        )
    ],
    *[
        (case, shape)
        for shape in (MATRIX, KERNEL)
        for case in (
            "'xavier_uniform'", "'he_uniform'", "'he_normal'", "XavierUniform(2)",
            "XavierNormal()", "XavierNormal(0.5)", "HeUniform()", "HeUniform(0.5)",
            "HeUniform(0.1, 'fan_out', 'leaky_relu')", "HeUniform(0, 'fan_in', 'sigmoid')",
            "HeNormal()", "HeNormal(0, 'fan_out', 'relu')", "HeNormal(0, 'fan_in', 'tanh')",
            "VarianceScaling()", "VarianceScaling(2.0, 'fan_out', 'uniform')",
            "VarianceScaling(3.0, 'fan_out', 'truncated_normal')",
            "VarianceScaling(2.0, 'fan_avg', 'untruncated_normal')",
        )
    ],
]  # fmt: skip
LAYERS = [
    "nn.Dense(3, 4)", "nn.Dense(3, 4, weight_init='normal', has_bias=False)",
    "nn.Dense(3, 4, dtype=ms.float16)", "nn.Conv1d(3, 4, 3, has_bias=True)",
    "nn.Conv2d(3, 4, 3)", "nn.Conv2d(3, 4, 3, has_bias=True)", "nn.Conv3d(3, 4, 3, has_bias=True)",
    "nn.Conv2dTranspose(3, 4, 3, has_bias=True)", "nn.Embedding(5, 3)",
    "nn.Embedding(5, 3, padding_idx=1)", "nn.EmbeddingLookup(5, 3)", "nn.BiDense(2, 3, 4)",
    "nn.RNN(2, 3)", "nn.GRU(2, 3, num_layers=2, has_bias=False)",
    "nn.LSTM(2, 3, num_layers=2, bidirectional=True)", "nn.RNNCell(2, 3)",
    "nn.GRUCell(2, 3, has_bias=False)", "nn.LSTMCell(2, 3)", "nn.MultiheadAttention(4, 2)",
    "nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2)",
    "nn.TransformerDecoderLayer(4, 2, 8)", "nn.Transformer(4, 2, 1, 1, 8)", "nn.PReLU(3)",
    "nn.Transformer(4, 2, 2, 3, 8)",
    "nn.SequentialCell(nn.Transformer(4, 2, 2, 2, 8), nn.Dense(3, 4))",
    "mint.nn.Linear(3, 4)", "mint.nn.Conv2d(3, 4, 3)", "mint.nn.ConvTranspose2d(3, 4, 3)",
    "mint.nn.Embedding(5, 3)",
    "nn.SequentialCell(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.LSTM(2, 3), nn.Dense(3, 4))",
]  # fmt: skip
_STEP = 397  # one of so many numbers is kept


def name(case: str, shape: tuple[int, ...]) -> str:
    return f"{case} {shape}"


def drawn(ms: Any, case: str, shape: tuple[int, ...]) -> np.ndarray:
    """What the initializer ``case`` fills a new tensor with, under one seed."""
    ms.set_seed(1)
    module = ms.common.initializer
    tensor = module.initializer(eval(case, vars(module)), shape, ms.float32)
    return tensor.init_data().asnumpy()


def some(x: np.ndarray) -> np.ndarray:
    """Some numbers of an array."""
    return x.reshape(-1)[::_STEP]


def weights(ms: Any, layer: str) -> list[np.ndarray]:
    """What the parameters of ``layer`` begin with, under one seed."""
    ms.set_seed(2)
    made = eval(layer, {"ms": ms, "nn": ms.nn, "mint": ms.mint})
    return [p.asnumpy() for p in made.get_parameters()]
