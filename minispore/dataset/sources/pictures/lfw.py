"""LFWDataset: faces with names, or pairs of faces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import check_folder
from minispore.dataset.sources.pictures.table import (
    PictureTable,
    check_not_empty,
    make_line_error,
    read_lines,
)
from minispore.dataset.sources.table import TableDataset

_FOLDERS = {"original": "lfw", "funneled": "lfw_funneled", "deepfunneled": "lfw-deepfunneled"}
_LISTS = {"train": ["DevTrain"], "test": ["DevTest"], "10fold": [""]}


class LFWDataset(TableDataset):
    """Pictures of single faces or of pairs of faces.

    Columns of the task ``"people"``: ``image`` uint8, ``label`` uint32, the person. Columns of
    ``"pairs"``: ``image1``, ``image2`` uint8, ``label`` uint32, 1 for the same person.

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
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a list can't be read or is damaged; later, when an image can't be read.

    Source: G. B. Huang, M. Ramesh, T. Berg, E. Learned-Miller, Labeled faces in the wild, 2007.
    """

    no_classes_error = RuntimeError

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
        api_name = "LFWDataset"
        path = check_folder(api_name, dataset_dir)
        check.one_of(api_name, "task", task, ("people", "pairs", None))
        check.one_of(api_name, "usage", usage, ("10fold", "train", "test", "all", None))
        check.one_of(api_name, "image_set", image_set, (*_FOLDERS, None))
        image_folder = path / _FOLDERS[image_set or "funneled"]
        read_list = _read_pairs if task == "pairs" else _read_people
        parts = _LISTS.get(str(usage), ["DevTrain", "DevTest"])
        rows = [row for part in parts for row in read_list(api_name, path, part)]
        check_not_empty(api_name, rows, path)
        pictures = [
            [image_folder / name / f"{name}_{n:04d}.jpg" for name, n in faces] for faces, _ in rows
        ]
        columns: dict[str, Any] = {"image": [files[0] for files in pictures]}
        if task == "pairs":
            columns = {f"image{i + 1}": [files[i] for files in pictures] for i in range(2)}
        columns["label"] = np.array([label for _, label in rows], np.uint32)
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = PictureTable(api_name, columns, decode)
        self._init_over_table(table, *options, dataset_dir=str(path), task=task, usage=usage)


_Row = tuple[list[tuple[str, int]], int]


def _read_people(api_name: str, path: Path, part: str) -> list[_Row]:
    """Read the faces in a list of people; each line has a name and a number of images.

    Returns:
        For each image a list of one (name, number of the image), and the label of the person.

    Raises:
        RuntimeError: a line is invalid.
    """
    names = [
        line.split()[0] for line in read_lines(api_name, path / "lfw-names.txt") if line.strip()
    ]
    label = {name: i for i, name in enumerate(names)}
    file, rows = path / f"people{part}.txt", []
    for number, line in enumerate(read_lines(api_name, file), 1):
        words = line.split()
        if len(words) < 2:  # the number of lines that follow
            continue
        if words[0] not in label or not words[1].isdecimal():
            raise make_line_error(
                api_name, file, number, "a name of lfw-names.txt and a number", line
            )
        rows += [([(words[0], n)], label[words[0]]) for n in range(1, int(words[1]) + 1)]
    return rows


def _read_pairs(api_name: str, path: Path, part: str) -> list[_Row]:
    """Read the pairs in a list: a name and two numbers, or two names, each with a number.

    Returns:
        For each pair a list of two (name, number of the image), and 1 for the same person, else 0.

    Raises:
        RuntimeError: a line is invalid.
    """
    file, rows = path / f"pairs{part}.txt", []
    for number, line in enumerate(read_lines(api_name, file)[1:], 2):
        words = line.split()
        if not words:
            continue
        if len(words) not in (3, 4) or not all(n.isdecimal() for n in words[1::2][:1] + words[-1:]):
            raise make_line_error(api_name, file, number, "one or two names, with numbers", line)
        first, second = (words[0], int(words[1])), (words[-2], int(words[-1]))
        if len(words) == 3:
            second = (words[0], int(words[2]))
        rows.append(([first, second], int(len(words) == 3)))
    return rows
