"""What is asked of distributions and bijectors, as text that both sides evaluate.

``tests/golden/make_probability.py`` evaluates it with MindSpore, ``test_probability.py`` with
minispore. ``t`` makes a float32 Tensor.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

# distribution: what it is made of, the parameters of one call, those of another distribution,
# and values; "," makes several calls of the last two
DISTRIBUTIONS: dict[str, list[tuple[str, str, str, str]]] = {
    "Normal": [
        ("3.0, 2.0", "t([1, 2]), t([0.5])", "t([1, 0]), t([2, 1])", "t([-1, 2.5])"),
        ("[[3.0], [1.0]], [1.0, 2.0]", "", "t(1), t(2)", "t([0.5, 1.5])"),
        ("", "t([1, 2]), t([0.5, 3])", "t([1, 0]), t([2, 1])", "t([-1, 2.5])"),
        ("np.float32([1, 2]), np.float32([3, 4])", "", "t([1]), t([2])", "Tensor([1, 5])"),
        ("h([1, 2]), h([3, 4]), dtype=ms.float16", "", "h([1]), h([2])", "h([1, 5])"),
    ],
    "HalfNormal": [("[1.0], [2.0, 3.0]", "t([0]), t([1, 2])", "", "t([1.5, -0.5])")],
    "Laplace": [("1.0, 2.0", "t([0, 1]), t([1, 2])", "", "t([1.5, -0.5])")],
    "StudentT": [("[3.0], [1.0], [2.0, 1.5]", "t([2]), t([0]), t([1])", "", "t([1.5, -0.5])")],
    "Cauchy": [
        ("3.0, 4.0", "t([1, 2]), t([0.5])", "t([1]), t([2, 1])", "t([-1, 2.5])"),
        ("h([3]), h([4]), dtype=ms.float16", "", "h([1]), h([2])", "h([-1, 2.5])"),
    ],
    "Logistic": [
        ("3.0, 4.0", "t([1, 2]), t([0.5])", "", "t([-1, 2.5])"),
        ("[0.0], [1.0]", "", "", "t([-40, -10, 0, 10, 40])"),
    ],
    "Uniform": [
        ("1.0, 3.0", "t([0, 1]), t([4])", "t([0, 2]), t([5])", "t([0.5, 1, 2, 3, 4])"),
        ("[[0.0], [1.0]], [2.0, 3.0]", "", "t(0), t(4)", "t([0.5, 2.5])"),
    ],
    "Exponential": [("[0.5, 2.0]", "t([1, 3])", "t([2])", "t([-1, 1.5])")],
    "Gamma": [("[3.0, 0.5], [4.0]", "t([2]), t([1, 2])", "t([1]), t([2])", "t([0.5, 1.5])")],
    "Beta": [("[3.0, 0.5], [2.0]", "t([2]), t([1, 3])", "t([1]), t([2])", "t([0.25, 0.75])")],
    "Bernoulli": [
        ("0.7", "t([0.2, 0.5])", "t([0.6])", "Tensor([0, 1])"),
        ("[0.2, 0.9]", "", "t([0.6, 0.5])", "t([-1, 0.5, 2]).reshape((3, 1))"),
    ],
    "Geometric": [("0.7", "t([0.2, 0.5])", "t([0.6])", "t([-1, 0, 1.5, 4]).reshape((4, 1))")],
    "Poisson": [("[1.5, 4.0]", "t([2])", "", "t([-1, 0, 1.5, 4]).reshape((4, 1))")],
    "Categorical": [
        ("[0.5, 0.2, 0.3]", "t([0.2, 0.2, 0.6])", "t([0.1, 0.8, 0.1])", "Tensor([0, 2, 1, 2])"),
        (
            "[[0.5, 0.2, 0.3], [0.25, 0.5, 0.25]]",
            "",
            "t([[0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])",
            "t([0, 2])",
        ),
        ("[0.5, 0.5]", "", "t([0.3, 0.7])", "t([-1, -0.5, 0.5, 1, 2])"),
        ("[0.5, 0.5]", "", "", "Tensor(1)"),
    ],
    "LogNormal": [
        ("0.3, 0.5", "t([0, 1]), t([0.5])", "t([1]), t([0.7])", "t([0.5, 2])"),
        ("[0.3], [[0.2], [0.4]]", "", "t([1]), t([0.7])", "t([1, 2])"),
    ],
    "Gumbel": [("np.array([1.0]), np.array([[1.0], [2.0]])", "", "t([1]), t([0.7])", "t([1, 2])")],
}

_OF_VALUES = ("prob", "log_prob", "cdf", "log_cdf", "survival_function", "log_survival")
_OF_NOTHING = ("mean", "mode", "sd", "var", "entropy")
_OF_OTHERS = ("kl_loss", "cross_entropy")

BIJECTORS = [
    "msb.Exp()",
    "msb.PowerTransform(power=2.0)",
    "msb.PowerTransform(power=0.0)",
    "msb.ScalarAffine(scale=-2.0, shift=1.0)",
    "msb.ScalarAffine(scale=np.float32([2.0, 3.0]), shift=np.float32([1.0, 0.5]))",
    "msb.Softplus(sharpness=2.0)",
    "msb.GumbelCDF(loc=0.1, scale=2.0)",
    "msb.Invert(msb.Softplus(sharpness=2.0))",
    "msb.Invert(msb.GumbelCDF(loc=0.1, scale=2.0))",
]

TRANSFORMED = [
    "msd.TransformedDistribution(msb.Exp(), msd.Normal(0.0, 1.0))",
    "msd.TransformedDistribution(msb.ScalarAffine(2.0, 1.0), msd.Uniform(0.0, 1.0))",
    "msb.Softplus()(msd.Normal([0.0, 1.0], [1.0]))",
]

_SAMPLES = [
    ("Normal", "[[3.0], [1.0]], [1.0, 2.0]"), ("Uniform", "0.0, [1.0, 2.0]"),
    ("Cauchy", "0.0, 1.0"),
    ("Logistic", "[0.0], [1.0, 2.0]"), ("Exponential", "[0.5, 2.0]"), ("Bernoulli", "[0.2, 0.9]"),
    ("Geometric", "[0.2, 0.9]"), ("Poisson", "[1.5, 4.0]"), ("LogNormal", "0.3, [0.5, 0.1]"),
    ("Categorical", "[[0.5, 0.2, 0.3], [0.25, 0.5, 0.25]]"), ("Categorical", "[0.5, 0.5]"),
    ("Gumbel", "np.array([1.0]), np.array([[1.0], [2.0]])"),
]  # fmt: skip


def cases() -> Iterator[str]:
    """Each case once: a call by name, as ``made("function", arguments)``."""
    for name, rows in DISTRIBUTIONS.items():
        for output, inputs, other, values in rows:
            dist = f"msd.{name}({output})"
            for own in dict.fromkeys(("", inputs) if output else (inputs,)):
                more = f", {own}" if own else ""
                for function in _OF_VALUES:
                    yield f"{dist}('{function}', {values}{more})"
                for function in _OF_NOTHING:
                    yield f"{dist}('{function}'{more})"
                for function in _OF_OTHERS if other else ():
                    yield f"{dist}('{function}', '{name}', {other}{more})"
            if other:
                yield f"{dist}('get_dist_type')"
    for output in BIJECTORS:
        for function in ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian"):
            yield f"{output}('{function}', t([0.25, 0.75]))"
    for output in TRANSFORMED:
        for function in _OF_VALUES:
            yield f"{output}('{function}', t([0.5, 1.5]))"
        yield f"{output}('mean')"
    for name, output in _SAMPLES:
        for shape in ((), (2, 3)):
            yield f"msd.{name}({output})('sample', {shape}).shape"


def refusals() -> list[str]:
    """Calls that MindSpore refuses."""
    return [
        "msd.Normal(0.0, -1.0)",
        "msd.Normal(0.0, 1.0, dtype=ms.int32)",
        "msd.Normal(0.0, 1.0, seed=-1)",
        "msd.Normal(0.0, 1.0, name=3)",
        "msd.Normal(t([1]), h([1]))",
        "msd.Normal('a', 1.0)",
        "msd.Normal(True, 1.0)",
        "msd.Normal(0.0, 1.0).prob([1.0])",
        "msd.Normal(0.0, 1.0).sample([2])",
        "msd.Normal().mean()",
        "msd.Normal(0.0, 1.0).kl_loss('Uniform', t(0), t(1))",
        "msd.Normal(0.0, 1.0)('median')",
        "msd.HalfNormal(0.0, 1.0).mean()",
        "msd.Uniform(2.0, 1.0)",
        "msd.Bernoulli(1.5)",
        "msd.Bernoulli(0.0)",
        "msd.Categorical([0.5, 0.4])",
        "msd.Categorical(0.5)",
        "msd.Cauchy(0.0, 1.0).mean()",
        "msd.Cauchy(0.0, 1.0).var()",
        "msd.Exponential([1.0, 0.0])",
        "msd.Gamma(1.0, [1.0])",
        "msd.Beta([1.0], 1.0)",
        "msd.Poisson(1.0)",
        "msd.Gumbel(0.0, -1.0)",
        "msd.TransformedDistribution(msd.Normal(0.0, 1.0), msb.Exp())",
        "msd.TransformedDistribution(msb.Exp(), msd.Normal(0.0, 1.0)).mean()",
        "msd.TransformedDistribution(msb.Exp(), msd.Bernoulli(0.5))",
        "msb.PowerTransform(-1.0)",
        "msb.ScalarAffine(1, 2)",
        "msb.ScalarAffine(None, 2.0)",
        "msb.GumbelCDF(0.0, 0.0)",
        "msb.Invert(3)",
        "msb.Exp().forward(Tensor([1, 2]))",
        "msb.Exp().forward(1.0)",
    ]


def run(ms: Any, case: str) -> Any:
    """Evaluate a case with the package ``ms``: an array, or a str for what is none."""
    import importlib

    room = f"{ms.__name__}.nn.probability"
    names = {
        "ms": ms,
        "np": np,
        "Tensor": ms.Tensor,
        "msd": importlib.import_module(f"{room}.distribution"),
        "msb": importlib.import_module(f"{room}.bijector"),
        "t": lambda x: ms.Tensor(x, ms.float32),
        "h": lambda x: ms.Tensor(x, ms.float16),
    }
    found = eval(case, names)
    return found.asnumpy() if hasattr(found, "asnumpy") else np.array(found)
