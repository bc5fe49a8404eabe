"""CocoDataset: photographs with annotated objects or captions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import check_folder
from minispore.dataset.sources.pictures.table import PictureTable, check_not_empty
from minispore.dataset.sources.table import TableDataset
from minispore.foundation.files import parse_json

_TASKS = ("Detection", "Stuff", "Panoptic", "Keypoint", "Captioning")


class CocoDataset(TableDataset):
    """Photographs of COCO: ``image`` uint8, and for n annotations, by the task:

    * ``"Detection"``: ``bbox`` float32 (n, 4), ``category_id`` and ``iscrowd`` uint32 (n, 1);
    * ``"Stuff"``: ``segmentation`` float32 (polygons, longest), filled with -1, ``iscrowd``
      uint32 (n, 1);
    * ``"Panoptic"``: ``bbox``, ``category_id``, ``iscrowd``, ``area`` uint32 (n, 1);
    * ``"Keypoint"``: ``keypoints`` float32 (n, 3 k), ``num_keypoints`` uint32 (n, 1);
    * ``"Captioning"``: ``captions``, strings (n, 1).

    Args:
        dataset_dir (str): the folder of the images.
        annotation_file (str): the JSON file.
        task (str): one of the above. Default: ``"Detection"``.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.
        extra_metadata (bool): whether to add a column ``_meta-filename``, which is hidden until
            it is renamed. Default: ``False``.
        decrypt (function, optional): returns the decrypted bytes of a file by its name.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: the annotations can't be read or lack an entry; later, when an image can't be
            read.

    Source: T.-Y. Lin and others, Microsoft COCO: common objects in context, 2014.
    """

    no_classes_error = ValueError

    def __init__(
        self,
        dataset_dir: str,
        annotation_file: str,
        task: str = "Detection",
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        decode: bool = False,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
        extra_metadata: bool = False,
        decrypt: Callable[[str], bytes] | None = None,
    ) -> None:
        api_name = "CocoDataset"
        path = check_folder(api_name, dataset_dir)
        file = Path(check.string(api_name, "annotation_file", annotation_file))
        if not file.is_file():
            raise ValueError(
                f"{api_name}: annotation_file must be a file, got {annotation_file!r}, which does "
                "not exist or permission denied!"
            )
        try:
            check.one_of(api_name, "task", task, _TASKS)
        except ValueError as error:
            raise ValueError(f"{error} Invalid task type: {task}.") from None
        try:
            document = parse_json(file.read_text(encoding="utf-8"))
            names, self._indexing, columns = _read_annotations(document, task)
        except _MissingEntry as exc:
            raise RuntimeError(f"{api_name}: {file} must have {exc}.") from exc
        except (OSError, ValueError, TypeError, AttributeError) as exc:
            raise RuntimeError(
                f"{api_name}: {file} must be a readable annotation file. Invalid annotation file, "
                f"Coco Dataset annotation file: {exc}"
            ) from exc
        check_not_empty(api_name, names, path)
        columns = {"image": [path / name for name in names], **columns}
        if check.boolean(api_name, "extra_metadata", extra_metadata):
            columns["_meta-filename"] = np.array([image.stem for image in columns["image"]])
        self._task = task
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = PictureTable(api_name, columns, decode, decrypt)
        self._init_over_table(table, *options, dataset_dir=str(path), task=task)

    def get_class_indexing(self) -> dict[str, list[int]]:
        """Return a list with the id of each category, for ``"Panoptic"`` also if it is a thing.

        Raises:
            NotImplementedError: the task has no categories.
        """
        if self._task not in ("Detection", "Panoptic"):
            raise NotImplementedError(f"CocoDataset: the task {self._task} has no categories.")
        return {name: list(ids) for name, ids in self._indexing.items()}


class _MissingEntry(Exception):
    """An annotation file lacks an entry."""


def _get_entry(node: Any, name: str) -> Any:
    """Return entry ``name`` of a JSON object in an annotation file.

    Raises:
        _MissingEntry: the node lacks the entry.
    """
    if not isinstance(node, dict) or name not in node:
        mindspore_text = f"the attribute of {name!r} is missing"
        raise _MissingEntry(f"the attribute {name!r} in each node that needs it: {mindspore_text}")
    return node[name]


def _read_annotations(
    document: Any, task: str
) -> tuple[list[str], dict[str, list[int]], dict[str, Any]]:
    """Return the file names of the annotated images, the categories, and the other columns.

    Images are in the order of the annotation file; images without annotations are left out.

    Raises:
        _MissingEntry: an entry is missing.
    """
    files = {
        _get_entry(image, "id"): _get_entry(image, "file_name")
        for image in _get_entry(document, "images")
    }
    indexing: dict[str, list[int]] = {}
    if task in ("Detection", "Panoptic"):
        for category in _get_entry(document, "categories"):
            flag = [int(_get_entry(category, "isthing"))] if task == "Panoptic" else []
            indexing[_get_entry(category, "name")] = [int(_get_entry(category, "id")), *flag]
    category_ids = {ids[0] for ids in indexing.values()}
    annotations_by_image: dict[Any, list[Any]] = {}
    for entry in _get_entry(document, "annotations"):
        image = _get_entry(entry, "image_id")
        if image not in files:
            raise _MissingEntry(f"the image of each annotation, also image_id {image!r}")
        for annotation in _get_entry(entry, "segments_info") if task == "Panoptic" else [entry]:
            if category_ids and _get_entry(annotation, "category_id") not in category_ids:
                mindspore_text = (
                    f"the attribute of 'category_id': {annotation['category_id']!r} is missing"
                )
                raise _MissingEntry(f"the category of each annotation: {mindspore_text}")
            annotations_by_image.setdefault(image, []).append(annotation)
    annotated_images = [image for image in files if image in annotations_by_image]
    columns = _COLUMNS[task]
    return (
        [files[image] for image in annotated_images],
        indexing,
        {
            name: [
                make([_get_entry(t, key) for t in annotations_by_image[i]])
                for i in annotated_images
            ]
            for name, key, make in columns
        },
    )


def _make_float_array(values: list[list[float]]) -> np.ndarray:
    """Return lists of numbers as float32 (n, longest), padded with -1."""
    longest = max(len(v) for v in values)
    return np.array([[*v, *[-1] * (longest - len(v))] for v in values], np.float32)


def _make_polygon_array(values: list[Any]) -> np.ndarray:
    """Return the points of polygons, or the counts of run-length masks, as padded rows."""
    rows: list[list[float]] = []
    for value in values:
        rows += [_get_entry(value, "counts")] if isinstance(value, dict) else value
    return _make_float_array(rows)


def _make_uint_column(values: list[Any]) -> np.ndarray:
    """Return numbers as uint32 (n, 1)."""
    return np.array(values).astype(np.uint32)[:, None]


def _make_text_column(values: list[Any]) -> np.ndarray:
    """Return texts as an array (n, 1)."""
    return np.array(values)[:, None]


_BBOX = ("bbox", "bbox", _make_float_array)
_CROWD = ("iscrowd", "iscrowd", _make_uint_column)
_COLUMNS: dict[str, list[tuple[str, str, Callable[[list[Any]], np.ndarray]]]] = {
    "Detection": [_BBOX, ("category_id", "category_id", _make_uint_column), _CROWD],
    "Stuff": [("segmentation", "segmentation", _make_polygon_array), _CROWD],
    "Panoptic": [
        _BBOX,
        ("category_id", "category_id", _make_uint_column),
        _CROWD,
        ("area", "area", _make_uint_column),
    ],
    "Keypoint": [
        ("keypoints", "keypoints", _make_float_array),
        ("num_keypoints", "num_keypoints", _make_uint_column),
    ],
    "Captioning": [("captions", "caption", _make_text_column)],
}
