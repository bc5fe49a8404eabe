"""Rules that derive each function of a distribution from the methods that its class defines."""

from __future__ import annotations

from collections.abc import Callable

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.nn.probability.parameters import exp, log


def _identity(x: Tensor) -> Tensor:
    return x


def _complement(x: Tensor) -> Tensor:
    return 1.0 - x


# For each function: the methods it can be derived from, by priority, and how to convert the result.
DERIVATIONS: dict[str, dict[str, Callable[[Tensor], Tensor]]] = {
    "prob": {"_prob": _identity, "_log_prob": exp},
    "log_prob": {"_log_prob": _identity, "_prob": log},
    "cdf": {
        "_cdf": _identity,
        "_log_cdf": exp,
        "_survival_function": _complement,
        "_log_survival": lambda x: _complement(exp(x)),
    },
    "survival_function": {
        "_survival_function": _identity,
        "_log_survival": exp,
        "_cdf": _complement,
        "_log_cdf": lambda x: _complement(exp(x)),
    },
    "log_cdf": {
        "_log_cdf": _identity,
        "_cdf": log,
        "_survival_function": lambda x: log(_complement(x)),
        "_log_survival": lambda x: log(_complement(exp(x))),
    },
    "log_survival": {
        "_log_survival": _identity,
        "_survival_function": log,
        "_cdf": lambda x: log(_complement(x)),
        "_log_cdf": lambda x: log(_complement(exp(x))),
    },
    "sd": {"_sd": _identity, "_var": ops.sqrt},
    "var": {"_var": _identity, "_sd": ops.square},
    **{
        name: {f"_{name}": _identity}
        for name in ("mean", "mode", "entropy", "kl_loss", "cross_entropy", "sample")
    },
}

FUNCTIONS = {*DERIVATIONS, "get_dist_args", "get_dist_type"}

__all__ = ["DERIVATIONS", "FUNCTIONS"]
