"""Datasets with annotations in MAT-files: Caltech101Dataset, Flowers102Dataset, SBDataset."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.formats import mat
from minispore.dataset.sources.files import check_folder
from minispore.dataset.sources.pictures.table import (
    PictureTable,
    check_not_empty,
    list_folders,
    list_pictures,
    read_lines,
)
from minispore.dataset.sources.table import TableDataset


class _MatAnnotations(Sequence[np.ndarray]):
    """A column of annotations, each read from its MAT-file when its row is read."""

    def __init__(self, files: list[Path], extract: Any) -> None:
        self._files, self._extract = files, extract

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, index: Any) -> Any:
        try:
            return self._extract(mat.read(self._files[index]))
        except (KeyError, TypeError, AttributeError) as exc:
            raise RuntimeError(f"{self._files[index]}: must hold {exc}.") from exc


class Caltech101Dataset(TableDataset):
    """Objects of 101 classes.

    Columns: ``image`` uint8; ``category`` int64; ``annotation`` int64 (2, points), the contour.

    Args:
        dataset_dir (str): the folder with ``101_ObjectCategories`` and ``Annotations``.
        target_type (str, optional): ``"category"``, ``"annotation"`` or ``"all"``. Default:
            ``None``, ``"category"``.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int): the number of reader threads. Default: ``1``.
        shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        FileNotFoundError: the folder of images does not exist.
        RuntimeError: no image is found; later, when an image or its annotation can't be read.

    Source: L. Fei-Fei, R. Fergus, P. Perona, Learning generative visual models from few training
    examples, 2004.
    """

    rows_from_python = True

    def __init__(
        self,
        dataset_dir: str,
        target_type: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = 1,
        shuffle: bool | None = None,
        decode: bool = False,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
    ) -> None:
        api_name = "Caltech101Dataset"
        path = check_folder(api_name, dataset_dir)
        check.one_of(api_name, "target_type", target_type, ("category", "annotation", "all", None))
        class_folders = [
            p for p in list_folders(path / "101_ObjectCategories") if p.name != _BACKGROUND
        ]
        if not (path / "101_ObjectCategories").is_dir():
            raise FileNotFoundError(
                f"{api_name}: dataset_dir must hold 101_ObjectCategories, got {str(path)!r}."
            )
        self._names = [class_folder.name for class_folder in class_folders]
        rows = [
            (file, label)
            for label, class_folder in enumerate(class_folders)
            for file in list_pictures(class_folder)
        ]
        check_not_empty(api_name, rows, path)
        columns: dict[str, Any] = {"image": [file for file, _ in rows]}
        if target_type != "annotation":
            columns["category"] = np.array([label for _, label in rows])
        if target_type in ("annotation", "all"):
            annotation_files = [
                _get_annotation_path(path / "Annotations", file) for file, _ in rows
            ]
            columns["annotation"] = _MatAnnotations(
                annotation_files, lambda variables: variables["obj_contour"].astype(np.int64)
            )
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id
        self._init_over_table(
            PictureTable(api_name, columns, decode), *options, dataset_dir=str(path)
        )

    def get_class_indexing(self) -> dict[str, int]:
        """Return class names and their labels."""
        return {name: i for i, name in enumerate(self._names)}


_BACKGROUND = "BACKGROUND_Google"
# Classes whose annotations are in a folder with a different name.
_ANNOTATION_FOLDERS = {
    "Faces": "Faces_2",
    "Faces_easy": "Faces_3",
    "Motorbikes": "Motorbikes_16",
    "airplanes": "Airplanes_Side_2",
}


def _get_annotation_path(path: Path, image: Path) -> Path:
    """Return the path of an image's annotation."""
    folder_name = _ANNOTATION_FOLDERS.get(image.parent.name, image.parent.name)
    return path / folder_name / f"annotation_{image.stem.rpartition('_')[2]}.mat"


class Flowers102Dataset(TableDataset):
    """Flowers of 102 classes.

    Columns: ``image`` uint8, ``label`` uint32; the task ``"Segmentation"`` has ``segmentation``
    uint8 between the two.

    Args:
        dataset_dir (str): the folder with ``jpg``, ``segmim``, ``imagelabels.mat`` and
            ``setid.mat``.
        task (str): ``"Classification"`` or ``"Segmentation"``. Default: ``"Classification"``.
        usage (str): ``"train"``, ``"valid"``, ``"test"`` or ``"all"``. Default: ``"all"``.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int): the number of reader threads. Default: ``1``.
        shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        RuntimeError: a list can't be read; later, when an image can't be read.

    Source: M.-E. Nilsback, A. Zisserman, Automated flower classification over a large number of
    classes, 2008.
    """

    rows_from_python = True

    def __init__(
        self,
        dataset_dir: str,
        task: str = "Classification",
        usage: str = "all",
        num_samples: int | None = None,
        num_parallel_workers: int | None = 1,
        shuffle: bool | None = None,
        decode: bool = False,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
    ) -> None:
        api_name = "Flowers102Dataset"
        path = check_folder(api_name, dataset_dir)
        check.one_of(api_name, "task", task, ("Classification", "Segmentation"))
        lists = {"train": ["trnid"], "valid": ["valid"], "test": ["tstid"]}
        check.one_of(api_name, "usage", usage, (*lists, "all"))
        for subfolder in ("jpg", "segmim") if task == "Segmentation" else ("jpg",):
            check_folder(api_name, path / subfolder)
        for name in ("setid.mat", "imagelabels.mat"):
            if not (path / name).is_file():
                raise ValueError(
                    f"{api_name}: dataset_dir must hold {name}, got {str(path)!r}, where it "
                    "does not exist."
                )
        sets, labels = mat.read(path / "setid.mat"), mat.read(path / "imagelabels.mat")
        try:
            names = lists.get(usage, ["trnid", "tstid", "valid"])
            image_numbers = np.concatenate(
                [sets[name].reshape(-1).astype(np.int64) for name in names]
            )
            # Both are numbered from 1.
            row_labels = labels["labels"].reshape(-1)[image_numbers - 1].astype(np.int64) - 1
        except (KeyError, AttributeError, IndexError) as exc:
            raise RuntimeError(
                f"{api_name}: setid.mat and imagelabels.mat must fit. {exc!r} ({path})"
            ) from exc
        columns: dict[str, Any] = {
            "image": [path / "jpg" / f"image_{i:05d}.jpg" for i in image_numbers]
        }
        if task == "Segmentation":
            columns["segmentation"] = [
                path / "segmim" / f"segmim_{i:05d}.jpg" for i in image_numbers
            ]
        columns["label"] = row_labels.astype(np.uint32)
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id
        table = PictureTable(api_name, columns, decode)
        self._init_over_table(table, *options, dataset_dir=str(path), task=task, usage=usage)

    def get_class_indexing(self) -> dict[str, int]:
        """Return the names of the flowers and their labels."""
        return {name: i for i, name in enumerate(_FLOWERS.replace("\n", " ").strip().split("; "))}


class SBDataset(TableDataset):
    """Objects and their outlines.

    Columns: ``image`` uint8; ``task`` uint8, (20, H, W) for ``"Boundaries"``, (H, W) for
    ``"Segmentation"``.

    Args:
        dataset_dir (str): the folder with ``img``, ``cls``, ``train.txt``, ``val.txt``.
        task (str): ``"Boundaries"`` or ``"Segmentation"``. Default: ``"Boundaries"``.
        usage (str): ``"train"``, ``"val"``, ``"train_noval"`` or ``"all"``. Default: ``"all"``.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int): the number of reader threads. Default: ``1``.
        shuffle: as for :class:`ImageFolderDataset`.
        decode (bool, optional): whether images are decoded. Default: ``None``, no.
        sampler, num_shards, shard_id: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value.
        FileNotFoundError: a list does not exist.
        RuntimeError: a list can't be read; later, when an image or its annotation can't be read.

    Source: B. Hariharan, P. Arbelaez, L. Bourdev, S. Maji, J. Malik, Semantic contours from inverse
    detectors, 2011.
    """

    rows_from_python = True

    def __init__(
        self,
        dataset_dir: str,
        task: str = "Boundaries",
        usage: str = "all",
        num_samples: int | None = None,
        num_parallel_workers: int | None = 1,
        shuffle: bool | None = None,
        decode: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
    ) -> None:
        api_name = "SBDataset"
        path = check_folder(api_name, dataset_dir)
        check.one_of(api_name, "task", task, ("Boundaries", "Segmentation"))
        check.one_of(api_name, "usage", usage, ("train", "val", "train_noval", "all"))
        parts = ["train", "val"] if usage == "all" else [usage]
        list_lines = [
            line.strip()
            for part in parts
            for line in read_lines(api_name, path / f"{part}.txt", FileNotFoundError)
        ]
        names = [name for name in list_lines if name]
        check_not_empty(api_name, names, path)
        annotation_files = [path / "cls" / f"{name}.mat" for name in names]
        columns = {
            "image": [path / "img" / f"{name}.jpg" for name in names],
            "task": _MatAnnotations(
                annotation_files,
                _extract_boundaries if task == "Boundaries" else _extract_segmentation,
            ),
        }
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id
        table = PictureTable(api_name, columns, decode)
        self._init_over_table(table, *options, dataset_dir=str(path), task=task, usage=usage)


def _extract_boundaries(variables: dict[str, Any]) -> np.ndarray:
    """Return the boundaries of all classes in a MAT-file's variables, uint8 (20, H, W)."""
    return np.stack(
        [boundary.astype(np.uint8) for boundary in variables["GTcls"]["Boundaries"].reshape(-1)]
    )


def _extract_segmentation(variables: dict[str, Any]) -> np.ndarray:
    """Return the class of each pixel in a MAT-file's variables, uint8 (H, W)."""
    return np.ascontiguousarray(variables["GTcls"]["Segmentation"]).astype(np.uint8)


_FLOWERS = """
pink primrose; hard-leaved pocket orchid; canterbury bells; sweet pea; english marigold; tiger
lily; moon orchid; bird of paradise; monkshood; globe thistle; snapdragon; colt's foot; king
protea; spear thistle; yellow iris; globe-flower; purple coneflower; peruvian lily; balloon
flower; giant white arum lily; fire lily; pincushion flower; fritillary; red ginger; grape
hyacinth; corn poppy; prince of wales feathers; stemless gentian; artichoke; sweet william;
carnation; garden phlox; love in the mist; mexican aster; alpine sea holly; ruby-lipped
cattleya; cape flower; great masterwort; siam tulip; lenten rose; barbeton daisy; daffodil;
sword lily; poinsettia; bolero deep blue; wallflower; marigold; buttercup; oxeye daisy; common
dandelion; petunia; wild pansy; primula; sunflower; pelargonium; bishop of llandaff; gaura;
geranium; orange dahlia; pink-yellow dahlia?; cautleya spicata; japanese anemone; black-eyed
susan; silverbush; californian poppy; osteospermum; spring crocus; bearded iris; windflower;
tree poppy; gazania; azalea; water lily; rose; thorn apple; morning glory; passion flower;
lotus; toad lily; anthurium; frangipani; clematis; hibiscus; columbine; desert-rose; tree
mallow; magnolia; cyclamen; watercress; canna lily; hippeastrum; bee balm; ball moss; foxglove;
bougainvillea; camellia; mallow; mexican petunia; bromelia; blanket flower; trumpet creeper;
blackberry lily
"""
