"""VOCDataset: photographs with boxes around objects, or with a mask of classes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from minispore.dataset import check
from minispore.dataset.sources.files import check_folder
from minispore.dataset.sources.pictures.table import (
    PictureTable,
    check_class_indexing,
    check_not_empty,
    read_lines,
)
from minispore.dataset.sources.table import TableDataset

_Boxes = tuple[list[str], list[list[float]]]


class VOCDataset(TableDataset):
    """Photographs of the VOC challenges.

    Columns of the task ``"Segmentation"``: ``image`` and ``target``, uint8. Columns of
    ``"Detection"``: ``image`` uint8, and for n objects ``bbox`` float32 (n, 4), as left, top,
    width, height; ``label``, ``difficult`` and ``truncate`` uint32 (n, 1).

    Args:
        dataset_dir (str): the folder with ``JPEGImages``, ``ImageSets``, ``Annotations``,
            ``SegmentationClass``.
        task (str): ``"Segmentation"`` or ``"Detection"``. Default: ``"Segmentation"``.
        usage (str): the name of a list in ``ImageSets/Segmentation`` or ``ImageSets/Main``.
            Default: ``"train"``.
        class_indexing (dict, optional): read only objects of these classes, with these labels;
            images without such objects are skipped. Default: ``None``, all, numbered in the order
            of their names.
        num_samples, num_parallel_workers, shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id, cache: as for :class:`ImageFolderDataset`.
        extra_metadata (bool): whether to add a column ``_meta-filename``, which is hidden until
            it is renamed. Default: ``False``.
        decrypt (function, optional): returns the decrypted bytes of a file by its name.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value, or the list does not exist.
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
        api_name = "VOCDataset"
        path = check_folder(api_name, dataset_dir)
        check.string(api_name, "usage", usage)
        check.one_of(api_name, "task", task, ("Segmentation", "Detection"))
        list_file = path / "ImageSets" / ("Main" if task == "Detection" else task) / f"{usage}.txt"
        if not list_file.is_file():
            raise ValueError(
                f"{api_name}: usage must name a list, got {usage!r}, but the file {list_file} "
                "does not exist."
            )
        self._indexing: dict[str, int] | None = None
        names = [line.split()[0] for line in read_lines(api_name, list_file) if line.strip()]
        check_not_empty(api_name, names, path)
        columns: dict[str, Any]
        if task == "Segmentation":
            if class_indexing is not None:
                raise ValueError(
                    f"{api_name}: class_indexing is not supported in Segmentation task."
                )
            columns = {"image": [], "target": [path / get_mask_path(n) for n in names]}
        else:
            annotations = [
                _read_objects(api_name, path / "Annotations" / f"{name}.xml") for name in names
            ]
            class_names = sorted({kind for kinds, _ in annotations for kind in kinds})
            self._indexing = check_class_indexing(api_name, class_indexing, class_names)
            names, columns = _make_detection_columns(names, annotations, self._indexing)
            check_not_empty(api_name, names, path, "an object of class_indexing")
        columns["image"] = [path / "JPEGImages" / f"{name}.jpg" for name in names]
        if check.boolean(api_name, "extra_metadata", extra_metadata):
            columns["_meta-filename"] = np.array([file.stem for file in columns["image"]])
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        table = PictureTable(api_name, columns, decode, decrypt)
        self._init_over_table(table, *options, dataset_dir=str(path), task=task, usage=usage)

    def get_class_indexing(self) -> dict[str, int]:
        """Return class names and their labels, for the task ``"Detection"``.

        Raises:
            NotImplementedError: the task is not ``"Detection"``.
        """
        if self._indexing is None:
            raise NotImplementedError("VOCDataset: only the task Detection has class names.")
        return dict(self._indexing)


def get_mask_path(name: str) -> str:
    """Return the path of an image's mask, relative to the dataset folder."""
    return f"SegmentationClass/{name}.png"


def _make_detection_columns(
    names: list[str], annotations: list[_Boxes], labels: dict[str, int]
) -> tuple[list[str], dict[str, Any]]:
    """Return the names of the images that have objects with a label, and the objects' columns.

    The column ``image`` is left empty for the caller to fill.
    """
    columns: dict[str, Any] = {
        "image": [],
        "bbox": [],
        "label": [],
        "difficult": [],
        "truncate": [],
    }
    labelled_names = []
    for name, (kinds, values) in zip(names, annotations):
        chosen = [i for i, kind in enumerate(kinds) if kind in labels]
        if not chosen:
            continue
        labelled_names.append(name)
        table = np.array([values[i] for i in chosen], np.float32)
        columns["bbox"].append(np.ascontiguousarray(table[:, :4]))
        columns["label"].append(np.array([[labels[kinds[i]]] for i in chosen], np.uint32))
        columns["difficult"].append(table[:, 4:5].astype(np.uint32))
        columns["truncate"].append(table[:, 5:].astype(np.uint32))
    return labelled_names, columns


def _read_objects(api_name: str, path: Path) -> _Boxes:
    """Return the classes of the objects in an annotation, and the numbers of each object.

    The numbers are left, top, width and height of the box, difficult and truncated.

    Raises:
        RuntimeError: the file can't be read, or an object lacks an entry.
    """
    try:
        objects = ElementTree.fromstring(path.read_bytes()).findall("object")
    except (OSError, ElementTree.ParseError) as exc:
        raise RuntimeError(f"{api_name}: {path} must be a readable XML file. {exc}") from exc
    if not objects:
        raise RuntimeError(f"{api_name}: {path} must have a node object, got none.")
    kinds, values = [], []
    for node in objects:
        try:
            kinds.append(node.findtext("name") or _raise_missing_node("name"))
            left, top, right, bottom = (
                float(node.findtext(f"bndbox[1]/{side}") or _raise_missing_node(side))
                for side in ("xmin", "ymin", "xmax", "ymax")
            )
            if not 0 < left < right or not 0 < top < bottom:
                raise ValueError(f"a box of a size, got {left, top, right, bottom}")
            flags = [int(node.findtext(name) or 0) for name in ("difficult", "truncated")]
            values.append([left, top, right - left, bottom - top, *flags])
        except ValueError as exc:
            raise RuntimeError(f"{api_name}: each object of {path} must have {exc}.") from exc
    return kinds, values


def _raise_missing_node(name: str) -> str:
    """Raise ValueError for a missing node; for use in an expression, after ``or``."""
    raise ValueError(f"a node {name}")
