"""What a sink is: the same training with and without one, counted and drawn."""

import numpy as np

import digits  # draws its own pictures from a seed; the file stands in examples/
import minispore as ms
import minispore.dataset as ds
from minispore import device, nn

ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")  # a simulated one

images, labels = next(digits.draw(1000, seed=1))
images = images.reshape(1000, 784).astype("float32") / 255
labels = labels.astype("int32")


def train(dataset_sink_mode: bool) -> np.ndarray:
    """Train for two epochs of 10 steps, print what was counted, and return the weights."""
    ms.set_seed(1)
    data = ds.NumpySlicesDataset((images, labels), ["image", "label"]).batch(100)
    network = nn.SequentialCell(nn.Dense(784, 64), nn.ReLU(), nn.Dense(64, 10))
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9)
    model = ms.Model(network, loss, optimizer)
    counters = device.current().counters
    counters.reset()
    model.train(2, data, callbacks=ms.LossMonitor(), dataset_sink_mode=dataset_sink_mode)
    print(
        f"{'sink' if dataset_sink_mode else 'no sink'}: "
        f"host and device met {counters.interactions} times, "
        f"with {counters.h2d_copies} copies to the device\n"
    )
    return network[0].weight.asnumpy()


without_sink = train(dataset_sink_mode=False)

profiler = ms.Profiler(output_path="profile")  # its report is the page below
with_sink = train(dataset_sink_mode=True)
profiler.analyse()

print("The same weights to the last bit:", np.array_equal(without_sink, with_sink))
