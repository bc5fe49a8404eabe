"""Small files in the layouts of public datasets and jieba, where examples say ``path/to/...``."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.golden import language_files, sound_files
from tests.golden.source_files import build
from tests.golden.text_cases import DICTIONARY, MODEL


@contextlib.contextmanager
def public_files() -> Iterator[None]:
    """Inside, the working directory is a new one that has them."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        root = Path("path/to")
        build(root)
        language_files.build(root)
        sound_files.build(root)
        for name in ("mnist", "fashion_mnist"):
            shutil.copytree(root / "kmnist", root / name)
        _write_file(root / "caltech101/101_ObjectCategories/ant/image_0001.jpg", "an ant")
        _write_file(root / "sbd/train.txt", "1\n")
        _write_file(root / "sbd/val.txt", "2\n")
        for i in (1, 2):
            _write_file(root / f"sbd/img/{i}.jpg", "a thing")
        _write_file(root / "phototour/liberty/info.txt", "0 0\n" * 4)
        _write_file(root / "jieba/hmm_model.utf8", MODEL)
        _write_file(root / "jieba/jieba.dict.utf8", DICTIONARY)
        yield


def _write_file(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
