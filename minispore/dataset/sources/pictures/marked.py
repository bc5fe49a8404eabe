"""Pictures with annotations in MAT-files: Caltech101Dataset, Flowers102Dataset, SBDataset."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.formats import mat
from minispore.dataset.sources.files import folder
from minispore.dataset.sources.pictures.table import PictureTable, folders, lines, pictures, some
from minispore.dataset.sources.table import TableDataset


class _Marks(Sequence[np.ndarray]):
    """What MAT-files say, read when a row is."""

    def __init__(self, files: list[Path], find: Any) -> None:
        self._files, self._find = files, find

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, index: Any) -> Any:
        try:
            return self._find(mat.read(self._files[index]))
        except (KeyError, TypeError, AttributeError) as exc:
            raise RuntimeError(f"{self._files[index]}: must hold {exc}.") from exc


class Caltech101Dataset(TableDataset):
    """Objects of 101 kinds: ``image`` uint8, ``category`` int64, ``annotation`` int64 (2, points),
    the contour.

    Args:
        dataset_dir (str): the folder with ``101_ObjectCategories`` and ``Annotations``.
        target_type (str, optional): ``"category"``, ``"annotation"`` or ``"all"``. Default:
            ``None``, ``"category"``.
        num_samples (int, optional): at most so many rows.
        num_parallel_workers (int): threads that read. Default: ``1``.
        shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: there is no image; later, when one can't be read, or its annotation can't be.

    Source: L. Fei-Fei, R. Fergus, P. Perona, Learning generative visual models from few training
    examples, 2004.
    """

    of_functions = True

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
        op = "Caltech101Dataset"
        path = folder(op, dataset_dir)
        check.one_of(op, "target_type", target_type, ("category", "annotation", "all", None))
        kinds = [p for p in folders(path / "101_ObjectCategories") if p.name != _BACKGROUND]
        self._names = [kind.name for kind in kinds]
        rows = [(file, label) for label, kind in enumerate(kinds) for file in pictures(kind)]
        some(op, rows, path)
        columns: dict[str, Any] = {"image": [file for file, _ in rows]}
        if target_type != "annotation":
            columns["category"] = np.array([label for _, label in rows])
        if target_type in ("annotation", "all"):
            marks = [_annotation(path / "Annotations", file) for file, _ in rows]
            columns["annotation"] = _Marks(marks, lambda said: said["obj_contour"].astype(np.int64))
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id
        self._over(PictureTable(op, columns, decode), *picked, dataset_dir=str(path))

    def get_class_indexing(self) -> dict[str, int]:
        """Class names and their labels."""
        return {name: i for i, name in enumerate(self._names)}


_BACKGROUND = "BACKGROUND_Google"
# Kinds whose annotations lie in a folder of another name.
_ELSEWHERE = {
    "Faces": "Faces_2",
    "Faces_easy": "Faces_3",
    "Motorbikes": "Motorbikes_16",
    "airplanes": "Airplanes_Side_2",
}


def _annotation(path: Path, image: Path) -> Path:
    kind = _ELSEWHERE.get(image.parent.name, image.parent.name)
    return path / kind / f"annotation_{image.stem.rpartition('_')[2]}.mat"


class Flowers102Dataset(TableDataset):
    """Flowers of 102 kinds: ``image`` uint8, ``label`` uint32; of the task ``"Segmentation"``
    ``segmentation`` uint8 between the two.

    Args:
        dataset_dir (str): the folder with ``jpg``, ``segmim``, ``imagelabels.mat`` and
            ``setid.mat``.
        task (str): ``"Classification"`` or ``"Segmentation"``. Default: ``"Classification"``.
        usage (str): ``"train"``, ``"valid"``, ``"test"`` or ``"all"``. Default: ``"all"``.
        num_samples (int, optional): at most so many rows.
        num_parallel_workers (int): threads that read. Default: ``1``.
        shuffle: as for :class:`ImageFolderDataset`.
        decode (bool): whether images are decoded. Default: ``False``.
        sampler, num_shards, shard_id: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: a list can't be read; later, when an image can't be.

    Source: M.-E. Nilsback, A. Zisserman, Automated flower classification over a large number of
    classes, 2008.
    """

    of_functions = True

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
        op = "Flowers102Dataset"
        path = folder(op, dataset_dir)
        check.one_of(op, "task", task, ("Classification", "Segmentation"))
        lists = {"train": ["trnid"], "valid": ["valid"], "test": ["tstid"]}
        check.one_of(op, "usage", usage, (*lists, "all"))
        for inside in ("jpg", "segmim") if task == "Segmentation" else ("jpg",):
            folder(op, path / inside)
        for name in ("setid.mat", "imagelabels.mat"):
            if not (path / name).is_file():
                raise ValueError(
                    f"{op}: dataset_dir must hold {name}, got {str(path)!r}, where it "
                    "does not exist."
                )
        said, labels = mat.read(path / "setid.mat"), mat.read(path / "imagelabels.mat")
        try:
            names = lists.get(usage, ["trnid", "tstid", "valid"])
            wanted = np.concatenate([said[name].reshape(-1).astype(np.int64) for name in names])
            of_rows = labels["labels"].reshape(-1)[wanted - 1].astype(np.int64) - 1  # both from 1
        except (KeyError, AttributeError, IndexError) as exc:
            raise RuntimeError(
                f"{op}: setid.mat and imagelabels.mat must fit. {exc!r} ({path})"
            ) from exc
        columns: dict[str, Any] = {"image": [path / "jpg" / f"image_{i:05d}.jpg" for i in wanted]}
        if task == "Segmentation":
            columns["segmentation"] = [path / "segmim" / f"segmim_{i:05d}.jpg" for i in wanted]
        columns["label"] = of_rows.astype(np.uint32)
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id
        table = PictureTable(op, columns, decode)
        self._over(table, *picked, dataset_dir=str(path), task=task, usage=usage)

    def get_class_indexing(self) -> dict[str, int]:
        """The names of the flowers and their labels."""
        return {name: i for i, name in enumerate(_FLOWERS.replace("\n", " ").strip().split("; "))}


class SBDataset(TableDataset):
    """Things and their outlines: ``image`` uint8; ``task`` uint8, of ``"Boundaries"`` (20, H, W),
    of ``"Segmentation"`` (H, W).

    Args:
        dataset_dir (str): the folder with ``img``, ``cls``, ``train.txt``, ``val.txt``.
        task (str): ``"Boundaries"`` or ``"Segmentation"``. Default: ``"Boundaries"``.
        usage (str): ``"train"``, ``"val"``, ``"train_noval"`` or ``"all"``. Default: ``"all"``.
        num_samples (int, optional): at most so many rows.
        num_parallel_workers (int): threads that read. Default: ``1``.
        shuffle: as for :class:`ImageFolderDataset`.
        decode (bool, optional): whether images are decoded. Default: ``None``, no.
        sampler, num_shards, shard_id: as for :class:`ImageFolderDataset`.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
        RuntimeError: a list can't be read; later, when an image can't be, or its annotation.

    Source: B. Hariharan, P. Arbelaez, L. Bourdev, S. Maji, J. Malik, Semantic contours from inverse
    detectors, 2011.
    """

    of_functions = True

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
        op = "SBDataset"
        path = folder(op, dataset_dir)
        check.one_of(op, "task", task, ("Boundaries", "Segmentation"))
        check.one_of(op, "usage", usage, ("train", "val", "train_noval", "all"))
        parts = ["train", "val"] if usage == "all" else [usage]
        told = [line.strip() for part in parts for line in lines(op, path / f"{part}.txt")]
        names = [name for name in told if name]
        some(op, names, path)
        marks = [path / "cls" / f"{name}.mat" for name in names]
        columns = {
            "image": [path / "img" / f"{name}.jpg" for name in names],
            "task": _Marks(marks, _boundaries if task == "Boundaries" else _segmentation),
        }
        picked = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id
        table = PictureTable(op, columns, decode)
        self._over(table, *picked, dataset_dir=str(path), task=task, usage=usage)


def _boundaries(said: dict[str, Any]) -> np.ndarray:
    return np.stack([part.astype(np.uint8) for part in said["GTcls"]["Boundaries"].reshape(-1)])


def _segmentation(said: dict[str, Any]) -> np.ndarray:
    return np.ascontiguousarray(said["GTcls"]["Segmentation"]).astype(np.uint8)


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
