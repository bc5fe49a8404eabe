"""Datasets with a folder of pictures for each class, such as Caltech256Dataset and LSUNDataset."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import check_folder
from minispore.dataset.sources.pictures.table import (
    PictureTable,
    check_not_empty,
    list_folders,
    list_pictures,
)
from minispore.dataset.sources.table import TableDataset


class _ClassFolderDataset(TableDataset):
    """Base of the datasets with a folder of pictures for each class."""

    _class_count: int

    def _init_class_folders(
        self,
        path: Path,
        class_folders: Sequence[tuple[Path, int]],
        label_dtype: type,
        decode: Any,
        *options: Any,
    ) -> None:
        """Set up the dataset over pictures in class folders.

        Args:
            path: the folder of the dataset.
            class_folders: pairs of a folder and its class.
            label_dtype: the dtype of the labels.
            decode: whether rows hold decoded pictures.
            *options: arguments of every source, such as ``num_samples``.
        """
        api_name = type(self).__name__
        rows = [
            (file, label)
            for class_folder, label in class_folders
            for file in list_pictures(class_folder)
        ]
        check_not_empty(api_name, rows, path)
        labels: np.ndarray = np.array([label for _, label in rows], label_dtype)
        columns = {"image": [file for file, _ in rows], "label": labels}
        table = PictureTable(api_name, columns, decode)
        self._init_over_table(table, *options, dataset_dir=str(path))

    def num_classes(self) -> int:
        """Return the number of classes."""
        return self._class_count


class Caltech256Dataset(_ClassFolderDataset):
    """Objects of 256 classes: ``image`` uint8, ``label`` int32 from 0, in the order of the folders.

    Args:
        dataset_dir (str): the folder with ``001.ak47``, ``002.american-flag``, ...
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: no image is found; later, when one can't be read.

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
        path = check_folder("Caltech256Dataset", dataset_dir)
        class_folders = [(class_folder, i) for i, class_folder in enumerate(list_folders(path))]
        self._class_count = len(class_folders)
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._init_class_folders(path, class_folders, np.int32, decode, *options)


class OmniglotDataset(_ClassFolderDataset):
    """Letters of 50 alphabets: ``image`` uint8, ``label`` int32, one for each letter.

    Args:
        dataset_dir (str): the folder with ``images_background`` and ``images_evaluation``, each of
            them with a folder for each alphabet, with a folder for each letter.
        background (bool, optional): whether to read ``images_background``, else
            ``images_evaluation``. Default: ``None``, yes.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: no image is found; later, when one can't be read.

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
        api_name = "OmniglotDataset"
        path = check_folder(api_name, dataset_dir)
        use_background = background is None or check.boolean(api_name, "background", background)
        image_folder = path / ("images_background" if use_background else "images_evaluation")
        letters = [
            letter for alphabet in list_folders(image_folder) for letter in list_folders(alphabet)
        ]
        self._class_count = len(letters)
        class_folders = [(class_folder, i) for i, class_folder in enumerate(letters)]
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._init_class_folders(path, class_folders, np.int32, decode, *options)


class RenderedSST2Dataset(_ClassFolderDataset):
    """Sentences as pictures: ``image`` uint8, ``label`` uint32, 0 for negative and 1 for positive.

    Args:
        dataset_dir (str): the folder with ``train``, ``test`` and ``valid``, each with folders
            ``negative`` and ``positive``.
        usage (str, optional): ``"train"``, ``"val"``, ``"test"`` or ``"all"``. Default: ``None``,
            all.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: no image is found; later, when one can't be read.

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
        api_name = "RenderedSST2Dataset"
        path = check_folder(api_name, dataset_dir)
        check.one_of(api_name, "usage", usage, ("train", "test", "val", "all", None))
        parts = ["valid" if usage == "val" else usage]
        if usage in ("all", None):
            parts = [subfolder.name for subfolder in list_folders(path)]
        names = sorted(
            {subfolder.name for part in parts for subfolder in list_folders(path / str(part))}
        )
        self._class_count = len(names)
        class_folders = [
            (path / str(part) / name, label) for part in parts for label, name in enumerate(names)
        ]
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._init_class_folders(path, class_folders, np.uint32, decode, *options)


class LSUNDataset(_ClassFolderDataset):
    """Scenes: ``image`` uint8, ``label`` uint32, in the order of the classes.

    Args:
        dataset_dir (str): the folder with ``bedroom_train``, ``bedroom_val``, ..., ``test``.
        usage (str, optional): ``"train"``, ``"valid"``, ``"test"`` (whose labels are 0) or
            ``"all"``, which excludes the unlabelled ``"test"``. Default: ``None``, ``"all"``.
        classes (list, optional): read only these classes. Default: ``None``, all that have a
            folder.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a class has no folder, or no image is found; later, when one can't be read.

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
        api_name = "LSUNDataset"
        path = check_folder(api_name, dataset_dir)
        check.one_of(api_name, "usage", usage, ("train", "test", "valid", "all", None))
        if classes is not None and not isinstance(classes, list | tuple):
            raise TypeError(f"{api_name}: classes must be a list of str, got {classes!r}.")
        parts = {"train": ["train"], "valid": ["val"], "test": []}.get(str(usage), ["train", "val"])
        split_names = [subfolder.name.rpartition("_") for subfolder in list_folders(path)]
        names = sorted({name for name, _, part in split_names if part in parts})
        if classes is not None:
            names = sorted(check.names(api_name, "classes", classes))
        for part in parts:
            for name in names:
                if classes is not None and not (path / f"{name}_{part}").is_dir():
                    raise RuntimeError(
                        f"{api_name}: dataset_dir must hold the folder {name}_{part}, as classes "
                        f"says. It is {path}."
                    )
        self._class_count = len(names)
        class_folders = [(path / f"{n}_{part}", i) for i, n in enumerate(names) for part in parts]
        if usage == "test":
            self._class_count, class_folders = 0, [(path / "test", 0)]
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._init_class_folders(path, class_folders, np.uint32, decode, *options)
