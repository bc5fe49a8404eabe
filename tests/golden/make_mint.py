"""Make tests/golden/mint/: python tests/golden/make_mint.py mindspore|torch

With the real MindSpore: the signatures of mint (signatures.json), parameters of its layers
(layers.json), and results of what its CPU computes (mindspore.npz). Most of mint needs an Ascend;
with PyTorch, whose functions of the same names it follows: results and gradients (torch.npz).
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent / "mint"
MODULES = ("", ".linalg", ".special", ".nn", ".nn.functional", ".optim")
LAYERS = {
    "Conv1d": (3, 4, 2), "Conv2d": (3, 4, 2), "Conv3d": (3, 4, 2), "ConvTranspose2d": (3, 4, 2),
    "Linear": (3, 4), "BatchNorm1d": (3,), "BatchNorm2d": (3,), "BatchNorm3d": (3,),
    "GroupNorm": (2, 4), "LayerNorm": ((3,),), "Embedding": (5, 3), "PReLU": (3,),
}  # fmt: skip


def signature(thing: Any) -> list[list[str]] | None:
    """(name, kind, default) of each parameter; None where it is not told."""
    actual = inspect.signature(thing).parameters.values()
    if any(p.kind == p.VAR_KEYWORD for p in actual):
        return None
    return [[p.name, p.kind.name, "" if p.default is p.empty else repr(p.default)] for p in actual]


def from_mindspore() -> None:
    import mindspore as ms

    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU", pynative_synchronize=True)
    signatures = {}
    for name in MODULES:
        module = importlib.import_module(f"mindspore.mint{name}")
        for public in module.__all__:
            if hasattr(module, public):
                signatures[f"{name[1:]}.{public}".lstrip(".")] = signature(getattr(module, public))
    write("signatures", signatures)
    layers = {}
    for name, args in LAYERS.items():
        output = getattr(ms.mint.nn, name)(*args)
        layers[name] = [
            [p.name, list(p.shape), str(p.dtype), p.requires_grad] for p in output.get_parameters()
        ]
    write("layers", layers)
    results("mindspore", ms.mint, ms.mint.nn.functional, ms.Tensor, lambda t: t.asnumpy())


def from_torch() -> None:
    import torch

    F = torch.nn.functional
    torch.special.log_softmax = torch.log_softmax
    mint = SimpleNamespace(**vars(torch))
    mint.linalg, mint.special = torch.linalg, torch.special
    actual = results("torch", mint, F, torch.from_numpy, lambda t: t.detach().numpy())
    from tests.mint.cases import CASES, arrays, flat

    for title, case in CASES.items():
        if f"{title}: 0" not in actual:
            continue
        values_by_name = {k: torch.from_numpy(a).requires_grad_(a.dtype == np.float32)
                 for k, a in arrays().items()}  # fmt: skip
        try:
            out = flat(case(mint, F, SimpleNamespace(**values_by_name)))[0]
            if out.dtype != torch.float32 or not out.requires_grad:
                continue
            weights = torch.sin(torch.arange(1, out.numel() + 1, dtype=torch.float32))
            (out.reshape(-1) * weights).sum().backward()
        except RuntimeError as exc:  # PyTorch does not differentiate it
            print(f"no gradient: {title}: {exc}")
            continue
        for name, t in values_by_name.items():
            if t.grad is not None and (t.grad != 0).any():
                actual[f"{title}: d{name}"] = t.grad.numpy()
    np.savez_compressed(FOLDER / "torch.npz", **actual)


def results(kind: str, m: Any, F: Any, tensor: Any, numpy: Any) -> dict[str, np.ndarray]:
    sys.path.insert(0, str(ROOT))
    from tests.mint.cases import CASES, arrays, flat

    actual: dict[str, np.ndarray] = {}
    left = []
    for title, case in CASES.items():
        x = SimpleNamespace(**{name: tensor(a) for name, a in arrays().items()})
        try:
            outputs_by_name = {
                f"{title}: {i}": np.asarray(numpy(t)) for i, t in enumerate(flat(case(m, F, x)))
            }
        except Exception as exc:
            left.append(f"{title} ({type(exc).__name__}: {str(exc).strip().splitlines()[0][:90]})")
            continue
        actual |= outputs_by_name
    print(f"{kind}: {len(actual)} arrays of {len(CASES)} cases; left out:", *left, sep="\n  ")
    np.savez_compressed(FOLDER / f"{kind}.npz", **actual)
    return actual


def write(name: str, content: dict[str, Any]) -> None:
    lines = ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(content.items()))
    (FOLDER / f"{name}.json").write_text("{\n" + lines + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    from_mindspore() if sys.argv[1] == "mindspore" else from_torch()
