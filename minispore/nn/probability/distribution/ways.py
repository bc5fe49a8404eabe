"""How each function of a distribution comes from those that its class defines."""

from __future__ import annotations

from collections.abc import Callable

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.nn.probability.parameters import exp, log


def _same(x: Tensor) -> Tensor:
    return x


def _rest(x: Tensor) -> Tensor:
    return 1.0 - x


# By function: methods, the first of which that a class defines decides, and what is done with it.
WAYS: dict[str, dict[str, Callable[[Tensor], Tensor]]] = {
    "prob": {"_prob": _same, "_log_prob": exp},
    "log_prob": {"_log_prob": _same, "_prob": log},
    "cdf": {
        "_cdf": _same,
        "_log_cdf": exp,
        "_survival_function": _rest,
        "_log_survival": lambda x: _rest(exp(x)),
    },
    "survival_function": {
        "_survival_function": _same,
        "_log_survival": exp,
        "_cdf": _rest,
        "_log_cdf": lambda x: _rest(exp(x)),
    },
    "log_cdf": {
        "_log_cdf": _same,
        "_cdf": log,
        "_survival_function": lambda x: log(_rest(x)),
        "_log_survival": lambda x: log(_rest(exp(x))),
    },
    "log_survival": {
        "_log_survival": _same,
        "_survival_function": log,
        "_cdf": lambda x: log(_rest(x)),
        "_log_cdf": lambda x: log(_rest(exp(x))),
    },
    "sd": {"_sd": _same, "_var": ops.sqrt},
    "var": {"_var": _same, "_sd": ops.square},
    **{
        name: {f"_{name}": _same}
        for name in ("mean", "mode", "entropy", "kl_loss", "cross_entropy", "sample")
    },
}

FUNCTIONS = {*WAYS, "get_dist_args", "get_dist_type"}

__all__ = ["FUNCTIONS", "WAYS"]
