"""Pictures whose folder says their class: Caltech256Dataset, LSUNDataset, OmniglotDataset,
RenderedSST2Dataset.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import folder
from minispore.dataset.sources.pictures.table import PictureTable, folders, pictures, some
from minispore.dataset.sources.table import TableDataset


class _ByClass(TableDataset):
    """Base of the datasets with a folder of pictures for each class."""

    _classes: int

    def _of(
        self, path: Path, found: Sequence[tuple[Path, int]], kind: type, decode: Any, *picked: Any
    ) -> None:
        """``found`` are folders and their classes; ``kind`` is the type of a label."""
        op = type(self).__name__
        rows = [(file, label) for place, label in found for file in pictures(place)]
        some(op, rows, path)
        labels: np.ndarray = np.array([label for _, label in rows], kind)
        columns = {"image": [file for file, _ in rows], "label": labels}
        table = PictureTable(op, columns, decode)
        self._over(table, *picked, dataset_dir=str(path))

    def num_classes(self) -> int:
        """The number of classes."""
        return self._classes


class Caltech256Dataset(_ByClass):
    """Objects of 256 kinds: ``image`` uint8, ``label`` int32 from 0, in the order of the folders.

    Args:
        dataset_dir (str): the folder with ``001.ak47``, ``002.american-flag``, ...
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: there is no image; later, when one can't be read.

    Source: G. Griffin, A. Holub, P. Perona, Caltech-256 object category dataset, 2007.
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
        path = folder("Caltech256Dataset", dataset_dir)
        found = [(place, i) for i, place in enumerate(folders(path))]
        self._classes = len(found)
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._of(path, found, np.int32, decode, *picked)


class OmniglotDataset(_ByClass):
    """Letters of 50 alphabets: ``image`` uint8, ``label`` int32, one for each letter.

    Args:
        dataset_dir (str): the folder with ``images_background`` and ``images_evaluation``, in them
            a folder for each alphabet with a folder for each letter.
        background (bool, optional): which of the two. Default: ``None``, the background.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: there is no image; later, when one can't be read.

    Source: B. M. Lake, R. Salakhutdinov, J. B. Tenenbaum, Human-level concept learning through
    probabilistic program induction, 2015.
    """

    def __init__(
        self,
        dataset_dir: str,
        background: bool | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        decode: bool = False,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        op = "OmniglotDataset"
        path = folder(op, dataset_dir)
        wanted = background is None or check.boolean(op, "background", background)
        inside = path / ("images_background" if wanted else "images_evaluation")
        letters = [letter for alphabet in folders(inside) for letter in folders(alphabet)]
        self._classes = len(letters)
        found = [(place, i) for i, place in enumerate(letters)]
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._of(path, found, np.int32, decode, *picked)


class RenderedSST2Dataset(_ByClass):
    """Sentences as pictures: ``image`` uint8, ``label`` uint32, 0 for negative and 1 for positive.

    Args:
        dataset_dir (str): the folder with ``train``, ``test`` and ``valid``, in each of them
            ``negative`` and ``positive``.
        usage (str, optional): ``"train"``, ``"val"``, ``"test"`` or ``"all"``. Default: ``None``,
            all.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: there is no image; later, when one can't be read.

    Source: A. Radford and others, Learning transferable visual models from natural language
    supervision, 2021.
    """

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
        op = "RenderedSST2Dataset"
        path = folder(op, dataset_dir)
        check.one_of(op, "usage", usage, ("train", "test", "val", "all", None))
        parts = ["valid" if usage == "val" else usage]
        if usage in ("all", None):
            parts = [place.name for place in folders(path)]
        names = sorted({place.name for part in parts for place in folders(path / str(part))})
        self._classes = len(names)
        found = [
            (path / str(part) / name, label) for part in parts for label, name in enumerate(names)
        ]
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._of(path, found, np.uint32, decode, *picked)


class LSUNDataset(_ByClass):
    """Scenes: ``image`` uint8, ``label`` uint32, in the order of the classes.

    Args:
        dataset_dir (str): the folder with ``bedroom_train``, ``bedroom_val``, ..., ``test``.
        usage (str, optional): ``"train"``, ``"valid"``, ``"test"`` (whose labels are 0) or
            ``"all"``, those with a class. Default: ``None``, ``"all"``.
        classes (list, optional): only these. Default: ``None``, all that have a folder.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: a class has no folder, or there is no image; later, when one can't be read.

    Source: F. Yu, Y. Zhang, S. Song, A. Seff, J. Xiao, LSUN: construction of a large-scale image
    dataset using deep learning with humans in the loop, 2015.
    """

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        classes: list[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        decode: bool = False,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        op = "LSUNDataset"
        path = folder(op, dataset_dir)
        check.one_of(op, "usage", usage, ("train", "test", "valid", "all", None))
        if classes is not None and not isinstance(classes, list | tuple):
            raise TypeError(f"{op}: classes must be a list of str, got {classes!r}.")
        parts = {"train": ["train"], "valid": ["val"], "test": []}.get(str(usage), ["train", "val"])
        there = [place.name.rpartition("_") for place in folders(path)]
        names = sorted({name for name, _, part in there if part in parts})
        if classes is not None:
            names = sorted(check.names(op, "classes", classes))
        for part in parts:
            for name in names:
                if classes is not None and not (path / f"{name}_{part}").is_dir():
                    raise RuntimeError(
                        f"{op}: dataset_dir must hold the folder {name}_{part}, as classes says. "
                        f"It is {path}."
                    )
        self._classes = len(names)
        found = [(path / f"{n}_{part}", i) for i, n in enumerate(names) for part in parts]
        if usage == "test":
            self._classes, found = 0, [(path / "test", 0)]
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._of(path, found, np.uint32, decode, *picked)
