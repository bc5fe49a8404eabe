"""Datasets: sources of training data and pipelines of small operations on them.

::

    data = ds.MnistDataset(folder, usage="train")
    data = data.map([vision.Resize((32, 32)), vision.Rescale(1 / 255, 0.0)], "image")
    data = data.map(vision.HWC2CHW(), "image").shuffle(10000).batch(32, drop_remainder=True)
    for row in data.create_dict_iterator(num_epochs=1):
        row["image"], row["label"]

**For code that feeds a device.** ``dataset.device_iterator(num_passes, total_batches=None,
first_pass=0, first_batch=0, with_rows=False)`` iterates over the batches of consecutive passes of
one pipeline run, each a named tuple ``(columns, number, pass_number, rows)``: ``columns`` is a
tuple of NumPy arrays in column order; ``rows`` holds the ids of the source rows in the batch, or
None (at no cost) without ``with_rows``. ``close()``, from any thread, stops all workers;
``statistics()`` reports the rows and the time of each operation, how full the queue is, and which
operation is the slowest. ``dataset.types_shapes()`` returns the dtypes and shapes of the first
batch without consuming it.

:mod:`minispore.dataset.pipeline` describes the engine.
"""

from minispore import context as context  # MindSpore scripts import it from here
from minispore.dataset import config as config
from minispore.dataset import debug as debug
from minispore.dataset import transforms as transforms
from minispore.dataset.cache import DatasetCache as DatasetCache
from minispore.dataset.callback import DSCallback as DSCallback
from minispore.dataset.callback import WaitedDSCallback as WaitedDSCallback
from minispore.dataset.dataset import Dataset as Dataset
from minispore.dataset.dataset import MappableDataset as MappableDataset
from minispore.dataset.dataset import SourceDataset as SourceDataset
from minispore.dataset.derived import BatchDataset as BatchDataset
from minispore.dataset.derived import BucketBatchByLengthDataset as BucketBatchByLengthDataset
from minispore.dataset.derived import ConcatDataset as ConcatDataset
from minispore.dataset.derived import FilterDataset as FilterDataset
from minispore.dataset.derived import MapDataset as MapDataset
from minispore.dataset.derived import ProjectDataset as ProjectDataset
from minispore.dataset.derived import RenameDataset as RenameDataset
from minispore.dataset.derived import RepeatDataset as RepeatDataset
from minispore.dataset.derived import ShuffleDataset as ShuffleDataset
from minispore.dataset.derived import SkipDataset as SkipDataset
from minispore.dataset.derived import SyncWaitDataset as SyncWaitDataset
from minispore.dataset.derived import TakeDataset as TakeDataset
from minispore.dataset.derived import ZipDataset as ZipDataset
from minispore.dataset.derived import zip_datasets as zip
from minispore.dataset.iterator import Batch as Batch
from minispore.dataset.iterator import DeviceIterator as DeviceIterator
from minispore.dataset.iterator import DictIterator as DictIterator
from minispore.dataset.iterator import TupleIterator as TupleIterator
from minispore.dataset.lines import LineReader as LineReader
from minispore.dataset.pipeline.batching import BatchInfo as BatchInfo
from minispore.dataset.pipeline.statistics import NodeStatistics as NodeStatistics
from minispore.dataset.pipeline.statistics import PipelineStatistics as PipelineStatistics
from minispore.dataset.random_samplers import PKSampler as PKSampler
from minispore.dataset.random_samplers import WeightedRandomSampler as WeightedRandomSampler
from minispore.dataset.samplers import BuiltinSampler as BuiltinSampler
from minispore.dataset.samplers import DistributedSampler as DistributedSampler
from minispore.dataset.samplers import IterSampler as IterSampler
from minispore.dataset.samplers import RandomSampler as RandomSampler
from minispore.dataset.samplers import Sampler as Sampler
from minispore.dataset.samplers import SequentialSampler as SequentialSampler
from minispore.dataset.samplers import Shuffle as Shuffle
from minispore.dataset.samplers import SubsetRandomSampler as SubsetRandomSampler
from minispore.dataset.samplers import SubsetSampler as SubsetSampler
from minispore.dataset.schema import Schema as Schema
from minispore.dataset.sources.cifar import Cifar10Dataset as Cifar10Dataset
from minispore.dataset.sources.cifar import Cifar100Dataset as Cifar100Dataset
from minispore.dataset.sources.clue import CLUEDataset as CLUEDataset
from minispore.dataset.sources.digits import EMnistDataset as EMnistDataset
from minispore.dataset.sources.digits import QMnistDataset as QMnistDataset
from minispore.dataset.sources.digits import SemeionDataset as SemeionDataset
from minispore.dataset.sources.digits import STL10Dataset as STL10Dataset
from minispore.dataset.sources.digits import SVHNDataset as SVHNDataset
from minispore.dataset.sources.digits import USPSDataset as USPSDataset
from minispore.dataset.sources.generator import GeneratorDataset as GeneratorDataset
from minispore.dataset.sources.memory import NumpySlicesDataset as NumpySlicesDataset
from minispore.dataset.sources.memory import PaddedDataset as PaddedDataset
from minispore.dataset.sources.mindrecord import MindDataset as MindDataset
from minispore.dataset.sources.mnist import FashionMnistDataset as FashionMnistDataset
from minispore.dataset.sources.mnist import KMnistDataset as KMnistDataset
from minispore.dataset.sources.mnist import MnistDataset as MnistDataset
from minispore.dataset.sources.synthetic import FakeImageDataset as FakeImageDataset
from minispore.dataset.sources.synthetic import RandomDataset as RandomDataset
from minispore.dataset.sources.text import CSVDataset as CSVDataset
from minispore.dataset.sources.text import TextFileDataset as TextFileDataset
from minispore.dataset.sources.tfrecord import TFRecordDataset as TFRecordDataset
from minispore.dataset.transforms.base import Implementation as Implementation
from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.foundation.lazy_import import make_lazy_attributes as _later

__all__ = [
    "AGNewsDataset",
    "AmazonReviewDataset",
    "Batch",
    "BatchDataset",
    "BatchInfo",
    "BucketBatchByLengthDataset",
    "BuiltinSampler",
    "CLUEDataset",
    "CMUArcticDataset",
    "CSVDataset",
    "Caltech101Dataset",
    "Caltech256Dataset",
    "CelebADataset",
    "Cifar10Dataset",
    "Cifar100Dataset",
    "CityscapesDataset",
    "CoNLL2000Dataset",
    "CocoDataset",
    "ConcatDataset",
    "DBpediaDataset",
    "DIV2KDataset",
    "DSCallback",
    "Dataset",
    "DatasetCache",
    "DeviceIterator",
    "DictIterator",
    "DistributedSampler",
    "EMnistDataset",
    "EnWik9Dataset",
    "FakeImageDataset",
    "FashionMnistDataset",
    "FilterDataset",
    "FlickrDataset",
    "Flowers102Dataset",
    "Food101Dataset",
    "GTZANDataset",
    "GeneratorDataset",
    "IMDBDataset",
    "IWSLT2016Dataset",
    "IWSLT2017Dataset",
    "ImageFolderDataset",
    "IterSampler",
    "KITTIDataset",
    "KMnistDataset",
    "LFWDataset",
    "LJSpeechDataset",
    "LSUNDataset",
    "LibriTTSDataset",
    "LineReader",
    "ManifestDataset",
    "MapDataset",
    "MappableDataset",
    "MindDataset",
    "MnistDataset",
    "Multi30kDataset",
    "NodeStatistics",
    "NumpySlicesDataset",
    "OmniglotDataset",
    "PKSampler",
    "PaddedDataset",
    "PennTreebankDataset",
    "PhotoTourDataset",
    "PipelineStatistics",
    "Places365Dataset",
    "ProjectDataset",
    "QMnistDataset",
    "RandomDataset",
    "RandomSampler",
    "RenameDataset",
    "RenderedSST2Dataset",
    "RepeatDataset",
    "SBDataset",
    "SBUDataset",
    "SQuADDataset",
    "SST2Dataset",
    "STL10Dataset",
    "SUN397Dataset",
    "SVHNDataset",
    "Sampler",
    "Schema",
    "SemeionDataset",
    "SequentialSampler",
    "Shuffle",
    "ShuffleDataset",
    "SkipDataset",
    "SogouNewsDataset",
    "SourceDataset",
    "SpeechCommandsDataset",
    "SubsetRandomSampler",
    "SubsetSampler",
    "SyncWaitDataset",
    "TFRecordDataset",
    "TakeDataset",
    "TedliumDataset",
    "TextFileDataset",
    "TupleIterator",
    "UDPOSDataset",
    "USPSDataset",
    "VOCDataset",
    "WIDERFaceDataset",
    "WaitedDSCallback",
    "WeightedRandomSampler",
    "WikiTextDataset",
    "YahooAnswersDataset",
    "YelpReviewDataset",
    "YesNoDataset",
    "ZipDataset",
    "audio",
    "compare",
    "config",
    "debug",
    "deserialize",
    "serialize",
    "show",
    "text",
    "transforms",
    "vision",
    "zip",
]

_IMAGE_DATASETS = """
    Caltech101Dataset Caltech256Dataset CelebADataset CityscapesDataset CocoDataset DIV2KDataset
    FlickrDataset Flowers102Dataset Food101Dataset ImageFolderDataset KITTIDataset LFWDataset
    LSUNDataset ManifestDataset OmniglotDataset PhotoTourDataset Places365Dataset
    RenderedSST2Dataset SBDataset SBUDataset SUN397Dataset VOCDataset WIDERFaceDataset
"""
_TEXT_DATASETS = """
    AGNewsDataset AmazonReviewDataset CoNLL2000Dataset DBpediaDataset EnWik9Dataset
    IWSLT2016Dataset IWSLT2017Dataset Multi30kDataset PennTreebankDataset SQuADDataset SST2Dataset
    SogouNewsDataset UDPOSDataset WikiTextDataset YahooAnswersDataset YelpReviewDataset
"""
_LAZY_MODULES = {
    name: f"minispore.dataset.{name}"
    for name in ("audio", "core", "engine", "text", "utils", "vision")
}
_AUDIO_DATASETS = """
    CMUArcticDataset GTZANDataset LJSpeechDataset LibriTTSDataset SpeechCommandsDataset
    TedliumDataset YesNoDataset
"""
_LAZY_MODULES |= dict.fromkeys(
    ("compare", "deserialize", "serialize", "show"), "minispore.dataset.serialized"
)
_LAZY_MODULES["IMDBDataset"] = "minispore.dataset.sources.reviews"
_LAZY_MODULES |= dict.fromkeys(_IMAGE_DATASETS.split(), "minispore.dataset.sources.pictures")
_LAZY_MODULES |= dict.fromkeys(_TEXT_DATASETS.split(), "minispore.dataset.sources.texts")
_LAZY_MODULES |= dict.fromkeys(_AUDIO_DATASETS.split(), "minispore.dataset.sources.sounds")
__getattr__, __dir__ = _later(__name__, _LAZY_MODULES)

_describe(__name__)
