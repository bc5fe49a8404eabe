"""GRAPH and PYNATIVE: the same bits in both modes, and the time of a step in each."""

import time

import numpy as np

import minispore as ms
from minispore import nn

ms.set_seed(1)
network = nn.SequentialCell(
    nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Dense(8 * 16 * 16, 10)
)
optimizer = nn.Momentum(network.trainable_params(), 0.01, 0.9)
step = nn.TrainOneStepCell(nn.WithLossCell(network, nn.MSELoss()), optimizer)
step.set_train()

images = ms.Tensor(np.random.default_rng(0).normal(size=(8, 3, 16, 16)).astype("float32"))
targets = ms.Tensor(np.zeros((8, 10), "float32"))
start = {name: p.asnumpy().copy() for name, p in step.parameters_dict().items()}


def run_steps(mode: int, count: int = 20) -> tuple[list[float], float]:
    """Run steps from the same start; return their losses and the milliseconds of the median one."""
    ms.set_context(mode=mode)
    for name, p in step.parameters_dict().items():
        p.set_data(ms.Tensor(start[name]))
    losses, times = [], []
    for _ in range(count):
        started = time.perf_counter()
        losses.append(float(step(images, targets).asnumpy()))
        times.append(1000 * (time.perf_counter() - started))
    return losses, sorted(times)[count // 2]


graph_losses, graph_ms = run_steps(ms.GRAPH_MODE)
pynative_losses, pynative_ms = run_steps(ms.PYNATIVE_MODE)

print("losses", *(f"{loss:.4f}" for loss in graph_losses[:5]), "...")
print("the same bits in both modes:", graph_losses == pynative_losses)
print(f"GRAPH    {graph_ms:6.2f} ms a step: a list of NumPy calls over planned memory")
print(f"PYNATIVE {pynative_ms:6.2f} ms a step: op by op, as Python comes to them")
