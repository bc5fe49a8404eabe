"""Datasets whose pictures are listed in a text file, such as Food101Dataset and ManifestDataset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import check_folder
from minispore.dataset.sources.pictures.table import (
    PictureTable,
    check_class_indexing,
    check_not_empty,
    list_pictures,
    make_line_error,
    read_lines,
)
from minispore.dataset.sources.table import TableDataset
from minispore.errors import did_you_mean
from minispore.foundation.files import parse_json


class ManifestDataset(TableDataset):
    """Pictures listed in a manifest, one per line of JSON.

    Columns: ``image`` uint8; ``label`` int32, or int32 (labels,) for a picture with several.

    Args:
        dataset_file (str): the manifest.
        usage (str): ``"train"``, ``"eval"`` or ``"inference"``. Default: ``"train"``.
        num_samples, num_parallel_workers, shuffle, sampler: as for :class:`ImageFolderDataset`.
        class_indexing (dict, optional): read only these classes, with these labels. Default:
            ``None``, all, numbered in the order of their names.
        decode (bool): whether images are decoded. Default: ``False``.
        num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: the manifest can't be read or lists no picture of ``usage``; later, when a
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
        api_name = "ManifestDataset"
        path = Path(check.string(api_name, "dataset_file", dataset_file))
        if not path.is_file():
            raise ValueError(
                f"{api_name}: dataset_file must be a file, got {dataset_file!r}, which does not "
                "exist or permission denied!"
            )
        check.one_of(api_name, "usage", usage, ("train", "eval", "inference"))
        rows = [
            row
            for n, line in enumerate(read_lines(api_name, path), 1)
            if (row := _parse_manifest_line(api_name, path, n, line, usage))
            and _is_picture(api_name, row[0])
        ]
        class_names = sorted({name for _, names in rows for name in names})
        self._indexing = check_class_indexing(api_name, class_indexing, class_names)
        unknown = [name for name in self._indexing if name not in class_names]
        if unknown:
            raise RuntimeError(
                f"{api_name}: class_indexing must name classes of the manifest, got "
                f"{unknown[0]!r}.{did_you_mean(unknown[0], class_names)}"
            )
        labelled = [
            (file, [self._indexing[n] for n in names if n in self._indexing])
            for file, names in rows
        ]
        labelled = [(file, labels) for file, labels in labelled if labels or not class_indexing]
        if not labelled:
            raise RuntimeError(
                f"{api_name}: dataset_file must name a picture of usage {usage!r}, got none "
                f"in {path}."
            )
        labels: Any = [np.array(file_labels, np.int32) for _, file_labels in labelled]
        if all(len(file_labels) == 1 for file_labels in labels):
            labels = np.concatenate(labels)
        else:
            labels = [vector[0] if len(vector) == 1 else vector for vector in labels]
        columns: dict[str, Any] = {"image": [file for file, _ in labelled], "label": labels}
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = PictureTable(api_name, columns, decode)
        self._init_over_table(table, *options, dataset_file=str(path), usage=usage)

    def get_class_indexing(self) -> dict[str, int]:
        """Return class names and their labels."""
        return dict(self._indexing)

    def num_classes(self) -> int:
        """Return the number of classes."""
        return len(self._indexing)


def _parse_manifest_line(
    api_name: str, path: Path, number: int, line: str, usage: str
) -> tuple[Path, list[str]] | None:
    """Return the picture and the classes in a line, None if it is blank or has a different usage.

    Raises:
        RuntimeError: the line is invalid.
    """
    if not line.strip():
        return None
    try:
        entry = parse_json(line)
        file, line_usage = Path(entry["source"].removeprefix("file://")), entry["usage"]
        names = [str(note["name"]) for note in entry.get("annotation", ()) if "name" in note]
    except (ValueError, KeyError, TypeError, AttributeError) as exc:
        missing = f": {exc} is missing" if isinstance(exc, KeyError) else ""
        raise make_line_error(
            api_name, path, number, f"JSON with source, usage and annotation{missing}", line[:80]
        ) from exc
    return (file, names) if line_usage.lower() == usage else None


_IMAGE_SIGNATURES = (b"\xff\xd8\xff", b"\x89PN", b"BM", b"GIF", b"II*", b"MM\x00")


def _is_picture(api_name: str, file: Path) -> bool:
    """Whether a file begins like a picture or is missing; other files are skipped as in MindSpore.

    Raises:
        RuntimeError: the file is empty.
    """
    if not file.is_file():
        return True  # an error is raised when the file is read
    with open(file, "rb") as stream:
        head = stream.read(3)
    if not head:
        raise RuntimeError(
            f"{api_name}: pictures must not be empty, got {file}. Invalid manifest file."
        )
    return head.startswith(_IMAGE_SIGNATURES)


class Food101Dataset(TableDataset):
    """Dishes of 101 classes: ``image`` uint8, ``label`` the name of the dish.

    Args:
        dataset_dir (str): the folder with ``images`` and ``meta``.
        usage (str, optional): ``"train"``, ``"test"`` or ``"all"``. Default: ``None``, all.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a list can't be read; later, when an image can't be read.

    Source: L. Bossard, M. Guillaumin, L. Van Gool, Food-101, 2014.
    """

    no_classes_error = RuntimeError

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
        api_name = "Food101Dataset"
        path = check_folder(api_name, dataset_dir)
        check.one_of(api_name, "usage", usage, ("train", "test", "all", None))
        parts = [usage] if usage in ("train", "test") else ["train", "test"]
        lists = [read_lines(api_name, path / "meta" / f"{part}.txt") for part in parts]
        names = [line.strip() for part in lists for line in part if line.strip()]
        check_not_empty(api_name, names, path)
        columns = {
            "image": [path / "images" / f"{name}.jpg" for name in names],
            "label": np.array([name.partition("/")[0] for name in names]),
        }
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = PictureTable(api_name, columns, decode)
        self._init_over_table(table, *options, dataset_dir=str(path), usage=usage)


class Places365Dataset(TableDataset):
    """Places of 365 classes: ``image`` uint8, ``label`` uint32.

    Args:
        dataset_dir (str): the folder with ``categories_places365.txt``, the lists and the folders
            of images.
        usage (str, optional): ``"train-standard"``, ``"train-challenge"`` or ``"val"``. Default:
            ``None``, ``"train-standard"``.
        small (bool): whether to read images of 256 x 256 pixels, else large images. Default:
            ``True``.
        decode (bool): whether images are decoded. Default: ``False``.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        sampler, num_shards, shard_id, cache: likewise.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
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
        api_name = "Places365Dataset"
        path = check_folder(api_name, dataset_dir)
        check.one_of(api_name, "usage", usage, ("train-standard", "train-challenge", "val", None))
        size = "256" if check.boolean(api_name, "small", small) else "large"
        part, _, kind = (usage or "train-standard").partition("-")
        image_folder = f"data_{size}_{kind}" if kind else f"val_{size}"
        list_file = path / f"places365_{part}{'_' * bool(kind)}{kind}.txt"
        rows = _read_numbered_names(api_name, list_file)
        check_not_empty(api_name, rows, path)
        columns = {
            "image": [path / image_folder / name.lstrip("/") for name, _ in rows],
            "label": np.array([label for _, label in rows], np.uint32),
        }
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = PictureTable(api_name, columns, decode)
        self._init_over_table(table, *options, dataset_dir=str(path), usage=usage)


def _read_numbered_names(api_name: str, path: Path) -> list[tuple[str, int]]:
    """Read a name and a number from each line of a file.

    Raises:
        RuntimeError: a line is invalid.
    """
    rows = []
    for number, line in enumerate(read_lines(api_name, path), 1):
        name, _, label = line.rpartition(" ")
        if line.strip():
            if not label.isdecimal() or not name:
                raise make_line_error(api_name, path, number, "a name and a number", line)
            rows.append((name, int(label)))
    return rows


class SUN397Dataset(TableDataset):
    """Scenes of 397 classes: ``image`` uint8, ``label`` uint32.

    Args:
        dataset_dir (str): the folder with ``ClassName.txt`` and the folders that it lists.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: the list can't be read, or no image is found; later, when one can't be read.

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
        api_name = "SUN397Dataset"
        path = check_folder(api_name, dataset_dir)
        names = [
            line.strip() for line in read_lines(api_name, path / "ClassName.txt") if line.strip()
        ]
        rows = [
            (file, label)
            for label, name in enumerate(names)
            for file in list_pictures(path / name.lstrip("/"))
        ]
        check_not_empty(api_name, rows, path)
        columns = {
            "image": [file for file, _ in rows],
            "label": np.array([label for _, label in rows], np.uint32),
        }
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        self._init_over_table(
            PictureTable(api_name, columns, decode), *options, dataset_dir=str(path)
        )
