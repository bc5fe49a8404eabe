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
STEPS = 250  # quantiles of which the golden arrays consist, and the least and the greatest


def name(case: str, shape: tuple[int, ...]) -> str:
    return f"{case} {shape}"


def drawn(ms: Any, case: str, shape: tuple[int, ...]) -> np.ndarray:
    """What the initializer ``case`` fills a new tensor with."""
    module = ms.common.initializer
    tensor = module.initializer(eval(case, vars(module)), shape, ms.float32)
    return tensor.init_data().asnumpy()
