"""Pictures that a text file lists: Food101Dataset, ManifestDataset, Places365Dataset,
SUN397Dataset.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import folder
from minispore.dataset.sources.pictures.table import (
    PictureTable,
    class_labels,
    damaged,
    lines,
    pictures,
    some,
)
from minispore.dataset.sources.table import TableDataset
from minispore.errors import did_you_mean


class ManifestDataset(TableDataset):
    """Pictures that a manifest names, one in each line of JSON: ``image`` uint8, ``label`` int32,
    or int32 (labels,) where a picture has several.

    Args:
        dataset_file (str): the manifest.
        usage (str): ``"train"``, ``"eval"`` or ``"inference"``. Default: ``"train"``.
        num_samples, num_parallel_workers, shuffle, sampler: as for :class:`ImageFolderDataset`.
        class_indexing (dict, optional): only these classes, with these labels. Default: ``None``,
            all, numbered in the order of their names.
        decode (bool): whether images are decoded. Default: ``False``.
        num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: the manifest can't be read or names no picture of ``usage``; later, when a
            picture can't be read.
    """

    def __init__(
        self,
        dataset_file: str,
        usage: str = "train",
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        class_indexing: dict[str, int] | None = None,
        decode: bool = False,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        op = "ManifestDataset"
        path = Path(check.string(op, "dataset_file", dataset_file))
        if not path.is_file():
            raise ValueError(
                f"{op}: dataset_file must be a file, got {dataset_file!r}, which does not exist or "
                "permission denied!"
            )
        check.one_of(op, "usage", usage, ("train", "eval", "inference"))
        rows = [
            row
            for n, line in enumerate(lines(op, path), 1)
            if (row := _entry(op, path, n, line, usage)) and _is_picture(op, row[0])
        ]
        there = sorted({name for _, names in rows for name in names})
        self._indexing = class_labels(op, class_indexing, there)
        unknown = [name for name in self._indexing if name not in there]
        if unknown:
            raise RuntimeError(
                f"{op}: class_indexing must name classes of the manifest, got "
                f"{unknown[0]!r}.{did_you_mean(unknown[0], there)}"
            )
        kept = [
            (file, [self._indexing[n] for n in names if n in self._indexing])
            for file, names in rows
        ]
        kept = [(file, labels) for file, labels in kept if labels or not class_indexing]
        if not kept:
            raise RuntimeError(
                f"{op}: dataset_file must name a picture of usage {usage!r}, got none in {path}."
            )
        labels = [np.array(found, np.int32) for _, found in kept]
        single = all(len(found) == 1 for found in labels)
        columns: dict[str, Any] = {
            "image": [file for file, _ in kept],
            "label": np.concatenate(labels)
            if single
            else [f[0] if len(f) == 1 else f for f in labels],
        }
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = PictureTable(op, columns, decode)
        self._over(table, *picked, dataset_file=str(path), usage=usage)

    def get_class_indexing(self) -> dict[str, int]:
        """Class names and their labels."""
        return dict(self._indexing)

    def num_classes(self) -> int:
        """The number of classes."""
        return len(self._indexing)


def _entry(
    op: str, path: Path, number: int, line: str, usage: str
) -> tuple[Path, list[str]] | None:
    """The picture and the classes in a line, None if it is of another usage."""
    if not line.strip():
        return None
    try:
        said = json.loads(line)
        file, part = Path(said["source"].removeprefix("file://")), said["usage"]
        names = [str(note["name"]) for note in said.get("annotation", ()) if "name" in note]
    except (ValueError, KeyError, TypeError, AttributeError) as exc:
        missing = f": {exc} is missing" if isinstance(exc, KeyError) else ""
        raise damaged(
            op, path, number, f"JSON with source, usage and annotation{missing}", line[:80]
        ) from exc
    return (file, names) if part.lower() == usage else None


_HEADS = (b"\xff\xd8\xff", b"\x89PN", b"BM", b"GIF", b"II*", b"MM\x00")


def _is_picture(op: str, file: Path) -> bool:
    """Whether a file begins as pictures do: MindSpore leaves out what does not.

    Raises:
        RuntimeError: the file is empty.
    """
    if not file.is_file():
        return True  # told when it is read
    with open(file, "rb") as opened:
        head = opened.read(3)
    if not head:
        raise RuntimeError(f"{op}: pictures must not be empty, got {file}. Invalid manifest file.")
    return head.startswith(_HEADS)


class Food101Dataset(TableDataset):
    """Dishes of 101 kinds: ``image`` uint8, ``label`` the name of the dish.

    Args:
        dataset_dir (str): the folder with ``images`` and ``meta``.
        usage (str, optional): ``"train"``, ``"test"`` or ``"all"``. Default: ``None``, all.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: a list can't be read; later, when an image can't be.

    Source: L. Bossard, M. Guillaumin, L. Van Gool, Food-101, 2014.
    """

    without_classes = RuntimeError

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        decode: bool = False,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        op = "Food101Dataset"
        path = folder(op, dataset_dir)
        check.one_of(op, "usage", usage, ("train", "test", "all", None))
        parts = [usage] if usage in ("train", "test") else ["train", "test"]
        told = [lines(op, path / "meta" / f"{part}.txt") for part in parts]
        names = [line.strip() for part in told for line in part if line.strip()]
        some(op, names, path)
        columns = {
            "image": [path / "images" / f"{name}.jpg" for name in names],
            "label": np.array([name.partition("/")[0] for name in names]),
        }
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = PictureTable(op, columns, decode)
        self._over(table, *picked, dataset_dir=str(path), usage=usage)


class Places365Dataset(TableDataset):
    """Places of 365 kinds: ``image`` uint8, ``label`` uint32.

    Args:
        dataset_dir (str): the folder with ``categories_places365.txt``, the lists and the folders
            of images.
        usage (str, optional): ``"train-standard"``, ``"train-challenge"`` or ``"val"``. Default:
            ``None``, ``"train-standard"``.
        small (bool): the images of 256 x 256 pixels, else the large ones. Default: ``True``.
        decode (bool): whether images are decoded. Default: ``False``.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        sampler, num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: a list can't be read or is damaged; later, when an image can't be read.

    Source: B. Zhou, A. Lapedriza, A. Khosla, A. Oliva, A. Torralba, Places, 2017.
    """

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        small: bool = True,
        decode: bool = False,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        op = "Places365Dataset"
        path = folder(op, dataset_dir)
        check.one_of(op, "usage", usage, ("train-standard", "train-challenge", "val", None))
        size = "256" if check.boolean(op, "small", small) else "large"
        part, _, kind = (usage or "train-standard").partition("-")
        place = f"data_{size}_{kind}" if kind else f"val_{size}"
        told = path / f"places365_{part}{'_' * bool(kind)}{kind}.txt"
        rows = _numbered(op, told)
        some(op, rows, path)
        columns = {
            "image": [path / place / name.lstrip("/") for name, _ in rows],
            "label": np.array([label for _, label in rows], np.uint32),
        }
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = PictureTable(op, columns, decode)
        self._over(table, *picked, dataset_dir=str(path), usage=usage)


def _numbered(op: str, path: Path) -> list[tuple[str, int]]:
    """The names and numbers in the lines of a file."""
    rows = []
    for number, line in enumerate(lines(op, path), 1):
        name, _, label = line.rpartition(" ")
        if line.strip():
            if not label.isdecimal() or not name:
                raise damaged(op, path, number, "a name and a number", line)
            rows.append((name, int(label)))
    return rows


class SUN397Dataset(TableDataset):
    """Scenes of 397 kinds: ``image`` uint8, ``label`` uint32.

    Args:
        dataset_dir (str): the folder with ``ClassName.txt`` and the folders that it names.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: the list can't be read, or there is no image; later, when one can't be read.

    Source: J. Xiao, J. Hays, K. A. Ehinger, A. Oliva, A. Torralba, SUN database, 2010.
    """

    def __init__(
        self,
        dataset_dir: str,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        decode: bool = False,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        op = "SUN397Dataset"
        path = folder(op, dataset_dir)
        names = [line.strip() for line in lines(op, path / "ClassName.txt") if line.strip()]
        rows = [
            (file, label)
            for label, name in enumerate(names)
            for file in pictures(path / name.lstrip("/"))
        ]
        some(op, rows, path)
        columns = {
            "image": [file for file, _ in rows],
            "label": np.array([label for _, label in rows], np.uint32),
        }
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._over(PictureTable(op, columns, decode), *picked, dataset_dir=str(path))
