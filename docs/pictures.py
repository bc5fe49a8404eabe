"""Draw the pictures of the pages anew: ``python docs/pictures.py`` (needs Chromium).

Each shows a real run: what a training draws on a terminal, the report of a profiled LeNet, and what
the programs of the tutorials draw.
"""

from __future__ import annotations

import html
import io
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import minispore as ms
import minispore.dataset as ds
from minispore import nn
from minispore.train import ProgressBar

HERE = Path(__file__).resolve().parent
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--no-first-run",
    "--force-device-scale-factor=2",
]  # fmt: skip
TERMINAL = """<!doctype html><meta charset="utf-8"><style>body {{margin: 0; background: #14171c}}
pre {{margin: 0; padding: 30px 20px; color: #e7eaee; font: 15px/1.6 monospace}}
b {{color: #6cc0de; font-weight: normal}}</style><pre>{}</pre>"""


def shot(page: Path, picture: Path, width: int, height: int) -> None:
    """A picture of a page in a window of this size."""
    browser = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None)
    if browser is None:
        sys.exit("pictures: needs Chromium on the path")
    with tempfile.TemporaryDirectory() as profile:
        size = f"--window-size={width},{height}"
        where = [f"--user-data-dir={profile}", f"--screenshot={picture}", page.as_uri()]
        subprocess.run([browser, *FLAGS, size, *where], check=True, capture_output=True)


def bar(folder: Path) -> None:
    """A training's bar half way and at its end."""
    os.environ.update(COLUMNS="105", LINES="24")
    screen = io.StringIO()
    x = np.random.default_rng(0).normal(size=(32_000, 64)).astype(np.float32)
    data = ds.NumpySlicesDataset((x, x[:, :1]), ["x", "y"]).batch(32)
    network = nn.SequentialCell(nn.Dense(64, 256), nn.ReLU(), nn.Dense(256, 1))
    optimizer = nn.Adam(network.trainable_params(), 1e-3)
    model = ms.Model(network, nn.MSELoss(), optimizer, metrics={"mae"})
    model.fit(2, data, data, callbacks=ProgressBar(_Wide(screen)))
    frames = [f for f in screen.getvalue().replace("\r", "\n").split("\n") if "epoch" in f]
    middle = frames[len(frames) // 2]
    text = "$ <b>python train.py</b>\n" + "\n".join(html.escape(f) for f in (middle, frames[-1]))
    page = folder / "bar.html"
    page.write_text(TERMINAL.format(text), encoding="utf-8")
    shot(page, HERE / "images" / "bar.png", 1000, 220)


class _Wide:
    """A file that looks like a terminal of 105 columns."""

    encoding = "utf-8"

    def __init__(self, file: io.StringIO) -> None:
        self.write, self.flush = file.write, file.flush

    def isatty(self) -> bool:
        """Yes."""
        return True


def report(folder: Path) -> None:
    """The page of a profiled LeNet."""
    sys.path.insert(0, str(HERE.parent / "examples"))
    import lenet_mnist
    import mnist_files

    ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
    ms.set_seed(1)
    data, test = (
        lenet_mnist.create_dataset(mnist_files.find(), part, 32).take(batches)
        for part, batches in (("train", 300), ("test", 30))
    )
    network = lenet_mnist.LeNet5()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    rate = nn.cosine_decay_lr(0.0, 0.02, 900, 300, 3)
    optimizer = nn.Momentum(network.trainable_params(), rate, 0.9)
    model = ms.Model(network, loss, optimizer, metrics={"accuracy"})
    profiler = ms.Profiler(output_path=str(folder))
    model.fit(3, data, test, dataset_sink_mode=True)
    profiler.analyse()
    shot(folder / "profiler" / "report.html", HERE / "images" / "report.png", 1180, 1500)


def check(folder: Path) -> None:
    """The page that ``check`` writes of the LeNet of the examples."""
    page = folder / "check.html"
    command = [sys.executable, "-m", "minispore", "check", "--ranks", "8", "--html", str(page)]
    subprocess.run([*command, str(HERE.parent / "examples" / "lenet_mnist.py")], check=True)
    shot(page, HERE / "images" / "check.png", 960, 1000)


def tutorials(folder: Path) -> None:
    """What the programs of the tutorials draw."""
    pages = [str(page) for page in sorted((HERE / "tutorials").glob("*.md"))]
    subprocess.run([sys.executable, "-m", "tests.docs.pages", *pages], cwd=HERE.parent, check=True)
    for made in (HERE / "images" / "tutorials").iterdir():
        if made.suffix != ".png":  # checkpoints, graphs: what else a program wrote
            shutil.rmtree(made) if made.is_dir() else made.unlink()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        for draw in (bar, report, check, tutorials):
            if draw.__name__ in (sys.argv[1:] or ["bar", "report", "check", "tutorials"]):
                draw(Path(name))
