"""Sources of pictures in files, one family per module; all read through ``table``."""

from minispore.dataset.sources.pictures.boxes import KITTIDataset as KITTIDataset
from minispore.dataset.sources.pictures.boxes import WIDERFaceDataset as WIDERFaceDataset
from minispore.dataset.sources.pictures.classes import Caltech256Dataset as Caltech256Dataset
from minispore.dataset.sources.pictures.classes import LSUNDataset as LSUNDataset
from minispore.dataset.sources.pictures.classes import OmniglotDataset as OmniglotDataset
from minispore.dataset.sources.pictures.classes import RenderedSST2Dataset as RenderedSST2Dataset
from minispore.dataset.sources.pictures.coco import CocoDataset as CocoDataset
from minispore.dataset.sources.pictures.file_lists import Food101Dataset as Food101Dataset
from minispore.dataset.sources.pictures.file_lists import ManifestDataset as ManifestDataset
from minispore.dataset.sources.pictures.file_lists import Places365Dataset as Places365Dataset
from minispore.dataset.sources.pictures.file_lists import SUN397Dataset as SUN397Dataset
from minispore.dataset.sources.pictures.folders import CelebADataset as CelebADataset
from minispore.dataset.sources.pictures.folders import ImageFolderDataset as ImageFolderDataset
from minispore.dataset.sources.pictures.lfw import LFWDataset as LFWDataset
from minispore.dataset.sources.pictures.mat_annotations import (
    Caltech101Dataset as Caltech101Dataset,
)
from minispore.dataset.sources.pictures.mat_annotations import (
    Flowers102Dataset as Flowers102Dataset,
)
from minispore.dataset.sources.pictures.mat_annotations import SBDataset as SBDataset
from minispore.dataset.sources.pictures.pairs import CityscapesDataset as CityscapesDataset
from minispore.dataset.sources.pictures.pairs import DIV2KDataset as DIV2KDataset
from minispore.dataset.sources.pictures.pairs import FlickrDataset as FlickrDataset
from minispore.dataset.sources.pictures.pairs import SBUDataset as SBUDataset
from minispore.dataset.sources.pictures.patches import PhotoTourDataset as PhotoTourDataset
from minispore.dataset.sources.pictures.voc import VOCDataset as VOCDataset
from minispore.foundation.docstrings import attach_docstrings as _describe

__all__ = [
    "Caltech101Dataset",
    "Caltech256Dataset",
    "CelebADataset",
    "CityscapesDataset",
    "CocoDataset",
    "DIV2KDataset",
    "FlickrDataset",
    "Flowers102Dataset",
    "Food101Dataset",
    "ImageFolderDataset",
    "KITTIDataset",
    "LFWDataset",
    "LSUNDataset",
    "ManifestDataset",
    "OmniglotDataset",
    "PhotoTourDataset",
    "Places365Dataset",
    "RenderedSST2Dataset",
    "SBDataset",
    "SBUDataset",
    "SUN397Dataset",
    "VOCDataset",
    "WIDERFaceDataset",
]

_describe(__name__)
