"""The LeNet example, on every device target, in every mode, with sink and without."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import lenet_mnist
import mnist_files

FLOAT = r"\d+\.\d+(?:e-\d+)?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some hundred drawn digits."""
    counts = {"train": 320, "t10k": 70}
    return mnist_files.generate(tmp_path_factory.mktemp("digits"), counts=counts)


def lines(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> list[str]:
    """What the example prints."""
    lenet_mnist.main([str(a) for a in arguments])
    return capsys.readouterr().out.splitlines()


def epochs_and_steps(printed: list[str]) -> list[tuple[int, int]]:
    """The numbers of the loss lines, of which all lines but the last must be."""
    matches = [re.fullmatch(rf"epoch: (\d+) step: (\d+), loss is {FLOAT}", p) for p in printed[:-1]]
    return [(int(m[1]), int(m[2])) for m in matches if m]


@pytest.mark.parametrize("mode", ["GRAPH", "PYNATIVE"])
@pytest.mark.parametrize("device", ["GPU", "Ascend"])
def test_one_line_is_printed_for_each_sink_and_the_accuracy_last(
    capsys: pytest.CaptureFixture[str], folder: Path, device: str, mode: str
) -> None:
    sunk = ["--epochs", 3, "--sink-size", 4]
    printed = lines(capsys, "--data-dir", folder, "--device", device, "--mode", mode, *sunk)
    assert epochs_and_steps(printed) == [(1, 4), (2, 4), (3, 4)]
    assert re.fullmatch(r"accuracy: 0\.\d{4}", printed[-1])


@pytest.mark.parametrize("target", [["--no-sink"], ["--device", "CPU"], ["--sink-size", "-1"]])
def test_without_a_sink_size_an_epoch_is_a_pass(
    capsys: pytest.CaptureFixture[str], folder: Path, target: list[str]
) -> None:
    printed = lines(capsys, "--data-dir", folder, "--epochs", 2, *target)
    assert epochs_and_steps(printed) == [(1, 10), (2, 10)]


def test_modes_devices_and_sink_end_in_the_same_accuracy_and_loss(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    common = ["--data-dir", folder, "--epochs", 2, "--sink-size", 10]
    outputs = [
        lines(capsys, *common, *how)
        for how in (
            ["--device", "Ascend"],
            ["--device", "GPU"],
            ["--device", "Ascend", "--mode", "PYNATIVE"],
            ["--device", "Ascend", "--no-sink"],
            ["--device", "CPU", "--mode", "PYNATIVE"],
        )
    ]
    assert all(output == outputs[0] for output in outputs)


def test_the_report_is_one_page_about_the_run(
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    sunk = ["--epochs", 1, "--sink-size", 4]
    printed = lines(capsys, "--data-dir", folder, *sunk, "--report", "run.html")
    assert printed[-1].startswith("accuracy: ")
    assert [path.name for path in tmp_path.iterdir()] == ["run.html"]
    assert '["loss",[[1,' in Path("run.html").read_text(encoding="utf-8")


def test_the_seed_decides(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    common = ["--data-dir", folder, "--epochs", 1, "--sink-size", 3]
    first = lines(capsys, *common, "--seed", 1)
    assert lines(capsys, *common, "--seed", 1) == first
    assert lines(capsys, *common, "--seed", 2)[0] != first[0]


def test_the_batch_size_decides_how_many_steps_a_pass_has(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    printed = lines(capsys, "--data-dir", folder, "--no-sink", "--epochs", 1, "--batch-size", 100)
    assert epochs_and_steps(printed) == [(1, 3)]


def test_data_in_train_and_test_folders_is_read(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path
) -> None:
    for usage, half in (("train", "train"), ("test", "t10k")):
        (tmp_path / usage).mkdir()
        for kind in ("images-idx3-ubyte", "labels-idx1-ubyte"):
            name = f"{half}-{kind}"
            (tmp_path / usage / name).write_bytes((folder / name).read_bytes())
    arguments = ["--epochs", 1, "--sink-size", 2, "--data-dir"]
    assert lines(capsys, *arguments, tmp_path) == lines(capsys, *arguments, folder)


def test_a_folder_without_digits_is_refused_before_anything_is_trained(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with pytest.raises((ValueError, RuntimeError, OSError), match=str(tmp_path)):
        lenet_mnist.main(["--data-dir", str(tmp_path)])
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("wrong", [["--device", "TPU"], ["--epochs", "two"], ["--sinksize", "3"]])
def test_a_wrong_option_is_refused_by_name(
    capsys: pytest.CaptureFixture[str], wrong: list[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        lenet_mnist.main(wrong)
    assert wrong[-1] in capsys.readouterr().err


def test_ten_thousand_sunk_steps_learn_the_real_mnist(
    capsys: pytest.CaptureFixture[str], shared_dir: Path
) -> None:
    printed = lines(capsys, "--data-dir", shared_dir / "mnist")
    assert epochs_and_steps(printed) == [(epoch, 1000) for epoch in range(1, 11)]
    assert float(printed[-1].removeprefix("accuracy: ")) >= 0.98
