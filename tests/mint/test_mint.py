"""mint does as MindSpore's does, and where that needs an Ascend, as PyTorch, which it follows."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, mint
from tests.mint.cases import CASES, arrays, flat

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "mint"
F = mint.nn.functional
MINDSPORE = dict(np.load(GOLDEN / "mindspore.npz"))
TORCH = dict(np.load(GOLDEN / "torch.npz"))
SIGNATURES: dict[str, Any] = json.loads((GOLDEN / "signatures.json").read_text())
LAYERS: dict[str, Any] = json.loads((GOLDEN / "layers.json").read_text())

# What is not here, and why.
MISSING = {
    # parts of what SyncBatchNorm is made of on an Ascend
    "batch_norm_stats",
    "batch_norm_elemt",
    "batch_norm_gather_stats_with_counts",
    "npu_gelu",  # a formula of Ascend's own
}


def named(path: str) -> Any:
    thing: Any = mint
    for part in path.split("."):
        thing = getattr(thing, part)
    return thing


def has(path: str) -> bool:
    try:
        named(path)
    except AttributeError:
        return False
    return True


def parameters(thing: Any) -> list[list[str]]:
    return [
        [p.name, p.kind.name, "" if p.default is p.empty else repr(p.default)]
        for p in inspect.signature(thing).parameters.values()
    ]


def inputs() -> SimpleNamespace:
    return SimpleNamespace(**{name: Tensor(a) for name, a in arrays().items()})


# -- names ----------------------------------------------------------------------------------------


def test_every_public_mint_name_exists_except_the_listed_missing_ones() -> None:
    assert {path for path in SIGNATURES if not has(path)} == MISSING


@pytest.mark.parametrize("path", [p for p in SIGNATURES if SIGNATURES[p] and p not in MISSING])
def test_names_and_defaults_of_arguments_are_mindspores(path: str) -> None:
    assert parameters(named(path)) == SIGNATURES[path]


@pytest.mark.parametrize("name", LAYERS)
def test_a_layers_parameters_have_mindspores_names_shapes_and_types(name: str) -> None:
    args = {"LayerNorm": ((3,),), "GroupNorm": (2, 4), "Embedding": (5, 3), "Linear": (3, 4)}
    default = (3,) if "Norm" in name or name == "PReLU" else (3, 4, 2)
    output = getattr(mint.nn, name)(*args.get(name, default))
    results = [
        [p.name, list(p.shape), str(p.dtype), p.requires_grad] for p in output.get_parameters()
    ]
    assert results == LAYERS[name]


def test_every_name_in_all_exists() -> None:
    for module in (mint, mint.nn, F, mint.linalg, mint.special):
        assert all(hasattr(module, name) for name in module.__all__)


# -- results --------------------------------------------------------------------------------------


def same(actual: Any, golden: np.ndarray, types: bool = True) -> None:
    array = np.asarray(actual.asnumpy() if isinstance(actual, Tensor) else actual)
    assert array.shape == golden.shape
    if types:
        assert array.dtype == golden.dtype
    np.testing.assert_allclose(array, golden, rtol=2e-5, atol=2e-5)


def golden_of(source: dict[str, np.ndarray], title: str) -> list[np.ndarray]:
    results = []
    while f"{title}: {len(results)}" in source:
        results.append(source[f"{title}: {len(results)}"])
    return results


@pytest.mark.parametrize("title", [t for t in CASES if f"{t}: 0" in MINDSPORE])
def test_it_computes_what_mindspore_computes(title: str) -> None:
    output = flat(CASES[title](mint, F, inputs()))
    golden = golden_of(MINDSPORE, title)
    assert len(output) == len(golden)
    for ours, theirs in zip(output, golden, strict=True):
        same(ours, theirs)


@pytest.mark.parametrize(
    "title", [t for t in CASES if f"{t}: 0" in TORCH and f"{t}: 0" not in MINDSPORE]
)
def test_it_computes_what_pytorch_computes(title: str) -> None:
    output = flat(CASES[title](mint, F, inputs()))
    golden = golden_of(TORCH, title)
    assert len(output) == len(golden)
    for ours, theirs in zip(output, golden, strict=True):
        same(ours, theirs)


DIFFERENTIATED = sorted({key.split(": d")[0] for key in TORCH if ": d" in key})


@pytest.mark.parametrize("title", DIFFERENTIATED)
def test_its_gradients_are_pytorchs(title: str) -> None:
    wrt = [key.split(": d")[1] for key in TORCH if key.startswith(f"{title}: d")]
    args = inputs()

    def weighted(*tensors: Tensor) -> Tensor:
        x = SimpleNamespace(**vars(args) | dict(zip(wrt, tensors, strict=True)))
        out = flat(CASES[title](mint, F, x))[0].reshape(-1)
        return (out * Tensor(np.sin(np.arange(1, out.size + 1, dtype=np.float32)))).sum()

    output = ms.grad(weighted, tuple(range(len(wrt))))(*[getattr(args, name) for name in wrt])
    output = output if isinstance(output, tuple) else (output,)
    for name, gradient in zip(wrt, output, strict=True):
        np.testing.assert_allclose(
            gradient.asnumpy(), TORCH[f"{title}: d{name}"], rtol=2e-4, atol=2e-4
        )


BY_VALUE = {  # their shapes depend on values, so they run op by op
    "nonzero", "nonzero tuple", "where one", "unique", "unique all", "unique_consecutive",
    "masked_select", "bincount", "bincount weights", "one_hot",
}  # fmt: skip


@pytest.mark.parametrize("title", [t for t in CASES if t not in BY_VALUE])
def test_a_graph_computes_the_same(title: str) -> None:
    args = inputs()

    @ms.jit
    def compiled(*tensors: Tensor) -> Any:
        return tuple(flat(CASES[title](mint, F, SimpleNamespace(**dict(zip(vars(args), tensors))))))

    output = compiled(*vars(args).values())
    for graph, eager in zip(output, flat(CASES[title](mint, F, args)), strict=True):
        np.testing.assert_allclose(graph.asnumpy(), eager.asnumpy(), rtol=1e-5, atol=1e-6)


def test_index_add_leaves_its_input_unchanged() -> None:
    x = Tensor([1, 2, 3])
    mint.index_add(x, 0, Tensor([2]), Tensor([5]))
    assert x.asnumpy().tolist() == [1, 2, 3]


def test_variance_with_too_large_a_correction_is_infinite() -> None:
    x = Tensor([[1.0, 2.0, 4.0], [3.0, 3.0, 3.0]])
    for f in (mint.var, mint.std):
        np.testing.assert_array_equal(f(x, 1, correction=5).asnumpy(), [np.inf, np.nan])
        assert f(x, correction=9).asnumpy() == np.inf
    for f in (mint.var_mean, mint.std_mean):
        spread, mean = f(x, (0, 1), correction=9)
        assert spread.asnumpy() == np.inf and mean.asnumpy() == np.float32(16 / 6)
    assert mint.var(x, 0, correction=1).asnumpy().tolist() == [2.0, 0.5, 0.5]


def test_avg_pool2d_refuses_other_axis_counts_under_its_name() -> None:
    with pytest.raises(ValueError, match=r"^avg_pool2d: input must have 3 or 4 axes"):
        mint.nn.functional.avg_pool2d(Tensor([1.0]), 2)
