"""Pictures with boxes in text files: KITTIDataset, WIDERFaceDataset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import check_folder
from minispore.dataset.sources.pictures.table import (
    PictureTable,
    check_not_empty,
    list_pictures,
    make_line_error,
    read_lines,
)
from minispore.dataset.sources.table import TableDataset


class WIDERFaceDataset(TableDataset):
    """Pictures of crowds, with the boxes of faces.

    Columns: ``image`` uint8, and for n faces ``bbox`` int32 (n, 4), as left, top, width, height;
    ``blur``, ``expression``, ``illumination``, ``occlusion``, ``pose``, ``invalid`` int32 (n,). The
    usage ``"test"`` has only ``image``.

    Args:
        dataset_dir (str): the folder with ``WIDER_train``, ``WIDER_val``, ``WIDER_test`` and
            ``wider_face_split``.
        usage (str, optional): ``"train"``, ``"test"``, ``"valid"``, or ``"all"`` for train and
            valid. Default: ``None``, ``"all"``.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
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
        api_name = "WIDERFaceDataset"
        path = check_folder(api_name, dataset_dir)
        check.one_of(api_name, "usage", usage, ("train", "test", "valid", "all", None))
        split = path / "wider_face_split"
        columns: dict[str, Any] = {"image": []}
        if usage == "test":
            list_lines = read_lines(api_name, split / "wider_face_test_filelist.txt")
            columns["image"] = [
                path / "WIDER_test/images" / n.strip() for n in list_lines if n.strip()
            ]
        else:
            columns |= {name: [] for name in ("bbox", *_FACE_FIELDS)}
            for part in {"train": ["train"], "valid": ["val"]}.get(str(usage), ["train", "val"]):
                for name, faces in _read_faces(api_name, split / f"wider_face_{part}_bbx_gt.txt"):
                    columns["image"].append(path / f"WIDER_{part}/images" / name)
                    columns["bbox"].append(np.ascontiguousarray(faces[:, :4]))
                    for column_name, field_index in _FACE_FIELDS.items():
                        columns[column_name].append(np.ascontiguousarray(faces[:, field_index]))
        check_not_empty(api_name, columns["image"], path)
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = PictureTable(api_name, columns, decode)
        self._init_over_table(table, *options, dataset_dir=str(path), usage=usage)


# The index of each column in a line of ten numbers.
_FACE_FIELDS = {
    "blur": 4,
    "expression": 5,
    "illumination": 6,
    "occlusion": 8,
    "pose": 9,
    "invalid": 7,
}


def _read_faces(api_name: str, path: Path) -> list[tuple[str, np.ndarray]]:
    """Read for each image its name and a row of ten numbers for each face, zeros without faces.

    Raises:
        RuntimeError: a line is invalid.
    """
    face_lines = [line.strip() for line in read_lines(api_name, path)]
    line_index, entries = 0, []
    while line_index < len(face_lines):
        if not face_lines[line_index]:
            line_index += 1
            continue
        name = face_lines[line_index]
        count = face_lines[line_index + 1] if line_index + 1 < len(face_lines) else ""
        if not count.isdecimal():
            raise make_line_error(api_name, path, line_index + 2, "the number of faces", count)
        # An image without faces has one line of zeros.
        rows = face_lines[line_index + 2 : line_index + 2 + max(int(count), 1)]
        try:
            faces = np.array([row.split() for row in rows], np.int32).reshape(len(rows), 10)
        except ValueError as exc:
            raise make_line_error(
                api_name, path, line_index + 3, "ten numbers for each face", rows[0]
            ) from exc
        entries.append((name, faces))
        line_index += 2 + len(rows)
    return entries


class KITTIDataset(TableDataset):
    """Pictures of streets, with the boxes of objects.

    Columns: ``image`` uint8, and for n objects ``label`` uint32 (n, 1), ``truncated`` float32,
    ``occluded`` uint32, ``alpha`` float32, ``bbox`` float32 (n, 4), ``dimensions`` and ``location``
    float32 (n, 3), ``rotation_y`` float32. The usage ``"test"`` has only ``image``.

    Args:
        dataset_dir (str): the folder with ``data_object_image_2`` and ``data_object_label_2``.
        usage (str, optional): ``"train"`` or ``"test"``. Default: ``None``, ``"train"``.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
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
        api_name = "KITTIDataset"
        path = check_folder(api_name, dataset_dir)
        check.one_of(api_name, "usage", usage, ("train", "test", None))
        part = "testing" if usage == "test" else "training"
        files = list_pictures(path / "data_object_image_2" / part / "image_2")
        check_not_empty(api_name, files, path)
        columns: dict[str, Any] = {"image": files}
        if usage != "test":
            label_folder = path / "data_object_label_2" / part / "label_2"
            columns |= _make_kitti_columns(
                [_read_objects(api_name, label_folder / f"{file.stem}.txt") for file in files]
            )
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = PictureTable(api_name, columns, decode)
        self._init_over_table(table, *options, dataset_dir=str(path), usage=usage)


# Start and end of each column in the fourteen numbers after the class.
_OBJECT_FIELDS = {
    "truncated": (0, 1, np.float32),
    "occluded": (1, 2, np.uint32),
    "alpha": (2, 3, np.float32),
    "bbox": (3, 7, np.float32),
    "dimensions": (7, 10, np.float32),
    "location": (10, 13, np.float32),
    "rotation_y": (13, 14, np.float32),
}


def _read_objects(api_name: str, path: Path) -> tuple[list[str], np.ndarray]:
    """Read the classes of the objects of an image, and fourteen numbers for each object.

    Raises:
        RuntimeError: a line is invalid.
    """
    rows = [line.split() for line in read_lines(api_name, path) if line.strip()]
    try:
        values = np.array([row[1:] for row in rows], np.float64).reshape(len(rows), 14)
    except ValueError as exc:
        raise make_line_error(
            api_name, path, 1, "a class and fourteen numbers, as all", str(exc)
        ) from exc
    return [row[0] for row in rows], values


def _make_kitti_columns(annotations: list[tuple[list[str], np.ndarray]]) -> dict[str, Any]:
    """Make the columns of the objects of all images; classes are numbered alphabetically."""
    names = sorted({kind for kinds, _ in annotations for kind in kinds})
    columns: dict[str, Any] = {
        "label": [
            np.array([[names.index(k)] for k in kinds], np.uint32) for kinds, _ in annotations
        ]
    }
    for name, (first, last, kind) in _OBJECT_FIELDS.items():
        arrays = [values[:, first:last] for _, values in annotations]
        if kind is np.uint32:  # -1 (unknown) wraps around
            arrays = [array.astype(np.int64) for array in arrays]
        columns[name] = [array.astype(kind) for array in arrays]
    return columns
