"""Will it fit: the memory and the speed of a training on an Ascend, from shapes alone."""

import numpy as np

import minispore as ms
from minispore import nn
from minispore.device import Shapes, estimate, memory_report

ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")

network = nn.SequentialCell(
    *[nn.Conv2d(3, 64, 7, stride=2), nn.BatchNorm2d(64), nn.ReLU()],
    nn.MaxPool2d(3, 2, pad_mode="same"),
    *[nn.Conv2d(64, 128, 3, stride=2), nn.BatchNorm2d(128), nn.ReLU()],
    *[nn.Conv2d(128, 256, 3, stride=2), nn.BatchNorm2d(256), nn.ReLU()],
    *[nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dense(256, 1000)],
)
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9)
model = ms.Model(network, loss, optimizer, amp_level="O2")


def imagenet(batch: int) -> Shapes:
    """The shapes of ImageNet's batches: no picture is needed."""
    return Shapes([((batch, 3, 224, 224), np.float32), ((batch,), np.int32)], 1_281_167 // batch)


print("batch  memory in GB  images a second, predicted")
for batch in (32, 128, 512):
    report = memory_report(model, imagenet(batch), device="Ascend910")
    times = estimate(model, imagenet(batch), device="Ascend910")
    rate = batch / (times["loop"].step_us / 1e6)
    print(f"{batch:5}  {report.peak / 2**30:12.1f}  {rate:26,.0f}")
print(f"An Ascend910 has {report.capacity / 2**30:.0f} GB.")
print(f"The largest batch that fits is {report.largest_batch}.")
