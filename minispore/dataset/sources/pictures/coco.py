"""CocoDataset: photographs with what is in them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import folder
from minispore.dataset.sources.pictures.table import PictureTable, some
from minispore.dataset.sources.table import TableDataset

_TASKS = ("Detection", "Stuff", "Panoptic", "Keypoint", "Captioning")


class CocoDataset(TableDataset):
    """Photographs of COCO: ``image`` uint8, and of n things in it, by the task:

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
        extra_metadata (bool): whether there is a column ``_meta-filename``, which is hidden until
            it is renamed. Default: ``False``.
        decrypt (function, optional): gives the bytes of the file of a name.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: the annotations can't be read or lack something; later, when an image can't be
            read.

    Source: T.-Y. Lin and others, Microsoft COCO: common objects in context, 2014.
    """

    without_classes = ValueError

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
        op = "CocoDataset"
        path = folder(op, dataset_dir)
        file = Path(check.string(op, "annotation_file", annotation_file))
        if not file.is_file():
            raise ValueError(
                f"{op}: annotation_file must be a file, got {annotation_file!r}, which does not "
                "exist or permission denied!"
            )
        try:
            check.one_of(op, "task", task, _TASKS)
        except ValueError as error:
            raise ValueError(f"{error} Invalid task type: {task}.") from None
        try:
            said = json.loads(file.read_text(encoding="utf-8"))
            names, self._indexing, columns = _read(said, task)
        except _Lacking as exc:
            raise RuntimeError(f"{op}: {file} must have {exc}.") from exc
        except (OSError, ValueError, TypeError, AttributeError) as exc:
            raise RuntimeError(
                f"{op}: {file} must be a readable annotation file. Invalid annotation file, Coco "
                f"Dataset annotation file: {exc}"
            ) from exc
        some(op, names, path)
        columns = {"image": [path / name for name in names], **columns}
        if check.boolean(op, "extra_metadata", extra_metadata):
            columns["_meta-filename"] = np.array([image.stem for image in columns["image"]])
        self._task = task
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = PictureTable(op, columns, decode, decrypt)
        self._over(table, *picked, dataset_dir=str(path), task=task)

    def get_class_indexing(self) -> dict[str, list[int]]:
        """Of each category its id, and of the task ``"Panoptic"`` whether it is a thing."""
        if self._task not in ("Detection", "Panoptic"):
            raise NotImplementedError(f"CocoDataset: the task {self._task} has no categories.")
        return {name: list(ids) for name, ids in self._indexing.items()}


class _Lacking(Exception):
    """What an annotation file has not."""


def _of(said: Any, name: str) -> Any:
    """An attribute of a node.

    Raises:
        _Lacking: it is not there.
    """
    if not isinstance(said, dict) or name not in said:
        told = f"the attribute of {name!r} is missing"
        raise _Lacking(f"the attribute {name!r} in each node that needs it: {told}")
    return said[name]


def _read(said: Any, task: str) -> tuple[list[str], dict[str, list[int]], dict[str, Any]]:
    """The images with an annotation in the order of the file, the categories, the other columns."""
    files = {_of(image, "id"): _of(image, "file_name") for image in _of(said, "images")}
    indexing: dict[str, list[int]] = {}
    if task in ("Detection", "Panoptic"):
        for kind in _of(said, "categories"):
            flag = [int(_of(kind, "isthing"))] if task == "Panoptic" else []
            indexing[_of(kind, "name")] = [int(_of(kind, "id")), *flag]
    known = {ids[0] for ids in indexing.values()}
    things: dict[Any, list[Any]] = {}
    for note in _of(said, "annotations"):
        image = _of(note, "image_id")
        if image not in files:
            raise _Lacking(f"the image of each annotation, also image_id {image!r}")
        for thing in _of(note, "segments_info") if task == "Panoptic" else [note]:
            if known and _of(thing, "category_id") not in known:
                told = f"the attribute of 'category_id': {thing['category_id']!r} is missing"
                raise _Lacking(f"the category of each annotation: {told}")
            things.setdefault(image, []).append(thing)
    kept = [image for image in files if image in things]
    columns = _COLUMNS[task]
    return (
        [files[image] for image in kept],
        indexing,
        {
            name: [make([_of(t, key) for t in things[i]]) for i in kept]
            for name, key, make in columns
        },
    )


def _floats(values: list[list[float]]) -> np.ndarray:
    longest = max(len(v) for v in values)
    return np.array([[*v, *[-1] * (longest - len(v))] for v in values], np.float32)


def _polygons(values: list[Any]) -> np.ndarray:
    """The points of polygons, or the counts of a run-length mask."""
    rows: list[list[float]] = []
    for value in values:
        rows += [_of(value, "counts")] if isinstance(value, dict) else value
    return _floats(rows)


def _numbers(values: list[Any]) -> np.ndarray:
    return np.array(values).astype(np.uint32)[:, None]


def _strings(values: list[Any]) -> np.ndarray:
    return np.array(values)[:, None]


_BBOX = ("bbox", "bbox", _floats)
_CROWD = ("iscrowd", "iscrowd", _numbers)
_COLUMNS: dict[str, list[tuple[str, str, Callable[[list[Any]], np.ndarray]]]] = {
    "Detection": [_BBOX, ("category_id", "category_id", _numbers), _CROWD],
    "Stuff": [("segmentation", "segmentation", _polygons), _CROWD],
    "Panoptic": [
        _BBOX,
        ("category_id", "category_id", _numbers),
        _CROWD,
        ("area", "area", _numbers),
    ],
    "Keypoint": [
        ("keypoints", "keypoints", _floats),
        ("num_keypoints", "num_keypoints", _numbers),
    ],
    "Captioning": [("captions", "caption", _strings)],
}
