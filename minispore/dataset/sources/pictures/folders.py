"""Folders of images: ImageFolderDataset, a folder for each class; CelebADataset,
faces with attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import folder
from minispore.dataset.sources.pictures.table import PictureTable, lines, pictures, suffixes
from minispore.dataset.sources.table import TableDataset
from minispore.errors import did_you_mean


class ImageFolderDataset(TableDataset):
    """A folder with a folder for each class: ``image`` uint8, ``label`` int32.

    Args:
        dataset_dir (str): the folder.
        num_samples (int, optional): at most so many rows.
        num_parallel_workers (int, optional): threads that read.
        shuffle (bool, optional): Default: ``None``, yes.
        sampler (Sampler or iterable, optional): picks the rows.
        extensions (list, optional): the ends of the files' names. Default: ``None``,
            those of images.
        class_indexing (dict, optional): only these folders, with these labels. Default: ``None``,
            all folders, numbered in the order of their names.
        decode (bool): whether images are decoded to (H, W, 3), which needs Pillow; else ``image``
            is the bytes of the file. Default: ``False``.
        num_shards, shard_id (int, optional): only the rows of one shard.
        cache (DatasetCache, optional): keeps the rows.
        decrypt (function, optional): gives the bytes of the file of a name.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: there is no image, or no folder of a class; later, when an image
            can't be read.
    """

    def __init__(
        self,
        dataset_dir: str,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        extensions: Sequence[str] | None = None,
        class_indexing: dict[str, int] | None = None,
        decode: bool = False,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
        decrypt: Callable[[str], bytes] | None = None,
    ) -> None:
        op = "ImageFolderDataset"
        path = folder(op, dataset_dir)
        check.boolean(op, "decode", decode)
        ends = suffixes(op, extensions)
        self._classes = _classes(op, path, class_indexing)
        files, labels = [], []
        for name, label in self._classes.items():
            found = pictures(path / name, ends)
            files += found
            labels += [label] * len(found)
        if not files:
            raise RuntimeError(
                f"{op}: dataset_dir must hold folders with images ({', '.join(ends)}), got "
                f"none in {path}."
            )
        columns = {"image": files, "label": np.array(labels, np.int32)}
        self._over(
            PictureTable(op, columns, decode, decrypt),
            num_samples,
            num_parallel_workers,
            shuffle,
            sampler,
            num_shards,
            shard_id,
            cache,
            dataset_dir=str(path),
            decode=decode,
        )

    def get_class_indexing(self) -> dict[str, int]:
        """Class names and their labels."""
        return dict(self._classes)

    def num_classes(self) -> int:
        """The number of classes."""
        return len(self._classes)


class CelebADataset(TableDataset):
    """Faces: ``image`` uint8, ``attr`` uint32 (40,), 1 where the attribute is there.

    Args:
        dataset_dir (str): the folder with ``list_attr_celeba.txt``, ``list_eval_partition.txt`` and
            the images.
        num_parallel_workers (int, optional): threads that read.
        shuffle (bool, optional): Default: ``None``, yes.
        usage (str): ``"train"``, ``"valid"``, ``"test"`` or ``"all"``. Default: ``"all"``.
        sampler (Sampler or iterable, optional): picks the rows.
        decode (bool): whether images are decoded, which needs Pillow. Default: ``False``.
        extensions (list, optional): the ends of the files' names. Default: ``None``, all.
        num_samples (int, optional): at most so many rows.
        num_shards, shard_id (int, optional): only the rows of one shard.
        cache (DatasetCache, optional): keeps the rows.
        decrypt (function, optional): gives the bytes of the file of a name.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: a list is missing or damaged; later, when an image can't be read.

    Source: Z. Liu, P. Luo, X. Wang, X. Tang, Deep learning face attributes in the wild, 2015.
    """

    def __init__(
        self,
        dataset_dir: str,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        usage: str = "all",
        sampler: Any = None,
        decode: bool = False,
        extensions: Sequence[str] | None = None,
        num_samples: int | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
        decrypt: Callable[[str], bytes] | None = None,
    ) -> None:
        op = "CelebADataset"
        path = folder(op, dataset_dir)
        parts = {"train": "0", "valid": "1", "test": "2", "all": None}
        if usage not in parts:
            raise ValueError(
                f"{op}: usage must be 'train', 'valid', 'test' or 'all', got {usage!r}."
            )
        check.boolean(op, "decode", decode)
        names, attributes = _celeba_attributes(op, path)
        part = parts[usage]
        if part is not None:
            keep = [i for i in _celeba_partition(op, path, part) if i < len(names)]
            names, attributes = [names[i] for i in keep], attributes[keep]
        if extensions is not None:
            ends = suffixes(op, extensions)
            keep = [i for i, name in enumerate(names) if Path(name).suffix in ends]
            names, attributes = [names[i] for i in keep], attributes[keep]
        if not names:
            raise RuntimeError(
                f"{op}: dataset_dir must hold images of usage {usage!r}, got none in {path}."
            )
        inside = next(
            (p for p in ("img_align_celeba", "Img", "img") if (path / p / names[0]).is_file()), ""
        )
        files = [path / inside / n for n in names]
        table = PictureTable(op, {"image": files, "attr": attributes}, decode, decrypt)
        self._over(
            table,
            num_samples,
            num_parallel_workers,
            shuffle,
            sampler,
            num_shards,
            shard_id,
            cache,
            dataset_dir=str(path),
            usage=usage,
        )


def _classes(op: str, path: Path, indexing: Any) -> dict[str, int]:
    """The folders of the classes, with their labels."""
    there = sorted(p.name for p in path.iterdir() if p.is_dir())
    if indexing is None or indexing == {}:
        return {name: i for i, name in enumerate(there)}
    if not isinstance(indexing, dict):
        raise check.wrong_type(op, "class_indexing", "be a dict", indexing, dict)
    for name, label in indexing.items():
        if not isinstance(name, str):
            raise TypeError(f"{op}: class_indexing must have folder names as keys, got {name!r}.")
        check.int32(op, f"class_indexing[{name!r}]", label, -(2**31))
        if name not in there:
            raise RuntimeError(
                f"{op}: class_indexing must name folders of dataset_dir, got {name!r}."
                f"{did_you_mean(name, there)} The folder {name} doesn't exist."
            )
    return {name: indexing[name] for name in there if name in indexing}


def _celeba_attributes(op: str, path: Path) -> tuple[list[str], np.ndarray]:
    told = lines(op, path / "list_attr_celeba.txt")
    try:
        count = int(told[0])
        width = len(told[1].split())
        table = [line.split() for line in told[2:] if line.strip()]
        values = np.array([row[1:] for row in table], np.int64)
        if len(table) != count or values.shape != (count, width):
            raise ValueError(f"it has {len(table)} rows")
    except (ValueError, IndexError) as exc:
        raise RuntimeError(
            f"{op}: list_attr_celeba.txt must hold a count, a line of names, and so many rows of a "
            f"file name and a value for each name. {exc} ({path})"
        ) from exc
    return [row[0] for row in table], (values > 0).astype(np.uint32)


def _celeba_partition(op: str, path: Path, part: str) -> list[int]:
    """The rows of a part: line by line, the list is of the same images as that of attributes."""
    found = []
    listed = [line for line in lines(op, path / "list_eval_partition.txt") if line.strip()]
    for row, line in enumerate(listed):
        words = line.split()
        if len(words) != 2 or words[1] not in ("0", "1", "2"):
            raise RuntimeError(
                f"{op}: list_eval_partition.txt must hold a file name and 0, 1 or 2 in each line, "
                f"got {line!r} in line {row + 1}. ({path})"
            )
        if words[1] == part:
            found.append(row)
    return found
