"""VOCDataset: photographs with boxes around objects, or with a mask of classes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import folder
from minispore.dataset.sources.pictures.table import PictureTable, class_labels, lines, some
from minispore.dataset.sources.table import TableDataset

_Boxes = tuple[list[str], list[list[float]]]


class VOCDataset(TableDataset):
    """Photographs of the VOC challenges. Of the task ``"Segmentation"``: ``image`` and ``target``,
    uint8. Of ``"Detection"``: ``image`` uint8, and of n objects ``bbox`` float32 (n, 4), as left,
    top, width, height; ``label``, ``difficult`` and ``truncate`` uint32 (n, 1).

    Args:
        dataset_dir (str): the folder with ``JPEGImages``, ``ImageSets``, ``Annotations``,
            ``SegmentationClass``.
        task (str): ``"Segmentation"`` or ``"Detection"``. Default: ``"Segmentation"``.
        usage (str): the name of a list in ``ImageSets/Segmentation`` or ``ImageSets/Main``.
            Default: ``"train"``.
        class_indexing (dict, optional): only objects of these classes, with these labels; images
            without any are left out. Default: ``None``, all, numbered in the order of their names.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.
        extra_metadata (bool): whether there is a column ``_meta-filename``, which is hidden until
            it is renamed. Default: ``False``.
        decrypt (function, optional): gives the bytes of the file of a name.

    Raises:
        TypeError, ValueError: an argument is not what it must be, or there is no such list.
        RuntimeError: an annotation is missing or damaged; later, when an image can't be read.

    Source: M. Everingham and others, The Pascal visual object classes (VOC) challenge, 2010.
    """

    def __init__(
        self,
        dataset_dir: str,
        task: str = "Segmentation",
        usage: str = "train",
        class_indexing: dict[str, int] | None = None,
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
        op = "VOCDataset"
        path = folder(op, dataset_dir)
        check.string(op, "usage", usage)
        check.one_of(op, "task", task, ("Segmentation", "Detection"))
        told = path / "ImageSets" / ("Main" if task == "Detection" else task) / f"{usage}.txt"
        if not told.is_file():
            raise ValueError(
                f"{op}: usage must name a list, got {usage!r}, but the file {told} does not exist."
            )
        self._indexing: dict[str, int] | None = None
        names = [line.split()[0] for line in lines(op, told) if line.strip()]
        some(op, names, path)
        columns: dict[str, Any]
        if task == "Segmentation":
            if class_indexing is not None:
                raise ValueError(f"{op}: class_indexing is not supported in Segmentation task.")
            columns = {"image": [], "target": [path / task_file(n) for n in names]}
        else:
            found = [_objects(op, path / "Annotations" / f"{name}.xml") for name in names]
            there = sorted({kind for kinds, _ in found for kind in kinds})
            self._indexing = class_labels(op, class_indexing, there)
            names, columns = _detection(names, found, self._indexing)
            some(op, names, path, "an object of class_indexing")
        columns["image"] = [path / "JPEGImages" / f"{name}.jpg" for name in names]
        if check.boolean(op, "extra_metadata", extra_metadata):
            columns["_meta-filename"] = np.array([file.stem for file in columns["image"]])
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = PictureTable(op, columns, decode, decrypt)
        self._over(table, *picked, dataset_dir=str(path), task=task, usage=usage)

    def get_class_indexing(self) -> dict[str, int]:
        """Class names and their labels, of the task ``"Detection"``."""
        if self._indexing is None:
            raise NotImplementedError("VOCDataset: only the task Detection has class names.")
        return dict(self._indexing)


def task_file(name: str) -> str:
    """The mask of an image, below the folder."""
    return f"SegmentationClass/{name}.png"


def _detection(
    names: list[str], found: list[_Boxes], labels: dict[str, int]
) -> tuple[list[str], dict[str, Any]]:
    """The images with objects that have a label, and the columns of these objects."""
    columns: dict[str, Any] = {
        "image": [],
        "bbox": [],
        "label": [],
        "difficult": [],
        "truncate": [],
    }
    kept = []
    for name, (kinds, values) in zip(names, found):
        chosen = [i for i, kind in enumerate(kinds) if kind in labels]
        if not chosen:
            continue
        kept.append(name)
        table = np.array([values[i] for i in chosen], np.float32)
        columns["bbox"].append(np.ascontiguousarray(table[:, :4]))
        columns["label"].append(np.array([[labels[kinds[i]]] for i in chosen], np.uint32))
        columns["difficult"].append(table[:, 4:5].astype(np.uint32))
        columns["truncate"].append(table[:, 5:].astype(np.uint32))
    return kept, columns


def _objects(op: str, path: Path) -> _Boxes:
    """The classes of the objects in an annotation, and of each its box, difficult and truncated."""
    try:
        objects = ElementTree.fromstring(path.read_bytes()).findall("object")
    except (OSError, ElementTree.ParseError) as exc:
        raise RuntimeError(f"{op}: {path} must be a readable XML file. {exc}") from exc
    if not objects:
        raise RuntimeError(f"{op}: {path} must have a node object, got none.")
    kinds, values = [], []
    for thing in objects:
        try:
            kinds.append(thing.findtext("name") or _missing("name"))
            box = thing.find("bndbox")
            left, top, right, bottom = (
                float((box.findtext(side) if box is not None else None) or _missing(side))
                for side in ("xmin", "ymin", "xmax", "ymax")
            )
            if not 0 < left < right or not 0 < top < bottom:
                raise ValueError(f"a box of a size, got {left, top, right, bottom}")
            flags = [int(thing.findtext(name) or 0) for name in ("difficult", "truncated")]
            values.append([left, top, right - left, bottom - top, *flags])
        except ValueError as exc:
            raise RuntimeError(f"{op}: each object of {path} must have {exc}.") from exc
    return kinds, values


def _missing(name: str) -> str:
    raise ValueError(f"a node {name}")
