"""The compiled step: from the trace of a training step to the program that runs."""

import re
from pathlib import Path

import minispore as ms
from minispore import nn, ops

ms.set_seed(1)
ms.set_context(mode=ms.GRAPH_MODE, save_graphs=2, save_graphs_path="graphs")

network = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 3))
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9)
step = nn.TrainOneStepCell(nn.WithLossCell(network, loss), optimizer)
step.set_train()
print("loss", step(ops.ones((16, 4)), ops.zeros((16,), ms.int32)))
ms.set_context(save_graphs=False)

# The graph was written after each stage. These stages change the number of its nodes.
previous = ""
for path in sorted(Path("graphs").glob("*.ir")):
    count = re.search(r"(\d+) nodes", path.read_text())
    if count and count[1] != previous:
        previous = count[1]
        stage = path.name.split("_TrainOneStepCell")[0].lstrip("0123456789_")
        print(f"{stage:10} {previous} nodes")

# The program: one line for each NumPy call, forward, backward and optimizer in one list.
print()
for line in next(Path("graphs").glob("*_program_*.ir")).read_text().splitlines():
    print(line.rpartition("  ")[0].rstrip() or line)
