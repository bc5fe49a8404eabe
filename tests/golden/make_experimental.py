"""Make tests/golden/experimental/: python tests/golden/make_experimental.py mindspore|torch

With the real MindSpore: what experimental.optim computes. With PyTorch: what mint.optim follows,
which MindSpore runs on an Ascend alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent / "experimental"
sys.path.insert(0, str(ROOT))

from tests.nn.experimental_cases import (  # noqa: E402  a script's own path comes first
    FLOAT16,
    MINT,
    OPTIMIZERS,
    PLATEAUS,
    SCHEDULERS,
    SEQUENCES,
    START,
    STEPS,
    gradients,
    plateau,
    rates,
    sequence,
    trained,
)


def from_mindspore() -> dict[str, np.ndarray]:
    import mindspore as ms
    from mindspore.experimental import optim

    actual = {}
    for case in OPTIMIZERS:
        for i, weight in enumerate(trained(optim, ms, case)):
            actual[f"{case}: {i}"] = weight
    for case in FLOAT16:
        for i, weight in enumerate(trained(optim, ms, case, np.float16)):
            actual[f"{case}, float16: {i}"] = weight
    for case, (name, arguments) in SCHEDULERS.items():
        sgd = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="w")], lr=0.2)
        actual[case] = rates(sgd, getattr(optim.lr_scheduler, name), arguments)
    for case in SEQUENCES:
        actual[f"SequentialLR {case}"] = sequence(optim, ms, case)
    for case in PLATEAUS:
        actual[f"ReduceLROnPlateau {case}"] = plateau(optim, ms, case)
    return actual


def from_torch() -> dict[str, np.ndarray]:
    import torch

    actual = {}
    for case in MINT:
        name, arguments = OPTIMIZERS[case]
        weights = [torch.tensor(a, requires_grad=True) for a in START]
        optimizer = getattr(torch.optim, name)(weights, **arguments)
        for step in range(STEPS):
            for w, g in zip(weights, gradients(step), strict=True):
                w.grad = torch.tensor(g)
            optimizer.step()
        for i, w in enumerate(weights):
            actual[f"{case}: {i}"] = w.detach().numpy()
    return actual


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    arrays = from_mindspore() if sys.argv[1] == "mindspore" else from_torch()
    np.savez_compressed(FOLDER / f"{sys.argv[1]}.npz", **arrays)
    print(f"{sys.argv[1]}: {len(arrays)} arrays")
