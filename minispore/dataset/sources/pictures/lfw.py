"""LFWDataset: faces with names, or pairs of faces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import folder
from minispore.dataset.sources.pictures.table import PictureTable, damaged, lines, some
from minispore.dataset.sources.table import TableDataset

_FOLDERS = {"original": "lfw", "funneled": "lfw_funneled", "deepfunneled": "lfw-deepfunneled"}
_LISTS = {"train": ["DevTrain"], "test": ["DevTest"], "10fold": [""]}


class LFWDataset(TableDataset):
    """Faces. Of the task ``"people"``: ``image`` uint8, ``label`` uint32, the person. Of
    ``"pairs"``: ``image1``, ``image2`` uint8, ``label`` uint32, 1 for one person.

    Args:
        dataset_dir (str): the folder with ``lfw``, ``lfw_funneled``, ``lfw-deepfunneled`` and the
            lists.
        task (str, optional): ``"people"`` or ``"pairs"``. Default: ``None``, ``"people"``.
        usage (str, optional): ``"10fold"``, ``"train"``, ``"test"``, or ``"all"`` for train and
            test. Default: ``None``, ``"all"``.
        image_set (str, optional): ``"original"``, ``"funneled"`` or ``"deepfunneled"``. Default:
            ``None``, ``"funneled"``.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: a list can't be read or is damaged; later, when an image can't be read.

    Source: G. B. Huang, M. Ramesh, T. Berg, E. Learned-Miller, Labeled faces in the wild, 2007.
    """

    without_classes = RuntimeError

    def __init__(
        self,
        dataset_dir: str,
        task: str | None = None,
        usage: str | None = None,
        image_set: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        decode: bool = False,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        op = "LFWDataset"
        path = folder(op, dataset_dir)
        check.one_of(op, "task", task, ("people", "pairs", None))
        check.one_of(op, "usage", usage, ("10fold", "train", "test", "all", None))
        check.one_of(op, "image_set", image_set, (*_FOLDERS, None))
        inside = path / _FOLDERS[image_set or "funneled"]
        read = _pairs if task == "pairs" else _people
        parts = _LISTS.get(str(usage), ["DevTrain", "DevTest"])
        rows = [row for part in parts for row in read(op, path, part)]
        some(op, rows, path)
        pictures = [
            [inside / name / f"{name}_{n:04d}.jpg" for name, n in faces] for faces, _ in rows
        ]
        columns: dict[str, Any] = {"image": [files[0] for files in pictures]}
        if task == "pairs":
            columns = {f"image{i + 1}": [files[i] for files in pictures] for i in range(2)}
        columns["label"] = np.array([label for _, label in rows], np.uint32)
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = PictureTable(op, columns, decode)
        self._over(table, *picked, dataset_dir=str(path), task=task, usage=usage)


_Row = tuple[list[tuple[str, int]], int]


def _people(op: str, path: Path, part: str) -> list[_Row]:
    """The faces in a list of people, whose lines are a name and how many."""
    names = [line.split()[0] for line in lines(op, path / "lfw-names.txt") if line.strip()]
    label = {name: i for i, name in enumerate(names)}
    file, rows = path / f"people{part}.txt", []
    for number, line in enumerate(lines(op, file), 1):
        words = line.split()
        if len(words) < 2:  # how many lines follow
            continue
        if words[0] not in label or not words[1].isdecimal():
            raise damaged(op, file, number, "a name of lfw-names.txt and a number", line)
        rows += [([(words[0], n)], label[words[0]]) for n in range(1, int(words[1]) + 1)]
    return rows


def _pairs(op: str, path: Path, part: str) -> list[_Row]:
    """The pairs in a list: a name and two numbers, or twice a name and a number."""
    file, rows = path / f"pairs{part}.txt", []
    for number, line in enumerate(lines(op, file)[1:], 2):
        words = line.split()
        if not words:
            continue
        if len(words) not in (3, 4) or not all(n.isdecimal() for n in words[1::2][:1] + words[-1:]):
            raise damaged(op, file, number, "one or two names, with numbers", line)
        first, second = (words[0], int(words[1])), (words[-2], int(words[-1]))
        if len(words) == 3:
            second = (words[0], int(words[2]))
        rows.append(([first, second], int(len(words) == 3)))
    return rows
