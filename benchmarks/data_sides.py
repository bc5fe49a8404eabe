"""Passes over datasets, as sides of the benchmark ``data``.

Interpreters of several libraries load this file: minispore and MindSpore run the very same
lines, PyTorch has others. A step is one pass.
"""

import importlib
import time


def make_lenet_pass(library, folder, workers):
    """Make a pass over the guides' pipeline: MNIST resized to 32x32, rescaled, CHW,
    shuffled, batched.
    """
    return make_pass(library, make_lenet_dataset(library, folder, workers))


def make_lenet_dataset(library, folder, workers):
    """Make the dataset of the guides' pipeline."""
    ds, vision, transforms, int32 = import_modules(library)
    data = ds.MnistDataset(folder, usage="train")
    for operation, column in (
        (transforms.TypeCast(int32), "label"),
        (vision.Resize((32, 32), vision.Inter.LINEAR), "image"),
        (vision.Rescale(1 / 255, 0.0), "image"),
        (vision.Rescale(1 / 0.3081, -0.1307 / 0.3081), "image"),
        (vision.HWC2CHW(), "image"),
    ):
        data = data.map(operation, column, num_parallel_workers=workers)
    return data.shuffle(10000).batch(32, drop_remainder=True)


def make_sink_training(folder):
    """Train LeNet-5 on the guides' pipeline in sink mode, twice; the line describes the
    second time.
    """
    import minispore as ms
    from lenet_mnist import LeNet5
    from minispore import nn

    class WaitTime(ms.Callback):
        """A callback that notes at the end of an epoch how long the device has waited for
        batches.
        """

        def on_train_epoch_end(self, run_context):
            transfer = run_context.original_args().train_dataset.__transfer_dataset__
            self.seconds = transfer.channel.evidence.waited_s

    ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
    data = make_lenet_dataset("minispore", folder, 1)
    net = LeNet5()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = ms.Model(net, loss, nn.Momentum(net.trainable_params(), 0.01, 0.9))
    wait_time = WaitTime()

    def step():
        model.train(1, data, callbacks=wait_time, dataset_sink_mode=True)

    step()
    start = time.perf_counter()
    step()
    elapsed_s = time.perf_counter() - start
    share = 100 * wait_time.seconds / elapsed_s
    steps = data.get_dataset_size()
    return step, f"{steps} steps in {elapsed_s:.2f} s, {share:.1f} % of them waiting for data"


def make_cifar_pass(library, folder, workers):
    """Make a pass over CIFAR-10: a random crop of the padded image, a flip, normalised, CHW."""
    ds, vision, transforms, int32 = import_modules(library)
    data = ds.Cifar10Dataset(folder, usage="train", shuffle=True)
    steps = [
        vision.RandomCrop((32, 32), (4, 4, 4, 4)),
        vision.RandomHorizontalFlip(prob=0.5),
        vision.Rescale(1 / 255, 0.0),
        vision.Normalize([0.4914, 0.4822, 0.4465], [0.2023, 0.1994, 0.2010]),
        vision.HWC2CHW(),
    ]
    data = data.map(steps, "image", num_parallel_workers=workers)
    data = data.map(transforms.TypeCast(int32), "label", num_parallel_workers=workers)
    return make_pass(library, data.batch(128, drop_remainder=True))


def make_slow_rows_pass(library, rows, workers, processes):
    """Make a pass over rows of a Python function that takes a millisecond for each."""
    ds = importlib.import_module(f"{library}.dataset")
    import numpy as np

    class Rows:
        def __len__(self):
            return rows

        def __getitem__(self, i):
            time.sleep(0.001)
            return np.array(i)

    data = ds.GeneratorDataset(
        Rows(),
        ["x"],
        num_parallel_workers=workers,
        python_multiprocessing=processes,
        shuffle=False,
    )
    return make_pass(library, data.batch(10))


def make_arrays_pass(library, rows):
    """Make a pass over two arrays in memory, shuffled, in batches of 32."""
    ds = importlib.import_module(f"{library}.dataset")
    import numpy as np

    columns = {"x": np.ones((rows, 16), np.float32), "y": np.arange(rows, dtype=np.int32)}
    return make_pass(library, ds.NumpySlicesDataset(columns).batch(32))


def make_records_pass(library, folder, workers):
    """Make a pass over the rows of a MindRecord file, shuffled, in batches of 32."""
    ds = importlib.import_module(f"{library}.dataset")
    data = ds.MindDataset(folder, num_parallel_workers=workers, shuffle=True)
    return make_pass(library, data.batch(32))


def make_pass(library, data):
    """Return a step that iterates once over the dataset, and a line that describes it."""
    version = importlib.import_module(library).__version__

    def step():
        count = 0
        for _ in data.create_tuple_iterator(num_epochs=1):
            count += 1
        return count

    return step, f"{library} {version}, {step()} batches"


def import_modules(library):
    """Import a library's dataset module, its vision and other transforms, and its int32."""
    ds = importlib.import_module(f"{library}.dataset")
    vision = importlib.import_module(f"{library}.dataset.vision")
    transforms = importlib.import_module(f"{library}.dataset.transforms")
    return ds, vision, transforms, importlib.import_module(library).int32


# -- PyTorch ------------------------------------------------------------------------------------


def make_torch_lenet_pass(folder, workers):
    """Make the pass of ``make_lenet_pass`` in PyTorch's DataLoader, with tensor operations
    for each row.
    """
    import numpy as np
    import torch
    from torch.nn.functional import interpolate

    images = np.fromfile(f"{folder}/train-images-idx3-ubyte", np.uint8, offset=16)
    images = torch.from_numpy(images.reshape(-1, 1, 28, 28))
    labels = torch.from_numpy(np.fromfile(f"{folder}/train-labels-idx1-ubyte", np.uint8, offset=8))

    class Rows(torch.utils.data.Dataset):
        def __len__(self):
            return len(images)

        def __getitem__(self, i):
            image = interpolate(images[i : i + 1].float(), (32, 32), mode="bilinear")[0]
            return image.mul_(1 / 255).sub_(0.1307).div_(0.3081), labels[i].to(torch.int32)

    return make_torch_pass(torch, Rows(), 32, workers)


def make_torch_cifar_pass(folder, workers):
    """Make the pass of ``make_cifar_pass`` in PyTorch's DataLoader, with tensor operations
    for each row.
    """
    import numpy as np
    import torch
    from torch.nn.functional import pad

    raw = [np.fromfile(f"{folder}/data_batch_{i}.bin", np.uint8) for i in range(1, 6)]
    records = torch.from_numpy(np.concatenate(raw).reshape(-1, 3073))
    images, labels = records[:, 1:].reshape(-1, 3, 32, 32), records[:, 0]
    mean = torch.tensor([0.4914, 0.4822, 0.4465]).reshape(3, 1, 1)
    std = torch.tensor([0.2023, 0.1994, 0.2010]).reshape(3, 1, 1)

    class Rows(torch.utils.data.Dataset):
        def __len__(self):
            return len(images)

        def __getitem__(self, i):
            y, x = torch.randint(0, 9, (2,)).tolist()
            image = pad(images[i], (4, 4, 4, 4))[:, y : y + 32, x : x + 32]
            if torch.rand(()) < 0.5:
                image = image.flip(-1)
            return image.float().mul_(1 / 255).sub_(mean).div_(std), labels[i].to(torch.int32)

    return make_torch_pass(torch, Rows(), 128, workers)


def make_torch_pass(torch, rows, batch_size, workers):
    """Return a step that iterates once over a DataLoader, and a line that describes it."""
    loader = torch.utils.data.DataLoader(
        rows, batch_size, shuffle=True, drop_last=True, num_workers=workers
    )

    def step():
        return sum(1 for _ in loader)

    return step, f"PyTorch {torch.__version__}, DataLoader with {workers} workers"
