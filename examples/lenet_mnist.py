"""Train LeNet-5 on handwritten digits: ``python lenet_mnist.py --help``.

By default on a simulated Ascend in graph mode with the data sunk: the host launches 1000 steps at a
time, the device fetches its batches from the channel, and one result comes back per launch.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import minispore as ms
import minispore.dataset as ds
import mnist_files
from minispore import nn
from minispore.common.initializer import TruncatedNormal
from minispore.dataset import transforms, vision


def create_dataset(folder: Path, usage: str, batch_size: int) -> ds.Dataset:
    """Make batches of images (batch, 1, 32, 32) with mean 0 and variance 1, and labels (batch,)."""
    data = ds.MnistDataset(str(mnist_files.split(folder, usage)), usage=usage)
    image_operations = [
        vision.Resize((32, 32), interpolation=vision.Inter.LINEAR),
        vision.Rescale(1.0 / 255.0, 0.0),
        vision.Rescale(1 / 0.3081, -1 * 0.1307 / 0.3081),  # MNIST's own deviation and mean
        vision.HWC2CHW(),
    ]
    data = data.map(transforms.TypeCast(ms.int32), input_columns="label")
    data = data.map(image_operations, input_columns="image")
    data = data.shuffle(buffer_size=10000)
    return data.batch(batch_size, drop_remainder=usage == "train")  # every image is tested


class LeNet5(nn.Cell):
    """The network of LeCun et al., "Gradient-based learning applied to document recognition", 1998.

    As MindSpore's guides write it, with ReLU and maximum pooling.  x: (N, 1, 32, 32) -> (N, 10).
    """

    def __init__(self, num_class: int = 10) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid", weight_init=TruncatedNormal(0.02))
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", weight_init=TruncatedNormal(0.02))
        self.fc1 = nn.Dense(16 * 5 * 5, 120, TruncatedNormal(0.02), TruncatedNormal(0.02))
        self.fc2 = nn.Dense(120, 84, TruncatedNormal(0.02), TruncatedNormal(0.02))
        self.fc3 = nn.Dense(84, num_class, TruncatedNormal(0.02), TruncatedNormal(0.02))
        self.relu = nn.ReLU()
        self.max_pool2d = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


def parse_options(argv: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description="Train LeNet-5 on handwritten digits and test it.",
        epilog="Without --data-dir, --download or the environment variable MINISPORE_MNIST the "
        "digits are drawn by the program itself, once, and kept in the user's cache folder.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument(
        "--data-dir", metavar="DIR", help="IDX files, raw or .gz, flat or in train/ and test/"
    )
    parser.add_argument("--download", action="store_true", help="fetch the real MNIST, once")
    parser.add_argument("--device", choices=("CPU", "GPU", "Ascend"), default="Ascend")
    parser.add_argument("--mode", choices=("GRAPH", "PYNATIVE"), default="GRAPH")
    parser.add_argument("--epochs", type=int, default=10, help="launches, or passes without sink")
    parser.add_argument("--sink-size", type=int, default=1000, help="steps a launch; -1: one pass")
    parser.add_argument("--no-sink", action="store_true", help="feed each batch from the host")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", metavar="FILE", help="draw the run on one HTML page")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Train, then print the accuracy on the test set."""
    args = parse_options(argv)
    ms.set_seed(args.seed)
    mode = ms.GRAPH_MODE if args.mode == "GRAPH" else ms.PYNATIVE_MODE
    ms.set_context(mode=mode, device_target=args.device)

    folder = mnist_files.find(args.data_dir, fetch=args.download)
    train_data = create_dataset(folder, "train", args.batch_size)
    test_data = create_dataset(folder, "test", args.batch_size)

    network = LeNet5()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(network.trainable_params(), learning_rate=0.01, momentum=0.9)
    model = ms.Model(network, loss, optimizer, metrics={"accuracy": nn.Accuracy()})

    sink = not args.no_sink and args.device != "CPU"  # the CPU has nowhere to sink data to
    steps = args.sink_size if sink and args.sink_size > 0 else train_data.get_dataset_size()
    profiler = ms.Profiler() if args.report else None
    model.train(
        args.epochs,
        train_data,
        callbacks=[ms.LossMonitor(per_print_times=max(steps, 1))],
        dataset_sink_mode=sink,
        sink_size=args.sink_size,
    )
    print(f"accuracy: {model.eval(test_data)['accuracy']:.4f}")
    if profiler is not None:
        profiler.stop()
        profiler.report(args.report)


if __name__ == "__main__":
    main()
