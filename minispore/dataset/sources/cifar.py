"""Cifar10Dataset and Cifar100Dataset, which read CIFAR's binary version."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.formats import cifar
from minispore.dataset.sources.files import check_folder
from minispore.dataset.sources.table import FileTable, MissingUsageFiles, TableDataset

_USAGES = ("train", "test", "all", None)


class Cifar10Dataset(TableDataset):
    """Small colour photographs: ``image`` uint8 (32, 32, 3), ``label`` uint32.

    Args:
        dataset_dir (str): the folder with ``data_batch_1.bin`` ... and ``test_batch.bin``.
        usage (str, optional): ``"train"``, ``"test"`` or ``"all"``. Default: ``None``, all.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int, optional): accepted; the rows are in memory.
        shuffle (bool, optional): whether to shuffle. Default: ``None``, yes.
        sampler (Sampler or iterable, optional): chooses the rows.
        num_shards, shard_id (int, optional): read only the rows of one shard.
        cache (DatasetCache, optional): caches the rows, see :class:`DatasetCache`.

    Raises:
        ValueError: the folder does not exist, ``usage`` is unknown, or arguments
            are in conflict.
        RuntimeError: a file is missing or damaged.

    Source: A. Krizhevsky, Learning multiple layers of features from tiny images, 2009.
    """

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        train = [f"data_batch_{i}.bin" for i in range(1, 6)]
        path, files = _find_files(self, dataset_dir, usage, train, ["test_batch.bin"])
        table = FileTable(
            ("image", "label"), files, lambda: _load_files(files(), classes=(10,), names=("label",))
        )
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._init_over_table(table, *options, dataset_dir=str(path), usage=usage)

    def num_classes(self) -> int:
        """Return 10."""
        return 10


class Cifar100Dataset(TableDataset):
    """Like CIFAR-10, with ``coarse_label`` (20 classes) and ``fine_label`` (100 classes), uint32.

    Args:
        dataset_dir (str): the folder with ``train.bin`` and ``test.bin``.
        usage, num_samples, num_parallel_workers, shuffle, sampler: as for :class:`Cifar10Dataset`.
        num_shards, shard_id, cache: likewise.

    Raises:
        ValueError: the folder does not exist, ``usage`` is unknown, or arguments
            are in conflict.
        RuntimeError: a file is missing or damaged.

    Source: A. Krizhevsky, Learning multiple layers of features from tiny images, 2009.
    """

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        path, files = _find_files(self, dataset_dir, usage, ["train.bin"], ["test.bin"])
        names = ("coarse_label", "fine_label")
        table = FileTable(
            ("image", *names), files, lambda: _load_files(files(), classes=(20, 100), names=names)
        )
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._init_over_table(table, *options, dataset_dir=str(path), usage=usage)

    def num_classes(self) -> int:
        """Return 100, the number of fine classes."""
        return 100


def _find_files(
    dataset: TableDataset, dataset_dir: Any, usage: Any, train: list[str], test: list[str]
) -> tuple[Path, Callable[[], list[Path]]]:
    """Return the folder, and a function that lists the files of ``usage`` in it."""
    api_name = type(dataset).__name__
    path = check_folder(api_name, dataset_dir)
    check.one_of(api_name, "usage", usage, _USAGES)
    names = {"train": train, "test": test}.get(usage, sorted(train + test))

    def list_files() -> list[Path]:
        """Return the existing files of the usage.

        Raises:
            MissingUsageFiles: there are only files of other usages.
            RuntimeError: there are no data files at all.
        """
        existing = [path / name for name in names if (path / name).is_file()]
        if not existing:
            raise (MissingUsageFiles if any(path.glob("*.bin")) else RuntimeError)(
                f"{api_name}: dataset_dir must hold {', '.join(names)}. It is {path}. {api_name} "
                "API can't read the data file (interface mismatch or no data found): cifar(.bin) "
                "files are missing."
            )
        return existing

    return path, list_files


def _load_files(
    files: list[Path], classes: tuple[int, ...], names: tuple[str, ...]
) -> dict[str, np.ndarray | list]:
    """Read the images and label columns (uint32) of some files, by column name.

    Args:
        files: the files.
        classes: the number of classes of each label of an image.
        names: the columns of the labels.
    """
    file_contents = [cifar.read(path, len(classes), classes) for path in files]
    all_labels = np.concatenate([label for _, label in file_contents]).astype(np.uint32)
    columns: dict[str, np.ndarray | list] = {
        "image": np.concatenate([image for image, _ in file_contents])
    }
    return columns | {name: np.ascontiguousarray(all_labels[:, i]) for i, name in enumerate(names)}
