"""Plans of large language models beside published steps: LLaMA 2 on 910B, GPT on A100.

No constant is fitted on these rows. The memory of a rank is held against 16 bytes a parameter, as
ZeRO shares them, and the activations that the textbook counts.

Source: Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models".
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from benchmarks import language
from benchmarks.models import ModelWithShapes
from minispore.device import ParallelPlan, parallel_plan
from minispore.device.model.spec import GIB, DeviceSpec, device_spec
from minispore.nn.utils import no_init_parameters

#: Megatron-LM's GPUs have 80 GB at 2,039 GB/s (NVIDIA A100 datasheet).
A100 = device_spec("A100").replace(memory_bytes=80 * GIB, memory_gbs=2039)
ASCEND = device_spec("Ascend910B2")


class PlanRow(NamedTuple):
    """A published training of a language model, and what its memory should be."""

    name: str
    spec: DeviceSpec
    build: Callable[[], ModelWithShapes]
    published_ms: float
    options: dict[str, Any]
    textbook_gib: float  # of the first stage
    source: str

    def plan(self) -> ParallelPlan:
        """Plan the training."""
        with no_init_parameters():
            return parallel_plan(*self.build(), device=self.spec, **self.options)


def _count_state_bytes(params: float, data: int = 1, zero: int = 0) -> float:
    """Return the bytes of weights (2), gradients (2) and optimizer state (12) of a rank."""
    shares = [data if zero >= stage else 1 for stage in (3, 2, 1)]
    return params * sum(n / share for n, share in zip((2, 2, 12), shares, strict=True))


def _make_llama_row(
    name: str,
    tokens_s: float,
    rows: int,
    layers: int,
    width: int,
    heads: int,
    groups: int,
    hidden: int,
    source: str,
    **options: Any,
) -> PlanRow:
    """Make the row of a LLaMA 2 whose cards train so many tokens a second."""
    sequence = 4096
    data, tensor, stages = (options.get(key, 1) for key in ("data", "tensor", "stages"))
    micro = options.get("micro_batches", 1)
    params = layers * width * (2 * width + 2 * width * groups // heads + 3 * hidden)
    params = params / stages + 32000 * width * (1 if stages > 1 else 2)
    # float16: what goes into two norms and their outputs on every rank; the rest is split.
    keys = 2 * width * groups // heads
    layer = 2 * (4 * width + (2 * width + keys + width + 4 * hidden) / tensor)
    words = rows // micro * sequence
    logits = 0 if stages > 1 else words * 32000 * 8
    if options.get("recompute"):
        activations = 2 * width * layers * words + max(layer * words, logits)
    else:
        activations = layer * layers * words * min(micro, stages) / stages + logits
    state = _count_state_bytes(params / tensor, data, options.get("zero", 0))
    ranks_a_replica = tensor * stages
    return PlanRow(
        name,
        ASCEND,
        lambda: language.llama2(rows, layers, width, heads, groups, hidden, sequence),
        1e3 * rows * sequence / tokens_s / ranks_a_replica,
        options,
        (state + activations) / GIB,
        source,
    )


def _make_gpt_row(
    name: str, tflops: float, layers: int, width: int, heads: int, rows: int, **options: Any
) -> PlanRow:
    """Make the row of a GPT whose GPUs reach so many TFLOPS, recomputed activations included."""
    sequence, words, tensor = 2048, 51200, options.get("tensor", 1)
    work = 1 + sequence / (6 * width) + words / (16 * layers * width)
    flops = 96 * rows * sequence * layers * width**2 * work / tensor
    micro_rows = rows // options["micro_batches"]
    params = 12 * layers * width**2 + 2 * words * width
    elements = micro_rows * sequence * width
    layer = elements * (10 + 24 / tensor + 5 * heads * sequence / width / tensor)
    logits = micro_rows * sequence * words * 8 / tensor
    return PlanRow(
        name,
        A100,
        lambda: language.gpt(rows, layers, width, heads, sequence),
        flops / tflops / 1e9,
        {"data": 32, "recompute": True, **options},
        (16 * params / tensor + 2 * elements * layers + max(layer, logits)) / GIB,
        "Narayanan et al. 2021, table 1",
    )


_PAGE = "mindformers r1.3, models; configs/llama2"
ROWS = (
    _make_llama_row(
        "LLaMA2-7B", 4160, 8, 32, 4096, 32, 32, 11008, _PAGE, data=8, zero=1, micro_batches=8,
    ),
    _make_llama_row(
        "LLaMA2-13B", 1691, 4, 40, 5120, 40, 40, 13824, _PAGE, data=8, zero=3, recompute=True,
    ),
    _make_llama_row(
        "LLaMA2-70B", 337, 256, 80, 8192, 64, 8, 28672, _PAGE, tensor=4, stages=8,
        micro_batches=256,
    ),
    _make_llama_row(
        "LLaMA2-70B", 407, 256, 80, 8192, 64, 8, 28672, "mindformers r1.0, llama2.md", data=2,
        tensor=4, stages=8, micro_batches=256, zero=1,
    ),
    _make_gpt_row("GPT-1.7B", 137, 24, 2304, 24, 16, micro_batches=4),
    _make_gpt_row("GPT-3.6B", 138, 30, 3072, 32, 16, micro_batches=4, tensor=2),
    _make_gpt_row("GPT-7.5B", 142, 36, 4096, 32, 16, micro_batches=4, tensor=4),
    _make_gpt_row("GPT-18.4B", 135, 40, 6144, 48, 32, micro_batches=8, tensor=8),
)  # fmt: skip
BOUND, MEMORY_BOUND = 0.30, 0.15


def main(argv: list[str]) -> int:
    """Print the table; the status is 1 if more than one row is out of a bound."""
    print(
        f"{'model':<12}{'device':<13}{'ranks':>6}{'predicted s':>13}{'published s':>13}{'error':>8}"
        f"{'GiB':>8}{'textbook':>10}{'error':>8}{'traced s':>10}  source"
    )
    misses = 0
    for row in ROWS:
        begin = time.perf_counter()
        plan = row.plan()
        seconds = time.perf_counter() - begin
        step_error = plan.step_us / 1e3 / row.published_ms - 1
        gib = plan.stages[0].peak / GIB
        memory_error = gib / row.textbook_gib - 1
        misses += abs(step_error) > BOUND or abs(memory_error) > MEMORY_BOUND
        print(
            f"{row.name:<12}{row.spec.name:<13}{plan.ranks:>6}{plan.step_us / 1e6:>13.2f}"
            f"{row.published_ms / 1e3:>13.2f}{step_error:>+8.0%}{gib:>8.1f}"
            f"{row.textbook_gib:>10.1f}{memory_error:>+8.0%}{seconds:>10.2f}  {row.source}"
        )
    return int(misses > 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
