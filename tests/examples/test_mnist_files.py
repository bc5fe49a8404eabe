"""Where the example's digits come from: drawn once and kept, or the real ones."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

import mnist_files

SMALL = {"train": 40, "t10k": 10}


# --- drawn ---------------------------------------------------------------------------------------


def test_generated_files_have_the_idx_format(tmp_path: Path) -> None:
    mnist_files.generate(tmp_path, counts=SMALL)
    images = (tmp_path / "t10k-images-idx3-ubyte").read_bytes()
    labels = (tmp_path / "t10k-labels-idx1-ubyte").read_bytes()
    assert struct.unpack(">4I", images[:16]) == (2051, 10, 28, 28)
    assert len(images) == 16 + 10 * 28 * 28
    assert struct.unpack(">2I", labels[:8]) == (2049, 10)
    assert len(labels) == 8 + 10 and max(labels[8:]) < 10


def test_training_and_test_digits_differ(tmp_path: Path) -> None:
    mnist_files.generate(tmp_path, counts={"train": 10, "t10k": 10})
    train, test = ((tmp_path / f"{h}-images-idx3-ubyte").read_bytes() for h in ("train", "t10k"))
    assert train != test


def test_only_the_five_files_are_left(tmp_path: Path) -> None:
    mnist_files.generate(tmp_path, counts=SMALL)
    assert len(list(tmp_path.iterdir())) == 5


def test_existing_generated_files_are_reused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mnist_files.generate(tmp_path, counts=SMALL)
    monkeypatch.setattr(mnist_files.digits, "draw", None)
    mnist_files.generate(tmp_path, counts=SMALL)


@pytest.mark.parametrize("name", ["train-images-idx3-ubyte", "t10k-labels-idx1-ubyte"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-5]),
        lambda path: path.write_bytes(path.read_bytes()[:-1] + b"\x0f"),
        lambda path: path.write_bytes(b"a file of somebody else"),
        lambda path: path.unlink(),
    ],
    ids=["cut", "altered", "foreign", "gone"],
)
def test_a_damaged_file_is_regenerated(tmp_path: Path, name: str, damage) -> None:
    mnist_files.generate(tmp_path, counts=SMALL)
    whole = (tmp_path / name).read_bytes()
    damage(tmp_path / name)
    mnist_files.generate(tmp_path, counts=SMALL)
    assert (tmp_path / name).read_bytes() == whole


@pytest.mark.parametrize("manifest", [b"", b"\xff\xfe", b"0" * 64 + b"  train-images-idx3-ubyte\n"])
def test_files_without_their_manifest_are_not_trusted(tmp_path: Path, manifest: bytes) -> None:
    mnist_files.generate(tmp_path, counts=SMALL)
    path = tmp_path / "digits.sha256"
    right = path.read_bytes()
    path.write_bytes(manifest)
    mnist_files.generate(tmp_path, counts=SMALL)
    assert path.read_bytes() == right


def test_an_interrupted_drawing_leaves_nothing_that_looks_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args, **kwargs):
        yield np.zeros((5, 28, 28), np.uint8), np.zeros(5, np.uint8)
        raise KeyboardInterrupt

    monkeypatch.setattr(mnist_files.digits, "draw", interrupted)
    with pytest.raises(KeyboardInterrupt):
        mnist_files.generate(tmp_path, counts=SMALL)
    assert list(tmp_path.iterdir()) == []


# --- found ---------------------------------------------------------------------------------------


def test_a_named_folder_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINISPORE_MNIST", "elsewhere")
    assert mnist_files.find("here") == Path("here")


def test_the_environment_names_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINISPORE_MNIST", "elsewhere")
    assert mnist_files.find() == Path("elsewhere")


def test_generated_digits_are_stored_in_the_user_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MINISPORE_MNIST", raising=False)
    monkeypatch.setattr(mnist_files.download, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(mnist_files, "generate", lambda folder: folder)
    assert mnist_files.find() == tmp_path / f"digits-{mnist_files.digits.DRAWING}"


def test_split_prefers_a_folder_with_its_name(tmp_path: Path) -> None:
    assert mnist_files.split(tmp_path, "train") == tmp_path
    (tmp_path / "train").mkdir()
    assert mnist_files.split(tmp_path, "train") == tmp_path / "train"


def test_fetch_downloads_the_real_mnist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mnist_files.download, "mnist", lambda: "real")
    assert mnist_files.find(fetch=True) == Path("real")
