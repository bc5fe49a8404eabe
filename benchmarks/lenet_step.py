"""A LeNet-5 training step, batch after batch, as sides of the benchmark ``lenet``.

Two interpreters load this file, and neither has the other's library: each side imports its own.
"""

import time


def make_minispore_step(mode, batch_size, device="CPU"):
    """Make a step in minispore: forward, backward and Momentum, in GRAPH or PYNATIVE mode."""
    import numpy as np

    import minispore as ms
    from lenet_mnist import LeNet5
    from minispore import nn

    ms.set_context(mode=getattr(ms, f"{mode}_MODE"), device_target=device)
    ms.set_seed(1)
    net = LeNet5()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.01, momentum=0.9)
    train = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer)
    train.set_train()
    images, labels = make_batch(np, batch_size)
    x, y = ms.Tensor(images), ms.Tensor(labels)
    start = time.perf_counter()
    first = float(train(x, y).asnumpy())
    ms_first = 1e3 * (time.perf_counter() - start)
    about = f"minispore {ms.__version__}, NumPy {np.__version__}, {mode} on {device}"
    return lambda: train(x, y), f"{about}; first step {ms_first:.0f} ms, loss {first:.4f}"


def make_torch_step(batch_size):
    """Make the step in PyTorch, eager, float32, as its tutorials write it."""
    import numpy as np
    import torch
    from torch import nn

    torch.manual_seed(1)
    net = nn.Sequential(
        nn.Conv2d(1, 6, 5, bias=False),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5, bias=False),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(400, 120),
        nn.ReLU(),
        nn.Linear(120, 84),
        nn.ReLU(),
        nn.Linear(84, 10),
    )
    for p in net.parameters():
        nn.init.trunc_normal_(p, std=0.02, a=-0.04, b=0.04)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    images, labels = make_batch(np, batch_size)
    x, y = torch.from_numpy(images), torch.from_numpy(labels).long()

    def step():
        optimizer.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    start = time.perf_counter()
    first = step().item()
    ms_first = 1e3 * (time.perf_counter() - start)
    about = f"PyTorch {torch.__version__} eager, {torch.get_num_threads()} threads"
    return step, f"{about}; first step {ms_first:.0f} ms, loss {first:.4f}"


def make_batch(np, size):
    """Make the random images and labels that all sides share."""
    rng = np.random.default_rng(0)
    images = rng.standard_normal((size, 1, 32, 32), dtype=np.float32)
    return images, rng.integers(0, 10, size, dtype=np.int32)
