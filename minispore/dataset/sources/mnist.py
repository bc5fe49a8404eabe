"""MnistDataset and other datasets in its format: IDX files, plain or gzip-compressed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.cache import check_cache
from minispore.dataset.formats import idx
from minispore.dataset.sources.files import check_folder
from minispore.dataset.sources.table import FileTable, MissingUsageFiles, TableDataset

_PARTS = {"train": ("train",), "test": ("t10k",), "all": ("t10k", "train"), None: ("t10k", "train")}


class MnistDataset(TableDataset):
    """Handwritten digits: ``image`` uint8 (28, 28, 1), ``label`` uint32.

    Args:
        dataset_dir (str): the folder with the four files ``train-images-idx3-ubyte`` etc., plain or
            as ``.gz``.
        usage (str, optional): ``"train"``, ``"test"`` or ``"all"``. Default: ``None``, all existing
            files.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int, optional): the number of threads that gather rows.
        shuffle (bool, optional): whether to shuffle. Default: ``None``, yes.
        sampler (Sampler or iterable, optional): chooses the rows.
        num_shards, shard_id (int, optional): read only the rows of one shard.
        cache (DatasetCache, optional): accepted; the rows are in memory anyway.

    Raises:
        ValueError: the folder does not exist, ``usage`` is unknown, or arguments
            are in conflict.
        RuntimeError: a file is missing or damaged, or does not match its partner.

    Source: Y. LeCun, L. Bottou, Y. Bengio, P. Haffner, Gradient-based learning applied to document
    recognition, 1998.
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
        api_name = type(self).__name__
        path = check_folder(api_name, dataset_dir)
        check.one_of(api_name, "usage", usage, _PARTS)
        parts = _PARTS[usage]
        table = FileTable(
            ("image", "label"),
            lambda: [
                file for pair in _find_file_pairs(api_name, path, parts, usage) for file in pair
            ],
            lambda: _load_pairs(_find_file_pairs(api_name, path, parts, usage)),
        )
        if cache is not None:
            check_cache(api_name, cache)
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id
        self._init_over_table(table, *options, dataset_dir=str(path), usage=usage)

    def num_classes(self) -> int:
        """Return 10."""
        return 10


class FashionMnistDataset(MnistDataset):
    """Pictures of clothes, in the same files and shapes as MNIST: see :class:`MnistDataset`.

    Source: H. Xiao, K. Rasul, R. Vollgraf, Fashion-MNIST, 2017.
    """


class KMnistDataset(MnistDataset):
    """Cursive Japanese letters, in the same files and shapes as MNIST: see :class:`MnistDataset`.

    Source: T. Clanuwat and others, Deep learning for classical Japanese literature, 2018.
    """


def _find_file_pairs(
    api_name: str, path: Path, parts: tuple[str, ...], usage: str | None
) -> list[tuple[Path, Path]]:
    """Find the files of images and labels of each part; an incomplete one of two parts is left out.

    Raises:
        RuntimeError: files of the only part, or of both parts, are missing.
    """
    pairs = []
    for part in parts:
        images = _find_file(path, f"{part}-images-idx3-ubyte")
        labels = _find_file(path, f"{part}-labels-idx1-ubyte")
        if images is not None and labels is not None:
            pairs.append((images, labels))
        elif len(parts) == 1:
            missing = "images-idx3" if images is None else "labels-idx1"
            raise (MissingUsageFiles if any(path.glob("*-ubyte*")) else RuntimeError)(
                f"{api_name}: dataset_dir must hold {part}-{missing}-ubyte, plain or .gz. It is "
                f"{path}. {_format_no_data_error(api_name)}"
            )
    if not pairs:
        raise RuntimeError(
            f"{api_name}: dataset_dir must hold train-images-idx3-ubyte and "
            "train-labels-idx1-ubyte (or "
            f"t10k-...), plain or .gz. It is {path}. {_format_no_data_error(api_name)}"
        )
    return pairs


def _format_no_data_error(api_name: str) -> str:
    """Return MindSpore's text for missing files."""
    return f"{api_name} API can't read the data file (interface mismatch or no data found)."


def _find_file(path: Path, name: str) -> Path | None:
    """Find a plain or gzip file; some tools write a dot in place of the dash before idx."""
    for candidate in (
        name,
        f"{name}.gz",
        name.replace("-idx", ".idx"),
        name.replace("-idx", ".idx") + ".gz",
    ):
        if (path / candidate).is_file():
            return path / candidate
    return None


def _load_pairs(pairs: list[tuple[Path, Path]]) -> dict[str, np.ndarray | list]:
    """Read the images and labels of pairs of files.

    Raises:
        RuntimeError: the numbers of images and labels, or image shapes, differ.
    """
    images: list[np.ndarray] = []
    labels: list[np.ndarray] = []
    for image_file, label_file in pairs:
        x, y = idx.read(image_file, 3), idx.read(label_file, 1)
        if len(x) != len(y):
            raise RuntimeError(
                f"{label_file.name}: must have as many labels as {image_file.name} has images, "
                f"{len(x)}, got {len(y)}."
            )
        if images and x.shape[1:] != images[0].shape[1:3]:
            raise RuntimeError(
                f"{image_file.name}: must have images of {images[0].shape[1:3]} as the other file, "
                f"got {x.shape[1:]}."
            )
        images.append(x[..., None])
        labels.append(y.astype(np.uint32))
    return {"image": _join_arrays(images), "label": _join_arrays(labels)}


def _join_arrays(arrays: list[np.ndarray]) -> np.ndarray:
    """Concatenate arrays; a single array is not copied."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
