"""ImageFolderDataset: a folder of images for each class. CelebADataset: faces with attributes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import check_folder
from minispore.dataset.sources.pictures.table import (
    PictureTable,
    check_extensions,
    list_pictures,
    read_lines,
)
from minispore.dataset.sources.table import TableDataset
from minispore.errors import did_you_mean


class ImageFolderDataset(TableDataset):
    """Images in a folder for each class: ``image`` uint8, ``label`` int32.

    Args:
        dataset_dir (str): the folder with a folder for each class.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int, optional): the number of reader threads.
        shuffle (bool, optional): whether to shuffle. Default: ``None``, yes.
        sampler (Sampler or iterable, optional): chooses the rows.
        extensions (list, optional): the file name extensions to read. Default: ``None``,
            all.
        class_indexing (dict, optional): read only these folders, with these labels. Default:
            ``None``, all folders, numbered in the order of their names.
        decode (bool): whether images are decoded to (H, W, 3), which needs Pillow; else ``image``
            holds the bytes of the file. Default: ``False``.
        num_shards, shard_id (int, optional): read only the rows of one shard.
        cache (DatasetCache, optional): caches the rows.
        decrypt (function, optional): returns the decrypted bytes of a file by its name.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: no image is found, or a class has no folder; later, when an image
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
        api_name = "ImageFolderDataset"
        path = check_folder(api_name, dataset_dir)
        check.boolean(api_name, "decode", decode)
        extensions_used = check_extensions(api_name, extensions)
        self._class_labels = _find_class_labels(api_name, path, class_indexing)
        files, labels = [], []
        for name, label in self._class_labels.items():
            class_files = list_pictures(path / name, extensions_used)
            files += class_files
            labels += [label] * len(class_files)
        if not files:
            kinds = f" ({', '.join(extensions)})" if extensions else ""
            advice = "Pass other extensions." if extensions else "Give each class a folder."
            raise RuntimeError(
                f"{api_name}: dataset_dir must hold folders with images{kinds}, got none in "
                f"{path}. {advice}"
            )
        columns = {"image": files, "label": np.array(labels, np.int32)}
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._init_over_table(
            PictureTable(api_name, columns, decode, decrypt),
            *options,
            dataset_dir=str(path),
            decode=decode,
        )

    def get_class_indexing(self) -> dict[str, int]:
        """Return class names and their labels."""
        return dict(self._class_labels)

    def num_classes(self) -> int:
        """Return the number of classes."""
        return len(self._class_labels)


class CelebADataset(TableDataset):
    """Faces: ``image`` uint8, ``attr`` uint32 (40,), 1 for each attribute that is present.

    Args:
        dataset_dir (str): the folder with ``list_attr_celeba.txt``, ``list_eval_partition.txt`` and
            the images.
        num_parallel_workers (int, optional): the number of reader threads.
        shuffle (bool, optional): whether to shuffle. Default: ``None``, yes.
        usage (str): ``"train"``, ``"valid"``, ``"test"`` or ``"all"``. Default: ``"all"``.
        sampler (Sampler or iterable, optional): chooses the rows.
        decode (bool): whether images are decoded, which needs Pillow. Default: ``False``.
        extensions (list, optional): the file name extensions to read. Default: ``None``, all.
        num_samples (int, optional): the maximum number of rows.
        num_shards, shard_id (int, optional): read only the rows of one shard.
        cache (DatasetCache, optional): caches the rows.
        decrypt (function, optional): returns the decrypted bytes of a file by its name.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
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
        api_name = "CelebADataset"
        path = check_folder(api_name, dataset_dir)
        parts = {"train": "0", "valid": "1", "test": "2", "all": None}
        if usage not in parts:
            raise ValueError(
                f"{api_name}: usage must be 'train', 'valid', 'test' or 'all', got {usage!r}."
            )
        check.boolean(api_name, "decode", decode)
        names, attributes = _read_celeba_attributes(api_name, path)
        part = parts[usage]
        if part is not None:
            indices = [i for i in _read_celeba_partition(api_name, path, part) if i < len(names)]
            names, attributes = [names[i] for i in indices], attributes[indices]
        if extensions is not None:
            extensions_used = check_extensions(api_name, extensions)
            indices = [i for i, name in enumerate(names) if Path(name).suffix in extensions_used]
            names, attributes = [names[i] for i in indices], attributes[indices]
        if not names:
            raise RuntimeError(
                f"{api_name}: dataset_dir must hold images of usage {usage!r}, got none in {path}."
            )
        image_folder = next(
            (p for p in ("img_align_celeba", "Img", "img") if (path / p / names[0]).is_file()), ""
        )
        files = [path / image_folder / n for n in names]
        table = PictureTable(api_name, {"image": files, "attr": attributes}, decode, decrypt)
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._init_over_table(table, *options, dataset_dir=str(path), usage=usage)


def _find_class_labels(api_name: str, path: Path, indexing: Any) -> dict[str, int]:
    """Return the names of the class folders with their labels, in the order of the names.

    Raises:
        TypeError, RuntimeError: ``class_indexing`` is invalid.
    """
    folder_names = sorted(p.name for p in path.iterdir() if p.is_dir())
    if indexing is None or indexing == {}:
        return {name: i for i, name in enumerate(folder_names)}
    if not isinstance(indexing, dict):
        raise check.wrong_type(api_name, "class_indexing", "be a dict", indexing, dict)
    for name, label in indexing.items():
        if not isinstance(name, str):
            raise TypeError(
                f"{api_name}: class_indexing must have folder names as keys, got {name!r}."
            )
        check.int32(api_name, f"class_indexing[{name!r}]", label, -(2**31))
        if name not in folder_names:
            raise RuntimeError(
                f"{api_name}: class_indexing must name folders of dataset_dir, got {name!r}."
                f"{did_you_mean(name, folder_names)} The folder {name} doesn't exist."
            )
    return {name: indexing[name] for name in folder_names if name in indexing}


def _read_celeba_attributes(api_name: str, path: Path) -> tuple[list[str], np.ndarray]:
    """Read the file names and the attributes, uint32 (images, attributes).

    Raises:
        RuntimeError: the list is damaged.
    """
    attribute_lines = read_lines(api_name, path / "list_attr_celeba.txt")
    try:
        count = int(attribute_lines[0])
        width = len(attribute_lines[1].split())
        table = [line.split() for line in attribute_lines[2:] if line.strip()]
        values = np.array([row[1:] for row in table], np.int64)
        if len(table) != count or values.shape != (count, width):
            raise ValueError(f"it has {len(table)} rows")
    except (ValueError, IndexError) as exc:
        raise RuntimeError(
            f"{api_name}: list_attr_celeba.txt must hold a count, a line of names, and so many "
            f"rows of a file name and a value for each name. {exc} ({path})"
        ) from exc
    return [row[0] for row in table], (values > 0).astype(np.uint32)


def _read_celeba_partition(api_name: str, path: Path, part: str) -> list[int]:
    """Return the indices of the images of a part ("0" train, "1" valid, "2" test).

    The partition list has the same images as the attribute list, in the same order.

    Raises:
        RuntimeError: a line is invalid.
    """
    rows = []
    partition_lines = [
        line for line in read_lines(api_name, path / "list_eval_partition.txt") if line.strip()
    ]
    for row, line in enumerate(partition_lines):
        words = line.split()
        if len(words) != 2 or words[1] not in ("0", "1", "2"):
            raise RuntimeError(
                f"{api_name}: list_eval_partition.txt must hold a file name and 0, 1 or 2 in each "
                f"line, got {line!r} in line {row + 1}. ({path})"
            )
        if words[1] == part:
            rows.append(row)
    return rows
