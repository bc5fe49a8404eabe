"""Pictures with boxes in text files: KITTIDataset, WIDERFaceDataset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import folder
from minispore.dataset.sources.pictures.table import PictureTable, damaged, lines, pictures, some
from minispore.dataset.sources.table import TableDataset


class WIDERFaceDataset(TableDataset):
    """Crowds: ``image`` uint8, and of n faces ``bbox`` int32 (n, 4), as left, top, width, height;
    ``blur``, ``expression``, ``illumination``, ``occlusion``, ``pose``, ``invalid`` int32 (n,).
    Of the usage ``"test"``: ``image`` alone.

    Args:
        dataset_dir (str): the folder with ``WIDER_train``, ``WIDER_val``, ``WIDER_test`` and
            ``wider_face_split``.
        usage (str, optional): ``"train"``, ``"test"``, ``"valid"``, or ``"all"`` for train and
            valid. Default: ``None``, ``"all"``.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: a list can't be read or is damaged; later, when an image can't be read.

    Source: S. Yang, P. Luo, C. C. Loy, X. Tang, WIDER FACE: a face detection benchmark, 2016.
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
        op = "WIDERFaceDataset"
        path = folder(op, dataset_dir)
        check.one_of(op, "usage", usage, ("train", "test", "valid", "all", None))
        split = path / "wider_face_split"
        columns: dict[str, Any] = {"image": []}
        if usage == "test":
            told = lines(op, split / "wider_face_test_filelist.txt")
            columns["image"] = [path / "WIDER_test/images" / n.strip() for n in told if n.strip()]
        else:
            columns |= {name: [] for name in ("bbox", *_FACE)}
            for part in {"train": ["train"], "valid": ["val"]}.get(str(usage), ["train", "val"]):
                for name, faces in _faces(op, split / f"wider_face_{part}_bbx_gt.txt"):
                    columns["image"].append(path / f"WIDER_{part}/images" / name)
                    columns["bbox"].append(np.ascontiguousarray(faces[:, :4]))
                    for kind, place in _FACE.items():
                        columns[kind].append(np.ascontiguousarray(faces[:, place]))
        some(op, columns["image"], path)
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = PictureTable(op, columns, decode)
        self._over(table, *picked, dataset_dir=str(path), usage=usage)


# Where in a line of ten numbers each column stands.
_FACE = {"blur": 4, "expression": 5, "illumination": 6, "occlusion": 8, "pose": 9, "invalid": 7}


def _faces(op: str, path: Path) -> list[tuple[str, np.ndarray]]:
    """Of each image its name and a row of ten numbers for each face."""
    told = [line.strip() for line in lines(op, path)]
    at, found = 0, []
    while at < len(told):
        if not told[at]:
            at += 1
            continue
        name, count = told[at], told[at + 1] if at + 1 < len(told) else ""
        if not count.isdecimal():
            raise damaged(op, path, at + 2, "the number of faces", count)
        rows = told[at + 2 : at + 2 + max(int(count), 1)]  # no face has a line of zeros
        try:
            faces = np.array([row.split() for row in rows], np.int32).reshape(len(rows), 10)
        except ValueError as exc:
            raise damaged(op, path, at + 3, "ten numbers for each face", rows[0]) from exc
        found.append((name, faces))
        at += 2 + len(rows)
    return found


class KITTIDataset(TableDataset):
    """Streets: ``image`` uint8, and of n objects ``label`` uint32 (n, 1), ``truncated`` float32,
    ``occluded`` uint32, ``alpha`` float32, ``bbox`` float32 (n, 4), ``dimensions`` and ``location``
    float32 (n, 3), ``rotation_y`` float32. Of the usage ``"test"``: ``image`` alone.

    Args:
        dataset_dir (str): the folder with ``data_object_image_2`` and ``data_object_label_2``.
        usage (str, optional): ``"train"`` or ``"test"``. Default: ``None``, ``"train"``.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: an annotation is missing or damaged; later, when an image can't be read.

    Source: A. Geiger, P. Lenz, R. Urtasun, Are we ready for autonomous driving?, 2012.
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
        op = "KITTIDataset"
        path = folder(op, dataset_dir)
        check.one_of(op, "usage", usage, ("train", "test", None))
        part = "testing" if usage == "test" else "training"
        files = pictures(path / "data_object_image_2" / part / "image_2")
        some(op, files, path)
        columns: dict[str, Any] = {"image": files}
        if usage != "test":
            told = path / "data_object_label_2" / part / "label_2"
            columns |= _kitti([_things(op, told / f"{file.stem}.txt") for file in files])
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = PictureTable(op, columns, decode)
        self._over(table, *picked, dataset_dir=str(path), usage=usage)


# Where in the fourteen numbers after the class each column begins and ends.
_THING = {
    "truncated": (0, 1, np.float32),
    "occluded": (1, 2, np.uint32),
    "alpha": (2, 3, np.float32),
    "bbox": (3, 7, np.float32),
    "dimensions": (7, 10, np.float32),
    "location": (10, 13, np.float32),
    "rotation_y": (13, 14, np.float32),
}


def _things(op: str, path: Path) -> tuple[list[str], np.ndarray]:
    """The classes of the objects, and their numbers."""
    rows = [line.split() for line in lines(op, path) if line.strip()]
    try:
        values = np.array([row[1:] for row in rows], np.float64).reshape(len(rows), 14)
    except ValueError as exc:
        raise damaged(op, path, 1, "a class and fourteen numbers, as all", str(exc)) from exc
    return [row[0] for row in rows], values


def _kitti(found: list[tuple[list[str], np.ndarray]]) -> dict[str, Any]:
    names = sorted({kind for kinds, _ in found for kind in kinds})
    columns: dict[str, Any] = {
        "label": [np.array([[names.index(k)] for k in kinds], np.uint32) for kinds, _ in found]
    }
    for name, (first, last, kind) in _THING.items():
        parts = [values[:, first:last] for _, values in found]
        if kind is np.uint32:  # -1, not known, goes round
            parts = [part.astype(np.int64) for part in parts]
        columns[name] = [part.astype(kind) for part in parts]
    return columns
